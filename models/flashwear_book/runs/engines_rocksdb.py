"""Bytes that RocksDB writes, level by level, counted from its log and by its own counters."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear._extras import require
from flashwear.sweeps import Study

CASES: dict[str, dict[str, Any]] = {
    "ratio 10": {},
    "ratio 8": {"ratio": 8.0},
    "ratio 4": {"ratio": 4.0},
    "ratio 10, dynamic": {"dynamic": True},
    "ratio 8, dynamic": {"ratio": 8.0, "dynamic": True},
    "ratio 4, dynamic": {"ratio": 4.0, "dynamic": True},
    "ratio 10, two levels": {"records": 50_000},
    "ratio 10, full levels": {"records": 500_000},
    "ratio 8, full levels": {"ratio": 8.0, "records": 340_000},
    "ratio 4, full levels": {"ratio": 4.0, "records": 400_000},
    "ratio 10, first level of 8 MiB": {"base_bytes": 8 * 2**20},
    "ratio 10, files of 64 KiB": {"file_bytes": 2**16},
    "ratio 10, files of 1 MiB": {"file_bytes": 2**20},
    "ratio 10, Zipf": {"exponent": 0.99},
    "universal, 4 runs": {"tiered": True},
    "universal, 8 runs": {"tiered": True, "trigger": 8},
    "universal, 16 runs": {"tiered": True, "trigger": 16},
    "universal, 16 runs, Zipf": {"tiered": True, "trigger": 16, "exponent": 0.99},
}
"""Cases by name, with the settings in which each differs from the first."""


def overwrites(case: str, warmup: float, rounds: float, seed: int) -> dict[str, Any]:
    """Overwrite records at random, and count what RocksDB writes to each level.

    Each record is written once in random order; then records are overwritten, and after each
    memtable the run waits until no flush or compaction runs or is due. Files are not compressed.

    `case`: settings of the store by name, such as "ratio 10", one of :data:`CASES`. `warmup`,
    `rounds`: number of writes before and during the count, over the number of records. `seed`:
    seed of keys and contents.

    Result: ``engine`` and ``version``; the settings of
    :class:`flashwear_book.runs._store.Settings`, with ``data_bytes`` and ``memtable_bytes``;
    ``updates`` and ``asked_bytes``, number and bytes of records updated; ``wal_bytes``,
    ``flush_bytes`` and ``compaction_bytes``, by the store's own counters; ``flushed``, bytes
    flushed by its log; from the log for each level, bytes ``written`` by compactions into it,
    ``entered`` from above with them, and ``moved`` into it as whole files; its mean ``size``
    between flushes, and its ``target`` size, 0 if it has none; ``factor``, bytes written by
    flushes and compactions for each byte flushed; and ``first_half``, this factor in the first
    half.

    Tolerance of a rerun with a third of the writes: single rounds of the same store differ by at
    most 0.13 of 9.8. A universal store is not rerun: it merges its last level about once a round,
    and its halves differ by up to 10 %.
    """
    require("engines", "rocksdict")
    from flashwear_book.runs._store import LEVELS, Settings, Store, work

    settings = Settings(**CASES[case])
    each = settings.records // settings.memtable
    before, steps = each + round(warmup * each), round(rounds * each)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder, settings, seed)
        store.load()
        for _ in range(round(warmup * each)):
            store.overwrite()
        start, sizes = store.counters(), np.zeros(LEVELS)
        for _ in range(steps):
            store.overwrite()
            sizes += store.sizes() / steps
        own = {name: count - start[name] for name, count in store.counters().items()}
        events = list(store.close())
    found, late = work(iter(events), before), work(iter(events), before + steps // 2)
    flushed = found.flushed - late.flushed
    half = float((found.written - late.written).sum() + flushed) / flushed
    target = np.zeros(LEVELS)
    if not settings.tiered:
        target = targets(settings.ratio, settings.base_bytes, sizes, dynamic=settings.dynamic)
    levels = {
        f"level{i}_{name}": values[i]
        for i in range(LEVELS)
        for name, values in {
            "written": found.written,
            "entered": found.entered,
            "moved": found.moved,
            "size": sizes.round(),
            "target": target.round(),
        }.items()
    }
    return {
        "engine": "RocksDB",
        "version": f"rocksdict {version('rocksdict')}",
        **settings._asdict(),
        "data_bytes": settings.records * settings.record_bytes,
        "memtable_bytes": settings.memtable * settings.record_bytes,
        "updates": steps * settings.memtable,
        "asked_bytes": steps * settings.memtable * settings.record_bytes,
        "wal_bytes": own["wal.bytes"],
        "flush_bytes": own["flush.write.bytes"],
        "compaction_bytes": own["compact.write.bytes"],
        "flushed": found.flushed,
        **levels,
        "factor": (found.flushed + found.written.sum()) / found.flushed,
        "first_half": half,
    }


def targets(
    ratio: float, base_bytes: float, sizes: NDArray[np.float64], *, dynamic: bool
) -> NDArray[np.float64]:
    """Return the target size of each level in bytes; 0 for level 0 and for levels not used.

    `sizes` are the real ones. With `dynamic` targets, each level is `ratio` times smaller than the
    next, from the last one up, as long as it is not smaller than `base_bytes`; the levels above are
    not used. Otherwise they grow by `ratio` from `base_bytes`.

    Examples
    --------
    >>> sizes = np.array([0, 0, 0, 5.0, 30.0, 400.0])
    >>> targets(10, 8, sizes, dynamic=True)
    array([  0.,   0.,   0.,   8.,  40., 400.])
    >>> targets(10, 8, sizes, dynamic=False)[:4]
    array([  0.,   8.,  80., 800.])
    """
    below = np.arange(sizes.size)
    if not dynamic:
        return np.where(below > 0, base_bytes * ratio ** (below - 1.0), 0.0)
    from_last = sizes[-1] / ratio ** below[::-1].astype(float)
    unused = from_last * ratio <= base_bytes
    return np.where((below > 0) & ~unused, np.maximum(from_last, base_bytes), 0.0)


STUDIES = (
    Study(
        name="engines_rocksdb",
        function=overwrites,
        grid={"case": list(CASES), "warmup": [1.0], "rounds": [3.0]},
        reduced={"case": ["ratio 10, two levels", "ratio 10, dynamic"], "rounds": [1.0]},
        keys=("case",),
        tolerance={"factor": 0.2},
        seed=2043,
    ),
)
