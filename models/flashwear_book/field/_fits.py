"""Write amplification in the field against the load, and all drives counted in bins."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flashwear.smart._remaining_life import HOST_DOUBTS, HOURS_DOUBTS, LEAST_HOURS
from flashwear.smart._words import WEAR_DOUBTS
from flashwear_book.field import infer

if TYPE_CHECKING:
    import pandas as pd

_GB, _KIB = 1e9, 2**10
_LEAST_CLUSTERS = 20  # for a fit; rank correlations in the reviews' lines: 7
_LIGHT = 50 * _GB  # host writes a day, below which idle work shows
_TENTHS = (("p10", 0.1), ("p50", 0.5), ("p90", 0.9))

_WRITE_SIZE = (4, 8, 16, 24, 32, 48, 64, 128)  # KiB
_HOST_RATE = (0, 5, 10, 20, 50, 100, 200, 500, 5000)  # GB a day
_FILLS = (0, 1, 3, 10, 30, 100, 300, 3000)
_LIFE = (0, 50, 90, 99, 100, 150, 500)  # percent

# of all drives: octaves, of write amplification their quarters
_ALL = {
    "waf": (0, *(float(f"{2 ** (step / 4):.4g}") for step in range(-4, 17)), math.inf),
    "dwpd": (0, *(float(f"{2.0**step:.4g}") for step in range(-10, 4)), math.inf),
    "used": (0, *(2**step for step in range(9)), math.inf),
}

_CLIENT = ("MX300 275GB", "MX300 525GB", "MX300 750GB", "MX300 1050GB", "MX300 2050GB")


def fits(drives: pd.DataFrame) -> pd.DataFrame:
    """Fit daily flash writes to host writes for each model, and correlate write amplification.

    `drives`: table of drives, from :func:`prepare`.

    Result: rows of ``field_fits.csv``: by ``line`` and ``model`` a ``figure`` (such as "idle
    writes", or the rank correlation of write amplification with the write size), its ``value``,
    its interval from ``low`` to ``high`` and its ``unit``; and the number of ``drives`` and of
    ``clusters`` of similar drives that it rests on.
    """
    import pandas as pd

    trusted = drives[drives["ratio_kind"] == "bytes"]
    rows: list[dict[str, Any]] = []
    for (line, model), group in trusted[trusted["line"] != ""].groupby(["line", "model"]):
        name = {"line": line, "model": model}
        light = group[group["host_per_day"] <= _LIGHT]
        if light["cluster"].nunique() >= _LEAST_CLUSTERS:
            x, y = light["host_per_day"] / _GB, light["nand_per_day"] / _GB
            fitted = infer.idle_line(x, y, light["cluster"], 199)
            for figure, unit, found in zip(
                ("idle writes", "slope"), ("GB/day", "1"), fitted, strict=True
            ):
                rows.append(
                    name | {"drives": len(light), "figure": figure, "unit": unit} | found._asdict()
                )
        least = 7 if (group["group"] == "review").all() else _LEAST_CLUSTERS
        for figure, column in (
            ("rank correlation with write size", "write_bytes"),
            ("rank correlation with drive fills", "fills"),
            ("rank correlation with host rate", "host_per_day"),
        ):
            found = infer.rank_correlation(group[column], group["ratio"], group["cluster"], 399)
            if found.clusters >= least and not math.isnan(found.value):
                row = {"drives": int(group[column].notna().sum()), "figure": figure, "unit": "1"}
                rows.append(name | row | found._asdict())
    return pd.DataFrame(rows)


def bins(drives: pd.DataFrame) -> pd.DataFrame:
    """Return counts of drives and quantiles of write amplification, for steps of a quantity.

    `drives`: table of drives, from :func:`prepare`.

    Result: rows of ``field_bins.csv``, one for each step from ``low`` to ``high`` of an ``axis``:
    mean write size in KiB, host writes in GB a day, drive fills so far, or percent of life used,
    for some product lines each (``subject``). ``drives``, those ``failed``, ``clusters`` of
    similar drives, and ``waf_p10``, ``waf_p50``, ``waf_p90``.
    """
    import pandas as pd

    line = drives["line"]
    trusted = drives["ratio_kind"] == "bytes"
    client = line.isin(_CLIENT) | (line == "Micron 1100")
    makers = drives["model"].str.contains("Crucial|MX500|Micron|MTFD", regex=True)
    intel = line.isin(["S3610", "S3710", "S4500 and S4510", "S4600 and S4610"])
    parts = (
        ("MX300 and 1100", "write size", client & trusted, "write_bytes", _KIB, _WRITE_SIZE),
        ("Intel DC", "host rate", intel & trusted, "host_per_day", _GB, _HOST_RATE),
        ("PM883", "drive fills", (line == "PM883") & trusted, "fills", 1, _FILLS),
        ("Micron and Crucial", "life used", makers, "percent_used", 1, _LIFE),
        ("all SATA", "life used", drives["kind"] == "ata", "percent_used", 1, _LIFE),
        ("all NVMe", "life used", drives["kind"] == "nvme", "percent_used", 1, _LIFE),
    )
    rows = []
    for subject, axis, chosen, column, unit, edges in parts:
        group = drives[chosen & drives[column].notna()]
        place = np.digitize(group[column] / unit, edges) - 1
        for step, (low, high) in enumerate(pairwise(edges)):
            inside = group[place == step]
            row = {"subject": subject, "axis": axis, "low": low, "high": high}
            row |= {"drives": len(inside), "clusters": inside["cluster"].nunique()}
            row["failed"] = int((inside["passed"] == False).sum())  # noqa: E712
            ratio = inside["ratio"].where(inside["ratio_kind"] == "bytes")
            row |= spread("waf", ratio, inside["cluster"])
            rows.append(row)
    return pd.DataFrame(rows)


def distribution(drives: pd.DataFrame) -> pd.DataFrame:
    """Return histograms of write amplification, drive writes per day and life used, of all drives.

    `drives`: table of drives, from :func:`prepare`.

    Result: rows of ``field_distribution.csv``, one for each step from ``low`` to ``high`` of a
    ``quantity`` ("waf", "dwpd" or "used"): number of ``drives`` and ``clusters`` of similar
    drives.
    """
    import pandas as pd

    words = drives["words"]
    written = words.map({*HOST_DOUBTS, *HOURS_DOUBTS}.isdisjoint)
    values = {
        "waf": drives["ratio"].where(drives["ratio_kind"] == "bytes"),
        "dwpd": drives["dwpd"].where(written & (drives["power_on_hours"] >= LEAST_HOURS)),
        "used": drives["percent_used"].where(words.map(set(WEAR_DOUBTS).isdisjoint)),
    }
    rows = []
    for quantity, edges in _ALL.items():
        known = values[quantity].dropna()
        place = np.digitize(known, edges) - 1
        for step, (low, high) in enumerate(pairwise(edges)):
            inside = known[place == step]
            row = {"quantity": quantity, "low": low, "high": high, "drives": len(inside)}
            rows.append(row | {"clusters": drives["cluster"][inside.index].nunique()})
    return pd.DataFrame(rows)


def spread(name: str, values: Any, clusters: Any) -> dict[str, float]:
    found = infer.quantiles(values, clusters, [share for _, share in _TENTHS])
    return {f"{name}_{end}": float(x) for (end, _), x in zip(_TENTHS, found, strict=True)}
