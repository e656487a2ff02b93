"""The verdicts on the MX300's cache follow from the kept runs, and turn with them."""

import numpy as np
import pytest

from flashwear import claims
from flashwear.claims import _kept as kept
from flashwear.claims import _minutes, _registry


def found(id_):
    rows = claims.ledger().fillna({"stated": "", "unit": "", "role": ""})
    row = rows[rows["id"] == id_].iloc[0]
    return _registry.registered()[id_](_registry.Claim.from_row(row))


def with_cells(monkeypatch, study, column, change, **where):
    """Let cells of a kept table hold something else."""
    table = kept.table(study).copy()
    rows = np.logical_and.reduce([table[key] == value for key, value in where.items()])
    assert rows.any()
    table.loc[rows, column] = [change(value) for value in table.loc[rows, column]]
    others = kept.table
    monkeypatch.setattr(kept, "table", lambda name: table if name == study else others(name))


MX300 = {"drive": "mx300-750gb", "variant": "as modelled"}


def seconds(*levels):
    """A run of an hour: each level for some seconds, then 5,000 a second."""
    parts = [np.full(length, rate, float) for rate, length in levels]
    run = np.append(np.concatenate(parts), np.full(3600, 5_000.0))[:3600]
    return " ".join(str(rate) for rate in run)


def test_a_wave_of_the_stated_length_would_explain_the_phases(monkeypatch):
    wave = seconds(*[(68_000, 40), (22_000, 60)] * 5)
    with_cells(monkeypatch, "cache_minutes", "iops", lambda _: wave, **MX300)
    assert {found(id_).verdict for id_ in ("MX-098", "MX-099", "MX-100")} == {"explained"}
    assert found("MX-098").computed == "8.3"


def test_a_level_phase_of_five_minutes_contradicts_them(monkeypatch):
    level = seconds((40_000, 300))
    with_cells(monkeypatch, "cache_minutes", "iops", lambda _: level, **MX300)
    assert {found(id_).verdict for id_ in ("MX-098", "MX-099", "MX-100")} == {"contradicted"}
    assert found("MX-098").computed == "5.0"
    assert found("MX-099").computed.startswith("level, 40.0K to 40.0K")


@pytest.mark.parametrize(
    ("speed", "gains", "late"),
    [
        ("100 200 300 300 300 285", "explained", "contradicted"),
        ("100 200 300 300 300 300", "contradicted", "contradicted"),
        ("300 300 300 300 300 285", "contradicted", "contradicted"),
        ("10 20 30 30 30 29", "explained", "contradicted"),
        ("10 20 30 60 120 118", "contradicted", "explained"),
        ("60 65 70 70 70 68", "explained", "explained"),
    ],
)
def test_random_writes_of_16_gb(monkeypatch, speed, gains, late):
    with_cells(monkeypatch, "cache_spans", "speed", lambda _: speed, test="random write", **MX300)
    assert found("MX-141").verdict == gains
    assert found("MX-142").verdict == late


@pytest.mark.parametrize(("last", "verdict"), [(300, "explained"), (330, "contradicted")])
def test_flat_is_within_two_per_cent(monkeypatch, last, verdict):
    speed = f"300 301 300 302 300 {last}"
    where = {"test": "sequential write, full", **MX300}
    with_cells(monkeypatch, "cache_spans", "speed", lambda _: speed, **where)
    assert found("MX-148").verdict == verdict


@pytest.mark.parametrize(
    ("id_", "pattern", "factors"),
    [
        ("MX-138", "random_write", {0.8: "contradicted", 0.95: "explained", 1.1: "contradicted"}),
        ("MX-146", "sequential_write", {1.0: "explained", 3.0: "contradicted"}),
    ],
)
def test_the_mx300_beside_the_mx200(monkeypatch, id_, pattern, factors):
    mlc = _minutes._low_depths("mx200-500gb", pattern, 1, 2, 4)
    mine = _minutes._low_depths("mx300-750gb", pattern, 1, 2, 4)
    level = mlc / mine if id_ == "MX-138" else 1.0
    for factor, verdict in factors.items():
        with monkeypatch.context() as patched:
            with_cells(
                patched,
                "desktop_depths",
                "mb_per_s",
                lambda rate, by=level * factor: rate * by,
                drive="mx300-750gb",
                pattern=pattern,
            )
            assert found(id_).verdict == verdict


@pytest.mark.parametrize(
    ("power", "verdict"), [(-1.0, "explained"), (0.0, "explained"), (1.0, "contradicted")]
)
def test_mixes_that_rise_with_the_writes(monkeypatch, power, verdict):
    table = kept.table("mixes").copy()
    mine = (table["drive"] == "mx300-750gb") & (table["order"] == "random")
    table.loc[mine, "iops"] = 20_000.0 * np.exp(power * table.loc[mine, "read_share"])
    monkeypatch.setattr(kept, "table", lambda _: table)
    assert found("MX-154").verdict == verdict
