"""Write amplification with TRIM: how much of the drive is in use, and how much that frees.

Each request is a Trim with probability ``trim_share``, of one of the pages in use, else
a write to one of the user's pages; all draws are even (the model of :cite:t:`frankie2012`).
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, shown


def _share(trim_share: ArrayLike) -> NDArray[np.float64]:
    share = number("trim_share", trim_share, low=0)
    if (share >= 0.5).any():
        raise ValueError(
            f"trim_share must be < 0.5, got {share.max():g}: as many pages are trimmed as are "
            "written and the drive runs empty"
        )
    return share


@overload
def trim_occupancy(trim_share: float) -> float: ...
@overload
def trim_occupancy(trim_share: ArrayLike) -> Array: ...
@elementwise()
def trim_occupancy(trim_share: ArrayLike) -> FloatOrArray:
    r"""Return the mean share of user pages in use under random writes and trims.

    .. math:: s = \frac{1-2q}{1-q}

    with :math:`q` the share of Trims among the requests (:cite:t:`frankie2012`). Trims raise the
    number of pages not in use at the rate :math:`q`, and writes lower it at :math:`(1-q)` times the
    share of pages not in use. So this number is Poisson distributed with mean :math:`qU/(1-q)` for
    :math:`U` user pages, cut off at :math:`U`.

    Parameters
    ----------
    trim_share : array_like
        Share of Trims among the requests :math:`q`, in [0, 0.5).

    Returns
    -------
    float or ndarray
        Share :math:`s` of the user's pages, in (0, 1].

    Raises
    ------
    ValueError
        Outside this range.

    Examples
    --------
    One Trim for three writes keeps two thirds of the drive in use:

    >>> round(trim_occupancy(0.25), 4)
    0.6667
    """
    share = _share(trim_share)
    return plain((1 - 2 * share) / (1 - share))


@overload
def trim_variance(user_pages: float, trim_share: float) -> float: ...
@overload
def trim_variance(user_pages: ArrayLike, trim_share: ArrayLike) -> Array: ...
@elementwise()
def trim_variance(user_pages: ArrayLike, trim_share: ArrayLike) -> FloatOrArray:
    r"""Return the variance of the number of pages in use under random writes and trims.

    .. math:: \mathrm{Var} = \frac{q}{1-q}\,U

    with :math:`q` the share of Trims among the requests and :math:`U` the user pages: that of the
    Poisson distribution of :func:`trim_occupancy`. The share in use is steady on a
    large drive: its standard deviation is :math:`\sqrt{q/((1-q)U)}`.

    Parameters
    ----------
    user_pages : array_like
        User pages :math:`U`, > 0.
    trim_share : array_like
        Share of Trims among the requests :math:`q`, in [0, 0.5).

    Returns
    -------
    float or ndarray
        Pages squared.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> trim_variance(1000, 0.2)
    250.0
    """
    share = _share(trim_share)
    return plain(number("user_pages", user_pages, above=0) * share / (1 - share))


@overload
def trim_op(op: float, trim_share: float) -> float: ...
@overload
def trim_op(op: ArrayLike, trim_share: ArrayLike) -> Array: ...
@elementwise()
def trim_op(op: ArrayLike, trim_share: ArrayLike) -> FloatOrArray:
    r"""Return the over-provisioning relative to the pages that trims leave in use.

    .. math:: \mathrm{op}' = \frac{1+\mathrm{op}}{s} - 1

    with :math:`s` from :func:`trim_occupancy`. The data of each page in use become invalid, by a
    write or by a Trim, at the rate :math:`1/(sU)` per write (:math:`U` user pages), as in a full
    drive of :math:`sU` pages. So the models of this package for uniform writes are as exact at
    :math:`\mathrm{op}'` as they are without Trim (:cite:t:`frankie2012`).

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, >= s - 1. With Trim it may be negative, since not all
        user pages are in use.
    trim_share : array_like
        Share of Trims among the requests, in [0, 0.5).

    Returns
    -------
    float or ndarray
        Over-provisioning over the pages in use, >= 0 and at least `op`.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    One Trim in ten requests halves the write amplification of a drive with 11 % to spare:

    >>> from flashwear.wa import fifo
    >>> round(fifo(1 / 9), 3), round(fifo(trim_op(1 / 9, 0.1)), 3)
    (5.179, 2.693)
    """
    ratio = number("op", op)
    share = _share(trim_share)
    left = ratio * (1 - share) + share
    if (left < 0).any():
        least, far = (
            x[left < 0].flat[0]
            for x in np.broadcast_arrays((1 - 2 * share) / (1 - share) - 1, ratio)
        )
        raise ValueError(
            f"op must be >= {least:g}, the mean share of pages in use less 1, got {shown(far)}"
        )
    return plain(left / (1 - 2 * share))
