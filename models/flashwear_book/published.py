"""Published write amplification of applications and file systems, compared with closed forms."""

import itertools
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from flashwear import host
from flashwear.host.lsm import level_sizes
from flashwear_book import tables
from flashwear_book.runs import kept_result

HIT = 1.5
"""Largest factor between the closed form and the published figure that counts as a hit."""

_CALCULATED = ("rocksdb-guide",)  # no measurement: it is the naive guess itself


def comparison() -> pd.DataFrame:
    """Return each published write amplification with the closed form and a naive guess for it.

    The inputs were fixed from the sources and from documented defaults before anything was
    compared (``data/published_amplification.csv``).

    Result: columns ``id``, ``engine``, ``what``, ``kind`` ("stated" for stated conditions,
    "anecdote" for those that leave a range), ``published_low``, ``published_high``, ``low`` and
    ``high`` of the closed form, ``naive`` guess, ``ratio`` and ``naive_ratio`` (closed form and
    naive guess over the published figure; of a range the geometric mean), ``hit`` and
    ``naive_hit`` (whether each is within the factor :data:`HIT`; for an anecdote, whether the
    ranges overlap), ``source`` and ``note``. One figure that a guide only calculates is left out.

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


def counted_trees() -> pd.DataFrame:
    """Return the write amplification counted in runs of RocksDB, beside formulas for it.

    Result: columns ``case`` (settings of the store); and bytes flushed and merged for each byte of
    the records: ``counted``; ``form``, by :func:`flashwear.host.lsm_levelled`; ``naive``, ratio
    times levels; and ``half``, a rule with half the real ratio of each level.

    Examples
    --------
    >>> row = counted_trees().iloc[0]
    >>> row.case, [round(float(x), 1) for x in (row.counted, row.form, row.half, row.naive)]
    ('ratio 10', [9.6, 8.9, 10.5, 30.0])
    """
    runs = kept_result("engines_rocksdb").table.query("not tiered")
    levels = (runs.filter(regex=r"level[1-6]_written") > 0).sum(axis=1)
    forms = [host.lsm_levelled(run.data_bytes, run.memtable_bytes, ratio=run.ratio,
                               level_bytes=run.base_bytes, level0_files=run.trigger,
                               file_bytes=run.file_bytes,
                               record_bytes=run.memtable_bytes / run.memtable,
                               exponent=run.exponent, dynamic=bool(run.dynamic), log=False).total
             for run in runs.itertuples()]  # fmt: skip
    return pd.DataFrame({"case": runs.case,
                         "counted": (runs.flush_bytes + runs.compaction_bytes) / runs.asked_bytes,
                         "form": np.array(forms, float), "naive": runs.ratio * levels,
                         "half": [_half(run) for run in runs.itertuples()]})  # fmt: skip


def _half(run: Any) -> float:
    levels = level_sizes(run.data_bytes, run.base_bytes, run.ratio, dynamic=bool(run.dynamic))
    merged = 1 + levels[0] / (run.trigger * run.memtable_bytes)
    further = sum(below / above for above, below in itertools.pairwise(levels)) / 2
    return float(1 + merged + further)
