"""Operation times of every drive of the catalogue by the fit; calibrated drives read them."""

from __future__ import annotations

from flashwear import drives, predict
from flashwear.sweeps import Study
from flashwear_book.runs._reads import fitted


def of_drive(drive: str) -> dict[str, float]:
    """Return a drive's operation times by the fit to all known speeds.

    Result: the median of each time in seconds by its name, such as "read_s"; and, with ``_low``
    and ``_high`` added to the name, the ends of its 90 % interval; NaN for program operations in
    SLC mode of a drive without a cache.
    """
    found = predict.times(drives.load(drive, calibrated=False))
    found = found.reindex([*found.index.drop("slc_program_s", errors="ignore"), "slc_program_s"])
    ends = {"value": "", "low": "_low", "high": "_high"}
    return {
        f"{time}{end}": float(found[column][time])
        for time in found.index
        for column, end in ends.items()
    }


STUDIES = (
    Study(
        name="times",
        function=of_drive,
        grid={"drive": drives.names()},
        reduced={"drive": ["m600-256gb", "mx300-750gb"]},
        keys=("drive",),
        # the fit ends when its steps are small, not when there are none
        tolerance={"write_unit_s": 1e-7, "program_s": 1e-5},
        reads=fitted,
    ),
)
