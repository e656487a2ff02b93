"""Findings from the claims that are worth telling, and confirmed ratings that the model misses."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from flashwear import capacity, drives, predict, wa
from flashwear.predict.rated_speeds import rated_speeds
from flashwear.units import GIB, PB
from flashwear_book import runs, scoring, sources, tables
from flashwear_book.claims.registry import ids
from flashwear_book.claims.rules import within

__all__ = ["TOLD", "figures_of_the_fit", "findings_of", "misses_of"]

TOLD = [*ids("M6", 61, 85), *ids("MX", 11, 20, 93), *ids("P4", 43), *ids("DC", 34, 40)]
"""Claims whose outcomes the findings worth telling rest on."""


def figures_of_the_fit() -> list[str]:
    """Return the ids of claims whose speeds are used to fit the times of modelled drives."""
    every = tables.claims()["id"]
    return list(every[every.isin(tables.speeds()["claim"])])


_SUSPECTED = {
    "host": "pause between requests",
    "link": "time of a byte on the link",
    "controller": "time of the controller for a command or a map unit",
    "channel": "rate of the bus to the dies",
    "die": "time of a read or a program, and the planes that work at once",
}
"""Operation time that may be wrong, by the station that limits the modelled drive."""


def findings_of(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Pick the most telling results among `verdicts` on all claims, as a table.

    `verdicts` is the table from :func:`flashwear_book.claims.verdicts`. The result has a row for
    each, with a headline (``finding``), an explanation (``told``) and the ids of its ``claims``.
    """
    found = verdicts.set_index("id")
    computed = found["computed"]
    rows = [
        ("A drive of 2022 follows the formulas", "", _a_drive_of_2022()),
        ("Drives outlast their ratings, by no fixed factor", "", _written_to_death()),
        ("The counters of drives reveal a hidden cache", "M6-085 MX-049 MX-050 MX-051",
         "Some sizes of the M600 program only about half of their flash for each erase, as a "
         "block does that holds one bit in a cell instead of two."),
        ("A fast cache adds cycles, but lets the flash take no more writes", "M6-061",
         "Within the life that its firmware counts, the flash of the median M600 can be "
         f"programmed {computed['M6-061']} the cache."),
        ("An hour does not settle a large drive", "MX-093",
         "After a fill, by closed form for large blocks, write amplification settles only after "
         f"{computed['MX-093']}."),
        ("The argument about 3,000 cycles runs backwards", "DC-034 DC-031",
         "At a fixed rating, flash of more cycles leaves more room for the drive's own writes, "
         "not less."),
        ("Ratings that the stated cycles cannot reach", "DC-040 DC-048 DC-038",
         "The sequential ratings of two drives of Samsung need more cycles than the readers "
         "assume for their flash, even if nothing is written twice."),
        ("Fewer dies are never faster", "MX-020",
         "In the data sheets of other lines, no smaller drive is rated faster at writes in "
         "order than the next larger one."),
        ("The 768 GB of the MX300 are GiB", "MX-011 MX-014 MX-019", _gigabytes()),
        ("A misprint puts the rival too far ahead", "P4-043", _misprint())]  # fmt: skip
    told = pd.DataFrame(rows, columns=["finding", "claims", "told"])
    first = told["claims"].str.split().str[0]
    return told[["finding", "told", "claims"]].assign(
        outcome=first.map(found["outcome"]).fillna(""),
        evidence=first.map(found["evidence"]).fillna("independent"),
    )


