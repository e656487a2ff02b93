"""Checks of the claims on what keeps worn flash readable: moved voltages and parity over dies."""

import numpy as np

from flashwear import capacity, drives, wa
from flashwear.reliability import ecc, rber, retention, voltage
from flashwear.study.claims.registry import Claim, Finding, check, undecided
from flashwear.units import GIB


@check("DC-054")
def moved_thresholds_extend_life(claim: Claim) -> Finding:
    """Compare the cycles after which a client drive's errors pass correction, read both ways."""
    code = ecc.Bch(1024, 40)
    limit = code.rber_limit(1e-15)
    needed = retention.CLIENT
    gains = []
    for bound in ("low", "value", "high"):
        flash = rber.load("mlc-20nm", bound)
        fixed = rber.cycles_at(flash, limit, *needed)
        cycles = fixed * np.geomspace(0.9, 20, 2000)
        aged = rber.at(flash, cycles, *needed)
        aged, cycles = aged[aged < 0.49], cycles[aged < 0.49]
        followed = voltage.tracked(aged, rber.at(flash, cycles))
        gains.append(float(cycles[followed <= limit].max() / fixed))
    return undecided(
        "How these drives read their cells is not known. By the error rates published for MLC of "
        "20 nm, reading at voltages that follow the moved levels would allow "
        f"{min(gains):.2f} to {max(gains):.2f} times the cycles before a year at 30 °C (40 bits "
        "corrected in 1 KiB).",
        f"{gains[1]:.2f} times the cycles",
    )


@check("P4-029")
def parity_over_all_channels(claim: Claim) -> Finding:
    drive = drives.load("p400m-200gb")
    op = capacity.over_provisioning(drive.raw_bytes, drive.user_bytes)
    units = drive.stripe
    taken = drive.raw_bytes - capacity.after_parity(drive.raw_bytes, units)
    written = wa.fifo(wa.parity_op(op, units)) * wa.parity_factor(units)
    return undecided(
        f"How a drive is built, no calculation shows. With {units} blocks of data to one of "
        f"parity the parity takes {taken / GIB:.0f} GiB, and a random write costs {written:.2f} "
        f"page writes instead of {wa.fifo(op):.2f}.",
        f"{units} + 1",
    )
