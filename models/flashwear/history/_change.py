"""What changed between the reports of one drive: wear a month, errors, counters that fell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from flashwear.history._row import Row
from flashwear.smart import FINDINGS, Finding

_DAY = 86_400
_MONTH = 365 / 12  # days
_LEAST_DAYS = 7  # for a rate
_FAULTS = {
    "media_errors": "errors that could not be corrected",
    "pending_sectors": "sectors that could not be read",
    "reallocated_blocks": "replaced blocks",
    "interface_errors": "errors between drive and computer",
}
_ALARMS = {  # findings of which the count rose, in place of the note
    "media_errors": "media_errors",
    "pending_sectors": "pending_sectors",
    "reallocated_blocks": "reallocated_blocks",
    "interface_errors": "interface_errors_rise",
}
_FEW_ON_LINK = 10
_NEVER_FALL = {
    "power_on_hours": "hours under power",
    "host_bytes_written": "bytes written by the host",
    "nand_bytes_written": "bytes written to flash",
    "media_errors": _FAULTS["media_errors"],
    "reallocated_blocks": _FAULTS["reallocated_blocks"],
    "interface_errors": _FAULTS["interface_errors"],
    "life_used_percent": "life used",
}


class Change(NamedTuple):
    """What happened between the reports of a drive; rates are by the clock, not under power."""

    since: int
    """First report that counts, seconds since 1970: after a counter fell, if one did."""
    days: float
    """Days from it to the newest."""
    wear_per_month: tuple[float, float, float] | None
    """Percentage points of the rated life in a twelfth of a year: least, middle and most, since
    each report gives whole percent. None if the reports do not tell, or lie less than 7 days
    apart."""
    host_bytes_per_day: float | None
    """Bytes written by the host a day."""
    rises: dict[str, int]
    """More of each kind of errors within the last 7 days, or since the report before these."""
    rises_since: int
    """Time of the report from which they are counted."""
    fell: tuple[str, ...]
    """Counters that fell, which they never do: another drive, or a reset."""
    firmware: tuple[str, str] | None
    """Firmware before and after, if it changed."""

    def sentences(self) -> list[str]:
        """Return what changed, in words."""
        told = [f"{name} fell: another drive, or a reset" for name in self.fell]
        if self.firmware:
            told.append("firmware changed from {} to {}".format(*self.firmware))
        day = _date(self.rises_since)
        told += [
            f"{count:,} more {_FAULTS[word]} since {day}" for word, count in self.rises.items()
        ]
        if self.wear_per_month:
            low, middle, high = self.wear_per_month
            told.append(
                f"{middle:.2g} % of its life a month ({low:.2g} to {high:.2g}), by "
                f"{self.days:.0f} days"
            )
        return told


def change(reports: Sequence[Row], days: float = 90) -> Change | None:
    """Return what changed between the reports of one drive.

    Parameters
    ----------
    reports : sequence of Row
        In the order of time, from :meth:`History.reports`.
    days : float
        How far back the rates reach, days > 0.

    Returns
    -------
    Change or None
        None if there are fewer than two reports with a time.

    Examples
    --------
    >>> day = 86_400
    >>> old = Row("a", taken_at=10 * day, life_used_percent=10, host_bytes_written=10**12)
    >>> new = old._replace(taken_at=71 * day, life_used_percent=14, host_bytes_written=4 * 10**12)
    >>> found = change([old, new])
    >>> [round(rate, 1) for rate in found.wear_per_month], round(found.host_bytes_per_day / 1e9)
    ([1.5, 2.0, 2.5], 49)
    """
    if not days > 0:
        raise ValueError(f"days must be > 0, got {days!r}")
    timed = [row for row in reports if row.taken_at is not None]
    if len(timed) < 2:
        return None
    newest = _at(timed[-1])
    within = [row for row in timed if _at(row) >= newest - days * _DAY]
    if len(within) == 1:  # the one before counts, however old
        within = timed[-2:]
    fell: list[str] = []
    start, firmware = within[0], None
    for old, new in pairwise(within):
        if names := list(_fallen(old, new)):
            fell += [name for name in names if name not in fell]
            start = new
        elif old.life_used_source != new.life_used_source:
            start = new
        if old.firmware and new.firmware and old.firmware != new.firmware:
            firmware = (old.firmware, new.firmware)
    last = within[-1]
    span = (newest - _at(start)) / _DAY
    used, host = (start.life_used_percent, last.life_used_percent), None
    if start.host_bytes_written is not None and last.host_bytes_written is not None and span:
        host = (last.host_bytes_written - start.host_bytes_written) / span
    wear = None
    if span >= _LEAST_DAYS and used[0] is not None and used[1] is not None:
        more, months = used[1] - used[0], span / _MONTH
        wear = (max(0.0, more - 1) / months, max(0.0, more) / months, (more + 1) / months)
    before = [row for row in within[:-1] if _at(row) <= newest - _LEAST_DAYS * _DAY] or within[:1]
    return Change(_at(start), span, wear, host, _rises(before[-1], last), _at(before[-1]),
                  tuple(fell), firmware)  # fmt: skip


def _at(row: Row) -> int:
    return row.taken_at or 0


def _date(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def _fallen(old: Row, new: Row) -> Iterator[str]:
    for name, words in _NEVER_FALL.items():
        before, after = getattr(old, name), getattr(new, name)
        slack = 1 if name == "life_used_percent" else 0
        same = name != "life_used_percent" or old.life_used_source == new.life_used_source
        if same and before is not None and after is not None and after < before - slack:
            yield words


def _rises(old: Row, new: Row) -> dict[str, int]:
    found = {}
    for name in _FAULTS:
        before, after = getattr(old, name), getattr(new, name)
        if before is not None and after is not None and after > before:
            found[name] = after - before
    return found


def judged(row: Row, changed: Change | None, now: float, max_age: float | None) -> Row:
    """Return a drive's newest row with what its history adds to the verdict.

    A drive without a report within `max_age` seconds is a warning. Errors that rose are one, too;
    counters that fell and other firmware are told as notes.
    """
    found = {one.word: one for one in row.findings}
    if changed:
        day = _date(changed.rises_since)
        for name, count in changed.rises.items():
            word = _ALARMS[name]
            if name == "interface_errors" and (row.interface_errors or 0) < _FEW_ON_LINK:
                continue
            text = f"{count:,} more {_FAULTS[name]} since {day}"
            if word in found:
                text = f"{found[word].text}; {text}"
            found[word] = Finding(word, FINDINGS[word].level, text)
        for name in changed.fell:
            word = "counter_fell"
            found[word] = Finding(word, "note", f"{name} fell: another drive, or a reset")
        if changed.firmware:
            text = "firmware changed from {} to {}".format(*changed.firmware)
            found["firmware_changed"] = Finding("firmware_changed", "note", text)
    if max_age is not None and row.taken_at is not None and now - row.taken_at > max_age:
        ago = (now - row.taken_at) / _DAY
        text = f"no report for {ago:,.1f} days" if ago < 10 else f"no report for {ago:,.0f} days"
        found = {"stale": Finding("stale", "warning", text), **found}
    if found == {one.word: one for one in row.findings}:
        return row
    return row.judged(tuple(found.values()))
