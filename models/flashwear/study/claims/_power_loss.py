"""Checks of the claims on power cuts: kept runs of the queueing model, cut at many instants."""

import pandas as pd

from flashwear import drives
from flashwear.reliability import capacitors, powerloss
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.units import KIB, MIB

_HOW = (
    "simulated on a part of the modelled M600 256GB under writes in order, random ones at queue "
    "depth 32 and 1,000 random ones a second"
)
_PUT_IN = (
    "The model assumes that older pages survive a power cut and that what is not on flash is lost, "
    "so that it cannot confirm it."
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


@check("M6-091")
def a_full_flush_takes_more_energy(claim: Claim) -> Finding:
    drive = drives.load("m500dc-480gb")
    full, last = _flush_ms(drive), 1e3 * max(drive.program_s)
    return undecided(
        "A photograph of the boards would decide of which kind they are. A reason for larger ones: "
        f"on the modelled M500DC 480GB a full buffer of {drive.buffer_bytes / MIB:.0f} MiB "
        f"(assumed) takes {full:.1f} ms to program, the programs under way {last:.1f} ms.",
        f"{full:.1f} against {last:.1f} ms: {full / last:.1f} times the energy",
    )


@check("M6-092")
def at_rest_and_no_more(claim: Claim) -> Finding:
    assert _none("at_rest_lower", "hit_lower"), "older pages must be protected"
    return undecided(
        f"{_PUT_IN} Mean losses of a cut, by load, are {_HOW}.",
        f"at rest 0 in {_cuts()['cuts'].sum():,} cuts; in flight {_span('in_flight_lower')} a cut",
    )


@check("M6-093", "M6-094")
def the_buffer_is_lost(claim: Claim) -> Finding:
    assert _none("in_flight_full"), "a full flush must save what is in flight"
    return undecided(
        f"{_PUT_IN} Mean losses of a cut, by load, are {_HOW}.",
        f"{_span('in_flight_lower')} a cut; 0 with a full flush",
    )


@check("M6-107")
def an_upper_page_takes_the_lower_one(claim: Claim) -> Finding:
    return undecided(
        "The model assumes that an interrupted program takes the older pages of its cells, so that "
        f"it cannot confirm it. Mean losses of a cut, by load, are {_HOW}, without protection.",
        f"{_span('at_rest_none')} a cut",
    )


@check("M6-108")
def lower_pages_are_at_rest(claim: Claim) -> Finding:
    table = _cuts().set_index(["load", "flush_ms"])["hit_none"]
    flushed, before = 100 * table.xs(5.0, level="flush_ms"), 100 * table["random", 0.0]
    text = f"{flushed.min():.0f} to {flushed.max():.0f} % of the cuts"
    return undecided(
        f"Without protection, {text} took data that a flush had saved, and without flushes "
        f"{before:.0f} % of those under random writes took data older than the run ({_HOW}). The "
        "order of pages on these chips is assumed, so that this confirms nothing.",
        text,
    )


@check("M6-109")
def what_the_capacitors_keep(claim: Claim) -> Finding:
    table = _cuts()
    lost, held = table["in_flight_lower"].sum(), table["held"].sum()
    return undecided(
        f"{_PUT_IN} What comes out is that no more is needed to rebuild the map and to keep "
        f"flushed data, in {table['cuts'].sum():,} cuts {_HOW}.",
        f"0 of what was at rest, {100 * lost / held:.1f} % of what the buffer held",
    )


@check("MX-075")
def partial_protection(claim: Claim) -> Finding:
    drive = drives.load("mx300-750gb")
    program = drive.planes * drive.page_bytes
    busy = drive.dies * program / (sum(drive.program_s) / len(drive.program_s))
    older = float(powerloss.exposed(busy, drive.program_s))
    return undecided(
        "Which part is protected, the review does not say. Older pages that the dies of the "
        "modelled MX300 750GB endanger if they do nothing but program, against a full buffer "
        "(size assumed).",
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
        "What the P400m has on board is in no document. Time to program a full buffer of "
        f"{drive.buffer_bytes / MIB:.0f} MiB (assumed) on its modelled dies, against what the "
        "capacitors of a rival last.",
        f"{took:.1f} ms; the S3700's capacitors last {lasts:.1f} ms at most",
    )
