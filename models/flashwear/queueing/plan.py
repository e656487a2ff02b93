"""The input of a run of the queueing model: a drive in whole nanoseconds and map units."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._compiled import by_pointer
from flashwear._domain import one_number, one_of, whole
from flashwear.drives import MOST_COMMANDS, Drive
from flashwear.ftl import arrays, steps
from flashwear.queueing import requests as io
from flashwear.workloads import Sequential, Stream, Uniform, Workload

HOST, COPY = 0, 1
"""Numbers of the two frontiers, the superblock open for the host's pages and that for copies."""

_MAP_ENTRY_BYTES, _MAP_PAGE_BYTES = 4, 4096
_BATCH = 65_536
_LEAST_PROGRAMS = 64  # of a superblock of a scaled drive, see share_at

# what the memory of a run goes by: map units of the buffer and of a superblock, dies times their
# blocks, arrivals
_MOST_BUFFERED, _MOST_UNITS, _MOST_ERASED, _MOST_ARRIVALS = 2**24, 2**20, 2**23, 2**26


@by_pointer
class Plan(NamedTuple):
    """All parameters of a simulated drive and of a run as whole numbers, for compiled code.

    Names are mostly those of :class:`flashwear.drives.Drive`, with times in ns and sizes in map
    units; -1 or 0 stands for "never". ``unit`` is the number of map units in a program unit,
    ``unit_sectors`` that of sectors in a map unit; ``kinds``, kinds of pages by program time;
    ``data_programs`` and ``slc_programs``, program units of data in a superblock; ``age_ns``,
    longest wait in the buffer; ``map_slots``, map pages held in DRAM, of ``map_entries`` each;
    ``copy_units``, most map units being copied; ``last_request`` and ``end_ns``, number of requests
    or time at which the run ends.
    """

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
    read_unit_ns: int  # of the controller for a map unit
    write_unit_ns: int
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
    slc_programs: int  # programs of data in a superblock in SLC mode; 0: there is no cache
    slc_read_ns: int
    slc_program_ns: int
    idle_ns: int  # without requests, before the cache is folded; -1: never
    queue_depth: int
    think_ns: int
    start_ns: int  # when the host begins
    last_request: int  # requests to be carried out; -1: until the end of time
    end_ns: int  # -1: no end of time

    @property
    def user_bytes(self) -> int:
        """Bytes that the host can address."""
        return self.user_units * self.unit_sectors * io.SECTOR


class Prepared(NamedTuple):
    """Everything that a run starts from.

    ``plan`` has the parameters of drive and run, ``program_ns`` the time to program each kind of
    page, ``state`` the flash and the map, and ``stream`` the requests in order. ``interarrivals``
    are the times between requests in ns, on average one over ``rate`` in s; both are None if the
    host waits for completions instead.
    """

    plan: Plan
    program_ns: NDArray[np.int64]  # by kind of page
    state: ftl.State
    stream: Stream
    interarrivals: io.Words | None
    rate: float | None


def check_drive(drive: Drive) -> None:
    """Raise ValueError unless `drive` is a :class:`flashwear.drives.Drive`."""
    if not isinstance(drive, Drive):
        raise ValueError(f"drive must be a Drive, as flashwear.drives.load gives, got {drive!r}")


