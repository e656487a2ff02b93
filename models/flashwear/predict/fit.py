"""The times of all drives from their figures of speed: a hierarchical fit and its uncertainty.

The mode of the posterior is found by Fisher scoring, its covariance is that of Laplace's
approximation, and the spreads of the groups and the errors of the tests are those that explain the
figures best by the same approximation (:cite:t:`mackay1992`). Logarithms are natural.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import log_ndtr

from flashwear import drives
from flashwear.drives import Drive
from flashwear.predict.hierarchy import FIXED_S, Term, prior, terms
from flashwear.predict.ratings import Ratings
from flashwear.queueing import work

__all__ = ["Fit", "Rows", "design", "fit", "log_rates", "rows_of", "sheets"]

Floats = NDArray[np.float64]
Name = tuple[str, str, str]
Group = tuple[str, str]

SHARPNESS = 24.0
"""Stations that are equally busy make a request 2.9 % slower than one alone: 2 ** (1 / 24)."""

_LINK = work.STATIONS.index("link")
_START_SPREAD, _START_ERROR = 0.3, 0.15
_USUAL_SPREAD, _USUAL_ERROR = 0.15, 0.10  # they count as the figures below
_SPREAD_COUNT, _ERROR_COUNT = 3.0, 5.0
_SHEET_ERROR = 0.3  # of the times of a data sheet, which says typical or most
_STEPS, _ROUNDS = 3, 100
_SETTLED = 0.005  # change of spreads and errors in a round, relative
_LONGEST_STEP = 0.5
_BOLD = 20  # rounds of whole steps; then half ones, which do not swing between two stations


def log_rates(fixed_s: Floats, counts: Floats, times: Floats) -> tuple[Floats, Floats]:
    r"""Return the logarithms of requests per second and the seconds at each station.

    .. math:: T = \Bigl(\sum_s D_s^p\Bigr)^{1/p}, \qquad D_s = f_s + \sum_t n_{st} t_t

    with :math:`p` = 24, close to the largest demand :math:`D_s` (derived here).

    Parameters
    ----------
    fixed_s : ndarray of float
        Shape (..., 5), see :class:`flashwear.queueing.work.Work`.
    counts : ndarray of float
        Shape (..., 5, 10).
    times : ndarray of float
        Shape (..., 10), seconds.

    Returns
    -------
    tuple of ndarray
        Shapes (...,) and (..., 5).

    Examples
    --------
    Two stations that take one second each:

    >>> log, seconds = log_rates(np.array([1.0, 1.0, 0, 0, 0]), np.zeros((5, 10)), np.zeros(10))
    >>> round(float(np.exp(-log)), 3)
    1.029
    """
    seconds = fixed_s + np.einsum("...st,...t->...s", counts, times)
    most = seconds.max(-1)
    parts = ((seconds / most[..., None]) ** SHARPNESS).sum(-1)
    return -(np.log(most) + np.log(parts) / SHARPNESS), seconds


@dataclass(frozen=True)
class Rows:
    """What a fit needs of some figures: work, terms and what was seen."""

    fixed_s: Floats
    counts: Floats
    base: Floats
    """Logarithms of the times that are not fitted, shape (rows, 10)."""
    design: sparse.csr_array
    """Factors of the terms, shape (rows * 10, terms)."""
    seen: Floats
    half_step: Floats
    weight: Floats
    at_link: NDArray[np.bool_]
    error: NDArray[np.int64]
    """Which error is theirs."""


def rows_of(ratings: Ratings, names: Sequence[Name], errors: Sequence[Group]) -> Rows:
    """Return figures as rows over the terms and errors named."""
    table = ratings.table
    base, columns = design(ratings.drives, ratings.benches, ratings.work.counts, names)
    fixed = ratings.work.fixed_s.copy()
    at_link = table.at_link.to_numpy()
    fixed[at_link, _LINK] = 0.0  # the link may be all that holds them: the rest is no slower
    places = {error: place for place, error in enumerate(errors)}
    return Rows(
        fixed,
        ratings.work.counts,
        base,
        columns,
        ratings.log_rate,
        ratings.half_step,
        table.weight.to_numpy(),
        at_link,
        np.array([places[pair] for pair in ratings.figures]),
    )


def design(
    made: Sequence[Drive],
    benches: Sequence[str],
    counts: Floats,
    names: Sequence[Name],
) -> tuple[Floats, sparse.csr_array]:
    """Return the times that are not fitted, and the factors of the terms of those that are."""
    places = {name: place for place, name in enumerate(names)}
    used: NDArray[np.bool_] = np.any(counts, axis=1)
    base = np.zeros((len(made), len(work.TIMES)))
    for name, seconds in FIXED_S.items():
        with np.errstate(divide="ignore"):
            base[:, work.TIMES.index(name)] = np.log(seconds)
    at, column, factor = [], [], []
    for row, (drive, bench) in enumerate(zip(made, benches, strict=True)):
        for term in terms(drive, bench):
            place = places.get(term[:3])
            time = work.TIMES.index(term.time)
            if place is not None and used[row, time]:
                at.append(row * len(work.TIMES) + time)
                column.append(place)
                factor.append(term.factor)
    shape = (base.size, len(names))
    return base, sparse.csr_array((factor, (at, column)), shape=shape)


@dataclass(frozen=True)
class Fit:
    """Terms of the times of all drives, with their uncertainty.

    Attributes
    ----------
    names : list of tuple
        Time, group and name of each term.
    mean, covariance : ndarray of float
        Of the terms, by Laplace's approximation; shapes (n,) and (n, n).
    spreads : dict
        Standard deviation of the terms of a group that the fit found, by time and group.
    errors : dict
        Standard deviation of the logarithm of a figure about its prediction, by kind and test.
    without : frozenset of str
        Groups of terms that it has none of.
    """

    names: list[Name]
    mean: Floats
    covariance: Floats
    spreads: dict[Group, float]
    errors: dict[Group, float]
    without: frozenset[str] = frozenset()

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Return draws of the terms, shape (number, n)."""
        lower = np.linalg.cholesky(self.covariance)
        return self.mean + rng.standard_normal((number, len(self.mean))) @ lower.T


