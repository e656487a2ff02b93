"""Read a trace line by line within limits, counting every line that is left out."""

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
_MOST_USELESS = 1_000_000
LARGEST = 2**63 - 1
_GZIP = b"\x1f\x8b"


class MalformedError(Exception):
    """A line does not follow its format."""


class Limits(NamedTuple):
    """The options of all readers: see :func:`flashwear.traces.read_msr`."""

    page_bytes: int
    max_requests: int
    max_lines: int
    max_bytes: int
    strict: bool

    def checked(self) -> "Limits":
        """Return the options, or raise ValueError naming one that is out of range."""
        return Limits(
            whole("page_bytes", self.page_bytes, 1, 2**30),
            whole("max_requests", self.max_requests, 1),
            whole("max_lines", self.max_lines, 1),
            whole("max_bytes", self.max_bytes, 1),
            self.strict,
        )


class Found:
    """The requests read so far, in arrays that grow."""

    def __init__(self) -> None:
        self.operation, self.ticks = array("B"), array("q")
        self.offset, self.size = array("q"), array("q")
        self.lines = self.malformed = 0
        self.skipped: Counter[str] = Counter()
        self.errors: list[str] = []

    def bound_useless(self) -> None:
        """Raise ValueError if too many lines were blank or malformed."""
        if self.malformed + self.skipped["blank"] > _MOST_USELESS:
            raise ValueError(
                f"the trace must have at most {_MOST_USELESS} blank or malformed lines, "
                f"got more up to line {self.lines}"
            )

    def pages(self, page_bytes: int, ticks_per_second: int | None) -> "Pages":
        """Return the requests as the pages that they touch or, for a trim, cover entirely."""
        operation = np.array(self.operation, np.uint8)
        offset, size, ticks = (
            np.array(values, np.int64) for values in (self.offset, self.size, self.ticks)
        )
        end, trim = offset + size, operation == TRIM
        first = np.where(trim, -(-offset // page_bytes), offset // page_bytes)
        last = np.where(trim, end // page_bytes, -(-end // page_bytes))
        partial = (operation == WRITE) & ((offset % page_bytes > 0) | (end % page_bytes > 0))
        whole_pages = last > first
        records = np.empty(int(whole_pages.sum()), RECORD)
        records["operation"] = operation[whole_pages]
        records["page"] = first[whole_pages]
        records["count"] = (last - first)[whole_pages]
        records.flags.writeable = False
        time_s = np.full(records.size, np.nan)
        if ticks_per_second is not None and records.size:
            kept = ticks[whole_pages]
            time_s = (kept - kept[0]) / ticks_per_second
        bytes_of = [_total(size[operation == kind]) for kind in range(3)]
        return Pages(records, time_s, bytes_of, int(partial.sum()), int((~whole_pages).sum()))


class Pages(NamedTuple):
    """Requests as pages, and what the conversion left out."""

    records: NDArray[np.void]
    time_s: NDArray[np.float64]
    bytes_of: list[int]
    partial_writes: int
    empty_trims: int


def _total(size: NDArray[np.int64]) -> int:
    """Return a sum that may be beyond 2**63."""
    return (int((size >> 32).sum()) << 32) + int((size & 0xFFFFFFFF).sum())


def collect(
    source: Source, parse: Callable[[bytes], Request | str], limits: Limits, format_name: str
) -> Found:
    """Read a trace. `parse` returns a request for each line, or why the line is skipped.

    `parse` raises MalformedError for a line that it cannot read. Only requests to the volume that
    the first one names are kept. A trace without any line of its format is refused.
    """
    limits = limits.checked()
    found = Found()
    add_operation, add_ticks = found.operation.append, found.ticks.append
    add_offset, add_size = found.offset.append, found.size.append
    volume = None
    with _opened(source) as file:
        for found.lines, line in enumerate(_lines(file, limits.max_bytes), 1):
            if found.lines > limits.max_lines:
                raise ValueError(
                    f"max_lines must be at least the lines of the trace, got {limits.max_lines}"
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
                found.bound_useless()
                if len(found.errors) < _MOST_ERRORS:
                    found.errors.append(reason)
                continue
            if isinstance(item, str):
                found.skipped[item] += 1
                found.bound_useless()
                continue
            operation, offset, size, ticks, its_volume = item
            volume = its_volume if volume is None else volume
            if its_volume != volume:
                found.skipped["other volume"] += 1
                continue
            if len(found.operation) == limits.max_requests:
                raise ValueError(
                    f"max_requests must be at least the requests of the trace, got "
                    f"{limits.max_requests}, reached in line {found.lines}"
                )
            add_operation(operation)
            add_offset(offset)
            add_size(size)
            add_ticks(ticks)
    if not found.lines:
        raise ValueError("the trace must hold at least one line, got an empty file")
    others = {"blank", "header"} if found.errors else {"blank"}
    if not found.operation and not found.skipped.keys() - others:
        first = f", the first in {found.errors[0]}" if found.errors else ""
        raise ValueError(
            f"the trace must hold a line of {format_name}, got {found.skipped['blank']} blank and "
            f"{found.malformed} malformed lines{first}"
        )
    return found


def natural(name: str, digits: bytes) -> int:
    """Return the number that digits stand for; MalformedError unless it is below 2**63."""
    if digits.isdigit() and len(digits) <= 19 and (value := int(digits)) <= LARGEST:
        return value
    raise MalformedError(f"{name} must be a whole number >= 0 and < 2**63, got {shown(digits)}")


def extent(offset: int, size: int, unit: int = 1) -> tuple[int, int]:
    """Return the first byte and the length of a run of units; MalformedError beyond 2**63."""
    if (offset + size) * unit > LARGEST:
        raise MalformedError(f"the request must end below 2**63 bytes, got {offset} + {size}")
    return offset * unit, size * unit


def shown(text: bytes) -> str:
    """Return bytes of a file as short printable text."""
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
            going_on = len(piece) > _LONGEST_LINE and not piece.endswith(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"the trace is no whole gzip file: {error}, after line {count}") from None
