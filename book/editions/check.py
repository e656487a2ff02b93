"""What an edition must not have: missing glyphs, lines that run off the page, links to nowhere."""

import io
import json
import posixpath
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pypdf
import pypdfium2
import typst

MARGIN = 10  # points that no glyph may come near to the edge of the page
KINDS = (".xhtml", ".svg", ".png", ".css", ".opf", ".ncx", ".xml", "mimetype")  # of an EPUB's files
_HREF = re.compile(r"""(?:href|src)="([^"]*)\"""")


def pdf(path: Path) -> list[str]:
    """Say what is wrong with a PDF. Its links inside are compiled: one to nowhere stops Typst."""
    wrong = []
    with pypdfium2.PdfDocument(path) as document:
        if len(document) < 2 or not list(document.get_toc()):
            wrong.append("the PDF has no contents")
        for number, page in enumerate(document, start=1):
            text = page.get_textpage()
            width = page.get_width()
            for at in range(text.count_chars()):
                character = text.get_text_range(at, 1)
                left, _, right, _ = text.get_charbox(at)
                if character.strip() and (left < MARGIN or right > width - MARGIN):
                    near = text.get_text_range(max(at - 30, 0), 31)
                    wrong.append(f"page {number}: runs off at {near!r}")
                    break
    return wrong


def slides(path: Path, count: int, figures: dict[str, int]) -> list[str]:
    """Say what is wrong with slides: how many there are, of each figure too, edges, fonts."""
    wrong = []
    with pypdfium2.PdfDocument(path) as document:
        if len(document) != count:
            wrong.append(f"{len(document)} pages for {count} slides: one runs over")
        texts = []
        for number, page in enumerate(document, start=1):
            text = page.get_textpage()
            texts.append(text.get_text_range())
            right, upper = page.get_width() - MARGIN, page.get_height() - MARGIN
            for at in range(text.count_chars()):
                x0, y0, x1, y1 = text.get_charbox(at)
                if text.get_text_range(at, 1).strip() and not (
                    x0 >= MARGIN and x1 <= right and y0 >= MARGIN and y1 <= upper
                ):
                    wrong.append(f"slide {number}: runs off at {text.get_text_range(at, 20)!r}")
                    break
    for number, expected in figures.items():
        if (shown := sum(f"{number}. " in text for text in texts)) != expected:
            wrong.append(f"{number} is on {shown} slides, not {expected}")
    for page in pypdf.PdfReader(path).pages:
        for font in page["/Resources"].get("/Font", {}).values():
            for one in font.get_object().get("/DescendantFonts", [font]):
                described = one.get_object().get("/FontDescriptor", {})
                if not {"/FontFile", "/FontFile2", "/FontFile3"} & set(described):
                    wrong.append(f"not embedded: {font.get_object()['/BaseFont']}")
    return wrong


def fonts(path: Path, licences: dict[str, str]) -> list[str]:
    """Say which fonts in a PDF none of these licences is for, by how their names begin."""
    waiting = [page["/Resources"] for page in pypdf.PdfReader(path).pages]
    names: set[str] = set()
    while waiting:
        resources = waiting.pop().get_object()
        names |= {
            str(font.get_object()["/BaseFont"]).partition("+")[2]
            for font in resources.get("/Font", {}).values()
        }
        parts = (one.get_object() for one in resources.get("/XObject", {}).values())
        waiting += [part["/Resources"] for part in parts if "/Resources" in part]
    return [
        f"no licence is told of the font {name}"
        for name in sorted(names)
        if not name.startswith(tuple(licences))
    ]


def glyphs(text: str, fonts: list[str]) -> list[str]:
    """Say which characters of a text neither these fonts of Typst nor its others have."""
    characters = sorted({character for character in text if ord(character) > 126})
    if not characters:
        return []
    families = f"({', '.join(map(json.dumps, fonts))},)"
    pages = [f"#text(font: {families}, {json.dumps(c, ensure_ascii=False)})" for c in characters]
    made = typst.compile("\n#pagebreak()\n".join(pages).encode(), ignore_system_fonts=True)
    return [
        f"no font has {character!r}"
        for page, character in zip(pypdf.PdfReader(io.BytesIO(made)).pages, characters, strict=True)
        if _shows_no_glyph(page)
    ]


def _shows_no_glyph(page: pypdf.PageObject) -> bool:
    """Say whether a page shows the glyph of number 0, which stands for one that is missing."""
    for operands, operator in pypdf.generic.ContentStream(page.get_contents(), page.pdf).operations:
        if operator in (b"Tj", b"TJ"):
            parts = operands[0] if operator == b"TJ" else operands
            shown = b"".join(p.original_bytes for p in parts if hasattr(p, "original_bytes"))
            if any(shown[at : at + 2] == b"\0\0" for at in range(0, len(shown), 2)):
                return True
    return False


def epub(path: Path) -> list[str]:
    """Say what is wrong with an EPUB: pages that are no XML, missing files and anchors, fonts."""
    with zipfile.ZipFile(path) as book:
        names = set(book.namelist())
        pages = {n: book.read(n).decode("utf-8") for n in names if n.endswith(".xhtml")}
    wrong = [f"no licence is told of {name}" for name in names if not name.endswith(KINDS)]
    for name, text in pages.items():
        try:
            ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            wrong.append(f"{name}: {error}")
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    for name, text in pages.items():
        for link in _HREF.findall(text):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            file = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
            target = file if parts.path else name
            if target not in names:
                wrong.append(f"{name}: no file {link}")
            elif parts.fragment and unquote(parts.fragment) not in anchors.get(target, set()):
                wrong.append(f"{name}: no anchor {link}")
    return wrong
