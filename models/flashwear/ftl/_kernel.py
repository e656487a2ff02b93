"""The loop over requests in compiled code: writes, trims and reads, and cleaning between them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear.ftl._arrays import (
    AHEAD,
    BLANK,
    BLOCKS,
    CANDIDATE,
    CLOSED,
    COPIES,
    DAC,
    DUE,
    ERASES,
    FRONTIER,
    FRONTIERS,
    GC,
    GOOD,
    HOST,
    HOT_COLD,
    LEAST_WORN,
    LEFT,
    LEVEL,
    LEVELLED,
    MAPPED,
    MINIMUM,
    OPEN,
    PARITY,
    POOL,
    READS,
    RESERVE,
    SHIFT,
    SINGLE,
    THRESHOLD,
    TRIMS,
    WEIGHED,
    WORN,
    Arrays,
    prefetch,
)
from flashwear.ftl._blocks import close, erase, push, take, unlink, victim
from flashwear.workloads import (
    OPERATION_SHIFT,
    PAGE_MASK,
    TEMPERATURE_SHIFT,
    TRIM,
    WRITE,
)

Requests = NDArray[np.int64]
Log = NDArray[np.int64]


@jit
def open_next(a: Arrays, frontier: int) -> None:
    """Close the block of a frontier, if it has one, and give it a free one."""
    if a.opened[frontier] >= 0:
        close(a, a.opened[frontier])
    block = take(a)
    a.block[block].status = OPEN
    a.frontier_of[block] = frontier
    pages = a.mode_pages[a.block[block].mode]
    a.counts[PARITY] += a.mode_parity[a.block[block].mode]
    a.valid[block] = pages
    a.opened[frontier] = block
    a.position[frontier] = block << a.rules[SHIFT]
    a.stop[frontier] = a.position[frontier] + pages


@jit
def copies_go_to(a: Arrays, block: int) -> int:
    """Give the frontier that takes the live pages of a victim.

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
    unlink(a, block)
    frontier = copies_go_to(a, block)
    room = a.stop[frontier] - a.position[frontier]
    if room >= a.mode_pages[a.block[block].mode] and log.size == 0:
        live = move(a, block, a.position[frontier])
        a.position[frontier] += live
    else:
        live = gather(a, block)
        place(a, live, frontier, log)
    a.counts[COPIES] += live
    a.counts[ERASES] += 1
    a.cleaned[live] += 1
    erase(a, block)
    if a.rules[LEVEL]:
        a.counts[DUE] = a.block[block].erases
    return live


@jit
def move(a: Arrays, block: int, target: int) -> int:
    """Copy the live pages of a block to the slots from `target` on, in one pass."""
    l2p = a.l2p
    start = np.int64(block) << a.rules[SHIFT]
    pages = a.mode_pages[a.block[block].mode]
    held, to = a.p2l[start : start + pages + AHEAD], a.p2l[target : target + pages]
    live = 0
    for i in range(AHEAD):
        prefetch(l2p, np.int64(held[i]))
    for i in range(pages):
        prefetch(l2p, np.int64(held[i + AHEAD]))
        page = held[i]
        slot = np.int64(l2p[np.uint32(page)])
        alive = slot == start + i
        to[np.uint32(live)] = page
        l2p[np.uint32(page)] = target + live if alive else slot
        live += alive
    return live


@jit
def gather(a: Arrays, block: int) -> int:
    """Note the live pages of a block in `scratch`; give how many there are."""
    l2p, scratch = a.l2p, a.scratch
    start = np.int64(block) << a.rules[SHIFT]
    pages = a.mode_pages[a.block[block].mode]
    held = a.p2l[start : start + pages + AHEAD]
    live = 0
    for i in range(AHEAD):
        prefetch(l2p, np.int64(held[i]))
    for i in range(pages):
        prefetch(l2p, np.int64(held[i + AHEAD]))
        page = held[i]
        scratch[live] = page
        live += l2p[np.uint32(page)] == start + i
    return live


@jit
def place(a: Arrays, live: int, frontier: int, log: Log) -> None:
    """Write the pages noted in `scratch` to a frontier, opening blocks as they fill."""
    l2p, p2l = a.l2p, a.p2l
    done = 0
    while done < live:
        if a.position[frontier] == a.stop[frontier]:
            open_next(a, frontier)
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


@jit
def least_worn(a: Arrays) -> int:
    """Give a closed block with the fewest erases of all, from a short list kept of them."""
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


