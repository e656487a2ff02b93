"""A drive of 2022 whose host writes ranges in order, several at once, compared with simulations.

The Micron 7450 MAX of SSD-iq (``tables.measured_wa``, load "zones") was filled in
order. Then some ranges were open at once. Each write of 512 KiB went to one of these, drawn at
random, and there to the next address. A full range was replaced by one drawn among all others that
were not open, and the new one was trimmed just before its first write. This is known from the
benchmark's source (https://github.com/gabriel-haas/ssdiq at commit 9aae7a3,
``shared/PatternGen.hpp`` and ``iob/RequestGenerator.hpp``). In the code published with the logs the
trim is switched off, but the logs have "trim" in their names.

Nothing is fitted to these runs. The size of the flash is measured: in all random runs of the drive,
its counter of free blocks fell to its last value, 1 %, when 1,076 to 1,078 GiB had been written
since it was empty (``data/measured_blocks.csv``), and copies began then. The factor for map and
parity is that of the fills in order, as for random writes. Results here are without that factor.

The following was set before any run of this study, but after a manual trial that had given 1.03,
1.15, 1.27, 1.37, 1.41 and 1.27 for the six means below (flash 1,072 GiB, factor 1.0273):

- Window: the last 30 % of each run, that is, from 2.8 fills on, as for all other runs of the log.
- A measured run is one draw of the load, so its mean is compared with the spread of eight simulated
  draws. The spread is that of each case and number of ranges, and 1 % of the mean is added in
  squares for the factor, which varies by that much during a fill.
- Agreement: over the six means the sum of squared deviations in these units is below 12.6, which
  six independent normal variables exceed once in twenty times, and their relative errors are below
  5 % (root mean square). Rejection: the sum is above 22.5, once in a thousand times.
- Curves by tenths of a fill scatter by more than 5 % by chance. So half fills from 1.0 on are
  compared by the same rule, and also one draw with the mean of the others, as for a correct model.
- Superblocks: 1 GiB is assumed; 0.25, 0.5, 2 and 4 GiB are tried, and 1.05 GiB, of which a range is
  no multiple. If another size fits and the assumed one does not, the base case has failed.

Then, after two draws of each case, a second log was predicted: the same drive with one range at a
time, of 16 GiB down to 1 GiB. Only the duration of these runs had been seen. With superblocks of
1 GiB the drive should hardly copy, but it does with ranges below 4 GiB, which refutes that size.
2.1 GiB fits (the study ``ranges_sizes``) and is the base now: a fitted number, but fitted to other
runs than those of several ranges, and to none of the sister drive. All sizes tried are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from flashwear import ftl
from flashwear._domain import whole
from flashwear.sweeps import Study
from flashwear.workloads import OPERATION_SHIFT, TEMPERATURE_SHIFT, TRIM

_PAGES = 2048
"""Pages of a GiB: a page is a write of the host, 512 KiB. With pages of 128 KiB the means of four
draws at 2, 8 and 32 ranges move by less than 1 %."""
_FILLS, _TENTH = 4, 0.1
_RESERVE = 2  # superblocks that stay free, on top of the flash that holds data


@numba.njit
def _oldest_after_empty(blocks: ftl.Blocks) -> int:
    """Return a block without live pages, else the one that is full longest."""
    if blocks.live.min() == 0:
        return ftl.first_least(blocks.live)
    best, most = -1, blocks.live.max()
    for block in range(blocks.live.size):
        older = best < 0 or blocks.closed_at[block] < blocks.closed_at[best]
        if blocks.live[block] < most and older:
            best = block
    return best


class _Case(NamedTuple):
    policy: str | Callable[[ftl.Blocks], int] = "greedy"
    frontier: str = "gc"
    superblock_gib: float = 2.1
    trims: str = "opening"
    flash_gib: float = 1077.0


CASES = {"base": _Case(),
         **{f"superblocks of {size} GiB": _Case(superblock_gib=size)
            for size in (0.25, 0.5, 1, 1.05, 1.5, 1.8, 2, 2.2, 2.5, 4)},
         "5 GiB less flash": _Case(flash_gib=1072.0), "5 GiB more flash": _Case(flash_gib=1082.0),
         "no TRIM": _Case(trims="never"), "second half trimmed": _Case(trims="half"),
         "second half trimmed when due": _Case(trims="halfway"), "FIFO": _Case("fifo"),
         "FIFO, empty first": _Case(_oldest_after_empty), "best of 10": _Case("d_choices"),
         "cost-benefit": _Case("cost_benefit"), "frontier per range": _Case(frontier="hot_cold"),
         "one frontier": _Case(frontier="single")}  # fmt: skip
"""The base and its rivals by name."""


class OpenRanges:
    """A load that writes several ranges of addresses at once, each in order from start to end.

    A full range is replaced by another, drawn at random from the others that are not open.

    `at_once`: number of ranges that are written at the same time, fewer than there are.
    `range_pages`, `user_pages`: pages in a range, and pages in the drive. Pages left over at the
    end are not written. `trims`: what is trimmed of a new range: "opening", all of it when it is
    opened; "half", its second half when it is opened; "halfway", its second half when the first
    half is full; "never", nothing. `seed`: seed by which ranges are drawn.

    Raises ``ValueError`` if there are no more than `at_once` ranges; in :meth:`next`, for more
    writes than pages in a range.

    Examples
    --------
    >>> ranges = OpenRanges(1, 4, 12, "never", seed=0)
    >>> [(ranges.next(4) % 4).tolist() for _ in range(2)]
    [[0, 1, 2, 3], [0, 1, 2, 3]]
    """

    def __init__(
        self, at_once: int, range_pages: int, user_pages: int, trims: str, seed: int | list[int]
    ) -> None:
        self.range_pages, self.trims = range_pages, trims
        self.count = user_pages // range_pages
        self.range_of = np.full(whole("at_once", at_once, 1, self.count - 1), -1)
        self._written = np.full(at_once, range_pages)
        self._rng = np.random.default_rng(seed)

    def next(self, writes: int) -> NDArray[np.int64]:
        """Return requests that write the next `writes` pages, with the trims that come before them.

        At most the pages of one range can be asked for at a time. Each request is a number that
        packs page, operation and the open range it belongs to, as :mod:`flashwear.workloads` does.
        """
        size, writes = self.range_pages, whole("writes", writes, 0, self.range_pages)
        slot = self._rng.integers(self.range_of.size, size=writes)
        order = np.argsort(slot, kind="stable")
        counts = np.bincount(slot, minlength=self.range_of.size)
        at = np.empty(writes, np.int64)
        at[order] = np.arange(writes) - np.repeat(np.cumsum(counts) - counts, counts)
        at += self._written[slot]
        old = self.range_of.copy()
        for i in np.flatnonzero(at == size):
            while (drawn := self._rng.integers(self.count)) in self.range_of:
                pass
            self.range_of[slot[i]] = drawn
        self._written = self._written + counts
        self._written[self._written > size] -= size
        first = np.where(at < size, old[slot], self.range_of[slot]) * size
        within = at % size
        words = (first + within) | slot << TEMPERATURE_SHIFT
        return self._with_trims(words, first, within)

    def _with_trims(
        self, words: NDArray[np.int64], first: NDArray[np.int64], within: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Put trims before the writes at which they are due."""
        if self.trims == "never":
            return words
        half = self.range_pages // 2
        begin = 0 if self.trims == "opening" else half
        due = np.flatnonzero(within == (half if self.trims == "halfway" else 0))
        pages = np.add.outer(first[due], np.arange(begin, self.range_pages))
        trims = pages.ravel() | TRIM << OPERATION_SHIFT
        return np.insert(words, np.repeat(due, pages.shape[1]), trims)


