"""Claims on dies, packages, raw and user capacity, spare flash, planes, controllers and sizes."""

import math
import re

from flashwear import capacity, drives
from flashwear.units import GB, GIB, KIB
from flashwear_book import sources, tables
from flashwear_book.claims.registry import Answer, Claim, check, checks, ids, judged, undecided
from flashwear_book.claims.rules import THRESHOLDS, within


def _raw(dies: float) -> float:
    """Return what dies of the MX300 hold, in bytes."""
    return capacity.raw_bytes(dies, sources.spec("MX300 750GB", "die capacity", unit="Gibit"))


def _in_gib(dies: float) -> tuple[float, str]:
    how = f"{dies:.0f} x {_raw(1) / GIB:.0f} GiB a die, printed as GB; in GB {_raw(dies) / GB:.1f}."
    return _raw(dies) / GIB, how


def _of_the_p400m(*names: str) -> float:
    """Return the product of some cells of the P400m 200GB."""
    return math.prod(sources.spec("P400m 200GB", name) for name in names)


def _in_proportion(claim: Claim) -> Answer:
    share = claim.spec("capacity") / _of_the_p400m("capacity")
    return share * _of_the_p400m("raw capacity"), (
        "The flash of the 200 GB model, in proportion to the user capacity: one share of spare "
        "flash for all sizes."
    )


def _user_gib(claim: Claim) -> Answer:
    sold = claim.spec("capacity")
    exact = capacity.idema_bytes(sold)
    readings = sold * GB / GIB, exact / GIB
    return min(readings, key=lambda gib: abs(gib - claim.value)), (
        f"{sold:.0f} GB over 2^30 bytes in a GiB are {readings[0]:.2f} GiB. Drives of this size "
        f"have {exact / GB:.2f} GB, by the sectors that the industry agreed on: "
        f"{readings[1]:.2f} GiB."
    )


_TWO_TO_THREE = "The review gives one die with two and with three bits in a cell: 2 to 3."
_FACTORS = {"P4-028": "packages", "P4-030": "dies per package", "P4-031": "die capacity"}
"""Claims on what makes up the flash of the P400m of 200 GB, in Gbit."""

checks({"MX-006": lambda claim: (claim.spec("die capacity, TLC") * 2 / 3, _TWO_TO_THREE),
        "MX-007": lambda claim: (claim.spec("die capacity, MLC") * 3 / 2, _TWO_TO_THREE),
        "MX-011": lambda claim: _in_gib(1),
        "MX-013": lambda claim: (
            claim.spec("raw capacity") * GIB / _raw(1),
            f"{claim.spec('raw capacity'):.0f} GiB as stated, over {_raw(1) / GIB:.0f} a die."),
        "MX-014": lambda claim: _in_gib(claim.spec("dies")),
        "MX-017": lambda claim: (
            claim.spec("packages") * claim.spec("dies per package"),
            f"{claim.spec('packages'):.0f} packages of {claim.spec('dies per package'):.0f} dies."),
        "MX-019": lambda claim: _in_gib(claim.spec("dies")),
        "P4-032": lambda claim: (_of_the_p400m(*_FACTORS.values()) / 8,
                                 "Packages, dies and Gbit over 8 bits."), "P4-033": _in_proportion,
        "P4-035": _in_proportion,
        "P4-050": lambda claim: (sources.external(claim.drive, "raw NAND"),
                                 "An earlier article of the same publisher lists the same flash.",
                                 sources.speaker(claim.drive, "raw NAND"))})  # fmt: skip
check(*ids("P4", range(36, 39), 52))(_user_gib)


@check(*_FACTORS)
def factor_of_the_flash(claim: Claim) -> Answer:
    others = (name for id_, name in _FACTORS.items() if id_ != claim.id)
    flash = 8 * _of_the_p400m("raw capacity") / _of_the_p400m(*others)
    return flash, "The flash that the review states, over the other two factors."


@check(*ids("P4", range(3, 6)))
def capacity_from_its_gib(claim: Claim) -> Answer:
    gib = claim.spec("user capacity")
    return gib * GIB / GB, f"The endurance table says {gib} GiB."


