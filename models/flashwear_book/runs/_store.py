"""A RocksDB whose flushes and compactions are counted from the events that it logs."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVELS = 7
_WORK = ("num-running-flushes", "mem-table-flush-pending", "num-running-compactions",
         "compaction-pending")  # fmt: skip
_LOOKS = 8  # in a row that find no work: one may fall between two jobs
_KEY = 16
_COUNTERS = ("wal.bytes", "flush.write.bytes", "compact.write.bytes")


class Settings(NamedTuple):
    """Settings of a RocksDB store, with the number of its records and the bytes of their values."""

    records: int = 250_000
    """Number of records, with keys of 16 bytes."""
    ratio: float = 10.0
    """Size of a level over that of the level above (``max_bytes_for_level_multiplier``)."""
    dynamic: bool = False
    """Whether levels are sized from the last one (``level_compaction_dynamic_level_bytes``)."""
    tiered: bool = False
    """Whether compaction is universal."""
    base_bytes: int = 2 * 2**20
    """Size of the first level (``max_bytes_for_level_base``)."""
    file_bytes: int = 2**18
    """Size of a file (``target_file_size_base``)."""
    memtable: int = 1250
    """Writes between two flushes."""
    trigger: int = 4
    """Number of flushed files at which they are merged (``level0_file_num_compaction_trigger``)."""
    value_bytes: int = 400
    exponent: float = 0.0
    """Exponent of the Zipf law by which keys are overwritten; 0 for equal probabilities."""

    @property
    def record_bytes(self) -> int:
        """Bytes of key and value."""
        return _KEY + self.value_bytes


class Store:
    """A RocksDB store that waits after each flush until no compaction is left to do.

    It is flushed explicitly after a fixed number of writes. So a levelled store writes exactly the
    same number of bytes in each run; the order of events within one flush may differ.
    """

    def __init__(self, folder: str | Path, settings: Settings, seed: int) -> None:
        import rocksdict

        self.settings, self._folder = settings, Path(folder)
        self._rng = np.random.default_rng(seed)
        options = rocksdict.Options(raw_mode=True)
        options.create_if_missing(True)
        options.enable_statistics()
        options.set_compression_type(rocksdict.DBCompressionType.none())
        options.set_write_buffer_size(2**28)
        options.set_num_levels(LEVELS)
        options.set_level_zero_file_num_compaction_trigger(settings.trigger)
        options.set_target_file_size_base(settings.file_bytes)
        options.set_max_bytes_for_level_base(settings.base_bytes)
        options.set_max_bytes_for_level_multiplier(settings.ratio)
        options.set_level_compaction_dynamic_level_bytes(settings.dynamic)
        if settings.tiered:
            options.set_compaction_style(rocksdict.DBCompactionStyle.universal())
        self._options = options
        self._open = rocksdict.Rdict(str(folder), options)
        self._keys = self._rng.permutation(settings.records)
        weights = np.arange(1, settings.records + 1) ** -settings.exponent
        self._upto = np.cumsum(weights) / weights.sum()

    def load(self) -> None:
        """Write each record once, in random order."""
        for start in range(0, self.settings.records, self.settings.memtable):
            self.write(self._keys[start : start + self.settings.memtable].tolist())

    def overwrite(self) -> None:
        """Overwrite as many records as a memtable holds, at random, and wait."""
        drawn = self._rng.random(self.settings.memtable)
        self.write(self._keys[np.searchsorted(self._upto, drawn, side="right")].tolist())

    def write(self, keys: Sequence[int], together: int | None = None, options: Any = None) -> None:
        """Write records, `together` to a batch or all in one, flush them, and wait."""
        import rocksdict

        size = self.settings.value_bytes
        values = self._rng.bytes(size * len(keys))
        for start in range(0, len(keys), together or len(keys)):
            batch = rocksdict.WriteBatch(raw_mode=True)
            for i, key in enumerate(keys[start : start + (together or len(keys))], start):
                batch.put(key.to_bytes(_KEY, "big"), values[i * size : (i + 1) * size])
            self._open.write(batch, options)
        self._open.flush(True)
        # in a tiered store a compaction counts as due that finds nothing to merge
        idle, due = 0, _WORK[: -1 if self.settings.tiered else None]
        while idle < _LOOKS:
            is_busy = any(int(self._open.property_value(f"rocksdb.{name}") or 0) for name in due)
            idle = 0 if is_busy else idle + 1
            time.sleep(0.0005)

    def counters(self) -> dict[str, int]:
        """Return the store's own counters of bytes written."""
        lines = (line.split() for line in self._options.get_statistics().splitlines())
        found = {words[0]: int(words[-1]) for words in lines if words and words[1] == "COUNT"}
        return {name: found[f"rocksdb.{name}"] for name in _COUNTERS}

    def sizes(self) -> NDArray[np.float64]:
        """Return the bytes of the files of each level."""
        found = np.zeros(LEVELS)
        for file in self._open.live_files():
            found[file["level"]] += file["size"]
        return found

    def close(self) -> Iterator[dict[str, Any]]:
        """Close the store, and yield the events of its log in order."""
        self._open.close()
        text = (self._folder / "LOG").read_text(encoding="utf-8", errors="replace")
        marked = (line.partition("EVENT_LOG_v1 ")[2] for line in text.splitlines())
        return (json.loads(event) for event in marked if event)


class Work(NamedTuple):
    """Bytes that a store ``flushed``, and for each level ``written``, ``entered``, ``moved``."""

    flushed: int
    written: NDArray[np.float64]
    """Bytes written by compactions into each level."""
    entered: NDArray[np.float64]
    """Bytes of files from levels above that were merged into each level."""
    moved: NDArray[np.float64]
    """Bytes of files that were moved down into each level without being written."""


def work(events: Iterator[dict[str, Any]], after: int) -> Work:
    """Return the bytes flushed and compacted by a store's log, after the first `after` flushes."""
    sizes: dict[int, int] = {}
    made: Counter[int] = Counter()
    taken: dict[int, dict[int, int]] = defaultdict(dict)
    flushes, flushed = 0, 0
    written, entered, moved = (np.zeros(LEVELS) for _ in range(3))
    for event in events:
        job, kind = event.get("job", -1), event["event"]
        if kind == "flush_started":
            flushes += 1
        elif kind == "table_file_creation":
            sizes[event["file_number"]] = event["file_size"]
            made[job] += event["file_size"]
        elif kind == "flush_finished" and flushes > after:
            flushed += made[job]
        elif kind == "compaction_started":
            for level in range(LEVELS):
                files = event.get(f"files_L{level}", ())
                taken[job][level] = sum(sizes[file] for file in files)
        elif kind == "compaction_finished" and flushes > after:
            into = event["output_level"]
            written[into] += made[job]
            entered[into] += sum(size for level, size in taken[job].items() if level < into)
        elif kind == "trivial_move" and flushes > after:
            moved[event["destination_level"]] += event["total_files_size"]
    return Work(flushed, written, entered, moved)
