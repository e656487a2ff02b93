"""Read the logs of NVMe drives that nvme-cli prints, as text or as JSON.

These logs do not name the drive. A health log counts as a report; the logs of the endurance group
(09h), of OCP (C0h), of flexible data placement and of Intel and Solidigm (CAh) are added to one.
"""

import re
from collections.abc import Mapping
from typing import Any

from flashwear.smart._found import LARGEST_NUMBER, Found, Unreadable

GUID = "afd514c97c6f4f9ca4f2bfea2810afc5"

START = re.compile(
    r"^(?:(?P<health>Smart Log for NVME device:)"
    r"|(?P<endurance>Endurance Group Log for NVME device:)"
    r"|(?P<intel>Additional Smart Log for NVME device:)"
    r"|(?P<ocp>SMART Cloud Attributes :-)|(?P<fdp>Host Bytes with Metadata Written \(HBMW\):))",
    re.MULTILINE,
)
"""The first line of a log; the name of the group that matches is the kind of the log."""

_HEALTH = {
    "critical_warning": "critical_warning",
    "available_spare": "available_spare",
    "avail_spare": "available_spare",
    "available_spare_threshold": "available_spare_threshold",
    "spare_thresh": "available_spare_threshold",
    "percentage_used": "percentage_used",
    "percent_used": "percentage_used",
    "data_units_read": "data_units_read",
    "data_units_written": "data_units_written",
    "host_read_commands": "host_reads",
    "host_write_commands": "host_writes",
    "controller_busy_time": "controller_busy_time",
    "power_cycles": "power_cycles",
    "power_on_hours": "power_on_hours",
    "unsafe_shutdowns": "unsafe_shutdowns",
    "media_errors": "media_errors",
    "num_err_log_entries": "num_err_log_entries",
    "warning_temperature_time": "warning_temp_time",
    "warning_temp_time": "warning_temp_time",
    "critical_composite_temperature_time": "critical_comp_time",
    "critical_comp_time": "critical_comp_time",
    "endurance_group_critical_warning_summary": "endurance_group_warning",
    "endurance_grp_critical_warning_summary": "endurance_group_warning",
}
_ENDURANCE = {
    "critical_warning": "critical_warning",
    "avl_spare": "available_spare",
    "avl_spare_threshold": "available_spare_threshold",
    "percent_used": "percentage_used",
    "endurance_estimate": "endurance_estimate",
    "data_units_read": "endurance_units_read",
    "data_units_written": "endurance_units_written",
    "media_units_written": "endurance_media_units_written",
    "mediate_write_commands": "endurance_media_units_written",  # until nvme-cli 2.1
    "media_data_integrity_err": "media_errors",
}
_OCP = {
    "physical_media_units_written": "physical_media_bytes_written",
    "physical_media_units_read": "physical_media_bytes_read",
    "bad_user_nand_blocks_raw": "bad_user_blocks",
    "bad_user_nand_blocks_normalized": "user_blocks_health",
    "bad_system_nand_blocks_raw": "bad_system_blocks",
    "bad_system_nand_blocks_normalized": "system_blocks_health",
    "uncorrectable_read_error_count": "uncorrectable_reads",
    "uncorrectable_read_errors": "uncorrectable_reads",
    "system_data_percent_used": "system_percent_used",
    "max_user_data_erase_counts": "most_erases",
    "max_user_data_erase_count": "most_erases",
    "min_user_data_erase_counts": "least_erases",
    "min_user_data_erase_count": "least_erases",
    "nand_avg_erase_count": "average_erases",
    "percent_free_blocks": "percent_free_blocks",
    "capacitor_health": "capacitor_health",
    "plp_start_count": "power_losses",
}
_FDP = {
    "hbmw": "fdp_host_bytes",
    "host_bytes_with_metadata_written_hbmw": "fdp_host_bytes",
    "mbmw": "fdp_media_bytes",
    "media_bytes_with_metadata_written_mbmw": "fdp_media_bytes",
    "mbe": "fdp_erased_bytes",
    "media_bytes_erased_mbe": "fdp_erased_bytes",
}
_INTEL = {  # also of Solidigm; bytes in units of 32 MiB
    "nand_bytes_written": "intel_nand_writes",
    "host_bytes_written": "intel_host_writes",
    "wear_leveling": "average_erases",
    "wear_leveling_count": "average_erases",
    "end_to_end_error_detection_count": "end_to_end_errors",
}
_NAMES = {"health": _HEALTH, "intel": _INTEL, "endurance": _ENDURANCE, "ocp": _OCP, "fdp": _FDP}
_NOT_COUNTED = {  # what stands for a figure that a drive has not
    "bad_system_blocks": 2**48 - 1,
    "system_blocks_health": 2**16 - 1,
    "capacitor_health": 2**16 - 1,
}
_DEVICE = re.compile(r"device:(nvme\w{1,20})", re.ASCII)

