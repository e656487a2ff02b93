"""Odds of an outcome among worn drives, and whether its share rises with wear."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flashwear._domain import number, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_EDGE = 12.0  # logarithm of an odds ratio beyond which it is taken for 0 or infinite


class OddsRatio(NamedTuple):
    """Ratio (``value``) of the odds of an outcome among worn drives to those among others."""

    value: float
    """The most likely ratio; 0 or infinite if one side has no drive with the outcome."""
    low: float
    """Lower end of its likelihood-ratio interval."""
    high: float
    """Upper end of its likelihood-ratio interval."""
    correlation: float
    """Correlation of the outcome between drives of a product line; 0 if chance alone differs."""


class Trend(NamedTuple):
    """Result of :func:`trend`: whether the share of drives with an outcome rises with wear."""

    never_falling: Floats
    """The isotonic (never falling) fit of the shares."""
    p_monotone: float
    """Probability of an isotonic fit this bad or worse, if the true shares never fall."""
    p_flat: float
    """Probability of an isotonic fit this good or better, if all true shares are equal."""


def odds_ratio(events: ArrayLike, drives: ArrayLike, worn: ArrayLike) -> OddsRatio:
    """Return how the odds of an outcome differ between worn drives and others.

    Each element is a group of drives whose outcomes may be correlated, such as a product line.
    Counts are taken to be beta-binomial; a mean for worn drives, one for others, and a common
    correlation are fitted. The 95 % interval is that of the likelihood ratio (:cite:t:`tang2012`),
    since a bootstrap is not consistent for shares that are only known to rise (:cite:t:`sen2010`).

    `events`, `drives`: number of drives with the outcome, and of all drives, in each group; 0 <=
    events <= drives. `worn`: whether the drives of the group are worn; both kinds of groups must
    occur.

    Result: ``low`` is 0, or ``high`` infinite, if the data do not bound it.

    Examples
    --------
    >>> found = odds_ratio([1, 2, 6, 8], [400, 500, 300, 300], [False, False, True, True])
    >>> round(found.value, 1), found.low > 1, found.high < 40
    (7.1, True, True)
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2

    k, n = _counts(events, drives)
    old = np.asarray(worn, bool)
    if old.shape != k.shape or old.all() or not old.any():
        raise ValueError("worn must have one value by group, and both True and False in it")
    best, (_, depth, middle) = _most_likely(k, n, old)

    def excess(log_ratio: float) -> float:
        return float(_most_likely(k, n, old, log_ratio)[0] - best - chi2.ppf(0.95, 1) / 2)

    low, high, value = 0.0, math.inf, math.exp(middle)
    if excess(-_EDGE) > 0:
        low = math.exp(brentq(excess, -_EDGE, middle, xtol=1e-4))
    if excess(_EDGE) > 0:
        high = math.exp(brentq(excess, middle, _EDGE, xtol=1e-4))
    if k[old].sum() == 0 or (k == n)[~old].all():
        value = 0.0
    elif k[~old].sum() == 0 or (k == n)[old].all():
        value = math.inf
    return OddsRatio(value, low, high, 1 / (1 + math.exp(-depth)))


def trend(events: ArrayLike, drives: ArrayLike, draws: int = 1999, seed: int = 0) -> Trend:
    """Test whether the share of drives with an outcome rises with wear, or at least never falls.

    Both tests use likelihood ratios. Their p-values are from random counts with the same share in
    all steps, the least favourable case of shares that never fall. Drives count as independent.

    `events`, `drives`: number of drives with the outcome, and of all drives, in each step of wear,
    the least worn first; events <= drives, drives >= 1. `draws`, `seed`: number of random sets of
    counts, and their seed.

    Examples
    --------
    >>> found = trend([1, 3, 2, 9], [100, 100, 100, 100], draws=199)
    >>> found.never_falling.tolist()
    [0.01, 0.025, 0.025, 0.09]
    >>> found.p_monotone > 0.5, found.p_flat < 0.05
    (True, True)
    """
    k, n = _counts(events, drives)
    size = whole("draws", draws, 1), len(n)
    drawn = np.random.default_rng(seed).binomial(n.astype(int), k.sum() / n.sum(), size)
    fit, worse, better = _isotonic(k, n)
    under = np.array([_isotonic(one, n)[1:] for one in drawn])
    tails = (1 + (under >= np.array([worse, better]) - 1e-9).sum(axis=0)) / (draws + 1)
    return Trend(fit, float(tails[0]), float(tails[1]))


def _most_likely(
    k: Floats, n: Floats, old: Any, log_ratio: float | None = None
) -> tuple[float, Floats]:
    """Minimise minus the log likelihood over the log odds, the correlation's, and the log ratio."""
    from scipy.optimize import minimize
    from scipy.special import betaln, digamma, expit

    def cost(at: Floats) -> tuple[float, Floats]:
        share, size = expit(at[0] + at[2] * old), math.exp(-at[1])
        a, b = share * size, (1 - share) * size
        by_a, by_b = digamma(k + a) - digamma(a), digamma(n - k + b) - digamma(b)
        by_odds = size * share * (1 - share) * (by_a - by_b)
        by_size = share * by_a + (1 - share) * by_b - digamma(n + size) + digamma(size)
        slope = [by_odds.sum(), -size * by_size.sum(), (by_odds * old).sum()]
        return -float((betaln(k + a, n - k + b) - betaln(a, b)).sum()), -np.array(slope)

    ratio = (-_EDGE, _EDGE) if log_ratio is None else (log_ratio, log_ratio)
    # beyond a size of exp(14) the law is the binomial one, and the difference of logarithms noise
    bounds, exact = [(-20, 20), (-14, 3), ratio], {"ftol": 1e-13, "gtol": 1e-7}
    at = (-4.0, -4.0, log_ratio or 0.0)  # from where each of them has a slope
    found = minimize(cost, at, method="L-BFGS-B", jac=True, bounds=bounds, options=exact)
    return float(found.fun), found.x


def _isotonic(k: Floats, n: Floats) -> tuple[Floats, float, float]:
    """Return the isotonic fit, what it loses against free shares, and wins against one share."""
    from scipy.optimize import isotonic_regression
    from scipy.special import xlog1py, xlogy

    def likelihood(share: Any) -> float:
        return float((xlogy(k, share) + xlog1py(n - k, -share)).sum())

    fit = isotonic_regression(k / n, weights=n).x
    return fit, likelihood(k / n) - likelihood(fit), likelihood(fit) - likelihood(k.sum() / n.sum())


def _counts(events: ArrayLike, drives: ArrayLike) -> tuple[Floats, Floats]:
    n = number("drives", drives, low=1)
    k = number("events", events, low=0)
    if k.shape != n.shape or k.ndim != 1 or (k > n).any() or (k % 1).any() or (n % 1).any():
        raise ValueError("events and drives must be rows of whole numbers with events <= drives")
    return k, n
