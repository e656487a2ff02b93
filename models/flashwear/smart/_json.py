"""Read the JSON that smartctl prints with -j."""

import json
import math
import re
from datetime import UTC, datetime
from typing import Any

from flashwear.smart._found import (
    HEALTH,
    LARGEST_NUMBER,
    STATISTICS,
    Attribute,
    Found,
    Unreadable,
    decimal_bytes,
    identity,
    label,
    raw_number,
    without_device,
)
from flashwear.smart._nvme_errors import counted

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"\s*")


def objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the JSON objects at the start of a text, alone or in lists, and the remaining text."""
    found: list[dict[str, Any]] = []
    at = 0
    while text.startswith(("{", "["), at):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if found:
                break
            raise Unreadable(f"the JSON is broken: {str(error)[:100]}") from None
        found += [one for one in (value if isinstance(value, list) else [value]) if one]
        at = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
    if not found or not all(isinstance(one, dict) for one in found):
        raise Unreadable("the JSON is no report of a drive")
    return found, text[at:]


def from_json(report: dict[str, Any]) -> Found:
    """Read a smartctl report in JSON; raise Unreadable if there is none."""
    found = Found(_kind(report))
    _information(found, report)
    for row in _rows(_dict(report, "ata_smart_attributes"), "table"):
        _attribute(found, row)
    for page in _rows(_dict(report, "ata_device_statistics"), "pages"):
        for row in _rows(page, "table"):
            _statistic(found, page, row)
    _endurance(found, report)
    hours = _whole(found, _dict(report, "power_on_time"), "hours")
    if found.kind == "ata" and hours is not None and 9 not in found.attributes:
        found.statistics.setdefault("power_on_hours", hours)
    found.self_test_failed = _self_test_failed(report)
    log = _dict(report, "ata_smart_error_log")
    entries = [*_rows(_dict(log, "extended"), "table"), *_rows(_dict(log, "summary"), "table")]
    hours_of = [_whole(found, one, "lifetime_hours") for one in entries]
    found.last_error_hours = max((at for at in hours_of if at is not None), default=None)
    warning = _whole(found, _dict(_dict(report, "smart_status"), "nvme"), "value")
    if found.kind == "nvme" and warning:
        found.health["critical_warning"] = warning
    log = _dict(report, "nvme_smart_health_information_log")
    for name, value in log.items():
        # what is no counter may be below 0: a temperature, or the number of all namespaces
        other = type(value) is int and value >= 0 and not name.startswith("temperature")
        other = other and not name.startswith("listed_")  # our own names
        if (name in HEALTH.values() or other) and (count := _whole(found, log, name)) is not None:
            found.health[name] = count
    if found.kind == "nvme":
        _limits_and_errors(found, report)
    if not found.tells_something():
        raise Unreadable(_message(report) or "the JSON holds no report of smartctl")
    return found


def _limits_and_errors(found: Found, report: dict[str, Any]) -> None:
    limits = _dict(report, "nvme_composite_temperature_threshold")
    for name in ("warning", "critical"):
        if degrees := _whole(found, limits, name):
            found.health[f"{name}_temperature_c"] = degrees
    listed = []
    for row in _rows(_dict(report, "nvme_error_information_log"), "table"):
        status = _whole(found, _dict(row, "status_field"), "value")
        if status is not None:
            listed.append((status >> 8 & 7, status & 0xFF))
    found.health |= counted(listed)


def _kind(report: dict[str, Any]) -> str:
    protocol = _dict(report, "device").get("protocol")
    if protocol == "NVMe" or "nvme_smart_health_information_log" in report:
        return "nvme"
    return "scsi" if protocol == "SCSI" and "ata_smart_attributes" not in report else "ata"


def _information(found: Found, report: dict[str, Any]) -> None:
    found.model = (
        _label(report, "model_name")
        or _label(report, "scsi_model_name")
        or " ".join(
            filter(None, (_label(report, f"scsi_{part}") for part in ("vendor", "product")))
        )
        or None
    )
    found.vendor = _label(report, "scsi_vendor")
    found.firmware = _label(report, "firmware_version") or _label(report, "scsi_revision")
    version = _dict(report, "smartctl").get("version")
    if isinstance(version, list) and all(isinstance(part, int) for part in version[:2]):
        found.smartctl = ".".join(str(part)[:4] for part in version[:2]) or None
    found.device = _label(_dict(report, "device"), "name")
    seconds = _whole(found, _dict(report, "local_time"), "time_t")
    if seconds is not None and seconds < 2**32:
        found.time_s, found.year = seconds, datetime.fromtimestamp(seconds, UTC).year
    found.identity = identity(report.get("serial_number"))
    found.exit_status = _whole(found, _dict(report, "smartctl"), "exit_status") or 0
    log = _dict(report, "nvme_smart_health_information_log")
    degrees = _dict(report, "temperature").get("current", log.get("temperature"))
    found.temperature_c = degrees if type(degrees) is int and abs(degrees) < 1000 else None
    passed = _dict(report, "smart_status").get("passed")
    found.passed = passed if isinstance(passed, bool) else None
    if passed is not None and found.passed is None:
        found.flags.add("number_unreadable")
    turns = _whole(found, report, "rotation_rate")
    found.rotating = None if turns is None else turns > 0
    _scsi(found, report)
    if _whole(found, report, "logical_block_size") == 4096:
        found.sector_bytes = 4096

    namespace = next(iter(_rows(report, "nvme_namespaces")), {})
    found.utilization_bytes = _whole(found, _dict(namespace, "utilization"), "bytes")
    for size in (
        _whole(found, report, "nvme_total_capacity"),
        _whole(found, _dict(report, "user_capacity"), "bytes"),
        _whole(found, _dict(namespace, "size"), "bytes"),
    ):
        if found.capacity_bytes is None:
            found.capacity_bytes = size


def _scsi(found: Found, report: dict[str, Any]) -> None:
    if found.kind != "scsi":
        return
    log = _dict(report, "scsi_error_counter_log")
    written = _dict(log, "write").get("gigabytes_processed")
    counts = {
        "used": _whole(found, report, "scsi_percentage_used_endurance_indicator"),
        "power_on_hours": _whole(found, _dict(report, "power_on_time"), "hours"),
        "bytes_written": decimal_bytes(written[:40]) if isinstance(written, str) else None,
        "uncorrected_errors": sum(
            _whole(found, _dict(log, name), "total_uncorrected_errors") or 0 for name in log
        ),
        "grown_defects": _whole(found, report, "scsi_grown_defect_list"),
        "pending_defects": _whole(found, _dict(report, "scsi_pending_defects"), "count"),
        "trip_temperature_c": _whole(found, _dict(report, "temperature"), "drive_trip"),
    }
    found.scsi |= {name: count for name, count in counts.items() if count is not None}


def _attribute(found: Found, row: dict[str, Any]) -> None:
    number, raw = _whole(found, row, "id"), _dict(row, "raw")
    if number is None or not 0 < number < 256:
        return
    text = raw.get("string")
    if isinstance(text, str):
        text = text[:80].strip()
        counted = raw_number(text)
    else:
        counted = _whole(found, raw, "value")
        text = str(counted)
    failed = row.get("when_failed")
    attribute = Attribute(
        _label(row, "name") or "",
        _whole(found, row, "value"),
        _whole(found, row, "worst"),
        counted,
        text,
        _whole(found, row, "thresh"),
        failed if failed in ("now", "past") else "",
        _dict(row, "flags").get("prefailure") is True,
    )
    found.add(number, attribute)


def _endurance(found: Found, report: dict[str, Any]) -> None:
    """Read what smartctl tells of any drive from 7.5 on whose wear it knows."""
    if found.kind != "ata":
        return
    spare = _dict(report, "spare_available")
    for part, name, holder in (
        (found.statistics, "endurance_used", _dict(report, "endurance_used")),
        (found.health, "available_spare", spare),
    ):
        if (percent := _whole(found, holder, "current_percent")) is not None:
            part[name] = percent
    if (least := _whole(found, spare, "threshold_percent")) is not None:
        found.health["available_spare_threshold"] = least


def _statistic(found: Found, page: dict[str, Any], row: dict[str, Any]) -> None:
    place = _whole(found, page, "number"), _whole(found, row, "offset")
    if place in STATISTICS and (value := _whole(found, row, "value")) is not None:
        found.count(place, value)


def _self_test_failed(report: dict[str, Any]) -> bool:
    """Say whether a self-test failed, and no whole one has passed since."""
    status = _dict(_dict(_dict(report, "ata_smart_data"), "self_test"), "status")
    if status.get("passed") is False:
        return True
    tests = _dict(report, "ata_smart_self_test_log")
    results: list[tuple[bool, bool]] = []  # failed; whole and passed
    for log in (_dict(tests, "extended"), _dict(tests, "standard")):
        for row in _rows(log, "table"):
            passed, kind = _dict(row, "status").get("passed"), _dict(row, "type").get("string")
            results.append((passed is False, passed is True and str(kind).startswith("Ext")))
    for row in _rows(_dict(report, "nvme_self_test_log"), "table"):
        result = _dict(row, "self_test_result").get("value")
        whole = _dict(row, "self_test_code").get("value") == 2
        results.append((result in (5, 6, 7), result == 0 and whole))
    for number in range(20):
        test = _dict(report, f"scsi_self_test_{number}")
        result = _dict(test, "result").get("value")
        results.append((result in range(3, 8), result == 0 and "long" in str(test.get("code"))))
    return next((failed for failed, cleared in results if failed or cleared), False)


def _message(report: dict[str, Any]) -> str | None:
    """Return what smartctl itself says, when it could not read the drive."""
    for message in _rows(_dict(report, "smartctl"), "messages"):
        said = message.get("string")
        if isinstance(said, str) and said:
            return f"smartctl says: {without_device(said)}"
    return None


def _dict(holder: dict[str, Any], name: str) -> dict[str, Any]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _rows(holder: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = holder.get(name)
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _label(holder: dict[str, Any], name: str) -> str | None:
    value = holder.get(name)
    return label(value) if isinstance(value, str) else None


def _whole(found: Found, holder: dict[str, Any], name: str) -> int | None:
    value = holder.get(name)
    if value is None:
        return None
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
        found.flags.add("number_unreadable")
        return None
    return value
