"""The verdicts on the MX300's cache follow from the kept runs, and turn with them."""

import numpy as np
import pytest

from checked import found, other_cells, other_line
from flashwear.study.claims import _mx300_cache, kept

MX300 = {"drive": "mx300-750gb", "variant": "as modelled"}


def seconds(*levels):
    """A run of an hour: each level for some seconds, then 5,000 a second."""
    parts = [np.full(length, rate, float) for rate, length in levels]
    return np.append(np.concatenate(parts), np.full(3600, 5_000.0))[:3600]


def under_all_rules(monkeypatch, *levels):
    """Let the MX300 write at these levels under all rules of the cache."""
    other_line(monkeypatch, "cache_consistency", seconds(*levels), drive="mx300-750gb")


PHASES = ("MX-098", "MX-099", "MX-100")


def test_a_wave_of_the_stated_length_under_all_rules_would_explain_the_phases(monkeypatch):
    under_all_rules(monkeypatch, *[(68_000, 40), (22_000, 60)] * 5)
    assert {found(id_).verdict for id_ in PHASES} == {"explained"}
    assert found("MX-098").computed == "8.3 to 8.3"
    assert found("MX-099").computed.startswith("22.0K to 68.0K (as modelled)")


def test_a_level_phase_of_five_minutes_refutes_nothing(monkeypatch):
    under_all_rules(monkeypatch, (40_000, 300))
    assert {found(id_).verdict for id_ in PHASES} == {"not reproducible"}
    assert found("MX-098").computed == "5.0 to 5.0"


def test_one_level_rule_leaves_the_wave_undecided(monkeypatch):
    under_all_rules(monkeypatch, *[(68_000, 40), (22_000, 60)] * 5)
    other_line(monkeypatch, "cache_consistency", seconds((40_000, 500)), **MX300)
    assert [found(id_).verdict for id_ in PHASES] == ["explained", *["not reproducible"] * 2]


@pytest.mark.parametrize(
    ("speed", "gains", "late"),
    [
        ("100 200 300 300 300 285", "explained", "not reproducible"),
        ("100 200 300 300 300 300", "not reproducible", "not reproducible"),
        ("300 300 300 300 300 285", "contradicted", "not reproducible"),
        ("10 20 30 60 120 118", "contradicted", "explained"),
        ("60 65 70 70 70 68", "explained", "explained"),
        # 180 s at 3,300 MB/s are 594 GB, more than the cells of the drive hold in one-bit mode
        ("200 400 900 900 900 900", "not reproducible", "contradicted"),
    ],
)
def test_random_writes_of_16_gb(monkeypatch, speed, gains, late):
    other_line(monkeypatch, "cache_spans", speed.split(), test="random write", **MX300)
    assert found("MX-141").verdict == gains
    assert found("MX-142").verdict == late


@pytest.mark.parametrize(("last", "verdict"), [(300, "explained"), (330, "contradicted")])
def test_flat_is_within_two_per_cent(monkeypatch, last, verdict):
    speed = [300, 301, 300, 302, 300, last]
    other_line(monkeypatch, "cache_spans", speed, test="sequential write, full", **MX300)
    assert found("MX-148").verdict == verdict


def beside_the_mx200(monkeypatch, pattern, ratio):
    """Let the MX300 be so many times as fast as the MX200 500GB at low queue depths."""
    mlc, mine = (
        _mx300_cache._low_depths(drive, pattern, 1, 2, 4)
        for drive in ("mx200-500gb", "mx300-750gb")
    )
    where = {"drive": "mx300-750gb", "pattern": pattern}
    change = {"change": lambda rate: rate * ratio * mlc / mine}
    other_cells(monkeypatch, "desktop_depths", "mb_per_s", **change, **where)


@pytest.mark.parametrize(("ratio", "verdict"), [(0.5, "explained"), (0.9, "contradicted")])
def test_sequential_writes_beside_the_mx200(monkeypatch, ratio, verdict):
    beside_the_mx200(monkeypatch, "sequential_write", ratio)
    assert found("MX-146").verdict == verdict


@pytest.mark.parametrize("ratio", [0.8, 0.95, 1.1])
def test_random_writes_beside_the_mx200_hang_on_a_time_that_is_not_known(monkeypatch, ratio):
    beside_the_mx200(monkeypatch, "random_write", ratio)
    assert found("MX-138").verdict == "not reproducible"


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(0.8, "contradicted"), (0.95, "explained"), (1.1, "contradicted")]
)
def test_if_the_times_were_known_the_speeds_would_decide(monkeypatch, ratio, verdict):
    beside_the_mx200(monkeypatch, "random_write", ratio)
    draws = {"mx300-750gb": 13e-6}
    monkeypatch.setattr(
        _mx300_cache, "_draws_of_a_write", lambda drive: np.full(9, draws.get(drive, 12e-6))
    )
    assert found("MX-138").verdict == verdict


@pytest.mark.parametrize(
    ("power", "verdict"), [(-1.0, "explained"), (0.0, "explained"), (1.0, "contradicted")]
)
def test_mixes_that_rise_with_the_writes(monkeypatch, power, verdict):
    table = kept.table("mixes").copy()
    mine = (table["drive"] == "mx300-750gb") & (table["order"] == "random")
    table.loc[mine, "iops"] = 20_000.0 * np.exp(power * table.loc[mine, "read_share"])
    monkeypatch.setattr(kept, "table", lambda _: table)
    assert found("MX-154").verdict == verdict
