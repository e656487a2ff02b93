"""Codes that correct a fixed number of errors, and their failure rates."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, whole

_MOST_BITS = 2**24
_MOST_RHO = 0.999
_AT_ONCE = 2**12  # bits of a codeword: sums of few terms are rounded little


@overload
def codeword_failure(
    rber: float, codeword_bits: int, correctable: int, overdispersion: float = ...
) -> float: ...
@overload
def codeword_failure(
    rber: ArrayLike, codeword_bits: int, correctable: int, overdispersion: float = ...
) -> Array: ...
@elementwise()
def codeword_failure(
    rber: ArrayLike, codeword_bits: int, correctable: int, overdispersion: float = 0.0
) -> FloatOrArray:
    r"""Return the probability that a codeword has more wrong bits than its code can correct.

    .. math:: F = \sum_{i=t+1}^{n} \binom{n}{i} p^i (1-p)^{n-i} = I_p(t+1,\, n-t)

    with :math:`n` the bits of the codeword, :math:`t` those that can be corrected, :math:`p` the
    raw bit error rate and :math:`I` the regularised incomplete beta function. Errors are
    independent and equally likely for each bit (:cite:t:`mielke2008`). With `overdispersion`
    :math:`\rho`, the error rate differs between codewords: its mean is :math:`p` and its
    distribution the beta distribution with parameters :math:`p(1-\rho)/\rho` and
    :math:`(1-p)(1-\rho)/\rho` (:cite:t:`taranalli2016`). The variance of the number of errors is
    then :math:`np(1-p)\,[1+(n-1)\rho]`.

    Parameters
    ----------
    rber : array_like
        Raw bit error rate, in [0, 1].
    codeword_bits : int
        Bits of data and parity, in [1, 2^24].
    correctable : int
        Largest number of wrong bits that can be corrected, in [0, `codeword_bits`).
    overdispersion : float
        Correlation between the errors of two bits of a codeword, in [0, 0.999].

    Returns
    -------
    float or ndarray
        The probability :math:`F`.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The relative error is below 1e-12 for `overdispersion` 0, else below 1e-7.

    Examples
    --------
    >>> f"{codeword_failure(3.4e-4, 4291, 15):.2e}"
    '5.00e-12'
    >>> f"{codeword_failure(3.4e-4, 4291, 15, overdispersion=1e-4):.2e}"
    '6.42e-07'
    """
    from scipy import special

    rate = number("rber", rber, low=0, high=1)
    n, t = _code(codeword_bits, correctable)
    rho = one_number("overdispersion", overdispersion, low=0, high=_MOST_RHO)
    if rho == 0:
        return plain(special.betainc(t + 1, n - t, rate))
    tails = [p if p in (0, 1) else np.exp(_log_tail(p, n, t, rho)) for p in rate.flat]
    return plain(np.array(tails).reshape(rate.shape))


def _log_tail(p: float, n: int, t: int, rho: float) -> float:
    """Sum the beta-binomial probabilities of more than `t` errors, each a product of n factors."""
    from scipy import special

    ratio = rho / (1 - rho)
    edges = [*range(0, n, _AT_ONCE), n]
    parts = list(itertools.pairwise(edges))

    def logs(start: float, first: int, last: int) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.log(start + ratio * np.arange(first, last))
        return found

    wrong = np.cumsum([0.0, *(logs(p, *part).sum() for part in parts)])  # at the edges
    either = sum(logs(1.0, *part).sum() for part in parts)
    right, sums = 0.0, []
    for (first, last), before in reversed(list(zip(parts, wrong[:-1], strict=True))):
        if last <= t:
            break
        i = np.arange(first + 1, last + 1)
        up = before + np.cumsum(logs(p, first, last))
        down = right + np.cumsum(logs(1 - p, n - last, n - first))
        ways = -np.log1p(n) - special.betaln(i + 1, n - i + 1)
        chances = ways + up + np.concatenate(([right], down[:-1]))[::-1] - either
        sums.append(special.logsumexp(chances[i > t]))
        right = down[-1]
    return float(special.logsumexp(sums))


@overload
def uber(
    rber: float, codeword_bits: int, correctable: int, data_bits: int, overdispersion: float = ...
) -> float: ...
@overload
def uber(
    rber: ArrayLike,
    codeword_bits: int,
    correctable: int,
    data_bits: int,
    overdispersion: float = ...,
) -> Array: ...
def uber(
    rber: ArrayLike,
    codeword_bits: int,
    correctable: int,
    data_bits: int,
    overdispersion: float = 0.0,
) -> FloatOrArray:
    r"""Return the uncorrectable bit error rate (UBER): codewords lost per bit of data read.

    .. math:: \mathrm{UBER} = F / k

    with :math:`F` the :func:`codeword_failure` and :math:`k` the data bits of a codeword: one lost
    codeword counts as one error (:cite:t:`mielke2008`).

    Parameters
    ----------
    rber, codeword_bits, correctable, overdispersion
        Raw bit error rate, bits of data and parity, wrong bits that can be corrected, and
        correlation of errors within a codeword, as for :func:`codeword_failure`.
    data_bits : int
        Data bits of a codeword, in [1, `codeword_bits`].

    Returns
    -------
    float or ndarray
        Errors per bit read.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> f"{uber(3.4e-4, 4291, 15, 4096):.1e}"
    '1.2e-15'
    """
    bits = whole("data_bits", data_bits, 1, whole("codeword_bits", codeword_bits, 1, _MOST_BITS))
    failure = codeword_failure(rber, codeword_bits, correctable, overdispersion)
    return failure / bits


@overload
def rber_limit(
    uber: float, codeword_bits: int, correctable: int, data_bits: int, overdispersion: float = ...
) -> float: ...
@overload
def rber_limit(
    uber: ArrayLike,
    codeword_bits: int,
    correctable: int,
    data_bits: int,
    overdispersion: float = ...,
) -> Array: ...
@elementwise()
def rber_limit(
    uber: ArrayLike,
    codeword_bits: int,
    correctable: int,
    data_bits: int,
    overdispersion: float = 0.0,
) -> FloatOrArray:
    """Return the raw bit error rate at which a code just keeps a given uncorrectable rate.

    This is the inverse of :func:`uber`.

    Parameters
    ----------
    uber : array_like
        Errors per bit read, in [1e-290, 1 / `data_bits`].
    codeword_bits, correctable, overdispersion
        Bits of data and parity, wrong bits that can be corrected, and correlation of errors within
        a codeword, as for :func:`codeword_failure`.
    data_bits : int
        Data bits of a codeword, in [1, `codeword_bits`].

    Returns
    -------
    float or ndarray
        Raw bit error rate.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Fifteen bits in 512 bytes, for a client drive:

    >>> f"{rber_limit(1e-15, 4291, 15, 4096):.3e}"
    '3.354e-04'
    """
    from scipy import special

    n, t = _code(codeword_bits, correctable)
    bits = whole("data_bits", data_bits, 1, n)
    loss = number("uber", uber, low=1e-290, high=1 / bits) * bits
    rho = one_number("overdispersion", overdispersion, low=0, high=_MOST_RHO)
    if rho == 0:
        return plain(special.betaincinv(t + 1, n - t, loss))
    return plain(np.array([_invert_tail(one, n, t, rho) for one in loss.flat]).reshape(loss.shape))


def _invert_tail(target: float, n: int, t: int, rho: float) -> float:
    from scipy.optimize import brentq

    if target >= 1:
        return 1.0

    def excess(log_rate: float) -> float:
        return float(_log_tail(float(np.exp(log_rate)), n, t, rho) - np.log(target))

    low = 0.0
    while excess(low - 2) > 0:
        low -= 2
    return float(np.exp(brentq(excess, low - 2, low - 1e-15, xtol=1e-13)))


def _code(codeword_bits: int, correctable: int) -> tuple[int, int]:
    n = whole("codeword_bits", codeword_bits, 1, _MOST_BITS)
    return n, whole("correctable", correctable, 0, n - 1)


@dataclass(frozen=True)
class Bch:
    r"""A binary BCH code, shortened to the length of the data it protects.

    .. math:: n = k + m t, \qquad \text{the least } m \text{ with } 2^m - 1 \ge n

    with :math:`n` bits in a codeword, of which :math:`k` are data, :math:`t` bits that can be
    corrected, and :math:`m` parity bits for each of these.

    Parameters
    ----------
    data_bytes : int
        Data in a codeword, in [1, 2^20].
    correctable : int
        Largest number of wrong bits that are corrected, :math:`t`, in [1, 1024].

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> code = Bch(1024, 40)
    >>> code.codeword_bits, f"{code.rber_limit(1e-15):.3e}"
    (8752, '1.297e-03')
    """

    data_bytes: int
    correctable: int

    def __post_init__(self) -> None:
        for name, most in (("data_bytes", 2**20), ("correctable", 1024)):
            object.__setattr__(self, name, whole(name, getattr(self, name), 1, most))

    @classmethod
    def within(cls, data_bytes: int, spare_bytes: int) -> Self:
        """Return the strongest BCH code for `data_bytes` whose parity fits in `spare_bytes`.

        Examples
        --------
        A page of 16384 bytes has 1872 to spare; a kilobyte of it may use a sixteenth of them:

        >>> Bch.within(1024, 1872 // 16)
        Bch(data_bytes=1024, correctable=66)
        """
        spare = 8 * whole("spare_bytes", spare_bytes, 1, 2**20)
        best = 0
        while best < 1024 and cls(data_bytes, best + 1).parity_bits <= spare:
            best += 1
        if not best:
            raise ValueError(f"spare_bytes must hold the parity of one bit, got {spare_bytes}")
        return cls(data_bytes, best)

    @property
    def data_bits(self) -> int:
        """Data bits of a codeword, parity not counted."""
        return 8 * self.data_bytes

    @property
    def parity_bits(self) -> int:
        """Parity bits of a codeword."""
        m = 3
        while 2**m - 1 < self.data_bits + m * self.correctable:
            m += 1
        return m * self.correctable

    @property
    def codeword_bits(self) -> int:
        """Bits of a codeword."""
        return self.data_bits + self.parity_bits

    @property
    def code_rate(self) -> float:
        """Share of data bits in a codeword."""
        return self.data_bits / self.codeword_bits

    @overload
    def failure(self, rber: float, overdispersion: float = ...) -> float: ...
    @overload
    def failure(self, rber: ArrayLike, overdispersion: float = ...) -> Array: ...
    def failure(self, rber: ArrayLike, overdispersion: float = 0.0) -> FloatOrArray:
        """Return the probability that a codeword has more wrong bits than this code can correct.

        `rber` is the raw bit error rate, `overdispersion` the correlation of errors within a
        codeword.
        """
        return codeword_failure(rber, self.codeword_bits, self.correctable, overdispersion)

    @overload
    def uber(self, rber: float, overdispersion: float = ...) -> float: ...
    @overload
    def uber(self, rber: ArrayLike, overdispersion: float = ...) -> Array: ...
    def uber(self, rber: ArrayLike, overdispersion: float = 0.0) -> FloatOrArray:
        """Return this code's uncorrectable bit error rate, codewords lost per bit of data read.

        `rber` is the raw bit error rate, `overdispersion` the correlation of errors within a
        codeword.
        """
        return uber(rber, self.codeword_bits, self.correctable, self.data_bits, overdispersion)

    @overload
    def rber_limit(self, uber: float, overdispersion: float = ...) -> float: ...
    @overload
    def rber_limit(self, uber: ArrayLike, overdispersion: float = ...) -> Array: ...
    def rber_limit(self, uber: ArrayLike, overdispersion: float = 0.0) -> FloatOrArray:
        """Return the highest raw bit error rate at which this code keeps a given `uber`.

        `uber` is the rate of uncorrectable errors per bit read, `overdispersion` the correlation of
        errors within a codeword; see :func:`rber_limit`.
        """
        return rber_limit(
            uber, self.codeword_bits, self.correctable, self.data_bits, overdispersion
        )
