"""What each block of a drive holds at a moment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear.ftl import arrays

_STATUS = np.array(["free", "open", "closed", "retired", "cleaning", "closed"])


class Snapshot(NamedTuple):
    """The blocks of a drive at a moment, or its reclaim units with handles: arrays by block."""

    live: NDArray[np.int64]
    """Live pages."""
    status: NDArray[np.str_]
    """"free", "open", "closed", "cleaning" (step by step) or "retired"."""
    frontier: NDArray[np.int64]
    """Number of the frontier or handle that filled it (the one behind the handles holds mixed
    copies); -1 where none did."""
    age: NDArray[np.int64]
    """Host writes since it was closed; -1 of others."""
    slc: NDArray[np.bool_]
    """Whether it is in SLC mode."""
    erases: NDArray[np.int32]
    """Erases so far."""


def snapshot(a: arrays.Arrays) -> Snapshot:
    """Return what the blocks hold of the drive whose arrays are `a`."""
    slots = a.l2p[:-1][a.l2p[:-1] >= 0] >> int(a.rules.shift)
    status = a.block["status"]
    closed = (status == arrays.CLOSED) | (status == arrays.CACHED)
    filled = closed | (status == arrays.OPEN) | (status == arrays.CLEANING)
    return Snapshot(
        np.bincount(slots, minlength=int(a.rules.blocks)),
        _STATUS[status],
        np.where(filled, a.frontier_of.astype(np.int64), -1),
        np.where(closed, int(a.counts.host_writes) - a.block["stamp"], -1),
        a.block["mode"] != arrays.MAIN,
        a.block["erases"].copy(),
    )
