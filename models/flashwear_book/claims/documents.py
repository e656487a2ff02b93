"""What other documents say about a claim: the rule of matching, and the outcome that follows.

The rows of ``data/elsewhere.csv``, and the ratings in ``data/speeds.csv``, were found by searching,
and entered whether they agree with a claim or not. The rule was set before any row was looked at:

1. The page is none of the five documents, nor a copy of one.
2. It is about the same drive and user capacity, or gives one value for the whole line.
3. It gives the same quantity; for a speed also the same pattern, direction and state. A line's
   rating of "up to" a speed is that of its largest size, and denies higher speeds of other sizes.
4. Printed numbers agree if they are equal after rounding to the coarser of the two; measured
   numbers, if they are about equal; prices, if they are of the same fortnight and within a tenth;
   words, if they name the same of each kind (controller, node, form, encryption), where another
   name denies. An order of two drives holds if somebody else
   measured both in the same kind of test, and they differ in that order by more than a threshold.

A second judge of sixty claims found cases that the rule does not cover. The scorecard lists how
they were settled.
"""

import math
import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from flashwear_book import tables
from flashwear_book.claims.registry import Claim, Decision, Evidence, Outcome
from flashwear_book.claims.rules import THRESHOLDS, within
from flashwear_book.sources import said_by

__all__ = ["agrees", "finding", "line_maximum"]

_PRICE, _FORTNIGHT = 0.1, 14
_UNITS = {"mW": 1e-3, "W": 1.0, "GB": 1e9, "TB": 1e12, "PB": 1e15, "MB": 1e6, "K": 1e3, "": 1.0}
_NUMBER = re.compile(r"[~<>]?\s*(-?[\d,]*\.?\d+)\s*([Kk]?)")
_ORDER = re.compile(r"(<<|>>|<|>|=|~)")


@cache
def _rows() -> dict[str, list[Any]]:
    """Return the rows on each claim; missing cells are empty."""
    table = pd.concat([tables.elsewhere().astype(object), _ratings().query("speaks")])
    text = table.where(table.notna(), "")
    return {str(claim): list(rows.itertuples()) for claim, rows in text.groupby("claim")}


@cache
def _ratings() -> pd.DataFrame:
    """Return the ratings of other pages for the drives whose ratings are claims.

    A rating of a whole line is that of its largest size. It speaks of a smaller size only where
    the claim is above it: that denies the claim.
    """
    speeds = tables.speeds()
    largest = pd.concat([speeds, tables.makeup()]).groupby("line")["capacity_gb"].max()
    rows = speeds[speeds["kind"] == "rated"]
    ours, theirs = rows[rows["claim"].notna()], rows[rows["claim"].isna()]
    pairs = ours.merge(theirs, on=["line", "test"], suffixes=("", "_there"))
    of_the_line = pairs["capacity_gb_there"].isna()
    pairs = pairs[of_the_line | (pairs["capacity_gb"] == pairs["capacity_gb_there"])]
    is_largest = pairs["capacity_gb"] == pairs["line"].map(largest)
    found = pairs[["claim", "source_url_there", "value_there", "unit_there"]].astype(object)
    found.columns = ["claim", "source_url", "value", "unit"]
    found["value"] = [f"{value:g}" if value < 1e4 else f"{value:,.0f}" for value in found["value"]]
    found["speaks"] = ~of_the_line | is_largest | (pairs["value"] > pairs["value_there"])
    found["differs"] = pairs["value"] != pairs["value_there"]
    return found


def line_maximum(claim: Claim, *, is_open: bool) -> str:
    """Return a sentence on the highest rating of a product line, if it is that of another capacity.

    The rating is of the quantity of `claim`. If the claim is decided (not `is_open`), the text is
    empty unless the rating differs from the claim.
    """
    rows = _ratings()
    rows = rows[(rows["claim"] == claim.id) & ~rows["speaks"] & (rows["differs"] | is_open)]
    if rows.empty:
        return ""
    limits = " or ".join(dict.fromkeys(f"{row.value} {row.unit}" for row in rows.itertuples()))
    return f"Its line is rated at up to {limits}, which smaller sizes need not reach."


