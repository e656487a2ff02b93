"""Trees that copy the path from the leaf to the root: LMDB, and bbolt under etcd."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain


@overload
def path_copying(
    records: float,
    fanout: float,
    *,
    leaf_records: float | None = ...,
    batch: float = ...,
    free_pages: float = ...,
    page_bytes: float = ...,
    meta_bytes: float = ...,
) -> float: ...
@overload
def path_copying(
    records: ArrayLike,
    fanout: ArrayLike,
    *,
    leaf_records: ArrayLike | None = ...,
    batch: ArrayLike = ...,
    free_pages: ArrayLike = ...,
    page_bytes: ArrayLike = ...,
    meta_bytes: ArrayLike = ...,
) -> Array: ...
@elementwise()
def path_copying(
    records: ArrayLike,
    fanout: ArrayLike,
    *,
    leaf_records: ArrayLike | None = None,
    batch: ArrayLike = 1,
    free_pages: ArrayLike = 1,
    page_bytes: ArrayLike = 4096,
    meta_bytes: ArrayLike = 120,
) -> FloatOrArray:
    r"""Return the bytes that a commit writes to a copy-on-write B-tree, such as that of LMDB.

    .. math:: b\left(f + \sum_{i=0}^{d} D\big(m, \lceil n / (l F^i)\rceil\big)\right) + h

    A commit of :math:`m` records, at random among :math:`n`, copies every page from their leaves up
    to the root: leaves of :math:`l` records each, and nodes with :math:`F` children on each of the
    :math:`d = \lceil\log_F (n/l)\rceil` levels above. :math:`D` is the number of pages touched
    (:func:`pages_touched` for a fixed number of records), :math:`b` the bytes of a page. :math:`f`
    pages hold the list of free pages, and :math:`h` bytes of a meta page point to the new root.
    Nodes of one level are taken to be equally full. In counted runs of LMDB a commit of one record
    is exact and one of 10 or 100 at most 4 % high; just above a full level it may be 16 % high.

    Parameters
    ----------
    records : array_like
        Records in the tree :math:`n`, >= 1.
    fanout : array_like
        Children of a node :math:`F`, in [2, 1e6].
    leaf_records : array_like, optional
        Records of a leaf :math:`l`, >= 1; by default as many as children of a node. Where values
        are long, they are fewer.
    batch : array_like
        Records of a commit :math:`m`, >= 1.
    free_pages : array_like
        Pages that hold the list of free pages :math:`f`, >= 0.
    page_bytes : array_like
        Bytes of a page :math:`b`, > 0.
    meta_bytes : array_like
        Bytes of a meta page that a commit writes :math:`h`, >= 0.

    Returns
    -------
    float or ndarray
        Bytes.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    One record of a million, forty to a page, and a thousand of them in one commit:

    >>> [round(path_copying(1e6, 40, batch=m) / 4096 / m, 2) for m in (1, 1000)]
    [5.03, 1.5]
    """
    count = number("records", records, low=1, high=2**53)
    wide = number("fanout", fanout, low=2, high=1e6)
    many = number("batch", batch, low=1)
    extra = number("free_pages", free_pages, low=0)
    page = number("page_bytes", page_bytes, above=0)
    meta = number("meta_bytes", meta_bytes, low=0)
    leaf = wide if leaf_records is None else number("leaf_records", leaf_records, low=1)
    count, wide, many, leaf = np.broadcast_arrays(count, wide, many, leaf)
    left, copied = count.astype(float), np.zeros(count.shape)
    going = np.ones(count.shape, bool)
    while going.any():
        left = np.where(going, -(-left // leaf), left)
        leaf = wide
        exact = -left * np.expm1(many * np.log1p(-1 / np.maximum(left, 1 + 1e-12)))
        copied += np.where(going, np.where(left > 1, exact, 1.0), 0.0)
        going &= left > 1
    return plain(page * (copied + extra) + meta)
