"""Which drive to buy: worked examples, buyers' questions, rules of the trade, old prices."""

import argparse
from typing import NamedTuple

import numpy as np
import pandas as pd

from flashwear import choose, host, wa
from flashwear.cli import _choose as command
from flashwear.units import GB, GIB, KIB, MIB
from flashwear_book import owners, tables

LIST = """\
Crucial P3 1TB 60 EUR
Samsung 870 EVO 1TB 85 EUR
Samsung 990 PRO 2TB 160 EUR
Kingston DC600M 960GB 150 EUR
Micron 7450 PRO 960GB 140 EUR
Micron 7450 PRO 1.92TB 190 EUR
"""
"""Drives whose ratings are known, with prices that are made up."""
_EXAMPLES = (
    ("Ten guests of Proxmox on ZFS, a mirror of two", "proxmox:10", "zfs", "mirror:2"),
    ("PostgreSQL on ZFS: 200 rows of some 100 bytes a second, each a commit",
     "postgres:200/s,row=100,commit=1,data=10", "zfs", None),
    ("A recorder of sixteen cameras", "camera:16", "ext4", None),
)  # fmt: skip
_YEARS = 5.0


class Example(NamedTuple):
    """A stack, the command for it, and what is chosen."""

    title: str
    command: str
    found: choose.Choice


def examples() -> tuple[Example, ...]:
    """Return three stacks with the drives of `LIST`, for five years."""
    drives = choose.candidates(LIST)
    made = []
    for title, load, below, raid in _EXAMPLES:
        needs = _needs(load, below, raid)
        words = f"flashwear choose --load {load} --below {below} --candidates drives.txt"
        words += f" --raid {raid}" if raid else ""
        made.append(Example(title, words, choose.choose(needs, drives)))
    return tuple(made)


def old_prices(year: int) -> tuple[choose.Candidate, ...]:
    """Return the drives of a review's prices, of 2014 or 2016, whose rating is known."""
    prices = {2014: tables.prices_2014, 2016: tables.prices_2016}[year]()
    rated = tables.endurance_ratings().set_index("drive")
    stated = rated.corrected_tbw_tb.fillna(rated.tbw_tb)
    lines = [
        f"{row.model} {row.capacity_gb:g} GB {row.price_usd} USD"
        + (f" {stated[row.drive]:g} TBW" if row.drive in stated.index else "")
        for row in prices.itertuples()
    ]
    return tuple(
        one for one in choose.candidates("\n".join(lines)) if one.rated_bytes and not one.estimated
    )


def orders(year: int) -> pd.DataFrame:
    """Return by load which drive of old prices is first by its price, and which by its cost.

    Result: columns ``gb_a_day``, ``fit`` (drives that last five years), ``cheapest`` and ``first``
    (models), ``cost_of_cheapest`` and ``cost_of_first`` (USD a year in whole drives).
    """
    drives = [one for one in old_prices(year) if one.capacity_bytes > 400 * GB]
    cheapest = min(drives, key=lambda one: one.price or 0)
    rows = []
    for gb in (10, 20, 40, 60, 80, 100, 200, 500, 1000):
        needs = choose.Needs(bytes_per_day=choose.between(gb * GB), years=_YEARS)
        found = choose.choose(needs, drives)
        cost = {one.candidate: one.cost_per_year for one in found.ranked}
        by_cost = min(drives, key=lambda one: cost[one].middle)  # type: ignore[union-attr]
        fit = sum(one.verdict == "fits" for one in found.ranked)
        costs = [cost[one].middle for one in (cheapest, by_cost)]  # type: ignore[union-attr]
        rows.append((gb, fit, cheapest.model, by_cost.model, *costs))
    heads = ["gb_a_day", "fit", "cheapest", "first", "cost_of_cheapest", "cost_of_first"]
    return pd.DataFrame(rows, columns=heads)


def questions() -> pd.DataFrame:
    """Return what buyers asked in public, our answers, and whether the experts' agree.

    Result: the columns of ``data/buying_questions.csv``, and ``ending`` and ``sentence`` of our
    choice, and ``agree``: whether the ending is the experts', and what they would buy fits and
    what they rule out does not.

    Examples
    --------
    >>> len(questions())
    10
    """
    table = tables.buying_questions()
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    made = []
    for row in table.fillna("").itertuples():
        drives = choose.candidates("\n".join(row.candidates.split("|"))) if row.candidates else None
        needs = command.needs(parser.parse_args(row.options.split()))
        found = choose.choose(needs, drives)
        fits = {one.candidate.model: one.verdict == "fits" for one in found.ranked}
        named = (one.split(" ", 1) for one in row.expert_names.split("|") if one)
        alike = all(fits[model] == (word == "buy") for word, model in named)
        agree = alike and found.ending == row.expert_verdict
        made.append((found.ending, choose.sentence(found), agree))
    return table.join(pd.DataFrame(made, columns=["ending", "sentence", "agree"]))


