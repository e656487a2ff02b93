"""What the flash translation layer holds: one tuple of arrays that compiled code works on.

A *slot* is where a page can lie: block number times a power of two, plus the page's place
in the block. A slot is live if and only if the map of its page points back to it, so an
overwrite marks nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from flashwear import _memory
from flashwear._compiled import by_pointer, inlined, whole_numbers, zero_record
from flashwear._extras import plain_numba


def _fetch(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        ask = builder.module.declare_intrinsic("llvm.prefetch.p0", fnty=kind)
        at = builder.inttoptr(arguments[0], pointer)
        builder.call(ask, [at, word(1), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate


fetch = cast(Callable[[np.int64], None], intrinsic(_fetch))


@inlined
def prefetch(array: NDArray[Any], index: np.int64 | int) -> None:
    """Ask the processor for one element of an array before it is needed; no bound is checked."""
    fetch(np.int64(array.ctypes.data) + index * array.itemsize)


def _call(typing_context: Any, code: Any, given: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, told = arguments[0], arguments[0 if plain_numba() else 1]
        kind = ir.FunctionType(ir.IntType(64), [told.type])
        return builder.call(builder.inttoptr(address, kind.as_pointer()), [told])

    return types.int64(types.int64, given), generate


# calls the code at an address with the arrays of a drive, unless these are no pointer
call = cast(Callable[[np.int64 | int, Any], int], intrinsic(_call))

GREEDY, FIFO, RANDOM, D_CHOICES, WINDOWED, COST_BENEFIT, OWN_POLICY = range(7)
NO_BLOCK, NOT_CLOSED, IN_VAIN = 1, 2, 3  # why a choice of a policy of the user is refused
FREE, OPEN, CLOSED, RETIRED, CLEANING, CACHED = range(6)  # closed blocks of the cache: CACHED
MAIN, SHARED, OWN = range(3)  # modes: all bits; SLC, of the pool; SLC, of the cache alone
MODES = 3
FREE_OWN = 3  # a further order of blocks: free ones of the cache alone, by the time of their erase
SINGLE, GC, HOT_COLD, DAC = range(4)

RULES = whole_numbers(
    "blocks",
    "shift",
    "policy",
    "policy_code",  # address of the user's own
    "choices",
    "window",
    "arrangement",  # of the frontiers
    "frontiers",
    "handles",  # frontiers that the host may name; copies mix in the one behind, if there is one
    "reserve",
    "minimum",
    "by_wear",
    "level",
    "stripe",
    "cache",  # whether there is one
    "own_blocks",
    "most_shared",
    "direct",
    "fold_to",  # blocks in SLC mode that are left when a full cache has been folded
)

COUNTS = whole_numbers(
    "host_writes",
    "host_reads",
    "copies",
    "erases",
    "trims",
    "mapped",
    "levelled",
    "parity",
    "free",  # blocks in the pool
    "releases",
    "good",
    "worn",
    "threshold",
    "lowest",
    "spare_node",
    "least_worn",
    "candidate",
    "due",  # erases of the block just cleaned, until levelling has looked at it; -1: it moves one
    "blank_sum",  # twice the blank pages, summed over host writes up to number `weighed`
    "weighed",
    "blank",  # pages, after that write
    "padded",  # pages left without data
    "under_way",  # blocks that are cleaned step by step
    "in_shared",  # blocks of the pool in SLC mode, those being cleaned too
    "free_own",
    "held",  # blocks in SLC mode, those being cleaned not counted
    "folding",  # whether a full cache is being folded
    "stored",  # pages of the host in the cache's blocks, the open one counted as full
    "folded",  # pages copied out of them
    "choice",  # the last one of the user's own policy
    "refused",  # why it cannot be carried out, 0: it can
    "in_vain",  # choices in a row that freed no page
    "noted",  # rows of the trail of cleaning step by step
    "note_every",  # blocks cleaned for each row
    "not_noted",  # blocks cleaned since the last
)

LEVEL_CANDIDATES = 64
TRAIL = 1024
_MANY = 2**17  # blocks
AHEAD = 64  # requests that the kernel looks ahead: their array is longer by as much


BLOCK = np.dtype(
    [
        ("stamp", np.int64),  # host writes when it was closed; pages copied since, if cleaned now
        ("wear", np.float64),  # erases, each at the price of the block's mode
        ("limit", np.float64),  # wear at which the block retires
        ("erases", np.int32),
        ("older", np.int32),  # neighbours in the order of closing
        ("newer", np.int32),
        ("status", np.int8),
        ("mode", np.int8),
    ],
    align=True,
)
_BLOCK_BYTES = BLOCK.itemsize + 53  # its record, and its places in the other arrays


@by_pointer
class Arrays(NamedTuple):
    """State of a simulated drive in arrays for compiled code: settings, counters, map, blocks.

    ``rules`` are settings and ``counts`` counters by name; ``random`` is the state of the random
    generator. A slot is the place of a page: block number times a power of two, plus its place in
    the block. ``l2p`` has the slot of each user page, ``p2l`` the user page of each slot. By block:
    ``valid``, live pages; ``frontier_of``, frontier that filled it; ``block``, erases, status and
    mode; ``slc_erases``. By frontier: ``position`` and ``stop``, next and last slot; ``opened``,
    open block. By mode (all bits, SLC): ``mode_pages``, ``mode_parity``, ``mode_wear``, data and
    parity pages of a block and wear of an erase. ``cleaned`` counts cleanings by
    frontier and live pages of the block, and ``trail_host`` and ``trail_copies`` have host writes
    and copies by each cleaning. The others order blocks.
    """

    rules: Any  # record of RULES, set once
    counts: Any  # record of COUNTS
    random: NDArray[np.uint64]
    l2p: NDArray[np.int32]  # slot of each user page, -1 where none
    p2l: NDArray[np.int32]  # user page in each slot; the last word is no slot, trims write there
    valid: NDArray[Any]  # live pages of a block; of an open one with those still to come
    frontier_of: NDArray[np.uint8]  # frontier that filled the block
    block: Any  # records of BLOCK
    pool_key: NDArray[np.int64]  # heap of free blocks: order of their release
    pool: NDArray[np.int32]
    head: NDArray[np.int32]  # greedy: top of the stack of each count of valid pages
    node_block: NDArray[np.int32]
    node_next: NDArray[np.int32]
    oldest: NDArray[np.int64]  # ends of the orders of closing, one of each mode, and of FREE_OWN
    newest: NDArray[np.int64]
    candidates: NDArray[np.int32]  # least-worn blocks found by the last search
    position: NDArray[np.int64]  # next slot of each frontier
    stop: NDArray[np.int64]
    opened: NDArray[np.int64]  # open block of each frontier, -1 before the first
    slc_erases: NDArray[np.int32]  # erases of each block in SLC mode
    mode_pages: NDArray[np.int64]  # pages of data that a block of each mode holds
    mode_parity: NDArray[np.int64]  # pages of parity beside them
    mode_wear: NDArray[np.float64]  # wear of an erase in each mode
    hidden: NDArray[np.int64]  # live pages of open blocks, while the user's own policy looks
    scratch: NDArray[np.int32]
    cleaned: NDArray[np.int64]  # cleanings by frontier, and then by number of valid pages
    trail_host: NDArray[np.int64]  # host writes, and copies, by the end of a cleaning step by step
    trail_copies: NDArray[np.int64]


def allocate(user_pages: int, blocks: int, pages_per_block: int, frontiers: int) -> Arrays:
    """Return the arrays of an empty drive, before settings such as the policy are written to them.

    `user_pages`, `blocks` and `frontiers` are numbers of pages for the host, of blocks, and of
    blocks open for writing at a time.
    """
    shift = max(1, int(pages_per_block - 1).bit_length())
    needed = 4 * (user_pages + (blocks << shift)) + _BLOCK_BYTES * blocks
    _memory.check(f"a drive of {user_pages:,} user pages in {blocks:,} blocks", needed)

    # many counts take less of the cache; 2**31 slots leave so many blocks fewer than 2**15 pages
    count = np.int16 if blocks >= _MANY else np.int32

    def full(size: int, value: int, kind: type) -> NDArray[Any]:
        return np.full(size, value, dtype=kind)

    arrays = Arrays(
        rules=zero_record(RULES),
        counts=zero_record(COUNTS),
        random=np.zeros(1, np.uint64),
        l2p=full(user_pages + 1, -1, np.int32),
        p2l=np.zeros((blocks << shift) + 1, np.int32),
        valid=np.zeros(blocks, count),
        frontier_of=np.zeros(blocks, np.uint8),
        block=np.zeros(blocks, BLOCK),
        pool_key=np.arange(blocks, dtype=np.int64),
        pool=np.arange(blocks, dtype=np.int32),
        head=full(pages_per_block + 2, -1, np.int32),
        node_block=np.zeros(4 * blocks, np.int32),
        node_next=np.arange(1, 4 * blocks + 1, dtype=np.int32),
        oldest=full(MODES + 1, -1, np.int64),
        newest=full(MODES + 1, -1, np.int64),
        candidates=full(LEVEL_CANDIDATES, -1, np.int32),
        position=np.zeros(frontiers, np.int64),
        stop=np.zeros(frontiers, np.int64),
        opened=full(frontiers, -1, np.int64),
        slc_erases=np.zeros(blocks, np.int32),
        mode_pages=full(MODES, pages_per_block, np.int64),
        mode_parity=np.zeros(MODES, np.int64),
        mode_wear=np.ones(MODES),
        hidden=np.zeros(frontiers, np.int64),
        scratch=np.zeros(pages_per_block, np.int32),
        cleaned=np.zeros(frontiers * (pages_per_block + 1), np.int64),
        trail_host=np.zeros(TRAIL, np.int64),
        trail_copies=np.zeros(TRAIL, np.int64),
    )
    arrays.block["limit"] = np.inf
    arrays.node_next[-1] = -1
    rules, counts = arrays.rules, arrays.counts
    rules.blocks, rules.shift = blocks, shift
    rules.frontiers = rules.handles = frontiers
    counts.free = counts.releases = counts.good = blocks
    counts.candidate, counts.note_every = LEVEL_CANDIDATES, 1
    return arrays
