"""Checks of the claims on dies, raw and user capacity, spare area and the map."""

import math

from flashwear import capacity, tables
from flashwear.claims import _facts as facts
from flashwear.claims._registry import Claim, Finding, check, compare, holds, ids, unfixed
from flashwear.units import GB, GIB, MB

_M600_DIE_GIBIT = 128
_MX300_DIE_GIBIT = 384


def _power_of_two_dies(user_bytes: float) -> int:
    return int(2 ** math.ceil(math.log2(capacity.dies_needed(user_bytes, _M600_DIE_GIBIT))))


@check(*ids("M6", range(5, 9)))
def capacity_named_after_the_dies(claim: Claim) -> Finding:
    dies = _power_of_two_dies(claim.value * GB)
    return compare(
        claim,
        capacity.raw_bytes(dies, _M600_DIE_GIBIT) / GIB,
        f"{dies} dies of 128 Gbit (the power of two that holds it) are as many GiB as it sells GB",
    )


@check(*ids("M6", range(13, 17)))
def dies_of_128_gbit(claim: Claim) -> Finding:
    user = facts.Rating(claim.drive).user
    dies = _power_of_two_dies(user)
    raw = capacity.raw_bytes(dies, _M600_DIE_GIBIT)
    op = capacity.over_provisioning(raw, user)
    return holds(
        0 < op < 0.08,
        f"{dies} dies",
        f"{raw / GIB:.0f} GiB for {user / GB:.0f} GB: over-provisioning {100 * op:.2f} %, "
        "the usual one of client drives (external: 7 % of raw)",
        yes="explained",
    )


@check("MX-004", "MX-005")
def samsung_die_in_two_modes(claim: Claim) -> Finding:
    other = {"MX-004": 128 * 2 / 3, "MX-005": 86 * 3 / 2}[claim.id]
    return unfixed("a product fact; the other die's cells at three bits for two would give", other)


@check("MX-006", "MX-007")
def micron_die_in_two_modes(claim: Claim) -> Finding:
    mlc, tlc = 256, 384
    computed = {"MX-006": tlc * 2 / 3, "MX-007": mlc * 3 / 2}[claim.id]
    return compare(claim, computed, "the same cells at three bits for two")


@check("MX-011")
def die_in_bytes(claim: Claim) -> Finding:
    gib = capacity.raw_bytes(1, _MX300_DIE_GIBIT) / GIB
    return compare(claim, gib, "384 Gbit / 8, in GiB though printed GB: 51.5 GB")


@check("MX-013")
def dies_of_the_smallest_mx300(claim: Claim) -> Finding:
    raw = facts.spec("MX300 smallest", "raw capacity") * GIB
    return compare(claim, raw / capacity.raw_bytes(1, _MX300_DIE_GIBIT), "288 GiB / 48 GiB")


@check("MX-014")
def raw_capacity_of_the_smallest_mx300(claim: Claim) -> Finding:
    dies = facts.spec("MX300 smallest", "dies")
    raw = capacity.raw_bytes(dies, _MX300_DIE_GIBIT)
    return compare(claim, raw / GIB, f"6 x 48 GiB = {raw / GB:.1f} GB")


@check("MX-017")
def dies_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (facts.spec(claim.drive, name) for name in ("packages", "dies per package"))
    return compare(claim, packages * each, "8 packages of 2 dies")


@check("MX-018")
def packages_of_the_mx300_750(claim: Claim) -> Finding:
    packages, each = (int(part) for part in claim.stated.split(" x "))
    dies = facts.spec(claim.drive, "dies")
    return holds(packages * each == dies, float(packages * each), f"dies: {dies:.0f}")


@check("MX-019")
def raw_capacity_of_the_mx300_750(claim: Claim) -> Finding:
    raw = capacity.raw_bytes(facts.spec(claim.drive, "dies"), _MX300_DIE_GIBIT)
    return compare(claim, raw / GIB, f"16 x 48 GiB = {raw / GB:.1f} GB: GiB printed as GB")


@check("MX-023")
def planes_against_planar_flash(claim: Claim) -> Finding:
    planes = facts.spec("MX300 750GB", "dies") * facts.spec("MX300 750GB", "planes per die")
    raw = capacity.raw_bytes(facts.spec("MX300 750GB", "dies"), _MX300_DIE_GIBIT)
    planar_dies = raw / capacity.raw_bytes(1, 128)
    planar = planar_dies * facts.spec("planar 128Gb", "planes per die")
    ratio = planes / planar
    return holds(
        ratio >= 0.9,
        f"{planes:.0f} of {planar:.0f} planes: {100 * ratio:.0f} %",
        f"{raw / GIB:.0f} GiB of 128 Gbit dies are {planar_dies:.0f} dies; almost as many taken as "
        "90 %",
    )


_MAPPED = {
    "MX300 750GB": 750 * GB,
    "MX200 500GB": 500 * GB,
    "MX200 1TB": 1000 * GB,
    "P400m": 200 * GB,
}


