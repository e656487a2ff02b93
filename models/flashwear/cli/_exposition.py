"""Samples for Prometheus, in its text format or as OpenMetrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import flashwear
from flashwear.cli._limits import METRICS

if TYPE_CHECKING:
    from flashwear.history import Row

_Value: TypeAlias = "Callable[[Row], float | None]"


def _over(value: float | None, by: float | None) -> float | None:
    return None if value is None or not by else value / by


_OF_DRIVE: dict[str, tuple[str, _Value]] = {
    "status": ("The verdict: 0 nothing found, 1 warning, 2 critical, 3 unknown.",
               lambda row: row.status),
    "life_used_ratio": (
        "Rated life used by the drive's own count; more than 1 is possible. Absent when unknown.",
        lambda row: _over(row.life_used_percent, 100)),
    "rated_written_ratio": (
        "Bytes that the host wrote over those that the drive is rated for. Absent when unknown.",
        lambda row: _over(row.host_bytes_written, row.rated_bytes)),
    "host_written_bytes_total": ("Bytes that the host wrote. Absent when unknown.",
                                 lambda row: row.host_bytes_written),
    "nand_written_bytes_total": ("Bytes written to flash. Absent when unknown.",
                                 lambda row: row.nand_bytes_written),
    "power_on_seconds_total": ("Time under power.",
                               lambda row: METRICS["power_on"][1](row, 0)),
    "spare_ratio": ("Spare blocks left.", lambda row: _over(row.spare_percent, 100)),
    "spare_threshold_ratio": ("The drive warns of spare blocks below it.",
                              lambda row: _over(row.spare_threshold_percent, 100)),
    "media_errors_total": ("Errors that the drive could not correct. Absent when unknown.",
                           lambda row: row.media_errors),
    "interface_errors_total": ("Errors between drive and computer. Absent when unknown.",
                               lambda row: row.interface_errors),
    "temperature_celsius": ("Temperature at the report.", lambda row: row.temperature_celsius),
    "report_timestamp_seconds": ("When the report was taken, since the epoch.",
                                 lambda row: row.taken_at),
}  # fmt: skip
_INFO = ("serial", "host", "device", "model", "firmware", "protocol", "life_used_source")


def exposition(
    drives: Mapping[str, Row], failed: int, now: float, openmetrics: bool
) -> Iterator[str]:
    """Yield the lines about drives by their keys, about `failed` reports and about this run."""
    rows = drives.items()

    def metric(
        name: str, help_: str, samples: Iterable[tuple[Mapping[str, str], float]]
    ) -> Iterator[str]:
        counter = name.endswith("_total")
        family = f"flashwear_{name.removesuffix('_total') if openmetrics else name}"
        yield f"# HELP {family} {help_}"
        yield f"# TYPE {family} {'counter' if counter else 'gauge'}"
        for labels, value in samples:
            told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
            yield f"flashwear_{name}{f'{{{told}}}' if told else ''} {digits(value)}"

    version = {"version": flashwear.__version__}
    yield from metric("build_info", "Version that wrote this; the value is always 1.",
                      [(version, 1)])  # fmt: skip
    yield from metric(
        "drive_info", "What the drive is; the value is always 1. Join it on (instance, drive).",
        [({"drive": drive, **_labels(row)}, 1) for drive, row in rows],
    )  # fmt: skip
    yield from metric(
        "drive_finding", "A finding that holds now; the value is always 1.",
        [({"drive": drive, "finding": word, "severity": level}, 1)
         for drive, row in rows for word, level in {f.word: f.level for f in row.findings}.items()],
    )  # fmt: skip
    for name, (help_, value) in _OF_DRIVE.items():
        told = [(drive, value(row)) for drive, row in rows]
        samples = [({"drive": drive}, count) for drive, count in told if count is not None]
        if samples:
            yield from metric(f"drive_{name}", help_, samples)
    yield from metric("reports_failed", "Reports of the last run that could not be read.",
                      [({}, failed)])  # fmt: skip
    yield from metric("run_timestamp_seconds", "When flashwear last finished, since the epoch.",
                      [({}, int(now))])  # fmt: skip
    if openmetrics:
        yield "# EOF"


def _labels(row: Row) -> dict[str, str]:
    return {name: text for name in _INFO if (text := getattr(row, name)) is not None}


def _escaped(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode()
    return plain.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n").replace("\r", " ")


def digits(value: float) -> str:
    """Return a number with all its digits, if it is a whole one."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"
