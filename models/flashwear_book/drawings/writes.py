"""Drawings of writes: an overwrite, cleaning, hot and cold data, TRIM."""

import numpy as np

from flashwear import wa
from flashwear_book.drawings._sheet import (
    ACCENT,
    LEFT,
    LIVE,
    NEW,
    PAGE_HIGH,
    PAGE_WIDE,
    PAPER,
    STALE,
    Drawing,
    Sheet,
    finished,
)

__all__ = ["cleaning", "hot_cold", "overwrite", "trim"]


def overwrite() -> Drawing:
    """Return a drawing of an overwrite: a new page takes the data, the old one becomes stale."""
    sheet = Sheet(226)
    sheet.words(6, 14, "the map", bold=True)
    for place, (page, moves, new) in enumerate(
        (("A", None, ""), ("B", 3, "2.1"), ("C", 4, "2.2"), ("D", None, ""))
    ):
        x = LEFT + PAGE_WIDE * place
        sheet.words(x + PAGE_WIDE / 2, 14, page, anchor="middle")
        sheet.box(x, 24, PAGE_WIDE, PAGE_HIGH, PAPER, f"1.{place + 1}", last=moves and moves - 1)
        if moves:
            sheet.box(x, 24, PAGE_WIDE, PAGE_HIGH, NEW, new, first=moves)
    sheet.words(6, 107, "block 1", bold=True)
    sheet.words(6, 163, "block 2", bold=True)
    sheet.blocks(
        (94, 150), [("ABCD", "    "), ("ABCD", "B   "), ("AbCD", "B   "), ("AbcD", "BC  ")]
    )
    sheet.arrow(151, 52, 151, 92, colour=ACCENT, last=2)
    sheet.arrow(146, 52, 109, 148, colour=ACCENT, first=3)
    sheet.legend(206, "live", "new", "stale", "paper")
    held = Sheet(226)
    held.words(6, 14, "What the eight pages hold", bold=True)
    for row, (name, parts) in enumerate(
        (
            ("valid", ((LIVE, (4, 4, 3, 2)), (NEW, (0, 1, 1, 2)))),
            ("stale", ((STALE, (0, 0, 1, 2)),)),
            ("blank", ((PAPER, (4, 3, 3, 2)),)),
        )
    ):
        y = 38 + 56 * row
        held.words(6, y + 14, name)
        for step in range(4):
            x = LEFT
            for fill, counts in parts:
                if count := counts[step]:
                    held.box(x, y, 30 * count, 28, fill, f"{count}", first=step + 1, last=step + 1)
                x += 30 * count
    held.words(6, 206, "No write of yours has freed a page.", size=12.5, first=4)
    return finished(
        "Two blocks of four pages, and a map from the pages A to D to their places. B and C are "
        "written again in the second block; the map follows; their old pages stay behind, stale.",
        sheet, held, beside="Four pages stay valid; the others turn from blank to stale.",
        steps=(
            "The map says where each page of yours lies. B lies in block 1, page 2.",
            "You write B again. A programmed page cannot be overwritten, so the new version "
            "goes to the next blank page.",
            "The map now points to block 2, page 1. The old B is stale, but it still takes a page.",
            "C follows. Half of block 1 is stale now, and none of it can be used before it "
            "is erased."))  # fmt: skip


def cleaning() -> Drawing:
    """Return a drawing of a block's cleaning, its copies counted, and blocks of real size.

    The second sheet has blocks of 2,048 pages. The share of pages that is still valid when a block
    is cleaned is 1 - 1/WA, with WA from :func:`flashwear.wa.fifo`.
    """
    written, victim = 3, "aBcd"
    copies = sum(page.isupper() for page in victim)
    amplification = (written + copies) / written
    sheet = Sheet(250)
    for y, words in ((27, "block 1"), (77, "block 2"), (127, "open block")):
        sheet.words(6, y, words, bold=True)
    sheet.words(262, 27, "victim", first=2, last=3)
    sheet.words(262, 27, "erased, free", first=4)
    sheet.blocks((14, 64, 114),
                 [(victim, "EfGH", "ACD "), (victim, "EfGH", "ACD "), ("abcd", "EfGH", "ACDB"),
                  ("    ", "EfGH", "ACDB")], written="ACD", copied="B")  # fmt: skip
    sheet.words(6, 166, f"your writes: {written}")
    sheet.words(140, 166, "copies: 0", last=2)
    sheet.words(140, 166, f"copies: {copies}", first=3)
    sheet.words(6, 194, "write amplification: 1", bold=True, last=2)
    sheet.words(6, 194,
                f"write amplification: ({written} + {copies}) / {written} = {amplification:.2f}",
                bold=True, first=3)  # fmt: skip
    sheet.legend(230, "live", "new", "copy", "stale", "paper")
    real, described = _real_blocks()
    return finished(
        f"Three writes of the host made three pages of a block stale. The page that is left, B, is "
        f"copied, and the block is erased: {written + copies} pages programmed for {written} "
        f"written, a write amplification of {amplification:.2f}.", sheet, real, beside=described,
        steps=("You wrote A, C and D again. Their new versions are in the open block. Soon it will "
               "be full.",
               "The drive needs an empty block. It takes the one with the fewest valid pages, "
               "its victim.", "The valid page B is copied first. You did not ask for this write.",
               "Now the victim can be erased. It is free for new data."))  # fmt: skip


