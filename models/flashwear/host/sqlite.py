"""SQLite: its rollback journal, and its write-ahead log, as its file format describes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, plain
from flashwear.host.checkpoint import pages_touched

_JOURNAL_EXTRA = 8  # bytes beside a page in the journal: its number and a checksum
_FRAME_HEADER = 24  # of a page in the write-ahead log


class Sqlite(NamedTuple):
    """Bytes that a commit writes to the ``log`` (or journal) and to the database ``file``."""

    log: FloatOrArray
    """Bytes written to the rollback journal, or to the write-ahead log."""
    file: FloatOrArray
    """Bytes written to the database file, at once or at a checkpoint."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes that a commit writes in all."""
        return self.log + self.file


@elementwise()
def sqlite_rollback(
    pages: ArrayLike, *, page_bytes: ArrayLike = 4096, header_bytes: ArrayLike = 512
) -> Sqlite:
    r"""Return the bytes that an SQLite commit writes with a rollback journal.

    .. math:: h + (k+1)\,(b + 8) \quad\text{and}\quad (k+1)\,b

    These are the bytes of the journal and of the database file. The journal holds a header of
    :math:`h` bytes and, with 8 bytes more, the old contents of each of the :math:`k` pages of
    :math:`b` bytes that change, and of the first page, whose change counter rises with every
    commit.

    Parameters
    ----------
    pages : array_like
        Pages that a commit changes :math:`k`, the first page not counted, >= 1.
    page_bytes : array_like
        Bytes of a page :math:`b`, in [512, 65536].
    header_bytes : array_like
        Bytes of the journal's header :math:`h`, >= 0: a sector, by default of 512 bytes. When the
        journal is synced, twelve bytes of it are written again.

    Returns
    -------
    Sqlite
        Bytes per commit: ``log`` (the journal), database ``file``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> sqlite_rollback(1)
    Sqlite(log=8720.0, file=8192.0)
    """
    changed = number("pages", pages, low=1) + 1
    page = number("page_bytes", page_bytes, low=512, high=65_536)
    header = number("header_bytes", header_bytes, low=0)
    logged = header + changed * (page + _JOURNAL_EXTRA)
    return Sqlite(*map(plain, np.broadcast_arrays(logged, changed * page)))


@elementwise()
def sqlite_wal(
    pages: ArrayLike,
    file_pages: ArrayLike,
    *,
    checkpoint_pages: ArrayLike = 1000,
    page_bytes: ArrayLike = 4096,
    exponent: ArrayLike = 0.0,
) -> Sqlite:
    r"""Return the bytes that an SQLite commit writes with a write-ahead log, checkpoints included.

    .. math:: k\,(b + 24) \quad\text{and}\quad \frac{k}{M}\,D(M, P)\,b

    These are the bytes of the log and of the database file. A commit appends the :math:`k` pages of
    :math:`b` bytes that it changes to the log, each with a header of 24 bytes. When the log holds
    :math:`M` pages, the different ones among them, :math:`D` of the :math:`P` of the file
    (:func:`pages_touched`), are written to the file.

    Parameters
    ----------
    pages : array_like
        Pages that a commit changes :math:`k`, >= 1.
    file_pages : array_like
        Pages of the file that are changed at random :math:`P`, >= 1.
    checkpoint_pages : array_like
        Pages in the log at which it is checkpointed :math:`M` (``wal_autocheckpoint``), >= 1.
    page_bytes : array_like
        Bytes of a page :math:`b`, in [512, 65536].
    exponent : array_like
        Exponent of the Zipf law by which updates choose pages, in [0, 3]; 0 is uniform.

    Returns
    -------
    Sqlite
        Bytes per commit: ``log``, database ``file``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> found = sqlite_wal(1, 10_000)
    >>> found.log, round(float(found.file))
    (4120.0, 3898)
    """
    changed = number("pages", pages, low=1)
    page = number("page_bytes", page_bytes, low=512, high=65_536)
    most = number("checkpoint_pages", checkpoint_pages, low=1)
    size = number("file_pages", file_pages, low=1)
    merged = pages_touched(most, size, exponent) / most
    logged = changed * (page + _FRAME_HEADER)
    return Sqlite(*map(plain, np.broadcast_arrays(logged, changed * page * merged)))
