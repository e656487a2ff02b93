"""Figures of speed as rows: units, weights, and what no fit sees."""

import numpy as np
import pandas as pd
import pytest

from flashwear import drives
from flashwear.predict import TESTS
from flashwear.predict.rated_speeds import AT_LINK, of_table, rated_speeds
from flashwear_book import tables

ROWS = rated_speeds()
SEEN = tables.speeds()


def one(**changes):
    """A table of one figure."""
    row = SEEN[(SEEN.drive == "OCZ Vector 256GB") & (SEEN.test == "random read")].iloc[[0]].copy()
    for column, value in changes.items():
        row[column] = value
    return row


def test_there_is_one_figure_for_each_drive_test_and_bench_and_none_of_a_reserved_line():
    sets = tables.line_sets().set_index("set").line
    assert set(sets["first"]) <= set(ROWS.table.line)
    for unseen in ("reserved", "fresh", "out"):
        assert not set(sets[unseen]) & set(ROWS.table.line)
    assert set(tables.fresh_speeds().line) <= set(sets["fresh"])
    assert not ROWS.table.duplicated(["key", "test", "kind", "bench"]).any()
    assert len(ROWS) == len(ROWS.drives) == len(ROWS.work.fixed_s) > 450
    assert ROWS.table.line.nunique() >= 40
    assert len({drive.controller for drive in ROWS.drives}) >= 8
    assert set(ROWS.table.bits) == {2, 3, 4}
    assert set(ROWS.table.bus) == {"sata", "pcie"}


def test_equal_ratings_of_siblings_count_once_and_at_the_link_means_nine_tenths_of_it():
    rated = ROWS.table[ROWS.table.kind == "rated"]
    together = rated.groupby(["line", "test", "value"]).weight.sum()
    assert together.to_numpy() == pytest.approx(1)
    measured = ROWS.table[ROWS.table.kind == "measured"]
    several = measured.groupby(["key", "test"])
    assert several.weight.sum().to_numpy() == pytest.approx(1)
    assert several.bench.nunique().max() > 1
    drive = drives.load("vector-256gb")
    most = 1 / TESTS["random read"].work_on(drive).fixed_s[0]
    below, above = (one(value=part * most) for part in (AT_LINK - 0.01, AT_LINK + 0.01))
    assert not of_table(below).table.at_link.item()
    assert of_table(above).table.at_link.item()


def test_units_of_the_print_become_requests_and_of_distinct_figures_the_median_counts():
    iops = of_table(one(value=100_000.0, unit="IOPS")).log_rate[0]
    assert np.exp(iops) == pytest.approx(100_000)
    assert of_table(one(value=409.6, unit="MB/s")).log_rate[0] == pytest.approx(iops)
    assert of_table(one(value=390.625, unit="MiB/s")).log_rate[0] == pytest.approx(iops)
    ordered = of_table(one(test="sequential read", value=131.072, unit="MB/s"))
    assert np.exp(ordered.log_rate[0]) == pytest.approx(1000)
    several = pd.concat([one(value=value) for value in (80_000.0, 80_000.0, 80_000.0, 90_000.0)])
    assert of_table(several).table["value"].item() == pytest.approx(np.sqrt(80_000 * 90_000))
    kept, unknown, no_test = one(), one(drive="A drive of nobody"), one(test=np.nan)
    assert len(of_table(pd.concat([kept, unknown, no_test]))) == 1


@pytest.mark.parametrize(
    ("value", "half"), [(98_000.0, 500 / 98_000), (450_000.0, 5_000 / 450_000), (300_000.0, 0.02)]
)
def test_a_print_is_as_exact_as_its_last_digit_but_no_less_than_two_per_cent(value, half):
    assert of_table(one(value=value)).half_step[0] == pytest.approx(half)
