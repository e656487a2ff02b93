"""A choice in words: the sentence first, then what stands behind it."""

import math
from typing import NamedTuple

from flashwear.choose._choose import (
    LOW_MARGIN,
    MUCH,
    Choice,
    Ranked,
    amount,
    down,
    least_rating,
    other_gauges,
)
from flashwear.choose._load import DAY_S, Load, Range, between
from flashwear.choose._needs import Needs, band, days_of

_ENDINGS = {
    "any": "Any of these: buy by price.", "most": "Most of these: buy by price.",
    "class": "One class only.",
    "stack": "Change the stack, not the drive.", "cannot": "Cannot say yet.",
}  # fmt: skip
_VERDICTS = {"fits": "fits", "worn": "worn before", "unsuited": "does not suit",
             "unknown": "not known"}  # fmt: skip
_WHY = {"postgres": "sudo flashwear why --minutes 60 --postgres 'psql -X'",
        "mysql": "sudo flashwear why --minutes 60 --innodb mariadb",
        "rocksdb": "sudo flashwear why --minutes 60 --rocksdb LOG"}  # fmt: skip
_WEEK = ("smartctl -x DEVICE > monday.txt; a week later smartctl -x DEVICE > later.txt; "
         "flashwear choose --report monday.txt later.txt")  # fmt: skip
_PARTS = {"rate": ("writes a second", ""), "row": ("bytes of a row or write", "row=4096"),
          "commit": ("rows to a commit", "commit=1"), "data_gb": ("size of the data", "data=20"),
          "indexes": ("indexes that a change changes", "indexes=1"),
          "gb": ("GB a day", "gb")}  # fmt: skip
_WIDE = 5.0  # of the high end over the low one
_RATING = (
    "A rating is what the maker warrants, not the end of a drive. "
    "Past it, keep copies, and watch spare blocks and errors."
)
_TWINS = "Drives of one batch that share a load reach their rating together: mix batches."
_SHOWN = 8
_DEAR = 0.8  # of the price of the best drive, below which another is worth a word
_LATE = 0.7  # of the years, from which a drive that is full is worth a word
_WORTH = 0.9  # of the band, beyond which a measurement does not narrow it
_SPARE = 0.068  # of a drive's flash, as GiB sold as GB


class Measure(NamedTuple):
    """What to measure next."""

    what: str
    command: str
    narrower: float
    """Width of the band with it over the width without, as logarithms."""


def sentence(found: Choice) -> str:
    """Return the answer in some sentences.

    Examples
    --------
    >>> from flashwear.choose import Needs, candidates, choose, load
    >>> found = choose(Needs((load("laptop"),)), candidates("Samsung 870 EVO 1TB 85 EUR"))
    >>> sentence(found)[:80]
    'The Samsung 870 EVO 1TB lasts the 5 years by its rating, with room for 1.9 times'
    """
    unchecked = ""
    if not found.needs.space_bytes:
        unchecked = _kept(found) or " Whether the data fit, now and as they grow, was not checked."
    return _shared(found) + _answered(found) + _untold(found) + unchecked


def _kept(found: Choice) -> str:
    """Say how many days of recordings the first drive keeps, where nothing else runs."""
    needs, best = found.needs, found.ranked[0].candidate
    if not needs.loads or any(one.named.unit != "camera" for one in needs.loads):
        return ""
    array = needs.array
    room = array.drives * best.capacity_bytes * array.usable * needs.fill
    each = [DAY_S * sum(one.bytes_per_s("none", at) for one in needs.loads) for at in (2, 0)]
    least, most = (f"{room / day:.1f}" for day in each)
    days = least if least == most else f"{least} to {most}"
    keep = "keeps" if array.drives == 1 else "keep"
    return f" {array.text.capitalize()} of that size {keep} {days} days of recordings."


