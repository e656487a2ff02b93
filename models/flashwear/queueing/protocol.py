"""A test of a drive as data: preparation, requests and duration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._domain import one_number, one_of, whole
from flashwear._extras import require
from flashwear.drives import MOST_COMMANDS, Drive
from flashwear.queueing import twin
from flashwear.queueing.plan import check_drive, share_at
from flashwear.queueing.requests import Access
from flashwear.queueing.result import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CONSISTENCY", "SETTLE", "TURNAROUND_S", "Protocol", "to_settle"]

TURNAROUND_S = 10e-6
"""Assumed time of the host from a completion to its next request; 5 to 20 us are usual."""

_FILLS = ("drive", "span", "none")
SETTLE = 5
"""The first part of a test of this many equal parts is left out, while the buffer fills."""
_LEAST_PAGES = 4  # of a block where seconds are counted


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A test of a drive: preparation, requests and duration.

    Bytes and seconds are those of the drive of full size. A run at a smaller `scale`
    (:meth:`flashwear.drives.Drive.scaled`) takes that share of both.

    Parameters
    ----------
    access : Access
        The requests.
    depth : int
        Requests that the host keeps outstanding, in [1, 65536]; cut to the drive's `queue_limit`.
    seconds : float, optional
        Length of the test, in (0, 1e7]. By default it ends when as many bytes as the span has have
        been requested.
    span_bytes : float, optional
        Size of the range that is accessed, from the start of the drive, > 0; all of a drive that
        is smaller. By default the range is the `span` of `access`.
    fill : {"drive", "span", "none"}
        What is written once in order before the test: the whole drive, the range that is accessed,
        or nothing.
    random_drive_writes : float, optional
        Random writes after the fill, over the bytes filled, in [0, 1000], in no simulated time.
        None stands for as many as bring the drive to steady state, :func:`to_settle`.
    think_s : float
        Time of the host between a completion and its next request, in [0, 3600].

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> from flashwear import drives
    >>> reads = Protocol(access=Access(4096, read_share=1.0), depth=3, seconds=25, span_bytes=8e9)
    >>> found = reads.figures(drives.load("m500dc-480gb"), scale=1 / 128)
    >>> found["bottleneck"], found["iops"] > 10_000
    ('controller', True)
    """

    access: Access
    depth: int = 1
    seconds: float | None = None
    span_bytes: float | None = None
    fill: str = "drive"
    random_drive_writes: float | None = 0.0
    think_s: float = TURNAROUND_S

    def __post_init__(self) -> None:
        if not isinstance(self.access, Access):
            raise ValueError(f"access must be an Access, got {self.access!r}")
        one_of("fill", self.fill, _FILLS)
        checked: dict[str, float | None] = {
            "depth": whole("depth", self.depth, 1, MOST_COMMANDS),
            "seconds": _if_given("seconds", self.seconds, above=0, high=1e7),
            "span_bytes": _if_given("span_bytes", self.span_bytes, above=0),
            "random_drive_writes": _if_given(
                "random_drive_writes", self.random_drive_writes, low=0, high=1000
            ),
            "think_s": one_number("think_s", self.think_s, low=0, high=3600),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def access_on(self, drive: Drive) -> Access:
        """Return the test's access pattern, with its span as a share of the drive's addresses."""
        check_drive(drive)
        if self.span_bytes is None:
            return self.access
        return replace(self.access, span=min(1.0, self.span_bytes / drive.user_bytes))

    def drive_writes_on(self, drive: Drive) -> float:
        """Return the random bytes written to `drive` before the test, over the bytes filled."""
        check_drive(drive)
        if self.random_drive_writes is None:
            return to_settle(drive)
        return self.random_drive_writes

    def run(
        self,
        drive: Drive,
        *,
        seed: int = 0,
        scale: float = 1.0,
        state: ftl.State | None = None,
        idle_s: float = 0.0,
        record: bool = True,
        progress: bool | None = None,
    ) -> Result:
        """Carry out the test on the compiled model.

        Parameters
        ----------
        drive : Drive
            The drive.
        seed : int
            Seed of all random draws.
        scale : float
            Size of the simulated drive over that of the real one, in (0, 1], however small.
        state : State, optional
            A drive as an earlier run at this `scale` left it, instead of a new one.
        idle_s : float
            Time before the first request, in [0, 1e6].
        record, progress : bool
            Whether to keep each request's completion time and latency, and to show a progress bar.

        Returns
        -------
        Result
            Result whose times are as simulated, `scale` times those of the drive of full size.

        Raises
        ------
        ValueError
            For a drive that does not hold a request.
        """
        access = self.access_on(drive)
        device = drive.scaled(scale)
        share = device.pages_per_block / drive.pages_per_block
        ios = None
        if self.seconds is None:
            ios = max(1, round(access.span * device.user_bytes) // access.size)
        return twin.run(
            device,
            access,
            queue_depth=self.depth,
            duration_s=None if self.seconds is None else self.seconds * share,
            ios=ios,
            seed=seed,
            think_s=self.think_s,
            fill="none" if self.fill == "none" else "sequential",
            random_drive_writes=self.drive_writes_on(drive),
            span=access.span if self.fill == "span" else 1.0,
            state=state,
            idle_s=one_number("idle_s", idle_s, low=0, high=1e6) * share,
            record=record,
            progress=progress,
        )

    def figures(
        self, drive: Drive, *, seed: int = 0, scale: float = 1.0, progress: bool | None = None
    ) -> dict[str, float | str]:
        """Simulate the test on a drive and return a summary.

        `seed` is that of all random draws, `scale` the size of the simulated drive over that of the
        real one, in (0, 1], and `progress` whether to show a progress bar.

        Returns
        -------
        dict
            ``iops`` and ``mb_per_s`` after the first fifth of the time, when the buffer has filled;
            latencies of all requests as simulated, ``median_s``, ``p99_s`` and ``p9999_s``; write
            amplification ``wa``; ``bottleneck``, the busiest station, and its ``utilisation``.
        """
        result = self.run(drive, seed=seed, scale=scale, progress=progress)
        assert result.completion_s is not None
        settle = result.elapsed_s / SETTLE
        rate = float((result.completion_s > settle).sum() / (result.elapsed_s - settle))
        bottleneck = result.bottleneck
        return {
            "iops": rate,
            "mb_per_s": rate * self.access.size / 1e6,
            "median_s": result.percentile(50),
            "p99_s": result.percentile(99),
            "p9999_s": result.percentile(99.99),
            "wa": result.wa_of_run,
            "bottleneck": bottleneck,
            "utilisation": float(result.utilisation[bottleneck].mean()),
        }

    def seconds_of(
        self, drive: Drive, *, seed: int = 0, scale: float = 1.0, progress: bool | None = None
    ) -> pd.DataFrame:
        """Simulate the test on a drive and return the requests completed in each second.

        `seed` is that of all random draws, `scale` the size of the simulated drive over that of the
        real one, in (0, 1], and `progress` whether to show a progress bar.

        Returns
        -------
        DataFrame
            ``time_s``, the end of each second, on the drive of full size, and ``iops`` in it.

        Raises
        ------
        ValueError
            If the length of the test in ``seconds`` is not set, or for a scale that leaves a
            superblock fewer than 64 program units or a block fewer than 4 pages.
        """
        require("sim", "pandas")
        import pandas as pd

        if self.seconds is None or self.seconds < 1:
            raise ValueError(f"seconds must be >= 1 to be counted one by one, got {self.seconds!r}")
        share = share_at(drive, scale, _LEAST_PAGES)
        result = self.run(drive, seed=seed, scale=scale, record=share < 1, progress=progress)
        seconds = int(self.seconds)
        if result.completion_s is None:
            counts: NDArray[np.float64] = result.per_second[:seconds].astype(float)
        else:
            counts = np.histogram(result.completion_s / share, seconds, (0, seconds))[0] / share
        return pd.DataFrame({"time_s": np.arange(1, seconds + 1), "iops": counts})


def _if_given(name: str, value: float | None, **bounds: float) -> float | None:
    return None if value is None else one_number(name, value, **bounds)


def to_settle(drive: Drive) -> float:
    """Return how many random bytes, over its capacity, bring a full drive to steady state.

    The result is on the safe side: 0.7 at 7 % over-provisioning and 2.9 at 80 %, where with large
    blocks write amplification is within 1 % of its limit after 0.35 and 2.2 drive writes
    (:func:`flashwear.wa.settled`).
    """
    check_drive(drive)
    return 0.5 + 3 * (drive.raw_bytes / drive.user_bytes - 1)


CONSISTENCY = Protocol(access=Access(4096), depth=32, seconds=2000, fill="span", think_s=0.0)
"""Performance consistency as in the reviews of 2013 and 2014, random writes on a full drive."""
