import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.wa.trim import trim_occupancy, trim_op, trim_variance
from refusals import refusals

trims = st.floats(0, 0.49)


def chain(user_pages, trim_share):
    """Return mean and variance of the pages in use, from the balance of each step up and down."""
    used = np.arange(1, user_pages + 1)
    up = (1 - trim_share) * (user_pages - used + 1) / user_pages  # a write to a page not in use
    log_weight = np.concatenate(([0], np.cumsum(np.log(up / trim_share))))
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    pages = np.arange(user_pages + 1)
    mean = weight @ pages
    return mean, weight @ (pages - mean) ** 2


@pytest.mark.parametrize("share", [0.01, 0.1, 0.25, 0.4])
def test_mean_and_variance_are_those_of_the_chain(share):
    user = 2000
    mean, variance = chain(user, share)
    # the cut-off at no page in use is 15 standard deviations away or more; summing 2,000 logarithms
    # of about 1 leaves 1e-12
    assert trim_occupancy(share) == pytest.approx(mean / user, rel=1e-11)
    assert trim_variance(user, share) == pytest.approx(variance, rel=1e-9)


@given(st.floats(0, 20), trims)
def test_op_counts_the_pages_in_use(op, share):
    in_use = trim_occupancy(share)
    assert (1 + trim_op(op, share)) * in_use == pytest.approx(1 + op, rel=1e-12)


@given(st.floats(0, 20))
def test_without_trim_nothing_changes(op):
    assert trim_op(op, 0) == op
    assert trim_occupancy(0) == 1
    assert trim_variance(1000, 0) == 0


def test_trim_makes_up_for_flash_that_is_missing():
    # of 1000 pages 800/0.9 are in use: with 900 of flash, 11.1 are spare
    assert trim_op(-0.1, 0.1) == pytest.approx(0.9 * 0.9 / 0.8 - 1)
    np.testing.assert_allclose(trim_op([-0.1, 0.1], 0.1), [0.0125, 0.2375])


test_values_outside_the_domain_are_named = refusals([
    (lambda: trim_op([0.1, -0.2], 0.1), "op must be >= -0.111111, .* in use less 1, got -0.2"),
    (lambda: trim_op(-0.1, 0), "op must be >= 0, .* got -0.1"),
])  # fmt: skip
