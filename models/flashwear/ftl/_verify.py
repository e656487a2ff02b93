"""Check that the map, the blocks and the counters of a drive agree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear.ftl import arrays
from flashwear.ftl.state import State

_CHUNK = 1 << 22


def verify(state: State) -> None:
    """Check a drive's state page by page; raise an error if anything is inconsistent.

    It checks the map (each user page with data points to a physical page that holds it, no two to
    the same), the counts of live pages, that every block is free, open, closed or retired, that the
    lists of free and closed blocks are complete and in order, and that all counters add up.

    Parameters
    ----------
    state : State
        The drive, in any state between two requests.

    Raises
    ------
    AssertionError
        Naming what does not agree, with the numbers.

    Examples
    --------
    >>> drive = State(user_pages=1000, op=0.3, pages_per_block=16)
    >>> drive.run(range(1000))
    1000
    >>> verify(drive)
    >>> drive.arrays.l2p[7] = 8
    >>> verify(drive)
    Traceback (most recent call last):
        ...
    AssertionError: page 7 is mapped to slot 8, which holds page 8
    """
    a = state.arrays
    live = _live_pages(state)
    opened = a.opened[a.opened >= 0]
    to_come = np.zeros(state.blocks, np.int64)
    to_come[opened] = (a.stop - a.position)[a.opened >= 0]
    cleaning = a.block["status"] == arrays.CLEANING
    in_service = np.isin(
        a.block["status"], (arrays.OPEN, arrays.CLOSED, arrays.CACHED, arrays.CLEANING)
    )
    _same("live pages in a block that is erased or retired", live[~in_service].sum(), 0)
    wrong = np.flatnonzero(in_service & (live != a.valid - to_come))
    if wrong.size:
        block = wrong[0]
        counted = a.valid[block] - to_come[block]
        raise AssertionError(f"block {block} counts {counted} live pages and has {live[block]}")
    _same("mapped pages and the count of them", live.sum(), state.mapped_pages)
    _blocks(state, opened)
    counts = a.counts
    _same("erases by block and in all", a.block["erases"].sum(dtype=np.int64), counts.erases)
    _same("cleanings and erases", a.cleaned.sum(), counts.erases)
    sizes = np.arange(a.cleaned.size) % (a.scratch.size + 1)
    copied = a.cleaned @ sizes + a.block["stamp"][cleaning].sum()
    _same("pages copied by victim and in all", copied, state.copies)
    in_mode = _erases_by_mode(state)
    in_mode[a.block["mode"], np.arange(state.blocks)] += in_service
    written = int((a.mode_pages @ in_mode).sum() - to_come.sum())
    programmed = state.host_writes + state.copies + counts.padded
    _same("pages programmed by block and in all", written, programmed)
    striped = (a.mode_parity @ in_mode).sum()
    _same("pages of parity by block and in all", counts.parity, striped)
    worn = a.mode_wear @ _erases_by_mode(state)
    if not np.allclose(a.block["wear"], worn, rtol=1e-9, atol=0):
        raise AssertionError("wear of the blocks and the price of their erases do not agree")
    _cache(state, in_mode, in_service)
    retired = a.block["status"] == arrays.RETIRED
    _equal("blocks retired and those at their limit", a.block["wear"] >= a.block["limit"], retired)
    own = a.block["mode"] == arrays.OWN
    released = (~own).sum() + a.block["erases"][~own].sum(dtype=np.int64) - retired.sum()
    _same("releases to the pool", counts.releases, released)
    gone = counts.trims
    _ordered("none and the count of trims", 0, gone)
    _ordered(
        "pages mapped or trimmed and those written", state.mapped_pages + gone, state.host_writes
    )
    _ordered("copies of levelling", counts.levelled, state.copies)


def _erases_by_mode(state: State) -> NDArray[np.int64]:
    """Return the erases of each block in each mode: rows of main mode, shared and own blocks."""
    a = state.arrays
    own = a.block["mode"] == arrays.OWN
    slc = a.slc_erases.astype(np.int64)
    return np.array([a.block["erases"] - slc, np.where(own, 0, slc), np.where(own, slc, 0)])


def _cache(state: State, in_mode: NDArray[np.int64], in_service: NDArray[np.bool_]) -> None:
    """Check what is counted of blocks in SLC mode; `in_mode` are blocks used, by mode."""
    a, counts = state.arrays, state.arrays.counts
    mode = a.block["mode"]
    shared = int((in_service & (mode == arrays.SHARED)).sum())
    _same("blocks of the pool in SLC mode", counts.in_shared, shared)
    _ordered("blocks of the pool in SLC mode", shared, a.rules.most_shared)
    _same("blocks of the cache", (mode == arrays.OWN).sum(), a.rules.own_blocks)
    held = in_service & (mode != arrays.MAIN) & (a.block["status"] != arrays.CLEANING)
    _same("blocks that hold the cache", counts.held, held.sum())
    cleaned = (a.block["status"] == arrays.CLEANING).sum()
    _same("blocks that are cleaned", counts.under_way, cleaned)
    stored = (a.mode_pages[arrays.SHARED :] @ in_mode[arrays.SHARED :]).sum()
    _ordered("pages stored and room for them in the cache", counts.stored, int(stored))
    _ordered("pages without data", int(stored), counts.stored + counts.padded)
    _ordered("pages stored in the cache and written", state.cache_writes, state.host_writes)
    _ordered("copies out of the cache", state.fold_copies, state.copies)
    _ordered("copies out of the cache and writes to it", state.fold_copies, state.cache_writes)


def _live_pages(state: State) -> NDArray[np.int64]:
    """Count the live pages of each block, after checking the map both ways."""
    a = state.arrays
    slots = state.blocks << int(a.rules.shift)
    live = np.zeros(state.blocks, np.int64)
    _same("slot of the page beyond the last", a.l2p[-1], -1)
    for start in range(0, state.user_pages, _CHUNK):
        slot = a.l2p[start : min(start + _CHUNK, state.user_pages)]
        page = np.flatnonzero(slot >= 0) + start
        slot = slot[slot >= 0]
        if slot.size and int(slot.max()) >= slots:
            raise AssertionError(f"page {page[slot.argmax()]} is mapped beyond the last slot")
        place = slot & (1 << int(a.rules.shift)) - 1
        beyond = place >= a.mode_pages[a.block["mode"][slot >> int(a.rules.shift)]]
        if beyond.any():
            i = int(beyond.argmax())
            raise AssertionError(f"page {page[i]} is mapped beyond the pages of its block")
        held = a.p2l[slot]
        wrong = np.flatnonzero(held != page)
        if wrong.size:
            i = wrong[0]
            raise AssertionError(
                f"page {page[i]} is mapped to slot {slot[i]}, which holds page {held[i]}"
            )
        live += np.bincount(slot >> int(a.rules.shift), minlength=state.blocks)
    return live


def _blocks(state: State, opened: NDArray[np.int64]) -> None:
    """Check the pool, the order of closed blocks and the frontiers against each block's status."""
    a = state.arrays
    status, own = a.block["status"], a.block["mode"] == arrays.OWN
    free = np.sort(a.pool[: a.counts.free])
    of_pool = np.flatnonzero((status == arrays.FREE) & ~own)
    _equal("pool and status of free blocks", free, of_pool)
    spare = np.sort(_order(state, arrays.FREE_OWN))
    _equal(
        "order and status of the cache's free blocks",
        spare,
        np.flatnonzero((status == arrays.FREE) & own),
    )
    _same("free blocks of the cache", a.counts.free_own, spare.size)
    _equal(
        "frontiers and status of open blocks",
        np.sort(opened),
        np.flatnonzero(a.block["status"] == arrays.OPEN),
    )
    for frontier in np.flatnonzero(a.opened >= 0):
        block = int(a.opened[frontier])
        start = block << int(a.rules.shift)
        stop = start + int(a.mode_pages[a.block["mode"][block]])
        _same(f"end of frontier {frontier} and of its block {block}", int(a.stop[frontier]), stop)
        if not start <= a.position[frontier] <= stop:
            raise AssertionError(f"frontier {frontier} is not in its block {block}")
        _same(f"frontier of block {block}", int(a.frontier_of[block]), int(frontier))
    _same("good blocks", a.counts.good, (a.block["status"] != arrays.RETIRED).sum())
    for mode in range(arrays.MODES):
        closed = _order(state, mode)
        kept = arrays.CLOSED if mode == arrays.MAIN else arrays.CACHED
        of_mode = np.flatnonzero((status == kept) & (a.block["mode"] == mode))
        _equal("order and status of closed blocks", np.sort(closed), of_mode)
        if not (np.diff(a.block["stamp"][closed]) >= 0).all():
            raise AssertionError("closed blocks are not in the order of closing")
    _pool(a)
    if not state.worn_out:  # then the last block looked at has left its stack in vain
        _stacks(a)