def ranges_in_order(
    case: str, at_once: int, range_pages: int, part_gib: float, draws: int, seed: int
) -> dict[str, Any]:
    """Simulate a full drive whose address ranges are rewritten, several at a time, four times over.

    `case`: assumptions about the drive by name, one of ``CASES``, such as "base" or "FIFO".
    `at_once`: number of ranges that are written at the same time, each from start to end.
    `range_pages`: pages of 512 KiB in a range. `part_gib`: capacity that the host can address, in
    GiB. `draws`: number of runs with different random order of ranges. `seed`: seed of the random
    draws.

    Result: ``wa``, the mean over draws of the write amplification in the last 30 % of a run,
    without the factor for map and parity, and ``spread``, its standard deviation from draw to
    draw; and as series over tenths of a fill the mean ``curve``, its ``curve_spread``, and
    ``one``, the curve of the first draw.

    Tolerance of a rerun with two draws: means of single runs scatter by 0.03 (the trial), so those
    of two and of eight differ by three times 0.03 x sqrt(1/2 + 1/8), which is 0.07.
    """
    curves = np.array(
        [_curve(CASES[case], at_once, range_pages, part_gib, [seed, i]) for i in range(draws)]
    )
    ends = curves[:, round(0.7 * curves.shape[1]) :].mean(axis=1)
    return {"wa": float(ends.mean()), "spread": float(ends.std(ddof=1)),
            "curve": curves.mean(axis=0), "curve_spread": curves.std(axis=0, ddof=1),
            "one": curves[0]}  # fmt: skip


