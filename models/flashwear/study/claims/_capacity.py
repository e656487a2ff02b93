"""Claims on dies, packages, raw and user capacity, spare flash, planes, controllers and sizes."""

import math
import re

from flashwear import capacity, drives, tables
from flashwear.study import sources
from flashwear.study.claims.registry import (
    Claim,
    Finding,
    check,
    ids,
    judged,
    judgements,
    sums,
    undecided,
)
from flashwear.study.claims.rules import THRESHOLDS, within
from flashwear.units import GB, GIB, KIB

_GBIT = "{:.0f} dies of {:.0f} GiB; in GB they are {:.1f}."


def _die_gbit() -> float:
    """Return what a die of the MX300 holds, in binary gigabits."""
    return sources.spec("MX300 750GB", "die capacity", unit="Gibit")


def _raw(dies: float) -> float:
    return capacity.raw_bytes(dies, _die_gbit())


def _in_gb(dies: float) -> str:
    return _GBIT.format(dies, _raw(1) / GIB, _raw(dies) / GB)


def _die(claim: Claim, bits: str, factor: float) -> tuple[float, str]:
    other = claim.spec(f"die capacity, {bits}") * factor
    return other, (
        "The review gives one die both with two and with three bits in a cell; the two capacities "
        "are as 2 to 3."
    )


def _of_the_p400m(name: str) -> float:
    return sources.spec("P400m 200GB", name)


def _other_factors(name: str) -> tuple[float, str]:
    """Return a factor of the P400m's raw flash from the other two."""
    rest = [n for n in ("packages", "dies per package", "die capacity") if n != name]
    raw = _of_the_p400m("raw capacity")
    return (
        raw * 8 / math.prod(map(_of_the_p400m, rest)),
        f"The {raw:.0f} GiB of flash that the review states, over the other two factors.",
    )


def _in_proportion(claim: Claim) -> tuple[float, str]:
    sister = _of_the_p400m("raw capacity")
    return claim.spec("capacity") / _of_the_p400m("capacity") * sister, (
        f"The {sister:.0f} GiB of the 200 GB model, in proportion to the user capacity: one share "
        "of spare flash for all sizes."
    )


def _user_gib(claim: Claim) -> tuple[float, str]:
    sold = claim.spec("capacity")
    exact = capacity.idema_bytes(sold)
    readings = sold * GB / GIB, exact / GIB
    return min(readings, key=lambda gib: abs(gib - claim.value)), (
        f"{sold:.0f} GB over 2^30 bytes in a GiB are {readings[0]:.2f} GiB. Drives of this size "
        f"have {exact / GB:.2f} GB, by the sectors that the industry agreed on: "
        f"{readings[1]:.2f} GiB."
    )


sums(
    {
        "MX-006": lambda claim: _die(claim, "TLC", 2 / 3),
        "MX-007": lambda claim: _die(claim, "MLC", 3 / 2),
        "MX-011": lambda claim: (
            _raw(1) / GIB,
            f"{_die_gbit():.0f} Gbit are {_raw(1) / GIB:.0f} GiB, printed as GB; in GB they are "
            f"{_raw(1) / GB:.1f}.",
        ),
        "MX-013": lambda claim: (
            claim.spec("raw capacity") * GIB / _raw(1),
            f"{claim.spec('raw capacity'):.0f} GiB as stated, over {_raw(1) / GIB:.0f} a die.",
        ),
        "MX-014": lambda claim: (_raw(claim.spec("dies")) / GIB, _in_gb(claim.spec("dies"))),
        "MX-017": lambda claim: (
            claim.spec("packages") * claim.spec("dies per package"),
            f"{claim.spec('packages'):.0f} packages of {claim.spec('dies per package'):.0f} dies.",
        ),
        "MX-019": lambda claim: (
            _raw(claim.spec("dies")) / GIB,
            f"{_in_gb(claim.spec('dies'))} The review prints GB for GiB: the spare flash is larger "
            "than its figures suggest.",
        ),
        **dict.fromkeys(
            ids("P4", range(3, 6)),
            lambda claim: (
                claim.spec("user capacity") * GIB / GB,
                f"The endurance table says {claim.spec('user capacity')} GiB.",
            ),
        ),
        **dict.fromkeys(ids("P4", range(36, 39), 52), _user_gib),
        "P4-028": lambda claim: _other_factors("packages"),
        "P4-030": lambda claim: _other_factors("dies per package"),
        "P4-031": lambda claim: _other_factors("die capacity"),
        "P4-032": lambda claim: (
            math.prod(map(_of_the_p400m, ("packages", "dies per package", "die capacity"))) / 8,
            "Packages, dies and Gbit over 8 bits.",
        ),
        **dict.fromkeys(ids("P4", 33, 35), _in_proportion),
        "P4-050": lambda claim: (
            sources.external(claim.drive, "raw NAND"),
            "An earlier article of the same publisher lists the same flash.",
            sources.speaker(claim.drive, "raw NAND"),
        ),
    }
)


