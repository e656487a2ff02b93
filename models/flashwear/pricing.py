"""The cost of a gigabyte and of a written terabyte, and their decline.

Prices are in US dollars as printed. Capacities are bytes, of which a price per
GB counts 10^9, as the reviews do. Values outside the ranges given raise ValueError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain
from flashwear.endurance import lifetime_years
from flashwear.units import GB, TB


@overload
def price_per_gb(price_usd: float, capacity_bytes: float) -> float: ...
@overload
def price_per_gb(price_usd: ArrayLike, capacity_bytes: ArrayLike) -> Array: ...
@elementwise()
def price_per_gb(price_usd: ArrayLike, capacity_bytes: ArrayLike) -> FloatOrArray:
    """Return the price of one decimal gigabyte, in USD.

    Parameters
    ----------
    price_usd : array_like
        Price in USD, > 0.
    capacity_bytes : array_like
        User capacity in bytes, > 0.

    Returns
    -------
    float or ndarray
        USD per GB; times 100 for cents.

    Examples
    --------
    >>> round(100 * price_per_gb(153.95, 500e9), 1)
    30.8
    """
    price = number("price_usd", price_usd, above=0)
    return plain(price / number("capacity_bytes", capacity_bytes, above=0) * GB)


@overload
def price_per_tb_written(price_usd: float, tbw_bytes: float) -> float: ...
@overload
def price_per_tb_written(price_usd: ArrayLike, tbw_bytes: ArrayLike) -> Array: ...
@elementwise()
def price_per_tb_written(price_usd: ArrayLike, tbw_bytes: ArrayLike) -> FloatOrArray:
    """Return the price of one rated terabyte of host writes, in USD.

    Parameters
    ----------
    price_usd : array_like
        Price in USD, > 0.
    tbw_bytes : array_like
        Rated host bytes, > 0.

    Returns
    -------
    float or ndarray
        USD per TB (10^12 bytes) written.

    Examples
    --------
    >>> round(price_per_tb_written(470, 3.65e15), 4)
    0.1288
    """
    price = number("price_usd", price_usd, above=0)
    return plain(price / number("tbw_bytes", tbw_bytes, above=0) * TB)


@overload
def premium(price: float, reference: float) -> float: ...
@overload
def premium(price: ArrayLike, reference: ArrayLike) -> Array: ...
@elementwise()
def premium(price: ArrayLike, reference: ArrayLike) -> FloatOrArray:
    """Return by how much a price exceeds a reference: ``price / reference - 1``.

    Parameters
    ----------
    price, reference : array_like
        Two prices in the same unit, > 0.

    Returns
    -------
    float or ndarray
        A ratio; negative when cheaper.

    Examples
    --------
    >>> premium(140, 112)
    0.25
    """
    return plain(number("price", price, above=0) / number("reference", reference, above=0) - 1)


@overload
def break_even_price(
    tbw_bytes: float, reference_price_usd: float, reference_tbw_bytes: float
) -> float: ...
@overload
def break_even_price(
    tbw_bytes: ArrayLike, reference_price_usd: ArrayLike, reference_tbw_bytes: ArrayLike
) -> Array: ...
@elementwise()
def break_even_price(
    tbw_bytes: ArrayLike, reference_price_usd: ArrayLike, reference_tbw_bytes: ArrayLike
) -> FloatOrArray:
    """Return the price at which a drive costs as much per written terabyte as a reference.

    Parameters
    ----------
    tbw_bytes : array_like
        Rated host bytes of the drive, > 0.
    reference_price_usd : array_like
        Price of the reference drive in USD, > 0.
    reference_tbw_bytes : array_like
        Rated host bytes of the reference drive, > 0.

    Returns
    -------
    float or ndarray
        USD.

    Examples
    --------
    >>> round(break_even_price(3.5e15, 470, 3.65e15), 2)
    450.68
    """
    rating = number("tbw_bytes", tbw_bytes, above=0)
    price = number("reference_price_usd", reference_price_usd, above=0)
    reference = number("reference_tbw_bytes", reference_tbw_bytes, above=0)
    return plain(price * (rating / reference))


@overload
def cost_per_year(
    price_usd: float, tbw_bytes: float, bytes_per_day: float, keep_years: float
) -> float: ...
@overload
def cost_per_year(
    price_usd: ArrayLike, tbw_bytes: ArrayLike, bytes_per_day: ArrayLike, keep_years: ArrayLike
) -> Array: ...
@elementwise()
def cost_per_year(
    price_usd: ArrayLike, tbw_bytes: ArrayLike, bytes_per_day: ArrayLike, keep_years: ArrayLike
) -> FloatOrArray:
    r"""Return the yearly cost of a drive that is replaced when its rating is used up.

    The price is spread over :math:`\min(Y, \mathrm{TBW} / 365 h)` years, where :math:`h` is the
    daily load and :math:`Y` the years after which the drive is replaced in any case; the second
    term is :func:`flashwear.endurance.lifetime_years`. Under a light load the cost depends on
    :math:`Y`, under a heavy load on the bytes written. Interest, power and the price of the next
    drive are left out.

    Parameters
    ----------
    price_usd : array_like
        Price in USD, > 0.
    tbw_bytes : array_like
        Rated host bytes, > 0.
    bytes_per_day : array_like
        Host bytes written a day, > 0.
    keep_years : array_like
        Years of 365 days after which the drive is replaced even if it is not worn, > 0.

    Returns
    -------
    float or ndarray
        USD a year.

    Examples
    --------
    >>> cost_per_year(60, 600e12, 20e9, keep_years=6)      # 82 years of rating: time decides
    10.0
    """
    price = number("price_usd", price_usd, above=0)
    keep = number("keep_years", keep_years, above=0)
    return plain(price / np.minimum(keep, lifetime_years(tbw_bytes, bytes_per_day)))


@overload
def annual_decline(price_then: float, price_now: float, years: float) -> float: ...
@overload
def annual_decline(price_then: ArrayLike, price_now: ArrayLike, years: ArrayLike) -> Array: ...
@elementwise()
def annual_decline(price_then: ArrayLike, price_now: ArrayLike, years: ArrayLike) -> FloatOrArray:
    r"""Return the constant yearly rate at which a price fell.

    .. math:: r = 1 - \left(\frac{p_1}{p_0}\right)^{1/Y}

    Parameters
    ----------
    price_then, price_now : array_like
        Prices :math:`p_0` and :math:`p_1` of the same thing at the two dates, > 0.
    years : array_like
        Years :math:`Y` between the dates, > 0.

    Returns
    -------
    float or ndarray
        Share :math:`r` of the price lost each year; negative when the price rose.

    Examples
    --------
    >>> round(annual_decline(400, 100, 2), 3)
    0.5
    """
    ratio = number("price_now", price_now, above=0) / number("price_then", price_then, above=0)
    return plain(1 - ratio ** (1 / number("years", years, above=0)))


@dataclass(frozen=True)
class PriceFit:
    """A linear fit of prices: a fixed part plus a price per gigabyte.

    Attributes
    ----------
    fixed_usd, per_gb_usd : float
        Intercept (USD) and slope (USD per GB) by ordinary least squares.
    fixed_interval, per_gb_interval : tuple of float
        Confidence intervals of the two.
    residual_usd : float
        Standard deviation of the residuals, with n - 2 degrees of freedom.
    n : int
        Prices fitted.
    confidence : float
        Level of all intervals.
    """

    fixed_usd: float
    per_gb_usd: float
    fixed_interval: tuple[float, float]
    per_gb_interval: tuple[float, float]
    residual_usd: float
    n: int
    confidence: float
    _mean_gb: float
    _spread_gb2: float
    _t: float

    @overload
    def predict(self, capacity_bytes: float) -> float: ...
    @overload
    def predict(self, capacity_bytes: ArrayLike) -> Array: ...
    def predict(self, capacity_bytes: ArrayLike) -> FloatOrArray:
        """Return the fitted price in USD of a drive of `capacity_bytes` (> 0)."""
        gigabytes = number("capacity_bytes", capacity_bytes, above=0) / GB
        return plain(self.fixed_usd + self.per_gb_usd * gigabytes)

    @overload
    def margin(self, capacity_bytes: float) -> float: ...
    @overload
    def margin(self, capacity_bytes: ArrayLike) -> Array: ...
    def margin(self, capacity_bytes: ArrayLike) -> FloatOrArray:
        """Return half the width, in USD, of the prediction interval for one more price.

        `capacity_bytes` (> 0) is the capacity of the drive that has this price.
        """
        gigabytes = number("capacity_bytes", capacity_bytes, above=0) / GB
        leverage = 1 + 1 / self.n + (gigabytes - self._mean_gb) ** 2 / self._spread_gb2
        return plain(self._t * self.residual_usd * np.sqrt(leverage))


def fit_fixed_plus_per_gb(
    capacity_bytes: ArrayLike, price_usd: ArrayLike, confidence: float = 0.95
) -> PriceFit:
    r"""Fit prices by a fixed part (case, controller, margin) plus a price per gigabyte.

    .. math:: p_i = a + b\,G_i + \varepsilon_i

    with :math:`p_i` the prices, :math:`G_i` the capacities in gigabytes, :math:`a` the fixed part,
    :math:`b` the price per gigabyte and :math:`\varepsilon_i` the residuals, by ordinary least
    squares; intervals from Student's t with :math:`n - 2` degrees of freedom
    (:func:`scipy.stats.linregress`). They treat the prices as independent; the prices of one model
    at several capacities are not, so resample whole models where that matters.

    Parameters
    ----------
    capacity_bytes : array_like, shape (n,)
        Capacities in bytes, > 0, at least two different ones.
    price_usd : array_like, shape (n,)
        Prices in USD, > 0; n >= 3.
    confidence : float
        Level of the intervals, in (0, 1).

    Raises
    ------
    ValueError
        On other shapes or values.

    Examples
    --------
    >>> fit = fit_fixed_plus_per_gb([100e9, 200e9, 300e9, 400e9], [60, 109, 161, 210])
    >>> round(fit.fixed_usd, 1), round(fit.per_gb_usd, 3)
    (9.5, 0.502)
    """
    from scipy import stats

    gigabytes = number("capacity_bytes", capacity_bytes, above=0) / GB
    price = number("price_usd", price_usd, above=0)
    level = float(number("confidence", confidence, above=0))
    if level >= 1:
        raise ValueError(f"confidence must be < 1, got {level:g}")
    if gigabytes.ndim != 1 or gigabytes.shape != price.shape or gigabytes.size < 3:
        raise ValueError(
            "capacity_bytes and price_usd must be one-dimensional, of equal length >= 3, "
            f"got shapes {gigabytes.shape} and {price.shape}"
        )
    if np.ptp(gigabytes) == 0:
        raise ValueError(
            f"capacity_bytes must hold two different values, got {gigabytes[0]:g} GB only"
        )
    line = stats.linregress(gigabytes, price)
    freedom = gigabytes.size - 2
    t = float(stats.t.ppf(0.5 + level / 2, freedom))
    residuals = price - line.intercept - line.slope * gigabytes
    return PriceFit(
        fixed_usd=float(line.intercept),
        per_gb_usd=float(line.slope),
        fixed_interval=_interval(line.intercept, t * line.intercept_stderr),
        per_gb_interval=_interval(line.slope, t * line.stderr),
        residual_usd=float(np.sqrt(np.sum(residuals**2) / freedom)),
        n=int(gigabytes.size),
        confidence=level,
        _mean_gb=float(gigabytes.mean()),
        _spread_gb2=float(np.sum((gigabytes - gigabytes.mean()) ** 2)),
        _t=t,
    )


def _interval(centre: float, margin: float) -> tuple[float, float]:
    return float(centre - margin), float(centre + margin)
