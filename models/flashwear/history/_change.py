"""What changed between the reports of one drive: wear a month, errors, counters that fell."""

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
_FEW_ON_LINK = 10
_SOON_MONTHS = 3
_NEVER_FALL = {
    "power_on_hours": "hours under power",
    "host_bytes_written": "bytes written by the host",
    "nand_bytes_written": "bytes written to flash",
    **{name: text for name, text in _FAULTS.items() if name != "pending_sectors"},
    "life_used_percent": "life used",
}


class Change(NamedTuple):
    """What happened between the reports of a drive; rates are by the clock, not under power."""

    since: int
    """Time of the first report that counts, after a counter fell if one did, in seconds."""
    days: float
    """Days from it to the newest."""
    wear_per_month: tuple[float, float, float] | None
    """Percent of the rated life in a twelfth of a year as least, middle and most, since a report
    gives whole percent. None if they do not tell, or lie less than 7 days apart."""
    host_bytes_per_day: float | None
    """Bytes written by the host a day."""
    rises: dict[str, int]
    """More of each kind of errors within the last 7 days, or since the report before these."""
    rises_since: int
    """Time of the report from which they are counted, in seconds."""
    fell: tuple[str, ...]
    """Counters that fell, as of another drive or after a reset."""
    firmware: tuple[str, str] | None
    """Firmware before and after, if it changed."""

    def rises_told(self) -> dict[str, str]:
        """Return in words which counts of errors rose."""
        day = _date(self.rises_since)
        return {
            name: f"{more:,} more {_FAULTS[name]} since {day}" for name, more in self.rises.items()
        }

    def sentences(self) -> list[str]:
        """Return what changed, in words."""
        told = [f"{', '.join(self.fell)} fell: another drive, or a reset"] if self.fell else []
        if self.firmware:
            told.append("firmware changed from {} to {}".format(*self.firmware))
        told += self.rises_told().values()
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
    within = within if len(within) > 1 else timed[-2:]  # the one before counts, however old
    fell: dict[str, None] = {}
    start, last, firmware = within[0], within[-1], None
    for old, new in pairwise(within):
        names = dict.fromkeys(_fallen(old, new))
        fell |= names
        if names or old.life_used_source != new.life_used_source:
            start = new
        if old.firmware and new.firmware and old.firmware != new.firmware:
            firmware = (old.firmware, new.firmware)
    span = (newest - _at(start)) / _DAY
    host, more = (_grown(start, last, n) for n in ("host_bytes_written", "life_used_percent"))
    wear = None
    if span >= _LEAST_DAYS and more is not None:
        months = span / _MONTH
        low, middle, high = (max(0, more + slack) / months for slack in (-1, 0, 1))
        wear = (low, middle, high)
    before = [row for row in within[:-1] if _at(row) <= newest - _LEAST_DAYS * _DAY] or within[:1]
    since = within[within.index(before[-1]) :]
    rises = {}
    for name in _FAULTS:
        counts = [count for row in since if (count := getattr(row, name)) is not None]
        more = (getattr(last, name) or 0) - min(counts, default=0)  # also after one that fell
        if more > 0:
            rises[name] = int(more)
    a_day = host / span if host is not None and span else None
    return Change(_at(start), span, wear, a_day, rises, _at(before[-1]), tuple(fell), firmware)


def _at(row: Row) -> int:
    return row.taken_at or 0


def _date(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def _grown(old: Row, new: Row, name: str) -> float | None:
    before, after = getattr(old, name), getattr(new, name)
    return None if before is None or after is None else after - before


def _fallen(old: Row, new: Row) -> Iterator[str]:
    for name, words in _NEVER_FALL.items():
        whole = name == "life_used_percent"  # in percent, by a counter that may be another
        slack = 1 if whole and old.life_used_source == new.life_used_source else 0
        grown = _grown(old, new, name)
        if grown is not None and grown < -slack and (slack or not whole):
            yield words


def judged(row: Row, changed: Change | None, now: float, max_age: float | None) -> Row:
    """Return a drive's newest row with what its history adds to the verdict.

    A drive without a report within `max_age` seconds is a warning, and so is one whose report tells
    no time or one more than a day ahead. Errors that rose are one, too, and wear that ends the
    rated life within three months; counters that fell and other firmware are told as notes.
    """
    found = {one.word: one for one in row.findings}

    def add(word: str, level: str, text: str) -> None:
        found[word] = Finding(word, level, text)

    for name, told in changed.rises_told().items() if changed else ():
        word = "interface_errors_rise" if name == "interface_errors" else name
        if name != "interface_errors" or (row.interface_errors or 0) >= _FEW_ON_LINK:
            text = f"{found[word].text}; " if word in found else ""
            add(word, FINDINGS[word].level, text + told)
    if changed and changed.fell:
        add("counter_fell", "note", f"{', '.join(changed.fell)} fell: another drive, or a reset")
    if changed and changed.firmware:
        add("firmware_changed", "note", "firmware changed from {} to {}".format(*changed.firmware))
    if changed and changed.wear_per_month and row.life_used_percent is not None:
        months = max(0, 100 - row.life_used_percent) / max(changed.wear_per_month[1], 1e-9)
        if 0 < months <= _SOON_MONTHS:
            day = _date(_at(row) + int(months * _MONTH * _DAY))
            text = f"{changed.wear_per_month[1]:.2g} % of its life a month, all used by {day}"
            add("ends_soon", "warning", text)
    ago = 0.0 if row.taken_at is None else (now - row.taken_at) / _DAY
    if max_age is not None and (row.taken_at is None or ago < -1 or ago * _DAY > max_age):
        text = f"no report for {ago:,.{0 if ago >= 10 else 1}f} days"
        if row.taken_at is None:
            text = "the report tells no time"
        elif ago < 0:
            text = f"the report is dated {-ago:,.1f} days ahead"
        found = {"stale": Finding("stale", "warning", text), **found}
    same = tuple(found.values()) == row.findings
    return row if same else row.judged(tuple(found.values()))
