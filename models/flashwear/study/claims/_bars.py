"""Checks of the claims on the short tests: kept runs of the client tests, of ATTO and of mixes.

The reviews show these results as bars or curves in images, so that there are orders and shapes to
compare and hardly a figure.
"""

from flashwear import drives
from flashwear.queueing import bounds
from flashwear.queueing.procedures import PATTERNS
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.study.claims.rules import at_the_middle
from flashwear.study.protocols import TRANSFER_KIB

_SMALL = ("128", "256")
"""Sizes of the M600 that have an SLC cache."""
_SIZES = (*_SMALL, "512")
_LARGEST = TRANSFER_KIB[-1]
_BELOW_PAGE = [kib for kib in TRANSFER_KIB if kib <= 4]


def _gain(size: str, test: str) -> float:
    """Return what the M600 does in a client test over what the MX100 of its size does."""
    old, new = (
        kept.cell("client_tests", "mb_per_s", drive=f"{family}-{size}gb", test=test)
        for family in ("mx100", "m600")
    )
    return float(new / old)


def _transfers(drive: str, kind: str, other: str) -> list[float]:
    """Return the speed of a drive over that of another, by size of the transfers."""
    return [
        float(
            kept.cell("transfers", "mb_per_s", drive=drive, kind=kind, kib=kib)
            / kept.cell("transfers", "mb_per_s", drive=other, kind=kind, kib=kib)
        )
        for kib in TRANSFER_KIB
    ]


def _low(drive: str, pattern: str) -> float:
    """Return MB/s as the mean of queue depths 1, 2 and 4."""
    rows = kept.table("desktop_depths")
    rows = rows[(rows["drive"] == drive) & (rows["pattern"] == pattern)]
    return float(rows[rows["depth"].isin([1, 2, 4])]["mb_per_s"].mean())


