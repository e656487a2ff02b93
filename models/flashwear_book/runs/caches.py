"""Effect of an SLC cache on write speeds: sweeps, bursts, a trim, random writes on a full drive."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from flashwear import drives, ftl
from flashwear.drives import Drive
from flashwear.queueing import procedures, twin
from flashwear.queueing.plan import share_at
from flashwear.queueing.protocol import TURNAROUND_S
from flashwear.sweeps import Study
from flashwear.units import GB, MB
from flashwear_book import protocols
from flashwear_book.runs._reads import modelled
from flashwear_book.runs.speeds import MEASURED, consistency_figures

SWEPT = ["m600-128gb", "m600-256gb", "m600-512gb", "m600-1024gb", "mx100-256gb", "mx200-250gb",
         "840-evo-250gb", "mx300-750gb"]  # fmt: skip
"""Drives whose addresses are all written in order."""

VARIANTS: dict[str, dict[str, Any]] = {
    "as modelled": {},
    "no cache": {"cache_share": 0.0},
    "45 % of the cells": {"cache_share": 0.45},
    "folded to half": {"cache_fold_to": 0.5},
    "folded to a tenth": {"cache_fold_to": 0.1},
}
"""Rules of a dynamic cache that the sources leave open."""

_POINTS, _BURST_BYTES = 400, 120e9


def chosen(drive: str, variant: str) -> Drive:
    """Return a drive of the catalogue with one of several assumptions about its SLC cache.

    `variant` is "as modelled"; "no cache"; "45 % of the cells", which SLC mode may take; or "folded
    to half" or "folded to a tenth", to which a full cache is copied out.
    """
    return replace(drives.load(drive), **VARIANTS[variant])


def sweep(drive: str, variant: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate a sequential write of all addresses of an empty drive, at queue depth 1.

    `drive`, `variant`: name of a drive, and an assumption about its SLC cache: "as modelled" or,
    if it is dynamic, another key of :data:`VARIANTS`, such as "folded to half". `scale`: size of
    the simulated drive over that of the real one, in (0, 1]. `seed`: seed of the drive's random
    draws.

    Result: ``cached_gb``, the most GB that SLC mode can hold on an empty drive; ``mean``, the mean
    speed in MB/s, and its natural logarithm ``log_mean``; ``fast_gb``, GB written faster than a
    threshold, the geometric mean of direct writes and of writes to an empty cache; ``stage_gb``,
    GB written before the speed first falls below the threshold (both NaN without a cache);
    ``first`` and ``last``, speeds after the first and before the last fiftieth; ``speed``, the
    speeds of 400 equal stretches.
    """
    device = chosen(drive, variant)
    run = procedures.sequential_sweep(
        device, points=_POINTS, seed=seed, scale=scale, progress=False
    )
    return {"cached_gb": _held(device) / 1e9, **_figures(run, _middle(run, device))}


def trim(variant: str, idle_s: float, scale: float, seed: int) -> dict[str, Any]:
    """Simulate the TRIM validation of the M600 128GB: writes, TRIM, an idle time, writes in order.

    `variant` is an assumption about the SLC cache, a key of :data:`VARIANTS` such as "as modelled";
    `idle_s` is the idle time in s, and `scale` the size of the simulated drive over the real one's,
    in (0, 1].

    Result: of the last writes: ``mean`` speed in MB/s and its natural logarithm ``log_mean``;
    ``fast_gb``, GB written faster than a threshold between direct and cached writes, ``stage_gb``,
    GB written before the speed first falls below it; ``first`` and ``last``, speeds near start and
    end; ``speed`` of 400 stretches.
    """
    device = chosen("m600-128gb", variant)
    state = protocols.TORTURE.run(device, seed=seed, scale=scale, record=False, progress=False).ftl
    state.trim(0, state.user_pages)
    run = procedures.sequential_sweep(
        device, state=state, idle_s=idle_s, points=_POINTS, seed=seed, scale=scale, progress=False
    )
    return _figures(run, _empty(device, scale))


