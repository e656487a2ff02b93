"""Scores of predictions: error, sharpness and calibration of draws against observations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import number

__all__ = ["Score", "crps", "pit", "score"]

Floats = NDArray[np.float64]


class Score(NamedTuple):
    """Scores of a set of predictions; errors and widths are in natural logarithms.

    Attributes
    ----------
    rms, crps : float
        Root mean square error of the predicted medians, and mean of the continuous ranked
        probability score (:func:`crps`; lower is better).
    cover_50, cover_90 : float
        Share of the observations, in [0, 1], in the central intervals of 50 and 90 %.
    width_50, width_90 : float
        Mean widths of these intervals.
    weight : float
        Sum of the weights.
    """

    rms: float
    crps: float
    cover_50: float
    cover_90: float
    width_50: float
    width_90: float
    weight: float


def crps(draws: ArrayLike, seen: ArrayLike) -> Floats:
    r"""Return the continuous ranked probability score (CRPS) of draws; lower is better.

    .. math:: \mathrm{CRPS} = \mathrm{E}|X - y| - \tfrac12 \mathrm{E}|X - X'|

    for the mean E over draws :math:`X, X'`, and the observation :math:`y`. For a prediction without
    spread it is the absolute error. A spread as large as the error makes it smaller
    (:cite:t:`gneiting2007`, equation 21).

    Parameters
    ----------
    draws : array_like
        Draws of each predicted value, shape (draws, ...), finite.
    seen : array_like
        The observations, shape (...), finite.

    Returns
    -------
    ndarray of float
        Shape (...), >= 0, in the unit of `draws` and `seen`.

    Examples
    --------
    >>> crps([[2.0], [4.0]], [3.0]).tolist()
    [0.5]
    """
    drawn, truth = _checked(draws, seen)
    ordered = np.sort(drawn, axis=0)
    count = len(ordered)
    ranks = 2 * np.arange(1, count + 1) - count - 1
    apart = np.tensordot(ranks, ordered, axes=1) / count**2
    return np.asarray(np.abs(ordered - truth).mean(axis=0) - apart)


def pit(draws: ArrayLike, seen: ArrayLike) -> Floats:
    """Return the share of draws below each observation (PIT): uniform on [0, 1] if calibrated.

    Parameters
    ----------
    draws, seen : array_like
        Draws of each predicted value, shape (draws, ...), and the observations, shape (...).

    Examples
    --------
    >>> pit([[1.0], [2.0], [5.0], [6.0]], [3.0]).tolist()
    [0.5]
    """
    drawn, truth = _checked(draws, seen)
    return np.asarray((drawn < truth).mean(axis=0))


def score(draws: ArrayLike, seen: ArrayLike, weights: ArrayLike | None = None) -> Score:
    """Return errors, continuous ranked probability score and interval coverage of predictions.

    Parameters
    ----------
    draws : array_like
        Draws of each predicted logarithm, shape (draws, n).
    seen : array_like
        Logarithms of the observations, shape (n,), n >= 1.
    weights : array_like, optional
        Weights of the observations, shape (n,), >= 0 and not all 0; by default all are equal.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = score(rng.standard_normal((1000, 500)), rng.standard_normal(500))
    >>> round(found.cover_90, 1), round(found.rms, 1)
    (0.9, 1.0)
    """
    drawn, truth = _checked(draws, seen)
    if truth.ndim != 1 or not truth.size:
        raise ValueError(f"seen must be a row of at least one number, got shape {truth.shape}")
    weight = np.ones(truth.shape) if weights is None else number("weights", weights, low=0)
    if weight.shape != truth.shape or not weight.sum() > 0:
        raise ValueError(
            f"weights must be {truth.size} numbers that are not all 0, got {weights!r}"
        )
    low_90, low_50, median, high_50, high_90 = np.quantile(
        drawn, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0
    )

    def mean(values: NDArray[np.float64] | NDArray[np.bool_]) -> float:
        return float(np.average(values, weights=weight))

    return Score(
        rms=mean((truth - median) ** 2) ** 0.5,
        crps=mean(crps(drawn, truth)),
        cover_50=mean((low_50 <= truth) & (truth <= high_50)),
        cover_90=mean((low_90 <= truth) & (truth <= high_90)),
        width_50=mean(high_50 - low_50),
        width_90=mean(high_90 - low_90),
        weight=float(weight.sum()),
    )


def _checked(draws: ArrayLike, seen: ArrayLike) -> tuple[Floats, Floats]:
    drawn, truth = number("draws", draws), number("seen", seen)
    if drawn.ndim != truth.ndim + 1 or drawn.shape[1:] != truth.shape or not len(drawn):
        raise ValueError(
            f"draws must have one axis more than seen, of at least one draw, got shapes "
            f"{drawn.shape} and {truth.shape}"
        )
    return drawn, truth
