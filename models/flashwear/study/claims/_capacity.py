"""Checks of the claims on dies, raw and user capacity, spare area and the map."""

import math

from flashwear import capacity, tables
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, compare, ids, judged, undecided
from flashwear.study.claims.rules import THRESHOLDS, within
from flashwear.units import GB, GIB, MB


@check(*ids("M6", range(5, 9)))
def capacity_named_after_the_dies(claim: Claim) -> Finding:
    raw = sources.power_of_two_gib(claim.value * GB)
    sold = sources.external(claim.drive, "data sheet capacity")
    die = sources.spec(claim.drive, "die capacity")
    return judged(
        claim.value == sold,
        f"{sold:.0f} GB",
        f"The data sheet of the line has a model of {sold:.0f} GB. With {raw * 8 / die:.0f} dies "
        f"of {die:.0f} Gbit, the least power of two that holds it, it has {raw:.0f} GiB of flash.",
        sources.speaker(claim.drive, "data sheet capacity"),
    )


@check(*ids("M6", range(13, 17)))
def dies_of_the_m600(claim: Claim) -> Finding:
    user = sources.Rating(claim.drive).user
    raw = sources.power_of_two_gib(user)
    die = sources.spec(claim.drive, "die capacity")
    spare = 100 * capacity.spare_factor(raw * GIB, user)
    usual = sources.external("client drives", "spare share of raw NAND")
    return undecided(
        f"{raw * 8 / die:.0f} dies of {die:.0f} Gbit are {raw:,.0f} GiB, of which a drive of "
        f"{user / GB:.0f} GB leaves {spare:.2f} % spare; {usual:.0f} % are usual in client drives.",
        f"{raw * 8 / die:.0f} dies",
    )


@check("MX-004", "MX-005")
def samsung_die_in_two_modes(claim: Claim) -> Finding:
    if claim.id == "MX-004":
        other = sources.spec(claim.drive, "die capacity, TLC") * 2 / 3
    else:
        other = sources.spec(claim.drive, "die capacity, MLC") * 3 / 2
    return undecided(
        "What a die holds is a fact of its maker. The cells of the other die that the review names "
        f"would hold {other:.0f} Gbit with this one's bits in a cell.",
        other,
    )


@check("MX-006", "MX-007")
def micron_die_in_two_modes(claim: Claim) -> Finding:
    if claim.id == "MX-006":
        other = sources.spec(claim.drive, "die capacity, TLC") * 2 / 3
    else:
        other = sources.spec(claim.drive, "die capacity, MLC") * 3 / 2
    how = (
        "The review gives one die both with two and with three bits in a cell; the two capacities "
        "are as 2 to 3."
    )
    return compare(claim, other, how)


def _mx300_die() -> float:
    return sources.spec("MX300 750GB", "die capacity", unit="Gibit")


@check("MX-011")
def die_in_bytes(claim: Claim) -> Finding:
    die = capacity.raw_bytes(1, _mx300_die())
    how = (
        f"{_mx300_die():.0f} Gbit are {die / GIB:.0f} GiB, which the review prints as GB; in GB "
        f"they are {die / GB:.1f}."
    )
    return compare(claim, die / GIB, how)


@check("MX-013")
def dies_of_the_smallest_mx300(claim: Claim) -> Finding:
    raw = sources.spec("MX300 smallest", "raw capacity") * GIB
    die = capacity.raw_bytes(1, _mx300_die())
    how = f"The stated {raw / GIB:.0f} GiB of flash over the {die / GIB:.0f} GiB of a die."
    return compare(claim, raw / die, how)


@check("MX-014")
def raw_capacity_of_the_smallest_mx300(claim: Claim) -> Finding:
    dies = sources.spec("MX300 smallest", "dies")
    raw = capacity.raw_bytes(dies, _mx300_die())
    how = f"{dies:.0f} dies of {raw / dies / GIB:.0f} GiB; in GB they are {raw / GB:.1f}."
    return compare(claim, raw / GIB, how)


@check("MX-017")
def dies_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (sources.spec(claim.drive, name) for name in ("packages", "dies per package"))
    return compare(claim, packages * each, f"{packages:.0f} packages of {each:.0f} dies.")


