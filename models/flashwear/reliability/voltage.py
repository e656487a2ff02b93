"""The gain from shifting the read voltage of flash."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, number, plain, shown


@overload
def tracked(rber: float, fresh: float) -> float: ...
@overload
def tracked(rber: ArrayLike, fresh: ArrayLike) -> Array: ...
@elementwise()
def tracked(rber: ArrayLike, fresh: ArrayLike) -> FloatOrArray:
    r"""Return the bit error rate of reads whose voltage follows the loss of charge.

    .. math:: p_0 = Q(d), \qquad p = \tfrac12\,[Q(d) + Q(d - \delta)], \qquad
              p' = Q(d - \delta/2)

    Two neighbouring levels lie :math:`2d` apart, in standard deviations of their Gaussian noise
    (:math:`Q` is its tail probability). Read at a voltage in the middle, just after the write, the
    error rate is :math:`p_0`. Charge loss brings the upper level :math:`\delta` nearer. The error
    rate is then :math:`p` at the old voltage, and :math:`p'` in the new middle. Derived here; that
    the best voltage moves with age was measured by :cite:t:`cai2015retention`. This is the largest
    possible gain: the new middle is known, and all levels shift equally.

    Parameters
    ----------
    rber : array_like
        Bit error rate at the old voltage, :math:`p`, in [`fresh`, 0.5).
    fresh : array_like
        Bit error rate at the same wear just after the write, :math:`p_0`, in (0, 0.5).

    Returns
    -------
    float or ndarray
        Bit error rate at the new voltage, between the two.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> round(tracked(1e-3, 1e-4), 5)
    0.00047
    """
    from scipy.special import ndtr, ndtri

    below = np.nextafter(0.5, 0)
    first = number("fresh", fresh, above=0, high=below)
    rate = number("rber", rber, above=0, high=below)
    if (rate < first).any():
        pair = (x[rate < first].flat[0] for x in np.broadcast_arrays(rate, first))
        raise ValueError("rber must be >= fresh, got {} and {}".format(*map(shown, pair)))
    apart = -ndtri(first)
    lost = apart + ndtri(2 * rate - first)
    return plain(ndtr(lost / 2 - apart))
