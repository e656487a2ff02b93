"""Read histories of a drive: attribute logs of smartd and exports of scrutiny."""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from flashwear.smart._found import (
    HEALTH,
    Attribute,
    Found,
    Unreadable,
    decimal_bytes,
    identity,
    label,
    raw_number,
)
from flashwear.smart._rules import known

ATTRLOG = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;\t", re.ASCII)
"""How a line of an attribute log begins."""

_GRAVE = re.compile(
    r"\t((?:5|184|187|197|198);[0-9]+;[0-9]+|critical-warning;[0-9]+|[a-z]+-total-unc-errors;[0-9]+);"
)
_MOST_STATES = 1000
_ITEM = re.compile(r"\t(?:(\d{1,3});(\d{1,3});(\d{1,20});|([a-z-]{3,60});([\d.]{1,30});)", re.ASCII)
_FILE = re.compile(r"(?:attrlog\.)?([^/\\]+-[^/\\]+)\.(?:ata|scsi|nvme)\.csv(?:\.gz)?$")
_FAILED = {"now": "now", "FAILING_NOW": "now", "past": "past", "IN_THE_PAST": "past"}
_SCSI = {
    "write-gb-processed": "bytes_written",
    "read-total-unc-errors": "uncorrected_errors",
    "write-total-unc-errors": "uncorrected_errors",
    "verify-total-unc-errors": "uncorrected_errors",
}


def from_attrlog(text: str, name: str | None) -> list[Found]:
    """Return a drive's states over time from an attribute log of smartd.

    These are the first and the last line, and the last line with each reading that may be grave.
    The log names no drive; its file name does, by model and serial number.
    """
    lines = [line for line in text.split("\n") if ATTRLOG.match(line)]
    whole = [line for line in lines if line.rstrip("\r").endswith(";")] or lines[:1]
    file = _FILE.search(os.path.basename(name)) if name else None
    model = _model(file[1]) if file else None
    grave = {tuple(_GRAVE.findall(line)): line for line in whole}
    kept = {whole[0], whole[-1], *list(grave.values())[-_MOST_STATES:]}
    found = [_logged(line, model) for line in dict.fromkeys(whole) if line in kept]
    for one in found:
        one.identity = identity(file[1]) if file else None
    if whole[-1] != lines[-1]:
        found[-1].flags.add("truncated")
    return found


def _model(name: str) -> str:
    """Return the model of "MODEL-SERIAL", both of which may hold a -, and no part of the serial."""
    parts = name[:200].split("-")
    for end in range(1, len(parts)):
        model = "-".join(parts[:end])
        for written in (model, model.replace("_", " ")):  # smartd writes blanks as _
            if known(written):
                return label(written) or ""
    return label(parts[0].replace("_", " ")) or ""


def without_serial(path: str) -> str:
    """Return a file name without the serial number that smartd puts into it.

    Examples
    --------
    >>> without_serial("logs/attrlog.CT500MX500SSD1-1234E56789AB.ata.csv")
    'logs/attrlog.CT500MX500SSD1-....ata.csv'
    """
    folder, name = os.path.split(path)
    file = _FILE.search(name)
    if not file:
        return path
    return os.path.join(folder, name.replace(file[1], f"{_model(file[1]).replace(' ', '_')}-..."))


def _logged(line: str, model: str | None) -> Found:
    found = Found("ata", model=model)
    try:
        at = datetime.fromisoformat(line[:19]).replace(tzinfo=UTC)
        found.time_s, found.year = int(at.timestamp()), at.year
    except ValueError:
        found.flags.add("number_unreadable")
    items = _ITEM.findall(line)
    if len(items) < line.count("\t"):
        found.flags.add("number_unreadable")
    for number, value, raw, word, count in items:
        if number:
            found.add(int(number), Attribute("", int(value), None, int(raw), raw))
        else:
            _named(found, word, count)
    if not (found.attributes or found.health or found.scsi):
        raise Unreadable("the attribute log of smartd holds no attribute")
    return found


