"""Single figures out of the tables, for the checks."""

from functools import cache
from typing import TYPE_CHECKING

from flashwear import tables
from flashwear.units import GB, GIB, TB

if TYPE_CHECKING:
    import pandas as pd


@cache
def _indexed(name: str, *keys: str) -> "pd.DataFrame":
    table: pd.DataFrame = getattr(tables, name)()
    return table.drop_duplicates(list(keys)).set_index(list(keys)).sort_index()


def spec(drive: str, attribute: str, column: str = "value") -> float:
    """Give a number from the specification tables (their first mention)."""
    return float(_indexed("specifications", "drive", "attribute").loc[(drive, attribute), column])


def spec_text(drive: str, attribute: str) -> str:
    """Give a cell of the specification tables as printed."""
    return str(_indexed("specifications", "drive", "attribute").loc[(drive, attribute), "stated"])


def user_capacity(drive: str) -> float:
    """Give the user capacity of a drive, in bytes."""
    return float(_indexed("drives", "drive").loc[drive, "capacity_gb"]) * GB


def workload(name: str, attribute: str) -> float:
    """Give a number from the workload definitions."""
    return float(_indexed("workloads", "workload", "attribute").loc[(name, attribute), "value"])


def external(drive: str, quantity: str) -> float:
    """Give a number that stands outside the five documents."""
    return float(_indexed("external", "drive", "quantity").loc[(drive, quantity), "value"])


def said(drive: str, quantity: str) -> float:
    """Give a number from the discussion."""
    return float(_indexed("discussion", "drive", "quantity").loc[(drive, quantity), "value"])


class Rating:
    """A row of the endurance ratings, in bytes and years."""

    def __init__(self, drive: str) -> None:
        row = _indexed("endurance_ratings", "drive").loc[drive]
        self.printed: str = row["stated"]
        self.tbw: float = row["tbw_tb"] * TB
        corrected = row["corrected_tbw_tb"]
        self.best: float = (corrected if corrected > 0 else row["tbw_tb"]) * TB
        self.user: float = row["user_gb"] * GB
        self.raw: float = row["raw_gib"] * GIB
        self.years: float = row["years"]
