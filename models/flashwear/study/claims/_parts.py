"""Checks of the claims on the parts of a drive: controllers, and dies that work at once.

Speeds are ratings of other documents, or bounds in closed form at the middle of the bands of what
is assumed.
"""

import re
from dataclasses import replace

from flashwear import drives, tables
from flashwear.queueing.bounds import bound
from flashwear.queueing.requests import Access
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, ids, judged, undecided
from flashwear.study.claims.rules import THRESHOLDS
from flashwear.units import GIB, KIB, MB

_READ = Access(4 * KIB, read_share=1.0)

_REVIEWED = {"M600": "m600-256gb", "MX300": "mx300-750gb", "P400m": "p400m-200gb"}
"""A modelled drive of each line whose controller another review names."""


@check(*ids("M6", range(9, 13)), "MX-028", "P4-024")
def controller_in_another_review(claim: Claim) -> Finding:
    model = _REVIEWED[claim.drive.split()[0]]
    row = drives.parameters(model).set_index("parameter").loc["channels"]
    (part,) = re.findall(r"88SS\d{4}", row.note)
    printed = sources.spec_text(claim.drive, "controller").split()[-1]
    misprint = printed != part and printed.replace("S", "") == part.replace("S", "")
    return judged(
        printed == part,
        part,
        "Another publisher's review of a drive of the line names this controller"
        + (f"; the review prints {printed}, with a letter missing." if misprint else "."),
        "independent",
        part="the part, not its spelling" if misprint else None,
    )


def _sizes_of_the_mx100() -> list[float]:
    dies = tables.external().query("drive.str.startswith('MX100') and quantity == 'dies'")
    return [float(name.removeprefix("MX100 ").removesuffix("GB")) for name in dies["drive"]]


@check("M6-003")
def largest_mx100(claim: Claim) -> Finding:
    sizes = _sizes_of_the_mx100()
    largest = max(sizes)
    return judged(
        False,
        f"{largest:.0f} GB",
        f"The largest of the {len(sizes)} models that another publisher's review lists. Shops and "
        "form are not checked.",
        "independent",
        part="the largest capacity" if largest == claim.value else None,
    )


@check("M6-177")
def no_mx100_of_a_terabyte(claim: Claim) -> Finding:
    sizes = _sizes_of_the_mx100()
    return judged(
        (max(sizes) < 960) == (claim.stated == "-"),
        f"{max(sizes):.0f} GB",
        f"{max(sizes):.0f} GB is the largest of the {len(sizes)} models that another publisher's "
        "review lists.",
        "independent",
    )


@check("P4-027")
def models_of_the_p400m(claim: Claim) -> Finding:
    sheet = tables.external().query("quantity == 'data sheet TBW'")["drive"]
    models = sorted(name for name in sheet if name.startswith("P400m"))
    return judged(
        len(models) == claim.value,
        f"{len(models)}",
        f"The data sheet has {', '.join(models)}.",
        sources.speaker("P400m 200GB", "data sheet TBW"),
    )


@check("M6-073")
def die_of_the_mx100(claim: Claim) -> Finding:
    sizes = ("128GB", "256GB", "512GB")
    dies = [sources.external(f"MX100 {size}", "dies") for size in sizes]
    raw = [sources.Rating(f"M600 {size}").raw / GIB for size in sizes]
    return undecided(
        "Which die it is, no capacity shows. The flash of the M600 over the number of dies in the "
        "MX100 of its size gives dies of the same capacity.",
        ", ".join(f"{8 * gib / count:.0f}" for gib, count in zip(raw, dies, strict=True)) + " Gbit",
    )


@check("MX-020")
def fewer_dies(claim: Claim) -> Finding:
    rows = tables.speeds()
    rows = rows[
        (rows["kind"] == "rated") & (rows["test"] == "sequential write") & rows["claim"].isna()
    ]
    each = rows.groupby(["line", "capacity_gb"])["value"].median()
    steps = (each.groupby("line").shift(1) / each).dropna()
    limit = THRESHOLDS["order"][0]
    slower, faster = int((steps < 1 - limit).sum()), int((steps > 1 + limit).sum())
    never = faster == 0 and slower > 0
    return judged(
        never and slower == steps.size,
        f"{slower} of {steps.size} slower, {faster} faster",
        "By writes in order as other publishers print the ratings, a drive is slower than the next "
        f"larger one of its line, which has more dies, in {slower} of {steps.size} pairs, and "
        f"faster in {faster}. The rest are limited by something else on both.",
        "independent",
        part=f"never faster, slower in {slower} of {steps.size} pairs" if never else None,
    )


@check("MX-136")
def latency_of_reads(claim: Claim) -> Finding:
    tlc, mlc = drives.load("mx300-750gb"), drives.load("mx200-500gb")
    own, fast, mapped, other = (
        1e6 * bound(drive, _READ, 1).lone_s
        for drive in (
            tlc,
            replace(tlc, read_s=mlc.read_s),
            replace(tlc, map_cache_bytes=None),
            mlc,
        )
    )
    text = f"{own:.0f} us, on the MX200 500GB {other:.0f} us"
    return undecided(
        f"In the model a lone read takes {text}. With the read time of the MX200's die it would "
        f"take {fast:.0f} us, with all of the map in DRAM {mapped:.0f} us: so there the map is the "
        "cause, and not the flash. But the times of both dies are assumed.",
        text,
    )


@check("MX-021")
def planes_of_the_die(claim: Claim) -> Finding:
    drive, half = drives.load("mx300-525gb"), claim.value / 2
    rate = sources.external("MX300 525GB", "write speed in three-bit mode") * MB
    needed = [1e3 * drive.dies * planes * drive.page_bytes / rate for planes in (claim.value, half)]
    band = drives.parameters("mx300-525gb").set_index("parameter").loc["program_s"]
    low, high = (1e3 * sum(ends) / len(ends) for ends in (band.low, band.high))
    return undecided(
        f"Time of a program at which the {drive.dies} dies of an MX300 525GB write the "
        f"{rate / MB:.0f} MB/s that were measured past its cache, with as many planes and with "
        f"half. Programs of {low:.1f} to {high:.1f} ms are assumed, so that this does not decide.",
        f"{needed[0]:.1f} ms with {claim.value:.0f} planes, {needed[1]:.1f} ms with {half:.0f}",
    )
