"""Arguments at the ends of what is allowed: a number that holds, or an error that names them."""

import math

import mpmath as mp
import numpy as np
import pytest

from flashwear import endurance, wa
from flashwear.reliability import ecc, raid, rber, retention
from memory import Traced
from refusals import refusals

test_the_error_names_the_argument_that_was_given = refusals([
    (lambda: rber.at("mlc-20nm", 1), "flash must be a Flash, as load.. gives, got 'mlc-20nm'"),
    (lambda: retention.power_off(None, 30), "requirement must be a Requirement, got None"),
    (lambda: wa.d_choices_mixed(0.3, 10, 8, 1e-16, 0.2), "write_share must be >= 1e-12 "),
    (lambda: wa.d_choices_mixed(0.3, 10, 8, 1.0, 0.2), "write_share must be >= 1e-12 .* got 0"),
    (lambda: wa.d_choices_mixed(0.3, 2, 8, 0.8, 5e-324), "space_share must be >= 1e-100"),
    (lambda: raid.loss_in_service(0.1, 15, window_s=1e-50), "window_s must be .* got 1e-50"),
    (lambda: raid.loss_in_service(0.1, 15, service_s=1e300), "window_s must be .* >= 1e.285"),
])  # fmt: skip


def test_a_long_codeword_takes_little_memory_and_no_rates_give_no_limits():
    assert ecc.rber_limit([], 8192, 40, 8000).shape == (0,)
    assert ecc.rber_limit([], 8192, 40, 8000, overdispersion=0.01).shape == (0,)
    n, p, rho = 2**20, 0.001, 0.9
    with Traced() as memory:
        failure = ecc.codeword_failure(p, n, 0, rho)
    assert memory.peak < 20e6
    with mp.workdps(40):  # no error at all, in closed form
        a, b = (mp.mpf(share) * (1 - mp.mpf(rho)) / mp.mpf(rho) for share in (p, 1 - mp.mpf(p)))
        gammas = mp.loggamma(b + n), mp.loggamma(a + b), -mp.loggamma(b), -mp.loggamma(a + b + n)
        exact = float(1 - mp.exp(mp.fsum(gammas)))
    assert failure == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("op", [1e18, 1e200, np.finfo(float).max])
def test_endless_spare_leaves_nothing_to_copy(op):
    assert wa.fifo_mixed(op, 0.8, 0.2) == 1
    assert wa.fifo_mixed(op, [0.5, 0.5, 0], [1e-300, 0.5, 0.5]) == 1
    # the share of the writes that reaches the main area
    assert wa.slc_cache(op, 0.1) == pytest.approx(math.exp(-0.1), rel=1e-14)
    assert wa.slc_cache(op, 1.0, 1.0, 1e-3) == 0


def exact_loss(q, n, k, ratio):
    """Multiply the matrix of rates out with 80 digits and more."""
    rates = mp.zeros(k + 2)
    for j in range(k + 1):
        rates[j, j + 1] = (n + k - j) * -mp.log1p(-mp.mpf(q))
        if j:
            rates[j, j - 1] = j * mp.mpf(ratio)
        rates[j, j] = -mp.fsum(rates[j, :])
    halvings = 20 + int(mp.log(1 + max(-rates[j, j] for j in range(k + 1)), 2))
    with mp.workdps(80 + halvings):
        chances = mp.expm(rates / mp.mpf(2) ** halvings, method="taylor")
        for _ in range(halvings):
            chances = chances * chances
        return float(chances[0, k + 1])


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("window_s", [1e-6, 0.01, 1.0, 86_400.0, 1e12])
@pytest.mark.parametrize("q", [1e-9, 1e-3, 0.9])
def test_loss_in_service_holds_for_all_windows(q, window_s, k):
    service = 2.0**27
    loss = raid.loss_in_service(q, 15, k, window_s=window_s, service_s=service)
    with mp.workdps(80):
        exact = exact_loss(q, 15, k, mp.mpf(service) / mp.mpf(window_s))
    assert loss == pytest.approx(exact, rel=1e-11)


def test_lives_compare_and_cannot_be_changed():
    load = endurance.within(10e9, 40e9)
    one, same = (endurance.lifetime(2**38, 3000, load, samples=64) for _ in range(2))
    assert one == same
    assert one != endurance.lifetime(2**38, 3001, load, samples=64)
    assert one != 3
    with pytest.raises(ValueError, match="read-only"):
        one.years[0] = 1
