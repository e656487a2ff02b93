"""Claims, findings and the register of checks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self, get_args

import numpy as np

from flashwear_book import sources

Outcome = Literal["holds", "partly", "fails", "in tension", "undecided", "given"]
Evidence = Literal["arithmetic", "maker", "independent", "field", "model", "none"]

OUTCOMES: tuple[str, ...] = get_args(Outcome)
"""The possible outcomes of a claim, from best to none."""

EVIDENCE: tuple[str, ...] = get_args(Evidence)
"""The kinds of evidence that an outcome rests on; *none* if there is no evidence."""

_NOTHING: tuple[str, ...] = ("undecided", "given")


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else ""


@dataclass(frozen=True)
class Claim:
    """A claim of one of the five documents, a row of :func:`flashwear_book.tables.claims`.

    ``stated`` is the figure as printed, about the ``quantity`` of a ``drive``, in ``unit``;
    ``tolerance`` the largest difference at which it still holds; ``duplicate_of`` and ``same_as``
    are ids of rows that say the same; ``reason`` says why it cannot be decided.
    """

    id: str
    drive: str
    quantity: str
    stated: str
    unit: str
    tolerance: float
    duplicate_of: str | None
    reason: str = ""
    same_as: str = ""

    @classmethod
    def from_row(cls, row: Any) -> Self:
        """Return the claim in a row of :func:`flashwear_book.tables.claims`."""
        repeated = re.search(r"duplicate of (\S+)", _text(row.role))
        names = ("id", "drive", "quantity", "stated", "unit", "reason", "same_as")
        texts = {name: _text(getattr(row, name)) for name in names}
        original = repeated.group(1) if repeated else None
        return cls(**texts, tolerance=row.tolerance, duplicate_of=original)

    def spec(self, attribute: str) -> float:
        """Return a number from the specification tables, the `attribute` of the claim's drive."""
        return sources.spec(self.drive, attribute)

    @property
    def value(self) -> float:
        """The stated figure as a number in the claim's unit ("88K" is 88,000)."""
        match = re.fullmatch(r"[~<>]?\s*(-?[\d.]+)([Kk]?)", self.stated)
        if match is None:
            raise ValueError(f"stated of {self.id} must be a number, got {self.stated!r}")
        return float(match.group(1)) * (1000 if match.group(2) else 1)

    @property
    def decimals(self) -> int | None:
        """Decimals of the stated figure by its tolerance; None if it has no tolerance."""
        if not self.tolerance > 0:
            return None
        return max(0, round(-math.log10(2 * self.tolerance)))


@dataclass(frozen=True)
class Decision:
    """Result of checking a claim against calculations, documents or simulations.

    `outcome` is "holds", "partly" (only `part` of it holds), "fails", "in tension" (it and a source
    or a model disagree, and either may be wrong), "undecided" (nothing tells) or "given" (no claim
    that could be wrong, such as a step of a test). `evidence` is what it rests on: "arithmetic"
    (numbers of the documents), "maker" (the maker's documents), "independent" (those of others),
    "field" (counters of real drives), "model" or "none". `computed` is the number or text found,
    `how` a sentence on how; `difference` is computed less stated. `studies` names the kept
    simulations used.
    """

    outcome: Outcome
    evidence: Evidence
    computed: float | str | None = None
    how: str | None = None
    difference: float = math.nan
    part: str | None = None
    studies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.outcome in _NOTHING) != (self.evidence == "none"):
            raise ValueError(f"evidence must fit an outcome {self.outcome}, got {self.evidence}")
        if self.outcome == "fails" and self.evidence == "model":
            raise ValueError("a model alone must not make a claim fail")
        if (self.outcome == "partly") != (self.part is not None):
            raise ValueError(f"part must be named where a claim holds partly, got {self.part!r}")

    def text(self, decimals: int | None) -> str | None:
        """Return the computed figure as text, to be shown beside a stated figure.

        It gets one decimal more than the `decimals` of the stated figure, but a 0 as last digit is
        dropped. If `decimals` is None it has four significant digits.
        """
        if not isinstance(self.computed, float):
            return self.computed
        if decimals is None:
            return f"{self.computed:,.4g}" if abs(self.computed) < 1000 else f"{self.computed:,.0f}"
        text = f"{self.computed:,.{decimals + 1}f}"
        return text[:-1].removesuffix(".") if text.endswith("0") else text

    def alone(self, claim: Claim) -> str:
        """Return the text `how`, preceded by the computed figure unless that is in the text."""
        how, text = self.how or "", self.text(claim.decimals)
        if text is None or re.search(rf"(?<![\w.,]){re.escape(text)}(?!\w|[.,]\d)", how):
            return how
        unit = claim.unit if isinstance(self.computed, float) else ""
        return f"Computed: {text} {unit}".strip() + f". {how}"


