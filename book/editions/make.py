"""Make the editions of the book, PDF and EPUB, from its built pages: ``make pdf``, ``make epub``.

Pandoc reads the pages, their folded code left out and their charts as files, as one document;
Typst sets it. Links between pages become links inside the document. On paper the workshop is a
volume of its own.
"""

import argparse
import json
import posixpath
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import check
import pypandoc
import typst
import yaml
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
SITE = ROOT / "build" / "_build" / "html"
INTERACTIVE = {"my-drive"}  # pages that are nothing on paper
WORKSHOP, REFERENCE, LAST = "Workshop", "Reference", "reference/references"
FROM = "html-auto_identifiers+tex_math_dollars+tex_math_single_backslash"

FONTS = ["Libertinus Serif", "DejaVu Sans Mono"]  # as book.typ asks
LINE = 90  # characters of a table that fit on a line
MOST_COUNTED = 150  # of a cell: beyond, a column is wide enough to be read
HEADINGS = [f"h{level}" for level in range(1, 7)]
KEEPS_ID = {"div", "span", *HEADINGS}

Node = dict[str, Any]


# -- pages -----------------------------------------------------------------------------------------


class Volume(NamedTuple):
    """An edition as a file, and which parts it has."""

    file: str
    words: str  # that lead to it
    subtitle: str
    holds: Callable[[str, str], bool]  # by part and page


VOLUMES = {
    "pdf": [
        Volume(
            "flash-wear.pdf",
            "PDF",
            "How solid-state drives wear:\\ in closed form, in simulation, in the field",
            lambda part, page: (
                part != WORKSHOP and page not in ("reference/changes", "reference/cite")
            ),
        ),
        Volume(
            "flash-wear-workshop.pdf",
            "PDF of the workshop",
            "The workshop:\\ derivations, methods and further results",
            lambda part, page: part == WORKSHOP or page == LAST,
        ),
    ],
    "epub": [Volume("flash-wear.epub", "EPUB", "", lambda part, page: True)],
}


def parts(volume: Volume) -> Iterator[tuple[str, list[str]]]:
    """Give the parts of a volume: caption, and pages in their order."""
    for caption, pages in all_parts():
        if held := [page for page in pages if volume.holds(caption, page)]:
            yield caption, held


def all_parts() -> Iterator[tuple[str, list[str]]]:
    """Give the parts of the book."""
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text(encoding="utf-8"))
    yield "", [toc["root"]]
    for part in toc["parts"]:
        pages = [page for entry in part["chapters"] for page in with_sections(entry)]
        yield (
            part["caption"],
            [p for p in pages if not p.startswith("reference/api/") and p not in INTERACTIVE],
        )


def with_sections(entry: dict[str, Any]) -> list[str]:
    """Return a page and those below it."""
    below = [page for one in entry.get("sections", []) for page in with_sections(one)]
    return [entry["file"], *below]


def named(page: str) -> str:
    """Return the id of a page inside the document."""
    return page.replace("/", "-")


