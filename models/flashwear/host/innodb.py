"""InnoDB: its log of changes, its pages in place and their copies, its undo log, the binary log."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, flag, nested, number, one_of, plain
from flashwear.host.checkpoint import LOADS, Load, ranks
from flashwear.host.synced import FileSystem, sync_bytes
from flashwear.wa import map_unit_factor

PAGE_BYTES = 16_384
"""A page, ``innodb_page_size``."""
COMMIT_BYTES = 133
"""Bytes of a commit in the log."""
SHARED_PAGES = {"random": 170, "append": 215, "insert_random": 170}
"""Pages that all changes share, by load: heads of 128 rollback segments, and some of the system."""
_UPDATE, _INSERT = 69, 58  # bytes in the log beside the row
_MOVED, _ENTERED, _ENTRY = 100, 38, 30  # of an index entry that moves, or is new; its own
_PREPARE = 58  # more of a commit that is to agree with the binary log
_HEADER = 20  # of a row in a page
_SPLIT = 0.9  # of a row's bytes, logged again as pages split


class Innodb(NamedTuple):
    """Bytes that InnoDB writes for each row, by kind."""

    log: FloatOrArray
    """Bytes of changes appended to the redo log."""
    flushes: FloatOrArray
    """Bytes of the unfilled last block of the log that a flush writes and the next writes again."""
    pages: FloatOrArray
    """Bytes of pages of tables, indexes and undo logs that are overwritten in place."""
    copies: FloatOrArray
    """Bytes of the same pages written elsewhere before that."""
    binlog: FloatOrArray
    """Bytes of the binary log, in whole blocks."""
    file_system: FloatOrArray
    """Bytes that the file system adds to each sync."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, for each row."""
        return sum(self, 0.0)


