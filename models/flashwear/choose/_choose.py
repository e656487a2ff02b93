"""Drives held against a load: which last, what they cost in whole drives, what rules one out."""

import functools
import math
import random
from collections.abc import Sequence
from typing import NamedTuple

from flashwear.choose import _load
from flashwear.choose._candidates import CONSUMER, Candidate, rated_drives, words
from flashwear.choose._load import BELOW, DAY_S, Array, Load, Range, between
from flashwear.smart._rules import rows

SYNCS = 10.0
"""Synced writes a second from which a drive needs power-loss protection: at some ms for each, a
drive without it is busy for a tenth of the time."""
PAGE_BYTES = 16_384
"""The least that a drive without power-loss protection programs at a sync."""
_DRAWS, _SEED, _NINE_IN_TEN = 400, 72, 3.29
_BELOW_ERROR = {"zfs": between(1 / 1.5, 1.5), "btrfs": between(0.88, 1.55)}
_LATER = between(1 / 1.25, 1.25)  # of the bytes a day that were measured
MUCH = 1.5
"""Times that less is written by a change above the drive which comes before another drive."""
_AT_EASE = 3.0  # times the mean rate of a load that a drive sustains
_HELD = {False: 12.0, True: 3.0}  # months without power that JESD218 asks of it, worn to its rating
_YEAR = 365.0
_LEAST_FIELD = 9  # drives of a line whose write amplification is known


class Needs(NamedTuple):
    """What is to be written and kept, for how long, and on how many drives."""

    loads: tuple[Load, ...] = ()
    bytes_per_day: Range | None = None
    """Bytes a day that one drive took, in place of loads and of what lies below them."""
    below: str = "none"
    array: Array = _load.array(None)
    years: float = 5.0
    space_bytes: float = 0.0
    """Data to be kept, over all drives."""
    growth: float = 0.0
    """Share by which they grow in a year."""
    power_loss: bool = False
    trim: bool = True
    """Whether TRIM arrives at the drive."""
    months_off: float = 0.0
    """Longest time without power."""

    def syncs_per_s(self, at: int) -> float:
        """Return the synced writes a second of all loads, at the low, middle or high end."""
        return sum(one.syncs_per_s(at) for one in self.loads)

    @property
    def asks_protection(self) -> bool:
        """Whether power-loss protection is asked for, or small synced writes need it.

        That is `SYNCS` in the middle of what is not known, or on ZFS, whose log takes each of them
        too, at its high end.
        """
        often = self.syncs_per_s(2 if self.below.startswith("zfs") else 1) >= SYNCS
        return self.power_loss or often


class Layer(NamedTuple):
    """Bytes a day on the way from programs to one drive."""

    name: str
    bytes_per_day: Range


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


class Choice(NamedTuple):
    """Candidates in order, and how it was found."""

    needs: Needs
    ending: str
    """``any`` of these, this ``class`` only, change the ``stack``, or ``cannot`` say."""
    bytes_per_day: Range
    """90 % of the draws of one drive, from the low end of what is not known to the high end."""
    layers: tuple[Layer, ...]
    ranked: tuple[Ranked, ...]
    mends: tuple[tuple[str, float], ...]
    """Changes above the drive, the easiest first, and bytes without over bytes with each."""
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
    range, whose ends are computed apart. A drive fits if it lasts at the high end.
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
    among, candidates = candidates is None, rated_drives() if candidates is None else candidates
    _check(needs, candidates)
    days = days_of(needs)
    fitting = [one for one in candidates if _judged(one, needs, days).verdict == "fits"]
    first = _first(fitting, needs, days[1])
    ranked = [_judged(one, needs, days)._replace(first=first.get(one)) for one in candidates]
    ranked.sort(key=_order)
    mended = None
    mends = [(what, days_of(other), other) for what, other in _mends(needs)]
    for what, drawn, other in () if fitting else mends:
        best = min((_judged(one, other, drawn) for one in candidates), key=_order)
        if best.verdict == "fits" and sum(days[1]) / sum(drawn[1]) >= MUCH:
            mended = what, best
            break
    low = tuple(days[0] for _ in days)
    hopeful = any(_judged(one, needs, low).verdict == "fits" for one in candidates)
    if all(one.verdict == "unknown" for one in ranked):
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
        known = [one for one in large if one.protected is not None or not needs.asks_protection]
        fit = [o for o in (_judged(one, needs, days) for one in known) if o.verdict == "fits"]
        instead = sorted(fit, key=_roomy)
    middle = sum(days[1])
    saved = tuple((what, middle / sum(drawn[1])) for what, drawn, _ in mends)
    return Choice(
        needs, ending, band(days), _layers(needs), tuple(ranked),
        tuple(one for one in saved if one[1] > 1.1), mended, tuple(instead[:3]),
    )  # fmt: skip


