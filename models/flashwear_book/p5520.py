"""The P5520's runs held against rules of cleaning (:mod:`flashwear_book.runs.aged`)."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear_book import tables
from flashwear_book.runs import kept_result
from flashwear_book.runs.aged import WINDOWS
from flashwear_book.runs.skewed import in_windows

__all__ = ["EARLY", "LEVEL", "course", "factor", "loads", "off", "runs", "scores", "spare",
           "windows"]  # fmt: skip

Floats = NDArray[np.float64]

EARLY = 0.022
"""Fills by which the P5520 begins to clean before the spare flash that its level implies, from its
two uniform runs; set before the runs called fiozipf were read."""
LEVEL = "init07-san-seq-uni"
"""Run whose level gives the spare flash."""
_COURSES = {
    "Zipf 0.8, shuffled": ("spread", "none"),
    "Zipf 0.8": ("first", None),
    "fio's Zipf 0.8": ("hashed", "hashed_none"),
}
_RATE = {"random": 1660.0}
"""Host's rate times amplification under uniform writes, MiB/s; for other loads:"""
_RATE_SKEWED = 1620.0
_LEAST = 1.5
"""Amplification below which the host's rate is not taken to tell it."""
_NAIVE = {"none": "none-zipf", "seq": "init07-san-seq-zipf", "seqshuffle": "seqshuffle-zipf"}


@functools.cache
def _measured() -> pd.DataFrame:
    table = tables.measured_wa()
    return table[table.drive.str.contains("P5520")]


@functools.cache
def factor() -> float:
    """Return the P5520's factor for map and parity: bytes programmed for one written in order."""
    table = _measured()
    return float(table[table.load.str.startswith("in order")].wa.mean())


def runs() -> pd.DataFrame:
    """Return the P5520's runs but its fills, with their state, a row each.

    ``tenths`` is the write amplification by tenths of a fill, ``course`` the simulated course of
    :func:`~flashwear_book.runs.aged.aged_drive`, None for uniform writes.

    Examples
    --------
    >>> int((runs().load == "random").sum())
    2
    """
    wear = tables.measured_wear()
    wear = wear[~wear.load.str.startswith("in order")].sort_values("started")
    tenths = _measured().groupby(["log", "run"]).wa.agg(lambda part: part.to_numpy())
    shown = wear.assign(tenths=[tenths[key] for key in zip(wear.log, wear.run, strict=True)])
    shown["blank"] = shown.log.str.contains("san-none")
    shown["course"] = [
        _COURSES.get(load, (None, None))[blank]
        for load, blank in zip(shown.load, shown.blank, strict=True)
    ]
    return shown.reset_index(drop=True)


@functools.cache
def _courses(rule: str) -> pd.DataFrame:
    series = kept_result("skewed_ages").series
    assert series is not None
    part = series[series.rule == rule].drop(columns="rule")
    return part.pivot_table(index="op", columns="step")


def course(rule: str, name: str, op: float) -> Floats:
    """Return a simulated course by tenths of a fill, with the factor, between kept spare flash."""
    table = _courses(rule)[name]
    return factor() * np.array([np.interp(op, table.index, table[step]) for step in table])


@functools.cache
def spare(rule: str, part: str = LEVEL) -> float:
    """Return the spare flash with which a rule has the level of a uniform run of the P5520."""
    table = kept_result("skewed_ages").table
    table = table[table.rule == rule].sort_values("uniform")
    run = runs()[lambda shown: shown.log.str.contains(part)].iloc[0]
    return float(np.interp(run.tenths[10:].mean() / factor(), table.uniform, table.op))


def windows(tenths: Floats) -> Floats:
    """Return the write amplification in the windows that a run by tenths completes.

    Examples
    --------
    >>> windows(np.array([1.0] * 5 + [2.0] * 9)).tolist()
    [1.0, 2.0]
    """
    fills = np.arange(tenths.size + 1) / 10
    edges = [edge for edge in WINDOWS if edge <= fills[-1] + 0.001]
    return in_windows(fills, np.append(0, tenths).cumsum() / 10, edges)


def off(told: Floats, seen: Floats) -> float:
    """Return the root mean square of the relative errors of windows."""
    told, seen = windows(told[: seen.size]), windows(seen)
    return float(np.sqrt(np.mean((told / seen - 1) ** 2)))


def scores(rules: list[str]) -> pd.DataFrame:
    """Return how far each rule is off each skewed run, with two values of the spare flash.

    Columns: ``log``, ``rule``, ``spare`` ("uniform", "own", or "" for the naive course) and
    ``off``. The naive course is the drive's own under shuffled Zipf writes, after the same fill.
    """
    shown, rows = runs(), []
    skewed = shown[shown.course.notna()]
    for run in skewed.itertuples():
        own = run.cleans_at - run.blank + EARLY
        for rule in rules:
            for name, op in (("uniform", spare(rule)), ("own", own)):
                rows.append((run.log, rule, name, off(course(rule, run.course, op), run.tenths)))
        fill = next(fill for fill in reversed(_NAIVE) if f"san-{fill}-" in run.log)
        known = shown[shown.log.str.contains(_NAIVE[fill])].tenths.iloc[0]
        known = known[: known.size // 10 * 10]
        repeated = np.append(known, np.tile(known[-10:], 10))
        rows.append((run.log, "naive", "", off(repeated, run.tenths)))
    return pd.DataFrame(rows, columns=["log", "rule", "spare", "off"])


def loads(rules: list[str]) -> pd.DataFrame:
    """Return what rules tell of the loads of the second test, and what the host's rate says.

    Columns: ``load``, ``rule``, ``spare`` ("uniform" or "own"), ``fills`` (the end of each window),
    ``told`` and ``seen``. Loads for which a weight of 0.3 tells little are left out.
    """
    kept = kept_result("skewed_loads").series
    assert kept is not None
    kept = kept.assign(wa=factor() * kept.wa)
    courses = kept.set_index(["rule", "load", "step", "op"]).wa.sort_index()
    table = tables.measured_loads()
    table = table[
        table.log.str.contains("finalwa14") & (table.fills <= courses.index.levels[2].max())
    ]
    table = table.assign(seen=table.load.map(_RATE).fillna(_RATE_SKEWED) / table.mib_per_s)
    level = table[(table.load == "random") & (table.fills > 1)].seen.mean()

    def told(rule: str, load: str, fills: int, op: float) -> float:
        part = courses[rule, load, fills]
        return float(np.interp(op, part.index, part))

    rows = []
    for rule in rules:
        flat = courses[rule, "uniform"].loc[2:].groupby("op").mean()
        even = float(np.interp(-level, -flat, flat.index))
        for row in table[table.load != "random"].itertuples():
            load = row.load.removesuffix(", shuffled")
            for name, op in (("uniform", even), ("own", row.cleans_at + EARLY)):
                if told("age 0.3", load, 5, 0.2) > _LEAST:
                    wa = told(rule, load, row.fills, op)
                    rows.append((load, rule, name, row.fills, wa, row.seen))
    return pd.DataFrame(rows, columns=["load", "rule", "spare", "fills", "told", "seen"])
