"""Published write amplifications of programs and file systems beside the closed forms."""

import json
import math
from collections.abc import Mapping
from functools import cache

import pandas as pd

from flashwear import host, tables

HIT = 1.5
"""A hit is within this factor of what was published."""

_CALCULATED = ("rocksdb-guide",)  # no measurement: it is the naive guess itself


@cache
def comparison() -> pd.DataFrame:
    """Return each published figure with what the closed form and a naive guess say.

    The inputs were fixed from the sources and from documented defaults before anything was
    compared (``data/published_amplification.csv``).

    Returns
    -------
    pandas.DataFrame
        Columns ``id``, ``engine``, ``what``, ``kind`` ("stated" for stated conditions, "anecdote"
        for those that leave a range), ``published_low``, ``published_high``, ``low`` and ``high``
        of the closed form, ``naive``, ``ratio`` and ``naive_ratio`` (over the published figure,
        the mean of its ends' logarithms), ``hit`` and ``naive_hit`` (within :data:`HIT`; for an
        anecdote, whether the ranges meet), ``source`` and ``note``. One calculation by a guide
        is left out.

    Examples
    --------
    >>> table = comparison().set_index("id")
    >>> row = table.loc["rocksdb-align-before"]
    >>> [round(float(x), 1) for x in (row.published_low, row.low, row.naive)]
    [11.0, 10.8, 23.0]
    """
    rows = []
    for row in tables.published_amplification().to_dict("records"):
        if row["id"] in _CALCULATED:
            continue
        low = _figure(row, row["inputs"])
        high = _figure(row, row["inputs_high"]) if row["kind"] == "anecdote" else low
        low, high = sorted((low, high))
        first, last = row["published_low"], row["published_high"]
        middle = math.sqrt(first * last)
        found = {"low": low, "high": high, "ratio": math.sqrt(low * high) / middle}
        found["naive_ratio"] = row["naive"] / middle
        if row["kind"] == "stated":
            found["hit"] = 1 / HIT <= found["ratio"] <= HIT
        else:
            found["hit"] = low <= last and high >= first
        found["naive_hit"] = 1 / HIT <= found["naive_ratio"] <= HIT
        rows.append({**row, **found})
    return pd.DataFrame(rows)


def _figure(row: Mapping[str, object], inputs: object) -> float:
    found = getattr(host, str(row["model"]))(**json.loads(str(inputs)))
    return float(sum(getattr(found, part) for part in str(row["part"]).split("+")))
