"""Link the book's own words to the glossary, and let a link say what its term means.

The meaning shows where a reader points. A word of ``OWN`` is linked where a chapter first uses it.
"""

import re

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

PAGE, ANCHOR = "reference/glossary", "glossary.html#term-"
OWN = (
    "spare flash", "valid", "stale", "blank", "client drive", "rating", "stream",
    "placement handle", "reclaim unit", "codeword",
)  # fmt: skip
_IN_CHAPTERS = ("chapters/", "index")
_NOT_IN = (
    nodes.title,
    nodes.raw,
    nodes.reference,
    pending_xref,
    nodes.literal,
    nodes.caption,
    nodes.table,
)


def link_first(app: Sphinx, doctree: nodes.document) -> None:
    """Link the first use of each word of a chapter, unless it has a link already."""
    if not app.env.docname.startswith(_IN_CHAPTERS):
        return
    linked = {link.get("reftarget", "").lower() for link in doctree.findall(pending_xref)}
    for term in (term for term in OWN if term not in linked):
        pattern = re.compile(rf"\b{term}s?\b")
        for text in list(doctree.findall(nodes.Text)):
            found = pattern.search(text) if _in_prose(text) else None
            if found:
                link = pending_xref(
                    "", nodes.inline("", found[0]), refdomain="std", reftype="term",
                    reftarget=term, refexplicit=True, refdoc=app.env.docname, refwarn=True,
                )  # fmt: skip
                before, after = text[: found.start()], text[found.end() :]
                text.parent.replace(text, [nodes.Text(before), link, nodes.Text(after)])
                break


def _in_prose(text: nodes.Text) -> bool:
    around = []
    node = text.parent
    while node is not None:
        around.append(node)
        node = node.parent
    prose = any(isinstance(node, nodes.paragraph) for node in around)
    return prose and not any(isinstance(node, _NOT_IN) for node in around)


def meanings(app: Sphinx) -> dict[str, str]:
    """Return the first sentences of each entry by its anchor."""
    if not hasattr(app, "meanings"):
        found = {}
        for entry in app.env.get_doctree(PAGE).findall(nodes.definition_list_item):
            terms = [part for part in entry if isinstance(part, nodes.term)]
            paragraph = next(iter(entry.findall(nodes.paragraph)))
            for term in terms:
                found |= dict.fromkeys(term["ids"], " ".join(paragraph.astext().split()))
        app.meanings = found
    return app.meanings


def add(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Set the titles of the links; ``terms.js`` shows those to readers without a mouse, too."""
    if page == PAGE:
        return
    for link in doctree.findall(nodes.reference):
        if ANCHOR in link.get("refuri", ""):
            link["reftitle"] = meanings(app)[link["refuri"].partition("#")[2]]
            link["classes"].append("fw-term")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-read", link_first)
    app.connect("doctree-resolved", add, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
