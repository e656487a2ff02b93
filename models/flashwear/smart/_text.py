"""Read the text output of smartctl."""

import itertools
import re
from contextlib import suppress
from datetime import UTC, datetime

from flashwear.smart._form import ROW
from flashwear.smart._found import (
    HEALTH,
    LARGEST_NUMBER,
    Attribute,
    Found,
    Unreadable,
    decimal_bytes,
    grouped,
    identity,
    label,
    raw_number,
    without_device,
)
from flashwear.smart._nvme_errors import counted, statuses
from flashwear.smart._other_devices import advice

_TABLE = re.compile(r"^[ \t\"]*ID#[ \t\",;]+ATTRIBUTE_NAME.*$", re.MULTILINE)
_LIKE_A_ROW = re.compile(
    r"^[ \t\"]*(?:(?:\d{1,3}|0x[0-9a-f]{2})[ \t\",;]+[A-Za-z][\w/+-]*(?:[ \t\",;|].*)?"
    r"|.{0,80}[ \t](?:[P-][O-][S-][R-][C-][K-]|0x[0-9a-f]{4})(?:[ \t]+(?:\d{3}|---)){2}[ \t].*)$",
    re.MULTILINE | re.ASCII,
)
_STATISTICS_END = re.compile(
    r"\|_|\n[ \t]*\n(?![ \t]*(?:0x)?[0-9a-f]{1,2}[ \t]+(?:0x[0-9a-f]{3}|=====)[ \t])", re.ASCII
)
_BANNER = re.compile(r"^smartctl \d{1,2}\.\d{1,2} \d{4}-\d.*$", re.MULTILINE | re.ASCII)
_MODEL = re.compile(r"^[ \t]*(?:Device Model|Model Number): (.*)$", re.MULTILINE)
_LEGEND = re.compile(r"^ {0,40}\|{6}_", re.MULTILINE)
_STATISTIC = re.compile(
    r"^ *(?:0x)?([0-9a-f]{1,2}) +0x([0-9a-f]{3}) +\d +(\d{1,20})~? ", re.MULTILINE | re.ASCII
)
_VERSION = re.compile(r"^smartctl (\d{1,2}\.\d{1,2})", re.MULTILINE | re.ASCII)
_YEAR = re.compile(r" (20\d\d)(?: |$)", re.ASCII)
_TIME = re.compile(r" ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (20\d\d)(?: |$)", re.ASCII)
_CELSIUS = re.compile(r" *(-?\d{1,3}) (?:Celsius|C)\b", re.ASCII)
_TEST = re.compile(r"^(?:#? ?\d{1,2}) {1,4}(\S.*)$", re.MULTILINE | re.ASCII)
_TESTS = re.compile(r"[Ss]elf-test (?:[Ll]og|results).*\n")
_TEST_FAILED = re.compile(r" Completed: |, segment failed| Failed in | Fatal or u| Unknown error")
_TEST_STATUS = re.compile(r" *\( *(\d{1,3})\)", re.ASCII)
_ERROR_COUNT = re.compile(r"^(?:ATA|Device) Error Count: (\d{1,9})", re.MULTILINE | re.ASCII)
_ERROR_HOURS = re.compile(
    r"^Error \d{1,9} .{0,40}occurred at disk power-on lifetime: (\d{1,9}) ", re.MULTILINE | re.ASCII
)
_UNREADABLE_DATA = re.compile(r"Error: (?:[A-Z]{2,5}, ){0,6}UNC\b")
_DEFECTS = re.compile(r"^Pending Defects log .*\n(?:Index .*\n)?((?: +\d+ .*\n)*)", re.MULTILINE)
_SECTOR = re.compile(r" *(512|4096) bytes logical", re.ASCII)
_TABLE_END = re.compile(r"\n[ \t]*\n(?![ \t]*\d{1,3}[ \t]+[A-Za-z])|\n(?=[A-Z]| *\|)", re.ASCII)
_LAST_DIGIT = re.compile(r"(?:[1-9]|[^\s:]0)$", re.ASCII)  # after which one may be missing
_BRACKET = re.compile(r" *\[(\d{1,5})(?:[^\d\s](\d{1,3}))? ?([KMGTPEk]?)B\]", re.ASCII)
_FIGURE = re.compile(
    r"(?P<number>0x[0-9a-f]{1,32}|[0-9][0-9.,'\u2019 \u00a0\u2009\u202f?\ufffd]{0,60})"
    r"(?:(?:bytes|%)(?:[^\w%].*)?|\[.*|(?<= )[^\w\s%].*"
    r"|(?<=  )(?!(?:[kmgtpe]i?b?|mio|mrd|\w*(?:illion|bytes?|days?|weeks?|months?|years?))\b)"
    r"[a-z]{3}.*)?",
    re.ASCII | re.IGNORECASE,
)
_NVME_ONLY = HEALTH.keys() - {"Power Cycles", "Power On Hours"}
_SAS_PAGE = "Percentage used endurance indicator"
_LIMITS = {
    "Warning Comp. Temp. Threshold": "warning_temperature_c",
    "Critical Comp. Temp. Threshold": "critical_temperature_c",
}
_TIMES = {"Data Units Read": 512_000, "Data Units Written": 512_000}
_START = re.compile(
    r"^(smartctl \d|=== START OF INFORMATION|=== START OF (?:READ )?SMART DATA"
    r"|SMART/Health Information \(NVMe|(?:Model Family: .*\n)?(?:Device Model|Model Number): )",
    re.MULTILINE | re.ASCII,
)
_MOST_LOGS = 20
_VERDICTS = {"PASSED": True, "FAILED!": False}
_FAILED = {"NOW": "now", "FAILING_NOW": "now", "Past": "past", "In_the_past": "past"}
_PENDING = re.compile(r" *(\d{1,9}) ", re.ASCII)
_HOURS = re.compile(r"minutes (\d{1,9}):\d", re.ASCII)
_ERRORS = re.compile(r"(?: +\d{1,20}){5} +(\d{1,20}[.,]\d{1,9}) +(\d{1,20})", re.ASCII)
_REFUSED = re.compile(
    r"^.{0,99}?(?:Smartctl open device:|Device is in [A-Z_]{1,20} mode|USB bridge \["
    r"|Unable to detect device|Read Device Identity failed|Read NVMe|device is NOT READY"
    r"|NO MEDIUM present|device lacks SMART capability).*",
    re.MULTILINE,
)
_CONTENT = re.compile(
    r"^(?:Device Model|Model Number|Product|User Capacity|Firmware Version|SMART overall-health"
    r"|SMART Health Status|ID# ATTRIBUTE_NAME|SMART/Health Information)",
    re.MULTILINE,
)

