"""Set the claim of a figure above it: the first words of its caption, if they are strong."""

from docutils import nodes
from sphinx.application import Sphinx


def raise_claims(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Move each claim from the caption to a line before the picture."""
    for figure in doctree.findall(nodes.figure):
        for caption in list(figure.findall(nodes.caption)):
            words = [node for node in caption if node.astext()]
            if words and isinstance(words[0], nodes.strong):
                claim, *rest = words
                if rest and isinstance(rest[0], nodes.Text):
                    rest[0] = nodes.Text(rest[0].lstrip())
                caption[:] = rest
                figure.insert(0, nodes.paragraph("", "", *claim, classes=["fw-headline"]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", raise_claims)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
