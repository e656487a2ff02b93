"""The output about one drive, as text."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from flashwear import smart
from flashwear.cli._say import size
from flashwear.smart import Finding, Forecast, Report, Verdict
from flashwear.smart._remaining_life import LEAST_HOURS

if TYPE_CHECKING:
    from flashwear.history import Change

Named = tuple[str, Report]
"""A report and the file that it is from."""

_LEAST_DAYS = 7  # for a rate to mean something
_MOST_DAYS = 36_500
_AMONG = {
    "waf": ("write amplification", ""),
    "dwpd": ("writes a day of", " drives"),
    "used": ("life used", " %"),
}
_AMONG_WHOM = "by reports of Linux users, linux-hardware.org, CC BY 4.0"
GRAVE = ("warning", "critical")
_LEAST_WAF = 0.05
_COLOURS = {"none": 32, "warning": 33, "critical": 31, "unknown": 35}
_WIDTH = 22
_STOPS = {  # flags of counters that go no further than this figure
    ("177_saturated_8191", 8191), ("177_value_floor", 99), ("233_value_floor", 99),
    ("245_value_floor", 99), ("202_saturated", 100), ("percent_used_255", 255),
}  # fmt: skip


def gravest(levels: list[str]) -> str:
    """Return the most severe of some levels; unknown is more severe than no finding."""
    return max(levels, key=("none", "unknown", "warning", "critical").index)


class Told:
    """All that the command says about one drive, from one or several reports."""

    def __init__(self, drive: list[Named], options: argparse.Namespace) -> None:
        self.files = [name for name, _ in drive]
        states = [report for _, report in drive]
        self.oldest, self.report = states[0], states[-1]
        self.needs_capacity = options.dwpd is not None and self.report.capacity_bytes is None
        self.load: float | None = options.load
        self.rated, self.rated_by = self._rating(options)
        self.since: datetime | None = options.in_use_since
        self.forecast = smart.forecast(self.report, self.rated, self.load)
        self.between: smart.Between | None = None
        self.not_compared: str | None = None
        if len(states) > 1:
            try:
                self.between = smart.between(states[0], self.report, self.rated)
            except ValueError as error:
                self.not_compared = str(error)
        self.verdict: Verdict = smart.verdict(
            self.report, self.rated, options.warn, bytes_per_day=self.load, since=self.between
        )
        told_apart = self.not_compared is not None
        before = [] if told_apart else states[:-1]
        self.history: tuple[list[str], Change | None] | None = None
        self.earlier = [smart.verdict(one, self.rated, options.warn) for one in before]

    @property
    def level(self) -> str:
        """The level of the newest report, or a more severe one because of an earlier report."""
        grave = [verdict.level for verdict in self.earlier if verdict.level in GRAVE]
        return gravest([self.verdict.level, *grave])

    def only_earlier(self) -> list[Finding]:
        """Return the findings of earlier reports that the newest report no longer has."""
        now = {finding.word for finding in self.verdict.findings}
        found = (finding for earlier in self.earlier for finding in earlier.findings)
        return [one for one in found if one.word not in now and one.level != "note"]

    def _rating(self, options: argparse.Namespace) -> tuple[float | None, str]:
        report = self.report
        if options.tbw is not None:
            return options.tbw, "as given"
        if options.dwpd is not None and report.capacity_bytes:
            rated = options.dwpd * report.capacity_bytes * 365 * options.years
            return rated, f"{options.dwpd:g} drive writes a day for {options.years:g} years"
        return report.rated_bytes, report.rules.get("rated_bytes", "")

    def lines(self) -> Iterator[str]:
        """Return the output for people, with the verdict first."""
        for name, text in self._rows():
            yield f"{name:<{_WIDTH - 1}} {text}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        report, verdict = self.report, self.verdict
        yield "Drive", _drive(report)
        head, tail = (verdict.level, f": {verdict.text}")
        if self.level != verdict.level:
            head, tail = self.level, f" in an earlier report; now {verdict.level}: {verdict.text}"
        elif verdict.level == "none":
            head, tail = verdict.text, ""
        yield "Verdict", f"{_coloured(head, self.level)}{tail}"
        if not self.is_drive:
            return
        yield from _under("Found", [finding.text for finding in verdict.findings])
        yield from _under("In an earlier report", [one.text for one in self.only_earlier()])
        yield "Written by the host", self._host()
        if report.kind == "ata" or report.nand_bytes_written is not None:
            yield "Written to flash", _bytes(report, "nand_bytes_written")
            yield "Write amplification", amplification(report)
        if report.waf_fdp is not None:
            since = size(report.health["fdp_host_bytes"])
            yield "Since FDP was set up", f"{report.waf_fdp:.2f} for {since} of the host"
        if report.kind == "ata" or report.average_erases is not None:
            yield "Average erases", _figure(report, "average_erases", " per block")
        yield "Life used", self._life_used()
        if (left := report.told_left) is not None and left + (report.percent_used or 0) != 100:
            yield "", f"CrystalDiskInfo says that {left} % are left"
        if (worse := report.worse_percent_used) is not None:
            yield "", f"{worse} % by the worse of its two counts, which its maker's tool may show"
        yield from _under("Not judged", map(_row_of_life, self.life_rows()))
        yield "Rated to write", self._rated()
        at = "at this rate" if self.load is None else f"at {size(self.load)} a day"
        yield "Left", _years(self.forecast, at)
        rate = "the rate between the reports" if self.between else "the average since then"
        days = [f"{what} in {day:%B %Y}, at {rate}" for what, day in self.reached()]
        yield from _under("Reaches", [f"{day}; that is no end of the drive" for day in days])
        if among := smart.among(report):
            yield from _under("Among its line", [*map(_place, among), _AMONG_WHOM])
        yield from _conditions(report)
        yield "Verdict of the drive", _own_verdict(report)
        yield from self._compared()
        yield from _under("In its history", self.history[0] if self.history else ())
        rows = ": " + ", ".join(map(str, report.attributes))
        doubts = [smart.FLAGS[word] + rows * (word == "table_ends_text") for word in report.flags]
        yield from _under("Not to be trusted", doubts)

    @property
    def is_drive(self) -> bool:
        """Whether the report is of a drive."""
        return not any(word in self.report.flags for word in smart.NO_DRIVE)

    def _host(self) -> str:
        report, count = self.report, self.report.host_bytes_written
        if count is None:
            return "not known"
        text = size(count)
        capacity, a_day = report.capacity_bytes, self.a_day(LEAST_HOURS)
        if capacity:
            text += f", {short(count / capacity)} times the drive"
        if a_day is not None:
            text += f"; {size(a_day)} a day"
            if capacity:
                text += f", {short(a_day / capacity)} DWPD"
        return f"{text} ({report.rules['host_bytes_written']})"

    def a_day(self, least_hours: int) -> float | None:
        """Return the host's bytes per day under power so far; None before `least_hours`."""
        count, hours = self.report.host_bytes_written, self.report.power_on_hours or 0
        return count * 24 / hours if count is not None and hours >= least_hours else None

    def _rated(self) -> str:
        if self.rated is None:
            if self.needs_capacity:
                return "not known: --dwpd needs the capacity, which the report does not name"
            if smart.unrated(self.report.model):
                return "none was found in public; give it with --tbw or --dwpd"
            return "not known here; give it with --tbw or --dwpd"
        text = f"{size(self.rated)} ({self.rated_by})"
        written = self.report.host_bytes_written
        if written is not None:
            text += f", of which {short(100 * written / self.rated)} % written"
        return text

    def _life_used(self) -> str:
        report = self.report
        told = _figure(report, "percent_used", " %")
        if report.percent_used is None and report.kind == "ata" and not report.statistics:
            told += "; the device statistics of smartctl -x may tell it"
        return told

    def life_rows(self) -> tuple[smart.LifeRow, ...]:
        """Return the attributes that may tell the life used, if no rule computes it."""
        return () if self.report.percent_used is not None else smart.life_rows(self.report)

    def reached(self) -> list[tuple[str, date]]:
        """Return the dates at which rated writes and rated wear will be reached, if known."""
        report, change = self.report, self.between
        if change is not None and change.seconds:
            now = datetime.fromtimestamp(report.time_s or 0, UTC)
            days, host, percent = change.seconds / 86400, change.host_bytes, change.percent
        elif self.since is not None:
            stamp = report.time_s
            now = datetime.now(UTC) if stamp is None else datetime.fromtimestamp(stamp, UTC)
            days = (now - self.since).total_seconds() / 86400
            host, percent = report.host_bytes_written, report.percent_used
        else:
            return []
        if days < _LEAST_DAYS:
            return []
        used, written = report.percent_used, report.host_bytes_written
        left: list[tuple[str, float]] = []
        if self.rated and self.forecast.rating and host and written:
            left.append(("its rated writes", (self.rated - written) / host * days))
        if used is not None and self.forecast.wear and percent and percent >= 2:
            left.append(("its rated wear", (100 - used) / percent * days))
        return [
            (what, (now + timedelta(days=more)).date())
            for what, more in left
            if 0 < more < _MOST_DAYS
        ]

    def _compared(self) -> Iterator[tuple[str, str]]:
        if self.not_compared:
            yield "Not compared", self.not_compared
        change = self.between
        if change is None:
            return
        days = "" if change.seconds is None else f" in {change.seconds / 86400:,.1f} days"
        yield "Between the reports", f"{change.hours:,} h under power{days}{self._dates()}"
        if change.host_bytes is not None:
            a_day = size(change.host_bytes * 24 / change.hours)
            text = f"{size(change.host_bytes)} by the host, {a_day} a day"
            if change.nand_bytes is not None:
                text += f"; {size(change.nand_bytes)} to flash"
            if change.waf is not None:
                text += f", write amplification {change.waf:.2f}"
            yield "", text
        if change.percent is not None:
            yield "", f"{change.percent} % of life used"
        yield "", f"left {_years(change.forecast, 'at that rate')}"

    def _dates(self) -> str:
        times = self.oldest.time_s, self.report.time_s
        if None in times:
            return ""
        dates = (datetime.fromtimestamp(time or 0, UTC).date().isoformat() for time in times)
        return ", {} to {}".format(*dates)


