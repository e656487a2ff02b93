"""Speed, and its steadiness, of the modelled drives in the tests of the reviews."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from flashwear import drives, predict
from flashwear._domain import one_of
from flashwear.predict.rated_speeds import rated_speeds
from flashwear.queueing import procedures
from flashwear.queueing.protocol import CONSISTENCY, Protocol
from flashwear.sweeps import Study
from flashwear_book import protocols
from flashwear_book.runs._reads import fitted, modelled, parameters

RATED = ["m600-128gb", "m600-256gb", "m600-512gb", "m600-1024gb", "mx100-128gb", "mx100-256gb",
         "mx100-512gb", "mx200-250gb", "mx200-500gb", "mx200-1000gb", "mx300-750gb", "m500dc-480gb",
         "m500dc-800gb", "p400m-100gb", "p400m-200gb", "p400m-400gb", "s3700-200gb",
         "s3500-480gb"]  # fmt: skip
"""Drives whose rated speeds are simulated; other drives are modelled for their caches."""

MEASURED: Mapping[str, Protocol] = {
    "m600-256gb": CONSISTENCY,
    "m600-1024gb": CONSISTENCY,
    "mx200-500gb": protocols.CONSISTENCY_2016,
    "mx200-1000gb": protocols.CONSISTENCY_2016,
    "mx300-750gb": protocols.CONSISTENCY_2016,
    "m500dc-480gb": CONSISTENCY,
    "m500dc-800gb": CONSISTENCY,
    "p400m-200gb": CONSISTENCY,
    "s3700-200gb": CONSISTENCY,
    "s3500-480gb": CONSISTENCY,
}
"""Drives whose consistency the reviews show, as far as they are modelled, and the test."""

DRAWS = 40
"""Number of random draws from bands and times."""

_STEADY = protocols.RATINGS["random write, steady"]
_WINDOW_S = 400.0
_FALLS = 0.75  # of the first minute; a rate below it has fallen off the cliff


def rating(drive: str, case: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate the test of a speed that data sheets rate, at queue depth 32.

    `case` is the speed, such as "random read" (:data:`flashwear_book.protocols.RATINGS`); `scale`
    the size of the simulated drive over the real one's, in (0, 1]. Returned are ``iops``,
    ``mb_per_s``, latencies ``median_s``, ``p99_s`` and ``p9999_s``, write amplification ``wa``, the
    busiest station ``bottleneck`` and its ``utilisation``, and ``log_iops``, the natural logarithm
    of the IOPS.
    """
    one_of("case", case, list(protocols.RATINGS))
    return _row(protocols.RATINGS[case], drive, scale, seed)


def queue_depth(drive: str, pattern: str, depth: int, scale: float, seed: int) -> dict[str, Any]:
    """Simulate three minutes of an access pattern at one queue depth in steady state.

    `pattern` is a key of :data:`flashwear.queueing.procedures.PATTERNS`, such as "random_read";
    `scale` the size of the simulated drive over the real one's, in (0, 1]. The result has ``iops``,
    ``log_iops``, ``mb_per_s``, latencies ``median_s``, ``p99_s`` and ``p9999_s``, write
    amplification ``wa``, the busiest station ``bottleneck`` and its ``utilisation``.
    """
    return _row(replace(protocols.ENTERPRISE[pattern], depth=depth), drive, scale, seed)


def desktop_depth(drive: str, pattern: str, depth: int, scale: float, seed: int) -> dict[str, Any]:
    """Simulate three minutes of a desktop test of 2015 at one queue depth.

    `pattern` is "random_read", "random_write", "sequential_read" or "sequential_write"; `scale` is
    the size of the simulated drive over the real one's, in (0, 1]. The result has ``iops``,
    ``log_iops``, ``mb_per_s``, latencies ``median_s``, ``p99_s`` and ``p9999_s``, write
    amplification ``wa``, the busiest station ``bottleneck`` and its ``utilisation``.
    """
    return _row(replace(protocols.DESKTOP[pattern], depth=depth), drive, scale, seed)


