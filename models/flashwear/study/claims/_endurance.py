"""Checks of the claims on endurance."""

import re
from fractions import Fraction
from itertools import pairwise

from flashwear import endurance, tables
from flashwear.reliability.jedec import CLIENT, ENTERPRISE, ApplicationClass
from flashwear.reliability.rating import implied_cycles
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, compare, ids, judged, undecided
from flashwear.study.claims.rules import within
from flashwear.units import GB, GIB, PB, TB, TIB, rounding_interval


def _needs(rating: sources.Rating, application: ApplicationClass) -> tuple[str, str]:
    """Return the interval of cycles that a rating implies, and a sentence that says so."""
    least, most = implied_cycles(rating.raw, rating.user, rating.best, application)
    load = {"client": "random writes", "enterprise": "the enterprise workload"}[application.name]
    return (
        f"{least:,.0f} to {most:,.0f} cycles",
        f"The rating needs {least:,.0f} cycles if each byte of the host costs one of flash, "
        f"{most:,.0f} under {load}, where it costs {most / least:.2f} (uneven wear included).",
    )


@check(*ids("M6", range(53, 57)), *ids("MX", range(64, 67)))
def rating_against_the_wear_budget(claim: Claim) -> Finding:
    rating = sources.Rating(claim.drive)
    interval, needs = _needs(rating, CLIENT)
    how = f"A rating is a promise, which no calculation confirms. {needs}"
    if "MLC" in sources.spec_text(claim.drive, "NAND"):
        older = sources.external("Micron 64Gbit MLC", "P/E endurance")
        room = endurance.wear_product(rating.raw, older, rating.tbw)
        how += f" The {older:,.0f} of an older MLC die would allow WAF x WLF = {room:.2f}."
    return undecided(how, interval)


@check("DC-040", "DC-048")
def rating_for_sequential_writes(claim: Claim) -> Finding:
    rating = sources.Rating(claim.drive)
    interval, needs = _needs(rating, ENTERPRISE)
    consumer = sources.discussion(claim.drive, "P/E cycles of the consumer version")
    product = endurance.wear_product(rating.raw, consumer, rating.tbw)
    how = (
        f"A rating for sequential writes. {needs} The {consumer:,.0f} cycles that the same thread "
        f"gives the flash would need {product:.2f} for each byte,"
    )
    if product >= 1:
        return undecided(f"{how} which is possible.", interval)
    return Finding(
        "in tension",
        "arithmetic",
        interval,
        f"{how} impossible without compression: rating and cycles cannot both be right.",
    )


@check(*ids("M6", range(57, 61)), *ids("MX", range(67, 70)))
def warranty_and_drive_writes_per_day(claim: Claim) -> Finding:
    rating = sources.Rating(claim.drive)
    rate = endurance.dwpd(rating.tbw, rating.user, rating.years)
    return undecided(
        "A warranty is a term of contract, which no calculation shows. With the rating it allows "
        f"{rate:.3f} drive writes a day.",
        f"{rate:.3f} DWPD",
    )


@check("M6-064")
def boost_from_72_to_100_tb(claim: Claim) -> Finding:
    before, after = sources.Rating("MX100").tbw, sources.Rating("M600 128GB").tbw
    earlier = sources.external("C400 128GB", "data sheet TBW")
    text = f"{100 * (after / before - 1):+.1f} %"
    return undecided(
        f"From {before / TB:.0f} to {after / TB:.0f} TB are {text}. The {before / TB:.0f} TB are "
        "given for no size. An older drive of the maker, the C400, is rated for "
        f"{earlier:.0f} TB at each size, but whether it is the one that is meant is not said.",
        text,
    )


@check("M6-065")
def rating_grows_less_than_capacity(claim: Claim) -> Finding:
    ratings = [sources.Rating(f"M600 {size}") for size in ("128GB", "256GB", "512GB", "1TB")]
    fills = [endurance.drive_fills(rating.tbw, rating.user) for rating in ratings]
    grows = all(a.tbw < b.tbw for a, b in pairwise(ratings))
    text = "/".join(f"{count:.0f}" for count in fills) + " fills"
    return judged(
        grows and max(fills) / min(fills) > 1.01,
        text,
        "By the specification table larger drives are rated for more, and for fewer times their "
        "own capacity.",
    )


@check("M6-066")
def rating_of_the_largest_m600(claim: Claim) -> Finding:
    listed = sources.external("M600", "data sheet TBW, up to")
    speaker = sources.speaker("M600", "data sheet TBW, up to")
    return compare(claim, listed, "The data sheet of the line rates it at up to 400 TB.", speaker)


@check("M6-168", "C2-013")
def years_at_twenty_gigabytes_a_day(claim: Claim) -> Finding:
    load = sources.discussion("client SSDs", "host writes they should bear for years")
    rating = sources.Rating("MX100").tbw
    years = endurance.lifetime_years(rating, load * GB)
    warranty = sources.Rating("M600 128GB").years
    return judged(
        years > warranty,
        f"{years:.1f} years",
        f"{rating / TB:.0f} TB at {load:.0f} GB a day last longer than the warranty of "
        f"{warranty:.0f} years.",
    )


