"""Cleaning in compiled code: blocks opened, live pages copied, blocks erased."""

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import inner, jit
from flashwear.ftl.arrays import (
    BLANK,
    BLOCKS,
    CACHE,
    CANDIDATE,
    CLOSED,
    COPIES,
    DAC,
    DIRECT,
    DUE,
    ERASES,
    FOLD_TO,
    FOLDED,
    FOLDING,
    FREE_OWN,
    FRONTIER,
    FRONTIERS,
    GC,
    GOOD,
    HELD,
    HOST,
    HOT_COLD,
    IN_SHARED,
    LEAST_WORN,
    LEFT,
    LEVEL,
    LEVELLED,
    MAIN,
    MINIMUM,
    OLDEST,
    OLDEST_FREE,
    OPEN,
    OWN,
    PARITY,
    POOL,
    RESERVE,
    SHIFT,
    SINGLE,
    STORED,
    STRIPE,
    WEIGHED,
    WORN,
    Arrays,
    prefetch,
)
from flashwear.ftl.blocks import close, erase, leave, take, unlink, victim
from flashwear.ftl.slc import next_mode, oldest_cached, reclaimed, shut, used

Log = NDArray[np.int64]

AT_ONCE = 128  # pages of a block whose places in the map are fetched together


@jit
def open_next(a: Arrays, frontier: int, mode: int) -> None:
    """Close the block of a frontier, if it has one, and give it a free one in a mode."""
    if a.opened[frontier] >= 0:
        close(a, a.opened[frontier])
    pages = a.mode_pages[mode]
    if mode == OWN:
        block = a.counts[OLDEST_FREE]
        unlink(a, block, (OLDEST_FREE - OLDEST) // 2)
        a.counts[FREE_OWN] -= 1
    else:
        block = np.int64(take(a))
        a.counts[IN_SHARED] += mode
    if mode != MAIN:
        a.counts[HELD] += 1
        a.counts[STORED] += pages
    a.block[block].mode = mode
    a.block[block].status = OPEN
    a.frontier_of[block] = frontier
    a.counts[PARITY] += a.mode_parity[mode]
    a.valid[block] = pages
    a.opened[frontier] = block
    a.position[frontier] = block << a.rules[SHIFT]
    a.stop[frontier] = a.position[frontier] + pages


@inner
def copies_go_to(a: Arrays, block: int) -> int:
    """Return the frontier that takes the live pages of a victim.

    Pages that levelling moves have been at rest: among those that the host keeps writing they would
    be copied again and again, so that a drive with a single frontier has another for them.
    """
    arrangement = a.rules[FRONTIER]
    if a.counts[DUE] < 0:
        return 1
    if arrangement == HOT_COLD:
        return a.frontier_of[block]
    if arrangement == DAC:
        return max(a.frontier_of[block] - 1, 0)
    return 1 if arrangement == GC else 0


@jit
def clean(a: Arrays, block: int, log: Log) -> int:
    """Copy the live pages of a closed block to where they go, and erase it.

    Rows (source slot, target slot) of the copies go to `log` unless it is empty.
    """
    leave(a, block)
    frontier = copies_go_to(a, block)
    room = a.stop[frontier] - a.position[frontier]
    if room >= a.mode_pages[a.block[block].mode] and log.size == 0:
        live = move(a, block, a.position[frontier])
        a.position[frontier] += live
    else:
        live = gather(a, block)
        place(a, live, frontier, log)
    a.counts[COPIES] += live
    if a.block[block].mode != MAIN:
        a.counts[FOLDED] += live
    a.counts[ERASES] += 1
    a.cleaned[live] += 1
    erase(a, block)
    if a.rules[LEVEL]:
        a.counts[DUE] = a.block[block].erases
    return live


@inner
def move(a: Arrays, block: int, target: int) -> int:
    """Copy the live pages of a block to the slots from `target` on."""
    l2p, held = a.l2p, a.scratch
    live = gather(a, block)
    to = a.p2l[target : target + live]
    for i in range(live):
        page = held[i]
        to[i] = page
        l2p[np.uint32(page)] = target + i
    return live


@inner
def gather(a: Arrays, block: int) -> int:
    """Note the live pages of a block in `scratch`; give how many there are."""
    l2p, scratch = a.l2p, a.scratch
    start = np.int64(block) << a.rules[SHIFT]
    pages = a.mode_pages[a.block[block].mode]
    live = 0
    for first in range(start, start + pages, AT_ONCE):
        held = a.p2l[first : min(first + AT_ONCE, start + pages)]
        for i in range(held.size):
            prefetch(l2p, np.int64(held[i]))
        for i in range(held.size):
            page = held[i]
            scratch[np.uint32(live)] = page
            live += l2p[np.uint32(page)] == first + i
    return live


@inner
def place(a: Arrays, live: int, frontier: int, log: Log) -> None:
    """Write the pages noted in `scratch` to a frontier, opening blocks as they fill."""
    l2p, p2l = a.l2p, a.p2l
    done = 0
    while done < live:
        if a.position[frontier] == a.stop[frontier]:
            open_next(a, frontier, MAIN)
        target = a.position[frontier]
        run = min(live - done, a.stop[frontier] - target)
        held, to = a.scratch[done : done + run], p2l[target : target + run]
        if log.size:
            for i in range(run):
                log[done + i, 0], log[done + i, 1] = l2p[held[i]], target + i
        for i in range(run):
            page = held[i]
            to[i] = page
            l2p[np.uint32(page)] = target + i
        a.position[frontier] += run
        done += run


@inner
def least_worn(a: Arrays) -> int:
    """Return a closed block with the fewest erases of all, from a short list kept of them."""
    counts = a.counts
    for attempt in range(2):
        while counts[CANDIDATE] < a.candidates.size:
            block = a.candidates[counts[CANDIDATE]]
            if block < 0:
                break
            if a.block[block].status == CLOSED and a.block[block].erases == counts[LEAST_WORN]:
                return block
            counts[CANDIDATE] += 1
        if attempt:
            break
        least = np.int64(2**31)
        for block in range(a.rules[BLOCKS]):
            if a.block[block].status == CLOSED and a.block[block].erases < least:
                least = a.block[block].erases
        found = 0
        for block in range(a.rules[BLOCKS]):
            if a.block[block].status == CLOSED and a.block[block].erases == least:
                a.candidates[found] = block
                found += 1
                if found == a.candidates.size:
                    break
        a.candidates[found:] = -1
        counts[LEAST_WORN], counts[CANDIDATE] = least, 0
    return -1


@inner
def fits(a: Arrays, block: int) -> bool:
    """Say whether the live pages of a block have somewhere to go."""
    frontier = copies_go_to(a, block)
    return a.counts[POOL] > 0 or a.valid[block] <= a.stop[frontier] - a.position[frontier]


@jit
def next_to_clean(a: Arrays) -> int:
    """Return the block to clean now, or -1 if there is room enough or no more to be had.

    A block that levelling is due to move goes first. `WORN` is set when the drive has too few
    good blocks left to go on.
    """
    counts = a.counts
    if counts[DUE] > 0:
        erases, counts[DUE] = counts[DUE], 0
        block = least_worn(a)
        if block >= 0 and erases - counts[LEAST_WORN] > a.rules[LEVEL]:
            if a.rules[FRONTIER] == SINGLE:
                counts[DUE] = -1
            if fits(a, block):
                counts[LEVELLED] += a.valid[block]
                return block
            counts[DUE] = 0
    if counts[POOL] >= a.rules[RESERVE]:
        return -1
    if counts[GOOD] < a.rules[MINIMUM]:
        counts[WORN] = 1
        return -1
    block = reclaimed(a)
    if not fits(a, block):
        counts[WORN] = 1
        return -1
    return block


@jit
def next_to_fold(a: Arrays) -> int:
    """Return the block to clean before the host opens another one, -1 if none is to be.

    A cache that can take no more is folded, oldest first, until as much of it is left as the drive
    is set to; a host that may not pass it by waits at least until it can take a block.
    """
    counts = a.counts
    if not a.rules[CACHE]:
        return -1
    shut(a, 0)
    block = next_to_clean(a)
    if block >= 0 or counts[WORN]:
        return block
    full = next_mode(a) == MAIN
    if used(a) <= a.rules[FOLD_TO]:
        counts[FOLDING] = 0
    elif full:
        counts[FOLDING] = 1
    if not counts[FOLDING] and (a.rules[DIRECT] or not full):
        return -1
    block = oldest_cached(a)
    return block if block >= 0 else victim(a)


@inner
def make_room(a: Arrays, frontier: int, log: Log) -> None:
    """Open a new block for a frontier that is full, and clean until the pool is filled again."""
    mode = MAIN
    if frontier == 0 and a.rules[CACHE]:
        block = next_to_fold(a)
        while block >= 0:
            clean(a, block, log)
            block = next_to_fold(a)
        mode = next_mode(a)
    if a.counts[POOL] == 0 and mode != OWN:
        a.counts[WORN] = 1
        return
    open_next(a, frontier, mode)
    block = next_to_clean(a)
    while block >= 0:
        clean(a, block, log)
        block = next_to_clean(a)
    weigh_blank(a)


@jit
def weigh_blank(a: Arrays) -> None:
    """Add up, over the host writes since the last call, twice the blank pages that there were.

    Each host write takes one, and counts half of it; what cleaning gives back it gives between two
    calls.
    """
    counts = a.counts
    writes = counts[HOST] - counts[WEIGHED]
    counts[BLANK] += writes * (2 * counts[LEFT] - writes)
    counts[WEIGHED] = counts[HOST]
    left = counts[POOL] * a.mode_pages[0]
    for frontier in range(a.rules[FRONTIERS]):
        left += a.stop[frontier] - a.position[frontier]
    counts[LEFT] = left


@jit
def parity_written(a: Arrays) -> int:
    """Return the pages of parity written; those of open blocks are due as their stripes fill."""
    written, stripe = a.counts[PARITY], a.rules[STRIPE]
    if stripe == 0:
        return written
    for frontier in range(a.rules[FRONTIERS]):
        left = a.stop[frontier] - a.position[frontier]
        if a.opened[frontier] >= 0 and left > 0:
            mode = a.block[a.opened[frontier]].mode
            written -= a.mode_parity[mode] - (a.mode_pages[mode] - left) // stripe
    return written
