"""fio's logs: ``write_bw_log``, ``write_iops_log`` and ``write_lat_log``."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import Array, FloatOrArray, number, one_number, one_of, plain
from flashwear.fio._source import Source, content, name_of

KINDS = {"bw": 1024.0, "iops": 1.0, "lat": 1e-9, "clat": 1e-9, "slat": 1e-9}
"""Kinds of logs, and the factors from their values to bytes/s, requests/s or seconds."""

_SIDES = {"read": 0, "write": 1, "trim": 2}
_MOST_BYTES = 2**30
_MOST_BINS = 10_000_000
_NAME = re.compile(r"_(bw|iops|clat|slat|lat)(?:_hist)?(?:\.\d+)?\.log(?:\.gz)?$")
_MOST_COLUMNS = 7  # time, value, direction, size; offset, priority, time of issue
_EPOCH_MS = 10**12  # later times are of the Unix clock (log_unix_epoch)
_SAME_END = 0.1  # of the length: by this the logs of jobs of one run may end apart


@dataclass(frozen=True, eq=False)
class Log:
    """The lines of one or several fio logs (one a job) as arrays, in the order of time.

    Attributes
    ----------
    kind : str
        What was logged, as fio abbreviates it: bw, iops, lat, clat or slat.
    per_request : bool
        Whether each line is a request; else it is a mean over some time (``log_avg_msec``).
    jobs : int
        Number of logs it was read from, one a job.
    job, side : ndarray of int
        Number of the log of each line; and its direction: 0 read, 1 write, 2 trim.
    time_s : ndarray of float
        Seconds from the start of the run to the end of the request or of the time averaged.
    value : ndarray of float
        Bandwidth in bytes per second, requests per second, or latency in s.
    size : ndarray of int
        Bytes of the request; 0 in means.
    """

    kind: str
    per_request: bool
    jobs: int
    job: NDArray[np.int64]
    side: NDArray[np.int64]
    time_s: Array
    value: Array
    size: NDArray[np.int64]

    def __repr__(self) -> str:
        rows = "requests" if self.per_request else "means"
        return (
            f"<Log of {self.kind}: {self.time_s.size:,} {rows} of {self.jobs} jobs in "
            f"{self.time_s[-1]:,.0f} s>"
        )

    def bytes_per_s(self, seconds: float = 1.0, side: str = "write") -> Array:
        """Return the bytes per second of all jobs together, as means over steps of equal length.

        Parameters
        ----------
        seconds : float
            Length of a step, > 0. What remains after the last whole one is left out.
        side : {"read", "write", "trim"}
            Direction of the requests.

        Raises
        ------
        ValueError
            For a log of means that is not of bandwidth, and so tells no bytes.
        """
        if self.per_request:
            return self._counted(seconds, side, self.size)
        if self.kind != "bw":
            raise ValueError(
                f"bytes take a log of bw, or one of single requests; this is of {self.kind}"
            )
        return self._averaged(seconds, side)

    def iops(self, seconds: float = 1.0, side: str = "write") -> Array:
        """Return the requests per second of all jobs together, as means over steps of `seconds`.

        `side` is "read", "write" or "trim".
        """
        if self.per_request:
            return self._counted(seconds, side, np.ones(self.size.size))
        if self.kind != "iops":
            raise ValueError(
                f"requests take a log of iops, or one of single requests; this holds means of "
                f"{self.kind}"
            )
        return self._averaged(seconds, side)

    def percentile(self, percent: ArrayLike, side: str = "write") -> FloatOrArray:
        """Return percentiles of the latency, in seconds.

        Parameters
        ----------
        percent : array_like
            Percentage of the requests that are at most this slow, in [0, 100].
        side : {"read", "write", "trim"}
            Direction of the requests.

        Raises
        ------
        ValueError
            For a log that is not of latency, a log of means, which have no percentiles, or a log
            without requests in this direction.
        """
        at = number("percent", percent, low=0, high=100)
        if "lat" not in self.kind:
            raise ValueError(f"percentiles take a log of latencies, got one of {self.kind}")
        if not self.per_request:
            raise ValueError("percentiles take single requests, and this log holds means")
        found = self.value[self._of(side)]
        return plain(np.percentile(found, at))

    def _of(self, side: str) -> NDArray[np.bool_]:
        one_of("side", side, _SIDES)
        found = np.asarray(self.side == _SIDES[side])
        if not found.any():
            held = [name for name, code in _SIDES.items() if (self.side == code).any()]
            raise ValueError(f"side must be {' or '.join(held)}, which the log holds, got {side}")
        return found

    def _edges(self, seconds: float) -> Array:
        step = one_number("seconds", seconds, above=0)
        steps = int(self.time_s[-1] / step * (1 + 1e-9))
        if not 0 < steps <= _MOST_BINS:
            raise ValueError(
                f"seconds must divide the {self.time_s[-1]:g} s of the log into 1 to "
                f"{_MOST_BINS:,} steps, got {step:g}"
            )
        return np.arange(steps + 1, dtype=np.float64) * step

    def _counted(self, seconds: float, side: str, weights: ArrayLike) -> Array:
        rows = self._of(side)
        edges = self._edges(seconds)
        total = np.histogram(self.time_s[rows], edges, weights=np.asarray(weights)[rows])[0]
        return np.asarray(total / seconds, np.float64)

    def _averaged(self, seconds: float, side: str) -> Array:
        edges = self._edges(seconds)
        done = np.zeros(edges.size)
        for job in range(self.jobs):
            rows = self._of(side) & (self.job == job)
            time = self.time_s[rows]
            if not time.size:
                continue
            gaps = np.diff(time, prepend=0.0)
            # after a pause without a row the mean is of the last stretch alone
            lengths = np.minimum(gaps, 1.5 * np.median(gaps))
            at = np.column_stack([time - lengths, time]).ravel()
            amounts = np.column_stack([np.zeros(time.size), self.value[rows] * lengths]).ravel()
            done += np.interp(edges, at, np.cumsum(amounts))
        return np.asarray(np.diff(done) / seconds, np.float64)


def read_log(*sources: Source, kind: str | None = None) -> Log:
    r"""Read a log of fio: one file, or those of all jobs of a run.

    Parameters
    ----------
    *sources : path or binary file
        One log, or those of all jobs of a run, plain or packed with gzip, up to 1 GiB each. Rows
        are ``time, value, direction, size``, perhaps with an offset (``log_offset=1``) and a
        priority; time is in ms, of the run or of the Unix clock (``log_unix_epoch=1``). The format
        is that of fio 3, with latencies in ns.
    kind : {"bw", "iops", "lat", "clat", "slat"}, optional
        What the log holds, as fio abbreviates it; by default as its name says: ``run_bw.1.log``.

    Raises
    ------
    ValueError
        For a malformed line, an empty log, logs of different kinds, or logs whose ends lie so far
        apart that they are of different runs; for a histogram, or means of several jobs in one file
        (``per_job_logs=0``).
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import io
    >>> rows = b"1000, 400000, 1, 0\n2000, 200000, 1, 0\n3000, 100000, 1, 0\n"
    >>> log = read_log(io.BytesIO(rows), kind="bw")
    >>> log.bytes_per_s(1.0) / 1024
    array([400000., 200000., 100000.])
    """
    if not sources:
        raise ValueError("sources must hold a log, got none")
    kinds = {kind or _kind(source) for source in sources}
    if len(kinds) > 1:
        raise ValueError(f"logs must be of one kind, got {', '.join(sorted(kinds))}")
    found = kinds.pop()
    one_of("kind", found, tuple(KINDS))
    tables = [_rows(source) for source in sources]
    _from_zero(tables)
    ends = np.array([table[-1, 0] for table in tables]) / 1000
    if np.ptp(ends) > _SAME_END * ends.max() + 1:
        raise ValueError(
            f"logs must be of one run: they end after {ends.min():g} and after {ends.max():g} s"
        )
    job = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    rows = np.concatenate(tables)
    order = np.argsort(rows[:, 0], kind="stable")
    rows, job = rows[order], job[order]
    single = bool((rows[:, 3] > 0).all())
    if single and found == "iops" and (rows[:, 1] != 1).any():
        raise ValueError(
            "a log of iops with sizes must have 1 for each request, and one of means the size 0; "
            f"got {int(rows[rows[:, 1] != 1][0, 1])}"
        )
    return Log(
        found,
        single,
        len(tables),
        job,
        rows[:, 2],
        rows[:, 0].astype(np.float64) / 1000,
        rows[:, 1].astype(np.float64) * KINDS[found],
        rows[:, 3],
    )


def _kind(source: Source) -> str:
    match = _NAME.search(name_of(source))
    if match is None:
        raise ValueError(
            f"{name_of(source)}: the name does not tell the kind of log: give kind, one of "
            f"{', '.join(KINDS)}"
        )
    return match[1]


def _from_zero(tables: list[NDArray[np.int64]]) -> None:
    """Take the start of the run off times of the Unix clock: one step before the first row."""
    first = min(int(table[0, 0]) for table in tables)
    if first >= _EPOCH_MS:
        means = not any(table[:, 3].any() for table in tables)
        steps = [np.median(np.diff(np.unique(table[:, 0]))) for table in tables if len(table) > 1]
        for table in tables:
            table[:, 0] -= first - (int(max(steps, default=0)) if means else 0)


def _rows(source: Source) -> NDArray[np.int64]:
    name = name_of(source)
    text = content(source, _MOST_BYTES)
    if not text.strip():
        raise ValueError(f"{name} is empty")
    columns = text[: text.find(b"\n")].count(b",") + 1
    if columns > _MOST_COLUMNS:
        raise ValueError(
            f"{name} must have at most {_MOST_COLUMNS} columns, got {columns}: a histogram "
            "(write_hist_log) is not read, the bins of --output-format=json+ are"
        )
    try:
        rows = np.loadtxt(
            io.BytesIO(text), np.int64, delimiter=",", comments=None, ndmin=2, usecols=range(4)
        )
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is no log of fio: {error}") from None
    good = (rows >= 0).all(axis=1) & (rows[:, 2] <= max(_SIDES.values()))
    if not good.all():
        first = int(np.argmin(good))
        raise ValueError(f"{name}, row {first + 1}: no row of a log: {rows[first].tolist()}")
    if not rows[:, 3].all() and any(
        (np.diff(rows[rows[:, 2] == side, 0]) < 0).any() for side in _SIDES.values()
    ):
        raise ValueError(
            f"{name} goes back in time, as means of several jobs do in one file: run fio without "
            "per_job_logs=0"
        )
    return rows[np.argsort(rows[:, 0], kind="stable")]
