"""What the kept runs of power cuts say, beside the claims."""

import pytest

from checked import found
from flashwear.study.claims import kept


@pytest.mark.parametrize(
    ("id_", "computed"),
    [
        # 3 rounds of 48 x 32 KiB: 3 x 1.363 + 2 x 1.990 ms
        ("M6-091", "8.1 against 2.0 ms: 4.1 times the energy"),
        # 4 rounds of 64 x 16 KiB: 4 x 0.797 + 2 x 1.166 ms; 94 uF x 35^2 V^2 / 2 / 6 W
        ("P4-049", "5.5 ms; the S3700's capacitors last 9.6 ms at most"),
        # 16 x 64 KiB (2.225 + 2 x 5.734) / 8.779
        ("MX-075", "1,597 KiB at rest, 4,096 KiB in the buffer"),
        ("M6-109", "0 of what was at rest, 100.0 % of what the buffer held"),
    ],
)
def test_figures_by_hand(id_, computed):
    assert found(id_).computed == computed
    assert found(id_).outcome == "undecided"


@pytest.mark.parametrize(
    ("id_", "column"),
    [
        ("M6-092", "at_rest_lower"),
        ("M6-093", "in_flight_full"),
        ("M6-094", "in_flight_full"),
    ],
)
def test_a_protection_that_is_put_in_must_hold_in_every_run(monkeypatch, id_, column):
    table = kept.table("power_cuts").copy()
    table.loc[table.index[-1], column] = 0.001
    monkeypatch.setattr(kept, "table", lambda study: table)
    with pytest.raises(AssertionError, match="must"):
        found(id_)