@check(*ids("MX", range(34, 37)), "P4-026")
def dram_against_a_flat_map(claim: Claim) -> Finding:
    need = capacity.map_bytes(_MAPPED[claim.drive]) / MB
    # memory chips hold 2^20 bytes for each "MB" printed
    has = claim.value * 2**20 / MB
    fits = "fits" if need <= has else "does not fit"
    return unfixed(
        f"a part fitted, not a calculation; a flat map (4 bytes for 4 KiB) of "
        f"{_MAPPED[claim.drive] / GB:.0f} GB takes {need:.0f} MB and {fits}",
        float(need),
    )


@check("MX-076")
def dies_per_package_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = facts.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _MX300_DIE_GIBIT)
    each = math.ceil(dies / 8)
    return holds(
        each <= claim.value,
        float(each),
        f"2050 GB (as sold later, external) need {dies:.0f} dies, {each} in each of 8 packages: "
        "at most six is true, five suffice",
    )


@check("MX-077")
def packages_of_the_largest_mx300(claim: Claim) -> Finding:
    sold = facts.external("MX300", "model capacity 2050 GB") * GB
    dies = capacity.dies_needed(sold, _MX300_DIE_GIBIT)
    least = math.ceil(dies / facts.spec("MX300 2TB", "dies per package"))
    how = f"{dies:.0f} dies at six to a package"
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
    nominal = 100 * capacity.spare_factor(512 * GIB, 480 * GB)
    listed = facts.external("S3500 480GB", "raw NAND")
    more = 100 * capacity.spare_factor(listed * GIB, 480 * GB)
    return compare(
        claim,
        nominal,
        f"1 - 480 GB / 512 GiB; on the {listed:.0f} GiB listed elsewhere {more:.1f} %",
    )


@check("DC-016", "DC-017")
def spare_of_the_m500dc(claim: Claim) -> Finding:
    user = facts.user_capacity(claim.drive)
    fitting = [
        raw
        for raw in range(64, 2049, 64)
        if raw * GIB > user
        and abs(100 * capacity.spare_factor(raw * GIB, user) - claim.value) <= claim.tolerance
    ]
    if len(fitting) != 1:
        return unfixed(f"raw capacities that would give it: {fitting} GiB")
    spare = 100 * capacity.spare_factor(fitting[0] * GIB, user)
    how = (
        f"1 - {user / GB:.0f} GB / {fitting[0]} GiB, the only multiple of 64 GiB that rounds to it"
    )
    return compare(claim, spare, how)


@check("DC-041")
def raw_capacity_of_the_pm843(claim: Claim) -> Finding:
    user = facts.said(claim.drive, "capacity") * GB
    return compare(
        claim, 2.0 ** math.ceil(math.log2(user / GIB)), "the power of two in GiB that holds 120 GB"
    )


@check(*ids("P4", range(3, 6)))
def capacity_from_its_gib(claim: Claim) -> Finding:
    gib = facts.spec(claim.drive, "user capacity")
    return compare(claim, gib * GIB / GB, f"{gib} GiB as printed in the endurance table")


@check(*ids("P4", range(36, 39)), "P4-052")
def user_capacity_in_gib(claim: Claim) -> Finding:
    user = facts.spec(claim.drive, "capacity") * GB
    return compare(claim, user / GIB, f"{user / GB:.0f}e9 / 2^30")


@check("P4-028", "P4-030", "P4-031", "P4-032")
def dies_of_the_p400m(claim: Claim) -> Finding:
    names = {
        "P4-028": "packages",
        "P4-030": "dies per package",
        "P4-031": "die capacity",
        "P4-032": "raw capacity",
    }
    printed = {name: facts.spec("P400m 200GB", name) for name in names.values()}
    product = math.prod(printed[name] for name in ("packages", "dies per package", "die capacity"))
    raw = printed["raw capacity"]
    if claim.id == "P4-032":
        return compare(claim, product / 8, "16 x 4 x 42 Gbit / 8")
    others = product / printed[names[claim.id]]
    return compare(claim, raw * 8 / others, "336 GiB x 8 over the other two factors")


@check("P4-033", "P4-035")
def raw_capacity_of_the_other_p400m(claim: Claim) -> Finding:
    share = facts.spec(claim.drive, "capacity") / facts.spec("P400m 200GB", "capacity")
    return compare(
        claim, share * facts.spec("P400m 200GB", "raw capacity"), "336 GiB in proportion"
    )


@check("P4-045")
def more_flash_than_the_s3700(claim: Claim) -> Finding:
    own, intel = (facts.spec(d, "raw capacity") for d in ("P400m 200GB", "S3700 200GB"))
    return holds(
        own > intel,
        f"{own:.0f} > {intel:.0f} GiB",
        "against the S3700; the flash of the 710 stands in no document and is not checked",
    )


@check("P4-050")
def raw_capacity_of_the_s3700(claim: Claim) -> Finding:
    listed = facts.external("S3700 200GB", "raw NAND")
    return compare(claim, listed, "an earlier article (external)", "contradicted")
