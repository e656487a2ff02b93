"""Read disturb: the errors that reads cause in their block, and the writes that refresh it."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, whole
from flashwear.reliability import rber


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
    endless = np.asarray(reads) == np.inf
    count = number("reads", np.where(endless, 1.0, reads) if endless.any() else reads, above=0)
    share = number("valid_share", valid_share, low=0, high=1)
    pages = whole("pages_per_block", pages_per_block, 1, 2**31)
    return plain(np.where(endless, 0.0, share * pages / count))
