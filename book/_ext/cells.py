"""Read the Python cells of the pages, each where it stands: by ruff, and for results that are typed in descriptions."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from jupytext.myst import myst_to_notebook

BOOK = Path(__file__).resolve().parents[1]
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?")
_FEW = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_SHARE = re.compile(
    r"\{.+?\}|"  # in a text that lacks its f
    r"\b(?:half|twice|(?:an?|one|two|three) (?:third|quarter|fifth|tenth)s?|"
    rf"(?:{_FEW}) times|(?:{_FEW}) (?:of|in) (?:{_FEW}))\b",
    re.IGNORECASE,
)
_LOOKS = {"width", "height", "size", "opacity", "fillOpacity", "strokeWidth", "strokeDash", "thickness", "fontSize",
          "lineHeight", "dx", "dy", "padding", "columns", "labelLimit", "tickCount"}  # fmt: skip
_DRIVE = re.compile(r"\b(?:[A-Z]{1,6}\d{2,5}\w*|P\d00m)(?: \d+[GT]B)?|\b\d{3} (?:EVO|Pro)\b")


def as_python(page: str) -> str:
    """Return the cells of a page as a module, every line under the number that it has there."""
    notebook = myst_to_notebook(page, add_source_map=True)
    lines = page.splitlines()
    module = [""] * len(lines)
    for cell, start in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        if cell.cell_type == "code":
            while lines[start].startswith(":"):  # an option, as ":tags: [hide-input]"
                start += 1
            source = cell.source.splitlines()
            end = start + len(source)
            module[start:end] = source
            module[end] = "..."  # so that imports of two cells are not sorted as one block
    return "\n".join(module) + "\n"


def typed(module: str) -> Iterator[tuple[int, str]]:
    """Yield line and number of what a description of a chart says and nothing in its cell names.

    A setting stands in the code of the cell, as a number or in a text. What does not is a result,
    which the cell has to compute; so is a share or a multiple in words, such as "a third". Counts
    in words, such as "four lines", and claims without a number are not looked for.
    """
    takers: dict[str, int] = {}  # functions of the page, by the place where they take a description
    for cell in _cells(module):
        for node in cell.body:
            if isinstance(node, ast.FunctionDef):
                names = [argument.arg for argument in node.args.args]
                if "description" in names:
                    takers[node.name] = names.index("description")
        given = _given(cell)
        for node in ast.walk(cell):  # told = "...", and later description=told
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in given:
                said = ast.copy_location(ast.keyword("description", node.value), node)
                node.value = ast.Call(ast.Name("str"), [], [said])
        told: list[tuple[int, str]] = []
        named: set[float | str] = {0.0, 1.0, 100.0}  # ends of axes, wholes
        _part(cell, takers, told, named)
        for line, text in told:
            for number in _NUMBER.findall(_DRIVE.sub("", text)):
                if not {_value(number), _value(number) / 100} & named:
                    yield line, number
            for share in _SHARE.findall(text):
                if share.lower() not in named:
                    yield line, share


def _given(cell: ast.Module) -> set[str]:
    """Return the names of values that a cell gives as a description."""
    keywords = [node for node in ast.walk(cell) if isinstance(node, ast.keyword)]
    return {ast.unparse(one.value) for one in keywords if one.arg == "description"}


def _cells(module: str) -> Iterator[ast.Module]:
    cell = ast.Module([], [])
    for statement in ast.parse(module).body:
        if ast.unparse(statement) == "...":
            yield cell
            cell = ast.Module([], [])
        else:
            cell.body.append(statement)


def _part(
    node: ast.AST,
    takers: dict[str, int],
    told: list[tuple[int, str]],
    named: set[float | str],
    line: int = 0,
) -> None:
    """Part the texts of descriptions, which have a line, from the numbers that code names."""
    if isinstance(node, ast.FormattedValue):
        line = 0
    if isinstance(node, ast.Constant):
        if line and isinstance(node.value, str):
            told.append((line, node.value))
        elif not isinstance(node.value, bool):
            named |= {_value(number) for number in _NUMBER.findall(str(node.value))}
            named |= {share.lower() for share in _SHARE.findall(str(node.value))}
    place = takers.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword) and child.arg in _LOOKS and not line:
            continue  # of the drawing, and no setting of what is drawn
        says = isinstance(child, ast.keyword) and child.arg == "description"
        if place is not None and child in node.args[place : place + 1]:
            says = True
        _part(child, takers, told, named, child.lineno if says else line)


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def main() -> int:
    """Return 0 if nothing is found in any cell of the book."""
    found = 0
    for path in sorted(BOOK.rglob("*.md")):
        name = path.relative_to(BOOK.parent)
        command = ["ruff", "check", "--quiet", "--extension=md:python", f"--stdin-filename={name}"]
        module = as_python(path.read_text(encoding="utf-8"))
        found |= subprocess.run(
            [sys.executable, "-m", *command, "-"], input=module, text=True, cwd=BOOK.parent
        ).returncode
        for line, number in typed(module):
            print(
                f"{name}:{line}: a chart's description says {number}, which its cell does not compute"
            )
            found = 1
    return found


if __name__ == "__main__":
    sys.exit(main())