def _check(needs: Needs, candidates: Sequence[Candidate]) -> None:
    if not candidates:
        raise ValueError("candidates must have one drive at least")
    if (needs.bytes_per_day is None) == (not needs.loads):
        raise ValueError("load or bytes_per_day must be given, one of them")
    if needs.below not in BELOW:
        raise ValueError(f"below must be one of {', '.join(BELOW)}, got {needs.below!r}")
    for name, value, low, high in (
        ("years", needs.years, 0.1, 50.0), ("growth", needs.growth, 0.0, 10.0),
        ("space_bytes", needs.space_bytes, 0.0, 1e18), ("months_off", needs.months_off, 0.0, 600.0),
    ):  # fmt: skip
        if not low <= value <= high:
            raise ValueError(f"{name} must be in [{low:g}, {high:g}], got {value!r}")


Days = tuple[tuple[float, ...], ...]


@functools.lru_cache(maxsize=64)
def days_of(needs: Needs) -> Days:
    """Return sorted draws of the bytes a day of one drive, at the three ends of what is unknown."""
    rng = random.Random(_SEED)
    found: list[list[float]] = [[], [], []]
    told = [[one.bytes_per_s(needs.below, at) for one in needs.loads] for at in range(3)]
    for _ in range(_DRAWS):
        below, later, *each = (rng.gauss() for _ in range(2 + len(needs.loads)))
        layer = _drawn(_BELOW_ERROR.get(needs.below.partition(":")[0], between(1.0)), below)
        for at, list_of in enumerate(found):
            if needs.bytes_per_day:
                list_of.append(needs.bytes_per_day[at] * _drawn(_LATER, later))
                continue
            total = sum(
                count * _drawn(one.named.error, z) * (layer if one.named.program else 1.0)
                for one, count, z in zip(needs.loads, told[at], each, strict=True)
            )
            list_of.append(total * needs.array.share[at] * DAY_S)
    return tuple(tuple(sorted(one)) for one in found)


def _drawn(error: Range, z: float) -> float:
    return error.middle * math.exp(z * math.log(error.high / error.low) / _NINE_IN_TEN)


def _quantile(draws: Sequence[float], share: float) -> float:
    return draws[min(int(share * len(draws)), len(draws) - 1)]


def band(days: Days) -> Range:
    """Return the ends of the bytes a day, and their middle."""
    return Range(_quantile(days[0], 0.05), _quantile(days[1], 0.5), _quantile(days[2], 0.95))


def _bought(rated: float, day: float, years: float) -> float:
    """Return the whole drives that one place takes."""
    return float(math.ceil(years * _YEAR * day / rated * (1 - 1e-9)))


