"""How a drive wears and how it ends: simulated lives.

Each block of a drive bears a number of erases and is then retired. The drive ends when the good
blocks are too few for the user's pages and for the blocks that must be open or free.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from flashwear import ftl, workloads
from flashwear._domain import one_number, whole
from flashwear.reliability import strength
from flashwear.sweeps import Study

HALF_AT_REST = workloads.HotCold([1.0, 0.0], [0.5, 0.5])
"""Half of the user's pages are written evenly, the other half only by the fill."""

RESERVE, THRESHOLD = 8, 8
"""Defaults of the number of free blocks, and of the difference of erases that levelling allows."""

_PAGES = 64
_ENDURANCE_STREAM = 2**22
_STEPS_PER_DRIVE_WRITE = 4
_LEVELLED = {"wear_levelling": "static"}

CASES: Mapping[str, tuple[str | workloads.Workload, dict[str, Any]]] = {
    "uniform": ("uniform", {}),
    "uniform, levelled": ("uniform", _LEVELLED),
    "uniform, random cleaning": ("uniform", {"policy": "random"}),
    "JESD219": ("jesd219", {}),
    "JESD219, levelled": ("jesd219", _LEVELLED),
    "half at rest": (HALF_AT_REST, {}),
    "half at rest, levelled, shared": (HALF_AT_REST, _LEVELLED),
    "half at rest, levelled, apart": (HALF_AT_REST, {**_LEVELLED, "frontier": "single"}),
    "sequential": ("sequential", {}),
    "sequential, FIFO": ("sequential", {"policy": "fifo"}),
}
"""Loads and drives whose lives :func:`wear_out` simulates. Cleaning is greedy by default. Data that
levelling moves go to the frontier of copies, or to a frontier of their own ("apart")."""