def burst(drive: str, fill: float, idle_s: float, scale: float, seed: int) -> dict[str, Any]:
    """Simulate writing 120 GB in order to a drive with data, and return how fast it is.

    `fill`: share of the drive that is filled and then overwritten by the burst, in [0, 1]; with 0
    the burst goes to the whole drive. `idle_s`: seconds between the fill and the burst. `drive`,
    `scale`, `seed`: name of the drive, size of the simulated drive over that of the real one, in
    (0, 1], and seed.

    Result: ``mean``, the mean speed in MB/s, and its natural logarithm ``log_mean``; ``fast_gb``,
    GB written faster than a threshold, and ``stage_gb``, GB written before the speed first falls
    below it (NaN without a cache); ``first`` and ``last``, speeds after the first and before the
    last fiftieth; ``speed``, the speeds of equal stretches. The threshold is the geometric mean of
    direct writes and of writes to an empty cache.
    """
    device = drives.load(drive)
    if fill == 0:
        points = round(_POINTS * device.user_bytes / _BURST_BYTES)
        run = procedures.sequential_sweep(
            device, points=points, seed=seed, scale=scale, progress=False
        )
        run = run[run.address_bytes <= _BURST_BYTES]
    else:
        run = _overwritten(device, fill, idle_s, scale, seed)
    return _figures(run, _empty(device, scale))


def _overwritten(drive: Drive, fill: float, idle_s: float, scale: float, seed: int) -> pd.DataFrame:
    share = share_at(drive, scale)
    device = drive.scaled(share)
    access = replace(procedures.PATTERNS["sequential_write"], span=fill)
    result = twin.run(device, access, queue_depth=1,
                      ios=round(_BURST_BYTES * device.user_bytes / drive.user_bytes / access.size),
                      seed=seed, think_s=TURNAROUND_S, span=fill, idle_s=idle_s * share,
                      record=True, progress=False)  # fmt: skip
    return procedures.speeds(
        result, _BURST_BYTES, access.size, start_s=idle_s * share, points=_POINTS
    )


