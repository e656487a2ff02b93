"""Rated and measured speeds as arrays, with the work that each test asks of its drive."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flashwear import drives, tables
from flashwear.drives import Drive
from flashwear.predict.hierarchy import bus
from flashwear.predict.tests import TESTS
from flashwear.queueing import work

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AT_LINK", "Ratings", "loaded", "of_table", "rated_speeds"]

AT_LINK = 0.9
"""Share of the rate of the link above which a speed is taken to be limited by the link."""

_FROM_PRINT = {"MiB/s": 2**20, "MB/s": 1e6}
_FINEST, _COARSEST = 0.001, 0.02  # half a step of a printed figure, relative


@dataclass(frozen=True)
class Ratings:
    """Rated and measured speeds, one for each drive, test, kind (rated or measured) and source.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each speed: ``key`` of the drive in :mod:`flashwear.drives`, product ``line``,
        ``test``, ``kind`` ("rated" or "measured"), ``bench`` (who measured, "" for a rating),
        ``value`` in the unit of the test, ``weight`` (equal ratings of several capacities of a
        product line together have weight 1, and so have the measurements of several websites),
        ``capacity_gb``, ``at_link`` (whether the link limits it), ``bits`` in a cell, ``bus`` and
        ``claim`` (ids in the table of claims).
    drives : list of Drive
        The drive of each row.
    work : Work
        Constant time and numbers of operations that a request of each test takes at the stations of
        the drive (link, controller, channel, die).
    log_rate, half_step : ndarray of float
        Logarithm of requests per second, and half the unit of its last printed digit, relative to
        the value; shape (rows,).
    """

    table: pd.DataFrame
    drives: list[Drive]
    work: work.Work
    log_rate: NDArray[np.float64]
    half_step: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.log_rate)

    @property
    def benches(self) -> list[str]:
        """Who measured each speed; "" for the maker's rating."""
        return list(self.table.bench)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Kind ("rated" or "measured") and name of the test of each speed."""
        return list(zip(self.table.kind, self.table.test, strict=True))

    @property
    def dies(self) -> NDArray[np.float64]:
        """Number of flash dies of each speed's drive."""
        return np.array([float(drive.dies) for drive in self.drives])

    def where(self, kept: NDArray[np.bool_]) -> Ratings:
        """Return only those speeds for which the array `kept` is true."""
        places = np.flatnonzero(kept)
        return Ratings(
            self.table.iloc[places].reset_index(drop=True),
            [self.drives[place] for place in places],
            work.Work(self.work.fixed_s[kept], self.work.counts[kept]),
            self.log_rate[kept],
            self.half_step[kept],
        )


def rated_speeds() -> Ratings:
    """Return all rated and measured speeds in ``data/speeds.csv``.

    Examples
    --------
    >>> len(rated_speeds()) > 900
    True
    """
    return of_table(tables.speeds())


def of_table(table: pd.DataFrame) -> Ratings:
    """Return the speeds of a table with the columns of :func:`flashwear.tables.speeds`.

    Rows without a known test, or of a drive that is not in the catalogue, are left out. If one
    website gives several speeds of a drive for a test and kind ("rated" or "measured"), the median
    of the distinct ones counts.
    """
    import pandas as pd

    keys = _keys()
    rows = table[table.test.notna() & table.drive.isin(keys)].copy()
    rows["key"] = rows.drive.map(keys)
    rows["value"] = [
        _in_unit_of_test(value, unit, TESTS[test].unit)
        for value, unit, test in zip(rows.value, rows.unit, rows.test, strict=True)
    ]
    host = rows.source_url.str.extract(r"^https?://(?:www\.)?([^/]+)", expand=False)
    rows["bench"] = host.where(rows.kind == "measured", "")
    found = []
    for (key, test, kind, bench), each in rows.groupby(["key", "test", "kind", "bench"]):
        value = float(np.exp(np.median(np.log(each.value.unique()))))
        found.append(
            {
                "key": key,
                "line": each.line.iloc[0],
                "capacity_gb": each.capacity_gb.iloc[0],
                "test": test,
                "kind": kind,
                "bench": bench,
                "claim": ";".join(each.claim.dropna()),
                "value": value,
                "step": _step(value),
            }
        )
    out = pd.DataFrame(found)
    alike = out.groupby(["line", "test", "kind", "value"]).key.transform("size")
    benches = out.groupby(["key", "test", "kind"]).key.transform("size")
    out["weight"] = 1 / np.where(out.kind == "rated", alike, benches)
    made = [loaded(key) for key in out.key]
    out["bits"] = [drive.bits_per_cell for drive in made]
    out["bus"] = [bus(drive) for drive in made]
    needs = [_work(key, test) for key, test in zip(out.key, out.test, strict=True)]
    needed = work.Work(
        np.array([each.fixed_s for each in needs]), np.array([each.counts for each in needs])
    )
    size = np.array([TESTS[test].protocol.access.size for test in out.test])
    requests = np.where(out["value"] > 0, out["value"], np.nan) * np.where(
        [TESTS[test].unit == "IOPS" for test in out.test], 1.0, 1e6 / size
    )
    out["at_link"] = requests * needed.fixed_s[:, work.STATIONS.index("link")] >= AT_LINK
    half = np.clip(out.pop("step") / 2 / out["value"], _FINEST, _COARSEST)
    return Ratings(out, made, needed, np.log(requests), half.to_numpy())


@lru_cache(maxsize=1024)
def loaded(key: str) -> Drive:
    """Return a drive of the catalogue with its uncalibrated times; it is cached."""
    return drives.load(key, calibrated=False)


def _keys() -> dict[str, str]:
    """Return the keys of the catalogue's drives by their names for people."""
    return {loaded(key).name: key for key in drives.names()}


@lru_cache(maxsize=4096)
def _work(key: str, test: str) -> work.Work:
    return TESTS[test].work_on(loaded(key))


def _in_unit_of_test(value: float, unit: str, wanted: str) -> float:
    """Return a figure in the unit of its test; 4 KiB at random are told in either."""
    if unit == wanted:
        return value
    bytes_per_s = value * _FROM_PRINT[unit]
    return bytes_per_s / 4096 if wanted == "IOPS" else bytes_per_s / 1e6


def _step(value: float) -> float:
    """Return the least step of a decimal print that leads to a figure."""
    step = 1.0
    while value >= 10 * step and round(value) % (10 * step) == 0:
        step *= 10
    return step if round(value) == round(value, 6) else 0.0