def _under(name: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield some texts as rows, the first of them under the name."""
    for text in texts:
        yield name, text
        name = ""


def _row_of_life(row: smart.LifeRow) -> str:
    named = f"{row.number} {row.name}".rstrip()
    return f"{named}: value {row.value}" + (f", raw {row.raw}" if row.raw else "")


def _place(found: smart.Among) -> str:
    what, unit = _AMONG[found.quantity]
    return f"{what} {found.value:.3g}{unit}; {found.place} ({found.line})"


def _drive(report: Report) -> str:
    parts = [report.model or "model not given"]
    if report.firmware:
        parts.append(f"firmware {report.firmware}")
    if report.capacity_bytes is not None:
        parts.append(size(report.capacity_bytes))
    if report.power_on_hours is not None:
        parts.append(f"{report.power_on_hours:,} h under power")
    return ", ".join(parts)


def _bytes(report: Report, figure: str) -> str:
    count = getattr(report, figure)
    if count is None:
        return "not known"
    more = ""
    if report.slc_bytes_written is not None:
        more = f", and {size(report.slc_bytes_written)} in the SLC cache"
    return f"{size(count)}{more} ({report.rules[figure]})"


def _figure(report: Report, figure: str, unit: str) -> str:
    value = getattr(report, figure)
    if value is None:
        return "not known"
    return f"{at_least(report, value)}{unit} ({report.rules[figure]})"


def at_least(report: Report, value: int) -> str:
    """Return the counter `value` as text, with "at least" if it can count no further."""
    stopped = any((word, value) in _STOPS for word in report.flags)
    return f"{'at least ' if stopped else ''}{value:,}"


def amplification(report: Report) -> str:
    """Return the write amplification as text, or why it is not known."""
    if "host_unit_doubtful" in report.flags:
        return "not known: the unit of host writes is in doubt"
    if report.waf is None and report.nand_bytes_written is not None and report.host_bytes_written:
        return "not known: the unit of the counters is a guess"
    if report.waf is not None and report.waf < _LEAST_WAF:
        return f"not known: {report.waf:.2g} is less than compression explains"
    if report.waf is not None:
        return f"{report.waf:.2f}" + (" without the SLC cache" if report.slc_bytes_written else "")
    if report.waf_pages is not None:
        return f"{report.waf_pages:.2f} by pages, whose size is not known"
    if report.waf_reported is not None:
        return f"{report.waf_reported:.2f} as the drive states it, unchecked"
    if report.erase_ratio is not None:
        if report.rules["erase_ratio"] == "lower bound":
            return f"at least {report.erase_ratio:.2f}, by erases"
        return (
            f"not counted; erases times capacity are {report.erase_ratio:.2f} times the host "
            "writes, which blocks erased before they are full raise"
        )
    return "not known: the report has no trusted count of flash writes"


def _years(forecast: Forecast, at: str) -> str:
    """Return the years left as text, by wear and by rating."""
    wear, rating = forecast.wear, forecast.rating
    if wear is None and rating is None:
        return f"not known: {forecast.wear_unknown}"
    over = rating == 0 or (wear is not None and wear[1] == 0)
    parts = [f"by wear not known: {forecast.wear_unknown}"]
    if wear is not None:
        parts = ["rated wear used up" if wear[1] == 0 else f"{interval(*wear)} by wear"]
    if rating is not None:
        parts.append("rating used up" if rating == 0 else f"{interval(rating)} by its rating")
    if over:
        parts.append("a rating is what the maker promises, not the end")
    elif forecast.binds:
        parts.append(f"{forecast.binds} ends first")
    return f"under power {at}: {'; '.join(parts)}"


def interval(low: float, high: float | None = None) -> str:
    """Return a range of years as text, in months if it is below two years."""
    high = low if high is None else high
    if math.isinf(high):
        return f"more than {_span(low)} years"
    if high < 1 / 12:
        return "less than a month"
    unit, times = ("years", 1) if high >= 2 else ("months", 12)
    first, last = (
        _span(end * times) if times == 1 else f"{end * times:.0f}" for end in (low, high)
    )
    if first == last:
        return "1 month" if (first, unit) == ("1", "months") else f"{first} {unit}"
    return f"{first} to {last} {unit}"


def _span(years: float) -> str:
    return f"{years:.1f}" if years < 10 else f"{years:,.0f}"


def short(value: float) -> str:
    """Return a number as text with three digits or, from 1000 on, as a whole number."""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _conditions(report: Report) -> Iterator[tuple[str, str]]:
    health = report.health
    spare, least = health.get("available_spare"), health.get("available_spare_threshold")
    if spare is not None:
        asked = f"; the drive warns below {least} %" if least else ""
        yield "Spare blocks left", f"{spare} %{asked}"
    if "media_errors" in health:
        yield "Media errors", f"{health['media_errors']:,}"
    if "unsafe_shutdowns" in health:
        cycles = health.get("power_cycles")
        of = f" of {cycles:,} power cycles" if cycles else ""
        yield "Unsafe shutdowns", f"{health['unsafe_shutdowns']:,}{of}"
    if report.temperature_c is not None:
        yield "Temperature", f"{report.temperature_c} °C"


def _coloured(text: str, level: str) -> str:
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    return f"\x1b[{_COLOURS[level]}m{text}\x1b[0m"


def _own_verdict(report: Report) -> str:
    return {True: "PASSED", False: "FAILED", None: "not in the report"}[report.passed]
