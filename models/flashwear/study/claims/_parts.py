"""Checks of the claims on the parts of a drive: controllers, and dies that work at once.

Speeds are bounds in closed form, at the middle of the bands of what is assumed.
"""

import re
from dataclasses import replace

from flashwear import drives, tables
from flashwear.drives import Drive
from flashwear.queueing.bounds import bound
from flashwear.queueing.requests import Access
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, holds, ids, undecided
from flashwear.study.runs import speeds
from flashwear.units import GIB, KIB, MB

_IN_ORDER = Access(128 * KIB, "sequential")
_WRITE, _READ = Access(4 * KIB), Access(4 * KIB, read_share=1.0)
_SLOWER = 0.95
"""A rate below this share of another is called slower."""

_REVIEWED = {"M600": "m600-256gb", "MX300": "mx300-750gb", "P400m": "p400m-200gb"}
"""A modelled drive of each line whose controller another review names."""


@check(*ids("M6", range(9, 13)), "MX-028", "P4-024")
def controller_in_another_review(claim: Claim) -> Finding:
    model = _REVIEWED[claim.drive.split()[0]]
    row = drives.parameters(model).set_index("parameter").loc["channels"]
    (part,) = re.findall(r"88SS\d{4}", row.note)
    return holds(
        sources.spec_text(claim.drive, "controller").split()[-1] == part,
        part,
        f"named by another review, of one model of the line ({row.source.partition(';')[0]})",
        no="corrected",
    )


@check("M6-003")
def largest_mx100(claim: Claim) -> Finding:
    dies = tables.external().query("drive.str.startswith('MX100') and quantity == 'dies'")
    largest = max(float(name.removeprefix("MX100 ").removesuffix("GB")) for name in dies["drive"])
    return holds(
        largest == claim.value,
        f"{largest:.0f} GB",
        f"the largest of the {len(dies)} models that another review lists (external). Shops and "
        "form are not checked",
    )


@check("P4-027")
def models_of_the_p400m(claim: Claim) -> Finding:
    sheet = tables.external().query("quantity == 'data sheet TBW'")["drive"]
    models = sorted(name for name in sheet if name.startswith("P400m"))
    return holds(
        len(models) == claim.value, f"{len(models)}", f"in the data sheet: {', '.join(models)}"
    )


@check("M6-073")
def die_of_the_mx100(claim: Claim) -> Finding:
    sizes = ("128GB", "256GB", "512GB")
    dies = [sources.external(f"MX100 {size}", "dies") for size in sizes]
    raw = [sources.Rating(f"M600 {size}").raw / GIB for size in sizes]
    return undecided(
        "a fact of the factory. Computed: the raw flash of the M600 over the number of dies in the "
        "MX100 of its size (external), which agrees with dies of the same capacity",
        ", ".join(f"{8 * gib / count:.0f}" for gib, count in zip(raw, dies, strict=True)) + " Gbit",
    )


def _halved(drive: Drive) -> Drive:
    """Return a drive of the same flash on half as many dies, with as much kept blank."""
    return replace(
        drive,
        dies=drive.dies // 2,
        blocks_per_plane=2 * drive.blocks_per_plane,
        low_blocks=2 * drive.low_blocks,
        high_blocks=2 * drive.high_blocks,
    )


@check("MX-020")
def fewer_dies(claim: Claim) -> Finding:
    pairs = [
        (drive, _halved(drive)) for drive in map(drives.load, speeds.RATED) if drive.dies % 2 == 0
    ]
    bounds = {
        name: [(bound(drive, access), bound(half, access)) for drive, half in pairs]
        for name, access in (
            ("writes in order", _IN_ORDER),
            ("random writes", _WRITE),
            ("random reads", _READ),
        )
    }
    slower = {
        name: sum(half.iops < _SLOWER * whole.iops for whole, half in each)
        for name, each in bounds.items()
    }
    flat = [pair for each in bounds.values() for pair in each]
    fastest = max(half.iops / whole.iops for whole, half in flat)
    limits = {half.bottleneck for whole, half in flat if half.iops >= _SLOWER * whole.iops}
    own = drives.load("mx300-750gb")
    planar = replace(own, dies=3 * own.dies, blocks_per_plane=own.blocks_per_plane // 3)
    before, after = (bound(drive, _IN_ORDER) for drive in (planar, own))
    size = _IN_ORDER.size / MB
    return holds(
        fastest < 1 / _SLOWER and min(slower.values()) > 0,
        f"of {len(pairs)} slower: {', '.join(f'{n} {name}' for name, n in slower.items())}; "
        f"at most {fastest:.2f} times as fast",
        "bounds at queue depth 32 of the modelled drives with half as many dies of twice the "
        f"capacity, over those as they are; slower taken as below {_SLOWER} times. The others are "
        f"limited by {' or '.join(sorted(limits))}. The MX300 writes in order at "
        f"{after.iops * size:.0f} MB/s ({after.bottleneck}), with {planar.dies} dies of a third at "
        f"{before.iops * size:.0f} ({before.bottleneck})",
        yes="explained",
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
    return undecided(
        "time of a lone read in closed form, MX300 against MX200 500GB. The read time of its die "
        f"is hardly known: with that of the MX200 it is {fast:.0f} us. More hangs on the map, of "
        f"which the model holds a part: with all of it in DRAM it is {mapped:.0f} us",
        f"{own:.0f} against {other:.0f} us",
    )


@check("MX-021")
def planes_of_the_die(claim: Claim) -> Finding:
    drive, half = drives.load("mx300-525gb"), claim.value / 2
    rate = sources.external("MX300 525GB", "write speed in three-bit mode") * MB
    needed = [1e3 * drive.dies * planes * drive.page_bytes / rate for planes in (claim.value, half)]
    band = drives.parameters("mx300-525gb").set_index("parameter").loc["program_s"]
    low, high = (1e3 * sum(ends) / len(ends) for ends in (band.low, band.high))
    return undecided(
        "no second source is in the tables. Computed: the time of a program at which the "
        f"{drive.dies} dies of an MX300 525GB reach the {rate / MB:.0f} MB/s that it writes past "
        f"its cache (external), with as many planes and with half; {low:.1f} to {high:.1f} ms are "
        "assumed, so that this does not decide",
        f"{needed[0]:.1f} ms with {claim.value:.0f} planes, {needed[1]:.1f} ms with {half:.0f}",
    )
