"""LMDB, a tree that copies the path from the leaf to the root with each commit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_of, plain
from flashwear.host.checkpoint import LOADS, Load
from flashwear.host.synced import FileSystem, sync_bytes

_PAGE_HEADER, _NODE_HEADER = 16, 10  # bytes; an entry has eight and a pointer to it
_LARGEST = 2_036  # bytes of key and value beyond which a value lies on pages of its own


class Lmdb(NamedTuple):
    """Bytes that LMDB writes for each row, by kind."""

    leaves: FloatOrArray
    """Bytes of leaves that are copied or new."""
    branches: FloatOrArray
    """Bytes of pages above the leaves that are copied."""
    overflow: FloatOrArray
    """Bytes of pages that hold large values."""
    free: FloatOrArray
    """Bytes of pages that hold the list of free pages."""
    meta: FloatOrArray
    """Bytes of the page that points to the new root."""
    file_system: FloatOrArray
    """Bytes that the file system adds to two syncs, and where the file grows."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, for each row."""
        return sum(self, 0.0)


@elementwise()
def lmdb(
    row_bytes: ArrayLike,
    rows: ArrayLike,
    load: Load = "random",
    *,
    rows_per_commit: ArrayLike = 1,
    key_bytes: ArrayLike = 16,
    leaf_rows: ArrayLike | None = None,
    children: ArrayLike | None = None,
    free_pages: ArrayLike = 1,
    page_bytes: ArrayLike = 4096,
    file_system: FileSystem | None = None,
) -> Lmdb:
    r"""Return the bytes that LMDB writes for a row that is put, at the device.

    .. math:: \frac{b}{m}\left(f + 1 + \sum_{i=0}^{d} D\big(m, \lceil n / (l F^i)\rceil\big)
              + \frac{m}{l} [\text{new}]\right) + o\,b

    A commit of :math:`m` rows among :math:`n` copies every page from their leaves up to the root:
    leaves of :math:`l` rows, and pages with :math:`F` children on each of the levels above.
    :math:`D` is how many of so many pages :math:`m` rows touch, :math:`b` the bytes of a page. A
    new row needs :math:`1/l` of a new leaf; rows in order touch one path. Values too large for half
    a page lie on :math:`o` pages of their own. :math:`f` pages hold the list of free pages. The
    meta page, of which LMDB writes 120 bytes, reaches the device as a block. Pages of one level are
    taken to be equally full.

    Parameters
    ----------
    row_bytes : array_like
        Bytes of a value, >= 0.
    rows : array_like
        Rows in the tree :math:`n`, >= 1 (``entries`` of ``mdb_stat``).
    load : {"random", "append", "insert_random"}
        Rows are replaced at random, added in the order of their key, or added with random keys.
    rows_per_commit : array_like
        Rows of a transaction :math:`m`, >= 1.
    key_bytes : array_like
        Bytes of a key, > 0 and <= 511.
    leaf_rows : array_like, optional
        Rows of a leaf :math:`l`, >= 1: ``entries`` over ``leaf_pages``. By default pages are full,
        but for one entry, and ln 2 full where keys are random.
    children : array_like, optional
        Children of a page above :math:`F`, in [2, 1e6]: ``(leaf_pages + branch_pages - 1) /
        branch_pages``; by default in the same way. ``depth`` tells the levels.
    free_pages : array_like
        Pages of the list of free pages that a commit copies :math:`f`, >= 0: a state, not a
        setting. It is 1 where that list is one page (``mdb_stat -f``: depth 1), and 3.0 to 3.7 at
        depth 2, as a few large transactions leave it.
    page_bytes : array_like
        Bytes of a page :math:`b`, that of the operating system, in [512, 65536].
    file_system : {"ext4", "xfs", "btrfs"}, optional
        File system below, whose share is then counted.

    Returns
    -------
    Lmdb
        Bytes for each row: ``leaves``, ``branches``, ``overflow``, ``free``, ``meta``,
        ``file_system``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    For version 0.9.36, with the settings that it comes with and without ``MDB_WRITEMAP``, which
    writes several times as much: ``msync`` sends whole folios. In 14 settings that were named
    before they were counted (:func:`flashwear_book.tables.database_writes`) the form is within 3 %,
    in the median within 0.1 %. Just above a full level it may be 16 % high.

    Examples
    --------
    A million rows of 100 bytes, one to a commit and a thousand:

    >>> lmdb(100, 1e6, rows_per_commit=[1, 1000]).total.round()
    array([24576.,  4895.])
    """
    one_of("load", load, LOADS)
    value = number("row_bytes", row_bytes, low=0)
    count = number("rows", rows, low=1, high=2**53)
    many = number("rows_per_commit", rows_per_commit, low=1)
    key = number("key_bytes", key_bytes, above=0, high=511)
    page = number("page_bytes", page_bytes, low=512, high=65_536)
    free = number("free_pages", free_pages, low=0)
    room = page - _PAGE_HEADER
    fill = np.log(2) if load == "insert_random" else 1.0
    large = key + value > _LARGEST * page / 4096
    entry = _NODE_HEADER + key + np.where(large, 8, value)
    leaf = np.maximum(fill * np.floor(room / entry) - (fill == 1), 1.0)
    if leaf_rows is not None:
        leaf = number("leaf_rows", leaf_rows, low=1)
    wide = np.maximum(fill * room / (_NODE_HEADER + key) - (fill == 1), 2.0)
    if children is not None:
        wide = number("children", children, low=2, high=1e6)
    count, wide, many, leaf = np.broadcast_arrays(count, wide, many, leaf)
    left = np.ceil(count / leaf)
    copied = _touched(many, left) if load != "append" else np.ones_like(left)
    new = many / leaf * (load != "random")
    above = np.zeros_like(left)
    while (left > 1).any():
        going = left > 1
        left = np.where(going, np.ceil(left / wide), left)
        above += np.where(going, _touched(many, left) if load != "append" else 1.0, 0.0)
    own = np.where(large, np.ceil((_PAGE_HEADER + value) / page), 0.0)
    grown = new + own * many * (load != "random")
    synced = 2 * np.asarray(sync_bytes(file_system, "scattered"))
    if file_system in ("ext4", "xfs"):
        extended = sync_bytes(file_system, "append", (grown * page).clip(4096))
        synced = synced + extended * (grown.clip(0, 1) if load == "append" else -np.expm1(-grown))
    each = page / many
    parts = (
        (copied + new) * each, above * each, own * page, free * each,
        np.maximum(page, 4096) / many, synced / many,
    )  # fmt: skip
    return Lmdb(*map(plain, np.broadcast_arrays(*parts)))


def _touched(rows: Array, pages: Array) -> Array:
    """Return how many of some pages a fixed number of rows touches, on average."""
    alone = np.maximum(pages, 1 + 1e-12)
    return np.where(pages > 1, -alone * np.expm1(rows * np.log1p(-1 / alone)), 1.0)
