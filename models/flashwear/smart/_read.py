"""A report from a path, a file or text, never more of it than a report can be."""

import codecs
import os
from typing import IO, TypeAlias

from flashwear.smart._figures import evaluate
from flashwear.smart._found import Unreadable
from flashwear.smart._json import from_json
from flashwear.smart._report import Report
from flashwear.smart._text import from_text

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]

LARGEST = 4 * 2**20
"""The most bytes (or characters) of a report; real ones have up to 120 kB."""


def parse(text: str) -> Report:
    """Read a report from text: what smartctl prints, as text or as JSON.

    Parameters
    ----------
    text : str
        The output of ``smartctl -x``, ``-a``, ``-A`` or ``-j``, of versions 6.5 to 7.5. Of
        several reports in one text the first is read.

    Returns
    -------
    Report

    Raises
    ------
    Unreadable
        If the text is longer than 4 MiB or holds no report. Whatever else is wrong with it is
        left out and said in :attr:`Report.flags`.

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
    if len(text) > LARGEST:
        raise Unreadable(f"a report must have at most {LARGEST} characters, got {len(text)}")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    start = text.lstrip()
    return evaluate(from_json(text) if start.startswith("{") else from_text(text))


def read(source: Source) -> Report:
    """Read a report from a file.

    Parameters
    ----------
    source : path or binary file
        Text as for :func:`parse`, in UTF-8, UTF-16 with a byte order mark, or ASCII with the
        non-breaking spaces of an 8-bit locale. A file is read from where it stands and not closed.

    Returns
    -------
    Report

    Raises
    ------
    Unreadable
        If there are more than 4 MiB (no more than that is read) or no report in them.
    OSError
        If the file cannot be opened or read.

    Examples
    --------
    >>> import io
    >>> read(io.BytesIO(b""))
    Traceback (most recent call last):
    flashwear.smart._found.Unreadable: the text is empty
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return read(file)
    return parse(decoded(_bounded(source)))


def _bounded(file: IO[bytes]) -> bytes:
    parts, left = [], LARGEST + 1
    while left > 0 and (part := file.read(left)):
        parts.append(part)
        left -= len(part)
    if left <= 0:
        raise Unreadable(f"a report must have at most {LARGEST} bytes, got more")
    return b"".join(parts)


def decoded(content: bytes) -> str:
    """Give the text of a report; bytes that are none stand in it as U+FFFD."""
    if not content.strip():
        raise Unreadable("the text is empty")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8", errors="flashwear.smart")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Take a lone byte A0 for the non-breaking space, with which 8-bit locales group digits."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start]
    return ("\u00a0" if byte == 0xA0 else "\ufffd"), error.start + 1


codecs.register_error("flashwear.smart", _replaced)
