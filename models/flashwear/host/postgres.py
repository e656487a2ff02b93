"""PostgreSQL: its log with images of whole pages, its tables, indexes and vacuum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, nested, number, one_of, plain
from flashwear.host.checkpoint import LOADS, Load, pages_touched
from flashwear.host.synced import FileSystem, sync_bytes

PAGE_BYTES = 8_192
"""A page of a table and of the log, the least that a flush writes, unless built otherwise."""
COMMIT_BYTES = 40
"""Bytes of a commit in the log."""
_UPDATE, _INSERT = 68, 55  # bytes of a record in the log beside the row
_ENTRY, _PRUNE, _LOCK = 64, 64, 76  # an index entry, a page cleaned, a row that leaves its page
_HEADER, _INDEX_ENTRY, _INDEX_FILL = 28, 20, 0.9  # in pages: a row's, of eight bytes, as filled


class Postgres(NamedTuple):
    """Bytes that PostgreSQL writes for each row, by kind."""

    log: FloatOrArray
    """Bytes of records appended to the log, without images."""
    images: FloatOrArray
    """Bytes of whole pages in the log, each at its first change after a checkpoint."""
    flushes: FloatOrArray
    """Bytes of the unfilled last page of the log that a flush writes and the next writes again."""
    table: FloatOrArray
    """Bytes of pages of the table, written at checkpoints."""
    indexes: FloatOrArray
    """Bytes of pages of the indexes, written at checkpoints."""
    vacuum: FloatOrArray
    """Bytes of pages that vacuum alone changes, in the table and in the log."""
    file_system: FloatOrArray
    """Bytes that the file system adds to each flush."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, for each row."""
        return sum(self, 0.0)


