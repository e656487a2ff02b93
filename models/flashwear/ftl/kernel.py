"""The loop over requests in compiled code: writes, trims and reads, and cleaning between them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear.ftl._cleaning import Log, make_room
from flashwear.ftl.arrays import (
    AHEAD,
    CLOSED,
    DAC,
    FRONTIERS,
    HOST,
    HOT_COLD,
    MAPPED,
    READS,
    SHIFT,
    SINGLE,
    THRESHOLD,
    TRIMS,
    WORN,
    Arrays,
    prefetch,
)
from flashwear.ftl.blocks import push
from flashwear.workloads import (
    OPERATION_SHIFT,
    PAGE_MASK,
    TEMPERATURE_SHIFT,
    TRIM,
    WRITE,
)

Requests = NDArray[np.int64]


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
    """Return the highest page, temperature and operation among requests."""
    page = temperature = operation = 0
    for request in requests:
        page = max(page, request & PAGE_MASK)
        temperature = max(temperature, (request >> TEMPERATURE_SHIFT) & 255)
        operation = max(operation, (request >> OPERATION_SHIFT) & 0xFFFF)
    return page, temperature, operation
