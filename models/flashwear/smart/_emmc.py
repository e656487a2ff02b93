"""Read the wear that an eMMC tells: estimates in tenths of its life, and its reserved blocks."""

import re

from flashwear.smart._found import Found

_LIFE = re.compile(
    r"\blife_time[:\s]+0x([0-9a-f]{1,2})\s+0x([0-9a-f]{1,2})\b"
    r"|Life Time Estimation [AB] .{0,60}?: *0x([0-9a-f]{1,2})\b",
    re.IGNORECASE | re.ASCII,
)
_RESERVE = re.compile(
    r"\b(?:pre_eol_info|Pre EOL information .{0,60}?)[:\s]+0x([0-9a-f]{1,2})\b",
    re.IGNORECASE | re.ASCII,
)
_BEYOND = 11  # tenths: the life is used up


def from_emmc(text: str) -> Found | None:
    """Read what Linux shows of an eMMC under /sys, or ``mmc extcsd read``; None if it is neither.

    JEDEC's eMMC 5.0: an estimate of 0x03 is 20 to 30 % of the life, 0x0b is more than all of it.
    """
    tenths = [int(one, 16) for life in _LIFE.findall(text) for one in life if one]
    known = [one for one in tenths if 0 < one <= _BEYOND]
    reserve = _RESERVE.search(text)
    if not known and not (reserve and int(reserve[1], 16)):
        return None
    found = Found("emmc", log="emmc")
    if known:
        found.health["emmc_percent_used"] = min(10 * max(known), 100)
        found.health["emmc_life_beyond"] = int(max(known) == _BEYOND)
    if reserve:
        found.health["pre_eol_info"] = int(reserve[1], 16)
    return found
