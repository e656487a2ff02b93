"""Draw the rooms of both packages and their imports: ``python benchmarks/architecture.py``.

It writes ``book/images/architecture.svg`` and the table of rooms in ``ARCHITECTURE.md``. Rows are
the layers of ``pyproject.toml``; an arrow is an import of one room by another, but for those that
follow from other arrows.
"""

import ast
import html
import tomllib
from itertools import combinations
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "book" / "images" / "architecture.svg"
TEXT = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- rooms: made by benchmarks/architecture.py -->\n", "<!-- end of rooms -->\n"
WIDTH, ROW, BOX, GAP = 900, 56, (140, 28), 14
COLOURS = {"flashwear_book": ("#fbeee7", "#a63c06"), "flashwear": ("#e8f0fa", "#0050a8")}

Place = tuple[float, float]


def layers(container: str) -> list[list[str]]:
    """Return the rooms of a package in their rows, from top to bottom."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (rows,) = [
        contract["layers"]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == [container]
    ]
    return [[f"{container}.{name}" for name in row.split(" : ")] for row in rows]


def rooms() -> list[list[str]]:
    """Return all rows, those of the book above the library's."""
    return layers("flashwear_book") + layers("flashwear")


def imports(rows: list[list[str]]) -> set[tuple[str, str]]:
    """Return who imports whom, but for what follows from other imports."""
    graph = grimp.build_graph(
        "flashwear", "flashwear_book", include_external_packages=False, cache_dir=None
    )
    names = [name for row in rows for name in row]
    found = {
        (one, other)
        for pair in combinations(names, 2)
        for one, other in (pair, pair[::-1])
        if graph.direct_import_exists(importer=one, imported=other, as_packages=True)
    }
    reach = {name: {other for one, other in found if one == name} for name in names}
    for name in reversed(names):  # imports go down only
        for other in list(reach[name]):
            reach[name] |= reach[other]
    return {
        (one, other)
        for one, other in found
        if not any(other in reach[between] for a, between in found if a == one)
    }


def sentence(room: str) -> str:
    """Return what a room says at its door: the first line of its docstring."""
    path = ROOT / "models" / Path(*room.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(file.read_text("utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def wrapped(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows with those that are too wide for the picture in several."""
    most = (WIDTH + GAP) // (BOX[0] + GAP)
    return [row[start : start + most] for row in rows for start in range(0, len(row), most)]


def places(rows: list[list[str]]) -> dict[str, Place]:
    """Return the middle of each box."""
    found = {}
    for number, row in enumerate(wrapped(rows)):
        left = (WIDTH - len(row) * (BOX[0] + GAP) + GAP) / 2
        # rows of one room are put aside in turn, so that arrows past them are seen
        left += (-1) ** number * 100 if len(row) == 1 else 0
        for place, name in enumerate(row):
            found[name] = (left + place * (BOX[0] + GAP) + BOX[0] / 2, 30 + number * ROW)
    return found


def drawn(rows: list[list[str]]) -> str:
    """Return the picture as SVG."""
    at, (width, height) = places(rows), BOX
    parts = []
    for one, other in sorted(imports(rows)):
        (x, y), (u, v) = at[one], at[other]
        y += height / 2
        if v < y:  # a neighbour
            v += height / 2 + 2
            curve = f"Q{(x + u) / 2:g} {y + 24:g} {u:g} {v:g}"
        else:
            v -= height / 2 + 2
            curve = f"C{x:g} {(y + v) / 2:g} {u:g} {(y + v) / 2:g} {u:g} {v:g}"
        parts.append(
            f'<path d="M{x:g} {y:g}{curve}" fill="none" stroke="#5c6670" stroke-opacity="0.7" '
            'marker-end="url(#tip)"/>'
        )
    for name, (x, y) in at.items():
        package, _, label = name.partition(".")
        fill, stroke = COLOURS[package]
        parts.append(
            f'<rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width}" height="{height}" '
            f'rx="5" fill="{fill}" stroke="{stroke}"/>'
            f'<text x="{x:g}" y="{y + 5:g}">{html.escape(label)}</text>'
        )
    tall = 30 + len(wrapped(rows)) * ROW - ROW / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall:g}" role="img" '
        'aria-label="The rooms of both packages in layers; arrows are imports and go down only." '
        'font-family="Arial, Liberation Sans, Helvetica, sans-serif" font-size="13" '
        'fill="#22262a" text-anchor="middle">\n'
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#5c6670"/></marker>\n'
        f'<rect width="{WIDTH}" height="{tall:g}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def table(rows: list[list[str]]) -> str:
    """Return what each room says at its door, as a table."""
    lines = ["| room | what it is |", "|---|---|"]
    lines += [f"| `{name}` | {sentence(name)} |" for row in rows for name in row]
    return "\n".join(lines) + "\n"


def written(rows: list[list[str]]) -> str:
    """Return ``ARCHITECTURE.md`` with the table of today."""
    before, _, rest = TEXT.read_text("utf-8").partition(BEGIN)
    return before + BEGIN + "\n" + table(rows) + "\n" + END + rest.partition(END)[2]


def main() -> None:
    """Write picture and table."""
    rows = rooms()
    PICTURE.write_text(drawn(rows), "utf-8")
    TEXT.write_text(written(rows), "utf-8")


if __name__ == "__main__":
    main()
