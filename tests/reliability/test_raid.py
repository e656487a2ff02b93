"""Stripes of dies: against every case counted, drawn stripes, and their limits."""

from itertools import product

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import wa
from flashwear.reliability import raid
from proving import examples
from refusals import refusals

losses = st.floats(1e-12, 0.5)
stripes = st.integers(1, 128)


def counted(q, n, k):
    """Go through every pattern of lost units: the loss of a stripe, and of its first unit."""
    stripe = unit = 0.0
    for lost in product((False, True), repeat=n + k):
        if sum(lost) > k:
            chance = q ** sum(lost) * (1 - q) ** (n + k - sum(lost))
            stripe += chance
            unit += chance * lost[0]
    return stripe, unit


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 1), (7, 1), (6, 2), (4, 0)])
@pytest.mark.parametrize("q", [1e-6, 0.01, 0.3, 1.0])
def test_every_pattern_of_losses(q, n, k):
    stripe, unit = counted(q, n, k)
    assert raid.stripe_loss(q, n, k) == pytest.approx(stripe, rel=1e-9)
    assert raid.loss_after(q, n, k) == pytest.approx(unit, rel=1e-9)


@pytest.mark.parametrize("n", [1, 15, 127])
@pytest.mark.parametrize("q", [1e-30, 1e-3])
def test_one_parity_unit_in_many_digits(q, n):
    with mp.workdps(60):
        exact = mp.mpf(q) * (1 - (1 - mp.mpf(q)) ** n)
    assert raid.loss_after(q, n) == pytest.approx(float(exact), rel=1e-12)


def test_endless_stripes_protect_nothing_and_cost_nothing():
    n = 10 ** np.arange(0, 10, 3)
    after = [raid.loss_after(1e-4, int(each)) for each in n]
    assert np.all(np.diff(after) >= 0)
    assert after[-1] == pytest.approx(1e-4, rel=1e-9)
    op = 0.28
    cost = wa.fifo(wa.parity_op(op, n[1:])) * wa.parity_factor(n[1:])
    assert cost[-1] == pytest.approx(wa.fifo(op), rel=1e-6)
    assert np.all(np.diff(cost) < 0)


@given(st.floats(1e-30, 0.9), stripes, st.integers(0, 3))
def test_the_inverse(after, n, k):
    q = raid.loss_allowed(after, n, k)
    assert after <= q * (1 + 1e-12)
    assert raid.loss_after(q, n, k) == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (5, 2)])
def test_a_die_is_rebuilt_stripe_by_stripe(n, k):
    q, units = 0.01, 40
    alone = sum(q ** sum(lost) * (1 - q) ** (n + k - 1 - sum(lost))
                for lost in product((False, True), repeat=n + k - 1)
                if sum(lost) >= k)  # fmt: skip
    found = raid.rebuild_failure(q, n, k, units=units)
    assert found == pytest.approx(1 - (1 - alone) ** units, rel=1e-9)
    # and rare: one chance for each unit read
    assert raid.rebuild_failure(1e-15, 15, units=1e6) == pytest.approx(15e-9, rel=1e-6)
    assert raid.rebuild_failure([0, 1], 15, units=[[0], [10]]).tolist() == [[0, 0], [0, 1]]


test_bad_input_is_named = refusals([
    (lambda: raid.loss_after(0.1, 0), "data_units must be .* >= 1 .* got 0"),
    (lambda: raid.stripe_loss(0.1, 15, -1), "parity_units must be .* >= 0 .* got -1"),
    (lambda: raid.rebuild_failure(0.1, 15, 0, units=1), "parity_units must be .* >= 1"),
])  # fmt: skip


@given(st.floats(0, 0.99), st.integers(1, 40), st.integers(0, 3))
@examples(40)
def test_without_rebuild_losses_add_up_over_the_service(q, n, k):
    found = raid.loss_in_service(q, n, k, window_s=np.inf)
    assert found == pytest.approx(raid.stripe_loss(q, n, k), rel=1e-9, abs=1e-300)
    assert raid.loss_in_service(q, n, k, window_s=1e6) <= found * (1 + 1e-9)


def test_drawn_losses_and_rebuilds():
    """Follow stripes event by event: each unit fails and is rebuilt on its own clock."""
    rng = np.random.default_rng(0)
    q, n, k, window, drives = 0.5, 5, 2, 0.2, 20_000
    rate = -np.log1p(-q)
    ended = 0
    for _ in range(drives):
        failing, back = rng.exponential(1 / rate, n + k), np.full(n + k, np.inf)
        while True:
            unit = int(np.argmin(np.minimum(failing, back)))
            now = min(failing[unit], back[unit])
            if now > 1:
                break
            if failing[unit] < back[unit]:
                failing[unit], back[unit] = np.inf, now + rng.exponential(window)
                if np.isfinite(back).sum() > k:
                    ended += 1
                    break
            else:
                failing[unit], back[unit] = now + rng.exponential(1 / rate), np.inf
    exact = raid.loss_in_service(q, n, k, window_s=window, service_s=1.0)
    spread = np.sqrt(exact * (1 - exact) / drives)
    assert ended / drives == pytest.approx(exact, abs=4 * spread)


test_bad_times_are_named = refusals([
    ({"window_s": 0}, "window_s must be .* >= 1.5768e-07, got 0"),
    ({"window_s": [1, 2]}, "window_s must be one number"),
    ({"service_s": -1}, "service_s must be .* > 0, got -1"),
    ({"parity_units": 17}, "parity_units must be .* <= 16, got 17"),
], by=lambda one: raid.loss_in_service(**{"unit_loss": 0.1, "data_units": 9, **one}))  # fmt: skip
