"""How many different pages a number of updates touches."""

from __future__ import annotations

from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain

Load: TypeAlias = Literal["random", "append", "insert_random"]
"""What is changed: rows at random, or new rows in the order of their keys, or with random keys."""
LOADS = ("random", "append", "insert_random")
"""The loads by name."""
_HEAD = 1000
"""Ranks of a Zipf load that are summed one by one; the others in blocks that grow by 2 %."""


@overload
def pages_touched(updates: float, pages: float, exponent: float = ...) -> float: ...
@overload
def pages_touched(updates: ArrayLike, pages: ArrayLike, exponent: ArrayLike = ...) -> Array: ...
@elementwise()
def pages_touched(updates: ArrayLike, pages: ArrayLike, exponent: ArrayLike = 0.0) -> FloatOrArray:
    r"""Return the mean number of distinct pages that random updates touch.

    .. math:: \sum_{k=1}^{N} \left(1 - e^{-n p_k}\right), \qquad
              p_k = \frac{k^{-s}}{\sum_j j^{-s}}

    with :math:`n` updates over :math:`N` pages. For :math:`s = 0` it is
    :math:`N (1 - e^{-n/N})`: the pages that a database writes at a checkpoint, and those of which
    it logs a whole image after one.

    Parameters
    ----------
    updates : array_like
        Updates :math:`n` between two checkpoints, >= 0.
    pages : array_like
        Pages :math:`N` that may be updated, a whole number >= 1.
    exponent : array_like
        Zipf exponent :math:`s`, in [0, 3]: 0 for updates that are equally likely everywhere.

    Returns
    -------
    float or ndarray
        Pages.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The formula is for updates at Poisson times; with a fixed number of them the exact
    :math:`1-(1-p_k)^n` is less than 0.2 of a page away. Ranks beyond 1,000 are summed in blocks:
    within 1e-4.

    Examples
    --------
    Eight thousand updates of 3,847 pages; PostgreSQL logged 3,382 images:

    >>> round(pages_touched(8000, 3847))
    3366
    """
    n, size, s = np.broadcast_arrays(
        number("updates", updates, low=0),
        number("pages", pages, low=1, high=2**53),
        number("exponent", exponent, low=0, high=3),
    )
    found = np.empty(n.shape)
    for index in np.ndindex(n.shape):
        found[index] = _touched(float(n[index]), float(size[index]), float(s[index]))
    return plain(found)


def _touched(updates: float, pages: float, exponent: float) -> float:
    counts, shares = ranks(pages, exponent)
    return float(-counts @ np.expm1(-updates * shares))


def ranks(pages: float, exponent: float) -> tuple[Array, Array]:
    """Group pages by popularity; return each group's size, and the update share of one page in it.

    `pages`: number of pages, >= 1. `exponent`: exponent of the Zipf law by which updates choose
    pages, in [0, 3]; 0 is uniform.

    Examples
    --------
    >>> ranks(4, 0), ranks(2, 1)
    ((array([4.]), array([0.25])), (array([1., 1.]), array([0.66666667, 0.33333333])))
    """
    if exponent == 0:
        return np.array([float(pages)]), np.array([1 / pages])
    rank = np.arange(1, min(pages, _HEAD) + 1)
    counts = np.ones(rank.size)
    if pages > _HEAD:
        steps = int(np.ceil(np.log(pages / _HEAD) / np.log(1.02)))
        edges = np.unique(np.round(np.geomspace(_HEAD, pages, steps + 1)))
        low, high = edges[:-1], edges[1:]
        counts = np.concatenate([counts, high - low])
        rank = np.concatenate([rank, (low + high + 1) / 2])
    weights = rank ** -float(exponent)
    return counts, weights / (counts @ weights)
