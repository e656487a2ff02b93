"""The raw bit error rate of flash, from wear, retention and read disturb."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear import tables
from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, product
from flashwear._extras import require
from flashwear.reliability import retention

if TYPE_CHECKING:
    import pandas as pd

MOST = 0.5
"""Largest bit error rate that :func:`at` returns, that of random bits."""

_MOST_CYCLES = 1e9
_LEAST_CYCLES = 1e-6
_LEAST_RATE = 1e-300  # whose logarithm is finite
_HIGHEST = {"floor": MOST, "rho": 0.999}
_AMPLITUDES = ("floor", "wear", "retention", "disturb")


@dataclass(frozen=True, kw_only=True)
class Flash:
    """Parameters of the formula for a flash memory's raw bit error rate (:func:`at`).

    Parameters
    ----------
    floor : float
        Bit error rate of new flash, just written, in [0, 0.5].
    wear : float
        Coefficient of the error rate that cycles add.
    wear_power : float
        Power of the cycles in the error rate by wear; 0 for the exponential form.
    wear_growth : float
        Exponential growth per cycle of the error rate by wear; 0 for the power law.
    retention : float
        Coefficient of the error rate that `retention_reference_s` at `reference_c` adds.
    retention_cycles_power, retention_time_power : float
        Powers of cycles and of time since the write in the error rate that retention adds.
    retention_reference_s : float
        Retention time in seconds to which `retention` belongs, > 0.
    disturb : float
        Coefficient of the error rate that one read of the block adds.
    disturb_cycles_power : float
        Power of the cycles in the error rate by reads.
    reference_c : float
        Temperature in degrees Celsius to which `retention` belongs, > -273.15.
    activation_ev : float
        Activation energy of charge loss in electronvolts.
    rho : float
        Correlation of errors within a codeword, in [0, 1): the overdispersion that
        :func:`flashwear.reliability.ecc.codeword_failure` takes. Not used by :func:`at`.

    Raises
    ------
    ValueError
        For parameters outside these ranges; those without one must be >= 0.

    Examples
    --------
    >>> load("mlc-20nm").wear_power
    1.71
    """

    floor: float
    wear: float
    wear_power: float
    wear_growth: float = 0.0
    retention: float
    retention_cycles_power: float
    retention_time_power: float
    retention_reference_s: float
    disturb: float
    disturb_cycles_power: float
    reference_c: float
    activation_ev: float
    rho: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "reference_c":
                one_number(field.name, value, above=retention.ABSOLUTE_ZERO_C)
            elif field.name == "retention_reference_s":
                one_number(field.name, value, above=0)
            else:
                one_number(field.name, value, low=0, high=_HIGHEST.get(field.name))


@overload
def at(
    flash: Flash,
    pe_cycles: float,
    retention_s: float = ...,
    temperature_c: float = ...,
    reads: float = ...,
) -> float: ...
@overload
def at(
    flash: Flash,
    pe_cycles: ArrayLike,
    retention_s: ArrayLike = ...,
    temperature_c: ArrayLike = ...,
    reads: ArrayLike = ...,
) -> Array: ...
@elementwise()
def at(
    flash: Flash,
    pe_cycles: ArrayLike,
    retention_s: ArrayLike = 0.0,
    temperature_c: ArrayLike = 30.0,
    reads: ArrayLike = 0.0,
) -> FloatOrArray:
    r"""Return the raw bit error rate of worn flash after a retention time.

    .. math:: R(N, \tau, \vartheta, r) = \varepsilon + w N^{a} e^{BN}
              + \ell N^{b} \left(\frac{\tau\,\mathrm{AF}(\vartheta)}{\tau_0}\right)^{c}
              + g N^{d} r

    with :math:`N` the P/E cycles, :math:`\tau` the time since the write, AF the Arrhenius
    :func:`~flashwear.reliability.retention.acceleration` from the reference temperature and
    :math:`r` the reads of the block since the write. The terms are those of new flash, of wear, of
    retention and of read disturb. The other symbols are parameters of :class:`Flash`:
    :math:`\varepsilon` ``floor``; :math:`w, a, B` ``wear``, ``wear_power``, ``wear_growth``;
    :math:`\ell, b, c, \tau_0` ``retention``, its powers of cycles and time and its reference time;
    :math:`g, d` ``disturb`` and its power. The additive power law is that of :cite:t:`kim2019`,
    here with reads to the first power (:cite:t:`cai2015disturb`); :math:`a = 0` gives the
    exponential form of early work.

    Parameters
    ----------
    flash : Flash
        The flash memory, for instance from :func:`load`.
    pe_cycles : array_like
        Program/erase cycles, >= 0.
    retention_s : array_like
        Seconds since the data were written, >= 0.
    temperature_c : array_like
        Temperature :math:`\vartheta` during that time in degrees Celsius, > -273.15.
    reads : array_like
        Reads of any page of the block during that time, >= 0.

    Returns
    -------
    float or ndarray
        Wrong bits over bits read :math:`R`, before correction, in [0, 0.5].

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The mean over a chip. Pages and blocks of one chip differ by factors of a few, and field data
    show slower growth than tests of chips do (:cite:t:`schroeder2016`). Nor do failures of drives
    in the field rise steadily with wear (:cite:t:`meza2015`).

    Examples
    --------
    After 3,000 cycles, at once and a year later:

    >>> flash = load("mlc-20nm")
    >>> [f"{at(flash, 3000, years * 365 * 86400):.1e}" for years in (0, 1)]
    ['1.1e-04', '1.1e-03']
    """
    if not isinstance(flash, Flash):
        raise ValueError(f"flash must be a Flash, as load() gives, got {flash!r}")
    cycles = number("pe_cycles", pe_cycles, low=0)
    time = number("retention_s", retention_s, low=0)
    seen = number("reads", reads, low=0)
    celsius = number("temperature_c", temperature_c, above=retention.ABSOLUTE_ZERO_C)
    speed = retention.acceleration(flash.activation_ev, flash.reference_c, celsius)
    with np.errstate(over="ignore"):
        growth = np.exp(product(flash.wear_growth, cycles))
        age = (product(time, speed) / flash.retention_reference_s) ** flash.retention_time_power
        worn = product(flash.wear, cycles**flash.wear_power, growth)
        lost = product(flash.retention, cycles**flash.retention_cycles_power, age)
        disturbed = product(flash.disturb, cycles**flash.disturb_cycles_power, seen)
        return plain(np.minimum(flash.floor + worn + lost + disturbed, MOST))


@overload
def cycles_at(
    flash: Flash,
    limit: float,
    retention_s: float = ...,
    temperature_c: float = ...,
    reads: float = ...,
) -> float: ...
@overload
def cycles_at(
    flash: Flash,
    limit: ArrayLike,
    retention_s: ArrayLike = ...,
    temperature_c: ArrayLike = ...,
    reads: ArrayLike = ...,
) -> Array: ...
@elementwise()
def cycles_at(
    flash: Flash,
    limit: ArrayLike,
    retention_s: ArrayLike = 0.0,
    temperature_c: ArrayLike = 30.0,
    reads: ArrayLike = 0.0,
) -> FloatOrArray:
    r"""Return the P/E cycles at which the raw bit error rate reaches a limit.

    .. math:: R(N, \tau, \vartheta, r) = R_\mathrm{limit}

    solved for the cycles :math:`N`, with :math:`R` the error rate by :func:`at`, :math:`\tau` the
    time, :math:`\vartheta` the temperature and :math:`r` the reads.

    Parameters
    ----------
    flash : Flash
        The flash memory, for instance from :func:`load`.
    limit : array_like
        Highest raw bit error rate that the code can correct, in (0, 0.5).
    retention_s, temperature_c, reads : array_like
        Seconds since the write, temperature in that time in degrees Celsius, reads of the block.

    Returns
    -------
    float or ndarray
        P/E cycles: 0 where new flash is beyond the limit, infinite where 1e9 cycles are not enough.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    With a code that bears one bit in a thousand, for a year at 30 °C:

    >>> round(cycles_at(load("mlc-20nm"), 1e-3, 365 * 86400))
    2852
    """
    from scipy.optimize import elementwise

    most = np.nextafter(MOST, 0)
    limits, *rest = np.broadcast_arrays(
        number("limit", limit, above=0, high=most),
        number("retention_s", retention_s, low=0),
        number("temperature_c", temperature_c, above=retention.ABSOLUTE_ZERO_C),
        number("reads", reads, low=0),
    )

    def excess(log_cycles: Any, limit: Any, *others: Any) -> Any:
        rate = at(flash, np.exp(log_cycles), *others)
        return np.log(np.maximum(rate, _LEAST_RATE) / limit)

    ends = np.log((_LEAST_CYCLES, _MOST_CYCLES))
    first, last = (excess(np.full(limits.shape, end), limits, *rest) for end in ends)
    cycles = np.where(last < 0, np.inf, 0.0)
    inside = np.asarray((first < 0) & (last >= 0))
    if inside.any():
        chosen = [array[inside] for array in (limits, *rest)]
        brackets = tuple(np.full(chosen[0].shape, end) for end in ends)
        found = elementwise.find_root(excess, brackets, args=chosen)
        cycles[inside] = np.exp(found.x)
    return plain(cycles)


@overload
def cycles_ratio(
    flash: Flash,
    limit: float,
    first: retention.Requirement = ...,
    second: retention.Requirement = ...,
) -> float: ...
@overload
def cycles_ratio(
    flash: Flash,
    limit: ArrayLike,
    first: retention.Requirement = ...,
    second: retention.Requirement = ...,
) -> Array: ...
@elementwise()
def cycles_ratio(
    flash: Flash,
    limit: ArrayLike,
    first: retention.Requirement = retention.CLIENT,
    second: retention.Requirement = retention.ENTERPRISE,
) -> FloatOrArray:
    r"""Return the ratio of the P/E cycles that flash is allowed by two retention requirements.

    :math:`N_j` cycles bring the raw bit error rate :math:`R` (:func:`at`) to the limit after the
    time :math:`\tau_j` at the temperature :math:`\vartheta_j` of requirement :math:`j`, without
    reads:

    .. math:: N_2 / N_1, \qquad R(N_j, \tau_j, \vartheta_j, 0) = R_\mathrm{limit}

    Parameters
    ----------
    flash : Flash
        The flash memory, for instance from :func:`load`.
    limit : array_like
        Raw bit error rate :math:`R_\mathrm{limit}` that error correction can bear, in (0, 0.5).
    first, second : Requirement
        Times in s that data must be retained without power, and temperatures in degrees Celsius.

    Returns
    -------
    float or ndarray
        A ratio, NaN where both are 0 or both infinite.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Three months at 40 °C instead of a year at 30 °C is hardly less; at 30 °C it is:

    >>> flash = load("mlc-20nm")
    >>> milder = retention.Requirement(retention.ENTERPRISE.retention_s, 30)
    >>> [round(cycles_ratio(flash, 1e-3, second=to), 2) for to in (retention.ENTERPRISE, milder)]
    [1.02, 1.71]
    """
    for name, one in (("first", first), ("second", second)):
        if not isinstance(one, retention.Requirement):
            raise TypeError(f"{name} must be a Requirement, got {one!r}")
    bound, other = (cycles_at(flash, limit, *each) for each in (first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        return plain(np.divide(other, bound))


def names() -> list[str]:
    """Return the names of the flash memories that :func:`load` knows.

    Examples
    --------
    >>> names()
    ['mlc-25nm', 'mlc-20nm', 'mlc-16nm', 'tlc-3d']
    """
    return list(_read())


def load(name: str, bound: Literal["value", "low", "high"] = "value") -> Flash:
    """Return a flash memory of ``data/flash_errors.toml``, or one end of its error band.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    bound : {"value", "low", "high"}
        Which values to take: with "low" or "high", the coefficients ``floor``, ``wear``,
        ``retention`` and ``disturb`` are at the lower or upper end of their bands, for few or many
        errors.

    Returns
    -------
    Flash
        Its parameters.

    Raises
    ------
    ValueError
        If there is no such flash or bound.

    Examples
    --------
    >>> load("tlc-3d").floor, load("tlc-3d", "low").floor
    (0.00148, 0.00074)
    """
    if bound not in ("value", "low", "high"):
        raise ValueError(f"bound must be one of value, low, high, got {bound!r}")
    end = dict.fromkeys(_AMPLITUDES, bound)
    return Flash(**{key: row[end.get(key, "value")] for key, row in _entries(name).items()})


def parameters(name: str) -> pd.DataFrame:
    """Return the parameters of a flash memory as a table: value, origin, band, source and note.

    There is a row for each parameter. ``origin`` says what kind of source the value is from,
    ``low`` and ``high`` are the ends of the band of plausible values.

    Examples
    --------
    >>> list(parameters("tlc-3d"))
    ['parameter', 'value', 'origin', 'low', 'high', 'source', 'note']
    """
    require("tables", "pandas")
    import pandas as pd

    columns = ["parameter", "value", "origin", "low", "high", "source", "note"]
    rows = [{"parameter": key, **entry} for key, entry in _entries(name).items()]
    return pd.DataFrame(rows, columns=columns)


def _entries(name: str) -> dict[str, dict[str, Any]]:
    memories = _read()
    if name not in memories:
        raise ValueError(f"name must be one of {', '.join(memories)}, got {name!r}")
    return memories[name]


@cache
def _read() -> dict[str, dict[str, dict[str, Any]]]:
    with (tables.data_folder() / "flash_errors.toml").open("rb") as file:
        return tomllib.load(file)
