"""A trace: requests as pages, and counts of what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from flashwear.traces._runs import touched
from flashwear.traces._tracefile import Limits, Requests, pieces
from flashwear.workloads._streams import READ, TRIM, WRITE


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
    >>> from flashwear.traces import read_fio
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
        >>> from flashwear.traces import read_fio
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


def _counted(count: int, name: str) -> str:
    return f"{count} {name}" + ("" if count == 1 else "s")


def trace_of(found: Requests, limits: Limits, ticks_per_second: int | None) -> Trace:
    """Return the trace of the requests that were found."""
    records, time_s = found.pages(ticks_per_second)
    if found.empty_trims:
        found.skipped["trim of no whole page"] = found.empty_trims
    return Trace(
        records=records,
        time_s=time_s,
        page_bytes=limits.page_bytes,
        bytes_written=found.bytes_of[WRITE],
        bytes_read=found.bytes_of[READ],
        bytes_trimmed=found.bytes_of[TRIM],
        partial_writes=found.partial_writes,
        lines=found.lines,
        skipped=dict(found.skipped),
        malformed=found.malformed,
        errors=tuple(found.errors),
    )
