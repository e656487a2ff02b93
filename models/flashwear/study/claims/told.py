"""What the ledger found that is worth telling, and where the model misses what is confirmed."""

from __future__ import annotations

import pandas as pd

from flashwear import capacity, drives, predict, tables
from flashwear.predict.ratings import ratings
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims._speeds import FIGURES_OF_THE_FIT
from flashwear.study.claims.registry import ids
from flashwear.study.claims.rules import within
from flashwear.units import GIB, PB

__all__ = ["FIGURES_OF_THE_FIT", "TOLD", "findings_of", "misses_of"]

TOLD = [
    *ids("M6", 61, 80, 85),
    *ids("MX", 11, 20, 93),
    *ids("P4", 43),
    *ids("DC", 18, 31, 34, 38, 40),
]
"""Claims whose outcomes the findings worth telling rest on."""

_SUSPECTED = {
    "host": "pause between requests",
    "link": "time of a byte on the link",
    "controller": "time of the controller for a command or a map unit",
    "channel": "rate of the bus to the dies",
    "die": "time of a read or a program, and the planes that work at once",
}
"""What may be wrong, by the station that holds the modelled drive back."""


def findings_of(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the findings worth telling; see :func:`flashwear.study.claims.findings`."""
    found = verdicts.set_index("id")
    computed = found["computed"]
    rows = [
        (
            "A misprint makes the rival look five times as far ahead",
            "P4-043",
            _misprint(),
        ),
        (
            "The counters of drives reveal a hidden cache",
            "M6-085 MX-049 MX-050 MX-051",
            "By its own counters, an M600 programs this share of its flash for each erase: "
            f"{computed['M6-085']}. A share near one half means that most erases followed writes "
            "with one bit in a cell.",
        ),
        (
            "A fast cache adds cycles, but lets the flash take no more writes",
            "M6-061",
            "Within the life that its firmware counts, the flash of the median M600 can be "
            f"programmed this often: {computed['M6-061']} the cache.",
        ),
        (
            "The argument about 3,000 cycles runs backwards",
            "DC-034 DC-031",
            "More cycles leave more room for the drive's own writes, not less. At a fixed rating "
            "the product of write amplification and uneven wear "
            f"{computed['DC-034'].partition(';')[0]}. And the firmware of the M500DC counts its "
            f"life against {computed['DC-031']}.",
        ),
        (
            "The 768 GB of the MX300 are GiB",
            "MX-011 MX-014 MX-019",
            _gigabytes(),
        ),
        (
            "Two ratings of speed follow write amplification",
            "DC-018",
            "From their spare flash alone follows how many times as fast the M500DC of 480 GB "
            f"writes at random as the one of 800 GB: {computed['DC-018']}.",
        ),
        (
            "Ratings that the stated cycles cannot reach",
            "DC-040 DC-048 DC-038",
            f"The sequential ratings of the PM843 and the SM843 need {computed['DC-038']}, more "
            "than the readers assume for their flash, even if nothing is written twice.",
        ),
        (
            "An hour does not settle a large drive",
            "MX-093",
            f"After a fill, write amplification settles only after {computed['MX-093']}.",
        ),
        (
            "A drive that must empty its cache is several times slower",
            "M6-080 M6-083 M6-084",
            "Another publisher saw the M600 write an empty drive in three steps: "
            f"{computed['M6-080']}.",
        ),
        (
            "Fewer dies are never faster",
            "MX-020",
            "In the data sheets of other lines, a smaller drive compares with the next larger "
            f"one like this: {computed['MX-020']}.",
        ),
    ]
    return pd.DataFrame(
        [
            {
                "finding": title,
                "told": sentence,
                "claims": ids,
                "outcome": found.outcome[ids.split()[0]],
                "evidence": found.evidence[ids.split()[0]],
            }
            for title, ids, sentence in rows
        ]
    )


def _misprint() -> str:
    s3700, p400m = sources.Rating("S3700 200GB"), sources.Rating("P400m 200GB")
    right, printed = (100 * (s3700.tbw / tbw - 1) for tbw in (p400m.best, p400m.tbw))
    return (
        f"The P400m of 200 GB is rated for {p400m.best / PB:.1f} PB; the review says "
        f"{p400m.tbw / PB:.1f}. Its rival leads by {right:.0f} %, not by {printed:.0f} %."
    )


def _gigabytes() -> str:
    raw, user = sources.Rating("MX300 750GB").raw, sources.user_capacity("MX300 750GB")
    as_printed = 100 * capacity.over_provisioning(raw / GIB * 1e9, user)
    return (
        f"The MX300 of 750 GB has {raw / GIB:.0f} GiB of flash, printed as GB. Its spare flash is "
        f"{100 * capacity.over_provisioning(raw, user):.1f} % of what the user gets, not "
        f"{as_printed:.1f} %."
    )


def misses_of(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the misses among the figures of the fit; see :func:`flashwear.study.claims.misses`."""
    rows = []
    figures = ratings().table.dropna(subset=["claim"])
    places = {one: row for row in figures.itertuples() for one in row.claim.split(";")}
    stated = tables.claims().set_index("id")["stated"]
    for row in verdicts[verdicts["outcome"] == "holds"].itertuples():
        figure = float(str(stated[row.id]).replace("K", "e3"))
        found = kept.left_out(row.id)
        if within("about", found.median / figure) and found.low_90 <= figure <= found.high_90:
            continue
        made = drives.load(places[row.id].key)
        speeds = predict.speeds(made, draws=200, without=made.line)
        rows.append(
            {
                "claim": row.id,
                "drive": row.drive,
                "quantity": row.quantity,
                "unit": row.unit,
                "confirmed": figure,
                "computed": found.median,
                "low_90": found.low_90,
                "high_90": found.high_90,
                "ratio": found.median / figure,
                "suspected": _SUSPECTED[speeds.loc[places[row.id].test, "limit"]],
            }
        )
    return pd.DataFrame(rows)
