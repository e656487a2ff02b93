"""Drawings of cells: levels of charge, an SLC cache, a stripe with parity."""

import functools
import operator
from collections.abc import Sequence

import numpy as np

from flashwear_book.drawings._sheet import (
    ACCENT,
    COPY,
    INK,
    LEFT,
    LIVE,
    NEW,
    PAPER,
    STALE,
    WIDTH,
    Drawing,
    Sheet,
    finished,
)

__all__ = ["levels", "slc_cache", "stripe"]

_CELLS = 48  # in a row of the drawing of levels
_DRIFTS = (0, 5, 14, 14)  # of the highest level in each step, in units of the sheet


def levels() -> Drawing:
    """Return a drawing of cells with one to four bits, whose charge leaks at equal rates.

    Each dot is a cell. It starts near the middle of its level and sinks in proportion to the level,
    with random scatter. It is read wrongly once it has left the range of its level.
    """
    chance = np.random.default_rng(4)
    sheets: list[Sheet] = []
    for names in (("SLC", "MLC"), ("TLC", "QLC")):
        sheet = Sheet(222)
        for row, name in enumerate(names):
            bits = 1 + len(sheets) * 2 + row
            sheet.words(6, 14 + 98 * row, f"{name}: {bits} bit{'s' if bits > 1 else ''}", bold=True)
            _row_of_cells(sheet, 28 + 98 * row, 2**bits, chance)
        sheet.words(WIDTH / 2, 210, "charge of a cell", size=12, anchor="middle")
        sheets.append(sheet)
    return finished(
        "One bit needs two levels of charge, two bits four, three bits eight, four bits sixteen. "
        "The more levels, the narrower the gaps.",
        *sheets,
        beside="With age the charge leaks, and cells with many levels leave theirs first.",
        steps=(
            "Just written: each dot is a cell, and lies in the band of its value.",
            "A year in a drawer: charge has leaked, most from the cells that held most.",
            "The same year for worn flash. Cells that crossed a line are read wrong (orange).",
            "The drive reads again with its lines moved. Error correction must mend what is left.",
        ),
    )


def _row_of_cells(sheet: Sheet, y: float, count: int, chance: np.random.Generator) -> None:
    left, wide, high = 6.0, WIDTH - 12.0, 52.0
    gap = wide / count
    level = np.arange(_CELLS) % count
    start = left + gap * (level + 0.5) + min(gap / 7, 6) * chance.uniform(-1.8, 1.8, _CELLS)
    sinks = level / (count - 1) * chance.gamma(9, 1 / 9, _CELLS)
    lines = left + gap * np.arange(1, count)
    falls = np.arange(0.5, count - 1) / (count - 1)
    sheet.box(left, y, wide, high)
    at, kinds = [], []
    for step, drift in enumerate(_DRIFTS, 1):
        place = np.maximum(start - drift * sinks, left + 2)
        moved = lines - drift * falls * (step == len(_DRIFTS))
        wrong = np.searchsorted(moved, place) != level
        sheet.words(WIDTH - 6, y - 14, f"{wrong.sum()} of {_CELLS} wrong", anchor="end", first=step,
                    last=step)  # fmt: skip
        at.append((place, moved))
        kinds.append(np.where(wrong, "ink", "line"))
    for line in range(count - 1):
        sheet.moving(
            f'<path d="M0 0v{high:g}" stroke="{INK}"/>',
            [(moved[line], y) for _, moved in at],
            ["ink"] * len(at),
        )
    heights = y + 6 + (high - 12) * chance.permutation(_CELLS) / _CELLS
    for cell in range(_CELLS):
        sheet.moving(
            '<circle r="2.6"/>',
            [(place[cell], heights[cell]) for place, _ in at],
            [kind[cell] for kind in kinds],
        )


