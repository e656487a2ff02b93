"""The remaining life of a drive, from its wear counter, its rating and its load."""

import math
from typing import NamedTuple

from flashwear.smart._checked import a_report, optional, positive
from flashwear.smart._findings import WORN, observed
from flashwear.smart._report import FLAGS, Report
from flashwear.smart._words import NO_DRIVE, WEAR_DOUBTS

LEAST_HOURS = 100  # under power, for a rate to mean something
YEARS_HOURS = 1000  # under power since new, for years: before, what filled the drive weighs most
_DAY = 24  # by which two counts of hours may differ
HOURS_DOUBTS = ("poh_devstat_disagree", "poh_implausible")
HOST_DOUBTS = (*NO_DRIVE, "host_unit_doubtful", "host_devstat_disagree", "host_rate_implausible")


class Forecast(NamedTuple):
    """Years of 365 days under power that a drive has left, at a given load."""

    wear: tuple[float, float] | None
    """Least and most years until the drive's counter of wear is at 100 %, or the percent asked."""
    wear_unknown: str | None
    """Why `wear` is None."""
    rating: float | None
    """Years until the host has written the rated bytes."""
    rating_unknown: str | None
    """Why `rating` is None."""

    @property
    def binds(self) -> str | None:
        """Which limit, "wear" or "rating", is certainly reached first; None if unclear."""
        if self.wear is None or self.rating is None:
            return None
        if self.wear[1] < self.rating:
            return "wear"
        return "rating" if self.rating < self.wear[0] else None


def forecast(
    report: Report,
    rated_bytes: float | None = None,
    bytes_per_day: float | None = None,
    until_percent: float = 100.0,
) -> Forecast:
    r"""Return the years until a drive's wear reaches 100 % and until its rating is used up.

    Parameters
    ----------
    report : Report
        Report of the drive, from :func:`read` or :func:`parse`.
    rated_bytes : float, optional
        Host bytes that the drive is rated for, > 0; by default :attr:`Report.rated_bytes`.
    bytes_per_day : float, optional
        Bytes that the host will write each day under power, > 0; by default the mean so far. Wear
        per byte is taken to stay the same.
    until_percent : float, optional
        Percent of the rated life at which :attr:`Forecast.wear` ends, > 0.

    Returns
    -------
    Forecast
        Years by wear and by rating; None, with the reason beside it, if the report does not tell.

    Raises
    ------
    ValueError
        If an argument is not above 0.

    Examples
    --------
    A drive of which 25 % are used after three years and 60 of its 100 TB:

    >>> import dataclasses
    >>> from flashwear import smart
    >>> drive = dataclasses.replace(
    ...     smart.parse("Device Model: X\n"), flags=(), power_on_hours=3 * 8760, percent_used=25,
    ...     percent_used_range=(24.0, 26.0), host_bytes_written=60 * 10**12,
    ... )
    >>> left = forecast(drive, rated_bytes=100e12)
    >>> [round(years, 1) for years in left.wear], left.rating, left.binds
    ([8.5, 9.5], 2.0, 'rating')
    """
    a_report("report", report)
    rated_bytes = optional("rated_bytes", rated_bytes)
    bytes_per_day = optional("bytes_per_day", bytes_per_day)
    until_percent = positive("until_percent", until_percent)
    if failing := _failing(report):
        return Forecast(None, failing, None, failing)
    hours, hours_unknown = _hours(report)
    host, host_unknown = _host(report)
    days: tuple[float, float] | None = None  # that what was written took, or would take
    days_unknown = hours_unknown
    early = _early(report)
    if bytes_per_day is not None:
        days_unknown = host_unknown
        days = (host / bytes_per_day,) * 2 if host else None
    elif early:
        days_unknown = early
    elif hours:
        days = hours[0] / 24, hours[1] / 24

    used, used_unknown = _used(report)
    wear = None
    if used and _spare_ends_first(report, used[0]):
        used, used_unknown = None, "the spare blocks are used up faster than the rated life"
    if used and used[0] >= until_percent:
        wear = (0.0, 0.0)
    elif used and early:
        used_unknown = early
    elif days and used:
        ends = [math.inf if u <= 0 else max(0.0, until_percent / u - 1) for u in (used[1], used[0])]
        wear = (_years(days[0], ends[0]), _years(days[1], ends[1]))
    rated = report.rated_bytes if rated_bytes is None else rated_bytes
    rating = None
    rating_unknown = host_unknown or days_unknown
    if rated is None:
        rating_unknown = "what the drive is rated for is not known here"
    elif days and host:
        so_far = host / bytes_per_day if bytes_per_day else (report.power_on_hours or 0) / 24
        rating = so_far / 365 * max(0.0, rated / host - 1)
    return Forecast(
        wear,
        (used_unknown or days_unknown) if wear is None else None,
        rating,
        rating_unknown if rating is None else None,
    )


