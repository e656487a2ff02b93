"""The ratings are whole, and a wrong row is found."""

import pytest

from flashwear_book import ratings, tables

RATED = tables.model_ratings()


def test_every_rating_has_a_page_and_a_day_and_no_model_has_two():
    assert ratings.faults() == []
    rows = RATED.merge(tables.rating_sources(), on="source", how="left")
    assert rows[["address", "locator", "checked_on"]].notna().all(axis=None)
    alone = (rows.kind == "secondary") & rows.second_source.isna()
    assert alone.sum() <= 140  # to become 20


@pytest.mark.parametrize(("column", "value", "says"), [
    ("model_pattern", "CT1000P1SSD8", "Crucial P1, 500 GB: each pattern must end with $"),
    ("tbw_tb", 300.0, "Crucial P1, 500 GB: a second number must differ"),
    ("source", "nowhere-1", "nowhere-1: is in rating_sources or in a rating, but not in both"),
    ("model_pattern", "Crucial_CT500MX200SSD1$",
     "Crucial_CT500MX200SSD1, 500.1 GB: rated as Crucial MX200 and as Crucial P1"),
])  # fmt: skip
def test_a_wrong_row_is_found(monkeypatch, column, value, says):
    wrong = RATED.copy()
    row = (wrong.line == "Crucial P1") & (wrong.user_gb == 500)
    assert row.sum() == 1
    wrong.loc[row, ["second_tbw_tb", "second_source"]] = 300.0, wrong.source[0]
    wrong.loc[row, column] = value
    monkeypatch.setattr(tables, "model_ratings", lambda: wrong)
    assert any(fault.startswith(says) for fault in ratings.faults())
