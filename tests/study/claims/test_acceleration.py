"""The verdicts on Dynamic Write Acceleration follow from the kept runs, and turn with them."""

import math

import numpy as np
import pytest

from checked import other_line, other_table
from flashwear.study import claims
from flashwear.study.claims import _acceleration, registry


@pytest.fixture(scope="module")
def verdicts():
    return claims.verdicts().set_index("id")


def test_plateaus_are_found_with_their_ends_and_short_ones_are_not():
    speeds = np.array([900.0] + [400] * 199 + [250] * 7 + [100] * 193)
    assert _acceleration.plateaus(speeds) == [(0.5, 400.0), (1.0, 100.0)]


def test_a_level_sweep_is_one_plateau_through_its_ripple():
    speeds = 500 + 10 * np.sin(np.arange(400.0))
    ((end, speed),) = _acceleration.plateaus(speeds)
    assert end == 1.0
    assert speed == pytest.approx(500, abs=2)


def test_drops_lie_where_the_cells_run_out(verdicts):
    # 128 GiB for 128 GB, 4 of 1024 blocks in reserve, u of the blocks with one bit:
    # u / 2 and 1 - u / 2 - 4 / 1024 of 137.4 GB, for u of 0.838 and 0.45
    assert verdicts["computed"]["M6-082"] == "addresses: 45 and 62; cells: 24 and 83"


def test_what_was_calibrated_is_no_evidence(verdicts):
    rows = verdicts.loc[["M6-025", "M6-062", "M6-081", "MX-046"]]
    assert set(rows["verdict"]) == {"not reproducible"}


def _verdict(id_, stated=""):
    claim = registry.Claim(id_, "M600", "", stated, "", math.nan, None)
    return registry.registered()[id_](claim).verdict


def test_what_was_measured_elsewhere_and_not_the_model_can_contradict_slow_folding(monkeypatch):
    assert _verdict("M6-084", "<100") == "explained"  # 53 and 77 MB/s; simulated 56 and 87
    other_line(monkeypatch, "cache_sweeps", [120] * 400, variant="as modelled")
    assert _verdict("M6-084", "<100") == "not reproducible"
    monkeypatch.setattr(_acceleration.sources, "external", lambda *_: 120.0)
    assert _verdict("M6-084", "<100") == "contradicted"


@pytest.mark.parametrize(
    ("id_", "stated", "line", "verdict"),
    [
        ("M6-080", "3", [400] * 400, "contradicted"),
        ("M6-083", "", [9] + [400] * 199 + [200] * 200, "contradicted"),
        ("M6-084", "<100", [190] * 400, "not reproducible"),
        ("M6-086", "flat", [9] + [400] * 390 + [300] * 9, "contradicted"),
    ],
)
def test_other_sweeps_turn_the_verdict(monkeypatch, id_, stated, line, verdict):
    assert _verdict(id_, stated) != verdict
    other_line(monkeypatch, "cache_sweeps", line, variant="as modelled")
    assert _verdict(id_, stated) == verdict


@pytest.mark.parametrize(
    ("id_", "stated", "study", "column", "value", "verdict"),
    [
        ("M6-089", "true", "cache_bursts", "fast_gb", 0.3, "contradicted"),
        ("M6-127", "true", "cache_consistency", "first", 50_000.0, "contradicted"),
        ("MX-172", "", "cache_sweeps", "mean", 300.0, "contradicted"),
    ],
)
def test_other_runs_turn_the_verdict(monkeypatch, id_, stated, study, column, value, verdict):
    assert _verdict(id_, stated) != verdict
    other_table(monkeypatch, study, lambda table: table.assign(**{column: value}))
    assert _verdict(id_, stated) == verdict
