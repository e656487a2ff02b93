r"""Write amplification under uniform random writes: FIFO, greedy and random cleaning.

``op`` is over-provisioning over user capacity, :math:`(P - L)/L`, and
:math:`\alpha = 1 + \mathrm{op} = P/L`. Write amplification :math:`A` counts the host's own
write, so it is at least 1. Every model here is for a drive of many blocks that is
full of valid data and writes pages one by one; pages of open and reserved blocks do
not count as over-provisioning.
"""

from __future__ import annotations

from math import factorial
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain

_MOST_PAGES = 10_000_000  # greedy() tabulates a few numbers per page of a block

# B_2k / (2k)! for k = 1..8: t/(1 - exp(-t)) = 1 + t/2 + sum of these times t^2k
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_SERIES = tuple(b / factorial(2 * k) for k, b in enumerate(_BERNOULLI, 1))
_SERIES_BELOW = 0.5  # where the ninth term is below 1e-18 of the sum
_ALL_EMPTY = 50.0  # from this op on, WA - 1 < exp(-50): 1 in double precision
_NEWTON_STEPS = 4


def counts(name: str, value: ArrayLike, high: int) -> NDArray[np.float64]:
    """Return `value` as an array; raise ValueError unless all are whole numbers in [1, `high`].

    `name` is the name of the argument, for the message.
    """
    array = number(name, value, low=1, high=high)
    broken = array != np.floor(array)
    if broken.any():
        raise ValueError(f"{name} must be a whole number, got {array[broken].flat[0]:g}")
    return array


def whole_pages(pages_per_block: ArrayLike) -> NDArray[np.float64]:
    """Return `pages_per_block` as an array; raise ValueError unless whole, from 1 to 10^7."""
    return counts("pages_per_block", pages_per_block, _MOST_PAGES)


def _fifo(op: NDArray[np.float64]) -> NDArray[np.float64]:
    # With t = alpha/A the balance is t/(1 - exp(-t)) - 1 = op. The left side is convex,
    # its slope between 1/2 and 1, its curvature at most 1/6, so Newton's method from the
    # right of the root (t <= 2 op, t <= 1 + op) goes straight to it: an error e becomes at
    # most e^2/6, and the first is at most 0.41, so the fourth is below 1e-17.
    op = np.minimum(op, _ALL_EMPTY)
    t = op + np.minimum(op, 1.0)
    for _ in range(_NEWTON_STEPS):
        fresh = -np.expm1(-t)
        square = t * t
        series = np.zeros_like(t)
        for coefficient in reversed(_SERIES):
            series = (series + coefficient) * square
        left = np.where(t < _SERIES_BELOW, t / 2 + series, (t - fresh) / fresh)
        t = t - (left - op) * fresh / (t - left)
    return np.asarray(-1.0 / np.expm1(-t))


@overload
def fifo(op: float) -> float: ...
@overload
def fifo(op: ArrayLike) -> Array: ...
@elementwise()
def fifo(op: ArrayLike) -> FloatOrArray:
    r"""Return write amplification under uniform random writes and FIFO cleaning.

    .. math:: x = e^{-\alpha(1 - x)}, \qquad
              A = \frac{1}{1 - x} = \frac{\alpha}{\alpha + W_0(-\alpha e^{-\alpha})}

    with :math:`A` the write amplification, :math:`\alpha = 1 + \mathrm{op}`, :math:`x` the share of
    a block still valid when its turn to be cleaned comes, and :math:`W_0` the principal branch of
    Lambert's function. FIFO cleans the block written longest ago (a log that wraps around; "LRU" in
    :cite:t:`desnoyers2012`, whose Eq. 4 this is; the balance is that of :cite:t:`menon1995`). It
    holds for every number of pages per block, and greedy cleaning tends to it from below as blocks
    grow.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0. Large `op` gives 1; as `op` goes to 0
        the result grows as ``1/(2 op) + 2/3``, see :func:`fifo_small_op`.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write, >= 1.

    Raises
    ------
    ValueError
        Outside this range.

    Notes
    -----
    Compared with a simulation of single page writes on 4,096 blocks (4 to 256 pages per block, `op`
    0.05 to 1), the result is within 0.14 %, which is the simulation's noise.

    Examples
    --------
    Seven per cent more flash than user capacity, and 28 %:

    >>> round(fifo(0.07), 4), round(fifo(0.28), 4)
    (7.8172, 2.4814)
    """
    return plain(_fifo(number("op", op, above=0)))


