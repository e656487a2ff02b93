"""From program/erase cycles to terabytes written, drive writes per day and years.

One balance lies under every endurance figure: the flash can be programmed
``physical_bytes * pe_cycles`` bytes in all, and each byte of the host costs
``waf`` bytes of that, spread unevenly by ``wlf``. All functions of it broadcast, take
bytes and return bytes; a pair from :func:`flashwear.units.rounding_interval`
in place of a rating gives the interval that its rounding allows. :func:`lifetime`
takes distributions where the balance takes numbers.
"""

from flashwear.endurance.balance import (
    drive_fills,
    dwpd,
    implied_pe_cycles,
    lifetime_years,
    tbw,
    tbw_from_dwpd,
    wear_product,
)
from flashwear.endurance.life import Life, lifetime, within

__all__ = ["Life", "drive_fills", "dwpd", "implied_pe_cycles", "lifetime", "lifetime_years", "tbw",
           "tbw_from_dwpd", "wear_product", "within"]  # fmt: skip
