"""Cleaning by a weight of age: what it means, the P5520 it was found on, and a prediction for it.

To clean a block costs copies of its live pages, a share u, and frees the rest. To wait for a time
dt saves u h dt copies, if live pages die at the rate h, and delays 1 - u of free flash. So the next
block should be that with the largest (1 - u) / (u h). Without knowledge of h this is greedy
cleaning, with h = 1 / age cost-benefit. Under Zipf's law with an exponent of 0.8 the pages that are
left of a block that the host wrote are ever colder: h falls with age to the power 0.54 after 0.3
fills, 0.45 after one and 0.38 after two (:func:`rate_left`). So a weight of about the square root
of age is what the load asks for; it stops to grow when only the coldest pages are left.

The drive is the Solidigm P5520 of SSD-iq (``tables.measured_wa``, :mod:`.skewed`). Each rule was
run with several amounts of spare flash. Two things were learnt from the runs known before:

- With copies apart and the spare flash of the uniform run, weights from 0.2 to 0.5 meet the three
  shuffled runs within 4 % (windows, root mean square), as do ages that count up to 0.4 fills and
  :func:`rate_left`; 6 choices come within 5 %. Weights of 0 and 1, one frontier and three do not.
  None meets the fourth run, of unshuffled addresses: they are 8 to 21 % off.
- The moment at which cleaning begins differs between the runs. The host's rate falls after 0.205,
  0.193, 0.184, 0.181, 0.174 and 0.14 fills, in the order of their dates. In the uniform runs it
  falls 0.022 fills before the spare flash that their levels imply. With the spare flash of its own
  run, taken so, the fourth run is met within 5 % by a weight of 0.3. So the drive may have had less
  spare flash then, and addresses may not matter.

The following was set before any file of the runs called fiozipf was opened, and committed with the
kept result. Their load is known from the benchmark's source (https://github.com/gabriel-haas/ssdiq,
``shared/PatternGen.hpp`` and ``shared/genzipf``): fio's generator, which spreads ranks over
addresses by a product modulo the number of pages. Ranks collide, so 43 % of the pages are never
written (:func:`hashed_classes`). The dates of the runs are not known, the fills are as named.

- Runs that count: those that the benchmark's own figures use: ini10 without a fill, init09 after a
  fill in order and after a shuffled one. The other four (init07, and init09 without a fill, which
  was done again as ini10 "with erase") are shown and decide nothing.
- Windows: 0 to 0.5 and 0.5 to 1 fills of host writes, then each whole fill that the run completes,
  10 at most. A run agrees within 5 % (root mean square of relative errors), and rejects beyond
  10 %. A rule holds if all three agree, and is rejected if one rejects.
- Spare flash: that of the uniform run after a fill in order ("uniform"), and that of the run itself
  ("own"): the fills at which the host's rate, mean of 15 s, is first below 3/4 of its mean from 20
  to 100 s, less 1 on blank flash, plus 0.022. If that mean is below 1,300 MiB/s, something else
  limits the host; then the moment is that at which the counter's excess over the factor, 1.105,
  goes back to zero on the line through its first two readings above 0.01 fills, less 0.008.
- Rules: weights 0 (greedy), 0.3 (the best so far), 0.5 (named by a referee), 1 (cost-benefit), age
  up to 0.2 fills, 6 choices, and time left. Their courses are those of the kept result.
- Naive: the drive's own course of shuffled Zipf writes after the same fill, its last whole fill
  repeated; and greedy cleaning of mixed blocks. On blank flash the rules hardly differ: there the
  load is at stake. If all pages are written, the naive course is right, 2.5 after eight fills; if
  43 % are not, it is 1.5.
- State or addresses: if the drive's spare flash shrinks with use, cleaning begins in each fiozipf
  run where the straight line between the known runs next to it has it, by bytes that the flash had
  programmed, within 0.015 fills. If unshuffled addresses made it begin early, then it begins
  between 0.17 and 0.21 in all of them.
- While the drive cleans (amplification above 1.5), the host's rate times amplification is 1,620
  MiB/s within 3 %, as in the shuffled Zipf runs, unless the host is the limit.

It came out that the drive hardly copies in these runs, in 10 fills, whatever the fill: they must
have written a few per cent of the pages only, not what the source says. So they tell nothing of the
rules, and another test was set, before the speeds of the drive in the benchmark's folder finalwa14
were opened. Their loads are known from ``scripts/benchwa.sh``: after a fill in order, on shuffled
addresses, Zipf's law with exponents of 0.2 to 1, two zones, and writes to a part of the pages.

- Amplification is 1,660 MiB/s over the host's rate for uniform writes, 1,620 for others, as in the
  runs with a counter. Loads for which a weight of 0.3 tells less than 1.5 are left out: there
  something else may be the limit.
- Spare flash: that which the level of the log's own uniform run implies, 1 to 5 fills
  ("uniform"), and that of each run itself ("own"): the fills at which the rate of ten seconds is
  first below 3/4 of its mean from 0.02 to 0.1 fills, plus 0.022.
- Windows: each whole fill from the first on, 5 at most. A rule holds if the root mean square of its
  relative errors over all skewed loads is below 5 %, and is rejected beyond 10 %.
- Naive: every load as the uniform one; and greedy cleaning of mixed blocks.
- If cleaning begins before 0.16 fills in any of these shuffled runs, the drive's spare flash varies
  without unshuffled addresses.

The file has no header, the rates of one of four threads, and steps of 60 s instead of 10, which
blur the beginning of cleaning by 0.05 fills; and no run with two zones. So "own" and the last point
decide nothing (two runs begin between 0.12 and 0.17 fills). With the spare flash of the uniform run
no rule holds, and all are rejected but 6 choices, which miss by 9 %. Uniform writes were a tenth
faster than those by Zipf's law with 0.2, which any rule tells alike.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, cast

import numba
import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear.sweeps import Study
from flashwear.workloads import HotCold, Uniform
from flashwear_book.runs.skewed import LOADS, in_windows, zipf_classes

Floats = NDArray[np.float64]

_PAGES = 1024
_END = 10
WINDOWS = (0.0, 0.5, *map(float, range(1, _END + 1)))
"""Limits of the windows, in fills."""
_GOLDEN = np.uint64(0x61C8864680B583EB)


def hashed_classes(pages: int, exponent: float) -> tuple[Floats, Floats]:
    """Return the shares of writes and of pages of classes of pages under fio's Zipf law.

    Rank i goes to the page that a product with an odd constant, modulo 2**64 and then modulo the
    number of pages, gives (fio 3, ``lib/zipf.c``). Ranks with the same rest by the largest power of
    two that divides `pages` stay apart, so one rank in each such range shows which collide.

    `pages`: number of pages, of which a large power of two is a factor. `exponent`: exponent of
    Zipf's law, in (0, 1).

    Examples
    --------
    >>> write, space = hashed_classes(round(1788.5 * 2**18), 0.8)
    >>> round(float(write.sum()), 6), round(float(space[write == 0].sum()), 3)
    (1.0, 0.433)
    """
    step = pages & -pages
    ranges = pages // step
    ranks = np.arange(ranges, dtype=np.uint64) * np.uint64(step)
    _, place = np.unique(ranks * _GOLDEN % np.uint64(pages), return_inverse=True)
    upto = (np.arange(ranges + 1) * step + 0.5) ** (1 - exponent)
    share = np.bincount(place, np.diff(upto) / (upto[-1] - upto[0]))
    share = np.sort(share)[::-1]
    edges = np.unique(np.round(np.geomspace(1, share.size, 40))).astype(int)
    hot, width = zipf_classes(step, exponent, 40)
    write = np.concatenate([share[0] * hot, np.add.reduceat(share, edges[:-1]), [0.0]])
    met = np.concatenate([width, np.diff(edges)]) / ranges
    return write, np.append(met, 1 - met.sum())


HASHED = hashed_classes(round(1788.5 * 2**18), 0.8)
"""Classes of the runs called fiozipf."""


def rate_left(age: Floats) -> Floats:
    """Return the rate at which pages die that are left of a block that the host wrote.

    The load is Zipf's law with an exponent of 0.8 over many pages. `age` and the reciprocal of the
    result are in fills of host writes.

    Examples
    --------
    >>> rate_left(np.array([0.3, 1.0])).round(2)
    array([1.07, 0.59])
    """
    edges = np.geomspace(1e-9, 1, 20_001)
    rate = 0.2 * np.sqrt(edges[1:] * edges[:-1]) ** -0.8
    left = rate * np.diff(edges) * np.exp(-rate * np.asarray(age)[..., None])
    return np.asarray((left * rate).sum(-1) / left.sum(-1))


@lru_cache
def _weighted(exponent: float | None, most: float, user_pages: int) -> Callable[[ftl.Blocks], int]:
    """Return the policy that cleans the block with the largest (1 - u) / u times a weight of age.

    The weight is a power of the age, which counts up to `most` pages; without an exponent it is the
    reciprocal of :func:`rate_left`.
    """
    ages = np.geomspace(1e-3, 30, 50)
    left = 1 / rate_left(ages)
    ages *= user_pages
    power = 0.0 if exponent is None else exponent
    known = exponent is None

    @numba.njit
    def policy(blocks: ftl.Blocks) -> int:
        best, greatest = -1, -1.0
        for block in range(blocks.live.size):
            live = blocks.live[block]
            if live == 0:
                return block
            if live < _PAGES:
                age = min(blocks.writes - blocks.closed_at[block] + 1.0, most)
                weight = np.interp(age, ages, left) if known else age**power
                merit = (_PAGES - live) / live * weight
                if merit > greatest:
                    best, greatest = block, merit
        return best

    return cast(Callable[[ftl.Blocks], int], policy)


RULES: dict[str, dict[str, Any]] = {
    **{f"age {a:g}": {"exponent": a} for a in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)},
    **{f"age up to {most:g}": {"exponent": 1.0, "most": most} for most in (0.1, 0.2, 0.4)},
    **{f"{d} choices": {"policy": "d_choices", "d": d} for d in (3, 6, 10)},
    "time left": {},
    **{f"mixed, age {a:g}": {"exponent": a, "frontier": "single"} for a in (0.0, 0.5, 1.0)},
    **{
        f"three frontiers, age {a:g}": {"exponent": a, "frontier": "detected", "temperatures": 3}
        for a in (0.0, 0.3)
    },
}
"""Rules of cleaning by name: the exponent of age, fills up to which age counts, and options of
:func:`flashwear.ftl.simulate`. Copies are kept apart from host writes, unless the name says
otherwise. Ages count since a block became full, in host writes."""


def _options(rule: str, user_pages: int) -> dict[str, Any]:
    """Return what :func:`flashwear.ftl.simulate` is told of a rule."""
    options = {"frontier": "gc", **RULES[rule]}
    if "policy" not in options:
        most = options.pop("most", np.inf) * user_pages
        options["policy"] = _weighted(options.pop("exponent", None), most, user_pages)
    return options


def _course(
    rule: str, op: float, blocks: int, seed: int, load: Uniform | HotCold, fill: str, edges: Floats
) -> Floats:
    """Return the write amplification of a run in windows of host writes, over user pages."""
    user_pages = blocks * _PAGES
    run = ftl.simulate(
        user_pages, op, pages_per_block=_PAGES, fill=fill, workload=load, warmup_drive_writes=0,
        drive_writes=edges[-1], history_stride=user_pages // 200, seed=seed, progress=False,
        **_options(rule, user_pages))  # fmt: skip
    host, flash = (
        np.append(0, history).cumsum() / user_pages - (fill != "none")
        for history in (run.history_host, run.history_flash)
    )
    return in_windows(host, flash, edges)


def aged_drive(rule: str, op: float, blocks: int, seed: int) -> dict[str, Any]:
    """Simulate a drive that cleans by a rule under uniform writes and under Zipf's law.

    Tolerance of a rerun on half the blocks: blank blocks, two open and two in reserve, are 0.4 % of
    a thousand, which changes write amplification by 2 %.

    `rule`: name of the rule in :data:`RULES`. `op`: over-provisioning, all blocks counted.
    `blocks`, `seed`: blocks, of 1,024 pages, that hold the user's pages; and seed.

    Result: ``uniform``, write amplification from 1 to 3 fills after a fill in order; ``last``,
    that of Zipf writes from 3 to 4 fills after a fill; and by tenths of a fill the courses of Zipf
    writes: on ``spread`` addresses, on blank flash (``none``), unshuffled (``first``), and with
    fio's collisions (``hashed``, ``hashed_none``). Without the factor for map and parity.

    Examples
    --------
    >>> drive = aged_drive("age 0.5", 0.2, blocks=64, seed=1)
    >>> drive["spread"].size, bool(drive["last"] > drive["hashed_none"][-1])
    (100, True)
    """
    course = partial(_course, rule, op, blocks, seed)
    zipf, hashed = HotCold(*LOADS["Zipf 0.8"]), HotCold(*HASHED)
    tenths = np.arange(10 * _END + 1) / 10
    spread = course(zipf, "random", tenths)
    return {
        "uniform": float(course(Uniform(), "sequential", np.array([1.0, 3.0]))[0]),
        "last": float(spread[30:40].mean()),
        "spread": spread,
        "none": course(zipf, "none", tenths),
        "first": course(zipf, "sequential", tenths),
        "hashed": course(hashed, "random", tenths),
        "hashed_none": course(hashed, "none", tenths),
    }


OTHERS: dict[str, tuple[Any, Any]] = {
    "uniform": ([1.0], [1.0]),
    **{
        f"Zipf {z:g}": zipf_classes(round(1788.5 * 2**18), min(z, 0.9999))
        for z in (0.2, 0.4, 0.6, 0.8, 1)
    },
    **{
        f"cold {cold:g}": ([1 - cold, cold], [cold, 1 - cold])
        for cold in (0.6, 0.7, 0.8, 0.9, 0.95)
    },
    **{f"rest {rest:g}": ([0.0, 1.0], [rest, 1 - rest]) for rest in (0.2, 0.4, 0.6, 0.8, 0.9)},
}
"""Shares of writes and of pages of the loads of the second test: a share of the pages is cold and
gets one less itself of the writes, or rests."""


def aged_load(rule: str, op: float, load: str, blocks: int, seed: int) -> dict[str, Any]:
    """Simulate a drive that cleans by a rule under one of the loads of the second test.

    Tolerance of a rerun on half the blocks: as for :func:`aged_drive`.

    `rule`, `op`, `blocks`, `seed`: as for :func:`aged_drive`. `load`: name of the load in
    :data:`OTHERS`.

    Result: ``wa``, write amplification by whole fills after a fill on spread addresses, without
    the factor for map and parity; and ``last``, that of the last of them.

    Examples
    --------
    >>> aged_load("age 0.5", 0.2, "rest 0.8", blocks=64, seed=1)["wa"].size
    5
    """
    amplification = _course(
        rule, op, blocks, seed, HotCold(*OTHERS[load]), "random", np.arange(6.0)
    )
    return {"last": float(amplification[-1]), "wa": amplification}


STUDIES = (
    Study(name="skewed_ages", function=aged_drive,
          grid={"rule": list(RULES), "op": [0.14, 0.16, 0.18, 0.2, 0.22, 0.24], "blocks": [1024]},
          reduced={"rule": ["age 0.5"], "op": [0.2], "blocks": [512]},
          keys=("rule", "op"), tolerance={"uniform": 0.1, "last": 0.1}, seed=454),
    Study(name="skewed_loads", function=aged_load,
          grid={"rule": ["age 0", "age 0.2", "age 0.3", "age 0.4", "age 0.5", "age 1",
                         "age up to 0.2", "6 choices", "time left", "mixed, age 0"],
                "op": [0.14, 0.17, 0.2, 0.23], "load": list(OTHERS), "blocks": [1024]},
          reduced={"rule": ["age 0.5"], "op": [0.2], "load": ["Zipf 0.6"], "blocks": [512]},
          keys=("rule", "op", "load"), tolerance={"last": 0.1}, seed=455),
)  # fmt: skip
