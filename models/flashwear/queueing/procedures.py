"""The tests of the reviews as procedures on a modelled drive.

Each is a :class:`~flashwear.queueing.protocol.Protocol` made of its arguments, and runs the
compiled model (:mod:`flashwear.queueing.twin`) at the size of the drive, or at a `scale` of it
(:meth:`flashwear.drives.Drive.scaled`), where a test of as many drive writes takes that share of
the time. Times given, and times in the result, are those of the whole drive; latencies are those
simulated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flashwear._domain import number, one_number, one_of, whole
from flashwear.drives import Drive
from flashwear.queueing._sweeps import burst, fast_extent, sequential_sweep, trim_validation
from flashwear.queueing.plan import check_drive
from flashwear.queueing.protocol import TURNAROUND_S, Protocol, measured
from flashwear.queueing.requests import Access

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DEPTHS",
    "PATTERNS",
    "TURNAROUND_S",
    "burst",
    "client_tests",
    "evenness",
    "fast_extent",
    "mixed_sweep",
    "performance_consistency",
    "queue_depth_sweep",
    "score",
    "sequential_sweep",
    "span_for",
    "trim_validation",
]

DEPTHS = (1, 2, 4, 8, 16, 32)
"""Queue depths of a sweep; SATA takes no more than 32 commands."""

PATTERNS = {
    "random_write": Access(4096),
    "random_read": Access(4096, read_share=1.0),
    "random_70_30": Access(4096, read_share=0.7),
    "sequential_write": Access(131_072, "sequential"),
    "sequential_read": Access(131_072, "sequential", read_share=1.0),
}
"""What the host asks in a sweep, 4 KiB at random or 128 KiB in order."""

_CLIENT_SPAN_BYTES = 8e9


def span_for(drive: Drive, spare: float, of: str = "raw") -> float:
    """Return the part of a drive to write so that a given share is left as over-provisioning.

    Parameters
    ----------
    drive : Drive
        The drive.
    spare : float
        Share left unwritten, in [0, 1).
    of : {"raw", "user"}
        Whether the share is of the raw capacity, parity included, or of the user capacity.

    Returns
    -------
    float
        Part of the user capacity, 1 at most.

    Examples
    --------
    >>> from flashwear import drives
    >>> m600 = drives.load("m600-256gb")
    >>> round(span_for(m600, 0.25), 3), span_for(m600, 0.25, of="user")
    (0.805, 0.75)
    """
    check_drive(drive)
    one_of("of", of, ("raw", "user"))
    left = 1 - one_number("spare", spare, low=0, high=0.99)
    return min(1.0, left * (drive.raw_bytes / drive.user_bytes if of == "raw" else 1.0))


def performance_consistency(
    drive: Drive,
    span: float = 1.0,
    duration_s: float = 2000.0,
    seed: int = 0,
    *,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Fill a drive sequentially, then write 4 KiB at random with 32 outstanding requests.

    Parameters
    ----------
    drive : Drive
        The drive.
    span : float
        Part of it that is filled and written, in (0, 1]; see :func:`span_for`.
    duration_s : float
        Time of the random writes, in [1, 1e7].
    seed : int
        Seed of the writes.
    scale : float
        Size of the simulated drive, in (0, 1], to whole pages of a block; time goes by the share of
        them that is left. Refused is what gives other results: fewer than 64 program units in a
        superblock (against 1/32 an M600 256GB is then 2 % slower in the end, with 32 it is 16 %),
        and here fewer than 4 pages in a block (an M600 1TB is then 3 % faster, with 2 it is 5 %).
    progress : bool, optional
        As in :func:`flashwear.queueing.twin.run`.

    Returns
    -------
    DataFrame
        ``time_s``, the end of each second of the whole drive's time, and ``iops`` in it.

    Examples
    --------
    >>> from flashwear import drives
    >>> run = performance_consistency(
    ...     drives.load("m500dc-480gb"), duration_s=6000, scale=1 / 128)
    >>> bool(run.iops[1:60].mean() > run.iops[-60:].mean())
    True
    """
    test = Protocol(
        access=Access(4096, span=one_number("span", span, above=0, high=1)),
        depth=32,
        seconds=one_number("duration_s", duration_s, low=1, high=1e7),
        fill="span",
        think_s=0.0,
    )
    return test.seconds_of(drive, seed=seed, scale=scale, progress=progress)