@check(*ids("M6", range(5, 9)))
def capacity_named_after_the_dies(claim: Claim) -> Finding:
    raw = sources.power_of_two_gib(claim.value * GB)
    sold = sources.external(claim.drive, "data sheet capacity")
    die = claim.spec("die capacity")
    return judged(
        claim.value == sold,
        f"{sold:.0f} GB",
        f"The data sheet of the line has a model of {sold:.0f} GB. With {raw * 8 / die:.0f} dies "
        f"of {die:.0f} Gbit, the least power of two that holds it, it has {raw:.0f} GiB of flash.",
        sources.speaker(claim.drive, "data sheet capacity"),
    )


@check("MX-018")
def packages_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (int(part) for part in claim.stated.split(" x "))
    dies = claim.spec("dies")
    how = f"{packages} packages of {each} dies make the {dies:.0f} dies that the review states."
    return judged(packages * each == dies, float(packages * each), how)


@check("MX-023")
def planes_against_planar_flash(claim: Claim) -> Finding:
    dies = sources.spec("MX300 750GB", "dies")
    planes = dies * sources.spec("MX300 750GB", "planes per die")
    small = sources.spec("planar 128Gb", "die capacity")
    planar_dies = _raw(dies) / capacity.raw_bytes(1, small)
    planar = planar_dies * sources.spec("planar 128Gb", "planes per die")
    ratio = planes / planar
    return judged(
        ratio >= 1 - THRESHOLDS["almost"][0],
        f"{planes:.0f} of {planar:.0f} planes: {100 * ratio:.0f} %",
        f"{_raw(dies) / GIB:.0f} GiB of {small:.0f} Gbit dies are {planar_dies:.0f} dies with two "
        f"planes each. By the review's own numbers {100 * (1 - ratio):.0f} % of their planes are "
        "missing, which is not almost as many.",
    )


@check("MX-076", "MX-077")
def dies_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = sources.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _die_gbit())
    speaker = sources.speaker("MX300", "model capacity 2050 GB")
    how = f"The {sold / GB:.0f} GB that were sold later need {dies:.0f} dies"
    if claim.id == "MX-076":
        packages = sources.spec("MX300 750GB", "packages")
        each = math.ceil(dies / packages)
        how += f", {each} in each of {packages:.0f} packages."
        return judged(each <= claim.value, float(each), how, speaker)
    stacked = sources.spec("MX300 2TB", "dies per package")
    least = math.ceil(dies / stacked)
    how += f". With {stacked:.0f} in a package {least} packages hold them."
    return judged(least <= claim.value, float(least), how, speaker)


def _sold(line: str, quantity: str) -> list[float]:
    rows = tables.external()
    rows = rows[rows["drive"].str.startswith(line) & rows["quantity"].str.startswith(quantity)]
    return sorted(rows["value"])


@check("MX-012")
def more_capacity_than_mlc_drives(claim: Claim) -> Finding:
    sold = _sold("MX300", "model capacity")
    before = [sources.user_capacity(f"MX200 {size}") / GB for size in ("500GB", "1TB")]
    above = [min((size for size in sold if size > old), default=0.0) for old in before]
    pairs = [f"{new:,.0f} GB for {old:,.0f}" for new, old in zip(above, before, strict=True)]
    return judged(
        all(0 < new / old - 1 <= 0.1 for new, old in zip(above, before, strict=True))
        and max(sold) > max(before),
        f"{', '.join(pairs)}, and {max(sold):,.0f}",
        "Forecast; for each MX200 a somewhat larger MX300 was sold later, and one larger than all. "
        "What it did to prices is not checked.",
        sources.speaker("MX300", "model capacity 2050 GB"),
    )


