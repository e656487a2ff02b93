"""Checks of the claims on speed: kept runs of the queueing model at full scale.

A simulated rate, or a ratio of two, agrees within 10 % of the stated one: that is the tolerance of
these rows of the ledger. Figures that set the times of the drives are marked as such in the ledger
and count as no evidence, nor do ratios of such figures.
"""

import pandas as pd

from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, compare, holds, ids, undecided

_LEVEL = 0.98
"""A rate within 2 % of the highest one no longer rises."""

_MODELS = {
    "M600 128GB": "m600-128gb",
    "M600 256GB": "m600-256gb",
    "M600 512GB": "m600-512gb",
    "M600 1TB": "m600-1024gb",
    "MX200 500GB": "mx200-500gb",
    "MX200 1TB": "mx200-1000gb",
    "MX300 750GB": "mx300-750gb",
    "P400m 100GB": "p400m-100gb",
    "P400m 200GB": "p400m-200gb",
    "P400m 400GB": "p400m-400gb",
    "S3700 200GB": "s3700-200gb",
}


def _by_depth(drive: str, pattern: str, study: str = "queue_depths") -> pd.Series:
    rows = kept.table(study)
    rows = rows[(rows["drive"] == drive) & (rows["pattern"] == pattern)]
    return rows.set_index("depth")["iops"].sort_index()


def _saturates(rates: pd.Series) -> int:
    return int(rates.index[rates >= _LEVEL * rates.max()].min())


@check(
    *ids("M6", range(21, 37)),
    *ids("MX", range(37, 49)),
    *ids("P4", range(9, 21), 54, 56, 58, 60),
)
def figures_of_the_fit(claim: Claim) -> Finding:
    found = kept.left_out(claim.id)
    show = kept.kilo if claim.unit == "IOPS" else _whole
    low, high = show(found.low_90), show(found.high_90)
    return undecided(
        "one of the figures that set the times of the modelled drives, so that what these do is no "
        f"evidence; with its line left out they are predicted with 90 % between {low} and {high}",
        show(found.median),
    )


def _whole(rate: float) -> str:
    return f"{rate:.0f} MB/s"


@check("M6-087")
def large_drives_fill_the_link(claim: Claim) -> Finding:
    limits = {
        name: kept.cell("ratings", "bottleneck", drive=model, case="sequential write")
        for name, model in _MODELS.items()
        if name.startswith("M600")
    }
    large = {limits.pop("M600 512GB"), limits.pop("M600 1TB")}
    return holds(
        large == {"link"} and "link" not in limits.values(),
        f"{' and '.join(sorted(large))}; {' and '.join(sorted(set(limits.values())))} below 512 GB",
        "what limits simulated writes in order of the M600 512GB and 1TB, and of the smaller ones, "
        "on full drives, whose SLC cache has next to no room",
        yes="explained",
    )


@check("DC-020")
def reads_of_the_m500dc(claim: Claim) -> Finding:
    found = kept.rated("m500dc-480gb", "random read")
    return holds(
        abs(found / claim.value - 1) <= 0.1,
        found,
        "simulated random reads of the M500DC 480GB at queue depth 32, whose times follow from its "
        "data sheet; the review measured more than that, so that a miss is the model's",
        yes="explained",
        no="not reproducible",
    )


@check("DC-012")
def random_writes_saturate(claim: Claim) -> Finding:
    depths = {
        drive: _saturates(_by_depth(drive, "random_write"))
        for drive in ("m500dc-480gb", "m500dc-800gb")
    }
    first = _by_depth("m500dc-480gb", "random_write")
    return holds(
        set(depths.values()) == {int(claim.value)},
        f"{max(depths.values())}",
        "least queue depth within 2 % of the highest rate, on both sizes: nothing is gained beyond "
        "depth 4, as stated, but the controller, the bottleneck, is busy from depth 2 on. One "
        f"request at a time gets {100 * first[1] / first.max():.0f} % of the highest rate",
    )


@check("DC-013")
def random_writes_of_the_s3500_are_flat(claim: Claim) -> Finding:
    rates = _by_depth("s3500-480gb", "random_write")
    return holds(
        bool(rates.min() >= 0.9 * rates.max()),
        kept.kilo(*rates),
        "simulated IOPS at queue depths 1 to 32; flat taken as within 10 %. From depth 2 on it is "
        f"({rates[2] / rates.max():.2f} of the highest), at depth 1 not "
        f"({rates[1] / rates.max():.2f})",
        yes="explained",
    )


@check("DC-019")
def the_steady_state_leaves_reads_alone(claim: Claim) -> Finding:
    pairs = [
        (_by_depth(drive, "random_read")[32], kept.rated(drive, "random read"))
        for drive in ("m500dc-480gb", "m500dc-800gb", "s3500-480gb")
    ]
    apart = max(abs(written / filled - 1) for written, filled in pairs)
    return holds(
        apart < 0.02,
        f"{100 * apart:.1f} % apart",
        "simulated random reads at queue depth 32 on three drives written at random, against the "
        "same drives only filled. True of the model by construction: nothing is cleaned while a "
        "drive is only read",
        yes="explained",
    )


@check("DC-022")
def reads_cross(claim: Claim) -> Finding:
    intel = _by_depth("s3500-480gb", "random_read")
    micron = _by_depth("m500dc-480gb", "random_read")
    ahead = intel.index[intel > micron].tolist()
    return holds(
        bool(ahead) and max(ahead) < claim.value and bool((micron > intel)[claim.value :].all()),
        f"S3500 ahead at depths {ahead or 'none'}",
        f"simulated random reads, S3500 480GB {kept.kilo(*intel)}, M500DC 480GB "
        f"{kept.kilo(*micron)} at depths 1 to 32. The rates of long queues set the times of both; "
        "at short queues the time of a read decides",
    )


