"""The output about drives as JSON, with what the card of *My drive* needs to be drawn."""

from __future__ import annotations

import math
from typing import Any

from flashwear import smart
from flashwear.cli._told import GRAVE, Told, amplification, at_least, gravest
from flashwear.smart import Forecast
from flashwear.smart._remaining_life import YEARS_HOURS

_HELPS = 1.5
"""Write amplification above which more free space on the drive would help."""
_EXPLAINED = 1.2
"""Ratio to the write amplification of random writes on a full drive that needs no explanation."""


def drive_as_json(told: Told) -> dict[str, Any]:
    """Return the complete output about one drive."""
    verdict, report = told.verdict, told.report
    used = report.percent_used
    values: dict[str, Any] = {
        "files": told.files,
        "verdict": told.level,
        "status": smart.LEVELS[told.level],
        "text": verdict.text,
        "reasons": [finding._asdict() for finding in verdict.findings],
        "earlier": [found._asdict() for verdict in told.earlier for found in verdict.findings],
        "distrust": {word: smart.FLAGS[word] for word in report.flags},
        "is_drive": told.is_drive,
        "amplification": amplification(report),
        "rated_bytes": told.rated,
        "reaches": [{"what": what, "date": day.isoformat()} for what, day in told.reached()],
        "among": [found._asdict() for found in smart.among(report)],
        "in_field": [found._asdict() for found in smart.in_field(report)],
        "life_rows": [row._asdict() for row in told.life_rows()],
        "forecast": _forecast(told.forecast),
        "bytes_per_day": told.a_day(YEARS_HOURS),
        "used_at_least": used is not None and at_least(report, used).startswith("at least"),
        "spare_guessed": _spare(report.capacity_bytes),
        "explained": _EXPLAINED,
        "empty_space_helps": _empty_space_helps(told),
        "report": report.as_dict(),
        "between": None,
    }
    if told.between:
        between = told.between._asdict() | {"forecast": _forecast(told.between.forecast)}
        values["between"] = between
    if told.not_compared:
        values["not_compared"] = told.not_compared
    return values


def foremost(drives: list[Told]) -> int | None:
    """Return the index of the drive to show first: one with two reports, or else the gravest."""
    for place, told in enumerate(drives):
        if told.between or told.not_compared:
            return place
    levels = [told.level for told in drives]
    return levels.index(gravest(levels)) if levels else None


def _forecast(forecast: Forecast) -> dict[str, Any]:
    told = forecast._asdict() | {"binds": forecast.binds}
    if forecast.wear is not None:
        told["wear"] = [end if math.isfinite(end) else None for end in forecast.wear]
    return told


def _spare(capacity_bytes: int | None) -> float | None:
    """Return spare over user capacity if the flash is the next power of two of GiB."""
    if not capacity_bytes:
        return None
    return 2.0 ** (30 + math.ceil(math.log2(capacity_bytes / 2**30))) / capacity_bytes - 1


def _empty_space_helps(told: Told) -> bool:
    report = told.report
    if told.level in GRAVE or (report.percent_used or 0) >= 100:
        return False
    known = {found.quantity: found.value for found in smart.in_field(report)}
    return known.get("waf", math.inf) > _HELPS
