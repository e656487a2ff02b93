"""The whole answer of a choice: lines, a table and costs by year, after the sentence."""

import math

from flashwear.choose._choose import Choice, Ranked, amount, other_gauges
from flashwear.choose._load import Range
from flashwear.choose._needs import Needs
from flashwear.choose._words import in_years, measure, money, needed, sentence, span, spreads

_ENDINGS = {
    "any": "Any of these: buy by price.", "most": "Most of these: buy by price.",
    "class": "One class only.",
    "stack": "Change the stack, not the drive.", "cannot": "Cannot say yet.",
}  # fmt: skip
_VERDICTS = {"fits": "fits", "worn": "worn before", "unsuited": "does not suit",
             "unknown": "not known"}  # fmt: skip
_RATING = (
    "A rating is what the maker warrants, not the end of a drive. "
    "Past it, keep copies, and watch spare blocks and errors."
)
_TWINS = "Drives of one batch that share a load reach their rating together: mix batches."
_PAGED = "Without power-loss protection, years and room count a page of flash for each sync."
_SYNCS = (
    "Bytes that were measured do not tell how often a program waits for them: where a database or "
    "machines do, ask for power-loss protection."
)
_NO_PRICE = "No price was read of {}: a price has a currency, as 85 EUR, or a column of its own."
_SHOWN = 8
_WORTH = 0.75  # of the band, beyond which a measurement does not narrow it
_SPARE = 0.068  # of a drive's flash, as GiB sold as GB


def changes(found: Choice) -> list[str]:
    """Return what would change the order, in sentences."""
    lines = []
    fits = [one for one in found.ranked if one.verdict == "fits" and one.cost_per_year]
    first, cost = (fits[0], fits[0].cost_per_year) if fits else (None, None)
    if first and cost:
        for second in fits[1:2]:
            sure = round(10 * (first.first or 0))
            often = (
                "whatever the load is in its band"
                if sure == 10
                else f"in {sure} of 10 draws of the load"
            )
            lines.append(f"{first.candidate.model} is the cheapest of those known to fit {often}.")
            other = second.cost_per_year or cost
            price = (second.candidate.price or 0) * cost.middle / other.middle
            lines.append(f"{second.candidate.model} would be first below {money(price, second)}.")
        for one in found.ranked:
            own, count = one.cost_per_year, one.drives
            if one.verdict == "worn" and own and count and own.middle < cost.middle:
                lines.append(
                    f"{one.candidate.model} costs less, {money(own.middle, one)} a year and up to "
                    f"{money(own.high, one)}, if replaced: up to {count.high:.0f} drives."
                )
    for what, times, model in found.mends:
        then = f", and the {model} fits" if model else ""
        lines.append(f"{what[:1].upper()}{what[1:].rstrip(',')}: {times:.1f} times less{then}.")
    if not found.needs.trim:
        full, trimmed = copied(_SPARE / (1 - _SPARE)), _with_trim(found)
        least = f", with TRIM {trimmed:.1f}" if trimmed else ""
        lines.append(
            "Without TRIM a drive that was written once is full to itself: of small random writes "
            f"flash takes up to {full:.1f} times the bytes{least}. Its rating counts the host's "
            "bytes and stays; its gauge and its speed suffer. Leave a fifth of it unpartitioned."
        )
    return lines


def copied(op: float) -> float:
    r"""Return the write amplification of random writes where the oldest block is cleaned.

    It is :func:`flashwear.wa.fifo`, :math:`1/(1-u)` with :math:`u = e^{-(1 + op)(1 - u)}`.

    Examples
    --------
    >>> round(copied(0.25), 2)
    2.69
    """
    left = 0.5
    for _ in range(2000):  # it closes in slowly where op is small
        left = math.exp(-(1 + op) * (1 - left))
    return 1 / (1 - left)


def _with_trim(found: Choice) -> float | None:
    """Return the same for the first drive, as full as the data make it."""
    needs, one = found.needs, found.ranked[0].candidate
    usable = needs.array.drives * one.capacity_bytes * needs.array.usable
    part = needs.space_bytes / usable
    return copied(1 / ((1 - _SPARE) * part) - 1) if 0 < part < 1 else None


