"""How fast charge leaks: Arrhenius acceleration, and the retention that a rating requires."""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, product
from flashwear.units import YEAR

BOLTZMANN_EV = 8.617333262e-5
"""Boltzmann constant in electronvolts per kelvin."""
ABSOLUTE_ZERO_C = -273.15
"""Absolute zero in degrees Celsius."""
ACTIVATION_EV = 1.1
"""Activation energy of charge loss in the standard, in electronvolts (:cite:t:`jesd218b`)."""


class Requirement(NamedTuple):
    """Time for which a worn drive must retain data without power, and its temperature.

    ``retention_s`` is in seconds and ``temperature_c`` in degrees Celsius.
    """

    retention_s: float
    temperature_c: float


CLIENT = Requirement(YEAR, 30.0)
"""Client drives hold data for one year at 30 °C (:cite:t:`jesd218b`)."""
ENTERPRISE = Requirement(YEAR / 4, 40.0)
"""Enterprise drives hold data for three months at 40 °C (:cite:t:`jesd218b`)."""


@overload
def acceleration(ea_ev: float, use_c: float, stress_c: float) -> float: ...
@overload
def acceleration(ea_ev: ArrayLike, use_c: ArrayLike, stress_c: ArrayLike) -> Array: ...
@elementwise()
def acceleration(ea_ev: ArrayLike, use_c: ArrayLike, stress_c: ArrayLike) -> FloatOrArray:
    r"""Return how many times faster charge is lost at one temperature than at another.

    .. math:: \mathrm{AF} = \exp\!\left[\frac{E_a}{k_B}
              \left(\frac{1}{T_u} - \frac{1}{T_s}\right)\right]

    with :math:`E_a` the activation energy, :math:`k_B` the Boltzmann constant and :math:`T_u`,
    :math:`T_s` the absolute temperatures of use and stress, :math:`T = 273.15 + \vartheta`
    (:cite:t:`jesd218b`).

    Parameters
    ----------
    ea_ev : array_like
        Activation energy in electronvolts, >= 0.
    use_c, stress_c : array_like
        Temperatures in degrees Celsius, > -273.15.

    Returns
    -------
    float or ndarray
        A ratio > 0, below 1 where the stress is the cooler one.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The activation energy is 1.1 eV for charge that leaves traps, and less for leakage through a
    worn oxide. A drive in which both happen is accelerated less than the formula says.

    Examples
    --------
    One year at 30 °C in an oven of 52 °C, in hours; the standard bakes 500:

    >>> round(365 * 24 / acceleration(1.1, 30, 52))
    507
    """
    use, stress = (
        number(name, value, above=ABSOLUTE_ZERO_C) - ABSOLUTE_ZERO_C
        for name, value in (("use_c", use_c), ("stress_c", stress_c))
    )
    energy = number("ea_ev", ea_ev, low=0)
    with np.errstate(over="ignore"):
        return plain(np.exp(energy / BOLTZMANN_EV * (1 / use - 1 / stress)))


@overload
def equivalent(time_s: float, from_c: float, to_c: float, ea_ev: float = ...) -> float: ...
@overload
def equivalent(
    time_s: ArrayLike, from_c: ArrayLike, to_c: ArrayLike, ea_ev: ArrayLike = ...
) -> Array: ...
@elementwise()
def equivalent(
    time_s: ArrayLike, from_c: ArrayLike, to_c: ArrayLike, ea_ev: ArrayLike = ACTIVATION_EV
) -> FloatOrArray:
    r"""Return the time at one temperature that loses as much charge as a given time at another.

    The result :math:`\tau'` is the given time :math:`\tau` over the factor AF by which charge is
    lost faster at the second temperature :math:`\vartheta'` than at the first
    (:func:`acceleration`):

    .. math:: \tau' = \tau / \mathrm{AF}(\vartheta \to \vartheta')

    Parameters
    ----------
    time_s : array_like
        Time in seconds, >= 0.
    from_c, to_c : array_like
        Temperatures of this time and of the time wanted, in degrees Celsius, > -273.15.
    ea_ev : array_like
        Activation energy in electronvolts, >= 0.

    Returns
    -------
    float or ndarray
        Seconds; infinite towards absolute zero, where charge stays.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    What enterprise drives have to bear, as a share of a year of client drives:

    >>> round(equivalent(ENTERPRISE.retention_s, 40, 30) / CLIENT.retention_s, 2)
    0.96
    """
    time = number("time_s", time_s, low=0)
    for name, value in (("from_c", from_c), ("to_c", to_c)):
        number(name, value, above=ABSOLUTE_ZERO_C)
    return plain(product(time, acceleration(ea_ev, to_c, from_c)))


@overload
def power_off(requirement: Requirement, storage_c: float, ea_ev: float = ...) -> float: ...
@overload
def power_off(requirement: Requirement, storage_c: ArrayLike, ea_ev: ArrayLike = ...) -> Array: ...
@elementwise()
def power_off(
    requirement: Requirement, storage_c: ArrayLike, ea_ev: ArrayLike = ACTIVATION_EV
) -> FloatOrArray:
    """Return how long a drive that just meets a requirement retains data at another temperature.

    The required retention time is converted from the required temperature to `storage_c` by
    :func:`equivalent`. The temperature at which the drive was written has no influence here.

    Parameters
    ----------
    requirement : Requirement
        :data:`CLIENT`, :data:`ENTERPRISE` or one of your own.
    storage_c : array_like
        Temperature without power, in degrees Celsius, > -273.15.
    ea_ev : array_like
        Activation energy in electronvolts, >= 0.

    Returns
    -------
    float or ndarray
        Seconds.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Weeks for a client drive in cool, room and warm air:

    >>> [round(float(s) / 604800) for s in power_off(CLIENT, [20, 25, 30, 40])]
    [219, 106, 52, 14]
    """
    if not isinstance(requirement, Requirement):
        raise ValueError(f"requirement must be a Requirement, got {requirement!r}")
    celsius = number("storage_c", storage_c, above=ABSOLUTE_ZERO_C)
    return equivalent(requirement.retention_s, requirement.temperature_c, celsius, ea_ev)
