"""The verdicts on the storage benches follow from the draws, by rules set before."""

import math

import numpy as np
import pytest

from flashwear.study import claims
from flashwear.study.claims import _storage_bench, kept, registry
from flashwear.study.runs.storage_benches import CASES, DRAWS, DRIVES


@pytest.mark.parametrize(("held", "verdict"), [(12, "explained"), (11, "not reproducible")])
def test_only_all_draws_explain(held, verdict):
    assert _storage_bench._judged(np.arange(12) < held, "", "").verdict == verdict


def test_no_claim_is_contradicted_by_synthetic_streams():
    verdicts = {found(id_) for id_, check in registry.registered().items() if _of_bench(check)}
    assert verdicts == {"explained", "not reproducible"}


def _of_bench(check):
    return check.__module__ == _storage_bench.__name__


def found(id_):
    claim = registry.Claim(id_, "", "", "", "", math.nan, None)
    return registry.registered()[id_](claim).verdict


def changed(monkeypatch, drive, factor, case=""):
    """Let a drive have other data rates than those kept."""
    table = kept.table("storage_bench").copy()
    mine = table["drive"].str.startswith(drive) & table["case"].str.contains(case)
    table.loc[mine, "mb_per_s"] *= factor
    monkeypatch.setattr(kept, "table", lambda study: table)


@pytest.mark.parametrize(
    ("id_", "drive", "case", "factor", "verdict"),
    [
        ("M6-144", "m600-256gb", "destroyer", 0.5, "explained"),
        ("M6-144", "m600-256gb", "destroyer", 2.0, "not reproducible"),
        ("M6-146", "m600-1024gb", "destroyer", 1.0, "explained"),
        ("M6-146", "m600-1024gb", "destroyer", 0.5, "not reproducible"),
        ("MX-115", "mx300-750gb", "heavy full", 1.0, "explained"),
        ("MX-115", "mx300-750gb", "heavy full", 2.0, "not reproducible"),
    ],
)
def test_verdicts_turn_with_the_scores(monkeypatch, id_, drive, case, factor, verdict):
    changed(monkeypatch, drive, factor, case)
    assert found(id_) == verdict


@pytest.mark.parametrize("factor", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("id_", ["M6-147", "M6-150", "M6-151", "M6-167", "MX-122", "MX-173"])
def test_no_order_beside_the_840_evo_is_explained(monkeypatch, id_, factor):
    changed(monkeypatch, "840-evo", factor)
    assert found(id_) == "not reproducible"


def test_equal_drives_do_not_explain_it(monkeypatch):
    table = kept.table("storage_bench").copy()
    scores = table.loc[table["drive"] == "mx100-256gb", "mb_per_s"].to_numpy()
    table.loc[table["drive"] == "m600-256gb", "mb_per_s"] = scores
    monkeypatch.setattr(kept, "table", lambda study: table)
    assert found("M6-144") == "not reproducible"


def test_no_claim_on_storage_benches_is_left_open():
    rows = claims.verdicts()
    assert "open" not in set(rows["verdict"][rows["topic"] == "storage-bench"])


def test_the_study_has_every_drive_case_and_draw():
    table = kept.table("storage_bench")
    assert len(table) == len(DRIVES) * len(CASES) * DRAWS
    assert table[["mb_per_s", "service_us"]].gt(0).all().all()
    assert (table["over_100ms"] <= table["over_10ms"]).all()
