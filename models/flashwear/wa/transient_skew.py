"""How a drive approaches its steady state when some pages are written more often than others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flashwear._domain import number, one_number, one_of, plain
from flashwear.wa._shares import Floats, classes, rates
from flashwear.wa.transient import AfterFill

_CELLS = 400
_MOST = 1000.0
_NEWTON_STEPS = 60
_FILLS = ("spread", "in order", "none")
_POLICIES = ("fifo", "greedy")
_ROUNDING = 1e-13
_DEAD = 1e-250  # less of a class in a cell is nothing: numbers near 1e-308 are slow


def transient_mixed(
    op: float,
    programmed: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: float | None = None,
    hot_space_share: float | None = None,
    fill: str = "spread",
    policy: str = "fifo",
) -> AfterFill:
    r"""Return how write amplification develops under random writes to hot and cold classes.

    .. math::
        v'(s) = 1 - \sum_i q_i(s-\alpha)\,e^{-\rho_i\,[v(s) - v(s-\alpha)]}, \qquad
        q_i(s) = r_i\,v'(s) + q_i(s-\alpha)\,e^{-\rho_i\,[v(s) - v(s-\alpha)]}

    with :math:`s` the pages programmed and :math:`v` those written by the host, both over user
    pages, :math:`q_i` the share of class :math:`i` in what is programmed at :math:`s`, :math:`r_i`
    and :math:`f_i` its shares of the writes and the pages, :math:`\rho_i = r_i/f_i` and
    :math:`\alpha = 1 + \mathrm{op}`. These are the delay equations of FIFO cleaning (derived in the
    book, appendix "The way to the steady state"). For one class they are those of
    :func:`~flashwear.wa.after_fill`.

    The equations are solved with the log divided into 400 cells, the limit of many large blocks. In
    each step one cell is cleaned: the next in turn or, for greedy cleaning, the one with fewest
    valid pages.

    Parameters
    ----------
    op : float
        Over-provisioning over user pages, in [0.01, 4], open and reserved blocks taken off.
    programmed : array_like
        Pages programmed over user pages, in [0, 1000].
    write_share, space_share : array_like
        Share of the writes, and of the user's pages, of each class; or numbers, the shares of the
        first of two classes.
    hot_write_share, hot_space_share : float, optional
        The same for the first of two classes, instead of these.
    fill : {"spread", "in order", "none"}
        How the drive was filled before: with pages of all classes mixed evenly, with one class
        after the other in the order given, or not at all.
    policy : {"fifo", "greedy"}
        How blocks are chosen for cleaning.

    Returns
    -------
    AfterFill
        ``drive_writes``, host writes over user pages at that point, and ``wa``, the write
        amplification, floats or arrays; ``wa`` is the mean over the cell that is programmed, and
        infinite if all pages in the cleaned cell are valid.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Compared with simulated drives (`op` 0.03 to 3), the root mean square error in windows of a
    tenth of a drive write is at most 0.5 % for FIFO (blocks of 64 pages) and 3 % for greedy
    cleaning (8,192 pages).
    The greedy ``wa`` jumps from cell to cell, so take differences of ``drive_writes`` instead.
    Related mean-field equations are those of :cite:t:`vanhoudt2013` and :cite:t:`li2013`.

    Examples
    --------
    Nine tenths of the writes go to a tenth of the pages. After a fill that put the hot pages first,
    cleaning in turn meets cold blocks for a long time, and greedy cleaning leaves them alone. What
    the host has written, in per cent of the drive:

    >>> for policy in ("fifo", "greedy"):
    ...     path = transient_mixed(0.07, [0.5, 1, 4], 0.9, 0.1, fill="in order", policy=policy)
    ...     print(policy, (100 * path.drive_writes).round().tolist())
    fifo [13.0, 14.0, 50.0]
    greedy [30.0, 47.0, 80.0]
    """
    spare = one_number("op", op, low=0.01, high=4)
    points = number("programmed", programmed, low=0, high=_MOST)
    write, space, _ = classes(write_share, space_share, hot_write_share, hot_space_share)
    if write.ndim > 1:
        raise ValueError(f"write_share must be that of one load, got shape {write.shape}")
    one_of("fill", fill, _FILLS)
    one_of("policy", policy, _POLICIES)
    end = float(points.max()) if points.size else 0.0
    s, v = _course(spare, end, write, space, fill, greedy=policy == "greedy")
    with np.errstate(divide="ignore"):
        slopes = np.diff(s) / np.diff(v)
    at = np.clip(np.searchsorted(s, points, side="right") - 1, 0, slopes.size - 1)
    return AfterFill(plain(np.interp(points, s, v)), plain(slopes[at]))


def _course(
    op: float, end: float, write: Floats, space: Floats, fill: str, *, greedy: bool
) -> tuple[Floats, Floats]:
    """Return pages programmed and host writes after each step, to `end` and a step beyond."""
    rate = rates(write, space)
    blank = max(1, round(_CELLS * op / (1 + op)))
    filled = max(1, _CELLS - blank)
    sizes = np.repeat((op / blank, 1 / filled), (blank, filled))
    held = np.zeros((sizes.size, space.size))
    if fill == "spread":
        held[blank:] = space / filled
    elif fill == "in order":
        upto = np.minimum.outer(np.arange(filled + 1) / filled, np.cumsum(space))
        held[blank:] = np.diff(np.diff(upto, prepend=0, axis=1), axis=0)
    s, v, step = [0.0], [0.0], 0
    while s[-1] <= end:
        cell = int((held.sum(axis=1) / sizes).argmin()) if greedy else step % sizes.size
        valid = held[cell].copy()
        written = _written(float(sizes[cell]), valid, rate)
        held *= np.exp(-rate * written)
        held[cell] -= space * np.expm1(-rate * written)
        held[held < _DEAD] = 0
        s.append(s[-1] + sizes[cell])
        v.append(v[-1] + written)
        step += 1
    return np.array(s), np.array(v)


def _written(size: float, valid: Floats, rate: Floats) -> float:
    """Return the host's writes x while a cell is programmed: x and its copies are its size.

    Of a class the copies are valid (1 - exp(-rate x))/(rate x). Newton's method comes down from
    the right, as the sum is convex in x and its slope between 1/2 and 1.
    """
    x = size
    for _ in range(_NEWTON_STEPS):
        y = np.maximum(rate * x, 1e-12)
        share = -np.expm1(-y) / y
        excess = x + float((valid * share).sum()) - size
        slope = 1 + float((valid * rate * (np.exp(-y) - share) / y).sum())
        x = max(x - excess / slope, 0.0)
        if abs(excess) <= _ROUNDING * size:
            break
    return x if x > 10 * _ROUNDING * size else 0.0