def sheets() -> list[tuple[list[Term], float]]:
    """Return the times of flash that data sheets and papers print: terms, and the logarithm."""
    found, done = [], set()
    for key in drives.names():
        drive = drives.load(key)
        if drive.flash in done or not drive.flash:
            continue
        done.add(drive.flash)
        table = drives.parameters(key).set_index("parameter")
        for time in ("read_s", "program_s"):
            if table.origin[time] in ("stated", "literature"):
                value = float(np.mean(table.value[time]))
                found.append(([term for term in terms(drive) if term.time == time], np.log(value)))
    return found


def fit(
    ratings: Ratings,
    *,
    start: Fit | None = None,
    rounds: int = _ROUNDS,
    without: Collection[str] = (),
    widened: float = 1.0,
) -> Fit:
    """Return the fit to some figures.

    Parameters
    ----------
    ratings : Ratings
        The figures.
    start : Fit, optional
        A fit to start from, for instance to more figures.
    rounds : int
        How often spreads and errors are found anew, at most; by default until they are settled.
    without : collection of str
        Groups of terms that are left out.
    widened : float
        What the standard deviations of the priors are multiplied by, > 0.

    Returns
    -------
    Fit
        With terms of the times that the figures tell of, and no others.
    """
    used: NDArray[np.bool_] = np.any(ratings.work.counts, axis=1)
    known: dict[Name, Term] = {
        term[:3]: term
        for drive, bench, needed in zip(ratings.drives, ratings.benches, used, strict=True)
        for term in terms(drive, bench, without)
        if needed[work.TIMES.index(term.time)] and term.name
    }
    names = sorted(known)
    errors = sorted(set(ratings.figures))
    rows = rows_of(ratings, names, errors)
    priors = [prior(known[name], widened) for name in names]
    centre = np.array([mean for mean, _ in priors])
    wide = np.array([0.0 if sd is None else sd for _, sd in priors])
    groups = sorted({name[:2] for name, sd in zip(names, wide, strict=True) if sd == 0})
    group_of = np.array([groups.index(name[:2]) if name[:2] in groups else -1 for name in names])
    spread = np.full(len(groups), _START_SPREAD)
    error = np.full(len(errors), _START_ERROR)
    mean = centre.copy()
    if start is not None:
        known_before = dict(zip(start.names, start.mean.tolist(), strict=True))
        mean = np.array(
            [known_before.get(name, middle) for name, middle in zip(names, mean, strict=True)]
        )
        spread = np.array([start.spreads.get(group, _START_SPREAD) for group in groups])
        error = np.array([start.errors.get(pair, _START_ERROR) for pair in errors])
    prints, printed = _sheet_rows(names, without)
    for turn in range(rounds):
        deviation = np.where(group_of < 0, wide, spread[group_of])
        for _ in range(_STEPS):
            mean, precision = _step(
                rows, mean, centre, deviation, error, prints, printed, 1.0 if turn < _BOLD else 0.5
            )
        covariance: Floats = np.asarray(np.linalg.inv(precision), np.float64)
        before = np.r_[spread, error]
        if turn == rounds - 1:
            break
        spread = _spreads(mean, covariance, spread, group_of)
        error = _errors(rows, mean, covariance, error)
        if np.allclose(np.r_[spread, error], before, rtol=_SETTLED, atol=0.0):
            break
    return Fit(
        names,
        mean,
        covariance,
        dict(zip(groups, spread.tolist(), strict=True)),
        dict(zip(errors, error.tolist(), strict=True)),
        frozenset(without),
    )


