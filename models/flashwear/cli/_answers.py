"""Read what databases answered, and what ``flashwear why`` did."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

import flashwear
from flashwear.cli._say import SCHEMA_VERSION, shown

if TYPE_CHECKING:
    from flashwear.why import Explained

_MOST = 1 << 26  # bytes of a file


def text_of(path: str) -> str:
    """Return what a file holds; of a log that is longer, its beginning and its end."""
    with Path(path).open("rb") as file:
        text = file.read(_MOST + 1)
        if len(text) > _MOST:
            file.seek(-_MOST // 2, os.SEEK_END)
            text = text[: _MOST // 2] + b"\n" + file.read(_MOST // 2)
    return text[:_MOST].decode(errors="replace")


def earlier(path: str) -> Explained:
    """Read an answer that this command gave with --json."""
    why, host = flashwear.why, flashwear.host
    try:
        told = json.loads(text_of(path))
        if told.get("errors"):
            raise ValueError(f"--since is of a run that failed: {told['errors'][0]['error']}")
        parts = tuple(why.Part(*map(one.get, why.Part._fields)) for one in told["parts"])
        savings = [host.Saving(**one) for one in told["savings"]]
        names = ("seconds", "bytes", "unexplained", "excess", "rows")
        numbers = {name: float(told[name]) for name in names}
        shares = [share for one in savings for share in (one.low, one.middle, one.high)]
        if told["schema_version"] != SCHEMA_VERSION or not all(
            0 <= number < math.inf for number in (*numbers.values(), *map(float, shares))
        ):
            raise ValueError("a number that is none")
        engines = tuple(shown(str(one)) for one in told["engines"])
        kept = tuple(one._replace(change=shown(str(one.change))) for one in savings)
    except (KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise ValueError(f"--since must be an answer of why --json, got {path}") from None
    except ValueError as error:
        if str(error).startswith("--since"):
            raise ValueError(shown(str(error))) from None
        raise ValueError(f"--since must be an answer of why --json, got {path}") from None
    return why.Explained(parts=parts, savings=kept, engines=engines, **numbers)
