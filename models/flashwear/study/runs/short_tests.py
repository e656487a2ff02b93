"""The short tests whose results the reviews draw as bars, on the modelled drives."""

from typing import Any

import numpy as np

from flashwear import drives
from flashwear.ftl.state import one_of
from flashwear.queueing import procedures, twin
from flashwear.queueing.requests import Access

DRIVES = [
    "m600-128gb",
    "m600-256gb",
    "m600-512gb",
    "m600-1024gb",
    "mx100-128gb",
    "mx100-256gb",
    "mx100-512gb",
]
"""The drives of the client tests of 2014 that are modelled."""

CLIENT: dict[str, tuple[str, int, str]] = {
    "random read, full": ("random_read", 3, "sequential"),
    "random write, empty": ("random_write", 3, "none"),
    "random write, full": ("random_write", 3, "sequential"),
    "random write at depth 32, empty": ("random_write", 32, "none"),
    "random write at depth 32, full": ("random_write", 32, "sequential"),
    "sequential read, full": ("sequential_read", 1, "sequential"),
    "sequential write, empty": ("sequential_write", 1, "none"),
    "sequential write, full": ("sequential_write", 1, "sequential"),
}
"""The client tests of 2014: pattern, queue depth, and how the drive is filled, which the review
does not say."""

SIZES = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]
"""Transfers of ATTO in KiB, as far as the model takes them; the program goes on to 8 MiB."""

_RANDOM_SPAN_BYTES, _RANDOM_S, _ORDERED_S = 8e9, 180.0, 60.0
_FILE_BYTES, _DEPTH = 2**28, 4


def client(drive: str, test: str, scale: float, seed: int) -> dict[str, Any]:
    """Simulate a client test of 2014: 4 KiB at random in 8 GB, or 128 KiB over the whole drive.

    Parameters
    ----------
    drive : str
        Name of a drive.
    test : str
        One of :data:`CLIENT`.
    scale : float
        Size of the simulated drive, in (0, 1].
    seed : int
        Seed of the requests.

    Returns
    -------
    dict
        ``mb_per_s``, its natural logarithm ``log_mb``, ``wa``, ``bottleneck`` and its
        ``utilisation``, of :func:`flashwear.queueing.procedures.queue_depth_sweep`.
    """
    one_of("test", test, list(CLIENT))
    pattern, depth, fill = CLIENT[test]
    chosen, random = drives.load(drive), pattern.startswith("random")
    row = procedures.queue_depth_sweep(
        chosen,
        pattern,
        (depth,),
        seconds=_RANDOM_S if random else _ORDERED_S,
        fill=fill,
        random_drive_writes=0.0,
        span=min(1.0, _RANDOM_SPAN_BYTES / chosen.user_bytes) if random else 1.0,
        seed=seed,
        scale=scale,
        progress=False,
    ).iloc[0]
    figures = row[["mb_per_s", "wa", "bottleneck", "utilisation"]].to_dict()
    return {**figures, "log_mb": float(np.log(figures["mb_per_s"]))}


def transfer(drive: str, kind: str, kib: float, scale: float, seed: int = 0) -> dict[str, Any]:
    """Simulate a step of ATTO: 256 MiB in order, at queue depth 4, in requests of one size.

    Parameters
    ----------
    drive : str
        Name of a drive, empty but for the file that is read.
    kind : {"read", "write"}
        What is done.
    kib : float
        Size of a request in KiB, of :data:`SIZES`.
    scale : float
        Size of the simulated drive, in (0, 1]; the file stays as it is.
    seed : int
        Seed of the run.

    Returns
    -------
    dict
        ``mb_per_s`` and ``bottleneck``.
    """
    one_of("kind", kind, ("read", "write"))
    if isinstance(kib, bool) or kib not in SIZES:
        raise ValueError(f"kib must be one of {', '.join(f'{k:g}' for k in SIZES)}, got {kib!r}")
    chosen, size = drives.load(drive).scaled(scale), round(kib * 1024)
    file = _FILE_BYTES / chosen.user_bytes
    result = twin.run(
        chosen,
        Access(size, "sequential", read_share=float(kind == "read"), span=file),
        queue_depth=_DEPTH,
        ios=_FILE_BYTES // size,
        think_s=procedures.TURNAROUND_S,
        fill="sequential" if kind == "read" else "none",
        span=file,
        seed=seed,
        progress=False,
    )
    rate = result.ios * size / result.elapsed_s / 1e6
    return {"mb_per_s": rate, "bottleneck": result.bottleneck}