@check("MX-018")
def packages_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (int(part) for part in claim.stated.split(" x "))
    dies = sources.spec(claim.drive, "dies")
    how = f"{packages} packages of {each} dies make the {dies:.0f} dies that the review states."
    return judged(packages * each == dies, float(packages * each), how)


@check("MX-019")
def raw_capacity_of_the_mx300_750(claim: Claim) -> Finding:
    dies = sources.spec(claim.drive, "dies")
    raw = capacity.raw_bytes(dies, _mx300_die())
    how = (
        f"{dies:.0f} dies of {raw / dies / GIB:.0f} GiB. The review prints GB for GiB; in GB they "
        f"are {raw / GB:.1f}, so the spare flash is larger than the published figures suggest."
    )
    return compare(claim, raw / GIB, how)


@check("MX-023")
def planes_against_planar_flash(claim: Claim) -> Finding:
    dies = sources.spec("MX300 750GB", "dies")
    planes = dies * sources.spec("MX300 750GB", "planes per die")
    raw = capacity.raw_bytes(dies, _mx300_die())
    small = sources.spec("planar 128Gb", "die capacity")
    planar_dies = raw / capacity.raw_bytes(1, small)
    planar = planar_dies * sources.spec("planar 128Gb", "planes per die")
    ratio = planes / planar
    return judged(
        ratio >= 1 - THRESHOLDS["almost"][0],
        f"{planes:.0f} of {planar:.0f} planes: {100 * ratio:.0f} %",
        f"{raw / GIB:.0f} GiB of {small:.0f} Gbit dies are {planar_dies:.0f} dies with two planes "
        "each. By the review's own numbers a third of their planes is missing, which is not almost "
        "as many.",
    )


@check(*ids("MX", range(34, 37)), "P4-026")
def dram_against_a_flat_map(claim: Claim) -> Finding:
    drive = "P400m 200GB" if claim.drive == "P400m" else claim.drive  # the one reviewed
    user = sources.user_capacity(drive)
    need = capacity.map_bytes(user) / MB
    # memory chips hold 2^20 bytes for each "MB" printed
    fits = "fits" if need <= claim.value * 2**20 / MB else "does not fit"
    return undecided(
        f"A flat map, 4 bytes for each 4 KiB of {user / GB:.0f} GB, would take "
        f"{need:,.{1 if need < 1000 else 0}f} MB and {fits}, but which memory is fitted no "
        "calculation shows.",
        float(need),
    )


@check("MX-076")
def dies_per_package_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = sources.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _mx300_die())
    packages = sources.spec("MX300 750GB", "packages")
    each = math.ceil(dies / packages)
    return judged(
        each <= claim.value,
        float(each),
        f"The largest MX300 that was sold later has {sold / GB:.0f} GB. It needs {dies:.0f} dies, "
        f"{each} in each of {packages:.0f} packages.",
        sources.speaker("MX300", "model capacity 2050 GB"),
    )


@check("MX-077")
def packages_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = sources.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _mx300_die())
    each = sources.spec("MX300 2TB", "dies per package")
    least = math.ceil(dies / each)
    how = (
        f"The {sold / GB:.0f} GB that were sold later need {dies:.0f} dies. With {each:.0f} in a "
        f"package {least} packages hold them, so that {claim.value:.0f} suffice."
    )
    speaker = sources.speaker("MX300", "model capacity 2050 GB")
    return judged(least <= claim.value, float(least), how, speaker)


