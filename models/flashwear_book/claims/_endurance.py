"""Claims on ratings of endurance, cycles and retention, and the comments' argument on them."""

import re
from itertools import pairwise

import numpy as np

from flashwear import endurance, units
from flashwear.reliability.jedec import CLIENT, ENTERPRISE
from flashwear.reliability.rating import implied_cycles
from flashwear.units import GB, GIB, PB, TB, TIB
from flashwear_book import sources, tables
from flashwear_book.claims.registry import Answer, Claim, check, consistent, ids, judged, undecided
from flashwear_book.claims.rules import within


def _needs(rating: sources.Rating) -> tuple[str, str]:
    """Return the cycles that an enterprise rating implies, and a sentence that says so."""
    least, most = implied_cycles(rating.raw, rating.user, rating.best, ENTERPRISE)
    return (
        f"{least:,.0f} to {most:,.0f} cycles",
        f"The rating needs {least:,.0f} cycles if each byte of the host costs one of flash, "
        f"{most:,.0f} under the enterprise workload, where it costs {most / least:.2f} (uneven "
        "wear included).",
    )


@check("DC-044", "DC-050")
def implied_cycles_of_a_rating(claim: Claim) -> Answer:
    rating = sources.Rating(claim.drive)
    return endurance.implied_pe_cycles(rating.raw, rating.tbw), (
        f"{rating.tbw / TB:,.0f} TB of 10^12 bytes over {rating.raw / GIB:.0f} GiB; the thread's "
        "figure takes each factor of 1,000 in TB and PB as 1,024."
    )


def _all_cycles(claim: Claim) -> tuple[float, float, float]:
    """Return cycles, raw flash in GiB, and the bytes that both allow, by the comments."""
    cycles = sources.discussion(claim.drive, "P/E cycles of the consumer version")
    raw = sources.discussion(claim.drive, "raw capacity")
    return cycles, raw, endurance.tbw(raw * GIB, cycles)


@check(*ids("P4", range(39, 42)))
def ten_drive_writes_a_day(claim: Claim) -> Answer:
    rating = sources.Rating(claim.drive)
    both = [rating.best, rating.tbw]
    rate, printed = endurance.dwpd(both, rating.user, rating.years)
    how = f"{rating.best / PB:g} PB over {rating.years:.0f} years of 365 days."
    if rating.best != rating.tbw:
        how += f" (The printed {rating.tbw / PB:.1f} PB, a misprint, gives {printed:.2f}.)"
    return rate, how


@check("DC-049")
def cycles_of_capacity_in_tib(claim: Claim) -> Answer:
    cycles, raw, total = _all_cycles(claim)
    return total / TIB, f"{cycles:.0f} x {raw:.0f} GiB, over 2^40 bytes in a TiB."


@check("M6-066")
def rating_of_the_largest_m600(claim: Claim) -> Answer:
    listed, speaker = sources.stated("M600", "data sheet TBW, up to")
    return listed, f"The data sheet of the line rates it at up to {listed:.0f} TB.", speaker


@check(*ids("P4", range(42, 45)))
def rating_of_the_p400m(claim: Claim) -> Answer:
    sister = sources.Rating("P400m 400GB" if claim.drive == "P400m 100GB" else "P400m 100GB")
    fills = endurance.drive_fills(sister.tbw, sister.user)
    own = sources.Rating(claim.drive)
    daily = endurance.tbw_from_dwpd(own.dwpd, own.user, own.years)
    sheet, speaker = sources.stated(claim.drive, "data sheet TBW")
    how = (
        f"The data sheet rates it at {sheet:g} PB. The {sister.user / GB:.0f} GB model has "
        f"{fills:,.0f} fills, which make {fills * own.user / PB:g} PB here; {own.dwpd:.0f} a day "
        f"for {own.years:.0f} years would be {daily / PB:g} PB. {_needs(own)[1]}"
    )
    return sheet, how, speaker


@check("P4-062")
def rating_of_the_s3700(claim: Claim) -> Answer:
    rate, speaker = sources.stated("S3700", "drive writes per day")
    years, own = sources.external("S3700", "rating period"), sources.Rating(claim.drive)
    how = f"The data sheet allows {rate:.0f} drive writes a day for {years:.0f} years."
    rating = endurance.tbw_from_dwpd(rate, own.user, years)
    return rating / PB, f"{how} {_needs(own)[1]}", speaker


