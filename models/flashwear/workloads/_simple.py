"""Workloads that stand alone, and those with a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import number, one_number, whole
from flashwear._random import State
from flashwear.wa import JESD219 as _JESD219
from flashwear.wa._shares import classes
from flashwear.workloads._own import Batches, Own
from flashwear.workloads._streams import (
    PAGE_MASK,
    READ,
    RECORD,
    TEMPERATURE_SHIFT,
    WRITE,
    Compiled,
    Stream,
    Workload,
    hot_cold,
    replay,
    sequential,
    uniform,
    zipf,
)

_MOST_CLASSES = 256  # what eight bits tell apart


@dataclass(frozen=True)
class Uniform(Workload):
    """Uniformly random writes to all pages.

    Examples
    --------
    >>> requests = np.empty(5, np.int64)
    >>> Uniform().stream(user_pages=100, seed=0).fill(requests)
    5
    >>> requests
    array([...])
    """

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        return Compiled(uniform, user_pages, next(states))


@dataclass(frozen=True)
class HotCold(Workload):
    """Writes to hot and cold classes of pages, uniformly random within a class.

    Class ``i`` is ``space_share[i]`` of the pages, in the order of the addresses, and gets
    ``write_share[i]`` of the writes. A class with more writes per page has a higher number
    (temperature) in its requests. Classes end at the nearest page that leaves at least one page to
    every class with a space share > 0.

    Parameters
    ----------
    write_share : array_like
        Share of all writes that goes to each class, in [0, 1], summing to 1: up to 256 numbers in
        one dimension. A single number is the share of the first of two classes.
    space_share : array_like
        Share of the user's pages that each class has, in the same form; 0 only where nothing is
        written.

    Raises
    ------
    ValueError
        Outside these ranges, or if shares do not sum to 1.

    Examples
    --------
    80 % of the writes go to the first 20 % of the pages:

    >>> requests = np.empty(100_000, np.int64)
    >>> HotCold(0.8, 0.2).stream(user_pages=1000, seed=0).fill(requests)
    100000
    >>> round(float(np.mean((requests & PAGE_MASK) < 200)), 2)
    0.8
    """

    write_share: ArrayLike
    space_share: ArrayLike

    def __post_init__(self) -> None:
        write, _, _ = classes(self.write_share, self.space_share)
        if write.ndim != 1 or write.size > _MOST_CLASSES:
            raise ValueError(
                f"write_share must hold at most {_MOST_CLASSES} classes in one dimension, "
                f"got shape {write.shape}"
            )
        for name in ("write_share", "space_share"):
            share = number(name, getattr(self, name))
            object.__setattr__(self, name, tuple(share.tolist()) if share.ndim else float(share))

    @property
    def temperatures(self) -> int:
        """The number of classes."""
        return int(classes(self.write_share, self.space_share)[0].size)

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        write, space, _ = classes(self.write_share, self.space_share)
        held = np.cumsum(space > 0)
        if user_pages < held[-1]:
            raise ValueError(
                f"user_pages must be >= {held[-1]}, the number of classes, got {user_pages}"
            )
        nearest = np.rint(np.cumsum(space) * user_pages).astype(np.int64)
        spread = np.maximum.accumulate(nearest - held)
        ends = np.clip(spread, 0, user_pages - held[-1]) + held
        sizes = np.diff(ends, prepend=0)
        heat = np.divide(write, space, out=np.zeros_like(write), where=space > 0)
        temperature = np.empty(write.size, np.int64)
        temperature[np.argsort(-heat, kind="stable")] = np.arange(write.size)[::-1]
        first = (ends - sizes) | (temperature << TEMPERATURE_SHIFT)
        upto = np.cumsum(write)
        return Compiled(hot_cold, upto[:-1] / upto[-1], first, sizes, next(states))


JESD219 = HotCold(*_JESD219)
"""The address classes of the JESD219 enterprise load, as in :data:`flashwear.wa.JESD219`."""


@dataclass(frozen=True)
class Sequential(Workload):
    """Writes to all pages in order, again and again.

    Examples
    --------
    >>> requests = np.empty(5, np.int64)
    >>> Sequential().stream(user_pages=3, seed=0).fill(requests)
    5
    >>> requests
    array([0, 1, 2, 0, 1])
    """

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        return Compiled(sequential, user_pages, np.zeros(1, np.int64))


@dataclass(frozen=True)
class Zipf(Workload):
    r"""Writes by Zipf's law: page :math:`k-1` has the rank :math:`k` in popularity.

    .. math:: P(k) = \frac{k^{-a}}{\sum_{j=1}^{U} j^{-a}}

    with :math:`P(k)` the share of the writes, :math:`a` the exponent, :math:`k` from 1 to :math:`U`
    the rank, and :math:`U` the user's pages. The hottest pages lie side by side at the start of the
    drive. Pages are drawn by rejection-inversion (Hoermann and Derflinger 1996), which needs no
    table and is exact except for the rounding of float64.

    Parameters
    ----------
    exponent : float
        Exponent of the law :math:`a`, > 0; the larger it is, the more writes go to few pages.

    Raises
    ------
    ValueError
        Outside this range.

    Examples
    --------
    >>> requests = np.empty(100_000, np.int64)
    >>> Zipf(1.0).stream(user_pages=3, seed=0).fill(requests)
    100000
    >>> [round(11 / 6 * float(np.mean(requests == page)), 2) for page in range(3)]
    [1.0, 0.5, 0.33]
    """

    exponent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "exponent", one_number("exponent", self.exponent, above=0))

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        return Compiled(zipf, user_pages, self.exponent, next(states))


@dataclass(frozen=True, eq=False)
class Replay(Workload):
    """The requests of a trace, page by page, in order.

    Parameters
    ----------
    trace : array_like
        One or more records of the dtype `RECORD`, or whole numbers in three columns: operation
        (``WRITE``, ``TRIM`` or ``READ``), first page, and pages in a row, >= 1. No page beyond
        2**40.
    repeat : int
        Number of times that the trace is replayed, >= 1, before the stream ends.

    Attributes
    ----------
    pages_needed : int
        Pages that the drive must have: one more than the highest page number.
        :meth:`Workload.stream` raises ValueError for a smaller drive.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Three pages are written from page 5 on, and one of them is trimmed:

    >>> from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, TRIM, WRITE
    >>> stream = Replay([[WRITE, 5, 3], [TRIM, 6, 1]]).stream(user_pages=100, seed=0)
    >>> requests = np.empty(10, np.int64)
    >>> stream.fill(requests)
    4
    >>> requests[:4] & PAGE_MASK, requests[:4] >> OPERATION_SHIFT
    (array([5, 6, 7, 6]), array([0, 0, 0, 1]))
    """

    trace: ArrayLike
    repeat: int = 1
    pages_needed: int = field(init=False)

    def __post_init__(self) -> None:
        records = _records(self.trace)
        object.__setattr__(self, "trace", records)
        object.__setattr__(self, "repeat", whole("repeat", self.repeat, 1))
        end = (records["page"] + records["count"]).max()
        object.__setattr__(self, "pages_needed", int(end))

    def __repr__(self) -> str:
        return f"Replay(<{np.size(self.trace)} records>, repeat={self.repeat})"

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        if user_pages < self.pages_needed:
            raise ValueError(
                f"user_pages must be >= {self.pages_needed}, which the trace needs, "
                f"got {user_pages}"
            )
        return Compiled(replay, self.trace, np.array([0, 0, self.repeat]))


def by_name(name: str) -> Workload:
    """Return a workload by its name: "jesd219", "sequential" or "uniform".

    Parameters
    ----------
    name : str
        Name of the workload, one of these three.

    Raises
    ------
    ValueError
        For any other name.

    Examples
    --------
    >>> by_name("uniform")
    Uniform()
    """
    if not isinstance(name, str) or name not in _NAMED:
        raise ValueError(f"workload must be one of {', '.join(sorted(_NAMED))}, got {name!r}")
    return _NAMED[name]


def named(workload: str | Workload | Batches) -> Workload:
    """Return a workload, which may be given by name or as a function that yields pages.

    Parameters
    ----------
    workload : str, Workload or Batches
        A name that :func:`by_name` knows, a generator function, or a workload, returned unchanged.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> named("sequential"), named(Uniform())
    (Sequential(), Uniform())
    """
    if isinstance(workload, Workload):
        return workload
    if callable(workload):
        return Own(workload)
    return by_name(workload)


_NAMED: dict[str, Workload] = {"jesd219": JESD219, "sequential": Sequential(), "uniform": Uniform()}


def _records(trace: ArrayLike) -> NDArray[np.void]:
    """Return a trace as a read-only array of `RECORD`, or raise ValueError saying what is wrong."""
    array = np.asarray(trace)
    if array.dtype == RECORD and array.ndim == 1:
        columns = [array[name] for name in RECORD.names or ()]
    elif array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == 3:
        columns = list(array.T)
    else:
        raise ValueError(
            "trace must hold records of RECORD or whole numbers in three columns, got "
            f"{array.dtype} of shape {array.shape}"
        )
    if not array.shape[0]:
        raise ValueError("trace must hold at least one record, got none")
    bounds = {"operation": (WRITE, READ), "page": (0, PAGE_MASK), "count": (1, PAGE_MASK + 1)}
    for column, (name, (low, high)) in zip(columns, bounds.items(), strict=True):
        bad = (column < low) | (column > high)
        if bad.any():
            first = int(bad.argmax())
            raise ValueError(
                f"trace must have {name} >= {low} and <= {high}, got {column[first]} in "
                f"record {first}"
            )
    if not array.flags.writeable and array.dtype == RECORD:
        return array
    records = np.empty(array.shape[0], RECORD)
    for name, column in zip(bounds, columns, strict=True):
        records[name] = column
    records.flags.writeable = False
    return records
