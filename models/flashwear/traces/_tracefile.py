"""Read a trace of any format line by line: bounded, counting what is left out, never guessing."""

import gzip
import io
import os
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import whole
from flashwear.workloads._streams import RECORD, TRIM, WRITE

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]
# operation, first byte, bytes, time in ticks, and the volume that is meant
Request: TypeAlias = tuple[int, int, int, int, object]

_LONGEST_LINE = 4096
_MOST_ERRORS = 20
_MOST_USELESS = 10_000_000
_LARGEST = 2**63 - 1
_GZIP = b"\x1f\x8b"


class MalformedError(Exception):
    """Why a line is no line of its format."""


class Limits(NamedTuple):
    """What all readers are told: see :func:`flashwear.traces.read_msr`."""

    page_bytes: int
    max_requests: int
    max_bytes: int
    strict: bool

    def checked(self) -> "Limits":
        """Return it back, or raise ValueError naming what is out of range."""
        return Limits(
            whole("page_bytes", self.page_bytes, 1, 2**30),
            whole("max_requests", self.max_requests, 1),
            whole("max_bytes", self.max_bytes, 1),
            self.strict,
        )


class Found:
    """What has been read so far, in arrays that grow."""

    def __init__(self) -> None:
        self.operation, self.ticks = array("B"), array("q")
        self.page, self.count = array("q"), array("q")
        self.bytes_of = [0, 0, 0]  # by operation
        self.partial_writes = self.lines = self.malformed = 0
        self.skipped: Counter[str] = Counter()
        self.errors: list[str] = []

    def add(self, request: Request, page_bytes: int) -> None:
        """Take a request on, as the pages it touches or, for a trim, covers."""
        operation, offset, size, ticks, _ = request
        end = offset + size
        self.bytes_of[operation] += size
        if operation == TRIM:
            first, last = -(-offset // page_bytes), end // page_bytes
            if first >= last:
                self.skipped["trim of no whole page"] += 1
                return
        else:
            first, last = offset // page_bytes, -(-end // page_bytes)
            if operation == WRITE and (offset % page_bytes or end % page_bytes):
                self.partial_writes += 1
        self.operation.append(operation)
        self.page.append(first)
        self.count.append(last - first)
        self.ticks.append(ticks)

    def records(self) -> NDArray[np.void]:
        """Return the requests as a read-only array."""
        records = np.empty(len(self.page), RECORD)
        for name in ("operation", "page", "count"):
            records[name] = getattr(self, name)
        records.flags.writeable = False
        return records

    def time_s(self, ticks_per_second: int | None) -> NDArray[np.float64]:
        """Return seconds since the first request, NaN if a tick has no length."""
        if ticks_per_second is None or not self.ticks:
            return np.full(len(self.ticks), np.nan)
        ticks = np.array(self.ticks)
        return np.asarray((ticks - ticks[0]) / ticks_per_second)


def collect(source: Source, parse: Callable[[bytes], Request | str], limits: Limits) -> Found:
    """Read a trace whose lines `parse` turns into a request or the kind of line it skips.

    `parse` raises MalformedError for a line that it cannot read. Only requests to the volume that
    the first one names are kept.
    """
    limits = limits.checked()
    found = Found()
    volume = None
    with _opened(source) as file:
        for line in _lines(file, limits.max_bytes):
            found.lines += 1
            if found.malformed + found.skipped["blank"] > _MOST_USELESS:
                raise ValueError(
                    f"the trace must have at most {_MOST_USELESS} blank or malformed lines, "
                    f"got more up to line {found.lines}"
                )
            try:
                if len(line) > _LONGEST_LINE:
                    raise MalformedError(f"a line must have at most {_LONGEST_LINE} bytes")
                item = "blank" if line.isspace() else parse(line)
            except MalformedError as error:
                reason = f"line {found.lines}: {error}"
                if limits.strict:
                    raise ValueError(reason) from None
                found.malformed += 1
                if len(found.errors) < _MOST_ERRORS:
                    found.errors.append(reason)
                continue
            if isinstance(item, str):
                found.skipped[item] += 1
                continue
            volume = item[4] if volume is None else volume
            if item[4] != volume:
                found.skipped["other volume"] += 1
                continue
            if len(found.page) == limits.max_requests:
                raise ValueError(
                    f"max_requests must be at least the requests of the trace, got "
                    f"{limits.max_requests}, reached in line {found.lines}"
                )
            found.add(item, limits.page_bytes)
    if not found.lines:
        raise ValueError("the trace must hold at least one line, got an empty file")
    if found.errors and not found.page and not found.skipped.keys() - {"blank", "header"}:
        raise ValueError(
            f"the trace must hold a line of its format, got {found.malformed} that are malformed, "
            f"the first in {found.errors[0]}"
        )
    return found


def natural(name: str, digits: bytes) -> int:
    """Return the number that digits stand for; MalformedError if it is not below 2**63."""
    if digits.isdigit() and len(digits) <= 19 and (value := int(digits)) <= _LARGEST:
        return value
    raise MalformedError(f"{name} must be a whole number >= 0 and < 2**63, got {shown(digits)}")


def extent(offset: int, size: int, unit: int = 1) -> tuple[int, int]:
    """Return first byte and bytes of a run of units, or raise MalformedError beyond 2**63."""
    if (offset + size) * unit > _LARGEST:
        raise MalformedError(f"the request must end below 2**63 bytes, got {offset} + {size}")
    return offset * unit, size * unit


def shown(text: bytes) -> str:
    """Return bytes of a file as short plain text."""
    return ascii(text[:40].decode("latin-1")) + ("..." if len(text) > 40 else "")


class _Whole(io.RawIOBase):
    """A binary file whose first bytes have been read and are given again."""

    def __init__(self, head: bytes, file: IO[bytes]) -> None:
        self._head, self._file = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head or self._file.read(len(buffer))
        self._head = b""
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def _opened(source: Source) -> Iterator[IO[bytes]]:
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield _unpacked(file)
    elif hasattr(source, "read"):
        yield _unpacked(source)
    else:
        raise ValueError(f"source must be a path or a binary file, got {source!r}")


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    head = file.read(1)
    if not isinstance(head, bytes):
        raise ValueError("source must be opened in binary mode, got text")
    head += file.read(1)
    whole_file = io.BufferedReader(_Whole(head, file), 1 << 16)
    if head != _GZIP:
        return whole_file
    return io.BufferedReader(gzip.GzipFile(fileobj=whole_file), 1 << 16)


def _lines(file: IO[bytes], max_bytes: int) -> Iterator[bytes]:
    """Return each line, cut after one byte more than the longest that is allowed."""
    seen = count = 0
    going_on = False  # in the rest of a line that was too long
    try:
        while piece := file.readline(_LONGEST_LINE + 1):
            seen += len(piece)
            if seen > max_bytes:
                raise ValueError(
                    f"max_bytes must be at least the size of the unpacked trace, got {max_bytes}, "
                    f"reached in line {count + 1}"
                )
            if not going_on:
                count += 1
                yield piece
            going_on = not piece.endswith(b"\n") and len(piece) > _LONGEST_LINE
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"the trace is no whole gzip file: {error}, after line {count}") from None
