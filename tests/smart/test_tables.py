"""The tables of families and rules are whole."""

import re

import pytest

from flashwear import smart
from flashwear.smart import _found, _rules

FAMILIES = _rules.rows("smart_families")
RULES = _rules.rows("smart_rules")
RATED = _rules.rows("model_ratings")
UNRATED = _rules.rows("model_unrated")


def test_families_rules_flags_ranks_and_counters_fit_each_other():
    used = {row["rules"] for row in FAMILIES} | {"standard", "smartctl"}
    assert used == {row["rules"] for row in RULES}
    seen = {}
    for row in RULES:
        key = row["rules"], row["figure"]
        seen[key] = seen.get(key, 0) + 1
        assert row["rank"] == str(seen[key])
        assert row["when"] in ("", "alone") or seen[key] > 1
    named = {row[name] for row in RULES for name in ("flag", "limit_flag", "wrap_flag")} - {""}
    assert named <= set(smart.FLAGS)
    for row in RULES:
        assert bool(row["limit"]) == bool(row["limit_flag"])
        assert bool(row["wrap"]) == bool(row["wrap_flag"])
        if row["flag"].endswith(("unverified", "doubtful")):  # a guess is called one
            assert "HYPOTHESIS" in row["evidence"]
    statistics = "|".join([*_found.STATISTICS.values(), "endurance_used"])
    form = re.compile(
        rf"none|scsi (used|power_on_hours|bytes_written)|nvme [a-z_]+|stat ({statistics})"
        r"|\d+(\*\d+)?(\+\d+(\*\d+)?)?|\d+\|\d+"
    )
    assert [row["counter"] for row in RULES if not form.fullmatch(row["counter"])] == []
    assert {row["figure"] for row in RULES} == set(_rules.FIGURES)


@pytest.mark.parametrize("row", FAMILIES, ids=lambda row: row["family"])
def test_patterns_are_anchored_and_plain(row):
    for name in ("model_pattern", "firmware_pattern"):
        pattern = row[name]
        re.compile(pattern)
        assert not pattern or pattern.startswith("^")
        # nothing that can take more than linear time: no repeated group
        assert not re.search(r"\)[*+{]", pattern)
    assert row["model_pattern"] or row["signature"] in ("nvme", "scsi", "emmc")


def test_ratings_are_of_models_that_end_and_are_in_no_search_in_vain():
    for row in (*RATED, *UNRATED):
        for pattern in row["model_pattern"].split("|(?:INTEL )?"):
            re.compile(pattern)
            assert pattern.endswith("$")
            assert not re.search(r"\)[*+{]", pattern)
    assert "256 GB only" in _rules.unrated("SAMSUNG MZVLB512HBJQ-000L7")
    assert _rules.unrated("INTEL SSDSC2KB960G8") is None
    assert _rules.unrated(None) is None
    assert not {row["line"] for row in UNRATED} & {row["line"] for row in RATED}


@pytest.mark.parametrize(("model", "capacity_gb", "rated_tb", "by"), [
    ("Samsung SSD 840 PRO Series", 256, 73, "by its maker"),
    ("SAMSUNG MZWLL3T2HAJQ-00005", 3200, 17520, "by a review"),
    ("SAMSUNG MZPLL3T2HMLS-00003", 3200, 29200, "by a list without sources"),
    ("Micron_7400_MTFDKCB1T6TFC", 1600, 8760, "by a review"),
    ("Micron_7400_MTFDKCB1T9TDZ", 1920, 3504, "by a review"),
    ("KIOXIA KPM6XRUG3T84", 3840, 7008, "by a list without sources"),
    ("Force MP510", 960, 1700, "by a review"),
    ("WD Red SA500 2.5 4TB", 4000, 2500, "by a review"),
])  # fmt: skip
def test_rating_is_found_by_model_and_capacity(model, capacity_gb, rated_tb, by):
    rated, source = _rules.rating(None, model, capacity_gb * 10**9)
    assert rated == rated_tb * 10**12
    assert source.endswith(by)
    assert _rules.rating(None, model, capacity_gb * 5 * 10**9) is None
    assert _rules.unrated(model) is None


def test_bounds_and_second_numbers_are_told():
    assert _rules.rated("Micron_9100_MTFDHAX2T4MCF", 2.4e12).text == (
        "at most; 6,570 TB by another page; Micron 9100 MAX, by its maker"
    )
    assert _rules.rated("Samsung SSD 990 EVO 2TB", 2e12).line == "Samsung 990 EVO"
    assert _rules.rated("Samsung SSD 990 EVO Plus 2TB", 2e12).line == "Samsung 990 EVO Plus"
    assert _rules.rated("Samsung SSD 990 EVO Plus", 2e12) is None
