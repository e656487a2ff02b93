"""Claims on write amplification: spare flash, the way to the steady state, and what pattern writes.

All by closed forms for uniform random writes unless a function says otherwise. Nothing is taken off
the raw capacity but parity, where it is named, and the reserves of `amplifications`. On the way to
the steady state a drive programs its flash at the rate that its random writes imply in the end,
IOPS times write amplification, and its blocks are large, which are the slowest to settle.
"""

import math
from functools import cache

import numpy as np

from flashwear import capacity
from flashwear.units import GB, GIB
from flashwear.wa import after_fill, fifo, settled
from flashwear.wa.parity import parity_op
from flashwear.wa.transient import SETTLED
from flashwear_book import runs, sources, tables
from flashwear_book.claims.registry import Answer, Claim, check, judged
from flashwear_book.claims.rules import THRESHOLDS, amplifications, in_draws, spread, within

_SMALL, _LARGE = "M500DC 480GB", "M500DC 800GB"
_PAGES = 2048
"""Map units of 4 KiB in a block of 512 pages of 16 KiB."""

_STEEP = 0.1
"""Programs, over user pages, within which a fall of the rate is called steep."""


def _of(drive: str, span: float = 1.0) -> list[float]:
    """Return the write amplification of a rated drive in all cases of what is not known."""
    rating = sources.Rating(drive)
    return amplifications(rating.raw, rating.user, span)


def _of_the_m500dc(drive: str) -> list[float]:
    return amplifications(sources.m500dc_raw(drive), sources.user_capacity(drive))


def _op(drive: str) -> float:
    rating = sources.Rating(drive)
    return float(capacity.over_provisioning(rating.raw, rating.user))


@check("P4-046")
def added_flash_keeps_amplification_low(claim: Claim) -> Answer:
    user = sources.user_capacity("P400m 200GB")
    raws = (sources.spec(drive, "raw capacity") * GIB for drive in ("P400m 200GB", "S3700 200GB"))
    own, s3700 = (np.array(amplifications(raw, user)) for raw in raws)
    return in_draws(
        own < s3700,
        f"{spread(own)} against {spread(s3700)}",
        "Write amplification of random writes on the P400m 200GB with its own flash and with "
        "that of the S3700, by policy of cleaning and by what the firmware keeps for itself.",
    )


@check("DC-018")
def spare_area_sets_the_rate(claim: Claim) -> Answer:
    user = sources.user_capacity("S3500 480GB")
    raws = sources.power_of_two_gib(user), sources.external("S3500 480GB", "raw NAND")
    expected = np.divide(amplifications(max(raws) * GIB, user), _of_the_m500dc(_SMALL))
    fast = sources.external("M500DC 480GB", "rated random write 4KB")
    rows = tables.speeds().query("line == 'Intel DC S3500' and test == 'random write, steady'")
    slow = rows["value"].max()
    explains_all = within("about", expected * slow / fast)
    return in_draws(
        expected > 1 + THRESHOLDS["order"][0],
        f"{spread(expected)}, rated {fast / slow:.2f}",
        "If the rate goes as one over write amplification, the M500DC 480GB is this many times as "
        "fast as an S3500 of its size, by policy of cleaning and by what the firmware keeps. Rated "
        f"are {fast:,.0f} random writes a second, and at most {slow:,.0f} for any S3500.",
        only=None if explains_all else "a part of the gap",
    )


@check("DC-035")
def product_of_one_without_compression(claim: Claim) -> Answer:
    least = sources.discussion("PM843 120GB", "least write amplification, sequential")
    at_random = _of_the_m500dc(_SMALL)
    return judged(
        least - claim.value > claim.tolerance,
        f"{least:.2f}",
        "Without compression neither write amplification nor uneven wear is below 1. The thread "
        f"itself gives an amplification of {least:.1f} for sequential writes, so that a product of "
        f"{claim.value:.2f} can be reached there. Under random writes a full drive must copy valid "
        f"pages, so that it is above 1 (by closed forms {spread(at_random)} on the M500DC 480GB).",
        part="random writes" if min(at_random) > claim.value else None,
    )