def answer(found: Choice) -> list[str]:
    """Return the whole answer as lines, the sentence first."""
    all_fit = all(one.verdict == "fits" for one in found.ranked)
    ending = _ENDINGS["most" if found.ending == "any" and not all_fit else found.ending]
    if found.ending == "any" and not found.needs.space_bytes:
        ending = ending.replace(":", ", if the data fit:")
    needs, fits = found.needs, [one for one in found.ranked if one.verdict == "fits"]
    poor = needs.bytes_per_day and any(
        one.candidate.dram is False or (one.candidate.bits or 3) > 3 for one in fits
    )
    slow = needs.advises_protection and not all(one.candidate.protected for one in fits)
    if not found.listed:
        ending = ending.replace("Most of these", f"Any of the {len(fits)} that do")
    if poor or slow:
        ending = ending.replace(": buy by price", ": by endurance; see what is said of each")
    if spreads(found):
        ending = "No one drive holds it."
    elif found.ending == "class" and (found.listed or found.ranked[0].verdict != "fits"):
        ending = f"{ending[:-1]}: a drive {needed(found)}."
    lines = [sentence(found), "", ending, ""]
    lines.append(f"Bytes a day of each drive: {_ends(found.bytes_per_day)}")
    lines += [f"  {one.name}: {_ends(one.bytes_per_day)}" for one in found.layers]
    loads = dict.fromkeys(one.named for one in found.needs.loads)
    lines += [f"  Of {one.name}: {one.note}." for one in loads if one.note]
    shown = found.ranked[: _SHOWN if len(found.ranked) > 3 * _SHOWN else None]
    safe = [one for one in fits if one.candidate.power_loss]
    if found.needs.advises_protection and safe and not any(o.candidate.power_loss for o in shown):
        shown = (*shown[:-1], safe[0])
    lines += [
        "",
        f"Drives for the {in_years(found.needs.years)}, best first"
        if found.listed
        else f"Examples for the {in_years(found.needs.years)}; many are no longer sold new",
        *_listed(shown, found.needs),
    ]
    if shown != found.ranked:
        lines.append(f"  Of {len(found.ranked)} drives {len(fits)} fit.")
    if found.instead:
        lines += [
            "",
            "Rated drives that would do, without prices",
            *_listed(found.instead, found.needs),
        ]
    free = sum(one.candidate.price is None for one in found.ranked)
    if found.listed and free:
        lines.append(f"  {_NO_PRICE.format(f'{free} of {len(found.ranked)}')}")
    if needs.counted.syncs_per_s(2) and any(o.candidate.protected is False for o in found.ranked):
        lines.append(f"  {_PAGED}")
    if needs.bytes_per_day and not all(o.candidate.protected for o in found.ranked):
        lines.append(f"  {_SYNCS}")
    if told := changes(found):
        lines += ["", "What would change the order", *(f"  {line}" for line in told)]
    if one := measure(found):
        aim = f"make the band of bytes a day {1 / one.narrower:.2g} times narrower"
        if one.narrower > _WORTH:
            aim = "know whether it writes as described"
        lines += ["", f"To {aim}, measure {one.what}:"]
        lines.append(f"  {one.command}")
    twins = found.needs.array.drives > 1
    gauge = other_gauges()
    field = (
        f"The gauges of nine in ten models in the field reach 100 % after {gauge.low:.1f} to "
        f"{gauge.high:.1f} times the rating, the middle one after {gauge.middle:.1f}."
    )
    return [*lines, "", _RATING, field, *[_TWINS] * twins]


def _ends(ends: Range) -> str:
    low, middle, high = map(amount, ends)
    return middle if low == high else f"{low} to {high}, middle {middle}"


