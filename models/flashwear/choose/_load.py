"""What runs and what lies beneath it: bytes a day at each drive, layer by layer, as ranges."""

import functools
import itertools
import math
import re
from bisect import bisect_right
from typing import Any, NamedTuple

from flashwear.smart._rules import rows

BELOW = ("none", "ext4", "xfs", "btrfs", "zfs", "zfs:16k")
"""What may lie between programs and drives; ``zfs`` has records of 128 KiB, or 16 KiB under VMs."""
DAY_S = 86_400
LATER = 1.25
"""Factor either way of bytes a day that were measured or told; assumed."""
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "day": 86_400.0}
_AMOUNT = r"\d{1,9}(?:\.\d{1,6})?"
_LOAD = re.compile(
    rf"([a-z0-9-]+)(?::({_AMOUNT})(?:-({_AMOUNT}))?(?:/({'|'.join(_SECONDS)}))?)?((?:,[^,]+)*)"
)
_KNOWN = {"row": ("row", 16, 2**20, 1.0), "commit": ("commit", 1, 1000, 1.0),
          "data": ("data_gb", 0.1, 1e6, 1.0), "indexes": ("indexes", 0, 9, 1.0)}  # fmt: skip
_TOLD = {"gb": ("gb", 0.001, 1e5, 1.0), "mbit": ("gb", 0.001, 1e4, 10.8)}
"""Parts of a load that was counted, and of one that was reported: field, ends, and its unit."""
_ARRAY = re.compile(r"([a-z]+\d*):(\d{1,3})(?:\+(\d{1,2}))?(?:/(\d{1,4}))?")
_SECTOR = 4096
_SYNCED = 16_384  # bytes of a synced write of a reported load; assumed


class Range(NamedTuple):
    """The ends of what is not known, and the middle between them."""

    low: float
    middle: float
    high: float

    def times(self, factor: float) -> "Range":
        """Return the range with each of its numbers multiplied."""
        return Range(*(factor * one for one in self))


def between(low: float, high: float | None = None) -> Range:
    """Return the range between two numbers > 0, its middle equal factors from both."""
    high = low if high is None else high
    return Range(low, math.sqrt(low * high), high)


class Named(NamedTuple):
    """A load that has a name: a row of ``data/named_loads.csv``."""

    name: str
    what: str
    unit: str
    program: str
    """Program of ``data/host_layers.csv``, empty where bytes a day were reported."""
    rate: Range | None
    """Writes a second of one unit; None where the user tells it."""
    row: Range | None
    commit: Range | None
    data_gb: Range | None
    gb: Range | None
    """GB a day of one unit, as reported."""
    error: Range
    """Bytes counted at a device over those of the form."""
    per_index: float
    """Bytes that each index adds to a change of a row which changes it at random, on ext4."""
    skewed: float
    """Bytes where few rows get most changes, over those of changes at random."""
    syncs: float
    """Times that the drive is synced at a commit; of reported bytes 1 where they are synced."""
    sustained: bool
    grows: bool
    """Whether its data are large and grow from year to year."""
    basis: str
    note: str
    """What its numbers leave out, or what to check."""


class Load(NamedTuple):
    """A named load with its amount: rows a second, or how many units."""

    named: Named
    rate: Range
    row: Range
    commit: Range
    data_gb: Range
    gb: Range
    """GB a day of one unit, where they were reported."""
    indexes: Range = Range(0, 1, 2)
    """Indexes that a change of a row changes, beside its key."""

    def bytes_per_s(self, below: str, at: int) -> float:
        """Return bytes a second on a layer, at the low (0), middle (1) or high (2) end."""
        if not self.named.program:
            return self.rate[at] * self.gb[at] * 1e9 / DAY_S
        if below == "asked":
            return self.rate[at] * self.row[at]
        if self.named.program == "ceph":
            below = "none"  # it has no file system below
        elif self.named.program == "write" and below == "zfs":
            below = "zfs:16k"  # the volumes of machines
        each = bytes_per_row(
            self.named.program, below, self.data_gb[at], self.row[at], self.commit[2 - at],
            self.rate[at],
        )  # fmt: skip
        if self.named.per_index:  # of pages at random, each a write of its own
            random = self.named.program.removesuffix("-insert")
            place = self.data_gb[at], self.row[at], 1.0, self.rate[at]
            times = bytes_per_row(random, below, *place) / bytes_per_row(random, "ext4", *place)
            each += self.named.per_index * self.indexes[at] * times
        return self.rate[at] * each * between(self.named.skewed, 1.0)[at]

    def knowing(self, field: str, value: float) -> "Load":
        """Return the load with a number in place of a range."""
        known: dict[str, Any] = {field: between(value)}
        return self._replace(**known)

    def syncs_per_s(self, at: int) -> float:
        """Return the syncs a second; where bytes were reported, as of `_SYNCED` each."""
        if not self.named.program:
            return self.named.syncs * self.bytes_per_s("none", at) / _SYNCED
        return self.named.syncs * self.rate[at] / self.commit[2 - at]