def _answered(found: Choice) -> str:
    best = found.ranked[0]
    if best.verdict == "fits" and found.ending == "cannot":
        low, _, high = map(amount, found.bytes_per_day)
        grows = next(one.named.what for one in found.needs.loads if one.named.grows)
        return (f"Cannot say: the data of {grows} grow, and fill a drive before it is worn. Tell "
                f"their size and growth. For {low} to {high} a day take a drive {_needed(found)}."
                )  # fmt: skip
    if best.verdict == "fits":
        price = best.candidate.price or 0
        unknown = [one for one in found.ranked if one.verdict == "unknown"]
        cheaper = [one for one in unknown if (one.candidate.price or price) < price]
        cheaper.sort(key=lambda one: (one.candidate.other, one.candidate.price))
        left = (
            f" (The {cheaper[0].candidate.model} costs less: {cheaper[0].reasons[0]}.)"
            if cheaper else ""
        )  # fmt: skip
        if others := ", ".join(one.candidate.model for one in cheaper[1:4]):
            left = f"{left[:-1]} So do: {others}.)"
        but = "; ".join(one for one in best.reasons if not one.startswith(LOW_MARGIN))
        if not found.listed:
            count = sum(one.verdict == "fits" for one in found.ranked)
            slot = f" with {found.needs.interface}" if found.needs.interface else ""
            such = f", such as the {best.candidate.model}" if best.candidate.server_year else ""
            return (
                f"A drive {_needed(found)} lasts the {_years(found.needs.years)} by its rating. "
                f"Of {len(found.ranked)}{slot} that are rated here {count} do{such}."
                f"{_nearly(found)}{_unpowered(found)}"
            )
        tempting = (one for one in found.ranked if one.verdict in ("unsuited", "worn"))
        other = next((one for one in tempting if (one.candidate.price or math.inf) < price), None)
        return (
            f"The {_lasts(best, found)}."
            + (f" But: {but}." if but else "")
            + (f" The {_fails(other, found)}." if other else "")
            + left
        )
    if best.verdict == "unknown":
        return f"Cannot say: {best.reasons[0]} ({best.candidate.model})."
    if found.needs.array.drives == 1 and all(one.full_years < 0 for one in found.ranked):
        return _spread(found)
    text = f"The {_fails(best, found)}."
    if found.mended:
        what, mended = found.mended
        text = f"{text} Or buy a drive {_needed(found)}." if found.instead else text
        times = next(one.times for one in found.mends if one.what == what)
        return (f"Change the stack first: {what} writes {times:.1f} times less, "
                f"and then the {_lasts(mended, found)}. As it is, the {text[4:]}")  # fmt: skip
    if found.ending == "cannot":
        return (f"Cannot say: it takes a drive {_needed(found)}, and the {best.candidate.model} is "
                f"rated for {amount(best.candidate.rated_bytes or 0)}.{_middle(best)}")  # fmt: skip
    if found.instead:
        other = found.instead[0]
        model = other.candidate.model
        lasts = _lasts(other, found).removeprefix(f"{model} ")
        saved = [one[:2] for one in found.mends if one.times >= MUCH]
        first = (
            "Change the stack first: {} writes {:.1f} times less. As it is, n".format(*saved[0])
            if saved
            else "N"
        )
        return (f"{first}one of these: buy a drive {_needed(found)}, such as the {model}, "
                f"which {lasts}. {text}")  # fmt: skip
    return f"None of these, nor any drive whose rating is known here. {text}"


def _unpowered(found: Choice) -> str:
    months = found.needs.months_off
    if months <= 12:
        return ""
    return (f" No maker promises data after {months:g} months without power: switch it on in "
            "between, or keep a copy.")  # fmt: skip


def _nearly(found: Choice) -> str:
    """Name the size that is full a little before the years are over."""
    years = found.needs.years
    late = [one for one in found.ranked if _LATE * years < one.full_years < years]
    if not late:
        return ""
    one = max(late, key=lambda one: one.full_years)
    size = amount(one.candidate.capacity_bytes)
    return f" One of {size} would be full after {one.full_years:.1f} years."


def _spread(found: Choice) -> str:
    """Say how many of the largest drive hold the data."""
    largest = max((one.candidate for one in found.ranked), key=lambda one: one.capacity_bytes)
    count = math.ceil(found.needs.drive_bytes / largest.capacity_bytes)
    return (f"No one of these holds the data: {count} of the {largest.model} do. Ask again with "
            f"--raid stripe:{count}, or raid5:{max(count + 1, 3)} to bear the loss of one."
            )  # fmt: skip


def _lasts(one: Ranked, found: Choice) -> str:
    margin, years = one.margin or between(1.0), found.needs.years
    most = min(math.floor(margin.low), 1000)
    times = "twice" if most < 3 else f"{most:,} times" + " and more" * (most == 1000)
    over = f" {margin.middle:.1f} times over at the middle of the band"
    if margin.low < 1:
        over += f", and for {math.floor(100 * margin.low)} % of them at its high end"
    if margin.low >= 2:
        over = f" {times} over at the high end"
    elif 1 <= margin.low < 1.05:
        over = " and no more at the high end"
    elif margin.low >= 1.05:
        over = f", with room for {down(margin.low)} times the load at the high end"
    places = found.needs.array.drives
    all_of = f" for all {places}" if places > 1 else ""
    cost = (
        f", for {_money(one.cost_per_year.middle, one)} a year{all_of}" if one.cost_per_year else ""
    )
    return f"{one.candidate.model} lasts the {_years(years)} by its rating{over}{cost}"


def _years(count: float) -> str:
    return "year" if count == 1 else f"{count:g} years"


