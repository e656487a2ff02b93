"""The end of a drive whose blocks differ in endurance: worn-out blocks retire."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear import wa
from flashwear._domain import one_number, one_of, whole

FAMILIES = ("normal", "lognormal", "weibull")

_LEAST = 1e-6  # spread below which blocks count as equal
_GRID = 4_000

Floats = NDArray[np.float64]


def strength(spread: float, family: str = "normal") -> Any:
    r"""Return the distribution of blocks' endurance, relative to its mean.

    .. math:: S(\nu) = \Pr(\text{endurance} > \nu\bar N), \qquad
              \int_{-\infty}^{\infty} \nu\,dF = 1, \quad
              \int_{-\infty}^{\infty} (\nu - 1)^2\,dF = \sigma^2, \quad F = 1 - S

    with :math:`\nu` the erases of a block over the mean endurance :math:`\bar N` and :math:`\sigma`
    the `spread`. That endurance scatters in one of these forms is an assumption.

    Parameters
    ----------
    spread : float
        Standard deviation over mean, in [1e-6, 1].
    family : {"normal", "lognormal", "weibull"}
        Form of the distribution.

    Returns
    -------
    scipy.stats frozen distribution
        Distribution with mean 1: its method ``sf`` is :math:`S`, ``rvs`` draws blocks. A normal
        distribution has values below 0 (0.6 % at a spread of 0.4, 16 % at 1): blocks that are dead
        from the start.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Blocks that are spent at 60 % of the mean, by the form assumed:

    >>> [round(float(strength(0.2, name).cdf(0.6)), 3) for name in ("normal", "weibull")]
    [0.023, 0.033]
    """
    from scipy import stats

    width = one_number("spread", spread, low=_LEAST, high=1)
    one_of("family", family, FAMILIES)
    if family == "normal":
        return stats.norm(1, width)
    if family == "lognormal":
        sigma = np.sqrt(np.log1p(width**2))
        return stats.lognorm(sigma, scale=np.exp(-(sigma**2) / 2))
    shape, scale = _weibull(width)
    return stats.weibull_min(shape, scale=scale)


def _weibull(width: float) -> tuple[float, float]:
    """Return shape and scale of the Weibull distribution of mean 1 and this standard deviation."""
    from scipy.optimize import brentq
    from scipy.special import gammaln

    def excess(shape: float) -> float:
        moments = gammaln(1 + 2 / shape) - 2 * gammaln(1 + 1 / shape)
        return float(np.expm1(moments) - width**2)

    shape = float(brentq(excess, 0.5, 3 / width, xtol=1e-12, rtol=1e-14))
    return shape, float(np.exp(-gammaln(1 + 1 / shape)))


class WearPath(NamedTuple):
    """Course of a drive's life as blocks wear out and are retired, as arrays over time.

    ``written``, host writes over the nominal life, those of a drive whose blocks all last the mean
    endurance; ``good``, the share of good blocks; ``wa``, write amplification; ``erases``, those of
    a good block over the mean endurance.
    """

    written: Floats
    good: Floats
    wa: Floats
    erases: Floats

    @property
    def life(self) -> float:
        """Host writes until the drive ends, over those of its nominal life."""
        return float(self.written[-1])


def wear_path(op: float, spread: float, family: str = "normal", points: int = 200) -> WearPath:
    r"""Return the life of a drive of very many blocks, erased equally often and retired when worn.

    .. math:: \Lambda(\nu) = \int_0^{\nu} S(u)\,\frac{A(\mathrm{op})}{A(\mathrm{op}(u))}\,du ,
              \qquad \mathrm{op}(u) = (1 + \mathrm{op})\,S(u) - 1

    with :math:`\nu` the erases of a block over the mean endurance, :math:`S` the share of blocks
    that bear more (:func:`strength`), :math:`A` the write amplification of FIFO cleaning
    (:func:`flashwear.wa.fifo`) and :math:`\Lambda` the host writes over those of the nominal life,
    which is :func:`flashwear.endurance.tbw` at the mean endurance, :math:`A(\mathrm{op})` and
    WLF = 1. The drive ends when :math:`\mathrm{op}(\nu) = 0`. Derived in the book, appendix "Wear
    levelling and worn-out blocks".

    Parameters
    ----------
    op : float
        Over-provisioning over user pages, in [1e-4, 1e4], open and reserved blocks taken off.
    spread : float
        Standard deviation of the blocks' endurance over its mean, in [0, 1]; below 1e-6
        blocks count as equal.
    family : {"normal", "lognormal", "weibull"}
        Form of its distribution, see :func:`strength`.
    points : int
        Points of the path, in [2, 1000000], equally far apart in erases.

    Returns
    -------
    WearPath
        Arrays: ``written`` (host writes over those of the nominal life), ``good`` (good blocks over
        all), ``wa`` (write amplification, infinite at the end unless blocks are equal) and
        ``erases`` (of each good block, over the mean endurance). ``life`` is the last of
        ``written``; it is 0 if too many blocks are dead from the start.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Writes are uniform and random over the whole drive; with large blocks, greedy cleaning is FIFO.
    A simulated drive of 300 cycles lives 0.5 % longer, because its first writes are not amplified.

    Related work: :cite:t:`verschoren2019` study how unequal wear limits the life of a drive,
    :cite:t:`jimenez2014` how unequal endurance of pages does, and :cite:t:`jiao2022` let the
    capacity shrink instead of levelling wear.

    Examples
    --------
    >>> round(wear_path(0.28, 0.1).life, 3), round(wear_path(0.28, 0.2).life, 3)
    (0.867, 0.734)
    """
    ratio = one_number("op", op, low=1e-4, high=1e4)
    width = one_number("spread", spread, low=0, high=1)
    count = whole("points", points, 2, 1_000_000)
    if width < _LEAST:
        one_of("family", family, FAMILIES)
        erases = np.linspace(0, 1, count)
        return WearPath(erases, np.ones(count), np.full(count, wa.fifo(ratio)), erases)
    blocks = strength(width, family)
    end = max(0.0, float(blocks.ppf(ratio / (1 + ratio))))
    at = np.linspace(0, end, count)
    written = np.interp(at, *_integral(blocks, ratio, end))
    good = blocks.sf(at)
    return WearPath(written, good, _amplification(ratio, good), at)


def _integral(blocks: Any, ratio: float, end: float) -> tuple[Floats, Floats]:
    """Return erases and host writes on a grid that is fine at the end, and where blocks die."""
    # the amplification grows without bound at the end; quantiles follow the blocks
    shares = np.linspace(0, 1, _GRID + 1)
    closing = end * (1 - (1 - shares) ** 2)
    dying = blocks.ppf(shares[1:-1] * ratio / (1 + ratio))
    erases = np.unique(np.concatenate((closing, dying[(dying > 0) & (dying < end)])))
    good = blocks.sf(erases)
    rate = good * wa.fifo(ratio) / _amplification(ratio, good)
    steps = (rate[1:] + rate[:-1]) / 2 * np.diff(erases)
    return erases, np.concatenate(([0.0], np.cumsum(steps)))


def _amplification(ratio: float, good: Floats) -> Floats:
    """Return the write amplification of what is left, infinite where nothing is to spare."""
    left = (1 + ratio) * good - 1
    amplification = np.full(good.shape, np.inf)
    inside = left > 1e-12
    amplification[inside] = wa.fifo(left[inside])
    return amplification