def article(page: str, media: Path) -> Tag:
    """Return the body of a page as it stands on paper; its pictures become files."""
    soup = BeautifulSoup((SITE / f"{page}.html").read_text(encoding="utf-8"), "html.parser")
    found = soup.select_one("article.bd-article")
    assert found is not None, page
    for away in found.select(
        "a.headerlink, script, style, form, .fw-data, .fw-minutes, .fw-editions, noscript, "
        "details.hide.above-input, button, .visually-hidden"
    ):
        away.decompose()
    for panel in found.select("figure:has(.fw-drive)"):
        panel.decompose()  # a drive that runs needs a page that runs
    for box in found.select(".admonition"):
        if box.get_text().lstrip().startswith("Run it yourself"):
            box.decompose()
    for number, svg in enumerate(found.find_all("svg")):
        if svg.decomposed or svg.find_parent("svg") is not None:
            continue  # went with its figure, or is a part of another
        file = media / f"{named(page)}-{number}.svg"
        file.write_text(drawn(svg), encoding="utf-8")
        words = svg.get("aria-label") or (svg.title.get_text() if svg.title else "")
        picture = soup.new_tag("img", src=str(file), alt=words)
        frame = svg.find_parent("figure", class_=["fw-chart", "fw-drawing"])
        (frame or svg).insert_before(picture)
        svg.decompose()
        if frame and not frame.select(".fw-sheets svg"):  # that was its last
            for steps in frame.select(".fw-steps"):
                picture.insert_after(steps.extract())
            frame.decompose()
    for section in found.find_all("section"):  # else no chapter of it begins a file
        if (title := section.find(HEADINGS, recursive=False)) and section.get("id"):
            title["id"] = section["id"]
        section.unwrap()
    for fold in found.find_all(["details", "summary"]):
        if fold.name == "summary":
            fold.decompose()
        else:
            fold.unwrap()
    for row in found.select("table.fw-claims"):
        row.replace_with(claims(soup, row))
    for cell in found.select("table[id], table [id]"):
        del cell["id"]  # of pandas: nothing leads there
    for equation in found.select("div.math"):
        set_equation(soup, equation)
    for number in found.select(".section-number"):
        number.string = f"{number.get_text().strip().rstrip('.')} "
    return found


def drawn(svg: Tag) -> str:
    """Return a picture with the colours of a white page."""
    text = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", str(svg)).replace("viewbox=", "viewBox=")
    return text.replace("currentcolor", "#22262a").replace("currentColor", "#22262a")


def set_equation(soup: BeautifulSoup, equation: Tag) -> None:
    """Let an equation be one to pandoc, its number behind it."""
    number = equation.select_one(".eqno")
    words = number.extract().get_text() if number else ""
    tex = equation.get_text().strip().removeprefix("\\[").removesuffix("\\]")
    tex = (
        tex.replace("\\begin{split}", "")
        .replace("\\end{split}", "")
        .replace("\\vphantom", "\\phantom")
    )
    line = soup.new_tag("p")
    span = soup.new_tag("span", attrs={"class": "math display"})
    span.string = f"\\[{tex}\\]"
    line.append(span)
    if words:
        line.append(f" {words}")
    block = soup.new_tag("div", id=equation.get("id", ""))
    block.append(line)
    equation.replace_with(block)


def claims(soup: BeautifulSoup, table: Tag) -> Tag:
    """Turn the wide table of claims into a list: paper has no room for five columns."""
    whole = soup.new_tag("div")
    for row in table.select("tbody > tr"):
        name, claim, stated, outcome, how = row.find_all("td")
        entry = soup.new_tag("p", id=row["id"])
        strong = soup.new_tag("strong")
        strong.string = name.get_text(strip=True)
        said = " ".join(claim.get_text(" ", strip=True).split())
        came = ", ".join(outcome.stripped_strings)
        entry.extend([strong, f" {said}. Stated: {stated.get_text(strip=True) or 'nothing'}. "])
        verdict = soup.new_tag("em")
        verdict.string = f"{came[:1].upper()}{came[1:]}."
        entry.extend([verdict, f" {how.get_text(' ', strip=True)}"])
        box = soup.new_tag("div", id=row["id"])
        del entry["id"]
        box.append(entry)
        whole.append(box)
    return whole


def top(body: Tag) -> str:
    """Return the id of the title of a page."""
    title = body.find(HEADINGS)
    assert title is not None
    return str(title["id"])


def lower(body: Tag) -> None:
    """Set the titles of a page one level below those of the parts."""
    for title in body.find_all(HEADINGS):
        title.name = HEADINGS[min(int(title.name[1]), len(HEADINGS) - 1)]


def linked(found: Tag, page: str, tops: dict[str, str], anchors: dict[str, set[str]]) -> None:
    """Make the links of a page work inside the document; what leads out of it becomes text."""
    for tag in found.select("[id]"):
        name = f"{named(page)}--{tag['id']}"
        if tag.name in KEEPS_ID:
            tag["id"] = name
            continue
        mark = BeautifulSoup(f'<span id="{name}"></span>', "html.parser").span  # pandoc keeps that
        del tag["id"]
        if tag.name in ("dt", "dd", "li", "p"):
            tag.insert(0, mark)
        else:
            tag.insert_before(mark)
    for link in found.select("a[href]"):
        href = link["href"]
        if re.match(r"[a-z]+:", href):
            continue
        file, _, anchor = href.partition("#")
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(page), file))
        target = whole.removesuffix(".html") if file else page
        if target not in tops or (anchor and anchor not in anchors[target]):
            link.unwrap()
        else:
            link["href"] = f"#{named(target)}--{anchor or tops[target]}"


