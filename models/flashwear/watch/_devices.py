"""What the kernel counts of drives, of file systems on them, and of their journals."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SECTOR = 512
_NO_DRIVE = re.compile(r"loop|ram|zram|dm-|md|sr|fd|nbd|zd|bcache|drbd|rbd")
_MIRRORS = ("raid1", "raid10")
_NAME = re.compile(r"[^ -~]")
_TRANSACTIONS = re.compile(r"^(\d+) transactions")
_BLOCKS = re.compile(r"^\s*(\d+) logged blocks per transaction", re.MULTILINE)
_XFS_LOG = re.compile(r"^log \d+ (\d+)", re.MULTILINE)


class Mount(NamedTuple):
    """A file system, and where it is mounted first."""

    place: str
    kind: str


class Log(NamedTuple):
    """What a journal holds since it was mounted."""

    least: int  # bytes
    most: int
    transactions: int  # 0 where bytes are counted


def text(path: Path, most: int = 1 << 24) -> str:
    """Return what a file of the kernel tells."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(most)


def shown(name: str) -> str:
    """Return a name for a terminal."""
    return _NAME.sub("?", name)


class Taken:
    """What drives took since they were seen first, though one may vanish, come, or begin anew."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._first, self._latest = dict(counts), dict(counts)

    def look(self, counts: dict[str, int]) -> int:
        """Take down the sectors of each drive, and return the growth of all."""
        for name, count in counts.items():
            before = self._latest.get(name, count)
            self._first.setdefault(name, count)
            if count < before:  # it began anew
                self._first[name] -= before
            self._latest[name] = count
        return sum(self.grown().values())

    def grown(self) -> dict[str, int]:
        """Return the sectors that each drive took."""
        return {name: count - self._first[name] for name, count in self._latest.items()}


def parts(root: Path) -> dict[str, tuple[str, int]]:
    """Return name and sectors written of each block device, by its number."""
    return {number: (name, count) for number, name, count in _rows(root)}


def _rows(root: Path) -> Iterator[tuple[str, str, int]]:
    for line in text(root / "diskstats").splitlines():
        words = line.split()
        if len(words) >= 10:
            yield f"{words[0]}:{words[1]}", words[2], int(words[9])


def drives(here: dict[str, tuple[str, int]], drive: str | None) -> dict[str, int]:
    """Return the sectors written to each whole drive among `here`: a name that no other begins."""
    rows = dict(here.values())
    return {
        name: count
        for name, count in rows.items()
        if name == drive
        or (drive is None and not _NO_DRIVE.match(name) and not _is_part(name, rows))
    }


def _is_part(name: str, names: dict[str, int]) -> bool:
    whole = re.sub(r"p?\d+$", "", name)
    return whole != name and whole in names


def carriers(sys: Path, name: str, among: Container[str]) -> set[str]:
    """Return the whole drives under a partition or volume: LVM, LUKS and RAID lie on others."""
    found: set[str] = set()
    waiting, seen = [name], set[str]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in among:
            found.add(one)
            continue
        place = sys / "class" / "block" / one
        if (place / "partition").exists():
            waiting.append(place.resolve().parent.name)
        with suppress(OSError):
            waiting += os.listdir(place / "slaves")
    return found


def mirrors(sys: Path, among: Container[str]) -> dict[str, int]:
    """Return the mirrors of md, by name, and on how many of some drives each byte is written."""
    found = {}
    for level in (sys / "class" / "block").glob("md*/md/level"):
        with suppress(OSError):
            name, kind = level.parents[1].name, text(level).strip()
            copies = len(carriers(sys, name, among))
            if kind in _MIRRORS and copies > 1:
                found[name] = copies if kind == "raid1" else 2
    return found


def mounts(root: Path) -> dict[str, Mount]:
    """Return the file system on each block device, by the device's number.

    btrfs has a number of its own; its device is the one that it names as its source.
    """
    found: dict[str, Mount] = {}
    numbers = {name: number for number, name, _ in _rows(root)}
    for line in text(root / "self" / "mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        words, names = before.split(), after.split()
        if len(words) > 4 and len(names) > 1:
            number = words[2]
            if number.startswith("0:") and names[1].startswith("/dev/"):
                number = numbers.get(Path(names[1]).resolve().name, number)
            place = re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), words[4])
            found.setdefault(number, Mount(shown(place), shown(names[0])))
    return found


def journals(root: Path, sys: Path, mounted: dict[str, Mount]) -> dict[str, Log]:
    """Return what the journal of each file system took, by the number of its device."""
    found = {}
    for number, (name, _) in parts(root).items():
        mount = mounted.get(number)
        if mount and mount.kind == "xfs":
            with suppress(OSError):
                lines = _XFS_LOG.search(text(sys / "fs" / "xfs" / name / "stats" / "stats"))
                if lines:
                    count = SECTOR * int(lines[1])
                    found[number] = Log(count, count, 0)
        elif mount and mount.kind in ("ext3", "ext4"):
            for place in (root / "fs" / "jbd2").glob(f"{name}-*"):
                with suppress(OSError):
                    found[number] = _ext4(text(place / "info"), _block(mount.place))
    return found


def _ext4(told: str, block: int) -> Log:
    """Read transactions, and their mean number of blocks, which is rounded down."""
    first, each = _TRANSACTIONS.match(told), _BLOCKS.search(told)
    count = int(first[1]) if first else 0
    mean = int(each[1]) if each else 0
    return Log(count * mean * block, count * (mean + 1) * block, count)


def _block(place: str) -> int:
    try:
        return os.statvfs(place).f_bsize
    except OSError:
        return 4096


def logged(before: Log | None, after: Log) -> int:
    """Return the bytes that a journal took between two looks.

    Those of ext4 are its transactions of this time with the mean number of blocks of all, rounded
    down, within what the two means leave possible.
    """
    if before is None or before.transactions > after.transactions or before.least > after.most:
        before = Log(0, 0, 0)  # mounted anew
    least, most = after.least - before.most, after.most - before.least
    if not after.transactions:
        return least
    mean = after.least // after.transactions
    return min(max((after.transactions - before.transactions) * mean, least), most)
