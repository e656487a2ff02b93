"""Cleaning in compiled code: blocks opened, live pages copied, blocks erased."""

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import inner, jit
from flashwear.ftl.arrays import (
    CLOSED,
    DAC,
    FREE_OWN,
    GC,
    HOT_COLD,
    MAIN,
    OPEN,
    OWN,
    SINGLE,
    Arrays,
    prefetch,
)
from flashwear.ftl.blocks import close, erase, leave, take, unlink, victim
from flashwear.ftl.slc import next_mode, oldest_cached, reclaimed, shut, used

Log = NDArray[np.int64]

AT_ONCE = 128  # pages of a block whose places in the map are fetched together


@jit
def open_next(a: Arrays, frontier: int, mode: int) -> None:
    """Close a frontier's open block, if any, and open a free one: MAIN, SHARED or OWN by `mode`."""
    if a.opened[frontier] >= 0:
        close(a, a.opened[frontier])
    pages = a.mode_pages[mode]
    if mode == OWN:
        block = a.oldest[FREE_OWN]
        unlink(a, block, FREE_OWN)
        a.counts.free_own -= 1
    else:
        block = np.int64(take(a))
        a.counts.in_shared += mode
    if mode != MAIN:
        a.counts.held += 1
        a.counts.stored += pages
    a.block[block].mode = mode
    a.block[block].status = OPEN
    a.frontier_of[block] = frontier
    a.counts.parity += a.mode_parity[mode]
    a.valid[block] = pages
    a.opened[frontier] = block
    a.position[frontier] = block << a.rules.shift
    a.stop[frontier] = a.position[frontier] + pages


@inner
def copies_go_to(a: Arrays, block: int) -> int:
    """Return the frontier (open block) to which the live pages of a victim are copied.

    Pages that wear levelling moves are cold. Among pages that the host keeps writing they would be
    copied again and again, so a drive with a single frontier has another one for them.
    """
    arrangement = a.rules.arrangement
    if a.counts.due < 0:
        return 1
    if arrangement == HOT_COLD:
        return a.frontier_of[block] if a.rules.handles == a.rules.frontiers else a.rules.handles
    if arrangement == DAC:
        return max(a.frontier_of[block] - 1, 0)
    return 1 if arrangement == GC else 0


@jit
def clean(a: Arrays, block: int, log: Log) -> int:
    """Copy the live pages of a closed block to their frontier, and erase the block.

    A slot is the place of a page on the flash. The source and target slots of the copies are
    written to `log` unless it is empty. The result is the number of live pages.
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
    a.counts.copies += live
    if a.block[block].mode != MAIN:
        a.counts.folded += live
    a.counts.erases += 1
    a.cleaned[a.frontier_of[block] * (a.scratch.size + 1) + live] += 1
    erase(a, block)
    if a.rules.level:
        a.counts.due = a.block[block].erases
    return live


@inner
def move(a: Arrays, block: int, target: int) -> int:
    """Copy the live pages of a block to slots from `target` on; return the slot after the last."""
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
    """Collect the live pages of a block in the drive's array `scratch`; return their number."""
    l2p, scratch = a.l2p, a.scratch
    start = np.int64(block) << a.rules.shift
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
    """Write the first `live` pages in `scratch` to a frontier, opening new blocks as needed."""
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
    """Return a closed block with the fewest erases, from a cached list of candidates."""
    counts = a.counts
    for attempt in range(2):
        while counts.candidate < a.candidates.size:
            block = a.candidates[counts.candidate]
            if block < 0:
                break
            if a.block[block].status == CLOSED and a.block[block].erases == counts.least_worn:
                return block
            counts.candidate += 1
        if attempt:
            break
        least = np.int64(2**31)
        for block in range(a.rules.blocks):
            if a.block[block].status == CLOSED and a.block[block].erases < least:
                least = a.block[block].erases
        found = 0
        for block in range(a.rules.blocks):
            if a.block[block].status == CLOSED and a.block[block].erases == least:
                a.candidates[found] = block
                found += 1
                if found == a.candidates.size:
                    break
        a.candidates[found:] = -1
        counts.least_worn, counts.candidate = least, 0
    return -1


