"""Reads until a limit, and what it costs to start over."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.reliability import disturb, rber
from flashwear.units import DAY, YEAR
from refusals import refusals

flash = rber.load("mlc-20nm")


@given(st.floats(1, 3000), st.floats(0, YEAR / 12), st.floats(1.5e-3, 1e-2))
def test_that_many_reads_reach_the_limit(cycles, time, limit):
    reads = disturb.reads_until(flash, limit, cycles, time)
    assert rber.at(flash, cycles, time, 30, reads) == pytest.approx(limit, rel=1e-9)


def test_limits_and_a_block_written_once_for_so_many_reads():
    assert disturb.reads_until(flash, 1e-3, 0) == np.inf
    assert disturb.reads_until(flash, 1e-5, 1000) == 0
    assert disturb.reads_until(flash, 1e-5, 0) == 0
    assert disturb.reads_until(replace(flash, disturb=0), 1e-3, 1000) == np.inf
    assert disturb.refresh_writes(1000, 500) == 0.5
    assert disturb.refresh_writes(1000, 500, valid_share=0.5) == 0.25
    assert disturb.refresh_writes([np.inf, 512], 512).tolist() == [0, 1]


@pytest.mark.parametrize(("fills", "written_share"), [(0.2, 1.0), (1.5, 1.0), (0.3, 0.25)])
def test_refresh_is_what_a_count_of_ages_gives(fills, written_share):
    """Pages of random ages, one write of the host after the other; an age of 500 is refreshed."""
    pages, age = 2_000, 500
    rng = np.random.default_rng(7)
    born = -rng.integers(0, age, pages)
    a_day = fills * pages / age
    refreshed = 0
    for day in range(12_000):
        due = np.flatnonzero(day - born >= age)
        written = rng.integers(0, round(written_share * pages), rng.poisson(a_day))
        born[due] = born[written] = day
        refreshed += len(due) * (day >= 2_000)
    found = disturb.refresh_amplification(pages, a_day, age * DAY, written_share)
    assert 1 + refreshed / (a_day * 10_000) == pytest.approx(found, rel=0.01)


def test_refresh_of_data_that_are_never_written_and_of_data_that_are_always_new():
    assert disturb.refresh_amplification(1e12, 1e9, 100 * DAY, 1e-9) == pytest.approx(1 + 10)
    assert disturb.refresh_amplification(1e9, 1e12, YEAR) == 1


test_bad_input_is_named = refusals([
    (lambda: disturb.refresh_amplification(1, 0, 1), "bytes_per_day must be .* got 0"),
    (lambda: disturb.refresh_amplification(1, 1, 1, 1.5), "written_share must be .* got 1.5"),
    (lambda: disturb.reads_until(flash, 1e-3, -1), "pe_cycles must be .* got -1"),
    (lambda: disturb.refresh_writes(10, 0), "pages_per_block must be .* got 0"),
])  # fmt: skip
