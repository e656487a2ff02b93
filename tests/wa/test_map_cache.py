"""A map that is cached in part: against a cache followed access by access, and at limits."""

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from flashwear import wa, workloads
from flashwear.wa import map_cache
from refusals import refusals

ENTRIES, PAGE = 1024, 4096
MAP_PAGE = ENTRIES * PAGE  # bytes that a map page covers


class Cache:
    """Map pages, the one used last at the end, and whether they have changed."""

    def __init__(self, slots):
        self.slots, self.held, self.back = slots, OrderedDict(), 0

    def use(self, page, changes=True):
        """Look a page up; return whether it was there."""
        changed = self.held.pop(page, None)
        self.held[page] = bool(changed) or changes
        if len(self.held) > self.slots:
            self.back += self.held.popitem(last=False)[1]
        return changed is not None


def followed(load, pages, slots, read_share, scattered=False, accesses=100_000):
    """Return the hit ratio and the map pages written back for each write."""
    chance, cache = np.random.default_rng(1), Cache(slots)
    drawn = np.empty(accesses, np.int64)
    load.stream(pages * ENTRIES, seed=1).fill(drawn)
    if scattered:
        drawn = chance.permutation(pages * ENTRIES)[drawn]
    changes = chance.random(accesses) >= read_share
    looked_up = zip((drawn // ENTRIES).tolist(), changes.tolist(), strict=True)
    hits = 0
    for i, (page, change) in enumerate(looked_up):
        if i == accesses // 5:
            hits, cache.back = 0, 0
        hits += cache.use(page, change)
    return hits / (0.8 * accesses), cache.back / changes[accesses // 5 :].sum()


@pytest.mark.parametrize("slots", [10, 60, 300])
@pytest.mark.parametrize("read_share", [0.0, 0.7])
@pytest.mark.parametrize("exponent", [0.0, 0.8, 0.99, 1.2])
def test_a_cache_that_is_followed_has_the_same_traffic(exponent, read_share, slots):
    pages = 600
    load = workloads.Zipf(exponent) if exponent else workloads.Uniform()
    hits, back = followed(load, pages, slots, read_share)
    found = wa.map_traffic(pages * MAP_PAGE, slots * 4096, 1.0, 512,
                           exponent=exponent, read_share=read_share)  # fmt: skip
    # the standard error of 80,000 draws is 0.002 at most, that of the writes 0.004
    assert found.hit_ratio == pytest.approx(hits, abs=0.006)
    assert found.writes_per_write == pytest.approx(back, abs=0.012)
    assert found.reads_per_read == pytest.approx(1 - found.hit_ratio, rel=1e-12)


@pytest.mark.parametrize("slots", [10, 60, 300])
@pytest.mark.parametrize("exponent", [0.8, 1.2])
def test_popular_pages_that_are_scattered_share_map_pages_with_others(exponent, slots):
    pages = 600
    hits, back = followed(workloads.Zipf(exponent), pages, slots, 0.0, scattered=True)
    order, found = (
        wa.map_traffic(pages * MAP_PAGE, slots * 4096, 1.0, 512, exponent=exponent, scattered=way)
        for way in (False, True)
    )
    # chance deals less evenly, and what is popular together is missed less
    assert -0.006 < (1 - found.hit_ratio) - (1 - hits) < 0.025
    assert -0.012 < found.writes_per_write - back < 0.025
    assert 1 - order.hit_ratio < 0.85 * (1 - hits)


@pytest.mark.parametrize(("slots", "block", "factor"), [
    (100, 600, 3.0),  # a cleaning uses more map pages than the cache holds
    (100, 60, 3.0),
    (400, 600, 1.5),
])  # fmt: skip
def test_bursts_of_cleaning_pass_through_the_cache_as_they_do_when_followed(slots, block, factor):
    pages, cleanings = 500, 400
    host = round(block / factor)
    chance, cache = np.random.default_rng(2), Cache(slots)
    hits = missed = 0
    for cleaning in range(cleanings):
        if cleaning == cleanings // 4:
            hits = missed = cache.back = 0
        hits += sum(cache.use(page) for page in chance.integers(pages, size=host).tolist())
        live = np.unique(chance.integers(pages, size=block - host))
        missed += sum(not cache.use(page) for page in chance.permutation(live).tolist())
    written = host * (cleanings - cleanings // 4)
    found = wa.map_traffic(pages * MAP_PAGE, slots * 4096, factor, block)
    assert found.hit_ratio == pytest.approx(hits / written, abs=0.01)
    assert found.hit_ratio == pytest.approx(slots / pages, rel=1e-9)
    in_all = 1 - hits / written + missed / written
    assert found.reads_per_write == pytest.approx(in_all, rel=0.01)
    assert found.writes_per_write == pytest.approx(cache.back / written, rel=0.01)


def test_without_cache_or_copies_map_pages_are_written_as_counted_by_hand():
    pages, block, factor = 200, 512, 4.0
    found = wa.map_traffic(pages * MAP_PAGE, 0, factor, block)
    host, copies = block / factor, block * (1 - 1 / factor)
    touched = pages * (1 - np.exp(-copies / pages))
    assert found.hit_ratio == 0
    assert found.writes_per_write == pytest.approx(1 + touched / host, rel=1e-12)
    assert found.reads_per_write == pytest.approx(found.writes_per_write, rel=1e-12)
    assert found.map_wa == pytest.approx(wa.fifo(1.0), rel=1e-9)
    assert found.wa == pytest.approx(factor + found.map_wa * found.writes_per_write, rel=1e-12)
    found = wa.map_traffic(1000 * MAP_PAGE, 250 * 4096, 1.0, 4096)
    assert found.hit_ratio == pytest.approx(0.25, rel=1e-9)
    assert found.reads_per_write == pytest.approx(0.75, rel=1e-9)
    assert found.writes_per_write == pytest.approx(0.75, rel=1e-9)


@given(st.floats(1, 1e6), st.floats(1, 20), st.floats(0, 2), st.floats(0, 0.99))
def test_a_cache_of_the_whole_map_costs_nothing(pages, factor, exponent, read_share):
    found = wa.map_traffic(pages * MAP_PAGE, np.ceil(pages) * 4096, factor, 4096,
                           exponent=exponent, read_share=read_share)  # fmt: skip
    assert found == (1.0, 0.0, 0.0, 0.0, 1.0, factor)


@pytest.mark.parametrize("exponent", [0.0, 0.99])
@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_runs_are_single_accesses_of_a_map_with_fewer_entries(exponent, factor):
    arguments = {"exponent": exponent, "read_share": 0.3}
    runs = wa.map_traffic(1e11, 4 << 20, factor, 4096, run=16, **arguments)
    same = wa.map_traffic(1e11 / 16, (4 << 20) / 16, factor, 256, map_page_bytes=256, **arguments)
    assert runs.hit_ratio == pytest.approx(same.hit_ratio, rel=1e-9)
    assert 16 * runs.writes_per_write == pytest.approx(same.writes_per_write, rel=1e-9)
    assert 16 * runs.reads_per_write == pytest.approx(same.reads_per_write, rel=1e-9)


@given(st.floats(0, 1.5), st.floats(1, 10), st.floats(0, 0.9), st.integers(0, 900),
       st.integers(1, 90), st.integers(64, 100_000))  # fmt: skip
def test_more_memory_never_adds_traffic(exponent, factor, read_share, slots, more, block):
    one, other = (
        wa.map_traffic(1000 * MAP_PAGE, size * 4096, factor, block,
                       exponent=exponent, read_share=read_share)
        for size in (slots, slots + more)
    )  # fmt: skip
    assert other.hit_ratio >= one.hit_ratio - 1e-9
    assert other.reads_per_write <= one.reads_per_write * (1 + 1e-9)
    assert other.writes_per_write <= one.writes_per_write * (1 + 1e-9)
    assert other.reads_per_write >= 0
    assert other.wa >= factor


@given(st.floats(0, 0.99), st.integers(1, 999))
def test_a_stay_that_only_reads_began_and_ended_is_not_written_back(read_share, slots):
    found = wa.map_traffic(1000 * MAP_PAGE, slots * 4096, 1.0, 512, read_share=read_share)
    hit = slots / 1000
    expected = (1 - hit) / (1 - read_share * hit)
    assert found.writes_per_write == pytest.approx(expected, rel=1e-9)


def test_a_page_is_written_a_stay_later_and_intervals_grow_without_a_gap():
    none, half = (wa.map_traffic(1000 * MAP_PAGE, c * 4096, 1.0, 512) for c in (0, 500))
    assert none.map_wa == pytest.approx(wa.fifo(1.0), rel=1e-9)
    assert 1 < half.map_wa < 0.9 * none.map_wa
    edges = map_cache._edges(4, 100.0, 3)
    assert edges[:5].tolist() == [0, 1, 2, 3, 4]
    assert edges[5:] == pytest.approx(4 * 25 ** (np.arange(1, 4) / 3))
    assert map_cache._edges(10, 2.5, 3).tolist() == [0, 1, 2, 2.5]
    assert map_cache._edges(4, 4.0, 3).tolist() == [0, 1, 2, 3, 4]
    # what is never copied is as what is copied once in the age of the world
    classes = np.array([50.0, 50]), np.array([0.1, 1])
    found = [map_cache._misses(*classes, np.array([rare, 0.5]), 20.0, 30.0) for rare in (0, 1e-9)]
    assert found[0] == pytest.approx(np.array(found[1]), rel=1e-6)


test_values_out_of_range_are_refused = refusals([
    ((0, 0, 1, 64), {}, "working_bytes must be a finite number > 0"),
    ((1000, 0, 1, 64), {}, r"working_bytes must be >= page_bytes \* run, got 1000"),
    ((1e9, 0, 1, 1.5), {}, "pages_per_block must be a whole number, got 1.5"),
    ((1e9, 0, 1, 64), {"run": 0}, "run must be a finite number >= 1"),
    ((1e9, 0, 1, 64), {"run": 1025}, "run must be a whole number <= 1024, .* got 1025"),
    ((1e9, 0, 1, 64), {"entry_bytes": 5000}, "entry_bytes must be <= map_page_bytes, 4096, got 50"),
], by=lambda arguments, options: wa.map_traffic(*arguments, **options))  # fmt: skip
