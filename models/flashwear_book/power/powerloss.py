r"""The data lost in a power cut, and how a drive can protect them.

A cell of :math:`K` bits belongs to :math:`K` pages, programmed one after the other: the lower page
first, the upper page last. The host is told that a write is done when the data are in the DRAM of
the drive. When the power fails, three things are in danger: what DRAM holds, what dies are
programming, and the *older* pages in the cells that they are programming, which were at rest
:cite:p:`tseng2011`. A drive may protect all, some or none of them:

``"none"``
    Program operations are interrupted, and the older pages in their cells are lost with them.
``"lower"``
    The older pages are safe: they are copied before their cells are programmed further, or there is
    enough energy for that. The page being programmed is lost.
``"finish"``
    There is just enough energy to finish the program operations that dies have begun.
``"full"``
    There is enough energy to program all data that were reported to the host as written
    (:mod:`flashwear_book.power.capacitors`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, shown, whole

PROTECTIONS = ("none", "lower", "finish", "full")
"""Kinds of protection against power cuts, from the least."""


def shared_rows(row: int, kinds: int = 2, distance: int = 1) -> list[int]:
    r"""Return the rows of a block whose pages are lost if programming a row is interrupted.

    .. math:: r - d,\; r - 2d,\; \ldots,\; r - k d , \qquad k = r \bmod K

    A row is a page of the block, in the order of programming. Successive rows have the :math:`K`
    kinds of pages in turn: row :math:`r` is of kind :math:`k` (0 is the lower page), and the next
    page of the same cells is :math:`d` rows later. Rows before the first are left out: in this
    model, the first and last rows of a block have no partner, while in real flash a block begins
    with lower pages only and ends with upper ones.

    Parameters
    ----------
    row : int
        Number of the row in its block, >= 0, in the order of programming.
    kinds : int
        Pages of a cell: its bits, in [1, 4].
    distance : int
        Rows from a page to the next one of the same cells, >= 1, and 1 more than a multiple of
        `kinds`. Linux knows chips of two kinds with 3 :cite:p:`linux_pairing`.

    Returns
    -------
    list of int
        Rows; empty for a lower page, since its cells have no older page.

    Examples
    --------
    >>> shared_rows(6), shared_rows(7), shared_rows(7, distance=3), shared_rows(8, kinds=3)
    ([], [6], [4], [7, 6])
    """
    row = whole("row", row, 0)
    kinds = whole("kinds", kinds, 1, 4)
    if (whole("distance", distance, 1) - 1) % kinds:
        raise ValueError(f"distance must be 1 more than a multiple of {kinds}, got {distance}")
    rows = [row - step * distance for step in range(1, row % kinds + 1)]
    return [earlier for earlier in rows if earlier >= 0]


@overload
def under_way(bytes_per_s: float, program_s: Sequence[float]) -> float: ...
@overload
def under_way(bytes_per_s: ArrayLike, program_s: Sequence[float]) -> Array: ...
@elementwise(but=("program_s",))
def under_way(bytes_per_s: ArrayLike, program_s: Sequence[float]) -> FloatOrArray:
    r"""Return the mean number of bytes that dies are programming.

    .. math:: U = F\,\bar t

    This is Little's law :cite:p:`little1961`: bytes programmed per second, :math:`F`, times the
    mean time :math:`\bar t` of a program operation. The number of dies does not matter.

    Parameters
    ----------
    bytes_per_s : array_like
        Bytes that all dies together program per second, >= 0.
    program_s : sequence of float
        Time of a program in s by kind of page, > 0.

    Returns
    -------
    float or ndarray
        Bytes :math:`U`.

    Examples
    --------
    >>> round(under_way(100e6, (0.85e-3, 2.3e-3)))
    157500
    """
    return plain(number("bytes_per_s", bytes_per_s, low=0) * _times(program_s).mean())


@overload
def exposed(bytes_per_s: float, program_s: Sequence[float]) -> float: ...
@overload
def exposed(bytes_per_s: ArrayLike, program_s: Sequence[float]) -> Array: ...
@elementwise(but=("program_s",))
def exposed(bytes_per_s: ArrayLike, program_s: Sequence[float]) -> FloatOrArray:
    r"""Return the mean bytes of older data in flash cells that are being programmed.

    .. math:: O = \frac{F}{K} \sum_{k=0}^{K-1} k\,t_k = m B \sum_k k\,u_k

    The cells of a page of kind :math:`k` (0: lower page) hold :math:`k` older pages, and a die is
    programming such a page, which takes :math:`t_k`, for the share :math:`u_k = F t_k/(K m B)` of
    the time. There are :math:`K` kinds and :math:`m` dies; an operation programs :math:`B` of the
    :math:`F` bytes per second. Derived in the book, appendix "Power cuts and capacitors". This is
    an upper bound, since rows at the ends of a block lack partners, and the host may have
    overwritten the data of older pages. It is simulated in :mod:`flashwear_book.power.powercut`.

    Parameters
    ----------
    bytes_per_s : array_like
        Bytes programmed per second, >= 0. To get the loss of host data, take only host writes,
        since data that cleaning copies stay at their source until the copies are safe.
    program_s : sequence of float
        Time of a program in s by kind of page, lower first, > 0.

    Returns
    -------
    float or ndarray
        Bytes :math:`O`.

    Examples
    --------
    >>> round(exposed(100e6, (0.85e-3, 2.3e-3)))
    115000
    """
    times = _times(program_s)
    weight = (np.arange(times.size) * times).mean()
    return plain(number("bytes_per_s", bytes_per_s, low=0) * weight)


@overload
def gathered(per_s: float, unit: int, age_s: float) -> float: ...
@overload
def gathered(per_s: ArrayLike, unit: int, age_s: float) -> Array: ...
@elementwise()
def gathered(per_s: ArrayLike, unit: int, age_s: float) -> FloatOrArray:
    r"""Return the mean number of map units that wait in the buffer until they fill a program unit.

    .. math::
        G = \frac{\sum_{j=1}^{n-1} j\,Q_j}{1 + \sum_{j=1}^{n-1} Q_j} ,
        \qquad Q_j = P(j, \lambda T)

    Units arrive at random, :math:`\lambda` per second. They are programmed together when there are
    :math:`n`, or when the first has waited for the time :math:`T`; then a new round begins. The
    :math:`j`-th unit after the first arrives in time with probability :math:`Q_j` (:math:`P` is the
    regularised lower incomplete gamma function). So during a round :math:`j` units are waiting for
    :math:`Q_j/\lambda` on average, and none for :math:`1/\lambda`; :math:`G` is the mean over a
    round (derived here). It is :math:`(n-1)/2` for fast hosts and :math:`\lambda T` for slow ones.
    The result is exact if a full program unit is programmed at once, and no unit is overwritten
    while it waits.

    Parameters
    ----------
    per_s : array_like
        Map units :math:`\lambda` that arrive per second, >= 0.
    unit : int
        Map units :math:`n` of a program unit, in [1, 65536].
    age_s : float
        Longest time :math:`T` of waiting in s, >= 0.

    Returns
    -------
    float or ndarray
        Map units, below `unit`.

    Examples
    --------
    >>> gathered([10.0, 1000.0, 1e6], 8, 0.02).round(2).tolist()
    [0.18, 3.5, 3.5]
    """
    from scipy.special import gammainc

    rate = number("per_s", per_s, low=0)
    most = whole("unit", unit, 1, 65536)
    waited = rate * one_number("age_s", age_s, low=0)
    waiting, rounds = np.zeros(rate.shape), np.ones(rate.shape)
    for count in range(1, most):
        share = gammainc(count, waited)
        waiting += count * share
        rounds += share
    return plain(waiting / rounds)


class Loss(NamedTuple):
    """Bytes lost in a power cut: ``in_flight``, acknowledged but not yet on flash, and ``at_rest``.

    Data at rest are older ones, in flash pages that share cells with a page being programmed.
    """

    in_flight: FloatOrArray
    at_rest: FloatOrArray


@elementwise()
def loss(
    protection: str,
    *,
    acknowledged: ArrayLike,
    finishing: ArrayLike = 0.0,
    older: ArrayLike = 0.0,
    cuts: ArrayLike = 1.0,
) -> Loss:
    """Return the mean number of bytes lost in power cuts, under a kind of protection.

    Parameters
    ----------
    protection : {"none", "lower", "finish", "full"}
        What survives a cut: "none"; "lower": older pages in cells being programmed; "finish": these
        and the pages being programmed; "full": the buffer too.
    acknowledged : array_like
        Bytes that the drive has reported as written but has not finished programming, >= 0.
    finishing : array_like
        Those of the acknowledged bytes that dies are programming at the cut (:func:`under_way`),
        >= 0 and at most `acknowledged`.
    older : array_like
        Bytes of older pages in the cells being programmed (:func:`exposed`), >= 0.
    cuts : array_like
        Number of power cuts, >= 0, by which both losses are multiplied.

    Returns
    -------
    Loss
        ``in_flight`` and ``at_rest``, in bytes.

    Examples
    --------
    A full buffer of 4 MiB, two cuts a year:

    >>> for protection in PROTECTIONS:
    ...     lost = loss(
    ...         protection, acknowledged=4194304, finishing=157500, older=115000, cuts=2)
    ...     print(protection, lost.in_flight, lost.at_rest)
    none 8388608.0 230000.0
    lower 8388608.0 0.0
    finish 8073608.0 0.0
    full 0.0 0.0
    """
    if protection not in PROTECTIONS:
        raise ValueError(f"protection must be one of {', '.join(PROTECTIONS)}, got {protection!r}")
    held = number("acknowledged", acknowledged, low=0)
    begun = number("finishing", finishing, low=0)
    if (begun > held * (1 + 1e-9)).any():
        raise ValueError(
            f"finishing must be <= acknowledged, got {shown(float(begun.max()))} of "
            f"{shown(float(held.max()))}"
        )
    times = number("cuts", cuts, low=0)
    at_rest = number("older", older, low=0) * times * float(protection == "none")
    in_flight = held - begun if protection == "finish" else held * float(protection != "full")
    return Loss(plain(in_flight * times), plain(at_rest))


def _times(program_s: Sequence[float]) -> Array:
    times = number("program_s", program_s, above=0)
    if times.ndim != 1 or not times.size:
        raise ValueError(f"program_s must be a row of times, got shape {times.shape}")
    return times
