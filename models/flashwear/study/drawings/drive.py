"""Drawings of a drive: its parts, its flash, and its reserved bytes."""

from flashwear import capacity
from flashwear.study.drawings._sheet import (
    LINE,
    LIVE,
    NEW,
    SPARE,
    WIDTH,
    Drawing,
    Sheet,
)
from flashwear.units import GB, GIB

__all__ = ["anatomy", "capacity_bar", "flash"]


def anatomy() -> Drawing:
    """Draw a drive: host, controller, DRAM, channels and dies.

    Examples
    --------
    >>> anatomy().title[:37]
    'A host is linked to a controller, whi'
    """
    sheet = Sheet(210)
    sheet.box(6, 66, 62, 44, LIVE, "host")
    sheet.arrow(68, 88, 108, 88)
    sheet.words(88, 74, "link", size=12, anchor="middle")
    sheet.box(108, 56, 96, 64, NEW, "controller|with its firmware")
    sheet.box(108, 146, 96, 34, SPARE, "DRAM: map")
    sheet.arrow(156, 120, 156, 146)
    for channel in range(4):
        y = 24 + 42 * channel
        sheet.add(
            f'<polyline points="204,88 222,{y + 14} 296,{y + 14}" fill="none" stroke="{LINE}"/>'
        )
        for die in range(2):
            sheet.box(236 + 60 * die, y, 50, 28, LIVE, "die")
    sheet.words(296, 12, "channels and dies", size=12, anchor="middle")
    sheet.words(6, 198, "Dies work side by side: more dies, more speed.", size=12.5)
    return sheet.finished(
        "A host is linked to a controller, which keeps a map in DRAM and works four channels of "
        "two dies."
    )


def flash() -> Drawing:
    """Draw a die, its planes, one of its blocks and the pages of the block."""
    sheet = Sheet(236)
    sheet.box(6, 26, 108, 150, "none", dashed=True)
    sheet.words(60, 14, "a die", anchor="middle", bold=True)
    for plane in range(2):
        x = 14 + 50 * plane
        sheet.words(x + 21, 38, "plane", size=12, anchor="middle")
        for block in range(6):
            chosen = plane == 1 and block == 2
            sheet.box(x, 48 + 21 * block, 42, 17, NEW if chosen else LIVE)
    sheet.arrow(106, 98, 146, 98)
    sheet.words(190, 14, "a block", anchor="middle", bold=True)
    sheet.box(146, 26, 88, 150, NEW)
    for page in range(6):
        sheet.box(154, 34 + 23 * page, 72, 18, LIVE, "" if page != 2 else "page", size=12)
    sheet.arrow(226, 89, 262, 89)
    sheet.words(308, 14, "a page", anchor="middle", bold=True)
    sheet.box(262, 74, 92, 30, LIVE, "16 KiB")
    sheet.words(308, 132, "read and|programmed|as a whole", size=12, anchor="middle")
    sheet.words(190, 196, "erased|as a whole", size=12, anchor="middle")
    sheet.words(60, 196, "works on|its own", size=12, anchor="middle")
    sheet.words(6, 228, "Programmed page by page, erased block by block.", size=12.5)
    return sheet.finished(
        "A die has planes, a plane has blocks, a block has pages. A page is read and programmed as "
        "a whole, a block is erased as a whole."
    )


def capacity_bar(
    physical_bytes: float = 1024 * GIB, user_bytes: float = 800 * GB, parity_share: float = 1 / 16
) -> Drawing:
    """Draw how the bytes of a drive divide into user capacity, parity and spare flash.

    Parameters
    ----------
    physical_bytes, user_bytes : float
        Flash and what the user gets of it, in bytes, > 0.
    parity_share : float
        Share of the flash that holds parity, >= 0.

    Raises
    ------
    ValueError
        If the user gets more than there is.

    Examples
    --------
    >>> capacity_bar().title[:64]
    'Of 1024 GiB of flash, which are 1099.5 GB, the user gets 800 GB,'
    """
    capacity.over_provisioning(physical_bytes, user_bytes)  # refuses what cannot be
    parity = parity_share * physical_bytes
    left = physical_bytes - user_bytes - parity
    sheet = Sheet(190)
    scale = (WIDTH - 12) / physical_bytes
    sheet.words(6, 12, f"{physical_bytes / GIB:.0f} GiB of flash = {physical_bytes / GB:.1f} GB")
    sheet.box(6, 24, physical_bytes * scale, 30, LIVE)
    sheet.words(6, 76, f"{user_bytes / GB:.0f} GB for the user")
    sheet.box(6, 88, user_bytes * scale, 30, LIVE)
    start = 6 + user_bytes * scale
    if parity:
        sheet.box(start, 88, parity * scale, 30, SPARE)
    if left > 0:
        sheet.box(start + parity * scale, 88, left * scale, 30, NEW)
    spare = 100 * (physical_bytes / user_bytes - 1)
    rest = (
        f"{parity / GB:.1f} GB parity, {left / GB:.1f} GB spare"
        if left >= 0
        else f"{parity / GB:.1f} GB parity would not fit"
    )
    sheet.arrow(WIDTH - 20, 140, start + 3, 120)
    sheet.words(WIDTH - 6, 150, rest, anchor="end")
    sheet.words(WIDTH - 6, 174, f"together {spare:.1f} % of what the user gets", anchor="end")
    return sheet.finished(
        f"Of {physical_bytes / GIB:.0f} GiB of flash, which are {physical_bytes / GB:.1f} GB, the "
        f"user gets {user_bytes / GB:.0f} GB, and {rest} are left."
    )
