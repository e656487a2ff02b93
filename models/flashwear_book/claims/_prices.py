"""Claims on prices, which the tables of the same documents test."""

from dataclasses import replace
from functools import cache

import pandas as pd

from flashwear import pricing
from flashwear.units import GB, PB, rounding_interval
from flashwear_book import sources, tables
from flashwear_book.claims.registry import Answer, Claim, Decision, check, compare, ids, judged
from flashwear_book.claims.rules import THRESHOLDS, within


@cache
def _table(year: int) -> pd.DataFrame:
    prices = tables.prices_2014() if year == 2014 else tables.prices_2016()
    return prices.set_index("drive")


def _cents(drive: str) -> float:
    row = _table(2016).loc[drive]
    return float(100 * pricing.price_per_gb(row["price_usd"], row["capacity_gb"] * GB))


def _in_tension(found: Decision) -> Decision:
    how = f"{found.how} Price and price per GB in one row of the table cannot both be right."
    return replace(found, outcome="in tension", how=how)


@check(*ids("MX", range(180, 213, 2)))
def printed_cents_per_gb(claim: Claim) -> Answer:
    row = _table(2016).loc[claim.drive]
    how = f"The printed price of {row['price_usd']:.2f} USD over {row['capacity_gb']:.0f} GB."
    found = compare(claim, _cents(claim.drive), how)
    return found if found.outcome == "holds" else _in_tension(found)


@check(*ids("MX", range(179, 212, 2)))
def price_against_its_printed_cents_per_gb(claim: Claim) -> Answer:
    row = _table(2016).loc[claim.drive]
    printed = f"{row['stated_cents_per_gb']:.1f}"
    low, high = rounding_interval(printed, row["capacity_gb"] / 100)
    how = (
        f"The printed {printed} cents/GB for {row['capacity_gb']:.0f} GB allow {low:.2f} to "
        f"{high:.2f} USD. This checks the row against itself, not the market."
    )
    middle = float(row["stated_cents_per_gb"] * row["capacity_gb"] / 100)
    found = Decision("holds", "arithmetic", middle, how, middle - claim.value)
    return found if low <= claim.value <= high else _in_tension(found)


@check("M6-211")
def premium_of_the_m600_over_the_mx100(claim: Claim) -> Answer:
    prices = _table(2014).set_index(["model", "capacity_gb"])["price_usd"]
    m600, mx100 = prices["Micron M600"], prices["Crucial MX100"]
    shares = 100 * pricing.premium(m600[mx100.index], mx100)
    stated = [float(share) for share in claim.stated.split("/")]
    is_right = (shares > 0).all() and (abs(shares - stated) <= 0.05).all()
    how = "The price of the M600 over that of the MX100 of its size, from the table."
    return is_right, "/".join(f"{share:+.1f}" for share in shares), how


_LISTED = {
    "MX300 750GB": "Crucial MX300 750GB",
    "MX200 500GB": "Crucial MX200 500GB",
    "MX200 1TB": "Crucial MX200 1TB (1000)",
}


@check(*ids("MX", range(70, 73)))
def price_in_the_specification_table(claim: Claim) -> Answer:
    return float(_table(2016)["price_usd"][_LISTED[claim.drive]]), (
        "The price table of the same document prints the price again, so that there is no slip in "
        "it; the market price of the day was not checked."
    )


@check("MX-080")
def price_per_gb_on_par_with_the_mx200(claim: Claim) -> Answer:
    mx300, small, large = (_cents(name) for name in _LISTED.values())
    text = f"{mx300:.1f} vs {large:.1f}/{small:.1f}"
    how = f"Cents per GB by the price table; on par is within {100 * THRESHOLDS['equal'][0]:.0f} %."
    return within("equal", [mx300 / small, mx300 / large]), text, how


def _models_by_bits(bits: int) -> list[str]:
    """List the models of 2016 that the documents or other pages give so many bits per cell.

    The X400 is planar TLC by the text; the others with three bits are planar too, since the
    makers of the first two lines of 3D flash, Samsung and Micron, are not among them.
    """
    rows = tables.external().query("quantity == 'bits per cell' and value == @bits")
    models = {*rows["drive"]} & {*_table(2016)["model"]}
    if bits == 3 and sources.spec_text("X400", "NAND") == "planar TLC":
        models.add("SanDisk X400")
    return sorted(models)


