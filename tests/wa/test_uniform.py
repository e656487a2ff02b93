import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import wa
from refusals import refusals

ops = st.floats(1e-4, 20)
blocks = st.integers(2, 100_000)


def fifo_to_50_digits(op):
    """The root of t/(1 - exp(-t)) = alpha by bisection; A = alpha/t."""
    with mpmath.workdps(50):
        alpha = 1 + mpmath.mpf(op)
        low, high = mpmath.mpf(op), 2 * mpmath.mpf(op)  # op < t < 2 op
        for _ in range(150):
            t = (low + high) / 2
            low, high = (low, t) if t > -alpha * mpmath.expm1(-t) else (t, high)
        return alpha / low


def greedy_to_30_digits(op, b):
    """Walk down from a full block until the balance H_b - H(y) = alpha (b - y)/b is met."""
    with mpmath.workdps(30):
        alpha = 1 + mpmath.mpf(op)
        difference = mpmath.mpf(0)  # H_b - H_y
        for y in range(b, 0, -1):
            gap = difference - alpha * (b - y) / b
            difference += mpmath.mpf(1) / y
            gap_below = difference - alpha * (b - y + 1) / b
            if y < b and gap <= 0 <= gap_below and gap != gap_below:
                return b / (b - y + gap / (gap - gap_below))
        return mpmath.mpf(1)


def test_fifo_agrees_with_50_digits_and_greedy_of_large_blocks_with_it():
    # contract: 1e-12; an exponential and a logarithm may each be a few units off in the last place
    for op in np.concatenate([np.geomspace(1e-15, 1e-4, 12), np.geomspace(1e-4, 30, 60), [1e6]]):
        assert abs(wa.fifo(op) / fifo_to_50_digits(op) - 1) < 1e-14
        assert wa.xiang_kurkoski(op) == wa.fifo(op)
    assert wa.fifo(1e-300) == pytest.approx(5e299, rel=1e-14)
    assert wa.fifo(1e300) == 1.0
    for pages in (1, 4, 64):
        edge = sum(1 / j for j in range(1, pages + 1)) - 1
        assert wa.greedy(edge * 1.000001 + 1e-12, pages) == 1
        assert pages == 1 or wa.greedy(edge * 0.999, pages) > 1
    # E(z) is a midpoint-free Riemann sum of the FIFO integral: the gap closes as 1/b
    assert wa.greedy(0.1) == wa.fifo(0.1)
    gaps = [wa.fifo(0.1) - wa.greedy(0.1, b) for b in (1000, 10_000, 100_000)]
    assert gaps[0] / gaps[1] == pytest.approx(10, rel=0.05)
    assert gaps[1] / gaps[2] == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize("pages", [2, 3, 7, 64, 1000, 100_000])
def test_greedy_agrees_with_30_digits(pages):
    # sums of 1e5 terms: 1e-13 leaves a factor of 20 over the largest error seen
    for op in np.geomspace(1e-4, 20, 25) if pages < 100_000 else (1e-4, 0.07, 1.0):
        expected = float(greedy_to_30_digits(op, pages))
        assert wa.greedy(op, pages) == pytest.approx(expected, rel=1e-14 * max(1, pages / 10_000))


@given(op=st.floats(1e-9, 1e-2))
def test_the_expansion_for_little_over_provisioning(op):
    # t/(1 - exp(-t)) - 1 = t/2 + t^2/12 - ... gives A = 1/(2 op) + 2/3 + op/9 + ...
    error = wa.fifo(op) - wa.fifo_small_op(op)
    assert abs(error - op / 9) <= op**2 + 1e-14 * wa.fifo(op)


@given(op=ops)
def test_agarwal_and_marrow_are_half_of_random_and_refused_below_one(op):
    if op <= 1:
        assert wa.agarwal_marrow(op) == pytest.approx(wa.random(op) / 2, rel=1e-15)
    else:
        with pytest.raises(ValueError, match=r"op must be .* <= 1"):
            wa.agarwal_marrow(op)


@given(op=st.floats(1e-3, 20), pages=st.integers(1, 4096))
def test_desnoyers_closed_form_is_his_equation_12(op, pages):
    with mpmath.workdps(40):
        alpha, k = 1 + mpmath.mpf(op), 1 + mpmath.mpf(1) / (2 * pages)
        w = mpmath.lambertw(-k * alpha * mpmath.exp(-k * alpha)).real
        x0 = mpmath.mpf(1) / 2 - pages / alpha * w
        printed = float(pages / (pages - (x0 - 1)))
    # below 1 and above b the equation has left its domain: fewer than no valid pages in the
    # victim, or more than all but one
    expected = min(max(printed, 1), pages)
    assert wa.greedy_desnoyers(op, pages) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(("pages", "most", "reached"), [
    (4, 0.12, -0.118), (16, 0.041, -0.04), (64, 0.005, -0.0044), (256, 0.005, -0.0003),
])  # fmt: skip
def test_the_error_of_desnoyers_closed_form_is_that_stated(pages, most, reached):
    op = np.geomspace(0.05, 1, 20_001)
    error = wa.greedy_desnoyers(op, pages) / wa.greedy(op, pages) - 1
    assert np.abs(error).max() < most
    assert error.min() < reached
    if pages == 64:
        at_3 = wa.greedy_desnoyers(0.03, 64) / wa.greedy(0.03, 64) - 1
        assert at_3 == pytest.approx(-0.011, abs=5e-4)


test_values_outside_the_domain_are_named = refusals([
    (lambda: wa.greedy(0.1, 0), "pages_per_block must be .* >= 1 and <= 1e\\+07, got 0"),
    (lambda: wa.greedy_desnoyers(0.1, 1e8), "pages_per_block must be .* got 1e\\+08"),
])  # fmt: skip
