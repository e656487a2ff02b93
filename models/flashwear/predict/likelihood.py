"""The posterior of the times of drives given their speeds, and its derivatives.

Logarithms are natural.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import log_ndtr

from flashwear import drives
from flashwear.drives import Drive
from flashwear.predict.hierarchy import FIXED_S, Term, prior, terms
from flashwear.predict.rated_speeds import Ratings, loaded
from flashwear.queueing import work

__all__ = ["SHEET", "Posterior", "Rows", "design", "log_rates", "posterior", "rows_of", "sheets"]

Floats = NDArray[np.float64]
Name = tuple[str, str, str]
Group = tuple[str, str]

SHARPNESS = 24.0
"""Stations that are equally busy make a request 2.9 % slower than one alone: 2 ** (1 / 24)."""

SHEET = ("sheet", "")
"""Key of the error of times in data sheets and papers, the last in any list of errors."""

_LINK = work.STATIONS.index("link")


def log_rates(
    fixed_s: Floats, counts: Floats, times: Floats, sharpness: float = SHARPNESS
) -> tuple[Floats, Floats]:
    r"""Return log requests per second, and the seconds that a request takes at each station.

    .. math:: T = \Bigl(\sum_s D_s^p\Bigr)^{1/p}, \qquad D_s = f_s + \sum_t n_{st} t_t

    :math:`T` is the time of a request, close to the largest of the seconds :math:`D_s` that it
    takes at station :math:`s` (derived here): :math:`f_s` constant ones (`fixed_s`), and
    :math:`n_{st}` operations (`counts`) of :math:`t_t` seconds (`times`) of each kind :math:`t`.

    Parameters
    ----------
    fixed_s : ndarray of float
        Constant seconds of a request at link, controller, channel and die, and as a whole, shape
        (..., 5).
    counts : ndarray of float
        Number of operations of each kind at each station, shape (..., 5, 10).
    times : ndarray of float
        Seconds of one operation of each kind, shape (..., 10), in the order of ``work.TIMES``.
    sharpness : float
        The power :math:`p`, >= 1; the larger, the closer :math:`T` is to the largest :math:`D_s`.

    Returns
    -------
    tuple of ndarray
        Log requests per second :math:`-\ln T`, shape (...,), and :math:`D_s`, shape (..., 5).

    Examples
    --------
    Two stations that take one second each:

    >>> log, seconds = log_rates(np.array([1.0, 1.0, 0, 0, 0]), np.zeros((5, 10)), np.zeros(10))
    >>> round(float(np.exp(-log)), 3)
    1.029
    """
    seconds = fixed_s + np.einsum("...st,...t->...s", counts, times)
    most = seconds.max(-1)
    parts = ((seconds / most[..., None]) ** sharpness).sum(-1)
    return -(np.log(most) + np.log(parts) / sharpness), seconds


@dataclass(frozen=True)
class Rows:
    """Known speeds as input of a fit, with an element (row) for each speed in every array.

    ``fixed_s`` and ``counts`` are constant seconds and numbers of operations of a request at each
    station, ``seen`` is the log of the speed in requests per second, ``half_step`` half its
    rounding step in the log, ``weight`` its weight in the fit, and ``at_link`` whether the link
    limits it.
    """

    fixed_s: Floats
    counts: Floats
    base: Floats
    """Logs of operation times that are not fitted, 0 for the others, shape (rows, 10)."""
    design: sparse.csr_array
    """Matrix that turns the model's effects into logs of times, shape (rows * 10, effects)."""
    seen: Floats
    half_step: Floats
    weight: Floats
    at_link: NDArray[np.bool_]
    error: NDArray[np.int64]
    """For each row the index of its standard deviation in the list of errors."""


def rows_of(ratings: Ratings, names: Sequence[Name], errors: Sequence[Group]) -> Rows:
    """Return known speeds (`ratings`) as input of a fit.

    `names` lists the effects of the model (operation time, group, member), in the order of the
    columns of ``design``; `errors` lists pairs of kind ("rated" or "measured") and test, whose
    speeds share a standard deviation, in the order to which ``error`` refers.
    """
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
    made: Sequence[Drive], benches: Sequence[str], counts: Floats, names: Sequence[Name]
) -> tuple[Floats, sparse.csr_array]:
    """Return the matrix that turns the effects of a model into log times, and times not fitted.

    The log of an operation time is a sum of effects ("terms"), such as that of the controller.

    Parameters
    ----------
    made, benches : sequence
        Drive of each speed, and the name of who measured it ("" for a rating).
    counts : ndarray of float
        Numbers of operations of a request by station and operation, shape (speeds, 5, 10); times
        that are not used get no terms.
    names : sequence of tuple
        Time, group and member of each term, in the order of the matrix's columns.

    Returns
    -------
    tuple
        Logs of the times that are not fitted, 0 for others, shape (speeds, 10), and the sparse
        matrix, shape (speeds * 10, terms).
    """
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


