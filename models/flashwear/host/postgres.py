"""PostgreSQL: its log with images of whole pages, its tables, indexes and vacuum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, nested, number, plain
from flashwear.host.checkpoint import pages_touched

LOG_PAGE_BYTES = 8_192
"""A page of the log, the least that a flush writes: ``XLOG_BLCKSZ`` unless built otherwise."""


class Postgres(NamedTuple):
    """Bytes that PostgreSQL writes, by kind, for each byte of the rows that are updated."""

    log: FloatOrArray
    """Bytes of records appended to the log, without images."""
    images: FloatOrArray
    """Bytes of whole pages in the log, each at its first change after a checkpoint."""
    heap: FloatOrArray
    """Bytes of pages of the table, written at checkpoints."""
    indexes: FloatOrArray
    """Bytes of pages of the indexes, and of their images in the log."""
    vacuum: FloatOrArray
    """Bytes of pages that vacuum cleans, in the table and in the log."""
    flushes: FloatOrArray
    """Bytes of the unfilled last page of the log that a flush writes and the next writes again."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, per byte of the rows updated."""
        return self.log + self.images + self.heap + self.indexes + self.vacuum + self.flushes


@elementwise()
def postgres(
    row_bytes: ArrayLike,
    table_pages: ArrayLike,
    updates: ArrayLike,
    *,
    index_pages: ArrayLike = 0,
    hot_share: ArrayLike = 1.0,
    exponent: ArrayLike = 0.0,
    record_bytes: ArrayLike = 50,
    image_share: ArrayLike = 1.0,
    vacuums: ArrayLike = 0.0,
    flush_updates: ArrayLike = 1,
    page_bytes: ArrayLike = 8_192,
) -> Postgres:
    r"""Return what PostgreSQL writes for updates of single rows at random, per byte updated.

    .. math:: \frac{r+l}{r} + \frac{b}{n r}\left[(c + 1)\,D(n, N)
              + (c + 1)\,D\big((1-h)\,n, N_i\big) + (c + 1)\,\nu N\right] + \frac{p}{g r}

    Rows have :math:`r` bytes, and :math:`l` bytes more in the log. There are :math:`n` updates and
    :math:`\nu` vacuums of the whole table between two checkpoints. Of the pages of :math:`b` bytes,
    :math:`N` are the table's and :math:`N_i` those of its indexes; :math:`D` is the number of pages
    touched (:func:`pages_touched`). The image of a page in the log takes the share :math:`c` of a
    page (holes are left out, and it may be compressed). A share :math:`h` of the updates is
    heap-only and leaves the indexes alone. A commit flushes the log, which is written in whole
    pages of :math:`p` = 8,192 bytes. The page in which a flush ends is written again by the next
    flush; :math:`g` updates share a flush.

    Parameters
    ----------
    row_bytes : array_like
        Bytes of a row :math:`r`, > 0.
    table_pages : array_like
        Pages of the table :math:`N`, >= 1.
    updates : array_like
        Updates between two checkpoints :math:`n`, > 0.
    index_pages : array_like
        Pages of all indexes :math:`N_i` together, >= 0.
    hot_share : array_like
        Share of heap-only updates (HOT), which change no index :math:`h`, in [0, 1].
    exponent : array_like
        Exponent of the Zipf law by which updates choose pages, in [0, 3]; 0 is uniform.
    record_bytes : array_like
        Bytes in the log beside the row :math:`l`, >= 0.
    image_share : array_like
        Share of a page in its image in the log :math:`c`, in [0, 1]; 0 without
        ``full_page_writes``.
    vacuums : array_like
        Vacuums of the whole table between two checkpoints :math:`\nu`, >= 0.
    flush_updates : array_like
        Updates per flush of the log :math:`g`, > 0: the updates of a commit, times the commits that
        share a flush if several clients wait for it (``wal_sync`` of ``pg_stat_wal`` counts
        flushes). The default, a commit for each row, writes most.
    page_bytes : array_like
        Bytes of a page :math:`b`, > 0.

    Returns
    -------
    Postgres
        Bytes per byte updated: ``log`` records, page ``images`` in the log, table pages (``heap``),
        ``indexes``, ``vacuum``, log pages written again (``flushes``), and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    An update writes the new row into the page of the old one if there is room, as with heap-only
    updates. Otherwise a second page changes, which is not counted here unless `index_pages`
    includes it. Free space maps, visibility maps and commit logs are left out.

    The log volume that ``pg_stat_wal`` reports does not include `flushes`. Compared with a server
    of version 15.18 (:func:`flashwear_book.tables.postgres_log`), the formula is 0.4 % low to 9 %
    high.

    Examples
    --------
    Rows of 100 bytes, 3,847 pages, and 500 or 16,000 updates between checkpoints, one to a commit:

    >>> [round(float(postgres(100, 3847, n).total)) for n in (500, 16_000)]
    [237, 122]
    """
    row = number("row_bytes", row_bytes, above=0)
    count = number("updates", updates, above=0)
    page = number("page_bytes", page_bytes, above=0)
    nested(("row_bytes", row), ("page_bytes", page))
    image = number("image_share", image_share, low=0, high=1)
    colder = 1 - number("hot_share", hot_share, low=0, high=1)
    swept = number("vacuums", vacuums, low=0)
    table = number("table_pages", table_pages, low=1)
    index = number("index_pages", index_pages, low=0)
    each = page / (count * row)
    heap = each * pages_touched(count, table, exponent)
    inside = each * pages_touched(colder * count, index.clip(1), exponent) * (index > 0)
    logged = (row + number("record_bytes", record_bytes, low=0)) / row
    flushed = LOG_PAGE_BYTES / (number("flush_updates", flush_updates, above=0) * row)
    cleaned = (1 + image) * swept * table * each
    parts = logged, image * heap, heap, (1 + image) * inside, cleaned, flushed
    return Postgres(*map(plain, np.broadcast_arrays(*parts)))
