"""The queueing model compiled: the same events as the reference, at full scale.

numba is imported with this module: ``pip install "flashwear[sim]"``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear.drives import Drive
from flashwear.ftl import _arrays as arrays
from flashwear.queueing import requests as io
from flashwear.queueing._plan import (
    Plan,
    Run,
    blank_units,
    idle_clock,
    key_bits,
    planned,
    prepared,
    tally,
)
from flashwear.queueing._progress import Show, shown
from flashwear.queueing.result import BINS, COUNTED, Result
from flashwear.queueing.twin import _stations as parts
from flashwear.queueing.twin._machine import advance
from flashwear.workloads import Workload

__all__ = ["run"]

_BATCH = 65_536
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
    """Run requests of a host on a drive, all in compiled code.

    Arguments, result and errors are those of :func:`flashwear.queueing.reference.run`, and so is
    all that happens, request by request. A `record` takes 17 bytes for each of them.

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
    start = prepared(plan, drive, workload, seed, fill, random_drive_writes, span, state)
    with shown(plan, progress) as show:
        return _run(start, record, show)


def _run(run: Run, record: bool, show: Show) -> Result:
    """Advance the machine second by second, with new requests as they are needed."""
    plan, a = run.plan, run.state.arrays
    before = tally(run.state)
    m = _machine(run, record)
    counts = m.counts
    per_second = [0]
    counted = 0
    while True:
        until = len(per_second) * _SECOND - 1
        if plan.end_ns >= 0:
            until = min(until, plan.end_ns)
        why = advance(m, a, until)
        per_second[-1] += int(counts[parts.COMPLETED]) - counted
        counted = int(counts[parts.COMPLETED])
        now = int(counts[parts.NOW])
        if why == parts.MORE:
            m = _refilled(run, m)
        elif why == parts.GROW:
            m = _grown(m)
        elif why == parts.PAUSED and until != plan.end_ns:
            following = int(m.key[1]) >> m.bits
            if plan.end_ns >= 0:
                following = min(following, plan.end_ns)
            if following >> (62 - m.bits):
                raise RuntimeError(f"the run must end before {now / 1e9:.0f} s")
            per_second += [0] * (following // _SECOND + 1 - len(per_second))
        elif why == parts.FAILED:
            if counts[parts.NO_ROOM]:
                raise RuntimeError("no room for copies")
            pool = parts.POOLS[counts[parts.OVERFLOW] - 1]
            raise RuntimeError(f"the pool of {pool} is too small")
        else:
            break
        show(now, counted)
    if why == parts.IDLE and counts[parts.ISSUED] > counted:
        raise RuntimeError(
            f"the drive came to a standstill: {counts[parts.ISSUED] - counted} requests are "
            f"not completed at {now / 1e9} s, with {counts[parts.BLANK]} map units blank"
        )
    if why != parts.ENDED and plan.end_ns >= 0:
        now = plan.end_ns
    per_second += [0] * (now // _SECOND + 1 - len(per_second))
    return _result(run, m, before, np.array(per_second, np.int64), now, record)


def _margin(plan: Plan) -> int:
    """Give the most operations that one instant can begin, reckoned generously.

    Requests look for their reads after the controller, or when a channel brings the last page of
    the map: at most one for each of these stations, and for each slot; such a request reads one
    page of the map or of the flash for each of its map units. Programs of the host are limited for
    each die. Cleaning reads stop at `copy_units`, and each read is of one unit at least. Copies
    come from one channel or the controller each and fill at most one program unit, and one may be
    padded. Each program may bring one of parity. Each block is erased once.

    What is under way from earlier instants is no part of this: the machine asks for more
    operations before an instant if fewer than this many are spare. Beside parity, which nothing
    limits, it is limited in the same way.
    """
    largest = min(-(-io.MOST_SECTORS // plan.unit_sectors) + 1, plan.user_units)
    requests = min(plan.queue_depth, 1 + plan.channels) * largest
    programs = plan.dies * plan.programs_per_die + plan.channels + 2
    return requests + 2 * programs + plan.copy_units + plan.dies * plan.blocks


def _machine(run: Run, record: bool) -> parts.Machine:
    plan, a = run.plan, run.state.arrays
    stations = parts.CHANNEL + plan.channels + plan.dies
    bits = key_bits(plan)
    program_ns, parity_die, parity_ns = _programs(run)
    pu_shift = int(plan.data_programs - 1).bit_length()
    margin = _margin(plan)
    slots = plan.queue_depth
    op = np.zeros(slots + 2 * margin + 1, parts.OPERATION)
    op["next"] = np.arange(1, op.size + 1)
    op["next"][-2:] = -1
    op["kind"][:slots] = -1
    station = np.zeros(stations, parts.STATION)
    for name in ("current", "held", "head", "tail", "first", "last"):
        station[name] = -1
    node = np.zeros(plan.copy_units + plan.unit, parts.NODE_OF)
    node["next"] = np.append(np.arange(1, node.size), -1)
    counts = np.zeros(parts.COUNTS, np.int64)
    for unset in (parts.ADMIT, parts.VICTIM, parts.FILLED_FROM):
        counts[unset] = -1
    counts[parts.SPARE] = slots
    counts[parts.OPS] = slots + 1
    counts[parts.BLANK] = blank_units(plan, a)
    block = np.zeros(plan.blocks, parts.BLOCK_OF)
    in_cache = np.isin(a.block["status"], (arrays.OPEN, arrays.CACHED))
    block["slc"] = in_cache & (a.block["mode"] != arrays.MAIN)
    sectors = plan.unit_sectors
    recorded = _BATCH + 2 * slots if record else 0
    return parts.Machine(
        plan=plan,
        bits=bits,
        sector_shift=sectors.bit_length() - 1 if sectors & (sectors - 1) == 0 else -1,
        pu_shift=pu_shift,
        per_unit=-(-(2**40) // plan.unit),
        idle_clock=idle_clock(plan),
        margin=margin,
        slot_shift=int(a.rules[arrays.SHIFT]),
        think=plan.think_ns > 0,
        open_loop=run.gaps is not None,
        counts=counts,
        l2p=a.l2p,
        key=np.full(2 << bits, parts.NEVER, np.int64),
        touched=np.zeros(stations, np.int64),
        station=station,
        op=op,
        entry=np.zeros(plan.buffer_units, parts.ENTRY_OF),
        bucket=np.full(2 << plan.buffer_units.bit_length(), -1, np.int64),
        block=block,
        node=node,
        programmed=np.ones(plan.blocks << pu_shift, np.bool_),
        busy=np.zeros(plan.dies, np.int64),
        die=_position(plan) % plan.dies,
        program_ns=program_ns,
        parity_die=parity_die,
        parity_ns=parity_ns,
        tags=np.full(max(1, plan.map_slots), -1, np.int64),
        words=np.zeros(_BATCH + slots + parts.AHEAD, np.int64),
        gaps=np.zeros(0, np.int64) if run.gaps is None else run.gaps,
        guess=np.zeros(3, np.int64),
        histogram=np.zeros(3 * BINS, np.int64),
        completion=np.full(recorded, -1, np.int64),
        latency=np.full(recorded, -1, np.int64),
        kinds=np.zeros(recorded, np.int8),
    )


def _position(plan: Plan) -> NDArray[np.int64]:
    """Give the position of each program unit in its superblock, parity counted in."""
    p = np.arange(plan.data_programs)
    return p + p // plan.stripe if plan.stripe else p


def _programs(run: Run) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Give the times of programs, and die and time of the parity that follows (-1: none).

    First for the program units of a main superblock, then for those of one in one-bit mode.
    """
    plan = run.plan
    p, position = np.arange(plan.data_programs), _position(plan)
    program_ns = run.program_ns[position // plan.dies % plan.kinds]
    parity_ns = run.program_ns[(position + 1) // plan.dies % plan.kinds]
    slc_ns = np.full(p.size, plan.slc_program_ns)
    parity_die = []
    for programs in (plan.data_programs, plan.slc_programs):
        last = p + 1 == programs
        ends = ((p + 1) % plan.stripe == 0) | last if plan.stripe else np.zeros(p.size, bool)
        parity_die.append(np.where(ends, (position + 1) % plan.dies, -1))
    return (
        np.concatenate((program_ns, slc_ns)),
        np.concatenate(parity_die),
        np.concatenate((parity_ns, slc_ns)),
    )


def _refilled(run: Run, m: parts.Machine) -> parts.Machine:
    """Move what is left of the batch to the front, and put new requests behind it."""
    counts, words = m.counts, m.words
    left = int(counts[parts.WORDS] - counts[parts.WORD])
    words[:left] = words[counts[parts.WORD] : counts[parts.WORDS]]
    size = run.stream.fill(words[left : left + _BATCH])
    io.check(words[left : left + size], run.plan.user_bytes)
    counts[parts.WORD], counts[parts.WORDS] = 0, left + size
    counts[parts.EXHAUSTED] = size < _BATCH
    needed = int(counts[parts.ISSUED]) + left + size
    if not m.kinds.size or needed <= m.kinds.size:
        return m
    more = max(needed, 2 * m.kinds.size) - m.kinds.size
    unset = np.full(more, -1, np.int64)
    return m._replace(
        completion=np.concatenate((m.completion, unset)),
        latency=np.concatenate((m.latency, unset)),
        kinds=np.concatenate((m.kinds, np.zeros(more, np.int8))),
    )


def _grown(m: parts.Machine) -> parts.Machine:
    """Double the pool of operations."""
    size = m.op.size
    op = np.zeros(2 * size, parts.OPERATION)
    op[:size] = m.op
    # the last one of all stays apart; that of before becomes a spare one
    op["next"][size - 1 : -2] = np.arange(size, op.size - 1)
    op["next"][-2] = m.counts[parts.SPARE]
    m.counts[parts.SPARE] = size - 1
    return m._replace(op=op)


def _result(
    run: Run,
    m: parts.Machine,
    before: NDArray[np.int64],
    per_second: NDArray[np.int64],
    now: int,
    record: bool,
) -> Result:
    counts, station = m.counts, m.station
    channels = run.plan.channels
    cuts = {
        "link": slice(0, 1),
        "controller": slice(1, 2),
        "channel": slice(2, 2 + channels),
        "die": slice(2 + channels, None),
    }
    busy = station["busy"] + np.where(station["current"] >= 0, now - station["since"], 0)
    issued = int(counts[parts.ISSUED])
    written, copies, cached, folded = (tally(run.state) - before).tolist()
    return Result(
        ios=int(counts[parts.COMPLETED]),
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
        counts={name: int(counts[i]) for i, name in enumerate(COUNTED)},
        ftl=run.state,
        host_writes=written,
        copies=copies,
        cache_writes=cached,
        fold_copies=folded,
    )


def _seconds(nanoseconds: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(nanoseconds < 0, np.nan, nanoseconds / 1e9)
