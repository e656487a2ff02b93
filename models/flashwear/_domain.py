"""What every public function asks of its arguments."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# A float for scalar arguments, a float64 array for array arguments. Any rather
# than a union, so that a caller's type checker does not ask for a cast.
FloatOrArray = Any


def number(
    name: str,
    value: ArrayLike,
    *,
    above: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> NDArray[np.float64]:
    """Give `value` as a float64 array, or raise ValueError naming what is wrong with it.

    `above` is an open lower bound, `low` and `high` are closed bounds.
    """
    bounds = [
        f"{sign} {bound:g}"
        for sign, bound in ((">", above), (">=", low), ("<=", high))
        if bound is not None
    ]
    allowed = "a finite number" + (" " if bounds else "") + " and ".join(bounds)
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {allowed}, got {value!r}") from None
    good = np.isfinite(array)
    if above is not None:
        good &= array > above
    if low is not None:
        good &= array >= low
    if high is not None:
        good &= array <= high
    if not good.all():
        raise ValueError(f"{name} must be {allowed}, got {array[~good].flat[0]:g}")
    return array


def plain(array: Any) -> FloatOrArray:
    """Give a float for a zero-dimensional result, the array otherwise."""
    return array.item() if np.ndim(array) == 0 else array
