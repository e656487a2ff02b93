"""The tables against values typed from the documents, and each number against its printed text."""

import math
import re
from pathlib import Path

import pytest

from flashwear_book import tables

BOOK = Path(__file__).parents[2] / "book"


def test_sums_of_the_2014_prices_and_shares_and_counts_of_the_workloads():
    sums = tables.prices_2014().groupby("class_gb").price_usd.sum().to_dict()
    assert sums == {"120/128GB": 80 + 75 + 90 + 80 + 120 + 82 + 75 + 75 + 84,
                    "240/256GB": 140 + 112 + 150 + 110 + 190 + 200 + 140 + 120 + 135 + 140,
                    "480/512GB": 260 + 213 + 272 + 200 + 370 + 380 + 236 + 240 + 280 + 250,
                    "960GB/1TB": 450 + 480 + 433 + 590 + 700 + 500}  # fmt: skip
    frame = tables.workloads().set_index(["workload", "attribute"]).value
    daily = frame["SQL UpdateDailyStats"]
    sizes = daily[[f"share of {size} IOs" for size in ("8KB", "64KB", "128KB")]]
    assert sizes.sum() == 91  # the source leaves 9 % unlisted
    mixed = frame["enterprise queue depth"]
    assert mixed["mixed read share"] + mixed["mixed write share"] == 100
    bench = frame["Storage Bench 2013"]
    mean_bytes = (bench["read"] + bench["written"]) * 1e9 / bench["operations"]
    assert mean_bytes == pytest.approx(49_400, rel=1e-3)


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
