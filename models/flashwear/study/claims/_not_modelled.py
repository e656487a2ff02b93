"""Checks of comparisons with drives that are not modelled, and of forecasts.

Nothing decides most of them. What the models or later facts know of one side is computed.
"""

import numpy as np

from flashwear import tables
from flashwear.study.claims import _field as field
from flashwear.study.claims import _storage_bench as bench
from flashwear.study.claims import kept
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.units import GIB, PB

_MLC = ("mx200-500gb", "mx200-1000gb")


@check("MX-135", "MX-171")
def reads_of_other_makers_drives(claim: Claim) -> Finding:
    rows = kept.table("desktop_depths").query("pattern == 'random_read' and depth <= 4")
    rates = [rows[rows["drive"] == drive]["mb_per_s"].mean() for drive in _MLC]
    return undecided(
        "Simulated random reads of the MX200 500GB and 1TB, mean of queue depths 1, 2 and 4. The "
        "drives that they are compared with are not modelled.",
        " and ".join(f"{rate:.0f}" for rate in rates) + " MB/s",
    )


@check("MX-158")
def mixes_of_planar_drives(claim: Claim) -> Finding:
    rows = kept.table("mixes").query("drive == 'mx300-750gb' and order == 'sequential'")
    return undecided(
        f"Simulated mean of {len(rows)} mixes of reads and writes in order on the MX300. The "
        "drives that it is compared with are not modelled.",
        f"{rows['mb_per_s'].mean():.0f} MB/s",
    )


@check("P4-085")
def reads_of_the_toshiba(claim: Claim) -> Finding:
    rates = [kept.rated(drive, "random read") for drive in ("p400m-200gb", "s3700-200gb")]
    return undecided(
        "Simulated random reads a second of the P400m 200GB and the S3700 200GB at queue depth "
        "32. The Toshiba is not modelled.",
        kept.kilo(*rates),
    )


@check("MX-214")
def near_the_top_of_tlc(claim: Claim) -> Finding:
    cases = ("heavy empty", "light empty")
    gains = [bench.gain("mx300-750gb", "840-evo-500gb", case) for case in cases]
    return undecided(
        "Synthetic streams with the published totals of Heavy and Light on an empty drive, data "
        "rate of the MX300 over that of the 840 EVO 500GB. Of other drives with TLC flash none "
        "is modelled.",
        " and ".join(bench.span(gain) for gain in gains),
    )


@check("MX-167")
def slightly_slower_than_the_mx200(claim: Claim) -> Finding:
    cases = kept.table("storage_bench")["case"].unique()
    gains = np.concatenate([bench.gain("mx300-750gb", drive, *cases) for drive in _MLC])
    behind = (gains >= -bench.SMALL) & (gains < -bench.EQUAL)
    return undecided(
        "Synthetic streams with the published totals of the traces, MX300 over MX200 500GB and "
        f"1TB on an empty and on a full drive: behind by {100 * bench.EQUAL:.0f} to "
        f"{100 * bench.SMALL:.0f} % in {behind.sum()} of {behind.size} runs.",
        bench.span(gains),
    )


@check("MX-168")
def must_compete_on_price(claim: Claim) -> Finding:
    prices = tables.prices_2016().set_index("drive")
    cents = 100 * prices["price_usd"] / prices["capacity_gb"]
    rivals = cents[cents.index.str.contains("850 EVO")]
    return undecided(
        "Cents per GB by the price table, MX300 750GB against the 850 EVO of 1 TB and 500 GB. "
        "Which is the faster, it does not show.",
        f"{cents['Crucial MX300 750GB']:.1f} against "
        f"{' and '.join(f'{cent:.1f}' for cent in rivals)}",
    )


@check("M6-213")
def the_cache_will_need_revisions(claim: Claim) -> Finding:
    lines = field.lines()
    later = lines[lines.index.str.contains("^MX[23]00") & lines["slc_mode"].notna()]
    return undecided(
        "A view of what a cache could reach, without a figure. Known is which later drives have "
        "one.",
        ", ".join(f"{line}: {mode}" for line, mode in later["slc_mode"].items()),
    )


@check("MX-074")
def other_sizes_may_be_rated_higher(claim: Claim) -> Finding:
    rows = [field.line(name) for name in ("MX300 1050GB", "MX200 1TB")]
    lives = [row.cycles_low * row.raw_gib * GIB / PB for row in rows]
    return undecided(
        "The cycles that the firmware counts life against times the flash, MX300 1050GB against "
        "MX200 1TB. That is no rating.",
        f"{lives[0]:.2f} against {lives[1]:.2f} PB",
    )


@check("MX-178")
def mlc_may_leave_sata(claim: Claim) -> Finding:
    lines = field.lines()
    later = lines[lines["group"] == "later"]
    return undecided(
        "The bits per cell of the SATA drives that were sold later would decide it.",
        f"known of {later['bits_per_cell'].notna().sum()} of {len(later)} later lines",
    )
