"""Requests that do not fill the units of the map."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear import ftl, traces, wa, workloads
from flashwear.wa import map_unit_factor

SIZES = st.integers(1, 200)


@given(SIZES, SIZES, SIZES)
def test_the_mean_over_all_places_is_met(size, unit, grid):
    # places repeat after the least common multiple, in which there are `unit` of them at most
    starts = grid * np.arange(unit)
    touched = (starts + size + unit - 1) // unit - starts // unit
    expected = touched.mean() * unit / size
    assert map_unit_factor(size, unit, grid) == pytest.approx(expected, rel=1e-12)


@given(SIZES, SIZES)
def test_it_is_never_below_one_and_is_one_for_whole_units(size, unit):
    assert map_unit_factor(size, unit) >= 1
    assert map_unit_factor(size * unit, unit) == 1
    assert map_unit_factor(1, unit) == unit


def test_a_trace_of_small_requests_is_amplified_by_the_factor_times_that_of_the_units():
    pages, op, block = 20_000, 0.25, 64
    rng = np.random.default_rng(7)
    for size, grid in ((4096, 4096), (16384, 4096)):
        spots = rng.integers(0, (pages * 16384 - size) // grid, 300_000)
        log = "\n".join(f"sda write {spot * grid} {size}" for spot in spots)
        trace = traces.read_fio(
            io.BytesIO(f"fio version 2 iolog\n{log}\n".encode()), page_bytes=16384
        )
        per_request = trace.records["count"].mean() * 16384 / size
        # the mean of 300,000 counts of which each is off by less than 0.5
        assert per_request == pytest.approx(map_unit_factor(size, 16384, grid), rel=0.005)
        run = ftl.simulate(
            pages,
            op,
            pages_per_block=block,
            workload=workloads.Replay(trace.records),
            warmup_drive_writes=8,
            drive_writes=6,
            seed=1,
        )
        # 312 blocks: within 2 % of the limit of many
        assert run.wa == pytest.approx(wa.greedy(op, block), rel=0.02)


def test_arrays_are_broadcast():
    assert map_unit_factor([4096, 8192], [[16384], [65536]]).tolist() == [[4, 2], [16, 8]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1), "request_bytes must be a finite number >= 1"),
        ((1, 0.5), "unit_bytes must be a finite number >= 1"),
        ((1, 1.5), "unit_bytes must be a whole number, got 1.5"),
        ((1, 1, 0), "align_bytes must be a finite number >= 1"),
        ((1, 2**41), r"unit_bytes must be a finite number >= 1 and <= 1.09951e\+12"),
    ],
)
def test_values_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        map_unit_factor(*arguments)
