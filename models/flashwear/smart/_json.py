"""Read the JSON that smartctl prints with -j."""

import json
import math
from datetime import UTC, datetime
from typing import Any

from flashwear.smart._found import STATISTICS, Attribute, Found, Unreadable, label, raw_number

_LARGEST = 2**127


def from_json(text: str) -> Found:
    """Read a report; raise Unreadable where there is none."""
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the JSON is broken: {str(error)[:100]}") from None
    if not isinstance(report, dict):
        raise Unreadable("the JSON is no report of smartctl")
    found = Found(_kind(report))
    found.model = _label(report, "model_name") or _label(report, "scsi_model_name")
    found.firmware = _label(report, "firmware_version") or _label(report, "scsi_revision")
    version = _list(_dict(report, "smartctl"), "version")
    if len(version) > 1 and all(isinstance(part, int) for part in version[:2]):
        found.smartctl = f"{version[0]}.{version[1]}"[:10]
    seconds = _whole(found, _dict(report, "local_time"), "time_t")
    if seconds is not None and seconds < 2**32:
        found.year = datetime.fromtimestamp(seconds, UTC).year
    passed = _dict(report, "smart_status").get("passed")
    found.passed = passed if isinstance(passed, bool) else None
    found.rotating = (_whole(found, report, "rotation_rate") or 0) > 0
    _capacity(found, report)
    _attributes(found, report)
    _statistics(found, report)
    log = _dict(report, "nvme_smart_health_information_log")
    for name in log:
        value = _whole(found, log, name) if not isinstance(log[name], (list, dict)) else None
        if value is not None:
            found.health[name] = value
    found.used = _whole(found, report, "scsi_percentage_used_endurance_indicator")
    if not (found.model or found.attributes or found.statistics or found.health):
        raise Unreadable(_message(report) or "the JSON holds no report of smartctl")
    return found


def _kind(report: dict[str, Any]) -> str:
    protocol = _dict(report, "device").get("protocol")
    if protocol == "NVMe" or "nvme_smart_health_information_log" in report:
        return "nvme"
    return "scsi" if protocol == "SCSI" and "ata_smart_attributes" not in report else "ata"


def _capacity(found: Found, report: dict[str, Any]) -> None:
    found.capacity_bytes = _whole(found, _dict(report, "user_capacity"), "bytes")
    if found.capacity_bytes is None:
        found.capacity_bytes = _whole(found, report, "nvme_total_capacity")
    for namespace in _list(report, "nvme_namespaces")[:1]:
        if isinstance(namespace, dict):
            used = _whole(found, _dict(namespace, "utilization"), "bytes")
            found.utilization_bytes = used
            if found.capacity_bytes is None:
                size = _dict(namespace, "size")
                found.capacity_bytes = _whole(found, size, "bytes")


def _attributes(found: Found, report: dict[str, Any]) -> None:
    for row in _list(_dict(report, "ata_smart_attributes"), "table"):
        if not isinstance(row, dict):
            continue
        number = _whole(found, row, "id")
        raw = _dict(row, "raw")
        text = raw.get("string")
        if number is None or not 0 < number < 256:
            continue
        if isinstance(text, str):
            text = text[:80].strip()
            counted = raw_number(text)
        else:
            counted = _whole(found, raw, "value")
            text = str(counted)
        found.add(
            number,
            Attribute(
                _label(row, "name") or "",
                _whole(found, row, "value"),
                _whole(found, row, "worst"),
                counted,
                text,
            ),
        )


def _statistics(found: Found, report: dict[str, Any]) -> None:
    for page in _list(_dict(report, "ata_device_statistics"), "pages"):
        if not isinstance(page, dict):
            continue
        for row in _list(page, "table"):
            if not isinstance(row, dict):
                continue
            place = (_whole(found, page, "number"), _whole(found, row, "offset"))
            value = _whole(found, row, "value")
            name = STATISTICS.get(place)  # type: ignore[arg-type]
            if name and value is not None:
                found.statistics.setdefault(name, value)


def _message(report: dict[str, Any]) -> str | None:
    """Give what smartctl itself says, when it could not read the drive."""
    for message in _list(_dict(report, "smartctl"), "messages"):
        if isinstance(message, dict) and (said := _label(message, "string")):
            return f"smartctl says: {said}"
    return None


def _dict(holder: dict[str, Any], name: str) -> dict[str, Any]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _list(holder: dict[str, Any], name: str) -> list[Any]:
    value = holder.get(name)
    return value if isinstance(value, list) else []


def _label(holder: dict[str, Any], name: str) -> str | None:
    value = holder.get(name)
    return label(value) if isinstance(value, str) else None


def _whole(found: Found, holder: dict[str, Any], name: str) -> int | None:
    value = holder.get(name)
    if value is None:
        return None
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        found.flags.add("number_unreadable")
        return None
    return value