def finding(claim: Claim) -> Decision | None:
    """Decide a claim by what other documents say of it; return None if none speaks of it.

    The maker, other publishers and the claim's own publisher are asked in turn; the first that
    says anything of it decides. If it only confirms the claim, the claim *holds*. If it denies it,
    the claim *fails* where nobody confirms it and the denial is the maker's or two publishers';
    else its outcome is *in tension*: document and claim cannot both be right.
    """
    judged = [
        (row, said_by(row.source_url), agrees(claim, row)) for row in _rows().get(claim.id, [])
    ]
    for evidence, who in _WHO.items():
        yes, no = (
            [row for row, speaker, truth in judged if speaker == evidence and truth == agreed]
            for agreed in (True, False)
        )
        confirmed = any(truth for _, _, truth in judged)  # by whomever
        outcome: Outcome = "holds"
        if no:
            fails = not confirmed and (evidence == "maker" or len(_pages(no)) > 1)
            outcome = "fails" if fails else "in tension"
        if yes or no:
            return Decision(outcome, evidence, _shown([*yes, *no]), _told(who, yes, no))
    return None


_WHO: dict[Evidence, str] = {
    "maker": "The maker's own sheet",
    "independent": "Another publisher",
    "arithmetic": "Another article of the same publisher (no independent source)",
}


def agrees(claim: Claim, row: Any) -> bool | None:
    """Return whether another document agrees with a claim; None if the two cannot be compared.

    `row` is a row of :func:`flashwear_book.tables.elsewhere`, what the document says. Numbers agree
    within rounding, prices within a tenth if a fortnight apart at most, measured values within a
    tenth, texts if they name the same of each kind of thing; naming another denies the claim.
    """
    if row.rival_value != "":
        return _in_order(claim.stated, float(row.value) / float(row.rival_value))
    if row.value in ("yes", "no"):
        return bool(row.value == "yes")
    if not _NUMBER.fullmatch(str(row.value)) or not _NUMBER.fullmatch(claim.stated):
        return _same_words(claim.stated, str(row.value))
    if claim.unit == "USD":
        return _same_price(claim, row)
    ours, half = _read(claim.stated, claim.unit)
    theirs, other = _read(str(row.value), row.unit)
    if claim.stated.startswith((">", "<")):
        return theirs > ours if claim.stated[0] == ">" else theirs < ours
    if row.measured == "yes" or claim.stated.startswith("~"):
        return within("about", theirs / ours)
    return abs(ours - theirs) <= 1.001 * max(half, other)


def _same_price(claim: Claim, row: Any) -> bool | None:
    of = tables.documents().set_index("document")["prices_of"]
    stated, seen = date.fromisoformat(of[claim.id.split("-")[0]]), row.date
    if len(str(seen)) != 10 or abs((date.fromisoformat(str(seen)) - stated).days) > _FORTNIGHT:
        return None
    return abs(float(row.value) / claim.value - 1) <= _PRICE


def _read(text: str, unit: str) -> tuple[float, float]:
    """Return a printed number in base units, and half a unit of its last digit."""
    match = _NUMBER.fullmatch(text)
    assert match is not None
    digits = match[1].replace(",", "")
    places = len(digits.partition(".")[2])
    factor = (1e3 if match[2] else 1.0) * _UNITS.get(unit, 1.0)
    return float(digits) * factor, 0.5 * 10.0**-places * factor


def _same_words(ours: str, theirs: str) -> bool | None:
    """Compare texts by what they name: another word of the same kind denies."""
    said = [(each(ours), each(theirs)) for each in _KINDS]
    said = [(mine, yours) for mine, yours in said if mine]
    if any(yours and not mine <= yours for mine, yours in said):
        return False
    return True if said and all(yours for _, yours in said) else None


