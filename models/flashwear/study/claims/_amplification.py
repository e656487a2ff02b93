"""Checks of the claims on write amplification, by its closed form for uniform random writes.

Full span and FIFO cleaning; nothing is taken off the raw capacity but parity, where it is named.
"""

from flashwear import capacity
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, holds
from flashwear.units import GIB
from flashwear.wa import fifo
from flashwear.wa.parity import parity_factor, parity_op

_REVIEWED = ("M500DC 480GB", "M500DC 800GB")
_AROUND = 0.1
"""Largest relative difference of what is called around or equal."""


def _op_of_the_m500dc(drive: str) -> float:
    return float(
        capacity.over_provisioning(sources.m500dc_raw(drive), sources.user_capacity(drive))
    )


def _random_writes() -> list[float]:
    """Return the write amplification of the two reviewed M500DC."""
    return [float(fifo(_op_of_the_m500dc(drive))) for drive in _REVIEWED]


@check("P4-046")
def added_flash_keeps_amplification_low(claim: Claim) -> Finding:
    user = sources.user_capacity("P400m 200GB")
    own, s3700 = (
        float(fifo(capacity.over_provisioning(sources.spec(drive, "raw capacity") * GIB, user)))
        for drive in ("P400m 200GB", "S3700 200GB")
    )
    return holds(
        own < s3700,
        f"{own:.2f} against {s3700:.2f}",
        "random writes on the P400m 200GB with its own flash and with that of the S3700; the "
        "parity of either is not counted",
        yes="explained",
    )


def _s3500() -> tuple[float, float]:
    """Return the write amplification of the S3500 on either of its raw capacities."""
    user = sources.user_capacity("S3500 480GB")
    raws = sources.power_of_two_gib(user), sources.external("S3500 480GB", "raw NAND")
    least, listed = (float(fifo(capacity.over_provisioning(raw * GIB, user))) for raw in raws)
    return least, listed


@check("DC-014")
def s3500_below_the_m500dc(claim: Claim) -> Finding:
    intel, micron = _s3500(), _random_writes()
    return holds(
        min(intel) > max(micron),
        f"{intel[0]:.2f} ({intel[1]:.2f}) against {micron[0]:.2f} and {micron[1]:.2f}",
        "write amplification of random writes: S3500 480GB on the least raw capacity (on the one "
        "listed elsewhere), M500DC 480 and 800 GB, raw fitted; flash of like speed assumed",
        yes="explained",
    )


@check("DC-018")
def spare_area_sets_the_rate(claim: Claim) -> Finding:
    intel, (small, large) = _s3500(), _random_writes()
    fast, slow = (sources.external(drive, "rated random write 4KB") for drive in _REVIEWED)
    rated, expected = fast / slow, large / small
    return holds(
        min(intel) > max(small, large) and abs(expected / rated - 1) <= _AROUND,
        f"{expected:.2f}, rated {rated:.2f}",
        "a rate that goes as 1 / WAF puts the S3500 last (DC-014) and the M500DC 480 and 800 GB in "
        f"the ratio {large:.2f} : {small:.2f}; the rated random writes (external) are {fast:,.0f} "
        f"and {slow:,.0f} per second, the same ratio within 10 %",
        yes="explained",
    )


@check("DC-035")
def product_of_one_without_compression(claim: Claim) -> Finding:
    least = sources.discussion("PM843 120GB", "least write amplification, sequential")
    small, large = _random_writes()
    return holds(
        least - claim.value > claim.tolerance,
        f"{least:.2f}",
        "without compression WAF and WLF are 1 at least. The thread itself gives "
        f"{least:.1f} for sequential writes, and perfect levelling keeps it: a bound, and reached. "
        f"Of random writes the statement is true: {small:.2f} and {large:.2f} on the M500DC",
        yes="explained",
    )


@check("DC-036")
def random_writes_above_the_thread_s_product(claim: Claim) -> Finding:
    product = sources.discussion("M500DC", "WLF x WAF at 3000 P/E cycles")
    small, large = _random_writes()
    return holds(
        min(small, large) > product,
        f"{small:.2f} and {large:.2f}",
        f"random writes on the M500DC 480 and 800 GB, against {product} for WLF x WAF; that the "
        "ratings are meant for them is not checked",
        yes="explained",
    )


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
        near.append(any(abs(value / claim.value - 1) <= _AROUND for value in values))
        shown = ", ".join(f"{value:.2f}" for value in values)
        texts.append(f"{drive.removeprefix('M500DC ')}: {shown}")
    return holds(
        all(near),
        "; ".join(texts),
        "without parity, after parity (stripes external), and with its writes counted; around "
        f"taken as within 10 %, which holds for {sum(near)} of the {len(near)} reviewed drives",
        yes="explained",
    )
