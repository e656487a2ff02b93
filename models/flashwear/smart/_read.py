"""Read a report from a path, a file or text, within the largest size of a report."""

import bisect
import codecs
import io
import os
import re
import zlib
from collections.abc import Iterator
from typing import IO, Any, TypeAlias

from flashwear.smart import _nvme_cli
from flashwear.smart._crystal import START as CRYSTAL, from_crystal, is_crystal
from flashwear.smart._emmc import from_emmc
from flashwear.smart._figures import evaluate
from flashwear.smart._form import tidy
from flashwear.smart._found import Found, Unreadable
from flashwear.smart._history import ATTRLOG, from_attrlog, from_scrutiny, is_scrutiny
from flashwear.smart._json import from_json, objects
from flashwear.smart._report import Report
from flashwear.smart._text import from_text, holds_report, starts

_PROMPT = re.compile(
    r"\b(?:smartctl|nvme)(?:\.exe)? [^\n]{0,200}?"
    r"(/dev/[\w/.:-]{1,100}|\b[a-z]:(?=[ /\n]|$)|\b(?:pd|ada?|da|disk)\d{1,3}\b)",
    re.ASCII,
)
_KIND = re.compile(r" -d (\S{1,40})", re.ASCII)  # of a device: which drive behind a controller
_JSON = re.compile(r"^[ \t]*(?=\{|\[\s*[\[{\]])", re.MULTILINE)  # not the prompt "[root@host ~]#"

_GZIP = b"\x1f\x8b"
_PIECE = 4096

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]

MOST = 1000
"""Largest number of drives that are read from one text."""

LARGEST = 4 * 2**20
"""Largest size of a report in bytes (or characters); real reports have up to 120 kB."""


def parse(text: str | bytes) -> Report:
    """Read a report from text: smartctl's, as text or as JSON, or that of another tool.

    Parameters
    ----------
    text : str or bytes
        The output of ``smartctl -x``, ``-a``, ``-A`` or ``-j``, versions 6.5 to 7.5; that of
        ``nvme smart-log``, ``nvme endurance-log``, ``nvme ocp smart-add-log`` and
        ``nvme fdp stats``, one after the other or alone; an attribute log of smartd; or an export
        of scrutiny for a drive. If a text has several drives the first one is read, if it has
        several times the last one.

    Raises
    ------
    Unreadable
        If the text is longer than 4 MiB or holds no report. Whatever else is wrong with it is
        left out and said in :attr:`Report.flags`.
    TypeError
        If it is neither str nor bytes.

    Examples
    --------
    >>> report = parse('''
    ... Device Model:     Crucial_CT750MX300SSD1
    ... Firmware Version: M0CR011
    ... User Capacity:    750,156,374,016 bytes [750 GB]
    ... ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
    ... 246 Total_LBAs_Written      -O--CK   100   100   000    -    4000000000
    ... 247 Host_Program_Page_Count -O--CK   100   100   000    -    125000000
    ... 248 FTL_Program_Page_Count  -O--CK   100   100   000    -    250000000
    ...
    ... ''')
    >>> report.family, report.waf, report.rules["nand_bytes_written"], report.flags
    ('crucial-mx300', 3.0, '(247+248) x 16 KiB', ())
    """
    return _of_first(_whole(_as_text(text)))


def parse_all(text: str | bytes, name: str | None = None) -> list[Report]:
    """Read all reports in a text.

    Parameters
    ----------
    text : str or bytes
        Reports, as :func:`parse` takes them, one after the other. A log of nvme-cli that names no
        drive belongs to the report of an NVMe drive before it. A history, such as a log of smartd,
        gives a report for each state it records.
    name : str, optional
        Name of the file. smartd puts model and serial number into the names of attribute logs.

    Returns
    -------
    list of Report
        Reports, at least one, in the order of the text; those of a history in the order of time.

    Raises
    ------
    Unreadable
        As :func:`parse`.
    """
    return [evaluate(found) for drive in _whole(_as_text(text), name) for found in drive]


def read_states(source: Source) -> tuple[list[list[Report]], list[str]]:
    """Read all reports in a file, sorted by drive and time, and list parts that are no report.

    Parameters
    ----------
    source : path or binary file
        Text of one or several reports, plain or packed with gzip, as for :func:`read`.

    Returns
    -------
    drives : list of list of Report
        For each drive its reports in the order of time; several if the file holds a history.
    errors : list of str
        Reason for each part of the file that is no report.

    Raises
    ------
    Unreadable, OSError
        If the file cannot be read, or is too long.
    """
    return states(*_text_of(source))


def states(text: str, name: str | None = None) -> tuple[list[list[Report]], list[str]]:
    """Return the reports of each drive in a text over time, and why parts could not be read."""
    drives, errors = _drives(text, name)
    return [[evaluate(found) for found in drive] for drive in drives], errors