@check("DC-040", "DC-048")
def rating_for_sequential_writes(claim: Claim) -> Answer:
    rating = sources.Rating(claim.drive)
    interval, needs = _needs(rating)
    consumer = sources.discussion(claim.drive, "P/E cycles of the consumer version")
    product = endurance.wear_product(rating.raw, consumer, rating.tbw)
    how = (
        f"A rating for sequential writes. {needs} The {consumer:,.0f} cycles that the same thread "
        f"gives the flash would need {product:.2f} for each byte,"
    )
    if product >= 1:
        return undecided(f"{how} which is possible.", interval)
    how += " impossible without compression: rating and cycles cannot both be right."
    return consistent(False, interval, how)


@check("DC-038")
def thousand_cycles_for_all(claim: Claim) -> Answer:
    ratings = [sources.Rating(drive) for drive in ("PM843 120GB", "SM843 120GB")]
    least = [endurance.implied_pe_cycles(rating.raw, rating.tbw) for rating in ratings]
    return consistent(
        max(least) <= claim.value,
        " and ".join(f"{cycles:,.0f}" for cycles in least) + " cycles at least",
        "By the raw flash that the same thread assumes, the ratings of the PM843 and the SM843 "
        "need more cycles, even if nothing is written twice. The sheet itself was not seen.",
    )


@check("M6-065")
def rating_grows(claim: Claim) -> Answer:
    ratings = [sources.Rating(f"M600 {size}") for size in ("128GB", "256GB", "512GB", "1TB")]
    fills = [endurance.drive_fills(rating.tbw, rating.user) for rating in ratings]
    return (
        all(a.tbw < b.tbw for a, b in pairwise(ratings)) and max(fills) / min(fills) > 1.01,
        "/".join(f"{count:.0f}" for count in fills) + " fills",
        "By the specification table larger drives are rated for more, and for fewer times their "
        "own capacity.",
    )


def _daily() -> float:
    """Return the bytes a day that client drives should bear for years, by the thread."""
    return sources.discussion("client SSDs", "host writes they should bear for years") * GB


@check("M6-168", "C2-013")
def years_of_a_client(claim: Claim) -> Answer:
    load, rating = _daily(), sources.Rating("MX100").tbw
    years, warranty = endurance.lifetime_years(rating, load), sources.Rating("M600 128GB").years
    how = f"{rating / TB:.0f} TB at {load / GB:.0f} GB a day last longer than the warranty of"
    return years > warranty, f"{years:.1f} years", f"{how} {warranty:.0f} years."


@check("MX-073")
def below_the_mx200(claim: Claim) -> Answer:
    names = ("sequential read", "sequential write", "random read 4KB", "random write 4KB")
    new, old = "MX300 750GB", "MX200 1TB"
    ratios = {name: sources.spec(new, name) / sources.spec(old, name) for name in names}
    mx300, mx200 = sources.Rating(new), sources.Rating(old)
    ratios["TBW per GB"] = mx300.tbw / mx300.user / (mx200.tbw / mx200.user)
    down = [name for name, ratio in ratios.items() if ratio < 1]
    return judged(
        len(down) == len(ratios),
        ", ".join(f"{name} {100 * (ratio - 1):+.1f} %" for name, ratio in ratios.items()),
        f"By the specification table {len(down)} of {len(ratios)} ratings of the MX300 are below "
        "those of the 1 TB MX200.",
        part=", ".join(down) if down else None,
    )


def _of_the_thread() -> tuple[float, float, float]:
    """Return cycles, product and the rating that makes them agree, per byte of raw flash."""
    cycles = sources.discussion("M500DC", "P/E cycles of the calculation")
    product = sources.discussion("M500DC", "WLF x WAF at 3000 P/E cycles")
    return cycles, product, float(endurance.tbw(1, cycles, waf=product))


@check("DC-034")
def more_cycles(claim: Claim) -> Answer:
    cycles, product, rating = _of_the_thread()
    more = endurance.wear_product(1, 2 * cycles, rating)
    for_one = endurance.implied_pe_cycles(1, rating, claim.value)
    return (
        more < product,
        f"rises, to {more:.2f} at twice the cycles; {claim.value:.2f} takes {for_one:,.0f} cycles",
        f"With the rating fixed, WAF x WLF = raw flash x cycles / TBW. The {product} at "
        f"{cycles:,.0f} cycles grows with the cycles; the argument runs backwards.",
    )


