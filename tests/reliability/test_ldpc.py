"""The threshold of LDPC codes: capacities against their integrals, and their order."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from flashwear.reliability import ldpc
from flashwear.reliability.ldpc import Ldpc
from proving import examples
from refusals import refusals


def test_three_reads_lie_between_one_and_all():
    with mp.workdps(30):
        p = mp.mpf("0.01")
        exact = 1 + (p * mp.log(p) + (1 - p) * mp.log(1 - p)) / mp.log(2)
    assert ldpc.hard_capacity(0.01) == pytest.approx(float(exact), rel=1e-14)
    assert ldpc.hard_capacity([0, 0.5]).tolist() == pytest.approx([1, 0])
    for p in (1e-3, 0.01, 0.1):
        level = -stats.norm.ppf(p)
        x = np.linspace(-level - 12, level + 12, 200_001)
        own, other = stats.norm.pdf(x - level), stats.norm.pdf(x + level)
        # the channel seen with every voltage: the information of the Gaussian itself
        kept = np.where(own > 0, own * np.log2(np.where(own > 0, 2 * own / (own + other), 1)), 0)
        every = np.trapezoid(kept, x)
        assert ldpc.hard_capacity(p) < ldpc.soft_capacity(p) < every
        # Wang et al. find that three reads give most of what there is: here more than half
        share = (ldpc.soft_capacity(p) - ldpc.hard_capacity(p)) / (every - ldpc.hard_capacity(p))
        assert 0.5 < share < 1


@given(st.floats(0.5, 0.95), st.floats(0, 0.04))
@examples(20)
def test_a_code_without_gap_works_at_capacity_and_soft_reads_help(rate, gap):
    code = Ldpc(rate, gap)
    assert (1 - gap) * ldpc.hard_capacity(code.rber_limit()) == pytest.approx(rate, rel=1e-8)
    assert (1 - gap) * ldpc.soft_capacity(code.rber_limit(reads=3)) == pytest.approx(rate, rel=1e-8)
    assert code.rber_limit(reads=3) > code.rber_limit()
    assert Ldpc(rate, gap + 0.005).rber_limit() < code.rber_limit()


test_bad_input_is_named = refusals([
    (lambda: Ldpc(1.0), "code_rate must be .* got 1"),
    (lambda: Ldpc(0.9, 0.6), "gap must be .* got 0.6"),
    (lambda: Ldpc(0.9, 0.1), "code_rate must be < 1 - gap"),
    (lambda: Ldpc(0.97 - 1e-9, 0.03), "code_rate must be < 1 - gap, got 0.96"),
    (lambda: Ldpc(0.9).rber_limit(reads=2), "reads must be 1 or 3, got 2"),
    (lambda: ldpc.soft_capacity(0), "rber must be .* got 0"),
])  # fmt: skip