def _spare_ends_first(report: Report, used: float) -> bool:
    """Say whether more of the spare blocks is gone than of the rated life, and a tenth at least."""
    spare = report.health.get("available_spare", 100)
    least = report.health.get("available_spare_threshold", 0)
    gone = 100 * (100 - spare) / (100 - least) if least <= 90 else 0
    return gone > max(10, used)


def _years(days: float, share: float) -> float:
    return days / 365 * share if days else 0.0


def _failing(report: Report) -> str | None:
    critical = [
        finding.text
        for finding in observed(report, report.rated_bytes, WORN)
        if finding.level == "critical"
    ]
    return f"the drive may end at any time: {critical[0]}" if critical else None


def _doubt(report: Report, doubts: tuple[str, ...]) -> str | None:
    return next((FLAGS[word] for word in doubts if word in report.flags), None)


def _used(report: Report) -> tuple[tuple[float, float] | None, str | None]:
    reason = _doubt(report, WEAR_DOUBTS)
    if reason is None and report.percent_used_range is None:
        reason = "the report has no trusted count of life used"
    return (None, reason) if reason else (report.percent_used_range, None)


def _early(report: Report) -> str | None:
    """Say why nothing is told of a young drive: what filled it weighs most."""
    hours = report.power_on_hours
    if not hours or hours >= YEARS_HOURS or _doubt(report, HOURS_DOUBTS):
        return None
    under_power = "1 hour" if hours == 1 else f"{hours:,} hours"
    return f"too early to say: {under_power} under power, and years need {YEARS_HOURS:,}"


def _hours(report: Report) -> tuple[tuple[float, float] | None, str | None]:
    """Return the hours under power; two counts of them are trusted to a day."""
    if reason := _doubt(report, HOURS_DOUBTS):
        return None, reason
    hours = report.power_on_hours
    if not hours:
        return None, "the report has no count of hours under power"
    if hours < LEAST_HOURS:
        return None, f"{hours:,} hours under power are too few for a rate"
    other = report.statistics.get("power_on_hours")
    if report.kind != "ata":
        return (hours, hours), None
    if other is not None and "attribute" in report.rules.get("power_on_hours", ""):
        return (min(hours, other), max(hours, other)), None
    return (max(0, hours - _DAY), hours + _DAY), None


def _host(report: Report) -> tuple[int | None, str | None]:
    reason = _doubt(report, HOST_DOUBTS)
    if reason is None and not report.host_bytes_written:
        reason = "the report has no trusted count of host writes"
    return (None, reason) if reason else (report.host_bytes_written, None)


def trusted(report: Report) -> tuple[int | None, int | None, int | None]:
    """Return host bytes, power-on hours and percent used, None if in doubt or too small."""
    return (
        _host(report)[0],
        report.power_on_hours if _hours(report)[0] else None,
        report.percent_used if _used(report)[0] else None,
    )
