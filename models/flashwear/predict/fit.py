"""A hierarchical fit of the times of all drives to their speeds, with uncertainty.

The maximum of the posterior is found by Fisher scoring, and its covariance is that of Laplace's
approximation. The spreads of the groups and the errors of the tests are those that explain the
known speeds best by the same approximation (:cite:t:`mackay1992`). If either of several stations
may be the bottleneck, the posterior has several maxima. So the fit starts with a smooth form, in
which all stations contribute to the time of a request, and goes on from its maximum.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flashwear.predict.hierarchy import Term, prior
from flashwear.predict.likelihood import SHARPNESS, SHEET, Posterior, posterior
from flashwear.predict.rated_speeds import Ratings

__all__ = ["ERROR_COUNT", "SPREAD_COUNT", "USUAL_SPREAD", "Fit", "fit", "usual_errors"]

Floats = NDArray[np.float64]
Name = tuple[str, str, str]
Group = tuple[str, str]

USUAL_SPREAD, USUAL_ERROR, USUAL_SHEET_ERROR = 0.15, 0.10, 0.3
"""Spreads of groups, and errors of tests and of data sheets, before any figure."""

SPREAD_COUNT, ERROR_COUNT = 3.0, 5.0
"""How many terms (for spreads) and speeds (for errors) these assumptions are worth in the fit."""

_START_SPREAD, _START_ERROR = 0.3, 0.15
_SHARED, _SHARED_ROUNDS = 2.0, 4
_STEPS, _HALVINGS, _LONGEST_STEP = 3, 10, 1.0
_SETTLED = 0.01  # change of spreads and errors in a round, relative
_STILL = 0.02  # change of terms in a round


@dataclass(frozen=True)
class Fit:
    """Fitted model of the operation times of all drives, with its uncertainty.

    The log of each time of a drive is a sum of effects ("terms"): that of all drives, of its
    controller, of its kind of flash and so on. The n terms of all drives form groups, such as those
    of controllers.

    Attributes
    ----------
    names : list of tuple
        For each term the name of its operation time, its group, and its member of the group.
    mean, covariance : ndarray of float
        Posterior mean and covariance of the terms (Laplace's approximation); shapes (n,), (n, n).
    spreads : dict
        Fitted standard deviation of the terms of a group, by pair of time and group.
    errors : dict
        Standard deviation of log printed speeds about their predictions, by kind ("rated" or
        "measured") and test; and, by ``SHEET``, that of the log flash times in data sheets.
    unseen : float
        Factor >= 1 on these errors for product lines that are not in the fit, estimated by leaving
        out one line at a time.
    without : frozenset of str
        Groups whose terms the fit does not use.
    widened : float
        Factor by which the standard deviations of the priors were multiplied.
    """

    names: list[Name]
    mean: Floats
    covariance: Floats
    spreads: dict[Group, float]
    errors: dict[Group, float]
    unseen: float = 1.0
    without: frozenset[str] = frozenset()
    widened: float = 1.0

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Return `number` random draws of the n effects in log times, shape (number, n).

        `rng` is the random generator.
        """
        lower = np.linalg.cholesky(self.covariance)
        return self.mean + rng.standard_normal((number, len(self.mean))) @ lower.T

    def spread_of(self, term: Term) -> float:
        """Return the standard deviation of an effect (`term`) on which no known speed depends."""
        known = prior(term, self.widened)[1]
        return known or self.spreads.get((term.time, term.group), USUAL_SPREAD)


def fit(
    ratings: Ratings, *, rounds: int = 60, without: Collection[str] = (), widened: float = 1.0
) -> Fit:
    """Fit a model of the operation times of drives to known speeds.

    The log of a time is a sum of effects ("terms") of the controller, the flash, the product line
    and so on; those of one kind form a group.

    Parameters
    ----------
    ratings : Ratings
        Rated and measured speeds.
    rounds : int
        Largest number of iterations, in which the standard deviations of the terms of each group,
        and of the speeds of each test, are estimated; the fit ends earlier if they no longer
        change.
    without : collection of str
        Groups of terms that are left out, such as "controller" or "line".
    widened : float
        Factor on the standard deviations of the priors, > 0.

    Returns
    -------
    Fit
        The fit, with those terms on which the speeds, or flash times in data sheets, depend.
    """
    density = posterior(ratings, without=without, widened=widened)
    mean = density.centre
    spread = np.full(len(density.groups), _START_SPREAD)
    error = np.full(len(density.errors), _START_ERROR)
    error[-1] = USUAL_SHEET_ERROR
    for sharpness, most in ((_SHARED, min(rounds, _SHARED_ROUNDS)), (SHARPNESS, rounds)):
        for _ in range(most):
            before = mean, spread, error
            mean = _climbed(density, mean, spread, error, sharpness)
            _, precision = density.slope_and_precision(mean, spread, error, sharpness)
            covariance: Floats = np.asarray(np.linalg.inv(precision), np.float64)
            spread, error = (
                _spreads(density, mean, covariance, spread),
                _errors(density, mean, covariance, error, sharpness),
            )
            if _settled(before, (mean, spread, error)):
                break
    _, precision = density.slope_and_precision(mean, spread, error, SHARPNESS)
    covariance = np.asarray(np.linalg.inv(precision))
    return Fit(
        density.names,
        mean,
        covariance,
        dict(zip(density.groups, spread.tolist(), strict=True)),
        dict(zip(density.errors, error.tolist(), strict=True)),
        _unseen(density, mean, covariance, error, ratings.table.line.to_numpy()),
        frozenset(without),
        widened,
    )


def _settled(before: tuple[Floats, Floats, Floats], after: tuple[Floats, Floats, Floats]) -> bool:
    still = np.allclose(after[0], before[0], rtol=0.0, atol=_STILL)
    return still and all(
        np.allclose(now, then, rtol=_SETTLED, atol=0.0)
        for now, then in zip(after[1:], before[1:], strict=True)
    )


def _climbed(
    density: Posterior, mean: Floats, spread: Floats, error: Floats, sharpness: float
) -> Floats:
    """Return the terms after a few steps of Fisher scoring, none of which goes down."""
    height = density.log_density(mean, spread, error, sharpness)
    for _ in range(_STEPS):
        slope, precision = density.slope_and_precision(mean, spread, error, sharpness)
        step = np.linalg.solve(precision, slope)
        step *= min(1.0, _LONGEST_STEP / np.abs(step).max())
        for _ in range(_HALVINGS):
            reached = density.log_density(mean + step, spread, error, sharpness)
            if reached > height:
                mean, height = mean + step, reached
                break
            step = step / 2
        else:
            break
    return mean


def _spreads(density: Posterior, mean: Floats, covariance: Floats, spread: Floats) -> Floats:
    """Return the spreads of groups whose terms scatter as the figures say."""
    found = spread.copy()
    for group in range(len(spread)):
        members = density.group_of == group
        known = (1 - covariance.diagonal()[members] / spread[group] ** 2).sum()
        squares = (mean[members] ** 2).sum() + SPREAD_COUNT * USUAL_SPREAD**2
        found[group] = np.sqrt(squares / (known + SPREAD_COUNT))
    return found


def _errors(
    density: Posterior, mean: Floats, covariance: Floats, error: Floats, sharpness: float
) -> Floats:
    """Return the errors of tests whose figures scatter so about their predictions."""
    rows = density.rows
    log, slopes = density.predicted(mean, sharpness)
    spent = slopes.multiply(slopes @ covariance).sum(axis=1) / error[rows.error] ** 2
    weight = np.where(rows.at_link, 0.0, rows.weight)
    squares = np.bincount(rows.error, weight * (rows.seen - log) ** 2, len(error))
    left = np.bincount(rows.error, weight * np.clip(1 - spent, 0.0, 1.0), len(error))
    off = density.printed - density.prints @ mean
    known = density.prints.multiply(density.prints @ covariance).sum(axis=1) / error[-1] ** 2
    squares[-1], left[-1] = off @ off, np.clip(1 - known, 0.0, 1.0).sum()
    usual = usual_errors(density)
    return np.sqrt((squares + ERROR_COUNT * usual**2) / (left + ERROR_COUNT))


def _unseen(
    density: Posterior, mean: Floats, covariance: Floats, error: Floats, lines: NDArray[np.object_]
) -> float:
    """Return how many times as far off figures are whose line is left out, beyond its terms.

    A line is taken out of the linear model at the mode, with the precision of its rows.
    """
    rows = density.rows
    log, slopes = density.predicted(mean)
    below = ~rows.at_link
    variance = (error[rows.error] ** 2 + rows.half_step**2 / 3) / rows.weight
    squares = usual = 0.0
    for line in set(lines[below]):
        mine = np.flatnonzero(below & (lines == line))
        own = slopes[mine]
        known = own @ (own @ covariance).T
        without = np.linalg.inv(np.diag(variance[mine]) - known)
        miss = variance[mine] * (without @ (rows.seen - log)[mine])
        spread = (known + known @ without @ known).diagonal()
        squares += float(rows.weight[mine] @ (miss**2 - spread))
        usual += float(rows.weight[mine] @ error[rows.error[mine]] ** 2)
    return float(np.sqrt(max(1.0, squares / usual))) if usual else 1.0


def usual_errors(density: Posterior) -> Floats:
    """Return the standard deviations of errors with which a fit begins.

    The array has an element for each of ``density.errors``: 0.1 for log speeds of a test, and 0.3
    for log times in data sheets.
    """
    return np.where([pair == SHEET for pair in density.errors], USUAL_SHEET_ERROR, USUAL_ERROR)