@overload
def fifo_small_op(op: float) -> float: ...
@overload
def fifo_small_op(op: ArrayLike) -> Array: ...
@elementwise()
def fifo_small_op(op: ArrayLike) -> FloatOrArray:
    r"""Return write amplification for little over-provisioning, of which half doubles the wear.

    The formula is the expansion of :func:`fifo` for small over-provisioning,

    .. math:: A = \frac{1}{2\,\mathrm{op}} + \frac{2}{3} + O(\mathrm{op}) .

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write :math:`A`. It goes to 2/3, not 1, for large `op`.

    Raises
    ------
    ValueError
        Outside this range.

    Notes
    -----
    The result is below :func:`fifo` by 0.1 % at ``op = 0.07``, 1.2 % at 0.28 and 7 % at 1.

    Examples
    --------
    >>> round(fifo_small_op(0.07), 3), round(fifo(0.07), 3)
    (7.81, 7.817)
    """
    return plain(0.5 / number("op", op, above=0) + 2 / 3)


def _greedy(op: NDArray[np.float64], pages: int) -> NDArray[np.float64]:
    # In z = b - y the balance is E(z) = op z, with E linear between the whole numbers and
    # E(k) = sum over j < k of j/(b - j): positive terms only, so nothing cancels, and
    # E(k)/k rises from 0 at k = 1, so a search finds the interval.
    reclaimed = np.arange(1.0, pages)
    slope = reclaimed / (pages - reclaimed)
    excess = np.concatenate(([0.0], np.cumsum(slope)))
    found = np.searchsorted(excess / np.arange(1.0, pages + 1), op, side="right")
    full = found < pages  # else victims are empty
    line = found[full] - 1
    offset = reclaimed * slope - excess[:-1]
    result = np.ones_like(op)
    result[full] = pages * (slope[line] - op[full]) / offset[line]
    return result


@overload
def greedy(op: float, pages_per_block: float | None = ...) -> float: ...
@overload
def greedy(op: ArrayLike, pages_per_block: ArrayLike | None = ...) -> Array: ...
@elementwise()
def greedy(op: ArrayLike, pages_per_block: ArrayLike | None = None) -> FloatOrArray:
    r"""Return write amplification under uniform random writes and greedy cleaning.

    .. math:: H_b - \tilde H(y) = \alpha\,\frac{b - y}{b}, \qquad
              A = \frac{b}{b - y}, \qquad 0 \le y < b - 1

    with :math:`\alpha = 1 + \mathrm{op}`, :math:`b` the pages per block, :math:`y` the mean number
    of valid pages in the victim, :math:`H_n` the harmonic numbers and :math:`\tilde H` their linear
    interpolation. Greedy cleans the block with the fewest valid pages; in a large drive blocks with
    :math:`j` valid pages are as frequent as :math:`1/j` above the victims' level, and victims have
    one of two successive numbers of valid pages (:cite:t:`bux2010`). Where :math:`\alpha \ge H_b`
    victims are empty and the result is 1. No cleaning policy does better on uniform writes
    (:cite:t:`yang2015`).

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.
    pages_per_block : array_like, optional
        Pages in what is erased at once (a superblock, if the drive has them), a whole
        number from 1 to 10 million. The default is the limit of large blocks, which is
        :func:`fifo`.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write :math:`A`, between 1 and `pages_per_block`.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Compared with a simulation of single page writes on 4,096 blocks (4 to 256 pages per block, `op`
    0.05 to 1), the result is within 0.09 %. Fewer blocks amplify more.

    Examples
    --------
    A small block can be found emptier than the mean, a large one hardly:

    >>> [round(greedy(0.28, b), 3) for b in (4, 64, 1024)], round(fifo(0.28), 3)
    ([1.728, 2.403, 2.476], 2.481)
    """
    if pages_per_block is None:
        return fifo(op)
    ratio, pages = np.broadcast_arrays(number("op", op, above=0), whole_pages(pages_per_block))
    result = np.empty(ratio.shape)
    for size in np.unique(pages):
        same = pages == size
        result[same] = _greedy(ratio[same], int(size))
    return plain(result)


