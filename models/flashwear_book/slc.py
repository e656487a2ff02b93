"""The writes saved or added by an SLC cache that is taken from the main flash."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from flashwear import wa
from flashwear._domain import FloatOrArray
from flashwear.units import GB, GIB

__all__ = ["M600_ALPHA", "behind", "saved", "until"]

M600_ALPHA = GIB / GB
"""Bytes of flash for each byte sold of the M600, which has as many GiB as it sells GB."""

_LEAST_ROOM = 0.01
_SIZES = 500


def behind(
    fill: float, per_100: ArrayLike, hot: float, bits: int = 2, alpha: float = M600_ALPHA
) -> FloatOrArray:
    """Return main-area writes per host write, with an SLC cache taken from the main area.

    Parameters
    ----------
    fill : float
        Share of the user capacity that holds data.
    per_100 : array_like
        Size of the cache, in bytes per 100 bytes of user capacity; a byte of cache takes the cells
        of `bits` bytes.
    hot : float
        Share of the data that is hot; these data get the share ``1 - hot`` of the writes.
    bits : int
        Bits per cell of the main area.
    alpha : float
        Bytes of flash for each byte sold.

    Returns
    -------
    float or numpy.ndarray
        Page writes of the main area per host page write; NaN if data and cache do not fit.

    Examples
    --------
    Three quarters full, uniform writes, without a cache and with 8 GB for each 100 GB:

    >>> behind(0.75, [0, 8], 0.5).round(2)
    array([1.87, 1.9 ])
    """
    cache = np.asarray(per_100) / 100 / fill
    spare = alpha / fill - 1 - bits * cache
    held = -hot * np.expm1(-cache * (1 - hot) / hot)
    held -= (1 - hot) * np.expm1(-cache * hot / (1 - hot))
    main = wa.slc_cache(np.maximum(spare, _LEAST_ROOM - held), cache, 1 - hot, hot)
    return np.where(spare + held < _LEAST_ROOM, np.nan, main)[()]


def saved(fill: float, hot: float, bits: int = 2, alpha: float = M600_ALPHA) -> float:
    """Return the main-area page writes, per host page, that an SLC cache of the best size saves.

    Parameters
    ----------
    fill, hot, bits, alpha
        Share of the capacity that holds data, share of these data that is hot (and gets the share
        ``1 - hot`` of the writes), bits per cell of the main area, and bytes of flash for each byte
        sold.

    Examples
    --------
    >>> round(saved(0.75, 0.05), 2)
    2.44
    """
    sizes = np.linspace(0, 100 * min(fill, alpha / bits), _SIZES)
    main = behind(fill, sizes, hot, bits, alpha)
    return float(main[0] - np.nanmin(main))


def until(ratio: float, fill: float, bits: int = 2, alpha: float = M600_ALPHA) -> float:
    """Return the largest hot share of data at which an SLC cache of the best size saves wear.

    Parameters
    ----------
    ratio : float
        P/E cycles that a block bears in SLC mode over those in normal mode.
    fill, bits, alpha
        Share of the capacity that holds data, bits per cell, and bytes of flash per byte sold.

    Returns
    -------
    float
        Share of the data; 0.5 if the cache saves wear even under uniform writes.

    Examples
    --------
    >>> round(until(10, 0.9), 3)
    0.129
    """

    def gain(hot: float) -> float:
        return saved(fill, hot, bits, alpha) - bits / ratio

    return float(brentq(gain, 0.01, 0.5)) if gain(0.5) < 0 else 0.5
