"""Set up a drive: check every argument, then allocate the arrays."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from flashwear._domain import number, one_number, one_of, whole
from flashwear._random import seeded
from flashwear.ftl import arrays
from flashwear.ftl.blocks import link
from flashwear.ftl.cache import SlcCache
from flashwear.ftl.placement import Handles
from flashwear.ftl.policy import Policy

POLICIES = {
    "greedy": arrays.GREEDY,
    "fifo": arrays.FIFO,
    "random": arrays.RANDOM,
    "d_choices": arrays.D_CHOICES,
    "windowed": arrays.WINDOWED,
    "cost_benefit": arrays.COST_BENEFIT,
}
FRONTIERS = {
    "single": arrays.SINGLE,
    "gc": arrays.GC,
    "hot_cold": arrays.HOT_COLD,
    "detected": arrays.DAC,
}
MOST_SLOTS = 2**31
_RETIRING = 4  # free blocks more, where blocks retire
_RANDOM_STREAM = 2**20  # the workload of the same seed has 0, 1, ...


def set_up(
    user_pages: int,
    op: float,
    *,
    pages_per_block: int,
    policy: str | Policy,
    d: int,
    window: int,
    frontier: str | Handles,
    temperatures: int,
    reserve_blocks: int | None,
    wear_levelling: str,
    level_threshold: int,
    endurance: ArrayLike | None,
    stripe: int | None,
    cache: SlcCache | None,
    seed: int,
) -> arrays.Arrays:
    """Check the arguments of :class:`flashwear.ftl.State`, and return an empty drive's arrays."""
    user_pages = whole("user_pages", user_pages, 1, MOST_SLOTS)
    spare = one_number("op", op, above=0)
    pages = whole("pages_per_block", pages_per_block, 2, 2**20)
    if not callable(policy) and not (isinstance(policy, str) and policy in POLICIES):
        raise ValueError(
            f"policy must be one of {', '.join(POLICIES)}, or a function of Blocks, got {policy!r}"
        )
    if callable(policy) and cache is not None:
        raise ValueError(f"policy must be a name with a cache, got {policy!r}")
    one_of("wear_levelling", wear_levelling, ("none", "dynamic", "static"))
    static = wear_levelling == "static"
    frontiers = whole("temperatures", temperatures, 2, 100)
    if isinstance(frontier, Handles):
        arrangement, frontiers = arrays.HOT_COLD, frontier.frontiers
        pages = whole("pages_per_block", pages * frontier.unit_blocks, 2, 2**20)
    else:
        one_of("frontier", frontier, FRONTIERS)
        arrangement = FRONTIERS[frontier]
    if arrangement == arrays.SINGLE:
        frontiers = 2 if static else 1
    elif arrangement == arrays.GC:
        frontiers = 2
    fewest = min(frontiers, 2)
    reserve = fewest + (_RETIRING if endurance is not None else 0)
    if reserve_blocks is not None:
        reserve = whole("reserve_blocks", reserve_blocks, fewest, MOST_SLOTS)
    choices = whole("d", d, 1, 10_000)
    looked_at = whole("window", window, 1, MOST_SLOTS)
    threshold = whole("level_threshold", level_threshold, 1, MOST_SLOTS)
    random = seeded(seed, _RANDOM_STREAM)
    width = None if stripe is None else whole("stripe", stripe, 1, MOST_SLOTS)
    data, parity = _data_and_parity(pages, width)
    blocks = int(user_pages * (1 + spare) / pages * (1 + 1e-12))
    needed = -(-user_pages // data) + frontiers + reserve
    if cache is not None:
        _check_cache(cache, pages, width, frontier, wear_levelling, endurance)
        # a host that may not pass the cache by waits until a block is free beside the reserve
        needed += cache.own_blocks + (cache.shared_blocks(blocks) > 0 and not cache.direct)
    if blocks < needed:
        least = math.ceil((needed * pages / user_pages - 1) * 1e6) / 1e6
        raise ValueError(
            f"op must be >= {least:.6f} to hold {user_pages} pages "
            f"of the user, {frontiers} open and {reserve} free blocks of {pages} pages"
            f"{f', {pages - data} of them for parity' if parity else ''}"
            f"{f', and {cache.own_blocks} of the cache' if cache is not None else ''}, got {op!r}"
        )
    if blocks << max(1, (pages - 1).bit_length()) > MOST_SLOTS:
        raise ValueError(
            f"user_pages must be small enough for 2**31 slots, got {user_pages} with op={op!r}"
        )
    limit = np.array(np.inf)
    if endurance is not None:
        limit = number("endurance", endurance, above=0)
        if limit.ndim and limit.shape != (blocks,):
            raise ValueError(
                f"endurance must be one number or one for each of {blocks} blocks, "
                f"got shape {limit.shape}"
            )
    a = arrays.allocate(user_pages, blocks, pages, frontiers)
    rules = a.rules
    if isinstance(policy, str):
        rules.policy = POLICIES[policy]
    else:
        rules.policy = arrays.OWN_POLICY
        a.valid[:] = pages + 1
    rules.choices, rules.window = choices, looked_at
    rules.arrangement = arrangement
    if isinstance(frontier, Handles):
        rules.handles = len(frontier.names)
    rules.reserve, rules.minimum = reserve, needed
    rules.by_wear = wear_levelling != "none"
    rules.level = threshold if static else 0
    rules.stripe = stripe or 0
    a.mode_pages[:], a.mode_parity[:] = data, parity
    a.counts.blank = blocks * data
    a.block["limit"][:] = limit
    a.random[:] = random
    if cache is not None:
        _set_up_cache(a, cache, width)
    return a


def _data_and_parity(pages: int, stripe: int | None) -> tuple[int, int]:
    """Return how many of a block's pages hold data, and how many hold parity."""
    if stripe is None:
        return pages, 0
    data = pages - -(-pages // (stripe + 1))
    return data, -(-data // stripe)


def _slc_pages(cache: SlcCache, pages: int) -> int:
    """Return the pages that a block holds in SLC mode."""
    return pages // cache.bits_per_cell if cache.pages is None else cache.pages


def _check_cache(
    cache: SlcCache,
    pages: int,
    stripe: int | None,
    frontier: str | Handles,
    wear_levelling: str,
    endurance: ArrayLike | None,
) -> None:
    if not isinstance(cache, SlcCache):
        raise ValueError(f"cache must be an SlcCache, got {cache!r}")
    if cache.own_blocks == 0 and cache.share == 0:
        return
    if frontier != "gc":
        raise ValueError(f"frontier must be gc with a cache, got {frontier!r}")
    if wear_levelling == "static":
        raise ValueError("wear_levelling must be none or dynamic with a cache, got 'static'")
    if endurance is not None:
        raise ValueError(f"endurance must be None with a cache, got {endurance!r}")
    if not 1 <= _data_and_parity(_slc_pages(cache, pages), stripe)[0] <= pages:
        raise ValueError(
            f"pages_per_block must leave a block in SLC mode a page of data, and no more than "
            f"it has else, got {pages} with {cache!r}"
        )


def _set_up_cache(a: arrays.Arrays, cache: SlcCache, stripe: int | None) -> None:
    """Set up the cache of a drive; one of no blocks changes nothing."""
    rules, counts = a.rules, a.counts
    blocks, own = int(rules.blocks), cache.own_blocks
    shared = cache.shared_blocks(blocks)
    if own + shared == 0:
        return
    data, parity = _data_and_parity(_slc_pages(cache, a.scratch.size), stripe)
    a.mode_pages[arrays.SHARED :], a.mode_parity[arrays.SHARED :] = data, parity
    a.mode_wear[arrays.SHARED :] = cache.slc_wear
    rules.cache, rules.own_blocks, rules.most_shared = 1, own, shared
    rules.direct = cache.direct
    rules.fold_to = int(cache.fold_to * (own + shared) * (1 + 1e-12))
    counts.free = counts.releases = blocks - own
    counts.blank -= own * a.mode_pages[arrays.MAIN]
    counts.free_own = own
    counts.threshold = shared > 0  # see slc.fully_invalid
    for block in range(blocks - own, blocks):
        a.block[block]["mode"] = arrays.OWN
        link(a, block, arrays.FREE_OWN)
