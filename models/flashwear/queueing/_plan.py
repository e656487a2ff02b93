"""What a run of the queueing model starts from: a drive in whole nanoseconds and map units."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._domain import one_number, whole
from flashwear.drives import Drive
from flashwear.ftl import _arrays as arrays
from flashwear.ftl import steps
from flashwear.ftl.state import one_of
from flashwear.queueing import requests as io
from flashwear.workloads import Sequential, Stream, Uniform, Workload

HOST, COPY = 0, 1
"""Frontiers of the drive: pages of the host, and copies."""

KEEP = 2
"""Free superblocks that the host leaves to cleaning."""

_MAP_ENTRY_BYTES, _MAP_PAGE_BYTES = 4, 4096
_BATCH = 65_536


class Plan(NamedTuple):
    """A drive in integers: times in ns, sizes in map units; a unit of program is `unit` of them."""

    user_units: int
    unit_sectors: int
    dies: int
    channels: int
    unit: int  # map units that one program of a die takes, all planes together
    data_programs: int  # programs of data in a superblock
    blocks: int
    stripe: int
    kinds: int  # of pages, by the time they take to program
    read_ns: int
    erase_ns: int
    suspend_ns: int  # -1: programs and erases are never suspended
    transfer_ns: int  # of a map unit over a channel
    transfer_overhead_ns: int
    link_fs_per_byte: int
    link_overhead_ns: int
    read_command_ns: int
    write_command_ns: int
    copy_ns: int
    buffer_units: int
    age_ns: int
    map_slots: int  # pages of the map held in DRAM; 0: all of them
    map_entries: int  # of a page of the map
    low_units: int
    high_units: int
    programs_per_die: int
    copy_units: int  # map units that may be on their way from victims
    reads_first: int
    queue_depth: int
    think_ns: int
    last_request: int  # requests to be carried out; -1: until the end of time
    end_ns: int  # -1: no end of time


class Run(NamedTuple):
    """A plan, the times of programs, the drive, and the requests."""

    plan: Plan
    program_ns: NDArray[np.int64]  # by kind of page
    state: ftl.State
    stream: Stream
    gaps: io.Words | None  # ns between arrivals; None: the host keeps its queue full
    drive: Drive


def nanoseconds(seconds: float) -> int:
    """Give the nearest whole number of nanoseconds."""
    return round(seconds * 1e9)


def planned(
    drive: Drive,
    workload: str | Workload | io.Access,
    *,
    queue_depth: int,
    duration_s: float | None,
    ios: int | None,
    seed: int,
    think_s: float,
    fill: str,
    random_drive_writes: float,
    span: float,
) -> Run:
    """Check the arguments of a run, and prepare the drive; see :func:`reference.run`."""
    whole("seed", seed, 0)
    depth = whole("queue_depth", queue_depth, 1, 256)
    think = one_number("think_s", think_s, low=0, high=3600)
    if duration_s is None and ios is None:
        raise ValueError("duration_s must be a number unless ios is, got None")
    end = -1 if duration_s is None else nanoseconds(_seconds("duration_s", duration_s))
    last = -1 if ios is None else whole("ios", ios, 1, 2**40)
    one_of("fill", fill, ("sequential", "none"))
    one_number("random_drive_writes", random_drive_writes, low=0)
    one_number("span", span, above=0, high=1)
    stream = io.stream_for(workload, drive.user_bytes, drive.map_bytes, seed)
    rate = workload.rate if isinstance(workload, io.Access) else None
    gaps = None
    if rate is not None:
        count = last if last >= 0 else int(end / 1e9 * rate * 1.05 + 10 * (end / 1e9 * rate) ** 0.5)
        gaps = io.gaps(rate, count + 100, seed)
    unit = drive.planes * drive.page_bytes // drive.map_bytes
    programs = drive.dies * drive.pages_per_block
    data = programs
    if drive.stripe:
        data -= -(-programs // (drive.stripe + 1))
    if data < 2:
        raise ValueError(
            f"pages_per_block must give a superblock two programs of data, got {data} "
            f"({drive.dies} dies of {drive.pages_per_block} pages, stripe {drive.stripe})"
        )
    block_units, user = data * unit, drive.user_bytes // drive.map_bytes
    largest = -(-io.MOST_SECTORS * io.SECTOR // drive.map_bytes) + 1
    if drive.buffer_bytes // drive.map_bytes < max(largest, 2 * unit):
        raise ValueError(
            f"buffer_bytes must be >= {max(largest, 2 * unit) * drive.map_bytes} to hold the "
            f"largest request and two programs, got {drive.buffer_bytes}"
        )
    low_units = round(drive.low_blocks * block_units)
    high_units = round(drive.high_blocks * block_units)
    if high_units - low_units < unit:
        raise ValueError(
            f"high_blocks must be >= {drive.low_blocks + unit / block_units:g}, a program more "
            f"than low_blocks, got {drive.high_blocks}"
        )
    state = ftl.State(
        user,
        drive.superblocks * block_units / user - 1,
        pages_per_block=block_units,
        policy=drive.policy,
        frontier="gc",
        reserve_blocks=int(np.ceil(drive.high_blocks)),
        seed=seed,
    )
    if fill == "sequential":
        _write(state, Sequential().stream(max(1, int(user * span)), seed), int(user * span))
        if random_drive_writes > 0:
            pages = max(1, int(user * span))
            _write(state, Uniform().stream(pages, seed + 1), int(pages * random_drive_writes))
    a = state.arrays
    for frontier in (HOST, COPY):
        while a.opened[frontier] >= 0 and steps.room(a, frontier) % unit:
            steps.pad(a, frontier)
    cached = 0
    if drive.map_cache_bytes is not None and drive.map_cache_bytes < user * _MAP_ENTRY_BYTES:
        cached = max(1, drive.map_cache_bytes // _MAP_PAGE_BYTES)
    plan = Plan(
        user_units=user,
        unit_sectors=drive.map_bytes // io.SECTOR,
        dies=drive.dies,
        channels=drive.channels,
        unit=unit,
        data_programs=data,
        blocks=drive.superblocks,
        stripe=drive.stripe,
        kinds=len(drive.program_s),
        read_ns=max(1, nanoseconds(drive.read_s)),
        erase_ns=max(1, nanoseconds(drive.erase_s)),
        suspend_ns=-1 if drive.suspend_s is None else nanoseconds(drive.suspend_s),
        transfer_ns=max(1, nanoseconds(drive.map_bytes / drive.channel_bytes_per_s)),
        transfer_overhead_ns=nanoseconds(drive.channel_overhead_s),
        link_fs_per_byte=max(1, round(1e15 / drive.link_bytes_per_s)),
        link_overhead_ns=max(1, nanoseconds(drive.link_overhead_s)),
        read_command_ns=max(1, nanoseconds(drive.read_command_s)),
        write_command_ns=max(1, nanoseconds(drive.write_command_s)),
        copy_ns=nanoseconds(drive.copy_s),
        buffer_units=drive.buffer_bytes // drive.map_bytes,
        age_ns=max(1, nanoseconds(drive.buffer_age_s)),
        map_slots=cached,
        map_entries=_MAP_PAGE_BYTES // _MAP_ENTRY_BYTES,
        low_units=low_units,
        high_units=high_units,
        programs_per_die=drive.programs_per_die,
        copy_units=min((drive.copies_per_die * drive.dies + 1) * unit, block_units),
        reads_first=int(drive.reads_first),
        queue_depth=min(depth, drive.queue_limit),
        think_ns=nanoseconds(think),
        last_request=last,
        end_ns=end,
    )
    times = np.array([max(1, nanoseconds(s)) for s in drive.program_s], np.int64)
    return Run(plan, times, state, stream, gaps, drive)


def shows_progress(progress: bool | None, duration_s: float | None) -> bool:
    """Say whether a run shows its progress: on request, or if long and not in a book's build."""
    if progress is None:
        return (duration_s or 0) >= 100 and "FLASHWEAR_BOOK" not in os.environ
    return progress


def _write(state: ftl.State, stream: Stream, writes: int) -> None:
    words = np.zeros(_BATCH + arrays.AHEAD, np.int64)
    while writes > 0:
        size = stream.fill(words[: min(writes, _BATCH)])
        state.run_padded(words, size)
        writes -= size


def _seconds(name: str, value: float) -> float:
    return one_number(name, value, above=0, high=1e9)