def _judged(one: Candidate, needs: Needs, days: Days) -> Ranked:
    places, load = needs.array.drives, band(days)
    usable = places * one.capacity_bytes * needs.array.usable
    full = math.inf
    if needs.space_bytes:
        full = -1.0 if needs.space_bytes > usable else math.inf
        if needs.growth and full > 0:
            full = math.log(usable / needs.space_bytes) / math.log1p(needs.growth)
    speed = _sustained().get((one.line, round(one.capacity_bytes / 1e9)))
    at_ease = speed is not None and speed.low > _AT_EASE * load.high / DAY_S
    unsuited, notes = _unsuited(one, needs, full, usable, at_ease)
    years = margin = drives = cost = None
    rated, price = one.rated_bytes, one.price
    if rated:
        years = Range(*(rated / day / _YEAR for day in reversed(load)))
        margin = years.times(1 / needs.years)
        drives = Range(*(_bought(rated, day, needs.years) for day in load))
        if price is not None:
            cost = drives.times(price * places / needs.years)
    if rated is None:
        notes.append("what it is rated for is not known here: give its TBW")
    if margin and 1 <= margin.low < 3:
        notes.append(f"at the high end the load may grow {margin.low:.1f} times, not three times")
    held = _HELD[_of_servers(one)]
    if needs.months_off > held:
        notes.append(
            f"no maker promises its data for {needs.months_off:g} months without power: worn to "
            f"its rating a drive of its class keeps them {held:g} months (JESD218)"
        )
    if one.years and one.years < needs.years:
        notes.append(f"its warranty ends after {one.years:g} year{'s' * (one.years != 1)}")
    verdict = "unsuited" if unsuited else "unknown" if margin is None else "fits"
    if verdict == "fits" and margin and margin.low < 1:
        verdict = "worn"
    return Ranked(
        one, verdict, (*unsuited, *notes), years, margin, *_gauge(one, load), full, drives, cost,
        price and price * places / usable * 1e12, price and rated and price / rated * 1e12, None,
        speed,
    )  # fmt: skip


def _unsuited(
    one: Candidate, needs: Needs, full: float, usable: float, at_ease: bool
) -> tuple[list[str], list[str]]:
    """Return what rules a drive out, power-loss protection first, and what to check."""
    out, notes = [], []
    syncs = needs.syncs_per_s(2)
    if needs.asks_protection and one.protected is False:
        who = "" if one.power_loss is False else " that a page or the list names"
        flash = amount(syncs * PAGE_BYTES * DAY_S)
        size = f": synced writes wait for flash, up to {syncs:,.0f} a second, {flash} a day"
        out.append(f"no power-loss protection{who}" + f"{size}, a page each" * (syncs >= SYNCS))
    elif needs.asks_protection and one.protected is None:
        most = ": most drives of its rating do" if one.rated_bytes else ""
        notes.append(f"check that it has power-loss protection{most}")
    sustained = any(load.named.sustained for load in needs.loads)
    if needs.asks_protection or sustained or needs.below.startswith("zfs"):
        quick = at_ease and not (needs.asks_protection or needs.below.startswith("zfs"))
        if one.bits and one.bits >= 4:
            (notes if quick else out).append("four bits a cell, slow once its fast cache is full")
        if one.dram is False and (needs.asks_protection or needs.below.startswith("zfs")):
            out.append("no DRAM, so that scattered writes read its map from flash")
    if full < 0:
        out.append(f"too small: {amount(usable)} for {amount(needs.space_bytes)} of data")
    elif full < needs.years:
        out.append(f"full after {full:.1f} years")
    return out, notes


def amount(count: float) -> str:
    """Return bytes as text."""
    units = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
    unit, name = next((one for one in units if count >= one[0]), (1.0, "B"))
    return f"{count / unit:.3g} {name}"


def _roomy(one: Ranked) -> tuple[bool, bool, bool, float]:
    drive, room = one.candidate, one.margin is not None and one.margin.low >= 3
    return not room, _of_servers(drive), drive.protected is None, drive.capacity_bytes


def _of_servers(one: Candidate) -> bool:
    return bool(one.power_loss) or (one.writes_a_day or 0) >= CONSUMER


def _order(one: Ranked) -> tuple[float, float, tuple[bool, bool, bool, float]]:
    place = ("fits", "worn", "unknown", "unsuited").index(one.verdict)
    return place, one.cost_per_year.middle if one.cost_per_year else math.inf, _roomy(one)


