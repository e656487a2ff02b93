import numpy as np
import pytest
from drawing import drawn, operation, page, temperature

from flashwear import ftl, wa, workloads as w
from refusals import refusals

LOADS = [w.Uniform(), w.HotCold(0.9, 0.1), w.Trimmed(w.Mixed(w.Uniform(), 0.3), 0.2)]


def dies(requests):
    """Return for each request when its page is next written or trimmed, by looking."""
    when = np.full(requests.size, np.inf)
    for i in range(requests.size):
        for j in range(i + 1, requests.size):
            if page(requests[j]) == page(requests[i]) and operation(requests[j]) != w.READ:
                when[i] = j
                break
    return when


@pytest.mark.parametrize("load", LOADS, ids=repr)
def test_requests_are_those_of_the_workload_and_pages_of_a_class_die_in_one_slice(load):
    foreseen, plain = (drawn(each, 5000, 50) for each in (w.Foreseen(load, ahead=4), load))
    np.testing.assert_array_equal(page(foreseen), page(plain))
    np.testing.assert_array_equal(operation(foreseen), operation(plain))
    pages, ahead, classes = 40, 5.0, 10
    requests = drawn(w.Foreseen(load, temperatures=classes, ahead=ahead), 1200, pages)
    when, slices = dies(requests), (classes - 1) // 3
    # as documented: three levels, each of slices eight times as long, that reach `ahead` together
    longest = -(-int(ahead * pages) // (slices - 1))
    lengths = [-(-longest // 64), -(-longest // 8), longest]
    seen = set()
    for i in np.flatnonzero(operation(requests[:600]) == w.WRITE):
        level = 0
        while level < 3 and when[i] - i > (slices - 1) * lengths[level]:
            level += 1
        expected = 3 * slices if level == 3 else level * slices + when[i] // lengths[level] % slices
        assert temperature(requests[i]) == expected
        seen.add(level)
    assert len(seen) > 2


def test_a_stream_that_ends_is_read_to_its_end_and_only_writes_have_a_class():
    requests = drawn(w.Foreseen(LOADS[2], ahead=2), 5000, 50)
    assert (operation(requests) == w.TRIM).any()
    assert not temperature(requests[operation(requests) != w.WRITE]).any()
    load = w.Replay([[w.WRITE, 0, 30], [w.TRIM, 3, 2], [w.READ, 7, 1]], repeat=7)
    requests = drawn(w.Foreseen(load, ahead=1.5), 10_000, 30)
    np.testing.assert_array_equal(page(requests), page(drawn(load, 10_000, 30)))
    # the last time round nothing is written again
    last = requests[-33:]
    assert (temperature(last[operation(last) == w.WRITE][5:]) == 99).all()


def test_foresight_costs_next_to_nothing_where_guessing_is_in_vain():
    drive = {"op": 0.25, "pages_per_block": 16, "warmup_drive_writes": 10, "drive_writes": 3}
    load = w.Foreseen(w.Uniform(), temperatures=60)
    known = ftl.simulate(30_000, frontier="hot_cold", workload=load, **drive)
    assert known.wa < 1.02
    # a drive of 1,900 blocks is within 2 % of the limit of many
    assert ftl.simulate(30_000, **drive).wa == pytest.approx(wa.greedy(0.25, 16), rel=0.02)


test_bad_values_are_refused = refusals([
    ({"workload": "uniform"}, "workload must be a Workload, got 'uniform'"),
    ({"temperatures": 9}, "temperatures must be a whole number >= 10 and <= 100, got 9"),
    ({"ahead": 0}, "ahead must be a finite number > 0 and <= 1000, got 0"),
    ({"ahead": 1e12}, "ahead must be a finite number > 0 and <= 1000, got 1e\\+12"),
], by=lambda bad: w.Foreseen(**{"workload": w.Uniform(), **bad}))  # fmt: skip
