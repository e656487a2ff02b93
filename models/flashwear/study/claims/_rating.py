"""Checks of what the standard asks of a rating, and of lives that were told."""

from dataclasses import replace

from flashwear import endurance, tables, units
from flashwear.reliability import rber
from flashwear.reliability.ecc import Bch
from flashwear.reliability.jedec import CLIENT, ENTERPRISE
from flashwear.reliability.rating import error_limit
from flashwear.study import sources
from flashwear.study.claims.registry import Claim, Finding, check, judged, undecided
from flashwear.study.claims.rules import amplifications, in_draws, spread
from flashwear.units import GB, TB

_YEAR = 2016
"""Of the review that forecasts."""

CODES = (Bch.within(1024, 448 // 8), Bch.within(1024, 1872 // 16))
"""The strongest in the spare bytes of a 25 nm and a 16 nm page; of 20 nm no page was found."""


@check("DC-029", "DC-030")
def retention_of_the_standard(claim: Claim) -> Finding:
    required = {"enterprise": ENTERPRISE, "client": CLIENT}[claim.drive].off
    unit = {"months": units.YEAR / 12, "year": units.YEAR}[claim.unit]
    found = required.retention_s / unit
    return judged(
        found == claim.value,
        f"{found:g} {claim.unit} at {required.temperature_c:.0f} °C",
        f"The standard JESD218 asks that a worn {claim.drive} drive keeps its data for "
        f"{found:g} {claim.unit} without power at {required.temperature_c:.0f} °C. The comment "
        "leaves the temperature out.",
        "independent",
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
        "Which flash the drive has, is in no document. MLC of the 20 nm class lasts "
        f"{least:,.0f} to {most:,.0f} cycles by its published bit errors, with codes that correct "
        f"{bits} bits in a kilobyte, and a year at 30 °C: too wide to tell.",
        f"{least:,.0f} to {most:,.0f} cycles",
    )


@check("C2-008")
def fifteen_years(claim: Claim) -> Finding:
    load = sources.discussion("client SSDs", "host writes they should bear for years")
    failed = sources.discussion("X25-M", "time to failure")
    cycles = sources.external("IMFT 25nm MLC", "P/E rating, low")
    written = claim.value * 365 * load * GB
    flash = written / endurance.tbw(1, cycles)
    how = (
        f"The next comment tells of a drive that failed after {failed:.0f} years, against never. "
        f"Wear alone would allow {claim.value:.0f} years: {load:.0f} GB a day come to "
        f"{written / TB:.0f} TB, the cycles of {flash / GB:.0f} GB of flash at {cycles:,.0f} each."
    )
    text = f"{failed:.0f} years, one drive"
    if failed >= claim.value:
        return undecided(how, text)
    return Finding("in tension", "arithmetic", text, how)


@check("MX-012")
def more_capacity_than_mlc_drives(claim: Claim) -> Finding:
    sold = tables.external()
    sold = sold[(sold["drive"] == "MX300") & sold["quantity"].str.startswith("model capacity")]
    before = [sources.user_capacity(f"MX200 {size}") / GB for size in ("500GB", "1TB")]
    above = [min(sold["value"][sold["value"] > size], default=0.0) for size in before]
    return judged(
        all(0 < new / old - 1 <= 0.1 for new, old in zip(above, before, strict=True))
        and sold["value"].max() > max(before),
        ", ".join(f"{new:,.0f} GB for {old:,.0f}" for new, old in zip(above, before, strict=True))
        + f", and {sold['value'].max():,.0f}",
        "Forecast; for each MX200 a somewhat larger MX300 was sold later, and one larger than all. "
        "What it did to prices is not checked.",
        sources.speaker("MX300", "model capacity 2050 GB"),
    )


@check("MX-174")
def neither_filled_nor_written_long(claim: Claim) -> Finding:
    raw, user = sources.Rating("MX300 750GB").raw, sources.user_capacity("MX300 750GB")
    full, free = (amplifications(raw, user, used) for used in (1.0, 0.75))
    found = in_draws(
        [a > 2 * b for a, b in zip(full, free, strict=True)],
        f"{spread(full)} against {spread(free)}",
        "Write amplification under random writes, full and with a quarter of the addresses free: "
        "a full drive programs and wears its flash more than twice as much. Long heavy loads, and "
        "the cache, were not looked at.",
    )
    if found.outcome == "holds":
        return replace(found, outcome="partly", part="against filling")
    return found


@check("MX-175")
def end_of_the_bx_line(claim: Claim) -> Finding:
    launched = int(sources.external("BX300", "year of launch"))
    return judged(
        launched <= _YEAR,
        f"BX300 in {launched}",
        "Forecast; a year after the review the line went on with a new drive, of 3D flash.",
        sources.speaker("BX300", "year of launch"),
    )


@check("MX-176")
def nvme_drive_named_ballistix(claim: Claim) -> Finding:
    name = ("Ballistix TX3", "year of cancellation before sale")
    cancelled = int(sources.external(*name))
    return judged(
        cancelled < _YEAR,
        f"cancelled in {cancelled}",
        "Forecast; the drive was shown, and given up before it was sold.",
        sources.speaker(*name),
    )
