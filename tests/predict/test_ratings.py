"""Figures of speed as rows: units, weights, and what no fit sees."""

import csv
import hashlib

import numpy as np
import pytest

from flashwear import drives, tables
from flashwear.predict import TESTS
from flashwear.predict.ratings import AT_LINK, added, frozen, of_table, ratings

ROWS = ratings()
SEEN = tables.speeds()


def one(**changes):
    """A table of one figure."""
    row = SEEN[(SEEN.drive == "OCZ Vector 256GB") & (SEEN.test == "random read")].iloc[[0]].copy()
    for column, value in changes.items():
        row[column] = value
    return row


@pytest.mark.parametrize("held", ["frozen_lines", "new_lines"])
def test_held_lines_are_as_they_were_before_any_fit(held):
    with (tables.data_folder() / "speeds.csv").open(encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
    place = lines[0].split(",").index("line")
    for row in getattr(tables, held)().itertuples():
        mine = [line for line, cells in zip(lines, csv.reader(lines), strict=True)
                if cells[place] == row.line]  # fmt: skip
        assert len(mine) == row.rows
        assert hashlib.sha256("\n".join(mine).encode()).hexdigest() == row.sha256


def test_the_frozen_lines_were_drawn_by_the_hashes_of_their_names():
    drawn_from = SEEN[~SEEN.line.isin(tables.new_lines().line)]
    rated = drawn_from[
        (drawn_from.kind == "rated") & drawn_from.capacity_gb.notna() & drawn_from.claim.isna()
    ]
    made = {drives.load(key).name for key in drives.names()}
    lines = rated.line[rated.drive.isin(made)].value_counts()
    enough = [line for line, count in lines.items() if count >= 3]
    drawn = sorted(enough, key=lambda line: hashlib.sha256(line.encode()).hexdigest())[:8]
    assert set(drawn) == set(tables.frozen_lines().line)


def test_no_frozen_line_is_among_the_figures():
    assert set(frozen().table.line) == set(tables.frozen_lines().line)
    assert not set(ROWS.table.line) & set(tables.frozen_lines().line)


def test_the_new_lines_are_of_drives_that_are_modelled_and_none_is_among_the_figures():
    new = tables.new_lines()
    found = added()
    assert len(found) >= 300
    assert found.table.line.nunique() >= 36
    assert (~found.table.at_link).sum() >= 200
    assert set(found.table.line) <= set(new.line)
    assert not set(new.line) & (set(ROWS.table.line) | set(tables.frozen_lines().line))
    assert np.isfinite(found.work.counts).all()


def test_there_is_one_figure_for_each_drive_test_kind_and_bench():
    assert not ROWS.table.duplicated(["key", "test", "kind", "bench"]).any()
    assert len(ROWS) == len(ROWS.drives) == len(ROWS.work.fixed_s) > 450
    assert ROWS.table.line.nunique() >= 40
    assert len({drive.controller for drive in ROWS.drives}) >= 8
    assert set(ROWS.table.bits) == {2, 3, 4}
    assert set(ROWS.table.bus) == {"sata", "pcie"}


def test_equal_ratings_of_siblings_count_once():
    rated = ROWS.table[ROWS.table.kind == "rated"]
    together = rated.groupby(["line", "test", "value"]).weight.sum()
    assert together.to_numpy() == pytest.approx(1)
    measured = ROWS.table[ROWS.table.kind == "measured"]
    several = measured.groupby(["key", "test"])
    assert several.weight.sum().to_numpy() == pytest.approx(1)
    assert several.bench.nunique().max() > 1


def test_units_of_the_print_become_requests():
    iops = of_table(one(value=100_000.0, unit="IOPS")).log_rate[0]
    assert np.exp(iops) == pytest.approx(100_000)
    assert of_table(one(value=409.6, unit="MB/s")).log_rate[0] == pytest.approx(iops)
    assert of_table(one(value=390.625, unit="MiB/s")).log_rate[0] == pytest.approx(iops)
    ordered = of_table(one(test="sequential read", value=131.072, unit="MB/s"))
    assert np.exp(ordered.log_rate[0]) == pytest.approx(1000)


def test_of_several_figures_the_median_of_distinct_ones_counts():
    import pandas as pd

    several = pd.concat([one(value=value) for value in (80_000.0, 80_000.0, 80_000.0, 90_000.0)])
    assert of_table(several).table["value"].item() == pytest.approx(np.sqrt(80_000 * 90_000))


@pytest.mark.parametrize(
    ("value", "half"), [(98_000.0, 500 / 98_000), (450_000.0, 5_000 / 450_000), (300_000.0, 0.02)]
)
def test_a_print_is_as_exact_as_its_last_digit_but_no_less_than_two_per_cent(value, half):
    assert of_table(one(value=value)).half_step[0] == pytest.approx(half)


def test_at_the_link_means_nine_tenths_of_its_rate():
    drive = drives.load("vector-256gb")
    most = 1 / TESTS["random read"].work_on(drive).fixed_s[0]
    below, above = (one(value=part * most) for part in (AT_LINK - 0.01, AT_LINK + 0.01))
    assert not of_table(below).table.at_link.item()
    assert of_table(above).table.at_link.item()


def test_figures_of_no_test_and_of_drives_that_are_not_modelled_are_left_out():
    import pandas as pd

    kept, unknown, no_test = one(), one(drive="A drive of nobody"), one(test=np.nan)
    assert len(of_table(pd.concat([kept, unknown, no_test]))) == 1
