"""A reading voltage that follows the charge, against draws of cells and its limits."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from flashwear.reliability.voltage import tracked
from refusals import refusals


def test_drawn_cells():
    distance, lost, cells = 2.0, 1.2, 400_000
    noise = np.random.default_rng(3).standard_normal((2, cells))
    low, high = noise[0] - distance, noise[1] + distance - lost

    def errors(voltage):
        return ((low > voltage).mean() + (high < voltage).mean()) / 2

    fresh = norm.sf(distance)
    fixed = (norm.sf(distance) + norm.sf(distance - lost)) / 2
    assert errors(0) == pytest.approx(fixed, abs=0.001)
    assert errors(-lost / 2) == pytest.approx(tracked(fixed, fresh), abs=0.001)
    # and no other voltage is better
    around = [errors(voltage) for voltage in np.linspace(-lost, 0, 41)]
    assert min(around) == pytest.approx(tracked(fixed, fresh), abs=0.001)


@given(st.floats(1e-9, 0.4), st.floats(0, 0.99))
def test_following_is_better_than_staying_and_worse_than_new(fresh, share):
    rate = fresh + share * (0.499 - fresh)
    assert fresh * (1 - 1e-9) <= tracked(rate, fresh) <= rate * (1 + 1e-9)


test_bad_input_is_named = refusals([
    ((1e-4, 1e-3), "rber must be >= fresh, got 0.0001 and 0.001"),
], by=lambda arguments: tracked(*arguments))  # fmt: skip
