"""Thresholds of ``flashwear rack``: ranges of the plugins' guidelines, by metric, also by model."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from flashwear.smart import FINDINGS, Finding

if TYPE_CHECKING:
    from flashwear.history import Row

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"(@?)(?:(~|{_NUMBER})?:({_NUMBER})?|({_NUMBER}))", re.ASCII)
_COUNTED = ("media_errors", "pending_sectors", "reallocated_blocks")


class Range(NamedTuple):
    """A range of the plugins' guidelines: 10, 10:, ~:10, 10:20, @10:20."""

    low: float
    high: float
    inside: bool
    """Whether the alarm is inside the range, not outside."""
    text: str

    def alarms(self, value: float) -> bool:
        """Return whether a value gives an alarm."""
        return (self.low <= value <= self.high) == self.inside


def _rated(row: Row, _: float) -> float | None:
    if row.host_bytes_written is None or not row.rated_bytes:
        return None
    return 100 * row.host_bytes_written / row.rated_bytes


def _age(row: Row, now: float) -> float | None:
    return None if row.taken_at is None else max(0, round(now) - row.taken_at)


METRICS: dict[str, tuple[str, Callable[[Row, float], float | None]]] = {
    "life_used": ("%", lambda row, _: row.life_used_percent),
    "rated_written": ("%", _rated),
    "spare": ("%", lambda row, _: row.spare_percent),
    "written": ("B", lambda row, _: row.host_bytes_written),
    "power_on": ("s", lambda row, _: row.power_on_hours and 3600 * row.power_on_hours),
    "media_errors": ("", lambda row, _: row.media_errors),
    "interface_errors": ("", lambda row, _: row.interface_errors),
    "reallocated_blocks": ("", lambda row, _: row.reallocated_blocks),
    "temperature": ("C", lambda row, _: row.temperature_celsius),
    "report_age": ("s", _age),
}
"""Figures with thresholds, which stand in the performance data: unit, and value at a time."""


class Limits(NamedTuple):
    """What alarms, and what is accepted."""

    warning: dict[str, Range]
    critical: dict[str, Range]
    accept: dict[str, int | None]
    """Findings, with the count up to which they are accepted."""

    def merged(self, other: Limits) -> Limits:
        """Return these limits with those of another in their place."""
        return Limits(
            self.warning | other.warning,
            self.critical | other.critical,
            self.accept | other.accept,
        )


def a_range(text: str) -> Range:
    """Parse a range of the plugins' guidelines."""
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"must be a range as 90, 10: or 10:20, got {text[:40]!r}")
    at, start, end, alone = match.groups()
    low = float("-inf") if start == "~" else float(start or 0)
    high = float(alone or end or "inf")
    if low > high:
        raise argparse.ArgumentTypeError(f"must be a range from low to high, got {text[:40]!r}")
    return Range(low, high, bool(at), text.strip())


def limit(text: str) -> tuple[str, Range]:
    """Parse ``metric=range``."""
    name, _, rest = text.partition("=")
    if name not in METRICS:
        raise argparse.ArgumentTypeError(f"must be METRIC=RANGE, of {', '.join(METRICS)}, "
                                         f"got {text[:40]!r}")  # fmt: skip
    return name, a_range(rest)


def accepted(text: str) -> tuple[str, int | None]:
    """Parse a finding that is accepted, with its count if it has one."""
    word, _, count = text.partition("=")
    finding = FINDINGS.get(word)
    if finding is None:
        raise argparse.ArgumentTypeError(f"must be a finding as media_errors=3, got {text[:40]!r}")
    if word in _COUNTED and re.fullmatch(r"\d{1,15}", count, re.ASCII):
        return word, int(count)
    if word in _COUNTED:
        raise argparse.ArgumentTypeError(f"must say how many, as {word}=3, got {text[:40]!r}")
    if count or finding.acknowledged != "yes":
        raise argparse.ArgumentTypeError(
            f"must be a finding that one may take note of once; of {word} that holds: "
            f"{finding.acknowledged}"
        )
    return word, None


def duration(text: str) -> float:
    """Parse a time such as 36h or 2d, in seconds."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)(min|h|d)", text.strip(), re.ASCII)
    seconds = float(match[1]) * {"min": 60, "h": 3600, "d": 86_400}[match[2]] if match else 0
    if not seconds:
        raise argparse.ArgumentTypeError(f"must be like 36h or 2d, got {text[:40]!r}")
    return seconds


def read_limits(path: str) -> list[tuple[str, Limits]]:
    """Read a TOML file with limits for all drives, and in sections for models or drives."""
    with open(path, "rb") as file:
        text = file.read(2**20)
    try:
        found = tomllib.loads(text.decode())
        own = {name: found.pop(name) for name in Limits._fields if name in found}
        for name, one in found.items():
            if not isinstance(one, dict):
                raise ValueError(f"[{name}] must be a section for a model, got {one!r}")
        return [("*", _section(own)), *((name, _section(one)) for name, one in found.items())]
    except (ValueError, RecursionError, argparse.ArgumentTypeError) as error:
        raise ValueError(f"limits of {path}: {error}") from None


def _section(found: dict[str, Any]) -> Limits:
    if unknown := found.keys() - set(Limits._fields):
        raise ValueError(f"must be {', '.join(Limits._fields)}, got {min(unknown)!r}")
    for name, one in found.items():
        if not isinstance(one, dict):
            raise ValueError(f"{name} must be a table as {{media_errors = 3}}, got {one!r}")
    warning, critical = (
        dict(limit(f"{name}={text}") for name, text in found.get(level, {}).items())
        for level in Limits._fields[:2]
    )
    words = (w if n is True else f"{w}={n}" for w, n in found.get("accept", {}).items())
    return Limits(warning, critical, dict(map(accepted, words)))


def for_row(row: Row, base: Limits, sections: list[tuple[str, Limits]]) -> Limits:
    """Return the limits of a drive: those of the command before those of the file's sections."""
    found = Limits({}, {}, {})
    for name, limits in sections:
        if name == row.drive or fnmatchcase(row.model or "", name):
            found = found.merged(limits)
    return found.merged(base)


def limited(row: Row, limits: Limits, now: float) -> Row:
    """Return a row judged by limits, too; a drive's own warnings stay."""
    counts = row._asdict()

    def known(word: str) -> bool:
        most = limits.accept.get(word, -1)
        count = counts.get(word)
        return most is None or (count is not None and count <= most)

    left = tuple(one for one in row.findings if not known(one.word))
    found = list(left)
    for name, (unit, value_of) in METRICS.items():
        value = value_of(row, now)
        for level in ("critical", "warning"):
            range_ = getattr(limits, level).get(name)
            if value is not None and range_ is not None and range_.alarms(value):
                shown = f"{value:,.12g} {unit.replace('C', '°C')}".rstrip()
                text = f"{name.replace('_', ' ')} {shown} (limit {range_.text})"
                found.append(Finding(f"limit_{name}", level, text))
                break
    return row if tuple(found) == row.findings else row.judged(tuple(found))
