"""The contents of a report before any rule interprets them."""

import hashlib
import operator
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Unreadable(ValueError):  # noqa: N818
    """Raised for a text that is no report, or that cannot be read."""


class Attribute(NamedTuple):
    """One row of the SMART attribute table.

    ``name`` is the name as printed, which depends on the version of smartctl. ``value`` and
    ``worst`` are the values that the firmware normalises to 0 to 255, None where not printed.
    ``text`` is the raw value as printed and ``raw`` that value as a number: hours where it is a
    time, None where it is several numbers. ``threshold`` is the value at which the attribute fails;
    ``failed`` is "now" or "past" if it has failed; ``prefailure`` is true if failing means that the
    drive is about to fail, not its age.
    """

    name: str
    value: int | None
    worst: int | None
    raw: int | None
    text: str
    threshold: int | None = None
    failed: str = ""
    prefailure: bool = False


@dataclass(slots=True)
class Found:
    """Contents of a report by names that are the same for all layouts; None if it is not there."""

    kind: str
    log: str = "report"  # or the log of nvme-cli that it is
    model: str | None = None
    firmware: str | None = None
    vendor: str | None = None  # of a SCSI device
    smartctl: str | None = None
    year: int | None = None
    time_s: int | None = None  # since 1970, of the zone of the report where that is not known
    identity: str | None = None
    capacity_bytes: int | None = None
    utilization_bytes: int | None = None
    sector_bytes: int = 512
    device: str | None = None  # the name that a prompt or nvme-cli gives it
    head: bool = False  # begins with the line that a run of smartctl begins with
    passed: bool | None = None
    said: str | None = None  # by a drive whose verdict is a sentence
    told_left: int | None = None  # percent of its life, by another program
    exit_status: int = 0
    temperature_c: int | None = None
    self_test_failed: bool = False  # and no whole one passed since
    logged_errors: int = 0
    last_error_hours: int | None = None  # under power, at the last of these errors
    unreadable_data: bool = False  # in the log of errors
    rotating: bool | None = None  # None where the report does not say
    attributes: dict[int, Attribute] = field(default_factory=dict)
    statistics: dict[str, int] = field(default_factory=dict)
    health: dict[str, int] = field(default_factory=dict)
    scsi: dict[str, int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    unsure: str | None = None  # the counter of which digits may be missing

    def join(self, other: "Found") -> None:
        """Add the counters of another log of the same drive, and keep the worse of two values."""
        for name, count in other.health.items():
            mine = self.health.get(name, count)
            if name == "percentage_used" and abs(mine - count) > 5:
                self.flags.add("scopes_differ")
            self.health[name] = _WORSE.get(name, _first)(mine, count)
        self.flags |= other.flags

    def extend(self, other: "Found") -> None:
        """Add a further part of the same report."""
        if other.counts():
            self.kind = other.kind
        for name in ("attributes", "statistics", "health", "scsi", "flags"):
            getattr(self, name).update(getattr(other, name))
        for name in (
            "passed", "said", "smartctl", "temperature_c", "time_s", "year", "unsure", "identity",
            "firmware", "capacity_bytes", "rotating", "last_error_hours",
        ):  # fmt: skip
            if getattr(self, name) is None:
                setattr(self, name, getattr(other, name))
        for name in ("self_test_failed", "unreadable_data", "logged_errors", "exit_status"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))
        if other.head:
            self.flags.add("joined")

    def counts(self) -> bool:
        """Return whether the report has any counter."""
        return bool(self.attributes or self.statistics or self.health or self.scsi)

    def tells_something(self) -> bool:
        """Return whether the report has a model name, a counter or a verdict of the drive."""
        return bool(self.model or self.counts() or self.passed is not None)

    def add(self, number: int, row: Attribute) -> None:
        """Add an attribute by its number; if there is one already, keep that, and flag a change."""
        if self.attributes.setdefault(number, row) != row:
            self.flags.add("duplicate_ids")

    def count(self, place: Any, value: int) -> None:
        """Add an ATA statistic by `place`, its log page and offset; sectors become 512 bytes."""
        name = STATISTICS.get(place)
        if name is not None:
            sectors = self.sector_bytes // 512 if name.startswith("sectors") else 1
            self.statistics.setdefault(name, value * sectors)


def _first(one: int, _: int) -> int:
    return one


_WORSE: dict[str, Callable[[int, int], int]] = {
    "critical_warning": operator.or_, "available_spare": min, "available_spare_threshold": max,
    "percentage_used": max, "media_errors": max,
}  # fmt: skip
_OF_RUN = secrets.token_bytes(16)
_KEYED: ContextVar[tuple[bytes, dict[str, str] | None]] = ContextVar(
    "keyed", default=(_OF_RUN, None)
)
_SERIAL = re.compile(r"(?=.*\d)[\w -]{4,80}", re.ASCII)


@contextmanager
def keyed(key: bytes | None) -> Iterator[dict[str, str]]:
    """Read reports with this key of :func:`identity`, and yield the serial number of each key."""
    serials: dict[str, str] = {}
    before = _KEYED.set((key or _OF_RUN, serials))
    try:
        yield serials
    finally:
        _KEYED.reset(before)


