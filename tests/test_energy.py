"""Pulses and checks of programming, against a staircase walked step by step."""

import pytest
from hypothesis import given, strategies as st

from flashwear.energy import cached_cost, joules_per_byte, program
from refusals import refusals

anything = st.floats(0, 1e6)
steps = st.floats(0.01, 1e3)


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_counts_are_those_of_a_staircase(bits, steps):
    # one cell bound for each level, all erased; a pulse lifts those not yet there by one step, then
    # each level that still lacks a cell is checked
    targets = [level * steps for level in range(2**bits)]
    cells = [0] * 2**bits
    pulses = checks = 0
    while cells != targets:
        pulses += 1
        waiting = [target for cell, target in zip(cells, targets, strict=True) if cell < target]
        checks += len(waiting)
        cells = [min(cell + 1, target) for cell, target in zip(cells, targets, strict=True)]
    counted = program(bits, steps)
    assert (counted.pulses, counted.checks) == (pulses, checks)


@given(steps, anything)
def test_a_bit_costs_more_the_more_bits_a_cell_holds(steps, check):
    costs = [program(bits, steps).cost(check) for bits in range(1, 7)]
    assert costs == sorted(costs)
    assert costs[1] > costs[0] * 1.49


@given(st.sampled_from([2, 3]), st.floats(0, 1), anything)
def test_a_cache_pays_in_energy_only_if_enough_is_never_folded(bits, folded, check):
    at_once, cached = program(bits).cost(check), cached_cost(bits, folded, check)
    saved = 1 - program(1).cost(check) / at_once
    assert (cached < at_once) == (folded < saved) or folded == pytest.approx(saved, rel=1e-9)


def test_energy_of_a_byte_is_power_over_rate():
    assert joules_per_byte([4, 2], 200e6) * 1e9 == pytest.approx([20, 10])


test_values_outside_the_domain_are_named = refusals([
    (lambda: program(0), "bits must be a whole number >= 1 and <= 6, got 0"),
    (lambda: program(2.5), "bits must be a whole number .* got 2.5"),
    (lambda: program(2, 0), "steps must be .* > 0, got 0"),
    (lambda: program(2).cost(-1), "check must be .* >= 0, got -1"),
])  # fmt: skip
