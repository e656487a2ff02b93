"""The page of ``flashwear fleet --html``: all drives, worst first, and models in the field."""

from __future__ import annotations

import base64
import hashlib
import math
import statistics
import time
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flashwear import smart
from flashwear.cli._page import page
from flashwear.cli._told import Told, at_least, gravest, interval, short
from flashwear.smart._among import quantities
from flashwear.smart._between import faults
from flashwear.smart._remaining_life import LEAST_HOURS, trusted

if TYPE_CHECKING:
    from flashwear.history import Change, Row

_LEVELS = ("critical", "warning", "unknown", "none")
_SAID = {"none": "nothing found"}
_NAMES = ["Life used, %", "Spare, %", "Media errors", "Interface errors", "°C",
          "Report, days old", "Host", "Years under power", "Written by the host, TB",
          "Write ampl.", "Years under power until {} %"]  # fmt: skip
_HOURS = 8760  # of a year
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 300, 50, 40
_DOTS = {"none": 4, "unknown": 4, "warning": 6, "critical": 8}  # the gravest on top


class Judged(NamedTuple):
    """A drive's row on the page: its output, ``quantities`` to compare, and when to replace it."""

    told: Told
    quantities: dict[str, float]
    """Write amplification, drive writes a day and percent of life used, if not in doubt."""
    reached: tuple[float, float] | None
    """Least and most years under power until the life used reaches the percent to warn at."""
    by: str
    """Which reports give the rate, or why `reached` is None; empty for the average so far."""
    known: tuple[Row, Change | None] | None
    """What a history tells of the drive."""

    @property
    def level(self) -> str:
        """The level of the verdict, with what a history adds."""
        status = self.known[0].status if self.known else 0
        own = next(level for level, number in smart.LEVELS.items() if number == status)
        return gravest([self.told.level, own])

    @property
    def order(self) -> tuple[int, float, float, str]:
        """Sort key of the drive among the others, the worst first."""
        early = self.reached[0] if self.reached else math.inf
        used = self.quantities.get("used", -1)
        return _LEVELS.index(self.level), early, -used, self.told.files[-1]


def judged(told: Told, warn: float, known: tuple[Row, Change | None] | None = None) -> Judged:
    """Judge a drive by its newest report, at the wear rate since its oldest; warn at `warn` %."""
    values = quantities(told.report)
    if told.between and told.between.hours >= LEAST_HOURS:
        change = smart.between(told.oldest, told.report, told.rated, warn)
        if change.forecast.wear:
            by = f"by two reports that lie {change.hours:,} h apart"
            return Judged(told, values, change.forecast.wear, by, known)
    left = smart.forecast(told.report, told.rated, until_percent=warn)
    return Judged(told, values, left.wear, left.wear_unknown or "", known)


