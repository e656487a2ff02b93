"""Checks of the claims on endurance."""

from itertools import pairwise

from flashwear import endurance, tables
from flashwear.claims import _facts as facts
from flashwear.claims._registry import Claim, Finding, check, compare, holds, ids, unfixed
from flashwear.units import GB, GIB, PB, TB, TIB, rounding_interval

_ASSUMED_CYCLES = 3000


@check(*ids("M6", range(53, 57)), *ids("MX", range(64, 67)), "DC-040", "DC-048")
def rating_against_the_wear_budget(claim: Claim) -> Finding:
    rating = facts.Rating(claim.drive)
    cycles = endurance.implied_pe_cycles(rating.raw, rating.tbw)
    room = endurance.wear_product(rating.raw, _ASSUMED_CYCLES, rating.tbw)
    return unfixed(
        f"a promise: cycles and write amplification are not given. It needs {cycles:,.0f} cycles "
        f"at WAF x WLF = 1, or leaves room for {room:.2f} at 3,000 cycles",
        f"{cycles:,.0f} cycles at least",
    )


@check(*ids("M6", range(57, 61)), *ids("MX", range(67, 70)))
def warranty_and_drive_writes_per_day(claim: Claim) -> Finding:
    rating = facts.Rating(claim.drive)
    rate = endurance.dwpd(rating.tbw, rating.user, rating.years)
    return unfixed(
        f"a term of contract; with the rating it allows {rate:.3f} drive writes a day",
        f"{rate:.3f} DWPD",
    )


@check("M6-064")
def boost_from_72_to_100_tb(claim: Claim) -> Finding:
    before, after = facts.Rating("MX100").tbw, facts.Rating("M600 128GB").tbw
    how = "the rating of the 128 GB model over the earlier 72 TB"
    return holds(after > before, f"{100 * (after / before - 1):+.1f} %", how)


@check("M6-065")
def rating_grows_less_than_capacity(claim: Claim) -> Finding:
    ratings = [facts.Rating(f"M600 {size}") for size in ("128GB", "256GB", "512GB", "1TB")]
    fills = [endurance.drive_fills(rating.tbw, rating.user) for rating in ratings]
    grows = all(a.tbw < b.tbw for a, b in pairwise(ratings))
    text = "/".join(f"{count:.0f}" for count in fills) + " fills"
    return holds(
        grows and max(fills) / min(fills) > 1.01, text, "rating over capacity is not constant"
    )


@check("M6-066")
def rating_of_the_largest_m600(claim: Claim) -> Finding:
    listed = facts.external("M600", "data sheet TBW, up to")
    return compare(claim, listed, "the line's data sheet (external)", "contradicted")


@check("M6-168", "C2-013")
def years_at_twenty_gigabytes_a_day(claim: Claim) -> Finding:
    load = facts.said("client SSDs", "host writes they should bear for years")
    years = endurance.lifetime_years(facts.Rating("MX100").tbw, load * GB)
    warranty = facts.Rating("M600 128GB").years
    return holds(
        years > warranty,
        f"{years:.1f} years",
        f"72 TB at {load:.0f} GB a day, against a warranty of {warranty:.0f} years",
    )


@check("MX-073")
def mx300_below_the_mx200(claim: Claim) -> Finding:
    names = ("sequential read", "sequential write", "random read 4KB", "random write 4KB")
    ratios = {
        name: facts.spec("MX300 750GB", name) / facts.spec("MX200 1TB", name) for name in names
    }
    mx300, mx200 = facts.Rating("MX300 750GB"), facts.Rating("MX200 1TB")
    ratios["TBW per GB"] = mx300.tbw / mx300.user / (mx200.tbw / mx200.user)
    down = [name for name, ratio in ratios.items() if ratio < 1]
    text = ", ".join(f"{name} {100 * (ratio - 1):+.1f} %" for name, ratio in ratios.items())
    return holds(
        len(down) == len(ratios),
        text,
        f"specification table, against the 1 TB MX200: {len(down)} of {len(ratios)} are lower",
        no="corrected",
    )


@check("DC-029", "DC-030")
def retention_of_the_standard(claim: Claim) -> Finding:
    return unfixed("a requirement of a standard (JESD218), not a calculation")


@check("DC-031")
def more_than_3000_cycles(claim: Claim) -> Finding:
    product = facts.said("M500DC", "WLF x WAF at 3000 P/E cycles")
    needed = 1.5 / product * _ASSUMED_CYCLES
    return holds(
        needed > _ASSUMED_CYCLES,
        f"{needed:,.0f} cycles at WAF x WLF = 1.5",
        f"if 3,000 cycles leave {product}, any larger product needs more: the direction is right, "
        "the size depends on the write amplification",
        yes="explained",
    )


@check("DC-032")
def wear_product_of_the_m500dc(claim: Claim) -> Finding:
    low, high = rounding_interval(claim.stated)
    parts = []
    for gib in (192, 384, 768, 1024):
        most, least = (endurance.tbw(gib * GIB, _ASSUMED_CYCLES, wlf=p) / PB for p in (low, high))
        parts.append(f"{gib} GiB: {least:.2f}-{most:.2f} PB")
    return unfixed(
        "the ratings stand in none of the documents; the figure would belong to "
        + "; ".join(parts)
        + ". At the rating of one drive it is that drive's; one figure for both reviewed drives "
        "would need ratings of 3 to 4",
        "; ".join(parts),
    )


@check("DC-033", "DC-037", "DC-047")
def cycles_as_told(claim: Claim) -> Finding:
    return unfixed("a figure told by the maker or by hearsay; no document derives it")