def _real_blocks() -> tuple[Sheet, str]:
    pages = np.random.default_rng(1).permutation(2048).reshape(32, 64)
    sheet = Sheet(250)
    sheet.words(180, 14, "The victim of a real drive: 2,048 pages", anchor="middle", bold=True)
    counts = []
    for side, spare in enumerate((0.07, 0.28)):
        x = 10 + 180 * side
        valid = round(len(pages.ravel()) * (1 - 1 / wa.fifo(spare)))
        counts.append(f"{valid:,} at {100 * spare:.0f} %")
        sheet.words(x, 42, f"{100 * spare:.0f} % spare flash", size=12)
        sheet.grid(x, 58, LIVE, 32)
        stale = [np.flatnonzero(row >= valid).tolist() for row in pages]
        sheet.grid(x, 58, STALE, stale)
        sheet.box(x - 3, 55, 166, 86, "none")
        sheet.words(x, 162, f"{valid:,} valid, to copy")
        sheet.words(x, 184, f"{2048 - valid:,} pages gained", bold=True)
    sheet.words(6, 230, "Small random writes over a whole, full drive.", size=12)
    return sheet, (
        "A block of 2,048 pages when it is cleaned: still valid are "
        f"{' and '.join(counts)} of spare flash."
    )


def hot_cold() -> Drawing:
    """Return a drawing of hot and cold pages in one log, and in blocks of their own."""
    words = dict.fromkeys("HIJK", "hot") | dict.fromkeys("CDEF", "cold")
    names = ("block 1", "block 2", "block 3")
    rows = (44, 84, 124)
    arrangements = (("Mixed in one log",
                     [("HCID", "JEKF", "    "), ("hCiD", "jEkF", "    "), ("hcid", "jekf", "CDEF"),
                      ("    ", "    ", "CDEF")], "4 copies"),
                    ("Each kind in its own block",
                     [("HIJK", "CDEF", "    "), ("hijk", "CDEF", "    "), ("hijk", "CDEF", "    "),
                      ("    ", "CDEF", "    ")], "no copies"))  # fmt: skip
    sheets = []
    for title, steps, copies in arrangements:
        sheet = Sheet(200)
        sheet.words(6, 14, title, bold=True)
        for y, name in zip(rows, names, strict=True):
            sheet.words(6, y + PAGE_HIGH / 2, name)
        sheet.blocks(rows, steps, copied="CDEF", words=words)
        sheet.words(262, 137, copies, bold=True, first=3)
        sheet.legend(182, "live", "copy", "stale", "paper")
        sheets.append(sheet)
    return finished(
        "Hot pages go stale soon. Mixed with cold ones they leave half-full blocks, and the cold "
        "pages are copied.", *sheets,
        beside="In a block of their own hot pages leave a block that needs no copy at all.",
        steps=("Four hot pages are written, and four cold ones, which stay.",
               "The hot pages are written again elsewhere. Their old versions are stale.",
               "To free flash, the drive copies the cold pages that share a block with stale ones.",
               "Mixed, two blocks were freed and one was filled with copies. Apart, one block was "
               "freed at no cost."))  # fmt: skip


def trim() -> Drawing:
    """Return a drawing of how TRIM turns unused addresses into spare flash."""
    sheet = Sheet(236)
    sheet.words(6, 27, "your files", bold=True)
    for place, page in enumerate("ABCD"):
        gone = page in "BC"
        x = LEFT + PAGE_WIDE * place
        sheet.box(x, 14, PAGE_WIDE, PAGE_HIGH, LIVE, page, last=1 if gone else None)
        if gone:
            sheet.box(x, 14, PAGE_WIDE, PAGE_HIGH, PAPER, dashed=True, first=2)
    sheet.words(6, 91, "flash", bold=True)
    sheet.blocks((78,), [("ABCD",), ("ABCD",), ("AbcD",), ("AbcD",)])
    sheet.arrow(172, 42, 172, 76, colour=ACCENT, first=3, last=3)
    sheet.words(182, 60, "TRIM: B, C", first=3, last=3)
    for first, last, valid, useless in ((1, 1, 4, 0), (2, 2, 4, 2), (3, None, 2, 0)):
        said = f"valid pages: {valid}, of them useless: {useless}"
        sheet.words(6, 134, said, first=first, last=last)
    sheet.words(
        6, 166, "The drive would copy B and C at each cleaning.", size=12.5, first=2, last=2
    )
    sheet.words(6, 166, "B and C are spare flash now: no copies, and room.", size=12.5, first=3)
    sheet.words(6, 190, "Only the map changes. Nothing is written or erased.", size=12.5, first=4)
    sheet.legend(220, "live", "stale", "paper")
    spare, empty = 0.07, 0.2
    real = Sheet(236)
    real.words(6, 14, f"A drive with {100 * spare:.0f} % of spare flash", bold=True)
    real.words(6, 40, f"{100 * empty:.0f} % of its files deleted, small random writes", size=12)
    for y, name, live, first in ((64, "without TRIM", 1.0, 1), (140, "with TRIM", 1 - empty, 3)):
        share = live / (1 + spare)
        real.words(6, y, name, first=first)
        real.box(6, y + 12, 340 * share, 24, LIVE, "valid for the drive", first=first)
        real.box(6 + 340 * share, y + 12, 340 * (1 - share), 24, STALE, first=first)
        cost = wa.fifo(1 / share - 1)
        real.words(6, y + 52, f"{cost:.1f} bytes written for each of yours", bold=True, first=first)
    real.words(6, 220, "Grey: spare flash, where stale pages lie.", size=12)
    return finished(
        "Two of four files are deleted. The drive goes on keeping their pages until TRIM says that "
        "their addresses hold nothing; then their pages are stale, and are spare flash.", sheet,
        real,
        beside="What a drive of real size writes with a fifth of its files deleted: fewer copies "
        "once TRIM has told it.",
        steps=("Four files, and four valid pages that hold them.",
               "You delete B and C. The file system forgets them; the drive does not know.",
               "TRIM tells the drive that these addresses hold nothing. Their pages are stale.",
               "What the drive need not keep is spare flash: cleaning copies less."))  # fmt: skip
