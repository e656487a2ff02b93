"""Read the daily drive tables of Backblaze, one row per drive."""

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from flashwear.smart._found import Attribute, Found, Unreadable, identity, label

HEADER = b"date,serial_number,model,capacity_bytes,failure"

SSD = re.compile(r".*SSD|(?:Micron )?(?:\d+ )?MTFD|.*\bZA\d+[CGN]M|.*WDS\d+G|.*SA510|Samsung SSD")
"""Models in these tables that are known for solid-state drives: no column tells them apart."""

_COUNTER = re.compile(r"smart_(\d{1,3})_(raw|norm\w*)", re.ASCII)
_LONGEST_LINE = 2**16


def drives(
    file: IO[bytes], model: re.Pattern[str] | None = None
) -> Iterator[tuple[int, Found | str]]:
    """Yield line number and drive for each line whose model matches, or why it cannot be read."""
    head = file.readline(_LONGEST_LINE)
    if not head.startswith(HEADER):
        raise Unreadable("the table has another header than the daily tables of Backblaze")
    names = head.decode("ascii", "replace").strip().split(",")
    counters = {name: _COUNTER.fullmatch(name) for name in names}
    number = 1
    while line := file.readline(_LONGEST_LINE):
        number += 1
        cells = line.split(b",", 3)
        if len(cells) < 4 or not (model or SSD).match(cells[2].decode("utf-8", "replace")):
            continue
        try:
            (row,) = csv.reader([line.decode("utf-8", "replace").strip()], strict=True)
        except (csv.Error, ValueError) as error:
            yield number, f"the row is broken: {error}"
            continue
        if len(row) != len(names):
            yield number, f"the row must have {len(names)} cells, got {len(row)}"
            continue
        yield number, _drive(dict(zip(names, row, strict=True)), counters)


def _drive(row: dict[str, str], counters: dict[str, re.Match[str] | None]) -> Found:
    found = Found("ata", model=label(row["model"]), identity=identity(row["serial_number"]))
    capacity = _whole(row["capacity_bytes"])
    found.capacity_bytes = capacity if capacity else None
    try:
        at = datetime.fromisoformat(row["date"][:10]).replace(tzinfo=UTC)
        found.time_s, found.year = int(at.timestamp()), at.year
    except ValueError:
        found.flags.add("number_unreadable")
    values: dict[int, dict[bool, int | None]] = {}
    for name, counter in counters.items():
        if counter and row[name]:
            values.setdefault(int(counter[1]), {})[counter[2] == "raw"] = _whole(row[name])
    for number, pair in values.items():
        raw = pair.get(True)
        found.add(number, Attribute("", pair.get(False), None, raw, str(raw)))
    return found


def _whole(text: str) -> int | None:
    """Return a whole number, also as a spreadsheet saves it ("12.0", "1e9")."""
    try:
        value = float(text[:40])
        return int(text) if text.isdecimal() else int(value) if value.is_integer() else None
    except (ValueError, OverflowError):
        return None