def mixed(drive: str, order: str, read_share: float, scale: float, seed: int) -> dict[str, Any]:
    """Simulate three minutes of a mix of reads and writes, a desktop test of 2015.

    `order` is "sequential" or "random", the order of the addresses; `read_share` the share of
    reads, in [0, 1]; `scale` the size of the simulated drive over the real one's, in (0, 1]. The
    result has ``iops``, ``log_iops``, ``mb_per_s``, latencies ``median_s``, ``p99_s`` and
    ``p9999_s``, write amplification ``wa``, the busiest station ``bottleneck`` and its
    ``utilisation``.
    """
    test = protocols.MIXED[order]
    mix = replace(test, access=replace(test.access, read_share=read_share))
    return _row(mix, drive, scale, seed)


def consistency(drive: str, spare: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate the reviews' consistency test: a drive is filled in order, then written at random.

    `drive`, `spare`: name of a drive, a key of :data:`MEASURED`; and share left unwritten:
    "default", "25 % of raw" or "25 % of user". `scale`, `seed`: size of the simulated drive over
    the real one's, in (0, 1], and seed of the writes.

    Result: ``span``, the part of the drive that is written; for the last 400 s ``mean``, mean
    IOPS, its natural logarithm ``log_mean``, and ``steadiness``, mean over standard deviation of
    the IOPS of each second; ``first``, mean IOPS in the first minute without its first second;
    ``cliff_s``, when IOPS first stay below three quarters of ``first`` for 20 s, NaN if never; and
    ``iops`` of each second.
    """
    one_of("drive", drive, list(MEASURED))
    chosen, test = drives.load(drive), MEASURED[drive]
    left = protocols.SPARE[spare]
    span = 1.0 if left is None else procedures.span_for(chosen, *left)
    test = replace(test, access=replace(test.access, span=span))
    return {"span": span, **consistency_figures(chosen, test, scale, seed)}


def banded(drive: str, draw: int, scale: float, seed: int = 0) -> dict[str, Any]:
    """Simulate a consistency test with all assumed parameters of the drive drawn at random.

    The drive is filled in order, then written at random. Each assumed parameter takes a value from
    its band; in draw number `draw`, below 40, the place in the band is the same for all drives.
    Operation times are a draw from a fit without the drive's product line. Geometry, and parameters
    that are stated or from the literature, stay as they are. `scale` is the size of the simulated
    drive over the real one's, in (0, 1].

    Result: ``mean`` IOPS in the last 400 s and their natural logarithm ``log_mean``,
    ``steadiness`` (mean over standard deviation), ``first`` (mean IOPS in the first minute),
    ``cliff_s`` (when IOPS first stay below three quarters of that for 20 s), ``iops`` as means
    over 40 s, and ``steady``, the IOPS in steady state.
    """
    chosen = replace(drives.load(drive), **drawn(drive, draw)).with_times(times_of(drive, draw))
    steady = _STEADY.figures(chosen, seed=seed, scale=scale, progress=False)
    figures = consistency_figures(chosen, MEASURED[drive], scale, seed)
    iops = figures["iops"]
    means = iops[: iops.size // 40 * 40].reshape(-1, 40).mean(axis=1)
    return {**figures, "steady": steady["iops"], "iops": means.round()}


_NAMES = ("controller", "flash", "line", "enterprise")  # of no simulated parameter
_NOT_DRAWN = ("dies", "blocks_per_plane", "pages_per_block", "map_bytes", "map_cache_bytes")


def drawn(drive: str, draw: int) -> dict[str, Any]:
    """Return a random value for each assumed parameter of a drive, by the parameter's name.

    `draw` is the number of the draw, which says where in its band each value lies.
    """
    table = drives.parameters(drive)
    names = sorted({field.name for field in fields(drives.Drive)} - {*_NAMES})
    places = dict(zip(names, np.random.default_rng(draw).uniform(size=len(names)), strict=True))
    chosen: dict[str, Any] = {}
    for row in table[table.origin == "assumed"].itertuples():
        name, place = row.parameter, places[row.parameter]
        if name in _NOT_DRAWN:
            continue
        if isinstance(row.value, (bool, str)) or name == "stripe":
            chosen[name] = row.low if place < 0.5 else row.high
            continue
        low, high = np.asarray(row.low), np.asarray(row.high)
        value = low + place * (high - low)
        if isinstance(row.value, list):
            chosen[name] = tuple(value.tolist())
        elif isinstance(row.value, int):
            chosen[name] = round(float(value))
        else:
            chosen[name] = float(value)
    if "buffer_bytes" in chosen:
        chosen["buffer_bytes"] = chosen["buffer_bytes"] // 4096 * 4096
    if "high_blocks" in chosen:
        chosen["high_blocks"] = max(chosen["high_blocks"], chosen["low_blocks"] + 0.5)
    return chosen


def times_of(drive: str, draw: int) -> dict[str, float]:
    """Return a drive's operation times in s, by name, drawn from the fit to other product lines.

    `draw` is the number of the random draw, from 0 to 39.
    """
    made = drives.load(drive)
    fitted = {each.line for each in rated_speeds().drives}
    drawn = predict.draws_of_times(made, DRAWS, without=made.line if made.line in fitted else None)
    return {time: float(values[draw]) for time, values in drawn.items()}


def one_terabyte(
    drive: str, copy_us: float, map_held: float, scale: float, seed: int = 0
) -> dict[str, Any]:
    """Simulate an M600 that takes longer for copies and holds only a part of its map in DRAM.

    `copy_us`: controller time for a copied map unit, on top of reading and writing it, in
    microseconds. `map_held`: share of the map that is held in DRAM, in (0, 1]. `drive`, `scale`,
    `seed`: name of the drive, size of the simulated drive over that of the real one, in (0, 1],
    and seed.

    Result: ``mean`` and ``log_mean``, IOPS in the last 400 s of random writes to a full drive, and
    their natural logarithm; and in steady state ``steady``, IOPS, write amplification ``wa`` and
    ``bottleneck``, the busiest station.
    """
    chosen = drives.load(drive)
    entries = chosen.user_bytes // chosen.map_bytes
    changed = replace(
        chosen, copy_s=copy_us * 1e-6, map_cache_bytes=max(4096, round(4 * entries * map_held))
    )
    steady = _STEADY.figures(changed, seed=seed, scale=scale, progress=False)
    mean = consistency_figures(changed, MEASURED[drive], scale, seed)["mean"]
    return {"mean": mean, "log_mean": float(np.log(mean)), "steady": steady["iops"],
            "wa": steady["wa"], "bottleneck": steady["bottleneck"]}  # fmt: skip


def consistency_figures(
    drive: drives.Drive, test: Protocol, scale: float, seed: int
) -> dict[str, Any]:
    """Simulate a consistency test (random writes to a full drive), and return a summary.

    `scale` is the size of the simulated drive over the real one's, in (0, 1]. Returned are ``mean``
    IOPS in the last 400 s and their natural logarithm ``log_mean``, ``steadiness`` (mean over
    standard deviation), ``first`` (mean IOPS in the first minute), ``cliff_s`` (when IOPS first
    stay below three quarters of that for 20 s) and ``iops`` of each second.
    """
    run = test.seconds_of(drive, seed=seed, scale=scale, progress=False)
    mean, steadiness = procedures.score(run, _WINDOW_S)
    iops = run.iops.to_numpy()
    first = float(iops[1:60].mean())
    below = np.lib.stride_tricks.sliding_window_view(iops < _FALLS * first, 20).all(axis=1)
    return {"mean": mean, "log_mean": float(np.log(mean)), "steadiness": steadiness, "first": first,
            "cliff_s": float(run.time_s[int(below.argmax())]) if below.any() else np.nan,
            "iops": iops.round()}  # fmt: skip


def _row(test: Protocol, drive: str, scale: float, seed: int) -> dict[str, Any]:
    figures = test.figures(drives.load(drive), seed=seed, scale=scale, progress=False)
    return {**figures, "log_iops": float(np.log(figures["iops"]))}


def _read(grid: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Return the parameters of the drives in a grid, with bands, and what the fit reads."""
    return [parameters(grid["drive"], "value", "origin", "low", "high"), *fitted(grid)]


STUDIES = (
    Study(
        name="ratings",
        function=rating,
        grid={"drive": RATED, "case": list(protocols.RATINGS), "scale": [1.0]},
        reduced={"drive": ["m600-256gb", "m500dc-480gb", "p400m-200gb"], "scale": [1 / 64]},
        keys=("drive", "case"),
        tolerance={"log_iops": 0.05},
        seed=2019,
        reads=modelled,
    ),
    Study(
        name="scaling",
        function=rating,
        grid={
            "drive": ["m600-256gb", "mx300-750gb", "m500dc-480gb", "p400m-200gb"],
            "case": ["sequential write", "random read", "random write, steady"],
            "scale": [1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256],
        },
        reduced={"scale": [1 / 64, 1 / 256]},
        keys=("drive", "case", "scale"),
        tolerance={"log_iops": 0.001},
        seed=2020,
        reads=modelled,
    ),
    Study(
        name="queue_depths",
        function=queue_depth,
        grid={
            "drive": ["m500dc-480gb", "m500dc-800gb", "s3500-480gb"],
            "pattern": list(protocols.ENTERPRISE),
            "depth": list(procedures.DEPTHS),
            "scale": [1.0],
        },
        # writes in order are a transient that small blocks change, by up to 13 %
        reduced={
            "drive": ["m500dc-480gb"],
            "pattern": ["random_write", "random_read", "random_70_30", "sequential_read"],
            "depth": [1, 4, 32],
            "scale": [1 / 64],
        },
        keys=("drive", "pattern", "depth"),
        tolerance={"log_iops": 0.08},
        seed=2021,
        reads=modelled,
    ),
    Study(
        name="desktop_depths",
        function=desktop_depth,
        grid={
            "drive": ["mx200-500gb", "mx200-1000gb", "mx300-750gb"],
            "pattern": list(protocols.DESKTOP),
            "depth": list(procedures.DEPTHS),
            "scale": [1.0],
        },
        reduced={"drive": ["mx300-750gb"], "depth": [1, 4, 32], "scale": [1 / 64]},
        keys=("drive", "pattern", "depth"),
        tolerance={"log_iops": 0.05},
        seed=2024,
        reads=modelled,
    ),
    Study(
        name="mixes",
        function=mixed,
        grid={
            "drive": ["mx200-500gb", "mx200-1000gb", "mx300-750gb"],
            "order": list(protocols.MIXED),
            "read_share": list(protocols.READ_SHARES),
            "scale": [1.0],
        },
        reduced={"read_share": [1.0, 0.4, 0.0], "scale": [1 / 64]},
        keys=("drive", "order", "read_share"),
        tolerance={"log_iops": 0.05},
        seed=2022,
        reads=modelled,
    ),
    Study(
        name="consistency",
        function=consistency,
        grid={"drive": list(MEASURED), "spare": list(protocols.SPARE), "scale": [1.0]},
        reduced={"drive": ["m600-256gb", "m600-1024gb"], "scale": [1 / 64]},
        keys=("drive", "spare"),
        tolerance={"log_mean": 0.05},
        seed=2023,
        reads=modelled,
    ),
    Study(
        name="bands",
        function=banded,
        grid={"drive": list(MEASURED), "draw": list(range(DRAWS)), "scale": [1 / 64]},
        reduced={"drive": ["m600-256gb", "m600-1024gb"], "draw": [0, 1]},
        keys=("drive", "draw"),
        tolerance={"log_mean": 0.001},
        reads=_read,
    ),
    Study(
        name="one_terabyte",
        function=one_terabyte,
        grid={
            "drive": ["m600-256gb", "m600-1024gb"],
            "copy_us": [0.0, 5.0, 15.0],
            "map_held": [1.0, 0.5],
            "scale": [1.0],
        },
        reduced={"copy_us": [0.0, 5.0], "map_held": [1.0], "scale": [1 / 64]},
        keys=("drive", "copy_us", "map_held"),
        tolerance={"log_mean": 0.05},
        reads=modelled,
    ),
)
