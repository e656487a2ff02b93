"""The cost of programming flash in pulses and verify steps, with one, two and three bits per cell.

No absolute power comes out of it: pulses and checks differ from chip to chip, and a drive's
controller, DRAM and link draw power too. What holds for any pulse and any check is the order.
Values outside the ranges given raise ValueError.
"""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, whole

_MOST_BITS = 6


class Program(NamedTuple):
    """Numbers of pulses and verify steps that program a row of cells once.

    ``bits`` per cell, which is also the number of pages in the row; ``pulses`` and ``checks``, the
    numbers of programming pulses and of verify steps.
    """

    bits: int
    pulses: float
    checks: float

    @overload
    def cost(self, check: float = ...) -> float: ...
    @overload
    def cost(self, check: ArrayLike = ...) -> Array: ...
    def cost(self, check: ArrayLike = 0.25) -> FloatOrArray:
        r"""Return the cost of programming one bit, in programming pulses.

        .. math:: e = \frac{p + c\,q}{b}

        with :math:`p` pulses and :math:`q` verify steps for a row of cells of :math:`b` bits each.
        A verify step takes :math:`c` times the energy (or the time) of a pulse.

        Parameters
        ----------
        check : array_like
            Cost :math:`c` of a verify step in pulses, >= 0. The value is assumed.

        Returns
        -------
        float or ndarray
            Pulses per bit.

        Examples
        --------
        >>> [round(program(bits).cost(), 1) for bits in (1, 2, 3)]
        [5.0, 9.0, 18.7]
        """
        share = number("check", check, low=0)
        return plain((self.pulses + share * self.checks) / self.bits)


def program(bits: int, steps: float = 4.0) -> Program:
    r"""Return how many pulses and verify steps it takes to program a row of cells.

    .. math:: p = m\,(2^b - 1), \qquad q = m \sum_{l=1}^{2^b - 1} l = m\,2^{b-1}(2^b - 1)

    :math:`p` pulses of rising voltage raise the threshold voltage of the cells step by step, and
    after each pulse the cells are checked (:math:`q` verify steps in all) against the levels that
    they may have reached: incremental step pulse programming (:cite:t:`suh1995`). With :math:`b`
    bits per cell there are :math:`2^b` levels, of which the lowest is the erased one, and :math:`m`
    steps lead from each level to the next. The window of threshold voltage is the same for any
    :math:`b`, so closer levels need smaller steps. Cells that are to reach level :math:`l` are
    checked after each pulse until the voltage has passed that level. Derived here. Only compare the
    results for one, two and three bits; single numbers mean little.

    Parameters
    ----------
    bits : int
        Bits per cell :math:`b`, in [1, 6].
    steps : float
        Steps from one level to the next, :math:`m`, > 0. The value is assumed; whether more bits
        per cell cost more does not depend on it.

    Returns
    -------
    Program
        ``pulses`` :math:`p` and ``checks`` :math:`q` for a row of cells, which holds ``bits``
        pages. Its method ``cost()`` adds them up to a cost per bit.

    Examples
    --------
    >>> program(3)
    Program(bits=3, pulses=28.0, checks=112.0)
    """
    count = whole("bits", bits, 1, _MOST_BITS)
    step = one_number("steps", steps, above=0)
    levels = 2**count - 1
    return Program(count, step * levels, step * levels * (levels + 1) / 2)


@overload
def cached_cost(bits: int, folded_share: float, check: float = ...) -> float: ...
@overload
def cached_cost(bits: int, folded_share: ArrayLike, check: ArrayLike = ...) -> Array: ...
@elementwise()
def cached_cost(bits: int, folded_share: ArrayLike, check: ArrayLike = 0.25) -> FloatOrArray:
    r"""Return the cost, in pulses per bit, of writes that go to an SLC cache and are folded later.

    .. math:: e_1 + \varphi\,e_b

    :math:`e_1` and :math:`e_b` are the costs of a bit (:meth:`Program.cost`) in the cache, with one
    bit per cell, and in the main area, with :math:`b` bits per cell. The share :math:`\varphi` of
    the host's writes is folded. The reads of folding are left out.

    Parameters
    ----------
    bits : int
        Bits per cell of the main area, in [1, 6].
    folded_share : array_like
        Share of the bits that are copied out of the cache later :math:`\varphi`, in [0, 1].
    check : array_like
        Cost of a verify step in pulses, >= 0.

    Returns
    -------
    float or ndarray
        Pulses per bit.

    Examples
    --------
    Folding everything costs more than writing two bits per cell at once, folding a third less:

    >>> [round(float(cost), 1) for cost in cached_cost(2, [1, 1 / 3])]
    [14.0, 8.0]
    """
    share = number("folded_share", folded_share, low=0, high=1)
    return plain(program(1).cost(check) + share * np.asarray(program(bits).cost(check)))


@overload
def joules_per_byte(power_w: float, bytes_per_s: float) -> float: ...
@overload
def joules_per_byte(power_w: ArrayLike, bytes_per_s: ArrayLike) -> Array: ...
@elementwise()
def joules_per_byte(power_w: ArrayLike, bytes_per_s: ArrayLike) -> FloatOrArray:
    r"""Return the energy per byte from power and data rate.

    .. math:: E = W / B

    Parameters
    ----------
    power_w : array_like
        Watts :math:`W` while writing, >= 0.
    bytes_per_s : array_like
        Rate :math:`B`, > 0.

    Returns
    -------
    float or ndarray
        Joules per byte :math:`E`; times 1e9 per gigabyte, times the user capacity per drive write.

    Examples
    --------
    3.6 W at 400 MB/s, in joules per gigabyte:

    >>> joules_per_byte(3.6, 400e6) * 1e9
    9.0
    """
    power = number("power_w", power_w, low=0)
    return plain(power / number("bytes_per_s", bytes_per_s, above=0))