_OCP_ROW = re.compile(
    r"^ +(\S.{2,60}?)[ \t]+(0x[0-9a-f]+|\d{1,20} \d{1,20}|\d{1,39})[ \t]*$", re.MULTILINE | re.ASCII
)
_INTEL_ROW = re.compile(
    r"^(?:0x[0-9a-f]{2}[ \t]+)?([a-z_]{5,40})[ \t]*(?::[ \t]*\d{1,3}%|[ \t]\d{1,3})[ \t]+(\S.*)$",
    re.MULTILINE | re.ASCII,
)
_AVERAGE = re.compile(r"avg: *(\d{1,6})", re.ASCII)
_SECTORS = re.compile(r"(?:sectors: *)?(\d{1,20})", re.ASCII)
_KELVIN = re.compile(r"(?:^|\()(\d{1,4}) ?K", re.ASCII)
_CELSIUS = re.compile(r"(-?\d{1,3}) ?°?C", re.ASCII)
_NUMBER = re.compile(r"[0-9][0-9.,'\u2019 \u00a0\u2009\u202f]*|0x[0-9a-f]{1,16}", re.ASCII)


def from_log(kind: str, text: str) -> Found:
    """Read one log of nvme-cli as text; `kind` is health, endurance, intel, ocp or fdp."""
    rows: dict[str, Any] = {}
    if kind == "ocp":
        for label, value in _OCP_ROW.findall(text):
            high, _, low = value.partition(" ")
            rows.setdefault(_key(label), {"hi": high, "lo": low} if low else value)
    elif kind == "intel":
        rows = {name: _of_intel(name, value) for name, value in _INTEL_ROW.findall(text)}
    else:
        for line in text.split("\n"):
            label, colon, value = line.partition(":")
            if colon and not line.startswith(" "):
                rows.setdefault(_key(label), value.strip())
    found = _found(kind, rows)
    if kind == "health" and "media_errors" not in found.health:
        found.flags.add("truncated")
    if text[-1:].isdigit():
        found.flags.add("last_number_unsure")
    named = _DEVICE.search(text[:200])
    found.device = device(named[1]) if named else None
    if kind == "health" and (temperature := rows.get("temperature")):
        if kelvin := _KELVIN.search(temperature):
            found.temperature_c = int(kelvin[1]) - 273 if int(kelvin[1]) else None
        elif celsius := _CELSIUS.match(temperature):
            found.temperature_c = int(celsius[1])
    return found


def _of_intel(name: str, value: Any) -> Any:
    """Return the count of a row of Intel's log, or the mean of its three 16-bit words."""
    while isinstance(value, dict):
        value = value.get("avg", value.get("raw"))
    text = str(value)[:80]
    if average := _AVERAGE.search(text):
        return int(average[1])
    count = _SECTORS.match(text)
    if count is None:
        return None
    packed = name.startswith("wear_leveling") and int(count[1]) >= 1 << 16
    return int(count[1]) >> 32 & 0xFFFF if packed else int(count[1])


