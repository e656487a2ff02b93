"""Checks of the claims on the short tests: kept runs of the client tests, of ATTO and of mixes.

The reviews show these results as bars or curves in images, so that there are orders and shapes to
compare and hardly a figure. "Unchanged" and "slightly" are taken as within 10 %.
"""

from flashwear import drives
from flashwear.queueing import bounds
from flashwear.queueing.procedures import PATTERNS
from flashwear.study import sources
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided
from flashwear.study.protocols import CLIENT, TRANSFER_KIB

_SAME = 0.1
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
    gains = {
        test: [_gain(size, test) for size in _SIZES] for test in CLIENT if test.startswith("random")
    }
    reads = gains.pop("random read, full")
    return holds(
        all(abs(gain - 1) <= _SAME for row in (reads, *gains.values()) for gain in row),
        "; ".join(f"{test}: {_ratios(row)}" for test, row in gains.items()),
        "simulated M600 over MX100 at 128, 256 and 512 GB, client tests of 2014. Reads are equal "
        "by construction (same flash, same controller), and so are writes at 512 GB. On an empty "
        "small drive the cache lifts writes to near the limit of the controller; on a full one it "
        "is in the way. How full the drives were is not said, and equal lies between. The M550 is "
        "not modelled",
        yes="explained",
        no="not reproducible",
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
    return undecided(
        "simulated M600 over MX100 at 128 and 256 GB, one minute of writes in order. The review "
        "does not say how full its drives were, and a small gain lies between the two. Speeds "
        f"measured elsewhere (external) are {_ratios(elsewhere)} apart on empty drives",
        f"empty {_ratios(empty)}; full {_ratios(full)}",
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
    return holds(
        all(len(kib) == len(TRANSFER_KIB) for kib in lifted.values()),
        "; ".join(words),
        "simulated ATTO with its default of four requests at a time, M600 over MX100: where a "
        "transfer is smaller the controller sets the pace, and from 512 GB on there is no cache. "
        f"Lifted is taken as by {100 * _LIFTED - 100:.0f} %: the times of the two are known no "
        "better",
        yes="explained",
        no="not reproducible",
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
        "simulated reads in ATTO of up to 4 KiB, M600 over MX100 at 128, 256 and 512 GB: equal by "
        "construction at 512 GB; the smaller drives read their file from the cache, in a time "
        f"that is assumed. That they are slow follows without read-ahead: {slow[0]:.0f} MB/s at "
        f"{_BELOW_PAGE[0]:g} KiB against {slow[1]:.0f} at {_LARGEST:g}",
        "; ".join(f"{min(row):.2f} to {max(row):.2f}" for row in gains.values()),
    )


@check("MX-024")
def more_planes_wait_longer_for_the_bus(claim: Claim) -> Finding:
    drive = drives.load("mx300-750gb")
    needs = bounds.demands(drive, PATTERNS["sequential_read"])
    moved = drive.page_bytes / drive.channel_bytes_per_s
    shares = [planes * moved / (drive.read_s + planes * moved) for planes in (2, drive.planes)]
    return holds(
        shares[1] > shares[0],
        f"{100 * shares[0]:.0f} to {100 * shares[1]:.0f} % of a read",
        "share of the bus in the time that a die takes to read a page of each plane and send them, "
        "with two planes and with the MX300's four: true of any die whose planes work at once. "
        f"Reads in order keep its channels busy {needs['channel'] / needs['die']:.1f} times as "
        "long as its dies; the rate of the bus is assumed",
        yes="explained",
    )


@check("MX-143")
def reads_in_order_are_average(claim: Claim) -> Finding:
    speeds = [_low(name, "sequential_read") for name in ("mx300-750gb", "mx200-500gb")]
    return undecided(
        "mean of queue depths 1, 2 and 4, simulated, MX300 750GB and MX200 500GB. The field that "
        "it is average in is not modelled",
        " and ".join(f"{speed:.0f} MB/s" for speed in speeds),
    )


@check("MX-149")
def large_buffered_writes_need_no_depth(claim: Claim) -> Finding:
    rows = kept.table("desktop_depths")
    rows = rows[rows["pattern"] == "sequential_write"].set_index(["drive", "depth"])["mb_per_s"]
    shares = (rows.xs(1, level="depth") / rows.groupby("drive").max()).sort_values()
    return holds(
        bool((shares >= 1 - _SAME).all()),
        _ratios(shares.tolist()),
        "simulated writes of 128 KiB in order, depth 1 over the best depth: "
        f"{', '.join(drives.load(name).name for name in shares.index)}. Where the link is the "
        "limit, the pause of the host is missing at depth 1",
        yes="explained",
    )


@check("MX-153")
def mixes_are_nearly_as_fast(claim: Claim) -> Finding:
    rows = kept.table("mixes")
    means = rows[rows["order"] == "random"].groupby("drive")["mb_per_s"].mean()
    ratios = [float(means["mx300-750gb"] / means[f"mx200-{size}gb"]) for size in (500, 1000)]
    return undecided(
        "mean of the six simulated mixes at queue depth 3, MX300 750GB over MX200 500GB and 1TB. "
        "The modelled MX300 reads its 16 GB from the cache, in a time that is assumed, which "
        "decides the order; drives of other makers are not simulated in this test",
        _ratios(ratios),
    )


@check("MX-162")
def small_reads_are_slow_and_large_transfers_a_little(claim: Claim) -> Finding:
    reads, writes = (_transfers("mx300-750gb", kind, "mx200-500gb") for kind in ("read", "write"))
    return holds(
        max(reads[: len(_BELOW_PAGE)]) < 1 and max(reads[-1], writes[-1]) < 0.999,
        f"reads {_ratios([reads[0], reads[-1]])}, writes {_ratios([writes[0], writes[-1]])}",
        f"simulated ATTO, MX300 750GB over MX200 500GB, at {TRANSFER_KIB[0]:g} and at "
        f"{_LARGEST:g} KiB; slow is taken as slower than the MX200. Large transfers end at "
        "the link on both, and small reads come from the cache, in a time that is assumed",
        yes="explained",
        no="not reproducible",
    )


@check("MX-163")
def reads_a_little_low_and_cached_writes_normal(claim: Claim) -> Finding:
    rates = [
        kept.cell("transfers", "mb_per_s", drive="mx300-750gb", kind=kind, kib=_LARGEST)
        for kind in ("read", "write")
    ]
    return undecided(
        "neither size nor depth of the test is given. Simulated reads and cached writes of "
        f"{_LARGEST:g} KiB in order, four at a time, both end at the link: that writes are "
        "normal follows, that reads are not does not",
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
        "highest rates of M500DC 480GB over S3700 200GB at queue depths 1, 4, 16 and 32, in closed "
        "form. Those at 32 set the times; those at short queues rest on the longest time to read "
        "that a data sheet of Intel's flash allows",
        _ratios(ratios),
    )
