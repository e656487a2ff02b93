"""Loads on a drive, step after step, each of them measured alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flashwear._domain import one_number
from flashwear._extras import require
from flashwear.drives import Drive
from flashwear.queueing import twin
from flashwear.queueing._plan import at_scale
from flashwear.queueing.requests import Access
from flashwear.queueing.result import Result

if TYPE_CHECKING:
    import pandas as pd

_SETTLE = 5  # requests are counted after one part in so many of the time


def measured(
    drive: Drive,
    steps: list[tuple[dict[str, object], Access, int]],
    *,
    seconds: float,
    fill: str,
    random_drive_writes: float,
    filled: float = 1.0,
    think_s: float,
    seed: int,
    scale: float,
    progress: bool | None,
) -> pd.DataFrame:
    """Measure each step on a drive prepared alike, and give a row of figures for it."""
    require("sim", "pandas")
    import pandas as pd

    device, share = at_scale(drive, scale)
    simulated = one_number("seconds", seconds, above=0, high=1e7) * share
    rows = []
    for names, access, depth in steps:
        result = twin.run(
            device,
            access,
            queue_depth=depth,
            duration_s=simulated,
            seed=seed,
            think_s=think_s,
            fill=fill,
            random_drive_writes=random_drive_writes,
            span=filled,
            record=True,
            progress=progress,
        )
        rows.append({**names, **_figures(result, access)})
    return pd.DataFrame(rows)


def _figures(result: Result, access: Access) -> dict[str, float | str]:
    assert result.completion_s is not None
    settle = result.elapsed_s / _SETTLE
    rate = (result.completion_s > settle).sum() / (result.elapsed_s - settle)
    bottleneck = result.bottleneck
    return {
        "iops": float(rate),
        "mb_per_s": float(rate) * access.size / 1e6,
        "median_s": result.percentile(50),
        "p99_s": result.percentile(99),
        "p9999_s": result.percentile(99.99),
        "wa": result.wa,
        "bottleneck": bottleneck,
        "utilisation": float(result.utilisation[bottleneck].mean()),
    }
