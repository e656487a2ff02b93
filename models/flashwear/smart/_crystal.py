"""Read the text that CrystalDiskInfo copies or saves, of which one file may hold many drives."""

import configparser
import re

from flashwear.smart._found import LARGEST_NUMBER, Attribute, Found, Unreadable, identity, label

START = re.compile(r"^ *Model : ", re.MULTILINE)
"""The line with which the details of a drive begin."""

_TABLE = re.compile(
    r"^-- S\.M\.A\.R\.T\. -+[ \t]*\n+ID (?:(?P<ata>Cur Wor Thr )|(?=Raw))RawValues\((?:6|7|8)\)",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^([0-9A-F]{2}) +(?:([_\d]{3}|---) +([_\d]{3}|---) +([_\d]{3}|---) +)?"
    r"([0-9A-F]{12,16})(?: +(.*))?$",
    re.MULTILINE | re.IGNORECASE | re.ASCII,
)
_FIELD = re.compile(r"^ *([A-Z#][\w #./-]{2,30}?) : (.*)$", re.MULTILINE | re.ASCII)
_NUMBER = re.compile(r"(\d{1,12})(?:[.,](\d))? (GB|hours)\b", re.ASCII)
_CELSIUS = re.compile(r"(-?\d{1,3}) C\b", re.ASCII)
_LEFT = re.compile(r"\((\d{1,3}) ?%\)", re.ASCII)
_INTERFACE = re.compile(r"^ *Interface : ", re.MULTILINE)
_OF_DISKS = (0x03, 0x07, 0x0A, 0x16, 0xBF, 0xC1, 0xF0)  # whose names follow the language

_INI = re.compile(r"^\[([^\]\n]{1,99})THRESHOLD\][ \t\r]*$", re.MULTILINE)
_PLAIN = re.compile(r"-?\d{1,12}", re.ASCII)
_COUNTS = {  # of Smart.ini, that are raw values of attributes
    5: "ReallocatedSectorsCount",
    9: "PowerOnHours",
    0xC5: "CurrentPendingSectorCount",
    0xC6: "UncorrectableSectorCount",
}
_STATES = {1: True, 3: False}  # good and bad
_WARNS, _CAUTION, _SAYS = 2, "Caution", "CrystalDiskInfo judges it"

# by number: the names of the rows follow the language of Windows
_HEALTH = {
    0x01: "critical_warning", 0x03: "available_spare", 0x04: "available_spare_threshold",
    0x05: "percentage_used", 0x06: "data_units_read", 0x07: "data_units_written",
    0x08: "host_reads", 0x09: "host_writes", 0x0A: "controller_busy_time", 0x0B: "power_cycles",
    0x0C: "power_on_hours", 0x0D: "unsafe_shutdowns", 0x0E: "media_errors",
    0x0F: "num_err_log_entries",
}  # fmt: skip


def is_crystal(text: str) -> bool:
    """Return whether a text comes from CrystalDiskInfo."""
    details = START.search(text) and _INTERFACE.search(text)
    return any(way.search(text) for way in (_TABLE, _INI)) or bool(details)


