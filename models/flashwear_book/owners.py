"""Consumer drives in the field: how much is written to them, and their ratings."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from flashwear import drives
from flashwear._domain import number
from flashwear.units import GB, TB
from flashwear_book import tables
from flashwear_book.field import summary

_SOLD_TO_CONSUMERS = r"EVO|QVO|[BM]X\d00|Kingston [AV]\d00|Ultra"


def rated_bytes(model: str) -> float:
    """Return the rated host bytes of a model.

    `model`: the end of its name in a report, such as "870 EVO 1TB".

    Returns
    -------
    float
        Bytes.

    Raises
    ------
    ValueError
        If not one model of ``data/model_ratings.csv`` ends so.

    Examples
    --------
    >>> rated_bytes("870 EVO 1TB") / 1e12
    600.0
    """
    rows = pd.read_csv(tables.data_folder() / "model_ratings.csv")
    found = rows[rows["model_pattern"].str.endswith(f"SSD {model}$")]["tbw_tb"]
    if len(found) != 1:
        raise ValueError(f"model must be the end of one name of a rated model, got {model!r}")
    return float(found.iloc[0]) * TB


def rated_fills() -> pd.Series:
    """Return how often the rating of a consumer line of the catalogue fills the drive.

    Result: rated bytes over user bytes, the median of the line's sizes; by ``bits`` of a cell and
    ``line``.

    Examples
    --------
    >>> float(rated_fills()[4, "Samsung 870 QVO"])
    360.0
    """
    catalogue = (drives.load(key) for key in drives.names())
    bits = {
        one.name.rsplit(" ", 1)[0]: one.bits_per_cell for one in catalogue if not one.enterprise
    }
    own = tables.makeup().query("fact == 'tbw'")
    own = own.assign(tbw_tb=own["value"].astype(float), user_gb=own["capacity_gb"])
    rated = pd.concat([own, tables.model_ratings().drop(columns="bits")]).query("line in @bits")
    fills = rated["tbw_tb"] * TB / (rated["user_gb"] * GB)
    return fills.groupby([rated["line"].map(bits).rename("bits"), rated["line"]]).median()


def consumer_models() -> pd.DataFrame:
    """Return the consumer models in a public collection of SMART reports, least written first.

    Result: columns ``model``, ``drives`` (number of drives with reports) and ``daily_bytes``
    (median of the bytes that the host writes in 24 hours under power).

    Examples
    --------
    >>> table = consumer_models()
    >>> bool(table.daily_bytes.is_monotonic_increasing)
    True
    """
    models = summary.load("field_models")
    models = models[models["line"].str.contains(_SOLD_TO_CONSUMERS) & (models["model"] != "all")]
    models = models.dropna(subset=["dwpd_p50", "capacity_gb"])
    daily = models["dwpd_p50"] * models["capacity_gb"] * GB
    table = models[["model", "drives"]].assign(daily_bytes=daily)
    return table.sort_values("daily_bytes", ignore_index=True)


def daily_bytes(shares: ArrayLike) -> NDArray[np.float64]:
    """Return quantiles of daily host writes of consumer drives in a public collection of reports.

    Each drive counts as the median of its model (:func:`consumer_models`), so that the spread
    within a model is left out.

    `shares`: shares of the drives, in [0, 1], whose daily writes are at most the result.

    Result: bytes a day.

    Examples
    --------
    >>> low, half, high = daily_bytes([0.1, 0.5, 0.9])
    >>> bool(1e9 < low < half < high < 1e12)
    True
    """
    models = consumer_models()
    below = (models["drives"].cumsum() / models["drives"].sum()).to_numpy()
    asked = number("shares", shares, low=0, high=1)
    daily: NDArray[np.float64] = models["daily_bytes"].to_numpy()[np.searchsorted(below, asked)]
    return daily
