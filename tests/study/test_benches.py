"""Streams have the published marginals at any seed, scale and guess."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear.study import benches, replays
from proving import examples

NAMES = st.sampled_from(benches.BENCHES)
WRITES, READS = 0, 2


def parts(words):
    return words & 2**48 - 1, words >> 48 & 4095, words >> 60


def whole_stream(name, guess, scale, seed, user_bytes=256 * 10**9):
    stream = list(replays.stream(benches.load(name), guess, user_bytes, scale=scale, seed=seed))
    return np.concatenate([burst.words for burst in stream]), stream


@examples(25)
@given(name=NAMES, draw=st.integers(0, 99), seed=st.integers(0, 999), part=st.floats(1, 3))
def test_counts_bytes_sizes_and_sequential_share_are_the_published_ones(name, draw, seed, part):
    bench, guess = benches.load(name), benches.drawn(name, draw)
    scale = part * 15_000 / bench.requests
    words, _ = whole_stream(name, guess, scale, seed)
    first, sectors, kind = parts(words)
    for of, count, size in (
        (WRITES, bench.writes, bench.write_bytes),
        (READS, bench.reads, bench.read_bytes),
    ):
        mine = kind == of
        assert mine.sum() == round(count * scale)
        # each of 14 sizes is off by less than one request
        assert abs(sectors[mine].sum() * 512 - size * scale) < 14 * 131_072
        followers = first[mine][1:] == (first + sectors)[mine][:-1]
        # a new place may follow the last request by chance, so seldom in a tenth of the footprint
        extra = followers.sum() - int(mine.sum() * bench.sequential_share)
        room = guess.footprint * scale - guess.run_length * 131_072
        chance = mine.sum() * (1 - bench.sequential_share) / (0.1 * room / 4096)
        assert 0 <= extra <= chance + 5 * chance**0.5 + 3
    # of each kind less than one request for each of the sizes of a class
    for key, share in bench.size_shares.items():
        counted = np.isin(sectors * 512, benches.SIZES[key]).sum()
        assert abs(counted - share * bench.requests * scale) < 2 * len(benches.SIZES[key]) + 1


@pytest.mark.parametrize("name", benches.BENCHES)
def test_whole_benches_have_the_published_bytes_as_they_are_printed(name):
    bench = benches.load(name)
    shares = benches.size_shares(bench)
    sizes = benches.BYTES
    for row, count, size in zip(
        shares, (bench.writes, bench.reads), (bench.write_bytes, bench.read_bytes), strict=True
    ):
        counts = replays.rounded(row, count)
        assert counts.sum() == count
        assert counts @ sizes == pytest.approx(size, abs=0.005e9)  # two decimals of a GB
        assert (row >= 0).all()
        assert row.sum() == pytest.approx(1)


@given(name=st.sampled_from(["destroyer", "heavy"]), lone=st.floats(0.2, 0.75))
def test_queue_depths_have_the_published_mean(name, lone):
    bench = benches.load(name)
    shares = benches.depth_shares(bench, lone)
    assert shares @ np.arange(1, 33) == pytest.approx(bench.mean_depth)
    assert shares[0] == pytest.approx(lone)


def test_queue_depths_of_light_follow_its_table():
    bench = benches.load("light")
    guess = benches.Assumed(footprint=12e9, burst=2)
    _, stream = whole_stream("light", guess, 1 / 50, 1)
    depth = np.repeat([b.depth for b in stream], [b.words.size for b in stream])
    total = sum(bench.depth_shares.values())  # 100.1 %, as printed
    assert (depth == 1).mean() == pytest.approx(bench.depth_shares["1"] / total, abs=0.01)
    assert (depth == 2).mean() == pytest.approx(bench.depth_shares["2"] / total, abs=0.01)
    assert depth.max() <= 32


def test_the_published_mean_queue_depth_of_light_is_not_that_of_its_table():
    # ~4.6 is printed in the table of sums, and stands there for the heavy bench too
    assert benches.depth_shares(benches.load("light")) @ np.arange(1, 33) < 2


@pytest.mark.parametrize("name", benches.BENCHES)
def test_same_seed_same_stream(name):
    guess = benches.drawn(name, 0)
    one, other, third = (whole_stream(name, guess, 1e-3, seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, other)
    assert (one != third).mean() > 0.5


def test_places_keep_to_the_footprint_and_its_hot_part():
    guess = benches.Assumed(footprint=40e9, hot_share=0.8, run_length=4)
    words, _ = whole_stream("heavy", guess, 1 / 100, 0)
    first, sectors, _ = parts(words)
    assert ((first + sectors) * 512 <= 0.4e9).all()
    new = first[1:] != (first + sectors)[:-1]
    assert (first[1:][new] * 512 < 0.04e9).mean() > 0.6  # runs of the other kind come between


def test_a_footprint_larger_than_the_drive_is_cut():
    guess = benches.Assumed(footprint=40e9)
    words, _ = whole_stream("heavy", guess, 1 / 100, 0, user_bytes=10**8)
    first, sectors, _ = parts(words)
    assert (first + sectors).max() * 512 <= 10**8


@pytest.mark.parametrize("mixed", [0.0, 1.0])
def test_bursts_mix_reads_and_writes_or_do_not(mixed):
    guess = benches.Assumed(footprint=12e9, burst=100, mixed_share=mixed)
    _, stream = whole_stream("light", guess, 1 / 20, 0)
    of_one_kind = [np.ptp(b.words >> 60) == 0 for b in stream if b.words.size > 20]
    assert np.mean(of_one_kind) == pytest.approx(1 - mixed, abs=0.01)


def test_a_stream_takes_the_memory_of_a_burst():
    stream = replays.stream(
        benches.load("destroyer"), benches.Assumed(footprint=120e9), 256 * 10**9
    )
    sizes = [next(stream).words.size for _ in range(2000)]
    assert max(sizes) <= replays.MOST_REQUESTS
    assert np.mean(sizes) == pytest.approx(300, rel=0.1)  # 4.5 standard errors


def test_draws_lie_in_their_bands_and_spread_over_them():
    footprints = [benches.drawn("light", draw).footprint / 1e9 for draw in range(20)]
    assert 5 <= min(footprints) < 7
    assert 18 < max(footprints) <= 20
    pauses = [benches.drawn("light", draw).idle_s for draw in range(20)]
    assert max(pauses) <= 0.025


def test_a_footprint_must_hold_a_run():
    guess = benches.Assumed(footprint=1e9)
    with pytest.raises(ValueError, match="footprint must hold a run"):
        next(replays.stream(benches.load("light"), guess, 10**12, scale=1e-3))


def test_no_such_bench():
    with pytest.raises(ValueError, match="name must be one of destroyer, heavy, light"):
        benches.load("medium")
