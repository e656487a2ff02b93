"""Keep a number and its unit on one line: a space between them does not break."""

import re

from docutils import nodes
from sphinx.application import Sphinx

SPACE = "\N{NO-BREAK SPACE}"
_UNIT = r"(?:%|°C|[kKMGTP]i?B|[MGT]bit|IOPS|USD|nm|[µmn]s|s|h|m?W|mJ|µF|V|eV)(?![\w/]|-\w)"
_BETWEEN = re.compile(rf"(?<=\d) (?={_UNIT})")
_BEFORE = re.compile(rf"\A (?={_UNIT})")  # a number that a cell gives, a unit that the text gives
_VERBATIM = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def bind(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the spaces into all prose of a page."""
    ends_in_number = False
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, _VERBATIM) or isinstance(text.parent.parent, _VERBATIM):
            ends_in_number = False
            continue
        bound = _BETWEEN.sub(SPACE, text)
        if ends_in_number:
            bound = _BEFORE.sub(SPACE, bound)
        ends_in_number = text[-1:].isdigit()
        if bound != text:
            text.parent.replace(text, nodes.Text(bound))


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", bind, priority=900)  # once all values and references are text
    return {"parallel_read_safe": True, "parallel_write_safe": True}
