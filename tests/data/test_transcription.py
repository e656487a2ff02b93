"""The number of each cell against its printed text, and a chapter or a reason for each figure."""

import math
import re
from pathlib import Path

import pytest

from flashwear_book import tables

BOOK = Path(__file__).parents[2] / "book"


WORDS = {"two": 2, "Three": 3, "three": 3, "four": 4, "six": 6, "eight": 8, "sixteen": 16}
WORDS |= {"one": 1, "once": 1, "all": 100, "entire": 100, "full": 100, "fully": 100, "pure": 100}


def numbers(text):
    """Every number that a printed cell can mean."""
    factors = {"K": [1, 1e3], "M": [1, 1e6], " million": [1e6], "TB": [1, 1000, 1024]}
    factors |= {"GB": [1, 1024], "": [1]}
    found = {math.prod(map(float, pair)) for pair in re.findall(r"(\d+) ?x ?(\d+)GB", text)}
    for digits, suffix in re.findall(r"(\d[\d,]*\.?\d*)(K|M| million|TB|GB|)", text):
        found |= {float(digits.replace(",", "")) * factor for factor in factors[suffix]}
    return found | {
        float(value) for word, value in WORDS.items() if re.search(rf"\b{word}\b", text)
    }


MEANINGS = {  # printed in words that hold no number
    "doubled": 2, "every second": 1, "weekly": 7, "one hour": 3600, "1 year": 12, "over a year": 1,
    "none": 0, "pure read": 0, "less than half an hour": 30, "just over half an hour": 30,
}  # fmt: skip


@pytest.mark.parametrize("name", ["specifications", "workloads", "discussion"])
def test_value_is_the_printed_number(name):
    frame = getattr(tables, name)()
    frame = frame[frame.value.notna()]
    wrong = [(row.stated, row.value) for row in frame.itertuples()
             if not any(math.isclose(row.value, number) for number in numbers(row.stated))
             and MEANINGS.get(row.stated) != row.value]  # fmt: skip
    assert wrong == []


def test_every_figure_has_a_chapter_or_a_reason():
    frame = tables.figures()
    assert (frame.chapter.isna() == (frame.status == "absent")).all()
    assert frame.reason[frame.status == "absent"].notna().all()
    pages = {page.relative_to(BOOK).with_suffix("").as_posix() for page in BOOK.rglob("*.md")}
    assert set(frame.chapter.dropna()) <= pages
    charts = frame[(frame.kind == "chart") & (frame.status != "absent")]
    assert charts[["x_axis", "y_axis"]].notna().all().all()
    assert set(frame.document) == set(tables.documents().document)
