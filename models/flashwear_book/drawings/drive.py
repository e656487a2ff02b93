"""Drawings of a drive: its parts, and its flash."""

from flashwear.units import GIB, KIB, MIB
from flashwear_book.drawings._sheet import (
    ACCENT,
    LINE,
    LIVE,
    NEW,
    PAPER,
    STALE,
    Drawing,
    Sheet,
    finished,
)

__all__ = ["anatomy", "flash"]

_BLOCKS = _PAGES = 2048  # of a die, of a block: round numbers
_PAGE_BYTES = 16 * KIB


def anatomy() -> Drawing:
    """Return a drawing of a drive: host, controller, DRAM, channels and dies.

    Examples
    --------
    >>> anatomy().title[:37]
    'A host is linked to a controller, whi'
    """
    sheet = Sheet(210)
    sheet.box(6, 66, 62, 44, LIVE, "host")
    sheet.arrow(68, 88, 108, 88)
    sheet.words(88, 74, "link", size=12, anchor="middle")
    sheet.box(108, 56, 96, 64, PAPER, "controller|with its firmware")
    sheet.box(108, 146, 96, 34, PAPER, "DRAM: map")
    sheet.arrow(156, 120, 156, 146)
    for channel in range(4):
        y = 24 + 42 * channel
        sheet.add(
            f'<polyline points="204,88 222,{y + 14} 296,{y + 14}" fill="none" stroke="{LINE}"/>'
        )
        for die in range(2):
            sheet.box(236 + 60 * die, y, 50, 28, LIVE, "die")
    sheet.words(296, 12, "channels and dies", size=12, anchor="middle")
    sheet.words(6, 198, "Dies work side by side: more dies, more speed.", size=12.5)
    return finished(
        "A host is linked to a controller, which keeps a map in DRAM and works four channels of "
        "two dies.",
        sheet,
    )


def flash() -> Drawing:
    """Return a drawing of a die's blocks, and of a block's pages as it is written and erased."""
    block_bytes = _PAGES * _PAGE_BYTES
    die = Sheet(280)
    die.words(6, 14, f"A die: {_BLOCKS:,} blocks, {_BLOCKS * block_bytes / GIB:.0f} GiB", bold=True)
    die.box(6, 30, 330, 170, STALE)
    die.grid(11, 35, LIVE, 32, side=5)
    die.grid(11, 35, ACCENT, [[]] * 12 + [[40]], side=5)
    die.words(228, 98, "this one", size=12)
    die.words(6, 220, f"Each square is a block of {block_bytes / MIB:.0f} MiB.", size=12.5)
    die.words(6, 242, "It is erased as a whole.", size=12.5)
    block = Sheet(280)
    block.words(24, 14, f"One of its blocks: {_PAGES:,} pages", bold=True)
    block.box(24, 30, 330, 170, ACCENT)
    block.box(27, 33, 324, 164, STALE)
    block.grid(29, 35, PAPER, 32, side=5)
    block.grid(29, 35, NEW, 13, side=5, first=2, last=2)
    block.grid(29, 35, LIVE, 13, side=5, first=3, last=3)
    block.grid(29, 35 + 13 * 5, NEW, 19, side=5, first=3, last=3)
    block.words(24, 220, f"Each square is a page of {_PAGE_BYTES / KIB:.0f} KiB. It is", size=12.5)
    block.words(24, 242, "programmed once, in its turn, and read by itself.", size=12.5)
    block.legend(268, "live", "new", "paper")
    return finished(
        f"A die of {_BLOCKS:,} blocks; each of them is erased as a whole.", die, block,
        beside=f"A block of {_PAGES:,} pages, which are written in order and erased together.",
        steps=(
            "The block has just been erased. All its pages are blank.",
            "Data are written page after page, in order. None can be left out or written again.",
            "The block is full. To change one page of it, the drive must write a new one in "
            "another block.",
            f"An erase makes the block blank again, all {_PAGES:,} pages at once."))  # fmt: skip
