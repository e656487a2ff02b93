"""Claims that counters of drives in the field decide."""

from functools import cache
from typing import Any

import pandas as pd

from flashwear_book import sources
from flashwear_book.claims.registry import Answer, Claim, check, consistent, judged

_PARITY = 11 / 12  # what one parity block to 11 of data leaves, the shortest stripe in the tables


@cache
def lines() -> pd.DataFrame:
    """Return a table of what drives in the field report, by product line, with its raw flash."""
    from flashwear_book.field import summary

    rows = summary.load("field_models")
    lines = summary.load("field_lines").set_index("line")
    return rows[rows["model"] == "all"].set_index("line").join(lines)


def line(name: str) -> Any:
    return lines().loc[name]


def _seen(name: str) -> float:
    """Return the share of the raw flash that drives of a line program per erase."""
    return float(line(name).raw_gib_p50 / line(name).raw_gib)


def _cycles(row: Any) -> str:
    return f"{row.cycles_low:,.0f} to {row.cycles_high:,.0f}"


@check("M6-085")
def slc_mode_of_the_m600(claim: Claim) -> Answer:
    on = [_seen("M600 256GB 2.5-inch"), _seen("M600 512GB M.2")]
    off = _seen("M600 512GB 2.5-inch")
    text = f"{on[0]:.2f} (256 GB) and {on[1]:.2f} (512 GB M.2), but {off:.2f} (512 GB 2.5-inch)"
    part = "256 GB, and both forms of 512 GB" if max(on) < _PARITY <= off else None
    how = (
        f"By their counters drives program {text} of their flash for each erase: half is about "
        "what SLC mode does, nearly all is none. No 128 GB, 1 TB or mSATA model is among them."
    )
    return judged(False, text, how, "field", part)


@check("MX-049")
def slc_mode_of_the_mx300(claim: Claim) -> Answer:
    row, seen = line("MX300 750GB"), _seen("MX300 750GB")
    low, high = row.raw_gib_p10 / row.raw_gib, row.raw_gib_p90 / row.raw_gib
    text = f"{seen:.2f} ({low:.2f} to {high:.2f})"
    how = (
        f"By the counters of {row.raw_drives:.0f} drives, {text} of the flash is programmed for "
        "each erase (median, and 10 to 90 % of the drives). Parity alone would leave "
        f"{_PARITY:.2f} on all of them alike; blocks in SLC mode hold a third, in a share that "
        "differs by load."
    )
    return seen < _PARITY and high - low > 0.1, text, how, "field"


@check("MX-050", "MX-051")
def no_slc_mode_on_the_mx200(claim: Claim) -> Answer:
    row = line(claim.drive)
    return judged(
        _seen(claim.drive) >= _PARITY,
        f"{_seen(claim.drive):.3f}",
        f"By the counters of {row.raw_drives:.0f} 2.5-inch drives nearly all of the flash is "
        "programmed for each erase, which leaves no room for SLC mode.",
        "field",
    )


@check("M6-061")
def endurance_with_slc_mode(claim: Claim) -> Answer:
    on, off = (line(f"M600 {size} 2.5-inch") for size in ("256GB", "512GB"))
    cached, plain = on.cycles_high * _seen(on.name), off.cycles_low * _seen(off.name)
    faster = sources.external("M600 128GB", "write speed in one-bit mode") > sources.external(
        "M600 128GB", "write speed in two-bit mode"
    )
    return judged(
        faster and cached > plain,
        f"at most {cached:,.0f} times with it, at least {plain:,.0f} without",
        f"By their counters drives with SLC mode count life against {_cycles(on)} cycles instead "
        f"of {_cycles(off)}, but need more of them for the same bytes. So the rated life lets the "
        "flash be programmed no more often. Writes are faster, as another publisher measured.",
        "field",
        part="small-capacity writes" if faster else None,
    )


@check("DC-031")
def rated_cycles_above_3000(claim: Claim) -> Answer:
    row = line("M500DC 800GB")
    return judged(
        row.cycles_low > 3000,
        f"{_cycles(row)} cycles",
        "The firmware of the 800 GB model counts life used against this many cycles, by the "
        f"reports of {row.cycles_agree:.0f} of {row.cycles_of:.0f} drives.",
        "field",
    )


@check("DC-033")
def rated_cycles_of_3000(claim: Claim) -> Answer:
    row, sister = line("M500DC 800GB"), line("M500 960GB")
    how = (
        f"The firmware of the 800 GB model counts life used against {_cycles(row)} cycles, by the "
        f"reports of {row.cycles_agree:.0f} drives; that of its consumer sister, the M500, against "
        f"{_cycles(sister)}. For the same time without power the stated {claim.value:,.0f} "
        "cannot be right too; for another time it can, but the maker named none."
    )
    agrees = row.cycles_low <= claim.value <= row.cycles_high
    return consistent(agrees, f"{_cycles(row)} cycles", how, "field")


@check("DC-052")
def amplification_from_counters(claim: Claim) -> Answer:
    every = lines()
    micron = every[(every["group"] == "review") & (every["waf_kind"] == "bytes")]
    drives, total = int(micron["waf_drives"].sum()), int(micron["drives"].sum())
    return judged(
        drives > total / 2,
        f"{drives} of {total} drives",
        f"Drives of the reviews' {len(micron)} lines whose two counters give a write amplification "
        "that passes all checks. The rest are lightly written, or their firmware loses counts.",
        "field",
    )
