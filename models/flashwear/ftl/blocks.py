"""Blocks in compiled code: the pool of free ones, the order of closed ones, and the victim."""

import numpy as np

from flashwear._compiled import inner, jit
from flashwear._random import bounded
from flashwear.ftl.arrays import (
    CACHED,
    CLOSED,
    D_CHOICES,
    FIFO,
    FREE,
    FREE_OWN,
    GREEDY,
    IN_VAIN,
    MAIN,
    NO_BLOCK,
    NOT_CLOSED,
    OWN,
    OWN_POLICY,
    RANDOM,
    RETIRED,
    WINDOWED,
    Arrays,
    call,
    prefetch,
)

_PATIENCE = 20  # choices in a row for each block: of as many at random, one in e**20 finds no page


@inner
def sooner(a: Arrays, block: int, key: int, other: int, other_key: int) -> bool:
    """Return whether free `block` is taken before `other`: by erases, or by release (`key`)."""
    if a.rules.by_wear and a.block[block].erases != a.block[other].erases:
        return a.block[block].erases < a.block[other].erases
    return key < other_key


@inner
def release(a: Arrays, block: int) -> None:
    """Put an erased block into the pool, which is ordered by release or by wear."""
    counts = a.counts
    key = counts.releases
    counts.releases += 1
    hole = counts.free
    counts.free += 1
    while hole > 0:
        above = (hole - 1) >> 1
        if not sooner(a, block, key, a.pool[above], a.pool_key[above]):
            break
        a.pool_key[hole], a.pool[hole] = a.pool_key[above], a.pool[above]
        hole = above
    a.pool_key[hole], a.pool[hole] = key, block
    a.block[block].status = FREE


@inner
def take(a: Arrays) -> int:
    """Take the first block out of the pool, which must not be empty."""
    counts = a.counts
    block = a.pool[0]
    counts.free -= 1
    size = counts.free
    key, last = a.pool_key[size], a.pool[size]
    hole = 0
    while True:
        below = 2 * hole + 1
        if below >= size:
            break
        if below + 1 < size and sooner(
            a, a.pool[below + 1], a.pool_key[below + 1], a.pool[below], a.pool_key[below]
        ):
            below += 1
        if not sooner(a, a.pool[below], a.pool_key[below], last, key):
            break
        a.pool_key[hole], a.pool[hole] = a.pool_key[below], a.pool[below]
        hole = below
    a.pool_key[hole], a.pool[hole] = key, last
    return block


@jit
def link(a: Arrays, block: int, order: np.int64 | int) -> None:
    """Append a block to a linked list: the closed blocks of mode `order`, or free cache blocks."""
    newest = a.newest[order]
    a.block[block].older, a.block[block].newer = newest, -1
    if newest >= 0:
        a.block[newest].newer = block
    else:
        a.oldest[order] = block
    a.newest[order] = block


@inner
def unlink(a: Arrays, block: int, order: np.int64 | int) -> None:
    """Remove a block from the linked list `order`, see :func:`link`."""
    older, newer = a.block[block].older, a.block[block].newer
    if older >= 0:
        a.block[older].newer = newer
    else:
        a.oldest[order] = newer
    if newer >= 0:
        a.block[newer].older = older
    else:
        a.newest[order] = older


@inner
def close(a: Arrays, block: int) -> None:
    """Close a full block: append it to the linked list of closed blocks of its mode."""
    counts = a.counts
    mode = np.int64(a.block[block].mode)
    a.block[block].stamp = counts.host_writes
    link(a, block, mode)
    if mode != MAIN:
        a.block[block].status = CACHED
        return
    a.block[block].status = CLOSED
    if a.block[block].erases < counts.least_worn:
        counts.least_worn, counts.candidate = a.block[block].erases, a.candidates.size
    if a.valid[block] < counts.threshold:
        push(a, block)


@inner
def leave(a: Arrays, block: int) -> None:
    """Remove a block from the linked list of closed blocks, to be cleaned."""
    mode = np.int64(a.block[block].mode)
    unlink(a, block, mode)
    if mode != MAIN:
        a.counts.held -= 1


@inner
def erase(a: Arrays, block: int) -> None:
    """Erase a block and return it to its pool, or retire it if its endurance is used up."""
    mode = a.block[block].mode
    a.block[block].erases += 1
    if a.rules.policy == OWN_POLICY:
        a.valid[block] = a.scratch.size + 1
    a.block[block].wear += a.mode_wear[mode]
    if mode != MAIN:
        a.slc_erases[block] += 1
        if mode == OWN:
            a.block[block].status = FREE
            a.counts.free_own += 1
            link(a, block, FREE_OWN)
            return
        a.counts.in_shared -= 1
    if a.block[block].wear >= a.block[block].limit:
        a.block[block].status = RETIRED
        a.counts.good -= 1
    else:
        release(a, block)


@inner
def expect(a: Arrays, block: int) -> None:
    """Load into the processor's cache the map entries of the block that is likely cleaned next."""
    prefetch(a.block, np.int64(block))
    for line in range(8):
        prefetch(a.p2l, (np.int64(block) << a.rules.shift) + 16 * line)


