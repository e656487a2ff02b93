"""A test in rounds: the window of the industry's specification, and what it leaves out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from flashwear import steady
from flashwear._domain import one_number, one_of
from flashwear.bench._bench import Bench, bench
from flashwear.bench._span import span
from flashwear.bench._spare import STARTS
from flashwear.fio import Job, Run
from flashwear.smart import Report

_WINDOW, _MOST_ROUNDS, _ROUND_S = 5, 25, 60.0
_LEAST = 10  # requests beyond a percentile, or it is not told
_PERCENTS = (50.0, 99.0, 99.9, 99.99, 99.999)


class Round(NamedTuple):
    """The writes of one round: the results of its jobs together."""

    bytes_written: int
    seconds: float
    iops: float
    latency_s: float | None
    """Mean latency in seconds."""
    percentiles_s: Mapping[float, float | None]
    """Percentiles of the completion latency, see :func:`rounds`; None for want of requests."""


class Clause(NamedTuple):
    """A clause of the specification, whether it is ``met`` (None: not to be seen), and by what."""

    name: str
    met: bool | None
    found: str


class Rounds(NamedTuple):
    """Result of :func:`rounds`."""

    rounds: tuple[Round, ...]
    window: steady.Window
    """First window that passed, and whether the last five rounds do."""
    iops: float
    """Mean of the last five rounds."""
    percentiles_s: Mapping[float, float | None]
    """Percentiles of the completion latency of the last five rounds, merged."""
    clauses: tuple[Clause, ...]
    settled: bool | None
    """Whether the last five rounds are in steady state by theory, too; None if nobody knows."""
    reason: str
    bench: Bench | None
    """What the drive's counters say of all rounds; None without reports."""


def rounds(
    runs: Sequence[Run],
    *,
    job: str | None = None,
    before: Report | None = None,
    after: Report | None = None,
    op: float | None = None,
    start: str = "filled",
    span_bytes: float | None = None,
    sequential_wa: float = 1.0,
) -> Rounds:
    r"""Judge runs of fio as the rounds of a test, by the rule of SNIA's PTS and by theory.

    The window is that of :func:`flashwear.steady.snia` on the writes per second
    :cite:p:`snia2020pts`. By theory the last five rounds are steady if, before them, as much was
    written as :func:`flashwear.steady.drive_writes` asks for at this spare flash.

    Parameters
    ----------
    runs : sequence of flashwear.fio.Run
        Five or more, each a round, in any order if they tell their time.
    job : str, optional
        Name of the jobs that are tracked; by default all.
    before, after : flashwear.smart.Report, optional
        Reports of the drive before the first and after the last round, from which the spare flash
        follows (:func:`bench`).
    op : float, optional
        Over-provisioning over the span, in [0.01, 4], if the reports do not tell it.
    start, span_bytes, sequential_wa
        As for :func:`bench`; the start is that of the first round.

    Returns
    -------
    Rounds
        A percentile p in percent is the middle of the first bin (of ``--output-format=json+``, at
        most 1/64 of it wide) up to which p % of the requests lie. It is None where there are fewer
        than 10/(1 - p/100) requests, or no bins.

    Raises
    ------
    ValueError
        Outside these ranges, and for what :func:`bench` refuses; for fewer than five rounds, or one
        without writes.

    Examples
    --------
    >>> from flashwear import fio
    >>> def output(iops):
    ...     side = fio.Side(iops * 4096 * 60, iops * 60, 60.0, iops * 4096.0, iops, None, {}, {})
    ...     none = fio.Side(0, 0, 0.0, 0.0, 0.0, None, {}, {})
    ...     options = {"rw": "randwrite", "bs": "4k", "size": "1g"}
    ...     return fio.Run("", None, (fio.Job("a", options, 0, 0, none, side, none),))
    >>> speeds = 9000, 5000, 3000, 3000, 3100, 3000, 2900
    >>> found = rounds([output(iops) for iops in speeds], op=0.2)
    >>> found.window.last, found.iops, found.settled
    (7, 3000.0, True)
    """
    one_of("start", start, STARTS)
    if len(runs) < _WINDOW or not all(isinstance(run, Run) for run in runs):
        raise ValueError(f"runs must be {_WINDOW} Runs or more, as fio.read gives, got {len(runs)}")
    if (before is None) != (after is None):
        raise ValueError("before and after must be given both, or none, got one")
    if all(run.time_s is not None for run in runs):
        runs = sorted(runs, key=lambda run: run.time_s or 0)
    chosen = [run if job is None else run.only(job) for run in runs]
    for number, run in enumerate(chosen, 1):
        groups = {one.group for one in run.jobs if one.write.bytes}
        if len(groups) != 1:
            told = f"in {len(groups)} groups" if groups else "nothing"
            raise ValueError(f"job must name jobs that write together: round {number} wrote {told}")
    found = tuple(_round([one for one in run.jobs if one.write.bytes]) for run in chosen)
    window = steady.snia([one.iops for one in found])
    last = [one for run in chosen[-_WINDOW:] for one in run.jobs]
    judged, doubts = None, list[str]()
    if before is not None and after is not None:
        judged = bench(
            before,
            _together(runs),
            after,
            start=start,
            span_bytes=span_bytes,
            sequential_wa=sequential_wa,
        )
        if op is None and judged.op:
            op = float(np.sqrt(judged.op[0] * judged.op[1]))
        over = judged.span_bytes
    elif op is not None:
        over, _ = span(_together(chosen), None, span_bytes, doubts)
    settled, reason = None, "the drive's reports before and after, or its spare flash, would tell"
    if op is not None:
        spare = one_number("op", op, low=0.01, high=4)
        written = sum(run.bytes_written for run in runs[:-_WINDOW]) / over
        settled, reason = _settled(window, written, spare, start, chosen)
    return Rounds(
        found,
        window,
        float(np.mean([one.iops for one in found[-_WINDOW:]])),
        _percentiles(last),
        tuple(_clauses(found, window, chosen)),
        settled,
        reason,
        judged,
    )


