"""Write amplification of a drive under recorded writes of real databases, in their order."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl, host
from flashwear._domain import one_of
from flashwear._extras import require
from flashwear.sweeps import Study
from flashwear.workloads import RECORD, TRIM, WRITE, Replay, Sequential

PAGE = 4096
_VOLUME = 2**30
"""Pages of the volume that files are allocated from: more than any run needs."""


class EngineWrites(NamedTuple):
    """The requests (``records``) of a storage engine to its volume, and their amount."""

    records: NDArray[np.void]
    """Requests in order, in pages of 4 KiB."""
    asked_bytes: int
    """Bytes of the records updated after the store was loaded."""
    written_bytes: int
    """Bytes that the engine wrote for these updates."""
    start: int
    """Number of requests before the first update, for loading the store."""


def sqlite(length: float, seed: int) -> EngineWrites:
    """Record SQLite's writes for updates of rows of 200 bytes, each a commit, with its log.

    `length` is the number of updates over that of the full study; `seed` is that of the records.
    """
    require("engines", "apsw")
    from flashwear_book.runs._counted import Database

    commits, record = round(150_000 * length), 200
    with tempfile.TemporaryDirectory() as folder:
        base = Database(folder, PAGE, 1000, 20_000, record, seed)
        file_pages = -(-(Path(folder) / "data").stat().st_size // PAGE)
        for _ in range(commits):
            base.commit(1)
        base.close()
    first = {"file": 0, "log": file_pages}
    requests = [(WRITE, 0, file_pages)]
    for name, blocks in base.count.sent:
        requests += _rows([first[name] + block for block in blocks])
    return EngineWrites(_requests(requests), commits * record, base.count.bytes.total(), 1)


def lmdb(length: float, seed: int) -> EngineWrites:
    """Record LMDB's writes, the pages that change, for updates of 200 bytes, ten to a commit.

    `length` is the number of updates over that of the full study; `seed` is that of the records.
    """
    require("engines", "lmdb")
    from flashwear_book.runs.engines_lmdb import Tree, bytes_written

    commits, rows, value = round(6000 * length), 10, 200
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder, 108_000, 16, value, seed)
        path, known = Path(folder) / "data.mdb", np.zeros((0, PAGE // 8), np.uint64)
        pages, known = _changed(path, known)
        requests = list(_rows(pages))
        start = len(requests)
        for _ in range(commits):
            before = bytes_written()
            tree.commit(rows)
            written += bytes_written() - before
            pages, known = _changed(path, known)
            requests += _rows([*pages[pages > 1], *pages[pages <= 1]])  # that of the root last
        tree.close()
    return EngineWrites(_requests(requests), commits * rows * value, written, start)


def _changed(path: Path, known: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the pages of a file that are other than known, and all as they are."""
    now = np.memmap(path, np.uint64, "r").reshape(-1, PAGE // 8)
    if len(now) > len(known):
        known = np.concatenate([known, np.zeros((len(now) - len(known), PAGE // 8), np.uint64)])
    pages = np.flatnonzero((now != known).any(axis=1))
    known[pages] = now[pages]
    return pages, known


def levelled(length: float, seed: int) -> EngineWrites:
    """Record RocksDB's writes for updates of 416 bytes in a levelled LSM tree of ratio 10.

    `length` is the number of updates over that of the full study; `seed` is that of the records.
    """
    return _store("ratio 10", round(600 * length), seed)


def universal(length: float, seed: int) -> EngineWrites:
    """Record RocksDB's writes for records of 416 bytes in a universal tree of up to 16 runs.

    `length` is the number of updates over that of the full study; `seed` is that of the records.
    """
    return _store("universal, 16 runs", round(3600 * length), seed)


def _store(case: str, memtables: int, seed: int) -> EngineWrites:
    """Load a store and overwrite it; its files take the first pages that are free.

    The log of a memtable is written before its flush and dropped after it, and files that were
    merged are dropped when their compaction ends: the store deletes them then, or little later.
    """
    require("engines", "rocksdict")
    from flashwear_book.runs._store import LEVELS, Settings, Store
    from flashwear_book.runs.engines_rocksdb import CASES

    settings = Settings(**CASES[case])
    each = settings.records // settings.memtable
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, settings, seed)
        store.load()
        for _ in range(memtables):
            store.overwrite()
        log = store.counters()["wal.bytes"] // (each + memtables)
        events = list(store.close())
    space, flushes, written, start = host.Extents(_VOLUME), 0, 0, 0
    requests: list[tuple[int, int, int]] = []
    merged: dict[int, list[int]] = {}

    def write(file: object, size: int) -> None:
        requests.extend((WRITE, *piece) for piece in space.write(file, -(-size // PAGE)))

    def drop(file: object) -> None:
        requests.extend((TRIM, *piece) for piece in space.drop(file))

    for event in events:
        kind, job = event["event"], event.get("job", 0)
        if kind == "flush_started":
            if flushes == each:
                written, start = 0, len(requests)
            flushes += 1
            written += log
            write("log", log)
        elif kind == "table_file_creation":
            written += event["file_size"]
            write(event["file_number"], event["file_size"])
        elif kind == "compaction_started":
            names = [f"files_L{level}" for level in range(LEVELS)]
            merged[job] = [file for name in names for file in event.get(name, ())]
        elif kind == "compaction_finished":
            for file in merged.pop(job):
                drop(file)
        elif kind == "flush_finished":
            drop("log")
    asked = memtables * settings.memtable * settings.record_bytes
    return EngineWrites(_requests(requests), asked, written, start)


def _rows(pages: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield writes of runs of successive pages."""
    first, count = -1, 0
    for page in pages:
        if page == first + count:
            count += 1
            continue
        if count:
            yield WRITE, first, count
        first, count = page, 1
    if count:
        yield WRITE, first, count


def _requests(rows: list[tuple[int, int, int]]) -> NDArray[np.void]:
    return np.array(rows, RECORD)


ENGINES = {
    "SQLite, write-ahead log": sqlite,
    "LMDB": lmdb,
    "RocksDB, levelled": levelled,
    "RocksDB, universal": universal,
}
_recorded = lru_cache(maxsize=1)(lambda engine, length, seed: ENGINES[engine](length, seed))


def driven(
    engine: str,
    full: float,
    is_trimmed: bool,
    op: float,
    pages_per_block: int,
    length: float,
    seed: int,
) -> dict[str, Any]:
    """Simulate a drive under the writes of a storage engine, and compare with random writes.

    With TRIM the drive is empty at first, and dropped files are trimmed, so that pages without a
    file are not in use. Without TRIM each page has been written once, and all are in use.

    `engine`: "SQLite, write-ahead log", "LMDB", "RocksDB, levelled" or "RocksDB, universal".
    `full`: largest share of the volume that files take during the run, including loading.
    `is_trimmed`: whether dropped files are trimmed. `op`: over-provisioning over the pages of the
    volume. `pages_per_block`: pages of 4 KiB that are erased together, of all dies. `length`:
    length of the run, relative to that of the kept result, > 0. `seed`: seed of the records
    updated and of the drive's load of comparison.

    Result: ``user_pages``, pages of the volume; ``live_share``, the mean share of them in use;
    ``drive_writes`` in the second half, which is measured; ``engine_factor``, bytes written per
    byte of the records updated; ``page_factor``, the same in whole pages of 4 KiB; ``wa`` of the
    drive, the half-width ``wa_error`` of its interval, and ``is_steady``, whether it was steady;
    ``effective_op``, pages for invalid data over pages in use; ``uniform``, the write
    amplification of uniform writes to as many pages in use, and ``sequential``, that of sequential
    writes to the volume; ``joint``, flash bytes per byte of the records; and
    ``joint_over_product``, this over the product of `engine_factor` and `uniform`.

    Tolerance of a rerun of half the length with 28 % of spare: ``wa`` has an error of at most 0.026
    to each side, and in the rerun, by its length, of 0.037; twice their sum would be 0.09 for two
    runs that have settled.
    """
    one_of("engine", engine, list(ENGINES))
    found: EngineWrites = _recorded(engine, length, seed)
    records = found.records
    user_pages = int(np.ceil((records["page"] + records["count"]).max() / full))
    writes = np.where(records["operation"] == WRITE, records["count"], 0)
    half = int(writes.sum()) // 2
    live = _live(records, user_pages, half) if is_trimmed else float(user_pages)
    if not is_trimmed:
        records = records[records["operation"] == WRITE]
    settings: dict[str, Any] = {"pages_per_block": pages_per_block, "progress": False}
    run = ftl.simulate(
        user_pages,
        op,
        workload=Replay(records),
        fill="none" if is_trimmed else "sequential",
        warmup_drive_writes=half / user_pages,
        drive_writes=half / user_pages,
        seed=seed,
        **settings,
    )
    physical = (1 + op) * user_pages
    uniform = ftl.simulate(
        round(live),
        physical / round(live) - 1,
        warmup_drive_writes=10,
        drive_writes=8,
        seed=seed,
        **settings,
    )
    ordered = ftl.simulate(user_pages, op, workload=Sequential(), **settings)
    engine_factor = found.written_bytes / found.asked_bytes
    page_factor = PAGE * float(writes[found.start :].sum()) / found.written_bytes
    low, high = run.interval[:2]
    return {
        "user_pages": user_pages,
        "live_share": live / user_pages,
        "drive_writes": half / user_pages,
        "engine_factor": engine_factor,
        "page_factor": page_factor,
        "wa": run.wa,
        "wa_error": (high - low) / 2,
        "is_steady": run.steady.reached,
        "effective_op": float((1 + run.effective_op) * user_pages / live - 1),
        "uniform": uniform.wa,
        "sequential": ordered.wa,
        "joint": engine_factor * page_factor * run.wa,
        "joint_over_product": page_factor * run.wa / uniform.wa,
    }


def _live(records: NDArray[np.void], user_pages: int, after: int) -> float:
    """Return the pages in use, on average of the writes after so many."""
    used, written, total, weight = np.zeros(user_pages, bool), 0, 0.0, 0
    live = 0
    for operation, first, count in records.tolist():
        part = used[first : first + count]
        if operation == TRIM:
            live -= int(part.sum())
            part[:] = False
            continue
        live += count - int(part.sum())
        part[:] = True
        written += count
        if written > after:
            total += live * count
            weight += count
    return total / weight


STUDIES = (
    Study(
        name="engines_drive",
        function=driven,
        grid={
            "engine": list(ENGINES),
            "full": [1.0, 0.8],
            "is_trimmed": [False, True],
            "op": [0.07, 0.28],
            "pages_per_block": [32, 128],
            "length": [1.0],
            "seed": [2044],
        },
        reduced={
            "engine": ["SQLite, write-ahead log", "RocksDB, levelled"],
            "op": [0.28],
            "length": [0.5],
        },
        keys=("engine", "full", "is_trimmed", "op", "pages_per_block"),
        tolerance={"wa": 0.1},
    ),
)
