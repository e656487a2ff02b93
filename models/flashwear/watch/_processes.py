"""What the kernel counts of processes, by name, user, unit, group or container."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from flashwear.watch._devices import shown, text

By: TypeAlias = Literal["name", "process", "command", "user", "unit", "cgroup", "container"]
"""What programs are grouped by."""
GROUPS = ("name", "process", "command", "user", "unit", "cgroup", "container")
"""The groups by name."""

_PAGE = 4096
_UNIT = re.compile(r"\.(service|scope|socket|mount|swap)$")
_CONTAINER = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_LONGEST = 80  # characters of a command line
_IN_MEMORY = ("/dev/zero", "/dev/shm/", "/memfd:", "/SYSV")  # shared, but no file on a drive
_MOST_ENDED = 4096  # names of programs that ended
OTHERS = "others that ended"


class Program(NamedTuple):
    """The most bytes that a program wrote, in all its processes together."""

    name: str
    """Its name, or the process, command, user, unit, group or container that it belongs to."""
    bytes: int
    """Upper bound of the bytes written, at most the bytes that the drives took."""
    processes: int
    """Number of its processes that wrote."""


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


@dataclass
class Processes:
    """The processes under a folder of the kernel: those there, and sums of those that ended."""

    root: Path
    by: By
    hidden: int = 0
    """Most processes that could not be read in a look."""
    _here: dict[tuple[int, str], _Process] = field(default_factory=dict)
    _ended: dict[str, tuple[int, int]] = field(default_factory=dict)

    def look(self, *, old: bool = False) -> None:
        """Take down the counters of all; those of ``old`` ones began before the watch did."""
        hidden = 0
        here: dict[int, tuple[int, str]] = {}
        for entry in os.scandir(self.root):
            if not entry.name.isdigit():
                continue
            folder = self.root / entry.name
            try:
                stat = text(folder / "stat")
                name, _, rest = stat.partition("(")[2].rpartition(")")
                words = rest.split()
                parent, began = int(words[1]), words[19]
                counts = _written(text(folder / "io"))
            except PermissionError:
                hidden += 1
                continue
            except (OSError, IndexError, ValueError, KeyError):  # it ended meanwhile
                continue
            key = here[int(entry.name)] = int(entry.name), began
            if key not in self._here:
                first = counts if old else _Counts(0, 0)
                self._here[key] = _Process(_name(name), parent, first, counts)
            process = self._here[key]
            process.name, process.parent, process.last = _name(name), parent, counts
            if self.by != "name":
                if not process.label and counts != process.first:
                    process.label = _label(folder, self.by, f"{process.name} ({entry.name})")
                process.name = process.label
            dirtied, touched = process.grown()
            if dirtied > touched and not process.mapped:
                process.mapped = _maps_a_file(folder)
        self.hidden = max(self.hidden, hidden)
        for key in [key for key in self._here if here.get(key[0]) != key]:
            ended = self._here.pop(key)
            if (heir := self._here.get(here.get(ended.parent, (0, "")))) is not None:
                # the one that waited for it has taken over its counters
                both = zip(heir.first, ended.last, strict=True)
                heir.first = _Counts(*(x + y for x, y in both))
            self._keep(ended)

    def _keep(self, ended: _Process) -> None:
        if most := ended.most():
            name = ended.name
            if name not in self._ended and len(self._ended) >= _MOST_ENDED:
                name = OTHERS
            written, count = self._ended.get(name, (0, 0))
            self._ended[name] = written + most, count + 1

    def programs(self, taken: int) -> tuple[Program, ...]:
        """Return what wrote, most first; each at most what the drives took."""
        found = dict(self._ended)
        for process in self._here.values():
            if most := process.most():
                written, count = found.get(process.name, (0, 0))
                found[process.name] = written + most, count + 1
        rows = (Program(name, min(most, taken), count) for name, (most, count) in found.items())
        return tuple(sorted((row for row in rows if row.bytes), key=lambda one: -one.bytes))


def holders(path: str | os.PathLike[str], proc: str | os.PathLike[str] = "/proc") -> set[str]:
    """Return the names of the programs that have a file open, of those that may be read.

    Parameters
    ----------
    path : path
        The file.
    proc : path
        Folder of the kernel's counters.

    Examples
    --------
    >>> holders("/no/such/file")
    set()
    """
    found, wanted = set(), os.path.realpath(path)
    for folder in Path(proc).glob("[0-9]*"):
        with suppress(OSError):
            if any(os.readlink(folder / "fd" / one) == wanted for one in os.listdir(folder / "fd")):
                found.add(_name(text(folder / "comm").rstrip("\n")))
    return found


def _label(folder: Path, by: By, process: str) -> str:
    """Return what a process is grouped by, or its name and number where that cannot be read."""
    try:
        if by == "command":
            words = text(folder / "cmdline", 4096).replace("\0", " ").strip()
            return shown(words)[:_LONGEST] or process
        if by == "user":
            return folder.owner()
        if by == "process":
            return process
        lines = (line.split(":", 2) for line in text(folder / "cgroup").splitlines())
        paths = {words[1]: words[2] for words in lines if len(words) == 3}
        group = shown(paths.get("") or paths.get("name=systemd") or "/")
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
        lines = text(folder / "maps").splitlines()
    except PermissionError:
        return True
    except OSError:  # it ended meanwhile
        return False
    shared = (line.split(maxsplit=5) for line in lines if " rw-s " in line or " -w-s " in line)
    return any(len(words) > 5 and not words[5].startswith(_IN_MEMORY) for words in shared)


def _name(name: str) -> str:
    """Return a program's name; all workers of the kernel have one."""
    return shown(name.partition("/")[0] if name.startswith("kworker/") else name)


def _written(told: str) -> _Counts:
    """Return the bytes of folios that a process made dirty, and of pages it can have touched."""
    rows = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    touched = int(rows["wchar"]) + 2 * _PAGE * int(rows["syscw"])
    return _Counts(int(rows["write_bytes"]) - int(rows["cancelled_write_bytes"]), touched)