@elementwise()
def innodb(
    row_bytes: ArrayLike,
    table_pages: ArrayLike,
    checkpoint_age: ArrayLike = 64e6,
    load: Load = "random",
    *,
    rows_per_commit: ArrayLike = 1,
    commits_per_flush: ArrayLike = 1,
    changed_bytes: ArrayLike | None = None,
    indexes: ArrayLike = 0,
    index_pages: ArrayLike | None = None,
    exponent: ArrayLike = 0.0,
    doublewrite: bool = True,
    log_block: ArrayLike = 512,
    binlog_bytes: ArrayLike = 0,
    file_system: FileSystem | None = None,
) -> Innodb:
    r"""Return the bytes that InnoDB writes for a row that is updated or inserted.

    .. math:: l + \frac{133}{g} + \frac{e}{g\,q}
              + (1 + w)\,b\left[p + \sum_k \frac{\lambda_k}{1 + n\lambda_k}
              + \frac{U}{n + U}\right]

    A row logs :math:`l` bytes, and a commit of :math:`g` rows 133 more: 2 changed + 69 for an
    update, row + 58 for a new row, 0.9 (row + 20) more where random keys split pages, and for each
    secondary index 100 if its key changes and 38 for a new row. A flush for :math:`q` commits
    writes the last block of :math:`e` bytes of the log, and the next one writes it again.

    A page of :math:`b` = 16,384 bytes stays in memory after its first change until the log is
    :math:`n` rows further, its *age*. Then it is written, :math:`w = 1` more time to the
    doublewrite buffer. A page that is hit by a share :math:`\lambda` of the rows is so written once
    in :math:`n + 1/\lambda` rows. :math:`U` pages are shared by all changes, 170 or, where
    rows are appended, 215: heads of rollback segments and pages of the system. New rows fill
    :math:`p` new pages, which are not copied; with random keys they are among those that age.

    Parameters
    ----------
    row_bytes : array_like
        Bytes of the columns of a row, > 0 and at most half a page.
    table_pages : array_like
        Leaves of the table, >= 1 (``n_leaf_pages`` of ``mysql.innodb_index_stats``).
    checkpoint_age : array_like
        Bytes of log for which a changed page stays in memory, > 0: measure it where you can
        (``Innodb_checkpoint_age`` of ``SHOW GLOBAL STATUS``; in MySQL ``log_lsn_checkpoint_age`` of
        ``INNODB_METRICS``). It was 0.6 to 0.7 of ``innodb_log_file_size`` (96 MB; in MySQL
        ``innodb_redo_log_capacity``, 100 MB) under a full load whose changed pages fit into
        ``innodb_buffer_pool_size`` (128 MB), and a hundredth of that where they did not.
    load : {"random", "append", "insert_random"}
        Rows are updated at random, added in the order of their key, or added with random keys.
    rows_per_commit : array_like
        Rows of a transaction :math:`g`, > 0.
    commits_per_flush : array_like
        Commits that share a flush :math:`q`, >= 1 (``Com_commit`` over ``Innodb_data_fsyncs``; in
        MySQL ``Innodb_os_log_fsyncs``), with ``innodb_flush_log_at_trx_commit`` of 1.
    changed_bytes : array_like, optional
        Bytes of the columns that an update changes, >= 0 and at most the row; by default all.
    indexes : array_like
        Secondary indexes that each row changes at random places, >= 0.
    index_pages : array_like, optional
        Leaves of all of these together, >= 1; by default those of entries of 30 bytes.
    exponent : array_like
        Exponent of the Zipf law by which pages are chosen, in [0, 3]; 0 is uniform.
    doublewrite : bool
        Whether pages are written twice (``innodb_doublewrite``, on).
    log_block : array_like
        Least bytes that a write of the log takes :math:`e`, > 0: 512 in MySQL, and in MariaDB on a
        device with sectors of 512 bytes; 4,096 on others, and where a file system rounds up.
    binlog_bytes : array_like
        Bytes that a commit appends to the binary log (``Binlog_bytes_written``), >= 0; 0 without.
        It is synced with each commit (``sync_binlog`` of 1; MariaDB comes with 0).
    file_system : {"ext4", "xfs", "btrfs"}, optional
        File system below, whose share is then counted.

    Returns
    -------
    Innodb
        Bytes for each row: ``log``, ``flushes``, ``pages``, ``copies``, ``binlog``,
        ``file_system``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Bytes in the log, pages shared and the age were read from counters of MariaDB 10.11, the only
    version that was counted. In 23 settings that were named before
    (:func:`flashwear_book.tables.database_writes`) the form is off by 7 % in the median, and from
    17 % low to 33 % high; the first four with random keys had been counted when the form put new
    pages among the old. Where keys are random it is a mean over the time in which a table
    doubles: leaves fill together, so that splits come in waves, and between two waves less is
    written.

    MySQL writes its log in blocks of 512 bytes, with 16 of header and trailer in each; it was not
    counted. The change buffer, which collects changes of secondary indexes on disks (off since
    MariaDB 10.5.15, gone in 11), compression, and large values on pages of their own are left out.

    Examples
    --------
    Rows of 200 bytes in ten gigabytes, one to a commit and twenty:

    >>> innodb(200, 610_000, rows_per_commit=[1, 20]).total.round()
    array([29071., 27389.])
    """
    one_of("load", load, LOADS)
    row = number("row_bytes", row_bytes, above=0)
    nested(("row_bytes", row), ("half a page", np.asarray(PAGE_BYTES / 2)))
    twice = flag("doublewrite", doublewrite)
    table = number("table_pages", table_pages, low=1, high=2**53)
    age = number("checkpoint_age", checkpoint_age, above=0)
    group = number("rows_per_commit", rows_per_commit, above=0)
    flushed = group * number("commits_per_flush", commits_per_flush, low=1)
    changed = row if changed_bytes is None else number("changed_bytes", changed_bytes, low=0)
    keys = number("indexes", indexes, low=0)
    nested(("changed_bytes", changed), ("row_bytes", row))
    leaves = (keys * table * _ENTRY / (row + _HEADER)).clip(1)
    if index_pages is not None:
        leaves = number("index_pages", index_pages, low=1, high=2**53)
    skew = number("exponent", exponent, low=0, high=3)
    block = number("log_block", log_block, above=0)
    events = number("binlog_bytes", binlog_bytes, low=0, high=2**40)
    logged = 2 * changed + _UPDATE if load == "random" else row + _INSERT
    logged = logged + _SPLIT * (row + _HEADER) * (load == "insert_random")
    entry = _MOVED if load == "random" else _ENTERED
    logged = logged + entry * keys + (COMMIT_BYTES + _PREPARE * (events > 0)) / group
    rows = age / logged
    filled = {"random": np.inf, "append": 15 / 16, "insert_random": np.log(2)}[load]
    new = (row + _HEADER) / (filled * PAGE_BYTES)
    written = SHARED_PAGES[load] / (rows + SHARED_PAGES[load])
    written = written + _aged(keys * rows, leaves, skew) * keys * (keys > 0)
    if load == "append":
        copied, written = written, written + new
    else:
        written = written + np.maximum(_aged(rows, table, skew), new)
        copied = written - new
    synced = sync_bytes(file_system, "scattered") / flushed
    blocks = np.ceil(events).clip(1)
    binlog = np.asarray(map_unit_factor(blocks, 4096)) * blocks * (events > 0) / group
    synced = synced + sync_bytes(file_system, "append", events) * (events > 0) / group
    pages, copies = written * PAGE_BYTES, twice * copied * PAGE_BYTES
    parts = logged, block / flushed, pages, copies, binlog, synced
    return Innodb(*map(plain, np.broadcast_arrays(*parts)))


def _aged(rows: Array, pages: Array, exponent: Array) -> Array:
    """Return pages written for each row, if each is written when its first change has an age."""
    rows, pages, exponent = np.broadcast_arrays(rows, pages, exponent)
    found = np.empty(rows.shape)
    for index in np.ndindex(rows.shape):
        counts, shares = ranks(float(pages[index]), float(exponent[index]))
        found[index] = counts @ (shares / (1 + rows[index] * shares))
    return found
