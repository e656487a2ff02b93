import sys

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import solve_ivp

from flashwear import wa
from flashwear._compiled import compiled
from flashwear.wa import choices
from proving import examples
from refusals import refusals

ops = st.floats(0.01, 5)
choice = st.floats(1, 50)
shares = st.floats(0.05, 0.95)


def d_choices_by_bisection(op, d, b):
    """Bisect on c, and for each c on each share m_i: slow, and nothing in common."""
    with mpmath.workdps(30):
        op, d = mpmath.mpf(op), mpmath.mpf(d)

        def bisect(rising, low, high):
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if rising(middle) < 0 else (low, middle)
            return low

        def pages_missing(c):
            above, pages = mpmath.mpf(0), mpmath.mpf(0)
            for i in range(b, 0, -1):
                m = bisect(lambda m, i=i, above=above: i * c * m - 1 + (above + m) ** d,
                           mpmath.mpf(0), 1 - above)  # fmt: skip
                above += m
                pages += i * m
            return b / (1 + op) - pages

        return float((1 + op) / bisect(pages_missing, op / 2, 2 + 2 * op))


def mixed_in_time(op, d, b, r, f):
    """Follow the blocks in time, one cleaning per block and unit, until nothing changes.

    Neither the stationary equations nor their unknown appear: the two totals of valid pages
    are set at the start and kept by the dynamics.
    """
    full = b / (1 + op)  # valid pages of the mean block
    hot, cold = np.meshgrid(np.arange(b + 1), np.arange(b + 1), indexing="ij")
    valid = hot + cold
    reachable = valid <= b
    fresh = np.zeros((b + 1, b + 1, b + 1, b + 1))  # victim -> filled block
    for h, c in np.argwhere(reachable):
        free = b - h - c
        for k in range(free + 1):
            ways = float(mpmath.binomial(free, k))
            fresh[h, c, h + k, c + free - k] = ways * r**k * (1 - r) ** (free - k)

    def change(_, x):
        x = x.reshape(b + 1, b + 1)
        level = np.array([x[valid == i].sum() for i in range(b + 1)])
        tail = np.append(np.cumsum(level[::-1])[::-1], 0)
        chosen = (tail[:-1] ** d - tail[1:] ** d) / np.maximum(level, 1e-300)
        victims = np.where(reachable, x * chosen[np.minimum(valid, b)], 0)
        writes = b - (victims * valid).sum()
        hot_loss = r * writes / (x * hot).sum() * hot * x
        cold_loss = (1 - r) * writes / (x * cold).sum() * cold * x
        gain = np.einsum("hc,hcij->ij", victims, fresh)
        gain[:-1] += hot_loss[1:]
        gain[:, :-1] += cold_loss[:, 1:]
        return (gain - victims - hot_loss - cold_loss).ravel()

    # a mix of full-hot, full-cold and empty blocks with the right totals
    x = np.zeros((b + 1, b + 1))
    x[b, 0], x[0, b] = f * full / b, (1 - f) * full / b
    x[0, 0] = 1 - x.sum()
    end = solve_ivp(change, (0, 3000), x.ravel(), method="LSODA", rtol=1e-10, atol=1e-13).y[:, -1]
    x = end.reshape(b + 1, b + 1)
    level = np.array([x[valid == i].sum() for i in range(b + 1)])
    tail = np.cumsum(level[::-1])[::-1]
    return b / (b - (tail[1:] ** d).sum())  # E[j] is the sum over i >= 1 of P(j >= i)


@pytest.mark.parametrize("op", [1e-4, 0.07, 0.3, 3.0])
@pytest.mark.parametrize("d", [1, 1.5, 2, 10, 1000])
def test_d_choices_agrees_with_nested_bisection_in_30_digits(op, d):
    # contract: 1e-9; unknown shares below 1 lose 1e-16/op, here at most 1e-12
    for pages in (1, 2, 4):
        expected = d_choices_by_bisection(op, d, pages)
        assert wa.d_choices(op, d, pages) == pytest.approx(expected, rel=2e-12)