def _kind(pattern: str, **aliases: str) -> Callable[[str], set[str]]:
    """Return a function that finds in a text the words of a kind, each by its one name."""
    found = re.compile(pattern)
    names = {other: name for name, others in aliases.items() for other in others.split(", ")}
    return lambda text: {names.get(one, one) for one in found.findall(text.casefold())}


def _encryption(text: str) -> set[str]:
    found = set(re.findall(r"opal [12]\.0|edrive|ieee.?1667", text.casefold()))
    return {one.replace(" ", "-") for one in found} | (
        {"ieee-1667"} if "edrive" in found else set()
    )


def _order(text: str) -> set[str]:
    sides = re.fullmatch(r"(.+\w) ([<>]) (\w.+)", text.casefold())
    if sides is None:
        return set()
    return {f"{sides[1]} > {sides[3]}" if sides[2] == ">" else f"{sides[3]} > {sides[1]}"}


_KINDS: tuple[Callable[[str], set[str]], ...] = (
    _kind(r"(?:88ss|marvell )(\d{4})"),
    _kind(r"(\d+) ?nm\b"),
    _kind(r"(\d+) ?gbit"),
    _kind(r"(\d+)-layer"),
    _kind(r"\b(slc|mlc|tlc|qlc)\b"),
    _kind(r"\b(micron|intel|samsung|toshiba|sandisk|hynix)\b"),
    _kind(r"\bxpert\b"),
    _kind(r"2\.5in|m\.2|msata|1\.8in|\bonly\b"),
    _encryption,
    _kind(r"floating gate|charge trap"),
    _kind(r"oem|retail"),
    _kind(r"\b(?:same|identical|different)\b", same="identical"),
    _kind(r"decreasing|constant|increasing"),
    _kind(r"\bfixed\b|\bdynamic\b"),
    _kind(r"almost all|\ball\b|\bhalf\b|\bnone\b", all="almost all"),
    _kind(r"\bany\b|predefined"),
    _kind(r"raised|unchanged"),
    _kind(r"less|more"),
    _kind(r"apart|together"),
    _kind(r"(\d+) steps"),
    _kind(r"\b(\d+-\d+)\b(?!.*raid)"),
    _kind(r"raid[- ]?(\d)"),
    _kind(r"\bfull\b|\bpartial\b"),
    _order,
)
"""What a text may name: a controller, a node, a capacity of a die, and so on."""


def _in_order(stated: str, ratio: float) -> bool:
    """Say whether a ratio of two figures is as the order of the two says."""
    sign = match[1] if (match := _ORDER.search(stated)) else "="
    order, much = THRESHOLDS["order"][0], THRESHOLDS["substantially"][0]
    if sign in ("=", "~"):
        return within("equal", ratio)
    least = math.log1p(much if len(sign) == 2 else order)
    return math.log(ratio) * (1 if sign[0] == ">" else -1) >= least


def _pages(rows: Iterable[Any]) -> list[str]:
    """Name the publishers of some rows, each once."""
    hosts = (urlsplit(row.source_url).hostname or row.source_url for row in rows)
    return list(dict.fromkeys(host.removeprefix("www.") for host in hosts))


def _shown(rows: list[Any]) -> str:
    return "; ".join(list(dict.fromkeys(map(_said, rows)))[:4])


def _said(row: Any) -> str:
    if row.value in ("yes", "no"):
        return str(row.quantity)
    if row.rival_value != "":
        sides = f"{float(row.value):,g} against {float(row.rival_value):,g} {row.unit}".strip()
        return f"{row.quantity}: {sides}"
    said = f"{row.value} {row.unit}".strip()
    return said if _NUMBER.fullmatch(str(row.value)) else f"{row.quantity}: {said}"


def _told(who: str, yes: list[Any], no: list[Any]) -> str:
    parts = [
        f"{who} says {word} ({', '.join(_pages(rows)[:3])}): {_shown(rows)}."
        for word, rows in (("the same", yes), ("otherwise", no))
        if rows
    ]
    return " ".join(parts)
