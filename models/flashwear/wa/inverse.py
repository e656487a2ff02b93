"""The over-provisioning that a given write amplification needs, for any model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, plain, shown
from flashwear.wa.pools import Separated
from flashwear.wa.uniform import fifo

_LEAST_OP = 1e-6
_MOST_OP = 1e6
_STEP = 4.0  # the bracket of the root grows by this: small steps, as a model may not go far
_MARGIN = 1e-9  # widens a bracket so that rounding at its ends does no harm


@overload
def op_for(
    target_wa: float, model: Callable[..., Any] = ..., **arguments: float | None
) -> float: ...
@overload
def op_for(
    target_wa: ArrayLike, model: Callable[..., Any] = ..., **arguments: ArrayLike | None
) -> FloatOrArray: ...
@elementwise(but=("write_share", "space_share", "spare_share"))
def op_for(
    target_wa: ArrayLike, model: Callable[..., Any] = fifo, **arguments: Any
) -> FloatOrArray:
    r"""Return the over-provisioning at which a model gives a wanted write amplification.

    .. math:: A(\mathrm{op}) = A_\mathrm{target}

    with :math:`A` the model's write amplification. The root is searched for at least between 1e-6
    and 1e6. At the result, the model is within a relative 1e-12 of the target. For targets close to
    1 the result itself is less exact, since the model hardly depends on `op` there.

    Parameters
    ----------
    target_wa : array_like
        Write amplification wanted, > 1.
    model : callable
        Function called as ``model(op, **arguments)`` with an array `op`, whose result falls as `op`
        rises: any model of :mod:`flashwear.wa` with `op` as its first argument, or one of your own,
        such as ``lambda op: fifo(trim_op(op, 0.1))``.
    **arguments
        The model's other arguments. They broadcast with `target_wa` as they do with `op`.

    Returns
    -------
    float or ndarray
        Over-provisioning over user capacity.

    Raises
    ------
    ValueError
        Outside the range of `target_wa`, or if the model does not come from above the target to
        below it in this range of op. What the model itself raises is passed on.

    Examples
    --------
    What it takes to halve the 7.8 of a drive with 7 %:

    >>> round(op_for(fifo(0.07) / 2), 3)
    0.155
    """
    from scipy.optimize import elementwise

    if not callable(model):
        raise TypeError(f"model must be callable, got {model!r}")
    wanted = number("target_wa", target_wa, above=1)

    def over(op: NDArray[np.float64]) -> NDArray[np.float64]:
        value = model(op, **arguments)
        return np.asarray((value.wa if isinstance(value, Separated) else value) - wanted)

    # (1 + op)/(2 op) has its root in the middle, and as agarwal_marrow() it is not defined above
    # op = 1: go further up only where the model is still above the target
    middle = (1 + _MARGIN) / (2 * wanted - 1)
    up = over(middle) > 0
    wanted, middle = (np.broadcast_to(x, up.shape) for x in (wanted, middle))
    # random cleaning, which no model for one kind of flash exceeds, is below the target there
    random = (1 + _MARGIN) / (wanted - 1)
    ends = np.minimum(_LEAST_OP, middle / 2), np.maximum(_MOST_OP, random)
    least, most = middle.copy(), np.where(up, random, middle)
    value = over(most)
    while (go := up & ~(value <= 0) & (most < ends[1])).any():
        least[go] = most[go]
        most[go] = np.minimum(most * _STEP, ends[1])[go]
        value = over(most)
    passed = ~up | (value <= 0)
    value = over(least)
    while (go := ~up & ~(value >= 0) & (least > ends[0])).any():
        most[go] = least[go]
        least[go] = np.maximum(least / _STEP, ends[0])[go]
        value = over(least)
    passed &= up | (value >= 0)
    if not passed.all():
        far, low, high = (float(x[~passed].flat[0]) for x in (wanted, *ends))
        reach = f"<= {high:g}" if up[~passed].flat[0] else f">= {low:g}"
        raise ValueError(f"target_wa must be in the model's reach for op {reach}, got {shown(far)}")
    op = most.copy()

    def miss(log_op: NDArray[np.float64], index: NDArray[np.intp]) -> NDArray[np.float64]:
        # the model sees all of op, so that its arguments broadcast as they are
        op.flat[index] = np.exp(log_op)
        return np.asarray(over(op).flat[index])

    found = elementwise.find_root(
        miss,
        (np.log(least), np.log(most)),
        args=(np.arange(op.size).reshape(op.shape),),
        tolerances={"xatol": 1e-14, "fatol": 0, "frtol": 0},
    )
    return plain(np.exp(found.x))
