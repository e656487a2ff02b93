"""Where the counters of a drive lie among those of its line, and of all drives, in the field."""

import functools
import math
import re
from typing import NamedTuple

from flashwear.smart._checked import a_report
from flashwear.smart._remaining_life import trusted
from flashwear.smart._report import Report
from flashwear.smart._rules import rows

_LEAST_DRIVES = 30
_SHARES = (10, 50, 90)


class Among(NamedTuple):
    """A drive's ``value`` of a quantity, and its place among drives of its product ``line``.

    ``quantity`` is "waf" (write amplification), "dwpd" (drive writes per day) or "used" (percent of
    life). ``drives`` is the number of drives of the product line, and ``p10``, ``p50`` and ``p90``
    are the 10th, 50th and 90th percentiles of their values.
    """

    quantity: str
    """``"waf"``, ``"dwpd"`` (drive writes per day) or ``"used"`` (percent of life)."""
    value: float
    line: str
    drives: int
    p10: float
    p50: float
    p90: float

    @property
    def place(self) -> str:
        """Sentence that compares the value with the percentiles of drives of the product line."""
        if self.value < self.p10:
            return f"nine in ten of {self.drives} such drives are above {self.p10:.3g}"
        if self.value > self.p90:
            return f"nine in ten of {self.drives} such drives are below {self.p90:.3g}"
        return f"half of {self.drives} such drives are below {self.p50:.3g}"


@functools.lru_cache(maxsize=1)
def _lines() -> tuple[tuple[re.Pattern[str], dict[str, str]], ...]:
    models = {row["line"]: re.compile(row["models"]) for row in rows("field_lines")}
    return tuple(
        (models[row["line"]], row)
        for row in rows("field_models")
        if row["model"] == "all" and row["line"] in models
    )


def among(report: Report) -> tuple[Among, ...]:
    r"""Compare a drive's write amplification, writes a day and wear with its product line.

    Parameters
    ----------
    report : Report
        Report of the drive, from :func:`read` or :func:`parse`.

    Returns
    -------
    tuple of Among
        One for each quantity that the report tells without doubt, if at least 30 drives of its
        product line are in the collection of Linux users (linux-hardware.org, CC BY 4.0;
        ``data/field_models.csv``). These drives belong to volunteers, most run in servers, and none
        of them had died.

    Examples
    --------
    >>> from flashwear import smart
    >>> among(smart.parse("Device Model: X\\n"))
    ()
    """
    a_report("report", report)
    row = next((row for model, row in _lines() if model.match(report.model or "")), None)
    if row is None:
        return ()
    counts = {"waf": int(row["waf_drives"]), "dwpd": int(row["drives"]), "used": int(row["drives"])}
    return tuple(
        Among(name, value, row["line"], count, *(float(row[f"{name}_p{p}"]) for p in _SHARES))
        for name, value in quantities(report).items()
        if (count := counts[name]) >= _LEAST_DRIVES and row[f"{name}_p50"]
    )


class InField(NamedTuple):
    """A drive's ``value`` of a quantity, and how ``drives`` of all product lines compare.

    ``quantity`` is "waf" (write amplification), "dwpd" (drive writes per day) or "used" (percent of
    life); ``below`` is the share of the drives that have less, and ``bins`` is their histogram.
    """

    quantity: str
    """``"waf"``, ``"dwpd"`` or ``"used"``."""
    value: float
    drives: int
    below: float
    """Share of these drives that have less; drives of one model with the same hours count once."""
    bins: tuple[tuple[float, float | None, int], ...]
    """Histogram of the drives, as lower end, upper end (None if unbounded) and count of a bin."""


@functools.lru_cache(maxsize=1)
def _bins() -> dict[str, list[tuple[float, float, int, int]]]:
    found: dict[str, list[tuple[float, float, int, int]]] = {}
    for row in rows("field_distribution"):
        step = (float(row["low"]), float(row["high"] or "inf"))
        counts = (int(row["drives"]), int(row["clusters"]))
        found.setdefault(row["quantity"], []).append(step + counts)
    return found


def in_field(report: Report) -> tuple[InField, ...]:
    r"""Compare a drive's write amplification, writes a day and wear with all drives in the field.

    Parameters
    ----------
    report : Report
        Report of the drive, from :func:`read` or :func:`parse`.

    Returns
    -------
    tuple of InField
        One for each quantity that the report tells without doubt, compared with drives of all
        product lines in a collection of reports of Linux users (``data/field_distribution.csv``).

    Examples
    --------
    >>> from flashwear import smart
    >>> smart.in_field(smart.parse("Device Model: X\n"))
    ()
    """
    a_report("report", report)
    found = []
    for name, value in quantities(report).items():
        bins = _bins()[name]
        counts = [count for *_, count in bins]
        place = next(at for at, (_, high, *_) in enumerate(bins) if value < high)
        low, high, *_ = bins[place]
        inside = (value - low) / (high - low) if math.isfinite(high) else 0.0
        below = (sum(counts[:place]) + inside * counts[place]) / sum(counts)
        drives = sum(count for _, _, count, _ in bins)
        shown = [(a, b if math.isfinite(b) else None, count) for a, b, _, count in bins]
        found.append(InField(name, value, drives, below, tuple(shown)))
    return tuple(found)


def quantities(report: Report) -> dict[str, float]:
    """Return write amplification "waf", drive writes a day "dwpd" and percent of life "used"."""
    host, hours, used = trusted(report)
    capacity = report.capacity_bytes
    values = {
        "waf": report.waf if host else None,
        "dwpd": host * 24 / hours / capacity if host and hours and capacity else None,
        "used": used,
    }
    return {name: value for name, value in values.items() if value is not None}