def slc_cache(speeds: Sequence[float], drive: str) -> Drawing:
    """Return a drawing of an SLC cache that fills, is bypassed and folded, with its speeds.

    Parameters
    ----------
    speeds : sequence of float, length 3
        Measured write speeds in the cache, past it, and while it is folded, in MB/s, > 0.
    drive : str
        Name of the drive whose speeds these are.
    """
    flash = Sheet(254)
    flash.words(LEFT, 14, "cache: 1 bit a cell, so half the pages", bold=True)
    rows = (26, 60, 94, 146, 180)
    names = ("block 1", "block 2", "block 3", "block 4", "block 5")
    for y, name in zip(rows, names, strict=True):
        flash.words(6, y + 13, name)
    flash.words(LEFT, 134, "main area: 2 bits a cell", bold=True)
    flash.blocks(rows,
                 [("AB", "CD", "  ", "    ", "    "), ("AB", "CD", "EF", "GH  ", "    "),
                  ("ab", "cd", "EF", "GH  ", "ABCD"), ("  ", "  ", "EF", "GH  ", "ABCD")],
                 written="ABCD", copied="ABCD")  # fmt: skip
    flash.legend(236, "new", "copy", "stale", "paper")
    seen = Sheet(254)
    seen.words(6, 14, f"What you see: {drive}", bold=True)
    for place, (name, speed) in enumerate(
        zip(("into the cache", "past it", "while it is folded"), speeds, strict=True)
    ):
        y = 42 + 46 * place
        seen.words(6, y, name)
        seen.words(WIDTH - 6, y, f"{speed:.0f} MB/s", anchor="end")
        length = (WIDTH - 12) * speed / max(speeds)
        seen.box(6, y + 10, length, 14, PAPER)
        seen.box(6, y + 10, length, 14, ACCENT, first=place + 1, last=place + 1)
        if place == 0:
            seen.box(6, y + 10, length, 14, ACCENT, first=4)
    pages = 14
    seen.words(6, 180, "pages you wrote")
    seen.words(6, 214, "pages programmed")
    for first, last, own, copies in ((1, 1, 4, 0), (2, 2, 8, 0), (3, None, 8, 4)):
        seen.box(140, 170, pages * own, 20, NEW, f"{own}", first=first, last=last)
        seen.box(140, 204, pages * own, 20, NEW, f"{own}", first=first, last=last)
        if copies:
            seen.box(140 + pages * own, 204, pages * copies, 20, COPY, f"+ {copies}", first=first)
    return finished(
        "Writes go to a cache with one bit in a cell. When it is full they pass it by. Then it is "
        "folded: two full blocks of the cache fit in one of the main area, and the cache "
        "is free again.", flash, seen,
        beside="The measured speed of each step, and the pages written and programmed so far.",
        steps=("The host writes to blocks with one bit in a cell. That is fast.",
               "The cache is full. Writes go straight to blocks with two bits in a cell, which "
               "are slower.",
               "To free the cache, the drive folds it: it copies two of its blocks into one of the "
               "main area, while the host waits its turn.",
               "Two blocks of the cache are free, and it is fast again. Their data were written "
               "twice."))  # fmt: skip


def stripe() -> Drawing:
    """Return a drawing of a stripe across dies, with one lost die rebuilt from the others."""
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
        fill = STALE if place == lost else COPY if is_parity else LIVE
        sheet.box(
            x, 28, 64, 40, fill, "lost" if place == lost else f"{bits:04b}", dashed=place == lost
        )
        if place != lost:
            sheet.arrow(x + 32, 70, 40 + 71 * lost, 118)
    sheet.box(6 + 71 * lost - 18, 120, 100, 36, COPY, f"{found:04b}")
    sheet.words(190, 138, "found again: in each|column an even count of 1", size=12)
    sheet.words(6, 190, f"1 page of {len(data) + 1} holds parity, and one die may die.", size=12.5)
    return finished(
        f"Four dies hold {', '.join(f'{bits:04b}' for bits in data)}, a fifth their parity "
        f"{parity:04b}. Die {lost + 1} is lost; the others and the parity give {found:04b} again.",
        sheet,
    )
