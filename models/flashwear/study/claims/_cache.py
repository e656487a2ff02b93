"""Checks of the claims on caches of one bit per cell: by capacity, wear and time per byte."""

from itertools import pairwise

from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided
from flashwear.units import GB, GIB

_MLC, _TLC = 2, 3
"""Bits per cell."""

_RIVALS = {
    "M600 128GB": ("840 EVO 120GB",),
    "M600 256GB": ("840 EVO 250GB", "Ultra II 240GB"),
}
"""Each M600 with a cache, and the drives of its size with a cache of published size."""

_AS_SOLD = {
    "840 EVO 120GB": "Samsung SSD 840 EVO 120/128GB",
    "840 EVO 250GB": "Samsung SSD 840 EVO 240/256GB",
    "Ultra II 240GB": "SanDisk Ultra II 240/256GB",
}
"""Names of the rivals in data/drives.csv."""


def _in_one_bit_mode(flash: float, fill: float = 1.0, user: float = 0.0) -> float:
    """Return what the flash holds in SLC mode that is left beside the user's data in MLC mode."""
    return (flash - fill * user) / _MLC


@check("M6-068")
def size_follows_the_fill_level(claim: Claim) -> Finding:
    drive = sources.Rating("M600 128GB")
    fills = (0.0, 0.5, 0.9, 1.0)
    sizes = [_in_one_bit_mode(drive.raw, fill, drive.user) for fill in fills]
    text = ", ".join(
        f"{size / GB:.1f} GB at {100 * fill:.0f} %" for size, fill in zip(sizes, fills, strict=True)
    )
    return holds(
        all(more > less for more, less in pairwise(sizes)),
        text,
        "M600 128GB: half of the flash that the data leave in MLC mode, an upper bound. What is "
        "left falls as data are added, by arithmetic: it shows why the size follows and tests "
        "nothing",
        yes="explained",
    )


@check("M6-069")
def rivals_beside_the_factory_spare(claim: Claim) -> Finding:
    parts = []
    for drive, name in _AS_SOLD.items():
        user = sources.user_capacity(name)
        taken = _TLC * sources.external(drive, "SLC cache") * GB
        spare = sources.power_of_two_gib(user) * GIB - user
        left = f"{(spare - taken) / GB:.1f} left = {100 * (spare - taken) / user:.1f} %"
        parts.append(f"{drive}: {taken / GB:.0f} of {spare / GB:.1f} GB, {left}")
    return undecided(
        "TLC that the cache of published size (external) takes, three bits for one, of the spare "
        "flash (raw inferred), and what that leaves as over-provisioning. A fixed size would fit; "
        "nothing in the documents or the model says that it is fixed",
        "; ".join(parts),
    )


def _blocks_of_stage_1() -> tuple[float, float]:
    """Return the share of blocks in SLC mode, if the share seen is one of addresses, of flash."""
    drive = sources.Rating("M600 128GB")
    seen = sources.workload("HD Tach", "share of NAND in SLC mode, empty") / 100
    return _MLC * seen * drive.user / drive.raw, seen


@check("M6-072")
def at_ninety_percent_above_the_rivals(claim: Claim) -> Finding:
    parts, above, needs = [], [], []
    _, seen = _blocks_of_stage_1()
    for name, rivals in _RIVALS.items():
        drive, fill = sources.Rating(name), claim.value / 100
        most = _in_one_bit_mode(drive.raw, fill, drive.user)
        least = _in_one_bit_mode(drive.user, fill, drive.user)
        other = {rival: sources.external(rival, "SLC cache") for rival in rivals}
        need = max(other.values()) * GB
        above.append(least > need)
        needs.append(
            f"{name} must turn {100 * need / least:.0f} % into cache, has at {100 * seen:.0f} % "
            f"{seen * least / GB:.1f} to {seen * most / GB:.1f} GB"
        )
        against = ", ".join(f"{rival} {size:.0f}" for rival, size in other.items())
        parts.append(f"{name} room for {least / GB:.1f} to {most / GB:.1f} GB against {against}")
    return holds(
        all(above),
        "; ".join(parts),
        "half of the flash of the empty addresses, to half of all that the data leave. To be "
        f"larger in the first, {'; '.join(needs)} (M6-082, if it counts flash). Sizes of the "
        "rivals external",
        yes="explained",
    )


@check("M6-074")
def blocks_must_change_their_mode(claim: Claim) -> Finding:
    drive = sources.Rating("M600 128GB")
    fixed = 1 - drive.user / drive.raw
    shares = _blocks_of_stage_1()
    both = [100 * (share - fixed) for share in shares]
    return holds(
        min(shares) > fixed,
        f"at least {min(both):.0f} % of the blocks ({both[0]:.0f} % if addresses)",
        f"M600 128GB: full, all but {100 * fixed:.1f} % of the blocks hold two bits per cell; "
        f"empty, {100 * shares[1]:.0f} % hold one if M6-082 counts flash, "
        f"{100 * shares[0]:.0f} % if it counts addresses. A lower bound: that any block can is not "
        "shown",
        yes="explained",
    )


@check("M6-067")
def why_caches_are_there(claim: Claim) -> Finding:
    gains = {
        drive: sources.external(drive, "write speed in one-bit mode")
        / sources.external(drive, f"write speed in {bits}-bit mode")
        for drive, bits in (
            ("840 EVO 120GB", "three"),
            ("840 EVO 250GB", "three"),
            ("M600 128GB", "two"),
            ("M600 256GB", "two"),
        )
    }
    return undecided(
        "motives of makers. Computed: write speed in one-bit mode over that in three bits, for the "
        "M600 in two (external)",
        ", ".join(f"{drive} {gain:.1f}" for drive, gain in gains.items()),
    )
