"""Requests that do not fill the units of the map."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.wa import map_unit_factor
from refusals import refusals

SIZES = st.integers(1, 200)


@given(SIZES, SIZES, SIZES)
def test_the_mean_over_all_places_is_met(size, unit, grid):
    # places repeat after the least common multiple, in which there are `unit` of them at most
    starts = grid * np.arange(unit)
    touched = (starts + size + unit - 1) // unit - starts // unit
    expected = touched.mean() * unit / size
    assert map_unit_factor(size, unit, grid) == pytest.approx(expected, rel=1e-12)


test_values_out_of_range_are_refused = refusals([
    ((1, 0.5), "unit_bytes must be a finite number >= 1"),
    ((1, 1.5), "unit_bytes must be a whole number, got 1.5"),
    ((1, 1, 0), "align_bytes must be a finite number >= 1"),
    ((1, 2**41), r"unit_bytes must be a finite number >= 1 and <= 1.09951e\+12"),
], by=lambda arguments: map_unit_factor(*arguments))  # fmt: skip
