"""Tests that show an SLC cache: writing a drive from end to end, or in a burst."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._domain import one_number, one_of, whole
from flashwear._extras import require
from flashwear.drives import Drive
from flashwear.queueing import twin
from flashwear.queueing.plan import check_drive, share_at
from flashwear.queueing.protocol import TURNAROUND_S, Protocol
from flashwear.queueing.requests import Access, check_sectors
from flashwear.queueing.result import Result

if TYPE_CHECKING:
    import pandas as pd


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
    """Write all addresses once, sequentially, and measure the speed along the way (HD Tach).

    Parameters
    ----------
    drive : Drive
        The drive.
    request_bytes : int
        Size of a request, a multiple of 512, in [512, 2**20].
    queue_depth : int
        Requests outstanding, in [1, ``drive.queue_limit``].
    fill : {"sequential", "none"}
        Whether the drive is full before.
    state : State, optional
        A drive as an earlier run left it, instead of a new one, at the same `scale`.
    idle_s : float
        Time before the first request, in [0, 1e6].
    points : int
        Stretches of equal size that the speed is measured on, >= 2.
    think_s : float
        Time of the host between a completion and its next request.
    seed : int
        Seed of what the drive draws.
    scale : float
        Size of the simulated drive, in (0, 1], as of
        :func:`flashwear.queueing.procedures.performance_consistency`.
    progress : bool, optional
        As in :func:`flashwear.queueing.twin.run`.

    Returns
    -------
    DataFrame
        A row for each stretch: ``address_bytes`` of its end on the whole drive, and ``mb_per_s``.

    Examples
    --------
    >>> from flashwear import drives
    >>> sweep = sequential_sweep(drives.load("m600-512gb"), points=10, scale=1 / 128)
    >>> bool(sweep.mb_per_s.std() < 0.05 * sweep.mb_per_s.mean())
    True
    """
    share = _checked(drive, points, scale, request_bytes, queue_depth)
    one_of("fill", fill, ("sequential", "none"))
    test = Protocol(
        access=Access(request_bytes, "sequential"),
        depth=queue_depth,
        fill="drive" if fill == "sequential" else fill,
        think_s=think_s,
    )
    result = test.run(drive, seed=seed, scale=scale, state=state, idle_s=idle_s, progress=progress)
    return _speeds(result, "address_bytes", drive.user_bytes, idle_s * share, points, request_bytes)


def trim_validation(
    drive: Drive,
    idle_s: float = 0.0,
    *,
    torture_s: float = 1800.0,
    points: int = 200,
    seed: int = 0,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Fill a drive, write 4 KiB randomly at queue depth 32, trim all, and sweep it sequentially.

    The trim takes no time; what it leaves for later is that blocks without live data have
    to be erased.

    Parameters
    ----------
    drive : Drive
        The drive.
    idle_s : float
        Time between the trim and the sweep.
    torture_s : float
        Time of the random writes, in (0, 1e7].
    points, seed, scale, progress
        As in :func:`sequential_sweep`.

    Returns
    -------
    DataFrame
        As of :func:`sequential_sweep`.

    Examples
    --------
    >>> from flashwear import drives
    >>> run = trim_validation(drives.load("m600-256gb"), torture_s=64, points=4, scale=1 / 128)
    >>> len(run)
    4
    """
    share = _checked(drive, points, scale)
    one_number("idle_s", idle_s, low=0, high=1e6)
    tortured = twin.run(
        drive.scaled(share),
        Access(4096),
        duration_s=one_number("torture_s", torture_s, above=0, high=1e7) * share,
        seed=seed,
        progress=progress,
    )
    state = tortured.ftl
    state.trim(0, state.user_pages)
    return sequential_sweep(
        drive,
        state=state,
        idle_s=idle_s,
        points=points,
        seed=seed,
        scale=scale,
        progress=progress,
    )


