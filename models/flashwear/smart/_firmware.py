"""Firmware with a published fault, looked up by model and version."""

import functools
import re
from typing import NamedTuple

from flashwear.smart._rules import rows


class Notice(NamedTuple):
    """A published fault of a drive's firmware: a row of :func:`flashwear.tables.smart_firmware`.

    ``firmware_known`` is False if the report does not name a version that the fault depends on.
    """

    kind: str
    hours: int | None  # of power, at which it happens
    mended_in: str | None
    what: str
    notice: str | None  # who gave it, its number and its date
    source: str
    status: str
    firmware_known: bool  # False where it depends on a version that the report does not name


@functools.lru_cache(maxsize=1)
def _notices() -> tuple[tuple[re.Pattern[str], re.Pattern[str], Notice], ...]:
    return tuple(
        (
            re.compile(row["model_pattern"]),
            re.compile(row["firmware_pattern"]),
            Notice(
                row["kind"],
                int(row["hours"]) if row["hours"] else None,
                row["mended_in"] or None,
                row["what"],
                None if row["notice"] == "none" else row["notice"],
                row["source"],
                row["status"],
                True,
            ),
        )
        for row in rows("smart_firmware")
    )


@functools.lru_cache(maxsize=4096)
def notices(model: str | None, firmware: str | None) -> tuple[Notice, ...]:
    """Return the published faults of a `model` and `firmware` version, in table order.

    If the firmware is not known, the faults of all versions are given, with `firmware_known` False.
    """
    return tuple(
        notice if firmware or not version.pattern else notice._replace(firmware_known=False)
        for pattern, version, notice in _notices()
        if pattern.match(model or "") and (not firmware or version.match(firmware))
    )
