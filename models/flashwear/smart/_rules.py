"""The tables of drive families and rules, parsed."""

import csv
import functools
import io
import re
from typing import NamedTuple

from flashwear import tables
from flashwear.smart._found import Found

FIGURES = ("power_on_hours", "host_bytes", "nand_bytes", "nand_ratio", "slc_bytes", "erases",
           "percent_used", "waf_reported")  # fmt: skip
_SURE = 0.9  # of the drives of a firmware must be within 5 points of their device statistics


class Family(NamedTuple):
    """Drives whose counters are read in the same way: a row of ``data/smart_families.csv``."""

    name: str
    model: re.Pattern[str]
    firmware: re.Pattern[str]
    signature: tuple[str, ...]  # a kind of drive, or numbers of attributes
    rules: str
    line: str  # as data/endurance_ratings.csv names it
    erase_bound: bool  # erases times capacity bound the flash writes from below
    cycles: float  # erases at which its drives say that 100 % are used; 0 where not known
    cycles_attribute: int | None  # or the attribute that tells them

    def line_of(self, found: Found) -> str | None:
        """Return the part of the model's name that a rule may depend on, or else the firmware."""
        match = self.model.match(found.model or "") if self.model.groups else None
        return match[1] if match else found.firmware

    def fits(self, found: Found) -> bool:
        """Return whether a report belongs to this family, by its type and attributes."""
        return all(
            word == found.kind or (word.isdigit() and int(word) in found.attributes)
            for word in self.signature
        )


class Rule(NamedTuple):
    """How a number of a report, such as its host writes, is computed from counters of the drive."""

    name: str
    source: str  # attribute, stat, nvme, scsi or none
    terms: tuple[tuple[str, int], ...]
    least: bool = False  # of the terms, not their sum
    normalised: bool = False
    byte: int | None = None  # of the raw value, the lowest is 0
    scale: float = 1
    offset: float = 0
    low: float = 0
    high: float = float("inf")
    limit: float = float("inf")
    limit_flag: str = ""
    wrap: int = 0
    wrap_flag: str = ""
    when: str = ""
    flag: str = ""


@functools.lru_cache(maxsize=1)
def families() -> tuple[Family, ...]:
    """Return the families in table order; the first match counts."""
    return tuple(
        Family(
            row["family"],
            re.compile(row["model_pattern"]),
            re.compile(row["firmware_pattern"]),
            tuple(row["signature"].split()),
            row["rules"],
            row["line"],
            bool(row["erase_bound"]),
            *_cycles(row["cycles"]),
        )
        for row in rows("smart_families")
    )


def _cycles(cell: str) -> tuple[float, int | None]:
    kind, _, number = cell.rpartition(" ")
    return (0, int(number)) if kind == "attribute" else (_number(number, 0), None)


