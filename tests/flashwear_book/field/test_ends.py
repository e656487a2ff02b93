"""How drives end: what counts as an end, and estimates on collections whose truth is known."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import betabinom, binom
from scipy.stats.contingency import odds_ratio as conditional

from flashwear_book.field import infer, summary
from flashwear_book.field._ends import outcomes
from refusals import refusals


def drive(kind="ata", passed=True, used=10.0, findings="", low=""):
    return {"kind": kind, "passed": passed, "percent_used": used, "findings": findings,
            "low_attributes": low, "model": "Made up", "line": "", "cluster": 0,
            "power_on_hours": 8766.0}  # fmt: skip


@pytest.mark.parametrize(("given", "shown"), [
    (drive(), ""),
    (drive(passed=pd.NA), ""),
    # a spare counter is no counter of wear; nor is 202 where it is a pre-failure attribute
    (drive(passed=False, findings="failed attribute_failing", low="5 177"), "failed failure"),
    (drive(passed=False, findings="failed attribute_failing", low="202"), "failed failure"),
    (drive(passed=False, findings="failed attribute_low", low="202"), "failed failed_by_wear"),
    (drive(passed=False, findings="failed_used_up", low="202"), "failed failed_by_wear"),
    (drive(passed=False, findings="failed attribute_failing", low="173"), "failed failed_by_wear"),
    (drive(passed=False, used=120.0, findings="failed"), "failed failure"),
    (drive(findings="media_errors"), "uncorrected"),
    (drive("nvme", False, 105.0, "failed read_only"), "failed failed_by_wear"),
    (drive("nvme", False, 99.0, "failed read_only"), "failed read_only failure"),
    (drive("nvme", False, np.nan, "failed"), "failed failure"),
    (drive("nvme", False, 255.0, "failed spare_below_threshold read_only media_errors"),
     "failed spare read_only failure uncorrected"),
    (drive("nvme", True, 255.0, "spare_below_threshold"), "spare failure"),
])  # fmt: skip
def test_an_end_is_what_the_counter_of_wear_does_not_set(given, shown):
    found = outcomes(pd.DataFrame([given])).iloc[0]
    assert set(found[found].index) == set(shown.split())


def test_table_counts_every_drive_of_known_wear_once_by_kind_and_once_by_line():
    many = [drive(used=float(used)) for used in [*range(29), 100]]
    few = [drive(used=3.0) | {"model": "Rare"}, drive("nvme", used=7.0)]
    table = summary.ends(pd.DataFrame([*many, *few, drive(used=np.nan)]))
    assert set(zip(table.kind, table.line, strict=True)) == {
        ("ata", "all"), ("ata", "Made up"), ("ata", "others"), ("nvme", "all"), ("nvme", "others"),
    }  # fmt: skip
    assert table.groupby("kind").drives.sum().to_dict() == {"ata": 62, "nvme": 2}
    row = table.set_index(["kind", "line", "low"]).loc["ata", "Made up", 5]
    assert (row.high, row.drives, row.drive_years, row.failure) == (20, 15, 15, 0)


def test_odds_ratio_and_trend_are_those_of_counts_and_find_a_fall():
    found = infer.odds_ratio([32, 11], [34_915, 957], [False, True])
    assert found.value == pytest.approx(11 * 34_883 / 32 / 946, rel=1e-3)
    assert found.correlation < 1e-5
    exact = conditional([[11, 946], [32, 34_883]]).confidence_interval()  # wider, by its nature
    assert exact.low < found.low < 1.1 * exact.low
    assert exact.high < found.high < 1.1 * exact.high
    k, n, old = np.array([1, 9, 6, 30]), np.array([400, 500, 300, 300]), np.array([0, 0, 1, 1])

    def least_cost(log_ratio):
        base, depth = np.meshgrid(np.linspace(-8, -2, 241), np.linspace(-9, 1, 201))
        share = 1 / (1 + np.exp(-base[..., None] - log_ratio * old))
        size = np.exp(-depth)[..., None]
        return -betabinom.logpmf(k, n, share * size, (1 - share) * size).sum(axis=-1).max()

    found = infer.odds_ratio(k, n, old)
    best = least_cost(math.log(found.value))
    for end in (found.low, found.high):
        assert 2 * (least_cost(math.log(end)) - best) == pytest.approx(3.841, abs=0.02)
    n = [2000] * 4
    assert infer.trend([5, 10, 20, 40], n).p_monotone == 1
    assert infer.trend([5, 10, 20, 40], n).p_flat < 0.01
    assert infer.trend([40, 20, 10, 5], n).p_monotone < 0.01
    level = infer.trend([20, 20, 20, 20], n)
    assert (level.p_monotone, level.p_flat) == (1, 1)
    random = np.random.default_rng(4)
    n = np.array([3000, 2000, 400, 200])
    found = [infer.trend(k, n, 199) for k in random.binomial(n, 0.01, (200, 4))]
    for name in ("p_monotone", "p_flat"):
        few = sum(getattr(one, name) <= 0.1 for one in found)
        assert few <= binom.ppf(0.999, 200, 0.1)


@pytest.mark.parametrize(("events", "value", "low", "high"), [
    ([3, 0], 0, 0, 32.9), ([0, 3], math.inf, 3.16, math.inf), ([0, 0], 0, 0, math.inf),
])  # fmt: skip
def test_a_side_without_an_outcome_leaves_one_end_open(events, value, low, high):
    found = infer.odds_ratio(events, [34_915, 957], [False, True])
    assert found.value == value
    assert (found.low, found.high) == pytest.approx((low, high), rel=0.01)


def chance(wear):
    return 1 - np.exp(-(0.004 + 0.02 * wear**2))


FRESH, WORN = (chance(np.linspace(*span, 1001)).mean() for span in ((0, 0.8), (0.8, 1.5)))
TRUE = (WORN / (1 - WORN)) / (FRESH / (1 - FRESH))
LINES, SPREAD = 15, 300  # a line's chances follow a beta law of this size
WORN_ROWS = np.repeat([False, True], LINES)


def reports(seed, reporting_fresh, reporting_worn):
    """Return failed and all reported drives by line and wear, of 16 drives in service each one."""
    random = np.random.default_rng(seed)
    mean = np.repeat([FRESH, WORN], LINES)
    drives = np.repeat([16_000, 4_000], LINES)
    failed = random.binomial(drives, random.beta(mean * SPREAD, (1 - mean) * SPREAD))
    reporting = np.repeat([reporting_fresh, reporting_worn], LINES)
    told = random.binomial(failed, reporting / 16)
    return told, told + random.binomial(drives - failed, 1 / 16)


def holds(found, least=1, most=1):
    """Say whether the truth is within, if worn drives' reporting is so many times the others'."""
    return found.low / most <= TRUE <= found.high / least


def test_a_shared_bias_cancels_one_that_differs_is_bounded_and_drives_of_a_line_are_one_witness():
    found = [infer.odds_ratio(*reports(seed, 5, 5), WORN_ROWS) for seed in range(20)]
    assert sum(map(holds, found)) >= 17
    found = [infer.odds_ratio(*reports(seed, 8, 2), WORN_ROWS) for seed in range(20)]
    assert sum(map(holds, found)) <= 1
    assert sum(holds(one, 2 / 8, 2 / 8) for one in found) >= 17
    assert all(holds(one, 1 / 100, 100) for one in found)
    found = []
    for seed in range(20):
        k, n = (counts.reshape(2, -1).sum(axis=1) for counts in reports(seed, 5, 5))
        found.append(infer.odds_ratio(k, n, [False, True]))
    assert sum(map(holds, found)) <= 14


test_what_cannot_be_counts_is_refused = refusals([
    (lambda: infer.odds_ratio([1, 2], [5, 1], [False, True]), "events <= drives"),
    (lambda: infer.odds_ratio([0.5, 1], [5, 5], [False, True]), "whole numbers"),
    (lambda: infer.odds_ratio([1, 1], [5, 0], [False, True]), "drives must be"),
    (lambda: infer.odds_ratio([1, 1], [5, 5], [True, True]), "both True and False"),
    (lambda: infer.odds_ratio([1, 1], [5, 5], [True]), "one value by group"),
    (lambda: infer.trend([1, 1], [5, 5], draws=0), "draws"),
])  # fmt: skip
