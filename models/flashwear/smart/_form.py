"""Undo what copying does to a report: quotation, indents, markup, blank and broken lines.

Numbers are never repaired here; possible errors in them are reported as flags.
"""

import html
import json
import quopri
import re
from contextlib import suppress

ROW = re.compile(
    r"^[ \t]*(\d{1,3})[ \t]+(\S{1,40}?)[ \t]*"
    r"([P-][O-][S-][R-][C-][K-]\+?|0x[0-9a-f]{4})"
    r"[ \t]+(\d{3}|---)[ \t]+(\d{3}|---)[ \t]+(\d{3}|---)"
    r"[ \t]+(?:(?:Pre-fail|Old_age)[ \t]+(?:Always|Offline)[ \t]+)?(\S{1,16})[ \t]+(\S.*)$",
    re.MULTILINE | re.ASCII,
)
"""A row of the table of attributes, in the brief layout (flags as letters) or the old one (flags
as a number, then type and update). A name of 24 characters or more touches the flags."""

_HALF_ROW = re.compile(
    r"^[ \t]*\d{1,3}[ \t]+\S{1,40}?[ \t]*(?:[P-][O-][S-][R-][C-][K-]\+?|0x[0-9a-f]{4})"
    r"(?:[ \t]+(?:\d{3}|---)){3}(?:[ \t]+(?:Pre-fail|Old_age))?(?:[ \t]+(?:Always|Offline))?"
    r"(?:[ \t]+(?:-|NOW|Past|FAILING_NOW|In_the_past))?[ \t]*$",
    re.ASCII | re.MULTILINE,
)
_DIGITS = re.compile(r"^[ \t]*\d[\d ]*$", re.ASCII | re.MULTILINE)
_ANCHOR = re.compile(
    r"smartctl \d{1,2}\.\d|=== START OF |SMART/Health Information \(|ID# ATTRIBUTE_NAME"
    r"|(?:Device Model|Model Number|Model Family|Product|Vendor): |(?<![A-Za-z] )Smart Log for NVME"
    r"|CrystalDiskInfo \d",
    re.ASCII,
)
_ANCHORS = (  # what these begin with, found sooner
    "smartctl ", "=== START OF ", "SMART/Health Information (", "ID# ATTRIBUTE_NAME",
    "Device Model: ", "Model Number: ", "Model Family: ", "Product: ", "Vendor: ",
    "Smart Log for NVME", "CrystalDiskInfo ",
)  # fmt: skip
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]{0,40}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\\\)?)")
_PIPED = re.compile(r"^[ \t]*\|?(?:[^|\n]{1,40}\|){5,}.*$", re.MULTILINE)  # a row of Markdown
_MARKUP = re.compile(
    r"\[/?(?:code|quote|spoiler|pre|color|size|font|[biu])(?:=[^\]\n]{0,60})?\]"
    r"|</?(?:pre|code|p|div|span|b|i|blockquote)(?: [^>\n]{0,200})?>|```\w{0,20}|\*\*|`",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br ?/?>\n?", re.IGNORECASE)
_MARKS = ("[/", "</", "<br", "<p", "`", "**")
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u200b\u200c\u200d\u2060\u00ad\ufeff"),  # seen by nobody
        **dict.fromkeys("\v\f\x85\u2028\u2029", "\n"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        "\u2014": "--",
        "\uff1a": ":",
    }
)
_PADDING = re.compile("(?<![0-9])\u00a0|\u00a0(?![0-9])|\u00a0{2,}")
_QUOTED_PRINTABLE = re.compile(r"=\r?\n")
_COMMENT = re.compile(r"^[ \t]*(?:#|//) ?", re.MULTILINE)
_HEADING = re.compile(  # of the table of attributes, broken by a mail program
    r"^([ \t]*ID# ATTRIBUTE_NAME[^\n]*)\n"
    r"(?=[ \t]*(?:VALUE|WORST|THRESH|TYPE|UPDATED|WHEN_FAILED|FAIL|RAW_VALUE)\b)",
    re.MULTILINE,
)
_FEWEST_LINES = 4  # in a string
_LONGEST_PREFIX = 80
_LEAST_DOUBLED = 6  # lines of text in a row without two that touch


