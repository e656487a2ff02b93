"""Checks of the claims on the SLC cache of the MX300: kept runs of the queueing model.

The rules of its cache are not published, so that runs under four of them stand side by side.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear import drives, predict
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.study.claims.rules import THRESHOLDS, at_the_middle, in_draws

_LEVEL = 0.98
"""A rate within 2 % of the highest one no longer rises."""

_DRAWS = 400
_STEPS = [1, 2, 4, 8, 16, 32]
_STEP_S = 180
_DRIVE = "mx300-750gb"
_MLC = ("mx200-500gb", "mx200-1000gb")
_RULES = ("as modelled", "45 % of the cells", "folded to half", "folded to a tenth")
"""Rules of the cache: all kept variants that have one."""


def _fast_phase(rule: str) -> NDArray[np.float64]:
    """Return IOPS by tens of seconds, up to the last above 20K in the first twenty minutes."""
    seconds = kept.line("cache_consistency", "iops", _DRIVE, rule)
    tens: NDArray[np.float64] = seconds.reshape(-1, 10).mean(axis=1)
    fast = np.flatnonzero(tens[:120] > 20_000)
    return tens[: fast[-1] + 1]


def _steps(test: str, variant: str = "as modelled") -> pd.Series:
    """Return MB/s by queue depth in a test of 18 minutes."""
    return pd.Series(kept.line("cache_spans", "speed", _DRIVE, test, variant), _STEPS)


def _low_depths(drive: str, pattern: str, *depths: int) -> float:
    """Return the mean rate at some queue depths of the desktop tests, MB/s."""
    rows = kept.table("desktop_depths")
    rows = rows[(rows["drive"] == drive) & (rows["pattern"] == pattern)]
    return float(rows.set_index("depth")["mb_per_s"].loc[list(depths)].mean())


@check("MX-098")
def the_fast_phase_lasts_eight_minutes(claim: Claim) -> Finding:
    minutes = [_fast_phase(rule).size / 6 for rule in _RULES]
    return undecided(
        f"Simulated under {len(_RULES)} rules of the cache, from the fill to the last ten seconds "
        "above 20K IOPS of the first twenty minutes.",
        f"{min(minutes):.1f} to {max(minutes):.1f}",
    )


@check("MX-099", "MX-100")
def the_fast_phase_alternates(claim: Claim) -> Finding:
    ends = {rule: np.percentile(_fast_phase(rule), [5, 95]) for rule in _RULES}
    return undecided(
        "Simulated IOPS until the spare flash is used up, 5 and 95 % of tens of seconds, by the "
        "rule of folding, which decides and is not known.",
        "; ".join(
            f"{kept.kilo(low)} to {kept.kilo(high)} ({r})" for r, (low, high) in ends.items()
        ),
    )


@check("MX-138")
def random_writes_are_slightly_slower(claim: Claim) -> Finding:
    mine, *mlc = (_low_depths(drive, "random_write", 1, 2, 4) for drive in (_DRIVE, *_MLC))
    draws = [_draws_of_a_write(drive) for drive in (_DRIVE, *_MLC)]
    ratios = np.array([other / draws[0] for other in draws[1:]])
    limits = (1 - THRESHOLDS["slightly"][0], _LEVEL)
    return in_draws(
        ((ratios >= limits[0]) & (ratios < limits[1])).all(axis=0),
        " and ".join(f"{mine / other:.3f}" for other in mlc),
        "Simulated random writes of the MX300 750GB over those of the MX200 500GB and 1TB, mean "
        "of queue depths 1, 2 and 4, where the time that the controller takes for a write "
        "decides.",
        "random write, depth 1",
    )


def _draws_of_a_write(drive: str) -> NDArray[np.float64]:
    """Return draws of the controller's time for a write, by the fit without the line."""
    made = drives.load(drive)
    times = predict.draws_of_times(made, _DRAWS, without=made.line)
    return times["write_command_s"] + times["write_unit_s"]


def _last_loss(speed: pd.Series) -> float:
    """Return what the last step loses against the best of the level ones, as a share."""
    return max(0.0, 1 - float(speed[32] / speed[[4, 8, 16]].max()))


@check("MX-141")
def random_writes_gain_up_to_depth_4(claim: Claim) -> Finding:
    losses = [_last_loss(_steps("random write", rule)) for rule in _RULES]
    return undecided(
        "Simulated random writes in 16 GB of an empty drive, queue depths 1 to 32. At the end "
        f"they lose {100 * min(losses):.0f} to {100 * max(losses):.0f} %, by the rule of the "
        "cache, which is not known.",
        f"{', '.join(f'{rate:.0f}' for rate in _steps('random write'))} MB/s",
    )


@check("MX-142")
def the_cache_runs_out_late(claim: Claim) -> Finding:
    mx300 = drives.load(_DRIVE)
    cells = mx300.raw_bytes / mx300.bits_per_cell / 1e6
    written = np.append(0, _STEP_S * np.cumsum(_steps("random write")))
    held = mx300.cache_share * cells
    full = float(np.interp(held, written, _STEP_S * np.arange(written.size), right=np.inf))
    return undecided(
        f"Simulated with {held / 1000:.0f} GB in one-bit mode, the share that a smaller MX300 "
        "shows. To be full in the last step the cache would have to be "
        f"{100 * written[-2] / cells:.0f} % of the cells or more. Its size is not published.",
        f"full after {full:.0f} of {_STEP_S * len(_STEPS)} s" if full < np.inf else "never full",
    )


@check("MX-146")
def writes_in_order_are_far_slower_than_of_mlc(claim: Claim) -> Finding:
    mine, *mlc = (_low_depths(drive, "sequential_write", 1, 2, 4) for drive in (_DRIVE, *_MLC))
    return at_the_middle(
        f"{mine:.0f} against {' and '.join(f'{other:.0f}' for other in mlc)} MB/s",
        "Simulated writes in order on a filled MX300 750GB, MX200 500GB and 1TB, mean of queue "
        "depths 1, 2 and 4. Drives with planar TLC are not modelled in this test.",
    )


@check("MX-148")
def writes_in_order_are_flat(claim: Claim) -> Finding:
    speed = _steps("sequential write, full")
    return at_the_middle(
        f"{speed.min():.0f} to {speed.max():.0f} MB/s",
        "Simulated writes in order on a filled drive, queue depths 1 to 32.",
    )


@check("MX-154")
def mixes_never_slow_down(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    rows = rows[(rows["drive"] == _DRIVE) & (rows["order"] == "random")]
    rates = rows.set_index("read_share")["iops"].sort_index(ascending=False).to_numpy()
    return at_the_middle(
        kept.kilo(*rates),
        "Simulated IOPS at queue depth 3 in 16 GB, from reads alone to writes alone in six steps.",
    )
