"""How a filled drive approaches its steady state under random writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, one_number, plain
from flashwear.wa.uniform import fifo

SETTLED = 0.05
"""Largest relative distance from its final value at which write amplification has settled."""

_EXACT = 12.0  # pages programmed over user pages up to which the terms keep seven digits

Floats = NDArray[np.float64]


class AfterFill(NamedTuple):
    """Write amplification ``wa`` after ``drive_writes``, host writes over user pages; or arrays."""

    drive_writes: FloatOrArray
    wa: FloatOrArray


@elementwise()
def after_fill(op: ArrayLike, programmed: ArrayLike) -> AfterFill:
    r"""Return how a filled drive's write amplification develops under random writes (large blocks).

    .. math:: U'(s) = U(s) - U(s - \alpha), \qquad U = e^v, \qquad A = \frac{U}{U'}

    with :math:`s` the pages programmed and :math:`v` the pages written by the host since the fill,
    both over user pages, :math:`U'` the derivative of :math:`U = e^v`, :math:`A` the write
    amplification at that moment and :math:`\alpha = 1 + \mathrm{op}`. Under FIFO cleaning the block
    that is cleaned at :math:`s` was written at :math:`s - \alpha`, and the share :math:`e^{-(v(s) -
    v(s-\alpha))}` of its pages is still valid. Before the first random write :math:`U` is 0 for
    blank flash and 1 for filled flash. The solution is

    .. math:: U(s) = 1 + \int_{s-\mathrm{op}}^{s} K, \qquad
              K(x) = \sum_{n \le x/\alpha} \frac{(-1)^n (x - n\alpha)^n}{n!} e^{x - n\alpha} ,

    so that :math:`A = 1` for :math:`s < \mathrm{op}` and :math:`1/(1 - e^{-v})` from there to
    :math:`s = \alpha` (derived in the book, chapter "How does a fresh drive slow down?").

    Parameters
    ----------
    op : array_like
        Over-provisioning over user pages, in [0.01, 4], open and reserved blocks taken off.
    programmed : array_like
        Pages programmed since the fill over user pages, >= 0.

    Returns
    -------
    AfterFill
        ``drive_writes``, host writes over user pages at that point, and ``wa``, the write
        amplification at that moment; floats or arrays.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    FIFO cleaning follows this course for any number of pages per block, greedy cleaning if blocks
    are large: in windows of a tenth of a drive write, simulated drives (`op` 0.05 to 3, 4 and 8,192
    pages) are within 0.5 and 1 %, root mean square. For ``programmed`` >= 12, `wa` is
    :func:`flashwear.wa.fifo`, 3e-7 off at most.

    Related are the mean-field differential equations of :cite:t:`vanhoudt2013` and
    :cite:t:`li2013`.

    Examples
    --------
    A drive with 7.37 % to spare writes 14 times as much as the host when its spare flash has just
    been used up, and 7.5 times in the end:

    >>> path = after_fill(0.0737, [0.07, 0.0738, 12])
    >>> path.wa.round(1).tolist()
    [1.0, 14.1, 7.5]
    """
    ratio = number("op", op, low=0.01, high=4)
    ratio, whole = np.broadcast_arrays(ratio, number("programmed", programmed, low=0))
    s, alpha = np.minimum(whole, _EXACT), 1 + ratio
    grown, rate = np.ones(s.shape), _kernel(s, alpha) - _kernel(s - ratio, alpha)
    # the integral of K from 0 to x is the sum of K(x - m alpha) - 1 over all m <= x / alpha
    for m in range(_terms(alpha)):
        for x, sign in ((s - m * alpha, 1), (s - ratio - m * alpha, -1)):
            grown = grown + np.where(x >= 0, sign * (_kernel(x, alpha) - 1), 0)
    final = fifo(ratio)
    written = np.log(grown) + (whole - s) / final
    return AfterFill(plain(written), plain(np.where(whole > s, final, grown / rate)))


@elementwise()
def from_blank(op: ArrayLike, programmed: ArrayLike) -> AfterFill:
    r"""Return how a blank drive's write amplification develops under random writes (large blocks).

    .. math:: U(s) = K(s), \qquad A = \frac{U}{U'} , \qquad
              \frac{A(s)}{A_\infty} \to 1 - \frac{e^{-s/A_\infty}}{c\,\mathrm{op}} , \qquad
              c = \frac{1}{1 - \alpha\,(1 - 1/A_\infty)}

    with :math:`s` the pages programmed over user pages, :math:`U = e^v` for :math:`v` host writes
    over user pages, :math:`U'` its derivative, :math:`A` the write amplification at that moment,
    :math:`A_\infty` the final one and :math:`\alpha = 1 + \mathrm{op}`. :math:`K` is the function
    in :func:`after_fill`. A drive that was not filled needs several times as long to settle
    (derived in the book, chapter "How does a fresh drive slow down?").

    Parameters
    ----------
    op : array_like
        Over-provisioning over user pages, in [0.01, 4], open and reserved blocks taken off.
    programmed : array_like
        Pages programmed over user pages, >= 0.

    Returns
    -------
    AfterFill
        ``drive_writes``, host writes over user pages at that point, and ``wa``, the write
        amplification at that moment; floats or arrays.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Simulated drives are met as by :func:`after_fill`. For ``programmed`` above 12 the limit for
    large :math:`s` is used, 1e-6 off at most.

    Examples
    --------
    With 28 % to spare nothing is cleaned until all flash has been programmed once. Then the victims
    are nearly empty, and write amplification rises to its 2.48 slowly:

    >>> from_blank(0.28, [1.0, 1.28, 5.0, 20.0]).wa.round(2).tolist()
    [1.0, 1.39, 2.2, 2.48]
    """
    ratio = number("op", op, low=0.01, high=4)
    ratio, whole = np.broadcast_arrays(ratio, number("programmed", programmed, low=0))
    s, alpha, final = np.minimum(whole, _EXACT), 1 + ratio, np.asarray(fifo(ratio))
    near = _kernel(s, alpha)
    weight = 1 / (1 - alpha * (1 - 1 / final))
    lag = np.exp(-whole / final) / (weight * ratio)
    far = whole > _EXACT
    late = whole / final + np.log(weight) + np.log1p(-np.where(far, lag, 0))
    path = np.where(far, final * (1 - lag), near / (near - _kernel(s - alpha, alpha)))
    return AfterFill(plain(np.where(far, late, np.log(near))), plain(path))


def _terms(alpha: Floats) -> int:
    return int(_EXACT / alpha.min()) + 1 if alpha.size else 0


def _kernel(x: Floats, alpha: Floats) -> Floats:
    """Return K(x) of :func:`after_fill`, 0 for negative x."""
    total = np.zeros(x.shape)
    factorial = 1.0
    for n in range(_terms(alpha)):
        factorial *= max(n, 1)
        y = x - n * alpha
        term = np.maximum(y, 0) ** n * np.exp(y) / factorial
        total += np.where(y >= 0, (-1) ** n * term, 0)
    return total


def settled(
    programmed: ArrayLike, amplification: ArrayLike, final: float, tolerance: float = SETTLED
) -> float:
    """Return how many pages are programmed, over user pages, until write amplification has settled.

    Parameters
    ----------
    programmed, amplification : array_like
        Points of the course in order: pages programmed, >= 0, and write amplification, > 0; two
        sequences of the same length.
    final : float
        Final write amplification, > 0.
    tolerance : float
        Largest relative distance from `final` that counts as settled, >= 0.

    Returns
    -------
    float
        Pages programmed at the last point that is further from `final`; 0 if no point is.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> settled([0.5, 1.0, 1.5, 2.0], [1.0, 3.0, 2.2, 2.05], final=2.0)
    1.5
    """
    s, values = (
        number("programmed", programmed, low=0),
        number("amplification", amplification, above=0),
    )
    if s.ndim != 1 or s.shape != values.shape:
        raise ValueError(
            f"amplification must be a row as long as programmed, got shapes {values.shape} and "
            f"{s.shape}"
        )
    end, near = one_number("final", final, above=0), one_number("tolerance", tolerance, low=0)
    off = np.flatnonzero(np.abs(values / end - 1) > near)
    return float(s[off[-1]]) if off.size else 0.0
