"""Checks of the claims on the SLC cache of the MX300: kept runs of the queueing model.

The rules, set before the runs were looked at: a rate no longer rises within 2 % of the highest one,
two rates within 2 % are equal, a small loss is one of 2 to 10 %, and far below is below 80 %.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flashwear import drives
from flashwear.claims import _kept as kept
from flashwear.claims._registry import Claim, Finding, check, holds

if TYPE_CHECKING:
    import pandas as pd

_EQUAL, _SMALL, _FAR = 0.98, 0.9, 0.8
_STEPS = [1, 2, 4, 8, 16, 32]
_STEP_S = 180
_MLC = ("mx200-500gb", "mx200-1000gb")
_RULE = "folded to a tenth"


def _fast_phase(variant: str) -> NDArray[np.float64]:
    """Give tens of seconds, as IOPS, until they are last above 20K in the first twenty minutes."""
    row = kept.table("cache_minutes").set_index(["drive", "variant"]).loc["mx300-750gb", variant]
    seconds = np.array(row["iops"].split(), float)
    tens: NDArray[np.float64] = seconds.reshape(-1, 10).mean(axis=1)
    fast = np.flatnonzero(tens[:120] > 20_000)
    return tens[: fast[-1] + 1]


def _steps(test: str, variant: str = "as modelled") -> "pd.Series":
    """Give MB/s by queue depth in a test of 18 minutes."""
    import pandas as pd

    text = kept.cell("cache_spans", "speed", drive="mx300-750gb", test=test, variant=variant)
    return pd.Series(np.array(text.split(), float), _STEPS)


def _low_depths(drive: str, pattern: str, *depths: int) -> float:
    """Give the mean rate at some queue depths of the desktop tests, MB/s."""
    rows = kept.table("desktop_depths")
    rows = rows[(rows["drive"] == drive) & (rows["pattern"] == pattern)]
    return float(rows.set_index("depth")["mb_per_s"].loc[list(depths)].mean())


@check("MX-098", "MX-099", "MX-100")
def the_fast_phase_alternates_for_eight_minutes(claim: Claim) -> Finding:
    level, folded = _fast_phase("as modelled"), _fast_phase(_RULE)
    if claim.id == "MX-098":
        minutes = 10 * level.size / 60
        return holds(
            minutes > 8,
            f"{minutes:.1f}",
            "simulated, from the fill to the last ten seconds above 20K IOPS of the first twenty "
            f"minutes; {10 * folded.size / 60:.1f} if a full cache is {_RULE}. The spare flash "
            "is what ends it, and the assumed time of a copy sets how soon",
            yes="explained",
        )
    low, high = np.percentile(level, [5, 95])
    return holds(
        bool(low < 0.5 * high),
        f"level, {kept.k(low)} to {kept.k(high)}",
        "simulated IOPS until the spare flash is used up, 5 and 95 % of tens of seconds: the rule "
        f"of folding is assumed, and with this one nothing alternates. If a full cache is {_RULE}, "
        f"the rate goes from {kept.k(folded.min())} to {kept.k(folded.max())} and back",
        yes="explained",
    )


@check("MX-138")
def random_writes_are_slightly_slower(claim: Claim) -> Finding:
    mine, *mlc = (_low_depths(drive, "random_write", 1, 2, 4) for drive in ("mx300-750gb", *_MLC))
    ratios = [mine / other for other in mlc]
    return holds(
        all(_SMALL <= ratio < _EQUAL for ratio in ratios),
        " and ".join(f"{ratio:.3f}" for ratio in ratios),
        "simulated random writes in 16 GB of the MX300 750GB over those of the MX200 500GB and "
        "1TB, mean of queue depths 1, 2 and 4, where the host and the controllers set the rates; "
        "planar TLC drives are not simulated in this test",
        yes="explained",
    )


@check("MX-141")
def random_writes_gain_up_to_depth_4(claim: Claim) -> Finding:
    speed = _steps("random write")
    gains = bool((speed[[2, 4]].to_numpy() > speed[[1, 2]].to_numpy() / _EQUAL).all())
    level = bool(speed[[4, 8, 16]].min() >= _EQUAL * speed.max())
    lost = max(0.0, 1 - speed[32] / speed[[4, 8, 16]].max())
    return holds(
        gains and level and 1 - _EQUAL <= lost <= 1 - _SMALL,
        f"{', '.join(f'{rate:.0f}' for rate in speed)} MB/s",
        "simulated random writes in 16 GB of an empty drive, queue depths 1 to 32: they gain up to "
        f"depth {4 if gains and level else 'other than 4'}, and lose {100 * lost:.1f} % at the end",
        yes="explained",
    )


@check("MX-142")
def the_cache_runs_out_late(claim: Claim) -> Finding:
    mx300 = drives.load("mx300-750gb")
    held = mx300.cache_share * mx300.raw_bytes / mx300.bits_per_cell / 1e6
    written = np.append(0, _STEP_S * np.cumsum(_steps("random write")))
    full = float(np.interp(held, written, _STEP_S * np.arange(written.size), right=np.inf))
    after = _steps("random write").loc[4:]
    needed = written[-2] / (mx300.raw_bytes / mx300.bits_per_cell / 1e6)
    return holds(
        _STEP_S * (len(_STEPS) - 1) <= full < np.inf,
        f"full after {full:.0f} of {_STEP_S * len(_STEPS)} s" if full < np.inf else "never full",
        f"simulated: {held / 1000:.0f} GB in one-bit mode, the share that a smaller MX300 shows, "
        "are full by then, and from depth 4 on the rate stays within "
        f"{100 * (1 - after.min() / after.max()):.1f} %, for the other blocks are about as fast. "
        f"To last until depth 32 it would have to be {100 * needed:.0f} % of the cells, and what "
        "has died in it must not be erased",
        yes="explained",
    )


@check("MX-146")
def writes_in_order_are_far_slower_than_of_mlc(claim: Claim) -> Finding:
    mine, *mlc = (
        _low_depths(drive, "sequential_write", 1, 2, 4) for drive in ("mx300-750gb", *_MLC)
    )
    return holds(
        mine < _FAR * min(mlc),
        f"{mine:.0f} against {' and '.join(f'{other:.0f}' for other in mlc)} MB/s",
        "simulated writes in order on a filled MX300 750GB, MX200 500GB and 1TB, mean of queue "
        "depths 1, 2 and 4; planar TLC drives are not simulated in this test",
        yes="explained",
    )


@check("MX-148")
def writes_in_order_are_flat(claim: Claim) -> Finding:
    speed = _steps("sequential write, full")
    return holds(
        bool(speed.min() >= _EQUAL * speed.max()),
        f"{speed.min():.0f} to {speed.max():.0f} MB/s",
        "simulated writes in order on a filled drive, queue depths 1 to 32: the buffer takes them "
        "as fast as the dies empty it, and one request at a time keeps it full",
        yes="explained",
    )


@check("MX-154")
def mixes_never_slow_down(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    rows = rows[(rows["drive"] == "mx300-750gb") & (rows["order"] == "random")]
    rates = rows.set_index("read_share")["iops"].sort_index(ascending=False).to_numpy()
    return holds(
        bool((rates[1:] >= _EQUAL * rates[:-1]).all()),
        kept.k(*rates),
        "simulated IOPS at queue depth 3 in 16 GB, from reads alone to writes alone in six steps",
        yes="explained",
    )
