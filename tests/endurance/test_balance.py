import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear import endurance, units
from flashwear.units import GB, PB, TB
from refusals import refusals

raw = st.floats(1e9, 1e14)
cycles = st.floats(100, 1e5)
wafs = st.floats(0.1, 50)
wlfs = st.floats(1, 5)
years = st.floats(0.5, 20)


def test_ratings_and_lives_worked_by_hand():
    # 1000 GB x 3000 cycles / (2 x 1.5) = 1,000,000 GB = 1 PB
    assert endurance.tbw(1000 * GB, 3000, waf=2, wlf=1.5) == 1 * PB
    # 1.75 PB / 100 GB and 7.0 PB / 400 GB
    fills = endurance.drive_fills([1.75 * PB, 7.0 * PB], [100 * GB, 400 * GB])
    np.testing.assert_allclose(fills, 17_500)
    # a published rating: 3.84 TB, 1 DWPD, 5 years, 7,008 TB
    assert endurance.tbw_from_dwpd(1, 3.84 * TB, 5) == pytest.approx(7008 * TB)
    # 72,000 / 20 = 3,600 days
    assert endurance.lifetime_years(72 * TB, 20 * GB) == pytest.approx(3600 / 365)


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


def test_a_rounded_rating_gives_the_interval_of_what_follows_from_it():
    # 3.0 PB on 200 GB over 5 years: 2.95 and 3.05 PB over 365,000 GB
    low, high = endurance.dwpd(units.rounding_interval("3.0", PB), 200 * GB, 5)
    assert (low, high) == pytest.approx((2.95e6 / 365_000, 3.05e6 / 365_000))


test_values_outside_the_domain_are_named = refusals([
    (lambda: endurance.tbw(1, 1, waf=0), "waf must be .* > 0, got 0"),
])  # fmt: skip
