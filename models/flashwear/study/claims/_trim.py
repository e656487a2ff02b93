"""Checks of the claims on empty space: to the drive, an address that holds nothing is spare flash.

Random writes over a part of the addresses and FIFO cleaning; nothing is taken off the raw capacity.
"""

from flashwear import capacity
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check
from flashwear.study.claims.rules import THRESHOLDS, amplifications, in_draws
from flashwear.wa import fifo

_READINGS = "what is left empty or all spare flash, over the larger whole or over what is written"


def _added(test: str) -> float:
    """Return the added over-provisioning of a consistency test as a share, whatever it is of."""
    return sources.workload(test, "added over-provisioning") / 100


def _spans(drive: str, share: float) -> list[float]:
    """Return the share of the addresses that is written, for each thing `share` can be a share of.

    What is left empty over all addresses and over what is written; all spare flash over all flash
    and over what is written. At most 1: a drive may have more spare flash than that as sold.
    """
    rating = sources.Rating(drive)
    alpha = rating.raw / rating.user
    return [
        min(1.0, span)
        for span in (
            1 - share,
            1 / (1 + share),
            (1 - share) * alpha,
            alpha / (1 + share),
        )
    ]


def _random_writes(drive: str, span: float) -> float:
    """Return the write amplification of random writes over a share of the addresses."""
    rating = sources.Rating(drive)
    return float(fifo(capacity.span_op(rating.raw, rating.user, span)))


@check("M6-120")
def quarter_of_something(claim: Claim) -> Finding:
    drive, share = "M600 256GB", claim.value / 100
    spans = _spans(drive, share)
    writes = [_random_writes(drive, span) for span in spans]
    return Finding(
        "given",
        "none",
        f"{100 * min(spans):.0f} to {100 * max(spans):.0f} % of the addresses, write amplification "
        f"{min(writes):.2f} to {max(writes):.2f}",
        f"A setting of the test. The review does not say what the {claim.stated} % is a share of: "
        f"{_READINGS}. Computed for the {drive}, at {_random_writes(drive, 1):.2f} over all "
        "addresses.",
    )


@check("MX-105")
def higher_rate_with_more_spare(claim: Claim) -> Finding:
    drive = "MX300 750GB"
    rating = sources.Rating(drive)
    full = amplifications(rating.raw, rating.user)
    gains = [
        a / b
        for span in _spans(drive, _added("consistency 2016"))
        for a, b in zip(full, amplifications(rating.raw, rating.user, span), strict=True)
    ]
    least = 1 + THRESHOLDS["substantially"][0]
    found = in_draws(
        [gain >= least for gain in gains],
        f"{min(gains):.1f} to {max(gains):.1f} times the rate; how even it is, undecided",
        "If the rate goes as one over write amplification, it is this many times as high, for four "
        f"readings of the 25 % of added spare space ({_READINGS}). Whether it is also more even "
        "does not follow.",
    )
    if found.outcome != "holds":
        return found
    return Finding("partly", "model", found.computed, found.how, part="the higher rate")