@elementwise()
def postgres(
    row_bytes: ArrayLike,
    table_pages: ArrayLike,
    changes: ArrayLike,
    load: Load = "random",
    *,
    rows_per_commit: ArrayLike = 1,
    commits_per_flush: ArrayLike = 1,
    changed_bytes: ArrayLike | None = None,
    indexes: ArrayLike = 1,
    random_indexes: ArrayLike | None = None,
    index_pages: ArrayLike | None = None,
    hot_share: ArrayLike = 1.0,
    exponent: ArrayLike = 0.0,
    image_share: ArrayLike = 1.0,
    vacuums: ArrayLike = 0.0,
    file_system: FileSystem | None = None,
) -> Postgres:
    r"""Return the bytes that PostgreSQL writes for a row that is updated or inserted.

    .. math:: l + \frac{40}{g} + \frac{b}{n}\big[(1 + c)\,(D_t + D_i) + V\big] + \frac{b + s}{g\,q}

    There are :math:`n` rows between two checkpoints, :math:`g` to a commit, and :math:`q` commits
    share a flush of the log. A row logs :math:`l` bytes. :math:`D_t` and :math:`D_i` are the pages
    of :math:`b` = 8,192 bytes of the table and of its indexes that are changed
    (:func:`pages_touched`), each written at the checkpoint; :math:`c` is the share of a page in its
    image in the log, where there is one. :math:`V` pages are changed by vacuum alone. A flush
    writes the page of the log in which it ends, and the next one writes it again; the file system
    adds :math:`s` bytes.

    ============== ========================= ============== =========================
    load           :math:`l`                 :math:`D_t`    :math:`D_i`
    ============== ========================= ============== =========================
    random, HOT    68 + changed + 64 (clean) D(n, N)        0
    random, others the same + 76 + 64 i      D(2n, N)       D(i n, N_i)
    append,        55 + row + 64 i           row / b a row  D(j n, N_j), and of the
    insert_random                                           others 20 (i - j) / 0.9 b a row
    ============== ========================= ============== =========================

    Of :math:`i` indexes :math:`j` take keys at random: none by default where rows are appended, all
    where their keys are random. The first change of a page after a checkpoint logs its image
    instead of the changed bytes, and needs no cleaning. Pages that rows are appended to begin empty
    and need no image.

    Parameters
    ----------
    row_bytes : array_like
        Bytes of the columns of a row, > 0 and at most a page (``pg_column_size`` without the
        header of 24).
    table_pages : array_like
        Pages of the table :math:`N`, >= 1 (``pg_relation_size / 8192``).
    changes : array_like
        Rows changed between two checkpoints :math:`n`, > 0: the rate times ``checkpoint_timeout``
        (300 s), or less if the log reaches ``max_wal_size / (1 + checkpoint_completion_target)``
        before (1 GB and 0.9 make 0.53 GB).
    load : {"random", "append", "insert_random"}
        Rows are updated at random, added in the order of their key, or added with random keys.
    rows_per_commit : array_like
        Rows of a commit :math:`g`, > 0.
    commits_per_flush : array_like
        Commits that share a flush :math:`q`, >= 1: ``wal_sync`` of ``pg_stat_wal`` counts flushes
        up to version 17; ``commit_delay`` (0) makes commits wait for others.
    changed_bytes : array_like, optional
        Bytes of the row that differ from the old one, from the first to the last, >= 0 and at most
        the row; by default all.
    indexes : array_like
        Indexes of the table :math:`i`, the primary key among them, in [0, 1000].
    random_indexes : array_like, optional
        Those of them whose keys come at random where rows are added :math:`j`, >= 0: on a user, a
        name, a UUID. By default none (``append``) or all (``insert_random``).
    index_pages : array_like, optional
        Pages of all indexes that are changed at random together :math:`N_i`, >= 1
        (``pg_relation_size / 8192`` of each); by default those of keys of eight bytes.
    hot_share : array_like
        Share of heap-only updates :math:`h`, in [0, 1] (``n_tup_hot_upd`` over ``n_tup_upd``). The
        others change all indexes, and two pages of the table.
    exponent : array_like
        Exponent of the Zipf law by which updates choose pages, in [0, 3]; 0 is uniform.
    image_share : array_like
        Share of a page in its image :math:`c`, in [0, 1]: about ``fillfactor`` (1), less with
        ``wal_compression`` (off), 0 without ``full_page_writes`` (on). Images of indexes that
        random keys fill hold ln 2 of a page.
    vacuums : array_like
        Vacuums of the table between two checkpoints :math:`\nu`, >= 0, of random updates.
    file_system : {"ext4", "xfs", "btrfs"}, optional
        File system below, whose share is then counted.

    Returns
    -------
    Postgres
        Bytes for each row: ``log``, ``images``, ``flushes``, ``table``, ``indexes``, ``vacuum``,
        ``file_system``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The bytes of records were read from the log of version 15.18, the only one that was counted. In
    19 settings that were named before (:func:`flashwear_book.tables.database_writes`) the form is
    off by 2 % in the median, and from 20 % low (an index that random keys fill) to 5 % high.

    A vacuum visits the pages changed since the
    last one. It changes anew those that were not changed since the checkpoint: the mean of
    :math:`D(n + x) - D(n)` over :math:`0 \le x \le n/\nu`, or for :math:`\nu < 1` of
    :math:`\nu\,[D(n/\nu + x) - D(n)]` over :math:`0 \le x \le n`.

    Left out: new segments of the log, which are filled with zeros first (until ``min_wal_size`` of
    them are there to be used again: count a server that has run for a while), the first read or
    vacuum of new rows, which marks their pages (and logs these, with checksums), pages that leave
    ``shared_buffers`` between checkpoints, archives, temporary files, large values (TOAST),
    ``wal_level`` logical, and the 0.1 to 0.3 MB that a checkpoint writes whatever it holds.

    Examples
    --------
    Rows of 100 bytes, a commit for each or for a hundred, in a table of 10 GB:

    >>> found = postgres(100, 1_220_703, 30_000, rows_per_commit=[1, 100])
    >>> found.total.round()
    array([24486., 16337.])
    """
    one_of("load", load, LOADS)
    row = number("row_bytes", row_bytes, above=0)
    nested(("row_bytes", row), ("page_bytes", np.asarray(float(PAGE_BYTES))))
    table = number("table_pages", table_pages, low=1, high=2**50)
    count = number("changes", changes, above=0)
    group = number("rows_per_commit", rows_per_commit, above=0)
    flushed = group * number("commits_per_flush", commits_per_flush, low=1)
    changed = row if changed_bytes is None else number("changed_bytes", changed_bytes, low=0)
    nested(("changed_bytes", changed), ("row_bytes", row))
    keys = number("indexes", indexes, low=0, high=1000)
    spread = keys * (load != "append")
    if random_indexes is not None:
        spread = number("random_indexes", random_indexes, low=0)
        nested(("random_indexes", spread), ("indexes", keys))
    image = number("image_share", image_share, low=0, high=1)
    colder = 1 - number("hot_share", hot_share, low=0, high=1)
    swept = number("vacuums", vacuums, low=0)
    skew = number("exponent", exponent, low=0, high=3)
    stored = _HEADER + 8 * np.ceil(row / 8)
    entry = _INDEX_ENTRY / _INDEX_FILL
    leaves = (spread * table * entry / stored).clip(1)
    if index_pages is not None:
        leaves = number("index_pages", index_pages, low=1, high=2**53)

    def pages(number_of: Array, among: Array) -> Array:
        """Return bytes of pages touched, for each row."""
        return PAGE_BYTES * np.asarray(pages_touched(number_of, np.ceil(among), skew)) / count

    inside, imaged = np.zeros_like(count), np.zeros_like(count)
    vacuumed = inside
    if load == "random":
        touched = pages((1 + colder) * count, table)
        first = (touched / PAGE_BYTES).clip(0, 1)
        moved = colder * (_LOCK + _ENTRY * keys)
        logged = _UPDATE + changed * (1 - first) + _PRUNE * (1 - first) + moved
        inside = pages(spread * colder * count, leaves) * (spread * colder > 0)
        imaged = image * (touched + inside)
        often = np.maximum(swept, 1e-300)
        span = count * np.where(swept < 1, 0.5 + 1 / often, 1 + 0.5 / often)
        half = count * np.minimum(1, 1 / often) / np.sqrt(12)
        again = sum(pages(np.minimum(x, 1e300), table) for x in (span - half, span + half)) / 2
        again = (again - touched).clip(0)
        vacuumed = (1 + image) * np.where(swept > 0, np.minimum(swept, 1) * again, 0.0)
    else:
        logged = _INSERT + row + _ENTRY * keys
        touched = stored + 0 * count
        inside = pages(spread * count, leaves) * (spread > 0)
        imaged = np.minimum(image, np.log(2)) * inside
        inside = inside + (keys - spread) * entry
    added = sync_bytes(file_system, "scattered", PAGE_BYTES) / flushed
    parts = (
        logged + COMMIT_BYTES / group,
        imaged,
        PAGE_BYTES / flushed,
        touched,
        inside,
        vacuumed,
        added,
    )
    return Postgres(*map(plain, np.broadcast_arrays(*parts)))