def _order(state: State, order: int) -> NDArray[np.int64]:
    """Return the blocks of an order from its start, after checking it both ways."""
    a = state.arrays
    found: list[int] = []
    block, before = int(a.oldest[order]), -1
    while block >= 0 and len(found) <= state.blocks:
        _same(f"block closed before block {block}", int(a.block["older"][block]), before)
        found.append(block)
        block, before = int(a.block["newer"][block]), block
    _same("block closed last", int(a.newest[order]), before)
    return np.array(found, np.int64)


def _pool(a: arrays.Arrays) -> None:
    """Check that no free block comes before the one above it in the heap."""
    size = int(a.counts.free)
    key, block = a.pool_key[:size], a.pool[:size]
    _same("free blocks released at one time", np.unique(key).size, size)
    if size:
        _ordered("release of a free block", int(key.max()) + 1, a.counts.releases)
    rank = np.empty(size, np.int64)
    wear = a.block["erases"][block] * int(a.rules.by_wear)
    rank[np.lexsort((key, wear))] = np.arange(size)
    if (rank[(np.arange(1, size) - 1) // 2] > rank[1:]).any():
        raise AssertionError("free blocks are not in the order in which they are to be taken")


def _stacks(a: arrays.Arrays) -> None:
    """Check that the stacks hold each closed block with few live pages, and all nodes once."""
    level = np.full(a.node_next.size, -2, np.int64)
    whole = _chain(int(a.counts.spare_node), a.node_next, level, -1)
    for pages, first in enumerate(a.head.tolist()):
        whole &= _chain(first, a.node_next, level, pages)
    if not whole or (level == -2).any():
        raise AssertionError("a note of a block is on two stacks, or on none")
    noted = np.zeros(a.valid.size, np.bool_)
    noted[a.node_block[(level >= 0) & (a.valid[a.node_block] == level)]] = True
    few = (a.block["status"] == arrays.CLOSED) & (a.valid < a.counts.threshold)
    if not noted[few].all():
        raise AssertionError(f"block {np.flatnonzero(few & ~noted)[0]} is on no stack of its count")
    if few.any():
        _ordered("lowest stack in use", a.counts.lowest, a.valid[few].min())


@jit
def _chain(first: int, following: NDArray[np.int32], mark: NDArray[np.int64], value: int) -> bool:
    """Mark the nodes of a list; say whether all were unmarked before."""
    node = first
    while node >= 0:
        if node >= mark.size or mark[node] != -2:
            return False
        mark[node] = value
        node = following[node]
    return True


def _same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise AssertionError(f"{what}: {found} against {expected}")


def _ordered(what: str, found: int, limit: int) -> None:
    if found > limit:
        raise AssertionError(f"{what}: {found}, more than {limit}")


def _equal(what: str, found: NDArray[Any], expected: NDArray[Any]) -> None:
    if not np.array_equal(found, expected):
        raise AssertionError(f"{what} do not agree")