@check("MX-015", "MX-016")
def forecast_of_a_size(claim: Claim) -> Finding:
    sizes = _sold("MX300", "model capacity")
    is_order_known = claim.id == "MX-015"  # the other also says when it was due
    found, extreme = (sizes[0], "smallest") if is_order_known else (sizes[-1], "largest")
    agrees = within("about", found / (claim.value * (1 if claim.unit == "GB" else 1000)))
    return judged(
        agrees and is_order_known,
        f"{found:.0f} GB",
        f"Of the {len(sizes)} sizes that were sold later, by another publisher's table, the "
        f"{extreme} has {found:.0f} GB."
        + ("" if is_order_known else " Which came last was not found."),
        sources.speaker("MX300", f"model capacity {found:.0f} GB"),
        part="the size" if agrees and not is_order_known else None,
    )


@check("DC-015")
def spare_of_the_s3500(claim: Claim) -> Finding:
    user = sources.user_capacity("S3500 480GB")
    raws = sources.power_of_two_gib(user), sources.external("S3500 480GB", "raw NAND")
    nominal, listed = (100 * capacity.spare_factor(raw * GIB, user) for raw in raws)
    text = f"{nominal:.1f} or {listed:.1f} %"
    how = (
        f"The review gives neither size nor raw flash of the drive. With {user / GB:.0f} GB on "
        f"{raws[0]:.0f} GiB, the least power of two, or on the {raws[1]:.0f} GiB of another "
        "publisher's table,"
    )
    if any(abs(spare - claim.value) <= claim.tolerance for spare in (nominal, listed)):
        speaker = sources.speaker("S3500 480GB", "raw NAND")
        return judged(True, text, f"{how} the share is as stated.", speaker)
    return undecided(f"{how} the share is another, so that its raw flash stays unknown.", text)


def _more_flash() -> tuple[bool, str, str]:
    own, s3700 = (sources.spec(drive, "raw capacity") for drive in ("P400m 200GB", "S3700 200GB"))
    i710 = sources.external("710 200GB", "raw NAND")
    return (
        own > i710 > s3700,
        f"{own:.0f} > {i710:.0f} > {s3700:.0f} GiB",
        "P400m, 710 and S3700 at 200 GB; the 710's flash is from an earlier article of the same "
        "publisher.",
    )


def _largest_mx100(claim: Claim) -> tuple[bool, str, str]:
    sizes = _mx100_sizes()
    return (
        (max(sizes) < 960) == (claim.stated == "-"),
        f"{max(sizes):.0f} GB",
        f"{max(sizes):.0f} GB is the largest of the {len(sizes)} models that another publisher's "
        "review lists.",
    )


def _mx100_sizes() -> list[float]:
    dies = tables.external().query("drive.str.startswith('MX100') and quantity == 'dies'")
    return [float(name.removeprefix("MX100 ").removesuffix("GB")) for name in dies["drive"]]


def _models_of_the_p400m() -> list[str]:
    sheet = tables.external().query("quantity == 'data sheet TBW'")["drive"]
    return sorted(name for name in sheet if name.startswith("P400m"))


judgements(
    {
        "P4-045": lambda claim: (*_more_flash(), sources.speaker("710 200GB", "raw NAND")),
        "M6-177": lambda claim: (*_largest_mx100(claim), "independent"),
        "P4-027": lambda claim: (
            len(_models_of_the_p400m()) == claim.value,
            f"{len(_models_of_the_p400m())}",
            f"The data sheet has {', '.join(_models_of_the_p400m())}.",
            sources.speaker("P400m 200GB", "data sheet TBW"),
        ),
        "M6-096": lambda claim: (
            (page := drives.load("m600-256gb").page_bytes) == claim.value * KIB,
            f"{page / KIB:.0f} KiB",
            "The data sheet of one die of that time, the M600's, beside its spare bytes.",
            "maker",
        ),
    }
)


@check("M6-003")
def largest_mx100(claim: Claim) -> Finding:
    sizes = _mx100_sizes()
    return judged(
        False,
        f"{max(sizes):.0f} GB",
        f"The largest of the {len(sizes)} models that another publisher's review lists. Shops and "
        "form are not checked.",
        "independent",
        part="the largest capacity" if max(sizes) == claim.value else None,
    )


@check("MX-022")
def planes_of_planar_dies(claim: Claim) -> Finding:
    planes = drives.load("m600-256gb").planes
    return judged(
        False,
        f"{planes} planes",
        f"The data sheet of one planar die of 128 Gbit, the M600's, gives {planes} planes. Dies of "
        "other makers were not seen.",
        "maker",
        part="the die of the M600" if planes <= claim.value else None,
    )


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
