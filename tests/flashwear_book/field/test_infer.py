"""Inference on fleets made with a known answer."""

import numpy as np
import pytest

from flashwear_book.field import infer
from refusals import refusals

TRUE_CYCLES = 3000
RAW = 256 * 2**30


def random():
    return np.random.default_rng(7)


def worn_drives(count=40):
    """Drives with a true mean of erases, of which the counters keep the whole part."""
    true = random().uniform(60, 2.5 * TRUE_CYCLES, count)
    return true, np.floor(true), np.floor(100 * true / TRUE_CYCLES)


def hosts(count=60, most=12, seed=7):
    """Labels of clusters of unequal size, and one load for each cluster."""
    generator = np.random.default_rng(seed)
    label = np.repeat(np.arange(count), generator.integers(1, most, count))
    return label, generator.lognormal(3, 1.5, count)[label]


def test_intervals_of_many_drives_meet_where_trying_every_point_says():
    _, erases, used = worn_drives()
    found = infer.meeting(*infer.rated_cycles(erases, used))
    assert found.drives == 40
    assert found.low <= TRUE_CYCLES <= found.high
    # the most worn of 40 drives, at some 240 % used, leaves 1/240 on its own
    assert found.high - found.low < TRUE_CYCLES / 200
    true, erases, _ = worn_drives()
    flash = infer.meeting(*infer.raw_capacity(true * RAW, erases))
    assert flash.drives == 40
    assert flash.low < RAW <= flash.high
    generator = random()
    for _ in range(50):
        low = generator.integers(0, 30, 12).astype(float)
        high = low + generator.integers(0, 10, 12)
        found = infer.meeting(low, high)
        points = np.unique(np.concatenate([low, high]))
        held = [((low <= point) & (high >= point)).sum() for point in points]
        assert found.drives == max(held)
        assert points[int(np.argmax(held))] == found.low
        assert ((low <= found.high) & (high >= found.high)).sum() == found.drives


@pytest.mark.parametrize("bits", [2, 3])
def test_slc_share_is_that_of_the_erases(bits):
    share = np.array([0, 0.25, 0.5, 1])
    programmed = RAW * ((1 - share) + share / bits)
    assert infer.slc_share(programmed, RAW, bits) == pytest.approx(share, abs=1e-12)


def test_rank_correlation_is_spearmans_to_which_twins_of_one_model_and_hour_add_nothing():
    models = ["b", "a", "a", "b", "a", "a"]
    hours = [10, 10, 11, 10, np.nan, np.nan]
    label = infer.twins(models, hours)
    assert label[0] == label[3]
    assert label[1] == label[2]
    assert len(set(label)) == 4
    assert len(set(infer.twins(models, hours, within_hours=0))) == 5
    from scipy.stats import spearmanr

    x, y = random().normal(size=(2, 50))
    found = infer.rank_correlation(x, y, np.arange(50), resamples=99)
    assert found.value == pytest.approx(spearmanr(x, y).statistic)
    assert found.low < found.value < found.high
    x, y = random().normal(size=(2, 20))
    label = np.repeat(np.arange(20), 30)
    once = infer.rank_correlation(x, y, np.arange(20), resamples=99)
    assert infer.rank_correlation(x[label], y[label], label, resamples=99) == once


def test_a_large_cluster_weighs_like_a_small_one_and_an_interval_is_that_of_hosts():
    values, label = [1.0] * 90 + list(range(2, 12)), [0] * 90 + list(range(1, 11))
    assert infer.quantiles(values, label, 0.5) == 6
    assert infer.quantiles(values, range(100), 0.5) == 1
    values = random().normal(size=101)
    wanted = [0, 0.1, 0.37, 0.5, 0.9, 1]
    plain = np.quantile(values, wanted, method="inverted_cdf")
    assert infer.quantiles(values, np.arange(101), wanted) == pytest.approx(plain)
    generator = random()
    host = generator.normal(size=40)
    label = np.repeat(np.arange(40), 25)
    mean = infer.interval(lambda _, x: float(x.mean()), label, np.repeat(host, 25))
    width = 2 * 1.96 * host.std() / np.sqrt(40)
    # the width of a bootstrap interval is itself known within some 5 % at 999 resamples
    assert mean.high - mean.low == pytest.approx(width, rel=0.15)
    naive = infer.interval(lambda _, x: float(x.mean()), np.arange(1000), np.repeat(host, 25))
    assert naive.high - naive.low < 0.3 * width


def test_idle_line_is_found_under_noise_and_junk():
    label, host = hosts(count=150)
    generator = random()
    noise = generator.lognormal(0, 0.3, 150)[label] * generator.lognormal(0, 0.05, len(label))
    flash = (8 + 2 * host) * noise
    junk = generator.random(len(host)) < 0.1
    flash[junk] *= 30
    line = infer.idle_line(host, flash, label, resamples=99)
    assert line.intercept.low <= 8 <= line.intercept.high
    assert line.slope.low <= 2 <= line.slope.high
    assert line.slope.value == pytest.approx(2, rel=0.15)
    assert line.intercept.clusters == 150


def test_missing_figures_are_left_out_and_a_statistic_that_no_draw_has_is_nan():
    waf, label = [2.0, np.nan, 4.0], ["x", "y", "z"]
    assert infer.quantiles(waf, label, 1.0) == 4
    assert infer.interval(lambda _, x: float(x.mean()), label, waf, resamples=9).clusters == 2
    assert np.isnan(infer.quantiles([np.nan], [0], 0.5))
    assert infer.rank_correlation([1, 2], [1, 2], [0, 1]).clusters == 2
    assert np.isnan(infer.idle_line([1, 2], [1, 2], [0, 1]).slope.value)
    assert np.isnan(infer.interval(lambda _, x: 0.0, [0], [np.nan]).value)
    flat = infer.rank_correlation([1, 1, 1, 1], [8, 6, 4, 2], range(4), resamples=19)
    line = infer.idle_line([1, 1, 1, 1], [8, 6, 4, 2], range(4), resamples=19)
    for found in (flat, *line):
        assert np.isnan([found.value, found.low, found.high]).all()
        assert found.clusters == 4


test_bad_input_is_named = refusals([
    (lambda: infer.rated_cycles(-1, 5), "average_erases must be >= 0, got -1"),
    (lambda: infer.raw_capacity(1, -2), "average_erases must be >= 0, got -2"),
    (lambda: infer.slc_share(1, 1, 1), "bits_per_cell must be a whole number >= 2, got 1"),
    (lambda: infer.meeting([np.nan], [1]), "at least one pair"),
    (lambda: infer.meeting([2], [1]), "low must be <= high"),
    (lambda: infer.twins(["a", "b"], [1, 2, 3]), r"power_on_hours must hold one .* got \(3,\)"),
    (lambda: infer.quantiles([1.0, 2.0], [0, 1], -0.1), "probabilities"),
    (lambda: infer.quantiles([1.0, 2.0], [0, 1], float("nan")), "probabilities"),
    (lambda: infer.twins(["a"], [1], -1), "within_hours must be a finite number >= 0"),
    (lambda: infer.quantiles([1, 2], [0], 0.5), "clusters must have one label by drive"),
    (lambda: infer.interval(np.mean, [0], [1.0], resamples=0), "resamples must be a whole"),
    (lambda: infer.interval(np.mean, [0], [1.0], confidence=1), "confidence must be"),
])  # fmt: skip
