"""Checks of the claims on caches of one bit per cell: by capacity, wear and time per byte."""

from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, judged, undecided
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
    return undecided(
        "Half of the flash of the M600 128GB that its data leave, the most that one-bit mode can "
        "hold, falls as data are added. That the drive follows this bound is not shown.",
        ", ".join(
            f"{size / GB:.1f} GB at {100 * fill:.0f} %"
            for size, fill in zip(sizes, fills, strict=True)
        ),
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
        "A cache of the published size takes three bits of flash for each of its own. It would fit "
        "into the spare flash of these drives; that its size is fixed does not follow.",
        "; ".join(parts),
    )


def _blocks_of_stage_1() -> tuple[float, float]:
    """Return the share of blocks in SLC mode, if the share seen is one of addresses, of flash."""
    drive = sources.Rating("M600 128GB")
    seen = sources.workload("HD Tach", "share of NAND in SLC mode, empty") / 100
    return _MLC * seen * drive.user / drive.raw, seen


@check("M6-072")
def at_ninety_percent_above_the_rivals(claim: Claim) -> Finding:
    parts, holds, sure, possible = [], [], [], []
    high, low = _blocks_of_stage_1()
    for name, rivals in _RIVALS.items():
        drive, fill = sources.Rating(name), claim.value / 100
        most = _in_one_bit_mode(drive.raw, fill, drive.user)
        least = _in_one_bit_mode(drive.user, fill, drive.user)
        other = {rival: sources.external(rival, "SLC cache") for rival in rivals}
        need = max(other.values()) * GB
        holds.append(f"{name} {low * least / GB:.1f} to {high * most / GB:.1f} GB")
        sure.append(low * least > need)
        possible.append(high * most > need)
        against = ", ".join(f"{rival} {size:.0f}" for rival, size in other.items())
        parts.append(f"{name} room for {least / GB:.1f} to {most / GB:.1f} GB against {against}")
    text = "; ".join(parts)
    how = (
        "A tenth of the addresses is empty. If the cache takes the share of what that leaves "
        f"that the review saw on an empty drive ({100 * low:.0f} % of the cells, or "
        f"{100 * high:.0f} % if that counts addresses), it holds {', '.join(holds)}. The caches "
        "of the rivals are published."
    )
    if not all(sure) and all(possible):
        return undecided(how, text)
    return judged(all(sure), text, how, sources.speaker("840 EVO 120GB", "SLC cache"))


@check("M6-074")
def blocks_must_change_their_mode(claim: Claim) -> Finding:
    drive = sources.Rating("M600 128GB")
    fixed = 1 - drive.user / drive.raw
    shares = _blocks_of_stage_1()
    both = [100 * (share - fixed) for share in shares]
    return undecided(
        f"A full M600 128GB has two bits per cell in all but {100 * fixed:.1f} % of its blocks. "
        f"Empty, it has one in {100 * shares[1]:.0f} % by the review. So at least these blocks "
        "change their mode; that any block can does not follow.",
        f"at least {min(both):.0f} % of the blocks ({both[0]:.0f} % if addresses)",
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
        "Why makers do something, no figure shows. Write speed in one-bit mode over that with all "
        "bits, as other publishers measured it.",
        ", ".join(f"{drive} {gain:.1f}" for drive, gain in gains.items()),
    )
