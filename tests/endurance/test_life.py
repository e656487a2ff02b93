"""The life of a drive as a distribution, against the closed form of lognormal arguments."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from flashwear import endurance
from flashwear.endurance import lifetime, within
from flashwear.units import GB, GIB
from proving import examples
from refusals import refusals

RANGES = {"pe_cycles": (2000, 5000), "bytes_per_day": (10e9, 40e9), "waf": (2, 8)}
SIGNS = {"pe_cycles": 1, "bytes_per_day": -1, "waf": -1}


def lognormal_life(**options):
    arguments = {name: within(*ends) for name, ends in RANGES.items()}
    return lifetime(256 * GIB, **arguments, **options)


@pytest.mark.parametrize("seed", [0, 1])
def test_lognormal_arguments_give_a_lognormal_life(seed):
    # ln Y is the sum of normal variables: means and variances add
    medians = {name: np.sqrt(low * high) for name, (low, high) in RANGES.items()}
    sigmas = {name: np.log(high / low) / (2 * 1.6448536) for name, (low, high) in RANGES.items()}
    middle = 256 * GIB / 365 * np.prod([medians[name] ** sign for name, sign in SIGNS.items()])
    width = np.sqrt(sum(sigma**2 for sigma in sigmas.values()))
    life = lognormal_life(seed=seed)
    shares = np.array([0.03, 0.25, 0.5, 0.75, 0.97])
    exact = middle * np.exp(width * stats.norm.ppf(shares))
    # over 20 seeds the worst was 2.1 % at the ends
    assert life.quantile(shares) == pytest.approx(exact, rel=0.03)
    assert life.quantile(0.5) == pytest.approx(middle, rel=0.006)
    assert life.outlasting(exact) == pytest.approx(1 - shares, abs=0.005)
    # without interaction both indices are shares of the variance; the worst of 20 seeds was 0.002
    for name, sigma in sigmas.items():
        assert life.first[name] == pytest.approx(sigma**2 / width**2, abs=0.004)
        assert life.total[name] == pytest.approx(sigma**2 / width**2, abs=0.004)


def test_arguments_that_act_together_have_total_indices_above_the_first_the_largest_first():
    # ln Y = -g x, g and x independent: Var = E[g2] E[x2] - E[g]2 E[x]2, Var(E[.|x]) = E[g]2 Var(x)
    heat = stats.uniform(20, 20)
    exponent = stats.uniform(0.2, 0.6)
    life = lifetime(1e12, 3000, 20 * GB, temperature_c=heat, retention_exponent=exponent)
    kelvin = np.linspace(20, 40, 200_001) + 273.15
    x = 1.1 / 8.617333262e-5 * (1 / 303.15 - 1 / kelvin)
    g, g2 = 0.5, 0.5**2 + 0.6**2 / 12
    variance = g2 * np.mean(x**2) - g**2 * np.mean(x) ** 2
    assert life.first["temperature_c"] == pytest.approx(g**2 * np.var(x) / variance, abs=0.004)
    total = g2 * np.var(x) / variance
    assert life.total["temperature_c"] == pytest.approx(total, abs=0.004)
    assert life.total["temperature_c"] > life.first["temperature_c"] + 0.05
    shares = list(lognormal_life().total.values())
    assert shares == sorted(shares, reverse=True)
    alone = lifetime(1e12, 3000, within(10 * GB, 40 * GB))
    assert alone.first == alone.total == {"bytes_per_day": 1.0}
    # at 1.1 eV the factor from 30 C to T is 2 where 1/T = 1/303.15 - ln 2 k / 1.1
    warmer = 1 / (1 / 303.15 - np.log(2) * 8.617333262e-5 / 1.1) - 273.15
    base = lifetime(1e12, 3000, 20 * GB).quantile(0.5)
    hot = lifetime(1e12, 3000, 20 * GB, temperature_c=warmer, retention_exponent=0.4)
    assert hot.quantile(0.5) == pytest.approx(base * 2**-0.4, rel=1e-12)


def test_without_uncertainty_a_life_is_that_of_the_balance_and_one_seed_gives_one_life():
    life = lifetime(256 * GIB, 3000, 20 * GB, waf=4, wlf=1.1)
    years = endurance.lifetime_years(endurance.tbw(256 * GIB, 3000, 4, 1.1), 20 * GB)
    assert life.quantile([0.0, 0.5, 1.0]) == pytest.approx([years] * 3, rel=1e-12)
    assert life.first == life.total == {}
    first, again, other = (lognormal_life(seed=seed) for seed in (3, 3, 4))
    assert (first.years == again.years).all()
    assert first.total == again.total
    assert (first.years != other.years).any()


@examples(25)
@given(st.floats(1.05, 3), st.sampled_from([0.03, 0.5, 0.97]))
def test_a_heavier_load_and_a_warmer_place_shorten_every_quantile(times, share):
    base = lognormal_life(samples=256).quantile(share)
    loads = within(*(times * end for end in RANGES["bytes_per_day"]))
    more = lifetime(256 * GIB, within(2000, 5000), loads, waf=within(2, 8), samples=256).quantile(
        share
    )
    assert more == pytest.approx(base / times, rel=1e-9)
    hot = lognormal_life(samples=256, temperature_c=30 + 5 * times, retention_exponent=0.5)
    assert hot.quantile(share) < base


@given(st.floats(0.001, 1e12), st.floats(1.01, 1000), st.floats(0.05, 0.99), st.floats(-5, 5))
def test_the_share_asked_for_lies_between_the_two_values(low, times, share, above):
    known = within(above + low, above + low * times, share, above=above)
    between = known.cdf(above + low * times) - known.cdf(above + low)
    assert between == pytest.approx(share, abs=1e-6)
    assert known.support()[0] == above


def test_a_sample_counts_as_the_distribution_it_was_drawn_from():
    known, fixed = within(1.5, 4, above=1), {"physical_bytes": 1e12, "pe_cycles": 3000}
    draws = known.rvs(20_000, random_state=3)
    lives = [lifetime(**fixed, bytes_per_day=20e9, waf=waf) for waf in (known, draws)]
    shares = np.linspace(0.05, 0.95, 7)
    np.testing.assert_allclose(lives[1].quantile(shares), lives[0].quantile(shares), rtol=0.03)


test_values_outside_the_domain_are_named = refusals([
    ({"pe_cycles": 0}, "pe_cycles must be a finite number > 0, got 0"),
    ({"waf": stats.norm(2, 1)}, "waf must be > 0, got a distribution from -inf to inf"),
    ({"waf": stats.poisson(3)}, "waf must be > 0, got a distribution from 0 to inf"),
    ({"wlf": within(1.1, 1.5)}, "wlf must be >= 1, got a distribution from 0 to inf"),
    ({"wlf": 0.9}, "wlf must be .* >= 1, got 0.9"),
    ({"temperature_c": stats.uniform(20, 200)},
     "temperature_c must be >= -50 and <= 150, got a distribution from 20 to 220"),
    ({"temperature_c": -273.15}, "temperature_c must be .* >= -50 .* got -273.15"),
    ({"rated_c": 200}, "rated_c must be .* <= 150, got 200"),
    ({"activation_ev": -1}, "activation_ev must be .* >= 0, got -1"),
    ({"retention_exponent": [0.1, 0.2]}, "retention_exponent must be one number"),
    ({"samples": 1000}, "samples must be a power of 2, got 1000"),
    ({"waf": np.linspace(0.5, 3, 9)}, "waf must be a sample of 16 or more that differ"),
    ({"waf": np.linspace(-0.5, 3, 99)}, "waf must be a finite number > 0, got -0.5"),
    ({"temperature_c": stats.uniform(30, 15)}, "retention_exponent must be > 0 for an uncertain"),
    ({"samples": 8}, "samples must be a whole number >= 16 .* got 8"),
    ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ({"bytes_per_day": "20"}, "bytes_per_day must be .* got '20'"),
    ({"bytes_per_day": stats.uniform(1e10, 0)},
     "bytes_per_day must be a distribution of finite"),
], by=lambda options: lifetime(
    **{"physical_bytes": 1e12, "pe_cycles": 3000, "bytes_per_day": 20e9} | options))  # fmt: skip


test_bad_ranges_are_named = refusals([
    (lambda: within(2, 2), "high must be .* > 2, got 2"),
    (lambda: within(0, 2), "low must be .* > 0, got 0"),
    (lambda: within(1, 2, above=1), "low must be .* > 1, got 1"),
    (lambda: within(1, 2, share=1), "share must be .* < 1, got 1"),
    (lambda: within(1, 2, share=1 - 2**-53), "share must leave room outside the range"),
    (lambda: lognormal_life(samples=16).quantile(1.5), "share must be .* <= 1, got 1.5"),
    (lambda: lognormal_life(samples=16).outlasting(-1), "years must be .* >= 0, got -1"),
])  # fmt: skip