@inner
def note(a: Arrays, block: int) -> None:
    """Push a block on the stack of its number of valid pages; a list node must be free."""
    counts = a.counts
    node, left = counts.spare_node, a.valid[block]
    counts.spare_node = a.node_next[node]
    a.node_block[node], a.node_next[node] = block, a.head[left]
    a.head[left] = node
    if left <= counts.lowest:
        counts.lowest = left
        expect(a, block)


@inner
def restack(a: Arrays) -> None:
    """Rebuild the stacks of the emptiest blocks, one for each number of valid pages."""
    counts = a.counts
    least = np.int64(a.head.size)
    for block in range(a.rules.blocks):
        if a.block[block].status == CLOSED:
            least = min(least, np.int64(a.valid[block]))
    counts.threshold = least + 2
    counts.lowest = least
    a.head[:] = -1
    nodes = a.node_next.size
    for node in range(nodes):
        a.node_next[node] = node + 1
    a.node_next[nodes - 1] = -1
    counts.spare_node = 0
    for block in range(a.rules.blocks):
        if a.block[block].status == CLOSED and a.valid[block] < counts.threshold:
            note(a, block)


@inner
def push(a: Arrays, block: int) -> None:
    """Push a block on the stack of its number of valid pages, now few enough to have a stack.

    Entries of an earlier count stay on their stack and are skipped when their turn comes. When they
    have used up all nodes, the stacks are rebuilt.
    """
    if a.counts.spare_node < 0:
        restack(a)
    else:
        note(a, block)


@inner
def emptiest(a: Arrays) -> int:
    """Return a closed block with the fewest valid pages."""
    counts = a.counts
    while True:
        level = counts.lowest
        while level < counts.threshold:
            node = a.head[level]
            if node < 0:
                level += 1
                continue
            block = a.node_block[node]
            a.head[level] = a.node_next[node]
            a.node_next[node] = counts.spare_node
            counts.spare_node = node
            if a.block[block].status == CLOSED and a.valid[block] == level:
                counts.lowest = level
                if a.head[level] >= 0:
                    expect(a, a.node_block[a.head[level]])
                return block
        restack(a)


@inner
def any_closed(a: Arrays) -> int:
    """Return a closed block, drawn uniformly at random."""
    while True:
        block = np.int64(bounded(a.random, a.rules.blocks))
        if a.block[block].status == CLOSED:
            return block


@inner
def chosen(a: Arrays) -> int:
    """Return the block that the user's own policy chooses; -1 if it cannot be cleaned.

    To the policy, a block that is not closed has more live pages than a block can hold. For a free
    or retired block this number is set when it is erased, for an open one only here.
    """
    counts = a.counts
    if counts.refused:
        return -1
    for frontier in range(a.rules.frontiers):
        block = a.opened[frontier]
        if block >= 0:
            a.hidden[frontier] = a.valid[block]
            a.valid[block] = a.scratch.size + 1
    block = call(a.rules.policy_code, a)
    for frontier in range(a.rules.frontiers):
        if a.opened[frontier] >= 0:
            a.valid[a.opened[frontier]] = a.hidden[frontier]
    counts.choice = block
    if block < 0 or block >= a.rules.blocks:
        counts.refused = NO_BLOCK
    elif a.block[block].status != CLOSED:
        counts.refused = NOT_CLOSED
    elif a.valid[block] < a.mode_pages[MAIN]:
        counts.in_vain = 0
    else:
        counts.in_vain += 1
        if counts.in_vain > _PATIENCE * a.rules.blocks:
            counts.refused = IN_VAIN
    return -1 if counts.refused else block


@jit
def victim(a: Arrays) -> int:
    """Return the closed block to clean by the drive's policy; -1 if the user's own gives none."""
    policy = a.rules.policy
    if policy == GREEDY:
        return emptiest(a)
    if policy == OWN_POLICY:
        return chosen(a)
    oldest = a.oldest[MAIN]
    if policy == FIFO:
        return oldest
    if policy == RANDOM:
        return any_closed(a)
    if policy == D_CHOICES:
        best = any_closed(a)
        for _ in range(1, a.rules.choices):
            block = any_closed(a)
            if a.valid[block] < a.valid[best]:
                best = block
        return best
    best = oldest
    block = a.block[oldest].newer
    if policy == WINDOWED:
        for _ in range(1, a.rules.window):
            if block < 0:
                break
            if a.valid[block] < a.valid[best]:
                best = block
            block = a.block[block].newer
        return best
    most = merit(a, oldest)
    while block >= 0:
        value = merit(a, block)
        if value > most:
            best, most = block, value
        block = a.block[block].newer
    return best


@inner
def merit(a: Arrays, block: int) -> float:
    """Return a block's cost-benefit score: age times (1 - u) / 2u, u its share of valid pages."""
    live = a.valid[block]
    age = a.counts.host_writes - a.block[block].stamp + 1.0
    if live == 0:
        return np.inf
    return age * (a.mode_pages[a.block[block].mode] - live) / (2.0 * live)
