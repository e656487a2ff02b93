"""Posterior draws of speeds, for drives in the fit and for others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from flashwear.drives import Drive
from flashwear.predict.fit import Fit
from flashwear.predict.hierarchy import Term, prior, terms
from flashwear.predict.likelihood import design, log_rates
from flashwear.queueing import work

__all__ = ["LINK_ERROR", "log_rate_draws", "printed_draws", "time_draws"]

Floats = NDArray[np.float64]
LINK_ERROR = 0.03
"""Assumed standard deviation of the logarithm of the rate of a host link."""

_AT_ONCE = 500  # draws, so that they take no more than some ten megabytes


def log_rate_draws(
    fit: Fit,
    made: Sequence[Drive],
    needed: work.Work,
    number: int,
    rng: np.random.Generator,
    benches: Sequence[str] | None = None,
) -> tuple[Floats, Floats]:
    """Return random draws, from the fit's posterior, of the speeds of drives in tests.

    The log of an operation time is a sum of effects ("terms") of the controller, the flash, the
    product line and so on. The effect of a controller that is not in the fit is drawn from the
    distribution over controllers, once for all drives that have it; the same holds for flash and
    lines. A part without a name is a new one.

    Parameters
    ----------
    fit : Fit
        Fit of the times.
    made : sequence of Drive
        The drives, one for each pair of drive and test (a row of the result).
    needed : Work
        Work of one request in the test of each row.
    number : int
        Number of draws.
    rng : Generator
        Random generator that the draws come from.
    benches : sequence of str, optional
        Who measures each row, which changes the host's pauses; "" for nobody, the default for all.

    Returns
    -------
    tuple of ndarray
        Natural logs of requests per second, shape (number, rows), and the seconds that a request
        needs of link, controller, channel, die, and as a whole, shape (number, rows, 5).
    """
    times = time_draws(fit, made, needed.counts, number, rng, benches)
    parts = [
        log_rates(needed.fixed_s, needed.counts, part)
        for part in np.array_split(times, max(1, -(-number // _AT_ONCE)))
    ]
    return np.concatenate([log for log, _ in parts]), np.concatenate([each for _, each in parts])


def time_draws(
    fit: Fit,
    made: Sequence[Drive],
    counts: Floats,
    number: int,
    rng: np.random.Generator,
    benches: Sequence[str] | None = None,
) -> Floats:
    """Return random draws, from the fit's posterior, of drives' operation times in seconds.

    Parameters
    ----------
    fit, made, number, rng, benches
        Fit, drive of each row, number of draws, random generator, and who measures each row, ""
        (the default) for nobody.
    counts : ndarray of float
        How many operations of each kind a request of each row needs at each station, shape (rows,
        5, 10), as in :class:`flashwear.queueing.work.Work`. The result has 1 for a time that a row
        does not need.

    Returns
    -------
    ndarray of float
        Shape (number, rows, 10), in the order of ``flashwear.queueing.work.TIMES``.
    """
    tested = [""] * len(made) if benches is None else benches
    known = set(fit.names)
    new = list(
        dict.fromkeys(
            term[:3]
            for drive, bench in zip(made, tested, strict=True)
            for term in terms(drive, bench, fit.without)
            if term[:3] not in known
        )
    )
    centres = np.array([prior(Term(*name))[0] for name in new])
    spreads = np.array([fit.spread_of(Term(*name)) for name in new])
    base, columns = design(made, tested, counts, [*fit.names, *new])
    drawn = np.hstack(
        [fit.draws(number, rng), centres + rng.standard_normal((number, len(new))) * spreads]
    )
    return np.asarray(np.exp(base + (columns @ drawn.T).T.reshape(-1, *base.shape)))


def printed_draws(
    fit: Fit,
    made: Sequence[Drive],
    needed: work.Work,
    figures: Sequence[tuple[str, str]],
    number: int,
    rng: np.random.Generator,
    benches: Sequence[str] | None = None,
) -> tuple[Floats, Floats]:
    """Return random draws of the log of speeds as they would be printed in sheets and reviews.

    They scatter about the drive's speed by the model (:func:`log_rate_draws`) as much as the
    printed speeds in the fit do, or, for a drive of a product line that is not in the fit, as much
    as those of lines that were left out of a fit. They do not exceed what the host link can carry.

    Parameters
    ----------
    fit, made, needed, number, rng, benches
        Fit; for each row (a drive in a test) the drive and the work of a request; number of draws;
        random generator; and who measures each row, "" (the default) for nobody.
    figures : sequence of tuple
        Kind ("rated" or "measured") and name of the test of each row. If the fit has no speeds of
        this kind and test, the scatter of the other kind is used; without that, the median of all.

    Returns
    -------
    tuple of ndarray
        Natural logs of requests per second, shape (number, rows), and the seconds that a request
        needs of link, controller, channel, die, and as a whole, shape (number, rows, 5).
    """
    logs, demands = log_rate_draws(fit, made, needed, number, rng, benches)
    lines = {name for _, group, name in fit.names if group == "line"}
    errors = np.array([_error(fit, kind, test) for kind, test in figures])
    errors *= [1.0 if drive.line in lines else fit.unseen for drive in made]
    logs = logs + rng.standard_normal(logs.shape) * errors
    link = needed.fixed_s[:, work.STATIONS.index("link")]
    most = LINK_ERROR * rng.standard_normal(logs.shape) - np.log(link)
    return np.minimum(logs, most), demands


def _error(fit: Fit, kind: str, test: str) -> float:
    other = "measured" if kind == "rated" else "rated"
    usual = float(np.median(list(fit.errors.values())))
    return fit.errors.get((kind, test), fit.errors.get((other, test), usual))