def _first(
    fitting: Sequence[Candidate], needs: Needs, draws: Sequence[float]
) -> dict[Candidate, float]:
    """Return for each drive the share of the draws in which it costs least."""
    priced = [(one, one.price, one.rated_bytes) for one in fitting if one.price is not None]
    counts = dict.fromkeys((one for one, *_ in priced), 0.0)
    for day in draws if priced else ():
        costs = [price * _bought(rated or 1, day, needs.years) for _, price, rated in priced]
        counts[priced[costs.index(min(costs))][0]] += 1 / len(draws)
    return counts


def _mends(needs: Needs) -> list[tuple[str, Needs]]:
    """Return changes above the drive that write less, the easiest first."""
    found: list[tuple[str, Needs]] = []
    stored = [one for one in needs.loads if one.named.program not in ("", "write", "ceph")]
    if needs.below == "zfs" and stored:
        found.append(("recordsize=16K for the database", needs._replace(below="zfs:16k")))
    for one in stored:
        if one.commit.middle < 10:
            wider = one._replace(commit=one.commit.times(10))
            loads = tuple(wider if other is one else other for other in needs.loads)
            text = f"{one.named.name} with ten times as many {one.named.unit}s to a commit"
            found.append((text, needs._replace(loads=loads)))
    if needs.below == "zfs" and len(found) > 1:
        both = found[-1][1]._replace(below="zfs:16k")
        found.append(("recordsize=16K and ten times as many rows to a commit", both))
    cow = needs.below.startswith(("zfs", "btrfs")) and "raidz" not in needs.array.text
    if cow and any(one.named.program for one in needs.loads):
        found.append((f"ext4 or XFS in place of {needs.below}", needs._replace(below="ext4")))
    return found


def _layers(needs: Needs) -> tuple[Layer, ...]:
    """Return the bytes a day from programs to one drive, without errors."""
    if needs.bytes_per_day:
        return (Layer("one drive, as measured", needs.bytes_per_day),)

    def all_of(below: str, one: Load | None = None) -> Range:
        loads = needs.loads if one is None else (one,)
        return Range(*(DAY_S * sum(x.bytes_per_s(below, at) for x in loads) for at in range(3)))

    found = []
    for one in needs.loads:
        if one.named.program:
            found.append(Layer(f"{one.named.name}: data", all_of("asked", one)))
        how = "as it writes" if one.named.program else "as reported"
        found.append(Layer(f"{one.named.name}: {how}", all_of("none", one)))
    if needs.below != "none" and any(one.named.program for one in needs.loads):
        found.append(Layer(f"with {needs.below} below", all_of(needs.below)))
    if needs.array.drives > 1:
        total = all_of(needs.below)
        shared = Range(*(one * share for one, share in zip(total, needs.array.share, strict=True)))
        found.append(Layer(f"each drive of {needs.array.text}", shared))
    return tuple(found)


@functools.lru_cache(maxsize=1)
def _sustained() -> dict[tuple[str, int], Range]:
    return {
        (row["line"], int(row["user_gb"])): Range(
            *(1e6 * float(row[f"{end}_mb_s"]) for end in ("low", "middle", "high"))
        )
        for row in rows("sustained_speeds")
    }


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
def _other_gauges() -> Range:
    """Return host bytes to 100 % of a gauge over those of the rating: nine in ten of all models."""
    told = sorted(float(row["times_rating"]) for row in rows("gauge_ends"))
    return Range(*(_quantile(told, part) for part in (0.05, 0.5, 0.95)))


def _gauge(one: Candidate, load: Range) -> tuple[Range | None, bool]:
    host = next((host for line, host in _fields() if line <= words(one.model)), None)
    told = host or (one.rated_bytes and _other_gauges().times(one.rated_bytes))
    return told.times(1 / load.middle / _YEAR) if told else None, host is not None
