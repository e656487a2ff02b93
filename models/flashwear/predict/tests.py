"""The speed tests that can be predicted, each with its definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flashwear.predict.hierarchy import generation
from flashwear.queueing import bounds, work
from flashwear.queueing.procedures import PATTERNS
from flashwear.queueing.protocol import Protocol
from flashwear.wa import map_unit_factor

if TYPE_CHECKING:
    from flashwear.drives import Drive

__all__ = ["TESTS", "SpeedTest", "planes_apart"]


class SpeedTest(NamedTuple):
    """A speed test: the host's requests, and the part of the flash that takes the writes.

    Attributes
    ----------
    protocol : Protocol
        Requests, queue depth and what the drive holds before.
    into : str
        Where writes go: "cache", to the SLC cache if the drive has one; "main", past the cache to
        the main blocks; "folding", to a full cache, which has to be folded first.
    """

    protocol: Protocol
    into: str = "cache"

    @property
    def unit(self) -> str:
        """Unit of the result, "MB/s" or "IOPS"."""
        return "IOPS" if self.protocol.access.order == "random" else "MB/s"

    def applies_to(self, drive: Drive) -> bool:
        """Return whether the test applies to a drive: tests of an SLC cache need such a cache."""
        if self.into == "folding":
            return drive.has_cache
        return self is not TESTS["cache write"] or drive.has_cache

    def write_amplification(self, drive: Drive) -> float:
        """Return the write amplification of a drive in the test.

        It is the product of that by cleaning, which only sustained random writes cause, and of a
        factor for map units larger than 4096 bytes, which are written whole when a part is written
        at random (:func:`flashwear.wa.map_unit_factor`).
        """
        fine, access = _in_fine_units(drive), self.protocol.access_on(drive)
        cleaned = self.protocol.random_drive_writes is None
        cleaning = bounds.write_amplification(fine, access) if cleaned else 1.0
        if access.read_share or access.order != "random":
            return cleaning
        return cleaning * float(map_unit_factor(access.size, drive.map_bytes, access.align))

    def work_on(self, drive: Drive) -> work.Work:
        r"""Return how long one request occupies each station of a drive, and its time end to end.

        The seconds at each station are those of :mod:`flashwear.queueing.bounds`, with two effects
        added. First, random reads at depth :math:`N` may meet on one of :math:`m` dies and leave
        others idle, so a die effectively needs :math:`1 + (m-1)/2N` times as long. (The increase is
        half of that in :cite:t:`lazowska1984`, since service times are fixed.) In flash of more
        than a hundred layers, planes are read independently, and :math:`m` counts planes. Second,
        writes to a full SLC cache wait until folding has made room for them
        (:func:`flashwear.queueing.work.folding`).
        """
        if self is TESTS["direct write"] and drive.has_cache and not drive.cache_direct:
            return TESTS["folding write"].work_on(drive)
        access, amplified = self.protocol.access_on(drive), self.write_amplification(drive)
        drive = _in_fine_units(drive)
        request, layout = work.in_units(drive, access), work.layout(drive)
        depth = min(self.protocol.depth, drive.queue_limit)
        if access.read_share:
            found = work.of_read(drive, layout, request, "sequential")
            if access.order == "random" and depth > 1:
                apart = planes_apart(drive)
                crowd = 1 + (apart * drive.dies - 1) / (2 * depth)
                found = _scaled(found, "die", crowd / apart)
        else:
            slc = self.into == "cache" and drive.has_cache
            found = work.of_write(
                drive,
                layout,
                request,
                amplified,
                blank=self.protocol.fill == "none",
                program="slc_program_s" if slc else "program_s",
            )
            if self.into == "folding":
                found = work.folding(found, drive, layout, request)
        return _scaled(found, "host", 1 / depth)


def planes_apart(drive: Drive) -> int:
    """Return how many planes of a die are read independently: all if it has >= 112 layers."""
    return drive.planes if generation(drive.flash) >= _PLANES_APART else 1


def _in_fine_units(drive: Drive) -> Drive:
    """Return a drive with map units of 4096 bytes, of which DRAM holds the same part of the map.

    The times of the fit are those of such units.
    """
    if drive.map_bytes % _FINE:
        raise ValueError(
            f"drive must have map units of a multiple of {_FINE} bytes, got {drive.map_bytes}"
        )
    held, times = drive.map_cache_bytes, drive.map_bytes // _FINE
    return replace(drive, map_bytes=_FINE, map_cache_bytes=None if held is None else held * times)


def _scaled(needed: work.Work, station: str, by: float) -> work.Work:
    factor = np.where(np.array(work.STATIONS) == station, by, 1.0)
    return work.Work(needed.fixed_s * factor, needed.counts * factor[:, None])


_FULL = Protocol(access=PATTERNS["random_read"], depth=32, seconds=30)
_FINE = 4096
_PLANES_APART = 4.0  # the generation of 112 layers
_DEEP = 128  # of drives that take so many commands; those on SATA are cut to 32


TESTS: Mapping[str, SpeedTest] = MappingProxyType(
    {
        "sequential read": SpeedTest(replace(_FULL, access=PATTERNS["sequential_read"])),
        "sequential write": SpeedTest(
            replace(_FULL, access=PATTERNS["sequential_write"], seconds=60, fill="none")
        ),
        "random read": SpeedTest(replace(_FULL, depth=_DEEP)),
        "random read, depth 1": SpeedTest(replace(_FULL, depth=1)),
        "random write, fresh": SpeedTest(
            replace(
                _FULL,
                access=PATTERNS["random_write"],
                depth=_DEEP,
                seconds=20,
                span_bytes=8e9,
                fill="none",
            )
        ),
        "random write, depth 1": SpeedTest(
            replace(
                _FULL,
                access=PATTERNS["random_write"],
                depth=1,
                seconds=20,
                span_bytes=8e9,
                fill="none",
            )
        ),
        "random write, steady": SpeedTest(
            replace(_FULL, access=PATTERNS["random_write"], seconds=600, random_drive_writes=None),
            "main",
        ),
        "cache write": SpeedTest(
            replace(_FULL, access=PATTERNS["sequential_write"], seconds=5, fill="none")
        ),
        "direct write": SpeedTest(
            replace(_FULL, access=PATTERNS["sequential_write"], seconds=60), "main"
        ),
        "folding write": SpeedTest(
            replace(_FULL, access=PATTERNS["sequential_write"], depth=1, seconds=60), "folding"
        ),
    }
)
"""The tests by name. Requests in order have 128 KiB at depth 32, one at a time where the cache is
folded; those at random have 4 KiB, as deep as the drive takes them up to 128, over 8 GB of an empty
drive where writes are fresh."""
