"""Read traces of real block devices, to be replayed on a modelled drive.

Four formats are read: the CSV files of the MSR Cambridge traces and of Alibaba's block storage, the
default text of blkparse, and the I/O logs of fio. Of any other file with a request in each line the
columns can be named, and requests can be given as a table. A file may be packed with gzip, whatever
its name. Each line is a request, or is skipped, or malformed; skipped lines are counted by reason,
and the first malformed lines are kept. ::

    trace = traces.read_msr("volume.csv.gz").compact()
    workload = workloads.Replay(trace.records)
    stream = workload.stream(trace.user_pages, seed=0)

Byte addresses are converted to pages. A read or write counts for every page that it touches, a trim
only for pages that it covers entirely. A trace has one volume, that of its first request; requests
to others are skipped as "other volume".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flashwear._domain import whole
from flashwear.traces import _bulk
from flashwear.traces._formats import WORDS, Columns, Fio, alibaba, blkparse, msr
from flashwear.traces._frame import NANOSECONDS, found_in
from flashwear.traces._summary import Summary, summary
from flashwear.traces._trace import Trace, trace_of
from flashwear.traces._tracefile import Limits, Source, collect

__all__ = ["Summary", "Trace", "from_frame", "read_alibaba", "read_blkparse", "read_columns",
           "read_fio", "read_msr", "summary"]  # fmt: skip

if TYPE_CHECKING:
    import pandas as pd

_MOST_REQUESTS = _MOST_LINES = 100_000_000
_MOST_BYTES = 2**36


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
    return trace_of(found, limits, 10_000_000)


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
    return trace_of(found, limits, 1_000_000_000)


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
    return trace_of(collect(source, alibaba, limits, text, _bulk.alibaba()), limits, 1_000_000)


def read_columns(
    source: Source,
    columns: Mapping[str, int],
    *,
    operations: Mapping[str, str] | None = None,
    unit_bytes: int | tuple[int, int] = 1,
    page_bytes: int = 4096,
    max_requests: int = _MOST_REQUESTS,
    max_lines: int = _MOST_LINES,
    max_bytes: int = _MOST_BYTES,
    strict: bool = False,
) -> Trace:
    r"""Read a trace in any form with one request in a line, by the places of its columns.

    Columns are apart by commas or, in a line without any, by blanks. Lines before the first request
    that hold no request are headers.

    Parameters
    ----------
    source : path or binary file
        File, plain or packed with gzip.
    columns : mapping of str to int
        Places, from 0, of the columns ``op``, ``offset`` and ``size`` and, if there are any, of
        ``time`` (in seconds) and ``volume``.
    operations : mapping of str to str, optional
        Further words of the column ``op`` for "read", "write" and "trim", beside these, their first
        letters, "discard" and "d", in capitals or not.
    unit_bytes : int or tuple of int
        Bytes in a unit of ``offset`` and ``size``, in [1, 2**30]: 512 for sectors; or of each.
    page_bytes, max_requests, max_lines, max_bytes, strict
        Bytes per page, limits of what is read, and whether a malformed line is an error, as for
        :func:`read_msr`.

    Raises
    ------
    ValueError
        Outside these ranges, for a column that is missing or unknown, if a limit is exceeded, or
        the file holds no such line (:func:`read_msr`).

    Examples
    --------
    >>> import io
    >>> places = {"time": 0, "op": 2, "offset": 4, "size": 5}
    >>> lines = b"Timestamp,Response,IOType,LUN,Offset,Size\n0.5,0.1,W,2,8192,4096\n"
    >>> trace = read_columns(io.BytesIO(lines), places)
    >>> trace.records["page"], trace.bytes_written, trace.skipped
    (array([2]), 4096, {'header': 1})
    """
    limits = Limits(page_bytes, max_requests, max_lines, max_bytes, strict)
    known = {"op", "offset", "size", "time", "volume"}
    if not {"op", "offset", "size"} <= set(columns) <= known:
        raise ValueError(
            f"columns must name op, offset, size and perhaps time, volume, got {', '.join(columns)}"
        )
    places = {name: whole(f"columns {name}", at, 0, 1000) for name, at in columns.items()}
    units = unit_bytes if isinstance(unit_bytes, tuple) else (unit_bytes, unit_bytes)
    if len(units) != 2:
        raise ValueError(f"unit_bytes must be one number or two, got {len(units)}")
    words = WORDS
    if operations is not None:
        if wrong := [side for side in operations.values() if side.encode() not in WORDS]:
            raise ValueError(f"operations must stand for read, write, trim, got {wrong[0]!r}")
        own = {word.lower().encode(): WORDS[side.encode()] for word, side in operations.items()}
        words = {**WORDS, **own}
    one, other = (whole("unit_bytes", unit, 1, 2**30) for unit in units)
    parser = Columns(places, words, (one, other))
    found = collect(source, parser, limits, "these columns")
    return trace_of(found, limits, NANOSECONDS if "time" in places else None)


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
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The requests of one volume, in order.
    columns : mapping, optional
        Names of the columns for ``operation``, ``offset``, ``size`` and, if there is one, ``time``.
        By default these are the names.
    operations : mapping, optional
        Meaning of further values of the column ``operation``: "read", "write" or "trim". Known are
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
    return trace_of(found, limits, NANOSECONDS if found.ticks and found.ticks[-1] >= 0 else None)


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
    return trace_of(found, limits, 1_000_000 if parser.timed else None)
