"""A storage bench played on a drive, and its scores.

Requests come in *bursts*, with a pause after each: a slow drive is asked later, never less. In a
burst the host keeps as many requests outstanding as the burst is deep, drawn by the shares of queue
depths. Sizes and runs are drawn without replacement, so that a stream has the marginals of
:mod:`flashwear.study.benches` exactly, for any seed and at any scale.

The scores are those of the reviews. They do not define their latency outliers; counted are the
shares of requests that take more than 10 ms and more than 100 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._compiled import jit
from flashwear._random import State, bounded, seeded, unit
from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear.queueing.plan import planned, prepared, tally
from flashwear.queueing.reference import playback as reference
from flashwear.queueing.requests import Burst, Words
from flashwear.queueing.twin import playback as twin
from flashwear.study.benches import BYTES, DEEPEST, Assumed, Bench, depth_shares, size_shares
from flashwear.workloads import READ

__all__ = ["Replay", "replay", "stream"]

MOST_REQUESTS = 65_536
"""Longest burst."""

_HOT = 0.1  # part of the footprint, from its start
_PLACE = 8  # sectors; new places are multiples of 4 KiB
_GOLDEN = (5**0.5 - 1) / 2
_SLOW_NS = (10_000_000, 100_000_000)


def rounded(shares: NDArray[np.float64], total: int) -> Words:
    """Return whole numbers in these shares, the largest remainders rounded up."""
    exact = shares * total
    counts = np.floor(exact).astype(np.int64)
    order = np.argsort(counts - exact, kind="stable")
    counts[order[: total - counts.sum()]] += 1
    return counts


def _structure(requests: int, bench: Bench, run_length: int) -> list[int]:
    """Return, for one kind, requests that stand alone, runs, and sequential requests."""
    sequential = int(requests * bench.sequential_share)
    runs = -(-sequential // (run_length - 1))
    return [requests - sequential - runs, runs, sequential]


def stream(
    bench: Bench, guess: Assumed, user_bytes: int, *, scale: float = 1.0, seed: int = 0
) -> Iterator[Burst]:
    """Yield the requests of a bench for a drive, burst by burst.

    Reads and writes, those of each size and the sequential ones are the published numbers times
    `scale` to within one request. Shares of queue depths are as near as whole bursts allow.
    ValueError is raised if the footprint, which is scaled too, does not hold a run.

    Examples
    --------
    >>> from flashwear.study.benches import drawn, load
    >>> bursts = stream(load("heavy"), drawn("heavy", 0), 2**32, scale=1 / 1000)
    >>> sum(len(burst.words) for burst in bursts)
    3950
    """
    totals = [round(bench.writes * scale), round(bench.reads * scale)]
    shares = size_shares(bench, guess.likeness)
    left = np.array([rounded(*pair) for pair in zip(shares, totals, strict=True)])
    form = np.array([_structure(total, bench, guess.run_length) for total in totals])
    state = np.zeros((2, 2), np.int64)  # where the last request ended, requests left of the run
    places = int(min(guess.footprint * scale, user_bytes)) // (_PLACE * io.SECTOR)
    room = -(-guess.run_length * int(BYTES.max()) // (_PLACE * io.SECTOR))
    if room >= places:
        raise ValueError(
            f"footprint must hold a run of {room * _PLACE * io.SECTOR} bytes, got "
            f"{places * _PLACE * io.SECTOR} at this scale"
        )
    rng, draws = np.random.default_rng((seed, 2013)), seeded(seed, 2013)
    depths = depth_shares(bench, guess.lone_share).cumsum()
    turn = rng.random()
    while left.any():
        rest = left.sum(axis=1)
        size = int(min(rng.geometric(1 / guess.burst), MOST_REQUESTS, rest.sum()))
        mixed = rng.random() < guess.mixed_share
        kind = -1 if mixed else int(rng.random() * rest.sum() >= rest[0])
        words = np.empty(size, np.int64)
        _fill(
            words, kind, BYTES // io.SECTOR, left, rest, form, state, guess.run_length,
            guess.hot_share, places - room, draws,
        )  # fmt: skip
        turn = (turn + _GOLDEN) % 1
        yield Burst(words, min(int(np.searchsorted(depths, turn, "right")) + 1, DEEPEST))


@jit
def _fill(
    words: Words,
    only: int,  # 0 writes, 1 reads, -1 both
    sectors: Words,
    left: Words,
    rest: Words,
    form: Words,
    state: Words,
    run_length: int,
    hot_share: float,
    places: int,
    draws: State,
) -> None:
    hot = max(1, int(places * _HOT))
    for i in range(words.size):
        kind = only
        if kind < 0:
            kind = 1 if bounded(draws, rest[0] + rest[1]) >= rest[0] else 0
        if rest[kind] == 0:
            kind = 1 - kind
        cell = 0
        number = bounded(draws, rest[kind])
        while number >= left[kind, cell]:
            number -= left[kind, cell]
            cell += 1
        left[kind, cell] -= 1
        rest[kind] -= 1
        if state[kind, 1] > 0:
            state[kind, 1] -= 1
            first = state[kind, 0]
        else:
            if bounded(draws, form[kind, 0] + form[kind, 1]) < form[kind, 0]:
                form[kind, 0] -= 1
            else:
                form[kind, 1] -= 1
                state[kind, 1] = min(run_length - 1, form[kind, 2])
                form[kind, 2] -= state[kind, 1]
            if unit(draws) < hot_share:
                place = bounded(draws, hot)
            else:
                place = hot + bounded(draws, max(1, places - hot))
            first = place * _PLACE
        state[kind, 0] = first + sectors[cell]
        words[i] = first | sectors[cell] << io.COUNT_SHIFT | (kind * READ) << io.KIND_SHIFT


@dataclass(frozen=True)
class Replay:
    """The scores of a bench on a drive.

    Attributes
    ----------
    ios, total_bytes : int
        Requests completed, and their bytes.
    busy_s, elapsed_s : float
        Time in which requests were outstanding, and with pauses.
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
    drive, bench, guess
        The drive, and what is published and what is assumed of the bench. Bursts deeper than
        ``drive.queue_limit`` are cut to it.
    fill : {"none", "sequential"}
        Whether the drive is empty before, or written once in order.
    scale : float
        Size of the simulated drive, see :meth:`flashwear.drives.Drive.scaled`; the bench is scaled
        as its blocks are, and the kept study ``storage_bench_scale`` shows what that changes.
        Pauses, and the time after which a drive is idle, are those of the whole.
    seed : int
        Of the stream and of what the drive draws.
    model : {"twin", "reference"}
        The compiled model or the one in SimPy, which do the same.

    Examples
    --------
    >>> from flashwear import drives
    >>> from flashwear.study import benches
    >>> light, guess = benches.load("light"), benches.drawn("light", 0)
    >>> scores = replay(drives.load("m600-512gb"), light, guess, scale=1 / 128)
    >>> scores.ios, scores.mb_per_s > 100
    (6502, True)
    """
    device = replace(drive.scaled(scale), cache_idle_s=drive.cache_idle_s)
    share = device.pages_per_block / drive.pages_per_block
    requests = round(bench.reads * share) + round(bench.writes * share)
    plan = planned(device, DEEPEST, None, requests, 0.0, guess.idle_s)
    bursts = (
        burst._replace(depth=min(burst.depth, plan.queue_depth))
        for burst in stream(bench, guess, plan.user_bytes, scale=share, seed=seed)
    )
    run = prepared(plan, device, io.Access(), seed, fill, 0.0, 1.0)
    before = tally(run.state)
    sectors = busy_ns = service_ns = 0
    slow = np.zeros(len(_SLOW_NS), np.int64)

    def count(words: Words, latency_ns: Words, ns: int) -> None:
        nonlocal sectors, busy_ns, service_ns
        sectors += int((words >> io.COUNT_SHIFT & io.COUNT_MASK).sum())
        busy_ns += ns
        service_ns += int(latency_ns.sum())
        slow[:] += [(latency_ns > limit).sum() for limit in _SLOW_NS]

    now = (twin if model == "twin" else reference).play(run, bursts, count)
    written, copies, cached, folded = (tally(run.state) - before).tolist()
    return Replay(
        ios=requests,
        total_bytes=sectors * io.SECTOR,
        busy_s=busy_ns / 1e9,
        elapsed_s=now / 1e9,
        service_s=service_ns / 1e9 / requests,
        over_10ms=int(slow[0]) / requests,
        over_100ms=int(slow[1]) / requests,
        host_writes=written,
        copies=copies,
        cache_writes=cached,
        fold_copies=folded,
        ftl=run.state,
    )