Row = tuple[float, str, str]


def rules() -> pd.DataFrame:
    """Return ten rules of experienced buyers, each held against the models and the tables.

    Result: columns ``rule``, ``share`` (of the computed cases, in which it holds), ``computed``
    and ``size``: from what size on, or where not.
    """
    made = [(rule, *compute()) for rule, compute in _RULES.items()]
    return pd.DataFrame(made, columns=["rule", "share", "computed", "size"])


def bands() -> dict[str, choose.Choice]:
    """Return what is said of each named load: 100 rows a second, or five of its unit."""
    drive = choose.candidates("X 1TB 600 TBW")
    counted = {name: one.program and one.rate is None for name, one in choose.named_loads().items()}
    texts = {name: f"{name}:{'100/s' if rows else '5'}" for name, rows in counted.items()}
    return {name: choose.choose(_needs(text), drive) for name, text in texts.items()}


def _needs(load: str, below: str = "none", raid: str | None = None) -> choose.Needs:
    array = choose.array(raid, below)
    return choose.Needs((choose.load(load),), below=below, array=array, years=_YEARS)


def _share(cases: list[bool]) -> float:
    return sum(cases) / len(cases)


def _measure() -> Row:
    found = bands().values()
    wide = [one.bytes_per_day.high / one.bytes_per_day.low for one in found]
    halves = [next_one.narrower <= 0.5 for one in found if (next_one := choose.measure(one))]
    told = f"Most over least of a load by its name alone: {np.median(wide):.0f} in the median"
    size = f"halves the band of {sum(halves)} of {len(halves)} named loads"
    return _share(halves), told, size