class Array(NamedTuple):
    """Drives that share a load: how many, and of what is written the share that each takes."""

    text: str
    drives: int
    share: Range
    usable: float
    """Share of the raw capacity that holds data."""


@functools.lru_cache(maxsize=1)
def named_loads() -> dict[str, Named]:
    """Return the loads that have a name.

    Examples
    --------
    >>> named_loads()["camera"].gb.low
    21.6
    """

    def pair(row: dict[str, str], name: str) -> Range | None:
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        return between(float(low), float(high)) if low else None

    return {
        row["name"]: Named(
            row["name"], row["what"], row["unit"], row["program"],
            pair(row, "rate"), pair(row, "row"), pair(row, "commit"), pair(row, "data_gb"),
            pair(row, "gb"), pair(row, "error") or between(1.0), float(row["per_index"] or 0),
            float(row["skewed"] or 1), float(row["syncs"]), row["sustained"] == "yes",
            row["grows"] == "yes", row["basis"], row["note"],
        )
        for row in rows("named_loads")
    }  # fmt: skip


def load(text: str) -> Load:
    """Return the load that a text names.

    Parameters
    ----------
    text : str
        Name, and an amount after a colon: rows a second of a program (``postgres:200/s``,
        ``mysql:10-50/min``), or how many of the unit (``vm:5``, ``camera:16``; 1 by default).
        ``row=``, ``commit=``, ``data=`` and ``indexes=`` narrow a program: bytes of a row, rows to
        a commit, GB of the table, and indexes that a change of a row changes beside its key (0 to
        2 where it is not told), as ``postgres:200/s,row=120,commit=1,data=20,indexes=1``. ``gb=``
        or ``mbit=`` tells what one unit of a reported load writes: GB a day, or megabits a second
        without pause; ``gb=`` also what a machine writes before its file system.

    Returns
    -------
    Load

    Raises
    ------
    ValueError
        If it is none of these.

    Examples
    --------
    >>> load("postgres:600/min,commit=1").rate.middle
    10.0
    >>> load("camera:16,mbit=4").gb.middle
    43.2
    """
    match = _LOAD.fullmatch(text.strip().lower())
    names = named_loads()
    if match is None or match[1] not in names:
        raise ValueError(
            f"load must be one of {', '.join(names)} with an amount, as postgres:200/s or vm:5 (of "
            f"others tell bytes a day), got {text[:40]!r}"
        )
    name, first, last, time, more = match.groups()
    named = names[name]
    counted = bool(named.program) and named.rate is None
    if counted and not (first and time):
        raise ValueError(f"load {name} must have {named.unit}s a second, as {name}:200/s")
    if time and not counted:
        raise ValueError(f"load {name} must have a number of {named.unit}s, as {name}:5")
    scale = _SECONDS[time] if time else 1.0
    amount = between(float(first or 1) / scale, float(last or first or 1) / scale)
    if not 0 < amount.low <= amount.high <= 1e5:
        raise ValueError(f"load {name} must be > 0 and at most 100,000, got {text[:40]!r}")
    one = between(1.0)
    found = Load(
        named, Range(*map(float.__mul__, named.rate or one, amount)), named.row or one,
        named.commit or one, named.data_gb or one, named.gb or one,
    )  # fmt: skip
    for part in filter(None, more.split(",")):
        key, _, value = part.partition("=")
        known = _KNOWN if named.program else _TOLD
        if named.program and named.rate:  # of machines, whose writes are small
            known = _KNOWN | {"gb": _TOLD["gb"]}
        if key not in known:
            raise ValueError(f"load {name} may have {'=, '.join(known)}=, got {part!r}")
        field, low, high, unit = known[key]
        if not re.fullmatch(_AMOUNT, value) or not low <= float(value) <= high:
            raise ValueError(f"{key} must be in [{low:g}, {high:g}], got {value}")
        found = found.knowing(field, unit * float(value))
        if field == "gb":
            gb = between(found.gb.low / LATER, found.gb.high * LATER)
            found = found._replace(gb=gb)
            if named.program:
                each = gb.times(1e9 / DAY_S / found.row.middle)
                rate = Range(*map(float.__mul__, each, amount))
                found = found._replace(rate=rate, row=between(found.row.middle))
    return found