@check("MX-015", "MX-016")
def forecast_of_a_size(claim: Claim) -> Finding:
    models = tables.external()
    models = models[(models["drive"] == "MX300") & models["quantity"].str.startswith("model ")]
    wanted = claim.value * (1 if claim.unit == "GB" else 1000)
    extreme = "smallest" if claim.id == "MX-015" else "largest"
    sold = float(models["value"].min() if extreme == "smallest" else models["value"].max())
    size = within("about", sold / wanted)
    ordered = claim.id == "MX-015"  # the other also says when it was due
    return judged(
        size and ordered,
        f"{sold:.0f} GB",
        f"Of the {len(models)} sizes that were sold later, by another publisher's table, the "
        f"{extreme} has {sold:.0f} GB." + ("" if ordered else " Which came last was not found."),
        sources.speaker("MX300", f"model capacity {sold:.0f} GB"),
        part="the size" if size and not ordered else None,
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


@check("DC-016", "DC-017")
def spare_of_the_m500dc(claim: Claim) -> Finding:
    user = sources.user_capacity(claim.drive)
    fitting = sources.raw_by_spare(user, claim.value)
    chance = sum(bool(sources.raw_by_spare(user, percent)) for percent in range(1, 51))
    text = ", ".join(
        f"{100 * capacity.spare_factor(raw, user):.1f} % with {raw / GIB:.0f} GiB"
        for raw in fitting
    )
    return undecided(
        f"As a share of the raw flash it would be {text or 'reached by none'}, but the raw flash "
        f"is not stated, and some multiple of {sources.RAW_STEP_GIB} GiB fits {chance} of the "
        "whole percentages from 1 to 50.",
        text or None,
    )


@check("DC-041")
def raw_capacity_of_the_pm843(claim: Claim) -> Finding:
    user = sources.discussion(claim.drive, "capacity") * GB
    raw = sources.power_of_two_gib(user)
    return undecided(
        f"No document lists its flash. {raw:.0f} GiB is the least power of two that holds its "
        f"{user / GB:.0f} GB, as is usual.",
        f"{raw:.0f} GiB",
    )


@check(*ids("P4", range(3, 6)))
def capacity_from_its_gib(claim: Claim) -> Finding:
    gib = sources.spec(claim.drive, "user capacity")
    return compare(claim, gib * GIB / GB, f"The endurance table says {gib} GiB.")


@check(*ids("P4", range(36, 39)), "P4-052")
def user_capacity_in_gib(claim: Claim) -> Finding:
    sold = sources.spec(claim.drive, "capacity")
    exact = capacity.idema_bytes(sold)
    round_, real = sold * GB / GIB, exact / GIB
    nearer = min(round_, real, key=lambda gib: abs(gib - claim.value))
    return compare(
        claim,
        nearer,
        f"{sold:.0f} GB over 2^30 bytes in a GiB are {round_:.2f} GiB. Drives of this size have "
        f"{exact / GB:.2f} GB, by the sectors that the industry agreed on: {real:.2f} GiB.",
    )


@check("P4-028", "P4-030", "P4-031", "P4-032")
def dies_of_the_p400m(claim: Claim) -> Finding:
    names = {
        "P4-028": "packages",
        "P4-030": "dies per package",
        "P4-031": "die capacity",
        "P4-032": "raw capacity",
    }
    printed = {name: sources.spec("P400m 200GB", name) for name in names.values()}
    product = math.prod(printed[name] for name in ("packages", "dies per package", "die capacity"))
    raw = printed["raw capacity"]
    if claim.id == "P4-032":
        how = " x ".join(f"{printed[name]:.0f}" for name in list(names.values())[:3])
        return compare(claim, product / 8, f"Packages, dies and Gbit: {how} / 8 GiB.")
    others = product / printed[names[claim.id]]
    how = f"The {raw:.0f} GiB of flash that the review states, over the other two factors."
    return compare(claim, raw * 8 / others, how)


@check("P4-033", "P4-035")
def raw_capacity_of_the_other_p400m(claim: Claim) -> Finding:
    share = sources.spec(claim.drive, "capacity") / sources.spec("P400m 200GB", "capacity")
    sister = sources.spec("P400m 200GB", "raw capacity")
    how = (
        f"The {sister:.0f} GiB of the 200 GB model, in proportion to the user capacity: one share "
        "of spare flash for all sizes."
    )
    return compare(claim, share * sister, how)


@check("P4-045")
def more_flash_than_the_s3700_and_the_710(claim: Claim) -> Finding:
    own, s3700 = (sources.spec(drive, "raw capacity") for drive in ("P400m 200GB", "S3700 200GB"))
    i710 = sources.external("710 200GB", "raw NAND")
    return judged(
        own > i710 > s3700,
        f"{own:.0f} > {i710:.0f} > {s3700:.0f} GiB",
        "P400m, 710 and S3700 at 200 GB; the 710's flash is from an earlier article of the same "
        "publisher.",
        sources.speaker("710 200GB", "raw NAND"),
    )


@check("P4-050")
def raw_capacity_of_the_s3700(claim: Claim) -> Finding:
    listed = sources.external("S3700 200GB", "raw NAND")
    how = "An earlier article of the same publisher lists the same flash."
    return compare(claim, listed, how, sources.speaker("S3700 200GB", "raw NAND"))