def _protection() -> Row:
    pads, sizes = (16 * KIB, 64 * KIB), [4 * KIB * 2**n for n in range(8)]
    more = [[host.sync_factor(one, padding_bytes=pad) for one in sizes] for pad in pads]
    until = [sizes[sum(factor >= 1.5 for factor in row)] // KIB for row in more]
    told = f"Without it a sync of 4 KiB programs {more[0][0]:.0f} to {more[1][0]:.0f} times as much"
    size = f"for syncs below {until[0]} to {until[1]} KiB"
    return _share([row[0] > 1.5 for row in more]), told, size


def _mend() -> Row:
    rates = (0.1, 1, 10, 100, 1000)
    each = [[choose.bytes_per_row("postgres", below, 10, 100, 1, rate) for rate in rates]
            for below in ("zfs", "zfs:16k", "ext4")]  # fmt: skip
    records, plain = (
        [zfs / other for zfs, other in zip(each[0], one, strict=True)] for one in each[1:]
    )
    server = choose.candidates("Micron 7450 PRO 960GB")[0].rated_bytes or 0.0
    better = server / owners.rated_bytes("870 EVO 1TB")
    enough = [saved >= better for saved in records]
    told = (f"PostgreSQL on ZFS writes {min(records):.1f} to {max(records):.1f} times less with "
            f"records of 16 KiB, on ext4 {min(plain):.0f} to {max(plain):.0f}; the next class is "
            f"rated for {better:.1f} times as much")  # fmt: skip
    size = f"the records alone from {rates[enough.index(True)]:g} rows a second on"
    return _share(enough), told, size


def _slopes(table: pd.DataFrame, key: str, x: str, y: str) -> list[float]:
    """Return the powers with which a quantity grows with size, of models of two sizes or more."""
    groups = (one for _, one in table.groupby(key) if len(set(one[x])) > 1)
    return [float(np.polyfit(np.log(one[x]), np.log(one[y]), 1)[0]) for one in groups]


def _size() -> Row:
    prices = [tables.prices_2014(), tables.prices_2016()]
    cost = [one for table in prices for one in _slopes(table, "model", "capacity_gb", "price_usd")]
    grown = _slopes(tables.model_ratings(), "line", "user_gb", "tbw_tb")
    told = (f"Twice the size cost {2 ** np.median(cost):.2f} times as much (2014 and 2016) and is "
            f"rated for {2 ** np.median(grown):.2f} times")  # fmt: skip
    like = _share([one > 0.9 for one in grown])
    return like, told, f"not for the {100 * (1 - like):.0f} % of lines whose rating grows less"


def _three() -> Row:
    band = {name: one.bytes_per_day for name, one in bands().items()}
    over = {name: one.high / one.middle for name, one in band.items()}
    held = [one <= 3 for one in over.values()]
    told = f"The high end is within it for {sum(held)} of {len(held)} loads known by name alone"
    worst = max(over, key=lambda name: over[name])
    return _share(held), told, f"{worst} would want {over[worst]:.0f} times"


def _warranty() -> Row:
    table = pd.read_csv(tables.data_folder() / "field_models.csv").query("model == 'all'")
    past, passed, over, well = (
        table[name].sum()
        for name in ("past_100", "past_100_passed", "over_rating", "over_rating_passed")
    )
    told = (f"{passed:.0f} of {past:.0f} drives past 100 % of their gauge, and {well:.0f} of "
            f"{over:.0f} past their rating, say that they are healthy")  # fmt: skip
    return passed / past, told, "of drives that still report"


def _cells() -> Row:
    rated = tables.model_ratings().assign(day=lambda t: t.tbw_tb / t.user_gb / 1.825)
    three, four = (rated[(rated.bits == bits) & (rated.day < 0.6)].day for bits in (3, 4))
    spans, plain = [2**n for n in range(3, 11)], wa.fifo(0.07)
    more = [float(wa.map_traffic(one * GIB, 32 * MIB, plain, 4096).wa / plain) for one in spans]
    begins = spans[sum(one < 1.2 for one in more)]
    told = (f"Three bits are rated for {three.median() / four.median():.1f} times the writes of "
            f"four; without DRAM scattered writes cost {max(more):.1f}-fold at most")  # fmt: skip
    size = f"from {begins} GiB of scattered data on (32 MiB for the map)"
    return float((four < three.median()).mean()), told, size


def _shared() -> Row:
    drive = choose.candidates("Micron 7450 PRO 960GB")
    one = choose.load("rocksdb:50/s,row=500,commit=1,data=20")  # of an OSD
    counts = (1, 2, 4, 8, 16, 32)
    found = [choose.choose(choose.Needs((one,) * n, years=_YEARS), drive) for n in counts]
    days = [told.bytes_per_day.middle for told in found]
    like = [abs(day / days[0] / n - 1) < 0.05 for n, day in zip(counts, days, strict=True)]
    most = (drive[0].rated_bytes or 0.0) / (365 * _YEARS) / days[0]
    told = (
        f"RocksDB of an OSD with 50 rows of 500 bytes a second writes {days[0] / GB:.0f} GB a day"
    )
    return _share(like), told, f"a device of 960 GB and one write a day bears {most:.0f} of them"


def _mirror() -> Row:
    kinds = ("mirror:2", "raid10:4", "raid5:4")
    mirror, ten, five = (f"{100 * choose.array(kind).share.high:.0f} %" for kind in kinds)
    years = owners.rated_bytes("870 EVO 1TB") / (100 * GB) / 365
    told = (f"Each drive takes {mirror} of the writes; of four, {ten} in RAID 10 and up to {five} "
            "in RAID 5. Two of a kind reach their rating on one day")  # fmt: skip
    size = f"at 100 GB a day after {years:.0f} years: age may come first"
    return float(mirror == "100 %"), told, size


def _light() -> Row:
    found = orders(2016)
    same = found.gb_a_day[: list(found.cheapest == found["first"]).index(False)].max()
    below = [float(one) / GB <= same for one in owners.daily_bytes(np.linspace(0.05, 0.95, 10))]
    told = (f"By prices of 2016 the cheapest drive stays first in whole drives up to {same:.0f} GB "
            "a day over five years")  # fmt: skip
    size = f"of consumer drives {100 * _share(below):.0f} % write less"
    return _share(below), told, size


_RULES = {
    "Measure a week on the old drive": _measure,
    "Small synced writes: power-loss protection first": _protection,
    "Mend the stack before buying endurance": _mend, "Size is the cheapest endurance": _size,
    "Want three times the need": _three, "A rating is a warranty, not death": _warranty,
    "No four bits a cell, none without DRAM, under ZFS, databases or long writes": _cells,
    "A shared log device bears the sum of all behind it": _shared,
    "Each side of a mirror bears all; mix batches": _mirror, "Light loads: buy by price": _light,
}  # fmt: skip
