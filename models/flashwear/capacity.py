"""The raw, user and spare capacity of a drive, and the ratios between them.

One drive has many over-provisioning figures. A 480 GB drive on 512 GiB of flash
has 14.5 % (over the user's bytes), 12.7 % (of the raw bytes) or 6.7 % (when
512 and 480 are read as the same unit), and less of each if parity takes a share.
Here ``op`` is always the first, :func:`over_provisioning`, and
``spare_factor`` always the second. Values
outside the ranges given raise ValueError.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, shown
from flashwear.units import GIBIT


@overload
def raw_bytes(dies: float, die_gibit: float) -> float: ...
@overload
def raw_bytes(dies: ArrayLike, die_gibit: ArrayLike) -> Array: ...
@elementwise()
def raw_bytes(dies: ArrayLike, die_gibit: ArrayLike) -> FloatOrArray:
    """Return the raw flash capacity of a number of dies, in bytes.

    Parameters
    ----------
    dies : array_like
        Number of flash dies, > 0.
    die_gibit : array_like
        Capacity of one die as its data sheet prints it, in "Gbit" of 2^30 bits, > 0.

    Returns
    -------
    float or ndarray
        ``dies * die_gibit * 2**30 / 8``; spare columns for error correction not counted.

    Examples
    --------
    Sixteen dies of 384 Gbit, sold as 750 GB and described as 768 GB:

    >>> raw_bytes(16, 384) / 2**30, raw_bytes(16, 384) / 1e9
    (768.0, 824.633720832)
    """
    return plain(number("dies", dies, above=0) * number("die_gibit", die_gibit, above=0) * GIBIT)


@overload
def idema_bytes(sold_gb: float) -> float: ...
@overload
def idema_bytes(sold_gb: ArrayLike) -> Array: ...
@elementwise()
def idema_bytes(sold_gb: ArrayLike) -> FloatOrArray:
    r"""Return the user capacity, in bytes, of a drive sold as so many GB (IDEMA's rule).

    .. math:: L = 512 \left[ 97\,696\,368 + 1\,953\,504\,(G - 50) \right]

    Makers have agreed on this number of sectors of 512 bytes :cite:p:`idema_lba103`.

    Parameters
    ----------
    sold_gb : array_like
        Capacity :math:`G` on the label in GB, >= 50.

    Returns
    -------
    float or ndarray
        Bytes :math:`L`, up to 0.04 % more than the label says.

    Examples
    --------
    >>> idema_bytes(1000) - 1000e9
    204886016.0
    """
    return plain(512 * (97_696_368 + 1_953_504 * (number("sold_gb", sold_gb, low=50) - 50)))


@overload
def dies_needed(user_bytes: float, die_gibit: float) -> float: ...
@overload
def dies_needed(user_bytes: ArrayLike, die_gibit: ArrayLike) -> Array: ...
@elementwise()
def dies_needed(user_bytes: ArrayLike, die_gibit: ArrayLike) -> FloatOrArray:
    """Return the least number of dies whose raw capacity holds `user_bytes`.

    Parameters
    ----------
    user_bytes : array_like
        Bytes to hold, > 0.
    die_gibit : array_like
        Capacity of one die in "Gbit" of 2^30 bits, > 0.

    Returns
    -------
    float or ndarray
        A whole number.

    Examples
    --------
    >>> dies_needed(2050e9, 384)
    40.0
    """
    return plain(np.ceil(number("user_bytes", user_bytes, above=0) / raw_bytes(1, die_gibit)))


def _physical_and_user(
    physical_bytes: ArrayLike, user_bytes: ArrayLike
) -> tuple[FloatOrArray, FloatOrArray]:
    physical = number("physical_bytes", physical_bytes, above=0)
    user = number("user_bytes", user_bytes, above=0)
    over = np.asarray(user > physical)
    if over.any():
        most, got = (shown(np.broadcast_to(each, over.shape)[over][0]) for each in (physical, user))
        raise ValueError(
            f"user_bytes must be <= physical_bytes, got user_bytes {got} and physical_bytes {most}"
        )
    return physical, user


@overload
def over_provisioning(physical_bytes: float, user_bytes: float) -> float: ...
@overload
def over_provisioning(physical_bytes: ArrayLike, user_bytes: ArrayLike) -> Array: ...
@elementwise()
def over_provisioning(physical_bytes: ArrayLike, user_bytes: ArrayLike) -> FloatOrArray:
    r"""Return over-provisioning relative to the user's bytes: the library's ``op``.

    .. math:: \mathrm{op} = \frac{P - L}{L}

    with :math:`P` the physical and :math:`L` the logical (user) capacity in the
    same unit. This is the definition of drive makers (:cite:t:`wikipedia_wa`) and of
    :math:`\alpha = 1 + \mathrm{op}` in the literature on write amplification
    (:cite:t:`desnoyers2012`).

    Parameters
    ----------
    physical_bytes : array_like
        Raw flash in bytes, > 0.
    user_bytes : array_like
        Bytes that the user can address, > 0 and at most `physical_bytes`.

    Returns
    -------
    float or ndarray
        A ratio >= 0, not a percentage.

    Examples
    --------
    >>> over_provisioning(336 * 2**30, 200e9)
    0.80388626432
    """
    physical, user = _physical_and_user(physical_bytes, user_bytes)
    return plain((physical - user) / user)


@overload
def spare_factor(physical_bytes: float, user_bytes: float) -> float: ...
@overload
def spare_factor(physical_bytes: ArrayLike, user_bytes: ArrayLike) -> Array: ...
@elementwise()
def spare_factor(physical_bytes: ArrayLike, user_bytes: ArrayLike) -> FloatOrArray:
    r"""Return the spare capacity as a share of the raw flash.

    .. math:: S_f = \frac{P - L}{P}

    with :math:`P` raw and :math:`L` user capacity; the :math:`S_f` of :cite:t:`desnoyers2012`.

    Parameters
    ----------
    physical_bytes : array_like
        Raw flash in bytes, > 0.
    user_bytes : array_like
        Bytes that the user can address, > 0 and at most `physical_bytes`.

    Returns
    -------
    float or ndarray
        A ratio in [0, 1).

    Examples
    --------
    >>> round(spare_factor(768 * 2**30, 480e9), 3)
    0.418
    """
    physical, user = _physical_and_user(physical_bytes, user_bytes)
    return plain((physical - user) / physical)


@overload
def op_from_spare_factor(spare_factor: float) -> float: ...
@overload
def op_from_spare_factor(spare_factor: ArrayLike) -> Array: ...
@elementwise()
def op_from_spare_factor(spare_factor: ArrayLike) -> FloatOrArray:
    r"""Convert a spare share of the raw flash to over-provisioning over the user's bytes.

    .. math:: \mathrm{op} = \frac{S_f}{1 - S_f}

    Parameters
    ----------
    spare_factor : array_like
        Spare share :math:`S_f` of the raw flash, in [0, 1).

    Returns
    -------
    float or ndarray
        Over-provisioning over user capacity, >= 0.

    Examples
    --------
    >>> op_from_spare_factor(0.28)
    0.388888888888888...
    """
    spare = number("spare_factor", spare_factor, low=0)
    if (spare >= 1).any():
        raise ValueError(f"spare_factor must be < 1, got {spare.max():g}")
    return plain(spare / (1 - spare))


@overload
def spare_factor_from_op(op: float) -> float: ...
@overload
def spare_factor_from_op(op: ArrayLike) -> Array: ...
@elementwise()
def spare_factor_from_op(op: ArrayLike) -> FloatOrArray:
    r"""Convert over-provisioning over the user's bytes to a spare share of the raw flash.

    .. math:: S_f = \frac{\mathrm{op}}{1 + \mathrm{op}}

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, >= 0.

    Returns
    -------
    float or ndarray
        Spare share :math:`S_f` of the raw flash, in [0, 1).

    Examples
    --------
    >>> spare_factor_from_op(0.25)
    0.2
    """
    ratio = number("op", op, low=0)
    return plain(ratio / (1 + ratio))


@overload
def span_op(physical_bytes: float, user_bytes: float, span_share: float) -> float: ...
@overload
def span_op(physical_bytes: ArrayLike, user_bytes: ArrayLike, span_share: ArrayLike) -> Array: ...
@elementwise()
def span_op(
    physical_bytes: ArrayLike, user_bytes: ArrayLike, span_share: ArrayLike
) -> FloatOrArray:
    r"""Return the over-provisioning of a drive of which only a part of the addresses is written.

    .. math:: \mathrm{op}_s = \frac{P}{sL} - 1

    This is how reviewers add over-provisioning to a finished drive: fill and test
    a share :math:`s` of its addresses and leave the rest erased.

    Parameters
    ----------
    physical_bytes : array_like
        Raw flash :math:`P` in bytes, > 0.
    user_bytes : array_like
        Bytes that the user can address, :math:`L`, > 0 and at most `physical_bytes`.
    span_share : array_like
        Share :math:`s` of the user's addresses in use, in (0, 1].

    Returns
    -------
    float or ndarray
        Over-provisioning over the bytes in use.

    Examples
    --------
    A 256 GB drive on 256 GiB, tested on three quarters of its addresses:

    >>> round(span_op(256 * 2**30, 256e9, 0.75), 3)
    0.432
    """
    physical, user = _physical_and_user(physical_bytes, user_bytes)
    share = number("span_share", span_share, above=0, high=1)
    return plain(physical / (share * user) - 1)


@overload
def map_bytes(user_bytes: float, unit_bytes: float = ..., entry_bytes: float = ...) -> float: ...
@overload
def map_bytes(
    user_bytes: ArrayLike, unit_bytes: ArrayLike = ..., entry_bytes: ArrayLike = ...
) -> Array: ...
@elementwise()
def map_bytes(
    user_bytes: ArrayLike, unit_bytes: ArrayLike = 4096, entry_bytes: ArrayLike = 4
) -> FloatOrArray:
    """Return the size of a flat logical-to-physical map: an entry for each unit of user addresses.

    This is ``user_bytes / unit_bytes * entry_bytes``.

    Parameters
    ----------
    user_bytes : array_like
        Bytes that the user can address, > 0.
    unit_bytes : array_like
        Bytes mapped by one entry, > 0; 4096 in most drives.
    entry_bytes : array_like
        Bytes of one entry, > 0.

    Returns
    -------
    float or ndarray
        Bytes.

    Examples
    --------
    >>> map_bytes(750e9) / 1e6
    732.421875
    """
    return plain(
        number("user_bytes", user_bytes, above=0)
        / number("unit_bytes", unit_bytes, above=0)
        * number("entry_bytes", entry_bytes, above=0)
    )
