"""One report of a drive as a flat row: bytes in, rows out, without state."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import flashwear
from flashwear.history._sources import Source
from flashwear.smart import FLAGS, LEVELS, NO_DRIVE, Finding, Report, verdict
from flashwear.smart._between import faults
from flashwear.smart._fleet import reports
from flashwear.smart._found import keyed
from flashwear.smart._remaining_life import trusted
from flashwear.smart._verdict import wear_unknown
from flashwear.smart._words import HIDES

VERDICTS = ("ok", "warning", "critical", "unknown")
"""The verdicts of a row, by the exit status of monitoring."""
WORST = (0, 3, 1, 2)
"""Those statuses, the worst last."""
_NOT_COUNTED = {  # flags with which a figure is a guess or wrong
    "host_bytes_written": {"host_unit_doubtful", "host_rate_implausible"},
    "nand_bytes_written": {"nand_unit_unverified", "nand_rate_implausible", "waf_implausible"},
}
_LAST = 253_402_300_800  # the year 10000, in seconds
_COLDEST, _HOTTEST = -60, 200  # °C
DAY_S = 86_400


class Row(NamedTuple):
    """What one report tells of a drive, or why a file holds none.

    ``data/drive.schema.json`` says what each figure is. What a report does not tell is None, never
    0, and :meth:`as_dict` gives an object of that schema.
    """

    file: str
    error: str | None = None
    drive: str | None = None
    serial: str | None = None
    host: str | None = None
    device: str | None = None
    model: str | None = None
    firmware: str | None = None
    protocol: str | None = None
    solid_state: bool = True
    capacity_bytes: int | None = None
    taken_at: int | None = None
    status: int = 3
    text: str = ""
    doubt: str | None = None
    life_used_percent: float | None = None
    life_used_source: str | None = None
    rated_bytes: int | None = None
    host_bytes_written: int | None = None
    nand_bytes_written: int | None = None
    power_on_hours: int | None = None
    spare_percent: int | None = None
    spare_threshold_percent: int | None = None
    media_errors: int | None = None
    pending_sectors: int | None = None
    reallocated_blocks: int | None = None
    interface_errors: int | None = None
    temperature_celsius: int | None = None
    findings: tuple[Finding, ...] = ()
    flashwear: str = flashwear.__version__

    def as_dict(self) -> dict[str, Any]:
        """Return the row for JSON."""
        plain = {"schema": "flashwear/drive/1", "verdict": VERDICTS[self.status], **self._asdict()}
        findings = [{"word": f.word, "level": f.level, "text": f.text} for f in self.findings]
        return plain | {"findings": findings}

    def judged(self, findings: tuple[Finding, ...]) -> "Row":
        """Return the row with other findings, and the status and text that follow from them."""
        for status in (2, 1):
            if texts := [one.text for one in findings if one.level == VERDICTS[status]]:
                return self._replace(findings=findings, status=status, text="; ".join(texts))
        if self.doubt or self.error:
            text = self.doubt or self.error or ""
            return self._replace(findings=findings, status=3, text=text)
        used = self.life_used_percent
        text = "nothing found" + ("" if used is None else f": {used:g} % of its rated life used")
        return self._replace(findings=findings, status=0, text=text)


def rows(
    content: bytes,
    name: str = "-",
    *,
    host: str | None = None,
    device: str | None = None,
    key: bytes | None = None,
    serials: bool = False,
) -> list[Row]:
    """Return a row for each report in the bytes of a file, and for each part that is none.

    Parameters
    ----------
    content : bytes
        Reports as :func:`flashwear.smart.read_states` takes them.
    name : str
        Name of the file.
    host, device : str, optional
        Where the drive is.
    key : bytes, optional
        Key of the drives' names, from :func:`read_key`; by default one of this process.
    serials : bool
        Whether rows tell serial numbers.

    Examples
    --------
    >>> (one,) = rows(b"no report", "a.txt")
    >>> one.file, one.status, one.error
    ('a.txt', 3, 'the text holds no report of smartctl')
    """
    return rows_of(Source(name, host, device, content), key, serials)


def rows_of(source: Source, key: bytes | None, serials: bool = False) -> list[Row]:
    """Return the rows of a source, as :func:`rows`."""
    found: list[Row] = []
    source = source._replace(**{
        name: text and text.encode("utf-8", "backslashreplace").decode()
        for name, text in source._asdict().items() if name != "content"
    })  # fmt: skip
    with keyed(key) as known:
        for name, states in reports(source.name, source.content):
            if isinstance(states, str):
                lost = Row(name, states, host=source.host, device=source.device, text=states)
                found.append(_hidden(lost, known))
            else:
                for report in states:
                    row = row_of(report, name, source)
                    serial = known.get(report.identity or "") if serials else None
                    found.append(_hidden(row, known)._replace(serial=serial))
    return found


def _hidden(row: Row, known: dict[str, str]) -> Row:
    """Leave serial numbers out of the names of files and devices."""
    for serial in known.values():
        name, device = (text and text.replace(serial, "...") for text in (row.file, row.device))
        row = row._replace(file=name or "", device=device)
    return row


def row_of(report: Report, name: str, source: Source) -> Row:
    """Return the row of a report."""
    judged, health = verdict(report), report.health
    zero = "all_zero" in report.flags
    other = next((word for word in NO_DRIVE if word in report.flags), None)
    spare, least = (_count(health.get(f"available_spare{end}"), 100) for end in ("", "_threshold"))
    degrees = report.temperature_c or _COLDEST - 1  # 0 is none
    used, counts = trusted(report)[2], faults(report)
    row = Row(
        file=name,
        drive=_drive(report, source),
        host=source.host,
        device=source.device,
        model=report.model,
        firmware=report.firmware,
        protocol=report.kind,
        solid_state=other is None or other in HIDES,
        capacity_bytes=_count(report.capacity_bytes),
        taken_at=_count(report.time_s or None, _LAST),
        text=judged.text,
        doubt=FLAGS[other] if other else wear_unknown(report),
        life_used_percent=None if used is None else _count(used),
        life_used_source=None if used is None else report.rules.get("percent_used"),
        rated_bytes=_count(report.rated_bytes),
        host_bytes_written=_figure(report, "host_bytes_written"),
        nand_bytes_written=_figure(report, "nand_bytes_written"),
        power_on_hours=None if zero else _count(report.power_on_hours),
        spare_percent=None if zero else spare,
        spare_threshold_percent=least or None,
        temperature_celsius=None if zero or not _COLDEST <= degrees <= _HOTTEST else degrees,
        media_errors=_count(counts["media_errors"]),
        pending_sectors=_count(counts["pending_sectors"]),
        reallocated_blocks=_count(counts["reallocated_blocks"]),
        interface_errors=_count(counts["interface_errors"]),
    )
    grave = judged.level in ("warning", "critical")
    if other and not grave:
        return row._replace(status=LEVELS[judged.level])
    return row.judged(judged.findings)


def _figure(report: Report, name: str) -> int | None:
    doubted = {"all_zero", *_NOT_COUNTED[name]} & set(report.flags)
    return None if doubted else _count(getattr(report, name))


def _count(value: float | None, most: int = 2**63 - 1) -> int | None:
    """Return a count that fits into a column, or None."""
    return int(value) if value is not None and 0 <= value <= most else None


def _drive(report: Report, source: Source) -> str | None:
    if report.identity is None:
        return None
    named = json.dumps([report.model, report.identity]).encode()
    return hashlib.blake2b(named, digest_size=8).hexdigest()


def place_key(row: Row) -> str:
    """Return a name of a drive without serial number: by where it is and what it is."""
    named = json.dumps([row.host, row.device, row.file, row.model]).encode()
    return hashlib.blake2b(named, digest_size=8).hexdigest()


def worst(statuses: Iterable[int]) -> int:
    """Return the worst of some statuses; 3 if there is none."""
    return max(statuses, key=WORST.index, default=3)


def newest(found: "dict[str, Row]", row: Row, now: float) -> None:
    """Put a row of a drive in place of an older one; a drive at two paths is one drive.

    Of two within a day, or one of which tells no time or one to come, it is the worse.
    """
    name = row.drive or place_key(row)
    before = found.get(name)
    if before is None:
        found[name] = row
        return
    old, new = before.taken_at, row.taken_at
    if old is None or new is None or max(old, new) > now + DAY_S or abs(old - new) < DAY_S:
        order = WORST.index(before.status) - WORST.index(row.status) or (old or 0) - (new or 0)
    else:
        order = old - new
    if order <= 0:
        found[name] = row
