"""Log-structured merge trees: RocksDB, LevelDB and their like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, flag, nested, number, one_of, plain, refuse
from flashwear.host.checkpoint import LOADS, Load, ranks
from flashwear.host.synced import FileSystem, sync_bytes
from flashwear.wa import map_unit_factor

_BLOCK = 4_096  # of a file system
BATCH_BYTES = 19
"""Bytes in the log beside a batch."""
_PUT = 4  # beside a record
_MOST_UPDATES = 1e6  # for each record, in what a level holds


class Lsm(NamedTuple):
    """Bytes an LSM tree writes for each byte of the records that are updated, by kind."""

    log: FloatOrArray
    """Bytes written to the write-ahead log."""
    flush: FloatOrArray
    """Bytes of files of level 0, each of which is a flushed memtable."""
    merges: FloatOrArray
    """Bytes of files made by merging others, on all levels from level 1 on."""
    file_system: FloatOrArray = 0.0
    """Bytes that the file system adds to each sync of the log."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, per byte of the records updated."""
        return self.log + self.flush + self.merges + self.file_system


class _Distinct:
    """How many different records some updates hit: the law of pages touched, with its mean."""

    replaced = True
    """Whether a record replaces an older one."""

    def __init__(self, records: float, exponent: float) -> None:
        self.records = records
        self._counts, self._shares = ranks(records, exponent)

    def of(self, updates: float) -> float:
        """Return the mean number of different records in `updates`."""
        return float(-self._counts @ np.expm1(-self._shares * updates))

    def mean(self, updates: float) -> float:
        """Return the mean of :meth:`of` from 0 to `updates`."""
        x = self._shares * updates
        return float(self._counts @ np.where(x > 1e-4, 1 + np.expm1(-x) / x, x / 2 - x * x / 6))


class _New(_Distinct):
    """Records that are all new."""

    replaced = False

    def of(self, updates: float) -> float:
        """Return `updates`."""
        return updates

    def mean(self, updates: float) -> float:
        """Return the mean from 0 to `updates`."""
        return updates / 2


