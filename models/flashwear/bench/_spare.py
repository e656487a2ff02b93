"""The spare flash that gives a run the write amplification that it had."""

from collections.abc import Callable

import numpy as np

from flashwear import wa
from flashwear._domain import one_number, one_of

STARTS = ("filled", "blank", "settled")
"""How a drive may be when a run begins, that is filled once in order, blank, or in steady state."""

_LEAST_OP, _MOST_OP = 0.01, 4.0
_PROGRAMMED = np.concatenate([np.arange(0, 4, 0.002), np.arange(4, 60, 0.05)])


def spare(mean_wa: float, drive_writes: float, start: str = "filled") -> float:
    r"""Return the over-provisioning at which a run would have the given mean write amplification.

    .. math:: \frac{s}{v_\mathrm{op}(s)} = \bar A, \qquad v_\mathrm{op}(s) = v

    with :math:`v` the host writes and :math:`s` the flash writes of the run, both over the size of
    the span written, and :math:`\bar A = s/v`. :math:`v_\mathrm{op}(s)` are the host writes during
    :math:`s` flash writes at an over-provisioning op, by :func:`flashwear.wa.after_fill` on a
    filled or :func:`flashwear.wa.from_blank` on a blank drive. For a run that began settled
    :func:`flashwear.wa.fifo` is used.

    Parameters
    ----------
    mean_wa : float
        Flash writes over host writes of the whole run, > 1.
    drive_writes : float
        Host writes over the size of the span written, > 0.
    start : {"filled", "blank", "settled"}
        State of the drive when the run began: filled once, never written, or in steady state.

    Returns
    -------
    float
        Over-provisioning over the span, in [0.01, 4].

    Raises
    ------
    ValueError
        Outside these ranges, or if no spare flash in it gives this mean.

    Examples
    --------
    The formula for settled drives misjudges a run that begins with a fast plateau:

    >>> op, volume = 0.28, 1.0
    >>> s = np.linspace(0, 3, 3001)
    >>> programmed = np.interp(volume, wa.after_fill(op, s).drive_writes, s)
    >>> [round(spare(programmed / volume, volume, start), 3) for start in ("filled", "settled")]
    [0.28, 0.334]
    """
    from scipy.optimize import brentq

    one_of("start", start, STARTS)
    mean = one_number("mean_wa", mean_wa, above=1)
    volume = one_number("drive_writes", drive_writes, above=0)
    model = _mean_wa(volume, start)
    ends = model(_MOST_OP), model(_LEAST_OP)
    if not ends[0] <= mean <= ends[1]:
        raise ValueError(
            f"mean_wa must be in [{ends[0]:.4g}, {ends[1]:.4g}] after {volume:.3g} drive writes, "
            f"got {mean:.4g}"
        )
    logarithm = brentq(
        lambda at: model(np.exp(at)) - mean, np.log(_LEAST_OP), np.log(_MOST_OP), xtol=1e-9
    )
    return float(np.exp(logarithm))


def _mean_wa(volume: float, start: str) -> Callable[[float], float]:
    """Return the mean write amplification of a run of a length, as a function of spare flash."""
    if start == "settled":
        return lambda op: float(wa.fifo(op))  # what began settled stays so

    def mean(op: float) -> float:
        path = (wa.after_fill if start == "filled" else wa.from_blank)(op, _PROGRAMMED)
        written = path.drive_writes
        if volume <= written[-1]:
            return float(np.interp(volume, written, _PROGRAMMED) / volume)
        later = (volume - written[-1]) * wa.fifo(op)
        return float((_PROGRAMMED[-1] + later) / volume)

    return mean
