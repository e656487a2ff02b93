"""Checks of the claims on how evenly a drive serves requests: counts of flash operations, no time.

Cleaning is greedy and done all at once, by the write that finds no free block.
"""

import math

from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check
from flashwear.study.claims.rules import amplifications, in_draws

_PAGES = 2048
"""Map units of 4 KiB in a block of 512 pages of 16 KiB."""


def _unevenness(cleaning_share: float, copies: float) -> float:
    """Return standard deviation over mean of the operations of a write.

    Each write is one program; the share that cleans adds its copies and an erase.
    """
    extra = copies + 1
    deviation = extra * math.sqrt(cleaning_share * (1 - cleaning_share))
    return deviation / (1 + cleaning_share * extra)


@check("P4-075")
def random_writes_are_uneven(claim: Claim) -> Finding:
    drive = sources.Rating("P400m 200GB")
    in_order = _unevenness(1 / _PAGES, 0)
    at_random = [
        _unevenness(factor / _PAGES, _PAGES * (1 - 1 / factor))
        for factor in amplifications(drive.raw, drive.user)
    ]
    return in_draws(
        [in_order < 1 < one for one in at_random],
        f"read 0, write in order {in_order:.2f}, random write {min(at_random):.0f} to "
        f"{max(at_random):.0f}",
        "Standard deviation over mean of the flash operations of a read, a write in order and a "
        f"random write on the flash of the P400m, with {_PAGES:,} map units in a block. A write "
        "that finds no free block cleans one.",
    )