@functools.lru_cache(maxsize=1)
def rules() -> dict[str, dict[str, tuple[Rule, ...]]]:
    """Return the rules of each set by the number that they compute, in the order they are tried."""
    found: dict[str, dict[str, tuple[Rule, ...]]] = {}
    for row in rows("smart_rules"):
        figures = found.setdefault(row["rules"], {})
        figures[row["figure"]] = (*figures.get(row["figure"], ()), _rule(row))
    return found


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of the table `name` in ``data/``, each as text by column."""
    text = (tables.data_folder() / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def _rule(row: dict[str, str]) -> Rule:
    source, _, counter = row["counter"].rpartition(" ")
    terms = [term.partition("*") for term in re.split(r"[+|]", counter)]
    return Rule(
        row["rule"],
        "none" if counter == "none" else source or "attribute",
        tuple((name, int(factor or 1)) for name, _, factor in terms),
        "|" in counter,
        row["reading"] == "value",
        int(row["reading"][5:]) if row["reading"].startswith("byte ") else None,
        _number(row["scale"], 1),
        _number(row["offset"], 0),
        _number(row["low"], 0),
        _number(row["high"], float("inf")),
        _number(row["limit"], float("inf")),
        row["limit_flag"],
        int(row["wrap"] or 0),
        row["wrap_flag"],
        row["when"],
        row["flag"],
    )


def _number(cell: str, missing: float) -> float:
    """Whole numbers stay whole: counters go beyond the 53 bits of a float."""
    if not cell:
        return missing
    return int(cell) if cell.lstrip("-").isdigit() else float(cell)


@functools.lru_cache(maxsize=4096)
def _candidates(model: str, firmware: str) -> tuple[Family, ...]:
    return tuple(
        family
        for family in families()
        if family.model.match(model) and family.firmware.match(firmware)
    )


def family_of(found: Found) -> Family | None:
    """Return the family of a report, or None if no row matches."""
    for family in _candidates(found.model or "", found.firmware or ""):
        if family.fits(found):
            return family
    return None


@functools.cache
def rules_of(family: str | None) -> dict[str, tuple[Rule, ...]]:
    """Return the rules of a family by the number that they compute; none for an unknown family."""
    named = (one.rules for one in families() if one.name == family)
    return rules().get(next(named, ""), {})


@functools.lru_cache(maxsize=1)
def _fits() -> dict[tuple[str, str], bool]:
    return {
        (row["rules"], row["firmware"]): int(row["within_5"]) >= _SURE * int(row["drives"])
        for row in rows("smart_fits")
    }


def fits_firmware(family: Family, found: Found) -> bool | None:
    """Return whether attributes tell the life used correctly on this firmware; None if unknown."""
    return _fits().get((family.rules, family.line_of(found) or ""))


def known(model: str) -> bool:
    """Return whether the model belongs to a known family of drives."""
    return any(family.model.pattern and family.model.match(model) for family in families())


def firmware_decides(found: Found) -> bool:
    """Return whether the family depends on the firmware, which the report does not give."""
    return not found.firmware and any(
        family.firmware.pattern and family.model.match(found.model or "") and family.fits(found)
        for family in families()
        if family.model.pattern
    )


@functools.lru_cache(maxsize=1)
def _ratings() -> dict[str, list[tuple[float, int]]]:
    found: dict[str, list[tuple[float, int]]] = {}
    for row in rows("endurance_ratings"):
        if row["user_gb"]:
            tbw = float(row["corrected_tbw_tb"] or row["tbw_tb"])
            line = row["drive"].rpartition(" ")[0]
            found.setdefault(line, []).append((float(row["user_gb"]) * 1e9, round(tbw * 1e12)))
    return found


DOCUMENTS = "documents of this study"
"""Source given for ratings from ``data/endurance_ratings.csv``."""


UNSOURCED = "by a list without sources"
_KINDS = {
    "maker": "by its maker",
    "retailer": "by a retailer",
    "review": "by a review",
    "secondary": UNSOURCED,
}


class Rating(NamedTuple):
    """What drives of a ``line`` are rated to write, by a page of a ``kind``.

    ``bound`` is "at most" or empty; ``second_bytes`` are what another page says, if it differs.
    """

    line: str
    user_bytes: float
    rated_bytes: int
    bound: str
    second_bytes: int | None
    kind: str

    @property
    def text(self) -> str:
        """Say whose rating it is, and what speaks against its number."""
        other = f"{self.second_bytes / 1e12:,g} TB by another page" if self.second_bytes else ""
        limits = "".join(f"{limit}; " for limit in (self.bound, other) if limit)
        return f"{limits}{self.line}, {_KINDS[self.kind]}"


@functools.lru_cache(maxsize=1)
def _model_ratings() -> tuple[tuple[re.Pattern[str], Rating], ...]:
    return tuple(
        (
            re.compile(row["model_pattern"]),
            Rating(
                row["line"],
                float(row["user_gb"]) * 1e9,
                round(float(row["tbw_tb"]) * 1e12),
                row["bound"],
                round(float(row["second_tbw_tb"]) * 1e12) if row["second_tbw_tb"] else None,
                row["kind"],
            ),
        )
        for row in rows("model_ratings")
    )


@functools.lru_cache(maxsize=4096)
def _ratings_of(model: str) -> tuple[Rating, ...]:
    return tuple(rated for pattern, rated in _model_ratings() if pattern.match(model))


def rated(model: str, capacity_bytes: float) -> Rating | None:
    """Return what a model is rated to write, as public pages say.

    Parameters
    ----------
    model : str
        As the drive reports it.
    capacity_bytes : float
        User capacity; a line with a size within 3 % fits.

    Returns
    -------
    Rating or None
        With the attribute ``text`` for people; None if the table has no such drive.

    Examples
    --------
    >>> rated("Samsung SSD 850 PRO 1TB", 1.024e12).text
    '300 TB by another page; Samsung 850 PRO, by its maker'
    """
    near = (one for one in _ratings_of(model) if abs(capacity_bytes / one.user_bytes - 1) < 0.03)
    return next(near, None)


def rating(
    family: Family | None, model: str | None, capacity_bytes: int | None
) -> tuple[int, str] | None:
    """Return the rated host bytes of a drive and their source, if the tables have them."""
    if not capacity_bytes:
        return None
    for user_bytes, rated_bytes in _ratings().get(family.line if family else "", ()):
        if abs(capacity_bytes / user_bytes - 1) < 0.03:
            return rated_bytes, DOCUMENTS
    found = rated(model or "", capacity_bytes)
    return (found.rated_bytes, found.text) if found else None


@functools.lru_cache(maxsize=1)
def _unrated() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(row["model_pattern"]), row["searched"]) for row in rows("model_unrated")
    )


@functools.lru_cache(maxsize=4096)
def unrated(model: str | None) -> str | None:
    """Return where a rating of a model was looked for in vain; None if nobody has looked."""
    for pattern, searched in _unrated():
        if pattern.match(model or ""):
            return searched
    return None


class UsedUp(NamedTuple):
    """Drives of a ``line`` in a public collection that say FAILED but show no fault.

    ``failed`` is the number of these drives, ``used_up`` that of those with no rated life left.
    """

    line: str
    failed: int
    used_up: int  # of these, at 100 % of their rated life or more


@functools.lru_cache(maxsize=1)
def _used_up() -> tuple[tuple[re.Pattern[str], UsedUp], ...]:
    return tuple(
        (
            re.compile(row["model_pattern"]),
            UsedUp(row["line"], int(row["failed"]), int(row["used_up"])),
        )
        for row in rows("smart_used_up")
    )


@functools.lru_cache(maxsize=4096)
def used_up(model: str | None) -> UsedUp | None:
    """Return what a verdict FAILED meant on drives of a model's line, if three or more had it."""
    for pattern, line in _used_up():
        if pattern.match(model or ""):
            return line
    return None