@check(*ids("M6", range(5, 9)))
def capacity_named_after_the_dies(claim: Claim) -> Answer:
    raw, die = sources.power_of_two_gib(claim.value * GB), claim.spec("die capacity")
    sold, speaker = sources.stated(claim.drive, "data sheet capacity")
    how = (
        f"The data sheet of the line has a model of {sold:.0f} GB. With {raw * 8 / die:.0f} dies "
        f"of {die:.0f} Gbit, the least power of two that holds it, it has {raw:.0f} GiB of flash."
    )
    return claim.value == sold, f"{sold:.0f} GB", how, speaker


@check("MX-018")
def packages_of_the_mx300_750(claim: Claim) -> Answer:
    total = math.prod(float(part) for part in claim.stated.split(" x "))
    return total == claim.spec("dies"), total, f"The review states {claim.spec('dies'):.0f} dies."


@check("MX-023")
def planes_against_planar_flash(claim: Claim) -> Answer:
    dies = sources.spec("MX300 750GB", "dies")
    planes = dies * sources.spec("MX300 750GB", "planes per die")
    small = sources.spec("planar 128Gb", "die capacity")
    planar_dies = _raw(dies) / capacity.raw_bytes(1, small)
    planar = planar_dies * sources.spec("planar 128Gb", "planes per die")
    text = f"{planes:.0f} of {planar:.0f} planes: {100 * planes / planar:.0f} %"
    how = f"{_raw(dies) / GIB:.0f} GiB of {small:.0f} Gbit dies are {planar_dies:.0f} dies with two"
    how += " planes each."
    return planes / planar >= 1 - THRESHOLDS["almost"][0], text, how


@check("MX-076", "MX-077")
def dies_of_the_largest_mx300(claim: Claim) -> Answer:
    sold, speaker = sources.stated("MX300", "model capacity 2050 GB")
    die = sources.spec("MX300 750GB", "die capacity", unit="Gibit")
    dies, packages = capacity.dies_needed(sold * GB, die), sources.spec("MX300 750GB", "packages")
    needed = each = math.ceil(dies / packages)
    if claim.id == "MX-077":
        each = int(sources.spec("MX300 2TB", "dies per package"))
        needed = math.ceil(dies / each)
    how = f"The {sold:.0f} GB that were sold later need {dies:.0f} dies, {each} in each package."
    return needed <= claim.value, float(needed), how, speaker


def _sold() -> list[float]:
    """Return the sizes in which the MX300 was sold later."""
    rows = tables.external().query("drive == 'MX300' and quantity.str.startswith('model capacity')")
    return sorted(rows["value"])


@check("MX-012")
def more_capacity_than_mlc_drives(claim: Claim) -> Answer:
    sold = _sold()
    before = [sources.user_capacity(f"MX200 {size}") / GB for size in ("500GB", "1TB")]
    above = [min((size for size in sold if size > old), default=0.0) for old in before]
    pairs = list(zip(above, before, strict=True))
    return (
        all(0 < new / old - 1 <= 0.1 for new, old in pairs) and max(sold) > max(before),
        ", ".join(f"{new:,.0f} GB for {old:,.0f}" for new, old in pairs)
        + f", and {max(sold):,.0f}",
        "Forecast; for each MX200 a somewhat larger MX300 was sold later, and one larger than all. "
        "What it did to prices is not checked.",
        sources.stated("MX300", "model capacity 2050 GB")[1],
    )


@check("MX-015", "MX-016")
def forecast_of_a_size(claim: Claim) -> Answer:
    is_first = claim.id == "MX-015"  # the other also says when it was due
    found = (min if is_first else max)(_sold())
    agrees = within("about", found / (claim.value * (1 if claim.unit == "GB" else 1000)))
    how = f"The {'smallest' if is_first else 'largest'} of the {len(_sold())} sizes that were sold"
    how += " later." if is_first else " later. Which came last was not found."
    speaker = sources.speaker("MX300", f"model capacity {found:.0f} GB")
    part = "the size" if agrees and not is_first else None
    return judged(agrees and is_first, f"{found:.0f} GB", how, speaker, part)


@check("DC-015")
def spare_of_the_s3500(claim: Claim) -> Answer:
    user = sources.user_capacity("S3500 480GB")
    listed, speaker = sources.stated("S3500 480GB", "raw NAND")
    raws = sources.power_of_two_gib(user), listed
    shares = [100 * capacity.spare_factor(raw * GIB, user) for raw in raws]
    text = f"{shares[0]:.1f} or {shares[1]:.1f} %"
    how = (
        f"The review gives neither size nor raw flash. These are the shares of {user / GB:.0f} GB "
        f"on {raws[0]:.0f} GiB, the least power of two, and on the {raws[1]:.0f} GiB of another "
        "publisher's table."
    )
    fits = any(abs(share - claim.value) <= claim.tolerance for share in shares)
    return (True, text, how, speaker) if fits else undecided(how, text)


