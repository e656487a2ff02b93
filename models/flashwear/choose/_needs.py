"""What a drive is asked for: loads, layers and years, and the bytes a day that come of them."""

import functools
import math
import random
from collections.abc import Sequence
from typing import NamedTuple

from flashwear.choose import _load
from flashwear.choose._load import BELOW, DAY_S, LATER, Array, Load, Range, between

ADVISED, NEEDED = 10.0, 100.0
"""Synced writes a second from which power-loss protection is better, and without which a drive is
too slow: at some 2 ms each it is busy for a fifth of the time."""
PAGE_BYTES = 16_384
"""The least that a drive without power-loss protection programs at a sync."""
_LOGGED = {"sqlite": "sqlite-wal", "sqlite-insert": "sqlite-wal-insert"}
_DRAWS, _SEED, _NINE_IN_TEN = 400, 72, 3.29
_BELOW_ERROR = {"zfs": between(1 / 1.5, 1.5), "btrfs": between(0.88, 1.55)}
_FULL, _ZFS_FULL, _CEPH_FULL = 0.9, 0.8, 0.85  # shares to which guides fill them; assumed


class Needs(NamedTuple):
    """What is to be written and kept, for how long, and on how many drives."""

    loads: tuple[Load, ...] = ()
    bytes_per_day: Range | None = None
    """Bytes a day that one drive took, in place of loads and of what lies below them."""
    below: str = "none"
    array: Array = _load.array(None)
    years: float = 5.0
    space_bytes: float = 0.0
    """Data to be kept, over all drives."""
    growth: float = 0.0
    """Share by which they grow in a year."""
    power_loss: bool = False
    trim: bool = True
    """Whether TRIM arrives at the drive."""
    months_off: float = 0.0
    """Longest time without power."""

    interface: str = ""
    """``SATA`` or ``NVMe`` of the slot, where it is known."""

    def syncs_per_s(self, at: int) -> float:
        """Return the synced writes a second of one drive, at the low, middle or high end."""
        return self.array.share[at] * sum(one.syncs_per_s(at) for one in self.loads)

    def paged(self, day: float, at: int) -> float:
        """Return the bytes a day of flash that `day` takes if each sync fills up a page of it.

        A page at least for each, and where more is written, half of the last one in the mean.
        """
        pages = self.counted.syncs_per_s(at) * PAGE_BYTES * DAY_S
        return max(pages, day + pages / 2)

    @property
    def counted(self) -> "Needs":
        """Without loads of reported bytes, which do not tell their synced writes."""
        return self._replace(loads=tuple(one for one in self.loads if one.named.program))

    @property
    def fill(self) -> float:
        """Share of the space for data, nine tenths or less.

        Of ZFS it is four fifths, of Ceph 85 % with a drive lost.
        """
        if any(one.named.program == "ceph" for one in self.loads):
            drives = self.array.drives
            return _CEPH_FULL * (1 - 1 / drives if drives > 3 else 1)
        return _ZFS_FULL if self.below.startswith("zfs") else _FULL

    @property
    def drive_bytes(self) -> float:
        """Capacity of each drive that takes the data of the last year."""
        grown = self.space_bytes * math.pow(1 + self.growth, self.years)
        return grown / self.array.drives / self.array.usable / self.fill

    @property
    def asks_protection(self) -> bool:
        """Whether power-loss protection is asked for, or `NEEDED` for its speed."""
        return self.power_loss or self.counted._waits_per_s >= NEEDED

    @property
    def strict(self) -> bool:
        """Whether scattered small writes wait, so that a drive needs DRAM and no four bits."""
        return self.asks_protection or self.below.startswith("zfs")

    @property
    def grows(self) -> bool:
        """Whether its data grow from year to year, as those of a blockchain."""
        return any(one.named.grows for one in self.loads)

    @property
    def _waits_per_s(self) -> float:
        """At the high end; the log of ZFS takes each synced write too."""
        return self.syncs_per_s(2) * (2 if self.below.startswith("zfs") else 1)

    @property
    def advises_protection(self) -> bool:
        """Whether it is better with power-loss protection."""
        return self.asks_protection or self._waits_per_s >= ADVISED


class Layer(NamedTuple):
    """Bytes a day on the way from programs to one drive."""

    name: str
    bytes_per_day: Range


def check(needs: Needs) -> None:
    """Raise a ValueError if there is no load, or a number outside its range."""
    if (needs.bytes_per_day is None) == (not needs.loads):
        raise ValueError("load or bytes_per_day must be given, one of them")
    if needs.below not in BELOW:
        raise ValueError(f"below must be one of {', '.join(BELOW)}, got {needs.below!r}")
    for name, value, low, high in (
        ("years", needs.years, 0.1, 50.0), ("growth", needs.growth, 0.0, 10.0),
        ("space_bytes", needs.space_bytes, 0.0, 1e18), ("months_off", needs.months_off, 0.0, 600.0),
    ):  # fmt: skip
        if not low <= value <= high:
            raise ValueError(f"{name} must be in [{low:g}, {high:g}], got {value!r}")


