"""The balance of cycles, capacity and write amplification, solved for each of its quantities.

Values outside the ranges given raise ValueError.
"""

from __future__ import annotations

from typing import overload

from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain

_DAYS_PER_YEAR = 365


@overload
def tbw(physical_bytes: float, pe_cycles: float, waf: float = ..., wlf: float = ...) -> float: ...
@overload
def tbw(
    physical_bytes: ArrayLike, pe_cycles: ArrayLike, waf: ArrayLike = ..., wlf: ArrayLike = ...
) -> Array: ...
@elementwise()
def tbw(
    physical_bytes: ArrayLike, pe_cycles: ArrayLike, waf: ArrayLike = 1.0, wlf: ArrayLike = 1.0
) -> FloatOrArray:
    r"""Return the bytes that a host can write before the flash is worn out (TBW).

    .. math:: \mathrm{TBW} = \frac{P\,N}{\mathrm{WAF}\cdot\mathrm{WLF}}

    with :math:`P` the raw capacity, :math:`N` the program/erase cycles each block
    bears, WAF the write amplification factor (bytes programmed per byte from
    the host, the host's own included) and WLF the wear-levelling factor: the most worn
    block's erases over the mean. The balance is that of the JEDEC rating
    (:cite:t:`jesd218b`), read as a statement on wear alone.

    Parameters
    ----------
    physical_bytes : array_like
        Raw flash in bytes, > 0.
    pe_cycles : array_like
        Rated program/erase cycles, > 0.
    waf : array_like
        Write amplification factor, > 0. Page-mapping models give >= 1; compression
        or merging in a buffer bring measured ones below.
    wlf : array_like
        Wear-levelling factor, max/mean erase count, >= 1.

    Returns
    -------
    float or ndarray
        Host bytes (divide by 1e12 for "TBW" as printed).

    Notes
    -----
    The result is exact for a drive whose life ends when its most worn block reaches `pe_cycles`.
    Data retention, uncorrectable errors and warranty terms may end it sooner.

    Examples
    --------
    256 GiB of 3,000-cycle flash at a write amplification of 4:

    >>> tbw(256 * 2**30, 3000, waf=4) / 1e12
    206.158430208
    """
    capacity = number("physical_bytes", physical_bytes, above=0)
    cycles = number("pe_cycles", pe_cycles, above=0)
    factor = number("waf", waf, above=0) * number("wlf", wlf, low=1)
    return plain(capacity * cycles / factor)


@overload
def wear_product(physical_bytes: float, pe_cycles: float, tbw_bytes: float) -> float: ...
@overload
def wear_product(
    physical_bytes: ArrayLike, pe_cycles: ArrayLike, tbw_bytes: ArrayLike
) -> Array: ...
@elementwise()
def wear_product(
    physical_bytes: ArrayLike, pe_cycles: ArrayLike, tbw_bytes: ArrayLike
) -> FloatOrArray:
    r"""Return the product WAF x WLF that a rating implies.

    .. math:: \mathrm{WAF}\cdot\mathrm{WLF} = \frac{P\,N}{\mathrm{TBW}}

    This is the inverse of :func:`tbw`. The product rises with :math:`N`: if the flash bears more
    cycles than assumed, the same rating leaves more room for amplification, not less.

    Parameters
    ----------
    physical_bytes : array_like
        Raw flash :math:`P` in bytes, > 0.
    pe_cycles : array_like
        Program/erase cycles :math:`N`, > 0.
    tbw_bytes : array_like
        Rated host bytes, > 0.

    Returns
    -------
    float or ndarray
        A ratio. Below 1 the rating and the cycles contradict each other (unless data
        are compressed).

    Examples
    --------
    >>> round(wear_product(336 * 2**30, 20_000, 3.5e15), 2)
    2.06
    """
    capacity = number("physical_bytes", physical_bytes, above=0)
    cycles = number("pe_cycles", pe_cycles, above=0)
    return plain(capacity * cycles / number("tbw_bytes", tbw_bytes, above=0))


@overload
def implied_pe_cycles(
    physical_bytes: float, tbw_bytes: float, waf: float = ..., wlf: float = ...
) -> float: ...
@overload
def implied_pe_cycles(
    physical_bytes: ArrayLike, tbw_bytes: ArrayLike, waf: ArrayLike = ..., wlf: ArrayLike = ...
) -> Array: ...
@elementwise()
def implied_pe_cycles(
    physical_bytes: ArrayLike, tbw_bytes: ArrayLike, waf: ArrayLike = 1.0, wlf: ArrayLike = 1.0
) -> FloatOrArray:
    r"""Return the program/erase cycles that a rating needs.

    .. math:: N = \frac{\mathrm{TBW}\cdot\mathrm{WAF}\cdot\mathrm{WLF}}{P}

    Parameters
    ----------
    physical_bytes : array_like
        Raw flash :math:`P` in bytes, > 0.
    tbw_bytes : array_like
        Rated host bytes, > 0.
    waf : array_like
        Write amplification factor, > 0.
    wlf : array_like
        Wear-levelling factor, >= 1.

    Returns
    -------
    float or ndarray
        Cycles :math:`N`.

    Examples
    --------
    207 TB on 128 GiB, written sequentially:

    >>> round(implied_pe_cycles(128 * 2**30, 207e12))
    1506
    """
    capacity = number("physical_bytes", physical_bytes, above=0)
    rating = number("tbw_bytes", tbw_bytes, above=0)
    factor = number("waf", waf, above=0) * number("wlf", wlf, low=1)
    return plain(rating * factor / capacity)


