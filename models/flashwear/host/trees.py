"""Log-structured merge trees simulated file by file, to check the closed forms against."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import flag, one_number, whole
from flashwear.host.lsm import level_sizes

Keys = NDArray[np.int64]


class Event(NamedTuple):
    """A file that an LSM tree wrote or dropped."""

    file: int
    """Number of the file."""
    records: int
    """Number of records written; 0 if the file is dropped."""
    level: int
    """Level that the file was written for; 0 for a flushed memtable and for a dropped file."""


class _Tree:
    """Updates at random, a memtable of them at a time, and the events that follow."""

    written: NDArray[np.int64]

    def __init__(self, records: int, memtable: int, exponent: float, seed: int) -> None:
        self.records = whole("records", records, 1, 2**28)
        self.memtable = whole("memtable", memtable, 1, records)
        exponent = one_number("exponent", exponent, low=0, high=3)
        self.updates = 0
        self._rng = np.random.default_rng(whole("seed", seed, 0))
        self._ends = None
        if exponent:
            shares = np.arange(1, records + 1) ** -exponent
            self._ends = np.cumsum(shares / shares.sum())
            self._keys = self._rng.permutation(records)
        self._events: list[Event] = []
        self._files: dict[int, int] = {}
        self._made = 0

    def _draw(self) -> Keys:
        """Return the keys of a memtable, each once."""
        self.updates += self.memtable
        if self._ends is None:
            return np.unique(self._rng.integers(self.records, size=self.memtable))
        drawn = np.searchsorted(self._ends, self._rng.random(self.memtable), side="right")
        return np.unique(self._keys[np.minimum(drawn, self.records - 1)])

    def _write(self, keys: Keys, level: int) -> Keys:
        self._made += 1
        self._files[id(keys)] = self._made
        self._events.append(Event(self._made, keys.size, level))
        self.written[level] += keys.size
        return keys

    def _drop(self, files: list[Keys]) -> None:
        for keys in files:
            self._events.append(Event(self._files.pop(id(keys)), 0, 0))

    def _told(self) -> list[Event]:
        events, self._events = self._events, []
        return events


class LevelledTree(_Tree):
    """A simulated levelled LSM tree: sets of keys, merged as RocksDB merges if it keeps up.

    Among levels above their size, the fullest gives up the file that overlaps least with the next
    level. A file that overlaps nothing is moved without being written.

    Parameters
    ----------
    records : int
        Records in the tree, in [1, 2**28]. They are in the last level at first.
    memtable : int
        Updates in a memtable, in [1, `records`].
    level : int
        Records that the first level may hold, >= 1.
    file : int
        Records in a file of a level, >= 1.
    ratio : float
        Size of a level over that of the level above, in [2, 1000].
    level0_files : int
        Files of level 0 that are merged at once, >= 1.
    exponent : float
        Exponent of the Zipf law by which updates choose records, in [0, 3]; 0 is uniform.
    dynamic : bool
        Whether the sizes of the levels follow from the last one up, instead of from `level` down.
    aligned : bool
        Whether files end where files of the next level do.
    seed : int
        Seed of the random draws.

    Attributes
    ----------
    updates : int
        Updates so far.
    written : ndarray
        Number of records written: by flushes, and by merges into level 1, level 2 and so on.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> tree = LevelledTree(20_000, memtable=100, level=400, file=100)
    >>> for _ in range(1000):
    ...     events = tree.flush()
    >>> (tree.written / tree.updates).round(1)
    array([1. , 1.4, 3.7, 4.4])
    """

    def __init__(
        self,
        records: int,
        memtable: int,
        level: int,
        file: int,
        *,
        ratio: float = 10,
        level0_files: int = 4,
        exponent: float = 0.0,
        dynamic: bool = True,
        aligned: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__(records, memtable, exponent, seed)
        self._file = whole("file", file, 1)
        self._aligned = flag("aligned", aligned)
        self._waiting: list[Keys] = []
        self._most_waiting = whole("level0_files", level0_files, 1)
        first = float(whole("level", level, 1))
        ratio = one_number("ratio", ratio, low=2, high=1000)
        self._sizes = level_sizes(float(records), first, ratio, dynamic=flag("dynamic", dynamic))
        self._levels: list[list[Keys]] = [[] for _ in self._sizes]
        self.written = np.zeros(len(self._sizes) + 1, np.int64)
        self._levels[-1] = self._cut(np.arange(records), len(self._sizes) - 1)
        self.written[:] = 0

    def flush(self) -> list[Event]:
        """Write a memtable of random updates, merge what is due; list files written and dropped."""
        self._waiting.append(self._write(self._draw(), 0))
        if len(self._waiting) == self._most_waiting:
            self._merge(self._waiting, 0)
            self._waiting = []
        while (level := self._fullest()) is not None:
            self._merge([self._levels[level].pop(self._least_overlap(level))], level + 1)
        return self._told()

    def _fullest(self) -> int | None:
        held = [sum(map(len, files)) for files in self._levels[:-1]]
        full = [mine / most for mine, most in zip(held, self._sizes, strict=False)]
        return int(np.argmax(full)) if full and max(full) > 1 else None

    def _least_overlap(self, level: int) -> int:
        files, below = self._levels[level], self._levels[level + 1]
        before = np.append(0, np.cumsum([keys.size for keys in below]))
        start, end = _overlapping(below, files)
        return int(np.argmin((before[end] - before[start]) / [keys.size for keys in files]))

    def _merge(self, files: list[Keys], level: int) -> None:
        """Merge files into those that they overlap on a level."""
        keys = files[0] if len(files) == 1 else np.unique(np.concatenate(files))
        start, end = (int(bound[0]) for bound in _overlapping(self._levels[level], [keys]))
        beside = self._levels[level][start:end]
        if not beside and len(files) == 1:
            self._levels[level][start:end] = files
            return
        keys = np.unique(np.concatenate([keys, *beside]))
        self._levels[level][start:end] = self._cut(keys, level)
        self._drop([*files, *beside])

    def _cut(self, keys: Keys, level: int) -> list[Keys]:
        """Return keys as files of a level, written."""
        below = self._levels[level + 1] if level + 1 < len(self._levels) else []
        if not (self._aligned and below):
            edges = np.arange(0, keys.size, self._file)
        else:
            edges = self._aligned_edges(keys, below)
        return [self._write(part.copy(), level + 1) for part in np.split(keys, edges[1:])]

    def _aligned_edges(self, keys: Keys, below: list[Keys]) -> NDArray[np.int64]:
        """Return where files start that end with files of the level below, if one is near.

        As RocksDB does: at the first such end where a file holds (50 + 5 n) % of its size, at most
        90 %, n being the ends that it has passed; at twice its size at the latest.
        """
        ends = np.unique(np.searchsorted(keys, [keys_below[-1] for keys_below in below], "right"))
        edges, start = [0], 0
        while True:
            near = ends[(ends > start) & (ends < min(start + 2 * self._file, keys.size))]
            enough = (50 + np.minimum(5 * np.arange(1, near.size + 1), 40)) / 100 * self._file
            found = near[near - start >= enough]
            start = int(found[0]) if found.size else start + 2 * self._file
            if start >= keys.size:
                return np.array(edges)
            edges.append(start)


def _overlapping(level: list[Keys], files: list[Keys]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first file of a level that each of some files overlaps, and the one past them."""
    start = np.searchsorted([keys[-1] for keys in level], [keys[0] for keys in files])
    end = np.searchsorted([keys[0] for keys in level], [keys[-1] for keys in files], "right")
    return start, end


