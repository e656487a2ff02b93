"""SQLite: its rollback journal, and its write-ahead log, as its file format describes them."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_of, plain, refuse
from flashwear.host.checkpoint import LOADS, Load, pages_touched
from flashwear.host.synced import FileSystem, sync_bytes

Journal: TypeAlias = Literal["wal", "delete", "truncate", "persist"]
"""``journal_mode``: a write-ahead log, or a rollback journal and what becomes of it."""
Synchronous: TypeAlias = Literal["full", "normal"]
"""``synchronous``."""

_BLOCK = 4_096  # of a file system
_JOURNAL_HEADER, _JOURNAL_EXTRA = 512, 8  # a sector; of a page, its number and a checksum
_FRAME_HEADER = 24  # of a page in the write-ahead log
_PAGE_HEADER, _CELL = 12, 13  # bytes of a page, and beside a row in it
_FILL = 0.88  # of pages that random keys fill
# of the journal, by file system: blocks of ext4 and sectors of XFS, one commit or two
_EMPTIED = {"ext4": {"truncate": 11 * 4096, "persist": 3 * 4096},
            "xfs": {"truncate": 8 * 512, "persist": 3 * 512}}  # fmt: skip


class Sqlite(NamedTuple):
    """Bytes that SQLite writes for each row, by kind."""

    log: FloatOrArray
    """Bytes written to the rollback journal, or to the write-ahead log."""
    flushes: FloatOrArray
    """Bytes of blocks that are only partly filled when they are synced, and written again."""
    file: FloatOrArray
    """Bytes written to the database file, at once or at a checkpoint."""
    file_system: FloatOrArray
    """Bytes that the file system adds for a journal that is new or emptied, and for each sync."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, for each row."""
        return sum(self, 0.0)