@check("P4-045")
def more_flash_than_the_s3700_and_the_710(claim: Claim) -> Answer:
    own, s3700 = (sources.spec(drive, "raw capacity") for drive in ("P400m 200GB", "S3700 200GB"))
    i710, speaker = sources.stated("710 200GB", "raw NAND")
    text = f"{own:.0f} > {i710:.0f} > {s3700:.0f} GiB"
    return own > i710 > s3700, text, "P400m, 710 (by another article) and S3700, 200 GB.", speaker


@check("M6-003", "M6-177")
def largest_mx100(claim: Claim) -> Answer:
    dies = tables.external().query("drive.str.startswith('MX100') and quantity == 'dies'")
    sizes = [float(name.removeprefix("MX100 ").removesuffix("GB")) for name in dies["drive"]]
    largest = max(sizes)
    how = f"The largest of the {len(sizes)} models that another publisher's review lists."
    if claim.id == "M6-177":
        is_right = (largest < 960) == (claim.stated == "-")
        return judged(is_right, f"MX100 up to {largest:.0f} GB", how, "independent")
    part = "the largest capacity" if largest == claim.value else None
    how += " Shops and form are not checked."
    return judged(False, f"{largest:.0f} GB", how, "independent", part=part)


@check("P4-027")
def models_of_the_p400m(claim: Claim) -> Answer:
    sheets = "quantity == 'data sheet TBW' and drive.str.startswith('P400m')"
    models = tables.external().query(sheets)["drive"]
    speaker = sources.stated("P400m 200GB", "data sheet TBW")[1]
    how = f"The data sheet has {', '.join(sorted(models))}."
    return len(models) == claim.value, f"{len(models)}", how, speaker


@check("M6-096")
def page_size(claim: Claim) -> Answer:
    page = drives.load("m600-256gb").page_bytes
    how = "The data sheet of one die of that time, the M600's, beside its spare bytes."
    return page == claim.value * KIB, f"{page / KIB:.0f} KiB", how, "maker"


@check("MX-022")
def planes_of_planar_dies(claim: Claim) -> Answer:
    planes = drives.load("m600-256gb").planes
    how = "The data sheet of one planar die of 128 Gbit, the M600's. Others were not seen."
    part = "the die of the M600" if planes <= claim.value else None
    return judged(False, f"{planes} planes", how, "maker", part=part)


_REVIEWED = {"M600": "m600-256gb", "MX300": "mx300-750gb", "P400m": "p400m-200gb"}
"""A modelled drive of each line whose controller another review names."""


@check(*ids("M6", range(9, 13)), "MX-028", "P4-024")
def controller_in_another_review(claim: Claim) -> Answer:
    row = drives.parameters(_REVIEWED[claim.drive.split()[0]]).set_index("parameter")
    (part,) = re.findall(r"88SS\d{4}", row.note["channels"])
    printed = sources.spec_text(claim.drive, "controller").split()[-1]
    misprint = printed != part and printed.replace("S", "") == part.replace("S", "")
    how = "Another publisher's review of a drive of the line names this controller"
    how += f"; the review prints {printed}, with a letter missing." if misprint else "."
    part_that_holds = "the part, not its spelling" if misprint else None
    return judged(printed == part, part, how, "independent", part=part_that_holds)


@check("MX-020")
def fewer_dies(claim: Claim) -> Answer:
    rows = tables.speeds().query("kind == 'rated' and test == 'sequential write' and claim.isna()")
    each = rows.groupby(["line", "capacity_gb"])["value"].median()
    steps = (each.groupby("line").shift(1) / each).dropna()
    limit = THRESHOLDS["order"][0]
    slower, faster = int((steps < 1 - limit).sum()), int((steps > 1 + limit).sum())
    never = faster == 0 and slower > 0
    return judged(
        never and slower == steps.size,
        f"{slower} of {steps.size} slower, {faster} faster",
        "Pairs of a drive and the next larger one of its line, which has more dies, by writes in "
        "order as other publishers print the ratings. The rest are limited by something else.",
        "independent",
        part=f"never faster, slower in {slower} of {steps.size} pairs" if never else None,
    )
