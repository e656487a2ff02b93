"""Write amplification of a drive under the writes of databases and file systems, as simulated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl, host
from flashwear.sweeps import Study
from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, TEMPERATURE_SHIFT, TRIM

Requests = Iterator[NDArray[np.int64]]

_RECORDS = 4  # of 1 KiB, in a page of 4 KiB
_SUPERBLOCK = 256  # pages
_STREAMS = 8
_WARM, _MEASURED = 8, 6  # drive writes


def _tree(share: float) -> Callable[[int, bool, int], Requests]:
    """Return a levelled tree whose files have a share of a superblock, on 80 % of a volume."""

    def stream(pages: int, trim: bool, seed: int) -> Requests:
        file = round(_SUPERBLOCK * share * _RECORDS)
        tree = host.LevelledTree(
            round(0.7 * pages) * _RECORDS, file, max(4 * file, 4096), file, ratio=8, seed=seed
        )
        return host.tree_files(tree, pages, records_per_page=_RECORDS, log_pages=file, trim=trim)

    return stream


def _tiered(pages: int, trim: bool, seed: int) -> Requests:
    file = _SUPERBLOCK // 4 * _RECORDS
    tree = host.TieredTree(round(0.22 * pages) * _RECORDS, file, runs=4, seed=seed)
    return host.tree_files(tree, pages, records_per_page=_RECORDS, log_pages=file, trim=trim)


def _in_place(pages: int, trim: bool, seed: int) -> Requests:
    used = round(0.8 * pages)
    return host.pages_in_place(
        used, 4, 400, log_pages=used // 50, logged=100, copies=True, seed=seed
    )


def _copied(record: int) -> Callable[[int, bool, int], Requests]:
    """Return a file of records of some pages, on 80 % of a volume."""

    def stream(pages: int, trim: bool, seed: int) -> Requests:
        records = round(0.8 * pages / record)
        return host.records_copied(pages, record, records, 60, trim=trim, seed=seed)

    return stream


def _log_on_log(segment: int) -> Callable[[int, bool, int], Requests]:
    """Return a log of segments of some pages with its own cleaning, on 80 % of a volume."""

    def stream(pages: int, trim: bool, seed: int) -> Requests:
        used = round(0.8 * pages)
        log = ftl.State(used, pages / used - 1, pages_per_block=segment, frontier="gc")
        rng = np.random.default_rng(seed)
        asked = np.arange(used)
        while True:
            rows = []
            for operation in itertools.chain.from_iterable(map(log.write, asked.tolist())):
                at = operation.block * segment + operation.page
                if operation.kind != "erase":
                    rows.append((0, at, 1, int(operation.kind == "copy")))
                elif trim:
                    rows.append((1, at, segment, 0))
            yield np.array(rows)
            asked = rng.integers(used, size=1000)

    return stream


def _uniform(used: int, seed: int) -> Requests:
    """Yield writes at random over some pages, all of which are written first."""
    rng, page = np.random.default_rng(seed), np.arange(used)
    while True:
        one = np.ones_like(page)
        yield np.column_stack([0 * page, page, one, 0 * page])
        page = rng.integers(used, size=4096)


LOADS: dict[str, Callable[[int, bool, int], Requests]] = {
    "pages in place": _in_place,
    "records of 16 KiB copied": _copied(4),
    "records of 128 KiB copied": _copied(32),
    "levelled, files of 1/16": _tree(1 / 16),
    "levelled, files of 1/4": _tree(1 / 4),
    "levelled, files of 1": _tree(1),
    "tiered, files of 1/4": _tiered,
    "log on a log, segments of 1/16": _log_on_log(_SUPERBLOCK // 16),
    "log on a log, segments of 1": _log_on_log(_SUPERBLOCK),
}
"""Streams of writes by name; sizes of files and segments are in superblocks of the drive."""


def layered(
    load: str, trim: bool, apart: bool, op: float, pages: int, seed: int
) -> dict[str, float]:
    """Simulate a drive under the writes of a database or a file system.

    The results depend on the size of the drive, as files and superblocks may or may not be aligned.

    `load`: name of the writes, one of :data:`LOADS`, such as "levelled, files of 1/4". `trim`:
    whether dropped files are trimmed, and pages never written are empty. Otherwise all pages of
    the drive hold data from the start. `apart`: whether the drive separates the streams of the
    host: a log, each level of a tree, copies. `op`: over-provisioning over user pages, all blocks
    counted. `pages`: user pages of the drive. `seed`: seed of the stream and of the run.

    Result: ``wa`` of the drive, over six drive writes after eight to settle; ``used``, with TRIM
    the mean share of the pages that hold data, else the share ever written; and ``random``, the
    write amplification of random writes if as many pages are in use.
    """
    found, used = _through(LOADS[load](pages, trim, seed), trim, apart, op, pages, seed)
    rival, _ = _through(_uniform(round(used * pages), seed), trim, False, op, pages, seed)
    return {"wa": found, "used": used, "random": rival}


def _through(
    requests: Requests, trim: bool, apart: bool, op: float, pages: int, seed: int
) -> tuple[float, float]:
    """Return the write amplification of a drive, and the share of its pages in use."""
    drive = ftl.State(
        pages,
        op,
        pages_per_block=_SUPERBLOCK,
        frontier="hot_cold" if apart else "single",
        temperatures=_STREAMS,
        seed=seed,
    )
    drive.run(np.arange(pages))
    if trim:
        drive.trim(0, pages)
    written = np.zeros(pages, bool)
    live, start, before = [], drive.host_writes, (0, 0)
    while (done := (drive.host_writes - start) / pages) < _WARM + _MEASURED:
        words = _words(next(requests), apart)
        written[words & PAGE_MASK] = True
        drive.run(words)
        if done < _WARM:
            before = drive.host_writes, drive.flash_writes
        else:
            live.append(drive.mapped_pages / pages)
    added = (drive.flash_writes - before[1]) / (drive.host_writes - before[0])
    return added, float(np.mean(live) if trim else written.mean())


def _words(rows: NDArray[np.int64], apart: bool) -> NDArray[np.int64]:
    """Return requests page by page, as the drive takes them."""
    operation, page, count, stream = rows.T
    words = page | np.where(operation == 1, TRIM << OPERATION_SHIFT, 0)
    if apart:
        temperature = np.where(operation == 0, np.minimum(stream, _STREAMS - 1), 0)
        words = words | temperature << TEMPERATURE_SHIFT
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    found: NDArray[np.int64] = np.repeat(words, count) + within
    return found


STUDIES = (
    Study(
        name="layers",
        function=layered,
        grid={
            "load": list(LOADS),
            "trim": [True, False],
            "apart": [False, True],
            "op": [0.07, 0.28],
            "pages": [65_536],
        },
        reduced={"load": ["levelled, files of 1/4"], "op": [0.28]},
        keys=("load", "trim", "apart", "op"),
        tolerance={"wa": 0.1},
        seed=44,
    ),
)
