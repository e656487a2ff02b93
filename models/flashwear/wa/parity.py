"""Write amplification when the drive protects stripes of pages with parity of its own.

A stripe has ``data_units`` units of data and ``parity_units`` of parity, each on another die (RAIN,
RAISE and the like). Parity costs writes, as it is written together with data, and flash that would
otherwise be spare; the loss of spare flash costs more.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, shown


@overload
def parity_factor(data_units: float, parity_units: float = ...) -> float: ...
@overload
def parity_factor(data_units: ArrayLike, parity_units: ArrayLike = ...) -> Array: ...
@elementwise()
def parity_factor(data_units: ArrayLike, parity_units: ArrayLike = 1) -> FloatOrArray:
    r"""Return the flash writes, parity included, per write of data.

    .. math:: \frac{n + k}{n}

    with :math:`n` units of data and :math:`k` of parity in a stripe. Multiply by it the write
    amplification that a model gives for the over-provisioning :func:`parity_op`.

    Parameters
    ----------
    data_units : array_like
        Data units :math:`n` in a stripe, >= 1.
    parity_units : array_like
        Parity units :math:`k` in a stripe, >= 0.

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
    >>> parity_factor(15)
    1.0666666666666667
    """
    data = number("data_units", data_units, low=1)
    return plain((data + number("parity_units", parity_units, low=0)) / data)


@overload
def parity_op(op: float, data_units: float, parity_units: float = ...) -> float: ...
@overload
def parity_op(op: ArrayLike, data_units: ArrayLike, parity_units: ArrayLike = ...) -> Array: ...
@elementwise()
def parity_op(op: ArrayLike, data_units: ArrayLike, parity_units: ArrayLike = 1) -> FloatOrArray:
    r"""Return the over-provisioning that is left once parity has its share of the flash.

    .. math:: \mathrm{op}' = (1+\mathrm{op})\,\frac{n}{n+k} - 1

    with :math:`n` units of data and :math:`k` of parity in a stripe: of
    :math:`\alpha=1+\mathrm{op}` pages per user page, the share :math:`n/(n+k)` holds data.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity with parity counted as spare, at least
        ``parity_units / data_units``.
    data_units : array_like
        Data units :math:`n` in a stripe, >= 1.
    parity_units : array_like
        Parity units :math:`k` in a stripe, >= 0.

    Returns
    -------
    float or ndarray
        Over-provisioning over user capacity, >= 0.

    Raises
    ------
    ValueError
        Outside these ranges: data and parity do not fit.

    Notes
    -----
    The result is exact if stripes are written and cleaned as a whole, as in a superblock with
    parity. Parity over pages that are cleaned one by one costs more, as it must be rewritten each
    time.

    For arrays of drives it is known that the writes and the space of parity can use up the life
    that it gains (:cite:t:`moon2013`, :cite:t:`moon2016`).

    Examples
    --------
    512 GiB sold as 480 GB, in stripes of 15 + 1. Parity nearly doubles the writes:

    >>> from flashwear.wa import fifo
    >>> op = 512 * 2**30 / 480e9 - 1
    >>> round(fifo(op), 3), round(fifo(parity_op(op, 15)) * parity_factor(15), 3)
    (4.123, 7.952)
    """
    ratio = number("op", op, low=0)
    data = number("data_units", data_units, low=1)
    parity = number("parity_units", parity_units, low=0)
    left = (ratio * data - parity) / (data + parity)
    if (left < 0).any():
        each = np.broadcast_arrays(ratio, parity, data)
        far, k, n = (shown(x[left < 0].flat[0]) for x in each)
        raise ValueError(
            f"op must be >= parity_units / data_units, got {far} for {k} / {n}: "
            "data and parity do not fit"
        )
    return plain(left)
