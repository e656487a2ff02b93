"""Which mechanisms the timing model has: those that make left-out lines better predicted.

They are tried one after the other. One is admitted if the continuous ranked probability score of
lines that were left out, below the rate of their links, gains more than two standard errors,
clustered by line, over the model with those admitted before it. Folding in turn is in the tests
though it is not admitted: its figures are of two lines, too few to decide, and it has no parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear.predict import ratings as tabled
from flashwear.predict.draws import printed_draws
from flashwear.predict.fit import fit
from flashwear.predict.hierarchy import generation
from flashwear.predict.ratings import Ratings
from flashwear.predict.score import crps
from flashwear.queueing import work

Floats = NDArray[np.float64]

COPY_S = 15e-6
"""What a copy costs where it is not a unit read and one written, as the first edition had it."""

_DRAWS, _SEED = 400, 2024
_ROUNDS = 6
_LINK, _CONTROLLER, _CHANNEL, _DIE, _HOST = range(len(work.STATIONS))
_OLD = -2.0  # generation of 25 nm


def _column(name: str) -> int:
    return work.TIMES.index(name)


def _of_test(rows: Ratings, *names: str) -> NDArray[np.bool_]:
    return np.asarray(rows.table.test.isin(names))


def _random(rows: Ratings, kind: str) -> NDArray[np.bool_]:
    return np.asarray(rows.table.test.str.startswith(f"random {kind}"))


def _without_units(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    fixed[:, _CONTROLLER] += counts[:, _CONTROLLER, _column("copy_s")] * COPY_S
    counts[..., [_column("read_unit_s"), _column("write_unit_s")]] = 0.0


def _folding_beside(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    """Folding whose controller time passes while dies program."""
    folds = _of_test(rows, "folding write")
    needed = counts[folds]
    units = np.zeros_like(needed[:, _DIE])
    for name in ("read_unit_s", "write_unit_s"):
        units[:, _column(name)] = 32.0
    needed[:, _DIE] -= needed[:, _CONTROLLER] + units
    needed[:, _CONTROLLER] += units
    counts[folds] = np.maximum(needed, 0.0)


def _die_held(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    reads = counts[:, _CONTROLLER, _column("read_command_s")] > 0
    share = np.array([drive.channels / drive.dies for drive in rows.drives])
    fixed[:, _DIE] += np.where(reads, fixed[:, _CHANNEL] * share, 0.0)


def _never_waiting(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    deep = np.array([min(128, drive.queue_limit) for drive in rows.drives])
    dies = np.array([drive.dies for drive in rows.drives])
    crowd = np.where(_of_test(rows, "random read"), 1 + (dies - 1) / (2 * deep), 1.0)
    fixed[:, _DIE] /= crowd
    counts[:, _DIE] /= crowd[:, None]


def _two_stages(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    for name in ("read_command_s", "write_command_s"):
        counts[:, _HOST, _column(name)] *= 2


def _one_plane(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    old = np.array([generation(drive.flash) <= _OLD for drive in rows.drives])
    planes = np.array([drive.planes for drive in rows.drives])
    counts[:, _DIE, _column("program_s")] *= np.where(old, planes, 1)


def _map_written(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    writes = _random(rows, "write")
    part = np.array([d.map_bytes / (d.planes * d.page_bytes * d.dies) for d in rows.drives])
    counts[:, _DIE, _column("program_s")] += np.where(writes, 0.5 * part, 0.0)


class Mechanism(NamedTuple):
    """A mechanism: how the work of tests changes with it or without it, or a group of terms."""

    name: str
    groups: frozenset[str] = frozenset()
    adds: Callable[[Floats, Floats, Ratings], None] | None = None
    lacks: Callable[[Floats, Floats, Ratings], None] | None = None


MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism("controller time per map unit, copies too", lacks=_without_units),
    Mechanism(
        "a population by generation of flash, and of servers",
        frozenset({"generation", "enterprise"}),
    ),
    Mechanism("folding in turn with the host's programs", lacks=_folding_beside),
    Mechanism("requests that wait for the same die", lacks=_never_waiting),
    Mechanism("a die held while its page is moved", adds=_die_held),
    Mechanism("a controller of two stages", adds=_two_stages),
    Mechanism("programs of one plane in flash of 25 nm and before", adds=_one_plane),
    Mechanism("half a page of the map written for each random write", adds=_map_written),
)
"""In the order in which they are tried. Those with ``lacks`` are in the tests of
:data:`flashwear.predict.TESTS` and are taken out of them; those with ``adds`` are put in."""


def with_mechanisms(rows: Ratings, admitted: frozenset[str]) -> Ratings:
    """Return figures with the work of these mechanisms and no others."""
    fixed, counts = rows.work.fixed_s.copy(), rows.work.counts.copy()
    for one in MECHANISMS:
        change = one.adds if one.name in admitted else one.lacks
        if change is not None:
            change(fixed, counts, rows)
    return replace(rows, work=work.Work(fixed, counts))


def _scores(admitted: frozenset[str]) -> Floats:
    """Return the score of each figure when its line is left out."""
    rows = with_mechanisms(tabled.ratings(), admitted)
    without = frozenset().union(*(one.groups for one in MECHANISMS if one.name not in admitted))
    full = fit(rows, without=without)
    found = np.empty(len(rows))
    for line in rows.table.line.unique():
        mine = (rows.table.line == line).to_numpy()
        others, wanted = rows.where(~mine), rows.where(mine)
        part = fit(others, start=full, rounds=_ROUNDS, without=without)
        drawn, _ = printed_draws(
            part,
            wanted.drives,
            wanted.work,
            wanted.figures,
            _DRAWS,
            np.random.default_rng(_SEED),
            wanted.benches,
        )
        found[mine] = crps(drawn, wanted.log_rate)
    return found


@lru_cache(maxsize=2 * len(MECHANISMS))
def tried(step: int) -> Mapping[str, float]:
    """Try the mechanism of a step over those admitted before it.

    Parameters
    ----------
    step : int
        Its place in :data:`MECHANISMS`, or -1 for the model with none.

    Returns
    -------
    dict
        ``crps`` with it, ``gain`` by it and ``error``, the standard error of that clustered by
        line; ``admitted`` 1 or 0; and ``rows``, the figures whose score it changes by more than 1 %
        of the mean.
    """
    rows = tabled.ratings()
    weight = np.where(rows.table.at_link, 0.0, rows.table.weight)
    before = _before(step)
    scores = _scores(before | ({MECHANISMS[step].name} if step >= 0 else set()))
    mean = float(np.average(scores, weights=weight))
    if step < 0:
        return {"crps": mean, "gain": 0.0, "error": 0.0, "admitted": 1, "rows": len(rows)}
    gains = _scores_kept(before) - scores
    gain = float(np.average(gains, weights=weight))
    by_line = np.bincount(rows.table.line.factorize()[0], weight * (gains - gain))
    error = float(np.sqrt((by_line**2).sum()) / weight.sum())
    changed = int(((np.abs(gains) > 0.01 * mean) & (weight > 0)).sum())
    return {
        "crps": mean,
        "gain": gain,
        "error": error,
        "admitted": int(gain > 2 * error),
        "rows": changed,
    }


def _before(step: int) -> frozenset[str]:
    earlier = range(max(step, 0))
    return frozenset(MECHANISMS[one].name for one in earlier if tried(one)["admitted"])


_scores_kept = lru_cache(maxsize=2 * len(MECHANISMS))(_scores)
