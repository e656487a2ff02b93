"""Resolve links to pages of the book, and name chapters by their number in running text.

``href="page:cases/m600#place"`` in the HTML that a cell prints leads to that page. A reference that
would show a title, a question in most cases, reads "chapter 4" or "appendix G.3" instead, outside of
tables.
"""

import posixpath
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

_LINK = re.compile(r'href="page:([\w/-]+)')
_KINDS = {"chapters": ("chapter", "section"), "workshop": ("appendix", "appendix")}
_BEGINS = re.compile(r"(?:^|[.?!] )$")


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let each such link lead from this page to the other; warn of a page that is not there."""

    def address(match: re.Match[str]) -> str:
        if match[1] not in app.env.found_docs:
            logging.getLogger(__name__).warning("no page %r to link to", match[1], location=page)
        return f'href="{app.builder.get_relative_uri(page, match[1])}'

    for raw in doctree.findall(nodes.raw):
        if "page:" in raw.astext():
            raw[:] = [nodes.Text(_LINK.sub(address, raw.astext()))]


def number(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put numbers in place of titles."""
    tables = {id(text) for table in doctree.findall(nodes.table) for text in table.findall()}
    for shown in list(doctree.findall(nodes.inline)):
        link = shown.parent
        if "std-ref" not in shown["classes"] or id(shown) in tables:
            continue
        path = link.get("refuri", "").partition("#")[0]
        other = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        other = other.removesuffix(".html") if path else page
        title = shown.astext()
        if name := numbered(app, other, title):
            before = link.parent[: link.parent.index(link)]
            begins = _BEGINS.search("".join(node.astext() for node in before))
            shown[:] = [nodes.Text(name[0].upper() + name[1:] if begins else name)]
            link["reftitle"] = title


def numbered(app: Sphinx, page: str, title: str) -> str | None:
    """Return the name of a section by its number; None where it has none, or another title."""
    kinds = _KINDS.get(posixpath.dirname(page))
    for entry in app.env.tocs[page].findall(nodes.reference) if kinds else ():
        if entry.astext() == title:
            place = app.env.toc_secnumbers[page].get(entry["anchorname"])
            if not place:
                return None
            return f"{kinds[len(place) > 1]} {'.'.join(map(str, place))}"
    return None


def no_source(app: Sphinx, module: str) -> tuple[str, dict[str, object]] | None:
    """Let the pages of code be those of the library: the book's own is in its wheel."""
    return ("", {}) if module.startswith("flashwear_book") else None


def without_empty(app: Sphinx, env: BuildEnvironment) -> None:
    """Drop the pages of code that would be empty, and of what an earlier build knew."""
    modules = getattr(env, "_viewcode_modules", {})
    for name in [name for name in modules if name.partition(".")[0] != "flashwear"]:
        del modules[name]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", resolve)
    app.connect("doctree-resolved", number)
    app.connect("viewcode-find-source", no_source)
    app.connect("env-updated", without_empty)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
