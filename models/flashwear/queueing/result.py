"""The counters and latencies of a run of the queueing model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear import ftl
from flashwear._domain import number, one_number, one_of
from flashwear._extras import require
from flashwear._shown import as_table, same_fields, warn
from flashwear.ftl._statistics import batch_means, steadiness

if TYPE_CHECKING:
    import pandas as pd

    from flashwear.queueing.plan import Plan

__all__ = ["Result", "bin_of"]

_FEWEST_ROWS = 20
_CHANCE = 4  # standard deviations of a number of arrivals
_SUB = 6  # bits of a latency below its highest one that its bin keeps: 1/64 wide
BINS = (64 - _SUB) << _SUB
"""Bins of a latency histogram."""

COUNTED = ("merged", "buffer_reads", "flash_reads", "copy_reads", "map_reads", "modify_reads",
           "programs", "copy_programs", "parity_programs", "erases", "suspends", "padded",
           "cache_programs", "slc_erases")  # fmt: skip
"""Names of the events that are counted in addition to requests, see :attr:`Result.counts`."""

KINDS = ("write", "trim", "read")
"""Kinds of requests; a kind's number is its place here."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def bin_of(nanoseconds: int) -> int:
    """Return the histogram bin of a latency: 1 ns wide up to 128 ns, then 64 bins per doubling.

    Examples
    --------
    >>> [bin_of(n) for n in (0, 127, 128, 129, 130)]
    [0, 127, 128, 128, 129]
    """
    shift = 0
    while nanoseconds >> shift >= 2 << _SUB:
        shift += 1
    return (shift << _SUB) + (nanoseconds >> shift)


def _ends(bins: Counts) -> Floats:
    """Return the largest latency of bins, in ns."""
    shift = np.maximum(bins >> _SUB, 1) - 1
    return np.asarray(np.ldexp(bins - (shift << _SUB) + 1.0, shift) - 1)


def falls_behind(rate: float | None, plan: Plan, now: int, completed: int) -> bool:
    """Return whether requests arrived faster than they were completed, and not by chance.

    `rate` is that of their arrival per second, if they do not wait for one another; `plan` is the
    run's, which ended at `now` in ns with so many `completed`.
    """
    expected = (rate or 0.0) * (now - plan.start_ns) / 1e9
    return bool(expected - completed > plan.queue_depth + _CHANCE * expected**0.5)


def doubts(result: Result, plan: Plan) -> Iterator[str]:
    """Yield what the caller of a run (`plan`) should know of its `result`."""
    if result.overloaded:
        yield (
            "requests arrive faster than the drive serves them "
            f"({result.ios / result.elapsed_s:,.0f} a second): latencies grow with the run"
        )
    if result.ios < plan.last_request and not 0 <= plan.end_ns <= round(1e9 * result.elapsed_s):
        yield f"the load ended after {result.ios:,} of {plan.last_request:,} requests"


def begin(state: ftl.State) -> None:
    """Forget the cleanings that a drive (`state`) has recorded, to record those of a new run."""
    counts = state.arrays.counts
    counts.noted, counts.not_noted, counts.note_every = 0, 0, 1