def share_at(drive: Drive, scale: float, least_pages: int = 1) -> float:
    """Return the share of each block's pages that a drive keeps when it is scaled down to `scale`.

    Times shrink by the same share. ValueError is raised if a block would have fewer than
    `least_pages` pages, or a superblock fewer than 64 program units or than a stripe has. With 64
    of them speeds are within 5 % of those at scale 1/16, with 32 up to 25 % off.
    """
    check_drive(drive)
    pages, most = drive.pages_at(scale), drive.pages_per_block
    step = drive.bits_per_cell if drive.has_cache else 1
    programs = max(_LEAST_PROGRAMS, drive.stripe + 1)
    least = max(-(-least_pages // step), -(-programs // (drive.dies * step))) * step
    if pages < min(least, most):
        fits = [f"{fit / most:.4g}" for fit in range(least, most, step)[:3]]
        raise ValueError(
            f"scale must leave blocks at least {min(least, most)} of their {most} pages, such as "
            f"{', '.join([*fits, '1'][:3])}, got {scale!r}"
        )
    return pages / most


def planned(
    drive: Drive,
    queue_depth: int,
    duration_s: float | None,
    ios: int | None,
    think_s: float,
    idle_s: float = 0.0,
) -> Plan:
    """Check a drive and the length of a run, and return both as a :class:`Plan`.

    `queue_depth` is the number of requests outstanding. The run ends after `duration_s` seconds or
    `ios` requests (one of the two may be None). `think_s` is the host's pause after each request,
    and `idle_s` its idle time at the start.
    """
    check_drive(drive)
    depth = whole("queue_depth", queue_depth, 1, MOST_COMMANDS)
    think = one_number("think_s", think_s, low=0, high=3600)
    idle = one_number("idle_s", idle_s, low=0, high=1e6)
    if duration_s is None and ios is None:
        raise ValueError("duration_s must be a number unless ios is, got None")
    end = -1
    if duration_s is not None:
        end = _some_ns(one_number("duration_s", duration_s, above=0, high=1e7))
    last = -1 if ios is None else whole("ios", ios, 1, 2**40)
    _check_size(drive)
    plan = _in_integers(
        drive,
        queue_depth=min(depth, drive.queue_limit),
        think_ns=_ns(think),
        start_ns=_ns(idle),
        last_request=last,
        end_ns=end,
    )
    most = 1 << 62 - key_bits(plan)
    if end >= most:
        raise ValueError(
            f"duration_s must be < {most / 1e9:.4g} for {drive.dies} dies and {drive.channels} "
            f"channels, got {end / 1e9!r}"
        )
    return plan


def _check_size(drive: Drive) -> None:
    """Raise ValueError for a drive that is too small for its firmware or too large to simulate."""
    unit, data = drive.planes * drive.page_bytes // drive.map_bytes, drive.data_programs()
    if data * unit > _MOST_UNITS:
        raise ValueError(
            f"pages_per_block must give a superblock at most {_MOST_UNITS} map units, got {data} "
            f"programs of {unit} ({drive.dies} dies of {drive.pages_per_block} pages): "
            "drive.scaled(1 / 16) has a sixteenth of them"
        )
    largest = -(-io.MOST_SECTORS * io.SECTOR // drive.map_bytes) + 1
    if drive.buffer_bytes // drive.map_bytes < max(largest, 2 * unit):
        raise ValueError(
            f"buffer_bytes must be >= {max(largest, 2 * unit) * drive.map_bytes} to hold the "
            f"largest request and two programs, got {drive.buffer_bytes}"
        )
    whole("buffer_bytes", drive.buffer_bytes, 0, _MOST_BUFFERED * drive.map_bytes)
    whole("channels", drive.channels, 1, 2**16)
    low, high = (round(blocks * (data * unit)) for blocks in (drive.low_blocks, drive.high_blocks))
    if high - low < unit:
        raise ValueError(
            f"high_blocks must be >= {drive.low_blocks + 1 / data:g}, a program more "
            f"than low_blocks, got {drive.high_blocks}"
        )
    _check_blocks(drive, data * unit)


def _in_integers(drive: Drive, **run: int) -> Plan:
    unit, data = drive.planes * drive.page_bytes // drive.map_bytes, drive.data_programs()
    user, block_units, cached = drive.user_bytes // drive.map_bytes, data * unit, 0
    if drive.map_cache_bytes is not None and drive.map_cache_bytes < user * _MAP_ENTRY_BYTES:
        cached = max(1, drive.map_cache_bytes // _MAP_PAGE_BYTES)
    slc = 0
    if drive.cache_own_blocks + _cache(drive).shared_blocks(drive.superblocks):
        slc = drive.data_programs(slc=True)
    return Plan(
        # geometry
        user_units=user,
        unit_sectors=drive.map_bytes // io.SECTOR,
        dies=drive.dies,
        channels=drive.channels,
        unit=unit,
        data_programs=data,
        slc_programs=slc,
        blocks=drive.superblocks,
        stripe=drive.stripe,
        kinds=len(drive.program_s),
        # flash
        read_ns=_some_ns(drive.read_s),
        erase_ns=_some_ns(drive.erase_s),
        suspend_ns=-1 if drive.suspend_s is None else _ns(drive.suspend_s),
        slc_read_ns=0 if drive.slc_read_s is None else _some_ns(drive.slc_read_s),
        slc_program_ns=0 if drive.slc_program_s is None else _some_ns(drive.slc_program_s),
        # channels, link and controller
        transfer_ns=_some_ns(drive.map_bytes / drive.channel_bytes_per_s),
        transfer_overhead_ns=_ns(drive.channel_overhead_s),
        link_fs_per_byte=max(1, round(1e15 / drive.link_bytes_per_s)),
        link_overhead_ns=_some_ns(drive.link_overhead_s),
        read_command_ns=_some_ns(drive.read_command_s),
        write_command_ns=_some_ns(drive.write_command_s),
        read_unit_ns=_ns(drive.read_unit_s),
        write_unit_ns=_ns(drive.write_unit_s),
        copy_ns=_ns(drive.read_unit_s + drive.write_unit_s + drive.copy_s),
        # DRAM
        buffer_units=drive.buffer_bytes // drive.map_bytes,
        age_ns=_some_ns(drive.buffer_age_s),
        map_slots=cached,
        map_entries=_MAP_PAGE_BYTES // _MAP_ENTRY_BYTES,
        # cleaning and folding
        low_units=round(drive.low_blocks * block_units),
        high_units=round(drive.high_blocks * block_units),
        programs_per_die=drive.programs_per_die,
        copy_units=min((drive.copies_per_die * drive.dies + 1) * unit, block_units),
        reads_first=int(drive.reads_first),
        idle_ns=-1 if not slc or drive.cache_idle_s is None else _some_ns(drive.cache_idle_s),
        **run,
    )


def prepared(
    plan: Plan,
    drive: Drive,
    workload: str | Workload | io.Access,
    seed: int,
    fill: str,
    random_drive_writes: float,
    span: float,
    state: ftl.State | None = None,
) -> Prepared:
    """Check the host's load, bring a drive into its state before a run, and return both.

    `plan` is the result of :func:`planned` for `drive`, and `workload` the host's requests. The
    part `span` of the addresses is written before: once in order unless `fill` is "none", then at
    random, `random_drive_writes` times its size. If `state` is given, the drive is taken as an
    earlier run left it.
    """
    seed = whole("seed", seed, 0)
    one_of("fill", fill, ("sequential", "none"))
    drive_writes = one_number("random_drive_writes", random_drive_writes, low=0, high=1000)
    share = one_number("span", span, above=0, high=1)
    stream = io.stream_for(workload, plan.user_bytes, plan.user_bytes // plan.user_units, seed)
    rate = workload.rate if isinstance(workload, io.Access) else None
    interarrivals = None if rate is None else _interarrivals(float(rate), plan, seed)
    if interarrivals is not None and plan.start_ns:
        interarrivals[0] += plan.start_ns
    if state is not None:
        _resume(state, plan)
    else:
        state = _new_state(plan, drive, seed)
        if fill == "sequential":
            pages = max(1, int(plan.user_units * share))
            _write(state, Sequential().stream(pages, seed), int(plan.user_units * share))
            if drive_writes > 0:
                _write(state, Uniform().stream(pages, seed + 1), int(pages * drive_writes))
    a = state.arrays
    for frontier in (HOST, COPY):
        while a.opened[frontier] >= 0 and steps.room(a, frontier) % plan.unit:
            steps.pad(a, frontier)
    times = np.array([_some_ns(s) for s in drive.program_s], np.int64)
    return Prepared(plan, times, state, stream, interarrivals, rate)


def key_bits(plan: Plan) -> int:
    """Return how many bits it takes to number the stations and alarm clocks of the drive `plan`."""
    clocks = idle_clock(plan) + (plan.idle_ns >= 0)
    return (2 + plan.channels + plan.dies + clocks - 1).bit_length()


def idle_clock(plan: Plan) -> int:
    """Return the number of the alarm clock by which a drive notices that the host is idle.

    `plan` has the drive's parameters. Alarm clocks are numbered from 0, and this is the last one.
    """
    return 2 + (plan.queue_depth if plan.think_ns else 0)


def blank_units(plan: Plan, a: arrays.Arrays) -> int:
    """Return how many map units are blank (erased, not yet programmed), by the firmware's count.

    `plan` and `a` are the parameters and the arrays of a drive. Free and open superblocks count,
    except those that belong to the SLC cache alone.
    """
    blank = int(a.counts.free) * plan.data_programs * plan.unit + steps.room(a, COPY)
    opened = a.opened[HOST]
    own = opened >= 0 and a.block["mode"][opened] == arrays.OWN
    return blank if own else blank + steps.room(a, HOST)


def tally(state: ftl.State) -> NDArray[np.int64]:
    """Return the counts of map units of a drive (`state`) as an array of four.

    Map units written by the host; copied; written to the SLC cache; and copied out of the cache.
    """
    return np.array([state.host_writes, state.copies, state.cache_writes, state.fold_copies])


def _cache(drive: Drive) -> ftl.SlcCache:
    return ftl.SlcCache(
        bits_per_cell=drive.bits_per_cell,
        own_blocks=drive.cache_own_blocks,
        share=drive.cache_share,
        direct=drive.cache_direct,
        fold_to=drive.cache_fold_to,
        slc_wear=drive.slc_wear,
    )


def _new_state(plan: Plan, drive: Drive, seed: int) -> ftl.State:
    """Return an empty drive."""
    block_units = plan.data_programs * plan.unit
    cache = None
    if plan.slc_programs:
        cache = replace(_cache(drive), pages=plan.slc_programs * plan.unit)
    return ftl.State(
        plan.user_units,
        plan.blocks * block_units / plan.user_units - 1,
        pages_per_block=block_units,
        policy=drive.policy,
        frontier="gc",
        reserve_blocks=_reserve(drive),
        cache=cache,
        seed=seed,
    )


def _resume(state: ftl.State, plan: Plan) -> None:
    """Finish in no time what is being cleaned on a drive that an earlier run left."""
    if not isinstance(state, ftl.State):
        raise ValueError(f"state must be the ftl of an earlier result, got {state!r}")
    a = state.arrays
    have = state.user_pages, state.blocks, state.pages_per_block, int(a.rules.cache)
    units = plan.data_programs * plan.unit
    need = plan.user_units, plan.blocks, units, int(plan.slc_programs > 0)
    if have != need or a.rules.arrangement != arrays.GC:
        raise ValueError(
            f"state must be of this drive: {need[0]} map units of the user, {need[1]} superblocks "
            f"of {need[2]}, {'a' if need[3] else 'no'} cache, got one of {have}"
        )
    for block in np.flatnonzero(a.block["status"] == arrays.CLEANING):
        start = int(block) << int(a.rules.shift)
        for slot in range(start, start + int(a.mode_pages[a.block["mode"][block]])):
            if a.l2p[a.p2l[slot]] == slot:
                if not steps.open_if_full(a, COPY, 0):  # cannot be: a run keeps room for copies
                    raise RuntimeError("no superblock is free for copies")
                steps.move(a, int(a.p2l[slot]), slot, COPY)
        steps.finish(a, int(block))


def _reserve(drive: Drive) -> int:
    """Return the free superblocks below which the drive cleans."""
    return int(np.ceil(drive.high_blocks))


def _check_blocks(drive: Drive, block_units: int) -> None:
    shared = _cache(drive).shared_blocks(drive.superblocks)
    waits = shared > 0 and not drive.cache_direct  # for a block beside the reserve
    beside = 2 + _reserve(drive) + drive.cache_own_blocks + waits
    fewest = -(-drive.user_bytes // (block_units * drive.map_bytes)) + beside
    most = min(2**31 >> (block_units - 1).bit_length(), _MOST_ERASED // drive.dies)
    if not fewest <= drive.superblocks <= most:
        raise ValueError(
            f"blocks_per_plane must be >= {fewest} to hold {drive.user_bytes} bytes of the user, "
            f"two open and {drive.high_blocks:g} free superblocks"
            f"{f' and {drive.cache_own_blocks + waits} for the cache' if drive.has_cache else ''}"
            f", and <= {most} for the memory of a run, got {drive.superblocks}"
        )


def _interarrivals(rate: float, plan: Plan, seed: int) -> io.Words:
    """Return the times between the arrivals of an open loop, more than the run lasts for."""
    counts = [plan.last_request] if plan.last_request >= 0 else []
    if plan.end_ns >= 0:
        expected = plan.end_ns / 1e9 * rate
        counts.append(int(expected * 1.05 + 10 * expected**0.5))
    count = min(counts)
    if count > _MOST_ARRIVALS:
        raise ValueError(
            f"rate must make at most {_MOST_ARRIVALS} requests arrive in a run, "
            f"got {rate!r} a second for {count} requests"
        )
    return io.interarrival_times(rate, count + 100, seed)


def _ns(seconds: float) -> int:
    """Return the nearest whole number of nanoseconds."""
    return round(seconds * 1e9)


def _some_ns(seconds: float) -> int:
    """Return the nearest whole number of nanoseconds, at least one."""
    return max(1, _ns(seconds))


def _write(state: ftl.State, stream: Stream, writes: int) -> None:
    words = np.zeros(_BATCH + arrays.AHEAD, np.int64)
    while writes > 0:
        size = stream.fill(words[: min(writes, _BATCH)])
        state.run_padded(words, size)
        writes -= size
