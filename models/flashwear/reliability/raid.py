"""Parity across dies: how often pages that ECC cannot correct are lost for good.

Its cost in flash and writes is in :mod:`flashwear.wa` (:func:`~flashwear.wa.parity_op`,
:func:`~flashwear.wa.parity_factor`).
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, one_number, plain, whole
from flashwear.units import DAY, YEAR

_MOST_UNITS = 1_000_000_000
_SHORTEST_WINDOW = 1e-15  # of the time in service
_TERMS = 40  # of a series in 1/m!, of which the first 17 may be 0


@overload
def stripe_loss(unit_loss: float, data_units: int, parity_units: int = ...) -> float: ...
@overload
def stripe_loss(unit_loss: ArrayLike, data_units: int, parity_units: int = ...) -> Array: ...
@elementwise()
def stripe_loss(unit_loss: ArrayLike, data_units: int, parity_units: int = 1) -> FloatOrArray:
    r"""Return the probability that a stripe loses more units than its parity can replace.

    .. math:: \Pr(\text{more than } k \text{ of } n + k) = I_q(k+1,\, n)

    with :math:`n` units of data and :math:`k` of parity, each on its own die and lost with
    probability :math:`q`, independently of the others, and :math:`I` the regularised incomplete
    beta function.

    Parameters
    ----------
    unit_loss : array_like
        Probability :math:`q` that a codeword after correction, a page or a die is lost, in [0, 1].
    data_units : int
        Data units in a stripe, in [1, 1e9].
    parity_units : int
        Parity units in a stripe, in [0, 1e9].

    Returns
    -------
    float or ndarray
        A probability.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Errors are not independent: the pages of a stripe have the same age and wear, and a bad batch
    or a power cut hits many dies. The probability is then larger. For whole drives this is known:
    :cite:t:`han2021` find that those of one node or rack fail together, and :cite:t:`maneas2020`
    study it within RAID groups.

    Examples
    --------
    Sixteen dies of which each fails within the warranty with one in a thousand:

    >>> [f"{stripe_loss(1e-3, 16 - k, k):.1e}" for k in (0, 1, 2)]
    ['1.6e-02', '1.2e-04', '5.5e-07']
    """
    from scipy import special

    loss = number("unit_loss", unit_loss, low=0, high=1)
    n, k = _stripe(data_units, parity_units)
    return plain(special.betainc(k + 1, n, loss))


@overload
def loss_after(unit_loss: float, data_units: int, parity_units: int = ...) -> float: ...
@overload
def loss_after(unit_loss: ArrayLike, data_units: int, parity_units: int = ...) -> Array: ...
@elementwise()
def loss_after(unit_loss: ArrayLike, data_units: int, parity_units: int = 1) -> FloatOrArray:
    r"""Return the probability that a unit is lost and its stripe cannot rebuild it.

    .. math:: q' = q \Pr(\text{at least } k \text{ of the other } n + k - 1) = q\, I_q(k,\, n)

    with :math:`n` units of data and :math:`k` of parity in a stripe, each lost with probability
    :math:`q`, and :math:`I` the regularised incomplete beta function. Without parity, and for
    endless stripes, :math:`q' = q`; for one unit of parity and rare losses :math:`q' \approx n
    q^2`.

    Parameters
    ----------
    unit_loss : array_like
        Probability :math:`q` that a unit is lost, in [0, 1].
    data_units : int
        Data units in a stripe, in [1, 1e9].
    parity_units : int
        Parity units in a stripe, in [0, 1e9].

    Returns
    -------
    float or ndarray
        A probability.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A codeword in 10^9 is lost; with 15 + 1, one in:

    >>> f"{1 / loss_after(1e-9, 15):.1e}"
    '6.7e+16'
    """
    from scipy import special

    loss = number("unit_loss", unit_loss, low=0, high=1)
    n, k = _stripe(data_units, parity_units)
    return plain(loss * special.betainc(k, n, loss) if k else loss)


@overload
def loss_allowed(after: float, data_units: int, parity_units: int = ...) -> float: ...
@overload
def loss_allowed(after: ArrayLike, data_units: int, parity_units: int = ...) -> Array: ...
@elementwise()
def loss_allowed(after: ArrayLike, data_units: int, parity_units: int = 1) -> FloatOrArray:
    """Return the loss rate of units at which parity just reaches a target loss rate.

    This is the inverse of :func:`loss_after`: how often error correction may fail if parity helps.

    Parameters
    ----------
    after : array_like
        Probability that a unit is lost for good, in [1e-290, 1].
    data_units : int
        Data units in a stripe, in [1, 1e9].
    parity_units : int
        Parity units in a stripe, in [0, 1e9].

    Returns
    -------
    float or ndarray
        Probability that a unit is lost before it is rebuilt.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> f"{loss_allowed(1.5e-17, 15):.2e}"
    '1.00e-09'
    """
    from scipy.optimize import elementwise

    wanted = number("after", after, low=1e-290, high=1)
    n, k = _stripe(data_units, parity_units)
    if not k:
        return plain(wanted)

    def excess(log_loss: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            distance: NDArray[np.float64] = np.log(loss_after(np.exp(log_loss), n, k) / wanted)
        return distance

    # between the loss itself, as if parity did nothing, and certain loss
    found = elementwise.find_root(excess, (np.log(wanted), np.zeros_like(wanted)), args=(wanted,))
    return plain(np.exp(found.x))


@overload
def rebuild_failure(
    unit_loss: float, data_units: int, parity_units: int = ..., *, units: float
) -> float: ...
@overload
def rebuild_failure(
    unit_loss: ArrayLike, data_units: int, parity_units: int = ..., *, units: ArrayLike
) -> Array: ...
@elementwise()
def rebuild_failure(
    unit_loss: ArrayLike, data_units: int, parity_units: int = 1, *, units: ArrayLike
) -> FloatOrArray:
    r"""Return the probability that a lost die cannot be rebuilt completely.

    .. math:: 1 - \left[1 - I_q(k,\, n)\right]^u

    Each of the :math:`u` units of the die is computed from the other :math:`n + k - 1` of its
    stripe, which fails if :math:`k` of them are lost too. A stripe has :math:`n` units of data and
    :math:`k` of parity, each lost with probability :math:`q`; :math:`I` is the regularised
    incomplete beta function.

    Parameters
    ----------
    unit_loss : array_like
        Probability :math:`q` that a unit is lost, in [0, 1].
    data_units : int
        Data units in a stripe, in [1, 1e9].
    parity_units : int
        Parity units in a stripe, in [1, 1e9].
    units : array_like
        Units on a die, :math:`u`, >= 0.

    Returns
    -------
    float or ndarray
        A probability.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A die of 2^24 codewords of a kilobyte, each lost with the 8e-12 that a client drive may have:

    >>> round(rebuild_failure(8e-12, 15, units=2**24), 4)
    0.002
    """
    from scipy import special

    loss = number("unit_loss", unit_loss, low=0, high=1)
    n, k = _stripe(data_units, whole("parity_units", parity_units, 1, _MOST_UNITS))
    count = number("units", units, low=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.log1p(-special.betainc(k, n, loss))
        return plain(np.where(count > 0, -np.expm1(count * kept), 0.0))


@overload
def loss_in_service(
    unit_loss: float,
    data_units: int,
    parity_units: int = ...,
    *,
    window_s: float = ...,
    service_s: float = ...,
) -> float: ...
@overload
def loss_in_service(
    unit_loss: ArrayLike,
    data_units: int,
    parity_units: int = ...,
    *,
    window_s: float = ...,
    service_s: float = ...,
) -> Array: ...
@elementwise()
def loss_in_service(
    unit_loss: ArrayLike,
    data_units: int,
    parity_units: int = 1,
    *,
    window_s: float = DAY,
    service_s: float = 5 * YEAR,
) -> FloatOrArray:
    r"""Return the probability that a stripe loses data in service, lost units being rebuilt.

    .. math:: \dot P_j = (n+k-j+1)\lambda\, P_{j-1}
              - \left[(n+k-j)\lambda + \frac{j}{t_r}\right] P_j + \frac{j+1}{t_r}\, P_{j+1},
              \qquad \lambda = \frac{-\ln(1-q)}{t_s}

    with :math:`P_j` the probability that :math:`j` units of a stripe are lost at the same time,
    starting from :math:`P_0 = 1`. The result is :math:`P_{k+1}` after the time :math:`t_s`; this
    state is final. Units are lost at the rate :math:`\lambda`, that is, with probability :math:`q`
    in the time :math:`t_s`, and rebuilt into spare flash after an exponentially distributed time of
    mean :math:`t_r`. Derived here; for :math:`k = 1` and rare losses it is the rate at which
    redundant disks lose data (:cite:t:`patterson1988`). Without rebuild it is :func:`stripe_loss`.

    Parameters
    ----------
    unit_loss : array_like
        Probability :math:`q` that a unit, such as a die, is lost in service, in [0, 0.999].
    data_units : int
        Data units in a stripe, in [1, 1e9].
    parity_units : int
        Parity units in a stripe, in [0, 16].
    window_s : float
        Mean time from the loss of a unit until it is rebuilt, :math:`t_r`, in seconds, at least
        1e-15 of the time in service; infinite without rebuild. The default of a day is assumed.
    service_s : float
        Time in service :math:`t_s` in seconds, > 0; by default the five years of a long warranty.

    Returns
    -------
    float or ndarray
        A probability.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    Losses are independent, and there is spare flash to rebuild into; for data that cannot be read
    during a rebuild see :func:`rebuild_failure`. :cite:t:`moon2016` use a Markov chain for arrays
    of drives, and find that parity lengthens the life of a small array only if little is stored and
    written.

    Examples
    --------
    Sixteen dies of which each fails within five years with one in a thousand: rebuilt within a day,
    and never:

    >>> [f"{loss_in_service(1e-3, 15, window_s=w):.1e}" for w in (86_400, float("inf"))]
    ['1.3e-07', '1.2e-04']
    """
    loss = number("unit_loss", unit_loss, low=0, high=0.999)
    n, k = _stripe(data_units, whole("parity_units", parity_units, 0, 16))
    service = one_number("service_s", service_s, above=0)
    rebuilt = 0.0
    if not (isinstance(window_s, float) and window_s == np.inf):
        least = service * _SHORTEST_WINDOW
        rebuilt = service / one_number("window_s", window_s, low=least)
    return plain(np.array([_ended(q, n, k, rebuilt) for q in loss.flat]).reshape(loss.shape))


def _ended(q: float, n: int, k: int, rebuilt: float) -> float:
    """Return the probability of state k + 1 after a unit of time."""
    lost = np.arange(k + 1)
    # ones above the diagonal keep the result from drowning in rounding: the chance of a path
    # upwards is the product of its rates
    up = -np.log1p(-q) * (n + k - lost)
    rates = np.diag(np.append(-(up + lost * rebuilt), 0.0)) + np.diag(np.ones(k + 1), 1)
    rates[lost[1:], lost[:-1]] = lost[1:] * rebuilt * up[:-1]
    kept = np.append(1.0, np.cumprod(up))  # by steps too: no probability gets lost
    halvings = max(0, int(np.ceil(np.log2(max(1.0, -rates.diagonal().min())))))
    jump = np.eye(k + 2) + rates / 2.0**halvings
    term = steps = np.eye(k + 2) / np.e
    for count in range(1, _TERMS):
        term = term @ jump / count
        steps = steps + term
    for _ in range(halvings):
        steps = steps @ steps
        total = steps @ kept
        steps *= np.divide(kept, total, out=np.ones_like(kept), where=total > 0)[:, None]
    return float(steps[0, -1] * kept[-1])


def _stripe(data_units: int, parity_units: int) -> tuple[int, int]:
    return (
        whole("data_units", data_units, 1, _MOST_UNITS),
        whole("parity_units", parity_units, 0, _MOST_UNITS),
    )
