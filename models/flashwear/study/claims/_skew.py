"""Checks of the claims that turn on the pattern of writes: skewed, sequential, or some mix.

Nothing is taken off the raw capacity, and cleaning is FIFO.
"""

from scipy.optimize import brentq

from flashwear import capacity
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, judged, undecided
from flashwear.units import GB, GIB
from flashwear.wa import (
    JESD219,
    fifo,
    fifo_mixed,
    op_for,
    random,
    separated,
)


@check("P4-048")
def random_writes_are_the_worst(claim: Claim) -> Finding:
    drive = "P400m 200GB"
    raw = sources.spec(drive, "raw capacity") * GIB
    op = float(capacity.over_provisioning(raw, sources.user_capacity(drive)))
    even, skewed = float(fifo(op)), float(fifo_mixed(op, *JESD219))
    apart, most = float(separated(op, *JESD219).wa), float(random(op))
    return undecided(
        "Whether uniform random writes are the worst case hangs on whether the drive keeps hot "
        "and cold data apart, which the document does not say. In one log the skewed load of the "
        f"standard costs more on the P400m (any skew up to {most:.2f}); with pools of their own "
        "it costs less.",
        f"{even:.2f} uniform; skewed {skewed:.2f} in one log, {apart:.2f} apart",
    )


@check("DC-043")
def sequential_writes_are_not_amplified(claim: Claim) -> Finding:
    drive = sources.Rating(claim.drive)
    rounds = drive.raw / drive.user
    bound = 1.0  # each page of the host is programmed once
    return judged(
        rounds >= 1 and claim.value == bound,
        bound,
        f"Each page of the host is programmed once at least. Where {drive.user / GB:.0f} GB are "
        f"written over and over in order, the block written longest ago is due after {rounds:.2f} "
        "rounds, and then none of its pages is valid: the bound is reached.",
    )


@check("DC-045")
def amplification_in_practice(claim: Claim) -> Finding:
    drive = sources.Rating(claim.drive)
    op = float(capacity.over_provisioning(drive.raw, drive.user))
    low, high = (float(end) for end in claim.stated.split("-"))
    ops = [100 * float(op_for(target)) for target in (high, low)]

    def skew(target: float) -> float:
        """Return the per cent of the writes, x, for which x/(100 - x) brings the target."""
        share = brentq(lambda x: separated(op, x, 1 - x).wa - target, 0.5, 1 - 1e-6)
        return 100 * float(share)

    shares = [skew(target) for target in (high, low)]
    text = (
        f"{shares[0]:.0f} to {shares[1]:.0f} % of the writes on {100 - shares[1]:.0f} to "
        f"{100 - shares[0]:.0f} % of the addresses"
    )
    return undecided(
        "The commenter names no load beyond the real world. Uniform random writes are amplified "
        f"{float(fifo(op)):.2f} times on this drive's {100 * op:.1f} % of spare flash (of the user "
        f"capacity). The range takes {ops[0]:.0f} to {ops[1]:.0f} % of spare, or hot and cold data "
        f"kept apart and {text}.",
        text,
    )
