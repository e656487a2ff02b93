"""The JEDEC requirements for a drive at the end of its rating, and the test load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear import wa
from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, product
from flashwear.reliability import retention
from flashwear.reliability.retention import Requirement


@dataclass(frozen=True)
class ApplicationClass:
    """An application class of the endurance standard, a row of its table (:cite:t:`jesd218b`).

    Parameters
    ----------
    name : str
        Name of the class.
    off : Requirement
        Time in seconds, >= 0, for which worn flash must retain its data without power, and the
        temperature in degrees Celsius at which it lies.
    active_c : float
        Temperature in use, degrees Celsius, > -273.15.
    active_share : float
        Share of the day in use, in [0, 1].
    uber : float
        Uncorrectable errors allowed per bit read, in (0, 1].
    failures : float
        Share of drives that may fail, in (0, 1).

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    The client class with storage at 25 °C:

    >>> from dataclasses import replace
    >>> replace(CLIENT, off=CLIENT.off._replace(temperature_c=25.0)).off.temperature_c
    25.0
    """

    name: str
    off: Requirement
    active_c: float
    active_share: float
    uber: float
    failures: float

    def __post_init__(self) -> None:
        if not isinstance(self.off, Requirement):
            raise ValueError(f"off must be a Requirement, got {self.off!r}")
        one_number("off.retention_s", self.off.retention_s, low=0)
        one_number("off.temperature_c", self.off.temperature_c, above=retention.ABSOLUTE_ZERO_C)
        one_number("active_c", self.active_c, above=retention.ABSOLUTE_ZERO_C)
        one_number("active_share", self.active_share, low=0, high=1)
        one_number("uber", self.uber, above=0, high=1)
        if one_number("failures", self.failures, above=0) >= 1:
            raise ValueError(f"failures must be > 0 and < 1, got {self.failures}")


CLIENT = ApplicationClass("client", retention.CLIENT, 40.0, 8 / 24, 1e-15, 0.03)
"""Eight hours a day at 40 °C, then one year at 30 °C; one error in 10^15 bits, 3 % failures."""
ENTERPRISE = ApplicationClass("enterprise", retention.ENTERPRISE, 55.0, 1.0, 1e-16, 0.03)
"""All day at 55 °C, then three months at 40 °C; one error in 10^16 bits, 3 % failures."""

ENTERPRISE_SIZES = {512: 0.04, 1024: 0.01, 1536: 0.01, 2048: 0.01, 2560: 0.01, 3072: 0.01,
                    3584: 0.01, 4096: 0.67, 8192: 0.10, 16384: 0.07, 32768: 0.03,
                    65536: 0.03}  # fmt: skip
"""Share of each transfer size, in bytes, in the enterprise workload (:cite:t:`jesd219a`)."""

_ALIGNMENT = 4096  # transfers start at multiples of it


@overload
def map_factor(map_bytes: float = ...) -> float: ...
@overload
def map_factor(map_bytes: ArrayLike = ...) -> Array: ...
@elementwise()
def map_factor(map_bytes: ArrayLike = 4096) -> FloatOrArray:
    r"""Return the bytes in whole map units that JEDEC's enterprise workload writes, per host byte.

    .. math:: \frac{\sum_i w_i\, E_i\, u}{\sum_i w_i\, s_i}, \qquad
              E_i = 1 + \frac{\lceil s_i/a\rceil - 1}{u/a}

    with :math:`w_i` the share of transfers of :math:`s_i` bytes (:data:`ENTERPRISE_SIZES`) and
    :math:`u` the bytes of a map unit. Transfers start at multiples of :math:`a` = 4096 bytes, with
    equal probability for each such place in a unit, and touch :math:`E_i` units on average. Derived
    here. A write buffer that merges adjacent writes before they are programmed lowers the factor.

    Parameters
    ----------
    map_bytes : array_like
        Bytes of a map unit :math:`u`, a multiple of 4096.

    Returns
    -------
    float or ndarray
        A factor on write amplification, > 1: the rest of each unit is read and written back.

    Raises
    ------
    ValueError
        Outside this range.

    Examples
    --------
    >>> [round(factor, 2) for factor in map_factor([4096, 8192, 32768]).tolist()]
    [1.03, 1.56, 4.7]
    """
    unit = number("map_bytes", map_bytes, low=_ALIGNMENT)
    places = unit / _ALIGNMENT
    if (places % 1).any():
        raise ValueError(f"map_bytes must be a multiple of {_ALIGNMENT}, got {map_bytes!r}")
    sizes = np.array(list(ENTERPRISE_SIZES))
    shares = np.array(list(ENTERPRISE_SIZES.values()))
    touched = 1 + (np.ceil(sizes / _ALIGNMENT) - 1) / places[..., None]
    return plain(touched @ shares * unit / (shares @ sizes))


@overload
def enterprise_waf(op: float, map_bytes: float = ...) -> float: ...
@overload
def enterprise_waf(op: ArrayLike, map_bytes: ArrayLike = ...) -> Array: ...
@elementwise()
def enterprise_waf(op: ArrayLike, map_bytes: ArrayLike = 4096) -> FloatOrArray:
    r"""Return the write amplification of JEDEC's enterprise workload in one log with FIFO cleaning.

    It is the product of :func:`flashwear.wa.fifo_mixed` for the three classes of addresses
    (:data:`flashwear.wa.JESD219`) and of :func:`map_factor`, for writes of parts of map units.

    Parameters
    ----------
    op : array_like
        Over-provisioning over user capacity, > 0.
    map_bytes : array_like
        Bytes of a map unit, a multiple of 4096.

    Returns
    -------
    float or ndarray
        Bytes programmed per host byte. A drive that keeps hot and cold data apart does better.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A drive for servers and one for notebooks:

    >>> [round(waf, 2) for waf in enterprise_waf([0.8, 0.07]).tolist()]
    [1.76, 8.8]
    """
    return plain(np.asarray(wa.fifo_mixed(op, *wa.JESD219)) * map_factor(map_bytes))


@overload
def ageing(application: ApplicationClass, rest_s: float, ea_ev: float = ...) -> float: ...
@overload
def ageing(application: ApplicationClass, rest_s: ArrayLike, ea_ev: ArrayLike = ...) -> Array: ...
@elementwise()
def ageing(
    application: ApplicationClass, rest_s: ArrayLike, ea_ev: ArrayLike = retention.ACTIVATION_EV
) -> FloatOrArray:
    r"""Return the time without power that ages data as much as a given time in a running drive.

    .. math:: t' = t\,[\,h\,\mathrm{AF}(\vartheta_o \to \vartheta_a) + 1 - h\,]

    with :math:`t'` the result, :math:`h` the share of the day in use, at :math:`\vartheta_a`, and
    :math:`\vartheta_o` the temperature without power, which the drive is assumed to have for the
    rest of the day. AF is the :func:`~flashwear.reliability.retention.acceleration`.

    Parameters
    ----------
    application : ApplicationClass
        :data:`CLIENT`, :data:`ENTERPRISE` or one of your own.
    rest_s : array_like
        Seconds :math:`t` that data lie before they are written again, by host or drive, >= 0.
    ea_ev : array_like
        Activation energy in electronvolts, >= 0.

    Returns
    -------
    float or ndarray
        Seconds at the temperature of ``application.off``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A month in a server ages data by half a year of its storage:

    >>> round(ageing(ENTERPRISE, 30 * 86400) / 86400)
    193
    """
    rest = number("rest_s", rest_s, low=0)
    if not isinstance(application, ApplicationClass):
        raise TypeError(f"application must be an ApplicationClass, got {application!r}")
    speed = retention.acceleration(ea_ev, application.off.temperature_c, application.active_c)
    hot = product(rest, application.active_share, speed)
    return plain(rest * (1 - application.active_share) + hot)
