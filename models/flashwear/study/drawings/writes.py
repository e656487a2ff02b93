"""Drawings of writes: an overwrite, cleaning, hot and cold data, TRIM."""

from flashwear.study.drawings._sheet import (
    ACCENT,
    LIVE,
    NEW,
    PAPER,
    SPARE,
    STALE,
    Drawing,
    Sheet,
)

__all__ = ["cleaning", "hot_cold", "overwrite", "trim"]

_PAGE, _HIGH = 42, 26  # a page as it is drawn


def _row(
    sheet: Sheet,
    y: float,
    pages: str,
    fills: dict[str, str],
    *,
    x: float = 88,
    first: int = 1,
    last: int | None = None,
) -> None:
    """Draw the pages of a block: a letter each, lower-case if stale, a blank if free."""
    for place, page in enumerate(pages):
        fill = PAPER if page == " " else STALE if page.islower() else fills.get(page, LIVE)
        sheet.box(
            x + _PAGE * place,
            y,
            _PAGE,
            _HIGH,
            fill,
            page.upper().strip(),
            dashed=page == " ",
            first=first,
            last=last,
        )


def overwrite() -> Drawing:
    """Draw an overwrite: the new version goes elsewhere, and the old page becomes stale."""
    sheet = Sheet(212)
    sheet.words(6, 14, "the map", bold=True)
    for place, page in enumerate("ABCD"):
        sheet.words(88 + _PAGE * (place + 0.5), 14, page, anchor="middle")
    sheet.box(88, 24, _PAGE, _HIGH, PAPER, "1.1")
    sheet.box(88 + _PAGE, 24, _PAGE, _HIGH, PAPER, "1.2", last=2)
    sheet.box(88 + _PAGE, 24, _PAGE, _HIGH, NEW, "2.1", first=3)
    sheet.box(88 + 2 * _PAGE, 24, _PAGE, _HIGH, PAPER, "1.3", last=3)
    sheet.box(88 + 2 * _PAGE, 24, _PAGE, _HIGH, NEW, "2.2", first=4)
    sheet.box(88 + 3 * _PAGE, 24, _PAGE, _HIGH, PAPER, "1.4")
    sheet.words(6, 107, "block 1", bold=True)
    _row(sheet, 94, "ABCD", {}, last=2)
    _row(sheet, 94, "AbCD", {}, first=3, last=3)
    _row(sheet, 94, "AbcD", {}, first=4)
    sheet.words(6, 163, "block 2", bold=True)
    _row(sheet, 150, "    ", {}, last=1)
    _row(sheet, 150, "B   ", {"B": NEW}, first=2, last=3)
    _row(sheet, 150, "BC  ", {"B": NEW, "C": NEW}, first=4)
    sheet.arrow(130, 52, 130, 92, colour=ACCENT, last=2)
    sheet.arrow(130, 52, 109, 148, colour=ACCENT, first=3)
    sheet.words(
        6, 200, "Grey pages are stale: the map no longer points to them.", size=12.5, first=3
    )
    return sheet.finished(
        "Two blocks of four pages, and a map from the pages A to D to their places. B and C are "
        "written again in the second block; the map follows; their old pages stay behind, stale.",
        [
            "The map says where each page of yours lies. B lies in block 1, page 2.",
            "You write B again. A programmed page cannot be overwritten, so the new version "
            "goes to the "
            "next free page.",
            "The map now points to block 2, page 1. The old B is stale, but it still takes a page.",
            "C follows. Half of block 1 is stale now, and none of it can be used before it "
            "is erased.",
        ],
    )


def cleaning() -> Drawing:
    """Draw the cleaning of a block, with the copies counted as write amplification."""
    written, victim = 3, "aBcd"
    copies = sum(page.isupper() for page in victim)
    amplification = (written + copies) / written
    sheet = Sheet(232)
    sheet.words(6, 27, "block 1", bold=True)
    _row(sheet, 14, victim, {}, last=2)
    _row(sheet, 14, "abcd", {}, first=3, last=3)
    _row(sheet, 14, "    ", {}, first=4)
    sheet.words(262, 27, "victim", first=2, last=3)
    sheet.words(262, 27, "erased, free", first=4)
    sheet.words(6, 77, "block 2", bold=True)
    _row(sheet, 64, "EfGH", {})
    sheet.words(6, 127, "open block", bold=True)
    _row(sheet, 114, "ACD ", {"A": NEW, "C": NEW, "D": NEW}, last=2)
    _row(sheet, 114, "ACDB", {"A": NEW, "C": NEW, "D": NEW, "B": SPARE}, first=3)
    sheet.arrow(155, 42, 236, 112, colour=ACCENT, first=3, last=3)
    sheet.words(6, 168, f"your writes: {written}")
    sheet.words(6, 190, "copies: 0", last=2)
    sheet.words(6, 190, f"copies: {copies}", first=3)
    sheet.words(6, 216, "write amplification: 1", bold=True, last=2)
    sheet.words(
        6,
        216,
        f"write amplification: ({written} + {copies}) / {written} = {amplification:.2f}",
        bold=True,
        first=3,
    )
    return sheet.finished(
        f"Three writes of the host made three pages of a block stale. The page that is left, B, is "
        f"copied, and the block is erased: {written + copies} pages programmed for {written} "
        f"written, a write amplification of {amplification:.2f}.",
        [
            "You wrote A, C and D again. Their new versions are in the open block, orange. "
            "Soon it will "
            "be full.",
            "The drive needs an empty block. It takes the one with the fewest live pages, "
            "its victim.",
            "The live page B is copied first. You did not ask for this write.",
            "Now the victim can be erased. It is free for new data.",
        ],
    )