def _cents_of(model: str) -> list[float]:
    return [_cents(drive) for drive in _table(2016).query("model == @model").index]


@check("MX-082")
def between_planar_tlc_and_mlc(claim: Claim) -> Answer:
    own = _cents("Crucial MX300 750GB")
    cheaper = {model for model in _table(2016)["model"] if min(_cents_of(model)) < own}
    mlc = [model for model in _models_by_bits(2) if model in cheaper]
    tlc = {model: max(_cents_of(model)) for model in _models_by_bits(3)}
    dearest, below = max(tlc.values()), [model for model, most in tlc.items() if most < own]
    if unknown := cheaper - {*_models_by_bits(2), *tlc}:
        raise ValueError(f"bits per cell must be known of every cheaper model, not of {unknown}")
    return (
        len(mlc) <= 1 and within("almost", own / dearest),
        f"{len(mlc)} MLC model cheaper per GB: {', '.join(mlc)}; {len(below)} of {len(tlc)} planar "
        "TLC models too",
        f"By the price table {own:.1f} cents/GB against {dearest:.1f} for the dearest planar TLC "
        "drive. Which models have planar TLC or MLC flash is from other publishers.",
        "independent",
    )


@check("MX-166")
def priced_in_the_middle(claim: Claim) -> Answer:
    largest = _table(2016).sort_values("capacity_gb").groupby("model").tail(1)
    cents = [_cents(drive) for drive in largest.index]
    rank = sum(each < _cents("Crucial MX300 750GB") for each in cents) + 1
    how = (
        "By cents per GB of each model's largest drive, the cheapest first; the middle is a third."
    )
    return len(cents) / 3 < rank <= 2 * len(cents) / 3, f"rank {rank} of {len(cents)}", how


@check("MX-169")
def x400_cheaper_than_the_mx300(claim: Claim) -> Answer:
    x400, mx300 = _cents_of("SanDisk X400"), _cents("Crucial MX300 750GB")
    how = "Cents per GB by the price table: the X400 at both capacities, and the MX300."
    return max(x400) < mx300, f"{x400[0]:.1f}/{x400[1]:.1f} vs {mx300:.1f}", how


@check("MX-213")
def sorted_by_price_per_gb_of_the_largest_drive(claim: Claim) -> Answer:
    first = _table(2016).groupby("model", sort=False).head(1).index
    cents = [_cents(drive) for drive in first]
    how = "Cents per GB of each model's largest drive, from row to row of the table."
    return cents == sorted(cents), " < ".join(f"{value:.1f}" for value in cents), how


@check("P4-001")
def m500_below_600_dollars(claim: Claim) -> Answer:
    price, speaker = sources.stated("M500 960GB", "launch price")
    per_gb = 100 * pricing.price_per_gb(price, sources.user_capacity(claim.drive))
    how = "Forecast; the price at launch, by a later article of the same publisher, makes"
    return price < claim.value, price, f"{how} {per_gb:.1f} cents/GB.", speaker


@check("P4-116")
def p400m_competitive_below_the_price_of_the_s3700(claim: Claim) -> Answer:
    price, rating = sources.spec("S3700 200GB", "price"), sources.Rating("S3700 200GB").tbw
    p400m = sources.Rating("P400m 200GB")
    even, as_printed = (
        pricing.break_even_price(tbw, price, rating) for tbw in (p400m.best, p400m.tbw)
    )
    how = (
        f"A TB of rated writes costs what the S3700's does ({rating / PB:.2f} PB for {price:.0f} "
        f"USD) at {even:.1f} USD for the P400m's {p400m.best / PB:.1f} PB ({as_printed:.1f} USD "
        f"with the misprinted {p400m.tbw / PB:.1f} PB), so that at an equal price it is the worse "
        "buy. By other measures of worth nothing is decided."
    )
    part = None if even >= price else "by the price of a TB written"
    return judged(False, float(even), how, part=part)
