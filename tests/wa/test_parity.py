import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear import capacity
from flashwear.wa.parity import parity_factor, parity_op
from flashwear.wa.uniform import fifo
from refusals import refusals

GIB = 2**30
data = st.integers(1, 127)


def test_parity_costs_more_through_the_spare_than_through_its_own_writes():
    op = 512 * GIB / 480e9 - 1
    with mp.workdps(30):  # FIFO from the Lambert W function

        def wa(alpha):
            return alpha / (alpha + mp.lambertw(-alpha * mp.exp(-alpha)).real)

        alpha = mp.mpf(512 * GIB) / mp.mpf(480_000_000_000)
        bare, with_parity = wa(alpha), wa(alpha * 15 / 16) * 16 / 15
    assert fifo(op) == pytest.approx(float(bare), rel=1e-12)
    # op loses digits as 1 + op - 1: at op = 0.07 some 15 units in the last place
    expected = float(with_parity)
    assert fifo(parity_op(op, 15)) * parity_factor(15) == pytest.approx(expected, rel=1e-12)
    assert with_parity / bare > 1.9


@given(data, st.integers(0, 4), st.floats(1e9, 1e13), st.floats(5, 20))
def test_parity_is_taken_from_the_raw_flash(n, k, user, times):
    raw = user * times
    op = capacity.over_provisioning(raw, user)
    after = capacity.over_provisioning(raw * n / (n + k), user)
    assert parity_op(op, n, k) == pytest.approx(after, rel=1e-12, abs=1e-12)
    assert parity_factor(n, k) == pytest.approx((n + k) / n, rel=1e-15)


test_values_outside_the_domain_are_named = refusals([
    (lambda: parity_op(-0.1, 15), "op must be .* >= 0, got -0.1"),
    (lambda: parity_op(0.05, 15),
     "op must be >= parity_units / data_units, got 0.05 for 1 / 15:"),
    (lambda: parity_op([0.3, 0.1], [[15], [7]]),
     "got 0.1 for 1 / 7: data and parity do not fit"),
])  # fmt: skip