def document(volume: Volume, media: Path) -> str:
    """Return the pages of a volume as one document of HTML."""
    order = list(parts(volume))
    pages = {page for _, names in order for page in names}
    bodies = {page: article(page, media) for page in pages}
    anchors = {page: {tag["id"] for tag in body.select("[id]")} for page, body in bodies.items()}
    tops = {page: top(body) for page, body in bodies.items()}
    text = []
    for caption, names in order:
        if caption:
            text.append(f'<h1 class="part">{caption}</h1>')
        for page in names:
            linked(bodies[page], page, tops, anchors)
            if caption:
                lower(bodies[page])
            text.append(bodies[page].decode_contents())
    return "<html><body>" + "\n".join(text) + "</body></html>"


# -- PDF -------------------------------------------------------------------------------------------


def walk(node: Any, change: Any) -> Any:
    """Return a tree of pandoc with each of its nodes changed, from the leaves up."""
    if isinstance(node, list):
        made: list[Any] = []
        for one in node:
            new = walk(one, change)
            made += new if isinstance(new, list) and isinstance(one, dict) and "t" in one else [new]
        return made
    if isinstance(node, dict):
        node = {key: walk(value, change) for key, value in node.items()}
        return change(node) if "t" in node else node
    return node


def raw(text: str) -> Node:
    """Return a block that Typst reads as it is."""
    return {"t": "RawBlock", "c": ["typst", text]}


def for_typst(node: Node) -> Any:
    """Set what pandoc has no form for: numbers of equations, boxes, parts."""
    if node["t"] == "Div":
        (identity, classes, _), content = node["c"]
        label = [raw(f"#metadata(none) #label({json.dumps(identity)})")] if identity else []
        if "admonition" in classes:
            return [*label, raw("#note["), *content, raw("]")]
        return label + content
    if node["t"] == "Para":
        content = node["c"]
        if content and content[0]["t"] == "Math" and content[0]["c"][0]["t"] == "DisplayMath":
            number = "".join(one.get("c", "") for one in content[1:] if one["t"] == "Str")
            if number:
                one = {"t": "Para", "c": content[:1]}
                return [raw("#numbered["), one, raw(f"][{number}]")]
    if node["t"] == "Table":
        return with_widths(node)
    if node["t"] == "Header":
        level, (identity, classes, _), words = node["c"]
        if "part" in classes:
            return [raw(f"#part[{plain(words)}]")]
        return {"t": "Header", "c": [level, [identity, [], []], words]}
    if node["t"] == "Span":
        (identity, _, _), content = node["c"]
        if identity:
            label = f"#metadata(none) #label({json.dumps(identity)})"
            return [{"t": "RawInline", "c": ["typst", label]}, *content]
        return content
    return node


def with_widths(table: Node) -> Node:
    """Return a table to the left; columns of long text share the width by how much they hold."""
    _, _, columns, (_, head), bodies, _ = table["c"]
    rows = [*head, *(row for body in bodies for row in body[3])]
    texts = [[plain(cell[4]) for cell in cells] for _, cells in rows]
    whole = [min(max(map(len, column)), MOST_COUNTED) for column in zip(*texts, strict=True)]
    words = [
        max(len(w) for text in column for w in ["", *text.split()])
        for column in zip(*texts, strict=True)
    ]
    left = LINE - sum(words) - 2 * len(words)
    are_wide = sum(whole) > LINE and left > 0
    for place, (length, word) in enumerate(zip(whole, words, strict=True)):
        share = (word + 2 + left * length / sum(whole)) / LINE
        width = {"t": "ColWidth", "c": share} if are_wide else {"t": "ColWidthDefault"}
        columns[place] = [{"t": "AlignLeft"}, width]
    return table


