"""Arguments as the rest of the library checks them, without numpy."""

import math
import numbers

from flashwear.smart._report import Report


def positive(name: str, value: object) -> float:
    """Return a number as a float; raise ValueError unless it is finite and above 0."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 < value < math.inf:  # type: ignore[operator]
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return float(value)  # type: ignore[arg-type]


def optional(name: str, value: object) -> float | None:
    """Return None, or a number as :func:`positive`."""
    return None if value is None else positive(name, value)


def a_report(name: str, value: object) -> Report:
    """Return a report; raise ValueError for anything else."""
    if not isinstance(value, Report):
        raise ValueError(f"{name} must be a Report, as smart.read gives, got {value!r}")
    return value
