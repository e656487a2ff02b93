"""Checks of the claims on the way to steady state: flash programmed since the fill, as time.

A drive is taken to program its flash, from the first second on, at the rate that its random
writes in steady state imply: IOPS times write amplification. Blocks are large, as those of real
drives are; the kept study is named where it is used.
"""

from functools import cache

import numpy as np

from flashwear import capacity
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.study.claims.rules import amplifications, in_draws, spread
from flashwear.units import GB
from flashwear.wa import after_fill, fifo, settled
from flashwear.wa.parity import parity_op

_PAGE = 4096
_HOUR = 3600.0
_REVIEWED = ("M500DC 480GB", "M500DC 800GB")
_STEEP = 0.1
"""Programs, over user pages, within which a fall of the rate is called steep."""


@cache
def _hours(op: float, user_bytes: float, iops: float) -> float:
    """Return the time until write amplification stays within 5 % of its final value."""
    programmed = np.arange(0, 8, 0.0005)
    final = float(fifo(op))
    needed = settled(programmed, after_fill(op, programmed).wa, final)
    return float(needed * user_bytes / _PAGE / (iops * final) / _HOUR)


def _op(drive: str) -> float:
    rating = sources.Rating(drive)
    return float(capacity.over_provisioning(rating.raw, rating.user))


def _hours_of_the_m500dc(drive: str) -> tuple[float, float]:
    """Return the hours with the parity of a reviewed M500DC taken off its spare flash, and not."""
    user, stripe = (
        sources.user_capacity(drive),
        sources.external(drive, "data blocks per parity block"),
    )
    op = float(capacity.over_provisioning(sources.m500dc_raw(drive), user))
    iops = sources.external(drive, "rated random write 4KB")
    return _hours(float(parity_op(op, stripe)), user, iops), _hours(op, user, iops)


def _level(id_: str) -> float:
    """Return a rate that the ledger states in thousands, such as "6k"."""
    return 1000 * float(str(sources._cell("claims", "stated", id=id_)).rstrip("k"))


@check("DC-008")
def two_hours_for_the_m500dc(claim: Claim) -> Finding:
    hours = {drive.split()[1]: _hours_of_the_m500dc(drive) for drive in _REVIEWED}
    return in_draws(
        [each <= claim.value for pair in hours.values() for each in pair],
        "; ".join(f"{size}: {min(pair):.2f} to {max(pair):.2f} h" for size, pair in hours.items()),
        "Time until write amplification stays within 5 % of its final value, at the rate of "
        "programs that the rated random writes imply, with the parity of the drive taken off its "
        "spare flash and without. Blocks are large, which are the slowest to settle.",
    )


@check("MX-093")
def one_hour_for_any_drive(claim: Claim) -> Finding:
    op, user = _op("MX300 750GB"), sources.Rating("MX300 750GB").user
    least, most = (_hours(op, user, _level(id_)) for id_ in ("MX-103", "MX-102"))
    iops = sources.spec("P400m 400GB", "random write 4KB")
    p400m = _hours(_op("P400m 400GB"), sources.Rating("P400m 400GB").user, iops)
    m500dc = _hours_of_the_m500dc("M500DC 800GB")
    return in_draws(
        [each <= 1 for each in (least, most, p400m, *m500dc)],
        f"{least:.1f} to {most:.1f} h on the MX300 750GB, {p400m:.1f} h on the P400m 400GB, "
        f"{min(m500dc):.1f} to {max(m500dc):.1f} h on the M500DC 800GB",
        "Time until write amplification stays within 5 % of its final value: at the 6k to 10k "
        "IOPS that the review measured on the MX300, and at the rated ones of two other large "
        "drives. Blocks are large; greedy cleaning of much smaller ones settles sooner.",
    )


@check("P4-073")
def rate_falls_when_the_spare_flash_is_used_up(claim: Claim) -> Finding:
    study = kept.table("settling")
    cliff = float(study["cliff"].max())
    falls = []
    for drive in ("M600 256GB", "P400m 200GB"):
        op = _op(drive)
        before, after = after_fill(op, [op * (1 - 1e-9), op * (1 + 1e-9)]).wa
        falls.append(f"to {before / after:.0%} on the {drive}".replace("%", " %"))
    return in_draws(
        (study["cliff"] <= _STEEP) & (study["peak"] > 0),
        ", ".join(falls),
        "If the rate goes as one over write amplification, it falls this far when the last blank "
        f"block is used up. In {len(study)} simulated runs, by policy and block size, it fell "
        f"below its final level within {cliff:.2f} of the user capacity programmed.",
    )


@check("P4-074")
def amplification_rises_after_the_drop(claim: Claim) -> Finding:
    rating = sources.Rating("P400m 200GB")
    final = amplifications(rating.raw, rating.user)
    return in_draws(
        [each > 1.05 for each in final],
        f"from 1.00 to {spread(final)}",
        "Write amplification of random writes on the P400m 200GB: none while blocks are blank, "
        "this much in the end, by policy of cleaning and by what the firmware keeps.",
    )


@check("P4-077")
def even_until_the_spare_flash_is_used_up(claim: Claim) -> Finding:
    rating = sources.Rating("P400m 200GB")
    spare = rating.raw - rating.user
    row = kept.consistency("p400m-200gb")[0]
    return undecided(
        f"Simulated, the blank flash ({spare / GB:.0f} GB, some of it for parity) lasts "
        f"{row.cliff_s:,.0f} s, until which nothing is cleaned: that would allow an even rate for "
        f"longer. But it hangs on the rate before, {kept.kilo(row['first'])} IOPS, which no figure "
        "of this drive shows.",
        f"{row.cliff_s:,.0f} s",
    )
