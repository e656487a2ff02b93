"""Scores of draws: against closed forms, brute force and what calibrated means."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from flashwear.predict.score import crps, pit, score
from refusals import refusals

RNG = np.random.default_rng(3)
numbers = st.floats(-50, 50)


@pytest.mark.parametrize("seen", [-2.0, 0.0, 0.7, 3.0])
def test_crps_of_a_normal_distribution_is_its_closed_form(seen):
    # Gneiting and Raftery, equation 21; 20,000 draws leave about 0.01
    draws = 0.3 + 1.5 * norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    z = (seen - 0.3) / 1.5
    closed = 1.5 * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    assert crps(draws, seen) == pytest.approx(closed, abs=1e-3)


@given(st.lists(numbers, min_size=1, max_size=12), numbers)
def test_crps_is_that_of_all_pairs(draws, seen):
    x = np.array(draws)
    by_pairs = np.abs(x - seen).mean() - np.abs(x[:, None] - x).mean() / 2
    assert crps(x, seen) == pytest.approx(by_pairs, abs=1e-9)
    assert crps(x, seen) >= -1e-9


def test_calibrated_draws_are_even_narrow_ones_cover_too_little_and_no_weight_does_not_count():
    draws, seen = RNG.standard_normal((500, 4000)), RNG.standard_normal(4000)
    shares, _ = np.histogram(pit(draws, seen), 10, (0, 1))
    assert shares == pytest.approx(np.full(10, 400), abs=80)  # four standard errors
    seen = RNG.standard_normal(4000)
    found = [score(width * RNG.standard_normal((400, 4000)), seen) for width in (0.5, 1, 2)]
    assert [each.cover_90 for each in found] == pytest.approx([0.59, 0.9, 0.999], abs=0.02)
    assert found[1].crps == min(each.crps for each in found)
    assert [each.width_90 for each in found] == pytest.approx([1.64, 3.29, 6.58], rel=0.02)
    assert {round(each.rms, 1) for each in found} == {1.0}
    draws = RNG.standard_normal((100, 3))
    alone = score(draws[:, :2], [0.1, 0.2])
    assert score(draws, [0.1, 0.2, 99.0], [1, 1, 0]) == pytest.approx(alone)
    assert score(draws, [0.1, 0.2, 99.0], [2, 2, 0]).weight == 4


test_bad_input = refusals([
    ([[1.0]], [1.0, 2.0], None, r"draws must have one axis more .* \(1, 1\) and \(2,\)"),
    (np.empty((0, 1)), [1.0], None, "of at least one draw"),
    ([[np.nan]], [1.0], None, "draws must be a finite number, got nan"),
    ([[1.0]], [np.inf], None, "seen must be a finite number, got inf"),
    (np.empty((3, 0)), [], None, "seen must be a row of at least one number"),
    ([[1.0]], [1.0], [0.0], "weights must be 1 numbers that are not all 0"),
    ([[1.0]], [1.0], [-1.0], "weights must be a finite number >= 0, got -1"),
], by=lambda draws, seen, weights: score(draws, seen, weights))  # fmt: skip
