"""Predictions of the speeds of lines and of capacities that were left out of the fit.

Each is made by a fit without the speeds to be predicted, and also by naive rivals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flashwear.predict import rated_speeds as tabled
from flashwear.predict.draws import printed_draws
from flashwear.predict.fit import Fit, fit
from flashwear.predict.hierarchy import bus, generation
from flashwear.predict.rated_speeds import Ratings
from flashwear.predict.score import crps, pit, score
from flashwear.queueing import work
from flashwear.sweeps import Study
from flashwear_book.runs._reads import fitted

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Guesser = Callable[[Ratings, Ratings, np.random.Generator], Floats]

RIVALS = ("constant", "nearest", "nearest, scaled by dies", "ridge regression")
"""Naive guesses for a new line: the mean of other lines for the test, the bits in a cell and the
bus; the drive of another line with as many of both and the nearest number of dies; the same,
its speed multiplied by the ratio of dies; and a regression of each test on dies, channels,
generation, bits, bus and controller. None goes beyond the link."""

SIBLINGS = ("sibling", "sibling, scaled by dies")
"""Naive guesses for a new capacity: the capacity of the line with the nearest number of dies, and
the same scaled."""

_DRAWS = 1000
ALL = 1000  # more than there are lines or drives
_LEAST_SD, _UNKNOWN_SD = 0.05, 0.5
_FEW = 3
_PENALTIES = np.geomspace(0.03, 30.0, 13)
_LINK = work.STATIONS.index("link")


def new_lines(by: str, seed: int, widened: float = 1.0, most: int = ALL) -> dict[str, Any]:
    """Predict the speeds of each product line from those of all others, and score the predictions.

    `by`: how: "model" for the fitted model, or a naive guess of :data:`RIVALS`, such as
    "constant". `seed`: seed of the random draws. `widened`: factor on the standard deviations of
    the model's priors, > 0. `most`: number of product lines that are predicted, the first ones by
    name.

    Result: the fields of :class:`flashwear.predict.score.Score` for speeds below the rate of the
    link, and with ``all_`` before their names for all speeds; ``first_crps``, for all speeds of
    the first line; and arrays with an element for each speed: ``seen``, ``median``, ``low_50`` to
    ``high_90`` (natural logarithms of requests per second), ``each_crps`` and ``pit``, in the
    order of :func:`flashwear.predict.rated_speeds.rated_speeds`.

    Tolerance of a rerun: the same number of lines gives the same draws, except for rounding errors,
    which the fit may amplify to 0.002. If only the first line is predicted, the draws are others,
    with a standard error of 0.02.
    """
    rows = tabled.rated_speeds()
    return _left_out(rows, rows.table.line.to_numpy(), _guesser(by, widened), seed, most)


def new_capacities(by: str, seed: int, most: int = ALL) -> dict[str, Any]:
    """Predict the speeds of each drive from those of all other drives, also of its product line.

    `by` is "model" for the fitted model, or a naive guess: "sibling", the capacity of the line with
    the nearest number of dies, or "sibling, scaled by dies". `seed` is that of the random draws,
    and the first `most` drives by name are predicted. The result scores the speeds that another
    capacity of the line has in the same test: ``rms``, ``crps`` and other fields of
    :class:`flashwear.predict.score.Score`, and arrays ``seen``, ``median``, ``low_50`` to
    ``high_90`` (natural logarithms), as :func:`new_lines` has them.
    """
    rows = tabled.rated_speeds()
    parts = np.where(has_sibling(rows), rows.table.key, "")
    return _left_out(rows, parts, _guesser(by), seed, most)


def has_sibling(rows: Ratings) -> Flags:
    """Return, for each known speed in `rows`, whether another capacity of its line has one like it.

    A speed is like it if test and kind ("rated" or "measured") are the same.
    """
    drives = rows.table.groupby(["line", "test", "kind"]).key.transform("nunique")
    return np.asarray(drives > 1)


def predicted(found: Fit, wanted: Ratings, rng: np.random.Generator) -> Floats:
    """Return random draws of the logs of some speeds, as printed, by a fit.

    `found` is the fit, and `wanted` the speeds to predict, whose values are not used; `rng` is the
    random generator.
    """
    drawn, _ = printed_draws(
        found, wanted.drives, wanted.work, wanted.figures, _DRAWS, rng, wanted.benches
    )
    return drawn


def _guesser(by: str, widened: float = 1.0) -> Guesser:
    if by == "model":
        return lambda others, wanted, rng: predicted(fit(others, widened=widened), wanted, rng)
    rival = {"constant": _constant, "ridge regression": _ridge}.get(by)
    if rival is None:
        alike = _siblings if by in SIBLINGS else _alike
        return lambda others, wanted, rng: _normal(
            others, wanted, alike, by.endswith("scaled by dies"), rng
        )
    return rival


def _left_out(
    rows: Ratings, parts: NDArray[Any], guess: Guesser, seed: int, most: int = ALL
) -> dict[str, Any]:
    """Predict each part of the rows from the others, but for those of no name."""
    rng = np.random.default_rng(seed)
    names = [part for part in np.unique(parts) if part][:most]
    drawn = np.empty((_DRAWS, len(rows)))
    for part in names:
        mine = parts == part
        own = rows.table.key.isin(rows.table.key[mine]).to_numpy()
        drawn[:, mine] = guess(rows.where(~own), rows.where(mine), rng)
    wanted = np.isin(parts, names)
    told = _told(rows.where(wanted), drawn[:, wanted])
    return {**told, "first_crps": float(told["each_crps"][parts[wanted] == names[0]].mean())}


def _told(wanted: Ratings, drawn: Floats) -> dict[str, Any]:
    below = ~wanted.table.at_link.to_numpy()
    weight = wanted.table.weight.to_numpy()
    pooled = score(drawn[:, below], wanted.log_rate[below], weight[below])._asdict()
    everything = score(drawn, wanted.log_rate, weight)._asdict()
    low_90, low_50, median, high_50, high_90 = np.quantile(
        drawn, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0
    )
    return {**pooled, **{f"all_{name}": value for name, value in everything.items()},
            "seen": wanted.log_rate, "median": median, "low_50": low_50, "high_50": high_50,
            "low_90": low_90, "high_90": high_90, "each_crps": crps(drawn, wanted.log_rate),
            "pit": pit(drawn, wanted.log_rate)}  # fmt: skip


def _constant(others: Ratings, wanted: Ratings, rng: np.random.Generator) -> Floats:
    centre, spread = np.empty(len(wanted)), np.empty(len(wanted))
    for row in range(len(wanted)):
        same = _alike(others, wanted, row)
        figures, weight = others.log_rate[same], others.table.weight.to_numpy()[same]
        centre[row] = np.average(figures, weights=weight)
        spread[row] = np.sqrt(np.average((figures - centre[row]) ** 2, weights=weight))
    return _drawn(wanted, centre, spread, rng)


def _ridge(others: Ratings, wanted: Ratings, rng: np.random.Generator) -> Floats:
    """Return draws about regressions, each with the penalty that cross-validates best."""
    controllers = sorted({drive.controller for drive in others.drives})
    centre, spread = np.empty(len(wanted)), np.full(len(wanted), _UNKNOWN_SD)
    for test in wanted.table.test.unique():
        known, asked = (
            each.where((each.table.test == test).to_numpy()) for each in (others, wanted)
        )
        place = (wanted.table.test == test).to_numpy()
        if len(known) < _FEW:
            centre[place] = known.log_rate.mean() if len(known) else others.log_rate.mean()
            continue
        middle = np.average(known.log_rate, weights=known.table.weight)
        features, told = _features(known, controllers), known.log_rate - middle
        best, slopes = np.inf, np.zeros(features.shape[1])
        for penalty in _PENALTIES:
            shrunk = np.linalg.solve(
                features.T @ features + penalty * np.eye(features.shape[1]), features.T
            )
            hat = features @ shrunk
            misses = (told - hat @ told) / (1 - np.trace(hat) / len(told))  # generalised
            if (misses**2).mean() < best:
                best, slopes = float((misses**2).mean()), shrunk @ told
        centre[place] = middle + _features(asked, controllers) @ slopes
        spread[place] = np.sqrt(best)
    return _drawn(wanted, centre, spread, rng)


def _features(rows: Ratings, controllers: list[str]) -> Floats:
    """Return what a regression knows of each drive, about 1 in size."""
    plain = [[np.log2(drive.dies) - 4, np.log2(drive.channels) - 3, generation(drive.flash) / 2,
              drive.bits_per_cell - 2.5, float(bus(drive) == "pcie"), 1.0]
             for drive in rows.drives]  # fmt: skip
    each = [[float(drive.controller == one) for one in controllers] for drive in rows.drives]
    return np.hstack([plain, each])


def _normal(
    others: Ratings,
    wanted: Ratings,
    alike: Callable[[Ratings, Ratings, int], Flags],
    scaled: bool,
    rng: np.random.Generator,
) -> Floats:
    """Return draws about the nearest of what is alike, as far off as among the others."""
    centre = np.array([_nearest(others, wanted, row, alike, scaled) for row in range(len(wanted))])
    usual = {
        test: _usual_miss(others.where((others.table.test == test).to_numpy()), alike, scaled)
        for test in wanted.table.test.unique()
    }
    return _drawn(wanted, centre, wanted.table.test.map(usual).to_numpy(), rng)


def _drawn(wanted: Ratings, centre: Floats, spread: Floats, rng: np.random.Generator) -> Floats:
    """Return draws about guesses, none beyond the link."""
    drawn = centre + rng.standard_normal((_DRAWS, len(centre))) * np.maximum(spread, _LEAST_SD)
    return np.minimum(drawn, -np.log(wanted.work.fixed_s[:, _LINK]))


def _usual_miss(
    rows: Ratings, alike: Callable[[Ratings, Ratings, int], Flags], scaled: bool
) -> float:
    """Return the root mean square miss of a rival among figures of one test."""
    misses = [
        rows.log_rate[row] - _nearest(rows, rows, row, alike, scaled)
        for row in range(len(rows))
        if alike(rows, rows, row).any()
    ]
    return float(np.sqrt(np.mean(np.square(misses)))) if misses else _UNKNOWN_SD


def _nearest(
    others: Ratings,
    wanted: Ratings,
    row: int,
    alike: Callable[[Ratings, Ratings, int], Flags],
    scaled: bool,
) -> float:
    """Return the figure of the alike with the nearest number of dies, as it is or scaled."""
    same = alike(others, wanted, row)
    dies, own = others.dies[same], wanted.dies[row]
    apart = np.abs(np.log(dies / own))
    best = apart == apart.min()
    figures = others.log_rate[same][best] + (np.log(own / dies[best]) if scaled else 0.0)
    return float(np.minimum(figures, -np.log(wanted.work.fixed_s[row, _LINK])).mean())


def _alike(others: Ratings, wanted: Ratings, row: int) -> Flags:
    """Return other lines' figures of the test, on the same bus and of as many bits if a few are."""
    table, own = others.table, wanted.table.iloc[row]
    same: Flags = np.asarray((table.test == own.test) & (table.line != own.line))
    for narrower in (table.bus == own.bus, table.bits == own.bits):
        narrowed = same & np.asarray(narrower)
        if table.line[narrowed].nunique() >= _FEW:
            same = narrowed
    return same


def _siblings(others: Ratings, wanted: Ratings, row: int) -> Flags:
    table, own = others.table, wanted.table.iloc[row]
    same = (table.line == own.line) & (table.test == own.test) & (table.kind == own.kind)
    return np.asarray(same & (table.key != own.key))


_FIRST = {"first_crps": 0.02}

STUDIES = (Study(name="new_lines", function=new_lines,
                 grid={"by": ["model", *RIVALS], "widened": [1.0], "most": [ALL]},
                 reduced={"by": ["model", "constant"], "most": [1]}, keys=("by", "widened"),
                 tolerance=_FIRST, seed=2026, reads=fitted),
           Study(name="new_lines_priors", function=new_lines,
                 grid={"by": ["model"], "widened": [0.5, 1.0, 2.0], "most": [ALL]},
                 reduced={"widened": [2.0], "most": [1]}, keys=("by", "widened"), tolerance=_FIRST,
                 seed=2026, reads=fitted),
           Study(name="new_capacities", function=new_capacities,
                 grid={"by": ["model", *SIBLINGS], "most": [ALL]}, reduced={"most": [1]},
                 keys=("by",), tolerance=_FIRST, seed=2027, reads=fitted))  # fmt: skip
