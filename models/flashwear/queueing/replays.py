"""A storage bench played on a drive, and its scores.

The host plays a stream of :mod:`flashwear.queueing.bursts` in a closed loop: in a burst it keeps
as many requests outstanding as the burst is deep, and when all of its requests are completed it
pauses before the next. So a slow drive is asked later, never less.

Scores are those of the reviews: *average data rate*, bytes read and written over the time in which
requests are outstanding (pauses do not count), and *average service time*, from issue to
completion, waiting included. The reviews do not define their latency outliers; counted are the
shares of requests that take more than 10 ms and more than 100 ms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flashwear import ftl
from flashwear._domain import one_of, whole
from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear.queueing._assumed import check_guess
from flashwear.queueing.benches import DEEPEST, Assumed, Bench, check_bench
from flashwear.queueing.bursts import Words, stream
from flashwear.queueing.plan import check_drive, planned, prepared, tally
from flashwear.queueing.reference import playback as reference
from flashwear.queueing.twin import playback as twin

__all__ = ["Replay", "replay"]

_SLOW_NS = (10_000_000, 100_000_000)


@dataclass(frozen=True)
class Replay:
    """The scores of a bench on a drive.

    Attributes
    ----------
    ios : int
        Requests completed.
    total_bytes : int
        Bytes read and written.
    busy_s : float
        Time in which requests were outstanding.
    elapsed_s : float
        With pauses.
    service_s : float
        Mean time from issue to completion.
    over_10ms, over_100ms : float
        Shares of the requests that took longer.
    host_writes, copies, cache_writes, fold_copies : int
        Map units, as in :class:`flashwear.queueing.result.Result`.
    ftl : State
        The drive as the bench left it.
    """

    ios: int
    total_bytes: int
    busy_s: float
    elapsed_s: float
    service_s: float
    over_10ms: float
    over_100ms: float
    host_writes: int
    copies: int
    cache_writes: int
    fold_copies: int
    ftl: ftl.State

    @property
    def mb_per_s(self) -> float:
        """Average data rate in MB/s."""
        return self.total_bytes / self.busy_s / 1e6

    @property
    def wa(self) -> float:
        """Write amplification, 1 plus copies over host writes in map units; NaN without writes."""
        return 1 + self.copies / self.host_writes if self.host_writes else np.nan


class _Tally:
    """What a replay counts, burst by burst."""

    def __init__(self) -> None:
        self.ios = self.sectors = self.busy_ns = self.service_ns = 0
        self.slow = [0, 0]

    def add(self, words: Words, latency_ns: Words, busy_ns: int) -> None:
        self.ios += words.size
        self.sectors += int((words >> io.COUNT_SHIFT & io.COUNT_MASK).sum())
        self.busy_ns += busy_ns
        self.service_ns += int(latency_ns.sum())
        for i, limit in enumerate(_SLOW_NS):
            self.slow[i] += int((latency_ns > limit).sum())


def replay(
    drive: Drive,
    bench: Bench,
    guess: Assumed,
    *,
    fill: str = "none",
    scale: float = 1.0,
    seed: int = 0,
    model: str = "twin",
) -> Replay:
    """Play a bench on a drive.

    Parameters
    ----------
    drive : Drive
        The drive.
    bench : Bench
        The published marginals, see :func:`flashwear.queueing.benches.load`.
    guess : Assumed
        All else about the stream. Bursts deeper than ``drive.queue_limit`` are cut to it.
    fill : {"none", "sequential"}
        Whether the drive is empty before, or written once in order. What was never written is read
        without the flash.
    scale : float
        Size of the simulated drive, in (0, 1], see :meth:`flashwear.drives.Drive.scaled`; the bench
        is scaled as its blocks are, and the kept study ``storage_bench_scale`` shows what that
        changes. Pauses, and the time after which a drive is idle, are those of the whole.
    seed : int
        Of the stream and of what the drive draws.
    model : {"twin", "reference"}
        The compiled model or the one in SimPy, which do the same.

    Returns
    -------
    Replay

    Raises
    ------
    ValueError
        Outside these ranges, or for a stream that does not fit.
    RuntimeError
        If the drive comes to a standstill.

    Examples
    --------
    >>> from flashwear import drives
    >>> from flashwear.queueing import benches
    >>> light, guess = benches.load("light"), benches.assumed("light")
    >>> scores = replay(drives.load("m600-512gb"), light, guess, scale=1 / 128)
    >>> scores.ios, scores.mb_per_s > 100
    (6502, True)
    """
    one_of("model", model, ("twin", "reference"))
    check_drive(drive)
    check_bench(bench)
    check_guess(guess)
    device = replace(drive.scaled(scale), cache_idle_s=drive.cache_idle_s)
    share = device.pages_per_block / drive.pages_per_block
    requests = round(bench.reads * share) + round(bench.writes * share)
    if not requests:
        raise ValueError(
            f"scale must leave one of {bench.requests} requests, got {scale!r}, which is {share:g} "
            f"in whole pages of a block"
        )
    plan = planned(device, DEEPEST, None, requests, 0.0, guess.idle_s)
    bursts = (
        burst._replace(depth=min(burst.depth, plan.queue_depth))
        for burst in stream(bench, guess, plan.user_bytes, scale=share, seed=seed)
    )
    run = prepared(plan, device, io.Access(), whole("seed", seed, 0), fill, 0.0, 1.0)
    before, counted = tally(run.state), _Tally()
    now = (twin if model == "twin" else reference).play(run, bursts, counted.add)
    written, copies, cached, folded = (tally(run.state) - before).tolist()
    return Replay(
        ios=counted.ios,
        total_bytes=counted.sectors * io.SECTOR,
        busy_s=counted.busy_ns / 1e9,
        elapsed_s=now / 1e9,
        service_s=counted.service_ns / 1e9 / counted.ios,
        over_10ms=counted.slow[0] / counted.ios,
        over_100ms=counted.slow[1] / counted.ios,
        host_writes=written,
        copies=copies,
        cache_writes=cached,
        fold_copies=folded,
        ftl=run.state,
    )
