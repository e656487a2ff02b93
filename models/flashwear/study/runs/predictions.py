"""Predictions of speeds that could have failed: of lines and of capacities that were left out.

Each is made by a fit that has not seen what it predicts, and beside it by naive rivals.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from flashwear.predict import ratings as tabled
from flashwear.predict.draws import printed_draws
from flashwear.predict.fit import Fit, fit
from flashwear.predict.ratings import Ratings
from flashwear.predict.score import crps, pit
from flashwear.queueing import work

Floats = NDArray[np.float64]

RIVALS = ("constant", "nearest", "nearest, scaled by dies")
"""Naive guesses for a new line: the mean of other lines for the test, the bits in a cell and the
bus; the drive of another line with as many of both and the nearest number of dies; the same,
its speed multiplied by the ratio of dies as far as the link goes."""

SIBLINGS = ("sibling", "sibling, scaled by dies")
"""Naive guesses for a new capacity: the nearest capacity of the line, also scaled."""

_DRAWS = 1000
_ROUNDS = 6  # of a fit that starts from one to all figures
_LEAST_SD = 0.05
_FEW = 3
_LINK = work.STATIONS.index("link")


@lru_cache(maxsize=1)
def _seen() -> tuple[Ratings, Fit]:
    """Return the figures of all lines that are not frozen, and the fit to them."""
    rows = tabled.ratings()
    return rows, fit(rows)


def left_out(line: str, by: str, seed: int) -> dict[str, Floats]:
    """Predict the figures of a line from those of all others.

    Parameters
    ----------
    line : str
        A line of ``data/speeds.csv``, not a frozen one.
    by : str
        "model", or one of :data:`RIVALS`.
    seed : int
        Of the draws.

    Returns
    -------
    dict
        A series each: what was seen and the median and central intervals, as natural logarithms
        of requests per second; CRPS and PIT. Rows are those of the line in
        :func:`flashwear.predict.ratings.ratings`.

    Notes
    -----
    Tolerance of a rerun, which draws the same: the last digits of linear algebra.
    """
    rows, full = _seen()
    mine = (rows.table.line == line).to_numpy()
    others, wanted = rows.where(~mine), rows.where(mine)
    if by == "model":
        return _told(wanted, _model(others, wanted, full, seed))
    return _told(wanted, _rival(others, wanted, by, seed))


def left_out_size(drive: str, by: str, seed: int) -> dict[str, Floats]:
    """Predict the figures of one capacity from all others, its line's included.

    Parameters
    ----------
    drive : str
        A drive that has siblings, not of a frozen line.
    by : str
        "model", or one of :data:`SIBLINGS`.
    seed : int
        Of the draws.

    Returns
    -------
    dict
        As :func:`left_out`, for the tests that a sibling has a figure of.
    """
    rows, full = _seen()
    mine = (rows.table.key == drive).to_numpy()
    others, wanted = rows.where(~mine), rows.where(mine)
    wanted = wanted.where(_has_sibling(others, wanted))
    if by == "model":
        return _told(wanted, _model(others, wanted, full, seed))
    return _told(wanted, _sibling(others, wanted, by, seed))


def with_siblings() -> list[str]:
    """Return the drives of which a sibling has a figure of the same test."""
    rows, _ = _seen()
    table = rows.table
    alike = table.groupby(["line", "test", "kind"]).key.transform("nunique")
    return sorted(table.key[alike > 1].unique())


def _model(others: Ratings, wanted: Ratings, start: Fit, seed: int) -> Floats:
    found = fit(others, start=start, rounds=_ROUNDS)
    return predictive(found, wanted, seed)


def predictive(found: Fit, wanted: Ratings, seed: int) -> Floats:
    """Return draws of the figures as they would be printed, their errors included."""
    rng = np.random.default_rng(seed)
    kind, test = wanted.table.kind, wanted.table.test
    benches = np.where(kind == "measured", wanted.table.bench, "")
    figures = list(zip(kind, test, strict=True))
    drawn, _ = printed_draws(
        found, wanted.drives, wanted.work, figures, _DRAWS, rng, benches
    )
    return drawn


def _told(wanted: Ratings, drawn: Floats) -> dict[str, Floats]:
    low_90, low_50, median, high_50, high_90 = np.quantile(
        drawn, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0
    )
    return {
        "seen": wanted.log_rate,
        "median": median,
        "low_50": low_50,
        "high_50": high_50,
        "low_90": low_90,
        "high_90": high_90,
        "crps": crps(drawn, wanted.log_rate),
        "pit": pit(drawn, wanted.log_rate),
    }


def _normal(centre: Floats, spread: Floats, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    return centre + rng.standard_normal((_DRAWS, len(centre))) * np.maximum(spread, _LEAST_SD)


def _facts(rows: Ratings) -> tuple[NDArray[np.int64], NDArray[np.bool_], Floats, Floats]:
    """Return bits in a cell, whether on a fast bus, dies, and the highest rate that the link has."""
    bits = np.array([drive.bits_per_cell for drive in rows.drives])
    fast = np.array([drive.link_bytes_per_s > 1e9 for drive in rows.drives])
    dies = np.array([float(drive.dies) for drive in rows.drives])
    return bits, fast, dies, -np.log(rows.work.fixed_s[:, _LINK])


def _rival(others: Ratings, wanted: Ratings, by: str, seed: int) -> Floats:
    guess = _constant if by == "constant" else _nearest
    scaled = by.endswith("scaled by dies")
    centre, spread = np.empty(len(wanted)), np.empty(len(wanted))
    for row in range(len(wanted)):
        centre[row], alike = guess(others, wanted, row, scaled)
        if by == "constant":
            weight = others.table.weight.to_numpy()[alike]
            misses = others.log_rate[alike] - centre[row]
            spread[row] = np.sqrt(np.average(misses**2, weights=weight))
        else:
            spread[row] = _usual_miss(others, wanted.table.test.iloc[row], scaled)
    return _normal(centre, spread, seed)


def _alike(others: Ratings, wanted: Ratings, row: int) -> NDArray[np.bool_]:
    """Return what is of the same test, and of the same bus and bits if there are a few lines."""
    bits, fast, *_ = _facts(others)
    own_bits, own_fast, *_ = _facts(wanted)
    same = (others.table.test == wanted.table.test.iloc[row]).to_numpy()
    same = same & (others.table.line != wanted.table.line.iloc[row]).to_numpy()
    for narrower in (fast == own_fast[row], bits == own_bits[row]):
        if others.table.line[same & narrower].nunique() >= _FEW:
            same = same & narrower
    return same


def _constant(
    others: Ratings, wanted: Ratings, row: int, scaled: bool
) -> tuple[float, NDArray[np.bool_]]:
    same = _alike(others, wanted, row)
    weight = others.table.weight.to_numpy()[same]
    return float(np.average(others.log_rate[same], weights=weight)), same


def _nearest(
    others: Ratings, wanted: Ratings, row: int, scaled: bool
) -> tuple[float, NDArray[np.bool_]]:
    same = _alike(others, wanted, row)
    return _scaled(others, wanted, row, same, scaled), same


def _scaled(
    others: Ratings, wanted: Ratings, row: int, same: NDArray[np.bool_], scaled: bool
) -> float:
    """Return the figure of those with the nearest number of dies, as it is or scaled by dies."""
    dies = _facts(others)[2][same]
    _, _, own, link = _facts(wanted)
    apart = np.abs(np.log(dies / own[row]))
    best = apart == apart.min()
    figures = others.log_rate[same][best]
    if scaled:
        figures = figures + np.log(own[row] / dies[best])
    return float(np.minimum(figures, link[row]).mean())


def _usual_miss(others: Ratings, test: str, scaled: bool) -> float:
    return _misses(others, test, scaled, siblings=False)


def _misses(rows: Ratings, test: str, scaled: bool, siblings: bool) -> float:
    """Return the root mean square miss of a rival among figures that are there."""
    own = rows.where((rows.table.test == test).to_numpy())
    misses = []
    for row in range(len(own)):
        same = _siblings(own, own, row) if siblings else _alike(own, own, row)
        if same.any():
            misses.append(own.log_rate[row] - _scaled(own, own, row, same, scaled))
    return float(np.sqrt(np.mean(np.square(misses)))) if misses else 0.5


def _siblings(others: Ratings, wanted: Ratings, row: int) -> NDArray[np.bool_]:
    table, own = others.table, wanted.table.iloc[row]
    same = (table.line == own.line) & (table.test == own.test) & (table.kind == own.kind)
    return (same & (table.key != own.key)).to_numpy()


def _has_sibling(others: Ratings, wanted: Ratings) -> NDArray[np.bool_]:
    return np.array([_siblings(others, wanted, row).any() for row in range(len(wanted))], bool)


def _sibling(others: Ratings, wanted: Ratings, by: str, seed: int) -> Floats:
    scaled = by.endswith("scaled by dies")
    centre, spread = np.empty(len(wanted)), np.empty(len(wanted))
    for row in range(len(wanted)):
        same = _siblings(others, wanted, row)
        centre[row] = _scaled(others, wanted, row, same, scaled)
        spread[row] = _misses(others, wanted.table.test.iloc[row], scaled, siblings=True)
    return _normal(centre, spread, seed)
