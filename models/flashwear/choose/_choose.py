"""Drives held against a load: which last, what they cost in whole drives, what rules one out."""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from flashwear.choose._candidates import Candidate, rated_drives, sold, words
from flashwear.choose._load import DAY_S, Range, between
from flashwear.choose._needs import (
    NEEDED,
    Days,
    Layer,
    Needs,
    band,
    check,
    days_of,
    layers,
    mends,
    quantile,
)
from flashwear.smart._rules import rows

MUCH = 1.5
"""Times that less is written by a change above the drive which comes before another drive."""
_AT_EASE = 3.0  # times the mean rate of a load that a drive sustains
OLD = 2020  # drives of the data centre announced before are hardly sold new
LOW_MARGIN = "at the high end"
KEPT = "up to its rating it keeps its data"
ROOM = 1.1
"""Times the load from which a drive has room for more."""
_SPACE = ("too small", "full after")
_UNKNOWN = "slow for a database or machines, and what writes here is not known"
_NEARLY, _TWICE = 0.9, 2.0
"""Share of the high end of a band that is enough where the middle is borne so many times: a band's
end is not known to a tenth."""
_HELD = {False: 12.0, True: 3.0}  # months without power that JESD218 asks of it, worn to its rating
_YEAR = 365.0
_WARRANTY = 5  # years, beyond which few are warranted
_BUSY = 0.2  # of the time, for as many synced writes as `NEEDED`
_LEAST_FIELD = 9  # drives of a line whose write amplification is known


class Ranked(NamedTuple):
    """A candidate, and what becomes of it under the load."""

    candidate: Candidate
    verdict: str
    """``fits``, ``worn`` (at its rating before the years are over), ``unsuited`` or ``unknown``."""
    reasons: tuple[str, ...]
    """What rules it out, or what to check, the gravest first."""
    years: Range | None
    """Years until the host has written what it is rated for, under the most and the least load."""
    margin: Range | None
    """Times that the load may grow before the rating ends with the years that are wanted."""
    gauge_years: Range | None
    """Years until its own gauge says 100 %, early to late."""
    gauge_of_line: bool
    """Whether the field knows the gauge of its line; else they are by those of other models."""
    full_years: float
    drives: Range | None
    """Whole drives bought one after the other in each place."""
    cost_per_year: Range | None
    """All places, over the years that are wanted."""
    cost_per_tb: float | None
    """Price of a usable TB."""
    cost_per_tb_written: float | None
    """Price of a TB that it is rated for."""
    first: float | None
    """Share of the draws in which it is the cheapest of those that fit, in the middle."""
    sustained: Range | None
    """Bytes a second in order, past its fast cache; too unsure to rank by."""


class Mend(NamedTuple):
    """A change above the drive."""

    what: str
    times: float
    """Bytes without over bytes with it."""
    then: str
    """Model of a candidate that fits with it, where none does without."""


class Choice(NamedTuple):
    """Candidates in order, and how it was found."""

    needs: Needs
    listed: bool
    """Whether candidates were given; else they are all whose rating is known."""
    ending: str
    """``any`` of these, this ``class`` only, change the ``stack``, or ``cannot`` say."""
    bytes_per_day: Range
    """90 % of the draws of one drive, from the low end of what is not known to the high end."""
    layers: tuple[Layer, ...]
    ranked: tuple[Ranked, ...]
    mends: tuple[Mend, ...]
    """Changes above the drive, the easiest first."""
    mended: tuple[str, Ranked] | None
    """Where no candidate fits, the first change with which one does, and the best one then."""
    instead: tuple[Ranked, ...]
    """Rated drives that would do where no candidate does, the smallest first."""


