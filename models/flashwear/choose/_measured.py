"""Bytes a day by what an old drive counted, which is better than any description of a load."""

from flashwear.choose._load import Range, between
from flashwear.smart._between import written
from flashwear.smart._remaining_life import YEARS_HOURS, trusted
from flashwear.smart._report import Report

_LEAST_DAYS = 0.5


def measured(report: Report, later: Report | None = None) -> Range:
    r"""Return the bytes a day that the host wrote to a drive.

    Parameters
    ----------
    report : Report
        Report of the drive (:func:`flashwear.smart.read`).
    later : Report, optional
        A later one, half a day at least: then between the two, else since the drive was new.

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
        days = (later.time_s - report.time_s) / 86_400
    else:
        days = ((later.power_on_hours or 0) - (report.power_on_hours or 0)) / 24
    if not grown or days < _LEAST_DAYS:
        raise ValueError(
            f"reports must lie half a day apart and tell host writes, got {days:.2g} days"
        )
    return between(grown / days)
