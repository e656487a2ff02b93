"""Read traces of real block devices, to be replayed on a modelled drive.

Four formats are read: the CSV files of the MSR Cambridge traces and of Alibaba's block storage, the
default text of blkparse, and the I/O logs of fio. Requests in any other form can be given as a
table. A file may be packed with gzip, whatever its name. Each line is a request, or is skipped, or
malformed; skipped lines are counted by reason, and the first malformed lines are kept. ::

    trace = traces.read_msr("volume.csv.gz").compact()
    workload = workloads.Replay(trace.records)
    stream = workload.stream(trace.user_pages, seed=0)

Byte addresses are converted to pages. A read or write counts for every page that it touches, a trim
only for pages that it covers entirely. A trace has one volume, that of its first request; requests
to others are skipped as "other volume".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flashwear.traces import _bulk
from flashwear.traces._formats import Fio, alibaba, blkparse, msr
from flashwear.traces._frame import NANOSECONDS, found_in
from flashwear.traces._runs import touched
from flashwear.traces._summary import Summary, summary
from flashwear.traces._tracefile import Limits, Requests, Source, collect, pieces
from flashwear.workloads._streams import READ, TRIM, WRITE

__all__ = [
    "Summary",
    "Trace",
    "from_frame",
    "read_alibaba",
    "read_blkparse",
    "read_fio",
    "read_msr",
    "summary",
]

if TYPE_CHECKING:
    import pandas as pd

_MOST_REQUESTS = _MOST_LINES = 100_000_000
_MOST_BYTES = 2**36


@dataclass(frozen=True, eq=False)
class Trace:
    r"""The requests of a trace, and counts of the lines that are no request.

    Attributes
    ----------
    records : ndarray
        One record of ``flashwear.workloads.RECORD`` for each request: operation, first page,
        pages in a row. Read-only.
    time_s : ndarray
        Time of each request in seconds from the first one; NaN if the format has no time.
    page_bytes : int
        Bytes per page.
    bytes_written, bytes_read, bytes_trimmed : int
        Bytes as the trace states them, before they were mapped to pages.
    partial_writes : int
        Writes that do not begin and end at the border of a page.
    lines : int
        Lines of the file.
    skipped : dict of str to int
        Number of lines that are well formed but no request of this volume, by reason.
    malformed : int
        Number of lines that could not be read.
    errors : tuple of str
        The first 20 malformed lines as "line N: reason".

    Examples
    --------
    >>> import io
    >>> trace = read_fio(io.BytesIO(b"fio version 2 iolog\nsda write 8192 4096\nsda sync 0 0\n"))
    >>> print(trace.report())
    1 request in 3 lines: 1 write of 4096 bytes, 0 trims of 0 bytes, 0 reads of 0 bytes.
    Writes that do not fill whole pages of 4096 bytes: 0. Skipped: 1 header, 1 sync. Malformed: 0.
    """

    records: NDArray[np.void]
    time_s: NDArray[np.float64]
    page_bytes: int
    bytes_written: int
    bytes_read: int
    bytes_trimmed: int
    partial_writes: int
    lines: int
    skipped: Mapping[str, int]
    malformed: int
    errors: tuple[str, ...]

    @property
    def user_pages(self) -> int:
        """The highest page number plus one, so many pages as a drive for this trace needs."""
        return int((self.records["page"] + self.records["count"]).max(initial=0))

    def compact(self, *, copy: bool = True) -> Trace:
        r"""Return this trace with the pages it touches renumbered 0, 1, ... in address order.

        A trace touches little of a large volume. Consecutive pages stay consecutive; pages on both
        sides of a gap become neighbours.

        Parameters
        ----------
        copy : bool
            Whether to leave this trace unchanged. Otherwise its own records are renumbered, which
            needs no memory for a copy.

        Returns
        -------
        Trace
            Trace whose `user_pages` is the number of pages touched.

        Examples
        --------
        >>> import io
        >>> log = b"fio version 2 iolog\nsda write 409600 8192\nsda write 40960 4096\n"
        >>> trace = read_fio(io.BytesIO(log))
        >>> trace.user_pages, trace.compact().user_pages
        (102, 3)
        >>> trace.records["page"], trace.compact().records["page"]
        (array([100, 10]), array([1, 0]))
        """
        if not self.records.size:
            return self
        starts, ends = touched(self.records)
        first = np.cumsum(ends - starts) - (ends - starts)
        records = self.records.copy() if copy else self.records
        records.flags.writeable = True
        page = records["page"]
        for part in pieces(page.size):
            run = np.searchsorted(starts, page[part], side="right") - 1
            page[part] += (first - starts)[run]
        records.flags.writeable = False
        return replace(self, records=records)

    def report(self) -> str:
        """Return a paragraph of text on what was read, skipped and not understood."""
        requests = np.bincount(self.records["operation"], minlength=3).tolist()
        sizes = self.bytes_written, self.bytes_trimmed, self.bytes_read
        parts = ", ".join(
            f"{_counted(count, name)} of {size} bytes"
            for count, name, size in zip(requests, ("write", "trim", "read"), sizes, strict=True)
        )
        skipped = ", ".join(f"{count} {kind}" for kind, count in sorted(self.skipped.items()))
        first = f", the first in {self.errors[0]}" if self.errors else ""
        return (
            f"{_counted(self.records.size, 'request')} in {_counted(self.lines, 'line')}: {parts}. "
            f"Writes that do not fill whole pages of {self.page_bytes} bytes: "
            f"{self.partial_writes}. Skipped: {skipped or 0}. Malformed: {self.malformed}{first}."
        )


def read_msr(
    source: Source,
    *,
    page_bytes: int = 4096,
    max_requests: int = _MOST_REQUESTS,
    max_lines: int = _MOST_LINES,
    max_bytes: int = _MOST_BYTES,
    strict: bool = False,
) -> Trace:
    r"""Read a trace in the CSV format of the MSR Cambridge traces.

    ``Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime``, with times in 100 ns, Offset
    and Size in bytes and Type "Read" or "Write"; a line with these names is a header. Only the
    volume (here a host and a disk) of the first request is read.

    Parameters
    ----------
    source : path or binary file
        File, plain or packed with gzip. An open file is read from where it stands and is not
        closed.
    page_bytes : int
        Bytes per page, >= 1 and <= 2**30.
    max_requests : int
        Largest number of requests, >= 1; each takes 25 bytes of memory.
    max_lines, max_bytes : int
        Largest number of lines and of unpacked bytes to read, >= 1.
    strict : bool
        Whether to raise an error at the first malformed line.

    Raises
    ------
    ValueError
        Outside these ranges; for a file that is empty, goes beyond `max_requests`, `max_lines` or
        `max_bytes`, has more than a million blank or malformed lines, no line of this format, or is
        a broken gzip file; for a malformed line if `strict`.

    Examples
    --------
    >>> import io
    >>> trace = read_msr(io.BytesIO(b"128166372003061629,hm,1,Write,8192,12288,413\n"))
    >>> trace.records["page"], trace.records["count"]
    (array([2]), array([3]))
    """
    limits = Limits(page_bytes, max_requests, max_lines, max_bytes, strict)
    found = collect(source, msr, limits, "the MSR Cambridge CSV format", _bulk.msr())
    return _trace(found, limits, 10_000_000)


def read_blkparse(
    source: Source,
    *,
    action: str = "Q",
    page_bytes: int = 4096,
    max_requests: int = _MOST_REQUESTS,
    max_lines: int = _MOST_LINES,
    max_bytes: int = _MOST_BYTES,
    strict: bool = False,
) -> Trace:
    r"""Read a trace in the default text format of blkparse.

    ``major,minor cpu sequence seconds pid action rwbs sector + sectors [process]``, with sectors of
    512 bytes. The letter after a leading F of rwbs tells the operation: R, W, or D for a discard;
    without it (a bare flush) there are no data. Events of other actions are skipped, and so is the
    summary at the end. Only the volume (here a device) of the first request is read.

    Parameters
    ----------
    source : path or binary file
        File, plain or packed with gzip.
    action : {"Q", "G", "I", "D", "C"}
        The event at which a request counts: queued (Q), structure allocated (G), inserted (I),
        issued to the driver (D) or completed (C).
    page_bytes, max_requests, max_lines, max_bytes, strict
        Bytes per page, limits of what is read, and whether a malformed line is an error, as for
        :func:`read_msr`.

    Raises
    ------
    ValueError
        If a limit is exceeded, the file is not of this format (:func:`read_msr`), or for another
        action.

    Examples
    --------
    >>> import io
    >>> line = b"  8,0    3       11     0.009507758   697  Q  WS 64 + 16 [dd]\n"
    >>> trace = read_blkparse(io.BytesIO(line))
    >>> trace.records["page"], trace.records["count"]
    (array([8]), array([2]))
    """
    if action not in ("Q", "G", "I", "D", "C"):
        raise ValueError(f'action must be "Q", "G", "I", "D" or "C", got {action!r}')
    limits = Limits(page_bytes, max_requests, max_lines, max_bytes, strict)
    wanted = action.encode()
    found = collect(source, blkparse(wanted), limits, "the text of blkparse")
    return _trace(found, limits, 1_000_000_000)


def read_alibaba(
    source: Source,
    *,
    page_bytes: int = 4096,
    max_requests: int = _MOST_REQUESTS,
    max_lines: int = _MOST_LINES,
    max_bytes: int = _MOST_BYTES,
    strict: bool = False,
) -> Trace:
    r"""Read a trace in the CSV format of Alibaba's block storage.

    ``device_id,opcode,offset,length,timestamp``, with offset and length in bytes, times in
    microseconds and opcode "R" or "W"; a line with these names is a header. Only the volume (here a
    device) of the first request is read.

    Parameters
    ----------
    source : path or binary file
        File, plain or packed with gzip.
    page_bytes, max_requests, max_lines, max_bytes, strict
        Bytes per page, limits of what is read, and whether a malformed line is an error, as for
        :func:`read_msr`.

    Raises
    ------
    ValueError
        If a limit is exceeded or the file is not of this format (:func:`read_msr`).

    Examples
    --------
    >>> import io
    >>> trace = read_alibaba(io.BytesIO(b"419,W,8192,12288,1577808000000046\n"))
    >>> trace.records["page"], trace.records["count"]
    (array([2]), array([3]))
    """
    limits = Limits(page_bytes, max_requests, max_lines, max_bytes, strict)
    text = "the CSV format of Alibaba's block storage"
    return _trace(collect(source, alibaba, limits, text, _bulk.alibaba()), limits, 1_000_000)


def from_frame(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    operations: Mapping[Any, str] | None = None,
    unit_bytes: int = 1,
    ticks_per_second: float = 1.0,
    page_bytes: int = 4096,
) -> Trace:
    r"""Return the trace of a table with a row for each request.

    Parameters
    ----------
    frame : pandas.DataFrame
        The requests of one volume, in order.
    columns : mapping, optional
        Names of the columns for ``operation``, ``offset``, ``size`` and, if there is one, ``time``.
        By default these are the names.
    operations : mapping, optional
        Meaning of the values of the column ``operation``: "read", "write" or "trim". By default
        these words and their first letters, in capitals or not, and "discard" and "d".
    unit_bytes : int
        Bytes in a unit of the columns ``offset`` and ``size``, >= 1: 512 for sectors.
    ticks_per_second : float
        Number of units of the column ``time`` in a second, > 0.
    page_bytes : int
        Bytes per page, >= 1 and <= 2**30.

    Returns
    -------
    Trace
        Trace whose ``lines`` are the rows of the table; requests of 0 bytes are skipped.

    Raises
    ------
    ValueError
        For a column that is missing, a cell that is none of these (with its row), values outside
        these ranges, or a table without a row.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"rw": ["W", "R"], "lba": [16, 0], "sectors": [24, 8]})
    >>> names = {"operation": "rw", "offset": "lba", "size": "sectors"}
    >>> trace = from_frame(table, names, unit_bytes=512)
    >>> trace.records["page"], trace.bytes_written
    (array([2, 0]), 12288)
    """
    limits = Limits(page_bytes, _MOST_REQUESTS, _MOST_LINES, _MOST_BYTES, False).checked()
    found = found_in(
        frame, columns or {}, operations, unit_bytes, ticks_per_second, limits.page_bytes
    )
    return _trace(found, limits, NANOSECONDS if found.ticks and found.ticks[-1] >= 0 else None)


def read_fio(
    source: Source,
    *,
    page_bytes: int = 4096,
    max_requests: int = _MOST_REQUESTS,
    max_lines: int = _MOST_LINES,
    max_bytes: int = _MOST_BYTES,
    strict: bool = False,
) -> Trace:
    r"""Read an I/O log written by fio, version 2 or 3.

    After the line ``fio version 2 iolog``: ``file action offset length`` in bytes, or ``file
    action`` alone. In version 3 a time in microseconds comes before it. The actions read, write and
    trim are requests. Only the volume (here a file) of the first request is read.

    Parameters
    ----------
    source : path or binary file
        File, plain or packed with gzip.
    page_bytes, max_requests, max_lines, max_bytes, strict
        Bytes per page, limits of what is read, and whether a malformed line is an error, as for
        :func:`read_msr`.

    Returns
    -------
    Trace
        For version 2 `time_s` is NaN, since the waits in such a log are skipped.

    Raises
    ------
    ValueError
        If a limit is exceeded or the file is not of this format (:func:`read_msr`).

    Examples
    --------
    >>> import io
    >>> log = b"fio version 3 iolog\n10 sda read 0 4096\n30 sda trim 4096 8192\n"
    >>> trace = read_fio(io.BytesIO(log))
    >>> trace.records["operation"], trace.time_s
    (array([2, 1], dtype=uint8), array([0.e+00, 2.e-05]))
    """
    limits = Limits(page_bytes, max_requests, max_lines, max_bytes, strict)
    parser = Fio()
    found = collect(source, parser, limits, "an I/O log of fio", parser.bulk)
    return _trace(found, limits, 1_000_000 if parser.timed else None)


def _counted(count: int, name: str) -> str:
    return f"{count} {name}" + ("" if count == 1 else "s")


def _trace(found: Requests, limits: Limits, ticks_per_second: int | None) -> Trace:
    pages = found.pages(ticks_per_second)
    if pages.empty_trims:
        found.skipped["trim of no whole page"] = pages.empty_trims
    return Trace(
        records=pages.records,
        time_s=pages.time_s,
        page_bytes=limits.page_bytes,
        bytes_written=pages.bytes_of[WRITE],
        bytes_read=pages.bytes_of[READ],
        bytes_trimmed=pages.bytes_of[TRIM],
        partial_writes=pages.partial_writes,
        lines=found.lines,
        skipped=dict(found.skipped),
        malformed=found.malformed,
        errors=tuple(found.errors),
    )
