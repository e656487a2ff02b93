"""Checks of the claims on write amplification, by its closed form for uniform random writes.

Full span and FIFO cleaning; nothing is taken off the raw capacity but parity, where it is named.
"""

from flashwear import capacity
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, judged, undecided
from flashwear.study.claims.rules import amplifications, in_draws, spread, within
from flashwear.units import GIB
from flashwear.wa import fifo
from flashwear.wa.parity import parity_factor, parity_op

_REVIEWED = ("M500DC 480GB", "M500DC 800GB")


def _op_of_the_m500dc(drive: str) -> float:
    return float(
        capacity.over_provisioning(sources.m500dc_raw(drive), sources.user_capacity(drive))
    )


def _random_writes() -> list[list[float]]:
    """Return the write amplification of the two reviewed M500DC, each in all cases."""
    return [
        amplifications(sources.m500dc_raw(drive), sources.user_capacity(drive))
        for drive in _REVIEWED
    ]


@check("P4-046")
def added_flash_keeps_amplification_low(claim: Claim) -> Finding:
    user = sources.user_capacity("P400m 200GB")
    own, s3700 = (
        amplifications(sources.spec(drive, "raw capacity") * GIB, user)
        for drive in ("P400m 200GB", "S3700 200GB")
    )
    return in_draws(
        [mine < other for mine, other in zip(own, s3700, strict=True)],
        f"{spread(own)} against {spread(s3700)}",
        "Write amplification of random writes on the P400m 200GB with its own flash and with "
        "that of the S3700, by policy of cleaning and by what the firmware keeps for itself.",
    )


def _s3500() -> list[float]:
    """Return the write amplification of the S3500 in all cases, on the larger raw capacity."""
    user = sources.user_capacity("S3500 480GB")
    raws = sources.power_of_two_gib(user), sources.external("S3500 480GB", "raw NAND")
    return amplifications(max(raws) * GIB, user)


@check("DC-014")
def s3500_below_the_m500dc(claim: Claim) -> Finding:
    intel, micron = _s3500(), _random_writes()
    return in_draws(
        [own > max(others) for own, *others in zip(intel, *micron, strict=True)],
        f"{spread(intel)} against {spread(micron[0])} and {spread(micron[1])}",
        "Write amplification of random writes: S3500 480GB on the most flash that a table lists "
        "for it, M500DC 480 and 800 GB. Flash of like speed is assumed.",
        "random write, steady",
    )


@check("DC-018")
def spare_area_sets_the_rate(claim: Claim) -> Finding:
    intel, (small, large) = _s3500(), _random_writes()
    fast, slow = (sources.external(drive, "rated random write 4KB") for drive in _REVIEWED)
    expected = [b / a for a, b in zip(small, large, strict=True)]
    return in_draws(
        [
            own > b and within("about", ratio * slow / fast)
            for own, b, ratio in zip(intel, large, expected, strict=True)
        ],
        f"{spread(expected)}, rated {fast / slow:.2f}",
        "If the rate goes as one over write amplification, the S3500 comes last, and the M500DC "
        f"480GB is this many times as fast as the 800GB. Rated are {fast:,.0f} and {slow:,.0f} "
        "random writes a second.",
    )


@check("DC-035")
def product_of_one_without_compression(claim: Claim) -> Finding:
    least = sources.discussion("PM843 120GB", "least write amplification, sequential")
    return judged(
        least - claim.value > claim.tolerance,
        f"{least:.2f}",
        "Without compression neither write amplification nor uneven wear is below 1. The thread "
        f"itself gives an amplification of {least:.1f} for sequential writes, so that a product of "
        "1.00 can be reached there. Under random writes a full drive must copy valid pages, so "
        f"that it is above 1 (by closed forms {spread(_random_writes()[0])} on the M500DC 480GB).",
        part="random writes" if min(_random_writes()[0]) > claim.value else None,
    )


@check("DC-036")
def random_writes_above_the_thread_s_product(claim: Claim) -> Finding:
    product = sources.discussion("M500DC", "WLF x WAF at 3000 P/E cycles")
    small, large = _random_writes()
    found = in_draws(
        [min(pair) > product for pair in zip(small, large, strict=True)],
        f"{spread(small)} and {spread(large)}",
        f"Random writes are amplified {spread(small)} and {spread(large)} times on the M500DC of "
        "480 and 800 GB, by policy of cleaning and by what the firmware keeps, so always more than "
        f"the {product} of the thread. That the rating is meant for such writes is not checked.",
    )
    if found.outcome != "holds":
        return found
    return Finding("partly", "model", found.computed, found.how, part="the higher amplification")


@check("DC-051")
def amplification_of_random_writes(claim: Claim) -> Finding:
    near, texts = [], []
    for drive in _REVIEWED:
        op, stripe = (
            _op_of_the_m500dc(drive),
            sources.external(drive, "data blocks per parity block"),
        )
        after = float(fifo(parity_op(op, stripe)))
        values = [float(fifo(op)), after, after * float(parity_factor(stripe))]
        near.append(any(within("about", value / claim.value) for value in values))
        shown = ", ".join(f"{value:.2f}" for value in values)
        texts.append(f"{drive.removeprefix('M500DC ')}: {shown}")
    return undecided(
        "Write amplification of random writes without parity, after parity, and with the writes "
        f"of parity counted. It is about as stated on {sum(near)} of the {len(near)} reviewed "
        "drives, if their raw flash is what their spare share suggests.",
        "; ".join(texts),
    )
