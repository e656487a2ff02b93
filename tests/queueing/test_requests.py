"""What the host asks, and how a latency is counted."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear.queueing import requests as io
from flashwear.queueing.requests import Access
from flashwear.queueing.result import BINS, Result, _ends, bin_of
from refusals import refusals

MIB = 1 << 20


def drawn(access, count=20_000, user_bytes=16 * MIB, seed=0):
    words = np.zeros(count, np.int64)
    assert access.stream(user_bytes, seed).fill(words) == count
    io.check(words, user_bytes)
    return words & io.SECTOR_MASK, words >> io.COUNT_SHIFT & io.COUNT_MASK, words >> io.KIND_SHIFT


def test_random_requests_are_all_over_the_span_and_sequential_ones_go_round():
    sector, count, kind = drawn(Access(8192, span=0.5))
    assert (count == 16).all()
    assert (kind == 0).all()
    assert (sector % 16 == 0).all()
    places = np.bincount(sector // 16, minlength=1024)
    assert places.size == 1024
    # 20,000 on 1,024 places: 19.5 each with a deviation of 4.4, of which 6 are allowed
    assert np.abs(places - 19.5).max() < 6 * 4.4
    sector, count, kind = drawn(Access(4096, align=512, read_share=0.7))
    # 14,000 with a deviation of 65
    assert (kind == 2).sum() == pytest.approx(14_000, abs=400)
    assert set(sector % 8) == set(range(8))
    assert (sector + count).max() <= 16 * MIB // 512
    sector, _, _ = drawn(Access(MIB, "sequential"), count=40)
    assert sector.tolist() == [2048 * (i % 16) for i in range(40)]
    whole, cut = np.zeros(1_000, np.int64), np.zeros(1_000, np.int64)
    access = Access(read_share=0.5)
    access.stream(16 * MIB, 3).fill(whole)
    stream = access.stream(16 * MIB, 3)
    for start, stop in ((0, 1), (1, 400), (400, 1_000)):
        stream.fill(cut[start:stop])
    assert (whole == cut).all()


test_an_access_that_cannot_be_is_refused = refusals([
    ({"size": 0}, "size must be a whole number >= 512 and <= 1048576, got 0"),
    ({"size": 1000}, "size must be a multiple of 512 bytes, got 1000"),
    ({"size": 2**21}, "size must be .* <= 1048576"),
    ({"size": float("nan")}, "size must be a whole number .*, got nan"),
    ({"order": "backwards"}, "order must be one of random, sequential"),
    ({"read_share": 1.5}, "read_share must be .* <= 1, got 1.5"),
    ({"span": 0}, "span must be .* > 0"),
    ({"align": 100}, "align must be .* >= 512"),
    ({"rate": 0}, "rate must be .* >= 0.001"),
], by=lambda arguments: Access(**arguments))  # fmt: skip


def word(sector, count, kind):
    return np.array([sector | count << io.COUNT_SHIFT | kind << io.KIND_SHIFT])


test_a_request_that_cannot_be_is_refused = refusals([
    (word(0, 0, 0), "of 1 to 2048 sectors, got 0 sectors from 0"),
    (word(0, 2049, 0), "of 1 to 2048 sectors, got 2049"),
    (word(32_760, 9, 2), "within 32768 sectors, got 9 sectors from 32760, kind 2"),
    (word(0, 8, 3), "writes, trims or reads, got 8 sectors from 0, kind 3"),
    (np.array([-1]), "writes, trims or reads"),
], by=lambda request_word: io.check(request_word, 16 * MIB))  # fmt: skip


def test_times_between_arrivals_are_exponential():
    gaps = io.interarrival_times(1e4, 100_000, seed=1)
    assert gaps.min() >= 1
    # mean and standard deviation are both 100 us; 0.3 and 0.45 % of standard error
    assert gaps.mean() == pytest.approx(1e5, rel=0.015)
    assert gaps.std() == pytest.approx(1e5, rel=0.02)


@pytest.mark.parametrize(("arguments", "message"), [
    (([50, 101],), "percent must be .* <= 100, got 101 at index 1"),
    ((float("nan"),), "percent must be .* <= 100, got nan"),
    ((50, ["read"]), r"kind must be one of write, trim, read, got \['read'\]"),
])  # fmt: skip
def test_a_percentile_that_cannot_be_is_refused(arguments, message):
    nothing = Result(0, 1.0, *[np.zeros((3, BINS))] * 2, *[None] * 3, *[{}] * 5, None, *[0] * 7)
    with pytest.raises(ValueError, match=message):
        nothing.percentile(*arguments)


@given(st.integers(0, 2**63 - 1))
def test_a_latency_lies_in_its_bin(nanoseconds):
    index = bin_of(nanoseconds)
    assert 0 <= index < BINS
    end = int(_ends(np.array(index))) if nanoseconds < 2**52 else float(_ends(np.array(index)))
    assert end >= nanoseconds * (1 - 1e-15)
    assert end <= nanoseconds * (1 + 1 / 64) + 1
    if nanoseconds:
        assert bin_of(nanoseconds - 1) in (index - 1, index)