@given(op=st.floats(0.01, 5), pages=st.integers(2, 64))
def test_a_billion_choices_are_greedy_cleaning(op, pages):
    # the gap falls as 1/d: 1e-9 times a number of the order of the pages per block
    greedy = wa.greedy(op, pages)
    assert wa.d_choices(op, 1e9, pages) == pytest.approx(greedy, rel=1e-7)


def test_extreme_over_provisioning_stays_in_range():
    for op in (1e-9, 1e-6, 1e3, 1e9, 1e15):
        for d in (1, 2, 30, 1e9):
            a = wa.d_choices(op, d, 16)
            # 1 - 1/A is known to 1e-16, so A to A times that
            assert wa.greedy(op, 16) * (1 - 1e-6) <= a <= wa.random(op) * (1 + 1e-6)


@pytest.mark.parametrize(("op", "d", "pages", "r", "f"), [
    (0.1, 2, 2, 0.8, 0.2), (0.25, 10, 3, 0.9, 0.1), (0.5, 1.5, 4, 0.6, 0.3), (1, 5, 5, 0.2, 0.7),
])  # fmt: skip
def test_hot_and_cold_agree_with_the_dynamics_in_time(op, d, pages, r, f):
    # the integration is run to 1e-10
    expected = mixed_in_time(op, d, pages, r, f)
    assert wa.d_choices_mixed(op, d, pages, r, f) == pytest.approx(expected, rel=1e-8)


@examples(25)
@given(op=ops, d=choice, pages=st.integers(1, 24), r=shares, f=shares)
def test_classes_that_are_equally_hot_not_seen_or_renamed_change_nothing(op, d, pages, r, f):
    expected = wa.d_choices(op, d, pages)
    assert wa.d_choices_mixed(op, d, pages, f, f) == pytest.approx(expected, rel=1e-9)
    assert wa.d_choices_mixed(op, 1, pages, r, f) == pytest.approx(wa.random(op), rel=1e-9)
    one = wa.d_choices_mixed(op, d, pages, r, f)
    assert 1 <= one <= wa.random(op) * (1 + 1e-9)
    assert wa.d_choices_mixed(op, d, pages, 1 - r, 1 - f) == pytest.approx(one, rel=1e-9)
    assert wa.d_choices_mixed(op, d, pages, [r, 1 - r], [f, 1 - f]) == pytest.approx(one, rel=1e-9)


def test_without_a_compiler_the_same_numbers_come_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    here = wa.d_choices(0.1, 10, 64), wa.d_choices_mixed(0.1, 10, 16, 0.8, 0.2)
    monkeypatch.setattr(choices, "_shares", compiled(choices._shares.__wrapped__))
    monkeypatch.setattr(choices, "_generation", compiled(choices._generation.__wrapped__))
    plain = wa.d_choices(0.1, 10, 64), wa.d_choices_mixed(0.1, 10, 16, 0.8, 0.2)
    # sums in another order
    assert plain == pytest.approx(here, rel=1e-11)


def test_an_iteration_that_does_not_settle_says_so(monkeypatch):
    monkeypatch.setattr(choices, "_MOST_GENERATIONS", 3)
    with pytest.raises(RuntimeError, match="did not settle: last change"):
        wa.d_choices_mixed(0.1, 10, 16, 0.8, 0.2)


test_values_outside_the_domain_are_named = refusals([
    (lambda: wa.d_choices_mixed(1e-20, 2, 8, 0.8, 0.2), r"op must be .* >= 1e-09"),
    (lambda: wa.d_choices(0.1, 0.5, 8), r"d must be .* >= 1 and <= 1e\+09, got 0.5"),
    (lambda: wa.d_choices(0.1, 2, 8.5), r"pages_per_block must be a whole number, got 8.5"),
    (lambda: wa.d_choices_mixed(0.1, 2, 513, 0.8, 0.2), r"pages_per_block .* <= 512, got 513"),
    (lambda: wa.d_choices_mixed(0.1, 2, 8, 1.2, 0.2), r"write_share must be .* <= 1, got 1.2"),
    (lambda: wa.d_choices_mixed(0.1, 2, 8, 1, 0.2), "write_share must be >= 1e-12 for"),
    (lambda: wa.d_choices_mixed(0.1, 2, 8, *wa.JESD219), r"must have two classes, got 3"),
])  # fmt: skip
