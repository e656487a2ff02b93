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
    """Bytes written for each byte of the rows that a program updates."""

    log: FloatOrArray
    """Records appended to the log, without images."""
    images: FloatOrArray
    """Whole pages in the log, each at its first change after a checkpoint."""
    heap: FloatOrArray
    """Pages of the table, at checkpoints."""
    indexes: FloatOrArray
    """Pages of the indexes, and their images in the log."""
    vacuum: FloatOrArray
    """Pages that vacuum cleans, in the table and in the log."""
    flushes: FloatOrArray
    """The last page of the log, not yet full, that each flush writes and the next writes again."""

    @property
    def total(self) -> FloatOrArray:
        """Sum of all parts."""
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

    with rows of :math:`r` bytes, :math:`l` bytes more in the log, :math:`n` updates between two
    checkpoints, pages of :math:`b` bytes of which :math:`N` are the table's and :math:`N_i` those
    of its indexes, :math:`D` the pages touched (:func:`pages_touched`), :math:`c` the share of a
    page that its image takes in the log (holes are left out, and it may be compressed), :math:`h`
    the share of heap-only updates, which leave the indexes alone, and :math:`\nu` vacuums of the
    whole table between two checkpoints. A commit flushes the log, which is written in whole pages
    of :math:`p` = 8,192 bytes. The page in which a flush ends is written again by the next one;
    :math:`g` updates share a flush.

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
        Updates to a flush of the log :math:`g`, > 0: those of a commit, times the commits that
        share a flush where several clients wait for one (``wal_sync`` of ``pg_stat_wal`` counts
        flushes). The default, a commit for each row, is the dearest.
    page_bytes : array_like
        Bytes of a page :math:`b`, > 0.

    Returns
    -------
    Postgres

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    An update writes the new row into the page of the old one where it has room, as it has with
    heap-only updates; else two pages change, of which the second counts with those of the indexes
    here only if they hold it. Free space maps, visibility maps and commit logs are left out.

    The volume of the log that ``pg_stat_wal`` tells leaves `flushes` out. This volume and a page
    for each flush are what a server of version 15.18 handed to the kernel, within 0.1 % in six
    settings of 1 to 40 updates to a commit by one client; the volume alone is 0.03 to 0.71 of it
    (:func:`flashwear_book.tables.postgres_log`). The whole form, its images as large as what is
    filled of a page, is 0.4 % low to 9 % high there: high where records weigh much, since the log
    holds only what an update changes of a row. A new file of the log is filled with zeros before it
    is used, and then written over and over; the zeros are left out.

    Examples
    --------
    Rows of 100 bytes, 3,847 pages, and 500 or 16,000 updates between checkpoints, each with a
    commit of its own, or twenty to a commit:

    >>> [round(float(postgres(100, 3847, n).total)) for n in (500, 16_000)]
    [237, 122]
    >>> [round(float(postgres(100, 3847, n, flush_updates=20).total)) for n in (500, 16_000)]
    [159, 44]
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
