"""The verdict of a drive by its report: what speaks against it, what is left, what is not known."""

from typing import NamedTuple

from flashwear.smart._between import Between
from flashwear.smart._checked import a_report, optional, positive
from flashwear.smart._findings import WORN, Finding, observed
from flashwear.smart._remaining_life import forecast
from flashwear.smart._report import FLAGS, Report
from flashwear.smart._words import FINDINGS, LEVELS, NO_DRIVE, WEAR_DOUBTS

_NOT_WHOLE = ("truncated", "number_unreadable", "rows_unread", "rest_unreadable", "figures_twice")
_ENDED = ("past_life", "past_rating", "past_list", "failed_used_up", "failed_and_used_up")
_SOON_MONTHS = 12.5  # under power: what is written as 12 months


class Verdict(NamedTuple):
    """Judgement of a drive by its report."""

    level: str
    """"none" (nothing found), "warning", "critical", or "unknown"."""
    text: str
    """The verdict in a sentence."""
    findings: tuple[Finding, ...]
    """All findings, the gravest first."""

    @property
    def status(self) -> int:
        """Exit status for monitoring, 0 if nothing was found, 1 warning, 2 critical, 3 unknown."""
        return LEVELS[self.level]


def verdict(
    report: Report,
    rated_bytes: float | None = None,
    warn_percent: float = WORN,
    *,
    bytes_per_day: float | None = None,
    since: Between | None = None,
) -> Verdict:
    """Judge a drive by its report.

    Parameters
    ----------
    report : Report
        Report of the drive, from :func:`read` or :func:`parse`.
    rated_bytes : float, optional
        Host bytes that the drive is rated for; by default :attr:`Report.rated_bytes`.
    warn_percent : float, optional
        Percent of the rated life from which to warn, > 0.
    bytes_per_day : float, optional
        Bytes that the host will write each day under power; by default the mean so far.
    since : Between, optional
        Changes since an earlier report: a life that ends within a year at that rate counts, too.

    Returns
    -------
    Verdict
        The level "none" never means that a drive is sound: drives also fail without a sign. The
        level is "unknown" if nothing worse is found and the report does not tell for certain how
        worn the drive is.

    Examples
    --------
    >>> from flashwear import smart
    >>> report = smart.parse('''
    ... Model Number:                       Drive
    ... SMART overall-health self-assessment test result: FAILED!
    ... Critical Warning:                   0x09
    ... Available Spare:                    4%
    ... Available Spare Threshold:          10%
    ... Percentage Used:                    17%
    ...
    ... ''')
    >>> found = verdict(report)
    >>> found.level, found.status, [finding.word for finding in found.findings]
    ('critical', 2, ['failed', 'spare_below_threshold', 'read_only'])
    """
    order = list(FINDINGS)
    found = sorted(
        findings(report, rated_bytes, warn_percent, bytes_per_day=bytes_per_day, since=since),
        key=lambda finding: order.index(finding.word),
    )
    levels = {finding.level for finding in found}
    used = report.percent_used
    other = next((word for word in NO_DRIVE if word in report.flags), None)
    if other and "critical" not in levels:
        level, text = "unknown", FLAGS[other]
    elif grave := next((level for level in ("critical", "warning") if level in levels), None):
        level = grave
        advice = next(finding.advice for finding in found if finding.level == level)
        text = advice[0].lower() + advice[1:].removesuffix(".")
    elif reason := wear_unknown(report):
        level, text = "unknown", f"{reason}; keep a backup"
    elif found or (used or 0) > 1:
        life = f": {used} % of its rated life used" if (used or 0) > 1 else ""
        level = "none"
        text = f"no problem found{life}; drives also fail without a sign: keep a backup"
    else:
        level, text = "none", "no sign of wear; drives also fail without it: keep a backup"
    return Verdict(level, text, tuple(found))


def wear_unknown(report: Report) -> str | None:
    """Say why a report in which nothing was found does not mean much."""
    doubts = [FLAGS[word] for word in (*WEAR_DOUBTS, *_NOT_WHOLE) if word in report.flags]
    if doubts:
        return doubts[0]
    if report.exit_status & 3:
        return FINDINGS["no_data"].says
    if report.percent_used is None:
        return "the report has no trusted count of wear"
    if report.kind == "ata" and not report.model and not report.attributes:
        return "the beginning of the report is missing"
    if report.kind == "nvme":
        if report.passed is None and "critical_warning" not in report.health:
            return "the report lacks the verdict of the drive"
        judged = report.told_left is not None and report.passed  # by CrystalDiskInfo, spare too
        if not judged and not {"available_spare", "media_errors"} <= report.health.keys():
            return "the report lacks the spare blocks or the errors"
    return None


def findings(
    report: Report,
    rated_bytes: float | None = None,
    warn_percent: float = WORN,
    *,
    bytes_per_day: float | None = None,
    since: Between | None = None,
) -> tuple[Finding, ...]:
    r"""Return all warnings and notes on a report, in no particular order.

    `rated_bytes` are the host bytes that the drive is rated for, `warn_percent` is the percent of
    life from which to warn, `bytes_per_day` what the host will write each day, and `since` the
    result of :func:`between` for an earlier report.

    Examples
    --------
    >>> from flashwear import smart
    >>> findings(smart.parse("Device Model: X\n"))
    ()
    """
    a_report("report", report)
    optional("bytes_per_day", bytes_per_day)
    if since is not None and not isinstance(since, Between):
        raise ValueError(f"since must be a Between, as smart.between gives, got {since!r}")
    rated = report.rated_bytes if rated_bytes is None else positive("rated_bytes", rated_bytes)
    found = _risen(observed(report, rated, warn_percent), since)
    if any(finding.word in _ENDED for finding in found):
        return found
    at = "at the rate so far" if bytes_per_day is None else "at the load to come"
    rates = {at: forecast(report, rated, bytes_per_day)}
    if since:
        rates["at the rate since the earlier report"] = since.forecast
    for at, left in rates.items():
        # a rating alone only promises
        end = left.wear[1] if left.wear else left.rating
        if end is not None and 0 < 12 * end < _SOON_MONTHS:
            text = f"its rated life ends within a year under power, {at}"
            return (*found, Finding("ends_soon", "warning", text))
    return found


_RISEN = {  # notes that become a warning if the count behind them rose between two reports
    "interface_errors": ("interface_errors", "interface_errors_rise"),
    "listed_media_errors": ("failed_once", "media_errors"),
    "listed_refused_writes": ("failed_once", "writes_refused"),
    "reallocated_blocks": ("some_reallocated", "reallocated_blocks"),
}


def _risen(found: tuple[Finding, ...], since: Between | None) -> tuple[Finding, ...]:
    """Make a warning of each note whose count rose since the earlier report."""
    for name, more in (since.faults if since else {}).items():
        note, warning = _RISEN.get(name, ("", ""))
        found = tuple(
            Finding(warning, FINDINGS[warning].level, f"{one.text}; {more:,} more than before")
            if one.word == note
            else one
            for one in found
        )
    return found
