"""The rating as the least of its limits: each limit by itself, limits of limits, and directions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import capacity, endurance, wa
from flashwear.reliability import rber, wear_path
from flashwear.reliability.ecc import Bch
from flashwear.reliability.jedec import CLIENT, ENTERPRISE, enterprise_waf
from flashwear.reliability.ldpc import Ldpc
from flashwear.reliability.rating import class_ratio, error_limit, implied_cycles, interval, rating
from flashwear.units import DAY, GB, GIB, TB
from proving import examples
from refusals import refusals

RAW, USER = 256 * GIB, 240 * GB
FLASH = rber.load("mlc-20nm")
CODE = Bch(1024, 40)
CLASSES = st.sampled_from([CLIENT, ENTERPRISE])


def rated(application=CLIENT, **changes):
    arguments = {"physical_bytes": RAW, "user_bytes": USER, "pe_cycles": 8000, "flash": FLASH,
                 "code": CODE, "application": application, "waf": 3.0}  # fmt: skip
    return rating(**(arguments | changes))


@pytest.mark.parametrize("application", [CLIENT, ENTERPRISE])
def test_at_the_cycles_of_a_limit_the_uncorrectable_rate_is_what_the_class_allows(application):
    found = rated(application)
    off = application.off
    errors = rber.at(FLASH, found.cycles["retention"], *off)
    assert CODE.uber(errors) == pytest.approx(application.uber, rel=1e-6)


def test_each_limit_is_the_balance_at_its_own_cycles_of_which_wear_alone_needs_no_errors():
    found = rated(wlf=1.2, warranty_bytes=500 * TB)
    for name, cycles in found.cycles.items():
        assert found.limits[name] == pytest.approx(endurance.tbw(RAW, cycles, 3.0, 1.2), rel=1e-12)
    assert found.limits["warranty"] == 500 * TB
    assert found.tbw_bytes == min(found.limits.values())
    assert found.limits[found.binding] == found.tbw_bytes
    fields = {"floor": 1e-20, "wear": 0.0, "retention": 0.0, "disturb": 0.0}
    perfect = rber.Flash(**(FLASH.__dict__ | fields))
    found = rated(flash=perfect)
    assert found.binding == "wear"
    assert found.tbw_bytes == pytest.approx(endurance.tbw(RAW, 8000, 3.0))
    assert found.cycles["retention"] == np.inf
    assert rated(code=Bch(1024, 4)).tbw_bytes == 0  # flash beyond its code


@pytest.mark.parametrize(("changes", "binding"), [
    ({"pe_cycles": 500}, "wear"),
    ({}, "retention"),
    ({"application": ENTERPRISE, "rest_s": 90 * DAY}, "use"),
    ({"warranty_bytes": 72 * TB}, "warranty"),
])  # fmt: skip
def test_each_limit_can_bind(changes, binding):
    assert rated(**changes).binding == binding


def test_scatter_of_blocks_and_of_drives_costs_what_the_path_of_wear_and_draws_say():
    path = wear_path(capacity.over_provisioning(RAW, USER), 0.15)
    assert rated(spread=0.15).cycles["wear"] == pytest.approx(8000 * path.life)
    # of a lognormal factor of mean 1 and standard deviation 0.2, 3 % lie below this one
    rng = np.random.default_rng(0)
    sigma = np.sqrt(np.log(1.04))
    drawn = rng.lognormal(-(sigma**2) / 2, sigma, 400_000)
    weak = rated(drive_spread=0.2).cycles["wear"]
    assert (8000 * drawn < weak).mean() == pytest.approx(0.03, abs=0.001)


def test_parity_lets_the_code_miss_more_and_a_quarter_of_the_time_is_worth_a_power_of_four():
    # n q^2 = allowed loss, for rare losses
    allowed = ENTERPRISE.uber * CODE.data_bits
    with_parity = error_limit(CODE, ENTERPRISE, stripe=15)
    assert CODE.failure(with_parity) == pytest.approx(np.sqrt(allowed / 15), rel=0.01)
    assert rated(stripe=15).tbw_bytes > rated().tbw_bytes
    # R = b N^m t^n alone: N grows as t^(-n/m)
    fields = {"floor": 0.0, "wear": 0.0}
    leaky = rber.Flash(**(FLASH.__dict__ | fields))
    quarter = replace(CLIENT, off=CLIENT.off._replace(retention_s=CLIENT.off.retention_s / 4))
    power = FLASH.retention_time_power / FLASH.retention_cycles_power
    assert class_ratio(leaky, CODE, CLIENT, quarter) == pytest.approx(4**power, rel=1e-9)


@examples(40)
@given(CLASSES,
       st.sampled_from(["waf", "wlf", "spread", "drive_spread", "rest_s", "reads",
                        "overdispersion"]), st.floats(1.01, 5), st.floats(0, 15),
       st.integers(1, 30))  # fmt: skip
def test_a_requirement_that_rises_never_raises_the_rating(application, name, times, warmer, bits):
    base = {"waf": 2.0, "wlf": 1.1, "spread": 0.05, "drive_spread": 0.05, "rest_s": 20 * DAY}
    base |= {"reads": 10_000.0, "overdispersion": 1e-4}
    before = rated(application, **base).tbw_bytes
    assert rated(application, **base | {name: base[name] * times}).tbw_bytes <= before * (1 + 1e-9)
    off = application.off
    longer = off._replace(retention_s=off.retention_s * times)
    warm = off._replace(temperature_c=off.temperature_c + warmer)
    for harder in (
        replace(application, off=longer),
        replace(application, off=warm, active_c=application.active_c + warmer),
        replace(application, uber=application.uber / times),
    ):
        assert rated(harder, **base).tbw_bytes <= before * (1 + 1e-9)
    assert rated(application, **base, code=Bch(1024, 40 + bits)).tbw_bytes >= before


def test_the_interval_spans_every_corner():
    pairs = {"pe_cycles": (2000, 9000), "waf": (1.5, 6.0), "wlf": (1.0, 1.3), "spread": (0.0, 0.2)}
    flashes = (rber.load("mlc-20nm", "low"), rber.load("mlc-20nm", "high"))
    options = {"drive_spread": 0.1, "rest_s": 20 * DAY}
    least, most = interval(
        RAW, USER, flash=flashes, code=CODE, application=CLIENT, **pairs, **options
    )
    corners = [
        rated(flash=flash, **dict(zip(pairs, ends, strict=True)), **options).tbw_bytes
        for flash in flashes
        for ends in np.array(np.meshgrid(*pairs.values())).reshape(len(pairs), -1).T.tolist()
    ]
    assert least.tbw_bytes == pytest.approx(min(corners), rel=1e-12)
    assert most.tbw_bytes == pytest.approx(max(corners), rel=1e-12)


def test_implied_cycles_undo_a_rating_at_the_ends_of_their_interval():
    low, high = implied_cycles(RAW, USER, 200 * TB, CLIENT)
    op = capacity.over_provisioning(RAW, USER)
    assert endurance.tbw(RAW, low) == pytest.approx(200 * TB)
    assert endurance.tbw(RAW, high, wa.fifo(op), 1.1) == pytest.approx(200 * TB)
    servers = implied_cycles([RAW, 2 * RAW], USER, 200 * TB, ENTERPRISE)
    assert servers.shape == (2, 2)
    assert servers[0, 1] == pytest.approx(low * enterprise_waf(op) * 1.1)


test_values_outside_the_domain_are_named = refusals([
    ({"physical_bytes": 0}, "physical_bytes must be .* > 0, got 0"),
    ({"user_bytes": RAW}, "user_bytes must be < physical_bytes, .* got"),
    ({"waf": 0}, "waf must be .* > 0, got 0"),
    ({"wlf": 0.5}, "wlf must be .* >= 1, got 0.5"),
    ({"spread": 2}, "spread must be .* <= 1, got 2"),
    ({"drive_spread": -0.1}, "drive_spread must be .* >= 0 .* got -0.1"),
    ({"rest_s": -1}, "rest_s must be .* >= 0, got -1"),
    ({"reads": -1}, "reads must be .* >= 0, got -1"),
    ({"stripe": -1}, "stripe must be a whole number >= 0 .* got -1"),
    ({"stripe": 7, "code": Ldpc(0.9)}, "stripe must be 0 with a threshold code, got 7"),
    ({"warranty_bytes": np.array([TB, 2 * TB])}, "warranty_bytes must be one number"),
    ({"overdispersion": -5, "code": Ldpc(0.9)}, "overdispersion must be .* >= 0 .* got -5"),
    ({"overdispersion": 1e-4, "code": Ldpc(0.9)}, "overdispersion must be 0 with a threshold"),
    ({"code": 40}, "code must be of type Bch or Ldpc, got 40"),
    ({"flash": "mlc-20nm"}, "flash must be of type Flash, got 'mlc-20nm'"),
    ({"application": "client"}, "application must be of type ApplicationClass, got 'client'"),
], by=lambda changes: rated(**changes))  # fmt: skip


test_bad_bands_are_named = refusals([
    ({"waf": (3.0, 2.0)}, "waf must be a pair that ascends, got 3 and 2"),
    ({"waf": (1.0, 2.0, 3.0)}, "waf must be one value, or two"),
    ({"waf": 2.0, "stripe": (0, 15)}, "stripe must be one value, or two where the rating has"),
    ({"waf": 2.0, "overdispersion": (0.0, 0.02)}, "overdispersion must be a pair up to 0.0091"),
], by=lambda options: interval(RAW, USER, 8000, FLASH, CODE, CLIENT, **options))  # fmt: skip


def test_the_worst_load_is_known_for_the_two_classes_of_the_standard():
    with pytest.raises(ValueError, match="application must be named client or enterprise, got 'x'"):
        implied_cycles(RAW, USER, TB, replace(CLIENT, name="x"))


@pytest.mark.parametrize("code", [Bch(512, 4), Bch(512, 15), CODE, Bch(4096, 200)])
def test_what_a_code_bears_falls_with_overdispersion_up_to_a_turn(code):
    turn = 2 * code.correctable / code.codeword_bits
    shares = np.array([0.0, 0.01, 0.1, 0.5, 1.0, 20.0])
    borne = [error_limit(code, CLIENT, float(rho)) for rho in turn * shares]
    assert np.all(np.diff(borne[:-1]) < 0)
    assert borne[-1] > borne[-2]  # beyond it, errors gather in few codewords