def _fails(one: Ranked, found: Choice) -> str:
    model, years = one.candidate.model, one.years
    if years is None or years.low >= found.needs.years:
        how = "does not suit" if one.verdict == "unsuited" else "may not last"
        return f"{model} {how}: {one.reasons[0]}"
    sure = "would" if years.high < found.needs.years else "may"
    ends = f"{sure} be at its rating in {_span(years)}{_since(found)}"
    suits = f" does not suit: {one.reasons[0]}; it" if one.verdict == "unsuited" else ""
    return f"{model}{suits} {ends}"


def _since(found: Choice) -> str:
    """Say what is written for a row of the largest load."""
    below = found.needs.below
    loads = [one for one in found.needs.loads if one.named.program]
    if not loads:
        return ""
    one = max(loads, key=lambda load: load.bytes_per_s(below, 1))
    each = amount(one.bytes_per_s(below, 1) * one.named.error.middle / one.rate.middle)
    where = "" if below == "none" else f" on {below}"
    thing = "write" if one.named.program == "write" else one.named.unit
    of = f"{one.row.middle:,.0f} bytes"
    return f", since {one.named.name}{where} writes {each} for each {thing} of {of}"


def _span(years: Range) -> str:
    if years.high > 100:
        return "more than 100 years" if years.low > 100 else f"{years.low:.2g} to over 100 years"
    unit, times = ("months", 12) if years.high < 2 else ("years", 1)
    ends = [times * one for one in (years.low, years.high)]
    low, high = (f"{one:.{0 if one >= 10 else 1}f}" for one in ends)
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def _money(value: float, one: Ranked) -> str:
    return f"{value:,.0f} {one.candidate.currency}".strip()


def _narrowed(found: Choice) -> list[tuple[float, str, str]]:
    """Return parts of the loads, that which narrows the band most first: share left, words, key."""
    needs = found.needs

    def left(one: Load, place: int, field: str) -> float:
        known = one.knowing(field, getattr(one, field).middle)
        loads = (*needs.loads[:place], known, *needs.loads[place + 1 :])
        return _width(band(days_of(needs._replace(loads=loads)))) / _width(found.bytes_per_day)

    return sorted(
        (left(one, place, field), f"{name} of {one.named.name}", key)
        for place, one in enumerate(needs.loads)
        for field, (name, key) in _PARTS.items()
        if (field == "gb") == (not one.named.program)
    )


def _width(ends: Range) -> float:
    return math.log(ends.high / ends.low)


def measure(found: Choice) -> Measure | None:
    """Return the measurement that narrows the band of bytes a day most; None if none does."""
    needs = found.needs
    if needs.bytes_per_day or not _width(found.bytes_per_day):
        return None
    narrower, part, _ = _narrowed(found)[0]
    most = f" (most of it is the {part})" if narrower < 0.6 else ""
    loudest = max(needs.loads, key=lambda one: one.bytes_per_s(needs.below, 2)).named.program
    known = needs._replace(loads=(), bytes_per_day=between(found.bytes_per_day.middle))
    share = _width(band(days_of(known))) / _width(found.bytes_per_day)
    return Measure(
        f"what the machine that runs it now writes{most}",
        _WHY.get(loudest.partition("-")[0], _WEEK), share,
    )  # fmt: skip


def _untold(found: Choice) -> str:
    """Ask for what decides most, where the band is wide and the command takes it."""
    low, _, high = found.bytes_per_day
    if found.needs.bytes_per_day or high < _WIDE * low:
        return ""
    _, part, key = _narrowed(found)[0]
    ask = f": tell it, as {key}" if key else ""
    if key == "gb":
        ask = ": measure it, and tell it by gb="
    return f" The band is wide, most of all by the {part}{ask}.{_cheaper(found)}"


def _shared(found: Choice) -> str:
    """Say what the whole answer stands under: no hard disk, or nodes that share a drive."""
    loads = found.needs.loads
    if loads and all(one.named.unit == "camera" for one in loads):
        return "Recording in order suits hard disks made for it, which are not judged here. "
    nodes = [one for one in loads if one.named.unit == "node" and one.rate.middle > 1]
    if not nodes or found.needs.array.drives > 1:
        return ""
    count = f"{nodes[0].rate.middle:g}"
    return f"All {count} nodes share the drive here: with one for each, ask for one node. "


def _cheaper(found: Choice) -> str:
    """Name a drive that would do at the middle of the band, if the best costs more."""
    best = found.ranked[0].candidate.price
    if best is None or found.ranked[0].verdict != "fits":
        return ""
    less = (one for one in found.ranked if (one.candidate.price or math.inf) < _DEAR * best)
    sound = (one for one in less if one.candidate.of_servers or not found.needs.strict)
    likely = [o for o in sound if o.verdict == "worn" and o.margin and o.margin.middle >= 1]
    return _middle(likely[0], ": narrow the band before you pay for more") if likely else ""