@check("DC-024")
def mixes_of_the_m500dc_are_faster(claim: Claim) -> Finding:
    intel = _by_depth("s3500-480gb", "random_70_30")
    ratios = [
        _by_depth(drive, "random_70_30") / intel for drive in ("m500dc-480gb", "m500dc-800gb")
    ]
    return holds(
        all((ratio > 1).all() for ratio in ratios),
        f"{min(r.min() for r in ratios):.2f} to {max(r.max() for r in ratios):.2f} times as fast",
        "simulated, 70 % reads, queue depths 1 to 32, both sizes of the M500DC against the S3500",
        yes="explained",
    )


@check("DC-025")
def only_the_mix_scales_to_the_end(claim: Claim) -> Finding:
    patterns = sorted(set(kept.table("queue_depths")["pattern"]))
    still = [
        pattern.replace("_", " ")
        for pattern in patterns
        if all(
            _saturates(_by_depth(drive, pattern)) == claim.value
            for drive in ("m500dc-480gb", "m500dc-800gb")
        )
    ]
    return holds(
        still == ["random 70 30"],
        ", ".join(still) or "none",
        "loads that at depth 32 are more than 2 % faster than at 16, on both sizes of the M500DC",
        yes="explained",
    )


@check("DC-027")
def writes_in_order_of_the_480gb_are_faster(claim: Claim) -> Finding:
    small, large = (
        _by_depth(drive, "sequential_write") for drive in ("m500dc-480gb", "m500dc-800gb")
    )
    ratio = small / large
    return holds(
        bool((ratio > 1.1).all()),
        f"{ratio.min():.2f} to {ratio.max():.2f} times as fast",
        "simulated writes of 128 KiB in order, three minutes at each depth on drives written at "
        "random before: their victims still hold random data, which have to be copied",
        yes="explained",
    )


@check("DC-028")
def reads_in_order_are_equal(claim: Claim) -> Finding:
    small, large = (
        _by_depth(drive, "sequential_read") for drive in ("m500dc-480gb", "m500dc-800gb")
    )
    apart = float((small / large - 1).abs().max())
    return holds(
        apart < 0.1,
        f"{100 * apart:.0f} % apart at most",
        "simulated reads of 128 KiB in order at depths 1 to 32: from depth "
        f"{_saturates(small)} on the link is the limit of both",
        yes="explained",
    )


_CASES = {
    "P4-083": "random read",
    "P4-087": "random write, steady",
    "P4-092": "sequential write",
}


@check(*_CASES)
def advantages_of_the_s3700(claim: Claim) -> Finding:
    case = _CASES[claim.id]
    ratio = kept.rated("s3700-200gb", case) / kept.rated("p400m-200gb", case)
    return undecided(
        "simulated S3700 200GB over P400m 200GB at queue depth 32, whose times both follow from "
        "figures of this kind, so that it is no evidence",
        f"{100 * (ratio - 1):.0f} %",
    )


@check("MX-134")
def reads_of_the_mx300_are_slower(claim: Claim) -> Finding:
    tlc, mlc = (
        _by_depth(drive, "random_read", "desktop_depths")
        for drive in ("mx300-750gb", "mx200-500gb")
    )
    ratio = tlc[[1, 2, 4]].mean() / mlc[[1, 2, 4]].mean()
    return holds(
        ratio < 0.9,
        f"{ratio:.2f}",
        "simulated random reads of the MX300 750GB over those of the MX200 500GB, mean of queue "
        "depths 1, 2 and 4",
        yes="explained",
    )


@check("MX-137")
def reads_of_the_mx300_grow_to_the_end(claim: Claim) -> Finding:
    rates = _by_depth("mx300-750gb", "random_read", "desktop_depths")
    return holds(
        _saturates(rates) == 32 and bool((rates.diff().dropna() > 0).all()),
        kept.kilo(*rates),
        "simulated random reads at queue depths 1 to 32; the level at 32 set the times of the "
        "drive, the rise did not",
        yes="explained",
    )


@check("MX-145")
def reads_in_order_of_the_mx300_scale_less(claim: Claim) -> Finding:
    tlc, mlc = (
        _by_depth(drive, "sequential_read", "desktop_depths")
        for drive in ("mx300-750gb", "mx200-500gb")
    )
    return holds(
        bool(tlc[32] < 0.99 * mlc[32]),
        f"{tlc[32] / mlc[32]:.3f}",
        "simulated reads of 128 KiB in order of the MX300 750GB over the MX200 500GB at queue "
        "depth 32, where the link limits both",
        yes="explained",
    )


@check("MX-159")
def the_mx300_in_mixed_order(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    rows = rows[(rows["drive"] == "mx300-750gb") & (rows["order"] == "sequential")]
    return compare(
        claim,
        float(rows["mb_per_s"].min()),
        "least of six simulated mixes of reads and writes in order, on a filled drive with its SLC "
        "cache; tolerance 10 %",
        otherwise="contradicted",
    )


@check("MX-160")
def the_mx200_in_mixed_order(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    rows = rows[
        rows["drive"].isin(["mx200-500gb", "mx200-1000gb"]) & (rows["order"] == "sequential")
    ]
    least = float(rows["mb_per_s"].min())
    return holds(
        least >= claim.value,
        least,
        "least of six simulated mixes of reads and writes in order, MX200 500GB and 1TB",
        yes="explained",
    )


@check("MX-170")
def half_the_reads_of_the_best(claim: Claim) -> Finding:
    return undecided(
        "the best MLC drives of its chart are not named, and those of Samsung are not modelled"
    )
