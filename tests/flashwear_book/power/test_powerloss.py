"""What a power cut takes, against counting, drawing and integrating."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear_book.power import capacitors, powerloss
from refusals import refusals

MLC = (0.85e-3, 2.3e-3)
times = st.lists(st.floats(1e-5, 1e-2), min_size=1, max_size=4)
rates = st.floats(0, 1e9)


@given(st.integers(1, 4), st.integers(0, 5))
def test_every_page_is_endangered_once_by_each_later_page_of_its_cells(kinds, step):
    distance, rows = 1 + kinds * step, 40 * kinds * (step + 1)
    endangered = [powerloss.shared_rows(row, kinds, distance) for row in range(rows)]
    for row in range(distance * kinds, rows - distance * kinds):
        by = [later for later in range(rows) if row in endangered[later]]
        later_kinds = kinds - 1 - row % kinds
        assert by == [row + i * distance for i in range(1, later_kinds + 1)]
        assert [earlier % kinds for earlier in endangered[row]] == list(range(row % kinds))[::-1]


def test_the_first_rows_of_a_block_lack_partners_and_dies_are_mostly_in_upper_pages():
    lacking = [row for row in range(20) if not powerloss.shared_rows(row, distance=7)]
    assert lacking == [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18]
    most = 16 * 32768 / np.mean(MLC)
    # all dies are under way, and 46 of 63 endanger a lower page
    assert powerloss.under_way(most, MLC) == pytest.approx(16 * 32768)
    assert powerloss.exposed(most, MLC) == pytest.approx(16 * 32768 * 46 / 63)


@given(rates, times)
def test_bytes_are_sums_over_the_kinds_of_pages(rate, program_s):
    by_kind = [rate / len(program_s) * program for program in program_s]
    assert powerloss.under_way(rate, program_s) == pytest.approx(sum(by_kind))
    weighted = sum(kind * held for kind, held in enumerate(by_kind))
    assert powerloss.exposed(rate, program_s) == pytest.approx(weighted)


@pytest.mark.parametrize(("per_s", "unit"), [(5.0, 8), (60.0, 8), (200.0, 8), (60.0, 3), (9.0, 2)])
def test_units_that_wait_for_others_against_drawing(per_s, unit):
    age, rounds = 0.05, 40_000
    draw = np.random.default_rng(1)
    after = draw.exponential(1 / per_s, (rounds, unit - 1)).cumsum(axis=1)
    left = np.minimum(after[:, -1], age)
    # unit by unit: the time from its arrival until the round leaves
    waited = left + np.maximum(left[:, None] - after, 0).sum(axis=1)
    cycle = left + draw.exponential(1 / per_s, rounds)
    mean = waited.mean() / cycle.mean()
    error = np.std(waited - mean * cycle) / cycle.mean() / rounds**0.5
    assert powerloss.gathered(per_s, unit, age) == pytest.approx(mean, abs=4 * error)


@given(st.integers(1, 64), st.floats(1e-3, 1))
def test_limits_of_slow_and_fast_hosts(unit, age):
    slow = 1e-6 / age
    expected = slow * age if unit > 1 else 0.0
    assert powerloss.gathered(slow, unit, age) == pytest.approx(expected, rel=1e-5)
    fast = 1e6 * unit / age
    assert powerloss.gathered(fast, unit, age) == pytest.approx((unit - 1) / 2)
    assert powerloss.gathered(0.0, unit, age) == 0


@given(rates, st.floats(0, 1), rates, st.floats(0, 100))
def test_each_protection_loses_no_more_than_the_one_before(held, share, older, cuts):
    given = {"acknowledged": held, "finishing": share * held, "older": older, "cuts": cuts}
    lost = [powerloss.loss(protection, **given) for protection in powerloss.PROTECTIONS]
    assert [loss.at_rest for loss in lost] == [older * cuts, 0, 0, 0]
    in_flight = [loss.in_flight for loss in lost]
    assert in_flight[0] == in_flight[1] == held * cuts
    assert in_flight[2] == pytest.approx((1 - share) * held * cuts)
    assert in_flight[3] == 0


@given(times, st.integers(1, 16), st.integers(1, 200), st.integers(0, 3), st.integers(0, 2**32))
def test_a_flush_takes_no_longer_than_the_bound(program_s, dies, programs, phase, seed):
    # each die is busy with something else at first, then kinds take turns from row to row
    free = np.random.default_rng(seed).uniform(0, max(program_s), dies)
    first = seed % dies
    for number in range(first, first + programs):
        free[number % dies] += program_s[(phase + number // dies) % len(program_s)]
    bound = capacitors.flush_time(programs * 4096, program_s, dies, 4096)
    assert -(-programs // dies) * np.mean(program_s) < bound
    assert free.max() <= bound * (1 + 1e-12)
    assert capacitors.flush_time(0, program_s, dies, 4096) == 0


@given(st.floats(1e-6, 1), st.floats(1.1, 40), st.floats(0, 1))
def test_energy_and_capacitance_are_inverse(farads, volts, share):
    joules = capacitors.energy(farads, volts, share * 0.9 * volts)
    assert capacitors.capacitance(joules, volts, share * 0.9 * volts) == pytest.approx(farads)


def test_a_capacitor_under_constant_power_lasts_as_long_as_its_energy():
    farads, power, step = 94e-6, 6.0, 1e-7
    volts, time = 35.0, 0.0
    while volts > 5.0:  # C V dV = - P dt
        volts -= power * step / (farads * (volts - power * step / (2 * farads * volts)))
        time += step
    assert capacitors.energy(farads, 35, 5) / power == pytest.approx(time, rel=1e-4)


test_bad_input_is_named = refusals([
    (lambda: powerloss.shared_rows(-1), "row must be a whole number >= 0, got -1"),
    (lambda: powerloss.shared_rows(1, 5), "kinds must be a whole number >= 1 and <= 4"),
    (lambda: powerloss.shared_rows(1, 2, 2), "distance must be 1 more than a multiple of 2"),
    (lambda: powerloss.under_way(-1, MLC), "bytes_per_s must be a finite number >= 0"),
    (lambda: powerloss.exposed(1, [[1.0]]), "program_s must be a row of times"),
    (lambda: powerloss.exposed(1, (0.0,)), "program_s must be a finite number > 0"),
    (lambda: powerloss.gathered(np.nan, 8, 1), "per_s must be a finite number >= 0"),
    (lambda: powerloss.gathered(1, 8, -1), "age_s must be a finite number >= 0"),
    (lambda: powerloss.loss("some", acknowledged=1), "protection must be one of none, lower"),
    (lambda: powerloss.loss("none", acknowledged=1, finishing=2),
     "finishing must be <= acknowledged, got 2 of 1"),
    (lambda: capacitors.flush_time(-1, MLC, 1, 1), "held_bytes must be a finite number >= 0"),
    (lambda: capacitors.capacitance(1, [9, 5], 7), "to_v must be < 5, got 7"),
    (lambda: capacitors.energy(-1, 5, 3), "capacitance_f must be a finite number >= 0"),
])  # fmt: skip