def _as_text(text: str | bytes) -> str:
    if isinstance(text, (bytes, bytearray)):
        return _text_of(io.BytesIO(text))[0]
    if not isinstance(text, str):
        hint = ": parse what its read() returns" if hasattr(text, "read") else ""
        raise TypeError(f"text must be str or bytes, got {type(text).__name__}{hint}")
    return text


def _whole(text: str, name: str | None = None) -> list[list[Found]]:
    """Return the states of each drive; raise Unreadable if there is none, flag what is lost."""
    drives, errors = _drives(text, name)
    if not drives:
        raise Unreadable(errors[0])
    if errors:
        drives[-1][-1].flags.add("rest_unreadable")
    return drives


def _of_first(drives: list[list[Found]]) -> Report:
    found = drives[0][-1]
    if len(drives) > 1:
        found.flags.add("several_reports")
    return evaluate(found)


def _drives(text: str, name: str | None = None) -> tuple[list[list[Found]], list[str]]:
    """Return the states of each drive in a text, in the order of time, and what is unreadable."""
    if len(text) > LARGEST:
        raise Unreadable(f"a report must have at most {LARGEST} characters, got {len(text)}")
    drives: list[list[Found]] = []
    errors: list[str] = []
    logs: list[set[str]] = []  # of each drive, that followed it
    for part in _parts(tidy(text), name):
        if isinstance(part, Unreadable):
            errors.append(str(part))
        elif drives and _continues(part[0], drives):
            drives[-1][-1].extend(part[0])
        elif drives and _repeats(part[0], drives[-1][-1]):
            continue
        elif drives and _belongs(part[0], drives[-1][-1], logs):
            drives[-1][-1].join(part[0])
            logs[-1].add(part[0].log)
        else:
            drives.append(part)
            logs.append(set())
        if len(drives) > MOST:
            raise Unreadable(f"a text must hold at most {MOST} reports, got more")
    if not drives and not errors:
        errors.append("the text is empty")
    return drives, errors


def _continues(part: Found, drives: list[list[Found]]) -> bool:
    """Say whether a part without a name is what follows of the drive before it, as -A after -i."""
    drive = drives[-1][-1]
    before = drives[-2][-1] if len(drives) > 1 else None
    return (
        part.log == drive.log == "report"
        and len(drives[-1]) == 1
        and part.model in (None, drive.model)
        and (None in (part.identity, drive.identity) or part.identity == drive.identity)
        and (part.device is None or drive.device in (None, part.device))
        and drive.model is not None
        and not drive.counts()
        and (part.counts() or (part.passed is not None and drive.passed is None))
        and (part.kind == drive.kind or part.model == drive.model or not part.counts())
        and (before is None or before.counts() or before.device not in (None, part.device))
    )


def _repeats(part: Found, drive: Found) -> bool:
    """Say whether a part only names the drive before it again, as hdparm -I after smartctl."""
    return (
        part.log == drive.log == "report"
        and part.model == drive.model is not None
        and drive.counts()
        and part.identity in (None, drive.identity)
        and not part.counts()
        and part.passed is None
    )


def _belongs(log: Found, drive: Found, logs: list[set[str]]) -> bool:
    """Say whether a log is one of the drive before it."""
    if log.log in ("report", "health") or drive.kind != "nvme" or log.log in logs[-1]:
        return False
    if drive.log not in ("report", "health"):  # logs alone: of one device, one of each kind
        return log.device == drive.device and log.log != drive.log
    if log.device and drive.device:
        return log.device == drive.device
    return all(log.log in of_drive for of_drive in logs[:-1])  # else it may be of another


def _parts(text: str, name: str | None) -> Iterator[list[Found] | Unreadable]:
    """Return each report or log in a text, or why there is none."""
    start = _JSON.search(text)
    head = text[: start.start()] if start else text
    if not start or holds_report(head, len(head)) or _nvme_cli.START.search(head):
        yield from _text_parts(head, name)
    if not start:
        return
    try:
        found, rest = objects(text[start.end() :])
    except Unreadable as error:
        yield error
        return
    for one in found:
        yield _read_or_why(_from_object, one)
    if rest:
        yield from _text_parts(rest, name)


