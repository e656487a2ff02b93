"""What comes of Dynamic Write Acceleration follows from the tables and the kept runs."""

import numpy as np
import pytest

from checked import found, other_line
from flashwear.study.claims import _acceleration


def test_plateaus_are_found_with_their_ends_and_short_ones_are_not():
    speeds = np.array([900.0] + [400] * 199 + [250] * 7 + [100] * 193)
    assert _acceleration.plateaus(speeds) == [(0.5, 400.0), (1.0, 100.0)]


def test_a_level_sweep_is_one_plateau_through_its_ripple():
    speeds = 500 + 10 * np.sin(np.arange(400.0))
    ((end, speed),) = _acceleration.plateaus(speeds)
    assert end == 1.0
    assert speed == pytest.approx(500, abs=2)


def test_drops_lie_where_the_cells_run_out():
    # 128 GiB for 128 GB, 4 of 1024 blocks in reserve, u of the blocks with one bit:
    # u / 2 and 1 - u / 2 - 4 / 1024 of 137.4 GB, for u of 0.838 and 0.45
    assert found("M6-082").computed == "addresses: 45 and 62; cells: 24 and 83"


SEEN = {
    "write speed in one-bit mode": 443.0,
    "write speed in two-bit mode": 154.0,
    "write speed while folding": 53.0,
}


@pytest.mark.parametrize(
    ("id_", "stage", "value", "before", "after"),
    [
        ("M6-080", "write speed in two-bit mode", 440.0, "holds", "fails"),
        ("M6-081", "write speed in one-bit mode", 420.0, "in tension", "holds"),
        ("M6-084", "write speed while folding", 120.0, "holds", "fails"),
    ],
)
def test_what_another_measured_decides_and_not_the_model(
    monkeypatch, id_, stage, value, before, after
):
    assert (found(id_).outcome, found(id_).evidence) == (before, "independent")
    other_line(monkeypatch, "cache_sweeps", [400] * 400, variant="as modelled")
    assert found(id_).outcome == before
    seen = SEEN | {stage: value}
    monkeypatch.setattr(_acceleration.sources, "external", lambda _, quantity: seen[quantity])
    assert found(id_).outcome == after


def test_half_the_dies_write_half_as_fast_by_the_measured_speeds(monkeypatch):
    assert found("M6-083").computed == "154 against 305 MB/s"
    monkeypatch.setattr(_acceleration.sources, "external", lambda _, quantity: SEEN[quantity])
    assert found("M6-083").outcome == "fails"


@pytest.mark.parametrize("id_", ["M6-086", "M6-089", "M6-127", "MX-172"])
def test_one_modelled_drive_decides_nothing(id_):
    assert (found(id_).outcome, found(id_).evidence) == ("undecided", "none")
