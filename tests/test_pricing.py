import pytest
from hypothesis import given, strategies as st

from flashwear import pricing
from flashwear.units import GB, TB
from refusals import refusals

prices = st.floats(1, 1e5)


@given(rating=st.floats(1e12, 1e16), price=prices, reference=st.floats(1e12, 1e16))
def test_at_the_break_even_price_a_written_terabyte_costs_the_same(rating, price, reference):
    even = pricing.break_even_price(rating, price, reference)
    expected = pricing.price_per_tb_written(price, reference)
    assert pricing.price_per_tb_written(even, rating) == pytest.approx(expected, rel=1e-12)


@given(
    price=prices, rating=st.floats(1e12, 1e16), load=st.floats(1e6, 1e13), keep=st.floats(0.5, 30)
)
def test_a_year_costs_what_its_bytes_or_its_time_cost_whichever_is_more(price, rating, load, keep):
    year = pricing.cost_per_year(price, rating, load, keep)
    by_bytes = pricing.price_per_tb_written(price, rating) * 365 * load / TB
    assert year == pytest.approx(max(by_bytes, price / keep), rel=1e-12)


@given(price=prices, rate=st.floats(-0.5, 0.9), years=st.floats(0.1, 10))
def test_the_annual_decline_compounds_back(price, rate, years):
    now = price * (1 - rate) ** years
    assert pricing.annual_decline(price, now, years) == pytest.approx(rate, abs=1e-9)


def test_fit_and_intervals_worked_by_hand():
    # x = 1, 2, 3 GB, y = 1, 2, 4 USD: b = 3/2, a = 7/3 - 3 = -2/3, residuals 1/6, -1/3, 1/6,
    # s^2 = (1/36 + 4/36 + 1/36) / 1 = 1/6, Sxx = 2, t(0.975, 1) = 12.7062
    fit = pricing.fit_fixed_plus_per_gb([1 * GB, 2 * GB, 3 * GB], [1, 2, 4])
    assert (fit.fixed_usd, fit.per_gb_usd) == pytest.approx((-2 / 3, 3 / 2))
    assert fit.residual_usd == pytest.approx((1 / 6) ** 0.5)
    assert fit.predict(10 * GB) == pytest.approx(15 - 2 / 3)
    t = 12.706204736
    slope_error = (1 / 12) ** 0.5
    fixed_error = (1 / 6 * (1 / 3 + 4 / 2)) ** 0.5
    assert fit.per_gb_interval == pytest.approx((1.5 - t * slope_error, 1.5 + t * slope_error))
    assert fit.fixed_interval == pytest.approx((-2 / 3 - t * fixed_error, -2 / 3 + t * fixed_error))
    # at x = 2, the mean, a new price has variance s^2 (1 + 1/3)
    assert fit.margin(2 * GB) == pytest.approx(t * (1 / 6 * 4 / 3) ** 0.5)


test_values_outside_the_domain_are_named = refusals([
    (lambda: pricing.fit_fixed_plus_per_gb([1e9, 2e9], [1, 2]),
     "equal length >= 3, got shapes"),
    (lambda: pricing.fit_fixed_plus_per_gb([1e9, 1e9, 1e9], [1, 2, 3]),
     "two different values, got 1 GB only"),
    (lambda: pricing.fit_fixed_plus_per_gb([1e9, 2e9, 3e9], [1, 2, 3], 1.0),
     "confidence must be < 1, got 1"),
])  # fmt: skip