@inner
def fits(a: Arrays, block: int) -> bool:
    """Return whether the live pages of a block have room on the frontier that takes them."""
    frontier = copies_go_to(a, block)
    return a.counts.free > 0 or a.valid[block] <= a.stop[frontier] - a.position[frontier]


@jit
def next_to_clean(a: Arrays) -> int:
    """Return the block to clean now, or -1 if enough blocks are free or none can be freed.

    A block that wear levelling is due to move goes first. `worn` is set when the drive has too few
    good blocks left to go on.
    """
    counts = a.counts
    if counts.due > 0:
        erases, counts.due = counts.due, 0
        block = least_worn(a)
        if block >= 0 and erases - counts.least_worn > a.rules.level:
            if a.rules.arrangement == SINGLE:
                counts.due = -1
            if fits(a, block):
                counts.levelled += a.valid[block]
                return block  # wear levelling moves its pages
            counts.due = 0
    if counts.free >= a.rules.reserve:
        return -1  # enough blocks are free
    if counts.good < a.rules.minimum:
        counts.worn = 1  # too many blocks are retired
        return -1
    block = reclaimed(a)
    if block < 0 or not fits(a, block):
        counts.worn = 1  # none can be freed
        return -1
    return block


@jit
def next_to_fold(a: Arrays) -> int:
    """Return the block to clean before the host opens another one, or -1 if none is due.

    A full cache is folded, oldest block first, down to `fold_to` blocks. A host that may not bypass
    the cache waits at least until it can take a block.
    """
    counts = a.counts
    if not a.rules.cache:
        return -1  # there is no cache
    shut(a, 0)
    block = next_to_clean(a)
    if block >= 0 or counts.worn:
        return block  # the reserve of the pool goes first
    full = next_mode(a) == MAIN
    if used(a) <= a.rules.fold_to:
        counts.folding = 0
    elif full:
        counts.folding = 1
    if not counts.folding and (a.rules.direct or not full):
        return -1  # the cache takes the next block, or the host passes it by
    block = oldest_cached(a)
    return block if block >= 0 else victim(a)


@inner
def make_room(a: Arrays, frontier: int, log: Log) -> None:
    """Open a new block for a full frontier, and clean until the pool has its reserve again."""
    mode = MAIN
    if frontier == 0 and a.rules.cache:
        block = next_to_fold(a)
        while block >= 0:
            clean(a, block, log)
            block = next_to_fold(a)
        mode = next_mode(a)
    if a.counts.free == 0 and mode != OWN:
        a.counts.worn = 1  # no block is free to open
        return
    open_next(a, frontier, mode)
    block = next_to_clean(a)
    while block >= 0:
        clean(a, block, log)
        block = next_to_clean(a)
    weigh_blank(a)


@jit
def weigh_blank(a: Arrays) -> None:
    """Update the sum of blank pages over host writes, from which their mean is computed.

    A page that a host write takes counts as half blank during this write. Pages that cleaning
    frees become blank between two calls.
    """
    counts = a.counts
    writes = counts.host_writes - counts.weighed
    counts.blank_sum += writes * (2 * counts.blank - writes)
    counts.weighed = counts.host_writes
    left = counts.free * a.mode_pages[0]
    for frontier in range(a.rules.frontiers):
        left += a.stop[frontier] - a.position[frontier]
    counts.blank = left


@jit
def parity_written(a: Arrays) -> int:
    """Return the pages of parity written; an open block gets its parity as its stripes fill."""
    written, stripe = a.counts.parity, a.rules.stripe
    if stripe == 0:
        return written
    for frontier in range(a.rules.frontiers):
        left = a.stop[frontier] - a.position[frontier]
        if a.opened[frontier] >= 0 and left > 0:
            mode = a.block[a.opened[frontier]].mode
            written -= a.mode_parity[mode] - (a.mode_pages[mode] - left) // stripe
    return written
