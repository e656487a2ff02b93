"""Kept runs of the queueing model at full scale, for the checks of speed and consistency."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear.predict import TESTS
from flashwear.predict.ratings import ratings
from flashwear.study import runs
from flashwear.sweeps import Result

Answer = TypeVar("Answer")
_reading: set[str] = set()


def table(study: str) -> pd.DataFrame:
    """Return the table of a study."""
    _reading.add(study)
    return result(study).table


@cache
def result(study: str) -> Result:
    """Return what is kept of a study; it is read once."""
    return runs.kept_result(study)


def line(study: str, name: str, *point: object) -> NDArray[np.float64]:
    """Return a series of a study at a point, by its keys."""
    _reading.add(study)
    return result(study).lines(name)[point]


def outdated_by(call: Callable[[], Answer]) -> tuple[Answer, list[str]]:
    """Return what a call returns, and the studies that it read whose code has changed since."""
    _reading.clear()
    answer = call()
    return answer, sorted(study for study in _reading if not result(study).current)


def cell(study: str, column: str, **where: object) -> Any:
    """Return the one cell of a study's table with these keys."""
    rows = table(study)
    for key, value in where.items():
        rows = rows[rows[key] == value]
    if len(rows) != 1:
        raise ValueError(f"{study} must have one row for {where}, got {len(rows)}")
    return rows[column].item()


def rated(drive: str, case: str) -> float:
    """Return the requests a second of a drive in a case of the ratings."""
    return float(cell("ratings", "iops", drive=drive, case=case))


def consistency(drive: str) -> tuple[pd.Series, NDArray[np.float64]]:
    """Return the figures of a run with the drive's own spare flash, and its seconds."""
    rows = table("consistency")
    row = rows[(rows["drive"] == drive) & (rows["spare"] == "default")].iloc[0]
    return row, line("consistency", "iops", drive, "default")


class LeftOut(NamedTuple):
    """What a fit without the line of a drive predicts of a figure, in its unit."""

    median: float
    low_90: float
    high_90: float


def left_out(claim: str) -> LeftOut:
    """Return what is predicted of a figure of the fit if its line is left out."""
    named, log_rate = _figures_of_the_fit()
    rows = table_series("new_lines")
    rows = rows[(rows["by"] == "model") & (rows["widened"] == 1.0)].reset_index(drop=True)
    if not np.allclose(rows["seen"], log_rate):
        raise ValueError("new_lines must hold the figures of the fit in order")
    place, per_request = named[claim]
    found = np.exp(rows.loc[place, ["median", "low_90", "high_90"]].astype(float)) * per_request
    return LeftOut(*found)


def table_series(study: str) -> pd.DataFrame:
    """Return the series of a study."""
    _reading.add(study)
    return result(study).series


@cache
def _figures_of_the_fit() -> tuple[dict[str, tuple[int, float]], NDArray[np.float64]]:
    """Return the place of each claim among the figures of the fit, and their logarithms."""
    found = ratings()
    places = {}
    for place, (claims, test) in enumerate(zip(found.table.claim, found.table.test, strict=True)):
        size = TESTS[test].protocol.access.size / 1e6
        for claim in filter(None, claims.split(";")):
            places[claim] = place, 1.0 if TESTS[test].unit == "IOPS" else size
    return places, found.log_rate


def kilo(*rates: float) -> str:
    """Write rates in thousands, with a comma between."""
    return ", ".join(f"{rate / 1000:.1f}K" for rate in rates)
