"""Claims, findings and the register of checks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

Verdict = Literal[
    "reproduced",
    "corrected",
    "explained",
    "contradicted",
    "predicted",
    "not reproducible",
    "open",
]
VERDICTS: tuple[str, ...] = get_args(Verdict)
"""All verdicts, from best to none."""

_SUFFIX = {"": 1, "K": 1_000, "k": 1_000}


@dataclass(frozen=True)
class Claim:
    """One row of the ledger."""

    id: str
    drive: str
    quantity: str
    stated: str
    unit: str
    tolerance: float
    duplicate_of: str | None

    @classmethod
    def from_row(cls, row: Any) -> Self:
        """Take the fields from a row of :func:`flashwear.tables.claims`."""
        repeated = re.search(r"duplicate of (\S+)", row.role)
        return cls(
            id=row.id,
            drive=row.drive,
            quantity=row.quantity,
            stated=row.stated,
            unit=row.unit,
            tolerance=row.tolerance,
            duplicate_of=repeated.group(1) if repeated else None,
        )

    @property
    def value(self) -> float:
        """The stated figure as a number in the claim's unit ("88K" is 88,000)."""
        match = re.fullmatch(r"[~<>]?\s*(-?[\d.]+)([Kk]?)", self.stated)
        if match is None:
            raise ValueError(f"stated of {self.id} must be a number, got {self.stated!r}")
        return float(match.group(1)) * _SUFFIX[match.group(2)]

    @property
    def decimals(self) -> int | None:
        """Decimals of the stated figure: the tolerance is half a unit of the last one."""
        if not self.tolerance > 0:
            return None
        return max(0, round(-math.log10(2 * self.tolerance)))


@dataclass(frozen=True)
class Finding:
    """What a check returns: a verdict, what was computed, and how."""

    verdict: Verdict
    computed: float | str | None = None
    how: str | None = None
    difference: float = math.nan

    def text(self, decimals: int | None) -> str | None:
        """Return the computed figure as it is printed beside a figure of so many decimals.

        One decimal more than stated, unless it is 0; four digits where nothing is declared.
        """
        if not isinstance(self.computed, float):
            return self.computed
        if decimals is None:
            return f"{self.computed:,.4g}" if abs(self.computed) < 1000 else f"{self.computed:,.0f}"
        text = f"{self.computed:,.{decimals + 1}f}"
        return text[:-1].removesuffix(".") if text.endswith("0") else text

    def repeated(self, id_: str) -> Self:
        """Return the same finding for a claim that repeats claim `id_`."""
        return self if self.verdict == "open" else replace(self, how=f"As {id_}. {self.how}")


Check = Callable[[Claim], Finding]
_checks: dict[str, Check] = {}


def check(*ids: str) -> Callable[[Check], Check]:
    """Register a function as the check of these claims."""

    def register(function: Check) -> Check:
        for id_ in ids:
            if id_ in _checks:
                raise ValueError(f"{id_} already has the check {_checks[id_].__name__}")
            _checks[id_] = function
        return function

    return register


def registered() -> dict[str, Check]:
    """Return all checks by claim id."""
    return dict(_checks)


def ids(document: str, *numbers: int | range) -> list[str]:
    """Return claim ids: ``ids("M6", 5, range(7, 9))`` is M6-005, M6-007, M6-008."""
    spread = [n for item in numbers for n in (item if isinstance(item, range) else [item])]
    return [f"{document}-{number:03d}" for number in spread]


def compare(claim: Claim, computed: float, how: str, otherwise: Verdict = "corrected") -> Finding:
    """Compare a computed figure with the stated one, at the tolerance that the ledger declares.

    Reproduced when the two differ by no more than the tolerance, else `otherwise`.
    """
    if not claim.tolerance > 0:
        raise ValueError(
            f"{claim.id} must declare a tolerance > 0 in data/claims.csv to be compared"
        )
    difference = computed - claim.value
    # a thousandth of the tolerance is far above rounding error and far below any difference
    agrees = abs(difference) <= 1.001 * claim.tolerance
    return Finding("reproduced" if agrees else otherwise, float(computed), how, difference)


def holds(
    truth: bool,
    computed: float | str,
    how: str,
    yes: Verdict = "reproduced",
    no: Verdict = "contradicted",
) -> Finding:
    """Return `yes` or `no` by whether the computed statement holds."""
    return Finding(yes if truth else no, computed, how)


def undecided(how: str, computed: float | str | None = None) -> Finding:
    """Say that nothing in the documents or models fixes the figure, and why."""
    return Finding("not reproducible", computed, how)
