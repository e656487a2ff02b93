"""Fleet statistics in which a cluster of similar drives weighs like one drive."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flashwear._domain import number, one_number, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """A statistic of many drives (``value``), with the interval from ``low`` to ``high``."""

    value: float
    """The statistic."""
    low: float
    """Lower end of its confidence interval."""
    high: float
    """Upper end of its confidence interval."""
    clusters: int
    """Number of groups of drives, such as drives of one host, that it is computed from."""


def twins(model: ArrayLike, power_on_hours: ArrayLike, within_hours: float = 1.0) -> Any:
    """Return labels of drives that probably share a host: same model, similar power-on hours.

    Drives of one model whose power-on hours follow each other by at most `within_hours` get one
    label. In a crowded model some unrelated drives get one too, which only widens intervals.

    `model`: model of each drive. `power_on_hours`: hours of each drive; a drive without them (NaN)
    is a cluster of its own. `within_hours`: largest gap in power-on hours between neighbours of a
    cluster, >= 0.

    Result: a label for each drive, from 0 on.

    Raises ``ValueError`` if there are not as many hours as models.

    Examples
    --------
    >>> twins(["a", "a", "a", "b"], [100, 101, 500, 100]).tolist()
    [0, 0, 1, 2]
    """
    gap = one_number("within_hours", within_hours, low=0)
    names = np.unique(np.asarray(model, dtype=str), return_inverse=True)[1].reshape(-1)
    hours = np.asarray(power_on_hours, float)
    if hours.shape != names.shape:
        raise ValueError(
            f"power_on_hours must hold one number by model, got {hours.shape} for {names.shape}"
        )
    order = np.lexsort((hours, names))
    sorted_hours = hours[order]
    starts = np.ones(len(order), bool)
    # a comparison with NaN is false: each such drive starts a cluster
    starts[1:] = (np.diff(names[order]) != 0) | ~(np.diff(sorted_hours) <= gap)
    label = np.empty(len(order), int)
    label[order] = np.cumsum(starts) - 1
    return label


def quantiles(values: ArrayLike, clusters: ArrayLike, probabilities: ArrayLike) -> Floats:
    """Return quantiles in which each cluster of drives has the same weight.

    Each drive has the weight 1/(drives of its cluster); the quantile is the least value at which
    the weights up to it reach the probability.

    `values`: a number for each drive; NaN is left out. `clusters`: label of each drive's cluster,
    such as drives of one host (:func:`twins`). `probabilities`: probabilities of the quantiles, in
    [0, 1].

    Result: the quantiles; NaN where no value is left.

    Raises ``ValueError`` for a probability outside its range.

    Examples
    --------
    >>> quantiles([1, 1, 1, 5, 9], [0, 0, 0, 1, 2], [0.1, 0.5, 0.9]).tolist()
    [1.0, 5.0, 9.0]
    """
    wanted = number("probabilities", probabilities, low=0, high=1)
    (column,), label = _clean(clusters, values)
    if not len(column):
        return np.full(wanted.shape, np.nan)
    weight = 1 / np.bincount(label)[label]
    order = column.argsort(kind="stable")
    reached = np.cumsum(weight[order]) / weight.sum()
    return column[order][np.searchsorted(reached, wanted - 1e-12)]


def interval(
    statistic: Callable[..., float],
    clusters: ArrayLike,
    *columns: ArrayLike,
    resamples: int = 999,
    confidence: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return a statistic with its bootstrap interval, resampling whole clusters.

    `statistic`: function that gets cluster labels and columns and returns a number. Labels are
    renumbered, so that a cluster that is drawn twice becomes two. `clusters`: label of each
    drive's cluster, such as drives of one host (:func:`twins`). `columns`: arrays of a number for
    each drive; drives with a NaN in any are left out. `resamples`: number of bootstrap samples, >=
    1. `confidence`: central share of the resampled values that the interval holds, in (0, 1).
    `seed`: seed of the random generator.

    Result: all values are NaN without drives; with one cluster the interval is the value itself.
    Samples whose statistic is NaN are left out.

    Examples
    --------
    >>> waf, host = [2.0, 2.1, 3.0, 4.0], [0, 0, 1, 2]
    >>> found = interval(lambda group, x: quantiles(x, group, 0.5), host, waf, resamples=99)
    >>> found.value, found.low, found.high, found.clusters
    (3.0, 2.0, 4.0, 3)
    """
    part = one_number("confidence", confidence, above=0, high=0.999999)
    draws = whole("resamples", resamples, 1)
    kept, label = _clean(clusters, *columns)
    count = int(label.max()) + 1 if len(label) else 0
    if not count:
        return Estimate(np.nan, np.nan, np.nan, 0)
    order = label.argsort(kind="stable")
    members = np.split(order, np.cumsum(np.bincount(label))[:-1])
    random = np.random.default_rng(seed)
    found = np.empty(draws)
    for draw in range(draws):
        picked = [members[i] for i in random.integers(count, size=count)]
        rows = np.concatenate(picked)
        again = np.repeat(np.arange(count), [len(group) for group in picked])
        found[draw] = statistic(again, *(column[rows] for column in kept))
    tails = [(1 - part) / 2, (1 + part) / 2]
    found = found[~np.isnan(found)]
    low, high = np.quantile(found, tails, method="inverted_cdf") if len(found) else (np.nan, np.nan)
    return Estimate(float(statistic(label, *kept)), float(low), float(high), count)


