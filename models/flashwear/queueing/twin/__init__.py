"""The compiled queueing model: the same events as the reference, at full scale.

numba is imported with this module: ``pip install "flashwear[sim]"``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._compiled import rather
from flashwear._shown import warn
from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear.queueing._progress import Show, shown
from flashwear.queueing.plan import Prepared, planned, prepared, tally
from flashwear.queueing.result import (
    BINS,
    COUNTED,
    Result,
    begin,
    doubts,
    falls_behind,
    settling,
)
from flashwear.queueing.twin import _stations as stations
from flashwear.queueing.twin._machine import advance
from flashwear.queueing.twin._setup import BATCH, grown, machine
from flashwear.workloads import Workload

__all__ = ["run"]

_SECOND = 10**9


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
    """Simulate requests of a host on a drive in compiled code.

    The host keeps `queue_depth` requests of `workload` outstanding and pauses for `think_s` seconds
    after each, until the time `duration_s` or a number of requests, `ios`. Before the run, the part
    `span` of the addresses is written: in order unless `fill` is "none", then at random,
    `random_drive_writes` times its size. Or the run goes on with the drive `state` that an earlier
    run left. The host begins after `idle_s` seconds. `record` keeps the latency of each request (17
    bytes each), and `progress` shows a bar. Results, errors and all simulated events are those of
    :func:`flashwear.queueing.reference.run`, which explains arguments at length.

    Examples
    --------
    >>> drive = Drive(
    ...     name="example", user_bytes=2**22, dies=2, planes=1, page_bytes=8192,
    ...     pages_per_block=8, blocks_per_plane=48, channels=1, channel_bytes_per_s=200e6,
    ...     read_s=50e-6, program_s=(400e-6, 1200e-6), erase_s=3e-3,
    ... )
    >>> one = run(drive, io.Access(4096, read_share=1.0), queue_depth=1, ios=100)
    >>> one.ios, round(one.elapsed_s / one.ios * 1e6, 3)
    (100, 83.794)
    """
    plan = planned(drive, queue_depth, duration_s, ios, think_s, idle_s)
    with rather("queueing.reference is quicker for a few thousand requests"):
        start = prepared(plan, drive, workload, seed, fill, random_drive_writes, span, state)
        with shown(plan, progress) as show:
            result = carry_out(start, record, show)
    for told in doubts(result, plan):
        warn(told)
    return result


def carry_out(run: Prepared, record: bool, show: Show) -> Result:
    """Simulate a run in compiled code, and return its result.

    `run` has the drive, its state and the host's requests. `record` says whether to keep the
    latency of each request; `show` is called with the simulated time in ns and the requests
    completed so far.
    """
    plan, a = run.plan, run.state.arrays
    begin(run.state)
    before = tally(run.state)
    m = machine(run, record)
    state = m.state
    per_second = [0]
    counted = 0
    while True:
        until = len(per_second) * _SECOND - 1
        if plan.end_ns >= 0:
            until = min(until, plan.end_ns)
        why = advance(m, a, until)
        per_second[-1] += int(state.completed) - counted
        counted = int(state.completed)
        now = int(state.now)
        if why == stations.MORE:
            m = _refilled(run, m)
        elif why == stations.GROW:
            m = grown(m)
        elif why == stations.PAUSED and until != plan.end_ns:
            following = int(m.key[1]) >> m.bits
            if plan.end_ns >= 0:
                following = min(following, plan.end_ns)
            if following >> (62 - m.bits):
                raise RuntimeError(f"the run must end before {now / 1e9:.0f} s")
            per_second += [0] * (following // _SECOND + 1 - len(per_second))
        elif why == stations.FAILED:
            if state.no_room:
                raise RuntimeError("no room for copies")
            pool = stations.POOLS[state.overflow - 1]
            raise RuntimeError(f"the pool of {pool} is too small")
        else:
            break
        show(now, counted)
    if why == stations.IDLE and state.issued > counted:
        raise RuntimeError(
            f"the drive came to a standstill: {state.issued - counted} requests are "
            f"not completed at {now / 1e9} s, with {state.blank} map units blank"
        )
    if why != stations.ENDED and plan.end_ns >= 0:
        now = plan.end_ns
    per_second += [0] * (now // _SECOND + 1 - len(per_second))
    return _result(run, m, before, np.array(per_second, np.int64), now, record)


def _refilled(run: Prepared, m: stations.Machine) -> stations.Machine:
    """Move what is left of the batch to the front, and put new requests behind it."""
    state, words = m.state, m.words
    left = int(state.words_end - state.next_word)
    words[:left] = words[state.next_word : state.words_end]
    size = run.stream.fill(words[left : left + BATCH])
    io.check(words[left : left + size], run.plan.user_bytes)
    state.next_word, state.words_end = 0, left + size
    state.exhausted = size < BATCH
    needed = int(state.issued) + left + size
    if not m.kinds.size or needed <= m.kinds.size:
        return m
    more = max(needed, 2 * m.kinds.size) - m.kinds.size
    unset = np.full(more, -1, np.int64)
    return m._replace(
        completion=np.concatenate((m.completion, unset)),
        latency=np.concatenate((m.latency, unset)),
        kinds=np.concatenate((m.kinds, np.zeros(more, np.int8))),
    )


def _result(
    run: Prepared,
    m: stations.Machine,
    before: NDArray[np.int64],
    per_second: NDArray[np.int64],
    now: int,
    record: bool,
) -> Result:
    station = m.station
    channels = run.plan.channels
    cuts = {
        "link": slice(0, 1),
        "controller": slice(1, 2),
        "channel": slice(2, 2 + channels),
        "die": slice(2 + channels, None),
    }
    busy = station["busy"] + np.where(station["current"] >= 0, now - station["since"], 0)
    issued = int(m.state.issued)
    written, copies, cached, folded = (tally(run.state) - before).tolist()
    return Result(
        ios=int(m.state.completed),
        elapsed_s=now / 1e9,
        per_second=per_second,
        histogram=m.histogram.reshape(3, BINS),
        completion_s=_seconds(m.completion[:issued]) if record else None,
        latency_s=_seconds(m.latency[:issued]) if record else None,
        kinds=m.kinds[:issued].astype(np.int64) if record else None,
        busy_s={kind: busy[cut] / 1e9 for kind, cut in cuts.items()},
        wait_s={kind: station["wait"][cut] / 1e9 for kind, cut in cuts.items()},
        jobs={kind: station["jobs"][cut].copy() for kind, cut in cuts.items()},
        longest={kind: station["longest"][cut].astype(np.int64) for kind, cut in cuts.items()},
        counts={name: int(m.counts[name]) for name in COUNTED},
        ftl=run.state,
        host_writes=written,
        copies=copies,
        cache_writes=cached,
        fold_copies=folded,
        **settling(run.state, *before[:2].tolist()),
        overloaded=falls_behind(run.rate, run.plan, now, int(m.state.completed)),
    )


def _seconds(nanoseconds: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(nanoseconds < 0, np.nan, nanoseconds / 1e9)