@check("DC-036")
def random_writes_above_the_thread_s_product(claim: Claim) -> Answer:
    product = sources.discussion("M500DC", "WLF x WAF at 3000 P/E cycles")
    small, large = _of_the_m500dc(_SMALL), _of_the_m500dc(_LARGE)
    return in_draws(
        np.minimum(small, large) > product,
        f"{spread(small)} and {spread(large)}",
        f"Random writes are amplified {spread(small)} and {spread(large)} times on the M500DC of "
        "480 and 800 GB, by policy of cleaning and by what the firmware keeps, so always more than "
        f"the {product} of the thread. That the rating is meant for such writes is not checked.",
        only="the higher amplification",
    )


@check("MX-174")
def neither_filled_nor_written_long(claim: Claim) -> Answer:
    full, free = _of("MX300 750GB"), _of("MX300 750GB", 0.75)
    return in_draws(
        np.divide(full, free) > 2,
        f"{spread(full)} against {spread(free)}",
        "Write amplification under random writes, full and with a quarter of the addresses free: "
        "a full drive programs and wears its flash more than twice as much. Long heavy loads, and "
        "the cache, were not looked at.",
        only="against filling",
    )


@check("MX-105")
def higher_rate_with_more_spare(claim: Claim) -> Answer:
    drive = "MX300 750GB"
    rating = sources.Rating(drive)
    alpha = rating.raw / rating.user
    added = sources.workload("consistency 2016", "added over-provisioning") / 100
    left = {  # share of the addresses that is written, by what the added share may be a share of
        "what is left empty over all addresses": 1 - added,
        "what is left empty over what is written": 1 / (1 + added),
        "all spare flash over all flash": min(1.0, (1 - added) * alpha),
        "all spare flash over what is written": min(1.0, alpha / (1 + added)),
    }
    gains = np.divide(_of(drive), [_of(drive, span) for span in left.values()])
    return in_draws(
        gains >= 1 + THRESHOLDS["substantially"][0],
        f"{gains.min():.1f} to {gains.max():.1f} times the rate; how even it is, undecided",
        "If the rate goes as one over write amplification, it is this many times as high, for "
        f"{len(left)} readings of the {100 * added:.0f} % of added spare space: {', '.join(left)}. "
        "Whether it is also more even does not follow.",
        only="the higher rate",
    )


def _unevenness(cleaning_share: float, copies: float) -> float:
    """Return standard deviation over mean of the operations of a write.

    Each write is one program; the share that cleans adds its copies and an erase.
    """
    extra = copies + 1
    deviation = extra * math.sqrt(cleaning_share * (1 - cleaning_share))
    return deviation / (1 + cleaning_share * extra)


@check("P4-075")
def random_writes_are_uneven(claim: Claim) -> Answer:
    in_order = _unevenness(1 / _PAGES, 0)
    factors = _of("P400m 200GB")
    at_random = [_unevenness(factor / _PAGES, _PAGES * (1 - 1 / factor)) for factor in factors]
    return in_draws(
        [in_order < 1 < one for one in at_random],
        f"read 0, write in order {in_order:.2f}, random write {min(at_random):.0f} to "
        f"{max(at_random):.0f}",
        "Standard deviation over mean of the flash operations of a read, a write in order and a "
        f"random write on the flash of the P400m, with {_PAGES:,} map units in a block. A write "
        "that finds no free block cleans one.",
    )


@check("DC-043")
def in_order_is_not_amplified(claim: Claim) -> Answer:
    drive = sources.Rating(claim.drive)
    rounds, bound = drive.raw / drive.user, 1.0  # each page of the host is programmed once
    return (
        rounds >= 1 and claim.value == bound,
        bound,
        f"Each page of the host is programmed once at least. Where {drive.user / GB:.0f} GB are "
        f"written over and over in order, the block written longest ago is due after {rounds:.2f} "
        "rounds, and then none of its pages is valid: the bound is reached.",
    )


_SETTLED = f"Time until write amplification stays within {100 * SETTLED:.0f} % of its final value"


@cache
def _hours(op: float, user_bytes: float, iops: float) -> float:
    """Return the hours until write amplification has settled."""
    programmed = np.arange(0, 8, 0.0005)
    final = float(fifo(op))
    needed = settled(programmed, after_fill(op, programmed).wa, final)
    return float(needed * user_bytes / 4096 / (iops * final) / 3600)


def _hours_of_the_m500dc(drive: str) -> tuple[float, float]:
    """Return the hours with the parity of a reviewed M500DC taken off its spare flash, and not."""
    user = sources.user_capacity(drive)
    stripe = sources.external(drive, "data blocks per parity block")
    op = float(capacity.over_provisioning(sources.m500dc_raw(drive), user))
    iops = sources.external(drive, "rated random write 4KB")
    return _hours(float(parity_op(op, stripe)), user, iops), _hours(op, user, iops)