def choose(needs: Needs, candidates: Sequence[Candidate] | None = None) -> Choice:
    r"""Rank drives for a load.

    Parameters
    ----------
    needs : Needs
        Load, layers and years; one of ``loads`` and ``bytes_per_day``.
    candidates : sequence of Candidate, optional
        At least one; by default all whose rating is known (:func:`rated_drives`), of which the
        ending is ``any`` where most of those that are large enough fit.

    Returns
    -------
    Choice
        Those that fit first, by cost over the years in whole drives (without prices consumer drives
        before servers', by size), then those that wear out before, then those that are unsuited.

    Raises
    ------
    ValueError
        If there is no load, no candidate, or a number outside its range.

    Notes
    -----
    The errors of the forms are drawn, with the same draws for all candidates: lognormal, with nine
    in ten of them inside the extremes that were counted (``data/named_loads.csv``). Of ZFS, whose
    metadata is an assumption, it is a factor of 1.5 either way; of btrfs 0.88 to 1.55; of a rate
    that was measured a factor of 1.25 (assumed). What is not known of a load is no error but a
    range, whose ends are computed apart: the low end of a database that changes rows at random is
    one where few rows get most changes. A drive fits if it lasts at the high end, or if it bears
    nine tenths of that and twice the middle.
    A rating counts bytes of the host: no write amplification of the drive is applied to it. Several
    loads on one ZFS each bring what it writes when idle, some 6 GB a day.

    Examples
    --------
    >>> from flashwear.choose import candidates, load
    >>> found = choose(
    ...     Needs((load("postgres:200/s"),), below="zfs", years=6),
    ...     candidates("Samsung 870 EVO 1TB 85 EUR\nMicron 7450 PRO 1.92TB 190 EUR"),
    ... )
    >>> [(one.candidate.model, one.verdict) for one in found.ranked]
    [('Micron 7450 PRO 1.92TB', 'worn'), ('Samsung 870 EVO 1TB', 'unsuited')]
    """
    among = candidates is None
    if candidates is None:
        slot = needs.interface
        candidates = [one for one in rated_drives() if not slot or _bus(one) == slot]
    if not candidates:
        raise ValueError("candidates must have one drive at least")
    check(needs)
    days = days_of(needs)
    fitting = [one for one in candidates if _judged(one, needs, days).verdict == "fits"]
    first = _first(fitting, needs, days[1])
    ranked = [_judged(one, needs, days)._replace(first=first.get(one)) for one in candidates]
    ranked.sort(key=_by_class if among else _order)
    mended = None
    ways = [(what, days_of(other), other) for what, other in mends(needs)]
    saved = []
    for what, drawn, other in ways:
        best = min((_judged(one, other, drawn) for one in candidates), key=_order)
        times, then = sum(days[1]) / sum(drawn[1]), best.verdict == "fits" and not fitting
        saved.append(Mend(what, times, best.candidate.model if then else ""))
        if then and times >= MUCH and (ranked[0].margin or between(1.0)).low < 1:
            mended = mended or (what, best)
    low = tuple(days[0] for _ in days)
    hopeful = any(_judged(one, needs, low).verdict == "fits" for one in candidates)
    unsaid = not needs.space_bytes and needs.grows
    if all(one.verdict == "unknown" for one in ranked) or (fitting and unsaid):
        ending = "cannot"
    elif fitting:
        roomy = [one for one in ranked if one.full_years >= 0]
        most = len(roomy) / 2 if among else len(candidates) - 1
        ending = "any" if len(fitting) > most else "class"
    else:
        ending = "stack" if mended else "cannot" if hopeful else "class"
    instead: list[Ranked] = []
    if not fitting:
        least = 0.9 * min(one.capacity_bytes for one in candidates)
        large = [one for one in rated_drives() if one.capacity_bytes >= least]
        fit = [o for o in (_judged(one, needs, days) for one in large) if o.verdict == "fits"]
        listed = {_bus(one) for one in candidates}
        instead = sorted(fit, key=lambda o: (_bus(o.candidate) not in listed, *_roomy(o)[1:]))
    return Choice(
        needs, not among, ending, band(days), layers(needs), tuple(ranked),
        tuple(one for one in saved if one.times > 1.1 or one.then), mended, tuple(instead[:3]),
    )  # fmt: skip


def _bought(rated: float, day: float, years: float) -> float:
    """Return the whole drives that one place takes."""
    return float(math.ceil(years * _YEAR * day / rated * (1 - 1e-9)))


