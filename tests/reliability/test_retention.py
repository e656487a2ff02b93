"""Arrhenius acceleration against the bakes and tables of the standard."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.reliability.retention import CLIENT, ENTERPRISE, acceleration, equivalent, power_off
from flashwear.units import DAY, YEAR

HOUR = 3600
WEEK = 7 * DAY
temperatures = st.floats(-100, 200)
energies = st.floats(0, 2)


@pytest.mark.parametrize(("oven_c", "hours"), [(52, 500), (66, 96)])
def test_the_bakes_of_the_standard_for_client_drives(oven_c, hours):
    # printed to a round number for 507 and 100 hours: 5 % holds them
    assert equivalent(YEAR, 30, oven_c) / HOUR == pytest.approx(hours, rel=0.05)
    enterprise = equivalent(ENTERPRISE.retention_s, ENTERPRISE.temperature_c, oven_c)
    assert enterprise / HOUR == pytest.approx(hours, rel=0.05)


def test_retention_halves_every_five_degrees_and_towards_absolute_zero_nothing_is_lost():
    weeks = power_off(CLIENT, [20, 25, 30, 35, 40]) / WEEK
    ratios = weeks[:-1] / weeks[1:]
    assert ((ratios > 1.9) & (ratios < 2.15)).all()
    of_the_other_class = equivalent(ENTERPRISE.retention_s, 40, 30) / YEAR
    assert of_the_other_class == pytest.approx(0.96, abs=0.005)
    # 105 weeks at 25 and 52 at 30 are printed in tables made for the standard
    assert weeks[1] == pytest.approx(105, abs=1)
    assert weeks[2] == pytest.approx(52, abs=0.5)
    with np.errstate(all="raise", under="ignore"):
        assert equivalent(1.0, 30, -273.1) == np.inf
        assert equivalent(0.0, 30, -273.1) == 0
        assert equivalent(1.0, -273.1, 30) == 0


@given(energies, temperatures, temperatures, temperatures)
def test_steps_multiply(ea, a, b, c):
    whole = acceleration(ea, a, c)
    assert acceleration(ea, a, b) * acceleration(ea, b, c) == pytest.approx(whole, rel=1e-9)
    assert acceleration(ea, a, a) == acceleration(0, a, b) == 1
