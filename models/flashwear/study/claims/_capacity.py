"""Checks of the claims on dies, raw and user capacity, spare area and the map."""

import math

from flashwear import capacity, tables
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, compare, holds, ids, undecided
from flashwear.units import GB, GIB, MB


@check(*ids("M6", range(5, 9)))
def capacity_named_after_the_dies(claim: Claim) -> Finding:
    raw = sources.power_of_two_gib(claim.value * GB)
    sold = sources.external(claim.drive, "data sheet capacity")
    die = sources.spec(claim.drive, "die capacity")
    return holds(
        raw == claim.value == sold,
        f"{raw:.0f} GiB for {sold:.0f} GB",
        f"inferred, not printed: {raw * 8 / die:.0f} dies of {die:.0f} Gbit, the power of two that "
        "holds it, are as many GiB as the data sheet (external) sells GB",
        yes="explained",
    )


@check(*ids("M6", range(13, 17)))
def dies_of_the_m600(claim: Claim) -> Finding:
    user = sources.Rating(claim.drive).user
    raw = sources.power_of_two_gib(user)
    die = sources.spec(claim.drive, "die capacity")
    spare = 100 * capacity.spare_factor(raw * GIB, user)
    usual = sources.external("client drives", "spare share of raw NAND")
    return holds(
        abs(spare - usual) <= 0.5,
        f"{raw * 8 / die:.0f} dies",
        f"inferred, not printed: the power of two of {die:.0f} Gbit dies that holds "
        f"{user / GB:.0f} GB leaves {spare:.2f} % of raw spare, the {usual:.0f} % usual in client "
        "drives (external)",
        yes="explained",
    )


@check("MX-004", "MX-005")
def samsung_die_in_two_modes(claim: Claim) -> Finding:
    if claim.id == "MX-004":
        other = sources.spec(claim.drive, "die capacity, TLC") * 2 / 3
    else:
        other = sources.spec(claim.drive, "die capacity, MLC") * 3 / 2
    return undecided("a product fact; computed: the other die's cells at three bits for two", other)


@check("MX-006", "MX-007")
def micron_die_in_two_modes(claim: Claim) -> Finding:
    if claim.id == "MX-006":
        other = sources.spec(claim.drive, "die capacity, TLC") * 2 / 3
    else:
        other = sources.spec(claim.drive, "die capacity, MLC") * 3 / 2
    how = "the cells of the other die at three bits for two; MX-006 and MX-007 are one comparison"
    return compare(claim, other, how)


def _mx300_die() -> float:
    return sources.spec("MX300 750GB", "die capacity", unit="Gibit")


@check("MX-011")
def die_in_bytes(claim: Claim) -> Finding:
    die = capacity.raw_bytes(1, _mx300_die())
    how = f"{_mx300_die():.0f} Gbit / 8, in GiB though printed GB: {die / GB:.1f} GB"
    return compare(claim, die / GIB, how)


@check("MX-013")
def dies_of_the_smallest_mx300(claim: Claim) -> Finding:
    raw = sources.spec("MX300 smallest", "raw capacity") * GIB
    die = capacity.raw_bytes(1, _mx300_die())
    return compare(claim, raw / die, f"{raw / GIB:.0f} GiB / {die / GIB:.0f} GiB")


@check("MX-014")
def raw_capacity_of_the_smallest_mx300(claim: Claim) -> Finding:
    dies = sources.spec("MX300 smallest", "dies")
    raw = capacity.raw_bytes(dies, _mx300_die())
    how = f"{dies:.0f} x {raw / dies / GIB:.0f} GiB = {raw / GB:.1f} GB"
    return compare(claim, raw / GIB, how)


@check("MX-017")
def dies_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (sources.spec(claim.drive, name) for name in ("packages", "dies per package"))
    return compare(claim, packages * each, f"{packages:.0f} packages of {each:.0f} dies")


@check("MX-018")
def packages_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (int(part) for part in claim.stated.split(" x "))
    dies = sources.spec(claim.drive, "dies")
    return holds(packages * each == dies, float(packages * each), f"dies: {dies:.0f}")


@check("MX-019")
def raw_capacity_of_the_mx300_750(claim: Claim) -> Finding:
    dies = sources.spec(claim.drive, "dies")
    raw = capacity.raw_bytes(dies, _mx300_die())
    how = f"{dies:.0f} x {raw / dies / GIB:.0f} GiB = {raw / GB:.1f} GB: GiB printed as GB"
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
    return holds(
        ratio >= 0.9,
        f"{planes:.0f} of {planar:.0f} planes: {100 * ratio:.0f} %",
        f"{raw / GIB:.0f} GiB of {small:.0f} Gbit dies are {planar_dies:.0f} dies; almost as many "
        "taken as 90 %",
    )


@check(*ids("MX", range(34, 37)), "P4-026")
def dram_against_a_flat_map(claim: Claim) -> Finding:
    drive = "P400m 200GB" if claim.drive == "P400m" else claim.drive  # the one reviewed
    user = sources.user_capacity(drive)
    need = capacity.map_bytes(user) / MB
    # memory chips hold 2^20 bytes for each "MB" printed
    fits = "fits" if need <= claim.value * 2**20 / MB else "does not fit"
    return undecided(
        f"a part fitted, not a calculation; a flat map (4 bytes for 4 KiB) of "
        f"{user / GB:.0f} GB takes {need:.0f} MB and {fits}",
        float(need),
    )


