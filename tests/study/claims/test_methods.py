"""Each step of a review's test stands beside what the simulated test really takes."""

import math
from dataclasses import replace

import pytest

from checked import found
from flashwear import tables
from flashwear.queueing import benches, procedures, twin
from flashwear.queueing.requests import Access
from flashwear.study.claims import _asked as asked
from flashwear.study.claims import _kept as kept
from flashwear.study.claims import _methods as methods
from flashwear.study.claims import _registry
from flashwear.study.runs import speeds

OTHERWISE = {  # steps that the simulated tests do not take over
    *("M6-117", "M6-122", "M6-155", "MX-107", "P4-072", "P4-086"),
    *("DC-003", "DC-005", "DC-006", "DC-007", "DC-010", "DC-011"),
}


def follows(id_):
    finding = found(id_)
    assert finding.verdict == "not reproducible"
    assert finding.computed is not None
    how = finding.how
    same = how.startswith("describes the test; the simulated ") and " takes the same" in how
    assert same != (" takes this instead of " in how)
    return same


@pytest.mark.parametrize("id_", sorted(methods._TAKEN))
def test_a_step_is_no_evidence_and_is_followed_or_not(id_):
    assert follows(id_) == (id_ not in OTHERWISE)


def test_both_values_are_given_where_they_differ():
    assert found("M6-122").computed == 1600.0
    assert "takes this instead of 1400 s" in found("M6-122").how
    assert found("DC-003").computed == "1-32 QD"
    assert "instead of 1-128 QD" in found("DC-003").how


@pytest.mark.parametrize(
    ("id_", "function", "argument", "value"),
    [
        ("DC-009", procedures.queue_depth_sweep, "seconds", 60.0),
        ("MX-088", twin.run, "queue_depth", 16),
        ("P4-068", twin.run, "queue_depth", 16),
        ("MX-089", twin.run, "fill", "none"),
        ("P4-067", twin.run, "fill", "none"),
        ("M6-116", twin.run, "fill", "none"),
    ],
)
def test_another_default_of_a_procedure_shows(monkeypatch, id_, function, argument, value):
    before = found(id_)
    monkeypatch.setitem(function.__kwdefaults__, argument, value)
    after = found(id_)
    assert (after.computed, after.how) != (before.computed, before.how)
    assert not follows(id_)


@pytest.mark.parametrize(
    ("id_", "module", "name", "value"),
    [
        ("M6-152", bars, "_RANDOM_SPAN_BYTES", 16e9),
        (
            "M6-153",
            bars,
            "CLIENT",
            {f"random {kind},": ("random_read", 4, "none") for kind in ("read", "write")},
        ),
        ("M6-154", bars, "_RANDOM_S", 60.0),
        ("M6-156", bars, "CLIENT", {"at depth 32": ("random_write", 31, "none")}),
        ("M6-159", bars, "CLIENT", {"sequential": ("sequential_write", 2, "none")}),
        ("MX-133", speeds, "_SPAN_2015_BYTES", 8e9),
        ("MX-152", speeds, "_SPAN_2015_BYTES", 8e9),
        ("MX-091", kept, "consistency", lambda drive: kept_with_window(300)),
        ("MX-092", kept, "consistency", lambda drive: kept_with_window(None)),
        ("MX-106", benches, "assumed", lambda bench: benches.Assumed(1e10, idle_s=0.05)),
        ("MX-090", speeds, "_duration", lambda drive: 1800.0),
        ("M6-118", speeds, "_duration", lambda drive: 1700.0),
        ("M6-119", speeds, "_duration", lambda drive: 4000.0),
        ("P4-070", speeds, "_duration", lambda drive: 1000.0),
    ],
)
def test_another_constant_shows(monkeypatch, id_, module, name, value):
    assert follows(id_)
    monkeypatch.setattr(module, name, value)
    assert not follows(id_)


def kept_with_window(seconds):
    """Give the kept run of the MX300 with scores from other seconds, or from none."""
    rows = kept.table("consistency").set_index(["drive", "spare"])
    row = rows.loc[(asked.MX300, "default")].copy()
    iops = kept.np.array(row["iops"].split(), float)
    tail = iops[-(seconds or 400) :]
    row["mean"] = tail.mean() + (seconds is None)
    row["steadiness"] = tail.mean() / tail.std()
    return row, iops


def test_another_mix_of_the_enterprise_test_shows(monkeypatch):
    mix = Access(4096, read_share=0.6)
    monkeypatch.setitem(procedures.PATTERNS, "random_70_30", mix)
    assert found("DC-023").computed == "60/40"
    assert not follows("DC-023")


@pytest.mark.parametrize("id_", ["MX-150", "MX-156"])
def test_another_depth_of_the_mixed_tests_shows(monkeypatch, id_):
    def deeper(drive, order, read_shares, **options):
        return procedures.queue_depth_sweep(drive, f"{order}_write", (5,), **options)

    monkeypatch.setattr(procedures, "mixed_sweep", deeper)
    assert found(id_).computed == 5.0
    assert not follows(id_)


@pytest.mark.parametrize("id_", ["DC-002", "P4-082", "P4-089"])
def test_another_depth_of_the_ratings_shows(monkeypatch, id_):
    sweep = procedures.queue_depth_sweep
    monkeypatch.setattr(
        procedures,
        "queue_depth_sweep",
        lambda drive, pattern, depths, **options: sweep(drive, pattern, (16,), **options),
    )
    assert found(id_).computed == 16.0
    assert not follows(id_)


def other_table(monkeypatch, study, change):
    table = change(kept.table(study).copy())
    original = kept.table
    monkeypatch.setattr(kept, "table", lambda name: table if name == study else original(name))


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
        ("M6-123", "consistency", lambda t: t.replace("25 %", "20 %", regex=True), False),
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
    assert f"{hours:.1f} h at the settled rate" in finding.how


def test_a_stopped_procedure_simulates_nothing_and_leaves_the_model_as_it_was():
    run = twin.run
    step = asked.long(asked.M600)
    assert (step.depth, step.kib, step.seconds, step.state) == (
        32,
        4,
        2000,
        "filled, all addresses",
    )
    assert twin.run is run


def test_a_procedure_that_calls_nothing_is_refused():
    with pytest.raises(ValueError, match="must call run"):
        asked.handed(twin, "run", lambda: None)


def test_the_state_of_a_step_names_what_is_filled_and_asked():
    step = asked.mixed("random")
    assert step.state == "filled with 16 GB, 16 GB"
    assert step._replace(fill="none", filled=1.0).state == "empty, 16 GB"
    everywhere = replace(step.access, span=1.0)
    assert step._replace(access=everywhere, filled=1.0).state == "filled, all addresses"


def test_steps_that_disagree_are_refused():
    assert methods._one([3, 3.0]) == 3
    with pytest.raises(ValueError, match="must agree"):
        methods._one([3, 4])


def test_a_run_without_the_kept_scores_has_no_window(monkeypatch):
    monkeypatch.setattr(kept, "consistency", lambda drive: kept_with_window(None))
    assert math.isnan(methods._scored(asked.MX300))


def test_open_claims_on_methods_are_of_hosts_dates_and_software():
    rows = tables.claims().fillna({"role": ""})
    rows = rows[(rows["topic"] == "methodology") & ~rows["role"].str.startswith("duplicate")]
    rows = rows[~rows["id"].isin(_registry.registered())]
    assert set(rows["check"]) == {"not checkable"}
    assert len(rows) < 20
