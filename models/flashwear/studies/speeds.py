"""How fast and how steadily the modelled drives work in the tests of the reviews."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from flashwear import drives
from flashwear.queueing import procedures

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "sequential read": ("sequential_read", {"random_drive_writes": 0.0, "seconds": 30.0}),
    "sequential write": ("sequential_write", {"random_drive_writes": 0.0, "seconds": 60.0}),
    "random read": ("random_read", {"random_drive_writes": 0.0, "seconds": 30.0}),
    "random write, fresh": (
        "random_write",
        {"random_drive_writes": 0.0, "seconds": 20.0, "fill": "none"},
    ),
    "random write, steady": ("random_write", {"seconds": 600.0}),
}
"""What a data sheet rates: a full drive, but for "fresh" an empty one, and "steady" the steady
state. Fresh writes go to 8 GB, as in the client tests."""

RATED = [
    "m600-128gb",
    "m600-256gb",
    "m600-512gb",
    "m600-1024gb",
    "mx100-128gb",
    "mx100-256gb",
    "mx100-512gb",
    "mx200-250gb",
    "mx200-500gb",
    "mx200-1000gb",
    "mx300-750gb",
    "m500dc-480gb",
    "m500dc-800gb",
    "p400m-100gb",
    "p400m-200gb",
    "p400m-400gb",
    "s3700-200gb",
    "s3500-480gb",
]
"""Drives whose ratings are simulated; the others are there for their caches."""

MEASURED = [
    "m600-256gb",
    "m600-1024gb",
    "mx200-500gb",
    "mx200-1000gb",
    "mx300-750gb",
    "m500dc-480gb",
    "m500dc-800gb",
    "p400m-200gb",
    "s3700-200gb",
    "s3500-480gb",
]
"""Drives whose consistency the reviews show, as far as they are modelled."""


def _to_steady(drive: drives.Drive) -> float:
    """Give random writes, over the user capacity, after which a full drive has settled.

    With large blocks write amplification is within 1 % after 0.35 drive writes at 7 %
    over-provisioning and after 2.2 at 80 % (:func:`flashwear.wa.settled`); these are 0.7 and 2.9.
    """
    return 0.5 + 3 * (drive.raw_bytes / drive.user_bytes - 1)


_FRESH_SPAN_BYTES, _SPAN_2015_BYTES = 8e9, 16e9
_WINDOW_S = 400.0


def rating(drive: str, case: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate what a data sheet rates, at queue depth 32.

    Parameters
    ----------
    drive : str
        Name of a drive.
    case : str
        One of :data:`CASES`.
    scale : float
        Size of the simulated drive, in (0, 1], also one that a procedure refuses: what that does is
        shown by a study.
    seed : int
        Seed of the requests.

    Returns
    -------
    dict
        As a row of :func:`flashwear.queueing.procedures.queue_depth_sweep`, and ``log_iops``, the
        natural logarithm of the IOPS.
    """
    pattern, options = CASES[case]
    chosen = drives.load(drive)
    small = chosen.scaled(scale)
    share = small.pages_per_block / chosen.pages_per_block
    fresh = options.get("fill") == "none"
    sweep = procedures.queue_depth_sweep(
        small,
        pattern,
        (32,),
        span=min(1.0, _FRESH_SPAN_BYTES / chosen.user_bytes) if fresh else 1.0,
        seed=seed,
        progress=False,
        **{
            "random_drive_writes": _to_steady(chosen),
            **options,
            "seconds": options["seconds"] * share,
        },
    )
    return _row(sweep)


def queue_depth(drive: str, pattern: str, depth: int, scale: float, seed: int) -> dict[str, Any]:
    """Simulate three minutes of a queue-depth sweep on a drive in its steady state.

    Parameters
    ----------
    drive, pattern, depth, scale, seed
        As in :func:`flashwear.queueing.procedures.queue_depth_sweep`.

    Returns
    -------
    dict
        As its row.
    """
    chosen = drives.load(drive)
    return _row(
        procedures.queue_depth_sweep(
            chosen,
            pattern,
            (depth,),
            random_drive_writes=0.5 if pattern.endswith("read") else _to_steady(chosen),
            seed=seed,
            scale=scale,
            progress=False,
        )
    )


