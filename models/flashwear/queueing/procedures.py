"""The tests of the reviews as procedures on a modelled drive.

Each builds a :class:`~flashwear.queueing.protocol.Protocol` from its arguments, and runs the
compiled model (:mod:`flashwear.queueing.twin`) on the drive, or on one of a smaller `scale`
(:meth:`flashwear.drives.Drive.scaled`), for which the same number of drive writes takes that share
of the time. Times in arguments and results are converted to those of the whole drive; latencies are
as simulated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear import ftl
from flashwear._domain import number, one_number, one_of, whole
from flashwear._extras import require
from flashwear.drives import Drive
from flashwear.queueing.plan import check_drive, share_at
from flashwear.queueing.protocol import CONSISTENCY, TURNAROUND_S, Protocol
from flashwear.queueing.requests import Access, check_sectors
from flashwear.queueing.result import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DEPTHS", "PATTERNS", "TURNAROUND_S", "evenness", "performance_consistency",
           "queue_depth_sweep", "score", "sequential_sweep", "span_for", "speeds"]  # fmt: skip

DEPTHS = (1, 2, 4, 8, 16, 32)
"""Queue depths of a sweep; a SATA drive accepts at most 32 commands at a time."""

PATTERNS = {
    "random_write": Access(4096),
    "random_read": Access(4096, read_share=1.0),
    "random_70_30": Access(4096, read_share=0.7),
    "sequential_write": Access(131_072, "sequential"),
    "sequential_read": Access(131_072, "sequential", read_share=1.0),
}
"""Access patterns of a sweep by name, of 4 KiB at random or 128 KiB sequentially."""

_FILLS = {"sequential": "drive", "none": "none"}


def span_for(drive: Drive, spare: float, of: str = "raw") -> float:
    """Return the share of the addresses to use so that a given share of a drive stays unwritten.

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
        Share of the user capacity, 1 at most.

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
        Part of the drive that is filled and written, in (0, 1].
    duration_s : float
        Time of the random writes, in [1, 1e7].
    seed : int
        Seed of the writes.
    scale : float
        Size of the simulated drive over that of the real one, in (0, 1]. Blocks keep this share of
        their pages, rounded, and times shrink by the same share. ValueError is raised if a
        superblock had fewer than 64 program units or a block fewer than 4 pages, for which speeds
        were up to 16 % off.
    progress : bool, optional
        Whether to show a progress bar on stderr; by default for 100 simulated seconds or more.

    Returns
    -------
    DataFrame
        ``time_s``, the end of each second, on the drive of full size, and ``iops`` in it.

    Examples
    --------
    >>> from flashwear import drives
    >>> run = performance_consistency(
    ...     drives.load("m500dc-480gb"), duration_s=6000, scale=1 / 128)
    >>> bool(run.iops[1:60].mean() > run.iops[-60:].mean())
    True
    """
    test = replace(
        CONSISTENCY,
        access=replace(CONSISTENCY.access, span=one_number("span", span, above=0, high=1)),
        seconds=one_number("duration_s", duration_s, low=1, high=1e7),
    )
    return test.seconds_of(drive, seed=seed, scale=scale, progress=progress)


def score(run: pd.DataFrame, last_s: float = 400.0) -> tuple[float, float]:
    """Return mean IOPS over the end of a test, and this mean over the standard deviation.

    `run` has the columns ``time_s``, the end of each second, and ``iops`` in it; its last `last_s`
    seconds count.

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
    """Return mean IOPS over the standard deviation of IOPS about a fitted straight line.

    The line takes off the trend of a drive that still settles, which :func:`score` counts as
    scatter. Without any scatter the result is infinite, up to rounding.

    Parameters
    ----------
    iops : array_like
        Requests in each second, at least three seconds.

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
    """Simulate an access pattern at several queue depths, by default in steady state.

    For each depth the test begins with a new drive.

    Parameters
    ----------
    drive : Drive
        The drive.
    pattern : str
        Name of an access pattern in :data:`PATTERNS`, such as "random_read".
    depths : iterable of int
        Queue depths, in [1, ``drive.queue_limit``].
    seconds : float
        Time of each step, in (0, 1e7]. Requests are counted after its first fifth, when the buffer
        has filled; latencies are those of the whole step.
    fill : {"sequential", "none"}
        Whether the drive is filled in order before.
    random_drive_writes : float
        Random writes after the fill, over the user capacity, which take no simulated time.
    span : float
        Part of the drive that the requests go to, in (0, 1].
    think_s : float
        Seconds from a completion to the host's next request.
    seed : int
        Seed of all random draws.
    scale : float
        Size of the simulated drive over that of the real one, in (0, 1]; a superblock must keep 64
        program units.
    progress : bool, optional
        Whether to show a progress bar for each depth; by default for 100 simulated seconds or more.

    Returns
    -------
    DataFrame
        A row for each depth: ``queue_depth``; ``iops``, ``mb_per_s``; latencies ``median_s``,
        ``p99_s`` and ``p9999_s``; write amplification ``wa``; the ``bottleneck``, which is the
        busiest station, and its ``utilisation``, the share of time it is busy.

    Examples
    --------
    >>> from flashwear import drives
    >>> sweep = queue_depth_sweep(
    ...     drives.load("m500dc-480gb"), "random_read", (1, 32), seconds=25, scale=1 / 128)
    >>> bool(sweep.iops.is_monotonic_increasing)
    True
    """
    require("sim", "pandas")
    import pandas as pd

    share_at(drive, scale)
    one_of("pattern", pattern, list(PATTERNS))
    one_of("fill", fill, list(_FILLS))
    test = Protocol(
        access=replace(PATTERNS[pattern], span=span),
        seconds=seconds,
        fill=_FILLS[fill],
        random_drive_writes=random_drive_writes,
        think_s=think_s,
    )
    steps = [replace(test, depth=whole("depths", one, 1, drive.queue_limit)) for one in depths]
    how: dict[str, Any] = {"seed": seed, "scale": scale, "progress": progress}
    return pd.DataFrame([{"queue_depth": one.depth, **one.figures(drive, **how)} for one in steps])


def sequential_sweep(
    drive: Drive,
    *,
    request_bytes: int = 131_072,
    queue_depth: int = 1,
    fill: str = "none",
    state: ftl.State | None = None,
    idle_s: float = 0.0,
    points: int = 200,
    think_s: float = TURNAROUND_S,
    seed: int = 0,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Simulate sequential writing along all addresses, as HD Tach does on a real drive.

    Parameters
    ----------
    drive : Drive
        The drive.
    request_bytes : int
        Size of a request, a multiple of 512, in [512, 2**20].
    queue_depth : int
        Requests outstanding, in [1, ``drive.queue_limit``].
    fill : {"sequential", "none"}
        Whether the drive is filled in order before, or blank.
    state : State, optional
        A drive as an earlier run at this `scale` left it, instead of a new one.
    idle_s : float
        Time before the first request, in [0, 1e6].
    points : int
        Number of equal parts of the address range whose speeds are returned, >= 2.
    think_s : float
        Seconds from a completion to the host's next request.
    seed : int
        Seed of the drive's random draws.
    scale : float
        Size of the simulated drive over that of the real one, in (0, 1].
    progress : bool, optional
        Whether to show a progress bar on stderr.

    Returns
    -------
    DataFrame
        A row for each part: ``address_bytes``, the end of it on the whole drive, and ``mb_per_s``.

    Examples
    --------
    >>> from flashwear import drives
    >>> sweep = sequential_sweep(drives.load("m600-512gb"), points=10, scale=1 / 128)
    >>> bool(sweep.mb_per_s.std() < 0.05 * sweep.mb_per_s.mean())
    True
    """
    share = share_at(drive, scale)
    whole("points", points, 2, 10**6)
    check_sectors("request_bytes", request_bytes)
    whole("queue_depth", queue_depth, 1, drive.queue_limit)
    one_of("fill", fill, list(_FILLS))
    test = Protocol(
        access=Access(request_bytes, "sequential"),
        depth=queue_depth,
        fill=_FILLS[fill],
        think_s=think_s,
    )
    result = test.run(drive, seed=seed, scale=scale, state=state, idle_s=idle_s, progress=progress)
    return speeds(result, drive.user_bytes, request_bytes, start_s=idle_s * share, points=points)


def speeds(
    result: Result, size: float, request_bytes: int, *, start_s: float = 0.0, points: int = 200
) -> pd.DataFrame:
    """Return the speed along a recorded sequential run, in parts of equal size.

    Parameters
    ----------
    result : Result
        Recorded run whose requests have `request_bytes` each, the first of them at `start_s`.
    size : float
        Bytes of all requests together, on the drive of full size.
    start_s : float
        Time at which the first request is issued.
    points : int
        Number of parts, at most one a request.

    Returns
    -------
    DataFrame
        A row for each part: ``address_bytes``, the end of it on the whole drive, and ``mb_per_s``.
    """
    require("sim", "pandas")
    import pandas as pd

    assert result.completion_s is not None
    done: NDArray[np.float64] = np.concatenate(([start_s], np.sort(result.completion_s)))
    stretches = min(points, done.size - 1)
    ends = np.linspace(0, done.size - 1, stretches + 1).round().astype(np.int64)
    speed = np.diff(ends) * request_bytes / np.diff(done[ends]) / 1e6
    return pd.DataFrame({"address_bytes": ends[1:] / (done.size - 1) * size, "mb_per_s": speed})
