"""Which process writes to the drive? Counters of a running Linux, read without opening a device.

``/proc/diskstats`` counts the bytes that reach each drive. ``/proc/PID/io`` gives an upper bound
for each process: if the page cache uses large folios, a changed byte counts as a whole folio, up to
1 MiB. So the bound is lowered to the pages that the process's write calls can have touched (unless
it writes through a memory map) and to the bytes that the drives took. Both files are read again and
again, so that a process that ends is counted up to the last reading. XFS counts the bytes of its
log, and ext4 the transactions of its journal. Bytes that cannot belong to any of these are reported
separately: metadata, pages that were dirty before, processes of other users, and those that began
and ended between two readings.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from flashwear._domain import one_number, one_of
from flashwear.watch._devices import (
    SECTOR,
    Taken,
    carriers,
    drives,
    journals,
    logged,
    mirrors,
    mounts,
    parts,
)  # fmt: skip
from flashwear.watch._processes import GROUPS, By, Processes, Program, holders

__all__ = ["GROUPS", "By", "Device", "Journal", "Program", "Watched", "holders", "watch"]

_sleep, _clock = time.sleep, time.monotonic

_TENTHS = 10
_T95 = 2.262  # Student's t of a 95 % interval, nine degrees of freedom
_MOST_LOOKS = 2000  # kept, however long it takes


class Device(NamedTuple):
    """The ``bytes`` written to the drive or partition ``name``, and where it is ``mounted``."""

    name: str
    """Name of the device in the kernel, such as ``nvme0n1p2``."""
    bytes: int
    mounted: str | None
    """First mount point of its file system; None for a whole drive, or if it is not mounted."""


class Journal(NamedTuple):
    """The ``bytes`` of a journal or log that the file system ``kind`` keeps of its changes."""

    name: str
    """Name of the device in the kernel, such as ``nvme0n1p2``."""
    bytes: int
    mounted: str
    """First mount point of its file system."""
    kind: str
    """File system, such as ``ext4``."""


_Row = TypeVar("_Row", Device, Journal)


@dataclass(frozen=True)
class Watched:
    """Bytes written in some ``seconds``, by drive, file system and program, from :func:`watch`."""

    seconds: float
    drives: tuple[Device, ...]
    """Whole drives that were written, most first."""
    file_systems: tuple[Device, ...]
    """Partitions and volumes that are mounted and were written, most first."""
    programs: tuple[Program, ...]
    """Programs that wrote, most first."""
    journals: tuple[Journal, ...]
    """Journals of ext4 and logs of XFS, most first."""
    unaccounted: int
    """Least number of bytes that reached the drives but cannot belong to any of these."""
    hidden: int
    """Number of processes whose counters this user may not read."""
    mirrors: dict[str, int]
    """Arrays of md that write each byte to several of the drives, and to how many."""
    tenths: tuple[float, ...]
    """Bytes written to the drives in each tenth of the time."""
    cost_s: float
    """Seconds of a processor that watching took."""

    @property
    def bytes(self) -> int:
        """Bytes written to all drives together."""
        return sum(drive.bytes for drive in self.drives)

    def bytes_per_day(self) -> tuple[float, float, float]:
        """Return bytes written per day, and the ends of its 95 % interval.

        The interval is computed from the scatter of ten tenths of the time (Student's t), taken as
        independent. It does not cover differences between this hour and others.
        """
        day = 86_400 / max(self.seconds, 1e-9)
        mean = sum(self.tenths) / _TENTHS
        spread = sum((value - mean) ** 2 for value in self.tenths) / (_TENTHS - 1)
        half = _T95 * (spread / _TENTHS) ** 0.5 * _TENTHS * day
        rate = self.bytes * day
        return rate, max(0.0, rate - half), rate + half


def watch(
    seconds: float = 300.0,
    *,
    drive: str | None = None,
    by: By = "name",
    every: float = 1.0,
    proc: str | os.PathLike[str] = "/proc",
    sys: str | os.PathLike[str] = "/sys",
) -> Watched:
    """Watch for some time how many bytes are written to the drives, and by which programs.

    Parameters
    ----------
    seconds : float
        Time to watch, > 0. An interrupt (Ctrl-C) ends it early, with what was seen.
    drive : str, optional
        Only this drive, such as ``nvme0n1``, or this partition, loop or volume; by default all
        drives but loops, memory and stacked volumes.
    by : {"name", "process", "command", "user", "unit", "cgroup", "container"}
        What programs are grouped by: the 15 characters of their name, each process alone, the first
        80 characters of the command line, the user, the unit of systemd, the control group, or the
        container (Docker, Podman, Kubernetes).
    every : float
        Seconds between two looks, > 0.
    proc, sys : path
        Folders of the kernel's counters, and of its data on drives and volumes.

    Raises
    ------
    ValueError
        Outside these ranges, or for a drive that is not there.
    OSError
        If there are no such counters: this is no Linux; or if the drive that is named vanishes.

    Notes
    -----
    :math:`n` write calls with :math:`w` bytes in all touch pages of :math:`b` bytes with at most
    :math:`w + 2 b n` bytes; the counter ``write_bytes`` may be 256 times that. The bound is not
    used if a memory map, io_uring or asynchronous requests may hide writes. Bytes of files deleted
    before they reach the drive are subtracted. The writes of a program are not split by drive.

    The log of XFS is counted in its sectors. ext4 tells how many transactions its journal took, and
    their mean number of blocks since it was mounted, rounded down: its bytes are those of that
    mean, and so rather too few. What is kept does not grow with the time that is watched.

    Examples
    --------
    >>> import sys
    >>> if sys.platform == "linux":
    ...     seen = watch(0.2, every=0.1)
    ...     assert len(seen.tenths) == 10
    """
    length = one_number("seconds", seconds, above=0)
    step = one_number("every", every, above=0)
    one_of("by", by, GROUPS)
    root, known = Path(proc), Path(sys)
    before = parts(root)
    first = drives(before, drive)
    if drive is not None and drive not in first:
        there = ", ".join(sorted(drives(before, None))) or "none"
        raise ValueError(f"drive must be one of {there}, got {drive!r}")
    cost, start = time.process_time(), _clock()
    ours, taken = Processes(root, by), Taken(first)
    ours.look(old=True)
    looks = [(start, 0)]
    kept = journals(root, known, mounts(root))
    last = before

    def look() -> None:
        nonlocal last
        ours.look()
        last = parts(root)
        looks.append((_clock(), taken.look(drives(last, drive))))
        if len(looks) > _MOST_LOOKS:
            del looks[1:-1:2]

    try:
        while (left := start + length - _clock()) > 0:
            _sleep(min(step, left))
            look()
    except KeyboardInterrupt:
        look()
    if drive is not None and drive not in drives(last, drive):
        raise OSError(f"{drive} is gone: it was there when the watch began")
    at, totals = np.array(looks).T
    marks = np.interp(np.linspace(at[0], at[-1], _TENTHS + 1), at, totals)
    grown = taken.grown()
    mounted = mounts(root)
    here = {
        number: Device(
            name, (count - before.get(number, (name, count))[1]) * SECTOR, mounted[number].place
        )
        for number, (name, count) in last.items()
        if number in mounted
        and (drive in carriers(known, name, grown) if drive else not name.startswith("loop"))
    }
    logs = [
        Journal(here[number].name, logged(kept.get(number), log), *mounted[number])
        for number, log in journals(root, known, mounted).items()
        if number in here
    ]
    written = sum(grown.values()) * SECTOR
    programs = ours.programs(written)
    seen = sum(one.bytes for one in programs) + sum(one.bytes for one in logs)
    return Watched(
        float(at[-1] - at[0]),
        _most(Device(name, count * SECTOR, None) for name, count in grown.items()),
        _most(here.values()),
        programs,
        _most(logs),
        max(0, written - seen),
        ours.hidden,
        mirrors(known, grown),
        tuple((np.diff(marks) * SECTOR).tolist()),
        time.process_time() - cost,
    )


def _most(rows: Iterable[_Row]) -> tuple[_Row, ...]:
    return tuple(sorted((row for row in rows if row.bytes > 0), key=lambda row: -row.bytes))