@jit
def fits(a: Arrays, block: int) -> bool:
    """Say whether the live pages of a block have somewhere to go."""
    frontier = copies_go_to(a, block)
    return a.counts[POOL] > 0 or a.valid[block] <= a.stop[frontier] - a.position[frontier]


@jit
def next_to_clean(a: Arrays) -> int:
    """Give the block to clean now, or -1 if there is room enough or no more to be had.

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
    block = victim(a)
    if not fits(a, block):
        counts[WORN] = 1
        return -1
    return block


@jit
def make_room(a: Arrays, frontier: int, log: Log) -> None:
    """Open a new block for a frontier that is full, and clean until the pool is filled again."""
    if a.counts[POOL] == 0:
        a.counts[WORN] = 1
        return
    open_next(a, frontier)
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
def overwritten(a: Arrays, slot: int) -> None:
    """Count a page less in the block of a slot."""
    block = slot >> a.rules[SHIFT]
    left = a.valid[block] - 1
    a.valid[block] = left
    if left < a.counts[THRESHOLD] and a.block[block].status == CLOSED:
        push(a, block)


@jit
def other(a: Arrays, request: int) -> None:
    """Carry out a trim or a read."""
    page = request & PAGE_MASK
    slot = a.l2p[page]
    if slot < 0:
        return
    if (request >> OPERATION_SHIFT) == TRIM:
        a.l2p[page] = -1
        a.counts[TRIMS] += 1
        a.counts[MAPPED] -= 1
        overwritten(a, slot)
    else:
        a.counts[READS] += 1


def _loop(arrangement: int) -> Callable[[Arrays, Requests, int, Log], int]:
    """Compile the loop over requests for one way to choose the frontier of a host write."""

    @jit
    def advance(a: Arrays, requests: Requests, size: int, log: Log) -> int:
        """Carry out the first `size` requests (the array is longer by `AHEAD`).

        Gives how many were carried out: fewer only if the drive is worn out.
        """
        l2p, p2l, valid, counts = a.l2p, a.p2l, a.valid, a.counts
        shift = a.rules[SHIFT]
        last = a.rules[FRONTIERS] - 1
        frontier = 0
        slot, stop = a.position[0], a.stop[0]
        worn = counts[WORN] != 0
        host = 0
        for i in range(size):
            prefetch(l2p, requests[i + AHEAD] & PAGE_MASK)
            request = requests[i]
            if request >> OPERATION_SHIFT != WRITE:
                other(a, request)
                continue
            page = request & PAGE_MASK
            old = l2p[page]
            if arrangement == HOT_COLD:
                frontier = (request >> TEMPERATURE_SHIFT) & 255
            elif arrangement == DAC:
                frontier = 0
                if old >= 0:
                    frontier = min(a.frontier_of[old >> shift] + 1, last)
            if arrangement >= HOT_COLD:
                slot, stop = a.position[frontier], a.stop[frontier]
            if slot == stop or worn:
                counts[HOST] += host
                host = 0
                a.position[frontier] = slot
                while a.position[frontier] == a.stop[frontier] and counts[WORN] == 0:
                    make_room(a, frontier, log)
                if counts[WORN] != 0:
                    return i
                slot, stop = a.position[frontier], a.stop[frontier]
                old = l2p[page]
            l2p[page] = slot
            p2l[slot] = page
            slot += 1
            host += 1
            if arrangement >= HOT_COLD:
                a.position[frontier] = slot
            if old >= 0:
                block = old >> shift
                left = valid[block] - 1
                valid[block] = left
                if left < counts[THRESHOLD] and a.block[block].status == CLOSED:
                    push(a, block)
            else:
                counts[MAPPED] += 1
        counts[HOST] += host
        if arrangement < HOT_COLD:
            a.position[0] = slot
        return size

    return advance


advance_single = _loop(SINGLE)
advance_by_temperature = _loop(HOT_COLD)
advance_by_history = _loop(DAC)


@jit
def furthest(requests: Requests) -> tuple[int, int, int]:
    """Give the highest page, temperature and operation among requests."""
    page = temperature = operation = 0
    for request in requests:
        page = max(page, request & PAGE_MASK)
        temperature = max(temperature, (request >> TEMPERATURE_SHIFT) & 255)
        operation = max(operation, (request >> OPERATION_SHIFT) & 0xFFFF)
    return page, temperature, operation
