"""Workloads built on another: with sequential writes, on a part of the drive, or with trims."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear._domain import one_number
from flashwear._random import State, bounded, unit
from flashwear.workloads._streams import (
    OPERATION_SHIFT,
    PAGE_MASK,
    READ,
    TRIM,
    WRITE,
    Requests,
    Stream,
    Workload,
)

_AHEAD = 8192  # requests that a stream built on another one takes from it at a time


@dataclass(frozen=True)
class Mixed(Workload):
    """Sequential writes over all pages, mixed with the requests of another workload.

    Sequential writes belong to class (temperature) 0. The stream ends with that of the other
    workload.

    Parameters
    ----------
    random : Workload
        Workload of the other requests.
    sequential_share : float
        Probability that a request is the next of the sequential run, in [0, 1].

    Raises
    ------
    ValueError
        Outside this range, or if `random` is no workload.

    Examples
    --------
    >>> from flashwear.workloads import Sequential
    >>> requests = np.empty(6, np.int64)
    >>> Mixed(Sequential(), 0.5).stream(user_pages=100, seed=0).fill(requests)
    6
    >>> requests
    array([...])
    """

    random: Workload
    sequential_share: float

    def __post_init__(self) -> None:
        check_workload("random", self.random)
        share = one_number("sequential_share", self.sequential_share, low=0, high=1)
        object.__setattr__(self, "sequential_share", share)

    @property
    def temperatures(self) -> int:
        """The number of classes (temperatures) of pages that the workload mixed in tells apart."""
        return self.random.temperatures

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        own = (self.sequential_share, user_pages, np.zeros(1, np.int64), next(states))
        return _Layered(self.random._stream(user_pages, states, in_use), _mixed, *own)


@dataclass(frozen=True)
class Span(Workload):
    """A workload restricted to the first part of the drive.

    Parameters
    ----------
    workload : Workload
        Workload for a drive that has `share` of the user's pages, rounded, at least 1.
    share : float
        Share of the drive's addresses that are used, in (0, 1].

    Raises
    ------
    ValueError
        Outside this range, or if `workload` is not a Workload.

    Examples
    --------
    >>> from flashwear.workloads import Sequential
    >>> requests = np.empty(5, np.int64)
    >>> Span(Sequential(), 0.03).stream(user_pages=100, seed=0).fill(requests)
    5
    >>> requests
    array([0, 1, 2, 0, 1])
    """

    workload: Workload
    share: float

    def __post_init__(self) -> None:
        check_workload("workload", self.workload)
        object.__setattr__(self, "share", one_number("share", self.share, above=0, high=1))

    @property
    def temperatures(self) -> int:
        """The number of classes (temperatures) of pages that the workload tells apart."""
        return self.workload.temperatures

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        return self.workload._stream(max(1, round(self.share * user_pages)), states, in_use)


@dataclass(frozen=True)
class Trimmed(Workload):
    """A workload with trims: each request is a trim with a given probability.

    A page to trim is drawn evenly from all pages in use; if none is, the request comes from
    the workload instead. Pages that the workload writes or trims are counted too. This is the
    model of :func:`flashwear.wa.trim_occupancy`, if the workload is :class:`Uniform`.

    The stream ends when that of the workload does.

    Parameters
    ----------
    workload : Workload
        Workload that gives the other requests.
    trim_share : float
        Share of trims among the requests, in [0, 0.5).

    Raises
    ------
    ValueError
        Outside this range, or if `workload` is not a Workload.

    Examples
    --------
    >>> from flashwear.workloads import Uniform
    >>> requests = np.empty(100_000, np.int64)
    >>> Trimmed(Uniform(), 0.1).stream(user_pages=1000, seed=0).fill(requests)
    100000
    >>> round(float(np.mean(requests >> OPERATION_SHIFT == TRIM)), 2)
    0.1
    """

    workload: Workload
    trim_share: float

    def __post_init__(self) -> None:
        check_workload("workload", self.workload)
        share = one_number("trim_share", self.trim_share, low=0)
        if share >= 0.5:
            raise ValueError(f"trim_share must be < 0.5, got {share:g}: the drive would run empty")
        object.__setattr__(self, "trim_share", share)

    @property
    def temperatures(self) -> int:
        """The number of classes (temperatures) of pages that the workload tells apart."""
        return self.workload.temperatures

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        used = np.full(-(-user_pages // 8), 255 * in_use, np.uint8)
        count = np.array([user_pages * in_use])
        own = (self.trim_share, user_pages, used, count, next(states), next(states))
        return _Layered(self.workload._stream(user_pages, states, in_use), _trimmed, *own)


class _Layered(Stream):
    """A stream whose compiled function makes requests from those of another stream.

    The function stops when the requests are full or the other's are used up, and gives how many
    it has made and taken. So what it draws does not depend on how either side is cut.
    """

    def __init__(self, inner: Stream, function: Any, *own: Any) -> None:
        self._inner, self._function, self._own = inner, function, own
        self._ahead = np.empty(_AHEAD, np.int64)
        self._taken = self._count = 0

    def _fill(self, requests: Requests) -> int:
        done = 0
        while done < requests.size:
            if self._taken == self._count:
                self._taken, self._count = 0, self._inner.fill(self._ahead)
                if not self._count:
                    break
            left = self._ahead[self._taken : self._count]
            made, taken = self._function(requests[done:], left, *self._own)
            done += made
            self._taken += taken
        return done


def check_workload(name: str, workload: object) -> None:
    """Raise ValueError unless this is a workload."""
    if not isinstance(workload, Workload):
        raise ValueError(f"{name} must be a Workload, got {workload!r}")


@jit
def _trimmed(
    requests: Requests,
    inner: Requests,
    trim_share: float,
    pages: int,
    used: NDArray[np.uint8],
    count: NDArray[np.int64],
    coins: State,
    state: State,
) -> tuple[int, int]:
    taken = made = 0
    while made < requests.size and taken < inner.size:
        if unit(coins) < trim_share and count[0]:
            page = bounded(state, pages)
            while not used[page >> 3] >> (page & 7) & 1:
                page = bounded(state, pages)
            request = page | (TRIM << OPERATION_SHIFT)
        else:
            request = inner[taken]
            page = request & PAGE_MASK
            taken += 1
        operation = request >> OPERATION_SHIFT
        if operation != READ:
            byte, bit = used[page >> 3], np.uint8(1 << (page & 7))
            after = byte | bit if operation == WRITE else byte & ~bit
            used[page >> 3] = after
            count[0] += np.int64(after > byte) - np.int64(after < byte)
        requests[made] = request
        made += 1
    return made, taken


@jit
def _mixed(
    requests: Requests,
    inner: Requests,
    sequential_share: float,
    pages: int,
    cursor: NDArray[np.int64],
    coins: State,
) -> tuple[int, int]:
    taken = made = 0
    while made < requests.size and taken < inner.size:
        if unit(coins) < sequential_share:
            requests[made] = cursor[0]
            cursor[0] = cursor[0] + 1 if cursor[0] + 1 < pages else 0
        else:
            requests[made] = inner[taken]
            taken += 1
        made += 1
    return made, taken
