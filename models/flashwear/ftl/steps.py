"""Cleaning page by page in compiled code, for a clock that runs between two pages.

What a :class:`flashwear.ftl.State` does at once when its pool runs low is cut into steps here, on
its arrays: a victim is chosen, its live pages are moved one by one while the host goes on writing,
and it is erased at the end. A page that the host overwrites meanwhile is not moved. No argument is
checked.
"""

from flashwear._compiled import inner, jit
from flashwear.ftl._cleaning import open_next
from flashwear.ftl.arrays import CLEANING, CLOSED, MAIN, TRAIL, Arrays
from flashwear.ftl.blocks import erase, leave, push, victim


@inner
def overwritten(a: Arrays, slot: int) -> None:
    """Decrement the count of valid pages of the block that holds a slot."""
    block = slot >> a.rules.shift
    left = a.valid[block] - 1
    a.valid[block] = left
    if left < a.counts.threshold and a.block[block].status == CLOSED:
        push(a, block)


@jit
def unmap(a: Arrays, page: int) -> None:
    """Remove a page from the map: trim it."""
    slot = a.l2p[page]
    if slot >= 0:
        a.l2p[page] = -1
        a.counts.trims += 1
        a.counts.mapped -= 1
        overwritten(a, slot)


@jit
def room(a: Arrays, frontier: int) -> int:
    """Return the number of blank pages in the open block of a frontier."""
    return int(a.stop[frontier] - a.position[frontier])


@jit
def open_if_full(a: Arrays, frontier: int, keep: int) -> bool:
    """Open a block if a frontier is full and over `keep` are free; return whether it has room."""
    if a.position[frontier] < a.stop[frontier]:
        return True
    if a.counts.free <= keep:
        return False
    open_next(a, frontier, MAIN)
    return True


@jit
def open_as(a: Arrays, frontier: int, mode: int) -> None:
    """Open a block in mode MAIN, SHARED or OWN for a full frontier; such a block must be free."""
    open_next(a, frontier, mode)


@jit
def place(a: Arrays, page: int, frontier: int) -> int:
    """Write a host page to a frontier with room; return its slot."""
    slot = int(a.position[frontier])
    old = a.l2p[page]
    a.l2p[page], a.p2l[slot] = slot, page
    a.position[frontier] = slot + 1
    a.counts.host_writes += 1
    if old >= 0:
        overwritten(a, old)
    else:
        a.counts.mapped += 1
    return slot


@jit
def pad(a: Arrays, frontier: int) -> int:
    """Leave the next slot of a frontier, which must have room, without data; return the slot."""
    slot = int(a.position[frontier])
    a.p2l[slot] = a.l2p.size - 1
    a.position[frontier] = slot + 1
    block = a.opened[frontier]
    a.valid[block] -= 1
    a.counts.padded += 1
    if a.block[block].mode != MAIN:
        a.counts.stored -= 1
    return slot


@jit
def begin(a: Arrays) -> int:
    """Choose a victim among the closed main blocks (there must be one) to be cleaned in steps."""
    block = victim(a)
    begin_with(a, block)
    return block


@jit
def begin_with(a: Arrays, block: int) -> None:
    """Make the given closed block the victim."""
    leave(a, block)
    a.counts.under_way += 1
    a.block[block].status = CLEANING
    a.block[block].stamp = 0  # pages copied from it


@jit
def move(a: Arrays, page: int, source: int, frontier: int) -> int:
    """Copy a page from slot `source` to a frontier; return the new slot, or -1 if overwritten."""
    if a.l2p[page] != source:
        return -1
    slot = int(a.position[frontier])
    a.l2p[page], a.p2l[slot] = slot, page
    a.position[frontier] = slot + 1
    a.counts.copies += 1
    block = source >> a.rules.shift
    if a.block[block].mode != MAIN:
        a.counts.folded += 1
    a.valid[block] -= 1
    a.block[block].stamp += 1
    return slot


@jit
def finish(a: Arrays, block: int) -> None:
    """Erase a victim that has no live pages left."""
    a.counts.erases += 1
    a.counts.under_way -= 1
    a.cleaned[a.frontier_of[block] * (a.scratch.size + 1) + a.block[block].stamp] += 1
    a.counts.not_noted += 1
    if a.counts.not_noted >= a.counts.note_every:
        note(a)
    erase(a, block)


@inner
def note(a: Arrays) -> None:
    """Record host writes and copies so far; a full record is thinned to every other row."""
    counts, host, copies = a.counts, a.trail_host, a.trail_copies
    if counts.noted == TRAIL:
        for row in range(TRAIL // 2):
            host[row], copies[row] = host[2 * row + 1], copies[2 * row + 1]
        counts.noted = TRAIL // 2
        counts.note_every *= 2
    host[counts.noted], copies[counts.noted] = counts.host_writes, counts.copies
    counts.noted += 1
    counts.not_noted = 0