_CAPACITIES = (
    "User Capacity", "Total NVM Capacity", "Namespace 1 Size/Capacity", "Namespace 1 Capacity",
)  # fmt: skip


def from_text(text: str) -> Found:
    """Read a text report of any known layout; raise Unreadable if there is none."""
    table = _TABLE.search(text) or ROW.search(text)
    twice: set[str] = set()
    fields = _fields(text[: table.start()] if table else text, twice)
    found = Found(_kind(fields, table is not None))
    models = {model.strip() for model in _MODEL.findall(text)}
    if twice & {*HEALTH, "Product"} or len(models) > 1:
        found.flags.add("figures_twice")
    _information(found, fields)
    if table:
        _attributes(found, text, table)
    _statistics(found, text)
    _health(found, text, fields)
    _scsi(found, fields)
    _logs(found, text, fields)
    _cuts(found, text)
    if not found.tells_something():
        refused = _REFUSED.search(text)
        said = f"smartctl says: {without_device(refused[0])}" if refused else None
        told = "; ".join(filter(None, (said, advice(text[:20_000]))))
        raise Unreadable(told or "the text holds no report of smartctl")
    counted = found.scsi.keys() & {"used", "bytes_written"}
    if found.kind == "scsi" and not counted and "device lacks SMART capability" in text:
        found.flags.add("no_smart")
    version = _VERSION.search(text[:4096])
    found.smartctl = version[1] if version else None
    found.head = found.smartctl is not None
    return found


def holds_report(text: str, end: int) -> bool:
    """Return whether a report begins before a position in a text."""
    return _CONTENT.search(text, 0, end) is not None or text.startswith("smartctl ")


def starts(text: str) -> list[int]:
    """Return the positions in a text where further reports begin."""
    found: list[int] = []
    seen: set[str] = set()
    for start in _START.finditer(text):
        mark = "model" if start[1].endswith(": ") else start[1].replace("READ ", "")
        banner = mark.startswith("smartctl")
        head = banner or mark.endswith("INFORMATION")
        bare = head and not seen and not found and _CONTENT.search(text, 0, start.start())
        if mark in seen or (banner and seen) or (head and "model" in seen) or bare:
            found.append(start.start())
            seen.clear()
        seen.add(mark)
    return found


def _fields(head: str, twice: set[str] | None = None) -> dict[str, str]:
    """Return the lines "Name: value", of several with one name the first."""
    fields: dict[str, str] = {}
    for line in head.split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            name = " ".join(name[:80].split())
            if fields.setdefault(name, value).split() != value.split() and twice is not None:
                twice.add(name)
    return fields


