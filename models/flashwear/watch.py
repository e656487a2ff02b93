"""Which process writes to the drive? Counters of a running Linux, read without opening a device.

``/proc/diskstats`` counts the bytes that reach each drive. ``/proc/PID/io`` gives an upper bound
for each process: if the page cache uses large folios, a changed byte counts as a whole folio, up to
1 MiB. So the bound is lowered to the pages that the process's write calls can have touched (unless
it writes through a memory map) and to the bytes that the drives took. Both files are read again and
again, so that a process that ends is counted up to the last reading. Bytes that cannot belong to
any process seen are reported separately: journals, metadata, pages that were dirty before,
processes of other users, and those that began and ended between two readings.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from flashwear._domain import one_number, one_of

By: TypeAlias = Literal["name", "process", "command", "user", "unit", "cgroup", "container"]
"""What programs are grouped by."""
GROUPS = ("name", "process", "command", "user", "unit", "cgroup", "container")
"""The groups by name."""

_sleep, _clock = time.sleep, time.monotonic

_SECTOR, _PAGE = 512, 4096
_TENTHS = 10
_T95 = 2.262  # Student's t of a 95 % interval, nine degrees of freedom
_NO_DRIVE = re.compile(r"loop|ram|zram|dm-|md|sr|fd|nbd|zd")
_NAME = re.compile(r"[^ -~]")
_UNIT = re.compile(r"\.(service|scope|socket|mount|swap)$")
_CONTAINER = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LONGEST = 80  # characters of a command line
_IN_MEMORY = ("/dev/zero", "/dev/shm/", "/memfd:", "/SYSV")  # shared, but no file on a drive


class Program(NamedTuple):
    """The most bytes that a program wrote, in all its processes together."""

    name: str
    """Its name, or the process, command, user, unit, group or container that it belongs to."""
    bytes: int
    """Upper bound of the bytes written, at most the bytes that the drives took."""
    processes: int
    """Number of its processes that wrote."""


class Device(NamedTuple):
    """The ``bytes`` written to the drive or partition ``name``, and where it is ``mounted``."""

    name: str
    """Name of the device in the kernel, such as ``nvme0n1p2``."""
    bytes: int
    mounted: str | None
    """First mount point of its file system; None for a whole drive, or if it is not mounted."""


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
    unaccounted: int
    """Least number of bytes that reached the drives but cannot belong to any program seen."""
    hidden: int
    """Number of processes whose counters this user may not read."""
    tenths: tuple[float, ...]
    """Bytes written to the drives in each tenth of the time."""

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
        If there are no such counters: this is no Linux.

    Notes
    -----
    :math:`n` write calls with :math:`w` bytes in all touch pages of :math:`b` bytes with at most
    :math:`w + 2 b n` bytes; the counter ``write_bytes`` may be 256 times that. The bound is not
    used if a memory map, io_uring or asynchronous requests may hide writes. Bytes of files deleted
    before they reach the drive are subtracted. The writes of a program are not split by drive.

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
    root = Path(proc)
    first = _drives(root, drive)
    if drive is not None and drive not in first:
        known = ", ".join(sorted(_drives(root, None))) or "none"
        raise ValueError(f"drive must be one of {known}, got {drive!r}")
    start = _clock()
    ours: dict[tuple[int, str], _Process] = {}
    hidden = _look(root, ours, by, old=True)
    looks = [(start, sum(first.values()))]
    parts = _parts(root)
    try:
        while (left := start + length - _clock()) > 0:
            _sleep(min(step, left))
            hidden = max(hidden, _look(root, ours, by, old=False))
            looks.append((_clock(), sum(_drives(root, drive).values())))
    except KeyboardInterrupt:
        pass
    last = _drives(root, drive)
    looks.append((_clock(), sum(last.values())))
    at, totals = np.array(looks).T
    marks = np.interp(np.linspace(at[0], at[-1], _TENTHS + 1), at, totals)
    grown = {name: count - first.get(name, count) for name, count in last.items()}
    mounts = _mounts(root)
    shown = [
        Device(name, (count - parts.get(number, (name, count))[1]) * _SECTOR, mounts[number])
        for number, (name, count) in _parts(root).items()
        if number in mounts and (drive is None or drive in _carriers(Path(sys), name, last))
    ]
    written = sum(grown.values()) * _SECTOR
    programs = _programs(ours, written)
    return Watched(
        float(at[-1] - at[0]),
        _most(Device(name, count * _SECTOR, None) for name, count in grown.items()),
        _most(shown),
        programs,
        max(0, written - sum(program.bytes for program in programs)),
        hidden,
        tuple((np.diff(marks) * _SECTOR).tolist()),
    )


class _Counts(NamedTuple):
    dirtied: int  # bytes, by whole folios
    touched: int  # bytes of pages that its write calls can have touched


@dataclass
class _Process:
    name: str
    parent: int
    first: _Counts
    last: _Counts
    mapped: bool = False
    label: str = ""

    def grown(self) -> _Counts:
        """Return what its counters grew; what a file that was deleted took off may be more."""
        return _Counts(*(last - first for first, last in zip(self.first, self.last, strict=True)))

    def most(self) -> int:
        """Return the most bytes that it can have sent to a drive."""
        dirtied, touched = self.grown()
        return max(0, dirtied if self.mapped else min(dirtied, touched))


def _look(root: Path, ours: dict[tuple[int, str], _Process], by: By, *, old: bool) -> int:
    """Take down the counters of all processes; return how many may not be read."""
    hidden = 0
    here: dict[int, tuple[int, str]] = {}
    for entry in os.scandir(root):
        if not entry.name.isdigit():
            continue
        folder = root / entry.name
        try:
            stat = _text(folder / "stat")
            name, _, rest = stat.partition("(")[2].rpartition(")")
            words = rest.split()
            parent, began = int(words[1]), words[19]
            counts = _written(_text(folder / "io"))
        except PermissionError:
            hidden += 1
            continue
        except (OSError, IndexError, ValueError, KeyError):  # it ended meanwhile
            continue
        key = here[int(entry.name)] = int(entry.name), began
        if key not in ours:
            first = counts if old else _Counts(0, 0)
            ours[key] = _Process(_shown(name), parent, first, counts)
        process = ours[key]
        process.name, process.parent, process.last = _shown(name), parent, counts
        if by != "name":
            if not process.label and counts != process.first:
                process.label = _label(folder, by, f"{process.name} ({entry.name})")
            process.name = process.label
        dirtied, touched = process.grown()
        if dirtied > touched and not process.mapped:
            process.mapped = _maps_a_file(folder)
    for key in [key for key in ours if here.get(key[0]) != key and ours[key].parent in here]:
        # it ended, and the one that waited for it has taken over its counters
        ended, heir = ours[key], ours[here[ours[key].parent]]
        heir.first = _Counts(*(x + y for x, y in zip(heir.first, ended.last, strict=True)))
        ended.parent = 0
    return hidden


def _label(folder: Path, by: By, process: str) -> str:
    """Return what a process is grouped by, or its name and number where that cannot be read."""
    try:
        if by == "command":
            words = _text(folder / "cmdline", 4096).replace("\0", " ").strip()
            return _NAME.sub("?", words)[:_LONGEST] or process
        if by == "user":
            return folder.owner()
        if by == "process":
            return process
        lines = (line.split(":", 2) for line in _text(folder / "cgroup").splitlines())
        paths = {words[1]: words[2] for words in lines if len(words) == 3}
        group = _NAME.sub("?", paths.get("") or paths.get("name=systemd") or "/")
    except (OSError, KeyError):  # it ended meanwhile, or its user has no name
        return process
    if by == "unit":
        units = [part for part in group.split("/") if _UNIT.search(part)]
        return units[-1] if units else group
    if by == "container":
        found = _CONTAINER.findall(group)
        return f"container {found[-1][:12]}" if found else "no container"
    return group


def _maps_a_file(folder: Path) -> bool:
    """Say whether a process may write to a file by a memory map, or by a ring that one shows."""
    try:
        lines = _text(folder / "maps").splitlines()
    except PermissionError:
        return True
    except OSError:  # it ended meanwhile
        return False
    shared = (line.split(maxsplit=5) for line in lines if " rw-s " in line or " -w-s " in line)
    return any(len(words) > 5 and not words[5].startswith(_IN_MEMORY) for words in shared)


def _shown(name: str) -> str:
    """Return a program's name for a terminal; all workers of the kernel have one."""
    return _NAME.sub("?", name.partition("/")[0] if name.startswith("kworker/") else name)


