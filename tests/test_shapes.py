"""Numbers give a number, and arrays an array of their common shape, in all of test_columns.py."""

import numpy as np
import pytest

from test_columns import FUNCTIONS, _arguments, _parts

NAMES = [name for name in FUNCTIONS if name != "reliability.rating.implied_cycles"]  # an interval


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_combined_number_by_number_and_numbers_stay_numbers(name):
    given, columns = _arguments(name)
    first, *others = columns
    arrays = {first: given[first][:2, None]} | {other: given[other][:3] for other in others}
    shape = (2, 3 if others else 1)
    found = _parts(FUNCTIONS[name](**given | arrays))
    for index in np.ndindex(shape):
        one = {column: np.broadcast_to(arrays[column], shape)[index].item() for column in columns}
        for part, value in _parts(FUNCTIONS[name](**given | one)).items():
            assert type(value) is float, part
            assert found[part].shape == shape
            assert found[part][index] == pytest.approx(value, rel=1e-9), part


@pytest.mark.parametrize("name", NAMES)
def test_no_numbers_give_no_numbers(name):
    given, columns = _arguments(name)
    given |= {column: given[column][0] for column in columns}
    for column in columns:
        nothing = FUNCTIONS[name](**given | {column: np.zeros((0, 2))})
        assert {np.shape(values) for values in _parts(nothing).values()} == {(0, 2)}
