"""Data that power cuts destroy on a drive, at many instants of simulated loads."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from flashwear import drives
from flashwear._domain import one_number, one_of, whole
from flashwear.drives import Drive
from flashwear.queueing.requests import Access
from flashwear.sweeps import Study
from flashwear_book.power import powercut
from flashwear_book.runs._reads import modelled

LOADS: Mapping[str, tuple[Access, dict[str, Any]]] = {
    "in order": (Access(131_072, "sequential"), {"queue_depth": 1}),
    "random": (Access(4096), {"queue_depth": 32, "random_drive_writes": 2.0}),
    "light": (Access(4096, rate=1000.0), {"queue_depth": 32, "random_drive_writes": 2.0}),
}
"""Writes of the host by name, sequential at queue depth 1, random in steady state at queue depth
32, and random writes that arrive at random times, 1,000 per second."""

DISTANCE = 3
"""Number of rows from a lower page to the upper page of the same cells."""

CACHES: Mapping[str, Mapping[str, Any]] = {
    "none": {"cache_own_blocks": 0, "cache_share": 0.0},
    "all writes": {
        "cache_own_blocks": 4,
        "cache_share": 0.0,
        "cache_direct": False,
        "cache_idle_s": None,
        "slc_read_s": 40e-6,
        "slc_program_s": 600e-6,
    },
}
"""No SLC cache, or an assumed one that takes all host writes and is folded meanwhile."""

_START_S, _APART_S = 1.0, 0.004


def part(drive: Drive, superblocks: int = 40, rows: int = 64) -> Drive:
    """Return a smaller drive with the same dies and rates, but fewer and shorter blocks.

    `superblocks` is the number of blocks of each plane, `rows` the pages in each. The user capacity
    is the same share of the flash, not counting blocks that are kept blank.

    Examples
    --------
    >>> small = part(drives.load("m600-256gb"))
    >>> small.dies, small.superblocks, round(small.user_bytes / 1e9, 2)
    (16, 40, 1.06)
    """
    few = replace(drive, pages_per_block=rows, blocks_per_plane=superblocks, user_bytes=4096)
    share = drive.user_bytes / drive.raw_bytes * (1 - (drive.high_blocks + 2) / superblocks)
    units = int(few.raw_bytes * share) // drive.map_bytes
    return replace(few, user_bytes=units * drive.map_bytes)


def cached(drive: Drive, cache: str) -> Drive:
    """Return the drive with an SLC cache, made of further superblocks that it gets.

    `cache` is "none", or "all writes" for four superblocks in SLC mode that take all host writes.

    Examples
    --------
    >>> cached(part(drives.load("m600-256gb")), "all writes").superblocks
    44
    """
    one_of("cache", cache, list(CACHES))
    settings = CACHES[cache]
    superblocks = drive.superblocks + settings["cache_own_blocks"]
    return replace(drive, blocks_per_plane=superblocks, **settings)


def power_cuts(load: str, cache: str, flush_ms: float, cuts: int, seed: int) -> dict[str, float]:
    """Simulate power cuts of a part of the M600 256GB: at random instants after 1 s, 4 ms apart.

    `load`, `cache`: host writes: "in order", "random" or "light"; SLC cache: "none" or "all
    writes". `flush_ms`: time in ms from the completion of a flush command to the next one; 0 for
    no flushes. `cuts`: number of power cuts, >= 1. `seed`: seed of instants and load.

    Result: means over the cuts: the share of the dies that are programming an upper page
    (``upper``) or in SLC mode (``slc``); in KiB the data in the buffer (``held``), the older pages
    in cells being programmed (``older``), and the data lost under each protection
    (``in_flight_none`` and so on); and ``hit_none`` and so on, the share of the cuts that
    destroyed data which a flush had confirmed.

    Tolerance of a rerun with fewer cuts: four standard errors of the difference, estimated from
    1,000 cuts. Data that a protection is to keep must be kept in every cut.
    """
    one_of("load", load, list(LOADS))
    access, options = LOADS[load]
    pause = one_number("flush_ms", flush_ms, low=0) / 1e3
    count = whole("cuts", cuts, 1)
    gaps = np.random.default_rng(seed).exponential(_APART_S, count)
    drive = cached(part(drives.load("m600-256gb")), cache)
    table = powercut.losses(drive, access, _START_S + gaps.cumsum(), distance=DISTANCE,
                            flush_s=pause or None, seed=seed, **options)  # fmt: skip
    program = drive.planes * drive.page_bytes
    means = {
        "upper": table["older"].mean() / drive.dies,
        "slc": table["slc"].mean() / drive.dies,
        "held": table["held"].mean() / 1024,
        "older": table["older"].mean() * program / 1024,
    }
    for protection, rows in table.groupby("protection", sort=False):
        for kind in ("in_flight", "at_rest"):
            means[f"{kind}_{protection}"] = rows[kind].mean() / 1024
        means[f"hit_{protection}"] = (rows["flushed"] > 0).mean()
    return {name: float(value) for name, value in means.items()}


STUDIES = (
    Study(name="power_cuts", function=power_cuts,
          grid={"load": list(LOADS), "cache": ["none"], "flush_ms": [0.0, 5.0], "cuts": [500]},
          reduced={"load": ["in order", "light"], "flush_ms": [5.0], "cuts": [30]},
          keys=("load", "flush_ms"),
          tolerance={"at_rest_none": 100.0, "at_rest_lower": 0.0, "at_rest_finish": 0.0,
                     "hit_lower": 0.0, "hit_finish": 0.0, "in_flight_full": 0.0}, seed=2025,
          reads=lambda grid: modelled({"drive": ["m600-256gb"]})),
    Study(name="power_cuts_cached", function=power_cuts,
          grid={"load": ["in order", "random"], "cache": ["all writes"], "flush_ms": [0.0, 5.0],
                "cuts": [500]}, reduced={"load": ["in order"], "flush_ms": [5.0], "cuts": [30]},
          keys=("load", "flush_ms"),
          tolerance={"at_rest_lower": 0.0, "at_rest_finish": 0.0, "hit_lower": 0.0,
                     "hit_finish": 0.0, "in_flight_full": 0.0}, seed=2026,
          reads=lambda grid: modelled({"drive": ["m600-256gb"]})))  # fmt: skip
