"""What lies outside the ranges is refused with ValueError naming argument, value and range."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.ftl import State, simulate, state as state_module
from flashwear.ftl.arrays import AHEAD
from flashwear.workloads import OPERATION_SHIFT, TEMPERATURE_SHIFT, HotCold, Replay, Span

GOOD = {"user_pages": 1_000, "op": 0.5, "pages_per_block": 8}
WHOLE = "must be a whole number"

STATES = [
    ({"user_pages": 0}, rf"user_pages {WHOLE} >= 1 .*, got 0"),
    ({"user_pages": 99.5}, rf"user_pages {WHOLE} .*, got 99.5"),
    ({"user_pages": 2**31}, "user_pages must be small enough for 2.*31 slots, got 2147483648"),
    ({"user_pages": 2**29, "op": 3.1}, "2.*31 slots, got 536870912 with op=3.1"),
    # 1.5 million blocks of 1,025 pages take the slots of 2,048 pages each
    ({"user_pages": 2**30, "pages_per_block": 1_025}, "2.*31 slots, got 1073741824 with op=0.5"),
    ({"op": 0}, "op must be a finite number > 0, got 0"),
    ({"op": np.nan}, "op must be a finite number > 0, got nan"),
    ({"op": "0.5"}, "op must be a finite number > 0, got '0.5'"),
    ({"op": [0.5]}, r"op must be one number, got shape \(1,\)"),
    ({"op": 0.001}, "op must be >= .* 1 open and 1 free blocks of 8 pages, got 0.001"),
    ({"op": 0.1, "reserve_blocks": 20}, "op must be >= .* 1 open and 20 free blocks .*, got 0.1"),
    ({"op": 0.1, "stripe": 7}, "op must be >= .* 1 of them for parity, got 0.1"),
    ({"pages_per_block": 1}, rf"pages_per_block {WHOLE} >= 2 and <= 1048576, got 1"),
    ({"pages_per_block": 2**20 + 1}, rf"pages_per_block {WHOLE} .*, got 1048577"),
    ({"policy": "lru"}, "policy must be one of greedy, fifo, .*, got 'lru'"),
    ({"frontier": "two"}, "frontier must be one of single, gc, hot_cold, detected, got 'two'"),
    ({"wear_levelling": "both"}, "wear_levelling must be one of none, dynamic, static, got 'both'"),
    ({"d": 0}, rf"d {WHOLE} >= 1 .*, got 0"),
    ({"window": 0}, rf"window {WHOLE} >= 1 .*, got 0"),
    ({"temperatures": 1, "frontier": "detected"}, rf"temperatures {WHOLE} >= 2 and <= 100, got 1"),
    ({"reserve_blocks": 0}, rf"reserve_blocks {WHOLE} >= 1 .*, got 0"),
    ({"reserve_blocks": 1, "frontier": "gc"}, rf"reserve_blocks {WHOLE} >= 2 .*, got 1"),
    ({"level_threshold": 0, "wear_levelling": "static"}, rf"level_threshold {WHOLE} .*, got 0"),
    ({"endurance": 0}, "endurance must be a finite number > 0, got 0"),
    ({"endurance": [5, 6]},
     r"endurance must be one number or one for each of 187 blocks, .*\(2,\)"),
    ({"stripe": 0}, rf"stripe {WHOLE} >= 1 .*, got 0"),
    ({"seed": -1}, rf"seed {WHOLE} >= 0, got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), STATES, ids=lambda value: str(value)[:50])
@pytest.mark.parametrize("call", [State, simulate])
def test_a_drive_that_cannot_be_is_refused_before_it_is_made(call, arguments, message, monkeypatch):
    def never(*_):
        raise AssertionError("memory was taken before the arguments were checked")

    if call is simulate and arguments.get("frontier") == "hot_cold":
        arguments = {**arguments, "workload": HotCold(np.full(101, 1 / 101), np.full(101, 1 / 101))}
    monkeypatch.setattr(state_module.arrays, "allocate", never)
    with pytest.raises(ValueError, match=message):
        call(**{**GOOD, **arguments})


RUNS = [
    ({"workload": "zipf"}, "workload must be one of jesd219, sequential, uniform, got 'zipf'"),
    ({"fill": "full"}, "fill must be one of sequential, random, none, got 'full'"),
    ({"trim_share": 0.5}, "trim_share must be < 0.5, got 0.5"),
    ({"trim_share": -0.1}, "trim_share must be .* >= 0 .*, got -0.1"),
    ({"warmup_drive_writes": -1}, "warmup_drive_writes must be .* >= 0, got -1"),
    ({"drive_writes": 0}, "drive_writes must be .* > 0, got 0"),
    ({"drive_writes": [1, 2]}, "drive_writes must be one number"),
    ({"history_stride": 0}, "history_stride must be .* >= 1.*, got 0"),
    ({"frontier": "hot_cold"}, r"workload must have temperatures .* hot_cold, got Uniform\(\)"),
    ({"workload": Replay([[0, 995, 10]])}, "user_pages must be >= 1005, .* needs, got 1000"),
    ({"workload": Span(Replay([[0, 0, 600]]), 0.5)},
     "user_pages must be >= 600, which the trace needs, got 500"),
    ({"frontier": "hot_cold", "workload": HotCold(0.8, 0.2), "temperatures": 5},
     "temperatures must be .*got 5"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), RUNS, ids=lambda value: str(value)[:50])
def test_a_run_that_cannot_be_is_refused_before_anything_is_written(
    arguments, message, monkeypatch
):
    def never(*_):
        raise AssertionError("requests were carried out before the arguments were checked")

    monkeypatch.setattr(State, "run_padded", never)
    with pytest.raises(ValueError, match=message):
        simulate(**{**GOOD, **arguments})


@given(st.integers(1, 10**5), st.integers(2, 300),
       st.sampled_from(["single", "gc", "hot_cold", "detected"]),
       st.none() | st.integers(1, 40))  # fmt: skip
def test_the_least_over_provisioning_named_is_enough(user_pages, pages, frontier, stripe):
    settings = {"pages_per_block": pages, "frontier": frontier, "stripe": stripe}
    with pytest.raises(ValueError, match="op must be >= ") as refusal:
        State(user_pages, 1e-9, **settings)
    least = float(re.search(">= ([0-9.e+-]+) to hold", str(refusal.value))[1])
    drive = State(user_pages, least, **settings)
    assert drive.run(np.arange(min(user_pages, 100))) == min(user_pages, 100)
    # and no more than a block and the rounding of the number above what is needed
    with pytest.raises(ValueError, match="op must be >= "):
        State(user_pages, drive.op - 1.001 * pages / user_pages, **settings)


@pytest.fixture
def drive():
    state = State(100, 0.5, pages_per_block=8)
    state.run(np.arange(100))
    return state


@pytest.mark.parametrize(("call", "message"), [
    (lambda s: s.write(100), f"page {WHOLE} >= 0 and <= 99, got 100"),
    (lambda s: s.write(-1), f"page {WHOLE} .*, got -1"),
    (lambda s: s.write(1.5), f"page {WHOLE} .*, got 1.5"),
    (lambda s: s.read(100), f"page {WHOLE} .*, got 100"),
    (lambda s: s.trim(100), f"page {WHOLE} .*, got 100"),
    (lambda s: s.trim(95, 6), f"count {WHOLE} >= 1 and <= 5, got 6"),
    (lambda s: s.run([3, 100]), "requests must lie in 100 pages, got page 100"),
    (lambda s: s.run([3, -1]), r"trims or reads, words in \[0, 3 << 48\), got -1"),
    (lambda s: s.run([3, 3 << OPERATION_SHIFT]), "trims or reads, .*, got 844424930131968"),
    (lambda s: s.run(np.array([2**64 - 1], np.uint64)), "trims or reads, .*, got -1"),
    (lambda s: s.run([3.0]), r"requests must be a row of integers, got shape \(1,\) of float"),
    (lambda s: s.run([[3]]), r"requests must be a row of integers, got shape \(1, 1\)"),
])  # fmt: skip
def test_a_bad_request_changes_nothing(drive, call, message):
    before = [array.copy() for array in drive.arrays]
    with pytest.raises(ValueError, match=message):
        call(drive)
    assert all((old == new).all() for old, new in zip(before, drive.arrays, strict=True))


def test_a_temperature_without_a_frontier_is_refused():
    state = State(100, 1.0, pages_per_block=8, frontier="hot_cold", temperatures=3)
    state.write(5, temperature=2)
    with pytest.raises(ValueError, match=f"temperature {WHOLE} >= 0 and <= 2, got 3"):
        state.write(5, temperature=3)
    with pytest.raises(ValueError, match="requests must have temperatures below 3, got 7"):
        state.run([5 | 7 << TEMPERATURE_SHIFT])
    assert state.host_writes == 1


def test_no_requests_are_no_work_and_requests_may_be_unsigned(drive):
    assert drive.run(np.zeros(0, np.int64)) == 0
    assert drive.run([]) == 0
    assert drive.host_writes == 100
    assert drive.run(np.arange(3, dtype=np.uint64)) == 3
    assert drive.host_writes == 103


BATCH = np.zeros(10 + AHEAD, np.int64)
ROWS = np.zeros((4, 3), np.int64)


@pytest.mark.parametrize(("wrong", "message"), [
    ({"size": 11}, "size must be a whole number >= 0 and <= 10, got 11"),
    ({"size": -1}, "size must be a whole number >= 0 and <= 10, got -1"),
    ({"stride": 0}, "stride must be a whole number >= 1, got 0"),
    ({"left": 0}, "left must be a whole number >= 1 and <= 3, got 0"),
    ({"requests": BATCH[:5]}, "requests must be a contiguous row of at least 64 int64, got"),
    ({"requests": BATCH.astype(np.int32)}, "requests must be .* got int32 of shape"),
    ({"requests": np.zeros(200, np.int64)[::2]}, "requests must be a contiguous row"),
    ({"requests": [0] * 100}, "requests must be a contiguous row .* got list of shape"),
    ({"rows": ROWS[:3]}, r"rows must be int64 of shape \(at least 4, 3\), got int64 of shape"),
    ({"rows": ROWS.astype(float)}, "rows must be int64 .* got float64"),
])  # fmt: skip
def test_steps_that_compiled_code_could_not_take_are_refused(wrong, message):
    drive = State(100, 0.5, pages_per_block=8)
    given = {"requests": BATCH, "size": 10, "stride": 3, "left": 1, "rows": ROWS}
    assert drive.run_in_steps(**given) == (10, 4, 3)
    with pytest.raises(ValueError, match=message):
        drive.run_in_steps(**given | wrong)
    assert drive.host_writes == 10