def tidy(text: str) -> str:
    """Undo, as far as possible, what copying has done to the text of a report."""
    if _QUOTED_PRINTABLE.search(text) and "=3D" in text:
        text = quopri.decodestring(text.encode(errors="replace")).decode("utf-8", "replace")
    if text.lstrip()[:1] in ("#", "/"):
        text = _commented_out(text)
    if text.lstrip()[:1] in ("{", "[") and (unpacked := _of_json(text)) is not None:
        return unpacked
    text = _without_string(text)
    if "\r" in text:
        text = re.sub(r"\r+\n?", "\n", text)
    if not text.isascii() or "\f" in text or "\v" in text:
        text = text.translate(_SIGNS)
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "&gt;" in text or "&nbsp;" in text or "&lt;" in text:
        text = html.unescape(text)
    if any(mark in text for mark in _MARKS):
        text = _MARKUP.sub("", _BREAK.sub("\n", text))
    if "\u00a0" in text:
        text = _PADDING.sub(" ", text)
    if any(_stands_inside(text, words) for words in _ANCHORS):
        text = "\n".join(_without_prefixes(text.split("\n")))
    if 4 * text.count("\n\n") > text.count("\n"):
        text = "\n".join(_single_spaced(text.split("\n")))
    if "\n>" in text:
        text = re.sub(r"\n>[> ]*", "\n", text)
    if "|" in text and _PIPED.search(text):
        text = _PIPED.sub(lambda row: row[0].replace("|", " "), text)
    text = _HEADING.sub(r"\1 ", text)
    if _HALF_ROW.search(text) or any(
        ROW.match(text, text.rfind("\n", 0, line.start() - 1) + 1)
        for line in _DIGITS.finditer(text)
    ):
        text = "\n".join(_whole_rows(text.split("\n")))
    return text


def _commented_out(text: str) -> str:
    """Return JSON that stands behind comment signs; any other text as it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not all(_COMMENT.match(line) for line in lines):
        return text
    plain = _COMMENT.sub("", text)
    return plain if plain.lstrip()[:1] in ("{", "[") else text


def _stands_inside(text: str, words: str) -> bool:
    """Say whether what begins a line stands anywhere inside one."""
    at = text.find(words)
    while at >= 0:
        if at > 0 and text[at - 1] != "\n" and _ANCHOR.match(text, at):
            return True
        at = text.find(words, at + 1)
    return False


def _of_json(text: str) -> str | None:
    """Return JSON as it is, or the reports that stand in its strings; None if it is none."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict) and "json_format_version" not in value:
            lists = [one for one in value.values() if isinstance(one, list)]
            lines = [one for one in lists if len(one) > _FEWEST_LINES and isinstance(one[0], str)]
            strings = ["\n".join(map(str, one)) for one in lines]
            strings += [one for one in value.values() if isinstance(one, str) and "\n" in one]
            reports = [tidy(one) for one in strings if _ANCHOR.search(one)]
            if reports:
                return "\n".join(reports)
        return text
    return None


def _without_string(text: str) -> str:
    """Return a text that stands in a string of JSON or of a program."""
    if text.count("\\n") <= max(_FEWEST_LINES, text.count("\n")):
        return text
    return re.sub(r"(?:\\r)*\\n", "\n", text).replace("\\t", "\t").replace('\\"', '"')


def _without_prefixes(lines: list[str]) -> list[str]:
    """Take away what stands before each line: marks of quotation, indents, a clock."""
    plain: list[str] = []
    prefix, pattern = "", re.compile("")
    for line in lines:
        anchor = _ANCHOR.search(line)
        if anchor and anchor.start() <= _LONGEST_PREFIX and line[: anchor.start()] != prefix:
            prefix = line[: anchor.start()]
            pattern = _prefix_pattern(prefix)
        if prefix.isspace():
            indent = len(line) - len(line.lstrip(" \t"))
            line = line[min(indent, len(prefix)) :]
        elif prefix and (found := pattern.match(line)):
            line = line[found.end() :]
        plain.append(line)
    return plain


def _prefix_pattern(prefix: str) -> re.Pattern[str]:
    parts = re.findall(r"\d+|[ \t]+|[^\d \t]+", prefix, re.ASCII)
    return re.compile(
        "".join(
            r"\d{1,20}" if part.isdigit() else f"[ \\t]{{0,{len(part)}}}" if part.isspace()
            else re.escape(part)
            for part in parts
        ),
        re.ASCII,
    )  # fmt: skip


def _single_spaced(lines: list[str]) -> list[str]:
    """Take out the blank lines where each line of text has one after it."""
    plain: list[str] = []
    start = 0
    texts = [at for at, line in enumerate(lines) if line.strip()]
    runs: list[list[int]] = []
    for at in texts:
        if runs and at - runs[-1][-1] > 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    for run in runs:
        if len(run) < _LEAST_DOUBLED:
            continue
        plain += lines[start : run[0]]
        for at, after in zip(run, [*run[1:], run[-1] + 1], strict=True):
            plain.append(lines[at])
            plain += [""] * ((after - at) // 2 - 1)
        start = run[-1] + 1
    return plain + lines[start:]


def _whole_rows(lines: list[str]) -> list[str]:
    """Join the parts of a row that was broken; a number in two parts stays two numbers."""
    whole: list[str] = []
    for line in lines:
        last = whole[-1] if whole else ""
        broken = last[:1].isdigit() or last[:1] in (" ", "\t")
        if broken and line.strip() and not ROW.match(line):
            half = _HALF_ROW.match(last) and not _HALF_ROW.match(line) and "===" not in line
            if half or (_DIGITS.match(line) and ROW.match(last)):
                whole[-1] = f"{last.rstrip()} {line.strip()}"
                continue
        whole.append(line)
    return whole