@elementwise()
def lsm_levelled(
    data_bytes: ArrayLike,
    memtable_bytes: ArrayLike,
    load: Load = "random",
    *,
    ratio: ArrayLike = 10,
    level_bytes: ArrayLike = 268_435_456,
    level0_files: ArrayLike = 4,
    file_bytes: ArrayLike = 67_108_864,
    record_bytes: ArrayLike = 100,
    exponent: ArrayLike = 0.0,
    dynamic: bool = True,
    aligned: bool = True,
    log: bool = True,
    rows_per_commit: ArrayLike | None = None,
    file_system: FileSystem | None = None,
) -> Lsm:
    r"""Return what a levelled LSM tree writes for each byte of records that are put.

    With :math:`D(n)` different records in :math:`n` updates (:func:`pages_touched`), a memtable of
    :math:`m` records, :math:`m_0 = k m` in the :math:`k` files that are merged from level 0, and
    levels of :math:`S_1 < S_2 < \dots < S_L` records, of which the last holds all :math:`N`:

    .. math::

        \frac{D(m)}{m} + \frac{S_1}{m_0} + f_1
        + \sum_{i=2}^{L-1}\left(\frac{S_i}{W_{i-1}} + \frac{f_i}{2}\right) + \frac{N}{W_{L-1}}
        + u\sum_{i=1}^{L-1} f_i, \qquad f_i = \frac{D(W_i)}{W_i}

    :math:`W_i` is the number of updates between two merges of the same range of keys out of level
    :math:`i`. As levels are merged range by range, the records of a range, averaged over that time,
    make up what the level holds (:math:`[i = 1]` is 1 for the first level and 0 for others):

    .. math:: \frac{1}{W_i}\int_0^{W_i} D(n)\,dn = S_i + \frac{m_0 f_1}{2}\,[i = 1]

    If updates are few compared with the records, :math:`W_i = 2 S_i`, and each level costs half its
    ratio plus one half. Files that do not end where files of the next level do (:math:`u = 1`) are
    merged with one file more. Of new records all are different, and the last level costs one half
    more; records in order of their keys overlap nothing, and their files are moved, not merged.

    Parameters
    ----------
    data_bytes : array_like
        Bytes of all records, >= `level_bytes`, at most 2**53 records.
    memtable_bytes : array_like
        Bytes of the records in a memtable, <= `level_bytes` and >= `record_bytes`
        (``write_buffer_size``, 64 MB).
    load : {"random", "append", "insert_random"}
        Records are replaced at random, added in the order of their key, or added with random keys.
    ratio : array_like
        Size of a level over that of the level above, in [2, 1000]
        (``max_bytes_for_level_multiplier``, 10).
    level_bytes : array_like
        Most bytes of the first level, > 0 (``max_bytes_for_level_base``, 256 MB).
    level0_files : array_like
        Files of level 0 that are merged at once :math:`k`, >= 1
        (``level0_file_num_compaction_trigger``, 4).
    file_bytes : array_like
        Bytes of a file of a level, <= `level_bytes` (``target_file_size_base``, 64 MB). On average
        a level is half a file below its largest size.
    record_bytes : array_like
        Bytes of a record with its key, > 0.
    exponent : array_like
        Exponent of the Zipf law of the records, whose keys lie at random, in [0, 3]; 0 is uniform.
    dynamic : bool
        Whether the last level sets the sizes of those above, as in RocksDB since 8.4
        (``level_compaction_dynamic_level_bytes``). Else they grow from the first, and the last has
        a smaller ratio.
    aligned : bool
        Whether files end where files of the next level do: RocksDB since 7.8; not LevelDB.
    log : bool
        Whether updates go through a log.
    rows_per_commit : array_like, optional
        Records of a batch that is synced (``WriteOptions::sync``), >= 1: it takes whole blocks of
        4,096 bytes of the log. By default nothing is synced.
    file_system : {"ext4", "xfs", "btrfs"}, optional
        File system below, whose share of a sync is then counted.

    Returns
    -------
    Lsm
        Bytes per byte updated: ``log``, ``flush`` of memtables, ``merges``, ``file_system``, and
        the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges, or for sizes that do not nest.

    Notes
    -----
    The formula is for trees that merge files in the order of their keys (:cite:t:`lim2016`);
    picking the file with the least overlap does about as well. Compared with simulated trees
    (:class:`LevelledTree`) with ratios of 2 to 1000 and exponents up to 2, the result is from 13 %
    low (a file as large as the first level) to 7 % high, but 13 % high at a ratio of 3 and 26 % at
    2 if files are not aligned. At an exponent of 3 it is three times too high. Compared with 14
    counted runs of RocksDB, it is from 8 % low to 4 % high. At the device, with small files, it was
    off by 5 % in the median of 14 settings that were named before they were counted
    (:func:`flashwear_book.tables.database_writes`), on btrfs by 35 %. Where a dynamic first level
    would be smaller than the files of level 0 that are merged into it,
    RocksDB 9.8 lets it grow to `level_bytes`, and four counted trees merged 19 to 28 % less.
    Writes are taken to be paced; if files pile up in level 0, more is merged at once and less is
    written. Compression (Snappy, unless turned off), deletions, and what a file system adds to
    each new file are left out.

    Examples
    --------
    A hundred gigabytes in RocksDB as it comes, and the guess *ratio x levels*:

    >>> found = lsm_levelled(100e9, 64 * 2**20)
    >>> round(float(found.total), 1), 10 * 3
    (16.4, 30)
    """
    arguments = np.broadcast_arrays(
        number("data_bytes", data_bytes, above=0),
        number("memtable_bytes", memtable_bytes, above=0),
        number("ratio", ratio, low=2, high=1000),
        number("level_bytes", level_bytes, above=0),
        number("level0_files", level0_files, low=1),
        number("file_bytes", file_bytes, above=0),
        number("record_bytes", record_bytes, above=0),
        number("exponent", exponent, low=0, high=3),
    )
    data, memtable, _, first, _, file, record, _ = arguments
    nested(("record_bytes", record), ("memtable_bytes", memtable), ("level_bytes", first))
    nested(("file_bytes", file), ("level_bytes", first), ("data_bytes", data))
    _countable(data, record)
    dynamic, aligned = flag("dynamic", dynamic), flag("aligned", aligned)
    one_of("load", load, LOADS)
    sync_bytes(file_system, "append")
    levelled = partial(_levelled, load=load, dynamic=dynamic, aligned=aligned)
    found = _for_each(levelled, arguments, flag("log", log))
    if rows_per_commit is None or not log:
        return found
    together = number("rows_per_commit", rows_per_commit, low=1, high=2**30)
    batch = np.ceil(together * (record + _PUT) + BATCH_BYTES)
    each = batch / (together * record)
    blocks = np.asarray(map_unit_factor(batch, _BLOCK)) * each
    synced = np.asarray(log_sync_bytes(file_system, batch)) / batch
    parts = np.broadcast_arrays(blocks, found.flush, found.merges, synced * each)
    return Lsm(*map(plain, parts))