def _sheet_rows(names: Sequence[Name], without: Collection[str]) -> tuple[sparse.csr_array, Floats]:
    places = {name: place for place, name in enumerate(names)}
    told = [
        ([term for term in each if term.group not in without], value) for each, value in sheets()
    ]
    kept = [(each, value) for each, value in told if all(term[:3] in places for term in each)]
    at = [row for row, (each, _) in enumerate(kept) for _ in each]
    column = [places[term[:3]] for each, _ in kept for term in each]
    factor = [term.factor for each, _ in kept for term in each]
    matrix = sparse.csr_array((factor, (at, column)), shape=(len(kept), len(names)))
    return matrix, np.array([value for _, value in kept])


def _predicted(rows: Rows, mean: Floats) -> tuple[Floats, sparse.csr_array]:
    """Return log rates, and their derivatives by the terms."""
    times = np.exp(rows.base + (rows.design @ mean).reshape(rows.base.shape))
    log, seconds = log_rates(rows.fixed_s, rows.counts, times)
    busy = (seconds / seconds.max(-1, keepdims=True)) ** SHARPNESS
    busy /= busy.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        per_second = np.where(seconds > 0, busy / seconds, 0.0)
    share = np.einsum("rs,rst->rt", per_second, rows.counts) * times
    number, each = share.shape
    sums = sparse.csr_array(
        (-share.ravel(), np.arange(share.size), np.arange(0, share.size + 1, each)),
        shape=(number, share.size),
    )
    return log, sums @ rows.design


def _step(
    rows: Rows,
    mean: Floats,
    centre: Floats,
    deviation: Floats,
    error: Floats,
    prints: sparse.csr_array,
    printed: Floats,
    part: float,
) -> tuple[Floats, Floats]:
    """Return the terms after a step of Fisher scoring, and the precision before it."""
    log, slopes = _predicted(rows, mean)
    variance = error[rows.error] ** 2 + rows.half_step**2 / 3
    above = (log - rows.seen) / np.sqrt(variance)
    hazard = np.exp(-0.5 * above**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(above))
    pull = np.where(rows.at_link, hazard, -above) / np.sqrt(variance)
    bend = np.where(rows.at_link, hazard * (hazard + above), 1.0) / variance
    slope = slopes.T @ (rows.weight * pull) - (mean - centre) / deviation**2
    slope += prints.T @ (printed - prints @ mean) / _SHEET_ERROR**2
    curved = slopes.T @ (slopes * (rows.weight * bend)[:, None])
    precision = (curved + prints.T @ prints / _SHEET_ERROR**2).toarray()
    precision[np.diag_indices_from(precision)] += 1 / deviation**2
    step = np.linalg.solve(precision, slope)
    return mean + part * np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), precision


def _spreads(
    mean: Floats, covariance: Floats, spread: Floats, group_of: NDArray[np.int64]
) -> Floats:
    """Return the spreads of groups whose terms scatter as the figures say."""
    found = spread.copy()
    for group in range(len(spread)):
        members = group_of == group
        known = (1 - covariance.diagonal()[members] / spread[group] ** 2).sum()
        squares = (mean[members] ** 2).sum() + _SPREAD_COUNT * _USUAL_SPREAD**2
        found[group] = np.sqrt(squares / (known + _SPREAD_COUNT))
    return found


def _errors(rows: Rows, mean: Floats, covariance: Floats, error: Floats) -> Floats:
    """Return the errors of tests whose figures scatter so about their predictions."""
    log, slopes = _predicted(rows, mean)
    spent = slopes.multiply(slopes @ covariance).sum(axis=1) / error[rows.error] ** 2
    weight = np.where(rows.at_link, 0.0, rows.weight)
    squares = np.bincount(rows.error, weight * (rows.seen - log) ** 2, len(error))
    left = np.bincount(rows.error, weight * np.clip(1 - spent, 0.0, 1.0), len(error))
    usual = _ERROR_COUNT * _USUAL_ERROR**2
    return np.sqrt((squares + usual) / (left + _ERROR_COUNT))


def spread_of(term: Term, found: Mapping[Group, float]) -> float:
    """Return the standard deviation of a term that no figure has told of."""
    return prior(term)[1] or found.get((term.time, term.group), _USUAL_SPREAD)
