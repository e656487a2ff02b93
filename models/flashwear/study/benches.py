"""The storage benches of the reviews: what is published of their traces, and what is assumed.

The traces are not public. What is published of them, their *marginals*, stands in
``data/benches.csv``: how many reads and writes, their bytes, shares of sizes, the share of
sequential requests, queue depths. All else that a stream of requests needs is assumed, each figure
with a band. Streams made of both (:mod:`flashwear.study.replays`) are good for orderings of drives,
as far as these hold all over the bands, and for no score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logsumexp

from flashwear import tables
from flashwear._domain import one_of
from flashwear.units import GB, KIB

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BENCHES", "SIZES", "Assumed", "Bench", "depth_shares", "drawn", "load"]

BENCHES = ("destroyer", "heavy", "light")
"""The storage benches: the long one of 2013, and the two of 2011, used until 2016."""

# The published tables have these classes. Those that hold several sizes are stood for by some of
# them: those below 4 KiB in equal parts, and the sizes that the tables leave out in the parts that
# give the published bytes.
SIZES = {
    "<4": (512, 1024, 2048),
    **{str(size): (size * KIB,) for size in (4, 8, 16, 32, 64, 128)},
    "others": tuple(size * KIB for size in (6, 12, 24, 48, 96)),
}
BYTES = np.array([size for sizes in SIZES.values() for size in sizes])
_DEPTHS = ("1", "2", "3", "4-5", "6-10", "11-20", "21-32", ">32")
DEEPEST = 32
"""Most requests outstanding."""

_FROM_LOG = 10  # bands whose ends differ by this factor are drawn by their logarithms

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

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bench:
    """What is published of a bench: counts of requests, their bytes, and shares of the requests.

    `sequential_share` begin where one before ended. Shares by size and by queue depth go by the
    classes of the published table, and are empty without one.
    """

    reads: int
    writes: int
    read_bytes: float
    write_bytes: float
    sequential_share: float
    mean_depth: float
    size_shares: dict[str, float]
    depth_shares: dict[str, float]

    @property
    def requests(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes


@dataclass(frozen=True)
class Assumed:
    """What a stream needs that is not published.

    Attributes
    ----------
    footprint : float
        Bytes of the addresses that requests go to, from the start of the drive; no more than the
        drive has.
    hot_share : float
        Share of the new places in the first tenth of the footprint.
    run_length : int
        Requests of a sequential run, >= 2. Requests that are in no run stand alone.
    burst, idle_s : float
        Mean number of requests from one pause to the next (geometric), and how long a pause is.
    mixed_share : float
        Share of the bursts that mix reads and writes; others hold one kind as long as it lasts.
    lone_share : float
        Share of the requests at queue depth 1, where only the mean depth is published. Deeper ones
        then are the distribution of most entropy with that mean.
    likeness : float
        For a bench without table of sizes: from those of "heavy" (0) to those of "light" (1),
        before they are fitted to the mean sizes.
    """

    footprint: float
    hot_share: float = 0.5
    run_length: int = 16
    burst: float = 300.0
    idle_s: float = 0.025
    mixed_share: float = 0.5
    lone_share: float = 0.5
    likeness: float = 0.5


def _figures(name: str, origin: str) -> dict[str, pd.Series]:
    """Return the rows of a bench that are stated, or assumed, by attribute."""
    one_of("name", name, BENCHES)
    rows = tables.benches()
    rows = rows[(rows["bench"] == name) & (rows["origin"] == origin)]
    return {row["attribute"]: row for _, row in rows.iterrows()}


def load(name: str) -> Bench:
    """Return what is published of a bench, one of :data:`BENCHES`.

    Examples
    --------
    >>> light = load("light")
    >>> light.requests, round(light.write_bytes / light.writes)
    (832339, 50575)
    """
    rows = {key: float(row["value"]) for key, row in _figures(name, "stated").items()}

    def shares(form: str, classes: tuple[str, ...]) -> dict[str, float]:
        return {key: rows[form.format(key)] / 100 for key in classes if form.format(key) in rows}

    return Bench(
        reads=int(rows["reads"]),
        writes=int(rows["writes"]),
        read_bytes=rows["read"] * GB,
        write_bytes=rows["written"] * GB,
        sequential_share=rows["sequential share"] / 100,
        mean_depth=rows.get("mean queue depth", np.nan),
        size_shares=shares("share of {}KB IOs", tuple(SIZES)),
        depth_shares=shares("share at queue depth {}", _DEPTHS),
    )


def drawn(name: str, draw: int) -> Assumed:
    """Return the assumed figures of a bench somewhere in their bands.

    Each is even over its band, or its logarithm if the ends differ by a factor of 10 or more. Draws
    are points of a scrambled Halton sequence: those of any number of draws are well spread.

    Examples
    --------
    >>> 60 <= drawn("destroyer", 3).footprint / 1e9 <= 230
    True
    """
    from scipy.stats import qmc

    bands = _figures(name, "assumed")
    sequence = qmc.Halton(len(bands), rng=np.random.default_rng(2013))
    point = sequence.fast_forward(draw).random()[0]
    values = {}
    for part, (key, row) in zip(point, bands.items(), strict=True):
        low, high = float(row["low"]), float(row["high"])
        by_log = low > 0 and high >= _FROM_LOG * low
        values[key] = low * (high / low) ** part if by_log else low + part * (high - low)
    arguments = {
        _ARGUMENTS[key][0]: float(value) * _ARGUMENTS[key][1] for key, value in values.items()
    }
    return Assumed(**{**arguments, "run_length": round(arguments["run_length"])})  # type: ignore[arg-type]


def _tilted(values: NDArray[np.generic], weights: Floats, mean: float) -> Floats:
    """Return the shares nearest to weights, by entropy, that have a mean."""
    scaled = values / values.max()

    def shares(slope: float) -> Floats:
        logs = np.log(weights) + slope * scaled
        return np.asarray(np.exp(logs - logsumexp(logs)))

    slope = brentq(lambda s: shares(s) @ scaled - mean / values.max(), -2000, 2000, xtol=1e-13)
    return shares(slope)


def _of_all(bench: Bench) -> Floats:
    """Return the shares of all requests by size, from the table and the published bytes."""
    shares = bench.size_shares
    left = 1 - sum(shares.values())
    parts = {
        key: np.full(len(SIZES[key]), share / len(SIZES[key])) for key, share in shares.items()
    }
    listed = sum(float(part @ np.array(SIZES[key])) for key, part in parts.items())
    mean = (bench.read_bytes + bench.write_bytes) / bench.requests
    others = np.array(SIZES["others"])
    parts["others"] = left * _tilted(others, np.ones(others.size), (mean - listed) / left)
    return np.concatenate([parts[key] for key in SIZES])


def size_shares(bench: Bench, likeness: float = 0.5) -> Floats:
    """Return the shares of writes (row 0) and reads (row 1) by size.

    With a published table its shares of all requests are kept, and the probability that a request
    of a size is a write is logistic in the size. Without one, writes and reads each take the shares
    nearest to those of the other benches by entropy. Both kinds have their published mean size.

    Examples
    --------
    >>> shares = size_shares(load("destroyer"))
    >>> (shares @ BYTES / 1e3).round(1).tolist()
    [79.7, 40.8]
    """
    means = bench.write_bytes / bench.writes, bench.read_bytes / bench.reads
    if not bench.size_shares:
        base = (1 - likeness) * _of_all(load("heavy")) + likeness * _of_all(load("light"))
        return np.array([_tilted(BYTES, base, mean) for mean in means])
    both = _of_all(bench)
    written, scaled = bench.writes / bench.requests, BYTES / BYTES.max()

    def writes(slope: float) -> Floats:
        def share(level: float) -> Floats:
            return np.asarray(both * expit(level + slope * scaled))

        level = brentq(lambda x: share(x).sum() - written, -100, 100, xtol=1e-13)
        return np.asarray(share(level) / written)

    slope = brentq(lambda s: writes(s) @ BYTES - means[0], -50, 50, xtol=1e-13)
    mine = writes(slope)
    return np.array([mine, (both - written * mine) / (1 - written)])


def depth_shares(bench: Bench, lone_share: float = 0.5) -> Floats:
    """Return the shares of requests at queue depths 1 to 32.

    Examples
    --------
    >>> round(float(depth_shares(load("destroyer")) @ np.arange(1, 33)), 2)
    5.5
    """
    if not bench.depth_shares:
        mean = (bench.mean_depth - lone_share) / (1 - lone_share)
        rest = _tilted(np.arange(2, DEEPEST + 1), np.ones(DEEPEST - 1), mean)
        return np.concatenate(([lone_share], (1 - lone_share) * rest))
    shares = np.zeros(DEEPEST)
    for key, share in bench.depth_shares.items():
        low, _, high = key.partition("-")
        first, last = (32, 32) if key == ">32" else (int(low), int(high or low))
        shares[first - 1 : last] += share / (last - first + 1)
    return np.asarray(shares / shares.sum())
