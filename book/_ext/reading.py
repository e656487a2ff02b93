"""Say how long a page takes to read: under its title, and wherever the role ``minutes`` asks.

A page takes a minute for each 200 words of prose, and half a minute for each figure. The role sums
up the pages that it names: ``{minutes}`promise budget```.
"""

import math

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole

WORDS_A_MINUTE, MINUTES_A_FIGURE = 200, 0.5
LEAST_WORDS = 400  # of a page that says how long it takes


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
        raise ValueError(f"minutes must name pages of the book, got {', '.join(missing)}")
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
    if words < LEAST_WORDS or section is None or page.startswith("api/") or page == "intro":
        return
    line = nodes.paragraph(classes=["fw-minutes"])
    line += nodes.Text(f"{needed(app.env, [page])} minutes to read")
    section.insert(1, line)


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