@check("MX-076")
def dies_per_package_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = sources.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _mx300_die())
    packages = sources.spec("MX300 750GB", "packages")
    each = math.ceil(dies / packages)
    return holds(
        each <= claim.value,
        float(each),
        f"{sold / GB:.0f} GB (as sold later, external) need {dies:.0f} dies, {each} in each of "
        f"{packages:.0f} packages: at most {claim.value:.0f} is true, {each} suffice",
    )


@check("MX-077")
def packages_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = sources.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _mx300_die())
    each = sources.spec("MX300 2TB", "dies per package")
    least = math.ceil(dies / each)
    how = f"{dies:.0f} dies at {each:.0f} to a package"
    return holds(least <= claim.value, float(least), how)


@check("MX-015", "MX-016")
def forecast_of_a_size(claim: Claim) -> Finding:
    models = tables.external()
    models = models[(models["drive"] == "MX300") & models["quantity"].str.startswith("model ")]
    wanted = claim.value * (1 if claim.unit == "GB" else 1000)
    nearest = float(min(models["value"], key=lambda size: abs(size - wanted)))
    how = f"{len(models)} models were sold later (external); around taken as within 5 %"
    return holds(abs(nearest / wanted - 1) <= 0.05, f"{nearest:.0f} GB", how, yes="predicted")


@check("DC-015")
def spare_of_the_s3500(claim: Claim) -> Finding:
    user = sources.user_capacity("S3500 480GB")
    raws = sources.power_of_two_gib(user), sources.external("S3500 480GB", "raw NAND")
    nominal, listed = (100 * capacity.spare_factor(raw * GIB, user) for raw in raws)
    near = any(abs(spare - claim.value) <= claim.tolerance for spare in (nominal, listed))
    return Finding(
        "explained" if near else "not reproducible",
        f"{nominal:.1f} or {listed:.1f} %",
        f"size and raw capacity not stated: 1 - {user / GB:.0f} GB / {raws[0]:.0f} GiB (the power "
        f"of two that holds it), or on the {raws[1]:.0f} that a review lists (external, GB read as "
        "GiB)",
    )


@check("DC-016", "DC-017")
def spare_of_the_m500dc(claim: Claim) -> Finding:
    user = sources.user_capacity(claim.drive)
    fitting = sources.raw_by_spare(user, claim.value)
    chance = sum(bool(sources.raw_by_spare(user, percent)) for percent in range(1, 51))
    how = (
        "fitted, raw capacity not stated: of the multiples of "
        f"{sources.RAW_STEP_GIB} GiB (assumed) "
        f"{len(fitting)} rounds to it; {chance} of the whole percentages from 1 to 50 would have "
        "found one"
    )
    if len(fitting) != 1:
        return undecided(how)
    spare = 100 * capacity.spare_factor(fitting[0], user)
    text = f"{spare:.1f} % with {fitting[0] / GIB:.0f} GiB"
    return Finding("explained", text, how)


@check("DC-041")
def raw_capacity_of_the_pm843(claim: Claim) -> Finding:
    user = sources.discussion(claim.drive, "capacity") * GB
    raw = sources.power_of_two_gib(user)
    how = f"inferred: the power of two in GiB that holds {user / GB:.0f} GB"
    return holds(raw == claim.value, f"{raw:.0f} GiB", how, yes="explained")


@check(*ids("P4", range(3, 6)))
def capacity_from_its_gib(claim: Claim) -> Finding:
    gib = sources.spec(claim.drive, "user capacity")
    return compare(claim, gib * GIB / GB, f"{gib} GiB as printed in the endurance table")


@check(*ids("P4", range(36, 39)), "P4-052")
def user_capacity_in_gib(claim: Claim) -> Finding:
    user = sources.spec(claim.drive, "capacity") * GB
    return compare(claim, user / GIB, f"{user / GB:.0f}e9 / 2^30")


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
        return compare(claim, product / 8, f"{how} Gbit / 8")
    others = product / printed[names[claim.id]]
    how = f"{raw:.0f} GiB x 8 over the other two factors; one comparison with P4-032"
    return compare(claim, raw * 8 / others, how)


@check("P4-033", "P4-035")
def raw_capacity_of_the_other_p400m(claim: Claim) -> Finding:
    share = sources.spec(claim.drive, "capacity") / sources.spec("P400m 200GB", "capacity")
    sister = sources.spec("P400m 200GB", "raw capacity")
    return compare(claim, share * sister, f"{sister:.0f} GiB in proportion")


@check("P4-045")
def more_flash_than_the_s3700_and_the_710(claim: Claim) -> Finding:
    own, s3700 = (sources.spec(drive, "raw capacity") for drive in ("P400m 200GB", "S3700 200GB"))
    i710 = sources.external("710 200GB", "raw NAND")
    return holds(
        own > i710 > s3700,
        f"{own:.0f} > {i710:.0f} > {s3700:.0f} GiB",
        "at 200 GB; the 710's is from a review of it (external)",
    )


@check("P4-050")
def raw_capacity_of_the_s3700(claim: Claim) -> Finding:
    listed = sources.external("S3700 200GB", "raw NAND")
    return compare(claim, listed, "an earlier article (external)", "contradicted")
