"""Columns in, columns out: how public functions that work number by number take their arguments.

A pandas Series keeps its labels. Several are aligned by their index first, as pandas does, and the
result is a Series. Everything else is combined by position, as numpy does. A NaN in a column or an
array gives NaN there; a single NaN is refused.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

_BUT = (
    "it holds all parts of one whole on its last axis (columns with the shares of a hot class go "
    "in as hot_write_share and hot_space_share)"
)


def elementwise(*, but: tuple[str, ...] = ()) -> Callable[[Function], Function]:
    """Declare that a function works element by element on all arguments except those in `but`.

    Arguments in `but` are passed on whole: the numbers on their last axis belong together.
    """

    def declare(function: Function) -> Function:
        signature = inspect.signature(function)
        more = [p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not any(map(_is_column, (*args, *kwargs.values()))):
                return function(*args, **kwargs)
            given = signature.bind(*args, **kwargs).arguments
            for name in more:
                given |= given.pop(name, {})
            for name in but:
                if _is_series(given.get(name)):
                    raise ValueError(f"{name} must not be a Series: {_BUT}")
            columns = {n: v for n, v in given.items() if n not in but and _is_column(v)}
            labels = _align(columns)
            result = _call(function, given, {n: _numbers(v) for n, v in columns.items()})
            if labels is None:
                return result
            return _each(result, lambda part: _labelled(part, labels))

        return cast(Function, call)

    return declare


def _is_series(value: object) -> bool:
    return hasattr(value, "iloc") and hasattr(value, "to_numpy")


def _is_column(value: object) -> bool:
    if isinstance(value, tuple):
        return not hasattr(value, "_fields")
    return isinstance(value, list) or type(value) is np.ndarray or _is_series(value)


def _align(columns: dict[str, Any]) -> Any:
    """Align the Series among the columns by their labels; return these, or None."""
    series = {name: column for name, column in columns.items() if _is_series(column)}
    labels = None
    for name, column in series.items():
        if column.ndim != 1:
            raise ValueError(f"{name} must be a number, an array or a Series, got a DataFrame")
        labels = column.index if labels is None else labels.union(column.index)
    for name, column in series.items():
        if column.index.equals(labels):
            continue
        if not column.index.is_unique:
            raise ValueError(f"{name} must have an index without repeats, to be aligned by it")
        columns[name] = column.reindex(labels)
    return labels


def _numbers(column: Any) -> Any:
    """Return a column of numbers as an array; what is none as it is, for the function to refuse."""
    if _is_series(column) and column.dtype.kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return column


def _call(function: Callable[..., Any], given: dict[str, Any], columns: dict[str, Any]) -> Any:
    """Call a function, and put NaN where one of the columns has it."""
    arrays = {}
    for name, column in columns.items():
        try:
            array = np.asarray(column)
        except ValueError:  # lists of unequal length, which the function refuses
            continue
        arrays[name] = array
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"arguments must have shapes that broadcast, got {shapes}") from None
    missing = {n: np.isnan(a) for n, a in arrays.items() if a.dtype.kind == "f"}
    missing = {name: found for name, found in missing.items() if found.any() and found.ndim}
    if not missing:
        return function(**{**given, **columns})
    some = functools.reduce(np.logical_or, missing.values())
    bad = np.broadcast_to(some, shape)
    arrays = {n: np.broadcast_to(a, shape) for n, a in arrays.items()}
    if bad.all():
        result = function(**{**given, **{n: a.ravel()[:0] for n, a in arrays.items()}})
        return _each(result, lambda part: np.full((*shape, *part.shape[1:]), np.nan))
    stand_in = np.unravel_index(np.argmin(bad), shape)
    arrays = {n: np.where(bad, a[stand_in], a) for n, a in arrays.items()}
    return _each(function(**{**given, **arrays}), lambda part: _blanked(part, bad))


def _blanked(part: Any, bad: Any) -> Any:
    out = np.array(part, np.float64)
    out[bad] = np.nan
    return out


def _labelled(part: Any, labels: Any) -> Any:
    if np.shape(part) != labels.shape:
        return part
    import pandas as pd

    return pd.Series(part, index=labels)


def _each(result: Any, change: Callable[[Any], Any]) -> Any:
    """Change each array of a result: an array, or a named tuple or dataclass of arrays."""
    if isinstance(result, np.ndarray):
        return change(result)
    if isinstance(result, tuple):
        return result._replace(**_changed(cast(Any, result)._asdict(), change))  # type: ignore
    if dataclasses.is_dataclass(result):
        return dataclasses.replace(cast(Any, result), **_changed(vars(result), change))
    return result


def _changed(fields: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: change(part) for name, part in fields.items() if isinstance(part, np.ndarray)}
