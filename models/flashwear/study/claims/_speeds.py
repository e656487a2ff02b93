"""Checks of the claims on speed: kept runs of the queueing model at full scale.

Figures that set the times of the modelled drives are no evidence, nor are ratios of them: what the
model says of them, it says without their line.
"""

import pandas as pd

from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, ids, judged, undecided
from flashwear.study.claims.rules import at_the_middle

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


FIGURES_OF_THE_FIT = [
    *ids("M6", range(21, 37)),
    *ids("MX", range(37, 49)),
    *ids("P4", range(9, 21), 54, 56, 58, 60),
]


@check(*FIGURES_OF_THE_FIT)
def figures_of_the_fit(claim: Claim) -> Finding:
    found = kept.left_out(claim.id)
    show = kept.kilo if claim.unit == "IOPS" else _whole
    low, high = show(found.low_90), show(found.high_90)
    return undecided(
        f"Fitted without this line of drives, the model gives {show(found.median)}, {low} to "
        f"{high} in nine cases of ten, which is too wide to confirm a figure.",
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
    return at_the_middle(
        f"{' and '.join(sorted(large))}; {' and '.join(sorted(set(limits.values())))} below 512 GB",
        "What limits simulated writes in order on full drives, M600 512GB and 1TB, and the "
        "smaller ones.",
    )


@check("DC-020")
def reads_of_the_m500dc(claim: Claim) -> Finding:
    return undecided(
        "Simulated random reads at queue depth 32, with times that follow from the data sheet of "
        "the drive. The review measured more than that sheet promises.",
        kept.rated("m500dc-480gb", "random read"),
    )


@check("DC-012")
def random_writes_saturate(claim: Claim) -> Finding:
    depths = {
        drive: _saturates(_by_depth(drive, "random_write"))
        for drive in ("m500dc-480gb", "m500dc-800gb")
    }
    first = _by_depth("m500dc-480gb", "random_write")
    return at_the_middle(
        f"{max(depths.values())}",
        "Least simulated queue depth within 2 % of the highest rate, on both sizes. One request "
        f"at a time gets {100 * first[1] / first.max():.0f} % of it.",
    )


@check("DC-013")
def random_writes_of_the_s3500_are_flat(claim: Claim) -> Finding:
    rates = _by_depth("s3500-480gb", "random_write")
    return at_the_middle(
        kept.kilo(*rates),
        "Simulated random writes a second at queue depths 1 to 32. At depths 1 and 2 they are "
        f"{rates[1] / rates.max():.2f} and {rates[2] / rates.max():.2f} of the highest.",
    )


@check("DC-019")
def the_steady_state_leaves_reads_alone(claim: Claim) -> Finding:
    pairs = [
        (_by_depth(drive, "random_read")[32], kept.rated(drive, "random read"))
        for drive in ("m500dc-480gb", "m500dc-800gb", "s3500-480gb")
    ]
    apart = max(abs(written / filled - 1) for written, filled in pairs)
    return undecided(
        "Simulated random reads on three drives written at random, against the same drives only "
        "filled. The model cleans nothing while a drive is only read, so that this is put in.",
        f"{100 * apart:.1f} % apart",
    )


@check("DC-022")
def reads_cross(claim: Claim) -> Finding:
    intel = _by_depth("s3500-480gb", "random_read")
    micron = _by_depth("m500dc-480gb", "random_read")
    ahead = intel.index[intel > micron].tolist()
    return at_the_middle(
        f"S3500 ahead at depths {' and '.join(map(str, ahead)) or 'none'}",
        "Simulated random reads a second at queue depths 1 to 32: S3500 480GB "
        f"{kept.kilo(*intel)}, M500DC 480GB {kept.kilo(*micron)}.",
    )


@check("DC-024")
def mixes_of_the_m500dc_are_faster(claim: Claim) -> Finding:
    intel = _by_depth("s3500-480gb", "random_70_30")
    ratios = [
        _by_depth(drive, "random_70_30") / intel for drive in ("m500dc-480gb", "m500dc-800gb")
    ]
    return at_the_middle(
        f"{min(r.min() for r in ratios):.2f} to {max(r.max() for r in ratios):.2f} times as fast",
        "Simulated mixes with 70 % reads at queue depths 1 to 32, both sizes of the M500DC "
        "against the S3500.",
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
    return at_the_middle(
        ", ".join(still) or "none",
        "Simulated loads that at depth 32 are more than 2 % faster than at 16, on both sizes of "
        "the M500DC.",
    )


@check("DC-027")
def writes_in_order_of_the_480gb_are_faster(claim: Claim) -> Finding:
    small, large = (
        _by_depth(drive, "sequential_write") for drive in ("m500dc-480gb", "m500dc-800gb")
    )
    ratio = small / large
    return at_the_middle(
        f"{ratio.min():.2f} to {ratio.max():.2f} times as fast",
        "Simulated writes in order on drives that were written at random before, so that random "
        "data have still to be copied.",
    )


@check("DC-028")
def reads_in_order_are_equal(claim: Claim) -> Finding:
    small, large = (
        _by_depth(drive, "sequential_read") for drive in ("m500dc-480gb", "m500dc-800gb")
    )
    apart = float((small / large - 1).abs().max())
    return at_the_middle(
        f"{100 * apart:.0f} % apart at most",
        "Simulated reads in order at queue depths 1 to 32 on both sizes; from depth "
        f"{_saturates(small)} on the link is the limit of both.",
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
        "The simulated S3700 200GB is this much faster than the P400m 200GB at queue depth 32. The "
        "model is fitted to such figures of both drives and misses single ones by a third, so that "
        "its ratio says nothing.",
        f"{100 * (ratio - 1):.0f} %",
    )


@check("MX-134")
def reads_of_the_mx300_are_slower(claim: Claim) -> Finding:
    tlc, mlc = (
        _by_depth(drive, "random_read", "desktop_depths")
        for drive in ("mx300-750gb", "mx200-500gb")
    )
    ratio = tlc[[1, 2, 4]].mean() / mlc[[1, 2, 4]].mean()
    return at_the_middle(
        f"{ratio:.2f}",
        "Simulated random reads of the MX300 750GB over those of the MX200 500GB, mean of queue "
        "depths 1, 2 and 4.",
    )


@check("MX-137")
def reads_of_the_mx300_grow_to_the_end(claim: Claim) -> Finding:
    rates = _by_depth("mx300-750gb", "random_read", "desktop_depths")
    return at_the_middle(
        kept.kilo(*rates), "Simulated random reads a second at queue depths 1 to 32."
    )


@check("MX-145")
def reads_in_order_of_the_mx300_scale_less(claim: Claim) -> Finding:
    tlc, *mlc = (
        sources.spec(drive, "sequential read")
        for drive in ("MX300 750GB", "MX200 500GB", "MX200 1TB")
    )
    return judged(
        False,
        f"{tlc:.0f} against {mlc[0]:.0f} and {mlc[1]:.0f} MB/s",
        "By the specification table of the same review, whose ratings are of long queues, the "
        "MX300 is slower. How the speed grows with the queue is in a chart that is an image.",
        part="slower at high queue depth" if tlc < min(mlc) else None,
    )


@check("MX-159")
def the_mx300_in_mixed_order(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    rows = rows[(rows["drive"] == "mx300-750gb") & (rows["order"] == "sequential")]
    return at_the_middle(
        float(rows["mb_per_s"].min()),
        "Least of six simulated mixes of reads and writes in order, on a filled drive.",
    )


@check("MX-160")
def the_mx200_in_mixed_order(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    rows = rows[
        rows["drive"].isin(["mx200-500gb", "mx200-1000gb"]) & (rows["order"] == "sequential")
    ]
    return at_the_middle(
        float(rows["mb_per_s"].min()),
        "Least of six simulated mixes of reads and writes in order, MX200 500GB and 1TB.",
    )
