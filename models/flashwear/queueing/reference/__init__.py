"""A drive as a network of queues in SimPy, written to be easy to read.

Whatever takes time is a ``Station``, which serves one job after the other: the host link, the
controller, the channels and the dies. Requests of the host, program operations, copies and erases
are processes that go from station to station. The firmware takes no time; it decides at the end of
an instant (``Network.decide``) which data go from the buffer to the flash, and what is cleaned. The
map from pages to places on the flash is that of :mod:`flashwear.ftl`.

Three rules make a run a matter of arithmetic, not of the accident of scheduling, so that
:mod:`flashwear.queueing.twin` can do the same event by event. Time is a whole number of
nanoseconds. Services that end at one instant are handled by the number of their station (link,
controller, channels, dies, then the clocks of the host), each with all that follows at once. Then
the firmware decides, and then idle stations take up work.

*When the map changes:* for a page of the host, when its data leave the buffer to be programmed; for
a page of a victim, when it has been read and joins a program unit. From then until the unit is
programmed, reads of the page are served from DRAM. If the host overwrites a page while it is being
copied, the copy is dropped. *Data in the buffer* can be overwritten there until they leave.

*The SLC cache:* a superblock in SLC mode has a page where another has two to four, and its own
times. The host puts one of the pool in SLC mode only if enough others stay blank. Folding is
cleaning:
copies go wherever the next program of copies goes, over channels and controller, not from a page of
a die to another of the same die (copyback). It has three causes. A full cache is folded down to
``cache_fold_to``, and a host that may not bypass it waits. A drive that has had no requests for
long folds all of its cache, and erases blocks without live data, but cleans no other main blocks.
When blank space runs low, superblocks of the pool that are in SLC mode are cleaned before others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear._extras import require
from flashwear._shown import warn

require("sim", "simpy")

from flashwear import ftl
from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear.queueing._progress import shown
from flashwear.queueing.plan import planned, prepared, tally
from flashwear.queueing.reference.firmware import Firmware
from flashwear.queueing.reference.host import Host
from flashwear.queueing.reference.stations import Network, Station
from flashwear.queueing.result import Result, begin, doubts, falls_behind, settling
from flashwear.workloads import Workload

__all__ = ["run"]


def run(
    drive: Drive,
    workload: str | Workload | io.Access,
    *,
    queue_depth: int = 32,
    duration_s: float | None = None,
    ios: int | None = None,
    seed: int = 0,
    think_s: float = 0.0,
    fill: str = "sequential",
    random_drive_writes: float = 0.0,
    span: float = 1.0,
    state: ftl.State | None = None,
    idle_s: float = 0.0,
    record: bool = False,
    progress: bool | None = None,
) -> Result:
    """Simulate requests of a host on a drive, event by event, in SimPy.

    Parameters
    ----------
    drive : Drive
        The drive, for instance from :func:`flashwear.drives.load`.
    workload : str, Workload or Access
        Requests of the host: of any size and mix (:class:`flashwear.queueing.requests.Access`), or
        single pages (a workload of :mod:`flashwear.workloads`).
    queue_depth : int
        Requests that the host keeps outstanding, in [1, 65536], but no more than
        ``drive.queue_limit``: a deeper queue is cut to that.
    duration_s : float, optional
        Time after which the run ends, in (0, 1e7].
    ios : int, optional
        Number of requests that the run completes, >= 1. Give this or `duration_s`.
    seed : int
        A whole number >= 0; the same one gives the same run.
    think_s : float
        Pause of the host, in s, between the completion of a request and the one that takes its
        place, in [0, 3600].
    fill : {"sequential", "none"}
        How the drive is prepared, in no time: written once in order, or not at all.
    random_drive_writes : float
        Random writes of whole map units after the fill, over the size of the span, in [0, 1000],
        in no time.
    span : float
        Part of the drive, from its start, that is filled and written so, in (0, 1].
    state : State, optional
        A drive as an earlier run left it (``result.ftl``), with changes by its methods since,
        instead of a new one that is filled. Cleaning under way is finished in no time, and data
        that waited in the buffer are lost. The run changes this drive.
    idle_s : float
        Time before the host begins, in [0, 1e6]; part of `duration_s` and of all times of the
        result.
    record : bool
        Whether to keep the completion and latency of each request.
    progress : bool, optional
        Whether to show a progress bar on stderr; by default for 100 s of simulated time or
        more, and not while a book is built.

    Raises
    ------
    ValueError
        For arguments outside these ranges, a drive too small for its buffer, its blocks or its
        reserve, what takes too much memory, or a request beyond the drive.
    RuntimeError
        If the drive comes to a standstill.

    Examples
    --------
    A drive of two dies that takes 100 us to read a page, one read at a time:

    >>> from flashwear.queueing.requests import Access
    >>> small = Drive(
    ...     name="two dies", user_bytes=12 << 20, dies=2, planes=1, page_bytes=16384,
    ...     pages_per_block=16, blocks_per_plane=40, channels=1, channel_bytes_per_s=400e6,
    ...     read_s=100e-6, program_s=(1e-3,), erase_s=3e-3, low_blocks=3, high_blocks=4)
    >>> result = run(small, Access(4096, read_share=1.0), queue_depth=1, ios=100)
    >>> bool(100e-6 < result.elapsed_s / 100 < 130e-6)
    True
    """
    plan = planned(drive, queue_depth, duration_s, ios, think_s, idle_s)
    start = prepared(plan, drive, workload, seed, fill, random_drive_writes, span, state)
    begin(start.state)
    before = tally(start.state)
    network = Network(start)
    host = Host(network, Firmware(network), record=record)
    with shown(plan, progress) as show:
        now = host.go(show)
    result = _result(network, host, now, before)
    for told in doubts(result, plan):
        warn(told)
    return result


def _result(network: Network, host: Host, now: int, before: NDArray[np.int64]) -> Result:
    state = network.run.state
    written, copies, cached, folded = (tally(state) - before).tolist()
    stations: dict[str, Sequence[Station]] = {
        "link": [network.link],
        "controller": [network.controller],
        "channel": network.channels,
        "die": network.dies,
    }

    def each(figure: Any) -> dict[str, NDArray[Any]]:
        return {kind: np.array([figure(s) for s in group]) for kind, group in stations.items()}

    per_second = np.zeros(now // 10**9 + 1, np.int64)
    for second, count in host.per_second.items():
        per_second[second] = count
    completion = latency = kinds = None
    if host.record is not None:
        completion, latency = np.full(host.issued, np.nan), np.full(host.issued, np.nan)
        kinds = np.array(host.kinds, np.int64)
        for number, done, taken in host.record:
            completion[number], latency[number] = done / 1e9, taken / 1e9
    return Result(
        ios=host.completed,
        elapsed_s=now / 1e9,
        per_second=per_second,
        histogram=host.histogram,
        completion_s=completion,
        latency_s=latency,
        kinds=kinds,
        busy_s=each(lambda s: s.busy_until(now) / 1e9),
        wait_s=each(lambda s: s.waited / 1e9),
        jobs=each(lambda s: s.jobs),
        longest=each(lambda s: s.longest),
        counts=network.counts,
        ftl=state,
        host_writes=written,
        copies=copies,
        cache_writes=cached,
        fold_copies=folded,
        **settling(state, *before[:2].tolist()),
        overloaded=falls_behind(network.run.rate, network.plan, now, host.completed),
    )
