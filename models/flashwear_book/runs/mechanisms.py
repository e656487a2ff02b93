"""Choice of the mechanisms in the timing model: those that improve predictions of left-out lines.

Mechanisms are tried one after the other, each added to the model with those admitted before. A
mechanism is admitted if it improves the continuous ranked probability score (of lines that were
left out, for speeds below the rate of their links) by more than chance explains. For this, the
gains of the lines get random signs (:cite:t:`fisher1935`), and their sum must reach the real one
with less than the probability that a normal variable is two standard errors above its mean.
Standard errors themselves are not usable, since one line may make half of a gain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from flashwear.predict import rated_speeds as tabled
from flashwear.predict.draws import printed_draws
from flashwear.predict.fit import fit
from flashwear.predict.hierarchy import generation
from flashwear.predict.rated_speeds import Ratings
from flashwear.predict.score import crps
from flashwear.predict.tests import planes_apart
from flashwear.queueing import work
from flashwear.sweeps import Study
from flashwear_book.runs._reads import fitted
from flashwear_book.runs.predictions import ALL

Floats = NDArray[np.float64]

COPY_S = 15e-6
"""Time of a copied map unit in the first edition, instead of that of reading and writing it."""

TWO_ERRORS = float(ndtr(-2.0))
"""Probability that a normal variable is two standard errors above its mean, 2.3 %."""

_DRAWS, _SEED, _FLIPS = 400, 2024, 20_000
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
    """Folding whose transfers and controller time pass while dies program."""
    folds = _of_test(rows, "folding write")
    counts[folds, _DIE] -= counts[folds, _CONTROLLER]
    fixed[folds, _DIE] -= fixed[folds, _CHANNEL]


def _die_held(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    reads = counts[:, _CONTROLLER, _column("read_command_s")] > 0
    share = np.array([drive.channels / drive.dies for drive in rows.drives])
    fixed[:, _DIE] += np.where(reads, fixed[:, _CHANNEL] * share, 0.0)


def _apart(rows: Ratings) -> NDArray[np.int64]:
    return np.array([planes_apart(drive) for drive in rows.drives])


def _planes_together(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    times = np.where(_of_test(rows, "random read"), _apart(rows), 1)
    fixed[:, _DIE] *= times
    counts[:, _DIE] *= times[:, None]


def _never_waiting(fixed: Floats, counts: Floats, rows: Ratings) -> None:
    deep = np.array([min(128, drive.queue_limit) for drive in rows.drives])
    dies = np.array([drive.dies for drive in rows.drives])
    servers = np.where(_of_test(rows, "random read"), dies * _apart(rows), 1)
    crowd = 1 + (servers - 1) / (2 * deep)
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
    """An effect that a model of speeds may include, such as requests that wait for the same die.

    `adds` is a function that puts it into the constant times and operation counts of tests, and
    `lacks` one that takes it out; both change arrays in place. `shifts` is true for the effect that
    measured speeds deviate from ratings by a constant factor.
    """

    name: str
    adds: Callable[[Floats, Floats, Ratings], None] | None = None
    lacks: Callable[[Floats, Floats, Ratings], None] | None = None
    shifts: bool = False


MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism("controller time per map unit, copies too", lacks=_without_units),
    Mechanism("folding in turn with the host's programs", lacks=_folding_beside),
    Mechanism("planes of 112 layers and more that read apart", lacks=_planes_together),
    Mechanism("requests that wait for the same die", lacks=_never_waiting),
    Mechanism("a die held while its page is moved", adds=_die_held),
    Mechanism("a controller of two stages", adds=_two_stages),
    Mechanism("programs of one plane in flash of 25 nm and before", adds=_one_plane),
    Mechanism("half a page of the map written for each random write", adds=_map_written),
    Mechanism("measurements off from ratings by a constant", shifts=True),
)
"""In the order in which they are tried. Those with ``lacks`` are in the tests of
:data:`flashwear.predict.TESTS` and are taken out of them; those with ``adds`` are put in."""

IN_LIBRARY = frozenset(one.name for one in MECHANISMS if one.lacks)
"""Names of the mechanisms that the tests of :mod:`flashwear.predict` have."""

GROUPS = ("generation", "enterprise", "line", "bench", "controller", "flash")
"""Groups of terms that a study leaves out, one at a time, to see how much each improves."""


def with_mechanisms(rows: Ratings, admitted: frozenset[str]) -> Ratings:
    """Return known speeds with the work of their tests modelled with just the effects `admitted`.

    `rows` are the speeds, as the library models them. `admitted` holds names of effects in
    :data:`MECHANISMS`, such as "a controller of two stages"; all named ones are included, and those
    of the library that are not named are taken out.
    """
    fixed, counts = rows.work.fixed_s.copy(), rows.work.counts.copy()
    for one in MECHANISMS:
        change = one.adds if one.name in admitted else one.lacks
        if change is not None:
            change(fixed, counts, rows)
    return replace(rows, work=work.Work(fixed, counts))


@lru_cache(maxsize=2 * len(MECHANISMS))
def _scores(
    admitted: frozenset[str], without: frozenset[str] = frozenset(), most: int = ALL
) -> Floats:
    """Return the score of each figure when its line is left out, of the first lines by name."""
    rows = with_mechanisms(tabled.rated_speeds(), admitted)
    shifted = any(one.shifts for one in MECHANISMS if one.name in admitted)
    found = np.zeros(len(rows))
    for line in sorted(rows.table.line.unique())[:most]:
        mine = (rows.table.line == line).to_numpy()
        others, wanted = rows.where(~mine), rows.where(mine)
        off = _offset(others) if shifted else 0.0
        measured = [(each.table.kind == "measured").to_numpy() for each in (others, wanted)]
        part = fit(replace(others, log_rate=others.log_rate - off * measured[0]), without=without)
        drawn, _ = printed_draws(part, wanted.drives, wanted.work, wanted.figures, _DRAWS,
                                 np.random.default_rng(_SEED), wanted.benches)  # fmt: skip
        found[mine] = crps(drawn + off * measured[1], wanted.log_rate)
    return found


def _offset(rows: Ratings) -> float:
    """Return the mean of measured over rated, as a logarithm, where a drive has both."""
    table = rows.table.assign(log=rows.log_rate)[~rows.table.at_link]
    both = table.pivot_table(index=["key", "test"], columns="kind", values="log").dropna()
    return float((both.measured - both.rated).mean())


@lru_cache(maxsize=2 * len(MECHANISMS))
def tried(step: int, most: int = ALL) -> Mapping[str, float]:
    """Score the model of speeds with one more effect (mechanism) than those accepted before.

    `step`: index of the mechanism in :data:`MECHANISMS`, or -1 for the model with none. `most`:
    number of product lines predicted, each from all others; the first ones by name.

    Result: ``crps``, the score (mean error, see :func:`flashwear.predict.score.crps`) with the
    effect; ``gain``, its improvement, and ``error``, the standard error of the gain clustered by
    line; ``better`` and ``worse``, how many lines change by more than 1 % of the mean score;
    ``chance``, the probability of such a gain with random signs; ``admitted``, whether the effect
    is accepted (1 or 0); and ``first``, the mean score of the first line.
    """
    before = _before(step, most)
    known = _scores(before, most=most)
    if step < 0:
        return {**_gained(known, known), "admitted": 1}
    found = _gained(_scores(before | {MECHANISMS[step].name}, most=most), known)
    return {**found, "admitted": int(found["chance"] < TWO_ERRORS)}


def _before(step: int, most: int) -> frozenset[str]:
    earlier = range(max(step, 0))
    return frozenset(MECHANISMS[one].name for one in earlier if tried(one, most)["admitted"])


def without_group(group: str, most: int = ALL) -> dict[str, float]:
    """Return how much better the library's model predicts speeds than one without some effects.

    `group` is the kind of effect left out, such as "controller"; `most`, how many product lines are
    predicted, each from the others. The result has ``crps``, the mean error of the library's model,
    its ``gain`` over the other, ``error``, the standard error of the gain, ``better`` and
    ``worse``, how many lines change by over 1 %, ``chance``, the probability of such a gain with
    random signs, and ``first``, the mean error for the first line.
    """
    return _gained(
        _scores(IN_LIBRARY, most=most), _scores(IN_LIBRARY, frozenset({group}), most=most)
    )


def _gained(scores: Floats, before: Floats) -> dict[str, float]:
    """Return the mean score below the link, what it gains, and how likely that is by chance."""
    table = tabled.rated_speeds().table
    weight = np.where(table.at_link, 0.0, table.weight)
    mean, gain = (float(np.average(each, weights=weight)) for each in (scores, before - scores))
    lines = table.line.factorize()[0]
    by_line = np.bincount(lines, weight * (before - scores))
    off = np.bincount(lines, weight * (before - scores - gain))
    signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], (_FLIPS, len(by_line)))
    return {"crps": mean, "gain": gain, "error": float(np.sqrt((off**2).sum()) / weight.sum()),
            "better": int((by_line > 0.01 * mean).sum()),
            "worse": int((by_line < -0.01 * mean).sum()),
            "first": float(scores[table.line == table.line.min()].mean()),
            "chance": float((signs @ by_line >= by_line.sum()).mean())}  # fmt: skip


STUDIES = (Study(
    name="mechanisms", function=tried, grid={"step": [-1, *range(len(MECHANISMS))], "most": [ALL]},
    reduced={"step": [-1], "most": [1]}, keys=("step",), tolerance={"first": 0.003}, reads=fitted),
           Study(name="groups", function=without_group, grid={"group": list(GROUPS), "most": [ALL]},
                 reduced={"most": [1]}, keys=("group",), tolerance={"first": 0.003},
                 reads=fitted))  # fmt: skip
