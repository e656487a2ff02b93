"""The cost of large reclaim units with placement handles: open units, and objects across units."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from flashwear import ftl, wa
from flashwear.sweeps import Study
from flashwear.workloads import OPERATION_SHIFT, TRIM, Own

Batch = tuple[NDArray[np.int64], NDArray[np.int64]]

HOT = (0.9, 0.1)
"""Shares of the writes and of the pages that the hot class has."""

RESERVE = 2  # free units below which the drive cleans
_DRAWN = 4096
_SPARE = (0.07, 0.15, 0.28)


def many_handles(
    op: float, spare_units: int, handles: int, user_pages: int, seed: int
) -> dict[str, float]:
    """Simulate hot and cold pages written through many placement handles, in large reclaim units.

    Half of the handles take equal parts of the hot pages, the other half of the cold pages. So any
    number of handles separates pages equally well, but has another number of open units. Cleaning
    is by cost-benefit, and copies stay with their handle.

    `op`: over-provisioning over user pages, all units counted. `spare_units`: size of the spare
    flash in units, from which the size of a unit follows. `handles`: number of handles: 1 for all
    pages, or an even number. `user_pages`, `seed`: pages that the host can address, and seed of
    the run.

    Result: ``wa`` as simulated; ``lost``, the mean number of blank pages, in units; ``form``, the
    closed form with the predicted loss of spare flash, and ``whole``, without a loss.

    The predicted loss is `RESERVE` free units, half a unit for each handle except the one that
    copies went to last, and 1/(2A) of a unit for that handle (A is the write amplification).

    Tolerance of a rerun on a quarter of the pages: the closed form changes by up to 0.04, and for a
    class of few units ``wa`` scatters by 3 %.
    """
    groups = max(handles // 2, 1)

    def batches(pages: int, seed: int) -> Iterator[Batch]:
        rng = np.random.default_rng(seed)
        hot = round(HOT[1] * pages)
        while True:
            high = rng.random(_DRAWN) < HOT[0]
            page = np.where(
                high, rng.integers(hot, size=_DRAWN), rng.integers(hot, pages, size=_DRAWN)
            )
            yield page, (high + 2 * (page % groups)) % handles

    unit = round(op * user_pages / spare_units)
    names = tuple(f"stream {number}" for number in range(handles))
    run = ftl.simulate(user_pages, op, pages_per_block=unit, policy="cost_benefit",
                       frontier=ftl.Handles(names, "persistently"), reserve_blocks=RESERVE,
                       workload=Own(batches, streams=handles), warmup_drive_writes=20,
                       drive_writes=6, seed=seed, progress=False)  # fmt: skip

    def closed(spare: float) -> float:
        if handles == 1:
            return float(wa.greedy_mixed(spare, *HOT, unit))
        return float(wa.separated(spare, *HOT, "greedy", unit).wa)

    form = whole = closed(run.state.op)
    for _ in range(20):
        lost = RESERVE + (handles - 1) / 2 + 1 / (2 * form)
        form = closed(run.state.op - lost * unit / user_pages)
    return {"wa": run.wa, "lost": run.blank_pages / unit, "form": form, "whole": whole}


def objects_in_units(
    size: float, offset: float, op: float, way: str, units: int, seed: int
) -> dict[str, float]:
    """Simulate objects written in order through one placement handle, and dropped at random.

    `size`: size of an object, in reclaim units. `offset`: part of a unit that is written before
    the first object, and shifts all objects. `op`: over-provisioning over the objects, all units
    counted. `way`: whether copies go to a unit of their own, or among the next objects. `units`:
    size of all objects together, in reclaim units. `seed`: seed of the objects that are trimmed
    and written anew.

    Result: ``wa`` as simulated; ``shared``, the share of the pages in units with more than one
    object, as far as copies do not shift later objects; and ``form``, the closed form if only
    shared units are cleaned, and the pieces of objects in them are equal.

    Tolerance of a rerun on a quarter of the units: the measured part has at least 600 objects,
    dropped at random, and write amplification less 1, about 0.5, scatters by up to 5 %.
    """
    unit = 64
    pages = round(size * unit)
    count = round(units / size)
    ends = round(offset * unit) + pages * np.arange(count)
    pieces = np.bincount(ends // unit, weights=ends % unit > 0)
    shared = float((pieces > 0).sum() / (count * size))
    rng = np.random.default_rng(seed)
    drive = ftl.State(count * pages, op + 1e-9, pages_per_block=unit,
                      frontier=ftl.Handles(("objects",), way), reserve_blocks=RESERVE)  # fmt: skip

    def write(objects: NDArray[np.int64]) -> None:
        for first in pages * objects:
            new = np.arange(first, first + pages)
            drive.run(np.concatenate([new | TRIM << OPERATION_SHIFT, new]))

    drive.run(np.arange(round(offset * unit)))
    write(np.arange(count))
    write(rng.integers(count, size=20 * count))
    host, flash = drive.host_writes, drive.flash_writes
    write(rng.integers(count, size=6 * count))
    amplification = (drive.flash_writes - flash) / (drive.host_writes - host)
    form = 1.0
    if shared:
        lost = (RESERVE + 1 / 2 + 1 / (2 * amplification)) * unit / drive.user_pages
        of_shared = wa.greedy((drive.op - lost) / shared, 1 + int(pieces.max()))
        form += shared * (of_shared - 1)
    return {"wa": amplification, "shared": shared, "form": form}


STUDIES = (Study(name="handles_units", function=many_handles,
                 grid={"op": list(_SPARE), "spare_units": [384, 96, 48, 24, 16, 12],
                       "handles": [1, 2, 4, 8], "user_pages": [131_072]},
                 reduced={"op": [0.28], "spare_units": [96, 12], "user_pages": [32_768]},
                 keys=("op", "spare_units", "handles"), tolerance={"wa": 0.1}, seed=48),
           Study(name="handles_alignment", function=objects_in_units,
                 grid={"size": [0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5], "offset": [0.0, 0.25, 0.5],
                       "op": list(_SPARE), "way": ["initially", "persistently"], "units": [2048]},
                 reduced={"size": [1.0, 1.5], "op": [0.28], "units": [512]},
                 keys=("size", "offset", "op", "way"), tolerance={"wa": 0.03},
                 seed=49))  # fmt: skip