@overload
def greedy_desnoyers(op: float, pages_per_block: float) -> float: ...
@overload
def greedy_desnoyers(op: ArrayLike, pages_per_block: ArrayLike) -> Array: ...
@elementwise()
def greedy_desnoyers(op: ArrayLike, pages_per_block: ArrayLike) -> FloatOrArray:
    r"""Return write amplification of greedy cleaning by :cite:t:`desnoyers2012`, Eq. 12.

    .. math:: X_0 = \frac12 - \frac b\alpha W_0\!\left(-k\alpha e^{-k\alpha}\right), \qquad
              A = \frac{b}{b - (X_0 - 1)}, \qquad k = 1 + \frac{1}{2b}

    with :math:`b` pages per block, :math:`\alpha = 1 + \mathrm{op}`, :math:`W_0` Lambert's function
    and :math:`X_0 - 1` the valid pages of a victim. The formula equals ``fifo(k * (1 + op) - 1) /
    k``: it is :func:`greedy` with harmonic numbers replaced by :math:`\ln(n + \tfrac12) + \gamma`.
    Results below 1 or above :math:`b` are replaced by that bound.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.
    pages_per_block : array_like
        Pages per block, a whole number from 1 to 10 million.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write :math:`A`, between 1 and `pages_per_block`.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Compared with :func:`greedy`, for `op` of 0.05 to 1, the result is within 0.5 % for 64 pages per
    block or more, within 4.1 % at 16 and 12 % at 4, and nearly always too low. The journal version
    of the paper is :cite:t:`desnoyers2014`.

    Examples
    --------
    >>> round(greedy_desnoyers(0.07, 64), 3), round(greedy(0.07, 64), 3)
    (7.001, 7.01)
    """
    ratio = number("op", op, above=0)
    pages = whole_pages(pages_per_block)
    stretch = 1 + 0.5 / pages
    return plain(np.clip(_fifo(ratio + (1 + ratio) * 0.5 / pages) / stretch, 1.0, pages))


@overload
def random(op: float) -> float: ...
@overload
def random(op: ArrayLike) -> Array: ...
@elementwise()
def random(op: ArrayLike) -> FloatOrArray:
    r"""Return write amplification under random cleaning, for any workload.

    .. math:: A = \frac{\alpha}{\alpha - 1} = \frac{1 + \mathrm{op}}{\mathrm{op}}

    A victim drawn at random has as many valid pages as the average block, the share :math:`\rho =
    1/\alpha`. So each erase gains the share :math:`1 - \rho` of its pages, for any distribution of
    writes and any number of pages per block. The result is that of :func:`d_choices` with one
    choice (:cite:t:`vanhoudt2013`).

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write :math:`A`, > 1.

    Raises
    ------
    ValueError
        Outside this range.

    Notes
    -----
    The result is within 0.15 % of a simulation of single page writes on 4,096 blocks (4 to 64 pages
    per block, `op` 0.05 to 1), which is the simulation's noise.

    Examples
    --------
    >>> random(0.25)
    5.0
    """
    ratio = number("op", op, above=0)
    return plain((1 + ratio) / ratio)


@overload
def agarwal_marrow(op: float) -> float: ...
@overload
def agarwal_marrow(op: ArrayLike) -> Array: ...
@elementwise()
def agarwal_marrow(op: ArrayLike) -> FloatOrArray:
    r"""Return write amplification of greedy cleaning by :cite:t:`agarwal2010`.

    .. math:: A = \frac{1 + \mathrm{op}}{2\,\mathrm{op}}

    The result is half of :func:`random`. It is kept for comparison. Above ``op = 1`` it would be
    below 1. Compared with the simulation described in :func:`greedy`, for `op` of 0.05 to 0.5, the
    result is from 12 % below to 14 % above at 64 and 256 pages per block, and up to 209 % above at
    4.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, in (0, 1].

    Returns
    -------
    float or ndarray
        Flash page writes per host page write :math:`A`, >= 1.

    Raises
    ------
    ValueError
        Outside this range: no page-mapped drive writes less than its host.

    Examples
    --------
    At 30 % it says 2.17 where large blocks and greedy cleaning give 2.36:

    >>> round(agarwal_marrow(0.3), 2), round(greedy(0.3), 2)
    (2.17, 2.36)
    """
    ratio = number("op", op, above=0, high=1)
    return plain((1 + ratio) / (2 * ratio))


@overload
def xiang_kurkoski(op: float) -> float: ...
@overload
def xiang_kurkoski(op: ArrayLike) -> Array: ...
def xiang_kurkoski(op: ArrayLike) -> FloatOrArray:
    r"""Return write amplification of greedy cleaning by :cite:t:`xiang2012`.

    The same function as :func:`fifo`, published as an approximation of greedy cleaning that does
    not depend on the number of pages per block. Compared with the simulation described in
    :func:`greedy`, the result is 0.3 to 4 % too high at 256 pages per block, 1.3 to 16 % at 64, and
    up to 214 % at 4.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write, >= 1.

    Raises
    ------
    ValueError
        Outside this range.

    Examples
    --------
    >>> round(xiang_kurkoski(0.3), 2), round(greedy(0.3, 64), 2)
    (2.36, 2.29)
    """
    return fifo(op)
