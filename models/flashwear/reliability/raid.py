"""What parity over dies saves: pages that correction has lost, and what a stripe cannot rebuild.

Its cost in flash and writes is in :mod:`flashwear.wa` (:func:`~flashwear.wa.parity_op`,
:func:`~flashwear.wa.parity_factor`).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import FloatOrArray, number, plain, whole

_MOST_UNITS = 1_000_000_000


def stripe_loss(unit_loss: ArrayLike, data_units: int, parity_units: int = 1) -> FloatOrArray:
    r"""Give the probability that a stripe has lost more units than its parity replaces.

    .. math:: \Pr(\text{more than } k \text{ of } n + k) = I_q(k+1,\, n)

    with :math:`n` units of data and :math:`k` of parity on as many dies, each lost with probability
    :math:`q` independently of the others.

    Parameters
    ----------
    unit_loss : array_like
        Probability :math:`q` that a unit is lost, in [0, 1]: a codeword after correction, a page, a
        die.
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
    or a power cut hits many dies. The probability is then larger.

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


def loss_after(unit_loss: ArrayLike, data_units: int, parity_units: int = 1) -> FloatOrArray:
    r"""Give the probability that a unit is lost and its stripe cannot rebuild it.

    .. math:: q' = q \Pr(\text{at least } k \text{ of the other } n + k - 1) = q\, I_q(k,\, n)

    with symbols as in :func:`stripe_loss`. Without parity, and for endless stripes,
    :math:`q' = q`; for one unit of parity and rare losses :math:`q' \approx n q^2`.

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


def loss_allowed(after: ArrayLike, data_units: int, parity_units: int = 1) -> FloatOrArray:
    """Give the loss of units that leaves so little after parity.

    The inverse of :func:`loss_after`: what parity lets correction miss.

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


def rebuild_failure(
    unit_loss: ArrayLike, data_units: int, parity_units: int = 1, *, units: ArrayLike
) -> FloatOrArray:
    r"""Give the probability that a lost die cannot be rebuilt whole.

    .. math:: 1 - \left[1 - I_q(k,\, n)\right]^u

    Each of the :math:`u` units of the die is computed from the other :math:`n + k - 1` of its
    stripe, which fails if :math:`k` of them are lost too; symbols as in :func:`stripe_loss`.

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


def _stripe(data_units: int, parity_units: int) -> tuple[int, int]:
    return (
        whole("data_units", data_units, 1, _MOST_UNITS),
        whole("parity_units", parity_units, 0, _MOST_UNITS),
    )
