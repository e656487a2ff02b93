import pytest
from hypothesis import given, strategies as st

from flashwear import capacity
from flashwear.wa.parity import parity_factor, parity_op
from refusals import refusals

data = st.integers(1, 127)


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