def current_key() -> bytes:
    """Return the key of :func:`identity`, which processes that share their work share."""
    return _KEYED.get()[0]


def identity(serial: object) -> str | None:
    """Return a key that distinguishes drives but hides the serial number.

    It is the same in another process only if that reads by the same key (:func:`keyed`). None if
    the text is no serial number but says that it is missing or was removed.
    """
    serial = serial.strip() if isinstance(serial, str) else ""
    if not _SERIAL.fullmatch(serial) or len(set(serial)) < 3:
        return None
    key, serials = _KEYED.get()
    found = hashlib.blake2b(serial.encode(), key=key, digest_size=16).hexdigest()
    if serials is not None:
        serials[found] = serial
    return found


# (page, offset) of ATA device statistics
STATISTICS = {
    (1, 0x008): "power_on_resets", (1, 0x010): "power_on_hours", (1, 0x018): "sectors_written",
    (1, 0x020): "write_commands", (1, 0x028): "sectors_read", (1, 0x030): "read_commands",
    (3, 0x020): "reallocated_sectors", (4, 0x008): "uncorrectable_errors",
    (5, 0x008): "temperature_c",
    (5, 0x050): "over_temperature_minutes", (5, 0x058): "maximum_temperature_c",
    (6, 0x018): "interface_errors", (7, 0x008): "percentage_used",
}  # fmt: skip

_RAW = re.compile(
    r"(?:(\d{1,20})(?:h(?:\+\d{1,2}m[\w.+]*)?)?|0x([0-9a-fA-F]{1,16}))(?: +[^\d\s].*)?", re.ASCII
)
_GROUPED = re.compile(
    "[0-9]{1,3}(?:([.,'\u2019 \u00a0\u2009\u202f])(?:[0-9]{2,3}\\1){0,11}[0-9]{3})?|[0-9]{1,39}"
    "|[0-9]{1,3}(?:[?\ufffd][0-9]{3}){1,12}"  # a sign of another alphabet, lost
)

_DECIMAL = re.compile(r"(\d{1,20})(?:\.(\d{1,9}))?", re.ASCII)

LARGEST_NUMBER = 2**127 - 1
"""The largest number that a report is believed; counters have up to 128 bits."""

HEALTH = {
    "Critical Warning": "critical_warning",
    "Available Spare": "available_spare",
    "Available Spare Threshold": "available_spare_threshold",
    "Percentage Used": "percentage_used",
    "Data Units Read": "data_units_read",
    "Data Units Written": "data_units_written",
    "Host Read Commands": "host_reads",
    "Host Write Commands": "host_writes",
    "Controller Busy Time": "controller_busy_time",
    "Power Cycles": "power_cycles",
    "Power On Hours": "power_on_hours",
    "Unsafe Shutdowns": "unsafe_shutdowns",
    "Media and Data Integrity Errors": "media_errors",
    "Error Information Log Entries": "num_err_log_entries",
    "Warning Comp. Temperature Time": "warning_temp_time",
    "Critical Comp. Temperature Time": "critical_comp_time",
}
"""The counters of the NVMe health log: as smartctl prints them, and as its JSON names them."""


def raw_number(text: str) -> int | None:
    """Return the raw value of an attribute as a number, or None if it is not one.

    "28 (Min/Max 15/38)" is 28, "45374h+27m+52.630s" is 45374 (hours), "0x2a" is 42; "0/7" and
    "0 1 0" are several numbers.
    """
    if text.isdecimal() and text.isascii() and len(text) <= 20:
        return int(text)
    match = _RAW.fullmatch(text)
    if match is None:
        return None
    return int(match[1]) if match[1] else int(match[2], 16)


def grouped(text: str) -> int | None:
    """Return an integer from text with the digit grouping of any country.

    >>> grouped("1.000.204.886.016"), grouped("1 317"), grouped("12,5"), grouped("12 45")
    (1000204886016, 1317, None, None)
    """
    match = _GROUPED.fullmatch(text)
    if match is None:
        return None
    return int("".join(filter(str.isdecimal, text)))


def decimal_bytes(text: str) -> int | None:
    """Return bytes from a decimal number of gigabytes, as in SCSI logs.

    >>> decimal_bytes("57123.456"), decimal_bytes("1e9")
    (57123456000000, None)
    """
    match = _DECIMAL.fullmatch(text.strip().replace(",", "."))
    return int(match[1]) * 10**9 + int((match[2] or "0").ljust(9, "0")) if match else None


def label(text: str, longest: int = 80) -> str | None:
    """Return a reported name without characters that are not safe to print, cut to `longest`."""
    return "".join(filter(str.isprintable, text[:longest])).strip() or None


_DEVICE = re.compile(r"/dev/\S+|\b(?:ata|nvme|wwn|scsi|usb)-\S+|\bnvme-eui\.\S+")


def without_device(text: str) -> str:
    """Remove the device name from a message, as it may contain a serial number."""
    return label(_DEVICE.sub("DEVICE", text[:1000]), 200) or ""
