"""Claims as readers see them: words for outcomes and evidence, lists in HTML, and a chart."""

import html
from typing import Any

import altair as alt
import pandas as pd

from flashwear_book import charts, claims

CASE_OF = {"M6": "m600", "C2": "m600", "MX": "mx300", "DC": "m500dc", "P4": "p400m"}
"""The case that lists the claims of each document."""

DOCUMENTS = {
    "M6": "Review of the M600", "MX": "Review of the MX300", "C2": "M600 page and comments",
    "DC": "M500DC page and comments", "P4": "Review of the P400m",
}  # fmt: skip
"""The five documents by the beginning of their claims' ids."""

TOPICS = {
    "consistency": "consistency", "endurance": "endurance", "methodology": "how it was tested",
    "mixed": "mixed reads and writes", "nand-physics": "flash cells",
    "over-provisioning": "spare flash", "power": "power", "power-loss": "power cuts",
    "prediction": "forecasts", "price": "prices", "queue-depth": "queue depth",
    "random": "random reads and writes",
    "sequential": "reads and writes in order", "slc-cache": "the SLC cache",
    "spec": "specifications", "storage-bench": "storage benches", "trim": "TRIM",
}  # fmt: skip
"""Topics of claims, in words."""

SHOWN = {
    "consistency": "workshop/consistency",
    "cycles of a rating": "workshop/bits",
    "dynamic cache": "workshop/acceleration",
    "energy": "workshop/lifetime",
    "hot and cold": "chapters/hot-cold",
    "long writes": "workshop/acceleration",
    "power cuts": "workshop/power",
    "predicted speeds": "workshop/predictions",
    "prices": "chapters/prices",
    "queue depth": "workshop/queueing",
    "short tests": "workshop/predictions",
    "spare flash": "chapters/promise",
    "steady state": "chapters/steady-state",
    "storage traces": "workshop/acceleration",
    "test of TRIM": "workshop/acceleration",
    "write amplification": "chapters/amplification",
}
"""Pages that show what the models give for claims that nothing decides, by *shown_in*."""

OUTCOMES = {
    "holds": "holds", "partly": "holds in part", "in tension": "in tension", "fails": "fails",
    "undecided": "undecided",
}  # fmt: skip
"""Outcomes of claims, in words."""

EVIDENCE = {
    "arithmetic": "by the documents' own numbers",
    "maker": "by the maker's own sheet",
    "independent": "by an independent document",
    "field": "by counters of real drives",
    "model": "by a model that gives the same result in every random sample of the unknowns",
}
"""Kinds of evidence, in words."""


def link(claim: str) -> str:
    """Return an HTML link to the row of a claim.

    Examples
    --------
    >>> link("P4-043")
    '<a href="page:cases/p400m#claim-P4-043">P4-043</a>'
    """
    return f'<a href="page:cases/{CASE_OF[claim[:2]]}#claim-{claim}">{claim}</a>'


def told(found: pd.DataFrame) -> str:
    """Return results worth telling as an HTML list, with their evidence and links to claims.

    `found`: rows of :func:`flashwear_book.claims.findings`.

    Examples
    --------
    >>> from flashwear_book import cases
    >>> told(cases.findings("p400m"))[:62]
    '<ol><li><b>A misprint puts the rival too far ahead.</b> The P4'
    """
    items = []
    for row in found.itertuples():
        links = [link(claim) for claim in row.claims.split()]
        rests_on = "; ".join([EVIDENCE[row.evidence], ", ".join(links)][: 2 if links else 1])
        items.append(
            f"<li><b>{html.escape(row.finding)}.</b> {html.escape(row.told)} "
            f"<small>({rests_on})</small></li>"
        )
    return f"<ol>{''.join(items)}</ol>"


def why(how: str, shown_in: object) -> str:
    """Return as HTML the reason `how` for an outcome, with a link to the topic `shown_in`, if any.

    Examples
    --------
    >>> why("A price list would decide it.", "prices")
    'A price list would decide it. <a href="page:chapters/prices">What the models give</a>'
    """
    text = html.escape(how)
    if not isinstance(shown_in, str):
        return text
    return f'{text} <a href="page:{SHOWN[shown_in]}">What the models give</a>'


