import pytest
from hypothesis import given, strategies as st

from flashwear import endurance
from refusals import refusals

raw = st.floats(1e9, 1e14)
cycles = st.floats(100, 1e5)
wafs = st.floats(0.1, 50)
wlfs = st.floats(1, 5)
years = st.floats(0.5, 20)


@given(raw=raw, cycles=cycles, waf=wafs, wlf=wlfs)
def test_the_wear_product_and_the_implied_cycles_invert_the_rating(raw, cycles, waf, wlf):
    rating = endurance.tbw(raw, cycles, waf, wlf)
    assert endurance.wear_product(raw, cycles, rating) == pytest.approx(waf * wlf, rel=1e-12)
    assert endurance.implied_pe_cycles(raw, rating, waf, wlf) == pytest.approx(cycles, rel=1e-12)


@given(rating=raw, user=raw, years=years)
def test_drive_writes_per_day_invert_terabytes_written_and_last_the_warranty(rating, user, years):
    rate = endurance.dwpd(rating, user, years)
    assert endurance.tbw_from_dwpd(rate, user, years) == pytest.approx(rating, rel=1e-12)
    assert endurance.lifetime_years(rating, rate * user) == pytest.approx(years, rel=1e-12)


test_values_outside_the_domain_are_named = refusals([
    (lambda: endurance.tbw(1, 1, waf=0), "waf must be .* > 0, got 0"),
])  # fmt: skip
