"""How long a drive lasts when its load, its flash and its temperature are not known exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import Array, FloatOrArray, number, one_number, plain, shown, whole

_DAYS_PER_YEAR = 365
_BOLTZMANN = 8.617333262e-5  # eV/K
_ZERO_CELSIUS = 273.15  # K

Floats = NDArray[np.float64]
Uncertain = Any
"""A number, or a frozen distribution of :mod:`scipy.stats`."""


_BOUNDS: dict[str, dict[str, float]] = {
    "physical_bytes": {"above": 0}, "pe_cycles": {"above": 0}, "bytes_per_day": {"above": 0},
    "waf": {"above": 0}, "wlf": {"low": 1},
    "temperature_c": {"low": -50, "high": 150}, "activation_ev": {"low": 0},
    "retention_exponent": {"low": 0},
}  # fmt: skip


_FEWEST = 16  # values of a sample


@dataclass(frozen=True, eq=False)
class Life:
    """Distribution of the years that a drive lasts, and what its scatter comes from.

    ``years`` is a sorted sample. ``first`` and ``total`` are Sobol indices, by name of the
    uncertain argument of :func:`lifetime`: the share of the variance of log life that vanishes if
    only this argument becomes known, and the share that remains if all other arguments become
    known.
    """

    years: Floats
    first: dict[str, float]
    total: dict[str, float]

    def __post_init__(self) -> None:
        self.years.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Life):
            return NotImplemented
        return np.array_equal(self.years, other.years) and (self.first, self.total) == (
            other.first,
            other.total,
        )

    __hash__ = None  # type: ignore[assignment]

    @overload
    def quantile(self, share: float) -> float: ...
    @overload
    def quantile(self, share: ArrayLike) -> Array: ...
    def quantile(self, share: ArrayLike) -> FloatOrArray:
        """Return the years after which a given share of drives, in [0, 1], is worn out.

        Examples
        --------
        >>> life = lifetime(256 * 2**30, 3000, within(10e9, 40e9), waf=4)
        >>> round(life.quantile(0.5), 1)
        28.2
        """
        shares = number("share", share, low=0, high=1)
        return plain(np.quantile(self.years, shares))

    @overload
    def outlasting(self, years: float) -> float: ...
    @overload
    def outlasting(self, years: ArrayLike) -> Array: ...
    def outlasting(self, years: ArrayLike) -> FloatOrArray:
        """Return the share of drives that last longer than the given years, >= 0.

        Examples
        --------
        >>> life = lifetime(256 * 2**30, 3000, within(10e9, 40e9), waf=4)
        >>> round(life.outlasting(10), 3)
        0.993
        """
        ages = number("years", years, low=0)
        worn = np.searchsorted(self.years, ages, side="right")
        return plain(1 - worn / self.years.size)


def within(low: float, high: float, share: float = 0.9, above: float = 0.0) -> Any:
    r"""Return the lognormal distribution that has a given share of its values between two limits.

    .. math:: \ln(X - a) \sim \mathcal N(\mu, s^2), \quad
              e^{\mu} = \sqrt{(l - a)(h - a)}, \quad
              s = \frac{\ln\frac{h - a}{l - a}}{2\,\Phi^{-1}\!\left(\frac{1 + p}{2}\right)}

    with :math:`X` a value, :math:`\mu` and :math:`s` mean and standard deviation of the normal
    distribution :math:`\mathcal N`, and :math:`\Phi^{-1}` the quantile function of its standard
    form. A way to write down "most likely between 10 and 40 GB a day". Values below :math:`l` are
    as frequent as those above :math:`h`, and :math:`l` and :math:`h` are equal factors from the
    median.

    Parameters
    ----------
    low, high : float
        Ends :math:`l < h` of the range, above `above`.
    share : float
        Share :math:`p` of the values between them, in [0.01, 1).
    above : float
        Lower bound :math:`a` of all values; 1 for a wear-levelling factor.

    Returns
    -------
    scipy.stats frozen distribution

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> load = within(10e9, 40e9)
    >>> print(round(load.median() / 1e9, 6), round(load.cdf(40e9) - load.cdf(10e9), 6))
    20.0 0.9
    """
    from scipy import stats

    floor = one_number("above", above)
    low = one_number("low", low, above=floor) - floor
    high = one_number("high", high, above=low + floor) - floor
    part = one_number("share", share, low=0.01)
    if part >= 1:
        raise ValueError(f"share must be a finite number >= 0.01 and < 1, got {shown(part)}")
    sigma = math.log(high / low) / (2 * float(stats.norm.ppf((1 + part) / 2)))
    if not sigma > 0:
        raise ValueError(f"share must leave room outside the range, got {shown(part)}")
    return stats.lognorm(sigma, loc=floor, scale=math.sqrt(low * high))


def lifetime(
    physical_bytes: Uncertain,
    pe_cycles: Uncertain,
    bytes_per_day: Uncertain,
    *,
    waf: Uncertain = 1.0,
    wlf: Uncertain = 1.0,
    temperature_c: Uncertain = 30.0,
    rated_c: float = 30.0,
    activation_ev: Uncertain = 1.1,
    retention_exponent: Uncertain = 0.0,
    samples: int = 4096,
    seed: int = 0,
) -> Life:
    r"""Return the life of a drive as a distribution, and what its scatter comes from.

    .. math:: Y = \frac{P\,N}{365\;\mathrm{WAF}\cdot\mathrm{WLF}\cdot h}\;
              \exp\!\left[-\gamma\,\frac{E_a}{k}\left(\frac1{T_r} - \frac1T\right)\right]

    The first factor is the balance of :func:`tbw` and :func:`lifetime_years`, where :math:`N` is
    the number of cycles after which flash still retains data for the required time at temperature
    :math:`T_r`. The second factor corrects for the actual temperature :math:`T`, at which charge
    leaks faster by the Arrhenius factor :math:`\exp[E_a/k\,(1/T_r - 1/T)]` (:math:`k` is the
    Boltzmann constant); the cycles allowed fall with the required retention time :math:`t` as
    :math:`N \propto t^{-\gamma}`. Uncertain arguments are frozen distributions of scipy.stats, such
    as :func:`within` returns, or samples: arrays of 16 values or more. Derived in the book,
    appendix "Lifetime and loads".

    Parameters
    ----------
    physical_bytes : float or distribution
        Raw flash :math:`P` in bytes, > 0.
    pe_cycles : float or distribution
        Program/erase cycles :math:`N`, > 0.
    bytes_per_day : float or distribution
        Host writes :math:`h` in bytes a day, > 0.
    waf : float or distribution
        Write amplification factor, > 0.
    wlf : float or distribution
        Wear-levelling factor, >= 1.
    temperature_c : float or distribution
        Temperature :math:`T` in which the drive has to keep its data, degrees Celsius in
        [-50, 150].
    rated_c : float
        Temperature :math:`T_r` for which `pe_cycles` are stated, in the same range.
    activation_ev : float or distribution
        Activation energy :math:`E_a` of charge loss in eV, >= 0.
    retention_exponent : float or distribution
        Exponent :math:`\gamma` of cycles against retention time, >= 0; 0 leaves temperature out.
    samples : int
        Points of the quasi-Monte-Carlo sequence, a power of 2 in [16, 2**20].
    seed : int
        Seed of its scrambling.

    Returns
    -------
    Life
        ``years`` :math:`Y`, sorted, in years of 365 days; ``quantile`` and ``outlasting`` read it.
        ``first`` and ``total``: Sobol indices of each uncertain argument for the *logarithm* of the
        life, so that a factor counts alike at ten years and at a hundred; the largest total first.
        The first index is the share of the variance that vanishes if the argument alone becomes
        known, the total index the share that remains if all other arguments become known.

    Raises
    ------
    ValueError
        Outside these ranges, also where a distribution reaches beyond them.

    Notes
    -----
    A scrambled Sobol sequence (:class:`scipy.stats.qmc.Sobol`) and Saltelli's estimators
    (:func:`scipy.stats.sobol_indices`). Arguments are independent of each other. Wear only: a drive
    may fail of something else before.

    Examples
    --------
    A load known within a factor of 4, and a write amplification within one of 2:

    >>> life = lifetime(256 * 2**30, 3000, within(10e9, 40e9), waf=within(2, 4))
    >>> {name: round(share, 2) for name, share in life.total.items()}
    {'bytes_per_day': 0.8, 'waf': 0.2}
    """
    points = whole("samples", samples, 16, 2**20)
    if points & (points - 1):
        raise ValueError(f"samples must be a power of 2, got {points}")
    root = whole("seed", seed, 0)
    rated = one_number("rated_c", rated_c, **_BOUNDS["temperature_c"])
    arguments = {
        "physical_bytes": physical_bytes, "pe_cycles": pe_cycles, "bytes_per_day": bytes_per_day,
        "waf": waf, "wlf": wlf, "temperature_c": temperature_c, "activation_ev": activation_ev,
        "retention_exponent": retention_exponent,
    }  # fmt: skip
    known, open_ = {}, {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and value.ndim == 1:
            value = _of_sample(name, value)
        if hasattr(value, "ppf"):
            open_[name] = _inside(name, value)
        else:
            known[name] = one_number(name, value, **_BOUNDS[name])

    if "temperature_c" in open_ and known.get("retention_exponent") == 0:
        raise ValueError("retention_exponent must be > 0 for an uncertain temperature_c, got 0")

    def log_years(drawn: Floats) -> Any:
        return _log_years(rated, **known, **dict(zip(open_, drawn, strict=True)))

    if not open_:
        return Life(np.exp(np.atleast_1d(log_years(np.empty((0, 1))))), {}, {})
    from scipy.stats import qmc, sobol_indices

    shares = qmc.Sobol(len(open_), rng=root).random(points).T
    drawn = np.array([value.ppf(row) for value, row in zip(open_.values(), shares, strict=True)])
    for name, row in zip(open_, drawn, strict=True):
        if not np.isfinite(row).all():
            raise ValueError(
                f"{name} must be a distribution of finite numbers, got {open_[name]!r}"
            )
    years = np.sort(np.exp(log_years(drawn)))
    if len(open_) == 1:
        return Life(years, dict.fromkeys(open_, 1.0), dict.fromkeys(open_, 1.0))
    found = sobol_indices(func=log_years, n=points, dists=list(open_.values()), rng=root)
    order = np.argsort(-found.total_order)
    names = [list(open_)[i] for i in order]
    return Life(
        years,
        dict(zip(names, found.first_order[order].tolist(), strict=True)),
        dict(zip(names, found.total_order[order].tolist(), strict=True)),
    )


def _of_sample(name: str, sample: Floats) -> Any:
    """Return the distribution of a sample: as many values between any two of its percentiles."""
    from scipy.stats import rv_histogram

    values = number(name, sample, **_BOUNDS[name])
    if values.size < _FEWEST or np.ptp(values) == 0:
        raise ValueError(f"{name} must be a sample of {_FEWEST} or more that differ, got {sample}")
    edges = np.unique(np.quantile(values, np.linspace(0, 1, 101)))
    return rv_histogram(np.histogram(values, edges), density=False)


def _inside(name: str, value: Any) -> Any:
    """Return a distribution back if it stays within the domain of its argument."""
    bounds = _BOUNDS[name]
    least, most = value.support()
    floor = bounds.get("above", bounds.get("low", -math.inf))
    held = "above" in bounds and hasattr(value, "pmf") and least == floor  # an atom on the bound
    if least < floor or held or most > bounds.get("high", math.inf):
        rules = {"above": ">", "low": ">=", "high": "<="}
        allowed = " and ".join(f"{rules[key]} {bound:g}" for key, bound in bounds.items())
        raise ValueError(
            f"{name} must be {allowed}, got a distribution from {shown(least)} to {shown(most)}: "
            "scipy.stats.uniform(low, width) has bounds"
        )
    return value


def _log_years(
    rated_c: float,
    *,
    physical_bytes: Any,
    pe_cycles: Any,
    bytes_per_day: Any,
    waf: Any,
    wlf: Any,
    temperature_c: Any,
    activation_ev: Any,
    retention_exponent: Any,
) -> Any:
    """Return the logarithm of the equation of :func:`lifetime`."""
    written = np.log(physical_bytes) + np.log(pe_cycles) - np.log(waf) - np.log(wlf)
    colder = 1 / (rated_c + _ZERO_CELSIUS) - 1 / (temperature_c + _ZERO_CELSIUS)
    faster = activation_ev / _BOLTZMANN * colder
    daily = np.log(_DAYS_PER_YEAR) + np.log(bytes_per_day)
    return written - daily - retention_exponent * faster
