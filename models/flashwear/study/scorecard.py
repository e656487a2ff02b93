"""The scorecard: outcomes and evidence of claims in words, findings as a list, and a chart."""

import html

import altair as alt
import pandas as pd

from flashwear.study import charts

TOPICS = {
    "consistency": "consistency",
    "endurance": "endurance",
    "methodology": "how it was tested",
    "mixed": "mixed reads and writes",
    "nand-physics": "flash cells",
    "over-provisioning": "spare flash",
    "power": "power",
    "power-loss": "power cuts",
    "prediction": "forecasts",
    "price": "prices",
    "queue-depth": "queue depth",
    "random": "random reads and writes",
    "sequential": "reads and writes in order",
    "slc-cache": "the SLC cache",
    "spec": "specifications",
    "storage-bench": "storage benches",
    "trim": "TRIM",
}
"""Topics of claims, in words."""

SHOWN = {
    "consistency": "consistency",
    "cycles of a rating": "rating",
    "dynamic cache": "acceleration",
    "energy": "lifetime",
    "hot and cold": "hot-cold",
    "long writes": "eight-minutes",
    "power cuts": "power",
    "predicted speeds": "predictions-misses",
    "prices": "prices",
    "queue depth": "queue-depth",
    "short tests": "predictions-bars",
    "spare flash": "promise",
    "steady state": "steady-state",
    "storage traces": "long-test",
    "test of TRIM": "acceleration",
    "write amplification": "amplification",
}
"""Pages that show what the models give for claims that nothing decides, by *shown_in*."""

OUTCOMES = {
    "holds": "holds",
    "partly": "holds in part",
    "in tension": "in tension",
    "fails": "fails",
    "undecided": "undecided",
}
"""What may come of a claim, in words."""

EVIDENCE = {
    "arithmetic": "by the documents' own numbers",
    "maker": "by the maker's own sheet",
    "independent": "by an independent document",
    "field": "by counters of real drives",
    "model": "by a model that gives the same result in every random sample of the unknowns",
}
"""What a finding rests on, in words."""


def told(found: pd.DataFrame, page: str = "scorecard.html") -> str:
    """Return findings as an HTML list, each with its evidence and links to its claims.

    Parameters
    ----------
    found : pandas.DataFrame
        Rows of :func:`flashwear.study.claims.findings`.
    page : str
        Address of the page with the claims; empty on that page.

    Examples
    --------
    >>> from flashwear.study import cases
    >>> told(cases.findings("p400m"))[:62]
    '<ol><li><b>A misprint puts the rival too far ahead.</b> The P4'
    """
    items = []
    for row in found.itertuples():
        links = [f'<a href="{page}#claim-{claim}">{claim}</a>' for claim in row.claims.split()]
        rests_on = "; ".join([EVIDENCE[row.evidence], ", ".join(links)][: 2 if links else 1])
        items.append(
            f"<li><b>{html.escape(row.finding)}.</b> {html.escape(row.told)} "
            f"<small>({rests_on})</small></li>"
        )
    return f"<ol>{''.join(items)}</ol>"


def why(how: str, shown_in: object) -> str:
    """Return how a claim came out in HTML, with a link to what the models give for it.

    Examples
    --------
    >>> why("A price list would decide it.", "prices")
    'A price list would decide it. <a href="prices.html">What the models give</a>'
    """
    text = html.escape(how)
    if not isinstance(shown_in, str):
        return text
    return f'{text} <a href="{SHOWN[shown_in]}.html">What the models give</a>'


def outcome_bars(found: pd.DataFrame, height: int) -> alt.Chart:
    """Draw the outcomes of the claims by topic, the most decided topic on top.

    Parameters
    ----------
    found : pandas.DataFrame
        Claims with *topic* and *outcome*, as :func:`of` gives them.
    height : int
        Of the chart, in pixels.
    """
    ranks = list(OUTCOMES.values())
    named = pd.DataFrame({"topic": found.topic.map(TOPICS), "outcome": found.outcome.map(OUTCOMES)})
    is_open = named.outcome == OUTCOMES["undecided"]
    order = is_open.groupby(named.topic).mean().sort_values(kind="stable").index.tolist()
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
                f"Bars of {len(order)} topics, each divided by outcome. The topics with the "
                f"largest share decided are {', '.join(order[:3])}; those with the smallest "
                f"{', '.join(order[-3:])}."
            ),
        )
    )
    return chart