def _listed(ranked: tuple[Ranked, ...], needs: Needs) -> list[str]:
    trim, places = needs.trim, needs.array.drives
    lines = []
    for place, one in enumerate(ranked, 1):
        facts = [_VERDICTS[one.verdict]]
        if one.years and one.margin:
            if one.verdict == "worn" and one.margin.high >= 1:
                facts = ["may be worn before" if one.margin.middle >= 1 else "likely worn before"]
            facts.append(f"at its rating in {span(one.years)}")
            times = one.margin.middle
            facts.append(f"{times:,.{0 if times >= 10 else 1}f} times the need")
        if one.gauge_years and one.gauge_of_line:
            but = "" if trim else ", which get TRIM"
            facts.append(f"its gauge at 100 % in {span(one.gauge_years)}, as of its line{but}")
        if one.candidate.server_year:
            facts.append(f"announced in {one.candidate.server_year}")
        if one.sustained:
            low, _, high = (amount(speed) for speed in one.sustained)
            facts.append(f"past its cache {low} to {high} a second in order")
        if 0 < one.full_years < math.inf:
            facts.append(f"full in {one.full_years:.1f} years")
        if one.cost_per_year and one.drives and one.cost_per_tb and one.full_years >= needs.years:
            few, count, many = one.drives
            ends = f"{few:.0f} to {many:.0f}" if few < many else f"{many:.0f}"
            all_of = f" for all {places}" if places > 1 else ""
            several = f", with {count:.0f} in each place ({ends})"
            facts.append(f"{money(one.cost_per_year.middle, one)} a year{all_of}"
                         + several * (many > 1))  # fmt: skip
            facts.append(f"{money(one.cost_per_tb, one)} a usable TB")
            written = f"{one.cost_per_tb_written:.2g} {one.candidate.currency}".strip()
            facts.append(f"{written} a TB written")
        bus = f" ({one.candidate.interface})" if one.candidate.interface else ""
        lines.append(f"  {place}. {one.candidate.model}{bus}: {'; '.join(facts)}")
        lines += [f"     {reason}" for reason in one.reasons]
    return lines


def table(found: Choice) -> list[dict[str, str | float | None]]:
    """Return a row for each candidate, for a spreadsheet: bytes in TB and GB, years, money."""

    def ends(name: str, of: Range | None) -> dict[str, float | None]:
        told = zip(("low", "middle", "high"), of or (None,) * 3, strict=True)
        return {f"{name}_{end}": None if one is None else float(f"{one:.4g}") for end, one in told}

    return [
        {"model": one.candidate.model, "verdict": one.verdict, "price": one.candidate.price,
         "currency": one.candidate.currency, "capacity_gb": one.candidate.capacity_bytes / 1e9,
         "tbw_tb": one.candidate.rated_bytes and one.candidate.rated_bytes / 1e12,
         **ends("gb_a_day", found.bytes_per_day.times(1e-9)), **ends("years_to_rating", one.years),
         **ends("margin", one.margin), **ends("drives", one.drives),
         **ends("cost_a_year", one.cost_per_year),
         **ends("sustained_mb_s", one.sustained and one.sustained.times(1e-6)),
         "reasons": "; ".join(one.reasons)}
        for one in found.ranked
    ]  # fmt: skip


def costs(found: Choice) -> list[tuple[str, list[Range]]]:
    """Return what each drive with a price has cost after each year: whole drives, all places.

    Those that do not suit the load are left out.

    Examples
    --------
    >>> from flashwear.choose import Needs, candidates, choose, between
    >>> drive = candidates("X 1TB 400 TBW 60 EUR")
    >>> found = choose(Needs(bytes_per_day=between(1e12), years=3), drive)
    >>> [round(year.middle) for year in costs(found)[0][1]]
    [60, 120, 180]
    """
    places, years = found.needs.array.drives, range(1, math.ceil(found.needs.years) + 1)

    def paid(price: float, last: Range, year: int) -> Range:
        return Range(*(places * price * math.ceil(year / one) for one in reversed(last)))

    return [
        (one.candidate.model, [paid(price, one.years, year) for year in years])
        for one in found.ranked
        if (price := one.candidate.price) is not None
        and one.years and one.verdict != "unsuited"
    ]  # fmt: skip
