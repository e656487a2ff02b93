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

from flashwear import _memory
from flashwear._domain import whole
from flashwear.workloads._streams import RECORD, TRIM, WRITE

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]
# operation, first byte, bytes, time in ticks, and the volume that is meant
Request: TypeAlias = tuple[int, int, int, int, object]

_LONGEST_LINE = 4096
_BLOCK, _SMALL = 2**20, 2**13
_PIECE = 2**20  # requests
_REQUEST = RECORD.itemsize + 8  # bytes of one that is kept, with its time
_MOST_ERRORS = 20
_MOST_USELESS = 1_000_000
LARGEST = 2**63 - 1
_GZIP = b"\x1f\x8b"


class MalformedError(Exception):
    """Raised for a line that does not follow its format."""


class Limits(NamedTuple):
    """Options that all readers of traces have; :func:`flashwear.traces.read_msr` explains them."""

    page_bytes: int
    max_requests: int
    max_lines: int
    max_bytes: int
    strict: bool

    def checked(self) -> "Limits":
        """Return these options, or raise ValueError that names one out of range."""
        return Limits(
            whole("page_bytes", self.page_bytes, 1, 2**30),
            whole("max_requests", self.max_requests, 1),
            whole("max_lines", self.max_lines, 1),
            whole("max_bytes", self.max_bytes, 1),
            self.strict,
        )


class Requests:
    """The requests read so far: most packed as pages, the last still as in their lines."""

    def __init__(self, page_bytes: int) -> None:
        self._page_bytes = page_bytes
        self.operation, self.ticks = array("B"), array("q")
        self.offset, self.size = array("q"), array("q")
        self.fields = self.operation, self.offset, self.size, self.ticks
        self._records, self._times = bytearray(), array("q")  # they grow in place
        self._packed = 0
        self.bytes_of = [0, 0, 0]
        self.partial_writes = self.empty_trims = 0
        self.lines = self.malformed = 0
        self.skipped: Counter[str] = Counter()
        self.errors: list[str] = []

    @property
    def requests(self) -> int:
        """How many requests were read."""
        return self._packed + len(self.operation)

    def bound_useless(self) -> None:
        """Raise ValueError if too many lines are blank or malformed."""
        if self.malformed + self.skipped["blank"] > _MOST_USELESS:
            raise ValueError(
                f"the trace must have at most {_MOST_USELESS} blank or malformed lines, "
                f"got more up to line {self.lines}"
            )

    def pack_many(self) -> None:
        """Pack recent requests if they are many; MemoryError if twice as many would not fit."""
        if len(self.operation) >= _PIECE:
            self._pack()
            _memory.check(f"a trace of {self._packed:,} requests or more", _REQUEST * self._packed)

    def _pack(self) -> None:
        """Turn requests into the pages that they touch or, for a trim, cover entirely."""
        page_bytes = self._page_bytes
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
        self._records += records.tobytes()
        self._times.frombytes(ticks[whole_pages].tobytes())
        self._packed += operation.size
        self.partial_writes += int(partial.sum())
        self.empty_trims += int((~whole_pages).sum())
        for kind in range(3):
            self.bytes_of[kind] += _total(size[operation == kind])
        for values in self.fields:
            del values[:]

    def pages(self, ticks_per_second: int | None) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        """Return all requests as pages, and their times in seconds, in the memory that is here."""
        self._pack()
        records = np.frombuffer(self._records, RECORD) if self._records else np.empty(0, RECORD)
        records.flags.writeable = False
        times = np.array([], np.int64) if not self._times else np.frombuffer(self._times, np.int64)
        time_s = times.view(np.float64)  # in the same place
        if ticks_per_second is None:
            time_s[:] = np.nan
        else:
            start = times[:1].copy()
            for part in pieces(times.size):
                time_s[part] = (times[part] - start) / ticks_per_second
        return records, time_s


def pieces(size: int) -> Iterator[slice]:
    """Yield the slices in which an array of `size` elements is processed piece by piece."""
    return (slice(start, start + _PIECE) for start in range(0, size, _PIECE))


def _total(size: NDArray[np.int64]) -> int:
    """Return a sum that may be beyond 2**63."""
    return (int((size >> 32).sum()) << 32) + int((size & 0xFFFFFFFF).sum())


class Rows(NamedTuple):
    """The fields of a block of well-formed lines, with offset and size in bytes."""

    operation: NDArray[np.uint8]
    offset: NDArray[np.int64]
    size: NDArray[np.int64]
    ticks: NDArray[np.int64]
    which: NDArray[np.int64]
    """Index in `volumes` of each request's volume."""
    volumes: list[object]
    skipped: dict[str, int]


Parse: TypeAlias = Callable[[bytes], Request | str]
Bulk: TypeAlias = Callable[[bytes], Rows | None]


