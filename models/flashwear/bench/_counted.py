"""What the counters of a drive and of fio leave open of a run's write amplification."""

from typing import NamedTuple

import numpy as np

from flashwear.fio import Run
from flashwear.smart import Report, Written

Interval = tuple[float, float]

_COARSE = 0.1
_CLOCKS_S = 10  # by which the clocks of fio and of the reports may differ
_BESIDE = 0.02  # of what was written: by this counters may lag, and a larger step is told
_SETTLED_S = 60  # after so long a drive's counters show all that it did
_MOST_WA = 1000.0  # a map unit of 64 KiB for every 512 bytes, and each cleaned eight times


class Counted(NamedTuple):
    """What the host and the flash took, and what is known of their ratio."""

    host_bytes: int
    host: Interval | None
    """Least and most that the host wrote; None if nobody counted it."""
    wa: Interval | None
    coarse: bool = False
    """Whether the steps of the counters leave too much open for anything else to follow."""


def counted(
    run: Run,
    beside: Run,
    grew: Written,
    before: Report,
    after: Report,
    own: float,
    doubts: list[str],
) -> Counted:
    """Return what was written, and the least and most write amplification.

    `beside` holds the jobs that wrote before or after those of `run`, perhaps between the reports.
    """
    framed = _framed(run, before, after, doubts)
    waited = run.time_s and after.time_s and after.time_s - run.time_s >= _SETTLED_S
    host, hosts, missed = _host(run, beside, grew, bool(framed and waited), doubts)
    flash = grew.nand_bytes
    if flash is None:
        doubts.append(
            "the drive does not count flash writes: NVMe drives may in nvme ocp smart-add-log, "
            "which belongs after the report"
        )
        return Counted(host, hosts, None)
    if hosts is None:
        return Counted(host, None, None)
    least, most = hosts
    bounds = max(flash - grew.nand_step, 0), flash + grew.nand_step
    low, high = bounds[0] / most, bounds[1] / least if least else np.inf
    # what the counters do not show yet was amplified up to twice as much as the rest
    high = max(high, (bounds[1] + 2 * missed * flash / max(host, 1)) / most)
    others = _other_bytes(run, beside, grew)
    if others:
        jobs = [job for job in beside.jobs if job.write.bytes]
        apart = not all(job.options.get("rw") == "write" for job in jobs)
        if apart or run.ramped:
            cause = "which did not write in order" if apart else "and a ramp_time with this one's"
            doubts.append(
                f"the counters also saw other jobs, {cause}: take the reports around this job "
                "alone (its exec_prerun and exec_postrun can run smartctl)"
            )
            return Counted(host - others, (least - others, most - others), None)
        doubts.append(
            f"the counters also saw {others:,} bytes of other jobs, which are taken to amplify "
            f"{own:g} times at least and no more than this job: exec_prerun in a job reads them "
            "in between"
        )
        low, high = bounds[0] / most, (bounds[1] - own * others) / max(least - others, 1)
        host, hosts = host - others, (least - others, most - others)
    if not _possible((low, high), after, doubts):
        return Counted(host, hosts, None)
    coarse = _coarse((low, high), hosts, grew, doubts)
    return Counted(host, hosts, (low, high) if high < np.inf else None, coarse)


def _framed(run: Run, before: Report, after: Report, doubts: list[str]) -> bool:
    """Say whether fio ran between the two reports, as far as the clocks tell."""
    if run.time_s is None:
        return True
    for report, late in ((before, False), (after, True)):
        apart = (run.time_s - (report.time_s or run.time_s)) * (1 if late else -1)
        if apart > _CLOCKS_S:
            ends = "after the second report" if late else "before the first report"
            doubts.append(
                f"fio ended {apart:,.0f} seconds {ends}: this may be the output of another run, if "
                "no clock or time zone is wrong"
            )
            return False
    return True