def _written(text: str) -> _Counts:
    """Return the bytes of folios that a process made dirty, and of pages it can have touched."""
    rows = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    touched = int(rows["wchar"]) + 2 * _PAGE * int(rows["syscw"])
    return _Counts(int(rows["write_bytes"]) - int(rows["cancelled_write_bytes"]), touched)


def _programs(ours: dict[tuple[int, str], _Process], taken: int) -> tuple[Program, ...]:
    found: dict[str, Program] = {}
    for process in ours.values():
        if most := process.most():
            before = found.get(process.name, Program(process.name, 0, 0))
            whole = min(before.bytes + most, taken)
            found[process.name] = Program(process.name, whole, before.processes + 1)
    written = (program for program in found.values() if program.bytes)
    return tuple(sorted(written, key=lambda one: -one.bytes))


def _carriers(sys: Path, name: str, drives: Container[str]) -> set[str]:
    """Return the whole drives under a partition or volume: LVM, LUKS and RAID lie on others."""
    found: set[str] = set()
    waiting, seen = [name], set[str]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in drives:
            found.add(one)
            continue
        place = sys / "class" / "block" / one
        if (place / "partition").exists():
            waiting.append(place.resolve().parent.name)
        with suppress(OSError):
            waiting += os.listdir(place / "slaves")
    return found


def _rows(root: Path) -> Iterator[tuple[str, str, int]]:
    """Yield number, name and sectors written of each block device."""
    for line in _text(root / "diskstats").splitlines():
        words = line.split()
        if len(words) >= 10:
            yield f"{words[0]}:{words[1]}", words[2], int(words[9])


def _drives(root: Path, drive: str | None) -> dict[str, int]:
    """Return the sectors written to each whole drive: a name that no other begins."""
    rows = {name: count for _, name, count in _rows(root)}
    return {
        name: count
        for name, count in rows.items()
        if name == drive
        or (drive is None and not _NO_DRIVE.match(name) and not _is_part(name, rows))
    }


def _is_part(name: str, names: dict[str, int]) -> bool:
    whole = re.sub(r"p?\d+$", "", name)
    return whole != name and whole in names


def _parts(root: Path) -> dict[str, tuple[str, int]]:
    return {number: (name, count) for number, name, count in _rows(root)}


def _mounts(root: Path) -> dict[str, str]:
    """Return where the file system of each device is mounted first."""
    found: dict[str, str] = {}
    for line in _text(root / "self" / "mountinfo").splitlines():
        words = line.split()
        if len(words) > 4:
            found.setdefault(words[2], _NAME.sub("?", words[4]))
    return found


def _most(devices: Iterable[Device]) -> tuple[Device, ...]:
    written = [device for device in devices if device.bytes > 0]
    return tuple(sorted(written, key=lambda device: -device.bytes))


def _text(path: Path, most: int = 1 << 24) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(most)
