"""Codeword failure against sums in many digits, the inverses, and published anchors."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.reliability import ecc
from flashwear.reliability.ecc import Bch
from proving import examples
from refusals import refusals

bch512 = Bch(512, 15)
rates = st.floats(1e-6, 0.02)


def exact_tail(n, t, p):
    """Sum the binomial tail in 60 digits, until terms no longer matter."""
    with mp.workdps(60):
        p = mp.mpf(p)
        term = mp.binomial(n, t + 1) * p ** (t + 1) * (1 - p) ** (n - t - 1)
        total, i = mp.mpf(0), t + 1
        while i <= n and (term > total * mp.mpf(10) ** -25 or i < n * p):
            total += term
            term *= mp.mpf(n - i) / (i + 1) * p / (1 - p)
            i += 1
        return total


def exact_beta_binomial_tail(n, t, p, rho):
    with mp.workdps(60):
        s = (1 - mp.mpf(rho)) / mp.mpf(rho)
        a, b = mp.mpf(p) * s, (1 - mp.mpf(p)) * s
        i = t + 1
        term = mp.binomial(n, i) * mp.beta(i + a, n - i + b) / mp.beta(a, b)
        total = mp.mpf(0)
        while i <= n and (term > total * mp.mpf(10) ** -25 or i < n * p):
            total += term
            term *= mp.mpf(n - i) / (i + 1) * (i + a) / (n - i - 1 + b) if i < n else 0
            i += 1
        return total


@pytest.mark.parametrize(("n", "t", "p"), [
    (4291, 15, 3.4e-4),
    (8752, 40, 1.2e-3),
    (8752, 40, 1e-4),  # 5e-53
    (8752, 40, 1e-9),  # below 1e-250
    (17464, 72, 1e-3),
    (35000, 200, 1e-3),  # 7e-83
    (8752, 40, 3e-3),
    (8752, 0, 1e-12),
    (7, 3, 0.4),
])  # fmt: skip
def test_the_binomial_tail_is_exact_to_1e_12(n, t, p):
    assert ecc.codeword_failure(p, n, t) == pytest.approx(float(exact_tail(n, t, p)), rel=1e-12)


@pytest.mark.parametrize("rho", [1e-9, 1e-6, 1e-4, 1e-2, 0.5])
@pytest.mark.parametrize(
    ("n", "t", "p"), [(4291, 15, 3.4e-4), (8752, 40, 1e-4), (17464, 72, 1e-3), (7, 3, 0.4)]
)
def test_the_overdispersed_tail_is_exact_to_1e_9(n, t, p, rho):
    found = ecc.codeword_failure(p, n, t, overdispersion=rho)
    assert found == pytest.approx(float(exact_beta_binomial_tail(n, t, p, rho)), rel=1e-9)


def test_published_anchors_parity_bits_of_known_codes_limits_and_a_strong_code_inverted():
    # 512 bytes, 13 parity bits for each bit corrected; "about 3.4e-4" at 1e-15
    assert bch512.codeword_bits == 4096 + 15 * 13
    assert bch512.rber_limit(1e-15) == pytest.approx(3.4e-4, rel=0.02)
    assert bch512.uber(bch512.rber_limit(1e-15)) == pytest.approx(1e-15, rel=1e-12)
    assert Bch(1024, 40).parity_bits == 14 * 40
    assert Bch(2048, 72).parity_bits == 15 * 72
    assert Bch(1024, 40).code_rate == pytest.approx(8192 / 8752)
    # at the edge of a field: 8 bits data, 3 x 2 parity fill 2^4 - 1 = 15 only with m = 4
    assert Bch(1, 1).parity_bits == 4
    code = ecc.Bch(np.int16(8192), np.int8(100))
    assert code == ecc.Bch(8192, 100)
    assert code.codeword_bits == ecc.Bch(8192, 100).codeword_bits > 8 * 8192
    assert ecc.codeword_failure([0, 1], 100, 5).tolist() == [0, 1]
    assert ecc.codeword_failure([0, 1], 100, 5, overdispersion=0.01).tolist() == [0, 1]
    assert ecc.rber_limit(1 / 80, 100, 5, 80) == 1
    assert ecc.rber_limit(1 / 80, 100, 5, 80, overdispersion=0.01) == 1
    assert bch512.rber_limit([1e-15, 1e-16], overdispersion=1e-4).shape == (2,)
    limit = ecc.rber_limit(1e-280, 60_000, 1000, 40_000, overdispersion=1e-6)
    assert ecc.uber(limit, 60_000, 1000, 40_000, 1e-6) == pytest.approx(1e-280, rel=1e-6)


@given(st.integers(64, 4096), st.integers(8, 400))
def test_the_strongest_code_that_fits(data_bytes, spare):
    code = Bch.within(data_bytes, spare)
    assert code.parity_bits <= 8 * spare
    if code.correctable < 1024:
        assert Bch(data_bytes, code.correctable + 1).parity_bits > 8 * spare


@given(st.floats(1e-30, 1e-6), st.sampled_from([0.0, 1e-5, 1e-3]))
@examples(25)
def test_the_limit_inverts_the_rate(uber, rho):
    limit = bch512.rber_limit(uber, overdispersion=rho)
    assert bch512.uber(limit, overdispersion=rho) == pytest.approx(uber, rel=1e-8)


test_bad_input_is_named = refusals([
    (lambda: ecc.codeword_failure(1e-3, 100, 100), "correctable must be .* <= 99, got 100"),
    (lambda: ecc.codeword_failure(1e-3, 0, 0), "codeword_bits must be .* got 0"),
    (lambda: ecc.codeword_failure(1e-3, 9, 1, 1.0), "overdispersion must be .* got 1"),
    (lambda: ecc.uber(1e-3, 100, 5, 101), "data_bits must be .* <= 100, got 101"),
    (lambda: ecc.rber_limit(0.1, 100, 5, 80), "uber must be .* <= 0.0125, got 0.1"),
    (lambda: Bch(512, 0), "correctable must be .* got 0"),
    (lambda: Bch.within(512, 1), "spare_bytes must hold the parity of one bit, got 1"),
])  # fmt: skip