@check("MX-073")
def mx300_below_the_mx200(claim: Claim) -> Finding:
    names = ("sequential read", "sequential write", "random read 4KB", "random write 4KB")
    ratios = {
        name: sources.spec("MX300 750GB", name) / sources.spec("MX200 1TB", name) for name in names
    }
    mx300, mx200 = sources.Rating("MX300 750GB"), sources.Rating("MX200 1TB")
    ratios["TBW per GB"] = mx300.tbw / mx300.user / (mx200.tbw / mx200.user)
    down = [name for name, ratio in ratios.items() if ratio < 1]
    text = ", ".join(f"{name} {100 * (ratio - 1):+.1f} %" for name, ratio in ratios.items())
    return judged(
        len(down) == len(ratios),
        text,
        f"By the specification table {len(down)} of {len(ratios)} ratings of the MX300 are below "
        "those of the 1 TB MX200.",
        part=", ".join(down) if down else None,
    )


def _rating_of_the_thread() -> tuple[float, float, float]:
    """Return cycles, product and the rating that makes them agree, per byte of raw flash."""
    cycles = sources.discussion("M500DC", "P/E cycles of the calculation")
    product = sources.discussion("M500DC", "WLF x WAF at 3000 P/E cycles")
    return cycles, product, float(endurance.tbw(1, cycles, waf=product))


@check("DC-032")
def wear_product_of_the_m500dc(claim: Claim) -> Finding:
    cycles, _, _ = _rating_of_the_thread()
    medium, large = (sources.m500dc_raw(f"M500DC {size}") for size in ("480GB", "800GB"))
    per_byte = medium / sources.user_capacity("M500DC 480GB")
    raws = [per_byte * sources.user_capacity(f"M500DC {size}") for size in ("120GB", "240GB")]
    parts = []
    for raw in (*raws, medium, large):
        least, most = sorted(
            endurance.tbw(raw, cycles, waf=end) / PB for end in rounding_interval(claim.stated)
        )
        parts.append(f"{raw / GIB:.0f} GiB: {least:#.3g}-{most:#.3g} PB")
    ratio = Fraction(round(medium / GIB), round(large / GIB))
    return undecided(
        "The ratings that went into the product are in none of the five documents. Computed is "
        "the rating that each raw capacity would need. One product for both reviewed drives "
        f"needs ratings in the ratio {ratio.numerator} : {ratio.denominator}.",
        "; ".join(parts),
    )


@check("DC-034")
def more_cycles_raise_the_product(claim: Claim) -> Finding:
    cycles, product, rating = _rating_of_the_thread()
    more = endurance.wear_product(1, 2 * cycles, rating)
    for_one = endurance.implied_pe_cycles(1, rating, claim.value)
    return judged(
        more < product,
        f"rises, to {more:.2f} at twice the cycles; {claim.value:.2f} takes {for_one:,.0f}",
        f"With the rating fixed, WAF x WLF = raw flash x cycles / TBW. The {product} at "
        f"{cycles:,.0f} cycles grows with the cycles; the argument runs backwards.",
    )


@check("DC-038")
def thousand_cycles_for_all(claim: Claim) -> Finding:
    ratings = [sources.Rating(drive) for drive in ("PM843 120GB", "SM843 120GB")]
    least = [endurance.implied_pe_cycles(rating.raw, rating.tbw) for rating in ratings]
    return judged(
        max(least) <= claim.value,
        " and ".join(f"{cycles:,.0f}" for cycles in least) + " cycles at least",
        "The ratings of the PM843 and the SM843 in the same thread need more cycles, even if "
        "nothing is written twice.",
    )


@check("DC-039")
def cycles_times_bytes_per_day(claim: Claim) -> Finding:
    rating = sources.Rating("P400m 200GB")
    cycles = sources.external("P400m", "rated P/E cycles")
    per_day = sources.spec("P400m 200GB", "drive writes per day") * rating.user
    formula = cycles * per_day
    return judged(
        within("about", formula / rating.best),
        f"{formula / PB:.0f} PB a day, not {rating.best / PB:.1f} PB",
        "Cycles x bytes a day are bytes a day, and no total. On the P400m the formula is off by a "
        "factor of more than ten; right is cycles x capacity / (WAF x WLF).",
    )


@check("DC-042")
def cycles_of_capacity(claim: Claim) -> Finding:
    cycles = sources.discussion(claim.drive, "P/E cycles of the consumer version")
    raw = sources.discussion(claim.drive, "raw capacity")
    total = endurance.tbw(raw * GIB, cycles)
    gigabytes, tebibytes = (float(number) for number in re.findall(r"[\d.]+", claim.stated))
    right = {
        "the GB": abs(total / GB - gigabytes) <= 0.5,
        "the TiB": abs(total / TIB - tebibytes) <= 0.5,
    }
    part = [name for name, agrees in right.items() if agrees]
    return judged(
        all(right.values()),
        f"{total / GB:,.0f} GB = {total / TIB:.0f} TiB",
        f"{cycles:.0f} x {raw:.0f} GiB are {total / GIB:,.0f} GiB, which the thread writes as GB.",
        part=" and ".join(part) if part else None,
    )


