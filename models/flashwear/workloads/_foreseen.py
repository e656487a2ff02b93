"""A workload with a known future: each write says when its page will be written again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear._domain import one_number, whole
from flashwear._random import State
from flashwear.workloads._layered import check_workload
from flashwear.workloads._streams import (
    OPERATION_SHIFT,
    PAGE_MASK,
    READ,
    TEMPERATURE_SHIFT,
    WRITE,
    Requests,
    Stream,
    Workload,
)

_LEVELS, _RATIO = 3, 8
_FARTHEST = 1000.0


@dataclass(frozen=True)
class Foreseen(Workload):
    """A workload whose writes are classed by when they become invalid, as if that were foreseen.

    The future is divided into slices, at three levels; the slices of each level are eight times as
    long as those of the level before. The class of a write is the slice in which its page is next
    written or trimmed, at the first level that reaches so far; pages that live longer share the
    last class. The slices of a level are numbered cyclically.

    On a drive with the frontier "hot_cold" a block then holds pages that become invalid at about
    the same time. With enough spare flash its write amplification tends to 1 for any workload.

    Most of this is known. :cite:t:`lange2021` show that hardly anything has to be copied if the
    future is known, and :cite:t:`wang2022sepbit` that placing pages by the time of their next write
    is best. The book's appendix "Hot and cold data: pools, policies, foresight" derives the spare
    flash needed.

    Parameters
    ----------
    workload : Workload
        Workload whose requests are taken, in order. Its own classes are replaced.
    temperatures : int
        Number of classes, in [10, 100], rounded down to the form 3 k + 1.
    ahead : float
        How far the longest slices together reach into the future, in drive writes, in (0, 1000]. Up
        to twice as many requests are held in memory, 8 bytes each.

    Raises
    ------
    ValueError
        Outside these ranges, or if `workload` is not a Workload.

    Examples
    --------
    >>> from flashwear import ftl
    >>> from flashwear.workloads import Uniform
    >>> drive = dict(user_pages=100_000, op=0.1, pages_per_block=32, warmup_drive_writes=6)
    >>> blind = ftl.simulate(**drive)
    >>> known = ftl.simulate(**drive, frontier="hot_cold", workload=Foreseen(Uniform()))
    >>> round(blind.wa, 1), round(known.wa, 1)
    (4.9, 1.0)
    """

    workload: Workload
    temperatures: int = 100
    ahead: float = 12.0

    def __post_init__(self) -> None:
        check_workload("workload", self.workload)
        object.__setattr__(self, "temperatures", whole("temperatures", self.temperatures, 10, 100))
        object.__setattr__(self, "ahead", one_number("ahead", self.ahead, above=0, high=_FARTHEST))

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        inner = self.workload._stream(user_pages, states, in_use)
        return _Foreseen(inner, user_pages, self.temperatures, self.ahead)


class _Foreseen(Stream):
    """The requests of another stream, which is read two reaches ahead."""

    def __init__(self, inner: Stream, pages: int, classes: int, ahead: float) -> None:
        self._inner = inner
        self._length = max(1, round(ahead * pages))
        self._slices = (classes - 1) // _LEVELS
        longest = -(-self._length // (self._slices - 1))
        self._lengths = np.array([-(-longest // _RATIO**k) for k in range(_LEVELS - 1, -1, -1)])
        self._next_use = np.empty(pages, np.int64)
        self._now, self._later = self._read(), self._read()
        self._start = self._place = 0
        self._tell()

    def _read(self) -> Requests:
        requests = np.empty(self._length, np.int64)
        return requests[: self._inner.fill(requests)]

    def _tell(self) -> None:
        _foresee(self._now, self._later, self._next_use, self._start, self._slices, self._lengths)

    def _fill(self, requests: Requests) -> int:
        filled = 0
        while filled < requests.size:
            if self._place == self._now.size:
                if not self._later.size:
                    break
                self._start += self._now.size
                self._now, self._later, self._place = self._later, self._read(), 0
                self._tell()
            part = self._now[self._place : self._place + requests.size - filled]
            requests[filled : filled + part.size] = part
            filled += part.size
            self._place += part.size
        return filled


@jit
def _foresee(
    now: Requests,
    later: Requests,
    next_use: NDArray[np.int64],
    start: int,
    slices: int,
    lengths: NDArray[np.int64],
) -> None:
    """Set the class of each write of `now`: the slice in which its page dies."""
    next_use[:] = np.iinfo(np.int64).max
    for i in range(later.size - 1, -1, -1):
        if later[i] >> OPERATION_SHIFT != READ:
            next_use[later[i] & PAGE_MASK] = start + now.size + i
    for i in range(now.size - 1, -1, -1):
        operation, page = now[i] >> OPERATION_SHIFT, now[i] & PAGE_MASK
        if operation == WRITE:
            dies = next_use[page]
            level = 0
            while level < lengths.size and dies - start - i > (slices - 1) * lengths[level]:
                level += 1
            temperature = level * slices
            if level < lengths.size:
                temperature += dies // lengths[level] % slices
            now[i] = page | temperature << TEMPERATURE_SHIFT
        if operation != READ:
            next_use[page] = start + i
