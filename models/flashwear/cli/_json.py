"""The output about drives as JSON, with what the card of *My drive* needs to be drawn."""

import math
from typing import Any

from flashwear import smart
from flashwear.cli._told import GRAVE, Told, amplification, at_least, gravest, interval
from flashwear.smart import Forecast
from flashwear.smart._remaining_life import YEARS_HOURS

_HELPS = 1.5
"""Write amplification above which more free space on the drive would help."""
_HURRIES = 10.0
"""Years to the early end of its wear below which a drive would need it."""
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
        "sentence": sentence(told),
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
    if told.history is not None:
        lines, change = told.history
        values["history"] = {"text": lines, "change": change and change._asdict()}
    if told.not_compared:
        values["not_compared"] = told.not_compared
    return values


def sentence(told: Told) -> str:
    """Return how long a drive lasts at its load, and how worn it is among others, in one line."""
    left = told.forecast
    ends = {"wear": left.wear, "rating": None if left.rating is None else (left.rating,) * 2}
    known = {name: end for name, end in ends.items() if end is not None}
    first = min(known, key=lambda name: known[name][1], default=None)
    if first is None:
        words = left.wear_unknown or left.rating_unknown or ""
    elif left.rating == 0 and left.wear and left.wear[1]:
        words = "all that it is rated for is written; by its own count of wear it has "
        words += f"{interval(*left.wear)} under power left at this rate"
    elif known[first][1] == 0:
        words = "its rated life is used up, which is not the end of the drive"
    else:
        limit = {"wear": "its own count of wear", "rating": "its rating"}[first]
        words = f"{interval(*known[first])} under power left at this rate, by {limit}"
    used = {one.quantity: one.value > one.p50 for one in smart.among(told.report)}
    field = {one.quantity: one.below > 0.5 for one in smart.in_field(told.report)}
    for places, whom in ((used, "of its line"), (field, "drives of other owners")):
        if "used" in places:
            words += f"; {'more' if places['used'] else 'less'} worn than most {whom}"
            break
    return f"{words[:1].upper()}{words[1:]}."


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
    wear = told.forecast.wear
    if told.level in GRAVE or wear is None or not 0 < wear[0] < _HURRIES:
        return False
    known = {found.quantity: found.value for found in smart.in_field(report)}
    return known.get("waf", math.inf) > _HELPS