def desktop_depth(drive: str, pattern: str, depth: int, scale: float, seed: int) -> dict[str, Any]:
    """Simulate three minutes of the desktop queue-depth tests of 2015.

    Random writes go to 16 GB of an empty drive, all else over a full one.

    Parameters
    ----------
    drive, pattern, depth, scale, seed
        As in :func:`flashwear.queueing.procedures.queue_depth_sweep`.

    Returns
    -------
    dict
        As its row.
    """
    chosen, fresh = drives.load(drive), pattern == "random_write"
    return _row(
        procedures.queue_depth_sweep(
            chosen,
            pattern,
            (depth,),
            fill="none" if fresh else "sequential",
            random_drive_writes=0.0,
            span=_SPAN_2015_BYTES / chosen.user_bytes if fresh else 1.0,
            seed=seed,
            scale=scale,
            progress=False,
        )
    )


def mixed(drive: str, order: str, read_share: float, scale: float, seed: int) -> dict[str, Any]:
    """Simulate one step of the mixed tests, three minutes long.

    Requests in order go over a full drive, those at random to 16 GB that are all it holds.

    Parameters
    ----------
    drive, order, read_share, scale, seed
        As in :func:`flashwear.queueing.procedures.mixed_sweep`.

    Returns
    -------
    dict
        As its row.
    """
    chosen = drives.load(drive)
    sweep = procedures.mixed_sweep(
        chosen,
        order,
        (read_share,),
        span=_SPAN_2015_BYTES / chosen.user_bytes if order == "random" else 1.0,
        seed=seed,
        scale=scale,
        progress=False,
    )
    return _row(sweep)


