"""Checks of the claims on consistency: kept runs of the queueing model at full scale.

Tolerances are those of the ledger, as for speeds (10 %).
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear.queueing.procedures import evenness
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, compare, holds, undecided
from flashwear.study.runs.map_misses import written_back

_ALIKE = 0.05
"""Figures that differ by less have no order."""


@check("P4-079", "P4-081")
def the_s3700_is_steadier(claim: Claim) -> Finding:
    intel, micron = evenness(_last("s3700-200gb")), evenness(_last("p400m-200gb"))
    text = f"{intel:.0f} against {micron:.0f}"
    how = (
        "mean over standard deviation of the simulated IOPS about their straight line, seconds "
        "1,600 to 2,000, S3700 200GB against P400m 200GB: a drive that still settles is uneven by "
        "its trend, which is left out"
    )
    if abs(intel / micron - 1) < _ALIKE:
        return undecided(f"{how}; the two differ by less than {100 * _ALIKE:.0f} %", text)
    return holds(
        intel > micron,
        text,
        how,
        yes="explained",
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
        "simulated, S3700 200GB against P400m 200GB: steady state, full drive, mean over deviation "
        "from a straight line in seconds 1,600 to 2,000. Figures of both rates set the times of "
        "these drives, so that they are no evidence",
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
    return holds(
        max(kept_shares.values()) < 1 and kept_shares["P400m"] < kept_shares["S3700"],
        ", ".join(f"{name} {100 * share:.1f} %" for name, share in kept_shares.items()),
        f"rate of an array of {_MEMBERS} over {_MEMBERS} times that of one, if each second all do "
        "as much as the slowest: the last 400 simulated seconds of one drive, shifted evenly. The "
        "less even drive loses more",
        yes="explained",
    )


@check("P4-080")
def the_p400m_recovers(claim: Claim) -> Finding:
    row, iops = kept.consistency("p400m-200gb")
    means = iops[: iops.size // 50 * 50].reshape(-1, 50).mean(axis=1)
    start = int(row.cliff_s // 50) + 1
    worst = start + int(means[start:-8].argmin())
    return holds(
        means[worst] < 0.95 * means[-8:].mean(),
        f"{kept.kilo(means[worst])} at {50 * worst} to {50 * worst + 50} s, "
        f"then {kept.kilo(row['mean'])}",
        "simulated IOPS of the P400m 200GB, at their lowest and in the last 400 s: its blank flash "
        f"is used up after {row.cliff_s:.0f} s, and cleaning finds victims fuller than in the "
        "steady state",
        yes="explained",
    )


@check("M6-124")
def the_largest_m600_is_slower(claim: Claim) -> Finding:
    large, small = (kept.consistency(drive)[0]["mean"] for drive in ("m600-1024gb", "m600-256gb"))
    draws = _draws()
    slower = float((draws["m600-1024gb"] < (1 - _ALIKE) * draws["m600-256gb"]).mean())
    settled = [kept.rated(drive, "random write, steady") for drive in ("m600-1024gb", "m600-256gb")]
    text = f"{kept.kilo(large)} against {kept.kilo(small)}"
    how = (
        "simulated IOPS, seconds 1,600 to 2,000: the 1 TB drive has not settled; when it has, it "
        f"does {kept.kilo(settled[0])} against {kept.kilo(settled[1])}. It is slower by 5 % or "
        f"more in {100 * slower:.0f} % of draws from the fit and from the bands of what is assumed"
    )
    return _in_all_draws(slower, text, how)


def _draws() -> pd.DataFrame:
    """Return mean IOPS in the last 400 s by draw, a column for each drive."""
    return kept.table("bands").pivot_table("mean", "draw", "drive")


def _in_all_draws(share: float, text: str, how: str) -> Finding:
    """Return what a model says of a claim that holds in a part of its draws."""
    if 0 < share < 1:
        return undecided(how, text)
    return holds(share == 1, text, how, yes="explained", no="not reproducible")


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
        "of the rate of the 1 TB model are lost if only half of its map is held in DRAM and the "
        "rest is read from the flash (simulated), or read and written back (closed form). Without "
        f"either it is {100 * missing:.0f} % behind the 256 GB model. A DRAM of 1 GB would hold "
        "the map; whether the drive uses it so, no document says",
        f"{100 * read:.1f} % or {100 * written:.0f} %",
    )


@check("M6-126", "M6-128")
def as_consistent_as_the_mx100(claim: Claim) -> Finding:
    rates = [kept.rated(f"{family}-256gb", "random write, steady") for family in ("m600", "mx100")]
    return undecided(
        "the modelled MX100 has the flash and the controller of the M600, and no cache: that the "
        "cache leaves the settled rate alone follows, all else is equal by construction. Simulated "
        "random writes of M600 and MX100 256GB in the steady state",
        f"{kept.kilo(rates[0])} and {kept.kilo(rates[1])}",
    )


@check("M6-158")
def bursts_are_fast_and_long_loads_slow(claim: Claim) -> Finding:
    rows = [kept.consistency(drive)[0] for drive in ("m600-256gb", "m600-1024gb")]
    ratios = [row["first"] / row["mean"] for row in rows]
    return holds(
        min(ratios) > 2,
        f"{min(ratios):.0f} and {max(ratios):.0f} times as fast",
        "simulated random writes of M600 256GB and 1TB in the first minute, over the last 400 s",
        yes="explained",
    )


@check("MX-094")
def the_mx300_is_slower_than_the_mx200(claim: Claim) -> Finding:
    tlc = kept.consistency("mx300-750gb")[0]["mean"]
    mlc = [kept.consistency(drive)[0]["mean"] for drive in ("mx200-500gb", "mx200-1000gb")]
    draws = _draws()
    slower = draws["mx300-750gb"] < draws[["mx200-500gb", "mx200-1000gb"]].min(axis=1)
    return _in_all_draws(
        float(slower.mean()),
        f"{kept.kilo(tlc)} against {' and '.join(kept.kilo(rate) for rate in mlc)}",
        "simulated IOPS in the last 400 s of the hour, MX300 750GB against MX200 500GB and 1TB, "
        "all with 9.95 % over-provisioning; the MX300 with its SLC cache, used up long before. It "
        f"is the slowest in {100 * slower.mean():.0f} % of draws",
    )


@check("MX-097")
def the_mx300_is_less_steady_than_the_mx200(claim: Claim) -> Finding:
    tlc = evenness(_last("mx300-750gb"))
    mlc = [evenness(_last(drive)) for drive in ("mx200-500gb", "mx200-1000gb")]
    return holds(
        tlc < min(mlc),
        f"{tlc:.0f} against {' and '.join(f'{one:.0f}' for one in mlc)}",
        "mean over standard deviation about a straight line of the simulated IOPS in the last "
        "400 s of the hour, MX300 750GB with its SLC cache, used up long before, against MX200 "
        "500GB and 1TB",
        yes="explained",
    )


@check("MX-101")
def the_mx300_improves_and_scatters(claim: Claim) -> Finding:
    row, iops = kept.consistency("mx300-750gb")
    parts = iops.reshape(-1, 200)[int(row.cliff_s // 200) + 1 :].T
    means, seconds = parts.mean(axis=0), np.arange(200)
    slope, start = np.polyfit(seconds, parts, 1)
    scatter = (parts - start - np.outer(seconds, slope)).std(axis=0)
    return holds(
        bool((slope > 0).mean() > 0.75 and np.polyfit(np.arange(scatter.size), scatter, 1)[0] > 0),
        f"{kept.kilo(means[0])} to {kept.kilo(means[-1])}, "
        f"scatter {scatter[0]:.0f} to {scatter[-1]:.0f}",
        "simulated IOPS of the MX300 after the blank flash is used up, to the end of the hour: "
        "means of 200 s, and standard deviation of their seconds about a straight line; the rate "
        "does rise, but its scatter does not; with its SLC cache, used up before",
        yes="explained",
    )


@check("MX-095", "MX-096")
def other_makers_drives(claim: Claim) -> Finding:
    return undecided(
        "the 850 EVO is not modelled; of drives with planar TLC flash only the 840 EVO is, with "
        "assumed times, and it is not simulated in this test"
    )


@check("P4-078", "P4-084", "P4-088", "P4-090", "P4-091", "P4-114")
def the_p400e(claim: Claim) -> Finding:
    return undecided(
        "the P400e is not modelled: its flash, spare area and controller are not given"
    )


def _last(drive: str) -> NDArray[np.float64]:
    return kept.consistency(drive)[1][-400:]


@check("MX-102")
def low_level_of_the_mx300(claim: Claim) -> Finding:
    return compare(
        claim,
        float(np.percentile(_last("mx300-750gb"), 5)),
        "simulated, 5 % of the seconds of the last 400 are below it; with its SLC cache, used up "
        "long before; tolerance 10 %: a miss of the model",
        otherwise="not reproducible",
    )


@check("MX-103")
def high_level_of_the_mx300(claim: Claim) -> Finding:
    return undecided(
        "simulated, 95 % of the seconds of the last 400 are below it, with its SLC cache used up "
        "long before. The review sees the drive go back and forth between two levels; the model "
        "stays at one, so that its agreement with this one is no evidence",
        kept.kilo(float(np.percentile(_last("mx300-750gb"), 95))),
    )


@check("MX-104")
def the_mx300_has_no_slow_seconds(claim: Claim) -> Finding:
    last = _last("mx300-750gb")
    return holds(
        bool(last.min() > 0.5 * np.median(last)),
        f"{kept.kilo(last.min())} at least, {kept.kilo(float(np.median(last)))} in the middle",
        "simulated, slowest and median second of the last 400; slow taken as below half",
        yes="explained",
    )
