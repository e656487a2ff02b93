"""Read disturb: the errors that reads cause in their block, and the writes that refresh it."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, whole
from flashwear.reliability import rber
from flashwear.units import DAY


@overload
def reads_until(
    flash: rber.Flash,
    limit: float,
    pe_cycles: float,
    retention_s: float = ...,
    temperature_c: float = ...,
) -> float: ...
@overload
def reads_until(
    flash: rber.Flash,
    limit: ArrayLike,
    pe_cycles: ArrayLike,
    retention_s: ArrayLike = ...,
    temperature_c: ArrayLike = ...,
) -> Array: ...
@elementwise()
def reads_until(
    flash: rber.Flash,
    limit: ArrayLike,
    pe_cycles: ArrayLike,
    retention_s: ArrayLike = 0.0,
    temperature_c: ArrayLike = 30.0,
) -> FloatOrArray:
    r"""Return how many reads of a block raise its raw bit error rate to a limit (read disturb).

    .. math:: r^* = \frac{R_\mathrm{limit} - R(N, \tau, \vartheta, 0)}{g N^{d}}

    with :math:`r^*` the reads, :math:`R_\mathrm{limit}` the limit, :math:`R` the error rate without
    reads, from :func:`flashwear.reliability.rber.at`, after :math:`N` cycles and a time
    :math:`\tau` at temperature :math:`\vartheta`; each read adds :math:`g N^d` (``disturb`` and
    ``disturb_cycles_power`` of `flash`).

    Parameters
    ----------
    flash : Flash
        The flash memory, for instance from :func:`flashwear.reliability.rber.load`.
    limit : array_like
        Bit error rate at which the block is rewritten, in (0, 0.5).
    pe_cycles, retention_s, temperature_c : array_like
        P/E cycles, seconds since the write, and temperature in that time in degrees Celsius.

    Returns
    -------
    float or ndarray
        Reads of any page of the block: 0 where the limit is passed without any, infinite where
        reads do no harm.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> flash = rber.load("mlc-20nm")
    >>> [f"{reads_until(flash, 1e-3, cycles):,.0f}" for cycles in (300, 3000)]
    ['14,654,291', '503,740']
    """
    most = np.nextafter(rber.MOST, 0)
    room = number("limit", limit, above=0, high=most) - rber.at(
        flash, pe_cycles, retention_s, temperature_c
    )
    each = flash.disturb * number("pe_cycles", pe_cycles, low=0) ** flash.disturb_cycles_power
    with np.errstate(divide="ignore", invalid="ignore"):
        return plain(np.where(room <= 0, 0.0, np.maximum(room, 0) / each))


@overload
def refresh_writes(reads: float, pages_per_block: int, valid_share: float = ...) -> float: ...
@overload
def refresh_writes(
    reads: ArrayLike, pages_per_block: int, valid_share: ArrayLike = ...
) -> Array: ...
@elementwise()
def refresh_writes(
    reads: ArrayLike, pages_per_block: int, valid_share: ArrayLike = 1.0
) -> FloatOrArray:
    r"""Return the page writes that refreshing blocks costs for each page read.

    .. math:: \frac{v\,b}{r^*}

    A block of :math:`b` pages, of which the share :math:`v` is valid, is written elsewhere after
    :math:`r^*` reads of it. Derived here.

    Parameters
    ----------
    reads : array_like
        Reads of a block before it is rewritten, :math:`r^*`, > 0, see :func:`reads_until`;
        infinite where reads do no harm.
    pages_per_block : int
        Pages in a block, >= 1.
    valid_share : array_like
        Share of them that is valid, in [0, 1].

    Returns
    -------
    float or ndarray
        Page writes per page read. They wear the flash as writes of the host do, before
        amplification.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> refresh_writes(500_000, 512)
    0.001024
    """
    endless = np.asarray(np.asarray(reads) == np.inf)  # of text it is False alone, once
    count = number("reads", np.where(endless, 1.0, reads) if endless.any() else reads, above=0)
    share = number("valid_share", valid_share, low=0, high=1)
    pages = whole("pages_per_block", pages_per_block, 1, 2**31)
    return plain(np.where(endless, 0.0, share * pages / count))


@overload
def refresh_amplification(
    data_bytes: float, bytes_per_day: float, interval_s: float, written_share: float = ...
) -> float: ...
@overload
def refresh_amplification(
    data_bytes: ArrayLike,
    bytes_per_day: ArrayLike,
    interval_s: ArrayLike,
    written_share: ArrayLike = ...,
) -> Array: ...
@elementwise()
def refresh_amplification(
    data_bytes: ArrayLike,
    bytes_per_day: ArrayLike,
    interval_s: ArrayLike,
    written_share: ArrayLike = 1.0,
) -> FloatOrArray:
    r"""Return the write amplification of a drive that rewrites all data that reach an age.

    .. math:: A = 1 + \frac{1 - w}{x} + \frac{1}{e^{x/w} - 1}, \qquad x = \frac{hT}{V}

    Data of age :math:`T` are rewritten. The host writes :math:`h` bytes a day to random places of
    the share :math:`w` of its data :math:`V`; a page of these reaches the age with probability
    :math:`e^{-x/w}`. Derived here. Cleaning is a factor on top; :func:`refresh_writes` adds at
    most, as either makes the data new.

    Parameters
    ----------
    data_bytes : array_like
        Valid data :math:`V` in bytes, > 0.
    bytes_per_day : array_like
        Bytes that the host writes a day, :math:`h`, > 0.
    interval_s : array_like
        Age :math:`T` in seconds, > 0.
    written_share : array_like
        Share :math:`w`, in (0, 1].

    Returns
    -------
    float or ndarray
        Bytes written by host and refresh over those of the host, >= 1.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A terabyte, nine tenths of it cold, rewritten each month, at 20 GB a day:

    >>> round(refresh_amplification(1e12, 2e10, 30 * 86400, 0.1), 2)
    2.5
    """
    share = number("written_share", written_share, above=0, high=1)
    written = number("bytes_per_day", bytes_per_day, above=0) / DAY
    fills = written * number("interval_s", interval_s, above=0)
    fills = fills / number("data_bytes", data_bytes, above=0)
    with np.errstate(over="ignore"):
        return plain(1 + (1 - share) / fills + 1 / np.expm1(fills / share))
