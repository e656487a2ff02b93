import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flashwear import endurance
from flashwear._compiled import compiled
from flashwear.wa.cache import slc_cache, slc_dynamic_wear, slc_static_tbw, slc_waf
from flashwear.wa.skew import JESD219
from refusals import refusals

ops = st.floats(1e-4, 20)
shares = st.floats(1e-6, 1 - 1e-6)
caches = st.floats(0, 1)
ROUNDING = 1e-12  # what may be lost in a few thousand operations, with room to spare


@compiled
def _moved(rng, place, main_pages, cache_pages, hot, hot_writes, start, stop):
    """Count page writes of a main log behind a cache that is a log of its own.

    Pages start in the main log in the order `place`, the rest as the newest of the cache.

    The oldest page of the main log, if current, moves to the front: the slot that it frees.
    """
    user = place.size
    where = np.empty(user, np.int64)  # slot in the main log, or -1 - slot in the cache
    main, cache = np.full(main_pages, -1), np.full(cache_pages, -1)
    for page in range(user):
        if place[page] < main_pages:
            main[place[page]], where[page] = page, place[page]
        else:
            slot = cache_pages - user + place[page]
            cache[slot], where[page] = page, -1 - slot
    head = min(user, main_pages) % main_pages
    moved = 0
    for request in range(stop):
        if hot == user or rng.random() < hot_writes:
            page = int(rng.random() * hot)
        else:
            page = hot + int(rng.random() * (user - hot))
        slot = request % cache_pages
        old = cache[slot]
        current = old >= 0 and old != page and where[old] == -1 - slot
        cache[slot], where[page] = page, -1 - slot
        while current:
            moved += request >= start
            if main[head] < 0 or where[main[head]] != head:
                main[head], where[old] = old, head
                current = False
            head = (head + 1) % main_pages
    return moved


@pytest.mark.parametrize(("op", "cache", "write", "space"), [
    (0.15, 0.05, 1, 1), (-0.02, 0.1, 1, 1), (0.1, 0.05, 0.9, 0.05), (0.1, 0.3, 0.8, 0.2),
])  # fmt: skip
def test_a_cache_and_a_main_log_simulate_as_the_model_says(op, cache, write, space):
    user = 20_000
    cold = (1 - write) / (1 - space) if space < 1 else 1
    start = round(6 / cold) * user  # each cold page is written six times
    runs = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        sizes = round(user * (1 + op)), round(user * cache), round(user * space)
        moved = _moved(rng, rng.permutation(user), *sizes, write, start, start + 10 * user)
        runs.append(moved / (10 * user))
    mean, error = np.mean(runs), np.std(runs, ddof=1) / 2
    # the sizes are whole: half a page of 20,000 in the spare, which is at least 7 % of them
    room = 0.5 / (0.07 * user)
    assert slc_cache(op, cache, write, space) == pytest.approx(mean, rel=room + 5 * error / mean)


@given(ops, caches, shares, shares)
def test_the_result_solves_the_equation(op, cache, write, space):
    result = slc_cache(op, cache, write, space)
    with mp.workdps(40):
        r = [mp.mpf(write), 1 - mp.mpf(write)]
        f = [mp.mpf(space), 1 - mp.mpf(space)]

        def right(w):
            return mp.fsum(
                x * mp.exp(-cache * x / y) / -mp.expm1(-x / y * (1 + mp.mpf(op)) / w)
                for x, y in zip(r, f, strict=True)
            )

        # the right side rises more slowly than the left: signs change across the root
        low, high = mp.mpf(result) * (1 - ROUNDING), mp.mpf(result) * (1 + ROUNDING)
        assert right(low) > low
        assert right(high) < high


def test_nothing_moves_when_the_cache_outlasts_all_that_is_written():
    # one page in 10,000 takes all writes, the cache holds 5 %: exp(-500) of them move
    assert slc_cache(0.1, 0.05, 1, 1e-4) == pytest.approx(0, abs=1e-200)
    assert slc_cache(0.1, 0.05, 1, 1e-5) == 0
    assert slc_waf(0.1, 0.05, 1, 1e-5) == 1
    assert slc_waf(0.1, 0.05) == 1 + slc_cache(0.1, 0.05)


def test_a_main_area_smaller_than_the_user_capacity_works_if_the_cache_holds_the_rest():
    held = -np.expm1(-0.1)  # of uniform writes, a cache of 10 % holds 9.5 %
    assert slc_cache(-held * 0.999, 0.1) > 1000
    with pytest.raises(ValueError, match=r"op must be > minus the share .* held"):
        slc_cache(-held, 0.1)


def test_the_worn_share_of_a_dynamic_cache_counted_block_by_block():
    # 100 blocks of 3 MB TLC or 1 MB SLC; 1000 MB from the host, 2000 MB moved:
    # 1000 SLC cycles and 666.7 TLC cycles in all, of 100 x 40,000 and 100 x 2,000
    worn = 1000 / 1 / (100 * 40_000) + 2000 / 3 / (100 * 2000)
    wear = slc_dynamic_wear(2, bits_per_cell=3, pe_cycles=2000, slc_pe_cycles=40_000)
    assert 1000 / endurance.tbw(300, 2000, waf=wear) == pytest.approx(worn)
    assert slc_dynamic_wear(0, 3, 1000, 1000) == 3  # the room alone


def test_the_first_pool_to_wear_ends_a_static_cache():
    # 6 GB x 30,000 = 180 TB; 256 GB x 1,500 / W = 384 TB / W
    life = slc_static_tbw([0, 1, 3, 6], 256e9, 1500, 6e9, 30_000)
    np.testing.assert_allclose(life, np.array([180, 180, 128, 64]) * 1e12)


def test_classes_are_on_the_last_axis():
    assert slc_cache([[0.1], [0.2]], [0, 0.05, 0.1], *JESD219).shape == (2, 3)
    assert slc_waf(0.1, 0.05, [[0.9, 0.1], [0.5, 0.5]], [0.2, 0.8]).shape == (2,)


test_values_outside_the_domain_are_named = refusals([
    (lambda: slc_cache(0, 0), "op must be > minus the share .* got 0 with 0 held"),
    (lambda: slc_cache([0.1, -0.3], [[0], [0.2]]), r"got -0.3 with 0 held$"),
    (lambda: slc_waf(0.1, 0.1, 2, 0.5), "write_share must be .* <= 1, got 2"),
])  # fmt: skip
