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
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import check
import pypandoc
import typst
import yaml
from bs4 import BeautifulSoup, Tag
from pages import HEADINGS, ROOT, SITE, article, named, project
from setting import FONTS, FROM, LICENCES, typst_text

HERE = Path(__file__).parent
INTERACTIVE = {"my-drive"}  # pages that are nothing on paper
WORKSHOP, REFERENCE, LAST = "Workshop", "Reference", "reference/references"
BY_OTHERS = """<h2 id="by-others">Software by others</h2>
<p>This edition holds no fonts and no scripts. Its pages are made after the templates of pandoc,
Copyright (C) 2006-2025 John MacFarlane, under this licence:</p>
"""  # at the end of an EPUB
KEEPS_ID = {"div", "span", *HEADINGS}


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
    return "\n".join(text)


# -- PDF -------------------------------------------------------------------------------------------


def make_pdf(volume: Volume, html: str, folder: Path, target: Path) -> list[str]:
    """Set the document with Typst; say what is wrong with it."""
    body = typst_text(html)
    template = (HERE / "book.typ").read_text(encoding="utf-8")
    about = project()
    head = "".join(
        f"#let {name} = {words}\n"
        for name, words in (
            ("title", json.dumps(about["title"])),
            ("version", json.dumps(about["version"])),
            ("subtitle", f"[{volume.subtitle}]"),
            ("fonts", json.dumps(", ".join(LICENCES.values()))),
        )
    )
    source = folder / "book.typ"
    source.write_text(f"{head}{template}\n{body}", encoding="utf-8")
    # the fonts that Typst brings: the same everywhere
    target.write_bytes(typst.compile(source, root="/", ignore_system_fonts=True))
    return check.glyphs(body, FONTS) + check.pdf(target) + check.fonts(target, LICENCES)


# -- EPUB ------------------------------------------------------------------------------------------


def make_epub(volume: Volume, html: str, folder: Path, target: Path) -> list[str]:
    """Let pandoc write the document as an electronic book; say what is wrong with it."""
    about = project()
    source = folder / "book.html"
    licence = (ROOT / "book" / "licences" / "BSD-3-Clause.txt").read_text(encoding="utf-8")
    source.write_text(html + f"{BY_OTHERS}<pre>{escape(licence)}</pre>", encoding="utf-8")
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