def score(run: pd.DataFrame, last_s: float = 400.0) -> tuple[float, float]:
    """Return the mean IOPS of the last seconds, and that mean divided by the standard deviation.

    Examples
    --------
    >>> import pandas as pd
    >>> score(pd.DataFrame({"time_s": [100, 700, 800], "iops": [9.0, 3.0, 5.0]}))
    (4.0, 4.0)
    """
    end = one_number("last_s", last_s, above=0)
    tail = run.iops[run.time_s > run.time_s.iloc[-1] - end]
    return float(tail.mean()), float(tail.mean() / tail.std(ddof=0))


def evenness(iops: ArrayLike) -> float:
    """Return the mean of some seconds divided by their standard deviation about a line.

    The score of a drive that still settles is that of its trend, which is left out here. Seconds
    without any scatter give infinity, up to rounding.

    Parameters
    ----------
    iops : array_like
        Requests of each second, at least three.

    Raises
    ------
    ValueError
        If there are fewer, or one is negative or not finite, or all are 0.

    Examples
    --------
    A slope of one a second, with seconds one above it and one below in turn:

    >>> round(evenness([101, 100, 103, 102, 105, 104]), 1)
    107.2
    """
    seconds = number("iops", iops, low=0)
    if seconds.ndim != 1 or seconds.size < 3:
        raise ValueError(f"iops must be a row of at least three, got shape {seconds.shape}")
    if not seconds.any():
        raise ValueError("iops must not all be 0")
    seconds = seconds / seconds.max()  # squares of what is large are finite
    time = np.arange(seconds.size)
    trend = np.polyval(np.polyfit(time, seconds, 1), time)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(seconds.mean() / (seconds - trend).std())


