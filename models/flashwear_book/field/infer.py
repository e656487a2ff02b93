r"""Infer rated cycles, uncounted erases and idle writes from counters, with bounds.

Counters are whole numbers, so one drive gives bounds on a figure, and the bounds of many drives
overlap near its value (:func:`rated_cycles`, :func:`raw_capacity`, :func:`meeting`). Many drives of
a fleet are twins from one host: :func:`twins` labels them, and the statistics here weigh a cluster
of twins like one drive (:func:`quantiles`, :func:`interval`, :func:`rank_correlation`,
:func:`idle_line`). What reports can tell about a risk is in :func:`odds_ratio` and
:func:`trend`. ::

    group = infer.twins(fleet.model, fleet.power_on_hours)
    infer.quantiles(fleet.waf, group, [0.1, 0.5, 0.9])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flashwear._domain import whole
from flashwear_book.field._clusters import (
    Estimate,
    interval,
    medians_of,
    quantiles,
    rank_correlation,
    twins,
)
from flashwear_book.field._odds import OddsRatio, Trend, odds_ratio, trend

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Estimate", "Line", "Meeting", "OddsRatio", "Trend", "idle_line", "interval", "meeting",
           "odds_ratio", "quantiles", "rank_correlation", "rated_cycles", "raw_capacity",
           "slc_share", "trend", "twins"]  # fmt: skip


class Meeting(NamedTuple):
    """The interval that lies within the bounds of the largest number of drives."""

    low: float
    """Greatest of the lower bounds of these drives."""
    high: float
    """Least of the upper bounds of these drives."""
    drives: int
    """Number of drives whose bounds contain this interval."""


class Line(NamedTuple):
    """Linear fit of flash writes to host writes: ``intercept`` and ``slope``, with intervals."""

    intercept: Estimate
    """Flash writes per day without host writes, in the unit of the data."""
    slope: Estimate
    """Flash writes for each further host write."""


def rated_cycles(average_erases: ArrayLike, percent_used: ArrayLike) -> tuple[Floats, Floats]:
    r"""Return bounds on the rated P/E cycles, from erases and the percentage of life used.

    With :math:`e` erases on average and :math:`p` percent of life used, both rounded down, the
    rating lies in :math:`[100 e/(p+1), 100 (e+1)/p]`. That the percentage is rounded down, and not
    to the nearest number, fits all drives of the M600.

    Parameters
    ----------
    average_erases : array_like
        Mean erases of a block, >= 0.
    percent_used : array_like
        Life used in whole percent, >= 0; leave out counters that have stopped at a limit.

    Returns
    -------
    low, high : numpy.ndarray
        Cycles; `high` is infinite at 0 %, both are NaN where an argument is.

    Notes
    -----
    Computing rated cycles from SMART counters is not new: a review of a drive of 2011 does it
    (:cite:t:`toms_710`). The bounds, and their overlap over many drives, are derived here.

    Examples
    --------
    >>> low, high = rated_cycles([499, 682], [16, 22])
    >>> low.round(), high.round()
    (array([2935., 2965.]), array([3125., 3105.]))
    """
    erases, used = _counts("average_erases", average_erases), _counts("percent_used", percent_used)
    with np.errstate(divide="ignore"):
        return 100 * erases / (used + 1), 100 * (erases + 1) / used


def raw_capacity(nand_bytes: ArrayLike, average_erases: ArrayLike) -> tuple[Floats, Floats]:
    r"""Return bounds on raw capacity, as bytes programmed per erase of the whole flash.

    With :math:`e` erases on average, rounded down, and :math:`F` bytes programmed, the bytes per
    erase :math:`P_s` are within :math:`F/(e+1) < P_s \le F/e`. If all pages of erased blocks are
    programmed and counted, :math:`P_s` is the raw capacity. It is less if parity is not counted or
    blocks are used in SLC mode, and because of blocks that are erased but not yet programmed. The
    latter is at most one erase: use drives with 60 erases or more.

    Parameters
    ----------
    nand_bytes : array_like
        Bytes programmed, >= 0.
    average_erases : array_like
        Mean erases of a block, >= 0.

    Returns
    -------
    low, high : numpy.ndarray
        Bytes; `high` is infinite at 0 erases, both are NaN where an argument is.

    Examples
    --------
    >>> low, high = raw_capacity(110.7e12, 201)
    >>> bool(low < 512 * 2**30 < high)
    True
    """
    nand, erases = _counts("nand_bytes", nand_bytes), _counts("average_erases", average_erases)
    with np.errstate(divide="ignore", invalid="ignore"):
        return nand / (erases + 1), nand / erases


def meeting(low: ArrayLike, high: ArrayLike) -> Meeting:
    """Return the interval in which the bounds of most drives overlap.

    Parameters
    ----------
    low, high : array_like
        Lower and upper bounds of a quantity, an element for each drive; drives with a NaN are left
        out.

    Returns
    -------
    Meeting
        The first such interval, if several are within the bounds of equally many drives.

    Raises
    ------
    ValueError
        If no row is left, or a lower bound is above its upper bound.

    Examples
    --------
    >>> meeting([2935, 2965, 1800], [3125, 3105, 2400])
    Meeting(low=2965.0, high=3105.0, drives=2)
    """
    ends = np.stack(np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float)))
    below, above = ends.reshape(2, -1)[:, ~np.isnan(ends.reshape(2, -1)).any(axis=0)]
    if not len(below):
        raise ValueError("low and high must hold at least one pair of numbers, got none")
    if (below > above).any():
        raise ValueError("low must be <= high in every row")
    starts = np.sort(below)
    held = np.searchsorted(starts, starts, side="right") - np.searchsorted(np.sort(above), starts)
    best = int(held.argmax())
    within = (below <= starts[best]) & (above >= starts[best])
    return Meeting(float(starts[best]), float(above[within].min()), int(held[best]))


def slc_share(seen_bytes: ArrayLike, raw_bytes: ArrayLike, bits_per_cell: int) -> Floats:
    r"""Return the share of erases in SLC mode, if blocks are full when they are erased.

    In SLC mode a block of cells for :math:`b` bits holds :math:`1/b` of its bytes. If a share
    :math:`x` of all erases is of blocks in SLC mode, the bytes programmed per erase of the whole
    flash are :math:`P_s = P(1 - x(1 - 1/b))` for raw flash of :math:`P` bytes. Derived here.

    Parameters
    ----------
    seen_bytes : array_like
        Bytes :math:`P_s` programmed per erase of the whole flash, > 0 (:func:`raw_capacity`).
    raw_bytes : array_like
        Raw capacity in bytes, > 0.
    bits_per_cell : int
        Bits per cell :math:`b`, 2 or more.

    Returns
    -------
    numpy.ndarray
        The share :math:`x`; outside [0, 1] if the assumption is wrong.

    Examples
    --------
    >>> float(slc_share(0.6, 1.0, 2))
    0.8
    """
    bits = whole("bits_per_cell", bits_per_cell, 2)
    ratio = _counts("seen_bytes", seen_bytes) / _counts("raw_bytes", raw_bytes)
    return np.asarray((1 - ratio) / (1 - 1 / bits))


def idle_line(
    host_per_day: ArrayLike,
    nand_per_day: ArrayLike,
    clusters: ArrayLike,
    resamples: int = 499,
    seed: int = 0,
) -> Line:
    r"""Fit daily flash writes linearly to daily host writes, for the writes of idle drives.

    Flash writes are :math:`n = n_0 + a h` for host writes :math:`h`; the intercept :math:`n_0` is
    what the drive writes on its own, and write amplification is :math:`a + n_0/h`. The fit uses
    Siegel's repeated medians of the clusters' medians, which tolerate up to half of the points
    being wrong; the 95 % intervals are from a bootstrap over clusters.

    Parameters
    ----------
    host_per_day, nand_per_day : array_like
        Writes a day of each drive, both in one unit; drives with a NaN in either are left out.
    clusters : array_like
        Label of each drive's cluster, such as drives of one host (:func:`twins`).
    resamples, seed : int
        Number of bootstrap samples, >= 1, and their seed.

    Returns
    -------
    Line
        Intercept and slope; NaN with fewer than 3 clusters.

    Examples
    --------
    >>> host = np.array([1.0, 2, 5, 10, 20, 50])
    >>> line = idle_line(host, 8 + 2 * host, range(6), resamples=99)
    >>> round(line.intercept.value, 6), round(line.slope.value, 6)
    (8.0, 2.0)
    """
    medians, label = medians_of(clusters, host_per_day, nand_per_day)
    if len(label) < 3:
        missing = Estimate(np.nan, np.nan, np.nan, len(label))
        return Line(missing, missing)
    return Line(*(interval(lambda _, x, y, part=part: _siegel(x, y)[part], label, *medians,
                           resamples=resamples, seed=seed) for part in (1, 0)))  # fmt: skip


def _siegel(x: Floats, y: Floats) -> Any:
    from scipy.stats import siegelslopes

    if np.ptp(x) == 0:
        return np.nan, np.nan
    return siegelslopes(y, x)


def _counts(name: str, values: ArrayLike) -> Floats:
    numbers = np.asarray(values, float)
    if (numbers < 0).any():
        raise ValueError(f"{name} must be >= 0, got {numbers[numbers < 0].flat[0]:g}")
    return numbers
