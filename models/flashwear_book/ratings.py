"""Check the table of what drives are rated for: ``python -m flashwear_book.ratings``.

A rating is one row of ``data/model_ratings.csv``, and one of ``data/rating_sources.csv`` if its
page is new.
"""

import re
import sys
from collections.abc import Iterator

import pandas as pd

from flashwear.smart._rules import unrated
from flashwear_book import tables
from flashwear_book.field import summary

_NEAR = 0.03  # of a capacity, as the command takes it
_PAGES = ["source", "second_source", "about_source", "year_source"]


def faults() -> list[str]:
    """Return what is wrong with the ratings: patterns, products, pages, models of two lines.

    Result: a sentence for each fault; none if all is well.

    Examples
    --------
    >>> faults()
    []
    """
    rated = tables.model_ratings()
    named = set().union(*(rated[column].dropna() for column in _PAGES))
    pages = sorted(named ^ set(tables.rating_sources().source))
    alone = [f"{page}: is in rating_sources or in a rating, but not in both" for page in pages]
    return [*_of_rows(rated), *alone, *_of_models(rated)]


def _of_rows(rated: pd.DataFrame) -> Iterator[str]:
    for row in rated.itertuples():
        name = f"{row.line}, {row.user_gb:g} GB"
        if re.search(r"[^$]\|(?![^(]*\))|[^$]$", row.model_pattern):
            yield f"{name}: each pattern must end with $"
        product = row.dwpd * row.user_gb * 365 * row.years / 1000
        if row.basis == "dwpd" and not abs(product - row.tbw_tb) < 0.06:
            yield f"{name}: {row.tbw_tb} TB, but the drive writes a day make {product:.1f}"
        if row.second_tbw_tb == row.tbw_tb or (
            row.second_tbw_tb > 0 and pd.isna(row.second_source)
        ):
            yield f"{name}: a second number must differ, and have its page"


def _of_models(rated: pd.DataFrame) -> Iterator[str]:
    lines = [(re.compile(row.model_pattern), row.user_gb, row.line) for row in rated.itertuples()]
    models = summary.load("field_models").query("model != 'all'")
    for model, size in zip(models["model"], models["capacity_gb"], strict=True):
        near = [(pattern, line) for pattern, gb, line in lines if abs(size / gb - 1) < _NEAR]
        fits = [line for pattern, line in near if pattern.match(model)]
        if len(fits) > 1:
            yield f"{model}, {size:g} GB: rated as {' and as '.join(fits)}"
        if fits and unrated(model):
            yield f"{model}, {size:g} GB: rated, and in model_unrated"


if __name__ == "__main__":
    found = faults()
    print("\n".join(found) or f"{len(tables.model_ratings())} ratings: no fault found")
    sys.exit(bool(found))
