"""Flash traffic of a partly cached map: the closed form compared with a step-by-step simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl, wa, workloads
from flashwear._compiled import inner, jit
from flashwear._domain import whole
from flashwear.ftl.arrays import Arrays
from flashwear.ftl.steps import begin, finish, move, open_if_full, place, room
from flashwear.sweeps import Study
from flashwear.wa.map_cache import MapTraffic

Whole = NDArray[np.int64]

_SETTLE, _MEASURED = 3, 2  # drive writes
_BATCH = 2**16
_PER_WRITE = 8  # blocks that a write may clean, for whose map pages the log keeps room
_MAP_BLOCK, _MAP_OP = 16, 1.0
_BLANK = 1.5  # blocks of the map that are open or free, on average

ABSENT, CLEAN, CHANGED = range(3)
HITS, HOST, COPY_HITS, COPIES, HELD, BACK, DONE, BURST = range(8)  # counts


@inner
def _use(
    page: int, changes: bool, slots: int, chain: Whole, state: Whole, log: Whole, n: Whole
) -> bool:
    """Look up a map page; return whether it was in the cache, the newest of which follows the end.

    `chain` holds the next older and the next newer page of each, in a ring with one more for the
    ends. A changed page that has to leave goes to `log`.
    """
    ends = state.size
    hit = state[page] != ABSENT
    if hit:
        older, newer = chain[0, page], chain[1, page]
        chain[0, newer], chain[1, older] = older, newer
    else:
        if n[HELD] == slots:
            oldest = chain[1, ends]
            if state[oldest] == CHANGED:
                log[n[BACK]] = oldest
                n[BACK] += 1
            state[oldest] = ABSENT
            after = chain[1, oldest]
            chain[1, ends], chain[0, after] = after, ends
        else:
            n[HELD] += 1
        state[page] = CLEAN
    newest = chain[0, ends]
    chain[0, page], chain[1, page] = newest, ends
    chain[1, newest], chain[0, ends] = page, page
    if changes:
        state[page] = CHANGED
    return bool(hit)


@jit
def serve(
    a: Arrays,
    pages: Whole,
    reads: NDArray[np.bool_],
    entries: int,
    slots: int,
    chain: Whole,
    state: Whole,
    burst: Whole,
    log: Whole,
    n: Whole,
) -> None:
    """Serve the host's accesses to a drive with a cached map until all are done or `log` is full.

    When cleaning a block, each map page is looked up once, at the first live page that it maps, and
    then the entries of all live pages of the block that it maps are changed.
    """
    size = a.scratch.size
    while n[DONE] < pages.size and n[BACK] + _PER_WRITE * size < log.size:
        page, changes = pages[n[DONE]], not reads[n[DONE]]
        n[HOST] += 1
        n[HITS] += _use(page // entries, changes, slots, chain, state, log, n)
        if changes:
            while room(a, 0) == 0:
                open_if_full(a, 0, 0)
                while a.counts.free < a.rules.reserve:
                    n[BURST] += 1
                    block = begin(a)
                    start = block << a.rules.shift
                    for slot in range(start, start + size):
                        moved = a.p2l[slot]
                        mapped = moved // entries
                        open_if_full(a, 0, 0)
                        if move(a, moved, slot, 0) >= 0 and burst[mapped] != n[BURST]:
                            burst[mapped] = n[BURST]
                            n[COPIES] += 1
                            n[COPY_HITS] += _use(mapped, True, slots, chain, state, log, n)
                    finish(a, block)
            place(a, page, 0)
        n[DONE] += 1


def simulated(
    user_pages: int,
    op: float,
    pages_per_block: int,
    entries: int,
    slots: int,
    *,
    workload: workloads.Workload,
    read_share: float,
    fill: str,
    seed: int,
) -> tuple[MapTraffic, float, float]:
    """Simulate a page-mapped drive with a cache of map pages and blocks for its map.

    `user_pages`, `pages_per_block`, `entries`: number of user pages, of pages in a block, and of
    entries in a map page. `op`: over-provisioning over user pages, all blocks counted. `slots`:
    map pages that the cache holds, >= 1. `workload`: workload that draws the pages to read and
    write. `read_share`: share of reads among the accesses. `fill`: how the drive was filled
    before. `seed`: seed of all random draws.

    Result: the map traffic of two drive writes after three to settle, with ``wa`` for map pages as
    large as user pages; the write amplification without the map; and the over-provisioning of the
    blocks of the map, without blank pages.
    """
    slots, chance = whole("slots", slots, 1), np.random.default_rng(seed)
    drive = ftl.State(user_pages, op, pages_per_block=pages_per_block)
    size = -(-user_pages // entries)
    pool = ftl.State(size, _MAP_OP, pages_per_block=_MAP_BLOCK, policy="fifo")
    drive.run(np.arange(user_pages) if fill == "in order" else chance.permutation(user_pages))
    pool.run(np.arange(size))
    chain = np.full((2, size + 1), size, np.int64)
    state, burst = np.zeros(size, np.int64), np.zeros(size, np.int64)
    log, n = np.zeros(_BATCH + _PER_WRITE * pages_per_block, np.int64), np.zeros(8, np.int64)
    pages, back, marks = np.zeros(_BATCH, np.int64), 0, []
    stream = workload.stream(user_pages, seed=seed)
    for end in (_SETTLE, _SETTLE + _MEASURED):
        while drive.host_writes < (1 + end) * user_pages:
            stream.fill(pages)
            reads = chance.random(_BATCH) < read_share
            n[DONE] = 0
            while n[DONE] < _BATCH:
                n[BACK] = 0
                serve(drive.arrays, pages, reads, entries, slots, chain, state, burst, log, n)
                pool.run(log[: n[BACK]])
                back += n[BACK]
        drives = [each for d in (drive, pool) for each in (d.host_writes, d.flash_writes)]
        marks.append([*n[:HELD], back, *drives])
    hits, host, copy_hits, copies, back, written, programs, kept, kept_programs = np.subtract(
        marks[1], marks[0]
    ).tolist()
    missed, factor = 1 - hits / host, kept_programs / kept if kept else 1.0
    traffic = MapTraffic(hit_ratio=hits / host, reads_per_read=missed,
                         reads_per_write=missed + (copies - copy_hits) / written,
                         writes_per_write=back / written, map_wa=factor,
                         wa=programs / written + factor * back / written)  # fmt: skip
    return traffic, programs / written, pool.op - _BLANK * _MAP_BLOCK / size


def compared(
    exponent: float,
    cache_share: float,
    op: float,
    entries: int,
    run: int,
    read_share: float,
    fill: str,
    runs_per_block: int,
    user_runs: int,
    seed: int,
) -> dict[str, float]:
    """Compare the traffic of a drive's cached map by closed form with its simulation.

    A page of the simulated drive stands for a whole run, since a run is always written together; so
    a map page has ``entries / run`` entries in the simulation. Tolerance of a rerun: the same
    points are repeated with their seeds, so only rounding differs.

    `exponent`: exponent of Zipf's law; 0 is uniform. `cache_share`: share of the map that the
    cache holds. `op`: over-provisioning over user pages, all blocks counted. `entries`, `run`:
    entries in a map page, and pages that the host reads or writes in order. `read_share`, `fill`,
    `seed`: share of reads, fill before ("random" or "in order"), and seed. `runs_per_block`,
    `user_runs`: size of a block and of the drive, in runs.

    Result: ``base``, the simulated write amplification without the map, an input of the closed
    form; as simulated ``hit_ratio``, ``map_wa`` and, per page written, ``reads`` and ``writes`` of
    map pages; and errors of the closed form (over simulated, less 1): ``off_missed`` for misses of
    the host, ``off_reads``, ``off_writes``, ``off_map`` for `map_wa` and ``off_wa`` for the write
    amplification of the drive.
    """
    share, slots = entries // run, round(cache_share * user_runs * run / entries)
    found, base, map_op = simulated(user_runs, op, runs_per_block, share, slots,
                                    workload=workloads.Zipf(exponent) if exponent
                                    else workloads.Uniform(), read_share=read_share, fill=fill,
                                    seed=seed)  # fmt: skip
    page = 4096 * 1024 // entries  # a map page of few entries stands for one of 4,096 bytes
    formula = wa.map_traffic(user_runs * run * page, slots * 4096, base, runs_per_block * run,
                             exponent=exponent, run=run, read_share=read_share,
                             entry_bytes=4096 // entries, page_bytes=page,
                             map_op=map_op)  # fmt: skip
    written = found.map_wa * found.writes_per_write / run
    return {"base": base, "hit_ratio": found.hit_ratio, "reads": found.reads_per_write / run,
            "writes": found.writes_per_write / run, "map_wa": found.map_wa,
            "off_missed": _off(1 - formula.hit_ratio, 1 - found.hit_ratio),
            "off_reads": _off(formula.reads_per_write * run, found.reads_per_write),
            "off_writes": _off(formula.writes_per_write * run, found.writes_per_write),
            "off_map": _off(formula.map_wa, found.map_wa),
            "off_wa": _off(formula.wa, base + written * 4096 / page)}  # fmt: skip


def _off(formula: float, simulated: float) -> float:
    """Return formula over simulated less 1; 0 if both are 0."""
    return formula / simulated - 1 if formula or simulated else 0.0


def spanned(
    span: float,
    cache_mib: int,
    op: float,
    pages_per_block: int,
    user_bytes: float,
    scale: float,
    seed: int,
) -> dict[str, float]:
    """Simulate random writes to a part of a drive, scaled down with its map cache.

    `span`: share of the drive's addresses that is written. `cache_mib`: memory for the map of the
    whole drive in MiB; at least one map page is simulated. `op`: over-provisioning over all user
    pages, all blocks counted. `pages_per_block`: pages in what is cleaned at once. `user_bytes`:
    capacity of the drive, in bytes. `scale`: size of the simulated drive, its blocks and its cache
    over those of the real one.

    Result: as simulated ``base``, the write amplification without the map, ``hit_ratio``,
    ``map_wa`` (of the blocks of the map) and, per page written, map pages ``reads`` and
    ``writes``; and errors of the closed form (over simulated, less 1): ``off_missed`` for misses
    of the host, ``off_reads`` and ``off_writes`` for map pages, ``off_map`` for `map_wa`, and
    ``off_wa`` for the write amplification of the drive.
    """
    user_pages = round(scale * span * user_bytes / 4096)
    slots = min(max(1, round(scale * cache_mib * 256)), -(-user_pages // 1024))
    return compared(exponent=0.0, cache_share=slots * 1024 / user_pages, op=(1 + op) / span - 1,
                    entries=1024, run=1, read_share=0.0, fill="random",
                    runs_per_block=round(scale * pages_per_block), user_runs=user_pages,
                    seed=seed)  # fmt: skip


_GRID: dict[str, Sequence[Any]] = {
    "exponent": [0.0, 0.8, 0.99],
    "cache_share": [1 / 64, 1 / 8, 1 / 2],
    "op": [0.07, 0.28],
    "entries": [64, 1024],
    "run": [1, 8, 64],
    "read_share": [0.0, 0.5],
    "fill": ["random"],
    "runs_per_block": [512],
    "user_runs": [524_288],
}
_EXACT = dict.fromkeys(("base", "hit_ratio", "reads", "writes", "off_writes"), 1e-6)

STUDIES = (Study(name="map_cache", function=compared, grid=_GRID,
                 reduced={"exponent": [0.99], "op": [0.28], "run": [8], "read_share": [0.5]},
                 keys=("exponent", "cache_share", "op", "entries", "run", "read_share"),
                 tolerance=_EXACT, seed=2026),
           Study(name="map_cache_limits", function=compared,
                 grid={**_GRID, "op": [0.28], "read_share": [0.0], "run": [1, 64],
                       "fill": ["random", "in order"], "runs_per_block": [16, 512],
                       "user_runs": [262_144]},
                 reduced={"exponent": [0.99], "cache_share": [1 / 8], "run": [1]},
                 keys=("exponent", "cache_share", "entries", "run", "fill", "runs_per_block"),
                 tolerance=_EXACT, seed=2027),
           Study(name="map_cache_spans", function=spanned,
                 grid={"span": [1 / 64, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0],
                       "cache_mib": [0, 64, 1024], "op": [0.0974], "pages_per_block": [147_456],
                       "user_bytes": [1e12], "scale": [1 / 64]}, reduced={"span": [1 / 16, 1 / 8]},
                 keys=("span", "cache_mib"),
                 tolerance={"base": 1e-6, "hit_ratio": 1e-6, "writes": 1e-6},
                 seed=2028))  # fmt: skip
