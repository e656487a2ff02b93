"""How drives end: outcomes by kind, line and wear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_USED = (0, 1, 5, 20, 50, 80, 100, 150, 1000)  # percent
_LEAST_DRIVES = 30  # for a line to get rows of its own
_WEAR_COUNTERS = {"169", "173", "177", "231", "233", "244"}
_MICRON_LIFE = "202"  # old-age at Micron; at Samsung a state of emergency, and pre-failure
_OUTCOMES = ("failed", "failed_by_wear", "spare", "read_only", "failure", "uncorrected")


def outcomes(drives: pd.DataFrame) -> pd.DataFrame:
    """Return which signs of its end each drive shows, apart from its wear counter.

    `drives`: table of drives with the columns of :func:`flashwear.smart.fleet`.

    Result: booleans by drive. ``failed``: the verdict is FAILED. ``failed_by_wear``: it is so
    because of wear: all attributes at their threshold count wear, or an NVMe drive is at 100 % or
    more and has enough spare blocks. ``spare``: spare blocks of an NVMe drive are below their
    threshold. ``read_only``: an NVMe drive is read-only, and not because of wear. ``failure``: any
    of these except failed_by_wear. ``uncorrected``: there are uncorrected errors.
    """
    import pandas as pd

    words = [set(str(text).split()) for text in drives["findings"].fillna("")]
    low = [set(str(text).split()) for text in drives["low_attributes"].fillna("")]
    verdicts = drives["passed"].eq(False).fillna(False).astype(bool)
    rows = []
    for kind, failed, used, found, at_threshold in zip(
        drives["kind"], verdicts, drives["percent_used"], words, low, strict=True
    ):
        spare = "spare_below_threshold" in found
        mild = set() if "attribute_failing" in found else {_MICRON_LIFE}
        if kind == "ata":
            wear = bool(at_threshold) and at_threshold <= _WEAR_COUNTERS | mild
        else:
            wear = used >= 100 and not spare
        read_only = "read_only" in found and not wear
        failure = (failed and not wear) or spare or read_only
        rows.append((failed, failed and wear, spare, read_only, failure, "media_errors" in found))
    return pd.DataFrame(rows, columns=list(_OUTCOMES), index=drives.index, dtype=bool)


def ends(drives: pd.DataFrame) -> pd.DataFrame:
    """Count drives that show signs of their end, by kind, product line and life used.

    `drives`: table of drives, from :func:`flashwear_book.field.summary.prepare`.

    Result: rows for steps, from ``low`` to ``high``, of the percentage of life used, by ``kind``
    (SATA or NVMe) and ``line`` (one with 30 drives or more, a model without a line, or all
    others). Columns count the ``drives`` in a step, their ``clusters`` of similar drives and
    ``drive_years``, and those with a sign: ``failed`` (by their own verdict), ``failed_by_wear``,
    ``spare`` (blocks used up), ``read_only``, ``failure`` (any but wear), ``uncorrected``
    (errors). Drives whose wear is not known are left out.
    """
    import pandas as pd

    known = drives[drives["percent_used"].notna()].reset_index(drop=True)
    found = pd.concat([known, outcomes(known)], axis=1)
    found["line"] = found["line"].where(found["line"] != "", found["model"])
    few = found.groupby(["kind", "line"])["line"].transform("size") < _LEAST_DRIVES
    found.loc[few, "line"] = "others"
    step = np.digitize(found["percent_used"], _USED)
    found["low"], found["high"] = np.array(_USED)[step - 1], np.array(_USED)[step]
    found["drive_years"] = found["power_on_hours"] / 8766
    groups = pd.concat([found.assign(line="all"), found]).groupby(["kind", "line", "low", "high"])
    table = groups[["drive_years", *_OUTCOMES]].sum()
    table.insert(0, "drives", groups.size())
    table.insert(1, "clusters", groups["cluster"].nunique())
    return table.reset_index()
