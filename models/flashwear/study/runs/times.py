"""The times of every drive of the catalogue by the fit, from which the drives read them."""

from __future__ import annotations

from flashwear import drives, predict


def of_drive(drive: str) -> dict[str, float]:
    """Return the times of a drive by the fit of all figures but those of the frozen lines.

    Parameters
    ----------
    drive : str
        Name of a drive.

    Returns
    -------
    dict
        Seconds by parameter, and with ``_low`` and ``_high`` the ends of an interval of 90 %; NaN
        for programs in SLC mode of a drive without a cache.
    """
    found = predict.times(drives.load(drive, calibrated=False))
    found = found.reindex([*found.index.drop("slc_program_s", errors="ignore"), "slc_program_s"])
    ends = {"value": "", "low": "_low", "high": "_high"}
    return {
        f"{time}{end}": float(found[column][time])
        for time in found.index
        for column, end in ends.items()
    }