def _judged(one: Candidate, needs: Needs, days: Days) -> Ranked:
    places, load, room = needs.array.drives, band(days), _room(one, needs)
    usable, full = room / needs.fill, math.inf
    if needs.space_bytes:
        full = -1.0 if needs.space_bytes > room else math.inf
        if needs.growth and full > 0:
            full = math.log(room / needs.space_bytes) / math.log1p(needs.growth)
    speed = _sustained().get((one.line, round(one.capacity_bytes / 1e9)))
    slowest = speed or _of_larger(one)
    at_ease = slowest is not None and slowest.low > _AT_EASE * load.high / DAY_S
    unsuited, notes = _unsuited(one, needs, load, full, at_ease) if not one.other else ([], [])
    years = margin = drives = cost = None
    rated, price = one.rated_bytes, one.price
    if rated:
        taken = Range(*(_taken(one, needs, day, at) for at, day in enumerate(load)))
        years = Range(*(rated / day / _YEAR for day in reversed(taken)))
        margin = years.times(1 / needs.years)
        drives = Range(*(_bought(rated, day, needs.years) for day in taken))
        if price is not None:
            cost = drives.times(price * places / needs.years)
    unsure = needs.asks_protection and one.protected is None and not one.server_year
    if rated and one.estimated:
        notes.insert(0, "its rating is taken from other sizes of its line, so check it")
    if unsure and not one.other:
        notes.insert(0, "whether it has power-loss protection is not known: add PLP or no PLP")
    if one.other:
        notes.insert(0, f"it is {one.other}, which is not judged here")
        if needs.space_bytes > room / needs.fill:
            notes.append(f"too small: {amount(room / needs.fill)} for {amount(needs.space_bytes)}")
    elif rated is None:
        notes.insert(0, "what it is rated for is not known here: give its TBW")
    if margin and 1 <= margin.low < 3:
        grow = f"the load may grow {down(margin.low)} times, not three times"
        notes.append(f"{LOW_MARGIN} {grow if margin.low >= ROOM else 'there is no room'}")
    elif margin and years and margin.low < 1 and lasts(margin):
        ends = f"{down(years.low)} of the {needs.years:g} years"
        notes.append(f"{LOW_MARGIN} it is at its rating after {ends}")
    held = _HELD[one.of_servers]
    if needs.months_off > held:
        notes.append(
            f"no maker promises its data for {needs.months_off:g} months without power: worn to "
            f"its rating a drive of its class keeps them {held:g} months (JESD218)"
        )
    if needs.months_off and needs.months_off <= held:
        notes.append(f"{KEPT} {needs.months_off:g} months without power: JESD218 asks for {held:g}")
    if not one.years and not one.other and needs.years > _WARRANTY:
        notes.append("its years of warranty are not known here")
    if one.years and one.years < needs.years:
        notes.append(f"its warranty ends after {one.years:g} year{'s' * (one.years != 1)}")
    verdict = "unsuited" if unsuited else "unknown" if margin is None or unsure else "fits"
    if not unsuited and margin and not lasts(margin):
        verdict = "unknown" if one.estimated else "worn"  # no verdict against it by other sizes
    return Ranked(
        one, verdict, (*unsuited, *notes), years, margin, *_gauge(one, load), full, drives, cost,
        price and price * places / usable * 1e12, price and rated and price / rated * 1e12, None,
        speed,
    )  # fmt: skip


def lasts(margin: Range) -> bool:
    """Whether a rating is taken to last, by the times that it bears the load."""
    return margin.low >= 1 or (margin.low >= _NEARLY and margin.middle >= _TWICE)


def least_rating(load: Range, years: float) -> float:
    """Return the least bytes that a drive must be rated for to last."""
    return years * _YEAR * min(load.high, max(_NEARLY * load.high, _TWICE * load.middle))


def _room(one: Candidate, needs: Needs) -> float:
    return needs.array.drives * one.capacity_bytes * needs.array.usable * needs.fill


def _taken(one: Candidate, needs: Needs, day: float, at: int) -> float:
    """Return the bytes a day that count against its rating: unprotected, whole pages."""
    return needs.paged(day, at) if one.protected is False else day