class TieredTree(_Tree):
    """A simulated tiered LSM tree: sets of keys; runs of equal size are merged into a larger run.

    Parameters
    ----------
    records : int
        Records in the tree, in [1, 2**28]. They are in the largest run at first.
    memtable : int
        Updates in a memtable, in [1, `records`].
    runs : int
        Runs (sorted files) that are merged at once, >= 2.
    exponent : float
        Exponent of the Zipf law by which updates choose records, in [0, 3]; 0 is uniform.
    seed : int
        Seed of the random draws.

    Attributes
    ----------
    updates : int
        Updates so far.
    written : ndarray
        Number of records written: by flushes, and by merges into runs of each size, the smallest
        first; the last is the run that holds all records.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> tree = TieredTree(20_000, memtable=100, runs=4)
    >>> for _ in range(1000):
    ...     events = tree.flush()
    >>> (tree.written / tree.updates).round(1)
    array([1. , 1. , 1. , 0.8, 1. ])
    """

    def __init__(
        self, records: int, memtable: int, *, runs: int = 4, exponent: float = 0.0, seed: int = 0
    ) -> None:
        super().__init__(records, memtable, exponent, seed)
        self._width = whole("runs", runs, 2)
        sizes = 1
        while memtable * self._width**sizes <= records:
            sizes += 1
        self._runs: list[list[Keys]] = [[] for _ in range(sizes)]
        self.written = np.zeros(sizes + 1, np.int64)
        self._all = self._write(np.arange(records), sizes)
        self.written[:] = 0

    def flush(self) -> list[Event]:
        """Write a memtable of random updates, merge what is due; list files written and dropped."""
        self._put(self._write(self._draw(), 0), 0)
        return self._told()

    def _put(self, run: Keys, size: int) -> None:
        """Add a run, and merge those of its size when there are enough."""
        same = self._runs[size]
        same.append(run)
        last = size + 1 == len(self._runs)
        if len(same) < self._width - last:
            return
        self._runs[size] = []
        merged = [*same, self._all] if last else same
        run = self._write(np.unique(np.concatenate(merged)), size + 1)
        self._drop(merged)
        if last:
            self._all = run
        else:
            self._put(run, size + 1)