def _text_parts(rest: str, name: str | None) -> Iterator[list[Found] | Unreadable]:
    if ATTRLOG.match(rest.lstrip()):
        yield _read_or_why(from_attrlog, rest.lstrip(), name)
        return
    if not holds_report(rest, len(rest)) and (card := from_emmc(rest)):
        yield [card]
        return
    if is_crystal(rest):
        begins = [start.start() for start in CRYSTAL.finditer(rest)] or [0]
        for begin, end in zip(begins, [*begins[1:], len(rest)], strict=True):
            yield _read_or_why(lambda part: [from_crystal(part)], rest[begin:end])
        return
    logs = {start.start(): start.lastgroup for start in _nvme_cli.START.finditer(rest)}
    cuts = sorted({*starts(rest), *logs})
    if not cuts or holds_report(rest, cuts[0]):
        cuts.insert(0, 0)
    prompts, last = list(_PROMPT.finditer(rest)), -1
    begins = [prompt.start() for prompt in prompts]
    for begin, end in zip(cuts, [*cuts[1:], len(rest)], strict=True):
        kind, part = logs.get(begin), rest[begin:end]
        if kind:
            yield _read_or_why(lambda kind, part: [_nvme_cli.from_log(kind, part)], kind, part)
            continue
        read = _read_or_why(lambda part: [from_text(part)], part)
        if isinstance(read, list):
            at = bisect.bisect_right(begins, _first(part, begin)) - 1
            if at >= 0 and begins[at] > last:
                behind = _KIND.search(prompts[at][0])
                read[0].device = _nvme_cli.device(prompts[at][1]) + (behind[0] if behind else "")
        last = begin
        yield read


def _first(part: str, begin: int) -> int:
    """Return where in a text the first line of smartctl in a part stands."""
    line = re.search(r"^(?:smartctl \d|=== START|ID#)", part, re.MULTILINE)
    return begin + (line.start() if line else 0)


def _read_or_why(reader: Any, *arguments: Any) -> list[Found] | Unreadable:
    try:
        found: list[Found] = reader(*arguments)
    except Unreadable as error:
        return error
    return found


def _from_object(one: dict[str, Any]) -> list[Found]:
    if is_scrutiny(one):
        return from_scrutiny(one)
    if kind := _nvme_cli.kind_of(one):
        return [_nvme_cli.from_json_log(kind, one)]
    return [from_json(one)]


def read(source: Source) -> Report:
    """Read a report from a file.

    Parameters
    ----------
    source : path or binary file
        Text as for :func:`parse`, in UTF-8, UTF-16 with a byte order mark, or ASCII with the
        non-breaking spaces of an 8-bit locale, packed with gzip or not. A file is read from where
        it stands and not closed.

    Raises
    ------
    Unreadable
        If there are more than 4 MiB (no more than that is read) or no report in them.
    OSError
        If the file cannot be opened or read.
    TypeError
        If it is neither a path nor a binary file.
    """
    return _of_first(_whole(*_text_of(source)))


def _text_of(source: Source) -> tuple[str, str | None]:
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return decoded(bounded(file)), os.fsdecode(source)
    if not hasattr(source, "read"):
        raise TypeError(f"source must be a path or a binary file, got {type(source).__name__}")
    return decoded(bounded(source)), None


def bounded(file: IO[bytes]) -> bytes:
    """Return what a file holds; raise Unreadable if that is longer than a report may be."""
    parts, left = [], LARGEST + 1
    while left > 0 and (part := file.read(left)):
        if not isinstance(part, bytes):
            raise TypeError('source must be a binary file, got one of text: open it in mode "rb"')
        parts.append(part)
        left -= len(part)
    if left <= 0:
        raise Unreadable(f"a report must have at most {LARGEST} bytes, got more")
    return b"".join(parts)


def decoded(content: bytes) -> str:
    """Return a report's bytes as text, with invalid bytes as U+FFFD."""
    if content.startswith(_GZIP):
        content = _unpacked(content)
        if not content.strip():
            raise Unreadable("the gzip file holds nothing")
    if not content.strip():
        raise Unreadable("the text is empty")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    if content[:200].count(b"\0") > len(content[:200]) // 3:  # the same without its mark
        big = content[:1] == b"\0"
        return content.decode("utf-16-be" if big else "utf-16-le", errors="replace")
    return content.decode("utf-8", errors="flashwear.smart")


def _unpacked(content: bytes) -> bytes:
    """Unpack the members of a gzip file in pieces, as one may hold very many small ones."""
    parts, left, at = list[bytes](), LARGEST + 1, 0
    for _ in range(MOST):
        if not content.startswith(_GZIP, at):
            return b"".join(parts)
        unpacker = zlib.decompressobj(wbits=31)
        while not unpacker.eof:
            piece = content[at : at + _PIECE]
            if not piece:
                raise Unreadable("the gzip file is broken: it ends too early")
            try:
                part = unpacker.decompress(piece, left)
            except zlib.error as error:
                raise Unreadable(f"the gzip file is broken: {error}") from None
            at += len(piece) - len(unpacker.unused_data)
            parts.append(part)
            left -= len(part)
            if left <= 0:
                raise Unreadable(f"a report must have at most {LARGEST} bytes, got more")
    raise Unreadable(f"a gzip file of reports must have fewer than {MOST} members, got more")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Take a lone byte A0 for the non-breaking space, with which 8-bit locales group digits."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start]
    return ("\u00a0" if byte == 0xA0 else "\ufffd"), error.start + 1


codecs.register_error("flashwear.smart", _replaced)
