"""Drawings of cells: voltage levels, an SLC cache, a stripe with parity."""

import functools
import math
import operator

from flashwear.study.drawings._sheet import (
    ACCENT,
    LINE,
    LIVE,
    NEW,
    PAPER,
    SPARE,
    STALE,
    WIDTH,
    Drawing,
    Sheet,
)

__all__ = ["levels", "slc_cache", "stripe"]


def levels() -> Drawing:
    """Draw the voltage levels of cells with one to four bits, fresh and aged."""
    sheet = Sheet(308)
    left, right = 74, WIDTH - 8
    for row, (name, bits) in enumerate((("SLC", 1), ("MLC", 2), ("TLC", 3), ("QLC", 4))):
        base = 64 + 66 * row
        count = 2**bits
        step = (right - left) / count
        sheet.words(6, base - 30, name, bold=True)
        sheet.words(6, base - 12, f"{bits} bit{'s' if bits > 1 else ''}", size=12)
        sheet.path([(left, base), (right, base)], LINE)
        for level in range(count):
            centre = left + step * (level + 0.5)
            width = min(step / 5, 9)
            aged = 0 if level == 0 else 3 + 5 * level / (count - 1)
            for shift, spread, colour in ((0, width, LINE), (aged, 1.25 * width, ACCENT)):
                points = [
                    (
                        centre - shift + spread * t / 4,
                        base - 40 * width / spread * math.exp(-t * t / 32),
                    )
                    for t in range(-12, 13)
                ]
                sheet.path(points, colour, dashed=colour == ACCENT)
    sheet.words(6, 284, "grey: just written; dashed: aged, moved down and wider", size=12)
    sheet.words((left + right) / 2, 300, "voltage of a cell", size=12, anchor="middle")
    return sheet.finished(
        "One bit needs two levels of voltage, two bits four, three bits eight, four bits "
        "sixteen. The "
        "more levels, the narrower the gaps; with age the levels sink and widen until they overlap."
    )


def slc_cache() -> Drawing:
    """Draw an SLC cache that fills, is bypassed, and is folded."""
    sheet = Sheet(220)
    sheet.box(6, 54, 62, 40, LIVE, "host")
    sheet.words(140, 14, "cache: 1 bit a cell", anchor="middle", bold=True)
    sheet.words(290, 14, "main area: 2 bits", anchor="middle", bold=True)
    for place in range(4):
        y = 28 + 32 * place
        sheet.box(100, y, 80, 26, PAPER, dashed=True)
        sheet.box(250, y, 80, 26, PAPER, dashed=True)
    sheet.box(100, 124, 80, 26, NEW, "data", last=3)
    sheet.box(100, 92, 80, 26, NEW, "data", last=3)
    for place in (1, 0):
        sheet.box(100, 28 + 32 * place, 80, 26, NEW, "data", first=2, last=3)
    sheet.box(250, 124, 80, 26, LIVE, "data", first=2)
    sheet.box(250, 92, 80, 26, SPARE, "folded", first=3)
    sheet.box(250, 60, 80, 26, SPARE, "folded", first=4)
    sheet.arrow(70, 74, 98, 74, colour=ACCENT, last=1)
    sheet.add(
        f'<polyline points="36,94 36,170 230,170 230,140" fill="none" stroke="{ACCENT}" '
        'stroke-width="2"/>',
        2,
        2,
    )
    sheet.arrow(230, 140, 248, 138, colour=ACCENT, first=2, last=2)
    sheet.arrow(182, 105, 248, 105, colour=ACCENT, first=3, last=3)
    sheet.words(6, 198, "fast", bold=True, last=1)
    sheet.words(6, 198, "slower: two bits at once", bold=True, first=2, last=2)
    sheet.words(
        6, 198, "slowest: the drive reads and writes beside you", bold=True, first=3, last=3
    )
    sheet.words(6, 198, "fast again", bold=True, first=4)
    return sheet.finished(
        "Writes go to a cache with one bit in a cell. When it is full they pass it by. Then it is "
        "folded: two full blocks of the cache fit in one of the main area, and the cache "
        "is free again.",
        [
            "The host writes to blocks with one bit in a cell. That is fast.",
            "The cache is full. Writes go straight to blocks with two bits in a cell, which "
            "are slower.",
            "To free the cache, the drive folds it: it copies two of its blocks into one of "
            "the main "
            "area, while the host waits its turn.",
            "All is folded. The cache is free, and each byte was written twice.",
        ],
    )


def stripe() -> Drawing:
    """Draw a stripe across dies, with one lost die rebuilt from the others."""
    data = [0b1011, 0b0110, 0b1100, 0b0011]
    parity = functools.reduce(operator.xor, data)
    lost = 1
    found = functools.reduce(operator.xor, (*data[:lost], *data[lost + 1 :], parity))
    sheet = Sheet(206)
    for place, bits in enumerate((*data, parity)):
        x = 6 + 71 * place
        is_parity = place == len(data)
        sheet.words(
            x + 32, 14, "parity" if is_parity else f"die {place + 1}", anchor="middle", bold=True
        )
        fill = STALE if place == lost else SPARE if is_parity else LIVE
        sheet.box(
            x, 28, 64, 40, fill, "lost" if place == lost else f"{bits:04b}", dashed=place == lost
        )
        if place != lost:
            sheet.arrow(x + 32, 70, 40 + 71 * lost, 118)
    sheet.box(6 + 71 * lost - 18, 120, 100, 36, NEW, f"{found:04b}")
    sheet.words(190, 138, "found again: in each|column an even count of 1", size=12)
    sheet.words(6, 190, f"1 page of {len(data) + 1} holds parity, and one die may die.", size=12.5)
    return sheet.finished(
        f"Four dies hold {', '.join(f'{bits:04b}' for bits in data)}, a fifth their parity "
        f"{parity:04b}. Die {lost + 1} is lost; the others and the parity give {found:04b} again."
    )
