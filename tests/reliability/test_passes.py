"""Levels of cells that are programmed page by page, against the properties of their code."""

from itertools import pairwise

import pytest

from flashwear.reliability.passes import path
from refusals import refusals


def cells(bits):
    return [f"{cell:0{bits}b}" for cell in range(2**bits)]


@pytest.mark.parametrize("bits", range(1, 7))
def test_each_cell_has_its_level_one_bit_from_its_neighbours_and_charge_is_only_added(bits):
    levels = {path(cell)[-1] for cell in cells(bits)}
    assert levels == set(range(2**bits))
    assert path("1" * bits) == [0] * bits
    order = sorted(cells(bits), key=lambda cell: path(cell)[-1])
    for low, high in pairwise(order):
        assert sum(a != b for a, b in zip(low, high, strict=True)) == 1
    paths = [path(cell) for cell in cells(bits)]
    assert all(levels == sorted(levels) for levels in paths)
    for count in range(1, bits + 1):
        seen = {levels[count - 1] for levels in paths}
        assert seen == set(range(0, 2**bits, 2 ** (bits - count)))


test_values_outside_the_domain_are_named = refusals([
    (lambda: path(""), "bits must be 1 to 6 of 0 and 1, got ''"),
    (lambda: path("012"), "bits must be 1 to 6 of 0 and 1, got '012'"),
    (lambda: path(10), "bits must be 1 to 6 of 0 and 1, got 10"),
])  # fmt: skip