def _ratios(values: list[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


@check("M6-157")
def random_speed_is_unchanged(claim: Claim) -> Finding:
    empty, full = (
        _ratios([_gain(size, f"random write, {state}") for size in _SIZES])
        for state in ("empty", "full")
    )
    text = f"{empty} times as fast on empty drives and {full} on full ones"
    return at_the_middle(
        text,
        f"Simulated random writes are {text} on the M600 of 128, 256 and 512 GB as on the MX100: "
        "the cache helps an empty small drive and hinders a full one. How full the review's drives "
        "were is not said.",
    )


@check("M6-160")
def the_cache_adds_a_little(claim: Claim) -> Finding:
    full, empty = (
        [_gain(size, f"sequential write, {state}") for size in _SMALL]
        for state in ("full", "empty")
    )
    elsewhere = [
        sources.external(f"M600 {size}GB", "write speed in one-bit mode")
        / sources.external(f"MX100 {size}GB", "write speed in two-bit mode")
        for size in _SMALL
    ]
    text = f"{_ratios(empty)} times as fast on empty drives and {_ratios(full)} on full ones"
    return undecided(
        f"A minute of simulated writes in order is {text} on the M600 of 128 and 256 GB as on the "
        f"MX100; another publisher's speeds of empty drives differ {_ratios(elsewhere)} times. The "
        "review does not say how full its drives were.",
        text,
    )


_LIFTED = 1.05


@check("M6-162")
def the_cache_lifts_writes_of_any_size(claim: Claim) -> Finding:
    gains = {size: _transfers(f"m600-{size}gb", "write", f"mx100-{size}gb") for size in _SIZES}
    lifted = {
        size: [kib for kib, gain in zip(TRANSFER_KIB, row, strict=True) if gain > _LIFTED]
        for size, row in gains.items()
    }
    words = [
        f"{size} GB from {min(kib):g} KiB on, by {100 * (max(gains[size]) - 1):.0f} % at most"
        if kib
        else f"{size} GB never"
        for size, kib in lifted.items()
    ]
    return at_the_middle(
        "; ".join(words),
        "Transfers that simulated ATTO writes at least 5 % faster on the M600 than on the MX100. "
        "Where transfers are smaller the controller sets the pace.",
    )


@check("M6-163")
def small_reads_are_as_slow_as_before(claim: Claim) -> Finding:
    gains = {
        size: _transfers(f"m600-{size}gb", "read", f"mx100-{size}gb")[: len(_BELOW_PAGE)]
        for size in _SIZES
    }
    slow = [
        kept.cell("transfers", "mb_per_s", drive="m600-512gb", kind="read", kib=kib)
        for kib in (_BELOW_PAGE[0], _LARGEST)
    ]
    return undecided(
        "Simulated reads in ATTO of up to 4 KiB, M600 over MX100 at 128, 256 and 512 GB. The "
        "smaller drives read from their cache, in a time that is assumed. Small reads are slow: "
        f"{slow[0]:.0f} MB/s at {_BELOW_PAGE[0]:g} KiB against {slow[1]:.0f} at {_LARGEST:g}.",
        "; ".join(f"{min(row):.2f} to {max(row):.2f}" for row in gains.values()),
    )


@check("MX-024")
def more_planes_wait_longer_for_the_bus(claim: Claim) -> Finding:
    drive = drives.load("mx300-750gb")
    needs = bounds.demands(drive, PATTERNS["sequential_read"])
    moved = drive.page_bytes / drive.channel_bytes_per_s
    shares = [planes * moved / (drive.read_s + planes * moved) for planes in (2, drive.planes)]
    text = (
        f"{100 * shares[0]:.0f} % of a read with two planes and {100 * shares[1]:.0f} % with four"
    )
    return undecided(
        f"The bus takes {text}, since it carries the pages of the planes one after another. In "
        "reads in order all dies of a channel together keep it busy "
        f"{needs['channel'] / needs['die']:.1f} times as long as each is busy itself. That this "
        "slows the real drive depends on times that are assumed.",
        text,
    )


@check("MX-143")
def reads_in_order_are_average(claim: Claim) -> Finding:
    speeds = [_low(name, "sequential_read") for name in ("mx300-750gb", "mx200-500gb")]
    return undecided(
        "Simulated reads in order, mean of queue depths 1, 2 and 4, MX300 750GB and MX200 500GB. "
        "The other drives of the chart are not modelled.",
        " and ".join(f"{speed:.0f} MB/s" for speed in speeds),
    )


@check("MX-149")
def large_buffered_writes_need_no_depth(claim: Claim) -> Finding:
    rows = kept.table("desktop_depths")
    rows = rows[rows["pattern"] == "sequential_write"].set_index(["drive", "depth"])["mb_per_s"]
    shares = (rows.xs(1, level="depth") / rows.groupby("drive").max()).sort_values()
    return at_the_middle(
        _ratios(shares.tolist()),
        "Simulated writes in order, queue depth 1 over the best depth: "
        f"{', '.join(drives.load(name).name for name in shares.index)}.",
    )


@check("MX-153")
def mixes_are_nearly_as_fast(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    means = rows[rows["order"] == "random"].groupby("drive")["mb_per_s"].mean()
    ratios = [float(means["mx300-750gb"] / means[f"mx200-{size}gb"]) for size in (500, 1000)]
    return undecided(
        "Mean of six simulated mixes at queue depth 3, MX300 750GB over MX200 500GB and 1TB. The "
        "modelled MX300 reads from its cache, in a time that is assumed and decides the order.",
        _ratios(ratios),
    )


@check("MX-162")
def small_reads_are_slow_and_large_transfers_a_little(claim: Claim) -> Finding:
    reads, writes = (_transfers("mx300-750gb", kind, "mx200-500gb") for kind in ("read", "write"))
    return at_the_middle(
        f"reads {_ratios([reads[0], reads[-1]])}, writes {_ratios([writes[0], writes[-1]])}",
        f"Simulated ATTO, MX300 750GB over MX200 500GB, at {TRANSFER_KIB[0]:g} and at "
        f"{_LARGEST:g} KiB.",
    )


@check("MX-163")
def reads_a_little_low_and_cached_writes_normal(claim: Claim) -> Finding:
    rates = [
        kept.cell("transfers", "mb_per_s", drive="mx300-750gb", kind=kind, kib=_LARGEST)
        for kind in ("read", "write")
    ]
    return undecided(
        "Neither size nor depth of the test is given. Simulated reads and cached writes of "
        f"{_LARGEST:g} KiB in order, four at a time.",
        " and ".join(f"{rate:.0f} MB/s" for rate in rates),
    )


@check("DC-021")
def reads_of_the_m500dc_and_the_s3700(claim: Claim) -> Finding:
    access = PATTERNS["random_read"]
    ratios = [
        bounds.bound(drives.load("m500dc-480gb"), access, depth).iops
        / bounds.bound(drives.load("s3700-200gb"), access, depth).iops
        for depth in (1, 4, 16, 32)
    ]
    return undecided(
        "Random reads of M500DC 480GB over S3700 200GB at queue depths 1, 4, 16 and 32, by the "
        "bounds of the model. Ratings of both drives set its times.",
        _ratios(ratios),
    )
