"""What the compiled loop does, block by block, with a list of the flash operations."""

from collections.abc import Iterator
from typing import NamedTuple

from flashwear.ftl import _cleaning, arrays, slc
from flashwear.ftl._cleaning import Log
from flashwear.ftl.arrays import Arrays


class Operation(NamedTuple):
    """One flash operation on a ``page`` of a ``block``, as :meth:`State.write` reports it.

    `kind` is "program" (a page of the host), "copy" (a page moved by cleaning, read from
    `source`, its old block and page), "parity", "erase" (a whole block, `page` is 0) or "read".
    """

    kind: str
    block: int
    page: int = 0
    source: tuple[int, int] | None = None


def make_room(a: Arrays, frontier: int, log: Log) -> list[Operation]:
    """Open a block for a full frontier, clean as needed, and return the flash operations."""
    operations: list[Operation] = []
    while a.position[frontier] == a.stop[frontier] and not a.counts.worn:
        mode = arrays.MAIN
        if frontier == 0 and a.rules.cache:
            while (block := _cleaning.next_to_fold(a)) >= 0:
                operations += _clean(a, block, log)
            mode = slc.next_mode(a)
        if a.counts.free == 0 and mode != arrays.OWN:
            a.counts.worn = 1
            break
        _cleaning.open_next(a, frontier, mode)
        while (block := _cleaning.next_to_clean(a)) >= 0:
            operations += _clean(a, block, log)
        _cleaning.weigh_blank(a)
    return operations


def fold(a: Arrays, blocks: int, log: Log) -> list[Operation]:
    """Fold at most `blocks` cache blocks, blocks without live pages first; return operations."""
    if not a.rules.cache:
        return []
    return [operation for block in _to_fold(a, blocks) for operation in _clean(a, block, log)]


def _to_fold(a: Arrays, blocks: int) -> Iterator[int]:
    slc.shut(a, 0)
    while (block := slc.free_to_clean(a)) >= 0:
        yield block
    for _ in range(blocks):
        block = slc.oldest_cached(a)
        if block < 0:
            return
        yield block
        while (block := _cleaning.next_to_clean(a)) >= 0:
            yield block


def _clean(a: Arrays, block: int, log: Log) -> list[Operation]:
    operations: list[Operation] = []
    for source, target in log[: _cleaning.clean(a, block, log)].tolist():
        operations += programmed(a, "copy", target, source)
    return [*operations, Operation("erase", int(block))]


def programmed(a: Arrays, kind: str, slot: int, source: int | None = None) -> list[Operation]:
    """Return the operation that programs a slot, then that of parity if a stripe is complete."""
    block, page = place_of(a, slot)
    origin = None if source is None else place_of(a, source)
    operations = [Operation(kind, block, page, origin)]
    stripe = int(a.rules.stripe)
    full = page + 1 == a.mode_pages[a.block["mode"][block]]
    if stripe and ((page + 1) % stripe == 0 or full):
        operations.append(Operation("parity", block, -(-(page + 1) // stripe) - 1))
    return operations


def place_of(a: Arrays, slot: int) -> tuple[int, int]:
    """Return the block of a slot, and the page in that block."""
    shift = int(a.rules.shift)
    return slot >> shift, slot & (1 << shift) - 1
