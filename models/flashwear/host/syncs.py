"""Small appends that are synced: what a commit to a log becomes on the drive."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain
from flashwear.wa import map_unit_factor


@overload
def sync_factor(
    commit_bytes: float,
    *,
    block_bytes: float = ...,
    commits_per_sync: float = ...,
    padding_bytes: float = ...,
) -> float: ...
@overload
def sync_factor(
    commit_bytes: ArrayLike,
    *,
    block_bytes: ArrayLike = ...,
    commits_per_sync: ArrayLike = ...,
    padding_bytes: ArrayLike = ...,
) -> Array: ...
@elementwise()
def sync_factor(
    commit_bytes: ArrayLike,
    *,
    block_bytes: ArrayLike = 4096,
    commits_per_sync: ArrayLike = 1,
    padding_bytes: ArrayLike = 0,
) -> FloatOrArray:
    r"""Return the bytes written for each byte appended to a log that is synced.

    .. math:: \max\!\left(f(g c, b),\; \frac{p}{g c}\right)

    One sync brings :math:`g` commits of :math:`c` bytes each to the drive. They follow one another
    in the log and are written in whole blocks of :math:`b` bytes; a first block that is only partly
    new is written again. :math:`f` is the ratio of whole blocks written to bytes appended
    (:func:`flashwear.wa.map_unit_factor`). A drive without power-loss protection must program at
    each sync, and pads what it programs to :math:`p` bytes if it is less (to a program unit of a
    die, or of all its planes).

    Parameters
    ----------
    commit_bytes : array_like
        Bytes that a commit appends to the log :math:`c`, a whole number >= 1.
    block_bytes : array_like
        Block of the file system, sector or map unit :math:`b`, a whole number >= 1.
    commits_per_sync : array_like
        Commits that share a sync :math:`g` (group commit), a whole number >= 1.
    padding_bytes : array_like
        Least number of bytes that the drive programs at a sync, :math:`p`, >= 0: 0 with power-loss
        protection, and from 16 KiB to some 100 KiB without.

    Returns
    -------
    float or ndarray
        A ratio >= 1.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A commit of 700 bytes, alone and forty at a time:

    >>> [round(sync_factor(700, commits_per_sync=g), 1) for g in (1, 40)]
    [6.8, 1.1]
    """
    amount = number("commit_bytes", commit_bytes, low=1, high=2**40) * number(
        "commits_per_sync", commits_per_sync, low=1, high=2**20
    )
    if (amount != np.floor(amount)).any():
        raise ValueError(f"commit_bytes must be a whole number, got {commit_bytes!r}")
    padding = number("padding_bytes", padding_bytes, low=0)
    block = number("block_bytes", block_bytes, low=1, high=2**40)
    return plain(np.maximum(map_unit_factor(amount, block), padding / amount))
