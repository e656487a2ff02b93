"""Blocks in SLC mode: every operation against the plain model, limits, and closed forms."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_against_plain import assert_same, follow, pair
from tiny_drives import cached_drives, differing, phases, requests

from flashwear import wa
from flashwear.ftl import SlcCache, State, arrays, simulate, verify
from flashwear.workloads import HotCold
from proving import examples
from refusals import refusals

STATIC = SlcCache(own_blocks=6)
DYNAMIC = SlcCache(share=0.5)


def drive(cache, user_pages=1_000, op=0.6, pages=16, **settings):
    return State(user_pages, op, pages_per_block=pages, frontier="gc", cache=cache, **settings)


@pytest.mark.hypothesis
@pytest.mark.parametrize("policy", ["greedy", "fifo", "random"])
def test_every_operation_is_that_of_the_plain_model(policy):
    @examples(80)
    @given(cached_drives(policy=policy), phases(), st.lists(st.integers(0, 5), max_size=5))
    def holds(arguments, load, folds):
        state, plain = pair(arguments)
        parts = np.array_split(requests(load, state), len(folds) + 1)
        for part, blocks in zip(parts, [*folds, 0], strict=True):
            follow(state, plain, part)
            operations = state.fold(blocks)
            erased = [done.block for done in operations if done.kind == "erase"]
            assert operations == plain.fold(blocks, erased)
            assert_same(state, plain)
            plain.assert_nothing_lost()
            verify(state)

    holds()


@examples(60)
@given(cached_drives(), phases())
def test_a_batch_does_what_its_requests_do_one_by_one(arguments, load):
    one, other = State(**arguments), State(**arguments)
    words = requests(load, one)
    one.run(words)
    for word in words:
        other.run([word])
    assert differing(one, other) == []
    assert not one.worn_out


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_a_block_in_one_bit_mode_holds_its_share_of_the_pages(bits):
    state = drive(SlcCache(share=1.0, bits_per_cell=bits), pages=24)
    state.run(range(200))
    a = state.arrays
    fewer = 24 // bits
    used = a.block["status"] == arrays.CACHED
    assert used.sum() == 200 // fewer - (200 % fewer == 0)
    assert (a.valid[used] == fewer).all()
    assert state.cache_writes == 200
    verify(state)


def test_the_cache_shrinks_as_the_drive_fills_up_and_is_folded_down_to_its_mark():
    state = drive(DYNAMIC, op=0.2)
    sizes = []
    for start in range(0, 1_000, 50):
        state.run(range(start, start + 50))
        sizes.append(int(state.arrays.counts.in_shared))
    # 75 blocks, two of them kept free: 16 m + 8 s = 1000 with m + s = 73 gives s = 21
    assert max(sizes) == 37
    assert np.diff(sizes[sizes.index(37) :]).max() <= 0
    assert sizes[-1] == pytest.approx(21, abs=2)
    assert state.copies == state.fold_copies > 0
    verify(state)
    state = drive(SlcCache(own_blocks=10, fold_to=0.3))
    state.run(range(80))
    assert state.slc_erases.sum() == 0
    state.run(range(80, 81))
    assert state.slc_erases.sum() == 7
    assert state.cache_writes == 81


@pytest.mark.parametrize("hot", [(), (0.9, 0.05), (0.8, 0.2)])
def test_a_static_cache_costs_the_main_area_what_the_closed_form_says(hot):
    # A page stays until the cache, which is full whenever it is folded, has taken up all its
    # blocks but the one folded and the rest of its own: half a block less than it holds on average.
    # Of the main area the reserve is blank, and of the block for copies half: cleaning comes a
    # block at a time, long after the copies that filled it.
    pages, main, own, bits = 32, 2_048, 410, 2
    user_pages = 50_000
    cache = SlcCache(own_blocks=own, bits_per_cell=bits, direct=False)
    run = simulate(user_pages, (main + own) * pages / user_pages - 1, pages_per_block=pages,
                   policy="fifo", frontier="gc", cache=cache, drive_writes=30,
                   workload=HotCold(*hot) if hot else "uniform",
                   warmup_drive_writes=60 if hot else 8)  # fmt: skip
    state = run.state
    assert state.blocks == main + own
    assert run.cache_writes == run.host_writes
    share = (own - 0.5) * pages / bits / user_pages
    free = (run.blank_pages - pages / bits / 2) / pages
    spare = (main - free) * pages / user_pages - 1
    expected = wa.slc_cache(spare, share, *hot)
    assert run.wa - 1 == pytest.approx(expected, rel=0.005)
    assert run.wa == pytest.approx(wa.slc_waf(spare, share, *hot), rel=0.005)
    if not hot:
        assert run.fold_copies / run.host_writes == pytest.approx(np.exp(-share), rel=0.002)


@pytest.mark.parametrize("bits", [2, 3])
def test_wear_of_a_dynamic_cache_adds_up(bits):
    # each host byte takes the cells of `bits` bytes at the price of SLC mode, each copy its own
    pages = 48
    cache = SlcCache(share=0.2, bits_per_cell=bits, direct=False, slc_wear=0.1)
    run = simulate(60_000, 0.25, pages_per_block=pages, frontier="gc", cache=cache,
                   warmup_drive_writes=5, drive_writes=20)  # fmt: skip
    assert run.cache_writes == run.host_writes
    main_writes = run.wa - 1
    expected = wa.slc_dynamic_wear(main_writes, bits, 3_000, 30_000)
    # of 25,000 blocks erased in main mode or in SLC mode a few are open at the ends
    assert run.wear_per_write == pytest.approx(expected, rel=0.002)
    assert run.block_erases > run.slc_erases > 20 * 60_000 / (pages / bits) * 0.99


test_bad_input_is_named = refusals([
    (lambda: SlcCache(bits_per_cell=1), "bits_per_cell must be a whole number >= 2 and <= 4, got"),
    (lambda: SlcCache(bits_per_cell=2.5), "bits_per_cell must be a whole number"),
    (lambda: SlcCache(own_blocks=-1), "own_blocks must be a whole number >= 0 .*, got -1"),
    (lambda: SlcCache(share=1.1), "share must be .* <= 1, got 1.1"),
    (lambda: SlcCache(share=np.nan), "share must be .*, got nan"),
    (lambda: SlcCache(fold_to=-0.1), "fold_to must be .* >= 0 .*, got -0.1"),
    (lambda: SlcCache(slc_wear=0), "slc_wear must be .* > 0 .*, got 0"),
    (lambda: SlcCache(own_blocks=1, direct="yes"), "direct must be True or False, got"),
    (lambda: SlcCache(own_blocks=1, direct=1), "direct must be True or False, got"),
    (lambda: SlcCache(pages=0), "pages must be a whole number >= 1 .*, got 0"),
    (lambda: drive(3), "cache must be an SlcCache, got 3"),
    (lambda: State(1_000, 0.6, cache=STATIC), "frontier must be gc with a cache, got 'single'"),
    (lambda: drive(STATIC, wear_levelling="static"), "wear_levelling must be none or dynamic wi"),
    (lambda: drive(STATIC, endurance=100), "endurance must be None with a cache, got 100"),
    (lambda: drive(SlcCache(own_blocks=60)), "op must be >= .* and 60 of the cache, got 0.6"),
    (lambda: drive(SlcCache(share=0.5, pages=17)), "pages_per_block must .*, got 16 with"),
    (lambda: drive(SlcCache(share=0.5, bits_per_cell=4), pages=3), "pages_per_block .*, got 3"),
    (lambda: drive(STATIC).fold(-1), "blocks must be a whole number >= 0 .*, got -1"),
])  # fmt: skip


@pytest.mark.parametrize("bits", [2, 3, 4])
@pytest.mark.parametrize("stripe", [1, 3, 7])
@pytest.mark.parametrize("blocks", [{"own_blocks": 5}, {"share": 1.0}])
def test_parity_is_made_in_both_modes_and_is_no_data(bits, stripe, blocks):
    # a stripe of a page of parity and so many of data fits an even number of times
    rows = 2
    pages = rows * (stripe + 1) * bits
    state = drive(SlcCache(bits_per_cell=bits, **blocks), user_pages=20 * pages, pages=pages,
                  stripe=stripe, op=2)  # fmt: skip
    per_block = pages // bits - rows
    state.run(range(stripe))
    assert state.parity_writes == 1
    state.run(range(stripe, 5 * per_block))
    assert state.cache_writes == 5 * per_block == state.arrays.counts.stored
    # each row has had its page of parity, but for that of the block that is still open
    assert 4 * rows <= state.parity_writes <= 5 * rows
    state.run(range(5 * per_block, 6 * per_block))
    assert state.cache_writes == (5 if "own_blocks" in blocks else 6) * per_block
    state.run(np.random.default_rng(0).integers(20 * pages, size=20_000))
    written = state.host_writes + state.copies
    assert state.parity_writes == pytest.approx(written / stripe, rel=0.01)
    verify(state)


def test_shared_blocks_are_of_those_that_are_not_its_own():
    cache = SlcCache(own_blocks=3, share=0.5)
    assert [cache.shared_blocks(blocks) for blocks in (0, 3, 4, 5, 13)] == [0, 0, 0, 1, 5]
    assert SlcCache(own_blocks=1, share=1.0).shared_blocks(0) == 0
    with pytest.raises(ValueError, match="blocks must be a whole number >= 0, got -1"):
        cache.shared_blocks(-1)
