"""Checks of the claims on power, and on how cells are programmed."""

from itertools import pairwise

from flashwear import drives, energy
from flashwear.reliability import passes
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, ids, judged, undecided
from flashwear.units import GB, KIB, MB

_MODES = {1: "SLC", 2: "MLC", 3: "TLC"}


def _joules_per_gb(drive: str) -> float:
    """Return the rated greatest power over the rated sequential write rate."""
    rate = sources.spec(drive, "sequential write") * MB
    return float(energy.joules_per_byte(sources.spec(drive, "max power"), rate)) * GB


@check(*ids("M6", range(45, 49)), *ids("MX", range(58, 61)))
def greatest_power(claim: Claim) -> Finding:
    return undecided(
        "A rating, which no calculation shows. Over the rated sequential writes it is this much "
        "energy, of flash, controller and link together.",
        f"{_joules_per_gb(claim.drive):.1f} J/GB",
    )


@check("MX-215")
def more_efficient_than_most(claim: Claim) -> Finding:
    drives = ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    text = ", ".join(f"{drive} {_joules_per_gb(drive):.1f}" for drive in drives)
    return undecided(
        "The rated greatest power over the rated sequential writes, in J/GB, does not tell the "
        "drives apart.",
        text,
    )


@check("MX-165")
def slumber_and_active_idle(claim: Claim) -> Finding:
    own, *others = (
        sources.spec(drive, "slumber power")
        for drive in ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    )
    text = f"{own:.0f} mW in slumber, the MX200 {min(others):.0f} mW"
    return judged(
        False,
        text,
        f"By the specification table the MX300 needs {text}: {100 * (1 - own / min(others)):.0f} % "
        "less. Active idle is in a chart that is an image, so that this part stays undecided.",
        part="slumber" if own < min(others) else None,
    )


@check("M6-165", "MX-216")
def energy_of_a_bit(claim: Claim) -> Finding:
    programs = {name: energy.program(bits) for bits, name in _MODES.items()}
    shares = (0, 0.25, 1)
    ordered = all(
        a.cost(share) < b.cost(share) for a, b in pairwise(programs.values()) for share in shares
    )
    text = ", ".join(f"{name} {program.cost():.1f}" for name, program in programs.items())
    assert ordered, "more bits must take more pulses"
    return undecided(
        "If cells are programmed in steps over one window of voltage, more bits in a cell take "
        "more pulses for each. That the order is that of the energy, and of these drives, is "
        "assumed.",
        f"{text} pulses a bit",
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
    assert true[claim.id], "the path must be that of the document"
    text = "; ".join(f"{bits}: {a}, {b}" for bits, (a, b) in ways.items())
    return undecided(
        "The model has this coding built in, so that it cannot confirm it: levels of a cell after "
        f"its lower and its upper page, from 0 for erased, are by the two bits {text}.",
        text,
    )


@check(*ids("M6", 104, 105))
def rise_beside_a_finished_cell(claim: Claim) -> Finding:
    at_once, apart = (passes.largest_rise(2, count) for count in (1, 2))
    assert apart < at_once, "two steps must leave less to rise"
    text = f"by {apart} level at most instead of {at_once}"
    return undecided(
        "If cells are programmed as the review describes, a neighbour of a finished cell still "
        f"rises {text} in one step (00 by {passes.path('00')[-1]}). How much of that disturbs the "
        "cell is not computed.",
        text,
    )


@check("M6-106")
def lower_pages_first(claim: Claim) -> Finding:
    lower = sorted({passes.path(bits)[0] for bits in ("11", "10", "00", "01")})
    gap, later = lower[1] - lower[0], passes.largest_rise(2, 2)
    assert gap > later, "a lower page must have room"
    text = f"{gap} levels apart"
    return undecided(
        "If cells are programmed as the review describes, the two levels of a lower page are "
        f"{text} and a neighbour later rises by {later} at most: there is room for what that does. "
        "Whether chips use that order is assumed.",
        text,
    )


@check("M6-096")
def page_size(claim: Claim) -> Finding:
    page = drives.load("m600-256gb").page_bytes
    return judged(
        page == claim.value * KIB,
        f"{page / KIB:.0f} KiB",
        "The data sheet of one die of that time, the M600's, beside its spare bytes.",
        "maker",
    )


@check("MX-022")
def planes_of_planar_dies(claim: Claim) -> Finding:
    planes = drives.load("m600-256gb").planes
    text = f"{planes} planes"
    how = (
        f"The data sheet of one planar die of 128 Gbit, the M600's, gives {text}. Dies of other "
        "makers were not seen."
    )
    if planes > claim.value:
        return Finding("fails", "maker", text, how)
    return Finding("partly", "maker", text, how, part="the die of the M600")