def _kind(fields: dict[str, str], table: bool) -> str:
    if table or "Device Model" in fields:
        return "ata"
    if "Product" in fields or (_SAS_PAGE in fields and not {*_NVME_ONLY} & fields.keys()):
        return "scsi"
    if {"Model Number", *_NVME_ONLY} & fields.keys():
        return "nvme"
    return "ata"


def _information(found: Found, fields: dict[str, str]) -> None:
    for name in ("Device Model", "Model Number", "Product"):
        if name in fields:
            found.model = label(fields[name])
            break
    kind = fields.get("Device type", "").strip().removeprefix("disk")
    found.vendor = label(f"{kind} {fields.get('Vendor', '').strip()}")
    found.firmware = label(fields.get("Firmware Version", fields.get("Revision", "")))
    for name in _CAPACITIES:
        if name in fields:
            found.capacity_bytes = _counted(found, fields[name], 1)
            break
    if "Namespace 1 Utilization" in fields:
        found.utilization_bytes = _counted(found, fields["Namespace 1 Utilization"], 1)
    _time(found, fields.get("Local Time is", "")[:80].rstrip())
    found.identity = identity(fields.get("Serial Number", fields.get("Serial number")))
    for name in ("Temperature", "Current Temperature", "Current Drive Temperature"):
        if found.temperature_c is None and (degrees := _CELSIUS.match(fields.get(name, ""))):
            found.temperature_c = int(degrees[1])
    sector = _SECTOR.match(fields.get("Sector Size", fields.get("Sector Sizes", "")))
    found.sector_bytes = int(sector[1]) if sector else 512
    rotation = fields.get("Rotation Rate", "").strip()
    found.rotating = rotation.endswith("rpm") if rotation else None
    verdict = fields.get("SMART overall-health self-assessment test result", "").strip()
    found.passed = _VERDICTS.get(verdict)
    if status := fields.get("SMART Health Status", "").strip():
        found.passed = status == "OK"  # a SCSI drive says in words what is wrong
        found.said = None if found.passed else label(status)


def _logs(found: Found, text: str, fields: dict[str, str]) -> None:
    """Read the logs of self-tests, errors and pending defects."""
    status = _TEST_STATUS.match(fields.get("Self-test execution status", ""))
    found.self_test_failed = status is not None and 3 <= int(status[1]) >> 4 <= 8
    for log in itertools.islice(_TESTS.finditer(text), _MOST_LOGS):
        end = text.find("\n\n", log.end())
        for test in _TEST.finditer(text, log.end(), end if end >= 0 else len(text)):
            if _TEST_FAILED.search(test[1]):
                found.self_test_failed = True
            if found.self_test_failed or (test[1].startswith("Ext") and "without error" in test[1]):
                break  # a whole test that passed clears what was found before it
    errors = _ERROR_COUNT.search(text)
    found.logged_errors = int(errors[1]) if errors else 0
    hours = [int(hour) for hour in _ERROR_HOURS.findall(text)]
    found.last_error_hours = max(hours, default=None)
    found.unreadable_data = _UNREADABLE_DATA.search(text) is not None
    defects = _DEFECTS.search(text)
    if defects and defects[1]:
        found.statistics["pending_defects"] = defects[1].count("\n")


def _time(found: Found, text: str) -> None:
    year = _YEAR.search(text)
    found.year = int(year[1]) if year else None
    if time := _TIME.search(text):
        with suppress(ValueError):  # a month of another language, an hour 25
            at = datetime.strptime(" ".join(time.groups()), "%b %d %H:%M:%S %Y")
            found.time_s = int(at.replace(tzinfo=UTC).timestamp())


def _attributes(found: Found, text: str, table: re.Match[str]) -> None:
    rows = list(ROW.finditer(text, table.start()))
    for row in rows:
        number, name, kind, value, worst, threshold, failed, raw = row.groups()
        raw = raw.rstrip()
        attribute = Attribute(
            name,
            _small(value),
            _small(worst),
            raw_number(raw),
            raw,
            _small(threshold),
            _FAILED.get(failed, ""),
            kind.startswith("P") or (kind.startswith("0x") and int(kind, 16) % 2 == 1),
        )
        found.add(int(number), attribute)
    end = _TABLE_END.search(text, rows[-1].end() if rows else table.end())
    read = {row.start() for row in rows} | {table.start()}
    like = _LIKE_A_ROW.finditer(text, table.start(), end.start() if end else len(text))
    if any(line.start() not in read for line in like):
        found.flags.add("rows_unread")
    brief = " FLAGS " in table[0] or (rows and rows[0][3][0] in "P-")
    if "ID#" in table[0] and re.search(r"THRESH.*(?<!RAW_VALUE)\s*$", table[0]):
        found.flags.add("truncated")  # cut at a column, and so the rows
    elif brief and not end and not _LEGEND.search(text, table.start()):
        found.flags.add("truncated")
    elif rows and not text[rows[-1].end() :].strip() and not text.endswith("\n\n"):
        found.flags.add("table_ends_text")