def consistency(drive: str, spare: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate the test of performance consistency: 2,000 s, or an hour for the MX drives.

    Parameters
    ----------
    drive : str
        Name of a drive.
    spare : {"default", "25 % of raw", "25 % of user"}
        What is left unwritten: the drive's own spare flash, or a quarter by either reading.
    scale, seed
        As in :func:`flashwear.queueing.procedures.performance_consistency`.

    Returns
    -------
    dict
        ``span``, the part of the drive that is written; of the last 400 s ``mean``, mean IOPS, its
        natural logarithm ``log_mean``, and ``steadiness``, mean over standard deviation of the
        seconds; ``first``, mean IOPS of the first minute without its first second; ``cliff_s``, the
        second from which on 20 in a row are below the middle of first and last, NaN if the last
        are not below half of the first; and ``iops``, all seconds, as text with spaces between.
    """
    chosen = drives.load(drive)
    span = 1.0
    if spare != "default":
        span = procedures.span_for(chosen, 0.25, spare.removeprefix("25 % of "))
    return {"span": span, **consistency_figures(chosen, span, _duration(drive), scale, seed)}


def banded(drive: str, draw: int, scale: float, seed: int = 0) -> dict[str, Any]:
    """Simulate the test of performance consistency with all that is assumed drawn from its band.

    Each parameter lies at a place in its band that is drawn once for all drives of the same draw,
    so that drives can be compared; of two choices it is one or the other. Geometry, and what is
    calibrated, stated or from the literature, stays as it is.

    Parameters
    ----------
    drive : str
        Name of a drive.
    draw : int
        Number of the draw.
    scale, seed
        As in :func:`consistency`.

    Returns
    -------
    dict
        As from :func:`consistency`, and ``steady``, the IOPS when the drive has
        settled. Its ``iops`` are means of 40 s.
    """
    chosen = replace(drives.load(drive), **drawn(drive, draw))
    steady = _steady(chosen, scale, seed)
    figures = consistency_figures(chosen, 1.0, _duration(drive), scale, seed)
    iops = np.array(figures["iops"].split(), float)
    minutes = iops[: iops.size // 40 * 40].reshape(-1, 40).mean(axis=1)
    return {**figures, "steady": float(steady.iops), "iops": _as_text(minutes)}


_NOT_DRAWN = ("dies", "blocks_per_plane", "pages_per_block", "map_bytes", "map_cache_bytes")


def drawn(drive: str, draw: int) -> dict[str, Any]:
    """Give the parameters of a draw: a place in the band of each that is assumed.

    Parameters
    ----------
    drive : str
        Name of a drive.
    draw : int
        Number of the draw, >= 0.

    Returns
    -------
    dict
        Those of :class:`flashwear.drives.Drive` that differ from the drive's.
    """
    table = drives.parameters(drive)
    names = sorted(field.name for field in fields(drives.Drive))
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


def one_terabyte(
    drive: str, copy_us: float, map_held: float, scale: float, seed: int = 0
) -> dict[str, Any]:
    """Simulate an M600 with another time for copies and a part of its map in DRAM.

    Parameters
    ----------
    drive : str
        Name of a drive.
    copy_us : float
        Time of the controller for a copied map unit, in microseconds.
    map_held : float
        Part of the map that is held in DRAM, in (0, 1].
    scale, seed
        As in :func:`consistency`.

    Returns
    -------
    dict
        ``mean``, IOPS in the last 400 s of the test of consistency, its natural logarithm
        ``log_mean``; ``steady``, ``wa`` and
        ``bottleneck`` when the drive has settled.
    """
    chosen = drives.load(drive)
    entries = chosen.user_bytes // chosen.map_bytes
    changed = replace(
        chosen, copy_s=copy_us * 1e-6, map_cache_bytes=max(4096, round(4 * entries * map_held))
    )
    steady = _steady(changed, scale, seed)
    mean = consistency_figures(changed, 1.0, _duration(drive), scale, seed)["mean"]
    return {
        "mean": mean,
        "log_mean": float(np.log(mean)),
        "steady": float(steady.iops),
        "wa": float(steady.wa),
        "bottleneck": steady.bottleneck,
    }


def _steady(drive: drives.Drive, scale: float, seed: int) -> Any:
    return procedures.queue_depth_sweep(
        drive,
        "random_write",
        (32,),
        seconds=CASES["random write, steady"][1]["seconds"],
        random_drive_writes=_to_steady(drive),
        seed=seed,
        scale=scale,
        progress=False,
    ).iloc[0]


def _duration(drive: str) -> float:
    return 3600.0 if drive.startswith("mx") else 2000.0


def consistency_figures(
    drive: drives.Drive, span: float, duration_s: float, scale: float, seed: int
) -> dict[str, Any]:
    """Simulate the test of performance consistency and sum it up, see :func:`consistency`."""
    run = procedures.performance_consistency(
        drive, span, duration_s, seed, scale=scale, progress=False
    )
    mean, steadiness = procedures.score(run, _WINDOW_S)
    iops = run.iops.to_numpy()
    first = float(iops[1:60].mean())
    below = np.lib.stride_tricks.sliding_window_view(iops < (first + mean) / 2, 20).all(axis=1)
    return {
        "mean": mean,
        "log_mean": float(np.log(mean)),
        "steadiness": steadiness,
        "first": first,
        "cliff_s": float(run.time_s[int(below.argmax())])
        if mean < first / 2 and below.any()
        else np.nan,
        "iops": _as_text(iops),
    }


def _as_text(values: Any) -> str:
    return " ".join(str(round(value)) for value in values)


def _row(sweep: Any) -> dict[str, Any]:
    figures: dict[str, Any] = sweep.iloc[0, 1:].to_dict()
    return {**figures, "log_iops": float(np.log(figures["iops"]))}
