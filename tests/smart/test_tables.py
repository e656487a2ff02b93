"""The tables of families and rules are whole."""

import re

import pytest

from flashwear import smart
from flashwear.smart import _found, _rules

FAMILIES = _rules.rows("smart_families")
RULES = _rules.rows("smart_rules")


def test_every_family_has_rules_and_every_rule_a_family():
    used = {row["rules"] for row in FAMILIES} | {"standard", "smartctl"}
    assert used == {row["rules"] for row in RULES}


@pytest.mark.parametrize("row", FAMILIES, ids=lambda row: row["family"])
def test_patterns_are_anchored_and_plain(row):
    for name in ("model_pattern", "firmware_pattern"):
        pattern = row[name]
        re.compile(pattern)
        assert not pattern or pattern.startswith("^")
        # nothing that can take more than linear time: no repeated group
        assert not re.search(r"\)[*+{]", pattern)
    assert row["model_pattern"] or row["signature"] in ("nvme", "scsi")


def test_ranks_count_from_one():
    seen = {}
    for row in RULES:
        key = row["rules"], row["figure"]
        seen[key] = seen.get(key, 0) + 1
        assert row["rank"] == str(seen[key])
        assert row["when"] in ("", "alone") or seen[key] > 1


def test_flags_are_those_that_are_explained():
    named = {row[name] for row in RULES for name in ("flag", "limit_flag", "wrap_flag")} - {""}
    assert named <= set(smart.FLAGS)
    for row in RULES:
        assert bool(row["limit"]) == bool(row["limit_flag"])
        assert bool(row["wrap"]) == bool(row["wrap_flag"])


def test_counters_are_of_a_form_that_is_read():
    statistics = "|".join([*_found.STATISTICS.values(), "endurance_used"])
    form = re.compile(
        rf"none|scsi (used|power_on_hours|bytes_written)|nvme [a-z_]+|stat ({statistics})"
        r"|\d+(\*\d+)?(\+\d+(\*\d+)?)?|\d+\|\d+"
    )
    assert [row["counter"] for row in RULES if not form.fullmatch(row["counter"])] == []
    assert {row["figure"] for row in RULES} == set(_rules.FIGURES)


def test_a_guess_is_called_one():
    for row in RULES:
        if row["flag"].endswith(("unverified", "doubtful")):
            assert "HYPOTHESIS" in row["evidence"]
