"""The SLC cache in compiled code: which blocks are opened, and which are folded."""

from flashwear._compiled import inner, jit
from flashwear.ftl.arrays import CLOSED, MAIN, OWN, SHARED, Arrays
from flashwear.ftl.blocks import close, victim


@jit
def next_mode(a: Arrays) -> int:
    """Return the mode of the block that the host opens next.

    A shared block is used in SLC mode only if the pool keeps its reserve without it: the cache
    gives way to data.
    """
    if a.counts.free_own > 0:
        return OWN
    if a.counts.in_shared < a.rules.most_shared and a.counts.free > a.rules.reserve:
        return SHARED
    return MAIN


@jit
def used(a: Arrays) -> int:
    """Return the number of blocks in SLC mode that are not erased."""
    return a.counts.in_shared + a.rules.own_blocks - a.counts.free_own


@jit
def shut(a: Arrays, frontier: int) -> None:
    """Close a frontier's open block if it is full, without opening another one."""
    if a.opened[frontier] >= 0 and a.position[frontier] == a.stop[frontier]:
        close(a, a.opened[frontier])
        a.opened[frontier] = -1


@jit
def oldest_cached(a: Arrays) -> int:
    """Return the block in SLC mode that was closed first, or -1 if there is none."""
    own, shared = a.oldest[OWN], a.oldest[SHARED]
    if own < 0 or (shared >= 0 and a.block[shared].stamp < a.block[own].stamp):
        return shared
    return own


@jit
def fully_invalid(a: Arrays) -> int:
    """Return a closed main block without live pages, or -1 if none is found.

    If blocks of the pool may serve the cache, all blocks without live pages are on the stack, as
    its threshold is never below one page.
    """
    while a.head[0] >= 0:
        node = a.head[0]
        block = a.node_block[node]
        if a.block[block].status == CLOSED and a.valid[block] == 0:
            return block
        a.head[0] = a.node_next[node]
        a.node_next[node] = a.counts.spare_node
        a.counts.spare_node = node
    return -1


@jit
def free_to_clean(a: Arrays) -> int:
    """Return a closed block that can serve the cache without a copy, or -1 if none is known.

    Of the blocks in SLC mode only the oldest are examined.
    """
    own, shared = a.oldest[OWN], a.oldest[SHARED]
    if own >= 0 and a.valid[own] == 0:
        return own
    if shared >= 0 and a.valid[shared] == 0:
        return shared
    return fully_invalid(a) if a.rules.most_shared > 0 else -1


@inner
def reclaimed(a: Arrays) -> int:
    """Return the block to clean so that the free pool grows; there must be one.

    Blocks without live pages go first, then shared blocks in SLC mode, the oldest first (cleaning
    one frees most of its cells), then main blocks by the policy.
    """
    if a.rules.cache:
        block = fully_invalid(a) if a.rules.most_shared > 0 else -1
        if block < 0:
            block = a.oldest[SHARED]
        if block >= 0:
            return block
    return victim(a)
