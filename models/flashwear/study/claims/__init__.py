"""The ledger of claims and the verdict that the models reach on each.

:func:`ledger` is what the documents say, one row for each claim. :func:`verdicts` is what
comes out when it is computed. A verdict is never written down: each is returned by a
function registered for the claim's id, from the tables and the models.
"""

import importlib
import pkgutil
from dataclasses import replace
from functools import cache

import pandas as pd

from flashwear import tables
from flashwear.study.claims import kept
from flashwear.study.claims.registry import VERDICTS, Check, Claim, Finding, registered

__all__ = ["VERDICTS", "comparison", "ledger", "verdicts"]


def ledger() -> pd.DataFrame:
    """Return the claims of the five documents, one row each.

    Returns
    -------
    pandas.DataFrame
        See :func:`flashwear.tables.claims`.

    Examples
    --------
    >>> ledger().id[0]
    'M6-001'
    """
    return tables.claims()


def verdicts() -> pd.DataFrame:
    """Recompute every claim that has a check and say how each came out.

    Returns
    -------
    pandas.DataFrame
        One row for each claim of the ledger, in its order, with columns

        ``id``, ``document``, ``drive``, ``topic``, ``quantity``, ``stated``, ``unit``
            from the ledger;
        ``verdict``
            *reproduced* (within the tolerance that the ledger declares), *corrected* (the
            source's own arithmetic fails), *explained* (the model gives the stated
            ordering or bound), *contradicted* (the model, or another place of the same
            document, disagrees), *predicted* (a later fact bears out a forecast), *not
            reproducible* (nothing fixes the figure; the reason is in ``how``), or *open*
            (nothing has checked it yet);
        ``computed``
            what the model gives, as text; missing when the verdict is open;
        ``difference``
            computed minus stated in the claim's unit, where both are numbers;
        ``how``
            the calculation in a line.

    Raises
    ------
    ValueError
        If a check is registered for an id that the ledger does not hold, if a row repeats a claim
        that is not above it, or if a check fails; the message names the claim.

    Examples
    --------
    >>> table = verdicts().set_index("id")
    >>> table.verdict["MX-208"], table.computed["MX-208"]
    ('corrected', '30.79')
    """
    rows = ledger()
    findings, texts = _found(rows, list(rows["id"]))
    columns = ["id", "document", "drive", "topic", "quantity", "stated", "unit"]
    return rows[columns].assign(
        verdict=[finding.verdict for finding in findings],
        computed=pd.array(texts, dtype="str"),
        difference=[finding.difference for finding in findings],
        how=pd.array([finding.how for finding in findings], dtype="str"),
    )


def _found(rows: pd.DataFrame, ids: list[str]) -> tuple[list[Finding], list[str | None]]:
    """Check the claims with these ids; return the findings, and what was computed as text."""
    checks = _checks()
    if unknown := set(checks) - set(rows["id"]):
        raise ValueError(f"checks must name ids of data/claims.csv, got {sorted(unknown)}")
    rows = rows.fillna({"stated": "", "unit": "", "role": ""})
    claims = {claim.id: claim for claim in map(Claim.from_row, rows.itertuples())}
    if strange := [id_ for id_ in ids if id_ not in claims]:
        raise ValueError(f"ids must be claims of the ledger, got {', '.join(strange)}")
    places = {id_: place for place, id_ in enumerate(claims)}

    @cache
    def finding(id_: str) -> Finding:
        original = claims[id_].duplicate_of
        if original and not places.get(original, len(places)) < places[id_]:
            raise ValueError(f"{id_}: role must name a claim above it, got {original}")
        if id_ in checks:
            return _checked(checks[id_], claims[id_])
        return finding(original).repeated(original) if original else Finding("open")

    findings = [finding(id_) for id_ in ids]
    texts = [one.text(claims[id_].decimals) for one, id_ in zip(findings, ids, strict=True)]
    return findings, texts


def _checked(check: Check, claim: Claim) -> Finding:
    try:
        finding, outdated = kept.outdated_by(lambda: check(claim))
    except Exception as error:
        raise ValueError(f"{claim.id}: {error}") from error
    if not outdated:
        return finding
    note = f"By code that has changed since: the kept results of {', '.join(outdated)}."
    return replace(finding, how=f"{finding.how or ''} {note}".strip())


def _checks() -> dict[str, Check]:
    """Return all checks by claim id."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return registered()


def comparison(*ids: str) -> pd.DataFrame:
    """Set what the source says beside what comes out, as a table to print.

    Parameters
    ----------
    *ids : str
        Claims of the ledger, in the order wanted.

    Returns
    -------
    pandas.DataFrame
        Columns ``Claim`` (id, drive and quantity, or the claim in our words where the ledger
        has one), ``Stated`` with its unit, ``Computed``, ``Verdict`` and ``How``; missing
        cells are empty.

    Raises
    ------
    ValueError
        If the ledger does not hold an id.

    Examples
    --------
    >>> comparison("MX-208").loc[0, ["Stated", "Computed", "Verdict"]].tolist()
    ['26.7 c/GB', '30.79', 'corrected']
    """
    rows = ledger()
    findings, texts = _found(rows, list(ids))
    words = ["drive", "quantity", "statement", "stated", "unit"]
    rows = rows.set_index("id").loc[list(ids), words].fillna("")
    plain = rows["drive"] + ": " + rows["quantity"]
    return pd.DataFrame(
        {
            "Claim": rows.index + ". " + rows["statement"].where(rows["statement"] != "", plain),
            "Stated": (rows["stated"] + " " + rows["unit"]).str.strip(),
            "Computed": [text or "" for text in texts],
            "Verdict": [finding.verdict for finding in findings],
            "How": [finding.how or "" for finding in findings],
        }
    ).reset_index(drop=True)
