"""Checks of the claims on power cuts: kept runs of the queueing model, cut at many instants."""

import pandas as pd

from flashwear import drives
from flashwear.reliability import capacitors, powerloss
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided
from flashwear.units import KIB, MIB

_HOW = (
    "simulated on a part of the modelled M600 256GB under writes in order, random ones at queue "
    "depth 32 and 1,000 random ones a second"
)


def _cuts() -> pd.DataFrame:
    return kept.table("power_cuts")


def _span(column: str) -> str:
    """Return the least and the largest mean of a column, in KiB."""
    values = _cuts()[column]
    return f"{values.min():,.0f} to {values.max():,.0f} KiB"


def _none(*columns: str) -> bool:
    return bool((_cuts()[list(columns)] == 0).all(axis=None))


def _flush_ms(drive: drives.Drive) -> float:
    """Return the time to program a full buffer, at most."""
    program = drive.planes * drive.page_bytes
    took = capacitors.flush_time(drive.buffer_bytes, drive.program_s, drive.dies, program)
    return 1e3 * float(took)


@check("M6-090")
def capacitors_of_the_m500(claim: Claim) -> Finding:
    return undecided("what is on a board, and since when, follows from no model")


@check("M6-091")
def a_full_flush_takes_more_energy(claim: Claim) -> Finding:
    drive = drives.load("m500dc-480gb")
    full, last = _flush_ms(drive), 1e3 * max(drive.program_s)
    return undecided(
        "of which kind capacitors are follows from no model. Computed: a reason for larger ones, "
        f"to program a full buffer of {drive.buffer_bytes / MIB:.0f} MiB (assumed) on the modelled "
        "M500DC 480GB, against finishing the programs under way, at the same power",
        f"{full:.1f} against {last:.1f} ms: {full / last:.1f} times the energy",
    )


@check("M6-092")
def at_rest_and_no_more(claim: Claim) -> Finding:
    table = _cuts()
    return holds(
        _none("at_rest_lower", "hit_lower")
        and bool((table[["in_flight_lower", "at_rest_none"]] > 0).all(axis=None)),
        f"at rest 0 in {table['cuts'].sum():,} cuts; in flight {_span('in_flight_lower')} a cut",
        "by construction: older pages are put in as protected, what is not on flash as lost, and "
        "how the drives do it is not modelled. The amounts come out, "
        f"{_HOW}: mean by load",
        yes="explained",
    )


@check("M6-093", "M6-094")
def the_buffer_is_lost(claim: Claim) -> Finding:
    table = _cuts()
    return holds(
        bool((table["in_flight_lower"] > 0).all()) and _none("in_flight_full"),
        f"{_span('in_flight_lower')} a cut; 0 with a full flush",
        "by construction: what is not on flash is put in as lost, unless capacitors hold the whole "
        "buffer, and which of the two a drive does is not modelled. The amounts come out, "
        f"{_HOW}: acknowledged and not on flash, mean by load",
        yes="explained",
    )


@check("M6-107")
def an_upper_page_takes_the_lower_one(claim: Claim) -> Finding:
    table = _cuts()
    return holds(
        bool((table["at_rest_none"] > 0).all()) and _none("at_rest_lower"),
        f"{_span('at_rest_none')} a cut",
        "by construction: that the older page is lost was measured on chips by others and is put "
        f"in as the worst case. How much that is comes out, {_HOW}, without protection",
        yes="explained",
    )


@check("M6-108")
def lower_pages_are_at_rest(claim: Claim) -> Finding:
    table = _cuts().set_index(["load", "flush_ms"])["hit_none"]
    flushed, before = 100 * table.xs(5.0, level="flush_ms"), 100 * table["random", 0.0]
    return holds(
        bool((flushed > 0).all()) and before > 0,
        f"{flushed.min():.0f} to {flushed.max():.0f} % of the cuts",
        f"{_HOW}, without protection: took data for which a flush had answered. Without flushes "
        f"{before:.0f} % of the cuts under random writes took data that the drive had held before "
        "the run, and had just moved",
        yes="explained",
    )


@check("M6-109")
def what_the_capacitors_keep(claim: Claim) -> Finding:
    table = _cuts()
    lost, held = table["in_flight_lower"].sum(), table["held"].sum()
    return holds(
        _none("at_rest_lower", "hit_lower") and lost > 0.99 * held,
        f"0 of what was at rest, {100 * lost / held:.1f} % of what the buffer held",
        "by construction: older pages are put in as protected and programs as not finished. What "
        "comes out is that no more is needed for the map to be rebuilt as it was and for flushed "
        f"data, {_HOW}, {table['cuts'].sum():,} cuts",
        yes="explained",
    )


@check("MX-075")
def partial_protection(claim: Claim) -> Finding:
    drive = drives.load("mx300-750gb")
    program = drive.planes * drive.page_bytes
    busy = drive.dies * program / (sum(drive.program_s) / len(drive.program_s))
    older = float(powerloss.exposed(busy, drive.program_s))
    return undecided(
        "which part, the review does not say. Older pages of three bits per cell that the dies of "
        "the modelled MX300 750GB endanger if they do nothing but program, against a full buffer "
        "(size assumed)",
        f"{older / KIB:,.0f} KiB at rest, {drive.buffer_bytes / KIB:,.0f} KiB in the buffer",
    )


@check("P4-049")
def a_full_flush_is_within_reach(claim: Claim) -> Finding:
    drive = drives.load("p400m-200gb")
    pieces, farads, volts = (
        sources.external("S3700", quantity)
        for quantity in (
            "capacitors against a power cut",
            "capacitance of one capacitor",
            "rated voltage of one capacitor",
        )
    )
    joules = float(capacitors.energy(pieces * farads * 1e-6, volts, 0))
    lasts = 1e3 * joules / sources.external("S3700", "active power")
    took = _flush_ms(drive)
    return undecided(
        "what the P400m has on board, and how much its buffer holds, are not in the documents. "
        f"Computed: to program a full buffer of {drive.buffer_bytes / MIB:.0f} MiB (assumed) on "
        "its modelled dies, against the capacitors of a rival (external)",
        f"{took:.1f} ms; the S3700's capacitors last {lasts:.1f} ms at most",
    )