def _unsuited(
    one: Candidate, needs: Needs, load: Range, full: float, at_ease: bool
) -> tuple[list[str], list[str]]:
    """Return what rules a drive out, power-loss protection first, and what to check."""
    out: list[str] = []
    notes: list[str] = []
    syncs = needs.counted.syncs_per_s(2)
    log = ", and those of its log," if needs.below.startswith("zfs") else ""
    often = f"up to {syncs:,.0f} synced writes a second{log}" if syncs >= 1 else "synced writes"
    if needs.advises_protection and one.protected is False:
        who = "" if one.power_loss is False else " that a page or the list names"
        if needs.power_loss:
            out.append(f"no power-loss protection{who}")
        elif needs.asks_protection:
            busy = min(syncs * (1 + bool(log)) / NEEDED * _BUSY, 1.0)
            usual = busy * needs.counted.syncs_per_s(1) / syncs if syncs else busy
            wait = "all its time"
            if busy < 1:
                wait = f"at some 2 ms each {100 * busy:.0f} % of its time"
                wait += f" ({100 * usual:.1g} % at the middle)" * (usual < 0.9 * busy)
            out.append(f"no power-loss protection{who}: {often} wait for its flash, {wait}")
        else:
            flash = amount(needs.paged(load.high, 2))
            each = f", and fill up a page of it each, which counts here: up to {flash} a day in all"
            notes.append(
                f"power-loss protection is better: {often} wait for its flash{each * (syncs >= 1)}"
            )
    elif needs.advises_protection and one.protected is None and not one.other:
        nearly = ", as nearly all drives of the data centre do" if one.server_year else ""
        if one.server_year or not needs.asks_protection:
            notes.append(f"check that it has power-loss protection{nearly}")
    several = one.bits is None and one.line and sold(one.line)
    if several:
        notes.append(f"{several}: it may have four bits a cell")
    if needs.interface and _bus(one) != needs.interface and not one.other:
        told = _bus(one) or "its connector is not known"
        notes.append(f"the old drive has {needs.interface}, {told}: check the slot")
    sustained = any(load.named.sustained for load in needs.loads)
    if one.bits and one.bits >= 4 and not one.of_servers:
        quick = at_ease and not needs.strict and not needs.grows
        slow = "four bits a cell, slow once its fast cache is full"
        if (needs.strict or sustained) and not quick:
            out.append(slow)
        elif needs.bytes_per_day:
            notes.append(f"four bits a cell: {_UNKNOWN}")
        else:
            notes.append(slow + ", but faster than this load" * quick)
    if (
        one.bits is None
        and not several
        and (needs.strict or needs.grows)
        and not (one.of_servers or one.other)
    ):
        notes.append("how many bits its cells have is not known: four are slow for this, check it")
    if one.dram is False and needs.strict:
        out.append("no DRAM, so that scattered writes read its map from flash")
    elif one.dram is False and needs.bytes_per_day:
        notes.append(f"no DRAM: {_UNKNOWN}")
    elif one.dram is None and needs.strict and not one.of_servers:
        notes.append("whether it has DRAM is not known: check it, or scattered writes are slow")
    if full < 0:
        most = f", if {100 * needs.fill:.0f} % full{_lost(needs)}" * (needs.fill < 1)
        room = amount(_room(one, needs))
        out.append(f"too small: {room} for {amount(needs.space_bytes)} of data{most}")
    elif full < needs.years:
        share = f"{100 * needs.fill:.0f} % is full{_lost(needs)}"
        out.append(f"full after {full:.1f} years, if {share}")
    return out, notes


def down(count: float) -> str:
    """Return a number with one digit, never more than it is."""
    return f"{math.floor(10 * count) / 10:.1f}"


def _lost(needs: Needs) -> str:
    spread = any(one.named.program == "ceph" for one in needs.loads) and needs.array.drives > 3
    return ", with room for a lost drive on all the others" if spread else ""


def amount(count: float) -> str:
    """Return bytes as text."""
    units = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
    unit, name = next((one for one in units if count >= one[0]), (1.0, "B"))
    return f"{count / unit:.3g} {name}"


def _bus(one: Candidate) -> str:
    told = one.interface or ""
    return "NVMe" if told.startswith("PCIe") else told