def log_sync_bytes(file_system: FileSystem | None, batch: float | Array) -> FloatOrArray:
    """Return the bytes that a file system adds to a synced batch of a log, of some bytes.

    Examples
    --------
    >>> log_sync_bytes("ext4", 4096), log_sync_bytes("xfs", 4096)
    (24576.0, 1024.0)
    """
    added = np.asarray(sync_bytes(file_system, "append", batch))
    if file_system == "ext4":  # the log was allocated before, and its extents change
        added = added + np.minimum(batch, _BLOCK)
    return plain(added)


def _for_each(
    written: Callable[..., tuple[float, float]], arguments: Sequence[Array], log: bool
) -> Lsm:
    """Return what is written with each row of arguments."""
    found = np.empty((2, *arguments[0].shape))
    for index in np.ndindex(arguments[0].shape):
        found[(slice(None), *index)] = written(*(float(value[index]) for value in arguments))
    whole = np.ones(found.shape[1:])
    return Lsm(*map(plain, (log * whole, *found, 0 * whole)))


def _records(load: Load, records: float, exponent: float) -> _Distinct:
    return (_Distinct if load == "random" else _New)(records, exponent)


def _levelled(
    data: float,
    memtable: float,
    ratio: float,
    first: float,
    level0_files: float,
    file: float,
    record: float,
    exponent: float,
    *,
    load: Load,
    dynamic: bool,
    aligned: bool,
) -> tuple[float, float]:
    """Return what is flushed and merged for each record updated."""
    distinct = _records(load, data / record, exponent)
    held = memtable / record
    flushed = distinct.of(held) / held
    if load == "append":
        return flushed, 0.0
    passed = lump = level0_files * held
    flow, merged = distinct.of(passed) / passed, 0.0
    for place, size in enumerate(level_sizes(data, first, ratio, dynamic=dynamic)[:-1]):
        size = (size - min(file, size) / 2) / record
        extra = lump / 2 if place == 0 else 0.0
        before, passed = passed, _swept(distinct, size, extra, passed)
        merged += size / before + (0 if aligned or place == 0 else flow)
        flow = distinct.of(passed) / passed
        merged += flow if place == 0 else flow / 2
    deep = passed > lump
    merged += distinct.records / passed + (0 if distinct.replaced else flow / 2)
    return flushed, merged + (flow if deep and not aligned else 0)


def _swept(distinct: _Distinct, size: float, extra: float, least: float) -> float:
    """Return updates between two sweeps of a level that holds `size` records."""
    from scipy.optimize import brentq

    def lacking(updates: float) -> float:
        return distinct.mean(updates) - extra * distinct.of(updates) / updates - size

    most = _MOST_UPDATES * distinct.records
    if lacking(least) >= 0 or lacking(most) <= 0:
        return least if lacking(least) >= 0 else most
    return float(brentq(lacking, least, most, rtol=1e-9))


