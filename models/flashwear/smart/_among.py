"""Where the counters of a drive lie among those of its line in the field."""

import functools
import re
from typing import NamedTuple

from flashwear.smart._remaining_life import trusted
from flashwear.smart._report import Report
from flashwear.smart._rules import rows

_LEAST_DRIVES = 30
_SHARES = (10, 50, 90)


class Among(NamedTuple):
    """One counter of a drive beside those of its line."""

    quantity: str
    """``"waf"``, ``"dwpd"`` or ``"used"``."""
    value: float
    line: str
    drives: int
    p10: float
    p50: float
    p90: float

    @property
    def place(self) -> str:
        """In words, which share of the line is below or above."""
        if self.value < self.p10:
            return f"nine in ten of {self.drives} such drives are above {self.p10:.3g}"
        if self.value > self.p90:
            return f"nine in ten of {self.drives} such drives are below {self.p90:.3g}"
        return f"half of {self.drives} such drives are below {self.p50:.3g}"


@functools.lru_cache(maxsize=1)
def lines() -> tuple[tuple[re.Pattern[str], dict[str, str]], ...]:
    """Return the lines of the field: what their models match, and the row of all their drives."""
    models = {row["line"]: re.compile(row["models"]) for row in rows("field_lines")}
    return tuple(
        (models[row["line"]], row)
        for row in rows("field_models")
        if row["model"] == "all" and row["line"] in models
    )


def among(report: Report) -> tuple[Among, ...]:
    r"""Return how write amplification, writes a day and wear compare with those of the line.

    Parameters
    ----------
    report : Report
        From :func:`read` or :func:`parse`.

    Returns
    -------
    tuple of Among
        One for each quantity that the report tells without doubt, where at least 30 drives of its
        line are in the collection of Linux users (linux-hardware.org, CC BY 4.0;
        ``data/field_models.csv``). These drives belong to volunteers, most run in servers, and
        none of them had died.

    Examples
    --------
    >>> from flashwear import smart
    >>> among(smart.parse("Device Model: X\\n"))
    ()
    """
    row = next((row for model, row in lines() if model.match(report.model or "")), None)
    if row is None:
        return ()
    host, hours, used = trusted(report)
    capacity, drives = report.capacity_bytes, int(row["drives"])
    a_day = host * 24 / hours / capacity if host and hours and capacity else None
    values = {
        "waf": (report.waf if host else None, int(row["waf_drives"])),
        "dwpd": (a_day, drives),
        "used": (used, drives),
    }
    return tuple(
        Among(name, value, row["line"], count, *(float(row[f"{name}_p{p}"]) for p in _SHARES))
        for name, (value, count) in values.items()
        if value is not None and count >= _LEAST_DRIVES and row[f"{name}_p50"]
    )
