"""Parsers for the lines of formats; each returns a request or why the line is skipped."""

import re
from collections.abc import Callable, Mapping

from flashwear.traces import _bulk
from flashwear.traces._tracefile import (
    LARGEST,
    Bulk,
    MalformedError,
    Request,
    Rows,
    extent,
    natural,
    shown,
)
from flashwear.workloads._streams import READ, TRIM, WRITE

_MSR_HEADER = b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"
_MSR_TYPES = {b"Read": READ, b"Write": WRITE}


def msr(line: bytes) -> Request | str:
    """Parse a line of the MSR Cambridge traces."""
    parts = line.rstrip().split(b",")
    if len(parts) != 7:
        raise MalformedError(f"expected 7 fields, got {len(parts)}")
    ticks, host, disk, kind, offset, size, response = parts
    numbers = ticks.isdigit() and offset.isdigit() and size.isdigit()
    if numbers and kind in _MSR_TYPES and disk.isdigit() and response.isdigit():
        now, first, length = int(ticks), int(offset), int(size)
        if length and first + length <= LARGEST and now <= LARGEST:  # nearly all lines
            return _MSR_TYPES[kind], first, length, now, (host, disk)
    if kind == b"Type" and line.rstrip() == _MSR_HEADER:
        return "header"
    if kind not in _MSR_TYPES:
        raise MalformedError(f'Type must be "Read" or "Write", got {shown(kind)}')
    natural("DiskNumber", disk)
    natural("ResponseTime", response)
    run = extent(natural("Offset", offset), natural("Size", size))
    now = natural("Timestamp", ticks)
    return (_MSR_TYPES[kind], *run, now, (host, disk)) if run[1] else "no data"


_DEVICE = re.compile(rb"[0-9]{1,10},[0-9]{1,10}")
_ACTION = re.compile(rb"[A-Za-z]{1,2}")
_TIME = re.compile(rb"([0-9]+)\.([0-9]{9})")
_SUMMARY = re.compile(rb"CPU[0-9]+ \(|Total \(")
_ALIBABA_HEADER = b"device_id,opcode,offset,length,timestamp"
_OPERATIONS = {b"R": READ, b"W": WRITE, b"D": TRIM}


def blkparse(wanted: bytes) -> Callable[[bytes], Request | str]:
    """Return a parser of blkparse's text that takes requests whose action is `wanted`."""
    in_summary = False

    def parse(line: bytes) -> Request | str:
        nonlocal in_summary
        parts = line.split()
        if not _DEVICE.fullmatch(parts[0]):
            in_summary = in_summary or bool(_SUMMARY.match(line))
            if in_summary:
                return "summary"
            raise MalformedError(f"expected a device such as 8,0, got {shown(parts[0])}")
        if len(parts) < 7:
            raise MalformedError(f"expected at least 7 fields, got {len(parts)}")
        device, _, _, time, _, action, flags = parts[:7]
        if action != wanted:
            if _ACTION.fullmatch(action):
                return f"action {action.decode()}"
            raise MalformedError(f"expected an action of one or two letters, got {shown(action)}")
        kind = (flags[1:] if flags[:1] == b"F" else flags)[:1]
        if kind in (b"", b"N") or (kind in _OPERATIONS and parts[7:8] and parts[7][:1] == b"["):
            return "no data"
        if kind not in _OPERATIONS:
            raise MalformedError(f"flags must tell R, W, D or N, got {shown(flags)}")
        if len(parts) < 10 or parts[8] != b"+":
            raise MalformedError(f"expected sector + sectors, got {shown(b' '.join(parts[7:10]))}")
        ticks = _TIME.fullmatch(time)
        if not ticks:
            raise MalformedError(f"time must be seconds with nine decimals, got {shown(time)}")
        sectors = natural("sector", parts[7]), natural("sectors", parts[9])
        run = extent(*sectors, unit=512)
        now = natural("time in ns", ticks[1] + ticks[2])
        return (_OPERATIONS[kind], *run, now, device) if run[1] else "no data"

    return parse


WORDS = {b"read": READ, b"r": READ, b"write": WRITE, b"w": WRITE, b"trim": TRIM, b"t": TRIM,
         b"discard": TRIM, b"d": TRIM}  # fmt: skip
_NUMBER = re.compile(rb"-?[0-9]{1,19}(?:\.[0-9]{1,9})?")
_NS = 1_000_000_000


