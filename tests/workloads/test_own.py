"""Loads that a function of the user's own yields."""

import numpy as np
import pytest

from flashwear import ftl, workloads
from flashwear.drives import Drive
from flashwear.ftl import State
from flashwear.queueing import twin
from flashwear.workloads import TEMPERATURE_SHIFT, Own, Trimmed
from refusals import refusals


def even(user_pages, seed):
    rng = np.random.default_rng(seed)
    while True:
        yield rng.integers(user_pages, size=777)


def drawn(load, size, user_pages=1000, cut=100):
    stream = workloads.named(load).stream(user_pages, 3)
    parts = []
    for start in range(0, size, cut):
        requests = np.zeros(min(cut, size - start), np.int64)
        parts.append(requests[: stream.fill(requests)])
    return np.concatenate(parts)


@pytest.mark.parametrize("cut", [1, 100, 5000])
def test_requests_are_the_batches_in_order_however_they_are_cut(cut):
    rng = np.random.default_rng(3)
    expected = np.concatenate([rng.integers(1000, size=777) for _ in range(3)])
    assert (drawn(even, 2000, cut=cut) == expected[:2000]).all()


def test_batches_of_one_page_or_none_and_logs_in_order_are_as_they_say():
    def load(user_pages, seed):
        yield 5
        yield []
        yield [user_pages - 1, 0]

    assert drawn(load, 10).tolist() == [5, 999, 0]

    def load(user_pages, seed):
        yield [1, 2], 0
        yield [3], 2

    words = drawn(Own(load, streams=3), 10)
    assert (words >> TEMPERATURE_SHIFT).tolist() == [0, 0, 2]
    load = workloads.Logs([0.7, 0.2, 0.1], [0.5, 0.3, 0.2], run=3)
    words = drawn(load, 30_000)
    pages, logs = words & workloads.PAGE_MASK, words >> TEMPERATURE_SHIFT
    first, sizes = (0, 500, 800), (500, 300, 200)
    for log in range(3):
        mine = pages[logs == log]
        assert (mine == first[log] + np.arange(mine.size) % sizes[log]).all()
        assert mine.size == pytest.approx([21_000, 6_000, 3_000][log], rel=0.1)
    changes = np.flatnonzero(np.diff(logs)) + 1
    assert (changes % 3 == 0).all()
    words = drawn(workloads.Logs([0.25] * 4, [0.9998, 1e-4, 5e-5, 5e-5]), 5000, user_pages=10)
    assert set((words & workloads.PAGE_MASK).tolist()) == set(range(10))


def test_a_simulation_writes_what_a_state_does_and_other_doors_take_a_load_too():
    result = ftl.simulate(500, 0.4, pages_per_block=8, workload=even, seed=4, check=True)
    drive = State(500, 0.4, pages_per_block=8, seed=4)
    drive.run(np.arange(500))
    rng = np.random.default_rng(4)
    pages = np.concatenate([rng.integers(500, size=777) for _ in range(3)])[:2000]
    drive.run(pages)
    assert result.state.flash_writes == drive.flash_writes
    assert (result.erases == drive.erases).all()
    assert ftl.simulate(500, 0.4, pages_per_block=8, workload=Trimmed(Own(even), 0.2)).trims > 0
    drive = Drive(
        name="example", user_bytes=2**22, dies=2, planes=1, page_bytes=8192, pages_per_block=8,
        blocks_per_plane=48, channels=1, channel_bytes_per_s=200e6, read_s=50e-6,
        program_s=(400e-6, 1200e-6), erase_s=3e-3)  # fmt: skip
    assert twin.run(drive, even, ios=50).ios == 50


def beyond(user_pages, seed):
    yield [0, user_pages]


def below(user_pages, seed):
    yield np.array([3, -1])


def empty(user_pages, seed):
    while True:
        yield []


def halves(user_pages, seed):
    yield [0.5]


def words(user_pages, seed):
    yield "pages"


def nothing(user_pages, seed):
    return None


def hotter(user_pages, seed):
    yield [1], 1


@pytest.mark.parametrize(("load", "kind", "message"), [
    (beyond, ValueError, r"workload beyond must yield pages in \[0, 100\), got 100"),
    (below, ValueError, r"workload below must yield pages in \[0, 100\), got -1"),
    (empty, ValueError, "workload empty must yield pages: the last 1000 batches had none"),
    (hotter, ValueError, r"workload hotter must yield streams in \[0, 1\), got 1"),
    (halves, TypeError, r"workload halves must yield rows of whole numbers.*got \[0.5\]"),
    (words, TypeError, "workload words must yield rows of whole numbers.*got 'pages'"),
    (nothing, TypeError, "workload nothing must return an iterator, got None"),
])  # fmt: skip
def test_what_is_no_load_is_told(load, kind, message):
    with pytest.raises(kind, match=message):
        ftl.simulate(100, 0.5, pages_per_block=8, workload=load)
    with pytest.raises(kind, match=message):
        drawn(load, 5, user_pages=100)


def test_what_can_be_no_load_is_refused_at_once():
    with pytest.raises(TypeError, match="batches must be a generator function, got 3"):
        Own(3)
    with pytest.raises(ValueError, match="streams must"):
        Own(even, streams=129)
    with pytest.raises(ValueError, match=r"workload must be one of .*got 3"):
        ftl.simulate(100, 0.5, workload=3)


test_shares_that_are_none_and_drives_with_fewer_pages_than_logs_are_refused = refusals([
    (lambda: workloads.Logs([0.5, 0.6]), "write_share must"),
    (lambda: workloads.Logs([1.0, 0.0]), "(write|space)_share must"),
    (lambda: workloads.Logs([0.5, 0.5], [0.5, 0.3, 0.2]), "(write|space)_share must"),
    (lambda: workloads.Logs([1 / 129] * 129), "(write|space)_share must"),
    (lambda: drawn(workloads.Logs([0.5, 0.5]), 5, user_pages=1), "user_pages must be >= 2"),
])  # fmt: skip