Roomy = tuple[bool, bool, bool, bool, float]


def _roomy(one: Ranked) -> Roomy:
    drive, room = one.candidate, one.margin is not None and one.margin.low >= 3
    old = (drive.server_year or OLD) < OLD
    return not room, drive.of_servers, old, drive.protected is None, drive.capacity_bytes


def _order(one: Ranked) -> tuple[float, float, float, float, float, Roomy]:
    place = ("fits", "worn", "unknown", "unsuited").index(one.verdict)
    cost = one.cost_per_year.middle if one.cost_per_year else math.inf
    short = -one.margin.middle if one.verdict == "worn" and one.margin else 0.0
    kind = 0.0
    if one.verdict == "unsuited":  # what fails by space alone, and late, comes first
        kind = float(not one.reasons[0].startswith(_SPACE))
        short = -max(one.full_years, one.candidate.capacity_bytes * 1e-18)
    bears = -one.margin.low if one.cost_per_year and one.margin else 0.0  # more, at equal cost
    return place, kind, short, cost, bears, _roomy(one)


def _by_class(one: Ranked) -> tuple[float, float, bool, Roomy]:
    """Order examples: the smallest that bear all of the band first, too small the largest."""
    place, *_, roomy = _order(one)
    small = -one.candidate.capacity_bytes if one.full_years < 0 else 0.0
    short = one.margin is not None and one.margin.low < 1
    return place, small, short, (False, *roomy[1:])


def _first(
    fitting: Sequence[Candidate], needs: Needs, draws: Sequence[float]
) -> dict[Candidate, float]:
    """Return for each drive the share of the draws in which it costs least."""
    priced = [(one, one.price, one.rated_bytes) for one in fitting if one.price is not None]
    counts = dict.fromkeys((one for one, *_ in priced), 0.0)
    for day in draws if priced else ():
        costs = [
            price * _bought(rated or 1, _taken(one, needs, day, 1), needs.years)
            for one, price, rated in priced
        ]
        counts[priced[costs.index(min(costs))][0]] += 1 / len(draws)
    return counts


@functools.lru_cache(maxsize=1)
def _sustained() -> dict[tuple[str, int], Range]:
    return {
        (row["line"], int(row["user_gb"])): Range(
            *(1e6 * float(row[f"{end}_mb_s"]) for end in ("low", "middle", "high"))
        )
        for row in rows("sustained_speeds")
    }


def _of_larger(one: Candidate) -> Range | None:
    """Return what a larger drive of its line sustains, less by as much as it is larger."""
    size = round(one.capacity_bytes / 1e9)
    larger = min((gb for line, gb in _sustained() if line == one.line and gb > size), default=0)
    return _sustained()[one.line, larger].times(size / larger) if larger else None


@functools.lru_cache(maxsize=1)
def _fields() -> tuple[tuple[frozenset[str], Range], ...]:
    """Return the lines whose gauge the field knows, and host bytes to 100 % of it."""
    return tuple(
        (words(row["line"]), Range(*(
            float(row["raw_gib_p50"]) * 2**30 * float(row["cycles_low"]) / float(row[f"waf_{p}"])
            for p in ("p90", "p50", "p10")
        )))
        for row in rows("field_models")
        if row["model"] == "all" and row["cycles_low"] and row["raw_gib_p50"]
        and row["waf_drives"] and float(row["waf_drives"]) >= _LEAST_FIELD
    )  # fmt: skip


@functools.lru_cache(maxsize=1)
def other_gauges() -> Range:
    """Return host bytes to 100 % of a gauge over those of the rating: nine in ten of all models."""
    told = sorted(float(row["times_rating"]) for row in rows("gauge_ends"))
    return Range(*(quantile(told, part) for part in (0.05, 0.5, 0.95)))


def _gauge(one: Candidate, load: Range) -> tuple[Range | None, bool]:
    host = next((host for line, host in _fields() if line <= words(one.model)), None)
    told = host or (one.rated_bytes and other_gauges().times(one.rated_bytes))
    return told.times(1 / load.middle / _YEAR) if told else None, host is not None