@lru_cache(maxsize=1)
def sheets() -> tuple[tuple[list[Term], float], ...]:
    """Return flash times printed in data sheets: for each its model terms and log of seconds."""
    found, done = [], set()
    for key in drives.names():
        drive = loaded(key)
        if drive.flash in done or not drive.flash:
            continue
        done.add(drive.flash)
        table = drives.parameters(key, calibrated=False).set_index("parameter")
        for time in ("read_s", "program_s"):
            if table.origin[time] in ("stated", "literature"):
                value = float(np.mean(table.value[time]))
                found.append(([term for term in terms(drive) if term.time == time], np.log(value)))
    return tuple(found)


@dataclass(frozen=True)
class Posterior:
    """Log density of a model's effects given known speeds (the posterior), and its derivatives.

    The log of an operation time is a sum of effects ("terms") of the controller, the flash, the
    product line and so on; those of one kind form a group.

    Attributes
    ----------
    names : list of tuple
        For each term the name of its operation time, its group, and its member of the group.
    rows : Rows
        The known speeds.
    centre, wide : ndarray of float
        Prior mean and standard deviation of each term; the latter is 0 if the terms of its group
        have a common standard deviation ("spread") that is fitted.
    groups, group_of : list of tuple, ndarray of int
        Pairs of operation time and group whose spread is fitted; and for each term the index of its
        pair, or -1 if it has none.
    errors : list of tuple
        Pairs of kind ("rated", "measured") and test; speeds of a pair share one standard deviation,
        their "error". The last one is ``SHEET``, of times in data sheets.
    prints, printed : scipy.sparse.csr_array, ndarray of float
        Factors of the terms in flash times that data sheets print, and the logs of these times.
    """

    names: list[Name]
    rows: Rows
    centre: Floats
    wide: Floats
    groups: list[Group]
    group_of: NDArray[np.int64]
    errors: list[Group]
    prints: sparse.csr_array
    printed: Floats

    def deviation(self, spread: Floats) -> Floats:
        """Return the prior standard deviation of each effect in ``names``.

        `spread` has the standard deviations of the groups in ``groups``, which are fitted.
        """
        return np.where(self.group_of < 0, self.wide, spread[self.group_of])

    def predicted(
        self, mean: Floats, sharpness: float = SHARPNESS
    ) -> tuple[Floats, sparse.csr_array]:
        """Return the logs of the known speeds as the model predicts them, and their derivatives.

        `mean` has the value of each effect in ``names`` at which to predict. The larger
        `sharpness`, the more the busiest station alone sets the speed. Speeds are natural logs of
        requests per second, shape (speeds,); the derivatives with respect to the effects are a
        sparse matrix, shape (speeds, effects).
        """
        rows = self.rows
        times = self._times(mean)
        log, seconds = log_rates(rows.fixed_s, rows.counts, times, sharpness)
        busy = (seconds / seconds.max(-1, keepdims=True)) ** sharpness
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

    def log_density(self, mean: Floats, spread: Floats, error: Floats, sharpness: float) -> float:
        """Return the log posterior density at given values of the effects, up to a constant.

        `mean` has the value of each effect in ``names``, `spread` the standard deviation of each
        group in ``groups``, and `error` that of log speeds for each of ``errors``. The larger
        `sharpness`, the more the busiest station alone sets the speed.
        """
        rows, deviation = self.rows, self.deviation(spread)
        log, _ = log_rates(rows.fixed_s, rows.counts, self._times(mean), sharpness)
        wide = np.sqrt(error[rows.error] ** 2 + rows.half_step**2 / 3)
        above = (log - rows.seen) / wide
        likely = np.where(rows.at_link, log_ndtr(above), -0.5 * above**2 - np.log(wide))
        apart = (mean - self.centre) / deviation
        off = (self.printed - self.prints @ mean) / error[-1]
        return float(
            rows.weight @ likely
            - 0.5 * (apart @ apart + off @ off)
            - np.log(deviation).sum()
            - len(off) * np.log(error[-1])
        )

    def slope_and_precision(
        self, mean: Floats, spread: Floats, error: Floats, sharpness: float
    ) -> tuple[Floats, Floats]:
        """Return the gradient of :meth:`log_density` and its expected negative Hessian.

        `mean` has the value of each effect in ``names``, `spread` the standard deviation of each
        group in ``groups``, and `error` that of log speeds for each of ``errors``; `sharpness` says
        how much the busiest station alone sets the speed.
        """
        rows, deviation = self.rows, self.deviation(spread)
        log, slopes = self.predicted(mean, sharpness)
        variance = error[rows.error] ** 2 + rows.half_step**2 / 3
        above = (log - rows.seen) / np.sqrt(variance)
        hazard = np.exp(-0.5 * above**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(above))
        pull = np.where(rows.at_link, hazard, -above) / np.sqrt(variance)
        bend = np.where(rows.at_link, hazard * (hazard + above), 1.0) / variance
        slope = slopes.T @ (rows.weight * pull) - (mean - self.centre) / deviation**2
        slope += self.prints.T @ (self.printed - self.prints @ mean) / error[-1] ** 2
        curved = slopes.T @ (slopes * (rows.weight * bend)[:, None])
        precision = (curved + self.prints.T @ self.prints / error[-1] ** 2).toarray()
        precision[np.diag_indices_from(precision)] += 1 / deviation**2
        return slope, precision

    def _times(self, mean: Floats) -> Floats:
        return np.asarray(
            np.exp(self.rows.base + (self.rows.design @ mean).reshape(self.rows.base.shape))
        )


