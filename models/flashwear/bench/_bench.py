"""A run of fio, judged by the drive's counters before and after it."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from flashwear import steady, wa
from flashwear._domain import Array, one_number, one_of
from flashwear.bench._counted import Interval, counted
from flashwear.bench._span import span
from flashwear.bench._spare import STARTS, spare
from flashwear.fio import Log, Run
from flashwear.smart import Report, written
from flashwear.smart._checked import a_report

_SEEN = 1.05  # above this, cleaning has begun: parity and records alone give less
_FASTER = 10  # a drive that has room may be as many times faster than in the end
_SPANS = (0.5, 0.75, 1.0)
_STEPS, _MOST_STEPS = 1000, 1_000_000  # of the course of a run
_ROUNDS = 2.5  # times the spare flash: what the rule of five rounds looks at


class Elsewhere(NamedTuple):
    """Steady write amplification under another ``load``: at least ``low``, at most ``high``."""

    load: str
    low: float
    high: float


class Bench(NamedTuple):
    """Result of :func:`bench`; what cannot be determined is None, and ``doubts`` say why."""

    host_bytes: int
    """Bytes the host wrote, by the drive's counter or, if it has none, by fio's."""
    flash_bytes: int | None
    """Bytes programmed in flash, by the drive's counter."""
    wa: tuple[float, float] | None
    """Write amplification of the run, lowest and highest that the steps of the counters allow."""
    span_bytes: float
    """Size of the range of addresses that the run wrote to."""
    drive_writes: float
    """Bytes the host wrote, over `span_bytes`."""
    op: tuple[float, float] | None
    """Spare flash over `span_bytes`, lowest and highest value."""
    advice: steady.Advice | None
    """Whether the run ended in steady state."""
    elsewhere: tuple[Elsewhere, ...]
    """Write amplification that other loads would have on this drive."""
    doubts: tuple[str, ...]
    """What makes a number doubtful, or why it is not given."""


def bench(
    before: Report,
    run: Run,
    after: Report,
    *,
    log: Log | None = None,
    job: str | None = None,
    start: str = "filled",
    span_bytes: float | None = None,
    sequential_wa: float = 1.0,
) -> Bench:
    r"""Return a drive's write amplification and spare flash, as a run of fio shows them.

    Parameters
    ----------
    before, after : flashwear.smart.Report
        Reports of the drive before and after the run, with a counter of flash writes.
    run : flashwear.fio.Run
        The JSON output of the run.
    log : flashwear.fio.Log, optional
        Log of the run's bandwidth (or of single requests), to judge whether its end was steady.
    job : str, optional
        Name of the jobs that are judged, where others ran before or after them (`stonewall`).
    start : {"filled", "blank", "settled"}
        State of the drive when the run began: filled once, never written, or in steady state.
    span_bytes : float, optional
        Bytes written at random, > 0; by default what the `size`, `offset` and `offset_increment`
        of the jobs cover, or the drive's capacity.
    sequential_wa : float
        Write amplification under sequential writes, in [1, 2]; above 1 if the drive writes parity
        or records of its own.

    Raises
    ------
    ValueError
        Outside these ranges; for a run that wrote nothing; reports of two drives, counters that
        fell or that counted less than fio wrote; a log of another run; a job that is not there, or
        ran beside others.

    Notes
    -----
    The growth of each counter is known to one step more or less. Write amplification is

    .. math:: \frac{f - \Delta f}{h + \Delta h} \le A \le \frac{f + \Delta f}{h - \Delta h}

    where :math:`f` bytes went to flash, :math:`h` came from the host, and :math:`\Delta` is the
    step of a counter. The host wrote at least what fio reports with `direct=1`; this narrows the
    interval where it lies in it, if the second report is a minute younger than the run (counters
    may lag). A counter that shows up to 2 % less than fio wrote lags; its interval is as wide as if
    the missing bytes were amplified between 0 and 2 times as much. fio does not count what it
    writes in `ramp_time`, the drive does; so after a ramp there is no write amplification for a
    drive that does not count host writes. Where the reports frame other jobs, too, which wrote in
    order, these amplified at least `sequential_wa` times, and no more than the job that is judged.

    Checked on a Micron 7450 MAX (:func:`flashwear_book.tables.measured_wa`): with its
    `sequential_wa`, four drive writes over any one of six spans give the write amplification of the
    other five in steady state within 3 %.
    """
    one_of("start", start, STARTS)
    before, after = a_report("before", before), a_report("after", after)
    own = one_number("sequential_wa", sequential_wa, low=1, high=2)
    if not isinstance(run, Run):
        raise ValueError(f"run must be a Run, as fio.read gives, got {run!r}")
    if not run.bytes_written:
        raise ValueError("run must hold writes, got none")
    whole, run = run, run if job is None else run.only(job)
    beside = replace(whole, jobs=tuple(one for one in whole.jobs if job and one.name != job))
    groups = {one.group for one in run.jobs}
    for one in beside.jobs:
        if one.write.bytes and one.group in groups:
            raise ValueError(f"job must not run beside others that write, got {job!r}, {one.name}")
    if not run.bytes_written:
        raise ValueError("run must hold writes, got none")
    doubts: list[str] = []
    over, alike = span(run, after.capacity_bytes, span_bytes, doubts)
    for one in run.jobs:
        if one.error:
            doubts.append(f"job {one.name} ended with error {one.error}")
    if run.outputs > 1:
        doubts.append(f"of the {run.outputs} outputs of fio in the file the last was read")
    grew = written(before, after)
    host, hosts, ratio, coarse = counted(run, beside, grew, before, after, own, doubts)
    if log is not None:
        _check_log(log, run)
    volume = host / over
    op = None
    if ratio and any(one.trim.bytes for one in run.jobs):
        doubts.append("a job trimmed, and what it trimmed is spare too: no figure for the rest")
    elif ratio and not (alike and all(one.random for one in run.jobs if one.write.bytes)):
        names = dict.fromkeys(one.name for one in run.jobs)
        doubts.append(
            "not all jobs wrote at random, everywhere alike: their ratio says nothing of the spare "
            "flash" + f" (job picks one: {', '.join(names)})" * (len(names) > 1)
        )
    elif ratio and host > 2 * run.bytes_written + _ramp_most(run):
        doubts.append("most of it was not written by fio, whose load says nothing of the rest")
    elif ratio and hosts and run.direct and not coarse:
        _check_map(run, doubts)
        op = _spare(ratio, (hosts[0] / over, hosts[1] / over), start, own, doubts)
    advice: steady.Advice | None = None
    if op and start != "settled" and run.seconds > 0:
        advice = _advice(run, log, host, over, float(np.sqrt(op[0] * op[1])), start)
    loads = _elsewhere(over, op, own) if op else ()
    return Bench(host, grew.nand_bytes, ratio, over, volume, op, advice, loads, tuple(doubts))


