"""Closed forms and mean-field models compared with simulated drives, for each cleaning policy.

The two have no equation in common: formulas use shares and rates, the simulation
(:mod:`flashwear.ftl`) moves pages.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from flashwear import ftl, wa, workloads
from flashwear.sweeps import Study


class _Model(NamedTuple):
    policy: str
    d: int
    uniform: Callable[[float, int], Any]
    mixed: Callable[[float, int, float], Any] | None = None


def _choices(d: int) -> _Model:
    return _Model("d_choices", d, lambda op, b: wa.d_choices(op, d, b),
                  lambda op, b, hot: wa.d_choices_mixed(op, d, b, 1 - hot, hot))  # fmt: skip


_MODELS = {"FIFO": _Model("fifo", 1, lambda op, b: wa.fifo(op),
                          lambda op, b, hot: wa.fifo_mixed(op, 1 - hot, hot)),
           "greedy": _Model("greedy", 1, wa.greedy,
                            lambda op, b, hot: wa.greedy_mixed(op, 1 - hot, hot, b)),
           "best of 2": _choices(2), "best of 5": _choices(5), "best of 10": _choices(10),
           "random": _Model("random", 1, lambda op, b: wa.random(op))}  # fmt: skip


def uniform_writes(
    model: str, op: float, pages_per_block: int, blocks: int, drive_writes: float, seed: int
) -> dict[str, float]:
    """Compare a formula for uniform random writes with a simulated drive.

    `model`: cleaning policy and its formula in :mod:`flashwear.wa`. `op`: over-provisioning over
    user pages, all blocks counted. `pages_per_block`: pages per block. `blocks`: physical blocks,
    about. `drive_writes`: host writes measured, over user pages, after five to settle. `seed`:
    seed of the run.

    Result: ``simulated`` write amplification, ``low`` and ``high`` ends of its 95 % interval,
    ``formula``, the write amplification by formula for the over-provisioning without free and open
    blocks, and ``error``, the formula over simulated, less 1.

    Tolerance of a rerun at 2,048 blocks of 16 pages: one standard error of the ratio is at most 0.3
    % (random cleaning at 7 %), and three are 0.9 %. With 0.3 % for so few blocks this is 1.2 %.
    """
    run = _run(model, op, pages_per_block, blocks, drive_writes, seed, workloads.Uniform())
    return _figures(run, _MODELS[model].uniform(run.effective_op, pages_per_block))


def skewed_writes(
    model: str,
    hot_share: float,
    op: float,
    pages_per_block: int,
    blocks: int,
    drive_writes: float,
    seed: int,
) -> dict[str, float]:
    """Compare a formula for hot and cold pages in one log with a simulated drive.

    `model`: cleaning policy and its formula in :mod:`flashwear.wa`; that of greedy is Desnoyers'
    approximation, the others are mean fields. `hot_share`: share of the pages that is hot; it gets
    the share ``1 - hot_share`` of the writes. `op`, `pages_per_block`, `blocks`, `drive_writes`,
    `seed`: over-provisioning, pages per block, blocks, host writes measured (over user pages),
    seed. The drive settles until each cold page has been written three times on average.

    Result: ``simulated`` write amplification, ``low`` and ``high`` ends of its 95 % interval,
    ``formula``, that by formula without free and open blocks, and ``error``, formula over
    simulated, less 1.
    """
    mixed = _MODELS[model].mixed if model in _MODELS else None
    if mixed is None:
        raise ValueError(f"model must have a formula for skewed writes, got {model!r}")
    load = workloads.HotCold(1 - hot_share, hot_share)
    settle = 3 * (1 - hot_share) / hot_share
    run = _run(model, op, pages_per_block, blocks, drive_writes, seed, load, settle)
    return _figures(run, mixed(run.effective_op, pages_per_block, hot_share))


def trimmed_writes(
    model: str,
    trim_share: float,
    op: float,
    pages_per_block: int,
    blocks: int,
    drive_writes: float,
    seed: int,
) -> dict[str, float]:
    """Compare a formula for uniform writes and trims with a simulated drive.

    `model`: cleaning policy and its formula in :mod:`flashwear.wa`, at the over-provisioning that
    :func:`flashwear.wa.trim_op` gives. `trim_share`: share of the requests that trim a page in
    use. `op`, `pages_per_block`, `blocks`, `drive_writes`, `seed`: over-provisioning, pages per
    block, blocks, host writes measured (over user pages), seed.

    Result: ``simulated`` write amplification, ``low`` and ``high`` ends of its 95 % interval,
    ``formula``, that by formula without free and open blocks, and ``error``, formula over
    simulated, less 1.
    """
    load = workloads.Trimmed(workloads.Uniform(), trim_share)
    run = _run(model, op, pages_per_block, blocks, drive_writes, seed, load)
    effective = float(wa.trim_op(run.effective_op, trim_share))
    return _figures(run, _MODELS[model].uniform(effective, pages_per_block))


def _run(
    model: str,
    op: float,
    pages_per_block: int,
    blocks: int,
    drive_writes: float,
    seed: int,
    load: workloads.Workload,
    settle: float = 5.0,
) -> ftl.Result:
    if model not in _MODELS:
        raise ValueError(f"model must be one of {', '.join(_MODELS)}, got {model!r}")
    return ftl.simulate(
        int(blocks * pages_per_block / (1 + op)), op, pages_per_block=pages_per_block,
        policy=_MODELS[model].policy, d=_MODELS[model].d, workload=load, warmup_drive_writes=settle,
        drive_writes=drive_writes, seed=seed, check=True, progress=False)  # fmt: skip


def _figures(run: ftl.Result, formula: Any) -> dict[str, float]:
    low, high = run.interval[:2]
    return {"simulated": run.wa, "low": low, "high": high, "formula": float(formula),
            "error": float(formula) / run.wa - 1}  # fmt: skip


STUDIES = (
    Study(name="uniform_writes", function=uniform_writes,
          grid={"model": ["FIFO", "greedy", "best of 2", "best of 5", "best of 10", "random"],
                "op": [0.07, 0.1, 0.28, 0.5, 1.0], "pages_per_block": [16, 64, 256],
                "blocks": [16_384], "drive_writes": [16.0]},
          reduced={"blocks": [2_048], "pages_per_block": [16], "drive_writes": [12.0]},
          keys=("model", "op", "pages_per_block"), tolerance={"error": 0.012}, seed=2012),
    Study(name="skewed_writes", function=skewed_writes,
          grid={"model": ["FIFO", "greedy", "best of 10"], "hot_share": [0.2, 0.1, 0.05],
                "op": [0.07, 0.1, 0.28], "pages_per_block": [16, 64], "blocks": [16_384],
                "drive_writes": [20.0]},
          reduced={"blocks": [2_048], "pages_per_block": [16], "drive_writes": [12.0]},
          keys=("model", "hot_share", "op", "pages_per_block"), tolerance={"error": 0.012},
          seed=2013),
    Study(name="trimmed_writes", function=trimmed_writes,
          grid={"model": ["FIFO", "greedy", "best of 10", "random"], "trim_share": [0.1, 0.2, 0.4],
                "op": [0.07, 0.28], "pages_per_block": [64], "blocks": [8_192],
                "drive_writes": [210.0]}, reduced={"blocks": [2_048], "drive_writes": [12.0]},
          keys=("model", "trim_share", "op", "pages_per_block"), tolerance={"error": 0.012},
          seed=2014))  # fmt: skip