def array(text: str | None, below: str = "none") -> Array:
    """Return the drives that a text names, and what each of them writes.

    Parameters
    ----------
    text : str, optional
        ``mirror:2``, ``stripe:4``, ``raid10:4``, ``raid5:4``, ``raid6:6``, ``raidz1:4`` (to 3),
        ``copies:3/10`` (three copies on ten drives), ``erasure:4+2`` or ``erasure:4+2/12``; by
        default one drive.
    below : str
        File system, of which RAID-Z pads the records.

    Returns
    -------
    Array
        For RAID 5 and 6 from whole stripes to small writes, each with its parity.

    Raises
    ------
    ValueError
        If there are too few drives, or it is none of these.

    Examples
    --------
    >>> [array(text).share.high for text in ("mirror:2", "raid10:4", "raid5:4")]
    [1.0, 0.5, 0.5]
    """
    match = _ARRAY.fullmatch(text.strip().lower()) if text else None
    if not text:
        return Array("one drive", 1, between(1.0), 1.0)
    kind, first, second, third = match.groups() if match else ("", "0", None, None)
    n, extra, total = int(first), int(second or 0), int(third or 0)
    parity = {"raid5": 1, "raid6": 2, "raidz1": 1, "raidz2": 2, "raidz3": 3}.get(kind)
    if kind in ("copies", "erasure"):
        drives = total or n + extra
        if n >= 1 and drives >= n + extra and (kind == "erasure") == (extra > 0):
            copies = n if kind == "copies" else (n + extra) / n
            return Array(text, drives, between(copies / drives), 1 / copies)
    elif n >= {"raid5": 3, "raid6": 4}.get(kind, (parity or 1) + 1) and not (extra or total):
        if kind in ("mirror", "stripe") or (kind == "raid10" and n % 2 == 0):
            copies = {"mirror": n, "stripe": 1}.get(kind, 2)
            return Array(text, n, between(copies / n), 1 / copies)
        if parity and kind.startswith("raid") and "z" not in kind:
            return Array(text, n, between(1 / (n - parity), (1 + parity) / n), 1 - parity / n)
        if parity and below.startswith("zfs"):
            sectors = (16 if below == "zfs:16k" else 128) * 1024 // _SECTOR
            used = sectors + parity * math.ceil(sectors / (n - parity))
            used = math.ceil(used / (parity + 1)) * (parity + 1)
            return Array(text, n, between(used / sectors / n), sectors / used)
    raise ValueError(
        "raid must be like mirror:2, stripe:4, raid10:4, raid5:4, raid6:6, raidz1:4 (on zfs), "
        f"copies:3/10 or erasure:4+2, got {text[:40]!r}"
    )


@functools.lru_cache(maxsize=1)
def _table() -> dict[tuple[str, str], tuple[list[list[float]], dict[tuple[float, ...], float]]]:
    found: dict[tuple[str, str], dict[tuple[float, ...], float]] = {}
    for row in rows("host_layers"):
        key = tuple(math.log(float(row[n])) for n in ("data_gb", "row_bytes", "rows_per_commit"))
        values = found.setdefault((row["program"], row["below"]), {})
        for name, value in row.items():
            if name.startswith("rate_"):
                rate = math.log(float(name.removeprefix("rate_")))
                values[*key, rate] = math.log(float(value))
    return {key: ([sorted(set(a)) for a in zip(*v, strict=True)], v) for key, v in found.items()}


@functools.lru_cache(maxsize=4096)
def bytes_per_row(
    program: str, below: str, data_gb: float, row_bytes: float, rows_per_commit: float, rate: float
) -> float:
    """Return the bytes at the drive for a row, between the points of ``data/host_layers.csv``.

    Parameters
    ----------
    program, below : str
        A program of the table, and a name of `BELOW`.
    data_gb, row_bytes, rows_per_commit, rate : float
        Size in GB, bytes of a row, rows to a commit, rows a second; > 0.

    Returns
    -------
    float
        Bytes, linear in the logarithms; beyond the last point of sizes it stays as it is.

    Examples
    --------
    >>> round(bytes_per_row("write", "ext4", 10, 4096, 1, 5))
    4100
    """
    axes, values = _table()[program, below]
    ends: list[tuple[tuple[float, float], ...]] = []
    asked = map(math.log, (data_gb, row_bytes, rows_per_commit, rate))
    for place, (axis, value) in enumerate(zip(axes, asked, strict=True)):
        if len(axis) == 1:
            ends.append(((axis[0], 1.0),))
            continue
        value = min(max(value, axis[0]), axis[-1]) if place == 0 else value
        right = min(max(bisect_right(axis, value), 1), len(axis) - 1)
        part = (value - axis[right - 1]) / (axis[right] - axis[right - 1])
        ends.append(((axis[right - 1], 1 - part), (axis[right], part)))
    total = 0.0
    for corner in itertools.product(*ends):
        key = tuple(point for point, _ in corner)
        total += math.prod(weight for _, weight in corner) * values[key]
    return math.exp(total)
