"""The page of ``flashwear fleet --html``: one file that a browser opens without a network."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flashwear.smart._among import lines

if TYPE_CHECKING:
    import pandas as pd

_YEAR_HOURS = 8760
_ROUNDING = 1.0  # per cent of life that a counter in whole per cent may be off
_WORST = ("critical", "warning", "unknown", "none")


def page(table: pd.DataFrame, warn: float) -> str:
    """Return the page of a fleet: worst drive first, wear over age, models beside the field.

    Parameters
    ----------
    table : DataFrame
        From :func:`flashwear.smart.fleet`.
    warn : float
        Per cent of life used, > 0, for which the years under power are told.
    """
    read = table[table["error"].isna()]
    rows = [_row(one, warn) for one in read.to_dict("records")]
    rows.sort(key=lambda row: (_WORST.index(row[1]), -(row[3] if row[3] is not None else -1)))
    told = {"rows": rows, "models": _models(read), "levels": _WORST, "warn": warn}
    counts = read["verdict"].value_counts()
    summary = ", ".join(f"{counts.get(level, 0):,} {level}" for level in _WORST)
    filled = {
        "count": f"{len(read):,} {'report' if len(read) == 1 else 'reports'}",
        "summary": f"By verdict: {summary}. {len(table) - len(read):,} files gave no report.",
        "warn": f"{warn:g}",
        # last, since a name in it may look like a place to be filled
        "told": json.dumps(told, separators=(",", ":")).replace("<", "\\u003c"),
    }
    text = files("flashwear.cli").joinpath("fleet.html").read_text("utf-8")
    for name, value in filled.items():
        text = text.replace(f"{{{{{name}}}}}", value)
    return text


def _row(one: dict[str, Any], warn: float) -> list[Any]:
    """Return path, verdict, model, used, years, amplification, terabytes, and years to go."""
    used, hours = _number(one["percent_used"]), _number(one["power_on_hours"])
    written = _number(one["host_bytes_written"])
    early, late = _until(used, hours, warn)
    return [
        one["path"],
        one["verdict"],
        one["model"],
        used,
        None if hours is None else round(hours / _YEAR_HOURS, 2),
        _number(one["waf"], 2),
        None if written is None else round(written / 1e12, 1),
        early,
        late,
        one["findings"],
    ]


def _until(
    used: float | None, hours: float | None, warn: float
) -> tuple[float | None, float | None]:
    """Return the years under power until `warn` per cent, early and late, at the mean rate so far.

    A counter in whole per cent may be off by one. Late is None where it may not have moved.
    """
    if used is None or not hours:
        return None, None
    if used >= warn:
        return 0.0, 0.0
    years = hours / _YEAR_HOURS

    def left(now: float) -> float:
        return round(max(warn - now, 0) * years / now, 1)

    return left(used + _ROUNDING), left(used - _ROUNDING) if used > _ROUNDING else None


def _models(read: pd.DataFrame) -> list[list[Any]]:
    """Return lines of the field with drives here: medians here, and tenths of the field."""
    found = []
    for model, row in lines():
        mine = read[read["model"].fillna("").map(lambda name, at=model: bool(at.match(name)))]
        if mine.empty:
            continue
        cells: list[Any] = [row["line"], len(mine), int(row["drives"])]
        for here, there in (("percent_used", "used"), ("waf", "waf")):
            shares = (row[f"{there}_p{share}"] for share in (10, 50, 90))
            cells += [
                _number(mine[here].median(), 2),
                *(float(one) if one else None for one in shares),
            ]
        found.append(cells)
    return found


def _number(value: Any, digits: int = 1) -> float | None:
    return None if value is None or math.isnan(value) else round(float(value), digits)