def device(name: str) -> str:
    """Return a device's name without its folder and, for NVMe, without its namespace."""
    name = name.rpartition("/")[2]
    return re.sub(r"^(nvme\d+)n\d+$", r"\1", name)


def kind_of(log: Mapping[str, Any]) -> str | None:
    """Return the kind of a JSON log, or None if it is not from nvme-cli."""
    keys = {_key(name) for name in log}
    keys |= {_key(name) for rows in log.values() if isinstance(rows, dict) for name in rows}
    if {"nand_bytes_written", "host_bytes_written"} <= keys:
        return "intel"
    if "log_page_guid" in keys:
        return "ocp"
    if "hbmw" in keys and "mbmw" in keys:
        return "fdp"
    if keys >= {"percent_used", "avail_spare"}:
        return "health"
    if "percent_used" in keys and keys & {"avl_spare_threshold", "media_units_written"}:
        return "endurance"
    return None


def from_json_log(kind: str, log: Mapping[str, Any]) -> Found:
    """Read one log of nvme-cli from its JSON object."""
    rows: dict[str, Any] = {}
    if kind == "intel":
        log = next((one for one in log.values() if isinstance(one, dict) and len(one) > 2), log)
    for name, value in log.items():
        rows.setdefault(_key(name), value)
    if kind == "intel":
        rows = {name: _of_intel(name, value) for name, value in rows.items()}
    for name in ("physical_media_units_written", "physical_media_units_read"):
        if f"{name}_lo" in rows:  # flat in the plug-in of one maker
            rows[name] = {"hi": rows.get(f"{name}_hi"), "lo": rows[f"{name}_lo"]}
    warning = rows.get("critical_warning")
    if isinstance(warning, dict):
        rows["critical_warning"] = warning.get("value")
    found = _found(kind, rows)
    kelvin = rows.get("temperature")
    if kind == "health" and type(kelvin) is int and 0 < kelvin < 1000:
        found.temperature_c = kelvin - 273
    return found


def _found(kind: str, rows: Mapping[str, Any]) -> Found:
    if kind == "ocp":
        _check_guid(rows)
    found = Found("nvme", log=kind)
    for name, key in _NAMES[kind].items():
        if name not in rows:
            continue
        value = _number(rows[name])
        if value is None:
            found.flags.add("number_unreadable")
        elif value != _NOT_COUNTED.get(key):
            found.health.setdefault(key, value)
    if not found.health:
        raise Unreadable(f"the {kind} log of nvme-cli holds no counter")
    return found


def _check_guid(rows: Mapping[str, Any]) -> None:
    """Refuse a log page C0h of another layout: its number alone does not tell."""
    given = str(rows.get("log_page_guid", ""))[:80].strip().lower().removeprefix("0x")
    swapped = bytes.fromhex(GUID)[::-1].hex()
    if given.replace("-", "") not in (GUID, swapped):
        said = "".join(filter(str.isalnum, given)) or "none"
        raise Unreadable(f"log page C0h must have the GUID {GUID} of OCP, got {said}")


def _key(name: str) -> str:
    """Make one of the ways to write a name."""
    return re.sub(r"[^a-z0-9]+", "_", name[:80].lower()).strip("_")


def _number(value: Any) -> int | None:
    """Return a whole number, written as grouped digits, in halves, as text or as a float."""
    if isinstance(value, dict):
        high, low = _number(value.get("hi") or 0), _number(value.get("lo"))
        value = None if high is None or low is None else high << 64 | low
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    elif isinstance(value, str):
        value = _written(value[:120])
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
        return None
    return value


def _written(text: str) -> int | None:
    text = text.partition("(")[0].strip().removesuffix("%").strip()
    if not _NUMBER.fullmatch(text):
        return None
    return int(text, 16) if text.startswith("0x") else int("".join(filter(str.isdigit, text)))