@check("DC-044", "DC-050")
def cycles_a_rating_needs(claim: Claim) -> Finding:
    rating = sources.Rating(claim.drive)
    return compare(
        claim,
        endurance.implied_pe_cycles(rating.raw, rating.tbw),
        f"{rating.tbw / TB:,.0f} TB of 10^12 bytes over {rating.raw / GIB:.0f} GiB; the thread's "
        "figure takes each factor of 1,000 in TB and PB as 1,024.",
    )


@check("DC-046")
def cycles_at_real_amplification(claim: Claim) -> Finding:
    rating = sources.Rating("PM843 120GB")
    waf = [
        sources.discussion("PM843 120GB", f"real write amplification, {end}")
        for end in ("low", "high")
    ]
    low, high = endurance.implied_pe_cycles(rating.raw, rating.tbw, waf)
    least, most = (float(part) for part in claim.stated.split("-"))
    return judged(
        least <= low and high <= most,
        f"{low:,.0f}-{high:,.0f}",
        f"{rating.tbw / TB:.0f} TB x {waf[0]:.2f} and {waf[1]:.2f} over {rating.raw / GIB:.0f} "
        "GiB. It follows from the cycles of DC-044, with their error.",
    )


@check("DC-049")
def cycles_of_capacity_in_tib(claim: Claim) -> Finding:
    cycles = sources.discussion(claim.drive, "P/E cycles of the consumer version")
    raw = sources.discussion(claim.drive, "raw capacity")
    total = endurance.tbw(raw * GIB, cycles)
    return compare(claim, total / TIB, f"{cycles:.0f} x {raw:.0f} GiB, over 2^40 bytes in a TiB.")


@check("DC-053")
def only_the_ratio_is_known(claim: Claim) -> Finding:
    cycles, product, rating = _rating_of_the_thread()
    pairs = [(factor * cycles, factor * product) for factor in (1, 2, 3)]
    same = [endurance.tbw(1, cycles, waf=waf) for cycles, waf in pairs]
    text = ", ".join(f"{cycles:,.0f} at {waf:.2f}" for cycles, waf in pairs)
    return judged(
        max(abs(total / rating - 1) for total in same) < 1e-12,
        f"one rating: {text}",
        "Pairs of cycles and of the product of write amplification and uneven wear that give the "
        "same rating: it fixes only the ratio of the two.",
    )


@check(*ids("P4", range(39, 42)))
def ten_drive_writes_a_day(claim: Claim) -> Finding:
    rating = sources.Rating(claim.drive)
    rate, printed = (
        endurance.dwpd(tbw, rating.user, rating.years) for tbw in (rating.best, rating.tbw)
    )
    how = f"{rating.best / PB:g} PB over {rating.years:.0f} years of 365 days."
    if rating.best != rating.tbw:
        how += f" (The printed {rating.tbw / PB:.1f} PB, a misprint, gives {printed:.2f}.)"
    return compare(claim, rate, how)


@check(*ids("P4", range(42, 45)))
def rating_of_the_p400m(claim: Claim) -> Finding:
    sister = sources.Rating("P400m 400GB" if claim.drive == "P400m 100GB" else "P400m 100GB")
    fills = endurance.drive_fills(sister.tbw, sister.user)
    own = sources.Rating(claim.drive)
    daily = endurance.tbw_from_dwpd(own.dwpd, own.user, own.years)
    sheet = sources.external(claim.drive, "data sheet TBW")
    return compare(
        claim,
        sheet,
        f"The data sheet rates it at {sheet:g} PB. The {sister.user / GB:.0f} GB model has "
        f"{fills:,.0f} fills, which make {fills * own.user / PB:g} PB here; {own.dwpd:.0f} a day "
        f"for {own.years:.0f} years would be {daily / PB:g} PB. {_needs(own, ENTERPRISE)[1]}",
        sources.speaker(claim.drive, "data sheet TBW"),
    )


@check("P4-047")
def range_of_ratings(claim: Claim) -> Finding:
    rows = tables.endurance_ratings()
    values = rows[rows["drive"].str.startswith("P400m")]["tbw_tb"] / 1000
    low, high = (float(part) for part in claim.stated.split("-"))
    text = f"{values.min():g}-{values.max():g}"
    return judged((low, high) == (values.min(), values.max()), text, "As in the endurance table.")


@check("P4-062")
def rating_of_the_s3700(claim: Claim) -> Finding:
    rate = sources.external("S3700", "drive writes per day")
    years = sources.external("S3700", "rating period")
    own = sources.Rating(claim.drive)
    rating = endurance.tbw_from_dwpd(rate, own.user, years)
    how = f"The data sheet allows {rate:.0f} drive writes a day for {years:.0f} years."
    speaker = sources.speaker("S3700", "drive writes per day")
    return compare(claim, rating / PB, f"{how} {_needs(own, ENTERPRISE)[1]}", speaker)
