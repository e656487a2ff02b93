"""What the kept runs say of TRIM, beside the claims."""

import pytest

import checked
from flashwear.study.claims import kept


def test_a_repeated_claim_has_the_same_outcome(verdicts):
    assert verdicts.outcome["C2-003"] == verdicts.outcome["M6-132"] == "undecided"


def test_waits_by_hand(verdicts):
    # 2^37 bytes in 1,024 superblocks: 67.1 MB each in one-bit mode; 50 ms, then 3 ms for each
    assert "7 GB after 0.36 s" in verdicts.computed["M6-132"]  # 105 superblocks
    assert "needed: 2.6 s" in verdicts.computed["M6-133"]  # 859


def test_that_idle_time_brings_the_cache_back_is_a_rule_that_the_runs_obey(monkeypatch):
    table = kept.table("cache_trim").copy()
    table.loc[table.idle_s == 120, "fast_gb"] /= 2
    other = kept.table("cache_sweeps")
    monkeypatch.setattr(kept, "table", {"cache_trim": table, "cache_sweeps": other}.get)
    with pytest.raises(AssertionError, match="does not restore the cache"):
        checked.found("M6-133")
