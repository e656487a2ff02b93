"""The tests whose speed is predicted, each with one definition."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flashwear.queueing import bounds, work
from flashwear.queueing.protocol import Protocol
from flashwear.queueing.procedures import PATTERNS

if TYPE_CHECKING:
    from flashwear.drives import Drive

__all__ = ["TESTS", "Test"]

_INTO = ("cache", "main", "folding")


class Test(NamedTuple):
    """A test: what the host asks, and where on the flash writes go.

    Attributes
    ----------
    protocol : Protocol
        Requests, queue depth and what the drive holds before.
    into : {"cache", "main", "folding"}
        Writes go to the SLC cache if the drive has one, past it, or past a full one that is folded
        for each of them.
    """

    protocol: Protocol
    into: str = "cache"

    @property
    def unit(self) -> str:
        """Unit of its result, "MB/s" or "IOPS"."""
        return "IOPS" if self.protocol.access.order == "random" else "MB/s"

    def applies_to(self, drive: Drive) -> bool:
        """Whether a drive can be put to the test: only one with a cache writes to it or folds."""
        if self.into == "folding":
            return drive.has_cache
        return self is not TESTS["cache write"] or drive.has_cache

    def write_amplification(self, drive: Drive) -> float:
        """Return the write amplification of the test, 1 but for random writes in the long run."""
        if self.protocol.random_drive_writes is None:
            return bounds.write_amplification(drive, self.protocol.access)
        return 1.0

    def work_on(self, drive: Drive) -> work.Work:
        """Return what a request of the test needs, its time end to end over the queue depth.

        Folding is serial with the programs of the host: a unit waits while what it displaces is
        read from the cache and programmed.
        """
        access = self.protocol.access
        request, layout = work.in_units(drive, access), work.layout(drive)
        blank = self.protocol.fill == "none"
        if access.read_share:
            found = work.of_read(drive, layout, request, "sequential")
        else:
            slc = self.into == "cache" and drive.has_cache
            found = work.of_write(
                drive,
                layout,
                request,
                self.write_amplification(drive),
                blank=blank,
                program="slc_program_s" if slc else "program_s",
            )
            if self.into == "folding":
                found = _folding(found, request.units)
        depth = min(self.protocol.depth, drive.queue_limit)
        share = np.array([1.0, 1.0, 1.0, 1.0, 1 / depth])
        return work.Work(found.fixed_s * share, found.counts * share[:, None])


def _folding(write: work.Work, units: int) -> work.Work:
    """Return the work of a write that waits for as much to be folded, all at the die in turn."""
    die, controller = work.STATIONS.index("die"), work.STATIONS.index("controller")
    counts = write.counts.copy()
    counts[die] *= 2
    counts[die] += counts[controller]
    for name in ("read_unit_s", "write_unit_s"):
        counts[die, work.TIMES.index(name)] += units
    return work.Work(write.fixed_s, counts)


_FULL = Protocol(access=PATTERNS["random_read"], depth=32, seconds=30)
_DEEP = 128  # of drives that take so many commands; those on SATA are cut to 32


def _after(protocol: Protocol, **changes: object) -> Protocol:
    from dataclasses import replace

    return replace(protocol, **changes)  # type: ignore[arg-type]


TESTS: Mapping[str, Test] = MappingProxyType(
    {
        "sequential read": Test(_after(_FULL, access=PATTERNS["sequential_read"])),
        "sequential write": Test(
            _after(_FULL, access=PATTERNS["sequential_write"], seconds=60, fill="none")
        ),
        "random read": Test(_after(_FULL, depth=_DEEP)),
        "random read, depth 1": Test(_after(_FULL, depth=1)),
        "random write, fresh": Test(
            _after(
                _FULL,
                access=PATTERNS["random_write"],
                depth=_DEEP,
                seconds=20,
                span_bytes=8e9,
                fill="none",
            )
        ),
        "random write, depth 1": Test(
            _after(
                _FULL,
                access=PATTERNS["random_write"],
                depth=1,
                seconds=20,
                span_bytes=8e9,
                fill="none",
            )
        ),
        "random write, steady": Test(
            _after(
                _FULL, access=PATTERNS["random_write"], seconds=600, random_drive_writes=None
            ),
            "main",
        ),
        "cache write": Test(
            _after(_FULL, access=PATTERNS["sequential_write"], seconds=5, fill="none")
        ),
        "direct write": Test(_after(_FULL, access=PATTERNS["sequential_write"], seconds=60), "main"),
        "folding write": Test(
            _after(_FULL, access=PATTERNS["sequential_write"], seconds=60), "folding"
        ),
    }
)
"""The tests by name. Requests in order have 128 KiB at depth 32, those at random 4 KiB, as deep as
the drive takes them up to 128, over 8 GB of an empty drive where writes are fresh."""
