"""Loads that owners reported: bytes per day, and a workload that represents them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from flashwear.units import DAY
from flashwear.workloads import Workload, by_name
from flashwear_book import tables

_RATE = re.compile(r"([kKMGT]i?)B/(?:([1-9]\d*(?:\.\d+)?) )?(s|minute|h|day|month|year)")
_POWERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_DAYS = {"s": 1 / DAY, "minute": 60 / DAY, "h": 1 / 24, "day": 1, "month": 365 / 12, "year": 365}


@dataclass(frozen=True)
class Reported:
    """A load that an owner reported on a web page: ``what`` writes, how much, and a model of it."""

    what: str
    """What writes to the drive, in the owner's words."""
    bytes_per_day: float
    """Bytes that reach the drive in a day."""
    workload: Workload
    """The workload that represents the load, by our judgement."""
    source_url: str
    """Address of the web page."""


@cache
def loads() -> Mapping[str, Reported]:
    """Return the loads of ``data/loads.csv`` by name.

    These are single cases, not averages: each was reported by an owner, developer or maker, mostly
    because it seemed high. A month is taken as a twelfth of 365 days.

    Examples
    --------
    >>> camera = loads()["two-cameras"]
    >>> camera.bytes_per_day, camera.workload
    (30000000000.0, Sequential())
    """
    rows = tables.loads().itertuples()
    found = {
        str(row.load): Reported(
            row.what, row.value * _per_day(row.unit), by_name(row.workload), row.source_url
        )
        for row in rows
    }
    return MappingProxyType(found)


def _per_day(unit: str) -> float:
    match = _RATE.fullmatch(unit)
    if match is None:
        raise ValueError(f"unit of a load must be bytes over a time, such as GB/day, got {unit!r}")
    prefix, times, per = match.groups()
    size = (1024.0 if prefix.endswith("i") else 1000.0) ** _POWERS[prefix[0]]
    return size / (float(times or 1) * _DAYS[per])
