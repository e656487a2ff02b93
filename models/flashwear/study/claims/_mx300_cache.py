"""Checks of the claims on the SLC cache of the MX300: kept runs of the queueing model.

The rules, set before the runs were looked at: a rate no longer rises within 2 % of the highest one,
two rates within 2 % are equal, a small loss is one of 2 to 10 %, and far below is below 80 %.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flashwear import drives, predict
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided

_EQUAL, _SMALL, _FAR = 0.98, 0.9, 0.8
_DRAWS, _UNSURE = 400, 0.05
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


def _band(parameter: str, drive: str = _DRIVE) -> tuple[float, float]:
    """Return the ends of the band of a parameter."""
    row = drives.parameters(drive).set_index("parameter").loc[parameter]
    return float(row["low"]), float(row["high"])


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
    text = f"{min(minutes):.1f} to {max(minutes):.1f}"
    how = (
        f"simulated under {len(_RULES)} rules of the cache, from the fill to the last ten seconds "
        "above 20K IOPS of the first twenty minutes. The spare flash is what ends it"
    )
    if min(minutes) > 8:
        return Finding("explained", text, how)
    return undecided(
        f"{how}; how soon depends on the rule and on the number of blocks, which are assumed",
        text,
    )


@check("MX-099", "MX-100")
def the_fast_phase_alternates(claim: Claim) -> Finding:
    ends = {rule: np.percentile(_fast_phase(rule), [5, 95]) for rule in _RULES}
    text = "; ".join(
        f"{kept.kilo(low)} to {kept.kilo(high)} ({r})" for r, (low, high) in ends.items()
    )
    how = "simulated IOPS until the spare flash is used up, 5 and 95 % of tens of seconds"
    if all(low < 0.5 * high for low, high in ends.values()):
        return Finding("explained", text, how)
    return undecided(f"{how}: the rule of folding, which decides, is assumed", text)


@check("MX-138")
def random_writes_are_slightly_slower(claim: Claim) -> Finding:
    mine, *mlc = (_low_depths(drive, "random_write", 1, 2, 4) for drive in (_DRIVE, *_MLC))
    ratios = [mine / other for other in mlc]
    text = " and ".join(f"{ratio:.3f}" for ratio in ratios)
    how = (
        "simulated random writes in 16 GB of the MX300 750GB over those of the MX200 500GB and "
        "1TB, mean of queue depths 1, 2 and 4, where the host and the controllers set the rates; "
        "planar TLC drives are not simulated in this test"
    )
    mx300, *others = (_draws_of_a_write(drive) for drive in (_DRIVE, *_MLC))
    slower = min(float((mx300 > other).mean()) for other in others)
    if not _UNSURE < slower < 1 - _UNSURE:
        return holds(all(_SMALL <= ratio < _EQUAL for ratio in ratios), text, how, yes="explained")
    return undecided(
        f"{how}. By the fit the controller of the MX300 takes longer for a write in only "
        f"{100 * slower:.0f} % of the draws: either may be ahead",
        text,
    )


def _draws_of_a_write(drive: str) -> NDArray[np.float64]:
    """Return draws of the controller's time for a write of one map unit."""
    times = predict.draws_of_times(drives.load(drive), _DRAWS)
    return times["write_command_s"] + times["write_unit_s"]


def _gains_up_to_depth_4(speed: pd.Series) -> bool:
    gains = bool((speed[[2, 4]].to_numpy() > speed[[1, 2]].to_numpy() / _EQUAL).all())
    return gains and bool(speed[[4, 8, 16]].min() >= _EQUAL * speed.max())


def _last_loss(speed: pd.Series) -> float:
    """Return what the last step loses against the best of the level ones, as a share."""
    return max(0.0, 1 - float(speed[32] / speed[[4, 8, 16]].max()))


@check("MX-141")
def random_writes_gain_up_to_depth_4(claim: Claim) -> Finding:
    speed = _steps("random write")
    lost = _last_loss(speed)
    text = f"{', '.join(f'{rate:.0f}' for rate in speed)} MB/s"
    how = "simulated random writes in 16 GB of an empty drive, queue depths 1 to 32"
    if not _gains_up_to_depth_4(speed):
        return Finding("contradicted", text, how)
    how += f": they gain up to depth 4, and lose {100 * lost:.1f} % at the end"
    if 1 - _EQUAL <= lost <= 1 - _SMALL:
        return Finding("explained", text, how)
    losses = [_last_loss(_steps("random write", rule)) for rule in _RULES]
    return undecided(
        f"{how}; {100 * min(losses):.0f} to {100 * max(losses):.0f} % under the rules of the cache "
        "that were simulated, of which none is known to be the drive's",
        text,
    )


@check("MX-142")
def the_cache_runs_out_late(claim: Claim) -> Finding:
    mx300 = drives.load(_DRIVE)
    cells = mx300.raw_bytes / mx300.bits_per_cell / 1e6
    written = np.append(0, _STEP_S * np.cumsum(_steps("random write")))
    held = mx300.cache_share * cells
    full = float(np.interp(held, written, _STEP_S * np.arange(written.size), right=np.inf))
    text = f"full after {full:.0f} of {_STEP_S * len(_STEPS)} s" if full < np.inf else "never full"
    how = (
        f"simulated: {held / 1000:.0f} GB in one-bit mode, the share that a smaller MX300 shows. "
        "To be full in the last step the cache would have to be "
        f"{100 * written[-2] / cells:.0f} % of the cells or more, and what has died in it must not "
        "be erased"
    )
    if written[-2] <= held <= written[-1]:
        return Finding("explained", text, how)
    low, high = _band("cache_share")
    if written[-2] > high * cells or written[-1] < low * cells:
        return Finding("contradicted", text, how)
    return undecided(
        f"{how}. Its size is assumed, {100 * low:.0f} to {100 * high:.0f} % of the cells", text
    )


@check("MX-146")
def writes_in_order_are_far_slower_than_of_mlc(claim: Claim) -> Finding:
    mine, *mlc = (_low_depths(drive, "sequential_write", 1, 2, 4) for drive in (_DRIVE, *_MLC))
    return holds(
        mine < _FAR * min(mlc),
        f"{mine:.0f} against {' and '.join(f'{other:.0f}' for other in mlc)} MB/s",
        "simulated writes in order on a filled MX300 750GB, MX200 500GB and 1TB, mean of queue "
        "depths 1, 2 and 4. It rests on the time of a program, which figures of the MX300 past its "
        "cache set. Planar TLC drives are not simulated here",
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
    rows = rows[(rows["drive"] == _DRIVE) & (rows["order"] == "random")]
    rates = rows.set_index("read_share")["iops"].sort_index(ascending=False).to_numpy()
    return holds(
        bool((rates[1:] >= _EQUAL * rates[:-1]).all()),
        kept.kilo(*rates),
        "simulated IOPS at queue depth 3 in 16 GB, from reads alone to writes alone in six steps",
        yes="explained",
    )
