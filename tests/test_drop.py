"""Where the rate of a test drops."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import drives
from flashwear.bench import drop
from flashwear.queueing import twin
from flashwear.queueing.requests import Access

RATES = st.lists(st.floats(0, 1e9), min_size=2, max_size=12)


@given(RATES)
def test_no_other_place_fits_better(rates):
    rates, found = np.array(rates), drop(rates, 2.0)
    parts = [(rates[:k], rates[k:]) for k in range(1, rates.size)]
    fits = [(2 * a.sum(), a.var() * a.size + b.var() * b.size)
            for a, b in parts if a.mean() >= 1.5 * b.mean()]  # fmt: skip
    if found is None:
        assert not fits or not rates.any()
    else:
        spread = rates.var() * rates.size
        best = [one for one, fit in fits if fit <= min(fits, key=lambda f: f[1])[1] + 1e-9 * spread]
        assert any(found.bytes == pytest.approx(one) for one in best)
        left = spread * (1 - found.explained)
        assert left == pytest.approx(min(fit for _, fit in fits), abs=1e-9 * spread)
        assert found.before >= 1.5 * found.after


def test_a_cache_ends_where_the_simulated_drive_says():
    drive = drives.load("p1-500gb", calibrated=False).scaled(1 / 64)
    load = Access(2**17, read_share=0.0, order="sequential")
    run = twin.run(drive, load, queue_depth=16, ios=16_000, fill="none", record=True)
    counts, edges = np.histogram(run.completion_s, 400, (0, run.elapsed_s))
    rates = counts * 2**17 / edges[1]
    found = drop(rates, edges[1])
    assert found.bytes == pytest.approx(run.cache_writes * drive.map_bytes, abs=rates[0] * edges[1])
    assert found.before > 4 * found.after
    assert found.explained > 0.95
    noise = np.random.default_rng(4).normal(1, 0.05, 300)
    cached = drop(np.where(np.arange(300) < 90, 2e9, 6e8) * noise, 0.5)
    assert cached.bytes == pytest.approx(90 * 0.5 * 2e9, rel=0.02)
    assert cached.explained > 0.95
    assert drop(5e8 * noise, 0.5) is None
    assert drop(np.where(np.arange(300) < 90, 6e8, 2e9), 1) is None


@pytest.mark.parametrize(("rates", "seconds", "name"), [
    ([1.0], 1, "bytes_per_s"), ([[1, 2]], 1, "bytes_per_s"), ([1, -2], 1, "bytes_per_s"),
    ([2, 1], 0, "seconds"),
])  # fmt: skip
def test_what_is_no_log_is_refused(rates, seconds, name):
    with pytest.raises(ValueError, match=name):
        drop(rates, seconds)