@check("DC-053")
def only_the_ratio(claim: Claim) -> Answer:
    cycles, product, rating = _of_the_thread()
    factors = np.array([1, 2, 3])
    same = endurance.tbw(1, factors * cycles, waf=factors * product)
    pairs = (f"{factor * cycles:,.0f} at {factor * product:.2f}" for factor in factors)
    return (
        max(abs(same / rating - 1)) < 1e-12,
        f"one rating: {', '.join(pairs)}",
        "Pairs of cycles and of the product of write amplification and uneven wear that give the "
        "same rating: it fixes only the ratio of the two.",
    )


@check("DC-039")
def bytes_a_day(claim: Claim) -> Answer:
    rating = sources.Rating("P400m 200GB")
    cycles = sources.external("P400m", "rated P/E cycles")
    daily = sources.spec("P400m 200GB", "drive writes per day")
    formula = cycles * daily * rating.user
    return (
        within("about", formula / rating.best),
        f"{formula / PB:.0f} PB a day, not {rating.best / PB:.1f} PB",
        f"{cycles:,.0f} cycles x {daily:.0f} drive writes a day are bytes a day, and no total: on "
        f"the P400m {formula / rating.best:.0f} times too much. Right is cycles x capacity over "
        "WAF x WLF.",
    )


@check("DC-046")
def cycles_at_real_amplification(claim: Claim) -> Answer:
    rating = sources.Rating("PM843 120GB")
    what = "real write amplification"
    waf = [sources.discussion("PM843 120GB", f"{what}, {end}") for end in ("low", "high")]
    low, high = endurance.implied_pe_cycles(rating.raw, rating.tbw, waf)
    least, most = (float(part) for part in claim.stated.split("-"))
    how = f"{rating.tbw / TB:.0f} TB x {waf[0]:.2f} and {waf[1]:.2f} over {rating.raw / GIB:.0f}"
    how += " GiB. It follows from the cycles of DC-044, with their error."
    return least <= low and high <= most, f"{low:,.0f}-{high:,.0f}", how


@check("P4-047")
def range_of_ratings(claim: Claim) -> Answer:
    values = tables.endurance_ratings().query("drive.str.startswith('P400m')")["tbw_tb"] / 1000
    low, high = (float(part) for part in claim.stated.split("-"))
    text = f"{values.min():g}-{values.max():g}"
    return (low, high) == (values.min(), values.max()), text, "As in the endurance table."


@check("DC-029", "DC-030")
def retention(claim: Claim) -> Answer:
    required = {"enterprise": ENTERPRISE, "client": CLIENT}[claim.drive].off
    found = required.retention_s / {"months": units.YEAR / 12, "year": units.YEAR}[claim.unit]
    return (found == claim.value, f"{found:g} {claim.unit} at {required.temperature_c:.0f} °C",
            f"The standard JESD218 asks that a worn {claim.drive} drive keeps its data for "
            f"{found:g} {claim.unit} without power at {required.temperature_c:.0f} °C. The comment "
            "leaves the temperature out.", "independent")  # fmt: skip


@check("DC-042")
def cycles_of_capacity(claim: Claim) -> Answer:
    cycles, raw, total = _all_cycles(claim)
    stated = zip(("GB", "TiB"), (GB, TIB), re.findall(r"[\d.]+", claim.stated), strict=True)
    part = [f"the {name}" for name, unit, text in stated if abs(total / unit - float(text)) <= 0.5]
    return judged(
        len(part) == 2,
        f"{total / GB:,.0f} GB = {total / TIB:.0f} TiB",
        f"{cycles:.0f} x {raw:.0f} GiB are {total / GIB:,.0f} GiB, which the thread writes as GB.",
        part=" and ".join(part) if part else None,
    )


@check("C2-008")
def fifteen_years(claim: Claim) -> Answer:
    failed = sources.discussion("X25-M", "time to failure")
    cycles = sources.external("IMFT 25nm MLC", "P/E rating, low")
    written = claim.value * 365 * _daily()
    flash = written / endurance.tbw(1, cycles)
    how = (
        f"The next comment tells of a drive that failed after {failed:.0f} years, against never. "
        f"Wear alone would allow {claim.value:.0f} years: {_daily() / GB:.0f} GB a day come to "
        f"{written / TB:.0f} TB, the cycles of {flash / GB:.0f} GB of flash at {cycles:,.0f} each."
    )
    text = f"{failed:.0f} years, one drive"
    return undecided(how, text) if failed >= claim.value else consistent(False, text, how)
