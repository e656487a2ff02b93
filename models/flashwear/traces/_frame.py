"""Read requests from a table that the user gives."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import number, one_number, whole
from flashwear.traces._tracefile import LARGEST, Requests
from flashwear.workloads._streams import READ, TRIM, WRITE

if TYPE_CHECKING:
    import pandas as pd

NANOSECONDS = 1_000_000_000
_COLUMNS = ("operation", "offset", "size", "time")
_SIDES = {"read": READ, "write": WRITE, "trim": TRIM}
_WORDS = {"read": "read", "r": "read", "write": "write", "w": "write", "trim": "trim", "t": "trim",
          "discard": "trim", "d": "trim"}  # fmt: skip


def found_in(
    frame: pd.DataFrame,
    columns: Mapping[str, str],
    operations: Mapping[Any, str] | None,
    unit_bytes: int,
    ticks_per_second: float,
    page_bytes: int,
) -> Requests:
    """Return the requests of a table; arguments as of :func:`flashwear.traces.from_frame`.

    Times are in ns, or -1 without a column of times.
    """
    unit = whole("unit_bytes", unit_bytes, 1, 2**30)
    rate = one_number("ticks_per_second", ticks_per_second, above=0)
    if hasattr(frame, "collect"):  # a lazy one of polars
        frame = frame.collect()
    if hasattr(frame, "to_pandas"):  # of polars or pyarrow
        frame = frame.to_pandas()
    if not hasattr(frame, "columns"):
        raise TypeError(
            f"frame must be a table of pandas, polars or pyarrow, got {type(frame).__name__}"
        )
    if not frame.columns.is_unique:
        raise ValueError("frame must name each column once")
    if unknown := set(columns) - set(_COLUMNS):
        raise ValueError(f"columns must name {', '.join(_COLUMNS)}, got {unknown.pop()!r}")
    names = {name: columns.get(name, name) for name in _COLUMNS}
    for name in _COLUMNS:
        if names[name] not in frame and (name != "time" or name in columns):
            raise ValueError(f"frame must have a column {names[name]!r} for {name}")
    if not len(frame):
        raise ValueError("frame must hold a row, got none")
    operation = _operations(frame[names["operation"]], operations or {})
    most = LARGEST // unit
    offset, size = (_whole(frame[names[name]], name, most) for name in ("offset", "size"))
    if (far := offset > most - size).any():
        raise ValueError(
            f"requests must end below 2**63 bytes, got one beyond in row {far.argmax()}"
        )
    ticks = np.full(len(frame), -1, np.int64)
    if names["time"] in frame:
        column = frame[names["time"]]
        if column.dtype.kind in "mM":
            column, rate = (column - column.min()).dt.total_seconds(), 1.0
        time = number("time", column)
        ticks = np.round((time - time.min()) / rate * NANOSECONDS).astype(np.int64)
    found, data = Requests(page_bytes), size > 0
    found.lines = len(frame)
    if empty := int((~data).sum()):
        found.skipped["no data"] = empty
    found.operation = array("B", operation[data].tobytes())
    found.offset = array("q", (unit * offset[data]).tobytes())
    found.size = array("q", (unit * size[data]).tobytes())
    found.ticks = array("q", ticks[data].tobytes())
    return found


def _operations(column: pd.Series[Any], words: Mapping[Any, str]) -> NDArray[np.uint8]:
    if wrong := set(words.values()) - set(_SIDES):
        raise ValueError(f"operations must stand for {', '.join(_SIDES)}, got {wrong.pop()!r}")
    meant = {**_WORDS, **{str(word).lower(): side for word, side in words.items()}}
    known = {word: _SIDES[side] for word, side in meant.items()}
    kinds = column.astype(str).str.lower().map(known)
    if (bad := kinds.isna().to_numpy()).any():
        row = int(bad.argmax())
        raise ValueError(
            f"operation must be one of {', '.join(known)}, got {column.iloc[row]!r} in row {row}: "
            'operations={"...": "write"} names others'
        )
    return np.asarray(kinds.to_numpy(np.uint8))


def _whole(column: pd.Series[Any], name: str, most: int) -> NDArray[np.int64]:
    values = number(name, column, low=0)
    if (bad := (values != np.floor(values)) | (values > most) | (values >= 2.0**63)).any():
        row = int(bad.argmax())
        raise ValueError(
            f"{name} must be whole numbers below 2**63 bytes, got {values[row]:g} in row {row}"
        )
    raw = column.to_numpy()
    return raw.astype(np.int64) if raw.dtype.kind in "iu" else values.astype(np.int64)
