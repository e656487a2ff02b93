"""The error limits of low-density parity-check codes, from the capacity of the channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain

_LEAST_RATE = 1e-9  # bit error rate of a channel whose capacity is the most a code may use


@dataclass(frozen=True)
class Ldpc:
    r"""An LDPC code, modelled as a threshold :math:`p^*`: it corrects all error rates below it.

    .. math:: (1 - \gamma)\, C(p^*) = \kappa

    with :math:`\kappa` the code rate, :math:`\gamma` the gap (the share of the capacity that the
    code leaves unused) and :math:`C` the capacity of the channel at a bit error rate :math:`p` of
    hard decisions. One read of a page gives the binary symmetric channel, :math:`C = 1 + p\log_2 p
    + (1-p)\log_2(1-p)`. Three reads at shifted voltages tell doubtful bits from sure ones:
    :math:`C` is then the mutual information of a Gaussian channel seen through four levels, at the
    shift for which it is largest (:cite:t:`wang2014`). The model has no waterfall and no error
    floor, and so gives no rate of uncorrectable errors.

    Parameters
    ----------
    code_rate : float
        Data bits over all bits, :math:`\kappa`, in [0.1, 0.99] and below :math:`1 - \gamma`.
    gap : float
        Share of the capacity that the code leaves unused, :math:`\gamma`, in [0, 0.5]. The value is
        an assumption: real codes of a few kilobytes leave a few percent.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> code = Ldpc(0.9, gap=0.03)
    >>> round(code.rber_limit(), 4), round(code.rber_limit(reads=3), 4)
    (0.0087, 0.0157)
    """

    code_rate: float
    gap: float = 0.03

    def __post_init__(self) -> None:
        one_number("code_rate", self.code_rate, low=0.1, high=0.99)
        one_number("gap", self.gap, low=0, high=0.5)
        if self.code_rate / (1 - self.gap) >= hard_capacity(_LEAST_RATE):
            raise ValueError(f"code_rate must be < 1 - gap, got {self.code_rate} and {self.gap}")

    def rber_limit(self, reads: int = 1) -> float:
        """Return the raw bit error rate that this code corrects, with 1 or 3 reads of a page.

        Raises
        ------
        ValueError
            For any other number of reads.
        """
        from scipy.optimize import brentq

        if reads not in (1, 3):
            raise ValueError(f"reads must be 1 or 3, got {reads!r}")
        channel = hard_capacity if reads == 1 else soft_capacity
        wanted = self.code_rate / (1 - self.gap)
        return float(brentq(lambda p: channel(p) - wanted, _LEAST_RATE, 0.4999, xtol=1e-12))


@overload
def hard_capacity(rber: float) -> float: ...
@overload
def hard_capacity(rber: ArrayLike) -> Array: ...
@elementwise()
def hard_capacity(rber: ArrayLike) -> FloatOrArray:
    r"""Return the channel capacity per bit of a cell that is read once (hard decision).

    .. math:: C = 1 + p\log_2 p + (1-p)\log_2(1-p)

    Parameters
    ----------
    rber : array_like
        Raw bit error rate :math:`p`, in [0, 0.5].

    Returns
    -------
    float or ndarray
        Bits per bit stored, :math:`C`, in [0, 1].

    Raises
    ------
    ValueError
        Outside this range.

    Examples
    --------
    >>> round(hard_capacity(0.01), 3)
    0.919
    """
    rate = number("rber", rber, low=0, high=0.5)
    return plain(1 - _entropy(np.stack((rate, 1 - rate))))


def soft_capacity(rber: float) -> float:
    """Return the channel capacity per bit of a cell that is read at three voltages (soft decision).

    The three voltages tell doubtful bits from sure ones; :class:`Ldpc` gives the model.

    Parameters
    ----------
    rber : float
        Raw bit error rate of a single read, in (0, 0.5).

    Returns
    -------
    float
        Bits per bit stored, more than :func:`hard_capacity`.

    Raises
    ------
    ValueError
        Outside this range.

    Examples
    --------
    >>> round(soft_capacity(0.01), 3)
    0.953
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import ndtr, ndtri

    rate = one_number("rber", rber, above=0, high=0.4999)
    level = -float(ndtri(rate))  # of the stored bit, in standard deviations of the noise

    def information(shift: float) -> float:
        below = ndtr(np.array([-np.inf, -shift, 0.0, shift, np.inf]) - level)
        share = np.diff(below)
        mixed = (share + share[::-1]) / 2
        return float(_entropy(mixed) - _entropy(share))

    best = minimize_scalar(
        lambda shift: -information(shift), bounds=(0, level + 3), method="bounded"
    )
    return -float(best.fun)


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import entr

    total: NDArray[np.float64] = entr(shares).sum(axis=0) / np.log(2)
    return total
