import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import capacity
from refusals import refusals

sizes = st.floats(1e6, 1e16)
shares = st.floats(0.01, 1.0)


@pytest.mark.parametrize(
    ("sold", "seen"),  # capacities that drives report
    [(240, 240_057_409_536), (480, 480_103_981_056), (1000, 1_000_204_886_016)],
)
def test_drives_have_the_sectors_that_makers_agreed_on(sold, seen):
    assert capacity.idema_bytes(sold) == seen
    assert 1 < seen / (sold * 1e9) < 1.0004


@given(user=sizes, share=shares)
def test_the_two_definitions_are_inverse_to_each_other(user, share):
    physical = user / share
    op = capacity.over_provisioning(physical, user)
    spare = capacity.spare_factor(physical, user)
    # one rounding of P - L (relative to P) bounds both: 1e-12 leaves four digits of room
    assert capacity.spare_factor_from_op(op) == pytest.approx(spare, rel=1e-12, abs=1e-12)
    assert capacity.op_from_spare_factor(spare) == pytest.approx(op, rel=1e-12, abs=1e-12)


@given(user=sizes, share=shares, span=shares | st.just(1.0))
def test_a_shorter_span_is_a_smaller_drive_on_the_same_flash(user, share, span):
    physical = user / share
    expected = capacity.over_provisioning(physical, span * user)
    assert capacity.span_op(physical, user, span) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_dies_needed_is_the_least_number_that_holds_the_capacity():
    for user in (1e9, 275e9, 2050e9):
        dies = capacity.dies_needed(user, 384)
        assert capacity.raw_bytes(dies, 384) >= user
        assert dies == 1 or capacity.raw_bytes(dies - 1, 384) < user


test_values_outside_the_domain_are_named = refusals([
    (lambda: capacity.spare_factor(100, 101), "user_bytes must be <= physical_bytes"),
    (lambda: capacity.over_provisioning([2, np.inf], 1), "physical_bytes .* got inf"),
    (lambda: capacity.over_provisioning("many", 1), "physical_bytes .* got 'many'"),
])  # fmt: skip