_Judged = tuple[bool, float | str, str] | tuple[bool, float | str, str, Evidence]
_Compared = tuple[float, str] | tuple[float, str, Evidence]
Answer = Decision | _Judged | _Compared
"""What a check returns, a decision or the arguments of :func:`judged` or of :func:`compare`.

These are (truth, computed, how) or (computed, how), followed by the kind of evidence if it is not
arithmetic.
"""

Check = Callable[[Claim], Answer]

registered: dict[str, Callable[[Claim], Decision]] = {}
"""All checks by claim id, once their modules are loaded."""


def check(*ids: str) -> Callable[[Check], Check]:
    """Return a decorator that registers a function as the check of claims.

    The function is to decide the claims with these `ids`, such as "M6-005".
    """

    def register(function: Check) -> Check:
        for id_ in ids:
            if id_ in registered:
                raise ValueError(f"{id_} already has a check")
            registered[id_] = partial(_found, function)
        return function

    return register


def checks(rows: dict[str, Check]) -> None:
    """Register many checks at once, each a function that decides a claim.

    `rows` maps the id of a claim to its function, which gets the claim and returns a decision.
    """
    for id_, function in rows.items():
        check(id_)(function)


def _found(function: Check, claim: Claim) -> Decision:
    answer = function(claim)
    if isinstance(answer, tuple):
        is_judged = isinstance(answer[0], bool | np.bool_)
        return judged(*answer) if is_judged else compare(claim, *answer)
    return answer


def ids(document: str, *numbers: int | range) -> list[str]:
    """Return claim ids of a document: ``ids("M6", 5, range(7, 9))`` is M6-005, M6-007, M6-008."""
    spread = [n for item in numbers for n in (item if isinstance(item, range) else [item])]
    return [f"{document}-{number:03d}" for number in spread]


def compare(claim: Claim, computed: float, how: str, evidence: Evidence = "arithmetic") -> Decision:
    """Decide a claim by a number: it holds if `computed` is within the tolerance of the stated one.

    `computed` is in the claim's unit, `how` says in words how it was found, and `evidence` is the
    kind of source, such as "arithmetic" (from numbers of the documents) or "maker". Otherwise the
    claim fails.
    """
    if not claim.tolerance > 0:
        raise ValueError(f"{claim.id} must declare a tolerance > 0 to be compared")
    difference = computed - claim.value
    # a thousandth of the tolerance is far above rounding error and far below any difference
    agrees = abs(difference) <= 1.001 * claim.tolerance
    return Decision("holds" if agrees else "fails", evidence, float(computed), how, difference)


def judged(
    truth: bool,
    computed: float | str,
    how: str,
    evidence: Evidence = "arithmetic",
    part: str | None = None,
) -> Decision:
    """Decide a claim by whether it is true (`truth`): it holds; or else it fails.

    If it is not true as a whole, but `part` names what holds of it, it holds *partly*. `computed`
    is what was found, `how` a sentence on how, and `evidence` the kind of source: "arithmetic"
    (numbers of the documents), "maker", "independent", "field" or "model".
    """
    if truth:
        return Decision("holds", evidence, computed, how)
    return Decision("partly" if part else "fails", evidence, computed, how, part=part)


def consistent(
    truth: bool, computed: float | str, how: str, evidence: Evidence = "arithmetic"
) -> Decision:
    """Decide a claim by another source: it holds if `truth`, else its outcome is *in tension*.

    `truth` says whether claim and source can both be right; *in tension* means that they cannot.
    `computed` is what was found, `how` a sentence on how, and `evidence` the kind of source, such
    as "independent".
    """
    return Decision("holds" if truth else "in tension", evidence, computed, how)


def undecided(how: str, computed: float | str | None = None) -> Decision:
    """Return the decision that nothing tells whether a claim holds; the sentence `how` says why.

    `computed` is what was found so far, if anything.
    """
    return Decision("undecided", "none", computed, how)
