"""The SLC cache of a drive: blocks run with one bit per cell."""

from dataclasses import dataclass

import numpy as np

from flashwear._domain import one_number, whole


@dataclass(frozen=True, kw_only=True)
class SlcCache:
    """An SLC cache: blocks in SLC mode, to which the host writes first.

    A block has a mode while it holds data: with all bits of its cells (a *main* block), or with one
    bit per cell, fast and holding less. Blocks in SLC mode are *folded*: their live pages are
    copied to main blocks, the block that was closed first before others, and the block is erased.

    Parameters
    ----------
    bits_per_cell : int
        Bits per cell of main blocks, in [2, 4]; a page in SLC mode takes as many cells as this
        number of normal pages.
    own_blocks : int
        Blocks that are always in SLC mode (a static cache), >= 0. Their cells count as physical
        pages of the drive.
    share : float
        Largest share of the other blocks that may be in SLC mode at a time (a dynamic cache), in
        [0, 1]. Such a block is opened only if enough blocks stay free, and when free blocks run
        short, cache blocks are folded before main blocks are cleaned: the cache gives way to data.
        With `own_blocks` too the cache is a hybrid; with neither there is no cache.
    direct : bool
        Whether the host writes to main blocks when the cache can take no more, or waits until there
        is a block for it.
    fold_to : float
        A full cache is folded until this share of its largest size is left, in [0, 1]. Where time
        is modelled, a host that may write `direct` bypasses the cache meanwhile. With 1 and
        `direct` the cache is folded only when free blocks run short or the drive is idle.
    slc_wear : float
        Wear of an erase in SLC mode, in erases in main mode: the ratio of the P/E cycles that a
        block bears in main mode to those in SLC mode, > 0.
    pages : int, optional
        Pages of a block in SLC mode, parity included, by default
        ``pages_per_block // bits_per_cell``.

    Raises
    ------
    ValueError
        For values outside these ranges.

    Examples
    --------
    >>> from flashwear.ftl import State
    >>> drive = State(
    ...     1000, op=0.5, pages_per_block=16, frontier="gc", cache=SlcCache(own_blocks=4))
    >>> drive.run(range(100))
    100
    >>> drive.cache_writes  # four blocks of eight pages; the rest went to main blocks
    32
    """

    bits_per_cell: int = 2
    own_blocks: int = 0
    share: float = 0.0
    direct: bool = True
    fold_to: float = 1.0
    slc_wear: float = 1.0
    pages: int | None = None

    def __post_init__(self) -> None:
        whole("bits_per_cell", self.bits_per_cell, 2, 4)
        whole("own_blocks", self.own_blocks, 0, 2**31)
        if not isinstance(self.direct, (bool, np.bool_)):
            raise ValueError(f"direct must be True or False, got {self.direct!r}")
        one_number("share", self.share, low=0, high=1)
        one_number("fold_to", self.fold_to, low=0, high=1)
        one_number("slc_wear", self.slc_wear, above=0, high=1e6)
        if self.pages is not None:
            whole("pages", self.pages, 1, 2**20)

    def shared_blocks(self, blocks: int) -> int:
        """Return how many of a drive's `blocks` may be in SLC mode beside the cache's own."""
        others = max(0, whole("blocks", blocks, 0) - self.own_blocks)
        return int(self.share * others * (1 + 1e-12))