def level_sizes(data: float, first: float, ratio: float, *, dynamic: bool) -> list[float]:
    """Return the sizes of the levels of an LSM tree, the smallest first; the last holds the data.

    `data`: size of all records, > 0, in any unit. `first`: largest size of the first level, > 0.
    `ratio`: size of a level over that of the level above, > 1. `dynamic`: whether the sizes follow
    from that of the last level, instead of from that of the first.

    Examples
    --------
    >>> level_sizes(500, 10, 10, dynamic=True), level_sizes(500, 10, 10, dynamic=False)
    ([5.0, 50.0, 500], [10, 100, 500])
    """
    sizes = [data]
    if dynamic:
        while sizes[0] > first:
            sizes.insert(0, sizes[0] / ratio)
        return sizes
    above = [first]
    while above[-1] * ratio < data:
        above.append(above[-1] * ratio)
    return [*above, *sizes] if first < data else sizes


@elementwise()
def lsm_tiered(
    data_bytes: ArrayLike,
    memtable_bytes: ArrayLike,
    load: Load = "random",
    *,
    runs: ArrayLike = 4,
    record_bytes: ArrayLike = 100,
    exponent: ArrayLike = 0.0,
    log: bool = True,
) -> Lsm:
    r"""Return what a tiered LSM tree writes for each byte of records that are put.

    .. math:: \sum_{i=0}^{J} f(T^i m) + \frac{N}{(T-1)\,T^J m}, \qquad
              f(n) = \frac{D(n)}{n}, \quad J = \lfloor \log_T (N/m) \rfloor

    :math:`T` runs of about one size are merged into one of the next size, from the memtable of
    :math:`m` records up, through :math:`J` sizes. The largest are merged, :math:`T - 1` at a time,
    into the run that holds all :math:`N` records. :math:`D(n)` is how many different records
    :math:`n` updates hit (:func:`pages_touched`). Size-tiered merging (:cite:t:`dayan2017`); within
    1 % of :class:`TieredTree`. RocksDB's universal style limits the number of runs of all sizes
    together and writes more: this formula gives 0.29 (4 runs) to 0.87 (16 runs) of it.

    Parameters
    ----------
    data_bytes : array_like
        Bytes of all records, > 0.
    memtable_bytes : array_like
        Bytes of the records in a memtable, <= `data_bytes` and >= `record_bytes`.
    load : {"random", "append", "insert_random"}
        Records are replaced at random, or all are new.
    runs : array_like
        Runs that are merged at once :math:`T`, a whole number in [2, 1000].
    record_bytes : array_like
        Bytes of a record with its key, > 0.
    exponent : array_like
        Exponent of the Zipf law by which updates choose records, in [0, 3]; 0 is uniform.
    log : bool
        Whether updates go through a log.

    Returns
    -------
    Lsm
        Bytes per byte updated: ``log``, ``flush`` of memtables, ``merges``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges, or for sizes that do not nest.

    Examples
    --------
    >>> found = lsm_tiered(100e9, 64 * 2**20, runs=[4, 10])
    >>> found.total.round(1)
    array([7.1, 4.9])
    """
    arguments = np.broadcast_arrays(
        number("data_bytes", data_bytes, above=0),
        number("memtable_bytes", memtable_bytes, above=0),
        number("runs", runs, low=2, high=1000),
        number("record_bytes", record_bytes, above=0),
        number("exponent", exponent, low=0, high=3),
    )
    data, memtable, width, record, _ = arguments
    if (width != np.floor(width)).any():
        raise ValueError(f"runs must be a whole number in [2, 1000], got {runs!r}")
    nested(("record_bytes", record), ("memtable_bytes", memtable), ("data_bytes", data))
    _countable(data, record)
    one_of("load", load, LOADS)
    return _for_each(partial(_tiered, load=load), arguments, flag("log", log))


def _tiered(
    data: float, memtable: float, width: float, record: float, exponent: float, *, load: Load
) -> tuple[float, float]:
    """Return what is flushed and merged for each record updated."""
    distinct = _records(load, data / record, exponent)
    held = memtable / record
    flushed = distinct.of(held) / held
    merged = 0.0
    while held * width <= distinct.records:
        held *= width
        merged += distinct.of(held) / held
    return flushed, merged + distinct.records / ((width - 1) * held)


def _countable(data: Array, record: Array) -> None:
    """Raise ValueError for more records than a float counts."""
    rule = "data_bytes must be <= 2**53 times record_bytes"
    refuse(rule, data > 2**53 * record, data, record)
