"""The loop over requests in compiled code: writes, trims and reads, and cleaning between them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import inner, jit
from flashwear.ftl._cleaning import Log, make_room, parity_written, weigh_blank
from flashwear.ftl.arrays import AHEAD, CLOSED, DAC, HOT_COLD, SINGLE, Arrays, prefetch
from flashwear.ftl.blocks import push
from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, READ, TEMPERATURE_SHIFT, TRIM

Requests = NDArray[np.int64]


@inner
def gets_room(a: Arrays, frontier: int, log: Log) -> bool:
    """Make room on a full frontier; return False if the drive is worn out, else True."""
    while a.position[frontier] == a.stop[frontier] and not a.counts.worn:
        make_room(a, frontier, log)
    return not a.counts.worn


@inner
def write_all(a: Arrays, requests: Requests, first: int, stop: int, log: Log) -> int:
    """Carry out `requests` from index `first` to `stop`, all writes; return where it stopped."""
    l2p, p2l, valid, counts, shift = a.l2p, a.p2l, a.valid, a.counts, a.rules.shift
    if counts.worn:
        return first
    slot, end = a.position[0], a.stop[0]
    host = mapped = 0
    for i in range(first, stop):
        prefetch(l2p, requests[i + AHEAD] & PAGE_MASK)
        page = requests[i] & PAGE_MASK
        old = l2p[page]
        if slot == end:
            counts.host_writes += host
            counts.mapped += mapped
            host = mapped = 0
            a.position[0] = slot
            if not gets_room(a, 0, log):
                return i  # the drive is worn out
            slot, end = a.position[0], a.stop[0]
            old = l2p[page]
        l2p[page] = slot
        p2l[slot] = page
        slot += 1
        host += 1
        if old >= 0:
            block = old >> shift
            left = valid[block] - 1
            valid[block] = left
            if left < counts.threshold and a.block[block].status == CLOSED:
                push(a, block)
        else:
            mapped += 1
    counts.host_writes += host
    counts.mapped += mapped
    a.position[0] = slot
    return stop


def _loop(arrangement: int) -> Callable[[Arrays, Requests, int, int, Log], int]:
    """Compile the loop over all kinds of requests for one way to choose the frontier of a write.

    Whether a page is trimmed or written, and mapped or not, is random and decides no branch: a trim
    does what a write does, but leaves its page in the last word of `p2l`, which is no slot.
    """

    @inner
    def loop(a: Arrays, requests: Requests, first: int, stop: int, log: Log) -> int:
        l2p, p2l, valid, counts = a.l2p, a.p2l, a.valid, a.counts
        position, ends, frontier_of = a.position, a.stop, a.frontier_of
        shift, last, nowhere = a.rules.shift, a.rules.frontiers - 1, a.p2l.size - 1
        frontier = 0
        slot, end = position[0], ends[0]
        worn = counts.worn != 0
        host = mapped = trims = 0
        for i in range(first, stop):
            prefetch(l2p, requests[i + AHEAD] & PAGE_MASK)
            request = requests[i]
            page = request & PAGE_MASK
            old = l2p[page]
            operation = request >> OPERATION_SHIFT
            if operation == READ:
                counts.host_reads += old >= 0
                continue
            writes = TRIM - operation  # 1 or 0: WRITE is 0 and TRIM is 1
            if arrangement == HOT_COLD:
                frontier = (request >> TEMPERATURE_SHIFT) & 255
            elif arrangement == DAC:
                frontier = 0
                if old >= 0:
                    frontier = min(frontier_of[old >> shift] + 1, last)
            if arrangement >= HOT_COLD:
                slot, end = position[frontier], ends[frontier]
            if ((slot == end) | worn) & writes:
                counts.host_writes += host
                host = 0
                position[frontier] = slot
                worn = not gets_room(a, frontier, log)
                slot, end = position[frontier], ends[frontier]
                if worn:
                    stop = i  # the first request that is not carried out
                    break
                old = l2p[page]
            was_mapped = np.int64(old >= 0)
            p2l[nowhere + (slot - nowhere) * writes] = page
            l2p[page] = (slot + 1) * writes - 1
            slot += writes
            if arrangement >= HOT_COLD:
                position[frontier] = slot
            host += writes
            trims += was_mapped & operation
            mapped += writes - was_mapped
            block = max(old, 0) >> shift
            left = valid[block] - was_mapped
            valid[block] = left
            if left < counts.threshold and was_mapped and a.block[block].status == CLOSED:
                push(a, block)
        counts.host_writes += host
        counts.mapped += mapped
        counts.trims += trims
        position[frontier] = slot
        return stop

    return loop


carry_out_singly, carry_out_by_temperature, carry_out_by_history = map(
    _loop, (SINGLE, HOT_COLD, DAC)
)


def _advance(load: int) -> Callable[..., tuple[int, int, int]]:
    """Return the function that carries out one kind of load; it is compiled when first called."""

    @jit
    def advance(
        a: Arrays, requests: Requests, size: int, stride: int, left: int, rows: Log, log: Log
    ) -> tuple[int, int, int]:
        """Carry out `size` requests (the array is longer by `AHEAD`), and record each step.

        A step is `stride` requests; `left` more end the one that has begun. Gives how many requests
        were carried out, fewer only if the drive is worn out, how many rows were noted, and how
        many requests are left of the step.
        """
        done = noted = 0
        while done < size:
            stop = min(done + left, size)
            if load == HOT_COLD:
                reached = carry_out_by_temperature(a, requests, done, stop, log)
            elif load == DAC:
                reached = carry_out_by_history(a, requests, done, stop, log)
            elif load == SINGLE:
                reached = carry_out_singly(a, requests, done, stop, log)
            else:
                reached = write_all(a, requests, done, stop, log)
            left -= reached - done
            done = reached
            if left == 0:
                note(a, rows, noted)
                noted += 1
                left = stride
            elif reached < stop:
                break  # the drive is worn out
        return done, noted, left

    return advance


WRITES_ALONE = -1
_ADVANCE = {load: _advance(load) for load in (WRITES_ALONE, SINGLE, HOT_COLD, DAC)}


def advance(arrangement: int, mixed: bool) -> Callable[..., tuple[int, int, int]]:
    """Return the compiled loop that carries out requests on a drive.

    `arrangement` is a number: 0 if host writes and copies share an open block, 1 for copies apart,
    2 for an open block for each temperature given, 3 for temperatures that the drive detects.
    `mixed` says whether there are trims or reads among the writes.
    """
    if arrangement >= HOT_COLD:
        return _ADVANCE[arrangement]
    return _ADVANCE[SINGLE if mixed else WRITES_ALONE]


@jit
def note(a: Arrays, rows: Log, row: int) -> None:
    """Write to row `row` of `rows`: host pages, programmed pages and the sum of blank pages."""
    weigh_blank(a)
    counts = a.counts
    rows[row, 0] = counts.host_writes
    rows[row, 1] = counts.host_writes + counts.copies + parity_written(a)
    rows[row, 2] = counts.blank_sum


@jit
def furthest(requests: Requests) -> tuple[int, int, int]:
    """Return the highest page, temperature and operation among the requests."""
    page = temperature = operation = 0
    for request in requests:
        page = max(page, request & PAGE_MASK)
        temperature = max(temperature, (request >> TEMPERATURE_SHIFT) & 255)
        operation = max(operation, (request >> OPERATION_SHIFT) & 0xFFFF)
    return page, temperature, operation
