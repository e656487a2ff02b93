r"""Write amplification when the victim is the best of `d` blocks drawn at random.

A drive can clean so without a sorted list of its blocks. With one choice this is random cleaning;
with ever more choices it approaches greedy cleaning. Inner loops are compiled if numba is
installed; without numba they run in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._compiled import compiled
from flashwear._domain import Array, FloatOrArray, number, plain, shown
from flashwear.wa._shares import Floats, classes
from flashwear.wa.uniform import whole_pages

_MOST_PAGES_MIXED = 512  # the states of a block are the square of this
_MOST_CHOICES = 1e9
_MOST_CHOICES_MIXED = 1e6
_LEAST_WRITES = 1e-12  # of a class; what is 1 to the last digit leaves the other nothing
_LEAST_SPACE = 1e-100
_LEAST_OP = 1e-9  # shares of blocks near 1 are known to 1e-16, their distance from it to 1e-16/op
_STEPS = 100  # ample: the Newton iterations below take 3 steps on average
_SETTLED = 1e-14  # greatest change of a probability from one generation to the next
_NOISE = 1e-17  # rounding moves a probability to the power d by up to this times d
_MEMORY = 6
_NOTHING = 1e-200  # a share of blocks below this is left out of its own cleaning rate
_MOST_GENERATIONS = 100_000


@compiled
def _shares(rate: float, d: float, pages: int) -> tuple[float, float]:
    """Return the invalid and the valid share of the pages in use."""
    # From full blocks down: i rate m + (above + m)^d = 1 for the share m of blocks with i
    # valid pages. Convex and rising in m, so Newton's method from the right is monotone.
    above = valid = invalid = 0.0
    for i in range(pages, 0, -1):
        drain = i * rate
        m = min(1.0 - above, 1.0 / drain)
        for _ in range(_STEPS):
            slope = drain + d * (above + m) ** (d - 1.0)
            step = (drain * m + (above + m) ** d - 1.0) / slope
            if step <= 1e-16 * m:
                break
            m -= step
        above += m
        valid += above
        invalid += 1.0 - above
    return invalid / pages, valid / pages


def _wa(op: float, excess: Callable[[float], float]) -> float:
    """Return alpha/c for the c between op (random cleaning) and alpha (nothing copied)."""
    from scipy.optimize import brentq

    rate = float(brentq(excess, 0.99 * op, 1.01 * (1 + op), xtol=1e-300, rtol=1e-14))
    return max((1 + op) / rate, 1.0)


def _uniform(op: float, d: float, pages: float) -> float:
    def excess(rate: float) -> float:
        invalid, valid = _shares(rate, d, int(pages))
        return invalid - op * valid

    return _wa(op, excess)


@overload
def d_choices(op: float, d: float, pages_per_block: float) -> float: ...
@overload
def d_choices(op: ArrayLike, d: ArrayLike, pages_per_block: ArrayLike) -> Array: ...
@elementwise()
def d_choices(op: ArrayLike, d: ArrayLike, pages_per_block: ArrayLike) -> FloatOrArray:
    r"""Return write amplification under uniform writes if the best of `d` random blocks is cleaned.

    .. math:: i\,c\,m_i = 1 - S_i^{\,d} \quad (i = 1, \dots, b), \qquad
              \sum_{i=1}^{b} i\,m_i = \frac b\alpha, \qquad A = \frac{\alpha}{c}

    with :math:`A` the write amplification, :math:`\alpha = 1 + \mathrm{op}` physical
    over user pages, :math:`b` the pages per block, :math:`m_i` the share of blocks with
    :math:`i` valid pages and :math:`S_i = \sum_{k \ge i} m_k`. The host overwrites
    :math:`c` user capacities from one cleaning of the average block to the next, so blocks
    fall below :math:`i` valid pages at the rate :math:`i\,c\,m_i`, and come back at the rate
    :math:`1 - S_i^{\,d}` at which a victim has fewer than :math:`i`. The policy and its mean
    field, exact for many blocks, are those of :cite:t:`vanhoudt2013` (:cite:t:`vanhoudt2014` in a
    journal); :cite:t:`li2013` propose the same policy.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, >= 1e-9.
    d : array_like
        Blocks drawn, with replacement, for each cleaning: 1 to 1e9, whole or not. One is
        :func:`~flashwear.wa.random`, many are :func:`~flashwear.wa.greedy`.
    pages_per_block : array_like
        Pages in what is erased at once, a whole number from 1 to 10 million; the time
        grows in proportion.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write, >= 1.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Compared with a simulation of single page writes on 4,096 blocks (80 cases: d of 2 to 30, 4 to
    256 pages per block, `op` 0.05 to 1), the result is within 0.22 % at d = 2 and 0.09 % at d = 30.

    Examples
    --------
    Ten choices come within 3 % of greedy cleaning at 30 % over-provisioning:

    >>> [round(d_choices(0.3, d, 64), 3) for d in (1, 2, 10, 100)]
    [4.333, 3.085, 2.357, 2.295]
    """
    arguments = np.broadcast_arrays(
        number("op", op, low=_LEAST_OP),
        number("d", d, low=1, high=_MOST_CHOICES),
        whole_pages(pages_per_block),
    )
    each = [_uniform(*one) for one in zip(*(a.flat for a in arguments), strict=True)]
    return plain(np.reshape(each, arguments[0].shape))


@compiled
def _generation(
    born: Floats, hot_rate: float, cold_rate: float, hot_writes: float, d: float
) -> tuple[Floats, float, float]:
    """Return the blocks born after those, and the invalid and the valid share of the pages.

    `born` is the share of blocks filled with 0, 1, ... hot pages.
    """
    pages = len(born) - 1
    hot_pages = np.arange(pages + 1.0)
    killed = np.zeros((pages + 1, pages + 1))
    born = np.maximum(born, 0.0)
    inflow = born / born.sum()
    above = valid = invalid = 0.0
    for i in range(pages, 0, -1):
        # blocks with i valid pages: they come by inflow, lose a page or are cleaned. The
        # balance gives their share m by number of hot pages for a given cleaning rate,
        # which in turn follows from m: Newton's method kept in a shrinking bracket.
        hot = hot_rate * hot_pages[: i + 1]
        cold = cold_rate * (i - hot_pages[: i + 1])
        high = max(min((inflow / (hot + cold)).sum(), 1.0 - above), 0.0)
        low, m = 0.0, high
        for _ in range(_STEPS):
            if m < _NOTHING:
                cleaned, rise = d * above ** (d - 1.0), 0.0
            else:
                cleaned = (above + m) ** d / m
                if above > 0.0:
                    cleaned *= -np.expm1(-d * np.log1p(m / above))
                rise = max((d * (above + m) ** (d - 1.0) - cleaned) / m, 0.0)
            share = inflow / (hot + cold + cleaned)
            missing = share.sum() - m
            if missing > 0.0:
                low = m
            else:
                high = m
            better = m + missing / (1.0 + rise * (share / (hot + cold + cleaned)).sum())
            if abs(better - m) <= 1e-15 * m:
                break
            m = better if low < better < high else (low + high) / 2
        killed[i, : i + 1] = share * cleaned
        inflow = (hot * share)[1:] + (cold * share)[:-1]
        above += m
        valid += above
        invalid += 1.0 - above
    killed[0, 0] = inflow[0]
    # a victim keeps its valid pages, and the host fills the rest page by page
    born = np.zeros(pages + 1)
    for i in range(pages + 1):
        born[1 : i + 1] = (1.0 - hot_writes) * born[1 : i + 1] + hot_writes * born[:i]
        born[0] *= 1.0 - hot_writes
        born[: i + 1] += killed[i, : i + 1]
    return born, invalid / pages, valid / pages


def _settled(follow: Callable[[Floats], Floats], born: Floats, noise: float) -> Floats:
    """Return the blocks that `follow` does not change by more than `noise`.

    Repeating `follow` gets there, the slower the more pages a victim keeps; Anderson's
    method combines the last few generations to get there sooner. A combination that
    changes more than its predecessor is dropped, and the next begins anew.
    """
    states: list[Floats] = []
    changes: list[Floats] = []
    best = np.inf
    for _ in range(_MOST_GENERATIONS):
        change = follow(born) - born
        size = np.abs(change).max()
        if size <= noise:
            return born
        if size > best:
            born, best = states[-1] + changes[-1], np.inf
            states, changes = [], []
            continue
        best = size
        states, changes = [*states, born][-_MEMORY:], [*changes, change][-_MEMORY:]
        born = born + change
        if len(states) > 1:
            turns = np.diff(changes, axis=0)
            weights = np.linalg.lstsq(turns.T, change)[0]
            born = born - weights @ (np.diff(states, axis=0) + turns)
    raise RuntimeError(f"the mean field did not settle: last change {size:g}")


def _mixed(op: float, d: float, pages: float, hot_writes: float, hot_space: float) -> float:
    hot, cold = hot_writes / hot_space, (1 - hot_writes) / (1 - hot_space)
    born = np.full(int(pages) + 1, 1 / (pages + 1))
    noise = max(_SETTLED, _NOISE * d)

    def excess(rate: float) -> float:
        nonlocal born

        def generation(blocks: Floats) -> tuple[Floats, float, float]:
            return _generation(blocks, hot * rate, cold * rate, hot_writes, d)

        born = _settled(lambda blocks: generation(blocks)[0], born, noise)
        _, invalid, valid = generation(born)
        return invalid - op * valid

    return _wa(op, excess)


@overload
def d_choices_mixed(
    op: float, d: float, pages_per_block: float, write_share: float, space_share: float
) -> float: ...
@overload
def d_choices_mixed(
    op: ArrayLike,
    d: ArrayLike,
    pages_per_block: ArrayLike,
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def d_choices_mixed(
    op: ArrayLike,
    d: ArrayLike,
    pages_per_block: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    r"""Return write amplification under `d` choices when hot and cold pages share all blocks.

    .. math::

        (\lambda_h h + \lambda_k k + \kappa_{h+k})\,x_{h,k} =
        \lambda_h (h+1)\,x_{h+1,k} + \lambda_k (k+1)\,x_{h,k+1}
        \quad (+\,n_h \text{ if } h + k = b)

        \lambda_h = c\,\frac rf, \quad \lambda_k = c\,\frac{1-r}{1-f}, \quad
        \kappa_i = \frac{S_i^{\,d} - S_{i+1}^{\,d}}{m_i}, \quad
        A = \frac{\alpha}{c}

    with :math:`x_{h,k}` the share of blocks with :math:`h` valid hot and :math:`k` valid cold
    pages, :math:`\lambda_h` and :math:`\lambda_k` the rates at which a hot and a cold page are
    overwritten, :math:`r` the share of the host's writes and :math:`f` the share of the user's
    pages that are hot, :math:`m_i` the share of blocks with :math:`i = h + k` valid pages,
    :math:`S_i = \sum_{j \ge i} m_j`, :math:`\kappa_i` the rate at which such a block is chosen, and
    :math:`n_h` the share of blocks that are full with :math:`h` hot pages: a victim keeps its valid
    pages, and each of its other pages becomes hot with chance :math:`r`. :math:`c` is the value for
    which the valid pages of all blocks add up to the user's; :math:`c`, :math:`A`, :math:`\alpha`
    and :math:`b` are those of :func:`d_choices`. The equations are the mean field, exact for many
    blocks, if host writes and copies go to the same open block, a case that
    :cite:t:`vanhoudt2013hot` studies; derived here.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, >= 1e-9.
    d : array_like
        Blocks drawn, with replacement, for each cleaning: 1 to 1e6, whole or not.
    pages_per_block : array_like
        Pages in what is erased at once, a whole number from 1 to 512; the time grows as
        its square.
    write_share, space_share : array_like, optional
        Shares of the host's writes (at least 1e-12 for a class) and of the user's pages (at least
        1e-100): numbers for the hot class, or arrays with both classes on the last axis, which sum
        to 1.
    hot_write_share, hot_space_share : array_like, optional
        Shares of the hot class of two, in place of the two arguments above, as numbers or as
        columns that broadcast with the other arguments.

    Returns
    -------
    float or ndarray
        Flash page writes per host page write, >= 1.

    Raises
    ------
    ValueError
        Outside these ranges.
    RuntimeError
        Where the iteration does not settle: seen only for `op` below 0.001 or where a page of
        one class is written a million times as often as a page of the other.

    Notes
    -----
    Compared with a simulation of single page writes on 4,096 blocks (110 cases: d of 2 to 30, 16
    and 64 pages per block, `op` 0.05 to 1, 80/20 to 95/5), the result is within 0.19 %. The
    computation is slow for little spare space: up to 20 seconds for `op` below 0.003.

    Examples
    --------
    In shared blocks an 80/20 load costs more than a uniform one, though it could cost less (see
    :func:`~flashwear.wa.separated`):

    >>> round(d_choices_mixed(0.1, 10, 16, 0.8, 0.2), 3), round(d_choices(0.1, 10, 16), 3)
    (4.948, 4.633)
    """
    write, space, _ = classes(write_share, space_share, hot_write_share, hot_space_share)
    if write.shape[-1] != 2:
        raise ValueError(f"write_share must have two classes, got {write.shape[-1]}")
    for name, share, least in (
        ("write_share", write, _LEAST_WRITES),
        ("space_share", space, _LEAST_SPACE),
    ):
        if (share < least).any():
            raise ValueError(
                f"{name} must be >= {least:g} for both classes, got {shown(share.min())}"
            )
    pages = number("pages_per_block", whole_pages(pages_per_block), high=_MOST_PAGES_MIXED)
    arguments = np.broadcast_arrays(
        number("op", op, low=_LEAST_OP),
        number("d", d, low=1, high=_MOST_CHOICES_MIXED),
        pages,
        write[..., 0],
        space[..., 0],
    )
    each = [_mixed(*one) for one in zip(*(a.flat for a in arguments), strict=True)]
    return plain(np.reshape(each, arguments[0].shape))
