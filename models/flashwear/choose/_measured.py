"""Bytes a day by what was counted, which is better than any description of a load."""

import json
import math

from flashwear.choose._load import DAY_S, LATER, Range, between
from flashwear.smart._between import written
from flashwear.smart._remaining_life import YEARS_HOURS, trusted
from flashwear.smart._report import Report

_LEAST_DAYS = 0.5
_OTHER_HOURS = 2.0  # a day's bytes over those of some of its hours, either way; assumed


def measured(report: Report, later: Report | None = None) -> Range:
    r"""Return the bytes a day that the host wrote to a drive.

    Parameters
    ----------
    report : Report
        Report of the drive (:func:`flashwear.smart.read`).
    later : Report, optional
        A later one, half a day at least: then between the two, else since the drive was new.
        Of a drive of `YEARS_HOURS` the range then reaches to its mean since it was new, and
        beyond both by `LATER`.

    Returns
    -------
    Range
        By the calendar where both reports tell the day, else for each day under power.

    Raises
    ------
    ValueError
        If the counters are not known or in doubt, did not grow, or are of two drives, or a single
        report is of a young one.

    Examples
    --------
    >>> import dataclasses
    >>> from flashwear import smart
    >>> old = dataclasses.replace(smart.parse("Device Model: X\n"), flags=(), kind="nvme",
    ...                           power_on_hours=2400, host_bytes_written=3 * 10**12)
    >>> measured(old).middle / 1e9
    30.0
    """
    if later is None:
        host, hours, _ = trusted(report)
        if not host or not hours:
            raise ValueError("report must tell host writes and hours under power without doubt")
        if hours < YEARS_HOURS:  # before, what filled the drive weighs most
            least = f"{YEARS_HOURS:,} hours under power"
            raise ValueError(f"report must be of {least}, got {hours:,}: give two")
        return between(host * 24 / hours)
    grown = written(report, later).host_bytes
    if report.time_s is not None and later.time_s is not None:
        days = (later.time_s - report.time_s) / DAY_S
    else:
        days = ((later.power_on_hours or 0) - (report.power_on_hours or 0)) / 24
    if not grown or days < _LEAST_DAYS:
        raise ValueError(
            f"reports must lie half a day apart and tell host writes, got {days:.2g} days"
        )
    lately = grown / days
    host, hours, _ = trusted(later)
    if not host or not hours or hours < YEARS_HOURS or not report.power_on_hours:
        return between(lately)
    on = min((hours - report.power_on_hours) / 24 / days, 1.0)  # the share of a day under power
    since_new = host * 24 / hours * on if on > 0 else lately
    return Range(min(lately, since_new) / LATER, lately, max(lately, since_new) * LATER)


def watched(answer: str) -> Range:
    """Return the bytes a day of the one drive that ``flashwear why --json`` watched.

    Parameters
    ----------
    answer : str
        What it printed. Less than a day is taken to be half to twice as busy as other hours.

    Raises
    ------
    ValueError
        If it is no such answer, nothing was written, or several drives were.

    Examples
    --------
    >>> told = '{"bytes": 1e9, "seconds": 3600, "watched": {"drives": [{"name": "nvme0n1"}]}}'
    >>> [round(end / 1e9) for end in watched(told)]
    [12, 24, 48]
    """
    try:
        found = json.loads(answer)
        written, seconds = float(found["bytes"]), float(found["seconds"])
        drives = len(found["watched"]["drives"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError("report must be an answer of flashwear why --json") from None
    if drives != 1 or not 0 < written < math.inf or not 0 < seconds < math.inf:
        raise ValueError("report must be of one drive, and of something written")
    day, times = written / seconds * DAY_S, 1.0 if seconds >= DAY_S else _OTHER_HOURS
    return between(day / times, day * times)