def consistency(drive: str, variant: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate a consistency test of a drive, with an assumption about its SLC cache.

    The drive is filled in order, then written at random. `variant` is the assumption, a key of
    :data:`VARIANTS` such as "folded to half"; `scale` is the size of the simulated drive over the
    real one's, in (0, 1]. Returned are ``mean`` IOPS in the last 400 s and their natural logarithm
    ``log_mean``, ``steadiness`` (mean over standard deviation), ``first`` (mean in the first
    minute), ``cliff_s`` (when IOPS first stay below three quarters of that for 20 s) and ``iops``
    of each second.
    """
    return consistency_figures(chosen(drive, variant), MEASURED[drive], scale, seed)


def spans(drive: str, test: str, variant: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate the desktop tests of 18 minutes: six queue depths, one after the other.

    `test` is "random write", "sequential write, empty" or "sequential write, full"; `variant` is an
    assumption about the SLC cache, a key of :data:`VARIANTS` such as "as modelled"; `scale` is the
    size of the simulated drive over the real one's, in (0, 1].

    Result: ``speed``, MB/s in each step; ``written_gb``, GB written in all; ``fastest``, the step
    with the highest speed; ``last``, MB/s in the last step, and its logarithm ``log_last``;
    ``last_minute``, MB/s in the last minute; ``cached``, the share of writes in the last step that
    went to SLC mode; ``wa``, the write amplification in the last step.
    """
    device, step = chosen(drive, variant), protocols.SPANS[test]
    assert step.seconds is not None
    size = step.access.size / scale
    state: ftl.State | None = None
    speed, before = [], (0, 0)
    for depth in procedures.DEPTHS:
        if state is not None:
            before = state.host_writes, state.cache_writes
        result = replace(step, depth=depth).run(
            device, seed=seed, scale=scale, state=state, progress=False
        )
        state = result.ftl
        assert result.completion_s is not None
        speed.append(result.completion_s.size * size / step.seconds / MB)
    assert state is not None
    assert result.completion_s is not None
    minute = (result.completion_s > (step.seconds - 60) * scale).sum() * size / 60 / MB
    host, cached = state.host_writes - before[0], state.cache_writes - before[1]
    return {"written_gb": sum(speed) * step.seconds * MB / GB, "fastest": int(np.argmax(speed)),
            "last": speed[-1], "log_last": float(np.log(speed[-1])), "last_minute": float(minute),
            "cached": cached / host, "wa": result.wa_of_run,
            "speed": np.round(speed, 1)}  # fmt: skip


def _held(drive: Drive) -> float:
    """Return the bytes that SLC mode can hold of an empty drive: one bit of each cell."""
    if not drive.has_cache:
        return 0.0
    own = drive.cache_own_blocks
    shared = int(drive.cache_share * (drive.superblocks - own))
    return drive.raw_bytes / drive.superblocks * (own + shared) / drive.bits_per_cell


def _middle(run: Any, drive: Drive) -> float:
    """Return the speed between direct writes, by their program times, and a sweep near its start.

    The first stretch, in which the buffer of the drive fills, is not looked at.
    """
    if not drive.has_cache:
        return np.nan
    row = drive.dies * drive.planes * drive.page_bytes
    direct = row / float(np.mean(drive.program_s)) / 1e6
    return float(np.sqrt(direct * run.mb_per_s.iloc[1:5].median()))


@cache
def _empty(drive: Drive, scale: float) -> float:
    run = procedures.sequential_sweep(drive, points=_POINTS, scale=scale, progress=False)
    return _middle(run, drive)


def _figures(run: Any, middle: float) -> dict[str, Any]:
    speed = run.mb_per_s.to_numpy()
    ends = run.iloc[:, 0].to_numpy()
    sizes = np.diff(ends, prepend=0.0)
    mean = sizes.sum() / (sizes / speed).sum()
    slow = speed < middle
    slow[0] = False
    edge = max(1, speed.size // 50)
    return {"mean": float(mean), "log_mean": float(np.log(mean)),
            "fast_gb": np.nan if np.isnan(middle) else float(sizes[~slow].sum() / 1e9),
            "stage_gb": float(ends[slow.argmax() - 1] / 1e9) if slow.any() else np.nan,
            "first": float(speed[edge]), "last": float(speed[-1 - edge]),
            "speed": speed.round()}  # fmt: skip


STUDIES = (
    Study(
        name="cache_sweeps",
        function=sweep,
        grid={"drive": SWEPT, "variant": ["as modelled"], "scale": [1.0]},
        reduced={"drive": ["m600-128gb", "840-evo-250gb"], "scale": [1 / 64]},
        keys=("drive", "variant"),
        tolerance={"log_mean": 0.02},
        seed=2026,
        reads=modelled,
    ),
    Study(
        name="cache_rules",
        function=sweep,
        grid={
            "drive": ["m600-128gb", "m600-256gb", "mx300-750gb"],
            "variant": list(VARIANTS),
            "scale": [1 / 4],
        },
        reduced={"drive": ["m600-128gb"], "scale": [1 / 64]},
        keys=("drive", "variant"),
        tolerance={"log_mean": 0.02},
        seed=2026,
        reads=modelled,
    ),
    Study(
        name="cache_trim",
        function=trim,
        grid={
            "variant": ["as modelled", "no cache"],
            "idle_s": [0.0, 0.25, 0.5, 1.0, 2.0, 5.0, 60.0, 120.0, 300.0, 600.0],
            "scale": [1 / 16],
        },
        # with shorter blocks, folding ends its turns early more often
        reduced={"idle_s": [0.0, 60.0], "scale": [1 / 32]},
        keys=("variant", "idle_s"),
        tolerance={"log_mean": 0.02},
        seed=2027,
        reads=lambda grid: modelled({"drive": ["m600-128gb"]}),
    ),
    Study(
        name="cache_bursts",
        function=burst,
        grid={
            "drive": ["m600-128gb", "m600-256gb", "840-evo-250gb"],
            "fill": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95],
            "idle_s": [0.0, 10.0, 60.0, 600.0, 3600.0],
            "scale": [1 / 16],
        },
        reduced={"fill": [0.0, 0.5, 0.9], "idle_s": [0.0, 3600.0], "scale": [1 / 64]},
        keys=("drive", "fill", "idle_s"),
        tolerance={"fast_gb": 0.7},
        seed=2028,
        reads=modelled,
    ),
    Study(
        name="cache_consistency",
        function=consistency,
        grid={"drive": ["mx300-750gb", "m600-256gb"], "variant": list(VARIANTS), "scale": [1 / 4]},
        reduced={"variant": ["as modelled", "no cache"], "scale": [1 / 64]},
        keys=("drive", "variant"),
        tolerance={"log_mean": 0.05},
        seed=2029,
        reads=modelled,
    ),
    Study(
        name="cache_spans",
        function=spans,
        grid={
            "drive": ["mx300-750gb"],
            "test": list(protocols.SPANS),
            "variant": list(VARIANTS),
            "scale": [1 / 4],
        },
        reduced={"variant": ["as modelled", "no cache"], "scale": [1 / 64]},
        keys=("drive", "test", "variant"),
        tolerance={"log_last": 0.05},
        seed=2030,
        reads=modelled,
    ),
)