def fleet_page(
    drives: Iterable[Told],
    others: Iterable[tuple[str, str]],
    warn: float,
    known: Mapping[str, tuple[Row, Change | None]],
) -> str:
    """Return an HTML page about `drives`, and about `others`: files without a report, and why.

    `known` has what a history tells, by the names of files.
    """
    every = (judged(told, warn, known.get(told.files[-1])) for told in drives)
    found = sorted(every, key=lambda drive: drive.order)
    levels = [drive.level for drive in found]
    counts = (f"{levels.count(level):,} {_SAID.get(level, level)}" for level in _LEVELS)
    ends = [drive.reached for drive in found if drive.reached]
    there = sum(high == 0 for _, high in ends)
    soon = sum(low < 1 for low, _ in ends) - there
    body = [
        "<noscript><style>.some tbody tr:nth-child(n){display:table-row}</style></noscript>",
        f"<h1>{_drives(len(found))}, worst first</h1>",
        f"<p>{', '.join(counts)}. At {warn:g} % of the rated life or past it: {there:,}; within a "
        f"year under power perhaps {soon:,} more. Many drives go on after that.</p>",
        _wear_over_age(found, warn),
        _table_of_drives(found, warn),
        _table_of_models(found),
    ]
    lost = [f"<li><bdi>{escape(path)}</bdi>: {escape(why)}</li>" for path, why in others]
    if lost:
        body.append(
            f"<details><summary>Reports of no solid-state drive, and files without a report: "
            f"{len(lost):,}</summary><ul>{''.join(lost)}</ul></details>"
        )
    style, script = (Path(__file__).with_suffix(end).read_text("utf-8") for end in (".css", ".js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    return page("flashwear fleet", head, "\n".join(body) + f"\n<script>{script}</script>")


def _drives(count: int) -> str:
    return "1 drive" if count == 1 else f"{count:,} drives"


def _table(name: str, caption: str, heads: list[str], rows: list[str]) -> str:
    """Return a table of which 500 rows are shown first: a browser takes long for 10,000."""
    cells = "".join(f"<th scope=col{head}</th>" for head in heads)
    return (
        f"<h2>{name}</h2><p>{caption}</p><div class=scroll tabindex=0 role=region "
        f'aria-label="{name}"><table{" class=some" * (len(rows) > 500)}>'
        f"<thead><tr>{cells}</tr></thead><tbody>\n"
        + "\n".join(f"<tr>{row}</tr>" for row in rows)
        + "\n</tbody></table></div>"
    )


def _small(text: str) -> str:
    return f"<small>{escape(text)}</small>" if text else ""


def _number(value: float | None, text: str | None = None, more: str = "") -> str:
    """Return a cell by whose value the table is sorted."""
    if value is None:
        return '<td class=n data-v=""></td>'
    shown = short(value) if text is None else text
    return f'<td class=n data-v="{value:.6g}">{shown}{_small(more)}</td>'


def _table_of_drives(found: list[Judged], warn: float) -> str:
    names = ["Drive", "Verdict", *_NAMES[:-1], _NAMES[-1].format(f"{warn:g}")]
    first = {"Drive": "", "Verdict": " aria-sort=descending", names[-1]: "", "Host": ""}
    heads = [f"{first.get(name, ' class=n')}>{name}" for name in names]
    caption = (
        "By the newest report of each drive. Years to come are from then on, at the average rate "
        "of its life unless two reports are named. What is in doubt is left empty."
    )
    now = time.time()
    rows = []
    for drive in found:  # a narrow screen shows the names beside the figures
        cells = zip(names, _row(drive, now), strict=True)
        rows.append("".join(f'<td data-n="{name}"{cell[3:]}' for name, cell in cells))
    return _table("Drives", caption, heads, rows)


def _row(drive: Judged, now: float) -> list[str]:
    told = drive.told
    report, values = told.report, drive.quantities
    names = [report.firmware, *told.files[-1:]]
    if told.between:
        names.append(f"and {len(told.files) - 1} earlier")
    level = drive.level
    texts = [finding.text for finding in told.verdict.findings if finding.level != "note"]
    texts += [f"in an earlier report: {finding.text}" for finding in told.only_earlier()]
    if told.level == "unknown":
        texts.insert(0, told.verdict.text)
    if drive.known:
        row, change = drive.known
        texts = [one.text for one in row.findings if one.word == "stale"] + texts
        texts += change.sentences() if change else []
    host_bytes, used, time_s = report.host_bytes_written, report.percent_used, report.time_s
    hours, counted, health = report.power_on_hours, faults(report), report.health
    path = told.files[-1]
    days = None if time_s is None else max(0.0, now - time_s) / 86_400
    taken = "" if time_s is None else time.strftime("%Y-%m-%d", time.gmtime(time_s))
    zero = "all_zero" in report.flags
    cells = [
        f"<td><bdi>{escape(report.model or 'model not given')}</bdi>"
        f"{_small(', '.join(filter(None, names)))}</td>",
        f'<td class={level} data-v="{-_LEVELS.index(level)}"><b>{_SAID.get(level, level)}</b>'
        f"{_small('; '.join(texts))}</td>",
        _number(used, None if used is None else at_least(report, used)),
        _number(None if zero else health.get("available_spare")),
        _number(counted["media_errors"]),
        _number(counted["interface_errors"]),
        _number(None if zero else report.temperature_c),
        _number(days, None if days is None else f"{days:,.0f}", taken),
        f"<td>{escape(path.partition('/')[0])}</td>" if "/" in path else '<td data-v=""></td>',
        _number(None if hours is None else hours / _HOURS),
        _number(None if host_bytes is None else host_bytes / 1e12),
        _number(values.get("waf")),
    ]
    if drive.reached is None:
        return [*cells, f'<td data-v="">not known{_small(drive.by)}</td>']
    low, high = drive.reached
    text = "reached" if high == 0 else interval(low, high)
    return [*cells, f'<td data-v="{low:.6g}">{text}{_small(drive.by)}</td>']


def _table_of_models(found: list[Judged]) -> str:
    """Return the median of each model here beside its line in the field."""
    models: dict[str, list[Judged]] = {}
    for drive in found:
        models.setdefault(drive.told.report.model or "model not given", []).append(drive)
    heads = [">Model", " aria-sort=descending class=n>Drives"]
    for name in ("Life used, %", "Drive writes a day", "Write amplification"):
        heads += [f" class=n>{name}", ">in the field"]
    caption = (
        "The median here, and that of the same line in the field with the range of eight in ten "
        "drives. Summarised from reports by Linux users, "
        '<a href="https://linux-hardware.org">linux-hardware.org</a>, '
        '<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>; most run in servers.'
    )
    order = sorted(models, key=lambda model: (-len(models[model]), model))
    rows = [_model_row(model, models[model]) for model in order]
    return _table("Models, and their lines in the field", caption, heads, rows)


def _model_row(model: str, drives: list[Judged]) -> str:
    cells = [f"<td><bdi>{escape(model)}</bdi></td>", _number(len(drives), f"{len(drives):,}")]
    field: dict[str, smart.Among] = {}
    for drive in drives:
        field |= {among.quantity: among for among in smart.among(drive.told.report)}
    for name in ("used", "dwpd", "waf"):
        values = [drive.quantities[name] for drive in drives if name in drive.quantities]
        cells.append(_number(statistics.median(values) if values else None))
        if name in field:
            line = field[name]
            low, middle, high = (short(value) for value in (line.p10, line.p50, line.p90))
            of = _small(f"{low} to {high}, {line.drives:,} {line.line}")
            cells.append(f'<td data-v="{line.p50:.6g}">{middle}{of}</td>')
        else:
            cells.append('<td data-v=""></td>')
    return "".join(cells)


def _wear_over_age(found: list[Judged], warn: float) -> str:
    """Return a chart of the life used over the years under power, a dot for each drive."""
    dots = [
        (drive.level, hours / _HOURS, used)
        for drive in found
        for _, hours, used in [trusted(drive.told.report)]
        if hours is not None and used is not None
    ]
    if not dots:
        return ""
    most_years = max(1.0, *(years for _, years, _ in dots))
    most_used = max(100.0, warn, *(used for _, _, used in dots))

    def at(years: float, used: float) -> tuple[float, float]:
        x = _LEFT + (_WIDTH - _LEFT - 10) * years / most_years
        return round(x, 1), round(10 + (_HEIGHT - _BOTTOM - 10) * (1 - used / most_used), 1)

    drawn = []
    for years in _ticks(most_years):
        x, y = at(years, 0)
        drawn.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{years:g}</text>')
    for used in _ticks(most_used):
        x, y = at(0, used)
        drawn.append(f'<path class="grid" d="M{x} {y}H{_WIDTH - 10}"/>')
        drawn.append(f'<text x="{x - 6}" y="{y + 5}" text-anchor="end">{used:g} %</text>')
    x, y = at(0, warn)
    drawn.append(f'<path class="warning warn" d="M{x} {y}H{_WIDTH - 10}"/>')
    drawn.append(
        f'<text x="{_WIDTH - 10}" y="{_HEIGHT - 4}" text-anchor="end">Years under power</text>'
    )
    key: list[str] = []
    for level, size in _DOTS.items():
        places = [at(years, used) for its, years, used in dots if its == level]
        if places:
            path = "".join(f"M{x} {y}h0" for x, y in places)
            drawn.append(f'<path class="{level}" stroke-width="{size}" d="{path}"/>')
            key.insert(0, f"<b class={level}>{_SAID.get(level, level)}</b> {len(places):,}")
    what = f"Life used over years under power, {len(dots):,} of {_drives(len(found))}"
    return (
        f"<h2>Wear over age</h2><p>{what}; the dashed line is at {warn:g} %. {', '.join(key)}. "
        "Larger dots are graver.</p>\n<div class=scroll tabindex=0>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{what}">'
        f"{''.join(drawn)}</svg></div>"
    )


def _ticks(most: float) -> list[float]:
    least = 10 ** math.floor(math.log10(most / 8))
    step = next(least * times for times in (1, 2, 5, 10) if most / (least * times) <= 8)
    return [step * place for place in range(math.floor(most / step) + 1)]
