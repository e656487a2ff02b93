"""The runs of pages that a trace touches, found piece by piece."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from flashwear.traces._tracefile import pieces

Runs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Runs of adjacent pages, as the first page of each run, in order, and the page after its last."""


def touched(records: NDArray[np.void]) -> Runs:
    """Return the runs of adjacent pages that the requests of a trace touch."""
    kept = list[Runs]()  # each less than half as long as the one before
    for part in pieces(records.size):
        page = records["page"][part]
        kept.append(_joined(page, page + records["count"][part]))
        while len(kept) > 1 and kept[-2][0].size <= 2 * kept[-1][0].size:
            kept.append(_joined(*map(np.concatenate, zip(kept.pop(), kept.pop(), strict=True))))
    return _joined(*map(np.concatenate, zip(*kept, strict=True)))


def _joined(start: NDArray[np.int64], end: NDArray[np.int64]) -> Runs:
    """Return runs in order, as one where they overlap or meet."""
    order = np.argsort(start, kind="stable")
    start = start[order]
    reach = np.maximum.accumulate(end[order])
    apart = start[1:] > reach[:-1]
    return start[np.append(True, apart)], reach[np.append(apart, True)]
