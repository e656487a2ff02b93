"""What a test with fio says of a drive, from its counters before and after.

Two SMART reports give the bytes that the flash programmed and those that the host wrote (fio tells
these of a drive that does not count them). Their ratio is the write amplification of the run; with
the course that a full drive takes (:func:`flashwear.wa.after_fill`) it gives the spare flash, and
the spare flash all else: whether the run was long enough, and what other spans and loads would do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from flashwear import steady, wa
from flashwear._domain import Array, one_number, one_of
from flashwear.fio import Log, Run
from flashwear.smart import Report, Written, written
from flashwear.smart._checked import a_report

STARTS = ("filled", "blank", "settled")
"""How a drive may be when a run begins, that is filled once in order, blank, or in steady state."""

_COARSE = 0.1
_LEAST_OP, _MOST_OP = 0.01, 4.0
_PROGRAMMED = np.concatenate([np.arange(0, 4, 0.002), np.arange(4, 60, 0.05)])
_SEEN = 1.05  # above this, cleaning has begun: parity and records alone give less
_BESIDE = 0.02
_FASTER = 10  # a drive that has room may be as many times faster than in the end
_MOST_WA = 1000.0  # a map unit of 64 KiB for every 512 bytes, and each cleaned eight times
_WHOLE = 0.9  # of the capacity, from which on a run is over the whole drive
_SPANS = (0.5, 0.75, 1.0)
_STEPS = 1000  # of the course of a run
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
    start : {"filled", "blank", "settled"}
        State of the drive when the run began: filled once, never written, or in steady state.
    span_bytes : float, optional
        Bytes written at random, > 0; by default the `size` of the jobs, or the drive's capacity.
    sequential_wa : float
        Write amplification under sequential writes, in [1, 2]; above 1 if the drive writes parity
        or records of its own.

    Raises
    ------
    ValueError
        Outside these ranges; for a run that wrote nothing; reports of two drives, counters that
        fell or that counted less than fio wrote; a log of another run.

    Notes
    -----
    The growth of each counter is known to one step more or less. Write amplification is

    .. math:: \frac{f - \Delta f}{h + \Delta h} \le A \le \frac{f + \Delta f}{h - \Delta h}

    where :math:`f` bytes went to flash, :math:`h` came from the host, and :math:`\Delta` is the
    step of a counter. The host wrote at least what fio reports, which may narrow the interval. fio
    does not count what it writes in `ramp_time`, the drive does; so after a ramp there is no write
    amplification for a drive that does not count host writes.

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
    doubts: list[str] = []
    span = _span(run, after, span_bytes, doubts)
    for job in run.jobs:
        if job.error:
            doubts.append(f"job {job.name} ended with error {job.error}")
    if run.outputs > 1:
        doubts.append(f"of the {run.outputs} outputs of fio in the file the last was read")
    grew = written(before, after)
    host, hosts = _host(run, grew, doubts)
    if log is not None:
        _check_log(log, run)
    volume = host / span
    ratio = _ratio(hosts, grew, after, doubts)
    op = None
    if ratio and any(job.trim.bytes for job in run.jobs):
        doubts.append("a job trimmed, and what it trimmed is spare too: no figure for the rest")
    elif ratio and not all(job.random for job in run.jobs if job.write.bytes):
        doubts.append(
            "not all jobs wrote at random, everywhere alike: their ratio says nothing of the spare "
            "flash"
        )
    elif ratio and host > 2 * run.bytes_written + _ramp_most(run):
        doubts.append("most of it was not written by fio, whose load says nothing of the rest")
    elif ratio and hosts:
        if volume > 1:
            _check_map(run, doubts)
        op = _spare(ratio, (hosts[0] / span, hosts[1] / span), start, own, doubts)
    advice: steady.Advice | None = None
    if op and start != "settled" and run.seconds > 0:
        advice = _advice(run, log, host, span, float(np.sqrt(op[0] * op[1])), start)
    loads = _elsewhere(span, op, own) if op else ()
    return Bench(host, grew.nand_bytes, ratio, span, volume, op, advice, loads, tuple(doubts))


def _ramp_most(run: Run) -> float:
    """Return the most that a `ramp_time` can have written, at many times the pace of the run."""
    return _FASTER * run.ramp_s * run.bytes_written / run.seconds if run.seconds > 0 else 0.0


def spare(mean_wa: float, drive_writes: float, start: str = "filled") -> float:
    r"""Return the over-provisioning at which a run would have the given mean write amplification.

    .. math:: \frac{s}{v_\mathrm{op}(s)} = \bar A, \qquad v_\mathrm{op}(s) = v

    with :math:`v` the host writes and :math:`s` the flash writes of the run, both over the size of
    the span written, and :math:`\bar A = s/v`. :math:`v_\mathrm{op}(s)` are the host writes during
    :math:`s` flash writes at an over-provisioning op, by :func:`flashwear.wa.after_fill` on a
    filled or :func:`flashwear.wa.from_blank` on a blank drive. For a run that began settled
    :func:`flashwear.wa.fifo` is used.

    Parameters
    ----------
    mean_wa : float
        Flash writes over host writes of the whole run, > 1.
    drive_writes : float
        Host writes over the size of the span written, > 0.
    start : {"filled", "blank", "settled"}
        State of the drive when the run began: filled once, never written, or in steady state.

    Returns
    -------
    float
        Over-provisioning over the span, in [0.01, 4].

    Raises
    ------
    ValueError
        Outside these ranges, or if no spare flash in it gives this mean.

    Examples
    --------
    The formula for settled drives misjudges a run that begins with a fast plateau:

    >>> op, volume = 0.28, 1.0
    >>> s = np.linspace(0, 3, 3001)
    >>> programmed = np.interp(volume, wa.after_fill(op, s).drive_writes, s)
    >>> [round(spare(programmed / volume, volume, start), 3) for start in ("filled", "settled")]
    [0.28, 0.334]
    """
    from scipy.optimize import brentq

    one_of("start", start, STARTS)
    mean = one_number("mean_wa", mean_wa, above=1)
    volume = one_number("drive_writes", drive_writes, above=0)
    model = _mean_wa(volume, start)
    ends = model(_MOST_OP), model(_LEAST_OP)
    if not ends[0] <= mean <= ends[1]:
        raise ValueError(
            f"mean_wa must be in [{ends[0]:.4g}, {ends[1]:.4g}] after {volume:.3g} drive writes, "
            f"got {mean:.4g}"
        )
    logarithm = brentq(
        lambda at: model(np.exp(at)) - mean, np.log(_LEAST_OP), np.log(_MOST_OP), xtol=1e-9
    )
    return float(np.exp(logarithm))


def _mean_wa(volume: float, start: str) -> Callable[[float], float]:
    """Return the mean write amplification of a run of a length, as a function of spare flash."""
    if start == "settled":
        return lambda op: float(wa.fifo(op))  # what began settled stays so

    def mean(op: float) -> float:
        path = (wa.after_fill if start == "filled" else wa.from_blank)(op, _PROGRAMMED)
        written = path.drive_writes
        if volume <= written[-1]:
            return float(np.interp(volume, written, _PROGRAMMED) / volume)
        later = (volume - written[-1]) * wa.fifo(op)
        return float((_PROGRAMMED[-1] + later) / volume)

    return mean


def _span(run: Run, after: Report, span_bytes: float | None, doubts: list[str]) -> float:
    """Return the bytes that the jobs wrote over."""
    capacity = after.capacity_bytes
    if span_bytes is not None:
        span = one_number("span_bytes", span_bytes, above=0)
    else:
        jobs = [job for job in run.jobs if job.write.bytes]
        if len({job.options.get("offset", "0") for job in jobs}) > 1:
            raise ValueError("span_bytes must be given: the jobs begin at several offsets")
        shares = {job.span_share or 1.0 for job in jobs}
        sizes = {job.span_bytes for job in jobs}
        found = sizes.pop() if len(sizes) == 1 else None
        if found and (capacity is None or found <= capacity):
            span = float(found)
        elif capacity is None or len(shares) > 1:
            raise ValueError("span_bytes must be given: jobs and report do not tell it")
        else:
            span = shares.pop() * capacity
    if capacity and span < _WHOLE * capacity:
        doubts.append(
            f"only {100 * span / capacity:.2g} % of the drive was written: what lies on the rest, "
            "if it was not trimmed, is not spare, and a file is no drive"
        )
    return span


def _host(run: Run, grew: Written, doubts: list[str]) -> tuple[int, tuple[float, float] | None]:
    """Return the bytes of the host, and their least and most: None if nobody knows."""
    told, counted = run.bytes_written, grew.host_bytes
    if counted is None:
        doubts.append("the drive does not count host writes: fio's bytes are taken")
        if not run.ramped:
            return told, (told, told)
        doubts.append(
            "fio leaves out what it wrote in ramp_time, so nobody counted what the host wrote: no "
            "write amplification follows, and drive writes are at least these"
        )
        return told, None
    low, high = max(counted - grew.host_step, 0), counted + grew.host_step
    if high < told * (1 - _BESIDE):
        raise ValueError(
            f"the drive counted {counted:,} bytes where fio wrote {told:,}: the reports are of "
            "another drive, or do not frame the run"
        )
    if low <= told <= high:
        return counted, (told, high)
    doubt = f"the {counted:,} bytes that the drive counted are taken, not the {told:,} of fio"
    if told < low and run.ramped:
        doubt += ": fio leaves out what it writes in ramp_time, the drive does not"
    elif told < low:
        doubt += ", beside which a file system or other programs wrote"
    doubts.append(doubt)
    return counted, (low, high)


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


def _ratio(
    hosts: tuple[float, float] | None, grew: Written, after: Report, doubts: list[str]
) -> tuple[float, float] | None:
    """Return the least and the most write amplification, or None and why."""
    flash, step = grew.nand_bytes, grew.nand_step
    if flash is None:
        doubts.append(
            "the drive does not count flash writes: NVMe drives may in nvme ocp smart-add-log, "
            "which belongs after the report"
        )
        return None
    if hosts is None:
        return None
    least, most = hosts
    low, high = max(flash - step, 0) / most, (flash + step) / least if least else np.inf
    if high - low > 2 * _COARSE * max(flash / most, 1):
        side, coarse = ("flash", step) if step >= grew.host_step else ("host", grew.host_step)
        doubts.append(
            f"the counter of {side} writes counts steps of {coarse:,} bytes: write at least "
            f"{coarse / _COARSE:,.0f} bytes for {100 * _COARSE:.0f} %"
        )
        return None
    if high < 1:
        apart = "its SLC cache" if after.slc_bytes_written is not None else "a cache"
        doubts.append(
            f"the flash took {flash / most:.3g} times what was written: the drive compresses, or "
            f"counts {apart} apart"
        )
        return None
    if low > _MOST_WA:
        doubts.append(
            f"the flash took {flash / most:.3g} times what was written, and no drive takes more "
            f"than {_MOST_WA:,.0f}: the reports do not frame the run, or a counter is broken"
        )
        return None
    return low, high


def _spare(
    ratio: tuple[float, float],
    volumes: tuple[float, float],
    start: str,
    own: float,
    doubts: list[str],
) -> tuple[float, float] | None:
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
    step = (run.seconds if log is None else log.time_s[-1]) / _STEPS
    speed = np.full(_STEPS, 1.0) if log is None else log.bytes_per_s(step)
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
    if log is None:
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