def _rates_of_the_mx300() -> tuple[tuple[float, float], str]:
    """Return the two rates that the review measured in the steady state, IOPS, and in words."""
    stated = (str(sources._cell("claims", "stated", id=id_)) for id_ in ("MX-102", "MX-103"))
    slow, fast = (float(text.rstrip("k")) for text in stated)
    words = f"the {slow:.0f}K to {fast:.0f}K IOPS that the review measured on it"
    return (1000 * slow, 1000 * fast), words


@check("DC-008")
def two_hours_for_the_m500dc(claim: Claim) -> Answer:
    hours = {drive.split()[1]: _hours_of_the_m500dc(drive) for drive in (_SMALL, _LARGE)}
    return in_draws(
        [each <= claim.value for pair in hours.values() for each in pair],
        "; ".join(f"{size}: {min(pair):.2f} to {max(pair):.2f} h" for size, pair in hours.items()),
        f"{_SETTLED}, at the rate of programs that the rated random writes imply, with the parity "
        "of the drive taken off its spare flash and without.",
    )


@check("MX-093")
def one_hour_for_any_drive(claim: Claim) -> Answer:
    op, user = _op("MX300 750GB"), sources.Rating("MX300 750GB").user
    measured, rates = _rates_of_the_mx300()
    most, least = (_hours(op, user, rate) for rate in measured)
    iops = sources.spec("P400m 400GB", "random write 4KB")
    p400m = _hours(_op("P400m 400GB"), sources.Rating("P400m 400GB").user, iops)
    m500dc = _hours_of_the_m500dc("M500DC 800GB")
    return in_draws(
        [each <= 1 for each in (least, most, p400m, *m500dc)],
        f"{least:.1f} to {most:.1f} h on the MX300 750GB, {p400m:.1f} h on the P400m 400GB, "
        f"{min(m500dc):.1f} to {max(m500dc):.1f} h on the M500DC 800GB",
        f"{_SETTLED}; for the MX300 at {rates}, for two other large drives at the rated ones. "
        "Greedy cleaning of much smaller blocks settles sooner.",
    )


@check("MX-101")
def the_rate_rises_after_the_drop(claim: Claim) -> Answer:
    op, user = _op("MX300 750GB"), sources.Rating("MX300 750GB").user
    measured, rates = _rates_of_the_mx300()
    in_an_hour = np.array(measured) * fifo(op) * 4096 * 3600 / user
    gains = after_fill(op, op * (1 + 1e-9)).wa / after_fill(op, in_an_hour).wa
    return in_draws(
        (in_an_hour > op) & (gains > 1 + THRESHOLDS["order"][0]),
        f"{spread(gains)} times the rate at the end of the hour",
        "If the rate goes as one over write amplification, it is this many times what it was when "
        f"the last blank block was used up, at {rates}. Scatter is not computed.",
        only="the rising rate",
    )


@check("P4-073")
def rate_falls_when_the_spare_flash_is_used_up(claim: Claim) -> Answer:
    study = runs.kept_result("settling").table
    cliff = float(study["cliff"].max())
    falls = []
    for drive in ("M600 256GB", "P400m 200GB"):
        op = _op(drive)
        before, after = after_fill(op, [op * (1 - 1e-9), op * (1 + 1e-9)]).wa
        falls.append(f"to {100 * before / after:.0f} % on the {drive}")
    return in_draws(
        (study["cliff"] <= _STEEP) & (study["peak"] > 0),
        ", ".join(falls),
        "If the rate goes as one over write amplification, it falls this far when the last blank "
        f"block is used up. In {len(study)} simulated runs, by policy and block size, it fell "
        f"below its final level within {cliff:.2f} of the user capacity programmed.",
        studies=("settling",),
    )


@check("P4-074")
def amplification_rises_after_the_drop(claim: Claim) -> Answer:
    final = _of("P400m 200GB")
    return in_draws(
        np.array(final) > 1 + THRESHOLDS["order"][0],
        f"from 1.00 to {spread(final)}",
        "Write amplification of random writes on the P400m 200GB: none while blocks are blank, "
        "this much in the end, by policy of cleaning and by what the firmware keeps.",
    )