def _cuts(found: Found, text: str) -> None:
    """Flag what is cut: a section of known length, or the number at the end."""
    banner = _BANNER.search(text)
    log = text.find("\nSMART/Health Information (")
    statistics = text.find("\nDevice Statistics (")
    if (
        (banner and not banner[0].rstrip().endswith(")"))  # cut at a column, and so the rest
        or (log >= 0 and "media_errors" not in found.health and text.find("\n\n", log) < 0)
        or (statistics >= 0 and not _STATISTICS_END.search(text, statistics))
        or (
            "\nGeneral Purpose Log Directory Version" in text
            and statistics < 0
            and "\nSATA Phy Event Counters" not in text
            and not text.endswith("\n\n")
        )
    ):
        found.flags.add("truncated")
    line = text[text.rfind("\n") + 1 :]
    if not _LAST_DIGIT.search(line):
        return
    name = " ".join(line.partition(":")[0].split())
    if row := ROW.match(line):
        found.unsure = row[1]
    elif key := HEALTH.get(name, "used" if name.startswith("Percentage used") else None):
        found.unsure = key
    elif not _STATISTIC.match(f"{line} "):
        return
    found.flags.add("last_number_unsure")


def _small(digits: str) -> int | None:
    return None if digits == "---" else int(digits)


def _statistics(found: Found, text: str) -> None:
    start = text.find("\nDevice Statistics (")
    if start < 0:
        return
    end = _STATISTICS_END.search(text, start)
    for row in _STATISTIC.finditer(text, start, end.start() if end else len(text)):
        found.count((int(row[1], 16), int(row[2], 16)), int(row[3]))


def _health(found: Found, text: str, fields: dict[str, str]) -> None:
    if found.kind != "nvme":
        return
    for name, key in HEALTH.items():
        if name in fields:
            value = _counted(found, fields[name], _TIMES.get(name))
            if value is not None:
                found.health[key] = value
    for name, key in _LIMITS.items():
        if degrees := _CELSIUS.match(fields.get(name, "")):
            found.health[key] = int(degrees[1])
    found.health |= counted(statuses(text))


def _scsi(found: Found, fields: dict[str, str]) -> None:
    if found.kind != "scsi":
        return
    used = _counted(found, fields.get(_SAS_PAGE, ""))
    hours = _HOURS.match(fields.get("Accumulated power on time, hours", ""))
    errors = {name: _ERRORS.match(fields.get(name, "")) for name in ("read", "write", "verify")}
    if any(row is None and fields.get(name, "").strip() for name, row in errors.items()):
        found.flags.add("number_unreadable")
    written = errors["write"]
    pending = _PENDING.match(fields.get("Pending defect count", ""))
    trip = _CELSIUS.match(fields.get("Drive Trip Temperature", ""))
    counts = {
        "used": used,
        "power_on_hours": int(hours[1]) if hours else None,
        "bytes_written": decimal_bytes(written[1]) if written else None,
        "uncorrected_errors": sum(int(row[2]) for row in errors.values() if row) or None,
        "grown_defects": _counted(found, fields.get("Elements in grown defect list", "")),
        "pending_defects": int(pending[1]) if pending else None,
        "trip_temperature_c": int(trip[1]) if trip else None,
    }
    found.scsi |= {name: count for name, count in counts.items() if count is not None}


def _counted(found: Found, text: str, times: int | None = None) -> int | None:
    """Return the number before a unit, a percent sign or a remark.

    With `times` it must agree with the rounded bytes in brackets, if there are any.
    """
    text = text.strip()
    match = _FIGURE.fullmatch(text[:200])
    number = None
    if match:
        digits = match["number"].rstrip(" \u00a0")
        number = raw_number(digits) if digits.startswith("0x") else grouped(digits)
        if number is not None and times and not _agrees(number * times, text):
            number = None
    if number is not None and number <= LARGEST_NUMBER:
        return number
    if text not in ("", "-"):
        found.flags.add("number_unreadable")
    return None


def _agrees(count: int, text: str) -> bool:
    """Say whether bytes are what stands rounded in brackets behind them, as "[25.6 TB]"."""
    bracket = _BRACKET.search(text)
    if bracket is None:
        return True
    whole, part, prefix = bracket[1], bracket[2] or "", bracket[3]
    unit: int = 1000 ** " KMGTPE".index(prefix.upper() or " ")
    return bool(abs(count * 10 ** len(part) - int(whole + part) * unit) <= unit)
