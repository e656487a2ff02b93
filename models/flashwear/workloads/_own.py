"""Loads of the user's own: a function that yields batches of pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import number, whole
from flashwear._random import State
from flashwear.workloads._streams import TEMPERATURE_SHIFT, Stream, Workload

_MOST_EMPTY = 1000
_MOST_STREAMS = 128
_DRAWN = 4096
_LOG_STREAM = 2**22


class Batches(Protocol):
    """Type of a user's own load: a generator function, ``pages(user_pages, seed)``.

    It yields the pages to write, in order, as arrays of whole numbers in [0, `user_pages`), of any
    length; or pairs of such an array and its stream number, from 0 on, or one for each page. When
    the generator ends, the load ends. Functions of :mod:`flashwear.ftl` and
    :mod:`flashwear.queueing` take it as `workload`; with streams, wrap it in :class:`Own`.
    """

    def __call__(
        self, user_pages: int, seed: int, /
    ) -> Iterator[ArrayLike] | Iterator[tuple[ArrayLike, ArrayLike]]:
        """Return an iterator over the batches for one drive and one seed."""
        ...


@dataclass(frozen=True)
class Own(Workload):
    """Writes that a user's function yields batch by batch.

    Parameters
    ----------
    batches : Batches
        A generator function ``batches(user_pages, seed)``.
    streams : int
        Number of streams, in [1, 128]. With ``frontier="hot_cold"`` or with handles, each stream
        is written to a frontier of its own.

    Raises
    ------
    ValueError
        For values outside these ranges. While it runs, if the function yields a page or a stream
        number out of range, or 1,000 empty batches.
    TypeError
        If `batches` is no function, or yields anything else.

    Examples
    --------
    A page at random after every eight of a file that is written round and round:

    >>> import numpy as np
    >>> from flashwear import ftl
    >>> def load(user_pages, seed):
    ...     rng = np.random.default_rng(seed)
    ...     half = user_pages // 2
    ...     while True:
    ...         for start in range(0, half - 7, 8):
    ...             yield np.arange(start, start + 8), 0
    ...             yield half + rng.integers(half, size=1), 1
    >>> arguments = dict(op=0.28, pages_per_block=64, workload=Own(load, streams=2))
    >>> [round(ftl.simulate(8000, frontier=f, **arguments).wa, 2) for f in ("single", "hot_cold")]
    [1.46, 1.38]
    """

    batches: Batches
    streams: int = 1

    def __post_init__(self) -> None:
        if not callable(self.batches):
            raise TypeError(f"batches must be a generator function, got {self.batches!r}")
        whole("streams", self.streams, 1, _MOST_STREAMS)

    @property
    def temperatures(self) -> int:
        """The number of streams."""
        return self.streams

    def stream(self, user_pages: int, seed: int, *, in_use: bool = True) -> Stream:
        """Return the requests to a drive of `user_pages`, drawn by `seed`; `in_use` is not used."""
        super().stream(user_pages, seed, in_use=in_use)
        return _Drawn(self, user_pages, seed)

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        return _Drawn(self, user_pages, int(next(states)[0] >> np.uint64(1)))


class _Drawn(Stream):
    """What is left of a batch, and the batches to come."""

    def __init__(self, load: Own, user_pages: int, seed: int) -> None:
        self._pages, self._streams = user_pages, load.streams
        self._name = getattr(load.batches, "__name__", repr(load.batches))
        batches: Any = load.batches(user_pages, seed)
        if not isinstance(batches, Iterator):
            raise TypeError(f"workload {self._name} must return an iterator, got {batches!r}")
        self._batches: Iterator[Any] = batches
        self._left = np.zeros(0, np.int64)

    def _fill(self, requests: NDArray[np.int64]) -> int:
        made = empty = 0
        while made < requests.size:
            if not self._left.size:
                try:
                    self._left = self._words(next(self._batches))
                except StopIteration:
                    break
                empty = 0 if self._left.size else empty + 1
                if empty == _MOST_EMPTY:
                    raise ValueError(
                        f"workload {self._name} must yield pages: the last {empty} batches had none"
                    )
            run = min(self._left.size, requests.size - made)
            requests[made : made + run] = self._left[:run]
            self._left = self._left[run:]
            made += run
        return made

    def _words(self, batch: object) -> NDArray[np.int64]:
        """Return a batch as requests."""
        stream: Any = 0
        if isinstance(batch, tuple) and len(batch) == 2:
            batch, stream = batch
        pages = np.atleast_1d(np.asarray(batch))
        if pages.size and (pages.ndim != 1 or pages.dtype.kind not in "iu"):
            raise TypeError(
                f"workload {self._name} must yield rows of whole numbers, or pairs of such a row "
                f"and a stream, got {batch!r}"
            )
        streams = np.asarray(stream)
        if streams.dtype.kind not in "iu" or streams.shape not in ((), pages.shape):
            raise TypeError(
                f"workload {self._name} must yield a whole number as stream, or one for each page, "
                f"got {stream!r}"
            )
        if ((streams < 0) | (streams >= self._streams)).any():
            raise ValueError(
                f"workload {self._name} must yield streams in [0, {self._streams}), got {stream!r}"
            )
        beyond = pages[(pages < 0) | (pages >= self._pages)] if pages.size else pages
        if beyond.size:
            raise ValueError(
                f"workload {self._name} must yield pages in [0, {self._pages}), got {beyond[0]}"
            )
        return np.asarray(pages.astype(np.int64) | streams.astype(np.int64) << TEMPERATURE_SHIFT)


@dataclass(frozen=True)
class Logs(Workload):
    """Several cyclic logs, each written from start to end, again and again.

    For each write, a log is drawn with the probability of its share, and its next `run` pages are
    written. Each log has its own stream number (temperature).

    Parameters
    ----------
    write_share : array_like
        Share of each log in the writes, > 0, at least one and at most 128 of them; they sum to 1.
    space_share : array_like, optional
        Share of the pages that each log has; by default all logs are equally large. A log has at
        least one page.
    run : int
        Pages that are written at once, >= 1.

    Raises
    ------
    ValueError
        For values outside these ranges, and for a drive with fewer pages than logs.

    Examples
    --------
    Two logs of which one is written three times as fast, in one stream and in two:

    >>> from flashwear import ftl
    >>> arguments = dict(op=0.28, pages_per_block=64, workload=Logs([0.75, 0.25]))
    >>> [round(ftl.simulate(8000, frontier=f, **arguments).wa, 2) for f in ("single", "hot_cold")]
    [1.29, 1.0]
    """

    write_share: ArrayLike
    space_share: ArrayLike | None = None
    run: int = 1

    def __post_init__(self) -> None:
        shares = _shares("write_share", self.write_share)
        space = np.full(shares.size, 1 / shares.size)
        if self.space_share is not None:
            space = _shares("space_share", self.space_share)
        if shares.size != space.size:
            raise ValueError(
                f"space_share must have {shares.size} shares, as write_share, got {space.size}"
            )
        object.__setattr__(self, "write_share", tuple(shares.tolist()))
        object.__setattr__(self, "space_share", tuple(space.tolist()))
        whole("run", self.run, 1, 2**31)

    @property
    def temperatures(self) -> int:
        """Number of logs."""
        return len(np.atleast_1d(self.write_share))

    def stream(self, user_pages: int, seed: int, *, in_use: bool = True) -> Stream:
        """Return the requests to a drive of `user_pages`, drawn by `seed`; `in_use` is not used."""
        return Own(self._batches, self.temperatures).stream(user_pages, seed, in_use=in_use)

    def _stream(self, user_pages: int, states: Iterator[State], in_use: bool) -> Stream:
        return self.stream(user_pages, int(next(states)[0] >> np.uint64(1)))

    def _batches(
        self, user_pages: int, seed: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        logs = self.temperatures
        if user_pages < logs:
            raise ValueError(f"user_pages must be >= {logs}, a page for each log, got {user_pages}")
        ends = np.rint(np.cumsum(np.asarray(self.space_share)) * user_pages).astype(np.int64)
        ends = np.maximum(ends, np.arange(1, logs + 1))
        ends = np.minimum(ends, user_pages - np.arange(logs)[::-1])
        first = np.append(0, ends[:-1])
        sizes, place = ends - first, np.zeros(logs, np.int64)
        rng = np.random.default_rng((seed, _LOG_STREAM))
        while True:
            log = rng.choice(logs, size=_DRAWN, p=np.asarray(self.write_share)).repeat(self.run)
            page = np.zeros(log.size, np.int64)
            for one in range(logs):
                mine = log == one
                count = int(mine.sum())
                page[mine] = first[one] + (place[one] + np.arange(count)) % sizes[one]
                place[one] = (place[one] + count) % sizes[one]
            yield page, log


def _shares(name: str, values: ArrayLike) -> NDArray[np.float64]:
    shares = np.atleast_1d(number(name, values, above=0))
    if shares.ndim != 1 or shares.size > _MOST_STREAMS or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(
            f"{name} must be at most {_MOST_STREAMS} shares that sum to 1, got {values!r}"
        )
    return shares