def hot_cold() -> Drawing:
    """Draw hot and cold pages in one log, and in separate pools."""
    hot = dict.fromkeys("HIJK", NEW)
    sheet = Sheet(196)
    for last, first, rows in (
        (2, 1, ("HCID", "JEKF")),
        (None, 3, ("HIJK", "CDEF")),
    ):
        for place, pages in enumerate(rows):
            y = 14 + 46 * place
            stays = last is None
            _row(sheet, y, pages, hot, first=first, last=1 if not stays else 3)
            stale = "".join(page.lower() if page in hot else page for page in pages)
            _row(sheet, y, stale, hot, first=2 if not stays else 4, last=last)
    sheet.words(6, 27, "block 1", bold=True)
    sheet.words(6, 73, "block 2", bold=True)
    sheet.words(262, 27, "2 copies", first=2, last=2)
    sheet.words(262, 73, "2 copies", first=2, last=2)
    sheet.words(262, 27, "no copies", first=4)
    sheet.words(262, 73, "left alone", first=4)
    sheet.box(6, 118, 26, 18, NEW)
    sheet.words(40, 127, "hot: written again soon")
    sheet.box(6, 146, 26, 18, LIVE)
    sheet.words(40, 155, "cold: stays")
    sheet.box(6, 174, 26, 18, STALE)
    sheet.words(40, 183, "stale")
    return sheet.finished(
        "Hot pages go stale soon. Mixed with cold ones they leave half-full blocks, and "
        "the cold pages "
        "are copied. In blocks of their own they leave a block that needs no copy at all.",
        [
            "One log: hot and cold pages arrive mixed and share blocks.",
            "The hot pages are written again elsewhere. Each block is half stale: to free one, the "
            "drive copies two cold pages.",
            "Two pools: hot pages share a block, and cold ones.",
            "The same hot pages are written again. The first block is all stale: it is "
            "erased without a "
            "copy.",
        ],
    )


def trim() -> Drawing:
    """Draw how TRIM turns unused addresses into spare flash."""
    sheet = Sheet(206)
    sheet.words(6, 27, "your files", bold=True)
    for place, page in enumerate("ABCD"):
        gone = page in "BC"
        x = 88 + _PAGE * place
        sheet.box(x, 14, _PAGE, _HIGH, LIVE, page, last=1 if gone else None)
        if gone:
            sheet.box(x, 14, _PAGE, _HIGH, PAPER, dashed=True, first=2)
    sheet.words(6, 91, "flash", bold=True)
    _row(sheet, 78, "ABCD", {}, last=2)
    _row(sheet, 78, "AbcD", {}, first=3)
    sheet.arrow(172, 42, 172, 76, colour=ACCENT, first=3, last=3)
    sheet.words(182, 60, "TRIM: B, C", first=3, last=3)
    sheet.words(6, 134, "live pages: 4, of them useless: 0", last=1)
    sheet.words(6, 134, "live pages: 4, of them useless: 2", first=2, last=2)
    sheet.words(6, 134, "live pages: 2, of them useless: 0", first=3)
    sheet.words(
        6, 166, "The drive would copy B and C at each cleaning.", size=12.5, first=2, last=2
    )
    sheet.words(6, 166, "B and C are spare flash now: no copies, and room.", size=12.5, first=3)
    sheet.words(6, 194, "Only the map changes. Nothing is written or erased.", size=12.5, first=4)
    return sheet.finished(
        "Two of four files are deleted. The drive goes on keeping their pages until TRIM says that "
        "their addresses hold nothing; then their pages are stale, and are spare flash.",
        [
            "Four files, and four live pages that hold them.",
            "You delete B and C. The file system forgets them; the drive does not know.",
            "TRIM tells the drive that these addresses hold nothing. Their pages are stale.",
            "What the drive need not keep is spare flash: cleaning copies less.",
        ],
    )
