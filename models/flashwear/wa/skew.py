"""Write amplification when some pages are written more often than others, in shared blocks.

The pages are divided into classes. Class ``i`` has the share ``space_share[i]`` of the user's pages
and gets the share ``write_share[i]`` of the host's writes, spread evenly over its pages. Two
numbers describe the hot class of two ("80/20": ``0.8, 0.2``). Arrays have all classes on their last
axis, along which they sum to 1. To compute many cases at once, pass arrays with the shares of the
hot class as ``hot_write_share`` and ``hot_space_share``. A class may have no writes (share 0).
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, plain
from flashwear.wa._shares import LARGEST_OP, Floats, classes, rates, residence
from flashwear.wa.uniform import whole_pages

JESD219: tuple[Floats, Floats] = (np.array([0.5, 0.3, 0.2]), np.array([0.05, 0.15, 0.8]))
"""Write and space shares of the JESD219 enterprise load (:cite:t:`jesd219a`).

Of the addresses 5, 15 and 80 % get 50, 30 and 20 % of the writes: ``fifo_mixed(op, *JESD219)``.
Taken as aligned pages; the load's commands below 4 KiB cost extra on a 4 KiB map.
"""
for _array in JESD219:
    _array.flags.writeable = False


@overload
def fifo_mixed(op: float, write_share: float, space_share: float) -> float: ...
@overload
def fifo_mixed(
    op: ArrayLike,
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def fifo_mixed(
    op: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    r"""Return the write amplification of FIFO cleaning if classes of pages share all blocks.

    .. math::
        A = \sum_i \frac{r_i}{1-\exp\left(-\frac{r_i}{f_i}\,\frac{\alpha}{A}\right)}

    with :math:`r_i` the share of the host's writes and :math:`f_i` the share of the user's pages
    of class :math:`i`, and :math:`\alpha = 1 + \mathrm{op}`: Eq. 14 of :cite:t:`desnoyers2012`
    (printed as :math:`A = 1 + \sum_i r_i/(e^{\cdot}-1)`, the same) for any number of classes.
    It is solved for :math:`t=\alpha/A`, the drive writes between two cleanings of a block, as

    .. math::
        \mathrm{op} = t\sum_i r_i\left(\frac1{1-e^{-y_i}}-\frac1{y_i}\right),\qquad
        y_i=\frac{r_i}{f_i}\,t

    in which no digits cancel. A class that is never written does not appear in this sum: its pages
    are copied each time the log comes round. The result is exact for independent writes as the
    number of blocks grows, at any block size.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.
    write_share : array_like, optional
        Share of the writes that each class gets, classes on the last axis; or a number, that of
        the hot class of two.
    space_share : array_like, optional
        Share of the user's pages that each class has, in the same form; 0 only without writes.
    hot_write_share, hot_space_share : array_like, optional
        Shares of the hot class of two in writes and pages, in place of the two arguments above, as
        numbers or as columns that broadcast with the other arguments.

    Returns
    -------
    float or ndarray
        Flash writes per host write, between (1 + op)/(2 op) and (1 + op)/op whatever the skew.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Examples
    --------
    Skew makes FIFO cleaning worse: uniform, 80/20 and 90/5.

    >>> [round(fifo_mixed(0.1, r, f), 4) for r, f in [(0.2, 0.2), (0.8, 0.2), (0.9, 0.05)]]
    [5.6775, 6.0381, 7.4688]
    """
    spare = np.minimum(number("op", op, above=0), LARGEST_OP)
    write, space, _ = classes(write_share, space_share, hot_write_share, hot_space_share)
    result = (1 + spare) / residence(spare, write, rates(write, space))
    return plain(np.maximum(result, 1.0))  # rounding may leave it an ulp below


@overload
def greedy_mixed(
    op: float, write_share: float, space_share: float, pages_per_block: float | None = ...
) -> float: ...
@overload
def greedy_mixed(
    op: ArrayLike,
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    pages_per_block: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def greedy_mixed(
    op: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    pages_per_block: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    r"""Return the approximate write amplification of greedy cleaning if classes share all blocks.

    .. math:: A \approx \frac{A_\mathrm{FIFO}(k\alpha)}{k},\qquad
              k = 1+\frac1{2b}

    with :math:`A_\mathrm{FIFO}` of :func:`fifo_mixed` as a function of
    :math:`\alpha=1+\mathrm{op}` and :math:`b` the pages per block: Eq. 16 of
    :cite:t:`desnoyers2012`, for any number of classes. Results below 1 or above :math:`b`, which
    are impossible, are replaced by that bound.

    Parameters
    ----------
    op, write_share, space_share, hot_write_share, hot_space_share
        Over-provisioning over user capacity, > 0, and the shares of the writes and of the user's
        pages: arrays with all classes on the last axis, or numbers for the hot class of two. The
        last two arguments are always those of the hot class, in place of the two before.
    pages_per_block : array_like, optional
        Pages per block :math:`b`, a whole number; large blocks (the FIFO result) if not given.

    Returns
    -------
    float or ndarray
        Flash writes per host write, between 1 and `pages_per_block`.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Notes
    -----
    Error against simulations for over-provisioning of 5 to 100 % and four loads (80/20, 90/10,
    90/5, JESD219): -1.2 to +0.4 % at 256 pages per block, -5.1 to +1.1 % at 64, and -12 to +4 % at
    16.
    It is not suited to small blocks under strong skew.

    Examples
    --------
    >>> round(greedy_mixed(0.1, 0.8, 0.2, pages_per_block=64), 3)
    5.598
    """
    spare = number("op", op, above=0)
    shares: Any = (write_share, space_share)
    hot: Any = {"hot_write_share": hot_write_share, "hot_space_share": hot_space_share}
    if pages_per_block is None:
        return fifo_mixed(spare, *shares, **hot)
    pages = whole_pages(pages_per_block)
    k = 1 + 0.5 / pages
    longer = spare + (k - 1) * (1 + spare)
    return plain(np.clip(fifo_mixed(longer, *shares, **hot) / k, 1.0, pages))
