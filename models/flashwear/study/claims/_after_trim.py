"""Checks of the claims on the test of TRIM, and on what is blamed for the lost long test.

What of the cache is fast again is what was erased since the trim; the drive at the middle of its
band, by the kept runs of the procedure and by closed form.
"""

import math

from flashwear import drives
from flashwear.drives import Drive
from flashwear.queueing import bounds, fluid
from flashwear.queueing.requests import Access
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.study.claims.rules import at_the_middle
from flashwear.units import GB, KIB

_DRIVE, _TORTURE_S = "m600-128gb", 1800
_RESTORED = 0.99
"""Share of a cache that counts as all of it."""

_DESTROYER = ("destroyer empty", "destroyer full")


def _superblock_gb(drive: Drive) -> float:
    """Return what a superblock holds in SLC mode."""
    return drive.raw_bytes / drive.superblocks / drive.bits_per_cell / GB


def _wait_s(drive: Drive, gb: float) -> float:
    """Return the idle time after which so much is erased, one superblock after the other."""
    assert drive.cache_idle_s is not None
    return drive.cache_idle_s + math.ceil(gb / _superblock_gb(drive)) * drive.erase_s


def _fast_gb(idle_s: float) -> float:
    """Return what the simulated drive writes fast after so much idle time."""
    rows = {"variant": "as modelled", "idle_s": idle_s}
    return float(kept.cell("cache_trim", "fast_gb", **rows))


def _whole_gb() -> float:
    """Return what an empty drive writes fast."""
    rows = {"drive": _DRIVE, "variant": "as modelled"}
    return float(kept.cell("cache_sweeps", "fast_gb", **rows))


def _tortured() -> tuple[float, float, float]:
    """Return the rate at the end of the random writes, the settled one, and the drive writes."""
    drive = drives.load(_DRIVE)
    run = fluid.consistency(drive, 1.0, _TORTURE_S)
    settled = bounds.bound(drive, Access(4 * KIB), 32).iops
    return float(run.iops.iloc[-1]), float(settled), float(run.drive_writes.iloc[-1])


@check("M6-129")
def fill_before_the_random_writes(claim: Claim) -> Finding:
    written = _tortured()[2]
    return Finding(
        "given",
        "none",
        f"{100 * math.exp(-written):.0f} % untouched after {written:.2f} drive writes",
        "A step of the test. After the random writes of the next step this many pages are still "
        "where the fill put them.",
    )


@check("M6-130")
def half_an_hour_is_enough(claim: Claim) -> Finding:
    last, settled, written = _tortured()
    return at_the_middle(
        f"{last:,.0f} IOPS after {written:.2f} drive writes, settled {settled:,.0f}",
        "The step is meant to bring the drive to its steady state. Random writes after a fill in "
        f"closed form, {_TORTURE_S:,} s at queue depth 32, beside the settled rate.",
    )


@check("M6-132")
def what_is_fast_at_once(claim: Claim) -> Finding:
    drive, stated = drives.load(_DRIVE), claim.value
    share = stated / (_superblock_gb(drive) * drive.superblocks)
    return undecided(
        "Part of the cache that is fast after a trim of everything, by the time without load, "
        "simulated. How many seconds lay between format and test, and what the drive erased in "
        "them, is not known.",
        f"{_fast_gb(0.0):.1f} GB at once, {stated:.0f} GB after {_wait_s(drive, stated):.2f} s or "
        f"with {100 * share:.0f} % of the blocks erased, {_fast_gb(5.0):.1f} GB from "
        f"{_wait_s(drive, _whole_gb()):.1f} s on",
    )


@check("M6-133")
def idle_time_brings_it_back(claim: Claim) -> Finding:
    drive, waits = drives.load(_DRIVE), (60.0, 120.0, 300.0, 600.0)
    whole, back = _whole_gb(), [_fast_gb(wait) for wait in waits]
    assert min(back) >= _RESTORED * whole > _fast_gb(0.0), "idle time does not restore the cache"
    return undecided(
        "Simulated test of TRIM with idle time before the sweep, against an empty drive. That "
        "idle time restores the cache is a rule of the model; it then takes seconds.",
        f"{min(back):.1f} of {whole:.1f} GB after 1 to 10 minutes; needed: "
        f"{_wait_s(drive, whole):.1f} s",
    )


@check("M6-145")
def folding_in_the_long_test(claim: Claim) -> Finding:
    rows = kept.table("storage_bench")
    rows = rows[rows["case"].isin(_DESTROYER)].set_index(["drive", "case", "draw"])
    gains = rows.mb_per_s["m600-256gb"] / rows.mb_per_s["mx100-256gb"] - 1
    folded = rows.fold_share["m600-256gb"]
    return undecided(
        "Synthetic streams with the published totals of the Destroyer, M600 256GB over MX100. "
        "How much the drive folds hangs on the pauses of the trace, which is not public.",
        f"folded {folded.min():.2f} to {folded.max():.2f} of what the host writes; data rate "
        f"{100 * gains.min():+.1f} to {100 * gains.max():+.1f} %",
    )