Days = tuple[tuple[float, ...], ...]


@functools.lru_cache(maxsize=64)
def days_of(needs: Needs) -> Days:
    """Return sorted draws of the bytes a day of one drive, at the three ends of what is unknown."""
    rng = random.Random(_SEED)
    found: list[list[float]] = [[], [], []]
    told = [[one.bytes_per_s(needs.below, at) for one in needs.loads] for at in range(3)]
    for _ in range(_DRAWS):
        below, later, *each = (rng.gauss() for _ in range(2 + len(needs.loads)))
        layer = _drawn(_BELOW_ERROR.get(needs.below.partition(":")[0], between(1.0)), below)
        for at, list_of in enumerate(found):
            if needs.bytes_per_day:
                low, _, high = needs.bytes_per_day  # a range that was told holds what may come
                later_on = _drawn(between(1 / LATER, LATER), later) if low == high else 1.0
                list_of.append(needs.bytes_per_day[at] * later_on)
                continue
            total = sum(
                count * _drawn(one.named.error, z) * (layer if one.named.program else 1.0)
                for one, count, z in zip(needs.loads, told[at], each, strict=True)
            )
            list_of.append(total * needs.array.share[at] * DAY_S)
    return tuple(tuple(sorted(one)) for one in found)


def _drawn(error: Range, z: float) -> float:
    return error.middle * math.exp(z * math.log(error.high / error.low) / _NINE_IN_TEN)


def quantile(draws: Sequence[float], share: float) -> float:
    return draws[min(int(share * len(draws)), len(draws) - 1)]


def band(days: Days) -> Range:
    """Return the ends of the bytes a day, and their middle."""
    return Range(quantile(days[0], 0.05), quantile(days[1], 0.5), quantile(days[2], 0.95))


def mends(needs: Needs) -> list[tuple[str, Needs]]:
    """Return changes above the drive that write less, the easiest first."""
    found: list[tuple[str, Needs]] = []
    stored = [one for one in needs.loads if one.named.program not in ("", "write", "ceph")]
    if needs.below == "zfs" and stored:
        found.append(("recordsize=16K for the database", needs._replace(below="zfs:16k")))
    for one in stored:
        if one.named.name in _LOGGED:
            logged = one._replace(named=_load.named_loads()[_LOGGED[one.named.name]])
            loads = tuple(logged if other is one else other for other in needs.loads)
            found.append(("a write-ahead log in SQLite", needs._replace(loads=loads)))
    for one in stored:
        if one.commit.middle < 10:
            wider = one._replace(commit=one.commit.times(10))
            loads = tuple(wider if other is one else other for other in needs.loads)
            text = f"{one.named.name} with ten times as many {one.named.unit}s to a commit"
            found.append((text, needs._replace(loads=loads)))
    if needs.below == "zfs" and len(found) > 1:
        both = found[-1][1]._replace(below="zfs:16k")
        found.append(("recordsize=16K and ten times as many rows to a commit", both))
    cow = needs.below.startswith(("zfs", "btrfs")) and "raidz" not in needs.array.text
    if cow and any(one.named.program for one in needs.loads):
        what = f"ext4 or XFS in place of {needs.below}, without its checksums and snapshots,"
        found.append((what, needs._replace(below="ext4")))
    return found


def layers(needs: Needs) -> tuple[Layer, ...]:
    """Return the bytes a day from programs to one drive, with the errors in the middle."""
    if needs.bytes_per_day:
        return (Layer("one drive, as measured", needs.bytes_per_day),)

    def all_of(below: str, one: Load | None = None) -> Range:
        loads = needs.loads if one is None else (one,)
        error = [1.0 if below == "asked" else x.named.error.middle for x in loads]
        return Range(*(
            DAY_S * sum(x.bytes_per_s(below, at) * e for x, e in zip(loads, error, strict=True))
            for at in range(3)
        ))  # fmt: skip

    found = []
    for one in needs.loads:
        if one.named.program:
            found.append(Layer(f"{one.named.name}: data", all_of("asked", one)))
        how = "as it writes" if one.named.program else "as reported"
        found.append(Layer(f"{one.named.name}: {how}", all_of("none", one)))
    if needs.below != "none" and any(one.named.program for one in needs.loads):
        found.append(Layer(f"with {needs.below} below", all_of(needs.below)))
    if needs.array.drives > 1:
        total = all_of(needs.below)
        shared = Range(*(one * share for one, share in zip(total, needs.array.share, strict=True)))
        found.append(Layer(f"each drive of {needs.array.text}", shared))
    found.append(Layer("with what the forms leave open", band(days_of(needs))))
    return tuple(found)
