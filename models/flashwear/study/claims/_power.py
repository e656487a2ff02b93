"""Checks of the claims on power, and on how cells are programmed."""

from itertools import pairwise

from flashwear import drives, energy
from flashwear.reliability import passes
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, holds, ids, undecided
from flashwear.units import GB, KIB, MB

_SLUMBER_EXIT_MS = 10.0  # Serial ATA: the longest time to leave the slumber state
_MODES = {1: "SLC", 2: "MLC", 3: "TLC"}


def _joules_per_gb(drive: str) -> float:
    """Return the rated greatest power over the rated sequential write rate."""
    rate = sources.spec(drive, "sequential write") * MB
    return float(energy.joules_per_byte(sources.spec(drive, "max power"), rate)) * GB


@check(*ids("M6", range(37, 45)), *ids("MX", range(52, 58)))
def idle_power(claim: Claim) -> Finding:
    return undecided(
        "a rating of the idle drive: controller, DRAM and link, none of which is modelled"
    )


@check(*ids("M6", range(45, 49)), *ids("MX", range(58, 61)))
def greatest_power(claim: Claim) -> Finding:
    return undecided(
        "a rating; nothing tells what it is made of. Over the rated sequential writes it is so "
        "much energy, of flash, controller and link together",
        f"{_joules_per_gb(claim.drive):.1f} J/GB",
    )


@check("MX-215")
def more_efficient_than_most(claim: Claim) -> Finding:
    drives = ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    text = ", ".join(f"{drive} {_joules_per_gb(drive):.1f}" for drive in drives)
    return undecided(
        "measured values stand in charts that are images; in J/GB, the ratings of power and "
        "sequential writes only bound it, and do not tell the drives apart",
        text,
    )


@check(
    "M6-164",
    *ids("MX", 111, 119, 125, 139, 144, 147, 155, 161),
    "P4-113",
)
def measured_power(claim: Claim) -> Finding:
    return undecided("an order of measured values, which stand in a chart that is an image")


@check("MX-165")
def slumber_and_active_idle(claim: Claim) -> Finding:
    own, *others = (
        sources.spec(drive, "slumber power")
        for drive in ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    )
    return undecided(
        "slumber as rated, where the MX300 has the least; active idle is measured in a chart that "
        "is an image",
        f"{own:.0f} mW, MX200 {max(others):.0f} mW in slumber",
    )


@check("MX-164")
def slumber_wake_time(claim: Claim) -> Finding:
    return holds(
        claim.value == _SLUMBER_EXIT_MS,
        f"{_SLUMBER_EXIT_MS:.0f} ms",
        "the limit that Serial ATA sets for leaving the slumber state (external)",
    )


@check("M6-165", "MX-216")
def energy_of_a_bit(claim: Claim) -> Finding:
    programs = {name: energy.program(bits) for bits, name in _MODES.items()}
    shares = (0, 0.25, 1)
    ordered = all(
        a.cost(share) < b.cost(share) for a, b in pairwise(programs.values()) for share in shares
    )
    text = ", ".join(f"{name} {program.cost():.1f}" for name, program in programs.items())
    return holds(
        ordered,
        f"{text} pulses a bit",
        "incremental step pulses over one window of voltage, a check at a quarter of a pulse "
        "(assumed); the order holds from checks that cost nothing to checks as dear as pulses, of "
        "energy and of time alike. Energy of a byte, not power; folding comes on top",
        yes="explained",
    )


@check("M6-095", *ids("M6", range(97, 103)))
def levels_of_two_pages(claim: Claim) -> Finding:
    ways = {bits: passes.path(bits) for bits in ("11", "10", "00", "01")}
    place = {bits: levels[-1] for bits, levels in ways.items()}
    true = {
        "M6-095": len(ways["11"]) == 2 and len(passes.path("111")) == 3,
        "M6-097": len({levels[0] for levels in ways.values()}) == len({"erased", "programmed"}),
        "M6-098": ways["11"][0] == ways["10"][0] == 0,
        "M6-099": ways["00"][0] == ways["01"][0] > 0,
        "M6-100": {bits for bits, levels in ways.items() if levels[0] > 0} == {"01", "00"},
        "M6-101": place["11"] == 0,
        "M6-102": place["10"] > ways["10"][0],
    }
    text = "; ".join(f"{bits}: {a}, {b}" for bits, (a, b) in ways.items())
    return holds(
        true[claim.id],
        text,
        "levels after the lower and the upper page, in Gray code from the erased ones upwards",
        yes="explained",
    )


@check(*ids("M6", 104, 105))
def rise_beside_a_finished_cell(claim: Claim) -> Finding:
    at_once, apart = (passes.largest_rise(2, count) for count in (1, 2))
    return holds(
        apart < at_once and passes.path("00")[-1] > apart,
        f"{apart} level instead of {at_once}",
        "how far a neighbour still rises once a cell is finished; it couples into the cell, which "
        f"is half a level from its limits. In one step 00 would rise by {passes.path('00')[-1]}",
        yes="explained",
    )


@check("M6-106")
def lower_pages_first(claim: Claim) -> Finding:
    lower = sorted({passes.path(bits)[0] for bits in ("11", "10", "00", "01")})
    gap, later = lower[1] - lower[0], passes.largest_rise(2, 2)
    return holds(
        gap > later,
        f"{gap} levels apart, {later} to come",
        "gap between the two levels of the lower page, and the farthest a neighbour rises later; "
        "final levels are 1 apart",
        yes="explained",
    )


@check("M6-103")
def slc_mode_of_lower_pages(claim: Claim) -> Finding:
    return undecided(
        "a guess of the review that no document settles. It would work: the lower page alone has "
        "two levels and can be read by itself"
    )


@check("M6-096")
def page_size(claim: Claim) -> Finding:
    page = drives.load("m600-256gb").page_bytes
    return holds(
        page == claim.value * KIB,
        f"{page / KIB:.0f} KiB",
        "one die of that time: the data sheet of the M600's (external), beside its spare bytes",
    )


@check("MX-022")
def planes_of_planar_dies(claim: Claim) -> Finding:
    planes = drives.load("m600-256gb").planes
    return holds(
        planes <= claim.value,
        f"{planes} planes",
        "one planar die of 128 Gbit: the data sheet of the M600's (external); others were not seen",
    )
