"""Requests of the host to a drive: reads, writes and trims of whole sectors.

A request is one int64 word: bits 0 to 47 the first sector, 48 to 59 the number of sectors,
60 and 61 the kind, as in :mod:`flashwear.workloads`: ``WRITE`` 0, ``TRIM`` 1, ``READ`` 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear._domain import one_number, one_of, whole
from flashwear._random import State, bounded, seeded, unit
from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, READ, WRITE, Stream, Workload, named

__all__ = ["Access"]

SECTOR = 512
COUNT_SHIFT, KIND_SHIFT = 48, 60
SECTOR_MASK = (1 << COUNT_SHIFT) - 1
COUNT_MASK = (1 << KIND_SHIFT - COUNT_SHIFT) - 1
MOST_SECTORS = 2048
"""Largest request: 1 MiB."""

Words = NDArray[np.int64]


@dataclass(frozen=True)
class Access:
    """An access pattern: requests of one size, random or sequential, reads and writes mixed.

    Parameters
    ----------
    size : int
        Bytes of a request, a multiple of 512, in [512, 2**20].
    order : {"random", "sequential"}
        Random addresses are multiples of `align`; sequential addresses go through the span again
        and again.
    read_share : float
        Probability that a request is a read, in [0, 1].
    span : float
        Part of the drive, from its start, that is accessed, in (0, 1].
    align : int, optional
        Grid of random addresses in bytes, a multiple of 512; by default the size of a request.
    rate : float, optional
        Mean number of requests that arrive per second, > 0, at exponentially distributed intervals
        (an open loop). By default the host keeps its queue full.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> words = np.empty(3, np.int64)
    >>> Access(131_072, "sequential").stream(10**9, seed=0).fill(words)
    3
    >>> (words & SECTOR_MASK).tolist()
    [0, 256, 512]
    """

    size: int = 4096
    order: str = "random"
    read_share: float = 0.0
    span: float = 1.0
    align: int | None = None
    rate: float | None = None

    def __post_init__(self) -> None:
        check_sectors("size", self.size)
        one_of("order", self.order, ("random", "sequential"))
        one_number("read_share", self.read_share, low=0, high=1)
        one_number("span", self.span, above=0, high=1)
        if self.align is not None:
            check_sectors("align", self.align, 2**40)
        if self.rate is not None:
            one_number("rate", self.rate, low=1e-3, high=1e9)

    def stream(self, user_bytes: int, seed: int) -> Stream:
        """Return the stream of requests to a drive of `user_bytes`, random ones by the seed `seed`.

        Raises
        ------
        ValueError
            If the span of this drive does not hold a request.
        """
        size = self.size // SECTOR
        align = (self.align or self.size) // SECTOR
        sectors = int(self.span * (user_bytes // SECTOR))
        places = (sectors - size) // align + 1
        if places < 1:
            raise ValueError(
                f"span must hold a request of {self.size} bytes, got {self.span!r} of "
                f"{user_bytes} bytes"
            )
        return _Accesses(self, size, align, places, seed)


class _Accesses(Stream):
    def __init__(self, access: Access, size: int, align: int, places: int, seed: int) -> None:
        self._arguments = size, align, places, float(access.read_share)
        self._order = access.order == "random"
        self._cursor = np.zeros(1, np.int64)
        self._state, self._coins = seeded(seed, 0), seeded(seed, 1)

    def _fill(self, requests: Words) -> int:
        rest = self._order, self._cursor, self._state, self._coins
        return int(_accesses(requests, *self._arguments, *rest))


class _Pages(Stream):
    """Requests of a page workload, each of one map unit."""

    def __init__(self, stream: Stream, unit_sectors: int) -> None:
        self._stream, self._unit = stream, unit_sectors

    def _fill(self, requests: Words) -> int:
        size = self._stream.fill(requests)
        page, kind = requests[:size] & PAGE_MASK, requests[:size] >> OPERATION_SHIFT & 3
        requests[:size] = page * self._unit | self._unit << COUNT_SHIFT | kind << KIND_SHIFT
        return size


def stream_for(
    workload: str | Workload | Access, user_bytes: int, map_bytes: int, seed: int
) -> Stream:
    """Return the stream of requests of an :class:`Access`, or of a workload of single pages.

    The drive has `user_bytes`; a page of the workload is a map unit of `map_bytes`. `seed` is that
    of random requests.
    """
    if isinstance(workload, Access):
        return workload.stream(user_bytes, seed)
    pages = named(workload).stream(user_bytes // map_bytes, seed)
    return _Pages(pages, map_bytes // SECTOR)


def interarrival_times(rate: float, count: int, seed: int) -> Words:
    """Return `count` exponential times between arrivals, in whole ns, for `rate` per second."""
    drawn = np.random.default_rng((whole("seed", seed, 0), 2**22)).exponential(1e9 / rate, count)
    return np.maximum(1, np.rint(drawn)).astype(np.int64)


def check(words: Words, user_bytes: int) -> None:
    """Raise ValueError unless all requests lie in a drive of `user_bytes` and have valid sizes.

    Each of `words` packs the kind, the number of sectors and the first sector of a request.
    """
    if not words.size:
        return
    first, count = words & SECTOR_MASK, words >> COUNT_SHIFT & COUNT_MASK
    kind = words >> KIND_SHIFT
    for bad, what in (
        ((kind < WRITE) | (kind > READ), "writes, trims or reads"),
        ((count < 1) | (count > MOST_SECTORS), f"of 1 to {MOST_SECTORS} sectors"),
        (first + count > user_bytes // SECTOR, f"within {user_bytes // SECTOR} sectors"),
    ):
        if bad.any():
            i = int(bad.argmax())
            raise ValueError(
                f"requests must be {what}, got {count[i]} sectors from {first[i]}, kind {kind[i]}"
            )


def check_sectors(name: str, value: int, most: int = MOST_SECTORS) -> None:
    """Raise ValueError, naming an argument, unless its value is a whole number of sectors in bytes.

    `name` and `value` are the argument's; `value` must be 512 bytes times 1 to `most`.
    """
    if whole(name, value, SECTOR, most * SECTOR) % SECTOR:
        raise ValueError(f"{name} must be a multiple of {SECTOR} bytes, got {value}")


@jit
def _accesses(
    requests: Words,
    size: int,
    align: int,
    places: int,
    read_share: float,
    at_random: bool,
    cursor: Words,
    state: State,
    coins: State,
) -> int:
    for i in range(requests.size):
        if at_random:
            place = bounded(state, places)
        else:
            place = cursor[0]
            cursor[0] = place + 1 if place + 1 < places else 0
        word = place * align | size << COUNT_SHIFT
        if read_share > 0 and unit(coins) < read_share:
            word |= READ << KIND_SHIFT
        requests[i] = word
    return requests.size
