"""Read the text that CrystalDiskInfo copies or saves, of which one file may hold many drives."""

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

# by number: the names of the rows follow the language of Windows
_HEALTH = {
    0x01: "critical_warning",
    0x03: "available_spare",
    0x04: "available_spare_threshold",
    0x05: "percentage_used",
    0x06: "data_units_read",
    0x07: "data_units_written",
    0x08: "host_reads",
    0x09: "host_writes",
    0x0A: "controller_busy_time",
    0x0B: "power_cycles",
    0x0C: "power_on_hours",
    0x0D: "unsafe_shutdowns",
    0x0E: "media_errors",
    0x0F: "num_err_log_entries",
}


def is_crystal(text: str) -> bool:
    """Return whether a text comes from CrystalDiskInfo."""
    details = START.search(text) and _INTERFACE.search(text)
    return _TABLE.search(text) is not None or bool(details)


def from_crystal(text: str) -> Found:
    """Read the details of one drive in CrystalDiskInfo's text; raise Unreadable if it has none."""
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


def _details(found: Found, fields: dict[str, str]) -> None:
    """Read what stands above the table, of a drive whose table was not copied."""
    hours, host = (_NUMBER.match(fields.get(n, "")) for n in ("Power On Hours", "Host Writes"))
    if hours is None and host is None and found.told_left is None:
        raise Unreadable("the text of CrystalDiskInfo has no table of the drive's counters")
    if found.kind == "nvme":
        if hours and hours[3] == "hours":
            found.health["power_on_hours"] = int(hours[1])
        if host and host[3] == "GB":  # of 2**30 bytes
            found.health["data_units_written"] = int(host[1]) * 2**30 // 512_000
        if found.told_left is not None:
            found.health["percentage_used"] = 100 - found.told_left


def _small(digits: str | None) -> int | None:
    digits = (digits or "").replace("_", "").replace("-", "")
    return int(digits) if digits else None
