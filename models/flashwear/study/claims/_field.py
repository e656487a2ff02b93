"""Checks of claims by what drives in the field report."""

from functools import cache
from typing import Any

import pandas as pd

from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided

_PARITY = 11 / 12  # what one parity block to 11 of data leaves, the shortest stripe in the tables


@cache
def lines() -> pd.DataFrame:
    """Return the summary of each line, with its raw flash."""
    from flashwear.smart import summary

    rows = summary.load("field_models")
    lines = summary.load("field_lines").set_index("line")
    return rows[rows["model"] == "all"].set_index("line").join(lines)


def line(name: str) -> Any:
    return lines().loc[name]


def _seen(name: str) -> float:
    """Return the share of the raw flash that drives of a line program per erase."""
    row = line(name)
    return float(row.raw_gib_p50 / row.raw_gib)


def _cycles(row: Any) -> str:
    return f"{row.cycles_low:,.0f} to {row.cycles_high:,.0f}"


@check("M6-085")
def slc_mode_of_the_m600(claim: Claim) -> Finding:
    on = [_seen("M600 256GB 2.5-inch"), _seen("M600 512GB M.2")]
    off = _seen("M600 512GB 2.5-inch")
    return holds(
        max(on) < _PARITY <= off,
        f"{on[0]:.2f} (256 GB) and {on[1]:.2f} (512 GB M.2), but {off:.2f} (512 GB 2.5-inch)",
        "flash programmed per erase over raw flash, median: an erase after SLC mode follows half a "
        "block of bytes. No 128 GB and no mSATA model is among the reports",
    )


@check("MX-049")
def slc_mode_of_the_mx300(claim: Claim) -> Finding:
    row = line("MX300 750GB")
    low, high = row.raw_gib_p10 / row.raw_gib, row.raw_gib_p90 / row.raw_gib
    return holds(
        _seen("MX300 750GB") < _PARITY and high - low > 0.1,
        f"{_seen('MX300 750GB'):.2f} ({low:.2f} to {high:.2f})",
        "flash programmed per erase over raw flash, median and tenth to ninetieth percentile: less "
        "than parity leaves and different from drive to drive, as erases after SLC mode are (above "
        "1 where the counter of erases has fallen back)",
        yes="explained",
    )


@check("MX-050", "MX-051")
def no_slc_mode_on_the_mx200(claim: Claim) -> Finding:
    row = line(claim.drive)
    return holds(
        _seen(claim.drive) >= _PARITY,
        f"{_seen(claim.drive):.3f}",
        f"flash programmed per erase over raw flash, median of {row.raw_drives:.0f} 2.5-inch "
        "drives in the field: hardly an erase that the pages do not explain",
    )


@check("M6-061")
def endurance_with_slc_mode(claim: Claim) -> Finding:
    on, off = (line(f"M600 {size} 2.5-inch") for size in ("256GB", "512GB"))
    return undecided(
        "a rating holds a choice besides the flash. In the field the firmware allows "
        f"{_cycles(on)} cycles with the mode instead of {_cycles(off)}, but SLC mode takes more of "
        "them for the same bytes. Computed: how often the rated life lets the raw flash be "
        "programmed, median drives of 256 GB with it and of 512 GB without, both 2.5-inch; single "
        "drives overlap, and of speed this says nothing",
        f"at most {on.cycles_high * _seen(on.name):,.0f} with it, at least "
        f"{off.cycles_low * _seen(off.name):,.0f} without",
    )


@check("DC-031")
def rated_cycles_above_3000(claim: Claim) -> Finding:
    row = line("M500DC 800GB")
    return holds(
        row.cycles_low > 3000,
        f"{_cycles(row)} cycles",
        f"what the firmware of the 800 GB model counts life used against: bounds of "
        f"{row.cycles_agree:.0f} of {row.cycles_of:.0f} drives in the field, {row.clusters:.0f} "
        "clusters",
    )


@check("DC-033")
def rated_cycles_of_3000(claim: Claim) -> Finding:
    row, sister = line("M500DC 800GB"), line("M500 960GB")
    return holds(
        row.cycles_low <= claim.value <= row.cycles_high,
        f"{_cycles(row)} cycles",
        f"what the firmware of the 800 GB model counts life used against, from "
        f"{row.cycles_agree:.0f} drives in the field; {_cycles(sister)} on the M500, its consumer "
        "sister",
    )


@check("DC-052")
def amplification_from_counters(claim: Claim) -> Finding:
    every = lines()
    micron = every[(every["group"] == "review") & (every["waf_kind"] == "bytes")]
    drives, total = int(micron["waf_drives"].sum()), int(micron["drives"].sum())
    return holds(
        drives > 0,
        f"{drives} of {total} drives",
        f"drives of the reviews' {len(micron)} lines with both counters whose ratio passes all "
        "checks; the rest are lightly written or of firmwares whose page counters lose carries",
    )


@check("M6-002")
def one_drive_under_two_brands(claim: Claim) -> Finding:
    from flashwear.smart import summary

    rows = summary.load("field_models").set_index(["line", "model"]).loc["M500 960GB"]
    brands = rows.drop("all")
    return undecided(
        "a fact of the factory. Computed: the cycles against which the firmware of the M500 960GB "
        "counts life, by the name it reports",
        ", ".join(f"{name}: {_cycles(row)}" for name, row in brands.iterrows()),
    )


@check("C2-006")
def faults_of_the_840_evo(claim: Claim) -> Finding:
    row = line("840 EVO")
    return undecided(
        "neither the launch of the drive nor the first report of the fault is dated in the tables, "
        "and counters of drives in the field hold no speeds",
        f"{row.drives:.0f} drives",
    )
