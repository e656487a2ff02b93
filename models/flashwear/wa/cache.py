r"""Write amplification and wear with an SLC cache in front of the main flash.

Every host write goes to the cache, a log that wraps around. Data that are still current when the
log comes round are copied to the main area, which is another log (FIFO cleaning). Cells of the
cache hold one bit, so a byte in it takes the cells of ``bits_per_cell`` bytes, and they bear
another number of program/erase cycles.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, shown
from flashwear.wa._shares import LARGEST_OP, classes, rates, residence

_LEAST_MOVED = 1e-280


@overload
def slc_cache(
    op: float, cache_share: float, write_share: float = ..., space_share: float = ...
) -> float: ...
@overload
def slc_cache(
    op: ArrayLike,
    cache_share: ArrayLike,
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def slc_cache(
    op: ArrayLike,
    cache_share: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    r"""Return the page writes of the main area per host page write, behind an SLC cache.

    .. math::
        W = \sum_i\frac{r_i\,e^{-c\,r_i/f_i}}
                       {1-\exp\left(-\frac{r_i}{f_i}\,\frac{\alpha}{W}\right)}

    with :math:`c` the pages of the cache over the user's pages, :math:`r_i` and :math:`f_i` the
    shares of class :math:`i` in the host's writes and in the user's pages, and
    :math:`\alpha=1+\mathrm{op}` the pages of the main area over the user's. The numerator is the
    share of writes that are not overwritten while in the cache. The denominator is that of
    :func:`fifo_mixed <flashwear.wa.fifo_mixed>` (:cite:t:`desnoyers2012`, Eq. 14), which is the
    result without a cache. The equation is solved for :math:`t=\alpha/W` as

    .. math::
        \mathrm{op} + \sum_i f_i\left(1-e^{-c\,r_i/f_i}\right)
        = t\sum_i r_i\,e^{-c\,r_i/f_i}\left(\frac1{1-e^{-y_i}}-\frac1{y_i}\right),\qquad
        y_i=\frac{r_i}{f_i}\,t

    The sum on the left is the share of the user's pages whose only copy is in the cache: it counts
    as spare room of the main area. The result is exact for many pages and independent writes.
    Writes that bypass the cache because it is full are not modelled.

    Parameters
    ----------
    op : array_like
        Over-provisioning of the main area over user capacity, with pages in normal mode. As some
        data are in the cache only, it may be negative, down to minus their share (excluded).
        For a cache made of main blocks, subtract ``bits_per_cell * cache_share`` from `op`.
    cache_share : array_like
        Pages that the cache holds over the user's pages, in [0, 1].
    write_share : array_like, optional
        Share of the writes that each class gets, classes on the last axis; or a number, that of
        the hot class of two. Without any shares writes are uniform.
    space_share : array_like, optional
        Share of the user's pages that each class has, in the same form.
    hot_write_share, hot_space_share : array_like, optional
        Shares of the hot class of two, in place of the two arguments above, as numbers or as
        columns that broadcast with the other arguments.

    Returns
    -------
    float or ndarray
        Page writes, >= 0 and not counting those of the cache; below 1 if the cache absorbs enough.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Examples
    --------
    A cache of 5 % under uniform writes:

    >>> [round(slc_cache(0.1, c), 3) for c in (0, 0.05)]
    [5.677, 3.691]
    """
    if all(x is None for x in (write_share, space_share, hot_write_share, hot_space_share)):
        write_share = space_share = 1.0
    write, space, _ = classes(write_share, space_share, hot_write_share, hot_space_share)
    spare = np.minimum(number("op", op), LARGEST_OP)
    cache = number("cache_share", cache_share, low=0, high=1)
    rate = rates(write, space)
    age = cache[..., None] * rate
    held = (space * -np.expm1(-age)).sum(axis=-1)
    short = spare + held <= 0
    if short.any():
        far, most = (shown(x[short].flat[0]) for x in np.broadcast_arrays(spare, held))
        raise ValueError(
            "op must be > minus the share of the user's pages held in the cache, "
            f"got {far} with {most} held"
        )
    moved = write * np.exp(-age)
    some = moved.sum(axis=-1, keepdims=True) > _LEAST_MOVED
    # as good as nothing is left to move: any t will do, and W is 0
    t = residence(spare + held, np.where(some, moved, write), rate)
    return plain(np.where(some[..., 0], (1 + spare) / t, 0.0))


@overload
def slc_waf(
    op: float, cache_share: float, write_share: float = ..., space_share: float = ...
) -> float: ...
@overload
def slc_waf(
    op: ArrayLike,
    cache_share: ArrayLike,
    write_share: ArrayLike | None = ...,
    space_share: ArrayLike | None = ...,
    *,
    hot_write_share: ArrayLike | None = ...,
    hot_space_share: ArrayLike | None = ...,
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share"))
def slc_waf(
    op: ArrayLike,
    cache_share: ArrayLike,
    write_share: ArrayLike | None = None,
    space_share: ArrayLike | None = None,
    *,
    hot_write_share: ArrayLike | None = None,
    hot_space_share: ArrayLike | None = None,
) -> FloatOrArray:
    """Return all page writes, to SLC cache and main area, per host page write.

    This is ``1 + slc_cache(...)``, the ratio of a drive's counters of NAND and host bytes. It does
    not measure wear, since writes to the cache wear other cells, or wear cells differently: see
    :func:`slc_dynamic_wear` and :func:`slc_static_tbw`.

    Parameters
    ----------
    op, cache_share, write_share, space_share, hot_write_share, hot_space_share : array_like
        Over-provisioning of the main area over user capacity; pages that the cache holds over the
        user's pages; and shares of the writes and of the user's pages: arrays with all classes on
        the last axis, or numbers for the hot class of two. The last two arguments are always those
        of the hot class, in place of the two before. Without shares writes are uniform.

    Returns
    -------
    float or ndarray
        Flash writes per host write, >= 1.

    Raises
    ------
    ValueError
        For an over-provisioning or shares that :func:`slc_cache` does not take.

    Examples
    --------
    >>> round(slc_waf(0.1, 0.05), 3)
    4.691
    """
    hot: Any = {"hot_write_share": hot_write_share, "hot_space_share": hot_space_share}
    return plain(1 + np.asarray(slc_cache(op, cache_share, write_share, space_share, **hot)))


@overload
def slc_dynamic_wear(
    main_writes: float, bits_per_cell: float, pe_cycles: float, slc_pe_cycles: float
) -> float: ...
@overload
def slc_dynamic_wear(
    main_writes: ArrayLike, bits_per_cell: ArrayLike, pe_cycles: ArrayLike, slc_pe_cycles: ArrayLike
) -> Array: ...
@elementwise()
def slc_dynamic_wear(
    main_writes: ArrayLike, bits_per_cell: ArrayLike, pe_cycles: ArrayLike, slc_pe_cycles: ArrayLike
) -> FloatOrArray:
    r"""Return the wear per host byte with a dynamic SLC cache, in units of normal writes.

    .. math:: w = \beta\,\frac{N}{N_s} + W

    with :math:`\beta` bits per cell, :math:`N` and :math:`N_s` the program/erase cycles that a
    block bears in normal and in SLC mode, and :math:`W` the page writes of the main area per page
    write of the host (:func:`slc_cache`). A dynamic cache takes its blocks in turn from all of the
    flash. A host byte in SLC mode takes the cells of :math:`\beta` bytes and uses up :math:`1/N_s`
    of their life; a byte written in normal mode uses up :math:`1/N`. The sum replaces the write
    amplification factor in ``endurance.tbw(physical_bytes, pe_cycles, waf=w)``. Damage is taken to
    add linearly over modes and wear to be even over all blocks.

    Parameters
    ----------
    main_writes : array_like
        Page writes of the main area per page write of the host :math:`W`, >= 0.
    bits_per_cell : array_like
        Bits per cell of the flash in normal mode, >= 1; 3 for TLC.
    pe_cycles : array_like
        Program/erase cycles in normal mode :math:`N`, > 0.
    slc_pe_cycles : array_like
        Program/erase cycles in SLC mode :math:`N_s`, > 0.

    Returns
    -------
    float or ndarray
        Bytes of normal writes, :math:`w`, that wear the flash as much as one byte from the host.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    If TLC bears 1,500 cycles, and 30,000 in SLC mode, the cache itself hardly wears it:

    >>> round(slc_dynamic_wear(slc_cache(0.1, 0.05), 3, 1500, 30_000), 3)
    3.841
    """
    main = number("main_writes", main_writes, low=0)
    bits = number("bits_per_cell", bits_per_cell, low=1)
    cycles = number("pe_cycles", pe_cycles, above=0)
    return plain(bits * (cycles / number("slc_pe_cycles", slc_pe_cycles, above=0)) + main)


@overload
def slc_static_tbw(
    main_writes: float, main_bytes: float, pe_cycles: float, slc_bytes: float, slc_pe_cycles: float
) -> float: ...
@overload
def slc_static_tbw(
    main_writes: ArrayLike,
    main_bytes: ArrayLike,
    pe_cycles: ArrayLike,
    slc_bytes: ArrayLike,
    slc_pe_cycles: ArrayLike,
) -> Array: ...
@elementwise()
def slc_static_tbw(
    main_writes: ArrayLike,
    main_bytes: ArrayLike,
    pe_cycles: ArrayLike,
    slc_bytes: ArrayLike,
    slc_pe_cycles: ArrayLike,
) -> FloatOrArray:
    r"""Return the host writes until a static SLC cache or the main area is worn out.

    .. math:: \mathrm{TBW} = \min\left(C_s N_s,\ \frac{C\,N}{W}\right)

    The main area has :math:`C` bytes and bears :math:`N` program/erase cycles, the cache holds
    :math:`C_s` bytes and bears :math:`N_s` cycles in SLC mode; :math:`W` is the number of page
    writes of the main area per page write of the host (:func:`slc_cache`). A static cache keeps its
    blocks, so cache and main area wear separately.

    Parameters
    ----------
    main_writes : array_like
        Page writes of the main area per page write of the host :math:`W`, >= 0.
    main_bytes : array_like
        Capacity of the main area :math:`C` in bytes, > 0.
    pe_cycles : array_like
        Program/erase cycles of the main area :math:`N`, > 0.
    slc_bytes : array_like
        Bytes that the cache holds in SLC mode :math:`C_s`, > 0 (its flash would hold
        bits per cell times as much in normal mode).
    slc_pe_cycles : array_like
        Program/erase cycles of the cache in SLC mode :math:`N_s`, > 0.

    Returns
    -------
    float or ndarray
        Host bytes; divide by the wear-levelling factor (max/mean erases) if wear is uneven.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    The same cells, 256 GB behind a cache of 6 GB: the cache goes first, after 180 TB.

    >>> slc_static_tbw(2.0, 256e9, 1500, 6e9, 30_000) / 1e12
    180.0
    """
    main = number("main_writes", main_writes, low=0)
    life = number("main_bytes", main_bytes, above=0) * number("pe_cycles", pe_cycles, above=0)
    cache = number("slc_bytes", slc_bytes, above=0)
    cache_life = cache * number("slc_pe_cycles", slc_pe_cycles, above=0)
    return plain(1 / np.maximum(1 / cache_life, main / life))
