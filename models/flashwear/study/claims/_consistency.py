"""Checks of the claims on consistency: kept runs of the queueing model at full scale."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear.queueing.procedures import evenness
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.study.claims.rules import THRESHOLDS, at_the_middle, in_draws
from flashwear.study.runs.map_misses import written_back

_ALIKE = THRESHOLDS["order"][0]
_STEADY = "random write, steady"
"""The test of speed that these claims turn on."""


@check("P4-079", "P4-081")
def the_s3700_is_steadier(claim: Claim) -> Finding:
    intel, micron = evenness(_last("s3700-200gb")), evenness(_last("p400m-200gb"))
    return at_the_middle(
        f"{intel:.0f} for the S3700, {micron:.0f} for the P400m",
        "The more, the more even: mean over standard deviation about a straight line of the "
        "simulated IOPS, seconds 1,600 to 2,000, of the models of 200 GB.",
    )


@check("P4-115")
def the_s3700_writes_faster_and_more_evenly(claim: Claim) -> Finding:
    pair = ("s3700-200gb", "p400m-200gb")
    at_random = [kept.rated(drive, "random write, steady") for drive in pair]
    in_order = [
        float(kept.cell("ratings", "mb_per_s", drive=drive, case="sequential write"))
        for drive in pair
    ]
    even = [evenness(_last(drive)) for drive in pair]
    return undecided(
        "Simulated S3700 200GB against P400m 200GB: random writes in the steady state, writes in "
        "order, and mean over deviation from a straight line. Figures of both rates set the "
        "times of these drives.",
        f"{' against '.join(kept.kilo(rate) for rate in at_random)} IOPS at random, "
        f"{' against '.join(f'{rate:.0f}' for rate in in_order)} MB/s in order, "
        f"{' against '.join(f'{ratio:.0f}' for ratio in even)} mean over deviation",
    )


_MEMBERS = 8


@check("P4-076")
def an_array_waits_for_its_slowest_drive(claim: Claim) -> Finding:
    kept_shares = {}
    for name in ("P400m", "S3700"):
        last = kept.consistency(f"{name.lower()}-200gb")[1][-400:]
        shifts = np.arange(_MEMBERS) * (last.size // _MEMBERS)
        slowest = np.min([np.roll(last, shift) for shift in shifts], axis=0)
        kept_shares[name] = float(slowest.mean() / last.mean())
    return undecided(
        f"Rate of an array of {_MEMBERS} over {_MEMBERS} times that of one, from the last 400 "
        "simulated seconds, if each second all do as much as the slowest: that is put in, and no "
        "array was measured.",
        ", ".join(f"{name} {100 * share:.1f} %" for name, share in kept_shares.items()),
    )


@check("P4-080")
def the_p400m_recovers(claim: Claim) -> Finding:
    row, iops = kept.consistency("p400m-200gb")
    means = iops[: iops.size // 50 * 50].reshape(-1, 50).mean(axis=1)
    start = int(row.cliff_s // 50) + 1
    worst = start + int(means[start:-8].argmin())
    return at_the_middle(
        f"{kept.kilo(means[worst])} at {50 * worst} to {50 * worst + 50} s, "
        f"then {kept.kilo(row['mean'])}",
        "Simulated IOPS of the P400m 200GB, at their lowest and in the last 400 s. Its blank "
        f"flash is used up after {row.cliff_s:.0f} s.",
    )


@check("M6-124")
def the_largest_m600_is_slower(claim: Claim) -> Finding:
    large, small = (kept.consistency(drive)[0]["mean"] for drive in ("m600-1024gb", "m600-256gb"))
    draws = _draws()
    settled = [kept.rated(drive, "random write, steady") for drive in ("m600-1024gb", "m600-256gb")]
    return in_draws(
        draws["m600-1024gb"] < (1 - _ALIKE) * draws["m600-256gb"],
        f"{kept.kilo(large)} against {kept.kilo(small)}",
        "Simulated IOPS, seconds 1,600 to 2,000. The 1 TB drive has not settled by then; when it "
        f"has, it does {kept.kilo(settled[0])} against {kept.kilo(settled[1])}.",
        _STEADY,
    )


def _draws() -> pd.DataFrame:
    """Return mean IOPS in the last 400 s by draw, a column for each drive."""
    return kept.table("bands").pivot_table("mean", "draw", "drive")


@check("M6-125")
def tracking_is_the_cause(claim: Claim) -> Finding:
    rows = kept.table("one_terabyte")
    rows = rows[(rows["drive"] == "m600-1024gb") & (rows["copy_us"] == 0)].set_index("map_held")
    read = 1 - float(rows["mean"][0.5] / rows["mean"][1.0])
    missing = (
        1 - kept.consistency("m600-1024gb")[0]["mean"] / kept.consistency("m600-256gb")[0]["mean"]
    )
    written = written_back("m600-1024gb", 0.5)
    return undecided(
        "The modelled 1 TB drive loses this much of its rate if half of its map is not in DRAM and "
        f"is read from flash, or read and written back. Without either it is {100 * missing:.0f} "
        "% behind the 256 GB drive. How the drive holds its map, no document says.",
        f"{100 * read:.1f} % or {100 * written:.0f} %",
    )


@check("M6-126", "M6-128")
def as_consistent_as_the_mx100(claim: Claim) -> Finding:
    rates = [kept.rated(f"{family}-256gb", "random write, steady") for family in ("m600", "mx100")]
    return undecided(
        "Simulated random writes of M600 and MX100 256GB in the steady state. The modelled MX100 "
        "is an M600 without the cache, so that they are equal by construction.",
        f"{kept.kilo(rates[0])} and {kept.kilo(rates[1])}",
    )


@check("M6-158")
def bursts_are_fast_and_long_loads_slow(claim: Claim) -> Finding:
    rows = kept.table("bands").set_index("drive").loc[["m600-256gb", "m600-1024gb"]]
    ratios = rows["first"] / rows["mean"]
    return in_draws(
        ratios >= 1 + THRESHOLDS["substantially"][0],
        f"{ratios.min():.1f} to {ratios.max():.1f} times as fast",
        "Simulated random writes of M600 256GB and 1TB in the first minute, over those of the "
        "last 400 s.",
        _STEADY,
    )


@check("MX-094")
def the_mx300_is_slower_than_the_mx200(claim: Claim) -> Finding:
    tlc = kept.consistency("mx300-750gb")[0]["mean"]
    mlc = [kept.consistency(drive)[0]["mean"] for drive in ("mx200-500gb", "mx200-1000gb")]
    draws = _draws()
    return in_draws(
        draws["mx300-750gb"] < draws[["mx200-500gb", "mx200-1000gb"]].min(axis=1),
        f"{kept.kilo(tlc)} against {' and '.join(kept.kilo(rate) for rate in mlc)}",
        "Simulated IOPS in the last 400 s of the hour, MX300 750GB against MX200 500GB and 1TB.",
        _STEADY,
    )


@check("MX-097")
def the_mx300_is_less_steady_than_the_mx200(claim: Claim) -> Finding:
    tlc = evenness(_last("mx300-750gb"))
    mlc = [evenness(_last(drive)) for drive in ("mx200-500gb", "mx200-1000gb")]
    return at_the_middle(
        f"{tlc:.0f} against {' and '.join(f'{one:.0f}' for one in mlc)}",
        "Mean over standard deviation about a straight line of the simulated IOPS in the last "
        "400 s of the hour, MX300 750GB against MX200 500GB and 1TB.",
    )


@check("MX-101")
def the_mx300_improves_and_scatters(claim: Claim) -> Finding:
    row, iops = kept.consistency("mx300-750gb")
    parts = iops.reshape(-1, 200)[int(row.cliff_s // 200) + 1 :].T
    means, seconds = parts.mean(axis=0), np.arange(200)
    slope, start = np.polyfit(seconds, parts, 1)
    scatter = (parts - start - np.outer(seconds, slope)).std(axis=0)
    return at_the_middle(
        f"{kept.kilo(means[0])} at first and {kept.kilo(means[-1])} at the end, "
        f"scatter {scatter[0]:.0f} and {scatter[-1]:.0f}",
        "Simulated IOPS of the MX300 after its blank flash is used up, to the end of the hour: "
        "means of 200 s, and standard deviation of their seconds about a straight line.",
    )


def _last(drive: str) -> NDArray[np.float64]:
    return kept.consistency(drive)[1][-400:]


@check("MX-102")
def low_level_of_the_mx300(claim: Claim) -> Finding:
    return at_the_middle(
        float(np.percentile(_last("mx300-750gb"), 5)),
        "Simulated IOPS; 5 % of the last 400 seconds are below it.",
    )


@check("MX-103")
def high_level_of_the_mx300(claim: Claim) -> Finding:
    return undecided(
        "Simulated IOPS; 95 % of the last 400 seconds are below it. The drive of the review goes "
        "back and forth between two levels, the modelled one stays at one.",
        kept.kilo(float(np.percentile(_last("mx300-750gb"), 95))),
    )


@check("MX-104")
def the_mx300_has_no_slow_seconds(claim: Claim) -> Finding:
    last = _last("mx300-750gb")
    return at_the_middle(
        f"{kept.kilo(last.min())} at least, {kept.kilo(float(np.median(last)))} in the middle",
        "Simulated IOPS, slowest and median second of the last 400.",
    )