def plain(node: Any) -> str:
    """Return the text in a part of a tree."""
    if isinstance(node, list):
        return "".join(map(plain, node))
    if not isinstance(node, dict) or "t" not in node:
        return ""
    if node["t"] in ("Space", "SoftBreak", "LineBreak"):
        return " "
    content = node.get("c", "")
    if node["t"] in ("Code", "Math"):
        return str(content[1])
    return content if isinstance(content, str) else plain(content)


def make_pdf(volume: Volume, html: str, folder: Path, target: Path) -> list[str]:
    """Set the document with Typst; say what is wrong with it."""
    tree = json.loads(pypandoc.convert_text(html, "json", FROM))
    tree["blocks"] = walk(tree["blocks"], for_typst)
    body = pypandoc.convert_text(json.dumps(tree), "typst", "json", extra_args=["--wrap=none"])
    template = (HERE / "book.typ").read_text(encoding="utf-8")
    about = project()
    head = "".join(
        f"#let {name} = {words}\n"
        for name, words in (
            ("title", json.dumps(about["title"])),
            ("version", json.dumps(about["version"])),
            ("subtitle", f"[{volume.subtitle}]"),
        )
    )
    source = folder / "book.typ"
    source.write_text(f"{head}{template}\n{body}", encoding="utf-8")
    # the fonts that Typst brings: the same everywhere
    target.write_bytes(typst.compile(source, root="/", ignore_system_fonts=True))
    return check.glyphs(body, FONTS) + check.pdf(target)


# -- EPUB ------------------------------------------------------------------------------------------


def make_epub(volume: Volume, html: str, folder: Path, target: Path) -> list[str]:
    """Let pandoc write the document as an electronic book; say what is wrong with it."""
    about = project()
    source = folder / "book.html"
    source.write_text(html, encoding="utf-8")
    pypandoc.convert_file(
        str(source),
        "epub3",
        FROM,
        outputfile=str(target),
        extra_args=[
            "--mathml",
            "--toc",
            "--toc-depth=2",
            "--split-level=2",
            f"--css={HERE / 'epub.css'}",
            f"--metadata=title:{about['title']}",
            f"--metadata=author:{about['author']}",
            "--metadata=lang:en",
            f"--metadata=rights:{about['rights']}",
        ],
    )
    return check.epub(target)


def project() -> dict[str, str]:
    """Return what the covers say."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = (ROOT / "models" / "flashwear" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', package, re.MULTILINE)
    assert found
    return {
        "title": "Flash Wear",
        "author": table["authors"][0]["name"],
        "version": found[1],
        "rights": "Text and figures: Creative Commons Attribution 4.0. Code: MIT licence.",
    }


def offer(site: Path) -> None:
    """Let the start page link the editions that there are."""
    there = [one for volumes in VOLUMES.values() for one in volumes if (site / one.file).is_file()]
    links = ", ".join(f'<a href="{one.file}">{one.words}</a>' for one in there)
    page = site / "index.html"
    text = page.read_text(encoding="utf-8")
    made = re.sub(
        r'<p class="fw-editions"[^>]*>.*?</p>',
        f'<p class="fw-editions">To read elsewhere: {links}.</p>',
        text,
        count=1,
        flags=re.DOTALL,
    )
    page.write_text(made, encoding="utf-8")


def main() -> int:
    """Make the edition that is asked for, beside the built pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=VOLUMES)
    kind = parser.parse_args().kind
    if not (SITE / "index.html").is_file():
        print(f"no book in {SITE}: run `make book` first", file=sys.stderr)
        return 2
    for volume in VOLUMES[kind]:
        target = SITE / volume.file
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            made = folder / volume.file
            html = document(volume, folder)
            if wrong := {"pdf": make_pdf, "epub": make_epub}[kind](volume, html, folder, made):
                print("\n".join(wrong), file=sys.stderr)
                return 1
            shutil.copyfile(made, target)
        print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")
    offer(SITE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
