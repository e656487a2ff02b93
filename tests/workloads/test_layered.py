import math

import numpy as np
import pytest
from drawing import (
    RANDOM,
    SIGMAS,
    assert_distribution,
    assert_share,
    drawn,
    operation,
    page,
    state_before,
)

from flashwear import wa, workloads as w


def test_mixed_is_one_sequential_run_and_ends_with_the_requests_of_the_other():
    other = w.Replay([[w.READ, 1, 9], [w.READ, 5, 1]], repeat=10_000)
    requests = drawn(w.Mixed(other, 0.3), 50_000, 1000)
    run = operation(requests) == w.WRITE
    np.testing.assert_array_equal(requests[run], np.arange(run.sum()) % 1000)
    inner = drawn(other, int((~run).sum()), 1000)
    np.testing.assert_array_equal(requests[~run], inner)
    assert_share(run.sum(), run.size, 0.3)
    # a coin for each: what follows a sequential write is one as often as any other
    assert_share(run[1:][run[:-1]].sum(), run[:-1].sum(), 0.3)
    requests = drawn(w.Mixed(w.Replay([[w.READ, 0, 10]]), 0.9), 1000, 1000)
    assert (operation(requests) == w.READ).sum() == 10
    assert operation(requests[-1]) == w.READ
    mixed = w.Mixed(w.Replay([[w.READ, 0, 10]]), 0.9)
    assert drawn(mixed, 5000, 1000, batches=[3]).size == requests.size


@pytest.mark.parametrize(("share", "expected"), [(0, w.Uniform()), (1, w.Sequential())])
def test_mixed_at_the_ends_of_its_range(share, expected):
    requests = drawn(w.Mixed(w.Uniform(), share), 20_000, 1000)
    if share:
        np.testing.assert_array_equal(requests, drawn(expected, 20_000, 1000))
    else:
        assert_distribution(requests, np.full(1000, 1e-3))


def test_span_is_a_smaller_drive_and_trims_and_reads_of_the_workload_are_counted():
    for workload in RANDOM:
        part = drawn(w.Span(workload, 0.25), 3000, 4000)
        np.testing.assert_array_equal(part, drawn(workload, 3000, 1000))
    assert not drawn(w.Span(w.Uniform(), 1e-9), 100, 1000).any()
    # pages 0 to 8 are trimmed by the trace: only page 9 is left to be trimmed, once
    trace = w.Replay([[w.TRIM, 0, 9], [w.TRIM, 0, 9], [w.READ, 0, 1000]])
    requests = drawn(w.Trimmed(trace, 0.4), 2000, 10_000, in_use=False)
    np.testing.assert_array_equal(requests, drawn(trace, 2000, 10_000))
    requests = drawn(w.Trimmed(w.Replay([[w.READ, 0, 10]], repeat=100), 0.4), 2000, 10)
    trims = requests[operation(requests) == w.TRIM]
    assert sorted(page(trims)) == list(range(10))


def test_trims_are_of_all_pages_in_use_alike():
    # of a hot and a cold half, written 9:1, the cold one is in use less and trimmed less: given
    # how many pages of each are in use, each trim is a coin of known bias
    halves = drawn(w.Trimmed(w.HotCold(0.9, 0.5), 0.25), 400_000, 200)
    _, change = state_before(halves, 200, True)
    used = np.stack([
        100 + np.cumsum(np.where(half, change, 0))
        for half in (page(halves) < 100, page(halves) >= 100)
    ])  # fmt: skip
    trims = np.flatnonzero(operation(halves) == w.TRIM)
    chance = used[0, trims - 1] / used[:, trims - 1].sum(axis=0)
    if trims[0] == 0:
        chance[0] = 0.5
    spread = math.sqrt((chance * (1 - chance)).sum())
    assert abs((page(halves[trims]) < 100).sum() - chance.sum()) <= SIGMAS * spread
    assert chance.mean() > 0.6  # so that an even draw from all pages would be seen


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_pages_in_use_follow_the_closed_form(share):
    pages, apart, samples = 1000, 5000, 400
    requests = drawn(w.Trimmed(w.Uniform(), share), apart * (samples + 2), pages)
    assert_share((operation(requests) == w.TRIM).sum(), requests.size, share)
    _, change = state_before(requests, pages, True)
    used = pages + np.cumsum(change)[2 * apart :: apart]
    # the number forgets its past in pages / (1 - share) requests, so samples `apart` are
    # correlated by exp(-3.5) at most, which adds 6 % to the variance of their mean
    variance = wa.trim_variance(pages, share)
    spread = math.sqrt(1.06 * variance / used.size)
    assert abs(used.mean() - pages * wa.trim_occupancy(share)) <= SIGMAS * spread
    # the sample variance of a normal variable: a relative error of sqrt(2/n)
    assert used.var() == pytest.approx(variance, rel=SIGMAS * math.sqrt(2 / used.size))


def test_an_empty_drive_is_written_first_and_a_full_one_told_from_it_below_others():
    requests = drawn(w.Trimmed(w.Sequential(), 0.49), 10_000, 50, in_use=False)
    _, change = state_before(requests, 50, False)
    used = np.concatenate(([0], np.cumsum(change)))
    assert used.min() == 0
    assert (operation(requests[used[:-1] == 0]) == w.WRITE).all()
    # the writes are the requests of the workload, in order and none lost
    writes = requests[operation(requests) == w.WRITE]
    np.testing.assert_array_equal(writes, np.arange(writes.size) % 50)
    # a first request that trims: only where all is in use
    layered = w.Span(w.Mixed(w.Trimmed(w.Sequential(), 0.45), 0.0), 0.5)
    full = [operation(drawn(layered, 1, 100, seed=s))[0] for s in range(30)]
    empty = [operation(drawn(layered, 1, 100, seed=s, in_use=False))[0] for s in range(30)]
    assert w.TRIM in full
    assert set(empty) == {w.WRITE}
