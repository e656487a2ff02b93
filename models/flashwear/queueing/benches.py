"""The storage benches of the reviews: what is published of their traces, and what is not.

The benches are traces of requests, and the traces are not public. What is published of them, their
*marginals*, stands in ``data/benches.csv``: how many reads and writes, the bytes of both, shares of
sizes, the share of sequential requests, queue depths. All else that a stream of requests needs is
assumed (:class:`Assumed`), each figure with a band. :mod:`flashwear.queueing.bursts` makes streams
from both. They are synthetic: good for orderings of drives, as far as these hold all over the
bands, and for no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logsumexp

from flashwear._domain import one_number, whole
from flashwear.queueing._assumed import BENCHES, LONGEST_RUN, Assumed, assumed, drawn, figures
from flashwear.units import GB, KIB

__all__ = [
    "BENCHES",
    "DEPTHS",
    "SIZES",
    "Assumed",
    "Bench",
    "assumed",
    "depth_shares",
    "drawn",
    "load",
    "size_shares",
]

SIZES = {
    "<4": (512, 1024, 2048),
    **{str(size): (size * KIB,) for size in (4, 8, 16, 32, 64, 128)},
    "others": tuple(size * KIB for size in (6, 12, 24, 48, 96)),
}
"""Bytes of requests, by the classes of the published tables. Classes that hold several sizes are
stood for by some of them: those below 4 KiB in equal parts, and the sizes that the tables leave out
in the parts that give the published bytes."""

DEPTHS = ("1", "2", "3", "4-5", "6-10", "11-20", "21-32", ">32")
"""Classes of queue depths in the published table; above 32 the drive takes 32."""

BYTES = np.array([size for sizes in SIZES.values() for size in sizes])
"""All of these sizes."""

DEEPEST = 32
"""Most requests outstanding."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bench:
    """What is published of a bench.

    Attributes
    ----------
    name : str
        Of :data:`BENCHES`.
    reads, writes : int
        Requests, >= 1.
    read_bytes, write_bytes : float
        Their bytes.
    sequential_share : float
        Share of the requests that begin where one before ended, < 1.
    mean_depth : float
        Mean number of outstanding requests; NaN where their shares are published.
    size_shares : dict of str to float
        Shares of the requests by class of :data:`SIZES`; empty where they are not published.
    depth_shares : dict of str to float
        Shares of the requests by class of :data:`DEPTHS`; empty where they are not published.

    Raises
    ------
    ValueError
        For values that cannot be.
    """

    name: str
    reads: int
    writes: int
    read_bytes: float
    write_bytes: float
    sequential_share: float
    mean_depth: float
    size_shares: dict[str, float] = field(repr=False)
    depth_shares: dict[str, float] = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("reads", "writes"):
            whole(name, getattr(self, name), 1, 2**40)
            one_number(f"{name[:-1]}_bytes", getattr(self, f"{name[:-1]}_bytes"), above=0)
        one_number("sequential_share", self.sequential_share, low=0, high=1 - 1 / LONGEST_RUN)
        _check_shares("size_shares", self.size_shares, [key for key in SIZES if key != "others"])
        if (total := sum(self.size_shares.values())) >= 1:
            raise ValueError(f"size_shares must add up to < 1, got {total!r}")
        _check_shares("depth_shares", self.depth_shares, DEPTHS)
        if self.depth_shares:
            one_number("the sum of depth_shares", sum(self.depth_shares.values()), above=0)
        else:
            one_number("mean_depth", self.mean_depth, low=1, high=DEEPEST)

    @property
    def requests(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes


def _check_shares(name: str, shares: dict[str, float], classes: Sequence[str]) -> None:
    if not isinstance(shares, dict) or not shares.keys() <= set(classes):
        raise ValueError(f"{name} must have keys among {', '.join(classes)}, got {shares!r}")
    for key, share in shares.items():
        one_number(f"{name}[{key!r}]", share, low=0, high=1)


def check_bench(bench: Bench) -> None:
    """Raise ValueError for what is no bench."""
    if not isinstance(bench, Bench):
        raise ValueError(f"bench must be a Bench, as benches.load gives, got {bench!r}")


def load(name: str) -> Bench:
    """Return what is published of a bench, from ``data/benches.csv``.

    Parameters
    ----------
    name : str
        Of :data:`BENCHES`.

    Returns
    -------
    Bench

    Raises
    ------
    ValueError
        If there is no such bench.

    Examples
    --------
    >>> light = load("light")
    >>> light.requests, round(light.write_bytes / light.writes)
    (832339, 50575)
    """
    rows = {key: float(row["value"]) for key, row in figures(name, "stated").items()}

    def shares(form: str, classes: tuple[str, ...]) -> dict[str, float]:
        return {key: rows[form.format(key)] / 100 for key in classes if form.format(key) in rows}

    return Bench(
        name=name,
        reads=int(rows["reads"]),
        writes=int(rows["writes"]),
        read_bytes=rows["read"] * GB,
        write_bytes=rows["written"] * GB,
        sequential_share=rows["sequential share"] / 100,
        mean_depth=rows.get("mean queue depth", np.nan),
        size_shares=shares("share of {}KB IOs", tuple(SIZES)),
        depth_shares=shares("share at queue depth {}", DEPTHS),
    )


def _tilted(name: str, values: NDArray[np.int64], weights: Floats, mean: float) -> Floats:
    """Return the shares nearest to weights, by entropy, that have a mean."""
    _check_mean(name, mean, float(values.min()), float(values.max()))
    scaled = values / values.max()

    def shares(slope: float) -> Floats:
        logs = np.log(weights) + slope * scaled
        return np.asarray(np.exp(logs - logsumexp(logs)))

    slope = brentq(lambda s: shares(s) @ scaled - mean / values.max(), -2000, 2000, xtol=1e-13)
    return shares(slope)


def _check_mean(name: str, mean: float, low: float, high: float) -> None:
    if not low < mean < high:
        raise ValueError(f"{name} must give a mean in ({low:g}, {high:g}), got {mean:g}")


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
    parts["others"] = left * _tilted(
        "read_bytes and write_bytes, but for the listed sizes,",
        others,
        np.ones(others.size),
        (mean - listed) / left,
    )
    return np.concatenate([parts[key] for key in SIZES])


def size_shares(bench: Bench, likeness: float = 0.5) -> Floats:
    """Return the shares of writes (row 0) and reads (row 1) by size.

    With a published table its shares of all requests are kept, and the probability that a request
    of a size is a write is logistic in the size. Without one, writes and reads each take the shares
    nearest to those of the other benches by entropy. Both kinds have their published mean size.

    Raises
    ------
    ValueError
        For a `likeness` outside [0, 1], or bytes that the sizes of requests cannot give.

    Examples
    --------
    >>> shares = size_shares(load("destroyer"))
    >>> (shares @ BYTES / 1e3).round(1).tolist()
    [79.7, 40.8]
    """
    check_bench(bench)
    part = one_number("likeness", likeness, low=0, high=1)
    means = bench.write_bytes / bench.writes, bench.read_bytes / bench.reads
    if not bench.size_shares:
        base = (1 - part) * _of_all(load("heavy")) + part * _of_all(load("light"))
        names = "write_bytes", "read_bytes"
        pairs = zip(names, means, strict=True)
        return np.array([_tilted(name, BYTES, base, mean) for name, mean in pairs])
    both = _of_all(bench)
    written, scaled = bench.writes / bench.requests, BYTES / BYTES.max()

    def writes(slope: float) -> Floats:
        def share(level: float) -> Floats:
            return np.asarray(both * expit(level + slope * scaled))

        level = brentq(lambda x: share(x).sum() - written, -100, 100, xtol=1e-13)
        return np.asarray(share(level) / written)

    _check_mean("write_bytes", means[0], *(float(writes(s) @ BYTES) for s in (-50, 50)))
    slope = brentq(lambda s: writes(s) @ BYTES - means[0], -50, 50, xtol=1e-13)
    mine = writes(slope)
    return np.array([mine, (both - written * mine) / (1 - written)])


def depth_shares(bench: Bench, lone_share: float = 0.5) -> Floats:
    """Return the shares of requests at queue depths 1 to 32.

    Raises
    ------
    ValueError
        For a `lone_share` outside [0, 1], or one that leaves the others no mean above 2 and
        below 32.

    Examples
    --------
    >>> round(float(depth_shares(load("destroyer")) @ np.arange(1, 33)), 2)
    5.5
    """
    check_bench(bench)
    lone = one_number("lone_share", lone_share, low=0, high=1)
    depths = np.arange(1, DEEPEST + 1)
    if not bench.depth_shares:
        mean = (bench.mean_depth - lone) / (1 - lone) if lone < 1 else np.inf
        if not 2 < mean < DEEPEST:
            raise ValueError(
                f"lone_share must leave the others a mean depth in (2, {DEEPEST}), with "
                f"{bench.mean_depth:g} in all, got {lone!r}"
            )
        rest = _tilted("mean_depth", depths[1:], np.ones(DEEPEST - 1), mean)
        return np.concatenate(([lone], (1 - lone) * rest))
    shares = np.zeros(DEEPEST)
    for key, share in bench.depth_shares.items():
        low, _, high = key.partition("-")
        first, last = (32, 32) if key == ">32" else (int(low), int(high or low))
        shares[first - 1 : last] += share / (last - first + 1)
    return np.asarray(shares / shares.sum())
