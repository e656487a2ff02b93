"""Check the table of what drives are rated for: ``python -m flashwear_book.ratings``.

A rating is one row of ``data/model_ratings.csv``, and one of ``data/rating_sources.csv`` if its
page is new.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pandas as pd

from flashwear.smart._rules import unrated
from flashwear_book import tables
from flashwear_book.field import summary

_NEAR = 0.03  # of a capacity, as the command takes it
_PAGES = ["source", "second_source", "about_source"]


def with_sources() -> pd.DataFrame:
    """Return the ratings with the addresses of their pages.

    Returns
    -------
    pandas.DataFrame
        Columns of ``data/model_ratings.csv``, and ``address``, ``locator`` and ``checked_on``.

    Examples
    --------
    >>> rows = with_sources().set_index(["line", "user_gb"])
    >>> rows.loc[("WD Black SN770", 2000), "address"].split("/")[2]
    'techpowerup.com'
    """
    return tables.model_ratings().merge(tables.rating_sources(), on="source", how="left")


def faults() -> list[str]:
    """Return what is wrong with the ratings: patterns, products, pages, models of two lines.

    Returns
    -------
    list of str
        A sentence for each fault; none if all is well.

    Examples
    --------
    >>> faults()
    []
    """
    rated = tables.model_ratings()
    return [*_of_rows(rated), *_of_pages(rated), *_of_models(rated)]


def _of_rows(rated: pd.DataFrame) -> Iterator[str]:
    for row in rated.itertuples():
        name = f"{row.line}, {row.user_gb:g} GB"
        if re.search(r"[^$]\|(?![^(]*\))|[^$]$", row.model_pattern):
            yield f"{name}: each pattern must end with $"
        if row.basis == "dwpd":
            product = row.dwpd * row.user_gb * 365 * row.years / 1000
            if not abs(product - row.tbw_tb) < 0.06:
                yield f"{name}: {row.tbw_tb} TB, but the drive writes a day make {product:.1f}"
        no_page = row.second_tbw_tb > 0 and pd.isna(row.second_source)
        if row.second_tbw_tb == row.tbw_tb or no_page:
            yield f"{name}: a second number must differ, and have its page"


def _of_pages(rated: pd.DataFrame) -> Iterator[str]:
    named = set().union(*(rated[column].dropna() for column in _PAGES))
    known = set(tables.rating_sources().source)
    for page in sorted(named ^ known):
        yield f"{page}: " + ("not in rating_sources" if page in named else "no rating names it")


def _of_models(rated: pd.DataFrame) -> Iterator[str]:
    patterns = [
        (re.compile(row.model_pattern), row.user_gb, row.line) for row in rated.itertuples()
    ]
    models = summary.load("field_models").query("model != 'all'")
    for model, size in models[["model", "capacity_gb"]].drop_duplicates().itertuples(index=False):
        found = [
            line
            for pattern, user_gb, line in patterns
            if abs(size / user_gb - 1) < _NEAR and pattern.match(model)
        ]
        if len(found) > 1:
            yield f"{model}, {size:g} GB: rated as {' and as '.join(found)}"
        if found and unrated(model):
            yield f"{model}, {size:g} GB: rated, and in model_unrated"


if __name__ == "__main__":
    found = faults()
    print("\n".join(found) or f"{len(tables.model_ratings())} ratings: no fault found")
    sys.exit(bool(found))
