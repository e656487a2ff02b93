"""What happened between two reports of one drive."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from flashwear.smart._checked import a_report, optional, positive
from flashwear.smart._findings import fault_counts
from flashwear.smart._remaining_life import LEAST_HOURS, Forecast, forecast
from flashwear.smart._report import Report
from flashwear.smart._rules import rules

_COUNTERS = {
    "power_on_hours": "hours under power",
    "host_bytes_written": "host writes",
    "nand_bytes_written": "flash writes",
    "average_erases": "average erases",
}


_KNOWN = 2**20  # bytes of a unit that is surely the step, too
_COARSEST = 2**30  # bytes that a known counter counts by; more divides two readings by chance
_SLACK_S = 2 * 86_400  # of clocks in zones that a report does not name


class Between(NamedTuple):
    """Changes of a drive's counters between two reports; what the reports do not tell is None."""

    hours: int
    """Hours under power."""
    seconds: int | None
    """Seconds by the clock; None unless both reports tell the time."""
    host_bytes: int | None
    """Bytes written by the host."""
    nand_bytes: int | None
    """Bytes programmed in flash."""
    waf: float | None
    """Write amplification factor, `nand_bytes` over `host_bytes`."""
    percent: int | None
    """Life used up between the reports, in percentage points of the rated life."""
    forecast: Forecast
    """Years left if the load stays what it was between the reports."""
    faults: dict[str, int]
    """Counts of faults that rose between the reports, by the finding that they lead to."""


def between(
    old: Report, new: Report, rated_bytes: float | None = None, until_percent: float = 100.0
) -> Between:
    """Return the changes between two reports of a drive, and the years left at the load between.

    Wear to come is computed per byte programmed in flash if the drive counts these, else per byte
    of the host.

    Parameters
    ----------
    old, new : Report
        Two reports of one drive, the earlier first.
    rated_bytes, until_percent : float, optional
        Host bytes that the drive is rated for, and percent of the rated life at which it ends.

    Raises
    ------
    ValueError
        If the reports are of two drives, less than an hour of power lies between them, or a
        counter fell.

    Examples
    --------
    >>> from flashwear import smart
    >>> text = '''
    ... Device Model:     Crucial_CT750MX300SSD1
    ... ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
    ...   9 Power_On_Hours          -O--CK   100   100   000    -    {}
    ... 246 Total_LBAs_Written      -O--CK   100   100   000    -    {}
    ...
    ... '''
    >>> first, second = (smart.parse(text.format(hours, 2 * 10**9 * hours)) for hours in (50, 98))
    >>> change = between(first, second)
    >>> change.hours, change.host_bytes / 1e12
    (48, 49.152)
    """
    _check(old, new)
    rated_bytes = optional("rated_bytes", rated_bytes)
    until_percent = positive("until_percent", until_percent)
    hours = _grown(old, new, "power_on_hours")
    if not hours:
        raise ValueError("the reports must lie at least an hour under power apart")
    times = old.time_s, new.time_s
    seconds = None if None in times else times[1] - times[0]  # type: ignore[operator]
    if seconds is not None and hours * 3600 > seconds + _SLACK_S:
        raise ValueError(
            f"{hours:,} hours under power do not fit into the {seconds / 86400:,.1f} days between "
            "the reports"
        )
    grew = written(old, new)
    host, nand = grew.host_bytes, grew.nand_bytes
    used = old.percent_used, new.percent_used
    same_rule = old.rules.get("percent_used") == new.rules.get("percent_used")
    if same_rule and None not in used and used[1] < used[0] - 1:  # type: ignore[operator]
        raise ValueError(f"life used fell from {used[0]} to {used[1]} %: another drive, or a reset")
    return Between(
        hours,
        seconds,
        host,
        nand,
        nand / host if host and nand is not None else None,
        used[1] - used[0] if same_rule and None not in used else None,  # type: ignore[operator]
        _forecast(new, hours, host, nand, rated_bytes, until_percent),
        _more_faults(old, new),
    )


def _more_faults(old: Report, new: Report) -> dict[str, int]:
    """Return by how much each count of faults rose; entries of an error log count, too."""
    before, after = fault_counts(old), fault_counts(new)
    for name in ("listed_media_errors", "listed_refused_writes"):
        before[name], after[name] = old.health.get(name, 0), new.health.get(name, 0)
    return {name: count - before[name] for name, count in after.items() if count > before[name]}