@overload
def dwpd(tbw_bytes: float, user_bytes: float, years: float) -> float: ...
@overload
def dwpd(tbw_bytes: ArrayLike, user_bytes: ArrayLike, years: ArrayLike) -> Array: ...
@elementwise()
def dwpd(tbw_bytes: ArrayLike, user_bytes: ArrayLike, years: ArrayLike) -> FloatOrArray:
    r"""Return the drive writes per day that use up a rating in a number of years.

    .. math:: \mathrm{DWPD} = \frac{\mathrm{TBW}}{L\cdot 365\cdot Y}

    Parameters
    ----------
    tbw_bytes : array_like
        Rated host bytes, > 0.
    user_bytes : array_like
        User capacity :math:`L` in bytes, > 0.
    years : array_like
        Warranty :math:`Y` in years of 365 days, > 0.

    Returns
    -------
    float or ndarray
        Full drive writes per day.

    Examples
    --------
    >>> round(dwpd(3.5e15, 200e9, 5), 2)
    9.59
    """
    rating = number("tbw_bytes", tbw_bytes, above=0)
    user = number("user_bytes", user_bytes, above=0)
    return plain(rating / (user * _DAYS_PER_YEAR * number("years", years, above=0)))


@overload
def tbw_from_dwpd(dwpd: float, user_bytes: float, years: float) -> float: ...
@overload
def tbw_from_dwpd(dwpd: ArrayLike, user_bytes: ArrayLike, years: ArrayLike) -> Array: ...
@elementwise()
def tbw_from_dwpd(dwpd: ArrayLike, user_bytes: ArrayLike, years: ArrayLike) -> FloatOrArray:
    r"""Return the host bytes of a rating in drive writes per day.

    .. math:: \mathrm{TBW} = \mathrm{DWPD}\cdot L\cdot 365\cdot Y

    Parameters
    ----------
    dwpd : array_like
        Full drive writes per day, > 0.
    user_bytes : array_like
        User capacity :math:`L` in bytes, > 0.
    years : array_like
        Warranty :math:`Y` in years of 365 days, > 0.

    Returns
    -------
    float or ndarray
        Host bytes.

    Examples
    --------
    >>> tbw_from_dwpd(10, 200e9, 5) / 1e15
    3.65
    """
    rate = number("dwpd", dwpd, above=0)
    user = number("user_bytes", user_bytes, above=0)
    return plain(rate * user * _DAYS_PER_YEAR * number("years", years, above=0))


@overload
def drive_fills(tbw_bytes: float, user_bytes: float) -> float: ...
@overload
def drive_fills(tbw_bytes: ArrayLike, user_bytes: ArrayLike) -> Array: ...
@elementwise()
def drive_fills(tbw_bytes: ArrayLike, user_bytes: ArrayLike) -> FloatOrArray:
    """Return a rating as a number of full drive writes: ``tbw_bytes / user_bytes``.

    Parameters
    ----------
    tbw_bytes : array_like
        Host bytes, > 0.
    user_bytes : array_like
        User capacity in bytes, > 0.

    Returns
    -------
    float or ndarray
        Full drive writes.

    Examples
    --------
    >>> drive_fills(100e12, 128e9)
    781.25
    """
    rating = number("tbw_bytes", tbw_bytes, above=0)
    return plain(rating / number("user_bytes", user_bytes, above=0))


@overload
def lifetime_years(tbw_bytes: float, bytes_per_day: float) -> float: ...
@overload
def lifetime_years(tbw_bytes: ArrayLike, bytes_per_day: ArrayLike) -> Array: ...
@elementwise()
def lifetime_years(tbw_bytes: ArrayLike, bytes_per_day: ArrayLike) -> FloatOrArray:
    """Return the years of 365 days until a daily load has used up a rating.

    ``tbw_bytes / (365 * bytes_per_day)``: wear only; a drive may fail of something else before.

    Parameters
    ----------
    tbw_bytes : array_like
        Host bytes, > 0.
    bytes_per_day : array_like
        Bytes that the host writes in a day, > 0.

    Returns
    -------
    float or ndarray
        Years.

    Examples
    --------
    72 TB at 20 GB a day:

    >>> round(lifetime_years(72e12, 20e9), 1)
    9.9
    """
    rating = number("tbw_bytes", tbw_bytes, above=0)
    return plain(rating / (_DAYS_PER_YEAR * number("bytes_per_day", bytes_per_day, above=0)))
