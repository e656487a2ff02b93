"""One reviewed product line at a time: claims, outcomes and field data."""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from flashwear import drives, endurance, predict
from flashwear.predict.rated_speeds import rated_speeds
from flashwear.units import GB, GIB, MB, MIB, TB
from flashwear_book import charts, claims, runs, scoring, tables
from flashwear_book.field import summary


class Case(NamedTuple):
    """Names of a product line in the tables of the project.

    ``label`` is for readers, ``prefix`` begins the names of its drives, and ``fit`` is the key of
    the product line in the fit of speeds.
    """

    label: str
    prefix: str
    fit: str


CASES = {
    "m600": Case("M600", "Micron M600", "m600"),
    "mx300": Case("MX300", "Crucial MX300", "mx300"),
    "m500dc": Case("M500DC", "Micron M500DC", "m500dc"),
    "p400m": Case("P400m", "Micron P400m", "p400m"),
}

TESTS = {"cache write": "writes into the cache", "direct write": "writes past the cache",
         "folding write": "writes while the cache is emptied", "random read": "random reads",
         "random read, depth 1": "random reads, one at a time",
         "random write, depth 1": "random writes, one at a time",
         "random write, fresh": "random writes, fresh",
         "random write, steady": "random writes, settled", "sequential read": "reads in order",
         "sequential write": "writes in order"}  # fmt: skip
"""What each speed test measures, in words."""


def _case(line: str) -> Case:
    if line not in CASES:
        raise ValueError(f"line must be one of {', '.join(CASES)}, got {line!r}")
    return CASES[line]


def of(line: str) -> pd.DataFrame:
    """Return how each claim of the documents about one product line came out, a row each.

    `line` is a key of ``CASES``, such as "m600". Repeated claims are left out. To the columns of
    :func:`flashwear_book.claims.verdicts` come *statement*, the claim in words, and *reason*, why
    it cannot be decided.

    Examples
    --------
    >>> set(of("p400m").document)
    {'P4'}
    """
    stated = claims.ledger()[["id", "statement", "reason"]]
    found = claims.verdicts(*_claims_on(line)).merge(stated, on="id")
    return found[found.counts].reset_index(drop=True)


def _claims_on(line: str) -> list[str]:
    """Return the ids of the claims that are about drives of this line only."""
    label = _case(line).label
    rows = claims.ledger()
    alone = [all(label in side for side in drive.split(" vs ")) for drive in rows.drive]
    return list(rows.id[alone])


def findings(line: str) -> pd.DataFrame:
    """Return the most telling results on the claims about one product line.

    `line` is a key of ``CASES``, such as "m600". The columns are ``finding`` (a headline), ``told``
    (an explanation with computed numbers), ``claims`` (ids), ``outcome`` and ``evidence``.

    Examples
    --------
    >>> findings("p400m").claims.tolist()
    ['P4-043']
    """
    ids = set(_claims_on(line))
    found = claims.findings()
    return found[[bool(ids & set(text.split())) for text in found.claims]].reset_index(drop=True)


def figures(*documents: str) -> dict[str, str]:
    """Return how many charts some documents have, and how many the book rebuilds, as text.

    `documents` are keys such as "P4". ``charts_all``: all; ``charts_recomputed``: rebuilt from
    printed numbers; ``charts_simulated``: rebuilt by simulation; ``charts_checked``: those of the
    simulated ones that were compared with figures that the document's text gives.

    Examples
    --------
    >>> sorted(figures("P4"))
    ['charts_all', 'charts_checked', 'charts_recomputed', 'charts_simulated']
    """
    known = tables.figures()
    state = known.status[known.document.isin(documents)]
    return {
        "charts_all": f"{len(state)}",
        "charts_recomputed": f"{(state == 'recomputed').sum()}",
        "charts_simulated": f"{state.str.startswith('simulated').sum()}",
        "charts_checked": f"{(state == 'simulated, checked').sum()}",
    }


