"""Streams of requests: their encoding, their common base, and the compiled functions.

A compiled function fills the array of requests that it gets, updates the state among its other
arguments and returns how many requests it wrote.
"""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear._domain import whole
from flashwear._random import State, bounded, seeded, unit

PAGE_BITS = 40
PAGE_MASK = (1 << PAGE_BITS) - 1
TEMPERATURE_SHIFT = 40
OPERATION_SHIFT = 48
WRITE, TRIM, READ = 0, 1, 2

RECORD = np.dtype([("operation", "u1"), ("page", "i8"), ("count", "i8")])
"""One request of a trace: operation, first page and pages in a row."""

Requests: TypeAlias = NDArray[np.int64]

_MOST_PAGES = 2**32 - 1  # of a drive: what the random numbers reach


class Stream(ABC):
    """The requests of one workload to one drive, in order."""

    def fill(self, requests: Requests) -> int:
        """Fill an array with the next requests, from the front.

        Parameters
        ----------
        requests : ndarray of int64, one dimension, contiguous
            Array to fill.

        Returns
        -------
        int
            Number written: ``requests.size``, or fewer where a trace ends, then 0.
        """
        if requests.dtype != np.int64 or requests.ndim != 1 or not requests.flags.c_contiguous:
            raise ValueError(
                "requests must be a contiguous array of int64 with one dimension, got "
                f"{requests.dtype} of shape {requests.shape}"
            )
        return self._fill(requests)

    @abstractmethod
    def _fill(self, requests: Requests) -> int: ...


class Workload(ABC):
    """Base class of loads, each of which gives page requests to a drive of any size."""

    @property
    def temperatures(self) -> int:
        """Number of classes (temperatures) of pages that the writes tell apart; 1 if none."""
        return 1

    def stream(self, user_pages: int, seed: int, *, in_use: bool = True) -> Stream:
        """Return the requests to one drive.

        Parameters
        ----------
        user_pages : int
            Pages that the host can address, in [1, 2**32). Requests stay below it.
        seed : int
            A whole number >= 0; the same seed gives the same requests, for any size of batches.
        in_use : bool
            Whether all pages hold data at the start, or none. Only :class:`Trimmed` uses it.

        Raises
        ------
        ValueError
            Outside these ranges, or for a drive too small for this workload.
        """
        pages = whole("user_pages", user_pages, 1, _MOST_PAGES)
        whole("seed", seed, 0)
        return self._stream(pages, (seeded(seed, i) for i in itertools.count()), in_use)

    @abstractmethod
    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream: ...


class Compiled(Stream):
    """A stream made by a compiled function that keeps its state in arrays."""

    def __init__(self, function: Any, *own: Any) -> None:
        self._function, self._own = function, own

    def _fill(self, requests: Requests) -> int:
        return int(self._function(requests, *self._own))


@jit
def uniform(requests: Requests, pages: int, state: State) -> int:
    for i in range(requests.size):
        requests[i] = bounded(state, pages)
    return requests.size


@jit
def hot_cold(
    requests: Requests,
    upto: NDArray[np.float64],
    first: NDArray[np.int64],
    sizes: NDArray[np.int64],
    state: State,
) -> int:
    for i in range(requests.size):
        drawn = unit(state)
        kind = 0
        for end in upto:
            kind += drawn >= end
        requests[i] = first[kind] + bounded(state, sizes[kind])
    return requests.size


@jit
def sequential(requests: Requests, pages: int, cursor: NDArray[np.int64]) -> int:
    page = cursor[0]
    for i in range(requests.size):
        requests[i] = page
        page = page + 1 if page + 1 < pages else 0
    cursor[0] = page
    return requests.size


@jit
def zipf(requests: Requests, pages: int, exponent: float, state: State) -> int:
    """Fill `requests` with random ranks less 1, by rejection-inversion (Hoermann, Derflinger 1996).

    A point is drawn uniformly from the area below ``x**-exponent`` for x >= 3/2, with a piece of
    area 1 for rank 1 before it, and x is rounded to a rank. The rank is accepted if the point lies
    in the rank's own bar, which is certain if x is less than `near` below the rank.
    """
    low = _zipf_area(1.5, exponent) - 1.0
    high = _zipf_area(pages + 0.5, exponent)
    near = 2.0 - _zipf_rank(_zipf_area(2.5, exponent) - 2.0**-exponent, exponent)
    for i in range(requests.size):
        while True:
            area = high + unit(state) * (low - high)
            x = min(max(_zipf_rank(area, exponent), 1.0), float(pages))
            rank = math.floor(x + 0.5)
            if rank - x <= near or area >= _zipf_area(rank + 0.5, exponent) - rank**-exponent:
                break
        requests[i] = rank - 1
    return requests.size


@jit
def _zipf_area(x: float, exponent: float) -> float:
    """Return the integral of ``x**-exponent`` from 1: log(x) at exponent 1, without cancelling."""
    log = math.log(x)
    z = (1.0 - exponent) * log
    return log if z == 0 else log * math.expm1(z) / z


@jit
def _zipf_rank(area: float, exponent: float) -> float:
    """Return the x of an area: the inverse of :func:`_zipf_area`."""
    z = max((1.0 - exponent) * area, -1.0)
    return math.exp(area if z == 0 else area * math.log1p(z) / z)


@jit
def replay(requests: Requests, records: NDArray[np.void], place: NDArray[np.int64]) -> int:
    """Fill `requests` with pages of a trace; `place` is record, page in it, and repeats left."""
    record, page, rounds = place
    made = 0
    while made < requests.size and rounds > 0:
        one = records[record]
        first = one["page"] | (np.int64(one["operation"]) << OPERATION_SHIFT)
        run = min(requests.size - made, one["count"] - page)
        for i in range(run):
            requests[made + i] = first + page + i
        made += run
        page += run
        if page == one["count"]:
            page = 0
            record += 1
            if record == records.size:
                record = 0
                rounds -= 1
    place[0], place[1], place[2] = record, page, rounds
    return made
