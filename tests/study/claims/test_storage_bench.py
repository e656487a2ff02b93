"""What synthetic streams give of the storage benches: counts of draws, and no outcome."""

import numpy as np
import pytest

from checked import found
from flashwear.study.claims import _storage_bench, kept, registry
from flashwear.study.runs.storage_benches import CASES, DRAWS, DRIVES


def test_draws_are_counted():
    finding = _storage_bench._counted(np.arange(12) < 11, "so much", "so")
    assert finding.computed == "in 11 of 12 random samples; so much"


def test_no_claim_is_decided_by_synthetic_streams():
    ids = [id_ for id_, check in registry.registered().items() if _of_bench(check)]
    assert len(ids) > 15
    assert {found(id_).outcome for id_ in ids} == {"undecided"}


def _of_bench(check):
    return check.__module__ == _storage_bench.__name__


def changed(monkeypatch, drive, factor, case=""):
    """Let a drive have other data rates than those kept."""
    table = kept.table("storage_bench").copy()
    mine = table["drive"].str.startswith(drive) & table["case"].str.contains(case)
    table.loc[mine, "mb_per_s"] *= factor
    monkeypatch.setattr(kept, "table", lambda study: table)


@pytest.mark.parametrize(
    ("id_", "drive", "case", "factor", "share"),
    [
        ("M6-144", "m600-256gb", "destroyer", 0.5, "24 of 24"),
        ("M6-144", "m600-256gb", "destroyer", 2.0, "0 of 24"),
        ("M6-146", "m600-1024gb", "destroyer", 0.1, "0 of 24"),
        ("MX-115", "mx300-750gb", "heavy full", 2.0, "0 of 12"),
    ],
)
def test_counts_turn_with_the_scores(monkeypatch, id_, drive, case, factor, share):
    changed(monkeypatch, drive, factor, case)
    assert found(id_).computed.startswith(f"in {share} random samples")


def test_the_study_has_every_drive_case_and_draw():
    table = kept.table("storage_bench")
    assert len(table) == len(DRIVES) * len(CASES) * DRAWS
    assert table[["mb_per_s", "service_us"]].gt(0).all().all()
    assert (table["over_100ms"] <= table["over_10ms"]).all()
