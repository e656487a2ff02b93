"""The ledger of claims, with the outcome of each and the evidence for it.

:func:`ledger` has the claims of the documents, one in each row. :func:`verdicts` recomputes them
and gives for each an outcome and the kind of evidence. Outcomes are not stored: whether a claim
holds, holds in part or fails is returned by a function that is registered for the claim's id and
uses the tables and the models.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pandas as pd

from flashwear._extras import lazily
from flashwear_book import tables
from flashwear_book.claims import registry
from flashwear_book.claims.registry import EVIDENCE, OUTCOMES, Claim, Decision

__all__ = ["EVIDENCE", "GIVEN", "OPEN", "OUTCOMES", "PILES", "UNCHECKABLE", "findings", "ledger",
           "misses", "verdicts"]  # fmt: skip

if TYPE_CHECKING:  # what loads lazily
    from flashwear_book.claims import documents as documents, rules as rules
else:
    __getattr__ = lazily(__name__)

GIVEN = ("step of a test", "test system", "date or count", "contents of a trace", "nothing stated")
"""Reasons why a row of the ledger counts as given and not as a claim."""

UNCHECKABLE = {
    "no trace published": "The trace of this test is not public, so that nobody can repeat it.",
    "chart not readable": "The values stand in a chart alone, and the stored text has no images.",
    "view or motive": "A view or a motive, which no figure decides.",
    "one person's report": "One person's report of a drive or a purchase, recorded nowhere else.",
    "needs a bench of 2014": "It takes the drives and the tests of the review to decide it.",
}
"""Reasons why nobody can check a claim any more, each as a sentence."""

OPEN = {
    "needs a data sheet": "A data sheet of the maker with this figure would decide it.",
    "needs a price list": "A price list or a shop's page of the same fortnight would decide it.",
    "needs the maker's word": "A statement of the maker from that time would decide it.",
    "needs a teardown": "A list of its packages, or photographs of its board, would decide it.",
    "needs a test with power cuts": "A published test that cuts the power would decide it.",
    "needs a paper on the flash": "A paper or a sheet on flash of this kind would decide it.",
    "needs market data": "A survey of the drives sold at that time would decide it.",
    "needs counters of such a load": "Counters of this drive under such a load would decide it.",
    "needs a study of loads": "A study of many recorded loads would decide it.",
}
"""Kinds of documents that would decide a claim but were not found, each as a sentence."""

PILES = ("decided", "open", "nobody can check it")
"""States of a claim, in which it is decided, a document would decide it, or nobody can check it."""


def ledger() -> pd.DataFrame:
    """Return the table of all claims of the five documents, with a row for each.

    Columns are ``id``, ``document``, ``drive``, ``topic``, ``quantity``, ``stated`` (the value as
    printed), ``unit``, ``tolerance`` (largest difference at which the claim holds), ``reason`` (why
    a claim cannot be decided) and further ones that ``data/datapackage.json`` describes.

    Examples
    --------
    >>> ledger().id[0]
    'M6-001'
    """
    return tables.claims()


def verdicts(*ids: str) -> pd.DataFrame:
    """Check claims of the documents anew, and return how each came out.

    Parameters
    ----------
    *ids : str
        Ids of claims, such as "P4-033", in the order wanted; without any, all claims.

    Returns
    -------
    pandas.DataFrame
        One row for each claim, with columns

        ``id``, ``document``, ``drive``, ``topic``, ``quantity``, ``stated``, ``unit``
            as in the table of claims, :func:`ledger`;
        ``outcome``
            *holds*; *partly* (the part named in ``part`` holds); *fails*; *in tension* (two sources
            cannot both be right, or a model alone disagrees); *undecided* (``how`` says why); or
            *given* (a step of a test, a test system, a date: no claim);
        ``evidence``
            what the outcome rests on: *arithmetic* (the numbers of the documents themselves, or of
            another article of their publisher), *maker* (the maker's own sheet, so that the
            quotation is right), *independent* (another's measurement or document), *field*
            (counters of real drives), *model*, or *none*;
        ``pile``
            whether the claim could be checked: *decided*, *open* (a document would decide it),
            *nobody can check it*, or *given* if the outcome is;
        ``transcribed``
            whether the claim is just a printed figure (a cell, a rating, a price), so that the
            outcome tells whether it was copied and divided correctly, and little about drives;
        ``counts``
            whether the row counts: it is a claim, and no row above states the same comparison;
        ``part``, ``computed``, ``difference``
            the part that holds of a claim that holds in part; the computed result, as text; and,
            if both are numbers, computed minus stated in the claim's unit;
        ``how``
            the result, the calculation and the reason, in one or a few sentences.

    Raises
    ------
    ValueError
        If an id, asked for or with a registered check, is not in the table of claims; if a row
        repeats a claim that is not above it; or if a check raises an error.

    Examples
    --------
    >>> verdicts("P4-033").loc[0, ["outcome", "evidence", "computed"]].tolist()
    ['holds', 'arithmetic', '168']
    """
    rows = ledger()
    chosen = list(ids or rows["id"])
    found = _found(rows, chosen)
    rows = rows.set_index("id", drop=False).loc[chosen].reset_index(drop=True)
    columns = ["id", "document", "drive", "topic", "quantity", "stated", "unit"]

    def each(of: Callable[[Claim, Decision], str | None]) -> pd.Series:
        return pd.Series([of(*pair) for pair in found], rows.index, dtype="str")

    return rows[columns].assign(
        outcome=each(lambda _, finding: finding.outcome),
        evidence=each(lambda _, finding: finding.evidence),
        pile=each(_pile),
        transcribed=rows["statement"].isna(),
        counts=[f.outcome != "given" and not (c.same_as or c.duplicate_of) for c, f in found],
        part=each(lambda _, finding: finding.part),
        computed=each(lambda claim, finding: finding.text(claim.decimals)),
        difference=[finding.difference for _, finding in found],
        how=each(lambda claim, finding: finding.alone(claim)),
    )


def findings() -> pd.DataFrame:
    """Return the most telling results of checking the documents' claims, the most telling first.

    Returns
    -------
    pandas.DataFrame
        Columns ``finding`` (a headline), ``told`` (a sentence or two that explain it, with computed
        numbers), ``claims`` (ids of the claims it rests on), and of the first of these ``outcome``
        (such as "fails") and ``evidence`` (such as "maker"), see :func:`verdicts`. A result that
        rests on other data has no claims and no outcome.

    Examples
    --------
    >>> findings().set_index("claims").loc["P4-043", ["outcome", "evidence"]].tolist()
    ['fails', 'maker']
    """
    from flashwear_book.claims import told

    return told.findings_of(verdicts(*told.TOLD))


def misses() -> pd.DataFrame:
    """Return the rated speeds, confirmed by documents, that the model predicts wrongly.

    Returns
    -------
    pandas.DataFrame
        A row for each rated speed that a claim states, a document confirms, and the model, fitted
        without the drive's product line, misses by more than a tenth or with its 90 % interval:
        ``claim``, ``drive``, ``quantity``, ``unit``, ``confirmed``, ``computed`` (the median),
        ``low_90``, ``high_90``, ``ratio`` (computed over confirmed) and ``suspected``, the
        operation time that limits the modelled drive.

    Examples
    --------
    >>> table = misses().set_index("claim")
    >>> bool(table.ratio["P4-012"] > 1.1)
    True
    """
    from flashwear_book.claims import told

    return told.misses_of(verdicts(*told.figures_of_the_fit()))


def _found(rows: pd.DataFrame, ids: list[str]) -> list[tuple[Claim, Decision]]:
    """Check the claims with these ids."""
    checks = _checks()
    if unknown := set(checks) - set(rows["id"]):
        raise ValueError(f"checks must name ids of data/claims.csv, got {sorted(unknown)}")
    claims = {claim.id: claim for claim in map(Claim.from_row, rows.itertuples())}
    if strange := [id_ for id_ in ids if id_ not in claims]:
        raise ValueError(f"ids must be claims of the ledger, got {', '.join(strange)}")
    places = {id_: place for place, id_ in enumerate(claims)}

    @cache
    def finding(id_: str) -> Decision:
        claim = claims[id_]
        for original, column in ((claim.same_as, "same_as"), (claim.duplicate_of, "role")):
            if original and places.get(original, len(places)) >= places[id_]:
                raise ValueError(f"{id_}: {column} must name a claim above it, got {original}")
        if id_ not in checks and (first := claim.duplicate_of):
            return replace(finding(first), how=f"As {first}. {finding(first).how}")
        return _documented(claim, _checked(checks.get(id_), claim))

    return [(claims[id_], finding(id_)) for id_ in ids]


def _pile(claim: Claim, finding: Decision) -> str:
    if finding.outcome != "undecided":
        return "given" if finding.outcome == "given" else "decided"
    return "nobody can check it" if claim.reason in UNCHECKABLE else "open"


def _checked(check: Callable[[Claim], Decision] | None, claim: Claim) -> Decision:
    """Return what a check finds, or what the ledger says of a claim that has none."""
    from flashwear_book import runs

    if check is None:
        if claim.reason in GIVEN:
            return Decision("given", "none", how=f"{claim.reason.capitalize()}: no claim.")
        return registry.undecided("")
    try:
        finding = check(claim)
    except Exception as error:
        raise ValueError(f"{claim.id}: {error}") from error
    outdated = [study for study in finding.studies if not runs.kept_result(study).current]
    if not outdated:
        return finding
    note = f"By code that has changed since: the kept results of {', '.join(outdated)}."
    return replace(finding, how=f"{finding.how} {note}")


def _documented(claim: Claim, own: Decision) -> Decision:
    """Let documents decide what arithmetic and counters of drives leave open."""
    from flashwear_book.claims import documents

    page = documents.finding(claim)
    if page is not None and (own.outcome == "undecided" or own.evidence == "model"):
        both = replace(page, computed=own.computed, how=f"{page.how} {own.alone(claim)}")
        own = both if own.computed is not None else page
    why = {**UNCHECKABLE, **OPEN}.get(claim.reason, "")
    fits = (claim.reason in GIVEN, bool(why)) == (
        own.outcome == "given",
        own.outcome == "undecided",
    )
    if not fits:
        raise ValueError(
            f"{claim.id}: reason must say what an undecided claim lacks or why a row is given, and "
            f"else be empty, got {claim.reason!r} for {own.outcome}"
        )
    maximum = documents.line_maximum(claim, is_open=bool(why))
    return replace(own, how=" ".join(filter(None, (own.how, maximum, why))))


def _checks() -> dict[str, Callable[[Claim], Decision]]:
    """Return all checks by claim id: whoever reads the ledger alone loads no model."""
    from flashwear_book.claims import (  # noqa: F401
        _amplification,
        _capacity,
        _endurance,
        _field,
        _measured,
        _prices,
        _tests,
    )

    return registry.registered