def _middle(one: Ranked, then: str = "") -> str:
    """Say how long a drive would last at the middle of the band."""
    if not one.years or not one.margin or one.margin.middle < 1:
        return ""
    model, years = one.candidate.model, one.years.middle
    return f" At the middle of the band the {model} would last {years:.1f} years{then}."


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
            lines.append(f"{second.candidate.model} would be first below {_money(price, second)}.")
        for one in found.ranked:
            own, count = one.cost_per_year, one.drives
            if one.verdict == "worn" and own and count and own.middle < cost.middle:
                lines.append(
                    f"{one.candidate.model} costs less, {_money(own.middle, one)} a year and up to "
                    f"{_money(own.high, one)}, if replaced: up to {count.high:.0f} drives."
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
    if found.ending == "class" and (found.listed or found.ranked[0].verdict != "fits"):
        ending = f"{ending[:-1]}: a drive {_needed(found)}."
    lines = [sentence(found), "", ending, ""]
    lines.append(f"Bytes a day of each drive: {_ends(found.bytes_per_day)}")
    lines += [f"  {one.name}: {_ends(one.bytes_per_day)}" for one in found.layers]
    loads = dict.fromkeys(one.named for one in found.needs.loads)
    lines += [f"  Of {one.name}: {one.note}." for one in loads if one.note]
    shown = found.ranked[: _SHOWN if len(found.ranked) > 3 * _SHOWN else None]
    safe = [one for one in found.ranked if one.verdict == "fits" and one.candidate.power_loss]
    if found.needs.advises_protection and safe and not any(o.candidate.power_loss for o in shown):
        shown = (*shown[:-1], safe[0])
    lines += [
        "",
        f"Drives for the {_years(found.needs.years)}, best first"
        if found.listed
        else f"Examples for the {_years(found.needs.years)}; many are no longer sold new",
        *_listed(shown, found.needs),
    ]
    if shown != found.ranked:
        fit = sum(one.verdict == "fits" for one in found.ranked)
        lines.append(f"  Of {len(found.ranked)} drives {fit} fit.")
    if found.instead:
        lines += [
            "",
            "Rated drives that would do, without prices",
            *_listed(found.instead, found.needs),
        ]
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


def _needed(found: Choice) -> str:
    """Say what a drive must have that does."""
    needs = found.needs
    middle = amount(found.bytes_per_day.middle * needs.years * 365)
    wide = found.bytes_per_day.high > 2 * found.bytes_per_day.middle
    least = amount(least_rating(found.bytes_per_day, needs.years))
    ends = f"{middle} at the middle of the band"
    if least != (high := amount(found.bytes_per_day.high * needs.years * 365)):
        ends += f", {high} at its high end"
    total = f"{least} written or more" + f" ({ends})" * wide
    also = "that has power-loss protection and is " if needs.asks_protection else ""
    size = f"of {amount(needs.drive_bytes)} or more " if needs.space_bytes else ""
    plp = ""
    if needs.advises_protection and not needs.asks_protection:
        paged = Range(*(needs.paged(day, at) for at, day in enumerate(found.bytes_per_day)))
        without = amount(least_rating(paged, needs.years))
        either = f" with power-loss protection, {without} without"
        plp = either if without != least else " (better with power-loss protection)"
    if needs.strict or needs.grows:
        also = f"with {'DRAM, ' * needs.strict}less than four bits a cell, {also}"
    return f"{size}{also}rated for {total}{plp}"


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
            facts.append(f"at its rating in {_span(one.years)}")
            times = one.margin.middle
            facts.append(f"{times:,.{0 if times >= 10 else 1}f} times the need")
        if one.gauge_years and one.gauge_of_line:
            but = "" if trim else ", which get TRIM"
            facts.append(f"its gauge at 100 % in {_span(one.gauge_years)}, as of its line{but}")
        if one.candidate.server_year:
            facts.append(f"announced in {one.candidate.server_year}")
        if one.sustained:
            low, _, high = (amount(speed) for speed in one.sustained)
            facts.append(f"past its cache {low} to {high} a second in order")
        if 0 < one.full_years < math.inf:
            facts.append(f"full in {one.full_years:.1f} years")
        if one.cost_per_year and one.drives and one.cost_per_tb:
            few, count, many = one.drives
            ends = f"{few:.0f} to {many:.0f}" if few < many else f"{many:.0f}"
            all_of = f" for all {places}" if places > 1 else ""
            several = f", with {count:.0f} in each place ({ends})"
            facts.append(f"{_money(one.cost_per_year.middle, one)} a year{all_of}"
                         + several * (many > 1))  # fmt: skip
            facts.append(f"{_money(one.cost_per_tb, one)} a usable TB")
            facts.append(f"{one.cost_per_tb_written:.2g} {one.candidate.currency} a TB written")
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