def wear(
    load: str | workloads.Workload,
    *,
    until: float = np.inf,
    cycles: float | None = None,
    spread: float = 0.0,
    op: float = 0.28,
    blocks: int = 1024,
    seed: int = 0,
    **options: Any,
) -> tuple[ftl.State, pd.DataFrame]:
    """Fill a drive in order, then write until a mean erase count is reached or the drive ends.

    `load`: writes of the host: a workload that never ends, or its name, such as "uniform".
    `until`: mean erases of a block at which to stop, > 0; needed unless `cycles` is given.
    `cycles`: mean endurance: erases that a block bears. Without it blocks last forever. `spread`:
    standard deviation of endurance over blocks, relative to the mean, in [0, 1]: 0, or that of a
    normal distribution (:func:`flashwear.reliability.strength`), in whole erases and at least one.
    `op`, `blocks`: over-provisioning, counting all blocks, and number of blocks, of 64 pages each.
    `seed`: seed of the endurances, of the writes and of the drive. `options`: options of
    :class:`flashwear.ftl.State`. By default eight blocks are kept free, copies have a frontier of
    their own, and wear levelling has a threshold of eight.

    Result: the drive at the end, and a data frame with a row for each quarter of a drive write:
    `drive_writes` so far; `wa` in this step, and `levelled`, pages that wear levelling copied in
    it over host writes; `mean_erases`, `most_erases`; `good`, the number of blocks not retired;
    and `spare`, how many of these the drive does not need.

    Raises ``ValueError`` if neither `until` nor `cycles` says when to stop, or outside these
    ranges.

    Examples
    --------
    >>> drive, history = wear("uniform", until=20, blocks=128)
    >>> bool(history.most_erases.iloc[-1] < 25)
    True
    """
    if until == np.inf and cycles is None:
        raise ValueError(f"until must be finite unless cycles is given, got {until!r}")
    if until != np.inf:
        one_number("until", until, above=0)
    workload = workloads.named(load)
    users = int(blocks * _PAGES / (1 + op))
    drive = ftl.State(
        users,
        blocks * _PAGES / users - 1,
        pages_per_block=_PAGES,
        endurance=None if cycles is None else _endurances(cycles, spread, blocks, seed),
        seed=seed,
        **{"reserve_blocks": RESERVE, "frontier": "gc", "level_threshold": THRESHOLD, **options},
    )
    drive.run(np.arange(users))
    stream = workload.stream(users, seed)
    requests = np.empty(max(1, users // _STEPS_PER_DRIVE_WRITE), np.int64)
    rows = [_moment(drive)]
    while not drive.worn_out and rows[-1]["mean_erases"] < until:
        drive.run(requests[: stream.fill(requests)])
        rows.append(_moment(drive))
    seen = pd.DataFrame(rows)
    change = seen[["host", "flash", "moved"]].diff()
    change = change.where(change["host"] > 0)
    seen.insert(0, "drive_writes", seen["host"] / users)
    seen.insert(1, "wa", change["flash"] / change["host"])
    seen.insert(2, "levelled", change["moved"] / change["host"])
    return drive, seen.drop(columns=["host", "flash", "moved"])[1:].reset_index(drop=True)


def _endurances(cycles: float, spread: float, blocks: int, seed: int) -> Any:
    mean = one_number("cycles", cycles, low=1)
    if one_number("spread", spread, low=0, high=1) == 0:
        return mean
    random = np.random.default_rng((seed, _ENDURANCE_STREAM))
    return np.maximum(1.0, np.rint(mean * strength(spread).rvs(blocks, random_state=random)))


def _moment(drive: ftl.State) -> dict[str, float]:
    erases = drive.erases
    good = drive.blocks - drive.retired_blocks
    return {"host": drive.host_writes, "flash": drive.flash_writes, "moved": drive.levelling_copies,
            "mean_erases": float(erases.mean()), "most_erases": float(erases.max()), "good": good,
            "spare": max(0, good - int(drive.arrays.rules.minimum))}  # fmt: skip


def wear_out(
    case: str, spread: float, cycles: float, blocks: int, lives: int, seed: int
) -> dict[str, float]:
    """Simulate drives until they are worn out, and compare their lives with the nominal one.

    `case`: load and drive by name, a key of ``wearing.CASES``, such as "uniform, levelled"; all
    have 28 % over-provisioning and 64 pages per block. `spread`: standard deviation of the blocks'
    endurance (normal) over its mean. `cycles`: mean endurance, in erases. `blocks`: blocks of the
    drive. `lives`: number of drives, each with its own seed. `seed`: seed of the first drive.

    Result: means over the drives: ``writes``, the life in drive writes; ``wa``, write
    amplification between half the time of the first retirement and the first retirement; ``life``,
    the life over the nominal life, which is :func:`flashwear.endurance.tbw` at the mean endurance,
    this write amplification and WLF = 1, and ``life_sd``, its standard deviation over the drives;
    ``first``, the time of the first retirement over the nominal life; ``wlf``, the most erases of
    a block over the mean at that time; ``unused``, the share of the erases that the blocks could
    bear which were not used.

    Tolerance of a rerun with two lives at a spread of 10 %. The mean ``life`` of two scatters by
    0.0032 with 1,024 blocks (standard deviation over seeds) and by 0.0075 with 256. A rerun may
    differ by four times as much.
    """
    if case not in CASES:
        raise ValueError(f"case must be one of {'; '.join(CASES)}, got {case!r}")
    load, options = CASES[case]
    rows = []
    for life in range(whole("lives", lives, 1, 10_000)):
        drive, history = wear(
            load, cycles=cycles, spread=spread, blocks=blocks, seed=seed + life, **options
        )
        retired = np.flatnonzero(history["good"] < blocks)
        first = history.iloc[max(int(retired[0]) - 1, 1)]
        before = history["drive_writes"].between(first.drive_writes / 2, first.drive_writes)
        amplification = float(history["wa"][before].mean())
        nominal = blocks * _PAGES * cycles / amplification / drive.user_pages
        writes = drive.host_writes / drive.user_pages
        rows.append({
            "writes": writes, "wa": amplification, "life": writes / nominal,
            "first": first.drive_writes / nominal, "wlf": first.most_erases / first.mean_erases,
            "unused": 1 - drive.erases.sum() / drive.arrays.block["limit"].sum()})  # fmt: skip
    figures = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    lengths = [row["life"] for row in rows]
    figures["life_sd"] = float(np.std(lengths, ddof=1)) if lives > 1 else np.nan
    return figures


STUDIES = (Study(name="wear_out", function=wear_out,
                 grid={"case": list(CASES), "spread": [0.0, 0.1, 0.2], "cycles": [300],
                       "blocks": [1024], "lives": [12]}, reduced={"spread": [0.1], "lives": [2]},
                 keys=("case", "spread"), tolerance={"life": 0.013, "unused": 0.013}, seed=2017),
           Study(name="wear_scale", function=wear_out,
                 grid={"case": ["uniform"], "spread": [0.1], "cycles": [100, 300, 1000, 3000],
                       "blocks": [256, 1024, 2048], "lives": [12]},
                 reduced={"cycles": [100, 300], "blocks": [256, 1024], "lives": [2]},
                 keys=("cycles", "blocks"), tolerance={"life": 0.03, "unused": 0.03},
                 seed=2018))  # fmt: skip