@elementwise()
def sqlite(
    row_bytes: ArrayLike,
    file_pages: ArrayLike,
    load: Load = "random",
    *,
    journal: Journal = "delete",
    synchronous: Synchronous = "full",
    rows_per_commit: ArrayLike = 1,
    indexes: ArrayLike = 0,
    index_pages: ArrayLike = 1,
    entry_bytes: ArrayLike = 14,
    pages_per_commit: ArrayLike | None = None,
    checkpoint_pages: ArrayLike = 1000,
    page_bytes: ArrayLike = 4096,
    exponent: ArrayLike = 0.0,
    file_system: FileSystem | None = None,
) -> Sqlite:
    r"""Return the bytes that SQLite writes for a row that is updated or inserted, at the device.

    .. math:: \frac{k (b + 24) + e}{g} + \frac{k\,D(M, P)\,b}{g M}
              \quad\text{or}\quad
              \frac{h + (k+1)(b + 8) + e}{g} + \frac{(k+1)\,b}{g}

    A commit of :math:`g` rows changes :math:`k` pages of :math:`b` bytes. With a write-ahead log it
    appends each of them with a header of 24 bytes. When the log holds :math:`M` pages, the
    different ones among them, :math:`D` of the :math:`P` of the file (:func:`pages_touched`), are
    written to the file. A rollback journal holds a header of :math:`h` = 512 bytes and, with 8
    bytes more, the old contents of each page and of the first one, whose change counter rises; then
    they are written to the file. A sync writes whole blocks of 4,096 bytes (:math:`e`).

    Rows that are updated at random touch a page each, or share one: :math:`k = D(g, P)`. Rows that
    are appended fill pages of :math:`R` rows; a new page changes its parent and the first page. A
    random key that finds its page full moves rows to its neighbours: 30 / (7 + R) pages more for a
    row. A secondary index loses an entry and gains one at random places.

    Parameters
    ----------
    row_bytes : array_like
        Bytes of the columns of a row, > 0 and at most a page.
    file_pages : array_like
        Pages of the table :math:`P`, >= 1 (``dbstat`` or ``sqlite3_analyzer`` count them by table).
    load : {"random", "append", "insert_random"}
        Rows are updated at random, added in the order of their key, or added with random keys.
    journal : {"wal", "delete", "truncate", "persist"}
        ``journal_mode``; SQLite comes with ``delete``.
    synchronous : {"full", "normal"}
        ``synchronous``: with a log, ``normal`` syncs at checkpoints alone; with a journal, it syncs
        once less. SQLite comes with ``full``.
    rows_per_commit : array_like
        Rows of a transaction :math:`g`, > 0.
    indexes : array_like
        Indexes that each row changes at random places, >= 0. A primary key that is no integer is
        one beside rows in order, unless the table is ``WITHOUT ROWID``.
    index_pages : array_like
        Pages of all of these together, >= 1.
    entry_bytes : array_like
        Bytes of an entry of an index, > 0: 14 for an integer, the length of a text and 10.
    pages_per_commit : array_like, optional
        Pages that a commit changes :math:`k`, the first page not counted, >= 1, if you have counted
        them; by default those of the load.
    checkpoint_pages : array_like
        Pages in the log at which it is checkpointed :math:`M` (``wal_autocheckpoint``), >= 1.
    page_bytes : array_like
        Bytes of a page :math:`b` (``page_size``), in [512, 65536], a power of two.
    exponent : array_like
        Exponent of the Zipf law by which updates choose pages, in [0, 3]; 0 is uniform.
    file_system : {"ext4", "xfs", "btrfs"}, optional
        File system below, whose share is then counted.

    Returns
    -------
    Sqlite
        Bytes for each row: ``log``, ``flushes``, ``file``, ``file_system``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Bytes of a commit are those of the file format; what a full page moves, and what a file system
    adds to a journal that is emptied, was read from counts of version 3.40. In 18 settings that
    were named before (:func:`flashwear_book.tables.database_writes`) the form is off by 2 % in the
    median, and from 12 % low (btrfs) to 8 % high. A log that never was as long as it is grows,
    and costs a commit of the file system each time; when it begins anew it is overwritten. Large
    values (on overflow pages) and ``auto_vacuum`` are left out.

    Examples
    --------
    Rows of 100 bytes in a file of 40 MB: as it comes on ext4, and with a write-ahead log:

    >>> [round(sqlite(100, 10_000, journal=way, file_system="ext4").total)
    ...  for way in ("delete", "wal")]
    [57344, 12106]
    """
    one_of("load", load, LOADS)
    one_of("journal", journal, ("wal", "delete", "truncate", "persist"))
    one_of("synchronous", synchronous, ("full", "normal"))
    page = number("page_bytes", page_bytes, low=512, high=65_536)
    refuse("page_bytes must be a power of two", np.log2(page) % 1 > 0, page)
    row = number("row_bytes", row_bytes, above=0)
    table = number("file_pages", file_pages, low=1, high=2**53)
    group = number("rows_per_commit", rows_per_commit, above=0)
    keys = number("indexes", indexes, low=0)
    leaves = number("index_pages", index_pages, low=1, high=2**53)
    most = number("checkpoint_pages", checkpoint_pages, low=1)
    skew = number("exponent", exponent, low=0, high=3)
    held = ((page - _PAGE_HEADER) / (row + _CELL)).clip(1)
    among = ((page - _PAGE_HEADER) / number("entry_bytes", entry_bytes, above=0)).clip(1)
    touches = keys * (2 if load == "random" else 1)  # of indexes, by a row
    new = group / held * {"random": 0, "append": 1, "insert_random": 1 / _FILL}[load]
    moved = _moved(touches * group, among, leaves) * (keys > 0)
    if load == "insert_random":
        moved = moved + _moved(group, held, table)

    def changed(count: Array) -> Array:
        """Return the different pages that some rows change, but for those that move."""
        found = np.asarray(pages_touched(touches * count, np.ceil(leaves))) * (keys > 0)
        if load == "append":
            return np.asarray(found + 1 + count / held)
        return np.asarray(found + pages_touched(count, table, skew))

    many = changed(group) + moved
    if load == "random":
        many = many.clip(1)
    if load == "append":
        many = many + 2 * -np.expm1(-new)  # parent and first page
    drawn, between = group, group * most / many  # rows of a commit, and between checkpoints
    if pages_per_commit is not None:
        drawn = many = number("pages_per_commit", pages_per_commit, low=1)
        between = most
    if journal == "wal":
        synced = 1.0 if synchronous == "full" else many / most
        logged, part = many * (page + _FRAME_HEADER), synced * (_BLOCK - 8)
        filed = changed(between) / between * drawn
        if load != "random":
            filed = filed + 2 * many / most
        if load == "insert_random":
            filed = filed + 0.6 * moved * (1 - filed / many).clip(0)
        added = np.asarray(sync_bytes(file_system, "scattered")) * synced
        if synchronous == "normal":
            added = added * 2
    else:
        logged = _JOURNAL_HEADER + (many + 1) * (page + _JOURNAL_EXTRA)
        few = np.floor(many)  # pages are whole, and so are blocks
        less, more = (
            np.ceil((_JOURNAL_HEADER + (k + 1) * (page + _JOURNAL_EXTRA)) / _BLOCK) * _BLOCK
            for k in (few, few + 1)
        )
        part = less + (many - few) * (more - less) - logged
        part = part + _BLOCK * ((synchronous == "full") + (journal == "persist"))
        filed = many + 1
        grown = -np.expm1(-new) * sync_bytes(file_system, "append")
        added = _of_journal(file_system, journal, synchronous) + grown
    part = part + filed * (_BLOCK - page).clip(0)
    parts = (value / group for value in (logged, part, filed * page, added))
    return Sqlite(*map(plain, np.broadcast_arrays(*parts)))


def _moved(rows: Array, held: Array, pages: Array) -> Array:
    """Return pages that change beside those of the rows, where pages hold so many rows."""
    each = 30 / (7 + held) * rows
    above = 1 + np.ceil(pages / 300)
    return np.asarray(0.6 * each - above * np.expm1(-0.4 * each / above))


def _of_journal(file_system: FileSystem | None, journal: str, synchronous: str) -> float:
    """Return bytes that the file system writes for the rollback journal of a commit."""
    if file_system in _EMPTIED and journal != "delete":
        return float(_EMPTIED[file_system][journal])
    if file_system == "btrfs":
        return (4 if synchronous == "full" else 3) * float(sync_bytes(file_system, "scattered"))
    return float(sync_bytes(file_system, "create"))
