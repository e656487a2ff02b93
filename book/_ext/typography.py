"""Keep a number and its unit on one line: a space between them does not break."""

import re

from docutils import nodes
from sphinx.application import Sphinx

SPACE = "\N{NO-BREAK SPACE}"
_UNIT = r"(?:%|°C|[kKMGTP]i?B|[MGT]bit|IOPS|USD|nm|[µmn]s|s|h|m?W|mJ|µF|V|eV)(?!\w|-\w)"
_BETWEEN = re.compile(rf"(?<=\d) (?={_UNIT})")
_BEFORE = re.compile(rf"\A (?={_UNIT})")  # a number that a cell gives, a unit that the text gives
_VERBATIM = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def bind(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the spaces into all prose of a page."""
    for element in list(doctree.findall(nodes.Element)):
        if isinstance(element, _VERBATIM):
            continue
        for place, text in enumerate(element.children):
            if not isinstance(text, nodes.Text):
                continue
            bound = _BETWEEN.sub(SPACE, text)
            if place and element[place - 1].astext()[-1:].isdigit():
                bound = _BEFORE.sub(SPACE, bound)
            if bound != text:
                element[place] = nodes.Text(bound)


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", bind, priority=900)  # once all values and references are text
    return {"parallel_read_safe": True, "parallel_write_safe": True}
