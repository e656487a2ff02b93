"""Each step of a review's test stands beside what the simulated test really takes."""

import math
from dataclasses import replace

import pytest

from checked import found, other_table
from flashwear import tables
from flashwear.study import benches, claims, protocols
from flashwear.study.claims import _methods as methods
from flashwear.study.claims import kept, registry
from flashwear.study.protocols import CLIENT, DESKTOP, ENTERPRISE, MIXED, RATINGS, conditions
from flashwear.study.runs import speeds

OTHERWISE = {  # steps that the simulated tests do not take over
    *("M6-117", "M6-122", "M6-155", "MX-107", "P4-072", "P4-086"),
    *("DC-003", "DC-005", "DC-006", "DC-007", "DC-010", "DC-011"),
}


def follows(id_):
    finding = found(id_)
    assert (finding.outcome, finding.evidence) == ("given", "none")
    assert finding.computed is not None
    how = finding.how
    same = how.startswith("A step of the test. The simulated ") and " takes the same" in how
    assert same != (" takes this instead of " in how)
    return same


@pytest.mark.parametrize("id_", sorted(methods._TAKEN))
def test_a_step_is_no_evidence_and_is_followed_or_not(id_):
    assert follows(id_) == (id_ not in OTHERWISE)


def test_both_values_are_given_where_they_differ():
    assert found("M6-122").computed == 1600.0
    assert "1400 s" in found("M6-122").how
    assert found("DC-003").computed == "1-32 QD"
    assert "1-128 QD" in found("DC-003").how


def changed_test(monkeypatch, tests, name, access=None, **change):
    """Let a test of the reviews be another one."""
    test = tests[name]
    other = replace(test, access=replace(test.access, **(access or {})), **change)
    monkeypatch.setitem(tests, name, other)


@pytest.mark.parametrize(
    ("id_", "tests", "names", "change"),
    [
        ("M6-116", speeds.MEASURED, ["m600-256gb"], {"fill": "none"}),
        ("M6-118", speeds.MEASURED, ["m600-256gb"], {"seconds": 1700}),
        ("M6-119", speeds.MEASURED, ["m600-256gb"], {"seconds": 4000}),
        ("MX-088", speeds.MEASURED, ["mx300-750gb"], {"depth": 16}),
        ("MX-089", speeds.MEASURED, ["mx300-750gb"], {"fill": "none"}),
        ("MX-090", speeds.MEASURED, ["mx300-750gb"], {"seconds": 1800}),
        ("P4-067", speeds.MEASURED, ["p400m-200gb"], {"fill": "none"}),
        ("P4-068", speeds.MEASURED, ["p400m-200gb"], {"depth": 16}),
        ("P4-070", speeds.MEASURED, ["p400m-200gb"], {"seconds": 1000}),
        ("M6-152", CLIENT, [n for n in CLIENT if "random" in n], {"span_bytes": 16e9}),
        ("M6-153", CLIENT, ["random read, full", "random write, empty"], {"depth": 4}),
        ("M6-154", CLIENT, [n for n in CLIENT if "random" in n], {"seconds": 60}),
        ("M6-156", CLIENT, [n for n in CLIENT if "depth 32" in n], {"depth": 31}),
        ("M6-159", CLIENT, [n for n in CLIENT if "sequential" in n], {"depth": 2}),
        ("M6-159", CLIENT, [n for n in CLIENT if "sequential" in n], {"access": {"size": 4096}}),
        ("MX-133", DESKTOP, ["random_write"], {"span_bytes": 8e9}),
        ("MX-150", MIXED, ["random"], {"depth": 5}),
        ("MX-152", MIXED, ["random"], {"span_bytes": 8e9}),
        ("MX-156", MIXED, ["sequential"], {"depth": 5}),
        ("DC-002", RATINGS, ["random read"], {"depth": 16}),
        ("P4-082", RATINGS, ["random read"], {"depth": 16}),
        ("P4-089", RATINGS, ["sequential read", "sequential write"], {"depth": 16}),
        ("DC-009", ENTERPRISE, ["random_write"], {"seconds": 60}),
        ("DC-023", ENTERPRISE, ["random_70_30"], {"access": {"read_share": 0.6}}),
        ("DC-023", ENTERPRISE, ["random_70_30"], {"fill": "none"}),
    ],
)
def test_another_protocol_shows(monkeypatch, id_, tests, names, change):
    before = found(id_)
    assert follows(id_)
    for name in names:
        changed_test(monkeypatch, tests, name, **change)
    after = found(id_)
    assert (after.computed, after.how) != (before.computed, before.how)
    assert not follows(id_)


