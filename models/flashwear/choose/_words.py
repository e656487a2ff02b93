"""A choice in a few sentences, and what to measure next."""

import math
from typing import NamedTuple

from flashwear.choose._choose import (
    KEPT,
    LOW_MARGIN,
    MUCH,
    OLD,
    ROOM,
    Choice,
    Ranked,
    amount,
    down,
    least_rating,
)
from flashwear.choose._load import DAY_S, Load, Range, between
from flashwear.choose._needs import band, days_of

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
_DEAR = 0.8  # of the price of the best drive, below which another is worth a word
_LATE = 0.7  # of the years, from which a drive that is full is worth a word


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
                f"their size and growth. For {low} to {high} a day take a drive {needed(found)}."
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
        but = "; ".join(one for one in best.reasons if not one.startswith((LOW_MARGIN, KEPT)))
        if not found.listed:
            count = sum(one.verdict == "fits" for one in found.ranked)
            slot = f" with {found.needs.interface}" if found.needs.interface else ""
            such = f", such as the {_least(found)}" if best.candidate.server_year else ""
            return (
                f"A drive {needed(found)} lasts the {in_years(found.needs.years)} by its rating. "
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
    if spreads(found):
        return _spread(found)
    if best.verdict == "unknown":
        return f"Cannot say: {best.reasons[0]} ({best.candidate.model})."
    text = f"The {_fails(best, found)}."
    if found.mended:
        what, mended = found.mended
        text = f"{text} Or buy a drive {needed(found)}." if found.instead else text
        times = next(one.times for one in found.mends if one.what == what)
        return (f"Change the stack first: {what} writes {times:.1f} times less, "
                f"and then the {_lasts(mended, found)}. As it is, the {text[4:]}")  # fmt: skip
    if found.ending == "cannot":
        return (f"Cannot say: it takes a drive {needed(found)}, and the {best.candidate.model} is "
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
        return (f"{first}one of these: buy a drive {needed(found)}, such as the {model}, "
                f"which {lasts}. {text}")  # fmt: skip
    return f"None of these, nor any drive whose rating is known here. {text}"


def _least(found: Choice) -> str:
    """Return the drive that is rated for the least of those that do, sold today and protected."""
    fits = [one.candidate for one in found.ranked if one.verdict == "fits"]
    today = [one for one in fits if (one.server_year or 0) >= OLD]
    return min(today or fits, key=lambda one: (one.protected is None, one.rated_bytes or 0)).model


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


def spreads(found: Choice) -> bool:
    """Whether no one drive holds the data."""
    drives = [one for one in found.ranked if not one.candidate.other]
    small = all(one.full_years < 0 for one in drives)
    return bool(drives) and small and found.needs.array.drives == 1


def _spread(found: Choice) -> str:
    """Say how many of the largest drive hold the data."""
    drives = (one.candidate for one in found.ranked if not one.candidate.other)
    largest = max(drives, key=lambda one: (one.capacity_bytes, -(one.price or 0)))
    count = math.ceil(found.needs.drive_bytes / largest.capacity_bytes)
    return (f"No one of these holds the data: {count} of the {largest.model} do. Ask again with "
            f"--raid stripe:{count}, or raid5:{max(count + 1, 3)} to bear the loss of one."
            )  # fmt: skip


def _lasts(one: Ranked, found: Choice) -> str:
    margin, years = one.margin or between(1.0), found.needs.years
    most = min(math.floor(margin.low), 1000)
    times = "twice" if most < 3 else f"{most:,} times" + " and more" * (most == 1000)
    if margin.low >= 2:
        over = f" {times} over at the high end"
    elif margin.low >= ROOM:
        over = f", with room for {down(margin.low)} times the load at the high end"
    elif margin.low >= 1:
        over = " and no more at the high end"
    else:
        part = f"{math.floor(100 * margin.low)} % of them at its high end"
        over = f" {margin.middle:.1f} times over at the middle of the band, and for {part}"
    places = found.needs.array.drives
    all_of = f" for all {places}" if places > 1 else ""
    cost = (
        f", for {money(one.cost_per_year.middle, one)} a year{all_of}" if one.cost_per_year else ""
    )
    return f"{one.candidate.model} lasts the {in_years(years)} by its rating{over}{cost}"


def in_years(count: float) -> str:
    return "year" if count == 1 else f"{count:g} years"


def _fails(one: Ranked, found: Choice) -> str:
    model, years = one.candidate.model, one.years
    if years is None or years.low >= found.needs.years:
        how = "does not suit" if one.verdict == "unsuited" else "may not last"
        return f"{model} {how}: {one.reasons[0]}"
    sure = "would" if years.high < found.needs.years else "may"
    ends = f"{sure} be at its rating in {span(years)}{_since(found)}"
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


def span(years: Range) -> str:
    if years.high > 100:
        return "more than 100 years" if years.low > 100 else f"{years.low:.2g} to over 100 years"
    unit, times = ("months", 12) if years.high < 2 else ("years", 1)
    ends = [times * one for one in (years.low, years.high)]
    low, high = (f"{one:.{0 if one >= 10 else 1}f}" for one in ends)
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def money(value: float, one: Ranked) -> str:
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
    """Return the measurement that narrows the band of bytes a day most; None if it was measured."""
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
    """Say what the whole answer stands under: no hard disk, the worst case, or nodes that share."""
    loads = found.needs.loads
    if loads and all(one.named.unit == "camera" for one in loads):
        return "Recording in order suits hard disks made for it, which are not judged here. "
    for one in loads:
        if one.named.rate is None and one.named.program and ", which writes most" in one.named.note:
            return f"Here {one.named.note.partition(':')[0]}. "
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


def needed(found: Choice) -> str:
    """Say what a drive must have that does."""
    needs = found.needs
    middle = amount(found.bytes_per_day.middle * needs.years * 365)
    wide = found.bytes_per_day.high > 2 * found.bytes_per_day.middle
    least = amount(least_rating(found.bytes_per_day, needs.years))
    ends = f"{middle} at the middle of the band"
    if least != (high := amount(found.bytes_per_day.high * needs.years * 365)):
        ends += f", {high} at its high end, of which nine tenths will do"
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
