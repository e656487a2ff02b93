"""Checks of the claims on consistency: kept runs of the queueing model at full scale.

Tolerances are those of the ledger, as for speeds (10 %).
"""

import numpy as np
from numpy.typing import NDArray

from flashwear import drives
from flashwear.queueing import bounds, work
from flashwear.queueing.requests import Access
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, compare, holds, undecided


def steadier(seconds: NDArray[np.float64]) -> float:
    """Return the mean over the standard deviation about a straight line."""
    time = np.arange(seconds.size)
    trend = np.polyval(np.polyfit(time, seconds, 1), time)
    return float(seconds.mean() / (seconds - trend).std())


@check("P4-079", "P4-081")
def the_s3700_is_steadier(claim: Claim) -> Finding:
    intel, micron = _last("s3700-200gb"), _last("p400m-200gb")
    return holds(
        steadier(intel) > steadier(micron),
        f"{steadier(intel):.0f} against {steadier(micron):.0f}",
        "mean over standard deviation of the simulated IOPS about their straight line, seconds "
        "1,600 to 2,000, S3700 200GB against P400m 200GB: a drive that still settles is uneven by "
        "its trend, which is left out",
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
    even = [steadier(_last(drive)) for drive in pair]
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
    bands = kept.table("bands").pivot_table("mean", "draw", "drive")
    slower = float((bands["m600-1024gb"] < bands["m600-256gb"]).mean())
    settled = [kept.rated(drive, "random write, steady") for drive in ("m600-1024gb", "m600-256gb")]
    return holds(
        large < 0.95 * small,
        f"{kept.kilo(large)} against {kept.kilo(small)}",
        "simulated IOPS, seconds 1,600 to 2,000: the 1 TB drive has not settled; when it has, it "
        f"does {kept.kilo(settled[0])} against {kept.kilo(settled[1])}. It is slower in "
        f"{100 * slower:.0f} % of draws from the fit and from the bands of what is assumed",
        yes="explained",
    )


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


def written_back(drive: str, missing: float) -> float:
    """Return the part of the steady rate that is lost if map pages are read and written back.

    Each map unit that is written, by the host or as a copy, changes a page of the map. Of those,
    the part `missing` is not in DRAM: it is read from the flash, and takes the place of another
    that is written back.
    """
    made = drives.load(drive)
    access = Access(made.map_bytes)
    amplified = bounds.write_amplification(made, access)
    request, plain = work.in_units(made, access), work.layout(made)
    times = work.times_of(made)
    held = work.of_write(made, plain, request, amplified)
    changed = missing * amplified
    seconds = held.seconds(times)
    extra = np.zeros(len(work.STATIONS))
    units = dict(zip(work.TIMES, times.tolist(), strict=True))
    each = units["read_s"] + units["program_s"] / plain.unit
    extra[work.STATIONS.index("die")] = changed * each / made.dies
    extra[work.STATIONS.index("controller")] = changed * (
        units["read_unit_s"] + units["write_unit_s"]
    )
    last = work.STATIONS.index("host")
    return float(1 - seconds[:last].max() / (seconds + extra)[:last].max())


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
    return holds(
        tlc < min(mlc),
        f"{kept.kilo(tlc)} against {' and '.join(kept.kilo(rate) for rate in mlc)}",
        "simulated IOPS in the last 400 s of the hour, MX300 750GB against MX200 500GB and 1TB, "
        "all with 9.95 % over-provisioning; the MX300 with its SLC cache, used up long before",
        yes="explained",
    )


@check("MX-097")
def the_mx300_is_less_steady_than_the_mx200(claim: Claim) -> Finding:
    tlc = steadier(_last("mx300-750gb"))
    mlc = [steadier(_last(drive)) for drive in ("mx200-500gb", "mx200-1000gb")]
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
        "long before; tolerance 10 %",
        otherwise="contradicted",
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
