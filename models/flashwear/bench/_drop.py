"""Where the rate of a test drops: the end of a cache in a log."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._domain import number, one_number

_LEAST = 1.5  # a smaller ratio is no end of a cache


class Drop(NamedTuple):
    """The step of a test's rate that explains most of its changes."""

    bytes: float
    """Bytes written before it, what the cache took and was copied out of it meanwhile."""
    before: float
    """Mean rate before, in bytes per second."""
    after: float
    """Mean rate after, in bytes per second."""
    explained: float
    """Share of the rate's variance that the step explains, in [0, 1]."""


def drop(bytes_per_s: ArrayLike, seconds: float) -> Drop | None:
    r"""Return where the rate of a test falls for good, as it does when an SLC cache is full.

    Of all places it is the one at which two constant rates fit best:

    .. math:: \min_k \sum_{i \le k} (x_i - \bar x_{\le k})^2 + \sum_{i > k} (x_i - \bar x_{> k})^2

    Parameters
    ----------
    bytes_per_s : array_like
        Mean rates of steps of equal length, in order, >= 0; at least 2.
    seconds : float
        Length of a step, > 0.

    Returns
    -------
    Drop or None
        None if no place has a mean rate before that is 1.5 times that after, or more.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    A drive that is full slows down too, over some drive writes (:func:`flashwear.wa.after_fill`):
    then `explained` is small, or the bytes before are near the user capacity.

    Examples
    --------
    >>> drop([2e9] * 40 + [5e8] * 100, seconds=1.0)
    Drop(bytes=80000000000.0, before=2000000000.0, after=500000000.0, explained=1.0)
    """
    rates = number("bytes_per_s", bytes_per_s, low=0)
    step = one_number("seconds", seconds, above=0)
    if rates.ndim != 1 or rates.size < 2:
        raise ValueError(f"bytes_per_s must be a list of 2 or more, got shape {rates.shape}")
    count = np.arange(1, rates.size)
    sums = np.cumsum(rates)
    before, after = sums[:-1] / count, (sums[-1] - sums[:-1]) / count[::-1]
    between = count * count[::-1] / rates.size * (before - after) ** 2
    falls = before >= _LEAST * after
    if not falls.any() or not sums[-1]:
        return None
    place = int(np.argmax(np.where(falls, between, -1)))
    spread = float(((rates - rates.mean()) ** 2).sum())
    return Drop(
        float(sums[place] * step), float(before[place]), float(after[place]),
        min(1.0, float(between[place]) / spread),
    )  # fmt: skip
