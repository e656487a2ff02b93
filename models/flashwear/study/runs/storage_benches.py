"""The storage benches on modelled drives, over what is unknown of their traces."""

from collections.abc import Mapping, Sequence
from typing import Any

from flashwear import drives, tables
from flashwear._domain import one_number, one_of, whole
from flashwear.study import benches
from flashwear.study.replays import replay
from flashwear.study.runs._reads import modelled
from flashwear.sweeps import Study

DRIVES = [
    "m600-128gb",
    "m600-256gb",
    "m600-1024gb",
    "mx100-128gb",
    "mx100-256gb",
    "mx200-250gb",
    "mx200-500gb",
    "mx200-1000gb",
    "mx300-750gb",
    "840-evo-120gb",
    "840-evo-250gb",
    "840-evo-500gb",
    "840-evo-1000gb",
]
"""Drives that the reviews compare, as far as they are modelled."""

SCALES = {"destroyer": 1 / 128, "heavy": 1 / 64, "light": 1 / 64}
"""Size of drives and benches in the study."""

CASES = [f"{bench} {state}" for bench in SCALES for state in ("empty", "full")]
"""Each bench on an empty drive and on a drive written once in order."""

DRAWS = 12
"""Draws from the bands of what is unknown."""


def storage_bench(drive: str, case: str, draw: int, coarser: float) -> dict[str, Any]:
    """Play a bench on a drive, with the unknown marginals drawn from their bands.

    The same draw gives all drives the same stream, up to the size of the drive; it is the seed as
    well. The scale of :data:`SCALES` is divided by `coarser`, in (0, 1].

    Returns
    -------
    dict
        ``mb_per_s`` and ``service_us``, the scores; ``over_10ms`` and ``over_100ms``, shares of
        the requests; ``wa``; ``cache_share`` and ``fold_share``, map units written to the SLC
        cache and copied out of it, over those of the host.

    Notes
    -----
    A rerun has fewer points, each the same run: the tolerance is rounding error.
    """
    one_of("case", case, CASES)
    bench, state = case.split()
    scale = SCALES[bench] / one_number("coarser", coarser, above=0, high=1)
    result = replay(
        drives.load(drive),
        benches.load(bench),
        benches.drawn(bench, whole("draw", draw, 0)),
        fill="none" if state == "empty" else "sequential",
        scale=scale,
        seed=draw,
    )
    return {
        "mb_per_s": result.mb_per_s,
        "service_us": result.service_s * 1e6,
        "over_10ms": result.over_10ms,
        "over_100ms": result.over_100ms,
        "wa": result.wa,
        "cache_share": result.cache_writes / result.host_writes,
        "fold_share": result.fold_copies / result.host_writes,
    }


def _read(grid: Mapping[str, Sequence[Any]]) -> list[Any]:
    columns = ["bench", "attribute", "value", "low", "high", "origin"]
    return [tables.benches()[columns].to_numpy().tolist(), modelled(grid)]


STUDIES = (
    Study(
        name="storage_bench",
        function=storage_bench,
        grid={"drive": DRIVES, "case": CASES, "draw": list(range(DRAWS)), "coarser": [1.0]},
        reduced={"drive": ["m600-256gb", "mx100-256gb"], "draw": [0]},
        keys=("drive", "case", "draw"),
        tolerance={"mb_per_s": 0.001, "service_us": 0.001},
        reads=_read,
    ),
    Study(
        name="storage_bench_scale",
        function=storage_bench,
        grid={
            "drive": ["m600-256gb", "mx100-256gb", "mx300-750gb", "840-evo-250gb"],
            "case": CASES,
            "draw": [0, 1],
            "coarser": [0.25, 1.0],
        },
        reduced={"drive": ["m600-256gb"], "draw": [0], "coarser": [1.0]},
        keys=("drive", "case", "draw", "coarser"),
        tolerance={"mb_per_s": 0.001, "service_us": 0.001},
        reads=_read,
    ),
)