def posterior(
    ratings: Ratings,
    *,
    without: Collection[str] = (),
    widened: float = 1.0,
    also: Ratings | None = None,
) -> Posterior:
    """Return the posterior of the effects, in a model of log times, on which given speeds depend.

    Parameters
    ----------
    ratings : Ratings
        Rated and measured speeds.
    without : collection of str
        Groups of effects ("terms") that are left out, such as "controller" or "line".
    widened : float
        Factor on the standard deviations of the priors, > 0.
    also : Ratings, optional
        Further speeds; the effects and errors on which they depend are included as unknowns, but
        their values are not used.
    """
    asked = [ratings] if also is None else [ratings, also]
    printed = [
        ([term for term in each if term.group not in without], value) for each, value in sheets()
    ]
    known = {term[:3]: term for each, _ in printed for term in each}
    known |= {name: term for each in asked for name, term in _terms_of(each, without).items()}
    names = sorted(known)
    errors = [*sorted({pair for each in asked for pair in each.figures}), SHEET]
    priors = [prior(known[name], widened) for name in names]
    wide = np.array([0.0 if sd is None else sd for _, sd in priors])
    groups = sorted({name[:2] for name, sd in zip(names, wide, strict=True) if sd == 0})
    group_of = np.array([groups.index(name[:2]) if name[:2] in groups else -1 for name in names])
    return Posterior(
        names,
        rows_of(ratings, names, errors),
        np.array([mean for mean, _ in priors]),
        wide,
        groups,
        group_of,
        errors,
        *_sheet_rows(names, printed),
    )


def _terms_of(ratings: Ratings, without: Collection[str]) -> dict[Name, Term]:
    used: NDArray[np.bool_] = np.any(ratings.work.counts, axis=1)
    return {
        term[:3]: term
        for drive, bench, needed in zip(ratings.drives, ratings.benches, used, strict=True)
        for term in terms(drive, bench, without)
        if needed[work.TIMES.index(term.time)] and term.name
    }


def _sheet_rows(
    names: Sequence[Name], printed: Sequence[tuple[list[Term], float]]
) -> tuple[sparse.csr_array, Floats]:
    places = {name: place for place, name in enumerate(names)}
    at = [row for row, (each, _) in enumerate(printed) for _ in each]
    column = [places[term[:3]] for each, _ in printed for term in each]
    factor = [term.factor for each, _ in printed for term in each]
    matrix = sparse.csr_array((factor, (at, column)), shape=(len(printed), len(names)))
    return matrix, np.array([value for _, value in printed])