def burst(
    drive: Drive,
    fill: float = 0.5,
    *,
    burst_bytes: float = 32e9,
    idle_s: float | None = None,
    request_bytes: int = 131_072,
    queue_depth: int = 1,
    points: int = 200,
    think_s: float = TURNAROUND_S,
    seed: int = 0,
    scale: float = 1.0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Fill a part of a drive sequentially, let it rest, and overwrite that part in a burst.

    Parameters
    ----------
    drive : Drive
        The drive.
    fill : float
        Part of it that holds data, in (0, 1].
    burst_bytes : float
        Size of the burst, to the nearest request; one request at least, of the size it stands for
        at this `scale`.
    idle_s : float, optional
        Time between fill and burst, in [0, 1e6]; by default as long as the drive has anything to
        fold.
    request_bytes, queue_depth, points, think_s, seed, scale, progress
        As in :func:`sequential_sweep`.

    Returns
    -------
    DataFrame
        A row for each stretch: ``written_bytes`` at its end, and ``mb_per_s``.

    Examples
    --------
    >>> from flashwear import drives
    >>> run = burst(drives.load("m600-256gb"), burst_bytes=8e9, points=4, scale=1 / 128)
    >>> len(run), float(run.written_bytes.max()) / 1e9
    (4, 8.0)
    """
    share = _checked(drive, points, scale, request_bytes, queue_depth)
    size = one_number("burst_bytes", burst_bytes, above=0)
    rest = 0.0 if idle_s is None else one_number("idle_s", idle_s, low=0, high=1e6) * share
    device = drive.scaled(share)
    requests = size * device.user_bytes / drive.user_bytes / request_bytes
    if requests < 0.999:  # the scaled drive is a multiple of the map unit
        raise ValueError(
            f"burst_bytes must be >= {size / requests:.0f}, a request of {request_bytes} bytes at "
            f"this scale, got {burst_bytes!r}"
        )
    access = Access(request_bytes, "sequential", span=one_number("fill", fill, above=0, high=1))
    if access.span * device.user_bytes < request_bytes:
        raise ValueError(
            f"fill must hold a request of {request_bytes} bytes, got {fill!r} of "
            f"{device.user_bytes} bytes at this scale"
        )
    state = None
    if idle_s is None:
        state = twin.run(device, access, ios=1, seed=seed, span=fill).ftl
        state.fold()
    result = twin.run(
        device,
        access,
        queue_depth=queue_depth,
        ios=round(requests),
        seed=seed,
        think_s=think_s,
        span=fill,
        state=state,
        idle_s=rest,
        record=True,
        progress=progress,
    )
    return _speeds(result, "written_bytes", size, rest, points, request_bytes)


def fast_extent(run: pd.DataFrame, share: float = 0.8) -> float:
    """Return the bytes written before the speed first falls below a share of the best.

    The first stretch, in which the buffer of the drive fills, is not looked at.

    Parameters
    ----------
    run : DataFrame
        As of :func:`sequential_sweep` or :func:`burst`, of two rows or more.
    share : float
        In (0, 1].

    Examples
    --------
    >>> import pandas as pd
    >>> written = [1e9, 2e9, 3e9, 4e9]
    >>> fast_extent(pd.DataFrame({"written_bytes": written, "mb_per_s": [500, 400, 390, 90]}))
    3000000000.0
    """
    if len(run) < 2:
        raise ValueError(f"run must have two rows or more, got {len(run)}")
    speed = run.mb_per_s.to_numpy()[1:]
    ends = run.iloc[:, 0].to_numpy()
    slow = np.flatnonzero(speed < one_number("share", share, above=0, high=1) * speed.max())
    return float(ends[slow[0]] if slow.size else ends[-1])


def _checked(
    drive: Drive, points: int, scale: float, request_bytes: int = 131_072, queue_depth: int = 1
) -> float:
    """Check the arguments that the tests share; return what :func:`share_at` does."""
    check_drive(drive)
    whole("points", points, 2, 10**6)
    check_sectors("request_bytes", request_bytes)
    whole("queue_depth", queue_depth, 1, drive.queue_limit)
    return share_at(drive, scale)


def _speeds(
    result: Result, name: str, size: float, start_s: float, points: int, request_bytes: int
) -> pd.DataFrame:
    """Return the speed on stretches of so many bytes in all, of what was requested in order."""
    require("sim", "pandas")
    import pandas as pd

    assert result.completion_s is not None
    done: NDArray[np.float64] = np.concatenate(([start_s], np.sort(result.completion_s)))
    stretches = min(points, done.size - 1)
    ends = np.linspace(0, done.size - 1, stretches + 1).round().astype(np.int64)
    speed = np.diff(ends) * request_bytes / np.diff(done[ends]) / 1e6
    return pd.DataFrame({name: ends[1:] / (done.size - 1) * size, "mb_per_s": speed})
