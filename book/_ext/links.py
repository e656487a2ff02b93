"""Resolve links to pages of the book in the HTML that cells print: ``href="page:cases/m600#place"``."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

_LINK = re.compile(r'href="page:([\w/-]+)')


def resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let each such link lead from this page to the other; warn of a page that is not there."""

    def address(match: re.Match[str]) -> str:
        if match[1] not in app.env.found_docs:
            logging.getLogger(__name__).warning("no page %r to link to", match[1], location=page)
        return f'href="{app.builder.get_relative_uri(page, match[1])}'

    for raw in doctree.findall(nodes.raw):
        if "page:" in raw.astext():
            raw[:] = [nodes.Text(_LINK.sub(address, raw.astext()))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
