"""When a test may call itself steady, by the standard's rule and by what a drive needs."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from flashwear import steady, wa
from refusals import refusals


@given(st.lists(st.floats(50, 150), min_size=5, max_size=12))
def test_the_first_window_that_keeps_both_bounds_passes(speeds):
    passed = []
    for last in range(5, len(speeds) + 1):
        window = np.array(speeds[last - 5 : last])
        line = np.polyval(np.polyfit(range(5), window, 1), [0, 4])
        spread = (window.max() - window.min()) / window.mean()
        excursion = abs(line[1] - line[0]) / window.mean()
        assume(abs(spread - 0.2) > 1e-9 and abs(excursion - 0.1) > 1e-9)
        if spread < 0.2 and excursion < 0.1:
            passed.append(last)
    found = steady.snia(speeds)
    assert found.last == min(passed, default=None)
    assert found.steady == (len(speeds) in passed)
    assert found.range_share == pytest.approx(spread)
    assert found.slope_share == pytest.approx(excursion, abs=1e-12)
    assert steady.snia(speeds[-5:]).steady == found.steady


def test_a_test_that_passed_once_may_end_otherwise():
    assert steady.snia([9.0, 3, 3, 3, 3, 3, 2, 1]).last == 6
    assert not steady.snia([9.0, 3, 3, 3, 3, 3, 2, 1]).steady


@pytest.mark.parametrize(("speeds", "passes"), [
    ([90, 110, 100, 110, 90], True),  # a range of exactly 20 %
    ([89.9, 110, 100, 110.1, 90], False),
    ([95, 97.5, 100, 102.5, 105], True),  # a line of exactly 10 %
    ([94.9, 97.4, 100, 102.6, 105.1], False),
])  # fmt: skip
def test_both_bounds_belong_to_what_is_allowed(speeds, passes):
    assert (steady.snia(speeds).last is not None) == passes


def speeds(op, until, way=wa.after_fill, unit=1e8):
    """Return the speed of a drive that programs at a steady pace, in steps of equal time."""
    at = np.linspace(0, until, 2_001)  # capacities programmed
    return np.diff(way(op, at).drive_writes) / np.diff(at) * unit


@pytest.mark.parametrize("op", [0.07, 0.15, 0.28, 1.0])
@pytest.mark.parametrize(("filled", "way"), [(True, wa.after_fill), (False, wa.from_blank)])
def test_after_the_writes_that_are_needed_the_speed_stays_within_five_percent(op, filled, way):
    until = 4.0 if filled else 40.0
    at = np.linspace(0, until, 8_001)
    path = way(op, at)
    needed = steady.drive_writes(op, filled=filled)
    off = np.abs(path.wa / wa.fifo(op) - 1)
    assert off[path.drive_writes > needed + 0.01].max() <= 0.05
    assert np.interp(needed, path.drive_writes, off) == pytest.approx(0.05, abs=0.003)


def test_a_blank_drive_needs_its_own_writes_and_what_is_missing_is_at_the_pace_of_the_last():
    at = np.arange(0, 4, 0.001)
    for op in (0.05, 0.1, 0.28, 1.0):
        path = wa.after_fill(op, at)
        programmed = np.interp(steady.drive_writes(op), path.drive_writes, at)
        assert 1.3 < programmed < 2.4
    series = speeds(0.28, 20.0, wa.from_blank)
    for filled in (True, False):
        found = steady.advice(series, 1e3, 1e12, 0.28, filled=filled)
        assert found.needed == pytest.approx(steady.drive_writes(0.28, filled=filled))
    assert steady.drive_writes(0.28, within=0.01) > steady.drive_writes(0.28)
    op, size = 0.28, 1e12
    step = 1.6 * size / 1e8 / 2_000
    short = steady.advice(speeds(op, 1.6), step, size, op)
    assert not short.settled
    whole = speeds(op, 4.0)  # at the same pace
    seconds = 4.0 * size / 1e8 / 2_000
    longer = round((1.6 * size / 1e8 + short.missing_s) / seconds)
    assert not steady.advice(whole[: int(0.93 * longer)], seconds, size, op).settled
    found = steady.advice(whole[: int(1.07 * longer)], seconds, size, op)
    assert found.missing_s == 0.0
    assert found.written >= found.needed
    # the last fifth of the writes is slow, and what is before it is not
    found = steady.advice([2e8] * 80 + [1e8] * 40, 2.0, 1e12, 0.28)
    assert found.written == pytest.approx(0.04)
    assert found.missing_s == pytest.approx((found.needed - 0.04) * 1e12 / 1e8)
    assert f"needs {found.needed:.2g}: {found.missing_s:,.0f} seconds more" in found.reason


def test_rounds_of_half_the_spare_flash_are_judged_where_there_are_five():
    times = np.array([9.0, 2, 3, 3, 3, 3, 4, 3.5])  # in which half the spare flash is written
    for op, steps in itertools.product((0.5, 1.0, 4.0), range(5, 9)):
        each = op / 2 * 1e9
        found = steady.advice(each / times[:steps], times[:steps], 1e9, op)
        assert found.written == pytest.approx(steps * op / 2)
        if steps > 5:  # the first round has no round before it, to begin at
            expected = steady.snia(1 / times[1:steps])
            assert found.window == pytest.approx(expected)
            assert found.settled == (expected.steady and found.written >= found.needed)
        else:
            assert found.window is None
            assert not found.settled
            assert ("fewer than five rounds" in found.reason) == (found.written >= found.needed)
    assert steady.advice([1.0] * 8, 1, 8, 0.25).written == 1  # rounds as short as the steps
    for size, op in ((1.001 * 8, 0.25), (1.001 * 4, 0.5), (1e9, 0.01)):
        assert steady.advice([1.0] * 8, 1, size, op).written < 8 * op / 2
    assert steady.drive_writes(4.0, within=0.5) == 0.0  # nothing is far from the limit
    assert steady.drive_writes(0.1, within=0.01) > steady.drive_writes(0.1, within=0.5)


@pytest.mark.parametrize("op", [0.07, 0.28])
def test_the_plateau_is_level_and_not_settled(op):
    series = speeds(op, op * 0.95)
    assert steady.snia(series[::200]).last == 5
    found = steady.advice(series, op * 0.95 * 1e12 / 1e8 / series.size, 1e12, op)
    assert not found.settled
    assert found.written == pytest.approx(0.95 * op, rel=1e-3)


def test_a_speed_that_still_swings_is_not_settled_and_unequal_steps_say_the_same():
    rng = np.random.default_rng(3)
    series = 1e8 * np.repeat(rng.choice([0.6, 1.4], 40), 25)
    found = steady.advice(series, 10, 1e12, 0.07)
    assert found.missing_s == 0.0
    assert not found.settled
    assert "range over" in found.reason
    series = speeds(0.07, 3.0)
    equal = steady.advice(series, 15.0, 1e12, 0.07)
    whole = (series[::2] + series[1::2]) / 2
    mixed = np.concatenate([series[:1000], whole[500:]])
    lengths = np.repeat([15.0, 30.0], [1000, 500])
    unequal = steady.advice(mixed, lengths, 1e12, 0.07)
    assert unequal.written == pytest.approx(equal.written)
    assert unequal.window.range_share == pytest.approx(equal.window.range_share, abs=0.002)


test_bad_values_are_refused = refusals([
    (lambda: steady.snia([1.0, 2, 3]), r"rounds must be a row of 5 or more, got shape \(3,\)"),
    (lambda: steady.snia([1, 1, 1, 1, 0]), "rounds must be .* > 0, got 0 at index 4"),
    (lambda: steady.advice([1e8] * 3, 60, 1e12, 0.1), r"a row of 5 or more steps, got .*\(3,\)"),
    (lambda: steady.advice([0.0] * 9, 60, 1e12, 0.1), "must hold a write, got nothing but 0"),
    (lambda: steady.advice([1e8] * 9, [60] * 8, 1e12, 0.1), r"one number or 9.*got \(8,\)"),
    (lambda: steady.advice([1e8] * 9, 0, 1e12, 0.1), "seconds must be .* > 0, got 0"),
    (lambda: steady.advice([1e8] * 9, 60, 0, 0.1), "user_bytes must be .* > 0, got 0"),
    (lambda: steady.advice([1e8] * 60, 60, 960, 0.07),  # GB for bytes: 44 GiB of rounds
     "user_bytes must be at least 1.714e[+]11, or the 60 steps are fewer than the rounds, got 960"),
    (lambda: steady.advice([1.0] * 8, 1, 0.999 * 8, 0.25), "user_bytes must be at least 8, or"),
    (lambda: steady.advice([1.0] * 8, 1, 0.999 * 4, 0.5), "user_bytes must be at least 4, or"),
    (lambda: steady.advice([1e8] * 9 + [-1], 60, 1e12, 0.1), "bytes_per_s must be .* >= 0, got -1"),
    (lambda: steady.advice([0.0] * 9, 60, 1e12, 5), "op must be .* <= 4, got 5"),  # first of all
    (lambda: steady.advice([1e8] * 60, 60, 960, 0.009), "op must be .* >= 0.01 .*, got 0.009"),
    (lambda: steady.drive_writes([0.1, 5]), "op must be .* <= 4, got 5 at index 1"),
    (lambda: steady.drive_writes([0.1, 0.009]), "op must be .* >= 0.01 .*, got 0.009 at index 1"),
    (lambda: steady.drive_writes(0.1, within=0.0099), "within must be .* >= 0.01"),
    (lambda: steady.drive_writes(0.1, within=0.501), "within must be .* <= 0.5"),
])  # fmt: skip
