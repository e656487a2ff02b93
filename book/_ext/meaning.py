"""Let a link to the glossary say what its term means, where a reader points at it."""

from docutils import nodes
from sphinx.application import Sphinx

PAGE, ANCHOR = "reference/glossary", "glossary.html#term-"


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
    app.connect("doctree-resolved", add, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