def _named(found: Found, word: str, count: str) -> None:
    if word == "temperature" and count.isdigit():
        found.temperature_c = int(count[:3])
    elif word in _SCSI:
        found.kind = "scsi"
        key = _SCSI[word]
        number = decimal_bytes(count) if key == "bytes_written" else raw_number(count)
        if number is not None:
            found.scsi[key] = found.scsi.get(key, 0) + number
    elif (key := word.replace("-", "_")) in HEALTH.values():
        found.kind = "nvme"
        if (number := raw_number(count)) is not None:
            found.health[key] = number


def is_scrutiny(report: dict[str, Any]) -> bool:
    """Return whether JSON is an export of Scrutiny, which keeps SMART histories."""
    data = report.get("data")
    return isinstance(data, dict) and "smart_results" in data


def from_scrutiny(report: dict[str, Any]) -> list[Found]:
    """Return the last thousand states of a drive in an export of Scrutiny, in order of time."""
    device = report["data"].get("device")
    results = report["data"].get("smart_results")
    if not isinstance(results, list) or not isinstance(device, dict):
        raise Unreadable("the export of scrutiny holds no results of a device")
    found = [_result(device, result) for result in results if isinstance(result, dict)]
    found.sort(key=lambda one: one.time_s or 0)
    if not found:
        raise Unreadable("the export of scrutiny holds no results of a device")
    return found[-_MOST_STATES:]


def _result(device: dict[str, Any], result: dict[str, Any]) -> Found:
    protocol = str(result.get("device_protocol") or device.get("device_protocol")).lower()
    found = Found(protocol if protocol in ("nvme", "scsi") else "ata")
    texts = {name: value for name, value in device.items() if isinstance(value, str)}
    found.model = label(texts.get("model_name", ""))
    found.firmware = label(texts.get("firmware", ""))
    found.identity = identity(texts.get("serial_number") or texts.get("wwn"))
    found.capacity_bytes = _count(device.get("capacity"))
    found.rotating = bool(_count(device.get("rotational_speed")))
    if (_count(device.get("device_status")) or 0) & 1:
        found.passed = False
    degrees = result.get("temp")
    found.temperature_c = degrees if type(degrees) is int and abs(degrees) < 1000 else None
    try:
        at = datetime.fromisoformat(str(result.get("date"))[:40])
        found.time_s, found.year = int(at.timestamp()), at.year
    except (ValueError, OverflowError):
        found.flags.add("number_unreadable")
    hours = _count(result.get("power_on_hours"))
    if found.kind == "scsi" and hours is not None:
        found.scsi["power_on_hours"] = hours
    elif found.kind == "nvme" and hours is not None:
        found.health["power_on_hours"] = hours
    for name, item in _items(result):
        if found.kind == "ata":
            _ata_item(found, name, item)
        elif (count := _count(item.get("value"))) is not None:
            _other_item(found, name, item, count)
        else:
            found.flags.add("number_unreadable")
    return found


def _items(result: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    items = result.get("attrs")
    for name, item in items.items() if isinstance(items, dict) else ():
        if isinstance(item, dict):
            yield name, item


def _ata_item(found: Found, name: str, item: dict[str, Any]) -> None:
    if not (name.isascii() and name.isdigit() and 0 < int(name[:4]) < 256):
        return
    text = str(item.get("raw_string") or item.get("raw_value"))[:80].strip()
    value, worst, threshold = (_count(item.get(key)) for key in ("value", "worst", "thresh"))
    failed = _FAILED.get(str(item.get("when_failed")), "")
    found.add(int(name), Attribute("", value, worst, raw_number(text), text, threshold, failed))


def _other_item(found: Found, name: str, item: dict[str, Any], count: int) -> None:
    if found.kind == "nvme" and name in HEALTH.values():
        found.health[name] = count
        if name == "available_spare" and (least := _count(item.get("thresh"))):
            found.health.setdefault("available_spare_threshold", least)
    elif name == "scsi_grown_defect_list":
        found.scsi["grown_defects"] = count
    elif name.endswith("_total_uncorrected_errors"):
        found.scsi["uncorrected_errors"] = found.scsi.get("uncorrected_errors", 0) + count


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 2**64 else None
