"""Single figures from the documents, and the raw capacities derived from them."""

import math
from functools import cache
from typing import Any, Literal
from urllib.parse import urlsplit

import pandas as pd

from flashwear import capacity
from flashwear.units import GB, GIB, TB
from flashwear_book import tables


@cache
def _table(name: str) -> pd.DataFrame:
    table: pd.DataFrame = getattr(tables, name)()
    return table


def _cell(name: str, column: str, **where: str | None) -> Any:
    """Return the one cell that the rows with these keys agree on, unit included."""
    rows = _table(name)
    keys = {key: value for key, value in where.items() if value is not None}
    for key, value in keys.items():
        rows = rows[rows[key] == value]
    asked = ", ".join(f"{key} {value!r}" for key, value in keys.items())
    rows = rows[rows[column].notna()]
    if rows.empty:
        raise ValueError(f"data/{name}.csv must have a {column} for {asked}, got none")
    different = rows.drop_duplicates([column, "unit"] if "unit" in rows else [column])
    if len(different) > 1:
        found = " and ".join(
            f"row {index + 2} ({row[column]} {row.get('unit', '')})"
            for index, row in different.iterrows()
        )
        raise ValueError(f"data/{name}.csv must have one {column} for {asked}, got {found}")
    return different.iloc[0][column]


def spec(drive: str, attribute: str, table: str | None = None, unit: str | None = None) -> float:
    """Return a number from the specification tables of the documents; all rows must agree.

    `attribute` is the name of the number, such as a capacity; `table` and `unit`, if given, pick
    the rows of one table or unit among rows that differ.
    """
    keys = {"drive": drive, "attribute": attribute, "table": table, "unit": unit}
    return float(_cell("specifications", "value", **keys))


def spec_text(drive: str, attribute: str) -> str:
    """Return an attribute of a drive from the specification tables of the documents, as printed."""
    return str(_cell("specifications", "stated", drive=drive, attribute=attribute))


def user_capacity(drive: str) -> float:
    """Return the user capacity of a drive, in bytes."""
    return float(_cell("drives", "capacity_gb", drive=drive)) * GB


def workload(name: str, attribute: str) -> float:
    """Return a number, the `attribute` of the workload `name`, from ``data/workloads.csv``."""
    return float(_cell("workloads", "value", workload=name, attribute=attribute))


def workload_text(name: str, attribute: str) -> str:
    """Return an attribute of the workload `name` in ``data/workloads.csv``, as printed."""
    return str(_cell("workloads", "stated", workload=name, attribute=attribute))


def external(drive: str, quantity: str) -> float:
    """Return a number, a `quantity` of a drive, that another page gives (``data/external.csv``)."""
    return float(_cell("external", "value", drive=drive, quantity=quantity))


_PUBLISHER = ("anandtech.com", "192.65.241.100")
_SHEETS = ("crucial.com", "docplayer.net", "docslib.org", "intel.com", "manualmachine.com",
           "manualsbrain.com", "manualzilla.com", "manuzoid.com", "micron.com", "mwitty.com",
           "omo-ic.com", "pdf.datasheet.directory", "pdfkiwi.com", "pdfslide.net", "pdfslide.us",
           "scribd.com", "swissbit.com")  # fmt: skip
"""Sites with makers' data sheets: those of makers, and collections of manuals."""


def said_by(address: str) -> Literal["arithmetic", "maker", "independent"]:
    """Return whether a web page is by a "maker" or "independent", judged by its address.

    Another article of the publisher of the five documents is "arithmetic", since it only repeats
    them.
    """
    host = urlsplit(address).hostname or ""
    if host.endswith(_PUBLISHER):
        return "arithmetic"
    return "maker" if host.endswith(_SHEETS) else "independent"


def speaker(drive: str, quantity: str) -> Literal["arithmetic", "maker", "independent"]:
    """Return who published the number that :func:`external` gives for a drive's quantity.

    It is "maker", "independent", or "arithmetic" for the publisher of the five documents.
    """
    return said_by(str(_cell("external", "source_url", drive=drive, quantity=quantity)))


def stated(
    drive: str, quantity: str
) -> tuple[float, Literal["arithmetic", "maker", "independent"]]:
    """Return a number that another web page gives for a drive's quantity, and who published it.

    The latter is "maker", "independent", or "arithmetic" for the publisher of the five documents.
    """
    return external(drive, quantity), speaker(drive, quantity)


def discussion(drive: str, quantity: str) -> float:
    """Return a number, a `quantity` of a drive, from a discussion (``data/discussion.csv``)."""
    return float(_cell("discussion", "value", drive=drive, quantity=quantity))


class Rating:
    """A drive's row in ``data/endurance_ratings.csv``; NaN where a number is missing.

    In bytes: ``tbw`` as printed, ``best`` with corrections, ``user`` and ``raw`` capacity; the
    warranty in ``years``, and ``dwpd``, drive writes per day.
    """

    def __init__(self, drive: str) -> None:
        rows = _table("endurance_ratings")
        rows = rows[rows["drive"] == drive]
        if len(rows) != 1:
            raise ValueError(
                f"data/endurance_ratings.csv must have one row for {drive!r}, got {len(rows)}"
            )
        row = rows.iloc[0]
        self.tbw: float = row["tbw_tb"] * TB
        corrected = row["corrected_tbw_tb"]
        self.best: float = (corrected if corrected > 0 else row["tbw_tb"]) * TB
        self.user: float = row["user_gb"] * GB
        self.raw: float = row["raw_gib"] * GIB
        self.years: float = row["years"]
        self.dwpd: float = row["dwpd"]


def power_of_two_gib(user_bytes: float) -> float:
    """Infer raw flash in GiB as the smallest power of two that holds the user capacity."""
    return 2.0 ** math.ceil(math.log2(user_bytes / GIB))


RAW_STEP_GIB = 64
"""Spacing of the raw capacities tried by :func:`raw_by_spare`: an assumption."""


def raw_by_spare(user_bytes: float, percent: float) -> list[float]:
    """Return the sizes of raw flash, in bytes, whose spare share rounds to a given percentage.

    They are multiples of 64 GiB; the spare share is what they exceed `user_bytes` by, over the raw
    size.
    """
    first = math.ceil(user_bytes / (RAW_STEP_GIB * GIB))
    # at half of the raw flash spare the user capacity has doubled
    tried = [step * RAW_STEP_GIB * GIB for step in range(first, 2 * first + 2)]
    return [
        float(raw)
        for raw in tried
        if abs(100 * capacity.spare_factor(raw, user_bytes) - percent) <= 0.5
    ]


def m500dc_raw(drive: str) -> float:
    """Infer the raw flash, in bytes, of an M500DC from the spare share that its review states."""
    share = spec(drive, "spare share of raw")
    fitting = raw_by_spare(user_capacity(drive), share)
    if len(fitting) != 1:
        raise ValueError(
            f"spare share of {drive} must fit one multiple of {RAW_STEP_GIB} GiB, "
            f"got {share:g} %, which fits {[raw / GIB for raw in fitting]}"
        )
    return fitting[0]