PILES = {
    "decided": "decided",
    "open": "open: a document would decide it",
    "nobody can check it": "nobody can check it",
    "given": "given: a step, a rig or a date",
}
"""Piles of claims (:data:`flashwear_book.claims.PILES`), in words, in the order of the lists."""


def listing(*documents: str) -> str:
    """Return all claims of `documents` (keys such as "DC") as an HTML table with filters.

    Examples
    --------
    >>> listing("DC").count('<tr id="claim-DC-')
    54
    """
    ledger = claims.ledger()
    extra = ["id", "locator", "statement", "shown_in"]
    found = claims.verdicts(*ledger.id[ledger.document.isin(documents)])
    found = found.merge(ledger[extra], on="id")
    found["pile"] = pd.Categorical(found.pile, list(PILES))
    found = found.sort_values("pile", kind="stable")
    rows = "\n".join(_row(claim) for claim in found.itertuples())
    return (
        f"<details><summary>All {len(found)} rows</summary>"
        '<table class="fw-claims" data-filter data-menus="Pile Topic Outcome Evidence">'
        "<caption>What the document says in our own words, and what came of it.</caption><thead>"
        "<tr><th>Id</th><th>Claim, and where</th><th>Stated</th><th>Outcome, by</th>"
        f"<th>Computed, and how</th></tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _row(claim: Any) -> str:
    claimed = claim.statement if isinstance(claim.statement, str) else claim.quantity
    stated = " ".join(part for part in (claim.stated, claim.unit) if isinstance(part, str))
    part = f": {html.escape(claim.part)}" if isinstance(claim.part, str) and claim.part else ""
    by = "" if claim.evidence == "none" else f"<br><small>{claim.evidence}</small>"
    cells = {
        "": f'<a href="#claim-{claim.id}">{claim.id}</a>',
        "Claim": f"<b>{html.escape(claim.drive)}</b> {html.escape(claimed)}<br>"
        f"<small>{DOCUMENTS[claim.document]}, {html.escape(claim.locator)}</small>",
        "Stated": html.escape(stated),
        "Outcome": f"{claim.outcome}{part}{by}",
        "Computed": why(claim.how, claim.shown_in),
    }
    return (
        f'<tr id="claim-{claim.id}" data-topic="{TOPICS[claim.topic]}" '
        f'data-pile="{PILES[claim.pile]}" '
        f'data-outcome="{claim.outcome}" data-evidence="{claim.evidence}">'
        + "".join(f'<td data-label="{label}">{text}</td>' for label, text in cells.items())
        + "</tr>"
    )


def outcome_bars(found: pd.DataFrame, height: int) -> alt.Chart:
    """Return a chart of the outcomes of claims by topic, the one with most decided claims on top.

    `found`: claims, a row each, with *topic* and *outcome*, from
    :func:`flashwear_book.claims.verdicts`. `height`: height of the chart, in pixels.
    """
    ranks = list(OUTCOMES.values())
    named = pd.DataFrame({"topic": found.topic.map(TOPICS), "outcome": found.outcome.map(OUTCOMES)})
    is_open = named.outcome == OUTCOMES["undecided"]
    still = is_open.groupby(named.topic).mean().sort_values(kind="stable")
    order = still.index.tolist()
    cells = named.groupby(["topic", "outcome"]).size().reset_index(name="claims")
    cells["rank"] = cells.outcome.map(ranks.index)
    chart: alt.Chart = (
        alt.Chart(cells)
        .mark_bar(stroke=charts.MUTED, strokeWidth=0.5)
        .encode(
            x=alt.X("claims:Q", title="Share of the claims", stack="normalize").axis(format="%"),
            y=alt.Y("topic:N", title=None, sort=order),
            color=alt.Color("outcome:N", title=None, sort=ranks).scale(
                domain=ranks, range=[*charts.CATEGORIES[: len(ranks) - 1], charts.GRID]
            ),
            order=alt.Order("rank:Q"),
            tooltip=["topic:N", "outcome:N", "claims:Q"],
        )
        .properties(
            width="container",
            height=height,
            description=(
                f"Bars of {len(order)} topics, each divided by outcome. Decided: "
                + ", ".join(f"{name} {1 - share:.0%}" for name, share in still.items())
                + "."
            ),
        )
    )
    return chart
