"""Power-loss protection: the time of a full flush, and the capacitance it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, shown, whole
from flashwear_book.power.powerloss import _times


@overload
def flush_time(
    held_bytes: float, program_s: Sequence[float], dies: int, program_bytes: int
) -> float: ...
@overload
def flush_time(
    held_bytes: ArrayLike, program_s: Sequence[float], dies: int, program_bytes: int
) -> Array: ...
@elementwise(but=("program_s",))
def flush_time(
    held_bytes: ArrayLike, program_s: Sequence[float], dies: int, program_bytes: int
) -> FloatOrArray:
    r"""Return the longest time that programming the buffer takes after a power cut.

    .. math:: T = \left\lceil \frac{N}{m B} \right\rceil \bar t + K t_{\max}

    The :math:`N` bytes are programmed in rounds: each of the :math:`m` dies programs :math:`B`
    bytes, in the mean time :math:`\bar t` over the :math:`K` kinds of pages. The last term, with
    :math:`t_{\max}` the longest time of a kind, is for the worst case: a die may be programming
    already, and the kinds may come in the worst order. Derived in the book, appendix "Power cuts
    and capacitors". Transfers are taken to be hidden behind program operations: within one of them,
    a channel must be able to bring the next data to all its dies. An erase that has begun, and
    metadata, take further time.

    Parameters
    ----------
    held_bytes : array_like
        Bytes :math:`N` in the buffer, including those that dies are programming, >= 0.
    program_s : sequence of float
        Seconds of a program operation for each of the :math:`K` kinds of page, > 0. A single time
        where the drive uses one kind, as in SLC mode.
    dies : int
        Number of dies :math:`m`, >= 1.
    program_bytes : int
        Bytes :math:`B` of a program operation on all planes of a die, >= 1.

    Returns
    -------
    float or ndarray
        Seconds :math:`T`; 0 for an empty buffer.

    Examples
    --------
    4 MiB on 16 dies, in both kinds of pages and in lower ones alone:

    >>> [round(1e3 * flush_time(4 << 20, times, 16, 32768), 2)
    ...  for times in [(0.85e-3, 2.3e-3), (0.85e-3,)]]
    [17.2, 7.65]
    """
    times = _times(program_s)
    held = number("held_bytes", held_bytes, low=0)
    at_once = whole("dies", dies, 1) * whole("program_bytes", program_bytes, 1)
    took = np.ceil(held / at_once) * times.mean() + times.size * times.max()
    return plain(np.where(held > 0, took, 0.0))


@overload
def capacitance(energy_j: float, from_v: float, to_v: float) -> float: ...
@overload
def capacitance(energy_j: ArrayLike, from_v: ArrayLike, to_v: ArrayLike) -> Array: ...
@elementwise()
def capacitance(energy_j: ArrayLike, from_v: ArrayLike, to_v: ArrayLike) -> FloatOrArray:
    r"""Return the capacitance that yields a given energy between two voltages.

    .. math:: C = \frac{2E}{V_1^2 - V_2^2}

    Parameters
    ----------
    energy_j : array_like
        Energy :math:`E` in joules, >= 0: power times time, over the efficiency of the converter.
    from_v : array_like
        Voltage :math:`V_1` at the cut, > 0.
    to_v : array_like
        Voltage :math:`V_2` below which the drive stops, >= 0 and below `from_v`.

    Returns
    -------
    float or ndarray
        Farads :math:`C`.

    Examples
    --------
    4.4 W for 17.2 ms, from 35 V down to 5 V and from 5 V down to 3 V, in microfarads:

    >>> (1e6 * capacitance(4.4 * 17.2e-3, [35, 5], [5, 3])).round().tolist()
    [126.0, 9460.0]
    """
    energy = number("energy_j", energy_j, low=0)
    return plain(2 * energy / _squares(from_v, to_v))


@overload
def energy(capacitance_f: float, from_v: float, to_v: float) -> float: ...
@overload
def energy(capacitance_f: ArrayLike, from_v: ArrayLike, to_v: ArrayLike) -> Array: ...
@elementwise()
def energy(capacitance_f: ArrayLike, from_v: ArrayLike, to_v: ArrayLike) -> FloatOrArray:
    r"""Return the energy that a capacitance yields between two voltages.

    .. math:: E = \tfrac12\,C\,(V_1^2 - V_2^2)

    Parameters
    ----------
    capacitance_f : array_like
        Capacitance :math:`C` in farads, >= 0.
    from_v : array_like
        Voltage :math:`V_1` at the cut, > 0.
    to_v : array_like
        Voltage :math:`V_2` below which the drive stops, >= 0 and below `from_v`.

    Returns
    -------
    float or ndarray
        Joules :math:`E`.

    Examples
    --------
    Two capacitors of 47 uF, charged to 35 V and used down to 5 V, in millijoules:

    >>> round(1e3 * energy(2 * 47e-6, 35, 5), 1)
    56.4
    """
    return plain(number("capacitance_f", capacitance_f, low=0) * _squares(from_v, to_v) / 2)


def _squares(from_v: ArrayLike, to_v: ArrayLike) -> FloatOrArray:
    """Return the difference of the squared voltages."""
    high, low = number("from_v", from_v, above=0), number("to_v", to_v, low=0)
    high, low = np.broadcast_arrays(high, low)
    if not (high > low).all():
        first = np.unravel_index(np.argmin(high > low), high.shape)
        raise ValueError(f"to_v must be < {shown(high[first])}, got {shown(low[first])}")
    return high**2 - low**2
