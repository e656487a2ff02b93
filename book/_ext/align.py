"""Mark columns of numbers and of prose in tables that cells print, for the style sheet."""

import re

from bs4 import BeautifulSoup
from sphinx.application import Sphinx

TABLE = re.compile(r"<table\b(?![^>]*\bdocutils\b).*?</table>", re.DOTALL)
NUMBER = re.compile(r"[-+−±]?[\d.,\u202f ]*\d(e[-+]?\d+)?\s*[%×x]?")
PROSE = 50  # characters in the longest cell from which a column needs room
MISSING = {"", "-", "–", "—", "nan", "<na>", "none", "inf"}


def mark_columns(match: re.Match[str]) -> str:
    """Set the class ``num`` or ``prose`` on the cells and heads of such columns."""
    table = BeautifulSoup(match.group(), "html.parser")
    body = [row.find_all(["th", "td"], recursive=False) for row in table.select("tbody > tr")]
    heads = [row.find_all("th", recursive=False) for row in table.select("thead > tr")]
    for column, cells in enumerate(zip(*body, strict=False)):
        texts = [cell.get_text(strip=True) for cell in cells]
        present = [text for text in texts if text.lower() not in MISSING]
        if present and all(NUMBER.fullmatch(text) for text in present):
            kind = "num"
        elif max(map(len, texts)) >= PROSE:
            kind = "prose"
        else:
            continue
        for cell in (*cells, *(row[column] for row in heads if column < len(row))):
            cell["class"] = [*cell.get("class", []), kind]
    return str(table)


def align(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Apply to the body of a page."""
    if "body" in context:
        context["body"] = TABLE.sub(mark_columns, context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", align)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
