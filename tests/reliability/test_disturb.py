"""Reads until a limit, and what it costs to start over."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear.reliability import disturb, rber
from flashwear.units import YEAR
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


test_bad_input_is_named = refusals([
    (lambda: disturb.reads_until(flash, 1e-3, -1), "pe_cycles must be .* got -1"),
    (lambda: disturb.refresh_writes(10, 0), "pages_per_block must be .* got 0"),
])  # fmt: skip
