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
from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided
from flashwear.units import GB, KIB

_DRIVE, _TORTURE_S = "m600-128gb", 1800
_SETTLED, _RESTORED = 0.05, 0.99
"""Largest difference of a rate from the settled one; share of a cache that counts as all of it."""

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
    return undecided(
        "a setting of the test, and no result. It matters: with this share of a drive write at "
        "random after it, so many pages e^-v lie where the fill put them (closed form)",
        f"{100 * math.exp(-written):.0f} % untouched after {written:.2f} drive writes",
    )


@check("M6-130")
def half_an_hour_is_enough(claim: Claim) -> Finding:
    last, settled, written = _tortured()
    return holds(
        abs(last / settled - 1) <= _SETTLED,
        f"{last:,.0f} IOPS after {written:.2f} drive writes, settled {settled:,.0f}",
        "meant to bring the drive to its steady state: random writes after a fill in closed form, "
        f"{_TORTURE_S:,} s at queue depth 32, within {100 * _SETTLED:.0f} % of the settled rate. "
        "A full drive under load has no room for the cache",
        yes="explained",
    )


@check("M6-131", "M6-132")
def what_is_fast_at_once(claim: Claim) -> Finding:
    drive, stated = drives.load(_DRIVE), 7.0
    if claim.id == "M6-132":
        stated = claim.value
    share = stated / (_superblock_gb(drive) * drive.superblocks)
    return undecided(
        "cache that is fast after a trim of everything, by time without load: simulated, waits in "
        "closed form. Neither the seconds between format and test nor what the drive erased during "
        "the format nor its rule for erasing under load are in the sources",
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
        "test of TRIM with idle time before the sweep, against an empty drive, simulated. That "
        "idle time restores the cache is a rule of the model and no evidence; it then takes "
        "seconds. The document reports no run with a pause",
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
        "Destroyer, synthetic streams with the published marginals, M600 256GB over MX100. Folding "
        "under load occurs; a loss of more than a percent, whose cause it could be, does not. "
        "Whether the trace of 2013 had pauses long enough to fold in is not known",
        f"folded {folded.min():.2f} to {folded.max():.2f} of what the host writes; data rate "
        f"{100 * gains.min():+.1f} to {100 * gains.max():+.1f} %",
    )