def from_crystal(text: str) -> Found:
    """Read the details of one drive in CrystalDiskInfo's text; raise Unreadable if it has none."""
    if start := _INI.search(text):
        return _from_ini(text, start[1])
    table = _TABLE.search(text)
    head = text[: table.start()] if table else text
    fields = {name: value.strip() for name, value in _FIELD.findall(head)}
    nvme = table["ata"] is None if table else "NVM" in fields.get("Interface", "")
    found = Found("nvme" if nvme else "ata")
    found.model = label(fields.get("Model", ""))
    found.firmware = label(fields.get("Firmware", ""))
    found.identity = identity(fields.get("Serial Number"))
    size = _NUMBER.match(fields.get("Disk Size", ""))
    if size and size[3] == "GB":
        found.capacity_bytes = int(size[1]) * 10**9 + int(size[2] or 0) * 10**8
    degrees = _CELSIUS.match(fields.get("Temperature", ""))
    found.temperature_c = int(degrees[1]) if degrees else None
    rotation = fields.get("Rotation Rate", "").strip(" -")
    found.rotating = None if rotation in ("", "Unknown") else "RPM" in rotation
    health = fields.get("Health Status", "")
    found.passed = {"Good": True, "Bad": False}.get(health.split(" ")[0])
    if health.startswith(_CAUTION):
        found.said = f"{_SAYS}: {health}"
    if left := _LEFT.search(health):
        found.told_left = int(left[1])
    if table is None:
        _details(found, fields)
        return found
    end = text.find("\n\n", table.end())
    for row in _ROW.finditer(text, table.end(), end if end >= 0 else len(text)):
        number, value, worst, threshold, raw, name = row.groups()
        count = int(raw, 16)
        if nvme:
            if (key := _HEALTH.get(int(number, 16))) and count <= LARGEST_NUMBER:
                found.health[key] = count
            continue
        found.add(
            int(number, 16),
            Attribute(
                label(name or "") or "", _small(value), _small(worst), count, str(count),
                _small(threshold), "",
            ),
        )  # fmt: skip
    rows = text[table.end() : end if end >= 0 else len(text)].splitlines()[1:]
    if any(row.strip() and not _ROW.match(row) for row in rows):
        found.flags.add("rows_unread")
    if not found.counts():
        raise Unreadable("the text of CrystalDiskInfo has no counter of the drive")
    hours = _NUMBER.match(fields.get("Power On Hours", ""))
    if found.kind == "ata" and hours and 9 in found.attributes:  # it undoes what makers pack in
        found.attributes[9] = found.attributes[9]._replace(raw=int(hours[1]), text=hours[1])
    moving = [row for row in map(found.attributes.get, _OF_DISKS) if row is not None]
    if found.rotating is None and len(moving) > 2 and sum(bool(row.raw) for row in moving) > 1:
        found.rotating = True
    if end < 0 and not text.endswith("\n"):
        found.flags.add("last_number_unsure")
    return found


def _from_ini(text: str, disk: str) -> Found:
    """Read Smart.ini, which keeps the present values of a drive whose name it runs together."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), allow_no_value=True)
    try:
        parser.read_string(text)
        now, least = parser[disk], parser[f"{disk}THRESHOLD"]
    except (configparser.Error, KeyError):
        raise Unreadable("the Smart.ini of CrystalDiskInfo lacks what the drive says now") from None
    told = {name: int(value) for name, value in now.items() if _PLAIN.fullmatch(value or "")}
    rows = {int(name, 16): told[name] for name in told if re.fullmatch("[0-9a-f]{2}", name)}
    found = Found("nvme" if rows and max(rows) <= max(_HEALTH) else "ata")
    found.identity = identity(disk)
    found.passed = _STATES.get(told.get("healthstatus", 0))
    if told.get("healthstatus") == _WARNS:
        found.said = f"{_SAYS}: {_CAUTION}"
    found.temperature_c = told.get("temperature")
    found.told_left = told["life"] if 0 <= told.get("life", -1) <= 100 else None
    if found.kind == "nvme":
        _health(found, told.get("poweronhours"), told.get("hostwrites"))
        return found
    for number in sorted(rows | _COUNTS):
        name, threshold = _COUNTS.get(number, ""), _small(least.get(f"{number:02x}"))
        count = told.get(name.lower())
        if number in rows or count is not None:
            text = "" if count is None else str(count)
            row = Attribute(name, rows.get(number), None, count, text, threshold, "")
            found.add(number, row)
    return found


def _health(found: Found, hours: int | None, host_gib: int | None) -> None:
    """Put what stands beside a table of NVMe, or without one, where it would stand in one."""
    if hours is not None:
        found.health["power_on_hours"] = hours
    if host_gib is not None:
        found.health["data_units_written"] = host_gib * 2**30 // 512_000
    if found.told_left is not None:
        found.health["percentage_used"] = 100 - found.told_left


def _details(found: Found, fields: dict[str, str]) -> None:
    """Read what stands above the table, of a drive whose table was not copied."""
    hours, host = (_NUMBER.match(fields.get(n, "")) for n in ("Power On Hours", "Host Writes"))
    if hours is None and host is None and found.told_left is None:
        raise Unreadable("the text of CrystalDiskInfo has no table of the drive's counters")
    if found.kind == "nvme":
        _health(
            found,
            int(hours[1]) if hours and hours[3] == "hours" else None,
            int(host[1]) if host and host[3] == "GB" else None,  # of 2**30 bytes
        )


def _small(digits: str | None) -> int | None:
    digits = (digits or "").replace("_", "").replace("-", "")
    return int(digits) if digits else None