def promises(line: str) -> pd.DataFrame:
    """Return the specifications with which a product line (`line`, such as "m600") was sold.

    Returns
    -------
    pandas.DataFrame
        One row for each capacity: *Drive*, *Sold as (GB)*, *Flash (GiB)*, *Spare (% of user)*,
        *Rated writes (TB)*, *Writes of the whole drive* (the rated writes over its size), and
        *Cycles if nothing is amplified*, the mean P/E cycles that the rated writes take at a write
        amplification of 1.

    Examples
    --------
    >>> promises("m600")["Rated writes (TB)"].tolist()
    [100.0, 200.0, 300.0, 400.0]
    """
    rated = tables.endurance_ratings()
    rated = rated[rated.drive.str.startswith(_case(line).label)]
    written = rated.corrected_tbw_tb.fillna(rated.tbw_tb)
    raw = rated.raw_gib * GIB
    return pd.DataFrame({
        "Drive": rated.drive, "Sold as (GB)": rated.user_gb, "Flash (GiB)": rated.raw_gib,
        "Spare (% of user)": 100 * (raw / (rated.user_gb * GB) - 1), "Rated writes (TB)": written,
        "Writes of the whole drive": written / rated.user_gb * 1000,
        "Cycles if nothing is amplified": 1 / endurance.wear_product(
            raw, 1.0, written * TB)}).reset_index(drop=True)  # fmt: skip


def beside_predictions(line: str) -> pd.DataFrame:
    """Return a product line's (`line`, such as "m600") speeds beside predictions from other lines.

    Returns
    -------
    pandas.DataFrame
        One row for each speed: *drive*, *test*, *kind* ("rated" or "measured"), *value*, *unit*;
        and the prediction over *value*: *median* and ends of the intervals of 50 and 90 %,
        *low_50*, *high_50*, *low_90*, *high_90*.
    """
    case = _case(line)
    seen = tables.speeds()
    seen = seen[(seen.line == case.prefix) & seen.capacity_gb.notna() & seen.test.notna()]
    rows = []
    for capacity, figures in seen.groupby("capacity_gb"):
        name = f"{case.fit}-{capacity:.0f}gb"
        if name not in drives.names():
            continue
        predicted = predict.speeds(drives.load(name), without=case.fit)
        for figure in figures.itertuples():
            if figure.test not in predicted.index:
                continue
            value = figure.value * (MIB / MB if figure.unit == "MiB/s" else 1.0)
            found = predicted.loc[figure.test]
            if found.unit == "IOPS" and figure.unit == "MiB/s":
                value *= MB / figure.transfer_bytes
            quantiles = ("median", "low_50", "high_50", "low_90", "high_90")
            rows.append({"drive": f"{capacity:.0f} GB", "test": TESTS[figure.test],
                         "kind": figure.kind, "value": value, "unit": found.unit,
                         **{q: found[q] / value for q in quantiles}})  # fmt: skip
    return pd.DataFrame(rows).drop_duplicates(["drive", "test", "kind", "value"], ignore_index=True)


def score(line: str) -> dict[str, float]:
    """Return how well speeds of a product line are predicted from other lines, and by a guess.

    `line` is its key in ``CASES``, such as "m600". Speeds that only depend on the host link are
    left out, as model and guess get them right.

    Returns
    -------
    dict
        *figures*, the number of speeds; *held*, how many of them lie in their 90 % interval; and
        typical errors, as factors >= 1, of the *model* and of a naive *guess*, the mean of all
        other product lines.

    Examples
    --------
    >>> found = score("m600")
    >>> found["figures"], found["model"] < found["guess"]
    (15, True)
    """
    figures = rated_speeds().table
    where = (figures.line == _case(line).prefix) & ~figures.at_link
    new_lines = runs.kept_result("new_lines")
    model, guess = (scoring.compared(new_lines, (by, 1.0), figures) for by in ("model", "constant"))
    return {
        "figures": int(where.sum()),
        "held": int(model.held[where].sum()),
        "model": float(np.exp(scoring.rms(model, where))),
        "guess": float(np.exp(scoring.rms(guess, where))),
    }