def settling(state: ftl.State, host: int, copies: int) -> dict[str, Any]:
    """Return how steady write amplification was in a run, as three fields of :class:`Result`.

    ``wa_interval`` is its 95 % confidence interval, ``interval_reason`` what this rests on,
    ``settled`` whether both halves of the run agree.

    `state` is the drive after the run; at the start of the run it had counted `host` writes and
    `copies`.
    """
    a = state.arrays
    rows = int(a.counts.noted)
    at = np.append(host, a.trail_host[:rows])
    moved = np.append(copies, a.trail_copies[:rows])
    last = np.flatnonzero(np.diff(at, append=at[-1] + 1))  # of what is cleaned while no host writes
    written = np.diff(at[last])
    programmed = written + np.diff(moved[last])
    if written.size < _FEWEST_ROWS:
        reason = f"only {rows} blocks were cleaned, {written.size} of them between two writes"
        return {"wa_interval": (np.nan, np.nan), "interval_reason": reason, "settled": False}
    drive_writes = written.cumsum() / state.user_pages
    shortest = 0.5 * state.blocks * state.pages_per_block / programmed.mean()
    low, high, reason = batch_means(written, programmed, shortest)
    settled = steadiness(drive_writes, written, programmed, written.size).reached
    return {"wa_interval": (low, high), "interval_reason": reason, "settled": settled}


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Result of a run: completions, latencies, and the load of each station.

    Attributes
    ----------
    ios : int
        Requests completed.
    elapsed_s : float
        Time of the run.
    per_second : ndarray
        Requests completed in each second begun.
    histogram : ndarray
        Counts of latencies: a row for each kind of request (write, trim, read), and a column for
        each bin of :func:`bin_of`.
    completion_s, latency_s, kinds : ndarray or None
        With `record`, the completion time and latency in s and the kind of each request in the
        order of issue (times are NaN if it was not completed); else None.
    busy_s, wait_s, jobs, longest : dict of str to ndarray
        By kind of station ("link", "controller", "channel", "die"), an element for each station:
        time busy, sum of the times that jobs waited, jobs begun, largest number of jobs waiting.
    counts : dict of str to int
        Map units: ``merged`` (overwritten in the buffer), ``buffer_reads`` (read from it) and
        ``padded`` (left without data to complete a program unit). Flash reads: ``flash_reads`` for
        the host, ``copy_reads``, ``map_reads``, ``modify_reads`` (for writes of part of a unit).
        Other operations of dies: ``programs`` of host data, ``copy_programs``, ``parity_programs``,
        ``erases``, ``suspends``; of these, ``cache_programs`` and ``slc_erases`` are in SLC mode.
    ftl : State
        The drive as the run left it.
    host_writes, copies : int
        Map units written by the host and copied by cleaning in the run.
    wa_interval : tuple of float
        95 % confidence interval of :attr:`wa` by batch means, for the time from the end of one
        cleaning to that of another; NaN if too little was cleaned, see `interval_reason`.
    interval_reason : str
        What the interval rests on, or why there is none.
    overloaded : bool
        Whether requests of an open loop arrived faster than they were served, so that latencies say
        how long the run was.
    settled : bool
        Whether write amplification was steady, that is, equal in both halves of the run within 1 %
        or the noise.
    cache_writes, fold_copies : int
        Map units of `host_writes` that went to the SLC cache, and of `copies` that came out of it.
    """

    ios: int
    elapsed_s: float
    per_second: Counts
    histogram: Counts
    completion_s: Floats | None
    latency_s: Floats | None
    kinds: Counts | None
    busy_s: dict[str, Floats]
    wait_s: dict[str, Floats]
    jobs: dict[str, Counts]
    longest: dict[str, Counts]
    counts: dict[str, int]
    ftl: ftl.State
    host_writes: int
    copies: int
    cache_writes: int
    fold_copies: int
    wa_interval: tuple[float, float]
    interval_reason: str
    settled: bool
    overloaded: bool = False

    def __eq__(self, other: object) -> bool:
        """Return whether another result has the same figures (all but the drive)."""
        return same_fields(self, other, but=("ftl",))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        low, high = self.wa_interval
        settled = "settled" if self.settled else "not settled"
        return (
            f"Result(ios={self.ios}, elapsed_s={self.elapsed_s:.6g}, iops="
            f"{self.ios / self.elapsed_s if self.elapsed_s else np.nan:.6g}, "
            f"host_writes={self.host_writes}, copies={self.copies}, "
            f"wa_interval=({low:.4g}, {high:.4g}), {settled})"
        )

    def _repr_html_(self) -> str:
        low, high = self.wa_interval
        return as_table(
            {
                "requests": f"{self.ios:,}",
                "seconds": f"{self.elapsed_s:.6g}",
                "writes of the host, map units": f"{self.host_writes:,}",
                "copies of cleaning": f"{self.copies:,}",
                "write amplification, 95 %": f"{low:.4g} to {high:.4g}",
                "settled": "yes" if self.settled else "no",
                "overloaded": "yes" if self.overloaded else "no",
                "busiest": self.bottleneck if self.elapsed_s else "none",
            }
        )

    @property
    def cache_share(self) -> float:
        """Share of the host's writes that went to the SLC cache; NaN without writes."""
        return self.cache_writes / self.host_writes if self.host_writes else np.nan

    @property
    def wa(self) -> float:
        """Write amplification, 1 plus copies over host writes in map units; NaN without writes.

        It warns if too little was cleaned to tell its error (`interval_reason`).
        """
        if self.host_writes and np.isnan(self.wa_interval[0]):
            warn(f"wa says little: {self.interval_reason}")
        return self.wa_of_run

    @property
    def wa_of_run(self) -> float:
        """Write amplification as :attr:`wa`, but without a warning if the run had not settled."""
        return 1 + self.copies / self.host_writes if self.host_writes else np.nan

    @property
    def utilisation(self) -> dict[str, Floats]:
        """Share of the time that each station was busy, arrays by kind of station."""
        return {kind: busy / self.elapsed_s for kind, busy in self.busy_s.items()}

    @property
    def bottleneck(self) -> str:
        """The kind of station that was busiest on average."""
        return max(self.utilisation, key=lambda kind: float(self.utilisation[kind].mean()))

    def iops(self, interval_s: int = 1) -> Floats:
        """Return requests per second in consecutive intervals of the given length.

        Raises
        ------
        ValueError
            If `interval_s` is no whole number >= 1.
        """
        step = int(one_number("interval_s", interval_s, low=1))
        if step != interval_s:
            raise ValueError(f"interval_s must be a whole number of seconds, got {interval_s!r}")
        whole = int(self.elapsed_s) // step
        return np.asarray(self.per_second[: whole * step].reshape(whole, step).mean(axis=1))

    @overload
    def percentile(self, percent: float, kind: str | None = None) -> float: ...

    @overload
    def percentile(self, percent: ArrayLike, kind: str | None = None) -> float | Floats: ...

    def percentile(self, percent: ArrayLike, kind: str | None = None) -> float | Floats:
        """Return latency percentiles in seconds, at most 1/64 too high; NaN without requests.

        Parameters
        ----------
        percent : array_like
            Percentage of the requests that are at most this slow, in [0, 100].
        kind : {"write", "trim", "read"}, optional
            Kind of the requests; by default all.
        """
        share = number("percent", percent, low=0, high=100) / 100
        if kind is not None:
            one_of("kind", kind, KINDS)
        rows = self.histogram
        counts = rows.sum(axis=0) if kind is None else rows[KINDS.index(kind)]
        total = counts.cumsum()
        found = np.searchsorted(total, np.maximum(1.0, np.ceil(share * total[-1])))
        seconds = _ends(found) / 1e9 if total[-1] else np.full(share.shape, np.nan)
        return seconds if share.ndim else float(seconds)

    def to_frame(self) -> pd.DataFrame:
        """Return a table of the stations' loads.

        ``station`` (kind) and ``number``; ``utilisation``, share of time busy; ``wait_s``, mean
        wait of a job; ``jobs`` begun; ``longest`` queue.
        """
        require("sim", "pandas")
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame(
                    {
                        "station": kind,
                        "number": np.arange(busy.size),
                        "utilisation": busy / self.elapsed_s,
                        "wait_s": self.wait_s[kind] / np.maximum(self.jobs[kind], 1),
                        "jobs": self.jobs[kind],
                        "longest": self.longest[kind],
                    }
                )
                for kind, busy in self.busy_s.items()
            ],
            ignore_index=True,
        )
