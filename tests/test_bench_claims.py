"""The verdicts on the storage benches follow from the draws, by rules set before."""

import math

import numpy as np
import pytest

from flashwear import claims
from flashwear.claims import _bench, _registry
from flashwear.claims import _kept as kept
from flashwear.studies import benches


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        (12, "explained"),
        (11, "explained"),
        (10, "not reproducible"),
        (2, "not reproducible"),
        (1, "contradicted"),
        (0, "contradicted"),
    ],
)
def test_nine_draws_in_ten_decide(held, verdict):
    assert _bench._judged(np.arange(12) < held, "", "").verdict == verdict


def found(id_):
    claim = _registry.Claim(id_, "", "", "", "", math.nan, None)
    return _registry.registered()[id_](claim).verdict


def changed(monkeypatch, drive, factor, case=""):
    """Let a drive have other data rates than those kept."""
    table = kept.table("storage_bench").copy()
    mine = (table["drive"] == drive) & table["case"].str.contains(case)
    table.loc[mine, "mb_per_s"] *= factor
    monkeypatch.setattr(kept, "table", lambda study: table)


@pytest.mark.parametrize(
    ("id_", "drive"),
    [
        ("M6-144", "mx100-256gb"),
        ("M6-146", "m600-1024gb"),
        ("MX-108", "mx300-750gb"),
        ("MX-114", "mx300-750gb"),
        ("MX-121", "mx300-750gb"),
    ],
)
def test_verdicts_turn_with_the_scores(monkeypatch, id_, drive):
    verdicts = set()
    for factor in (0.1, 1.0, 10.0):
        with monkeypatch.context() as patched:
            changed(patched, drive, factor)
            verdicts.add(found(id_))
    assert "contradicted" in verdicts


def test_a_slower_m600_would_explain_the_destroyer(monkeypatch):
    changed(monkeypatch, "m600-256gb", 0.5, case="destroyer")
    assert found("M6-144") == "explained"


def test_equal_drives_would_contradict_it(monkeypatch):
    table = kept.table("storage_bench").copy()
    scores = table.loc[table["drive"] == "mx100-256gb", "mb_per_s"].to_numpy()
    table.loc[table["drive"] == "m600-256gb", "mb_per_s"] = scores
    monkeypatch.setattr(kept, "table", lambda study: table)
    assert found("M6-144") == "contradicted"


def test_no_claim_on_storage_benches_is_left_open():
    rows = claims.verdicts()
    assert "open" not in set(rows["verdict"][rows["topic"] == "storage-bench"])


def test_the_study_has_every_drive_case_and_draw():
    table = kept.table("storage_bench")
    assert len(table) == len(benches.DRIVES) * len(benches.CASES) * benches.DRAWS
    assert table[["mb_per_s", "service_us"]].gt(0).all().all()
    assert (table["over_100ms"] <= table["over_10ms"]).all()
