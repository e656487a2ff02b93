"""Whether a test of a drive has settled, by a standard's rule and by what a full drive needs.

A drive that was filled and is then written at random is fast until its spare flash is used up.
:func:`snia` is the rule of the industry's test specification for a series of measurements; it may
also be met on this fast plateau. :func:`drive_writes` gives how much must be written until write
amplification is near its limit, and :func:`advice` judges a measured series by both.
"""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, flag, number, one_number, plain
from flashwear.wa import after_fill, fifo, from_blank, settled

_ROUNDS, _RANGE, _SLOPE = 5, 0.2, 0.1
_STEP = 0.0005
_LONGEST = {True: 4.0, False: 40.0}  # capacities programmed, of a filled and of a blank drive
_RECENT = 0.2  # of the writes, from which the speed for what is missing is taken


class Window(NamedTuple):
    """Result of SNIA's rule for steady state, which looks at five rounds."""

    last: int | None
    """The round, from 1, that ends the first window of five which passes; None if none does."""
    range_share: float
    """Largest less smallest result of the test's last five rounds, over their mean."""
    slope_share: float
    """Rise or fall of the line fitted to the test's last five rounds, over their mean."""
    steady: bool
    """Whether the test's last five rounds pass; a test may pass once, and drift on."""


def snia(rounds: ArrayLike) -> Window:
    r"""Find the first five rounds in a row that are steady by SNIA's rule, and judge the last five.

    Five successive rounds are steady if they range over at most 20 % of their mean, and the
    straight line fitted to them over at most 10 % of it :cite:p:`snia2018pts`:

    .. math:: \max y - \min y \le 0.2\,\bar y, \qquad 4\,|b| \le 0.1\,\bar y

    with :math:`y` the results of the five rounds, :math:`\bar y` their mean, and :math:`b` the
    slope of the line per round.

    Parameters
    ----------
    rounds : array_like, shape (rounds,)
        Result of each round, such as its requests per second, > 0; five or more.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> found = snia([9.0, 6, 4, 3, 3, 3, 3, 3, 2])
    >>> found.last, found.steady
    (8, False)
    """
    values = number("rounds", rounds, above=0)
    if values.ndim != 1 or values.size < _ROUNDS:
        raise ValueError(f"rounds must be a row of {_ROUNDS} or more, got shape {values.shape}")
    windows = np.lib.stride_tricks.sliding_window_view(values, _ROUNDS)
    mean = windows.mean(axis=1)
    at = np.arange(_ROUNDS) - (_ROUNDS - 1) / 2
    slope = np.abs(windows @ at) / (at @ at) * (_ROUNDS - 1) / mean
    spread = np.ptp(windows, axis=1) / mean
    steady = (np.ptp(windows, axis=1) <= _RANGE * mean) & (slope <= _SLOPE)
    last = int(steady.argmax()) + _ROUNDS if steady.any() else None
    return Window(last, float(spread[-1]), float(slope[-1]), bool(steady[-1]))


@overload
def drive_writes(op: float, *, filled: bool = ..., within: float = ...) -> float: ...
@overload
def drive_writes(op: ArrayLike, *, filled: bool = ..., within: float = ...) -> Array: ...
@elementwise()
def drive_writes(op: ArrayLike, *, filled: bool = True, within: float = 0.05) -> FloatOrArray:
    """Return how many random drive writes it takes until write amplification has settled.

    Write amplification follows :func:`~flashwear.wa.after_fill` or, on a drive that was never
    filled, :func:`~flashwear.wa.from_blank`. It has settled at the last point that is further than
    `within` from its limit :func:`~flashwear.wa.fifo`. Counted in pages programmed instead of host
    writes, a filled drive takes 1.3 to 2 times its capacity for `op` up to 1.5 and up to 2.5 times
    beyond, but nothing once the limit itself is that close to 1.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user pages, in [0.01, 4], open and reserved blocks taken off.
    filled : bool
        Whether the drive was filled before.
    within : float
        Relative distance that counts as settled, in [0.01, 0.5].

    Returns
    -------
    float or ndarray
        Host writes over the user capacity.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> [round(drive_writes(op), 2) for op in (0.07, 0.28)]
    [0.22, 0.8]
    """
    ratio = number("op", op, low=0.01, high=4)
    near = one_number("within", within, low=0.01, high=0.5)
    points = np.arange(0, _LONGEST[flag("filled", filled)], _STEP)
    found = np.empty(ratio.shape)
    for index, spare in np.ndenumerate(ratio):
        way = (after_fill if filled else from_blank)(float(spare), points)
        end = settled(points, way.wa, fifo(float(spare)), near)
        found[index] = np.interp(end, points, way.drive_writes)
    return plain(found)