_COUNTED: dict[str, tuple[set[Any], ...]] = {  # where a report tells these counts
    "media_errors": ({184, 187, 198}, {"uncorrectable_errors"},
                     {"media_errors", "uncorrectable_reads"}, {"uncorrected_errors"}),
    "pending_sectors": ({197}, {"pending_defects"}, set(), {"pending_defects"}),
    "reallocated_blocks": ({5}, {"reallocated_sectors"}, set(), {"grown_defects"}),
    "interface_errors": ({199}, {"interface_errors"}, set(), set()),
}  # fmt: skip


def faults(report: Report) -> dict[str, int | None]:
    """Return :func:`fault_counts`, but None for those that the report does not tell."""
    logs: tuple[Mapping[Any, object], ...] = (
        report.attributes, report.statistics, report.health, report.scsi
    )  # fmt: skip
    counts, zero = fault_counts(report), "all_zero" in report.flags
    return {
        name: None
        if zero or not any(keys & log.keys() for keys, log in zip(places, logs, strict=True))
        else counts[name]
        for name, places in _COUNTED.items()
    }


class Written(NamedTuple):
    """Bytes written between two reports: ``host_bytes`` by the host, ``nand_bytes`` in flash."""

    host_bytes: int | None
    """Bytes written by the host; None where the drive does not count them."""
    host_step: int
    """Bytes by which the host's counter moves at a time."""
    nand_bytes: int | None
    """Bytes programmed in flash; None where the drive does not count them."""
    nand_step: int
    """Bytes by which the flash's counter moves at a time."""


def written(old: Report, new: Report) -> Written:
    """Return the bytes written between two reports of a drive, however close in time.

    Parameters
    ----------
    old, new : Report
        Two reports of one drive, the earlier first.

    Returns
    -------
    Written
        Bytes are None if the drive does not count them, or if the counters of the two reports are
        read differently. A step is the counter's unit, or the sum of units where counters are
        added, or for units below 1 MiB the largest number that divides both readings.

    Raises
    ------
    ValueError
        If the reports are of two drives, or a counter fell.
    """
    _check(old, new)
    host, host_step = _counted(old, new, "host_bytes_written", "host_bytes")
    nand, nand_step = _counted(old, new, "nand_bytes_written", "nand_bytes")
    return Written(host, host_step, nand, nand_step)


def _counted(old: Report, new: Report, name: str, figure: str) -> tuple[int | None, int]:
    rule = old.rules.get(name)
    found = [found for sets in rules().values() for found in sets.get(figure, ())]
    # a sum of counters, each of which may be a step behind
    unit = max(
        (int(one.scale) * sum(by for _, by in one.terms) for one in found if one.name == rule),
        default=1,
    )
    grown = _grown(old, new, name) if rule == new.rules.get(name) else None
    first = getattr(old, name)
    seen = math.gcd(first, grown) if first and grown and unit < _KNOWN else unit
    return grown, max(unit, min(seen, _COARSEST))


def _check(old: Report, new: Report) -> None:
    a_report("old", old)
    a_report("new", new)
    for name in ("kind", "model", "capacity_bytes"):
        first, second = getattr(old, name), getattr(new, name)
        if first != second and None not in (first, second):
            raise ValueError(f"the reports are of two drives: {name} {first} and {second}")
    if old.identity and new.identity and old.identity != new.identity:
        raise ValueError("the reports are of two drives: their serial numbers differ")


def _grown(old: Report, new: Report, name: str) -> int | None:
    first, second = getattr(old, name), getattr(new, name)
    if first is None or second is None:
        return None
    if second < first:
        raise ValueError(
            f"{_COUNTERS[name]} fell from {first:,} to {second:,}: another drive, or one that "
            "was reset"
        )
    grown: int = second - first
    return grown


def _forecast(
    new: Report,
    hours: int,
    host: int | None,
    nand: int | None,
    rated_bytes: float | None,
    until_percent: float,
) -> Forecast:
    if not host:
        reason = "the host wrote nothing between the reports"
        return Forecast(None, reason, None, reason)
    if hours < LEAST_HOURS:
        reason = (
            f"too early to say: {hours:,} hours between the reports, and years need {LEAST_HOURS}"
        )
        return Forecast(None, reason, None, reason)
    by_rating = forecast(new, rated_bytes, host * 24 / hours, until_percent)
    if not nand or not new.nand_bytes_written or not new.host_bytes_written:
        return by_rating
    per_day = nand * 24 / hours * new.host_bytes_written / new.nand_bytes_written
    by_wear = forecast(new, rated_bytes, per_day, until_percent)
    return by_rating._replace(wear=by_wear.wear, wear_unknown=by_wear.wear_unknown)
