"""How drives end: outcomes by wear, and what reports sent for a reason can say of a risk."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flashwear._domain import number, whole

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_USED = (0, 1, 5, 20, 50, 80, 100, 150, 1000)  # percent
_LEAST_DRIVES = 30  # for a line to get rows of its own
_WEAR_COUNTERS = {"169", "173", "177", "231", "233", "244"}
_MICRON_LIFE = "202"  # old-age at Micron; at Samsung a state of emergency, and pre-failure
_OUTCOMES = ("failed", "failed_by_wear", "spare", "read_only", "failure", "uncorrected")
_EDGE = 12.0  # logarithm of an odds ratio beyond which it is taken for 0 or infinite


class OddsRatio(NamedTuple):
    """Odds of an outcome among worn drives over those among others."""

    value: float
    """The most likely ratio; 0 or infinite where one side has no outcome."""
    low: float
    """Lower end of its likelihood-ratio interval."""
    high: float
    """Upper end of its likelihood-ratio interval."""
    correlation: float
    """Of two drives of one line; 0 where lines differ no more than by chance."""


class Trend(NamedTuple):
    """Shares over steps of wear against shares that never fall."""

    never_falling: Floats
    """The isotonic fit."""
    p_monotone: float
    """Chance of so bad an isotonic fit if the true shares never fall; small speaks against it."""
    p_flat: float
    """Chance of so good an isotonic fit if the true shares are all equal."""


def outcomes(drives: pd.DataFrame) -> pd.DataFrame:
    """Tell what a drive shows of its end, apart from its counter of wear.

    Parameters
    ----------
    drives : pandas.DataFrame
        With the columns of :func:`flashwear.smart.fleet`.

    Returns
    -------
    pandas.DataFrame
        Booleans by drive. failed: the verdict FAILED. failed_by_wear: the counter of wear sets it,
        as every attribute at its threshold counts wear, or the drive is an NVMe drive at 100 % or
        more with enough spare. spare: NVMe, below its threshold. read_only: NVMe, where wear does
        not set it. failure: any of these but failed_by_wear. uncorrected: errors that could not
        be corrected.
    """
    import pandas as pd

    words = [set(str(text).split()) for text in drives["findings"].fillna("")]
    low = [set(str(text).split()) for text in drives["low_attributes"].fillna("")]
    verdicts = drives["passed"].eq(False).fillna(False).astype(bool)
    rows = []
    for kind, failed, used, found, at_threshold in zip(
        drives["kind"], verdicts, drives["percent_used"], words, low, strict=True
    ):
        spare = "spare_below_threshold" in found
        mild = set() if "attribute_failing" in found else {_MICRON_LIFE}
        if kind == "ata":
            wear = bool(at_threshold) and at_threshold <= _WEAR_COUNTERS | mild
        else:
            wear = used >= 100 and not spare
        read_only = "read_only" in found and not wear
        failure = (failed and not wear) or spare or read_only
        rows.append((failed, failed and wear, spare, read_only, failure, "media_errors" in found))
    return pd.DataFrame(rows, columns=list(_OUTCOMES), index=drives.index, dtype=bool)


def ends(drives: pd.DataFrame) -> pd.DataFrame:
    """Count outcomes by kind, line and life used.

    Parameters
    ----------
    drives : pandas.DataFrame
        Of :func:`flashwear.smart.summary.prepare`.

    Returns
    -------
    pandas.DataFrame
        Rows of ``field_ends.csv``: of each kind, of its lines (or models outside them) of 30
        drives or more, and of its others together. Drives whose wear is not known are left out.
    """
    import pandas as pd

    known = drives[drives["percent_used"].notna()].reset_index(drop=True)
    found = pd.concat([known, outcomes(known)], axis=1)
    found["line"] = found["line"].where(found["line"] != "", found["model"])
    few = found.groupby(["kind", "line"])["line"].transform("size") < _LEAST_DRIVES
    found.loc[few, "line"] = "others"
    step = np.digitize(found["percent_used"], _USED)
    found["low"], found["high"] = np.array(_USED)[step - 1], np.array(_USED)[step]
    found["drive_years"] = found["power_on_hours"] / 8766
    groups = pd.concat([found.assign(line="all"), found]).groupby(["kind", "line", "low", "high"])
    table = groups[["drive_years", *_OUTCOMES]].sum()
    table.insert(0, "drives", groups.size())
    table.insert(1, "clusters", groups["cluster"].nunique())
    return table.reset_index()


def odds_ratio(events: ArrayLike, drives: ArrayLike, worn: ArrayLike) -> OddsRatio:
    """Estimate how the odds of an outcome differ between worn drives and others.

    Each row is a group of drives that may share a fate, such as a line. Counts follow a
    beta-binomial law, whose two means and one correlation for both sorts are fitted. The interval
    of 95 % is that of the likelihood ratio, which follows its usual law in a few steps of many
    drives (:cite:t:`tang2012`). A naive bootstrap of monotone fits is not consistent, as they
    converge with the cube root of the sample only (:cite:t:`sen2010`).

    Where drives with the outcome are reported :math:`f` times as often as others, the odds among
    reports are :math:`f` times those of all drives. So the ratio is too large by the ratio of the
    two :math:`f` of worn drives and others, and right where these are equal.

    Parameters
    ----------
    events, drives : array_like
        Drives with the outcome, and all, by group: whole numbers, 0 <= events <= drives.
    worn : array_like of bool
        Whether the group is of worn drives; both sorts must occur.

    Returns
    -------
    OddsRatio
        An end is 0 or infinite where the data do not bound it.

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
    """Test whether shares rise, or at least never fall, from step to step.

    Both tests are likelihood ratios, with chances from counts drawn at one share for all: the
    least favourable case where shares never fall. Drives count as independent.

    Parameters
    ----------
    events, drives : array_like
        Drives with the outcome, and all, by step: whole numbers, events <= drives, drives >= 1.
    draws, seed : int
        Of the drawn counts.

    Returns
    -------
    Trend

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
