"""The compiled twin does what the reference does: every completion, every page, every count.

Both run on one machine and are compared bit by bit: that is the claim.
"""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from small_drives import accesses, caches, drive, drives, slc
from tiny_drives import contents

from flashwear import workloads
from flashwear.ftl import verify
from flashwear.queueing import reference, twin
from flashwear.queueing.requests import Access
from proving import examples

OWN = {"cache_own_blocks": 3, "cache_share": 0.0}


def both(*arguments, **options):
    results = []
    for model in (reference, twin):
        try:
            results.append(model.run(*arguments, record=True, **options))
        except (ValueError, RuntimeError) as error:
            results.append(f"{type(error).__name__}: {error}")
    return results


def assert_same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    for name in ("completion_s", "latency_s", "kinds", "per_second", "histogram"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    counts = ("ios", "elapsed_s", "counts", "host_writes", "copies", "cache_writes", "fold_copies")
    for name in counts:
        assert getattr(one, name) == getattr(other, name), name
    for name in ("busy_s", "wait_s", "jobs", "longest"):
        for kind, ours in getattr(one, name).items():
            theirs = getattr(other, name)[kind]
            np.testing.assert_array_equal(ours, theirs, err_msg=f"{name} {kind}")
    pairs = zip(contents(one.ftl)._asdict().items(), contents(other.ftl), strict=True)
    differ = [name for (name, ours), theirs in pairs if ours.tobytes() != theirs.tobytes()]
    assert differ == []


def balanced(result):
    verify(result.ftl)
    done = ~np.isnan(result.completion_s)
    assert result.ios == done.sum() == result.histogram.sum() == result.per_second.sum()
    assert (result.latency_s[done] > 0).all()
    assert (result.completion_s[done] <= result.elapsed_s + 1e-12).all()
    for kind, busy in result.busy_s.items():
        assert (busy <= result.elapsed_s * (1 + 1e-12)).all(), kind
        assert (result.wait_s[kind] >= 0).all()
        assert ((result.longest[kind] > 0) | (result.jobs[kind] == 0)).all()
    kinds = np.bincount(result.kinds[done], minlength=3)
    np.testing.assert_array_equal(result.histogram.sum(axis=1), kinds)


over_kinds = pytest.mark.parametrize("cache", [None, caches()], ids=["no cache", "cache"])


@pytest.mark.filterwarnings("ignore:requests arrive")
@over_kinds
@examples(150)
@given(data=st.data())
def test_both_models_agree_in_every_completion_and_every_page(cache, data):
    device = data.draw(drives(cache))
    access = data.draw(accesses(device.user_bytes))
    options = {"queue_depth": data.draw(st.sampled_from([1, 2, 8, 32])),
               "ios": data.draw(st.integers(1, 800)), "seed": data.draw(st.integers(0, 9)),
               "think_s": data.draw(st.sampled_from([0.0, 0.0, 1e-6, 1e-5, 1e-3])),
               "fill": data.draw(st.sampled_from(["sequential", "sequential", "none"])),
               "random_drive_writes": data.draw(st.sampled_from([0.0, 0.5, 3.0]))}  # fmt: skip
    if cache is not None:
        options["idle_s"] = data.draw(st.sampled_from([0.0, 0.0, 1e-3, 0.1]))
    elif data.draw(st.booleans()):
        options["duration_s"] = data.draw(st.sampled_from([1e-5, 1e-3, 1e-2]))
    results = both(device, access, **options)
    assert_same(*results)
    assert cache is None or not isinstance(results[0], str), results[0]
    if not isinstance(results[0], str):
        balanced(results[0])


@over_kinds
@examples(40)
@given(data=st.data())
def test_both_agree_in_long_runs_with_trims(cache, data):
    device = data.draw(drives(cache))
    share = data.draw(st.sampled_from([0.05, 0.3]))
    load = workloads.Trimmed(workloads.Uniform(), share)
    options = {"queue_depth": 16, "ios": 3_000, "seed": data.draw(st.integers(0, 9))}
    assume(device.user_bytes // 4096 >= 20)
    one, other = both(device, load, **options)
    assert_same(one, other)
    assert cache is None or not isinstance(one, str), one
    if not isinstance(one, str):
        balanced(one)


def test_both_agree_on_a_drive_that_cleans_and_go_on_with_one_that_a_run_left():
    load = Access(read_share=0.3)
    one, other = both(drive(), load, ios=20_000, random_drive_writes=2.0)
    assert one.copies > 5_000
    assert_same(one, other)
    for device in (drive(), slc(cache_idle_s=1e-3)):
        ends = []
        for model in (reference, twin):
            first = model.run(device, Access(), ios=5_000, random_drive_writes=1.0)
            first.ftl.trim(0, 1_000)
            ends.append(model.run(device, Access(8192), ios=3_000, state=first.ftl, idle_s=0.01,
                                  record=True))  # fmt: skip
        assert_same(*ends)
        verify(ends[0].ftl)


@pytest.mark.parametrize(
    ("kind", "direct"),
    [({}, True), pytest.param({}, False, marks=pytest.mark.proof),
     pytest.param(OWN, True, marks=pytest.mark.proof), (OWN, False)],
)  # fmt: skip
def test_both_agree_on_a_drive_that_folds(kind, direct):
    device = slc(cache_direct=direct, cache_fold_to=0.5, cache_idle_s=1e-3, **kind)
    load = Access(read_share=0.3, rate=2_000.0)
    one, other = both(device, load, ios=20_000, idle_s=0.1)
    assert one.fold_copies > 1_000
    assert one.counts["cache_programs"] > 100
    assert_same(one, other)
