"""Quantities as people type them: 600TB, 20GB/day, 7%."""

import argparse
import re
from collections.abc import Callable

_PREFIXES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_HOURS = {"s": 1 / 3600, "min": 1 / 60, "h": 1, "hour": 1, "d": 24, "day": 24, "week": 168,
          "month": 730, "y": 8760, "year": 8760}  # fmt: skip
_AMOUNT = re.compile(
    r"(\d{1,15}(?:\.\d{1,9})?) *(?:([kKMGTPmgtp]?)(i?)B)?(?: */ *([A-Za-z]+))?", re.ASCII
)


def _amount(text: str) -> tuple[float, str | None]:
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(
            f"must be like 600TB or 20GB/day, in bytes (B), got {text[:40]!r}"
        )
    number, prefix, binary, time = match.groups()
    if prefix is None:
        raise argparse.ArgumentTypeError(
            f"must have a unit, as 600TB or 20GB/day, got {text[:40]!r}"
        )
    amount = float(number) * (1024 if binary else 1000) ** _PREFIXES[prefix.lower()]
    if not amount > 0:
        raise argparse.ArgumentTypeError(f"must be > 0, got {text[:40]!r}")
    return amount, time and time.lower()


def written(text: str) -> float:
    """Parse a number of bytes, such as 600TB or 512GiB."""
    amount, time = _amount(text)
    if time:
        raise argparse.ArgumentTypeError(f"must be like 600TB, got {text[:40]!r}")
    return amount


def a_day(text: str) -> float:
    """Parse bytes per day, such as 20GB/day or 3MB/s."""
    amount, time = _amount(text)
    hours = _HOURS.get(time or "")
    if hours is None:
        times = ", ".join(_HOURS)
        raise argparse.ArgumentTypeError(f"must be like 20GB/day ({times}), got {text[:40]!r}")
    return amount * 24 / hours


def share(text: str) -> float:
    """Parse a share, such as 0.07 or 7%."""
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / (100 if number != text.strip() else 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be like 0.07 or 7%, got {text[:40]!r}") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be > 0, as 0.07 or 7%, got {text[:40]!r}")
    return value


def up_to(most: float) -> Callable[[str], float]:
    """Return a parser of numbers > 0 and at most `most`."""

    def read(text: str) -> float:
        value = float(text)
        if not 0 < value <= most:
            raise argparse.ArgumentTypeError(f"must be > 0 and at most {most:g}, got {text[:40]}")
        return value

    read.__name__ = "number"  # as argparse names it
    return read