@check("DC-034")
def more_cycles_raise_the_product(claim: Claim) -> Finding:
    product = facts.said("M500DC", "WLF x WAF at 3000 P/E cycles")
    more = product * 4000 / _ASSUMED_CYCLES
    for_one = _ASSUMED_CYCLES / product
    return compare(
        claim,
        more,
        f"at 4,000 cycles: with the rating fixed the product grows with the cycles; 1.00 is what "
        f"{for_one:,.0f} cycles would give, fewer than 3,000",
    )


@check("DC-035")
def product_of_one_needs_compression(claim: Claim) -> Finding:
    least = endurance.wear_product(128 * GIB, 1000, endurance.tbw(128 * GIB, 1000))
    return compare(
        claim,
        least,
        "the lower bound of WAF x WLF without compression; purely sequential writes with perfect "
        "levelling reach it, random writes do not",
    )


@check("DC-038")
def thousand_cycles_for_all(claim: Claim) -> Finding:
    rating = facts.Rating("PM843 120GB")
    least = endurance.implied_pe_cycles(rating.raw, rating.tbw)
    how = "cycles that 207 TB on 128 GiB need even at WAF x WLF = 1"
    return compare(claim, least, how, otherwise="contradicted")


@check("DC-039")
def cycles_times_bytes_per_day(claim: Claim) -> Finding:
    rating = facts.Rating("P400m 200GB")
    cycles = facts.external("P400m", "rated P/E cycles")
    per_day = facts.spec("P400m 200GB", "drive writes per day") * rating.user
    formula = cycles * per_day
    return holds(
        abs(formula / rating.best - 1) < 0.05,
        f"{formula / PB:.0f} PB a day, not {rating.best / PB:.1f} PB",
        "cycles x bytes a day has the unit bytes a day; tried on the P400m (20,000 cycles, "
        "external); it must be cycles x capacity / (WAF x WLF)",
        no="corrected",
    )


@check("DC-042")
def cycles_of_capacity(claim: Claim) -> Finding:
    total = endurance.tbw(128 * GIB, 1000)
    return holds(
        abs(total / GB - 128_000) < 0.5,
        f"{total / GB:,.0f} GB = {total / TIB:.0f} TiB",
        "1000 x 128 GiB; the TiB are right, the first unit must be GiB",
        no="corrected",
    )


@check("DC-044", "DC-050")
def cycles_a_rating_needs(claim: Claim) -> Finding:
    rating = facts.Rating(claim.drive)
    return compare(
        claim,
        endurance.implied_pe_cycles(rating.raw, rating.tbw),
        f"{rating.tbw / TB:,.0f}e12 bytes / 128 GiB; the print takes the decimal rating as binary",
    )


@check("DC-046")
def cycles_at_real_amplification(claim: Claim) -> Finding:
    rating = facts.Rating("PM843 120GB")
    waf = [facts.said("PM843 120GB", f"real write amplification, {end}") for end in ("low", "high")]
    low, high = endurance.implied_pe_cycles(rating.raw, rating.tbw, waf)
    least, most = (float(part) for part in claim.stated.split("-"))
    return holds(
        least <= low and high <= most,
        f"{low:,.0f}-{high:,.0f}",
        "207e12 bytes x 1.15 and 1.20 / 128 GiB",
        no="corrected",
    )


@check("DC-049")
def cycles_of_capacity_in_tib(claim: Claim) -> Finding:
    return compare(claim, endurance.tbw(128 * GIB, 3000) / TIB, "3000 x 128 GiB")


@check("DC-053")
def only_the_ratio_is_known(claim: Claim) -> Finding:
    ratings = [endurance.tbw(1024 * GIB, 3000 * k, 2.0 * k) for k in (1.0, 1.5, 2.0)]
    return holds(
        max(ratings) / min(ratings) - 1 < 1e-12,
        f"{ratings[0] / PB:.3f} PB three times",
        "3,000 cycles at WAF 2, 4,500 at 3 and 6,000 at 4 are one rating: only P/E / WAF is known",
        yes="explained",
    )


@check(*ids("P4", range(39, 42)))
def ten_drive_writes_a_day(claim: Claim) -> Finding:
    rating = facts.Rating(claim.drive)
    rate = endurance.dwpd(rating.best, rating.user, rating.years)
    return compare(claim, rate, f"{rating.best / PB:g} PB over 5 years of 365 days")


@check(*ids("P4", range(42, 45)))
def rating_of_the_p400m(claim: Claim) -> Finding:
    sister = facts.Rating("P400m 400GB" if claim.drive == "P400m 100GB" else "P400m 100GB")
    fills = endurance.drive_fills(sister.tbw, sister.user)
    user = facts.Rating(claim.drive).user
    daily = endurance.tbw_from_dwpd(10, user, 5)
    return compare(
        claim,
        fills * user / PB,
        f"{fills:,.0f} fills as of the {sister.user / GB:.0f} GB model; ten a day for five years "
        f"would be {daily / PB:g} PB",
    )


@check("P4-047")
def range_of_ratings(claim: Claim) -> Finding:
    rows = tables.endurance_ratings()
    values = rows[rows["drive"].str.startswith("P400m")]["tbw_tb"] / 1000
    low, high = (float(part) for part in claim.stated.split("-"))
    text = f"{values.min():g}-{values.max():g}"
    return holds((low, high) == (values.min(), values.max()), text, "the endurance table")


@check("P4-062")
def rating_of_the_s3700(claim: Claim) -> Finding:
    rate = facts.external("S3700", "drive writes per day")
    years = facts.external("S3700", "rating period")
    rating = endurance.tbw_from_dwpd(rate, facts.Rating(claim.drive).user, years)
    return compare(claim, rating / PB, "10 drive writes a day for 5 years (external)")
