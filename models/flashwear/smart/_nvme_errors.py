"""Entries of an NVMe drive's error log, told apart by meaning: faults, or refused commands."""

import re
from collections.abc import Iterable

_ROW = re.compile(
    r"^[ >]*\d{1,4} +\d{1,20} +(?:\d{1,6}|-) +(?:0x[0-9a-f]{4}|-) +(0x[0-9a-f]{4}) ",
    re.MULTILINE | re.ASCII,
)
_GENERIC, _OF_COMMAND, _MEDIA = range(3)  # status code types
_READ_ONLY_RANGE = 0x82  # of a command: a write to a range that takes none
_NO_FAULTS_OF_MEDIA = (0x85, 0x86, 0x87)  # compare failed, access denied, never written
_WRITE_PROTECTED = 0x20  # generic
_REFUSED = (0x01, 0x02, 0x0B, 0x0C, *range(0x0D, 0x16))  # generic: a command that is not right


def statuses(text: str) -> list[tuple[int, int]]:
    """Return the status code type and status code of each entry in an error log of smartctl."""
    found = (int(status, 16) >> 1 for status in _ROW.findall(text))
    return [(status >> 8 & 7, status & 0xFF) for status in found]


def counted(listed: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Count the entries of the error log by their meaning, as names of :attr:`Report.health`.

    Codes are those of the NVM Express base specification, status code types 0 to 2.

    >>> counted([(2, 0x81), (1, 0x82), (0, 0x02), (0, 0x06)])["listed_media_errors"]
    1
    """
    found = dict.fromkeys(
        ("listed_errors", "listed_media_errors", "listed_refused_writes", "listed_refused"), 0
    )
    for kind, code in listed:
        found["listed_errors"] += 1
        if kind == _MEDIA and code not in _NO_FAULTS_OF_MEDIA:
            found["listed_media_errors"] += 1
        elif (kind, code) in ((_OF_COMMAND, _READ_ONLY_RANGE), (_GENERIC, _WRITE_PROTECTED)):
            found["listed_refused_writes"] += 1
        elif kind in (_MEDIA, _OF_COMMAND) or (kind == _GENERIC and code in _REFUSED):
            found["listed_refused"] += 1
    return found if found["listed_errors"] else {}
