"""The confidence interval, the correlation time and the verdict on steadiness."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binom

from flashwear.ftl import simulate
from flashwear.ftl._statistics import batch_means, correlation_time, steadiness


def autoregressive(coefficient, size, seed):
    """Return x_i = coefficient * x_(i-1) + noise, from its stationary state on."""
    noise = np.random.default_rng(seed).normal(size=size)
    noise[0] /= np.sqrt(1 - coefficient**2)
    return lfilter([1], [1, -coefficient], noise)


@pytest.mark.parametrize("coefficient", [0, 0.5, 0.9, 0.98])
def test_correlation_time_of_an_autoregressive_process(coefficient):
    # rho_k = coefficient**k sums to (1 + coefficient) / (1 - coefficient); one estimate from
    # n steps has a relative variance of 2 (2 M + 1) / n at M = 5 tau lags (Madras and Sokal)
    exact = (1 + coefficient) / (1 - coefficient)
    size, runs = 100_000, 10
    found = [correlation_time(autoregressive(coefficient, size, seed)) for seed in range(runs)]
    error = (2 * (10 * exact + 1) / size / runs) ** 0.5
    assert np.mean(found) == pytest.approx(exact, rel=4 * error)


def test_correlation_time_is_one_at_least():
    assert correlation_time(np.tile([1.0, -1.0], 500)) == 1  # each step repels the next
    assert correlation_time(np.full(100, 3.0)) == 1


def fewest(runs):
    """Return the fewest of some 95 % intervals that hold the truth, but in one of 1,000 cases."""
    return binom.ppf(0.001, runs, 0.95)  # 179 of 200


@pytest.mark.parametrize("coefficient", [0, 0.8])
def test_intervals_cover_the_mean_of_a_known_process(coefficient):
    truth, covered = 3.0, 0
    host = np.full(2_000, 1_000)
    for seed in range(200):
        noise = autoregressive(coefficient, host.size, seed)
        flash = np.rint(truth * host + 20 * noise).astype(np.int64)
        found = batch_means(host, flash)
        covered += found.low <= truth <= found.high
    assert fewest(200) <= covered <= binom.ppf(0.999, 200, 0.95)


@pytest.mark.parametrize(("policy", "user_pages", "drive_writes"), [
    ("greedy", 2_000, 10), ("d_choices", 2_000, 10), ("greedy", 10_000, 8),
])  # fmt: skip
def test_intervals_cover_the_mean_of_a_small_drive(policy, user_pages, drive_writes):
    runs = [
        simulate(user_pages, 0.3, pages_per_block=16, policy=policy, fill="random",
                 warmup_drive_writes=4, drive_writes=drive_writes, seed=seed)
        for seed in range(200)
    ]  # fmt: skip
    # the mean of 200 runs is known 14 times as well as that of one. An interval may be wider than
    # it must be, where what a block takes now it does not take later; it may not be narrower
    truth = np.mean([run.wa for run in runs])
    intervals = [run.wa_interval for run in runs if np.isfinite(run.interval.low)]
    assert len(intervals) > 180  # these runs are long enough
    assert sum(low <= truth <= high for low, high in intervals) >= fewest(len(intervals))


def test_intervals_with_trims_come_with_long_runs_only_and_cover_the_mean():
    # the number of pages in use drifts, so that a batch is ten drive writes at least
    def run(drive_writes, seed):
        settings = {"pages_per_block": 16, "trim_share": 0.1, "history_stride": 1_000}
        return simulate(2_000, 0.3, drive_writes=drive_writes, seed=seed, **settings)

    short = run(150, 0)
    with pytest.warns(UserWarning, match="wa_interval is missing: too short: 20 batches"):
        assert np.isnan(short.wa_interval).all()
    assert short.interval_reason.startswith("too short: 20 batches")
    runs = [run(230, seed) for seed in range(100)]
    truth = np.mean([run.wa for run in runs])
    intervals = [run.wa_interval for run in runs if np.isfinite(run.interval.low)]
    assert len(intervals) > 75
    assert sum(low <= truth <= high for low, high in intervals) >= fewest(len(intervals))


def test_too_short_a_run_says_so_and_by_how_much():
    host = np.full(400, 1_000)
    slow = np.sin(np.arange(host.size) / 60)  # little more than one swing in the whole run
    found = batch_means(host, (3_000 + 200 * slow).astype(np.int64))
    assert np.isnan([found.low, found.high]).all()
    assert found.reason.startswith("too short: 20 batches")
    assert "times as long" in found.reason
    few = batch_means(host[:19], host[:19] + np.arange(19) % 2)
    assert np.isnan([few.low, few.high]).all()
    assert few.reason.startswith("too short")


def series(levels, host_per_step=10, user_pages=1_000):
    """Return drive writes, host and flash writes of steps with these write amplifications."""
    host = np.full(len(levels), host_per_step)
    flash = np.rint(np.asarray(levels) * host).astype(np.int64)
    return np.cumsum(host) / user_pages, host, flash


@pytest.mark.parametrize("measured", [300, 303, 309])
def test_a_run_has_settled_where_it_comes_to_the_level_of_the_measured_part(measured):
    levels = np.where(np.arange(1_003) < 600, 3.0, 2.0)
    found = steadiness(*series(levels), measured)
    assert found.reached
    # it changed at 6.00 drive writes; windows are a tenth of a drive write
    assert 6.0 <= found.drive_writes < 6.1
    level = steadiness(*series(np.full(500, 2.0)), 200)
    assert (level.reached, level.drive_writes) == (True, 0)


@pytest.mark.parametrize("measured", [100, 300, 1_000])
def test_a_drift_is_not_steady(measured):
    # a tenth up or down over the measured part: the halves are 5 % apart
    for change in (-0.1, 0.1):
        levels = np.full(1_500, 2.0)
        levels[-measured:] += 2 * change * np.linspace(0, 1, measured)
        found = steadiness(*series(levels, host_per_step=1_000, user_pages=100_000), measured)
        assert not found.reached
        assert "the second half of the measured part is" in found.reason


@pytest.mark.parametrize("fill", ["sequential", "random"])
def test_a_run_measured_from_the_fill_on_is_not_steady(fill):
    run = simulate(
        50_000, 0.1, pages_per_block=32, fill=fill, warmup_drive_writes=0, drive_writes=1
    )
    assert not run.steady.reached


@pytest.mark.parametrize("policy", ["greedy", "fifo", "d_choices"])
def test_a_run_after_its_warmup_is_steady(policy):
    run = simulate(
        50_000, 0.2, pages_per_block=32, policy=policy, fill="random", warmup_drive_writes=6
    )
    assert run.steady.reached
    assert run.steady.drive_writes < 4


@pytest.mark.parametrize("measured", [1, 2, 3, 5])
def test_a_few_steps_are_not_called_steady(measured):
    # nothing can be said about the noise of so few
    levels = np.append(np.full(300, 2.0), np.linspace(2, 3, measured))
    found = steadiness(*series(levels), measured)
    assert not found.reached
    assert np.isnan(found.drive_writes)
