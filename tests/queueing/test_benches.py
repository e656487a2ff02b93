"""Streams have the published marginals at any seed, scale and guess."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear.queueing import _assumed, benches, bursts
from proving import examples

NAMES = st.sampled_from(benches.BENCHES)
WRITES, READS = 0, 2


def parts(words):
    return words & 2**48 - 1, words >> 48 & 4095, words >> 60


def whole_stream(name, guess, scale, seed, user_bytes=256 * 10**9):
    stream = list(bursts.stream(benches.load(name), guess, user_bytes, scale=scale, seed=seed))
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
        counts = bursts._rounded(row, count)
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
    guess = benches.assumed(name)
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
    stream = bursts.stream(benches.load("destroyer"), benches.assumed("destroyer"), 256 * 10**9)
    sizes = [next(stream).words.size for _ in range(2000)]
    assert max(sizes) <= _assumed.MOST_REQUESTS
    assert np.mean(sizes) == pytest.approx(300, rel=0.1)  # 4.5 standard errors


def test_draws_lie_in_their_bands_and_spread_over_them():
    footprints = [benches.drawn("light", draw).footprint / 1e9 for draw in range(20)]
    assert 5 <= min(footprints) < 7
    assert 18 < max(footprints) <= 20
    pauses = [benches.drawn("light", draw).idle_s for draw in range(20)]
    assert max(pauses) <= 0.025


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hot_share": 1.5}, "hot_share"),
        ({"run_length": 1}, "run_length"),
        ({"burst": 0.0}, "burst"),
        ({"idle_s": 0.0}, "idle_s"),
        ({"footprint": 0.0}, "footprint"),
    ],
)
def test_bad_guesses_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        benches.Assumed(**{"footprint": 12e9, **changes})


@pytest.mark.parametrize(
    ("guess", "options", "message"),
    [
        (benches.Assumed(footprint=12e9, run_length=2), {}, "run_length must be >= 3.33"),
        (benches.Assumed(footprint=1e9), {"scale": 1e-3}, "footprint must hold a run"),
        (benches.Assumed(footprint=12e9), {"scale": 2.0}, "scale"),
        (benches.Assumed(footprint=12e9), {"seed": -1}, "seed"),
    ],
)
def test_streams_that_cannot_be_are_refused(guess, options, message):
    with pytest.raises(ValueError, match=message):
        next(bursts.stream(benches.load("light"), guess, 10**12, **options))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"writes": 0}, "writes must be a whole number >= 1 .*, got 0"),
        ({"reads": 2.5}, "reads must be a whole number"),
        ({"write_bytes": 0.0}, "write_bytes must be .* > 0, got 0"),
        ({"read_bytes": np.nan}, "read_bytes must be .* > 0, got nan"),
        ({"sequential_share": 1.0}, "sequential_share must be .* <= 0.999985, got 1"),
        ({"size_shares": {"5": 0.1}}, "size_shares must have keys among <4, 4, .*, got {'5': 0.1}"),
        ({"size_shares": {"others": 0.1}}, "size_shares must have keys among"),
        ({"size_shares": {"4": 1.5}}, r"size_shares\['4'\] must be .* <= 1, got 1.5"),
        ({"size_shares": {"4": 0.5, "8": 0.5}}, "size_shares must add up to < 1, got 1.0"),
        ({"depth_shares": [0.5]}, r"depth_shares must have keys among 1, 2, .*, got \[0.5\]"),
        ({"depth_shares": {"1": 0.0}}, "the sum of depth_shares must be .* > 0, got 0"),
        ({"depth_shares": {}, "mean_depth": 0.5}, "mean_depth must be .* >= 1 .*, got 0.5"),
        ({"depth_shares": {}, "mean_depth": np.nan}, "mean_depth must be .*, got nan"),
    ],
)
def test_benches_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(benches.load("light"), **changes)


@pytest.mark.parametrize("likeness", [-1, 2, np.nan, "a", None, True])
def test_likeness_is_a_share(likeness):
    for name in benches.BENCHES:
        with pytest.raises(ValueError, match=r"likeness must be .* >= 0 and <= 1, got"):
            benches.size_shares(benches.load(name), likeness)


@pytest.mark.parametrize("lone_share", [-1, 1.5, np.nan, "a", None])
def test_a_lone_share_is_a_share(lone_share):
    for name in benches.BENCHES:
        with pytest.raises(ValueError, match=r"lone_share must be .* >= 0 and <= 1, got"):
            benches.depth_shares(benches.load(name), lone_share)


@pytest.mark.parametrize("lone_share", [0.9, 1.0])
def test_a_lone_share_leaves_the_others_a_depth(lone_share):
    # 4.6 = 0.9 * 1 + 0.1 * 37, which is deeper than 32
    message = f"lone_share must leave the others a mean depth in .*, got {lone_share}"
    with pytest.raises(ValueError, match=message):
        benches.depth_shares(benches.load("heavy"), lone_share)
    shallow = replace(benches.load("heavy"), mean_depth=1.2)
    with pytest.raises(ValueError, match="lone_share must leave the others a mean depth in"):
        benches.depth_shares(shallow, 0.5)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (
            "destroyer",
            {"write_bytes": 1e9},
            r"write_bytes must give a mean in \(512, 131072\), got",
        ),
        ("destroyer", {"read_bytes": 1e14}, r"read_bytes must give a mean in \(512, 131072\), got"),
        (
            "light",
            {"write_bytes": 1e8},
            r"read_bytes and write_bytes, .* give a mean in \(6144, 983",
        ),
        (
            "heavy",
            {"write_bytes": 1e9, "read_bytes": 153.95e9},
            r"write_bytes must give a mean in \(4602.6, 80058",
        ),
    ],
)
def test_bytes_that_the_sizes_cannot_give_are_refused(name, changes, message):
    with pytest.raises(ValueError, match=message):
        benches.size_shares(replace(benches.load(name), **changes))


@pytest.mark.parametrize("call", [benches.size_shares, benches.depth_shares])
def test_a_name_is_no_bench(call):
    with pytest.raises(ValueError, match=r"bench must be a Bench, as .* gives, got 'light'"):
        call("light")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("light", benches.Assumed(footprint=12e9), 10**9), "bench must be a Bench"),
        ((benches.load("light"), None, 10**9), "guess must be an Assumed, .*, got None"),
        ((benches.load("light"), benches.Assumed(footprint=12e9), "a"), "user_bytes must be a wh"),
    ],
)
def test_a_stream_of_something_else_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        next(bursts.stream(*arguments))


def test_no_such_bench():
    with pytest.raises(ValueError, match="name must be one of destroyer, heavy, light"):
        benches.load("medium")