def _round(jobs: list[Job]) -> Round:
    sides = [job.write for job in jobs]
    requests = sum(side.requests for side in sides)
    waited = [side.latency_s * side.requests for side in sides if side.latency_s is not None]
    return Round(
        sum(side.bytes for side in sides),
        max(side.seconds for side in sides),
        sum(side.iops for side in sides),
        sum(waited) / requests if requests and len(waited) == len(sides) else None,
        _percentiles(jobs),
    )


def _percentiles(jobs: Iterable[Job]) -> dict[float, float | None]:
    """Return percentiles of the bins of all jobs together."""
    bins: Counter[float] = Counter()
    for job in jobs:
        bins.update(job.write.bins)
    at = sorted(bins)
    upto = np.cumsum([bins[latency] for latency in at])
    count = int(upto[-1]) if at else 0
    return {
        p: at[int(np.searchsorted(upto, count * p / 100))]
        if count * (100 - p) >= 100 * _LEAST * (1 - 1e-9)
        else None
        for p in _PERCENTS
    }


def _together(runs: Sequence[Run]) -> Run:
    """Return runs as one, whose jobs ran one after the other."""
    jobs = (
        replace(job, group=number * 10**6 + job.group)
        for number, run in enumerate(runs)
        for job in run.jobs
    )
    return replace(runs[-1], jobs=tuple(jobs))


def _settled(
    window: steady.Window, written: float, op: float, start: str, runs: list[Run]
) -> tuple[bool | None, str]:
    needed = 0.0 if start == "settled" else steady.drive_writes(op, filled=start == "filled")
    told = (
        f"{written:.2g} times the span was written before the last five rounds, and with "
        f"{100 * op:.3g} % to spare {needed:.2g} are needed"
    )
    if written < needed:
        return False, told
    if any(job.limited for run in runs for job in run.jobs):
        return None, f"{told}; the pace was given to fio, so that level rounds say nothing"
    return window.steady, told


def _clauses(found: Sequence[Round], window: steady.Window, runs: list[Run]) -> Iterable[Clause]:
    jobs = [job for run in runs for job in run.jobs if job.write.bytes]
    first = "none passed" if window.last is None else f"the first passed in round {window.last}"
    yield Clause(
        "five rounds range over at most 20 % of their mean",
        window.range_share <= 0.2,
        f"the last five over {100 * window.range_share:.3g} %",
    )
    yield Clause(
        "their line rises or falls by at most 10 % of it",
        window.slope_share <= 0.1,
        f"the last five by {100 * window.slope_share:.3g} %",
    )
    yield Clause(
        f"a window passes within {_MOST_ROUNDS} rounds",
        window.last is not None and window.last <= _MOST_ROUNDS,
        first,
    )
    seconds = [one.seconds for one in found]
    yield Clause(
        "each combination runs for a minute",
        all(abs(second - _ROUND_S) < 1 for second in seconds),
        f"{min(seconds):.3g} to {max(seconds):.3g} s",
    )
    plain = all(job.random and not job.read.bytes for job in jobs)
    sizes = {job.bytes_of("bs") for job in jobs}
    yield Clause(
        "tracked are random writes of 4 KiB",
        plain and sizes == {4096},
        f"{'random' if plain else 'other'} requests of "
        f"{', '.join(sorted({job.options.get('bs', 'untold size') for job in jobs}))}",
    )
    direct = all(run.direct for run in runs)
    yield Clause("past the page cache", direct, "direct=1" if direct else "not told")
    yield Clause(
        "random data",
        True if all("refill_buffers" in job.options for job in jobs) else None,
        "refill_buffers, where the output tells it",
    )
    yield Clause(
        "purge, and twice the capacity in order by 128 KiB", None, "not to be seen in rounds"
    )