def queue_depth_sweep(
    drive: Drive,
    pattern: str,
    depths: Iterable[int] = DEPTHS,
    *,
    seconds: float = 180.0,
    fill: str = "sequential",
    random_drive_writes: float = 3.0,
    span: float = 1.0,
    think_s: float = TURNAROUND_S,
    seed: int = 0,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Measure a pattern at several queue depths, by default on a drive in steady state.

    Each depth starts from a drive prepared alike.

    Parameters
    ----------
    drive : Drive
        The drive.
    pattern : str
        One of :data:`PATTERNS`.
    depths : iterable of int
        Queue depths, in [1, ``drive.queue_limit``].
    seconds : float
        Time of each step, in (0, 1e7]. Requests are counted after its first fifth, when the buffer
        has filled; latencies are those of the whole step.
    fill : {"sequential", "none"}
        Whether the drive is filled in order before.
    random_drive_writes : float
        Random writes after the fill, over the user capacity, in no time.
    span : float
        Part of the drive that the requests go to, in (0, 1].
    think_s : float
        Time of the host between a completion and its next request.
    seed : int
        Seed of all that is drawn.
    scale : float
        Size of the simulated drive, in (0, 1], as of :func:`performance_consistency`, but with any
        number of pages in a block.
    progress : bool, optional
        For each step, as in :func:`flashwear.queueing.twin.run`.

    Returns
    -------
    DataFrame
        A row for each depth: ``queue_depth``, ``iops``, ``mb_per_s``, ``median_s``, ``p99_s``,
        ``p9999_s`` (latencies), ``wa``, ``bottleneck`` and ``utilisation`` of it.

    Examples
    --------
    >>> from flashwear import drives
    >>> sweep = queue_depth_sweep(
    ...     drives.load("m500dc-480gb"), "random_read", (1, 32), seconds=25, scale=1 / 128)
    >>> bool(sweep.iops.is_monotonic_increasing)
    True
    """
    check_drive(drive)
    one_of("pattern", pattern, list(PATTERNS))
    access = replace(PATTERNS[pattern], span=span)
    asked = [whole("depths", depth, 1, drive.queue_limit) for depth in depths]
    test = Protocol(
        access=access,
        seconds=seconds,
        fill=_filled(fill),
        random_drive_writes=random_drive_writes,
        think_s=think_s,
    )
    return measured(
        drive,
        [({"queue_depth": depth}, replace(test, depth=depth)) for depth in asked],
        seed=seed,
        scale=scale,
        progress=progress,
    )


def mixed_sweep(
    drive: Drive,
    order: str,
    read_shares: Iterable[float] = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0),
    *,
    seconds: float = 180.0,
    fill: str = "sequential",
    random_drive_writes: float = 0.0,
    span: float = 1.0,
    think_s: float = TURNAROUND_S,
    seed: int = 0,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Measure mixed reads and writes: random 4 KiB at depth 3, or sequential 128 KiB at depth 1.

    Parameters
    ----------
    order : {"random", "sequential"}
        Which of the two.
    read_shares : iterable of float
        Shares of reads, in [0, 1].
    span : float
        Part of the drive that is filled before and that the requests go to, in (0, 1].
    drive, seconds, fill, random_drive_writes, think_s, seed, scale, progress
        As in :func:`queue_depth_sweep`.

    Returns
    -------
    DataFrame
        As that of :func:`queue_depth_sweep`, with ``read_share`` instead of ``queue_depth``.

    Examples
    --------
    >>> from flashwear import drives
    >>> sweep = mixed_sweep(
    ...     drives.load("m500dc-480gb"), "random", (1.0, 0.0), seconds=25, scale=1 / 128)
    >>> sweep.read_share.tolist()
    [1.0, 0.0]
    """
    one_of("order", order, ("random", "sequential"))
    base = replace(PATTERNS[f"{order}_write"], span=span)
    shares = [one_number("read_shares", part, low=0, high=1) for part in read_shares]
    test = Protocol(
        access=base,
        depth=3 if order == "random" else 1,
        seconds=seconds,
        fill=_filled(fill, "span"),
        random_drive_writes=random_drive_writes,
        think_s=think_s,
    )
    return measured(
        drive,
        [
            ({"read_share": part}, replace(test, access=replace(base, read_share=part)))
            for part in shares
        ],
        seed=seed,
        scale=scale,
        progress=progress,
    )


def client_tests(
    drive: Drive,
    *,
    seconds: float = 60.0,
    fill: str = "sequential",
    think_s: float = TURNAROUND_S,
    seed: int = 0,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Run the client tests of 2011 to 2014: random 4 KiB in 8 GB, sequential 128 KiB.

    Parameters
    ----------
    drive, seconds, fill, think_s, seed, scale, progress
        As in :func:`queue_depth_sweep`.

    Returns
    -------
    DataFrame
        A row for each test that is no deeper than ``drive.queue_limit``, as of
        :func:`queue_depth_sweep`, with its ``pattern``.

    Examples
    --------
    >>> from flashwear import drives
    >>> tests = client_tests(drives.load("m600-256gb"), seconds=25, scale=1 / 128)
    >>> tests.queue_depth.tolist()
    [3, 3, 32, 1, 1]
    """
    check_drive(drive)
    test = Protocol(
        access=PATTERNS["random_read"], seconds=seconds, fill=_filled(fill), think_s=think_s
    )
    tests = [
        ("random_read", _CLIENT_SPAN_BYTES, 3),
        ("random_write", _CLIENT_SPAN_BYTES, 3),
        ("random_write", _CLIENT_SPAN_BYTES, 32),
        ("sequential_read", None, 1),
        ("sequential_write", None, 1),
    ]
    return measured(
        drive,
        [
            (
                {"pattern": name, "queue_depth": depth},
                replace(test, access=PATTERNS[name], span_bytes=span, depth=depth),
            )
            for name, span, depth in tests
            if depth <= drive.queue_limit
        ],
        seed=seed,
        scale=scale,
        progress=progress,
    )


def _filled(fill: str, part: str = "drive") -> str:
    one_of("fill", fill, ("sequential", "none"))
    return part if fill == "sequential" else fill