class Columns:
    """Parser of lines with a request each, whose fields stand in named columns, from 0."""

    def __init__(
        self, places: Mapping[str, int], words: Mapping[bytes, int], units: tuple[int, int]
    ) -> None:
        self.places, self.words, self.units = places, words, units
        self.requests = False
        self.first: float | None = None

    def __call__(self, line: bytes) -> Request | str:
        """Parse a line, whose fields are apart by commas or else by blanks."""
        parts = [part.strip() for part in line.split(b"," if b"," in line else None)]
        if len(parts) <= max(self.places.values()):
            raise MalformedError(
                f"expected {max(self.places.values()) + 1} columns or more, got {len(parts)}"
            )
        found = {name: parts[at] for name, at in self.places.items()}
        if not self.requests and not found["size"].isdigit() and found["op"] not in self.words:
            return "header"
        kind = self.words.get(found["op"].lower())
        if kind is None:
            known = ", ".join(word.decode() for word in self.words)
            raise MalformedError(f"op must be one of {known}, got {shown(found['op'])}")
        ticks = self._ticks(found["time"]) if "time" in found else 0
        offset, size = (
            natural(name, found[name]) * unit
            for name, unit in zip(("offset", "size"), self.units, strict=True)
        )
        run = extent(offset, size)
        self.requests = True
        return (kind, *run, ticks, found.get("volume", b"")) if size else "no data"

    def _ticks(self, time: bytes) -> int:
        if not _NUMBER.fullmatch(time):
            raise MalformedError(f"time must be a number, got {shown(time)}")
        self.first = float(time) if self.first is None else self.first
        ticks = round((float(time) - self.first) * _NS)
        if abs(ticks) > LARGEST:
            raise MalformedError(f"time must be within 292 years, got {shown(time)}")
        return ticks


_FIO_HEADERS = {b"fio version 2 iolog": False, b"fio version 3 iolog": True}
_FIO_REQUESTS = {b"read": READ, b"write": WRITE, b"trim": TRIM}
_FIO_OTHERS = (b"add", b"open", b"close", b"wait", b"sync", b"datasync", b"sync_file_range")


def alibaba(line: bytes) -> Request | str:
    """Parse a line of the traces of Alibaba's block storage."""
    parts = line.rstrip().split(b",")
    if len(parts) != 5:
        raise MalformedError(f"expected 5 fields, got {len(parts)}")
    device, kind, offset, size, ticks = parts
    if line.rstrip() == _ALIBABA_HEADER:
        return "header"
    natural("device_id", device)
    if kind not in _OPERATIONS or kind == b"D":
        raise MalformedError(f'opcode must be "R" or "W", got {shown(kind)}')
    run = extent(natural("offset", offset), natural("length", size))
    now = natural("timestamp", ticks)
    return (_OPERATIONS[kind], *run, now, device) if run[1] else "no data"


class Fio:
    """Parser of an I/O log of fio; the first line tells whether it is `timed`."""

    def __init__(self) -> None:
        self.timed: bool | None = None  # until the header was read
        self._bulk: Bulk | None = None

    def bulk(self, block: bytes) -> Rows | None:
        """Read a block of lines at once, if the header has been read."""
        return None if self._bulk is None else self._bulk(block)

    def __call__(self, line: bytes) -> Request | str:
        parts = line.split()
        if self.timed is None:
            header = b" ".join(parts)
            if header not in _FIO_HEADERS:
                raise ValueError(
                    f'the trace must begin with "fio version 2 iolog" or 3, got {shown(header)}'
                )
            self.timed = _FIO_HEADERS[header]
            self._bulk = _bulk.fio(self.timed)
            return "header"
        ticks = natural("time", parts.pop(0)) if self.timed else 0
        if len(parts) < 2:
            raise MalformedError("expected a file and an action")
        name, action = parts[:2]
        if action in _FIO_OTHERS:
            return action.decode()
        if action not in _FIO_REQUESTS:
            raise MalformedError(f"expected an action that fio knows, got {shown(action)}")
        if len(parts) != 4:
            raise MalformedError(f"expected offset and length after {shown(action)}")
        run = extent(natural("offset", parts[2]), natural("length", parts[3]))
        return (_FIO_REQUESTS[action], *run, ticks, name) if run[1] else "no data"
