"""A zoned drive: the host writes each zone from its start, and resets it whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import whole

_MOST = 2**24


class Zones:
    r"""A drive of zones (ZNS): it copies nothing, and its wear is what the host resets.

    A zone takes writes at its write pointer up to its capacity. To write it again the host resets
    it, which erases the superblocks of the zone that hold anything. Finishing a zone closes it: the
    rest of the superblock that is open is padded. So :math:`E` erases of superblocks of :math:`s`
    pages, for :math:`w` pages written by the host, wear the flash :math:`E s / w` times as fast as
    the host writes: 1 where zones are filled before they are reset, and where a zone is one
    superblock :math:`1 / f` where it is reset at the share :math:`f`. Where the host cleans zones
    itself, its copies are writes as any other; if it picks the zone with the fewest live pages,
    they are those of a drive whose blocks are zones (:func:`simulate`).

    Parameters
    ----------
    zones : int
        Number of zones, in [1, 2**24].
    capacity : int
        Pages that a zone holds, >= 1. Its addresses may span more (the zone size): those beyond
        cannot be written.
    superblock : int, optional
        Pages of a superblock, which is erased at once, >= 1; by default a zone is one. A zone takes
        as many superblocks as its capacity fills, the last one perhaps in part.
    open_limit : int, optional
        Most zones that are open at once, >= 1: written, but neither full nor finished. By default
        all.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    Zones reset when an eighth of them is written wear eight times as fast:

    >>> drive = Zones(zones=10, capacity=4096)
    >>> for zone in 100 * list(range(10)):
    ...     drive.write(zone, 512)
    ...     drive.reset(zone)
    >>> int(drive.erases.sum()), drive.wear
    (1000, 8.0)
    """

    def __init__(
        self,
        zones: int,
        capacity: int,
        superblock: int | None = None,
        open_limit: int | None = None,
    ) -> None:
        count = whole("zones", zones, 1, _MOST)
        self.capacity = whole("capacity", capacity, 1, 2**40)
        self.superblock = (
            self.capacity if superblock is None else whole("superblock", superblock, 1, 2**40)
        )
        self.open_limit = count if open_limit is None else whole("open_limit", open_limit, 1, count)
        self.pointer: NDArray[np.int64] = np.zeros(count, np.int64)
        """Pages written of each zone."""
        self.full: NDArray[np.bool_] = np.zeros(count, np.bool_)
        """Whether a zone is full or finished."""
        self.erases: NDArray[np.int64] = np.zeros(count, np.int64)
        """Erases of superblocks in each zone."""
        self.host_writes = 0
        """Pages written by the host."""
        self.padded = 0
        """Pages programmed without data, as zones were finished."""

    @property
    def open(self) -> Sequence[int]:
        """The zones that are open."""
        found: list[int] = np.flatnonzero((self.pointer > 0) & ~self.full).tolist()
        return found

    @property
    def wear(self) -> float:
        """Pages of the superblocks erased, over those that the host wrote; NaN before a write."""
        if not self.host_writes:
            return float("nan")
        return float(self.erases.sum() * self.superblock / self.host_writes)

    @property
    def wa(self) -> float:
        """Pages programmed over those that the host wrote; NaN before a write."""
        if not self.host_writes:
            return float("nan")
        return (self.host_writes + self.padded) / self.host_writes

    def write(self, zone: int, pages: int) -> None:
        """Write so many pages at the write pointer of a zone.

        Raises
        ------
        ValueError
            If the zone has not as much room, or too many zones would be open.
        """
        number, count = self._zone(zone), whole("pages", pages, 1, self.capacity)
        left = 0 if self.full[number] else self.capacity - int(self.pointer[number])
        if count > left:
            raise ValueError(
                f"pages must be at most {left}, what zone {number} has left, got {count}"
            )
        if not self.pointer[number] and len(self.open) >= self.open_limit:
            raise ValueError(
                f"zone must be one that is open, of {self.open_limit} at most, got {number}: "
                "finish or reset one first"
            )
        self.pointer[number] += count
        self.host_writes += count
        self.full[number] = self.pointer[number] == self.capacity

    def finish(self, zone: int) -> None:
        """Close a zone to writes, as if full, and pad the superblock in which it ends."""
        number = self._zone(zone)
        at = int(self.pointer[number])
        if not self.full[number]:
            self.padded += min(-at % self.superblock, self.capacity - at)
            self.full[number] = True

    def reset(self, zone: int) -> None:
        """Empty a zone: the superblocks that hold anything of it are erased."""
        number = self._zone(zone)
        self.erases[number] += -(-int(self.pointer[number]) // self.superblock)
        self.pointer[number], self.full[number] = 0, False

    def _zone(self, zone: int) -> int:
        return whole("zone", zone, 0, self.pointer.size - 1)
