"""Checks of the arguments of public functions.

A number may be a Python or numpy number, a nested list or tuple of them, a numpy array of
integers or floats, or anything that numpy reads as one. What only looks like a number is refused:
text, booleans, times, complex numbers, masked arrays, arrays of objects. So is what would lose
its meaning as an array: quantities with a unit, and arrays with named dimensions.
"""

import operator
import reprlib
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
FloatOrArray: TypeAlias = Any
"""A float for scalar arguments, an array for array arguments."""


def number(
    name: str,
    value: ArrayLike,
    *,
    above: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> NDArray[np.float64]:
    """Return `value` as a float64 array, or raise ValueError naming what is wrong with it.

    `name` is the argument's name in messages. All elements must be > `above`, >= `low`, <= `high`,
    as far as these are given.
    """
    _refuse_what_an_array_would_strip(name, value)
    try:
        array = _float64(value)
    except ValueError as error:
        raise ValueError(f"{name} must be {_allowed(above, low, high)}, got {error}") from None
    good = np.isfinite(array)
    if above is not None:
        good &= array > above
    if low is not None:
        good &= array >= low
    if high is not None:
        good &= array <= high
    if not good.all():
        first = np.unravel_index(np.argmin(good), array.shape)
        raise ValueError(
            f"{name} must be {_allowed(above, low, high)}, got {shown(array[first])}{_place(first)}"
        )
    return array


def one_number(
    name: str,
    value: ArrayLike,
    *,
    above: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> float:
    """Return `value` as a float; raise ValueError unless > `above`, >= `low` and <= `high`."""
    array = number(name, value, above=above, low=low, high=high)
    if array.ndim:
        raise ValueError(f"{name} must be one number, got shape {array.shape}")
    return float(array)


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int, or raise ValueError unless it is a whole number in [low, high].

    Examples
    --------
    >>> whole("repeat", 0, 1)
    Traceback (most recent call last):
    ValueError: repeat must be a whole number >= 1, got 0
    """
    allowed = f"a whole number >= {low}" + ("" if high is None else f" and <= {high}")
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def plain(array: Any) -> FloatOrArray:
    """Return a float for a zero-dimensional result, the array otherwise."""
    return array.item() if np.ndim(array) == 0 else array


def shown(value: float) -> str:
    """Return a number as text: in short form if that is exact, otherwise with all its digits."""
    short = f"{value:g}"
    return short if float(short) == value or value != value else repr(float(value))


def _allowed(above: float | None, low: float | None, high: float | None) -> str:
    bounds = [
        f"{sign} {bound:g}"
        for sign, bound in ((">", above), (">=", low), ("<=", high))
        if bound is not None
    ]
    return "a finite number" + (" " if bounds else "") + " and ".join(bounds)


def _place(index: tuple[Any, ...]) -> str:
    if not index:
        return ""
    numbers = ", ".join(str(int(i)) for i in index)
    return f" at index {numbers}" if len(index) == 1 else f" at index ({numbers})"


def _float64(value: Any) -> NDArray[np.float64]:
    """Return `value` as a float64 array, or raise ValueError saying what it is instead."""
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError("a masked array")
    if not isinstance(value, (list, tuple)):
        raw = np.asarray(value)
        if raw.dtype.kind in "iuf":
            return raw.astype(np.float64, copy=False)
        if not isinstance(value, int):
            raise ValueError(f"an array of dtype {raw.dtype}" if raw.ndim else reprlib.repr(value))
    # item by item: numpy takes True in a list for 1, and an int of more than 64 bits for an object
    try:
        items = np.asarray(value, dtype=object)
    except ValueError:  # arrays of unequal length
        raise ValueError(reprlib.repr(value)) from None
    wrong = {kind for kind in set(map(_kind, items.flat)) if not _is_real(kind)}
    if wrong:
        first = next(i for i, item in np.ndenumerate(items) if _kind(item) in wrong)
        raise ValueError(reprlib.repr(items[first]) + _place(first))
    try:
        return items.astype(np.float64)
    except OverflowError:
        raise ValueError("an integer beyond the range of float64") from None


def _refuse_what_an_array_would_strip(name: str, value: Any) -> None:
    """Raise ValueError, with the call that converts, for a quantity or an array with dimensions."""
    unit = next((u for end, u in _UNITS.items() if name.endswith(end)), "")
    if hasattr(value, "magnitude") and hasattr(value, "units"):  # pint
        unit = unit.replace("deg_C", "degC") or "dimensionless"  # pint's name
        got, call = "a quantity with a unit", f'.to("{unit}").magnitude'
    elif hasattr(value, "unit") and hasattr(value, "to_value"):  # astropy
        got, call = "a quantity with a unit", f'.to_value("{unit}")'
    elif hasattr(value, "dims") and hasattr(value, "to_numpy"):  # xarray
        got, call = "an array with named dimensions", ".to_numpy(), or use xarray.apply_ufunc"
    elif hasattr(value, "__dask_graph__"):
        got, call = "a lazy array of Dask", ".compute(), or use dask.array.map_blocks with meta="
    else:
        return
    raise ValueError(f"{name} must be a plain number or array, got {got}: give {name}{call}")


_UNITS = {
    "bytes_per_s": "byte/s", "bytes_per_day": "byte/day", "bytes": "byte", "_s": "s",
    "seconds": "s", "every": "s", "hours": "hour", "years": "year", "_c": "deg_C", "_ev": "eV",
    "_v": "V", "_w": "W", "_j": "J", "_f": "F",
}  # fmt: skip
"""What arguments are measured in, by how their names end; all others have no unit."""


def _kind(item: Any) -> type:
    return type(item[()] if isinstance(item, np.ndarray) else item)


def _is_real(kind: type) -> bool:
    return issubclass(kind, (int, float, np.integer, np.floating)) and not issubclass(
        kind, (bool, np.timedelta64)
    )


def one_of(name: str, value: str, allowed: Sequence[str] | dict[str, int]) -> None:
    """Raise ValueError unless `value`, of the argument `name`, is one of the `allowed` texts."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def flag(name: str, value: object) -> bool:
    """Return `value` if it is True or False, else raise TypeError that names the argument."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def refuse(rule: str, broken: ArrayLike, *values: ArrayLike) -> None:
    """Raise ValueError if `broken` is true anywhere, with the text `rule` and the `values` there.

    Examples
    --------
    >>> refuse("a must be < b", [False, True], [1, 5], 3)
    Traceback (most recent call last):
    ValueError: a must be < b, got 5 and 3
    """
    where, *arrays = np.broadcast_arrays(broken, *values)
    if where.any():
        got = " and ".join(shown(array[where][0]) for array in arrays)
        raise ValueError(f"{rule}, got {got}")


def nested(*sizes: tuple[str, Array]) -> None:
    """Raise ValueError unless each size, given as name and value, is <= the next one."""
    for (small, inner), (large, outer) in pairwise(sizes):
        refuse(f"{small} must be <= {large}", inner > outer, inner, outer)


def product(*factors: Any) -> Any:
    """Return the product of numbers >= 0, with 0 times infinity as 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(reduce(np.multiply, factors))
    return np.where(np.isnan(found), 0.0, found)
