"""Closed forms of speed compared with simulations, on drives of all kinds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flashwear import drives
from flashwear.drives import Drive
from flashwear.predict import TESTS, SpeedTest
from flashwear.queueing import procedures, work
from flashwear.queueing.plan import share_at
from flashwear.sweeps import Study
from flashwear_book.runs._reads import modelled

DRIVES = drives.names()[::6]
"""Every sixth drive of the catalogue."""

_SCALES = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
_FOLDED = 0.9  # of all addresses, from where on a cache of all blocks is folded
_POINTS = 40
_OF_CACHE = 0.5  # what a test writes to it at most
_BUFFERS = 100  # of data that a test writes at least, if a scale allows
_LONGER = 20  # tests of random reads, so that it counts little that DRAM holds no map at first


def compared(drive: str, test: str, seed: int) -> dict[str, Any]:
    """Compare a drive's speed in a test by closed form with its simulation.

    `test` is a name in :data:`flashwear.predict.TESTS`, such as "random read". Tests that write to
    an SLC cache end when half of the cache is full, since the closed form is for a cache that does
    not fill up. In tests of folding, all blocks may be in SLC mode, since otherwise drives hardly
    fold. The host makes no pauses.

    Result: ``bound`` and ``simulated``, requests per second by the closed form and by simulation;
    ``limit``, the station that limits them; ``log_ratio``, the natural logarithm of simulated over
    bound. NaN and "" for a test that does not apply to the drive.
    """
    made, chosen = drives.load(drive), TESTS[test]
    if not chosen.applies_to(made):
        return {"bound": np.nan, "limit": "", "simulated": np.nan, "log_ratio": np.nan}
    seconds = chosen.work_on(made).seconds(work.times_of(made))
    rate = _simulated(made, chosen, 1 / float(seconds.max()), seed)
    return {"bound": float(1 / seconds.max()), "limit": work.STATIONS[int(seconds.argmax())],
            "simulated": rate, "log_ratio": float(np.log(rate * seconds.max()))}  # fmt: skip


def _simulated(drive: Drive, test: SpeedTest, bound: float, seed: int) -> float:
    """Return the requests per second of a test on the compiled model."""
    if test.into == "folding":
        device = replace(drive, cache_own_blocks=0, cache_share=1.0)
        sweep = procedures.sequential_sweep(
            device, points=_POINTS, think_s=0.0, seed=seed, scale=_scale(device), progress=False
        )
        rate = sweep.mb_per_s[sweep.address_bytes > _FOLDED * drive.user_bytes].median()
        return float(rate * 1e6 / test.protocol.access.size)
    if test.into == "main" and drive.has_cache:
        drive = replace(drive, cache_own_blocks=0, cache_share=0.0)
    protocol, scale = replace(test.protocol, think_s=0.0), _scale(drive)
    access, length = protocol.access, float(protocol.seconds or 0.0)
    if access.read_share and access.order == "random":
        protocol = replace(protocol, seconds=_LONGER * length)
    elif protocol.fill == "none":
        written = bound * access.size * length
        most = _OF_CACHE * _cache_bytes(drive) if drive.has_cache else written
        protocol = replace(protocol, seconds=length * min(1.0, most / written))
        scale = _scale(drive, _BUFFERS * drive.buffer_bytes / min(written, most))
    return float(protocol.figures(drive, seed=seed, scale=scale, progress=False)["iops"])


def _cache_bytes(drive: Drive) -> float:
    """Return what an SLC cache holds."""
    shared = int(drive.cache_share * (drive.superblocks - drive.cache_own_blocks))
    programs = (drive.cache_own_blocks + shared) * drive.data_programs(slc=True)
    return programs * drive.planes * drive.page_bytes


def _scale(drive: Drive, least: float = 0.0) -> float:
    """Return the smallest scale that a drive can be simulated at, and that is large enough."""
    return next((scale for scale in _SCALES[:-1] if scale >= least and _fits(drive, scale)), 1.0)


def _fits(drive: Drive, scale: float) -> bool:
    try:
        share_at(drive, scale)
    except ValueError:
        return False
    return True


STUDIES = (Study(name="closed_forms", function=compared,
                 grid={"drive": DRIVES, "test": list(TESTS)},
                 reduced={"drive": ["m600-128gb", "mx300-1050gb"]}, keys=("drive", "test"),
                 tolerance={"log_ratio": 0.005}, seed=2032, reads=modelled),)  # fmt: skip
