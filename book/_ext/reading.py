"""Say under a title how long a page takes, what it builds on and what builds on it.

A page takes a minute for each 200 words of prose, and half a minute for each figure. The role
``minutes`` sums up the pages that it names: ``{minutes}`promise budget```. What a page builds on is
in ``book/before.toml``. The box *In short* stands a second time where a chapter has given its
reasons: before its last section on the matter.
"""

import math
import tomllib
from functools import cache

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxRole

from fresh_install import ROOT

BEFORE = ROOT / "book" / "before.toml"
WORDS_A_MINUTE, MINUTES_A_FIGURE = 200, 0.5
LEAST_WORDS = 400  # of a page that says how long it takes
MOST_NEXT = 3  # pages that a page leads to, by the order of the book


class minutes(nodes.Inline, nodes.TextElement):  # noqa: N801 - nodes have small letters
    """A place that waits for the pages to be counted."""


class Minutes(SphinxRole):
    """The role."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Leave the place."""
        return [minutes("", "", pages=self.text.split())], []


def count(app: Sphinx, doctree: nodes.document) -> None:
    """Note how much prose a page has."""
    prose = [
        node
        for node in doctree.findall(nodes.paragraph)
        if not any(isinstance(up, nodes.table) for up in ancestors(node))
    ]
    words = sum(len(node.astext().split()) for node in prose)
    figures = len(list(doctree.findall(nodes.figure)))
    counted(app.env)[app.env.docname] = (words, figures)


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    """Return the nodes that a node is in."""
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def counted(env: BuildEnvironment) -> dict[str, tuple[int, int]]:
    """Return words and figures by page."""
    if not hasattr(env, "prose_counts"):
        env.prose_counts = {}
    return env.prose_counts


def needed(env: BuildEnvironment, pages: list[str]) -> int:
    """Return the minutes that pages take."""
    missing = [page for page in pages if page not in counted(env)]
    if missing:
        raise ExtensionError(f"minutes must name pages of the book, got {', '.join(missing)}")
    return sum(
        math.ceil(words / WORDS_A_MINUTE + MINUTES_A_FIGURE * figures)
        for words, figures in (counted(env)[page] for page in pages)
    )


def fill_in(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the minutes into their places, and under the title of a chapter."""
    for place in list(doctree.findall(minutes)):
        place.replace_self(nodes.Text(f"{needed(app.env, place['pages'])} minutes"))
    words, _ = counted(app.env)[page]
    section = doctree.next_node(nodes.section)
    if (
        words < LEAST_WORDS
        or section is None
        or page.startswith("reference/api/")
        or page == "index"
    ):
        return
    line = nodes.paragraph(classes=["fw-minutes"])
    line += nodes.Text(f"{needed(app.env, [page])} minutes to read")
    builds_on = before().get(page, [])
    leads_to = [other for other, pages in before().items() if page in pages][:MOST_NEXT]
    for words, pages in (
        (" \N{MIDDLE DOT} builds on ", builds_on),
        (" \N{MIDDLE DOT} leads to ", leads_to),
    ):
        for number, other in enumerate(pages):
            title = app.env.titles[other].astext()
            line += nodes.Text(", " if number else words)
            uri = app.builder.get_relative_uri(page, other)
            line += nodes.reference("", title, internal=True, refuri=uri)
    section.insert(1, line)


@cache
def before() -> dict[str, list[str]]:
    """Return what each page builds on."""
    table: dict[str, list[str]] = tomllib.loads(BEFORE.read_text(encoding="utf-8"))
    return table


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Drop a page that is read again."""
    counted(env).pop(page, None)


def merge(app: Sphinx, env: BuildEnvironment, pages: list[str], other: BuildEnvironment) -> None:
    """Take over what another process counted."""
    counted(env).update({page: counted(other)[page] for page in pages if page in counted(other)})


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register with Sphinx."""
    app.add_node(minutes)
    app.add_role("minutes", Minutes())
    app.connect("doctree-read", count)
    app.connect("doctree-resolved", fill_in)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
