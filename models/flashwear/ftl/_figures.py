"""Counters of a drive, computed from its arrays."""

import numpy as np
from numpy.typing import NDArray

from flashwear.ftl import arrays
from flashwear.ftl._cleaning import parity_written


class Figures:
    """The counters of a drive, computed from its ``arrays``; sizes are in pages."""

    arrays: arrays.Arrays
    user_pages: int
    pages_per_block: int

    @property
    def blocks(self) -> int:
        """Physical blocks, retired ones included."""
        return int(self.arrays.rules.blocks)

    @property
    def op(self) -> float:
        """Over-provisioning, that is all physical pages over the user pages, less 1."""
        return self.blocks * self.pages_per_block / self.user_pages - 1

    @property
    def host_writes(self) -> int:
        """Pages written by the host."""
        return int(self.arrays.counts.host_writes)

    @property
    def copies(self) -> int:
        """Pages copied by cleaning and levelling."""
        return int(self.arrays.counts.copies)

    @property
    def levelling_copies(self) -> int:
        """Pages copied by static wear levelling, part of :attr:`copies`."""
        return int(self.arrays.counts.levelled)

    @property
    def parity_writes(self) -> int:
        """Pages of parity written."""
        return int(parity_written(self.arrays))

    @property
    def flash_writes(self) -> int:
        """Pages programmed for host writes, copies and parity."""
        return self.host_writes + self.copies + self.parity_writes

    @property
    def flash_reads(self) -> int:
        """Pages read, by the host (where there were data) and by cleaning."""
        return int(self.arrays.counts.host_reads) + self.copies

    @property
    def erases(self) -> NDArray[np.int32]:
        """Erases of each block."""
        erases: NDArray[np.int32] = self.arrays.block["erases"].copy()
        return erases

    @property
    def slc_erases(self) -> NDArray[np.int32]:
        """Erases of each block in SLC mode, part of :attr:`erases`."""
        erases: NDArray[np.int32] = self.arrays.slc_erases.copy()
        return erases

    @property
    def cache_writes(self) -> int:
        """Pages of the host that were written to the cache, part of :attr:`host_writes`."""
        a = self.arrays
        open_block = int(a.opened[0])
        stored = int(a.counts.stored)
        if open_block >= 0 and a.block["mode"][open_block] != arrays.MAIN:
            stored -= int(a.stop[0] - a.position[0])
        return stored

    @property
    def fold_copies(self) -> int:
        """Pages copied from the cache to main blocks, part of :attr:`copies`."""
        return int(self.arrays.counts.folded)

    @property
    def wear(self) -> NDArray[np.float64]:
        """Wear of each block, in units of one erase in normal (not SLC) mode.

        The mean wear, times the pages of a block, over the pages that the host wrote, is the wear
        per host write. With an SLC cache it takes the place of write amplification in
        :func:`flashwear.endurance.tbw`. Real drives report mean :attr:`erases` and
        :attr:`flash_writes`.
        """
        wear: NDArray[np.float64] = self.arrays.block["wear"].copy()
        return wear

    @property
    def mapped_pages(self) -> int:
        """Number of user pages that hold data."""
        return int(self.arrays.counts.mapped)

    @property
    def retired_blocks(self) -> int:
        """Number of blocks that are worn out and no longer used."""
        return self.blocks - int(self.arrays.counts.good)

    @property
    def worn_out(self) -> bool:
        """Whether the drive has too few good blocks left to take another write.

        This is so if the good blocks cannot hold all user pages as well as open and reserved
        blocks, or if the last free block was retired, so that live pages cannot be copied.
        """
        return bool(self.arrays.counts.worn)
