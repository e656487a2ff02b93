"""A B-tree with pages in place, a log, and a checkpoint now and then: InnoDB and its like."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, nested, number, plain
from flashwear.host.checkpoint import pages_touched


class Btree(NamedTuple):
    """Bytes a B-tree writes per byte updated, to its redo ``log``, as ``pages`` and ``copies``."""

    log: FloatOrArray
    """Bytes written to the redo log."""
    pages: FloatOrArray
    """Bytes of pages of the tree that are overwritten in place."""
    copies: FloatOrArray
    """Bytes of the same pages written elsewhere before that (InnoDB's double write)."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, per byte of the records updated."""
        return self.log + self.pages + self.copies


@elementwise()
def btree(
    record_bytes: ArrayLike,
    data_bytes: ArrayLike,
    updates: ArrayLike,
    *,
    page_bytes: ArrayLike = 16_384,
    fill: ArrayLike = 0.69,
    log_bytes: ArrayLike = 100,
    exponent: ArrayLike = 0.0,
    double_write: bool = True,
) -> Btree:
    r"""Return what a B-tree writes for updates of single records at random, per byte updated.

    .. math:: \frac{r + l}{r} + \frac{D\,b}{n\,r}\,(1 + w)

    with records of :math:`r` bytes, :math:`l` bytes more in the log, :math:`n` updates between two
    checkpoints, pages of :math:`b` bytes, :math:`w = 1` if each page is written twice, and
    :math:`D` different pages touched (:func:`pages_touched`) of :math:`N = V/(f b)` leaves that
    hold :math:`V` bytes of records at a fill :math:`f`. Inner nodes are few and left out.

    Parameters
    ----------
    record_bytes : array_like
        Bytes of a record that an update writes :math:`r`, > 0.
    data_bytes : array_like
        Bytes of all records :math:`V`, >= `record_bytes`.
    updates : array_like
        Updates between two checkpoints :math:`n`, > 0, at which changed pages are written.
    page_bytes : array_like
        Bytes of a page of the tree :math:`b`, >= `record_bytes`.
    fill : array_like
        Share of a page that holds records :math:`f`, in (0, 1]: ln 2 after random insertions.
    log_bytes : array_like
        Bytes in the log beside the record :math:`l`, >= 0.
    exponent : array_like
        Exponent of the Zipf law by which updates choose pages, in [0, 3]; 0 is uniform.
    double_write : bool
        Whether pages are written twice.

    Returns
    -------
    Btree
        Bytes per byte updated: ``log``, ``pages``, their second ``copies``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Records of 200 bytes in 10 GB, a million updates between checkpoints:

    >>> found = btree(200, 10e9, 1e6)
    >>> round(float(found.total), 1)
    99.6
    """
    record = number("record_bytes", record_bytes, above=0)
    page = number("page_bytes", page_bytes, above=0)
    volume = number("data_bytes", data_bytes, above=0)
    nested(("record_bytes", record), ("page_bytes", page))
    nested(("record_bytes", record), ("data_bytes", volume))
    share = number("fill", fill, above=0, high=1)
    count = number("updates", updates, above=0)
    logged = (record + number("log_bytes", log_bytes, low=0)) / record
    leaves = (volume / (share * page)).clip(1).round()
    touched = pages_touched(count, leaves, exponent)
    written = touched * page / (count * record)
    return Btree(*map(plain, np.broadcast_arrays(logged, written, written * double_write)))