class _Reader:
    """Blocks of lines: all at once where `bulk` knows them, else halves of them, else lines."""

    def __init__(self, parse: Parse, bulk: Bulk | None, limits: Limits) -> None:
        self.parse, self.bulk, self.limits = parse, bulk, limits
        self.found = Requests(limits.page_bytes)
        self.volume: object = None
        self.seen = 0
        self.going_on = False  # in the rest of a line that was too long

    def take(self, block: bytes) -> None:
        """Read a block, which begins and ends with whole lines, or is a part of a long one."""
        if self.bulk is not None and len(block) > _SMALL:
            if not self.going_on and self._take_at_once(block):
                return
            if middle := block.rfind(b"\n", 0, len(block) // 2) + 1:
                self.take(block[:middle])
                self.take(block[middle:])
                return
        lines = io.BytesIO(block)
        while piece := lines.readline(_LONGEST_LINE + 1):
            self.seen += len(piece)
            if self.seen > self.limits.max_bytes:
                raise ValueError(
                    f"max_bytes must be at least the size of the unpacked trace, got "
                    f"{self.limits.max_bytes}, reached in line {self.found.lines + 1}"
                )
            if not self.going_on:
                self._line(piece)
            long = self.going_on or len(piece) > _LONGEST_LINE
            self.going_on = long and not piece.endswith(b"\n")

    def _take_at_once(self, block: bytes) -> bool:
        """Read a block if all of its lines are well formed and within the limits."""
        found, limits = self.found, self.limits
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
        if (
            self.seen + len(block) > limits.max_bytes
            or found.lines + ends.size > limits.max_lines
            or found.requests + ends.size > limits.max_requests
            or not block.endswith(b"\n")
            or np.diff(ends, prepend=-1).max() > _LONGEST_LINE
        ):
            return False
        rows = self.bulk(block)  # type: ignore[misc]
        if rows is None:
            return False
        self.seen += len(block)
        found.lines += ends.size
        found.skipped.update(rows.skipped)
        if not rows.operation.size:
            return True
        if self.volume is None:
            self.volume = rows.volumes[rows.which[0]]
        place = rows.volumes.index(self.volume) if self.volume in rows.volumes else -1
        kept = rows.which == place
        others = int((~kept).sum())
        if others:
            found.skipped["other volume"] += others
        for values, given in zip(found.fields, rows[:4], strict=True):
            values.frombytes((given[kept] if others else given).tobytes())
        found.pack_many()
        return True

    def _line(self, line: bytes) -> None:
        found, limits = self.found, self.limits
        found.lines += 1
        if found.lines > limits.max_lines:
            raise ValueError(
                f"max_lines must be at least the lines of the trace, got {limits.max_lines}"
            )
        try:
            if len(line) > _LONGEST_LINE:
                raise MalformedError(f"a line must have at most {_LONGEST_LINE} bytes")
            item = "blank" if line.isspace() else self.parse(line)
        except MalformedError as error:
            reason = f"line {found.lines}: {error}"
            if limits.strict:
                raise ValueError(reason) from None
            found.malformed += 1
            found.bound_useless()
            if len(found.errors) < _MOST_ERRORS:
                found.errors.append(reason)
            return
        if isinstance(item, str):
            found.skipped[item] += 1
            found.bound_useless()
            return
        operation, offset, size, ticks, volume = item
        self.volume = volume if self.volume is None else self.volume
        if volume != self.volume:
            found.skipped["other volume"] += 1
            return
        if found.requests == limits.max_requests:
            raise ValueError(
                f"max_requests must be at least the requests of the trace, got "
                f"{limits.max_requests}, reached in line {found.lines}"
            )
        found.operation.append(operation)
        found.offset.append(offset)
        found.size.append(size)
        found.ticks.append(ticks)
        found.pack_many()


def collect(
    source: Source, parse: Parse, limits: Limits, format_name: str, bulk: Bulk | None = None
) -> Requests:
    """Read a trace; `parse` returns the request of a line, or why the line is skipped.

    `parse` raises MalformedError for a line that it cannot read. `bulk` does the same for a block
    of lines, or returns None unless all are well formed. `limits` has the reader's options. Only
    requests to the volume that the first one names are kept. A trace without any line of its format
    is refused.
    """
    reader = _Reader(parse, bulk, limits.checked())
    found = reader.found
    rest = b""
    with _opened(source) as file:
        try:
            while read := file.read(_BLOCK):
                rest += read
                if cut := rest.rfind(b"\n") + 1:
                    reader.take(rest[:cut])
                    rest = rest[cut:]
                elif len(rest) > _BLOCK:  # a line without end
                    reader.take(rest)
                    rest = b""
            if rest:
                reader.take(rest)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(
                f"the trace is no whole gzip file: {error}, after line {found.lines}"
            ) from None
    if not found.lines:
        raise ValueError("the trace must hold at least one line, got an empty file")
    others = {"blank", "header"} if found.errors else {"blank"}
    if not found.requests and not found.skipped.keys() - others:
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
    """Return first byte and length in bytes of a run of units; MalformedError beyond 2**63."""
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