def prediction_bars(beside: pd.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of the intervals of predicted speeds over the real (rated or measured) speeds.

    An interval that contains 1 is that of a correct prediction.

    Parameters
    ----------
    beside : pandas.DataFrame
        Speeds and predictions, a row each, as from :func:`beside_predictions`.
    """
    shown = beside.assign(
        label=[
            f"{row.drive} {row.test}{', measured' if row.kind == 'measured' else ''}"
            for row in beside.itertuples()
        ]
    ).round(4)
    y = alt.Y("label:N", title=None, sort=None).axis(labelLimit=260)
    scale = alt.Scale(type="log", domain=[0.3, 4], nice=False)
    base = alt.Chart(shown).encode(y=y)

    def x(name: str) -> alt.X:
        axis = alt.Axis(values=[0.3, 0.5, 0.7, 1, 1.5, 2, 3])
        return alt.X(f"{name}:Q", title="Predicted over stated", scale=scale, axis=axis)

    one = alt.Chart(pd.DataFrame({"at": [1.0]})).mark_rule(color=charts.ACCENT, strokeWidth=2)
    held = shown.low_90.le(1) & shown.high_90.ge(1)
    return alt.layer(
        one.encode(x=alt.X("at:Q", scale=scale)),
        base.mark_rule(clip=True).encode(x=x("low_90"), x2="high_90"),
        base.mark_bar(height=6, clip=True, opacity=0.7).encode(x=x("low_50"), x2="high_50"),
        base.mark_tick(thickness=3, size=14, color=charts.INK).encode(
            x=x("median"),
            tooltip=[
                alt.Tooltip("label:N", title="Speed"),
                alt.Tooltip("value:Q", title="Stated", format=",.0f"),
                alt.Tooltip("unit:N", title="Unit"),
                alt.Tooltip("median:Q", title="Predicted over stated", format=".2f"),
            ],
        ),
    ).properties(
        width="container",
        height=max(120, 24 * len(shown)),
        description=(
            f"{len(shown)} figures, a row each, with the predicted speed over the stated one: "
            "a thin line for 90 percent, a thick one for 50 percent. "
            f"{held.sum()} of the thin lines cross 1."
        ),
    )


def in_the_field(line: str) -> pd.DataFrame:
    """Return what drives of a product line (`line`, such as "m600") report in public collections.

    Returns
    -------
    pandas.DataFrame
        One row for each capacity with reports: *Drives*, their number; medians of *Years powered*,
        *Host writes (TB)* and *Drive writes a day*; *Write amplification* (median, 10th and 90th
        percentile); *Life used (%)* (median, maximum); and *Cycles counted to*, the P/E cycles at
        which the drive reports 100 % of its life as used.

    Examples
    --------
    >>> in_the_field("m600").Drives.sum() > 10
    np.True_
    """
    label = _case(line).label
    found = summary.load("field_models")
    found = found[(found.model == "all") & found.line.str.startswith(f"{label} ")]
    is_known = found.waf_kind == "bytes"
    spread = [
        f"{row.waf_p50:.1f} ({row.waf_p10:.1f} to {row.waf_p90:.1f})" if known else "not known"
        for row, known in zip(found.itertuples(), is_known, strict=True)
    ]
    return pd.DataFrame({
        "Drive": found.line, "Drives": found.drives,
        "Years powered": (found.hours_p50 / 8760).round(1),
        "Host writes (TB)": found.host_tb_p50.round(0),
        "Drive writes a day": found.dwpd_p50.map("{:.2f}".format), "Write amplification": spread,
        "Life used (%)": [f"{row.used_p50:.0f} (most {row.used_max:.0f})"
                          for row in found.itertuples()],
        "Cycles counted to": [f"{np.sqrt(row.cycles_low * row.cycles_high):,.0f}" if row.cycles_of
                              else "not known"
                              for row in found.itertuples()]}).reset_index(drop=True)  # fmt: skip
