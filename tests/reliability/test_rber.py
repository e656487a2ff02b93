"""Raw bit errors: the fits they come from, their limits and monotony, and the inverse."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.reliability import ecc, rber, retention
from flashwear.units import DAY, YEAR
from refusals import refusals

flashes = st.sampled_from(rber.names()).map(rber.load)
cycles = st.floats(0, 2e4)
times = st.floats(0, 5 * YEAR)
temperatures = st.floats(-20, 90)
reads = st.floats(0, 1e7)

mlc = rber.load("mlc-20nm")


def kim2019(cycles, days, floor, alpha, k, beta, m, n):
    return floor + alpha * cycles**k + beta * cycles**m * days**n


@pytest.mark.parametrize("n", [0, 500, 3000])
@pytest.mark.parametrize("days", [0, 1, 90, 365])
def test_the_3d_flash_is_the_published_fit(n, days):
    flash = rber.load("tlc-3d")
    published = kim2019(n, days, 1.48e-3, 3.90e-10, 2.05, 6.28e-5, 0.14, 0.54)
    assert rber.at(flash, n, days * DAY, flash.reference_c) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize("n", [0, 1000, 8000])
def test_the_planar_flash_meets_the_published_fit_at_once_and_after_forty_days(n):
    for days in (0, 40):
        published = kim2019(n, days, 8.34e-5, 3.30e-11, 1.71, 5.56e-19, 2.49, 3.33)
        # the coefficient is kept to two digits
        found = rber.at(mlc, n, days * DAY, mlc.reference_c)
        assert found == pytest.approx(published, rel=0.005)


def test_the_exponential_form_time_at_the_reference_and_a_limit_out_of_reach():
    flash = replace(mlc, floor=0, wear=1e-6, wear_power=0, wear_growth=1e-3)
    assert rber.at(flash, [0, 1000, 2000]) == pytest.approx(1e-6 * np.exp([0, 1, 2]))
    hot = rber.at(mlc, 3000, YEAR, 40)
    same = retention.equivalent(YEAR, 40, mlc.reference_c)
    assert hot == pytest.approx(rber.at(mlc, 3000, same, mlc.reference_c), rel=1e-12)
    immortal = replace(mlc, wear=0, retention=0, disturb=0)
    assert rber.cycles_at(immortal, 1e-3) == np.inf
    assert rber.cycles_at(immortal, 1e-5) == 0
    assert np.isnan(rber.cycles_ratio(immortal, 1e-3))


@given(flashes, cycles, times, temperatures, reads, st.floats(1.1, 10))
def test_more_of_anything_is_more_errors(flash, n, t, temperature, r, times_more):
    base = rber.at(flash, n, t, temperature, r)
    assert flash.floor <= base <= rber.MOST
    assert rber.at(flash, n * times_more, t, temperature, r) >= base
    assert rber.at(flash, n, t * times_more, temperature, r) >= base
    assert rber.at(flash, n, t, temperature + times_more, r) >= base
    assert rber.at(flash, n, t, temperature, r * times_more) >= base


@given(flashes, st.floats(2e-4, 0.4), times, temperatures, reads)
def test_the_inverse_meets_the_limit(flash, limit, t, temperature, r):
    n = rber.cycles_at(flash, limit, t, temperature, r)
    if n == 0:
        assert rber.at(flash, 1e-6, t, temperature, r) >= limit
    else:
        assert rber.at(flash, n, t, temperature, r) == pytest.approx(limit, rel=1e-9)


@given(flashes, st.floats(2e-3, 0.02))
def test_bands_enclose_the_value(flash, limit):
    name = next(name for name in rber.names() if rber.load(name) == flash)
    worst, best = (rber.cycles_at(rber.load(name, end), limit, YEAR) for end in ("high", "low"))
    assert worst <= rber.cycles_at(flash, limit, YEAR) <= best


@pytest.mark.parametrize("name", rber.names())
def test_every_parameter_says_where_it_comes_from(name):
    table = rber.parameters(name)
    assert set(table["origin"]) <= {"literature", "assumed"}
    assert table.loc[table["origin"] == "literature", "source"].notna().all()
    assert (table["source"].notna() | table["note"].notna()).all()
    banded = table.dropna(subset=["low", "high"])
    assert (banded["low"] <= banded["value"]).all()
    assert (banded["value"] <= banded["high"]).all()
    assert {"floor", "wear", "retention", "disturb"} <= set(banded["parameter"])


test_bad_input_is_named = refusals([
    (lambda: rber.cycles_at(mlc, 1e-3, 1, -300), "temperature_c must be .* got -300"),
    (lambda: rber.load("slc"), "name must be one of mlc-25nm, .* got 'slc'"),
    (lambda: rber.load("tlc-3d", "best"), "bound must be one of value, low, high, got 'best'"),
    (lambda: rber.parameters("slc"), "name must be one of"),
    (lambda: replace(mlc, wear=-1), "wear must be .* got -1"),
    (lambda: replace(mlc, rho=1), "rho must be .* got 1"),
    (lambda: replace(mlc, floor=0.9), "floor must be .* <= 0.5, got 0.9"),
    (lambda: replace(mlc, retention_reference_s=0), "retention_reference_s must be .* got 0"),
])  # fmt: skip


@pytest.mark.parametrize("name", rber.names())
def test_absurd_wear_is_noise_and_nothing_of_a_kind_adds_nothing(name):
    flash = rber.load(name)
    with np.errstate(all="raise", under="ignore"):
        assert rber.at(flash, 1e300, YEAR) == 0.5
        assert rber.at(flash, 1e300) == 0.5
        assert rber.at(flash, [0, 1e300], 0, -273.1, 0)[0] == flash.floor
    still = replace(flash, wear=0.0, wear_growth=1.0, retention=0.0, disturb=0.0)
    assert rber.at(still, 1e6, YEAR, 30, 1e6) == flash.floor
    nothing = replace(still, floor=0.0)
    assert rber.at(nothing, 1e9) == 0
    assert rber.cycles_at(nothing, 1e-3, YEAR) == np.inf


@pytest.mark.parametrize(("name", "bits"), [("mlc-25nm", 32), ("mlc-20nm", 66), ("mlc-16nm", 66)])
def test_the_band_of_overdispersion_ends_where_new_flash_would_fail(name, bits):
    most = rber.parameters(name).set_index("parameter").high["rho"]
    code = ecc.Bch(1024, bits)
    assert code.rber_limit(1e-15, most) >= rber.load(name).floor
    assert code.rber_limit(1e-15, 1.1 * most) < rber.load(name).floor