def _curve(
    case: _Case, at_once: int, range_pages: int, part_gib: float, seed: list[int]
) -> NDArray[np.float64]:
    """Return the write amplification in each tenth of a fill."""
    user_pages = round(part_gib * _PAGES)
    superblock = round(case.superblock_gib * _PAGES)
    blocks = round(case.flash_gib / case.superblock_gib) + _RESERVE
    apart = case.frontier == "hot_cold"
    drive = ftl.State(user_pages, blocks * superblock / user_pages - 1 + 1e-9,
                      pages_per_block=superblock, policy=case.policy, frontier=case.frontier,
                      temperatures=max(at_once, 2) if apart else 2,
                      reserve_blocks=_RESERVE)  # fmt: skip
    drive.run(np.arange(user_pages))
    ranges = OpenRanges(at_once, range_pages, user_pages, case.trims, seed)
    found = []
    for stop in np.round(user_pages * np.arange(_TENTH, _FILLS + _TENTH / 2, _TENTH)):
        host, flash = drive.host_writes, drive.flash_writes
        for left in _parts(round(stop) + user_pages - host, range_pages):
            drive.run(ranges.next(left))
        found.append((drive.flash_writes - flash) / (drive.host_writes - host))
    return np.array(found)


def _parts(writes: int, most: int) -> Iterator[int]:
    """Yield numbers that add to `writes`, none above `most`."""
    while writes:
        yield min(writes, most)
        writes -= min(writes, most)


_ONLY_SIZES = [f"superblocks of {size} GiB" for size in (1.5, 1.8, 2.2, 2.5)]
_OPEN = [1, 2, 4, 8, 16, 32]
_MAX_GIB, _PRO_GIB = 745.212, 894.253

STUDIES = (
    Study(name="ranges", function=ranges_in_order,
          grid={"case": [case for case in CASES if case not in _ONLY_SIZES], "at_once": _OPEN,
                "range_pages": [16_384], "part_gib": [_MAX_GIB], "draws": [8]},
          reduced={"case": ["base"], "at_once": [8], "draws": [2]}, keys=("case", "at_once"),
          tolerance={"wa": 0.07}, seed=7450),
    Study(name="ranges_sizes", function=ranges_in_order,
          grid={"case": ["base",
                         *(f"superblocks of {size} GiB" for size in (1, 1.5, 1.8, 2, 2.2, 2.5))],
                "at_once": [1], "range_pages": [32_768, 8192, 5285, 4096, 2172, 2154, 2048],
                "part_gib": [_MAX_GIB, _PRO_GIB], "draws": [8]},
          reduced={"case": ["base"], "range_pages": [2154], "part_gib": [_MAX_GIB], "draws": [2]},
          keys=("case", "range_pages", "part_gib"), tolerance={"wa": 0.07}, seed=7450),
    Study(name="ranges_sister", function=ranges_in_order,
          grid={"case": ["base", "superblocks of 1 GiB", "no TRIM", "FIFO, empty first",
                         "best of 10"], "at_once": _OPEN, "range_pages": [16_384],
                "part_gib": [_PRO_GIB], "draws": [8]},
          reduced={"case": ["base"], "at_once": [8], "draws": [2]}, keys=("case", "at_once"),
          tolerance={"wa": 0.07}, seed=7450))  # fmt: skip
