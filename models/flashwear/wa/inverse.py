"""How much over-provisioning a given write amplification takes: any model, turned round."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import FloatOrArray, number, plain
from flashwear.wa.skew import Separated
from flashwear.wa.uniform import fifo

_LEAST_OP = 1e-6
_MARGIN = 1e-9  # widens a bracket so that rounding at its ends does no harm


def op_for(
    target_wa: ArrayLike, model: Callable[..., Any] = fifo, **arguments: Any
) -> FloatOrArray:
    r"""Give the over-provisioning at which a model has a given write amplification.

    .. math:: A(\mathrm{op}) = A_\mathrm{target}

    No model of this package exceeds random cleaning, :math:`A=(1+\mathrm{op})/\mathrm{op}`, so
    the root is at most :math:`1/(A-1)`. It is searched below, on the logarithm of op, down
    to 1e-6 or :math:`1/(4A-2)`, whichever is less.

    Parameters
    ----------
    target_wa : array_like
        Write amplification wanted, > 1.
    model : callable
        Called as ``model(op, **arguments)`` with `op` an array. Falls with op and is at most
        ``(1 + op)/op``; every model of :mod:`flashwear.wa` with `op` for its first argument, or one
        of your own, such as ``lambda op: fifo(trim_op(op, 0.1))``.
    **arguments
        The model's other arguments. They broadcast with `target_wa` as they do with `op`.

    Returns
    -------
    float or ndarray
        Over-provisioning over user capacity.

    Raises
    ------
    ValueError
        Outside the range of `target_wa`, or if the model does not reach it in this range of op.

    Notes
    -----
    The model at the result is within 1e-12 of the target, relatively; the result itself is less
    exact close to 1, where the model hardly depends on it.

    Examples
    --------
    What it takes to halve the 7.8 of a drive with 7 %:

    >>> round(op_for(fifo(0.07) / 2), 3)
    0.155

    Separate pools for hot and cold data do it with less:

    >>> from flashwear.wa import separated
    >>> round(op_for(fifo(0.07) / 2, separated, write_share=0.8, space_share=0.2), 3)
    0.099
    """
    from scipy.optimize import elementwise

    wanted = number("target_wa", target_wa, above=1)

    def over(op: NDArray[np.float64]) -> NDArray[np.float64]:
        value = model(op, **arguments)
        return np.asarray((value.wa if isinstance(value, Separated) else value) - wanted)

    # (1 + op)/(2 op) has its root in the middle, and as agarwal_marrow() it is not defined above
    # op = 1: go further up only where the model is still above the target
    middle = (1 + _MARGIN) / (2 * wanted - 1)
    above = over(middle) > 0
    wanted, middle = np.broadcast_arrays(wanted, middle)
    middle = np.broadcast_to(middle, above.shape)
    most = np.where(above, (1 + _MARGIN) / (np.broadcast_to(wanted, above.shape) - 1), middle)
    least = np.where(above, middle, np.minimum(_LEAST_OP, middle / 2))
    reached = over(least) >= 0
    if not reached.all():
        far, end = (x[~reached].flat[0] for x in np.broadcast_arrays(wanted, least))
        raise ValueError(f"target_wa must be in the model's reach for op >= {end:g}, got {far:g}")
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
