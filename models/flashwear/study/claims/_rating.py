"""Checks of what the standard asks of a rating, and of lives that were told."""

from flashwear import capacity, endurance, units, wa
from flashwear.reliability import rber
from flashwear.reliability.ecc import Bch
from flashwear.reliability.jedec import CLIENT, ENTERPRISE
from flashwear.reliability.rating import error_limit
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, holds, undecided
from flashwear.units import GB, TB

CODES = (Bch.within(1024, 448 // 8), Bch.within(1024, 1872 // 16))
"""The strongest in the spare bytes of a 25 nm and a 16 nm page; of 20 nm no page was found."""


@check("DC-029", "DC-030")
def retention_of_the_standard(claim: Claim) -> Finding:
    required = {"enterprise": ENTERPRISE, "client": CLIENT}[claim.drive].off
    unit = {"months": units.YEAR / 12, "year": units.YEAR}[claim.unit]
    found = required.retention_s / unit
    return holds(
        found == claim.value,
        f"{found:g} {claim.unit} at {required.temperature_c:.0f} °C",
        "the table of classes of JESD218; the comment leaves the temperatures out, which differ",
    )


@check("DC-047")
def cycles_as_told(claim: Claim) -> Finding:
    flashes = [rber.load("mlc-20nm", end) for end in ("high", "low")]
    least, most = (
        rber.cycles_at(flash, error_limit(code, CLIENT), *CLIENT.off)
        for flash, code in zip(flashes, CODES, strict=True)
    )
    bits = " to ".join(f"{code.correctable}" for code in CODES)
    return undecided(
        "a figure told by the maker or by hearsay. Computed: what the bit errors published for MLC "
        f"of the 20 nm class and BCH codes of {bits} bits in a kilobyte leave for a year at 30 °C, "
        "too wide an interval to decide",
        f"{least:,.0f} to {most:,.0f} cycles",
    )


@check("C2-008")
def fifteen_years(claim: Claim) -> Finding:
    load = sources.discussion("client SSDs", "host writes they should bear for years")
    failed = sources.discussion("X25-M", "time to failure")
    cycles = sources.external("IMFT 25nm MLC", "P/E rating, low")
    written = claim.value * 365 * load * GB
    flash = written / endurance.tbw(1, cycles)
    return holds(
        failed >= claim.value,
        f"{failed:.0f} years, one drive",
        "the next comment, on the other drive named, denies that they never fail. Wear would allow "
        f"it: {load:.0f} GB a day come to {written / TB:.0f} TB, {flash / GB:.0f} GB of flash at "
        f"{cycles:,.0f} cycles (external) for each unit of write amplification",
    )


@check("C2-009")
def one_failure(claim: Claim) -> Finding:
    return undecided("the fate of one drive, of a cause that is not told; no rate follows from it")


@check("MX-012")
def more_capacity_than_mlc_drives(claim: Claim) -> Finding:
    later = sources.external("MX300", "model capacity 2050 GB")
    largest = sources.user_capacity("MX200 1TB") / GB
    return holds(
        later > largest,
        f"{later:,.0f} against {largest:,.0f} GB",
        "the largest MX300 that was sold later (external) and the largest MX200 of the table",
        yes="predicted",
    )


@check("MX-174")
def neither_filled_nor_written_long(claim: Claim) -> Finding:
    raw, user = sources.Rating("MX300 750GB").raw, sources.user_capacity("MX300 750GB")
    full, quarter_free = (wa.fifo(capacity.span_op(raw, user, used)) for used in (1.0, 0.75))
    return holds(
        full > 2 * quarter_free,
        f"{full:.2f} against {quarter_free:.2f}",
        "write amplification under random writes, full and with a quarter of the addresses free: "
        "what the flash programs, and so the wear and the steady rate. The cache is left out",
        yes="explained",
    )


@check("MX-175")
def end_of_the_bx_line(claim: Claim) -> Finding:
    launched = int(sources.external("BX300", "year of launch"))
    return Finding(
        "contradicted",
        f"BX300 in {launched}",
        "a later fact (external): a year after the review the line went on, with a new drive of 3D "
        "flash, and planar flash ended without it",
    )


@check("MX-176")
def nvme_drive_named_ballistix(claim: Claim) -> Finding:
    cancelled = int(sources.external("Ballistix TX3", "year of cancellation before sale"))
    return Finding(
        "contradicted",
        f"cancelled in {cancelled}",
        "a later fact (external): the TX3 was shown, and given up before it was sold",
    )


@check("M6-121", "M6-169", "M6-212", "MX-010", "MX-081")
def preferences_and_markets(claim: Claim) -> Finding:
    return undecided("a preference or a view of the market; no model here decides it")
