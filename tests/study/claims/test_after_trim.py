"""The verdicts on TRIM follow from the kept runs, and turn with them."""

import math

import pytest

from flashwear.study.claims import kept, registry, verdicts


@pytest.fixture(scope="module")
def found():
    return verdicts().set_index("id")


def check(id_, stated=""):
    return registry.registered()[id_](registry.Claim(id_, "", "", stated, "", math.nan, None))


def test_no_claim_on_trim_is_left_open(found):
    assert not (found.verdict[found.topic == "trim"] == "open").any()


def test_a_repeated_claim_has_the_same_verdict(found):
    assert found.verdict["C2-003"] == found.verdict["M6-132"] == "not reproducible"


def test_waits_by_hand(found):
    # 2^37 bytes in 1,024 superblocks: 67.1 MB each in one-bit mode; 50 ms, then 3 ms for each
    assert "7 GB after 0.36 s" in found.computed["M6-132"]  # 105 superblocks
    assert "needed: 2.6 s" in found.computed["M6-133"]  # 859


def test_that_idle_time_brings_the_cache_back_is_a_rule_that_the_runs_obey(monkeypatch, found):
    assert found.verdict["M6-133"] == "not reproducible"
    table = kept.table("cache_trim").copy()
    table.loc[table.idle_s == 120, "fast_gb"] /= 2
    other = kept.table("cache_sweeps")
    monkeypatch.setattr(kept, "table", {"cache_trim": table, "cache_sweeps": other}.get)
    with pytest.raises(AssertionError, match="does not restore the cache"):
        check("M6-133")


def test_a_drive_far_from_settled_contradicts_half_an_hour(monkeypatch, found):
    assert found.verdict["M6-130"] == "explained"
    monkeypatch.setattr("flashwear.study.claims._after_trim._TORTURE_S", 100)
    assert check("M6-130").verdict == "contradicted"