@pytest.mark.parametrize("change", [{"span_bytes": 8e9}, {"seconds": 60}])
def test_a_sweep_that_ends_before_all_addresses_shows(monkeypatch, change):
    assert follows("M6-079")
    monkeypatch.setattr(methods, "SWEEP", replace(methods.SWEEP, **change))
    assert not follows("M6-079")


@pytest.mark.parametrize(
    ("id_", "module", "name", "value"),
    [
        ("MX-091", kept, "consistency", lambda drive: kept_with_window(300)),
        ("MX-092", kept, "consistency", lambda drive: kept_with_window(None)),
        ("MX-106", benches, "assumed", lambda bench: benches.Assumed(1e10, idle_s=0.05)),
    ],
)
def test_another_constant_shows(monkeypatch, id_, module, name, value):
    assert follows(id_)
    monkeypatch.setattr(module, name, value)
    assert not follows(id_)


def test_another_share_left_unwritten_shows(monkeypatch):
    assert follows("M6-123")
    for name, of in (("25 % of raw", "raw"), ("25 % of user", "user")):
        monkeypatch.setitem(protocols.SPARE, name, (0.2, of))
    assert found("M6-123").computed == "default & 20% OP"
    assert not follows("M6-123")


def kept_with_window(seconds):
    """Return the kept run of the MX300 with scores from other seconds, or from none."""
    rows = kept.table("consistency").set_index(["drive", "spare"])
    row = rows.loc[("mx300-750gb", "default")].copy()
    iops = kept.line("consistency", "iops", "mx300-750gb", "default")
    tail = iops[-(seconds or 400) :]
    row["mean"] = tail.mean() + (seconds is None)
    row["steadiness"] = tail.mean() / tail.std()
    return row, iops


@pytest.mark.parametrize(
    ("id_", "study", "change", "same"),
    [
        *[
            (f"MX-{number}", "desktop_depths", lambda t: t[t["depth"] < 32], False)
            for number in range(126, 130)
        ],
        ("MX-126", "desktop_depths", lambda t: t.assign(mb_per_s=2 * t["mb_per_s"]), False),
        ("MX-132", "desktop_depths", lambda t: t[t["depth"] != 2], False),
        ("DC-003", "queue_depths", lambda t: t.replace({"depth": {32: 128}}), True),
        ("M6-137", "storage_bench", lambda t: t.drop(columns="service_us"), False),
        ("MX-107", "storage_bench", lambda t: t.assign(joules=1.0), True),
        ("MX-113", "storage_bench", lambda t: t[t["case"] != "heavy full"], False),
        ("M6-148", "storage_bench", lambda t: t[t["case"] != "heavy empty"], False),
    ],
)
def test_another_kept_table_shows(monkeypatch, id_, study, change, same):
    other_table(monkeypatch, study, change)
    assert follows(id_) == same


def test_the_long_preparation_is_as_long_as_its_writes_at_the_settled_rate():
    # 0.5 + 3 (336 GiB / 200 GB - 1) drive writes of 200 GB
    writes = 0.5 + 3 * (336 * 2**30 / 200e9 - 1)
    hours = writes * 200e9 / 4096 / kept.rated("p400m-200gb", "random write, steady") / 3600
    finding = found("P4-086")
    assert finding.computed == f"{writes:.2f} drive writes"
    assert f"{hours:.1f} h" in finding.how


def test_the_conditions_of_a_test_name_what_is_filled_and_asked():
    test = MIXED["random"]
    assert conditions(test) == "filled with 16 GB, 16 GB"
    assert conditions(replace(test, fill="none")) == "empty, 16 GB"
    assert conditions(replace(test, span_bytes=None)) == "filled, all addresses"
    half = replace(test, span_bytes=None, access=replace(test.access, span=0.5))
    assert conditions(half) == "filled with 50.0% of all addresses, 50.0% of all addresses"


def test_steps_that_disagree_are_refused():
    assert methods._one([3, 3.0]) == 3
    with pytest.raises(ValueError, match="must agree"):
        methods._one([3, 4])


def test_a_run_without_the_kept_scores_has_no_window(monkeypatch):
    monkeypatch.setattr(kept, "consistency", lambda drive: kept_with_window(None))
    assert math.isnan(methods._scored("mx300-750gb"))


def test_unchecked_rows_on_methods_are_given():
    rows = tables.claims()
    rows = rows[rows["topic"] == "methodology"]
    rows = rows[~rows["id"].isin(registry.registered()) & ~rows["role"].notna()]
    assert set(rows["reason"].dropna()) <= set(claims.GIVEN)
    assert len(rows) < 25