def _ramp_most(run: Run) -> float:
    """Return the most that a `ramp_time` can have written, at many times the pace of the run."""
    return _FASTER * run.ramp_s * run.bytes_written / run.seconds if run.seconds > 0 else 0.0


def _check_map(run: Run, doubts: list[str]) -> None:
    free = {job.free_of_map for job in run.jobs if job.write.bytes}
    if False in free:
        doubts.append(
            "fio wrote each block once in a pass, for want of norandommap: less is copied so "
            "than at random, and the spare flash comes out too large"
        )
    elif None in free:
        doubts.append(
            "the output does not tell whether fio wrote each block once in a pass, with which the "
            "spare flash comes out too large: norandommap=1 in the job switches that off and tells"
        )


def _check_log(log: Log, run: Run) -> None:
    total = float(log.bytes_per_s(log.time_s[-1]).sum() * log.time_s[-1])
    if not 0.5 * run.bytes_written <= total <= 1.2 * run.bytes_written:
        raise ValueError(
            f"the log holds {total:,.0f} bytes where the run wrote {run.bytes_written:,}: it is of "
            "another run, or not of all its jobs"
        )


def _spare(
    ratio: Interval, volumes: Interval, start: str, own: float, doubts: list[str]
) -> Interval | None:
    low, high = ratio[0] / own, ratio[1] / own
    if high < _SEEN:
        doubts.append(
            f"nothing was cleaned yet: the spare flash is at least {100 * volumes[0]:.3g} % of the "
            "span, and how much more takes a longer run"
        )
        return None
    try:
        # most flash for least of the host is least spare
        return spare(high, volumes[0], start), spare(max(low, 1 + 1e-6), volumes[1], start)
    except ValueError as error:
        doubts.append(f"no spare flash gives this course: {error}")
        return None


def _advice(
    run: Run, log: Log | None, host: int, span: float, op: float, start: str
) -> steady.Advice:
    measured = run.bytes_written if run.ramped else host  # in the seconds that fio reports
    steps = int(min(max(_STEPS, 4 * host / (span * op)), _MOST_STEPS))  # two a round
    step = (run.seconds if log is None else log.time_s[-1]) / steps
    speed = np.full(steps, 1.0) if log is None else log.bytes_per_s(step)
    speed = speed * (measured / (speed.sum() * step))
    lengths = np.full(speed.size, step)
    if host > measured:
        # the ramp, at a speed of no account: rounds that reach into it are left out below
        speed = np.insert(speed, 0, speed.mean())
        lengths = np.insert(lengths, 0, (host - measured) / speed[0])
    found = steady.advice(speed, lengths, span, op, filled=start == "filled")
    if found.missing_s:
        return found if log is not None else found._replace(window=None)
    told = f"written {found.written:.2g} times, and {found.needed:.2g} are needed; "
    if any(one.limited for one in run.jobs):
        told += "the pace was given to fio, so that a level end says nothing"
    elif log is None:
        told += "a log says whether the end is level"
    elif host > measured and found.window and _ROUNDS * op * span > measured:
        told += "the rounds that say whether the end is level reach into the ramp_time"
    else:
        return found
    return found._replace(settled=False, window=None, reason=told)


def _elsewhere(span: float, op: tuple[float, float], own: float) -> tuple[Elsewhere, ...]:
    flash = span * (1 + np.array(op))
    found, blank = [], ", the rest trimmed"
    for share in _SPANS:
        levels = own * np.asarray(wa.fifo(flash / (share * span) - 1))
        load = f"random writes over {100 * share:.0f} % of the span"
        found.append(Elsewhere(load + blank * (share < 1), *_sorted(levels)))
    spares = flash / span - 1
    hot = {"hot_write_share": 0.8, "hot_space_share": 0.2}
    mixed = own * np.asarray(wa.fifo_mixed(spares, **hot))
    found.append(Elsewhere("80 % of the writes to 20 % of the span", *_sorted(mixed)))
    return tuple(found)


def _sorted(levels: Array) -> tuple[float, float]:
    return float(levels.min()), float(levels.max())
