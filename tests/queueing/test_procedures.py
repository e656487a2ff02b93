"""The tests of the reviews on modelled drives, at small scale."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from flashwear import drives
from flashwear.queueing import procedures
from flashwear.queueing.plan import share_at
from refusals import refusals

SCALE = 1 / 128


M500DC = drives.load("m500dc-800gb")


def test_a_consistency_run_begins_fast_and_its_seconds_count_alike_at_any_scale():
    run = procedures.performance_consistency(M500DC, duration_s=6_000, scale=SCALE)
    assert run.time_s.tolist() == list(range(1, 6_001))
    mean, steadiness = procedures.score(run, 2_000)
    assert run.iops.iloc[1:300].mean() > 1.5 * mean
    assert steadiness > 1
    # of the same 60 s: 4,096 pages a block against 64 times fewer; the buffer alone is not scaled,
    # so that the first second is left out
    drive = drives.load("m500dc-480gb")
    runs = [procedures.performance_consistency(drive, duration_s=duration, scale=scale).iops[1:]
            for duration, scale in ((60, 1 / 8), (60, 1 / 64))]  # fmt: skip
    assert [len(run) for run in runs] == [59, 59]
    assert runs[0].mean() == pytest.approx(runs[1].mean(), rel=0.02)


@pytest.mark.parametrize("last", ["consistency", "queue_depth_sweep", "sequential_sweep"])
def test_time_of_every_procedure_goes_by_the_share_that_whole_pages_leave(last):
    # 0.011 of 512 pages are 5.6, of which blocks with a cache keep 6
    drive = drives.load("m600-256gb")
    run = {"consistency": lambda scale: procedures.performance_consistency(
               drive, duration_s=500, scale=scale),
           "queue_depth_sweep": lambda scale: procedures.queue_depth_sweep(
               drive, "random_write", (1, 32), seconds=30, scale=scale),
           "sequential_sweep": lambda scale: procedures.sequential_sweep(
               drive, fill="sequential", idle_s=10.0, points=20, scale=scale)}[last]  # fmt: skip
    assert run(6 / 512).equals(run(0.011))


@pytest.mark.parametrize("call", [
    lambda d, scale: procedures.performance_consistency(d, duration_s=60, scale=scale),
    lambda d, scale: procedures.queue_depth_sweep(d, "random_read", (1,), scale=scale),
    lambda d, scale: procedures.sequential_sweep(d, scale=scale),
])  # fmt: skip
def test_a_scale_that_leaves_another_drive_is_refused_and_the_next_that_fit_are_named(call):
    # 8 dies of two-bit flash with a cache: 64 program units are 8 pages, and 10 and 12 are next
    drive = drives.load("m600-128gb")
    message = "at least 8 of their 512 pages, such as 0.01562, 0.01953, 0.02344, got 0.012"
    with pytest.raises(ValueError, match=message):
        call(drive, 0.012)
    wide = replace(drive, stripe=127)  # a superblock holds a stripe
    with pytest.raises(ValueError, match=r"at least 16 .* such as 0\.03125, "):
        call(wide, 1 / 64)


def test_the_scales_that_are_named_fit_and_a_span_leaves_the_share_it_is_for():
    for name in ("m600-128gb", "840-evo-120gb", "mx300-525gb", "p400m-100gb"):
        drive = drives.load(name)
        with pytest.raises(ValueError, match="such as") as refused:
            share_at(drive, 1e-6)
        pages = [
            round(share_at(drive, float(scale)) * drive.pages_per_block)
            for scale in re.search("such as (.*), got", str(refused.value))[1].split(", ")
        ]
        step = drive.bits_per_cell if drive.has_cache else 1
        assert np.diff(pages).tolist() == [step, step]
        assert pages[0] * drive.dies >= 64 > (pages[0] - step) * drive.dies
    span = procedures.span_for(M500DC, 0.4)
    assert 1 - span * M500DC.user_bytes / M500DC.raw_bytes == pytest.approx(0.4)
    assert procedures.span_for(M500DC, 0.4, of="user") == pytest.approx(0.6, rel=1e-12)
    assert procedures.span_for(M500DC, 0.01) == 1  # more than this is left anyway
    with pytest.raises(ValueError, match="of must be one of raw, user, got 'all'"):
        procedures.span_for(M500DC, 0.1, of="all")
    with pytest.raises(ValueError, match=r"spare must be .* <= 0.99, got 1"):
        procedures.span_for(M500DC, 1)


def test_a_score_is_of_the_last_seconds_and_evenness_of_the_seconds_about_their_trend():
    run = pd.DataFrame({"time_s": np.arange(1, 1_001), "iops": np.arange(1_000.0)})
    mean, steadiness = procedures.score(run)
    assert mean == np.arange(600, 1_000).mean()
    assert steadiness == pytest.approx(mean / np.arange(600, 1_000).std())
    time = np.arange(400.0)
    noise = np.random.default_rng(1).normal(0, 10, 400)
    level = procedures.evenness(1_000 + noise)
    assert level == pytest.approx(1_000 / 10, rel=0.1)  # 1/sqrt(2 n) is 3.5 %
    assert procedures.evenness(1_000 + noise + 3 * (time - time.mean())) == pytest.approx(level)
    for scale in (2, 1e-160, 1e160):
        assert procedures.evenness(scale * (1_000 + noise)) == pytest.approx(level)
    assert (1_000 + 3 * time).mean() / (1_000 + 3 * time).std() < level / 20


test_evenness_refuses_what_is_no_row_of_seconds = refusals([
    ([1, 2], "a row of at least three, got shape \\(2,\\)"),
    ([[1, 2, 3]], "a row of at least three, got shape \\(1, 3\\)"),
    ([1, 2, np.nan], "iops must be a finite number >= 0, got nan at index 2"),
    ([1, -2, 3], "iops must be a finite number >= 0, got -2 at index 1"),
    ([0, 0, 0], "iops must not all be 0"),
    ([], "iops"),
], by=procedures.evenness)  # fmt: skip


@pytest.mark.parametrize("pattern", procedures.PATTERNS)
def test_more_requests_outstanding_are_no_slower(pattern):
    sweep = procedures.queue_depth_sweep(M500DC, pattern, (1, 4, 32), seconds=128, scale=SCALE)
    assert sweep.queue_depth.tolist() == [1, 4, 32]
    assert (sweep.iops.diff().dropna() > -0.1 * sweep.iops.max()).all()
    assert (sweep.median_s <= sweep.p99_s).all()
    assert (sweep.p99_s <= sweep.p9999_s).all()
    assert ((sweep.utilisation > 0) & (sweep.utilisation <= 1)).all()
    rate = sweep.iops * procedures.PATTERNS[pattern].size / 1e6
    np.testing.assert_allclose(sweep.mb_per_s, rate, rtol=1e-12)


test_bad_arguments_are_named = refusals([
    (lambda d: procedures.queue_depth_sweep(d, "writes"), "pattern must be one of random_wr"),
    (lambda d: procedures.performance_consistency(d, scale=1e-6),
     "at least 4 of their 512 pages, such as 0.007812, 0.009766, 0.01172, got 1e-06"),
    (lambda d: procedures.performance_consistency(d, duration_s=0),
     "duration_s must be .* >= 1 .*, got 0"),
    (lambda d: procedures.performance_consistency(d, span=2), "span must be .* <= 1, got 2"),
    (lambda d: procedures.queue_depth_sweep(d, "random_read", seconds=0), "seconds must be"),
    (lambda d: procedures.queue_depth_sweep(d, "random_read", (1, 33)),
     "depths must be a whole number >= 1 and <= 32, got 33"),
    (lambda d: procedures.queue_depth_sweep("x", "random_read"), "drive must be a Drive"),
    (lambda d: procedures.span_for(None, 0.1), "drive must be a Drive, .*, got None"),
], by=lambda call: call(M500DC))  # fmt: skip
