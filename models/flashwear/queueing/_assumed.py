"""What is not published of a storage bench, and bands for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flashwear import tables
from flashwear._domain import one_number, one_of, whole
from flashwear.units import GB

if TYPE_CHECKING:
    import pandas as pd

BENCHES = ("destroyer", "heavy", "light")
"""The storage benches: the long one of 2013, and the two of 2011, used until 2016."""

MOST_REQUESTS = 65_536
"""Longest burst."""

LONGEST_RUN = 65_536
"""Most requests of a sequential run."""

_FROM_LOG = 10  # bands from so much of a ratio on are drawn by their logarithms


@dataclass(frozen=True)
class Assumed:
    """What is not published of a bench and a stream needs.

    Parameters
    ----------
    footprint : float
        Bytes of the addresses that requests go to, from the start of the drive; no more than the
        drive has.
    hot_share : float
        Share of the new places in the first tenth of the footprint, in [0, 1].
    run_length : int
        Requests of a sequential run, >= 2. Requests that are in no run stand alone.
    burst : float
        Mean number of requests from one pause to the next, >= 1 (geometric).
    idle_s : float
        A pause, in [1e-9, 1].
    mixed_share : float
        Share of the bursts that mix reads and writes; others hold one kind as long as it lasts.
    lone_share : float
        Share of the requests at queue depth 1, where only the mean depth is published. Deeper ones
        then are the distribution of most entropy with that mean.
    likeness : float
        For a bench without table of sizes: from those of "heavy" (0) to those of "light" (1),
        before they are fitted to the mean sizes.

    Raises
    ------
    ValueError
        Outside these ranges.
    """

    footprint: float
    hot_share: float = 0.5
    run_length: int = 16
    burst: float = 300.0
    idle_s: float = 0.025
    mixed_share: float = 0.5
    lone_share: float = 0.5
    likeness: float = 0.5

    def __post_init__(self) -> None:
        one_number("footprint", self.footprint, low=2**20, high=1e15)
        for name in ("hot_share", "mixed_share", "lone_share", "likeness"):
            one_number(name, getattr(self, name), low=0, high=1)
        whole("run_length", self.run_length, 2, LONGEST_RUN)
        one_number("burst", self.burst, low=1, high=MOST_REQUESTS)
        one_number("idle_s", self.idle_s, low=1e-9, high=1)


def check_guess(guess: Assumed) -> None:
    """Raise ValueError for what is no set of assumed figures."""
    if not isinstance(guess, Assumed):
        raise ValueError(f"guess must be an Assumed, as benches.assumed gives, got {guess!r}")


def figures(name: str, origin: str) -> dict[str, pd.Series]:
    """Return the rows of a bench that are stated, or assumed, by attribute."""
    one_of("name", name, BENCHES)
    rows = tables.benches()
    rows = rows[(rows["bench"] == name) & (rows["origin"] == origin)]
    return {row["attribute"]: row for _, row in rows.iterrows()}


_ARGUMENTS = {
    "footprint": ("footprint", GB),
    "hot share": ("hot_share", 1.0),
    "run length": ("run_length", 1.0),
    "burst": ("burst", 1.0),
    "idle time": ("idle_s", 1e-3),
    "mixed share": ("mixed_share", 1.0),
    "share at queue depth 1": ("lone_share", 1.0),
    "likeness to Light": ("likeness", 1.0),
}


def _assumed(name: str, values: dict[str, float]) -> Assumed:
    arguments = {
        _ARGUMENTS[key][0]: float(value) * _ARGUMENTS[key][1] for key, value in values.items()
    }
    return Assumed(**{**arguments, "run_length": round(arguments["run_length"])})  # type: ignore[arg-type]


def assumed(name: str) -> Assumed:
    """Return the assumed figures of a bench at their defaults.

    Examples
    --------
    >>> assumed("heavy").footprint / 1e9
    40.0
    """
    return _assumed(name, {k: float(row["value"]) for k, row in figures(name, "assumed").items()})


def drawn(name: str, draw: int) -> Assumed:
    """Return the assumed figures of a bench somewhere in their bands.

    Each is even over its band, or its logarithm if the ends differ by a factor of 10 or more. Draws
    are points of a scrambled Halton sequence: those of any number of draws are well spread.

    Parameters
    ----------
    name : str
        Of :data:`BENCHES`.
    draw : int
        Number of the draw, in [0, 10**6].

    Examples
    --------
    >>> 60 <= drawn("destroyer", 3).footprint / 1e9 <= 230
    True
    """
    from scipy.stats import qmc

    bands = figures(name, "assumed")
    sequence = qmc.Halton(len(bands), rng=np.random.default_rng(2013))
    point = sequence.fast_forward(whole("draw", draw, 0, 10**6)).random()[0]
    values = {}
    for part, (key, row) in zip(point, bands.items(), strict=True):
        low, high = float(row["low"]), float(row["high"])
        by_log = low > 0 and high >= _FROM_LOG * low
        values[key] = low * (high / low) ** part if by_log else low + part * (high - low)
    return _assumed(name, values)
