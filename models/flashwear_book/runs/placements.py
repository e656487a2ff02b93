"""Write amplification by cleaning policy and placement, for several loads and spare shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from flashwear import ftl, wa, workloads
from flashwear.sweeps import Study


class _Case(NamedTuple):
    policy: str
    frontier: str = "single"
    options: Mapping[str, Any] = MappingProxyType({})


CASES = {"FIFO": _Case("fifo"), "windowed": _Case("windowed", options={"window": 100}),
         "best of 10": _Case("d_choices"), "greedy": _Case("greedy"),
         "cost-benefit": _Case("cost_benefit"), "copies apart": _Case("greedy", "gc"),
         "detected": _Case("cost_benefit", "detected", {"temperatures": 5}),
         "known, greedy": _Case("greedy", "hot_cold"),
         "known, cost-benefit": _Case("cost_benefit", "hot_cold"),
         "foreseen": _Case("greedy", "hot_cold")}  # fmt: skip
"""Arrangements of cleaning and placement by name."""

_SHARES = {"uniform": (0.5, 0.5), "80/20": (0.8, 0.2), "95/5": (0.95, 0.05)}
LOADS: dict[str, workloads.Workload] = {
    "uniform": workloads.Uniform(),
    "80/20": workloads.HotCold(*_SHARES["80/20"]),
    "95/5": workloads.HotCold(*_SHARES["95/5"]),
    "Zipf": workloads.Zipf(0.99),
}
"""Loads by name: shares of the writes and of the pages, or Zipf's law with an exponent of 0.99."""

_AHEAD, _SETTLE = 60, 60
_FORMULAS: dict[str, Callable[[float, float, float, int], float]] = {
    "FIFO": lambda op, r, f, b: wa.fifo_mixed(op, r, f),
    "greedy": lambda op, r, f, b: wa.greedy_mixed(op, r, f, b),
    "best of 10": lambda op, r, f, b: wa.d_choices_mixed(op, 10, b, r, f),
    "known, greedy": lambda op, r, f, b: wa.greedy(op, b),
    "known, cost-benefit": lambda op, r, f, b: wa.separated(op, r, f, "greedy", b).wa,
}


def placed(
    case: str, load: str, op: float, pages_per_block: int, user_pages: int, seed: int
) -> dict[str, float]:
    """Simulate a drive with one way of cleaning and of placing data.

    `case`, `load`: arrangement of cleaning and placement, one of :data:`CASES`, such as "greedy",
    or "known, greedy" with an open block for each temperature that the load gives; and load, one
    of :data:`LOADS`, such as "80/20". `op`: over-provisioning over user pages, all blocks counted.
    `pages_per_block`, `user_pages`: pages of a block, and pages that the host can address. `seed`:
    seed of the run.

    Result: ``wa``, write amplification in ten drive writes after sixty to settle, NaN if the case
    needs classes of pages and the load has none; and ``formula``, the closed form, NaN if there is
    none. For known temperatures it is that of separate pools: under "greedy" it equals that of
    uniform writes, as all pools are cleaned at the same share of invalid pages and so have equal
    over-provisioning; under "cost-benefit" it is that of the best division of the spare flash.

    Tolerance of a rerun on 65,536 pages: three standard errors of 0.3 %, as in the study of uniform
    writes, and 2 % since open blocks are a larger part of fewer blocks.
    """
    arrangement, workload = CASES[case], LOADS[load]
    if case.startswith("known") and not isinstance(workload, workloads.HotCold):
        return {"wa": math.nan, "formula": math.nan}
    if case == "foreseen":
        workload = workloads.Foreseen(workload, ahead=_AHEAD)
    run = ftl.simulate(user_pages, op, pages_per_block=pages_per_block, policy=arrangement.policy,
                       frontier=arrangement.frontier, workload=workload,
                       warmup_drive_writes=_SETTLE, drive_writes=10, seed=seed, progress=False,
                       **arrangement.options)  # fmt: skip
    formula = math.nan
    if load in _SHARES and case in _FORMULAS:
        formula = _FORMULAS[case](run.effective_op, *_SHARES[load], pages_per_block)
    return {"wa": run.wa, "formula": formula}


STUDIES = (Study(name="placements", function=placed,
                 grid={"case": list(CASES), "load": list(LOADS), "op": [0.07, 0.15, 0.28, 0.5],
                       "pages_per_block": [64], "user_pages": [262_144]},
                 reduced={"load": ["80/20"], "op": [0.28], "user_pages": [65_536]},
                 keys=("case", "load", "op"), tolerance={"wa": 0.03}, seed=2022),)  # fmt: skip
