"""The endurance that a modelled drive can be rated for."""

from __future__ import annotations

from typing import Any

from flashwear import capacity, wa
from flashwear.drives._drive import Drive
from flashwear.reliability import ecc, jedec, ldpc, rber
from flashwear.reliability.rating import Rating, rating


def supported_rating(
    drive: Drive,
    pe_cycles: float,
    flash: rber.Flash,
    code: ecc.Bch | ldpc.Ldpc,
    application: jedec.ApplicationClass,
    **options: Any,
) -> Rating:
    """Return the host writes that a drive can be rated for, and what limits them.

    This is :func:`flashwear.reliability.rating.rating` with the drive's raw capacity, user capacity
    and parity. Unless `waf` is given, write amplification is that of FIFO cleaning at the
    over-provisioning that parity and blocks kept free leave: under the workload of the standard for
    the enterprise class, under random writes over the whole drive for the client class.

    Parameters
    ----------
    drive : Drive
        The drive, for instance from :func:`flashwear.drives.load`.
    pe_cycles, flash, code, application, **options
        P/E cycles that blocks bear, flash with its bit error rates, error correction code,
        application class of the standard, and further arguments of that function.

    Returns
    -------
    Rating
        The limits in host bytes, the P/E cycles allowed, and which limit is the lowest.

    Raises
    ------
    ValueError
        Outside the ranges of that function, or if parity does not fit.

    Examples
    --------
    >>> from flashwear import drives
    >>> from flashwear.reliability import ecc, jedec, rber
    >>> flash, code = rber.load("mlc-25nm", "low"), ecc.Bch.within(1024, 448 // 8)
    >>> drive = drives.load("p400m-200gb")
    >>> found = drives.supported_rating(drive, 20_000, flash, code, jedec.ENTERPRISE)
    >>> found.binding
    'retention'
    """
    kept = 1 - drive.high_blocks / drive.superblocks
    op = capacity.over_provisioning(drive.raw_bytes * kept, drive.user_bytes)
    parity = 1.0
    if drive.stripe:
        op, parity = wa.parity_op(op, drive.stripe), wa.parity_factor(drive.stripe)
    if application.name == "enterprise":
        amplified = jedec.enterprise_waf(op, drive.map_bytes)
    else:
        amplified = wa.fifo(op)
    given: dict[str, Any] = {"waf": parity * amplified}
    if isinstance(code, ecc.Bch):
        given["stripe"] = drive.stripe
    given |= options
    return rating(drive.raw_bytes, drive.user_bytes, pe_cycles, flash, code, application, **given)