def _other_bytes(run: Run, beside: Run, grew: Written) -> int:
    """Return what the other jobs wrote, if the counters saw it."""
    told, others = run.bytes_written, beside.bytes_written
    if grew.host_bytes is None:
        return 0
    return others if grew.host_bytes + grew.host_step >= (told + others) * (1 - _BESIDE) else 0


def _host(
    run: Run, beside: Run, grew: Written, waited: bool, doubts: list[str]
) -> tuple[int, Interval | None, float]:
    """Return the bytes of the host, their least and most, and what the counter does not show."""
    told = run.bytes_written + _other_bytes(run, beside, grew)
    if not run.direct:
        doubts.append(
            "fio wrote through the page cache, or does not tell that it did not (direct=1): what "
            "reached the drive, and in which order, is not what fio counts"
        )
    if grew.host_bytes is None:
        doubts.append("the drive does not count host writes: fio's bytes are taken")
        if run.direct and not run.ramped and not beside.bytes_written:
            return told, (told, told), 0
        doubts.append(
            "fio leaves out what it wrote in ramp_time, counts what stays in the page cache, and "
            "does not tell which jobs the reports frame, so nobody counted what the host wrote: no "
            "write amplification follows"
        )
        return told, None, 0
    count, step = grew.host_bytes, grew.host_step
    low, high = max(count - step, 0), count + step
    for name, size, all_of in (("host", step, count), ("flash", grew.nand_step, grew.nand_bytes)):
        if all_of and size > _BESIDE * all_of:
            doubts.append(
                f"the counter of {name} writes may move by {size:,} bytes at a time, which divide "
                f"its readings: {100 * size / all_of:,.0f} % of what it counted"
            )
    if low <= told <= high:
        # a counter that lags would miss what fio counts
        whole = run.direct and not run.ramped and waited
        return count, (told if whole else low, high), 0
    if told > high and run.direct:
        if high < told * (1 - _BESIDE):
            raise ValueError(
                f"the drive counted {count:,} bytes where fio wrote {told:,}: the reports are of "
                "another drive, or do not frame the run, or its counters lag (wait some minutes)"
            )
        doubts.append(
            f"the drive counted {count:,} bytes where fio wrote {told:,}: its counters lag, and "
            "the interval leaves room for what they do not show; wait some minutes"
        )
        return count, (low, told), told - count
    doubt = f"the {count:,} bytes that the drive counted are taken, not the {told:,} of fio"
    if told < low and run.ramped:
        doubt += ": fio leaves out what it writes in ramp_time, the drive does not"
    elif told < low:
        doubt += (
            ", beside which a file system or other programs wrote, or which the counter showed late"
        )
    if not waited:
        doubt += "; whether it lags does not show, so wait two minutes before a report"
    doubts.append(doubt)
    return count, (low, high), 0


def _coarse(ratio: Interval, hosts: Interval, grew: Written, doubts: list[str]) -> bool:
    """Say whether the steps of the counters leave a ratio open by more than a tenth."""
    step, side = max((grew.host_step, "host"), (grew.nand_step, "flash"))
    if step <= _COARSE * hosts[0] or ratio[1] - ratio[0] <= 2 * _COARSE * max(ratio[0], 1):
        return False
    doubts.append(
        f"the counter of {side} writes may count in steps of {step:,} bytes: write at least "
        f"{step / _COARSE:,.0f} bytes for {100 * _COARSE:.0f} %"
    )
    return True


def _possible(ratio: Interval, after: Report, doubts: list[str]) -> bool:
    """Say whether a drive can have a ratio."""
    if ratio[1] < 1:
        apart = "its SLC cache" if after.slc_bytes_written is not None else "a cache"
        doubts.append(
            f"the flash took {ratio[1]:.3g} times what was written: the drive compresses, or "
            f"counts {apart} apart"
        )
    elif ratio[0] > _MOST_WA:
        doubts.append(
            f"the flash took {ratio[0]:.3g} times what was written, and no drive takes more than "
            f"{_MOST_WA:,.0f}: the reports do not frame the run, or a counter is broken"
        )
    return ratio[1] >= 1 and ratio[0] <= _MOST_WA
