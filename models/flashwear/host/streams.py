"""Writes and trims, in order, that storage engines send to a drive, for simulations of the drive.

Each generator yields arrays of whole numbers in four columns: 0 for a write or 1 for a trim; the
first page on the volume; the number of consecutive pages; and a stream number for the kind of data,
by which a drive may keep data apart. A page is a map unit of the drive, usually 4 KiB.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import flag, whole
from flashwear.host.extents import Extents
from flashwear.host.trees import LevelledTree, TieredTree

Requests = NDArray[np.int64]

_WRITE, _TRIM = 0, 1
_MOST = 2**28  # pages, and what is drawn at once


def tree_files(
    tree: LevelledTree | TieredTree,
    pages: int,
    *,
    records_per_page: int,
    log_pages: int = 0,
    trim: bool = True,
) -> Iterator[Requests]:
    """Yield the requests of an LSM tree as it writes and drops files, an array for each flush.

    A row of an array is operation (0 write, 1 trim), first page, number of pages, and stream
    number. The requests have no end.

    Parameters
    ----------
    tree : LevelledTree or TieredTree
        Tree that is flushed for each array. The files that it starts with are written first.
    pages : int
        Pages of the volume, >= 1. Files being merged and the files they are merged into must fit
        at the same time.
    records_per_page : int
        Records in a page, >= 1.
    log_pages : int
        Pages of the write-ahead log, which is written round and round, >= 0; 0 for no log. It is
        stream 0; the files of level *i* are stream *i* + 1.
    trim : bool
        Whether dropped files are trimmed.

    Raises
    ------
    ValueError
        Outside these ranges, and where the volume is too small.

    Examples
    --------
    >>> tree = TieredTree(400, memtable=100, runs=4)
    >>> stream = tree_files(tree, 400, records_per_page=4)
    >>> next(stream)  # a run that holds all, then a memtable
    array([[  0,   0, 100,   3],
           [  0, 100,  23,   1]])
    """
    if not isinstance(tree, LevelledTree | TieredTree):
        raise TypeError(f"tree must be a LevelledTree or a TieredTree, got {tree!r}")
    density = whole("records_per_page", records_per_page, 1)
    log = whole("log_pages", log_pages, 0)
    files = Extents(whole("pages", pages, log + 1) - log, log)
    trim = flag("trim", trim)

    def flushed() -> Iterator[Requests]:
        logged = 0
        while True:
            rows: list[tuple[int, int, int, int]] = []
            events = tree.flush()
            if log:
                upto = tree.updates // density
                rows += [(_WRITE, page, count, 0) for page, count in _round(logged, upto, log)]
                logged = upto
            for file, records, level in events:
                if records:
                    pieces = files.write(file, -(-records // density))
                    rows += [(_WRITE, page, count, 1 + level) for page, count in pieces]
                else:
                    pieces = files.drop(file)
                    rows += [(_TRIM, page, count, 0) for page, count in pieces if trim]
            yield np.array(rows)

    return flushed()


def pages_in_place(
    pages: int,
    block: int,
    updates: int,
    *,
    log_pages: int,
    logged: int,
    copies: bool = False,
    seed: int = 0,
) -> Iterator[Requests]:
    """Yield the page writes of a database that overwrites in place, an array for each checkpoint.

    A row of an array is operation (0: write), first page, number of pages, and stream number: 0 for
    the log, 1 for copies, 2 for blocks in place.

    The log is written first, cyclically in its place. A database that guards against torn pages
    then writes copies of the changed blocks to a place of their own. Last, the blocks are written
    in place, in order.

    Parameters
    ----------
    pages : int
        Pages of the volume, including those for the log and for copies.
    block : int
        Pages of a block of the database, >= 1.
    updates : int
        Updates of blocks at random between two checkpoints, >= 1.
    log_pages : int
        Pages that the log takes, in [1, `pages`).
    logged : int
        Pages written to the log between two checkpoints, >= 0.
    copies : bool
        Whether blocks are written twice; the place for copies has room for 64 blocks.
    seed : int
        Seed of the random draws.

    Raises
    ------
    ValueError
        Outside these ranges, and where no block fits.

    Examples
    --------
    >>> next(pages_in_place(100, 4, updates=2, log_pages=20, logged=3))
    array([[ 0,  0,  3,  0],
           [ 0, 68,  4,  2],
           [ 0, 88,  4,  2]])
    """
    size = whole("block", block, 1, _MOST)
    log = whole("log_pages", log_pages, 1, _MOST)
    twice = 64 * size if flag("copies", copies) else 0
    blocks = (whole("pages", pages, log + twice + size, _MOST) - log - twice) // size
    count = whole("updates", updates, 1, _MOST)
    amount = whole("logged", logged, 0, _MOST)
    rng = np.random.default_rng(whole("seed", seed, 0))

    def checkpoints() -> Iterator[Requests]:
        logged = copied = 0
        while True:
            rows = [(_WRITE, page, run, 0) for page, run in _round(logged, logged + amount, log)]
            logged += amount
            changed = np.unique(rng.integers(blocks, size=count))
            if twice:
                upto = copied + changed.size * size
                rows += [(_WRITE, log + page, run, 1) for page, run in _round(copied, upto, twice)]
                copied = upto
            rows += [(_WRITE, int(page), size, 2) for page in log + twice + changed * size]
            yield np.array(rows)

    return checkpoints()


def records_copied(
    pages: int,
    record: int,
    records: int,
    writes: int,
    *,
    metadata: int = 4,
    trim: bool = True,
    seed: int = 0,
) -> Iterator[Requests]:
    """Yield the requests of a copy-on-write file system, an array for each transaction group.

    A row of an array is operation (0 write, 1 trim), first page, number of pages, and stream
    number: 1 for records, 0 for metadata and trims.

    Each record that a group changes is written whole to the first free pages, with some pages of
    metadata behind the last; then the old pages become free. The file is written first.

    Parameters
    ----------
    pages : int
        Pages of the volume, >= those of the file.
    record : int
        Pages of a record, >= 1.
    records : int
        Records of the file, >= 1.
    writes : int
        Writes at random in a group, >= 1.
    metadata : int
        Pages of metadata that a group writes, >= 0.
    trim : bool
        Whether old records are trimmed.
    seed : int
        Seed of the random draws.

    Raises
    ------
    ValueError
        Outside these ranges, and where the volume is too small.

    Examples
    --------
    >>> stream = records_copied(100, record=8, records=4, writes=1)
    >>> next(stream)
    array([[ 0,  0,  8,  1],
           [ 0,  8,  8,  1],
           [ 0, 16,  8,  1],
           [ 0, 24,  8,  1],
           [ 0, 32,  4,  0]])
    """
    size = whole("record", record, 1, _MOST)
    group, extra = whole("writes", writes, 1, _MOST), whole("metadata", metadata, 0, _MOST)
    count = whole("records", records, 1, _MOST)
    volume = Extents(whole("pages", pages, size * count + extra, _MOST))
    trim, rng = flag("trim", trim), np.random.default_rng(whole("seed", seed, 0))

    def groups() -> Iterator[Requests]:
        changed, current = np.arange(count), np.zeros(count, np.int64)
        above = made = 0
        while True:
            rows: list[tuple[int, int, int, int]] = []
            old = [int(one) for one in current[changed] if one]
            for which in changed:
                made += 1
                current[which] = made
                rows += [(_WRITE, page, run, 1) for page, run in volume.write(made, size)]
            if extra:
                made += 1
                rows += [(_WRITE, page, run, 0) for page, run in volume.write(made, extra)]
                old += [above] * (above > 0)
                above = made
            for one in old:
                pieces = volume.drop(one)
                rows += [(_TRIM, page, run, 0) for page, run in pieces if trim]
            yield np.array(rows)
            changed = np.unique(rng.integers(count, size=group))

    return groups()


def _round(place: int, upto: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield first page and length of what is written round and round a space, up to a place."""
    while place < upto:
        page = place % size
        run = min(upto - place, size - page)
        yield page, run
        place += run