class Advice(NamedTuple):
    """Whether a measured series of speeds ends in steady state, and how much longer it must be."""

    settled: bool
    """Whether the host wrote as much as is needed, and SNIA's rule holds for the last rounds."""
    written: float
    """Host writes in the series, over the capacity."""
    needed: float
    """Host writes until steady state, over the capacity, see :func:`drive_writes`."""
    missing_s: float
    """Seconds of writing still needed at the latest speed; 0 if nothing is missing."""
    window: Window | None
    """Result of SNIA's rule, for rounds of half the spare flash; None if there are not five."""
    reason: str
    """The verdict in words."""


def advice(
    bytes_per_s: ArrayLike, seconds: ArrayLike, user_bytes: float, op: float, *, filled: bool = True
) -> Advice:
    """Judge whether a series of random-write speeds of a whole drive ends in steady state.

    The series is divided into rounds in which half the spare flash is written. So five rounds do
    not fit on the fast plateau at the start, where speeds are equal and SNIA's rule for steady
    state (:func:`snia`) would be met.

    Parameters
    ----------
    bytes_per_s : array_like, shape (steps,)
        Mean speed of the host's writes in each step, >= 0; five steps or more.
    seconds : array_like
        Length of the steps, > 0: one number, or one for each.
    user_bytes : float
        Bytes that are written at random, > 0; so many that a round is not shorter than a step.
    op : float
        Over-provisioning over them, in [0.01, 4].
    filled : bool
        Whether the drive was filled before.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    An hour at 100 MB/s on a drive of 1 TB with 7 % to spare:

    >>> found = advice([100e6] * 60, 60, 1e12, 0.07)
    >>> found.settled, round(found.written, 2), round(found.needed, 2)
    (True, 0.36, 0.22)
    """
    speed = number("bytes_per_s", bytes_per_s, low=0)
    if speed.ndim != 1 or speed.size < _ROUNDS:
        raise ValueError(
            f"bytes_per_s must be a row of {_ROUNDS} or more steps, got shape {speed.shape}"
        )
    lengths = number("seconds", seconds, above=0)
    if lengths.ndim and lengths.shape != speed.shape:
        raise ValueError(
            f"seconds must be one number or {speed.size}, as bytes_per_s, got {lengths.shape}"
        )
    size = one_number("user_bytes", user_bytes, above=0)
    spare = one_number("op", op, low=0.01, high=4)
    times = np.broadcast_to(lengths, speed.shape)
    total = np.concatenate(([0.0], np.cumsum(speed * times))) / size
    clock = np.concatenate(([0.0], np.cumsum(times)))
    written = float(total[-1])
    if not written <= speed.size * spare / 2:
        raise ValueError(
            f"user_bytes must be at least {written * size / (speed.size * spare / 2):.4g}, or the "
            f"{speed.size:,} steps are fewer than the rounds, got {size:.4g}"
        )
    if not written:
        raise ValueError("bytes_per_s must hold a write, got nothing but 0")
    needed = float(drive_writes(spare, filled=filled))
    window = _rounds(total, clock, spare / 2)
    recent = np.interp(written * (1 - _RECENT), total, clock)
    pace = written * _RECENT / (clock[-1] - recent)
    missing = max(0.0, needed - written) / pace
    told = f"written {written:.2g} times; a drive with {100 * spare:.3g} % to spare needs "
    told += f"{needed:.2g}"
    level = False
    if missing:
        told += f": {missing:,.0f} seconds more"
    elif window is None:
        told += ", and there are fewer than five rounds"
    else:
        level = window.steady
        spread = f"{100 * window.range_share:.0f} %"
        told += f"; the last five rounds range over {spread} of their mean, 20 % is allowed"
    return Advice(level, written, needed, missing, window, told)


def _rounds(total: NDArray[np.float64], clock: NDArray[np.float64], length: float) -> Window | None:
    """Return the verdict on rounds of equal writes, counted from the end."""
    ends = np.arange(total[-1], 0, -length)[::-1]
    if ends.size <= _ROUNDS:
        return None
    return snia(length / np.diff(np.interp(ends, total, clock)))