def rank_correlation(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike, resamples: int = 999, seed: int = 0
) -> Estimate:
    """Return Spearman's correlation of the clusters' medians, with a bootstrap interval.

    `x`, `y`: two numbers for each drive; drives with a NaN in either are left out. `clusters`:
    label of each drive's cluster, such as drives of one host (:func:`twins`). `resamples`, `seed`:
    number of bootstrap samples, >= 1, and their seed.

    Result: value in [-1, 1] and its 95 % interval; NaN with fewer than 3 clusters.

    Examples
    --------
    >>> round(rank_correlation([1, 2, 3, 4], [8, 6, 4, 2], [0, 1, 2, 3], resamples=99).value, 6)
    -1.0
    """
    medians, label = medians_of(clusters, x, y)
    if len(label) < 3:
        return Estimate(np.nan, np.nan, np.nan, len(label))
    return interval(_spearman, label, *medians, resamples=resamples, seed=seed)


def _spearman(_: Any, x: Floats, y: Floats) -> float:
    from scipy.stats import rankdata

    ranks = rankdata(x), rankdata(y)
    if min(np.ptp(rank) for rank in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def _clean(clusters: ArrayLike, *columns: ArrayLike) -> tuple[tuple[Floats, ...], Any]:
    """Return the drives without a NaN, and their clusters numbered from 0."""
    kept = np.stack([np.asarray(column, float) for column in columns])
    label = np.asarray(clusters)
    if label.shape != kept.shape[1:]:
        raise ValueError(
            f"clusters must have one label by drive, got {label.shape} for {kept.shape[1:]}"
        )
    whole_rows = ~np.isnan(kept).any(axis=0)
    numbered = np.unique(label[whole_rows], return_inverse=True)[1].reshape(-1)
    return tuple(kept[:, whole_rows]), numbered


def medians_of(clusters: ArrayLike, *columns: ArrayLike) -> tuple[list[Floats], Any]:
    """Return the median of each column in each cluster."""
    kept, label = _clean(clusters, *columns)
    if not len(label):
        return list(kept), label
    cuts = np.cumsum(np.bincount(label))[:-1]
    order = label.argsort(kind="stable")
    medians = [
        np.array([np.median(part) for part in np.split(column[order], cuts)]) for column in kept
    ]
    return medians, np.arange(len(medians[0]))