def _a_drive_of_2022() -> str:
    rows = tables.measured_wa()
    rows = rows[rows["drive"] == "Micron 7450 MAX 800GB"]
    at_random = rows[rows["load"] == "random"]
    late = at_random["fills"] > 0.7 * at_random.groupby("run")["fills"].transform("max")
    seen = at_random[late].groupby("span_gib")["wa"].mean()
    spans, levels = seen.index.to_numpy(), seen.to_numpy()
    overhead = rows["wa"][rows["load"] == "in order"].mean()

    def ratio(flash: float) -> NDArray[np.float64]:
        return np.asarray(overhead * wa.fifo(flash / spans - 1) / levels)

    def miss(flash: float, others: NDArray[np.bool_]) -> float:
        return float((np.log(ratio(flash)[others]) ** 2).sum())

    off, naive = [], []
    for others in ~np.eye(spans.size, dtype=bool):  # each part by the flash that fits the others
        fit = minimize_scalar(miss, bounds=(spans.max() * 1.01, 3000), args=(others,)).x
        off.append(abs(ratio(fit)[~others][0] - 1))
        naive.append(abs(levels[others].mean() / levels[~others][0] - 1))
    return (
        f"Written at random over {spans.size} parts of different size, it programmed "
        f"{levels.min():.2f} to {levels.max():.2f} bytes for each byte of the host. A formula with "
        f"one number fitted to the other parts is off by {100 * max(off):.1f} % at most; their "
        f"mean, by {100 * max(naive):.0f} %."
    )


def _written_to_death() -> str:
    deaths = tables.deaths()
    over = (deaths["host_tb"] / deaths["tbw_tb"]).dropna()
    return (
        f"{len(over)} drives of known rating, written until they failed, withstood "
        f"{over.min():.1f} to {over.max():.0f} times as much."
    )


def _misprint() -> str:
    s3700, p400m = sources.Rating("S3700 200GB"), sources.Rating("P400m 200GB")
    right, printed = (100 * (s3700.tbw / tbw - 1) for tbw in (p400m.best, p400m.tbw))
    return (
        f"The P400m of 200 GB is rated for {p400m.best / PB:.1f} PB and not for the printed "
        f"{p400m.tbw / PB:.1f}, so that its rival leads by {right:.0f} %, not by {printed:.0f} %."
    )


def _gigabytes() -> str:
    raw, user = sources.Rating("MX300 750GB").raw, sources.user_capacity("MX300 750GB")
    as_printed = 100 * capacity.over_provisioning(raw / GIB * 1e9, user)
    return (
        f"The MX300 of 750 GB has {raw / GIB:.0f} GiB of flash, so that its spare flash is "
        f"{100 * capacity.over_provisioning(raw, user):.1f} % of what the user gets, not "
        f"{as_printed:.1f} %."
    )


def misses_of(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Pick, among `verdicts` on all claims, the rated speeds that the model predicts wrongly.

    `verdicts` is the table from :func:`flashwear_book.claims.verdicts`. The result has a row for
    each speed: among others ``claim``, ``drive``, ``confirmed`` and ``computed`` speed, and their
    ``ratio``.
    """
    predicted = scoring.compared(
        runs.kept_result("new_lines"), ("model", 1.0), rated_speeds().table
    )
    predicted = predicted.assign(claim=predicted["claim"].str.split(";")).explode("claim")
    predicted = predicted.set_index("claim")
    stated = tables.claims().set_index("id")["stated"]
    rows = []
    for row in verdicts[verdicts["outcome"] == "holds"].itertuples():
        figure, found = float(str(stated[row.id]).replace("K", "e3")), predicted.loc[row.id]
        ratios = np.exp((found[["median", "low_90", "high_90"]] - found["seen"]).astype(float))
        if within("about", ratios["median"]) and ratios["low_90"] <= 1 <= ratios["high_90"]:
            continue
        made = drives.load(found["key"])
        speeds = predict.speeds(made, draws=200, without=made.line)
        suspected = _SUSPECTED[speeds.loc[found["test"], "limit"]]
        what = (row.id, row.drive, row.quantity, row.unit, figure)
        rows.append([*what, *figure * ratios, ratios["median"], suspected])
    columns = ["claim", "drive", "quantity", "unit", "confirmed", "computed", "low_90", "high_90"]
    return pd.DataFrame(rows, columns=[*columns, "ratio", "suspected"])
