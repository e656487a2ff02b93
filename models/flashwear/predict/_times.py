"""The service times of a drive, from the fit to all measured and rated speeds."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flashwear import drives as catalogue
from flashwear._domain import whole
from flashwear._extras import require
from flashwear.drives import Drive
from flashwear.predict._speeds import fitted
from flashwear.predict.draws import time_draws
from flashwear.predict.fit import Fit
from flashwear.predict.hierarchy import prior, terms
from flashwear.predict.likelihood import design
from flashwear.queueing import work

if TYPE_CHECKING:
    import pandas as pd

_OF_DRIVES = ("read_command_s", "read_unit_s", "write_command_s", "write_unit_s", "read_s",
              "program_s", "slc_program_s")  # fmt: skip
_DRAWS = 2000
_MOST_DRAWS = 20_000


def times(drive: Drive, *, seed: int = 0, without: str | None = None) -> pd.DataFrame:
    """Return a drive's operation times, from the fit to all measured and rated speeds.

    If no known speed of the drive depends on a time, this time is hardly known: its interval is
    that of all drives. Times of one drive are not independent (:func:`draws_of_times`).

    Parameters
    ----------
    drive : Drive
        The drive, of which ``controller``, ``flash``, ``line``, ``enterprise`` and the link are
        used. The times that it has are ignored.
    seed : int
        Seed of the random draws from which the intervals are computed.
    without : str, optional
        A product line whose speeds are left out of the fit.

    Returns
    -------
    DataFrame
        A row for each operation: its time in seconds, ``value`` (the median), with an interval of
        90 % from ``low`` to ``high``. The program operation in SLC mode is there for drives with a
        cache only.

    Raises
    ------
    ValueError
        For what is no drive, or an unknown line.

    Examples
    --------
    >>> from flashwear import drives
    >>> found = times(drives.load("m600-256gb"))
    >>> bool(1e-3 < found.value["program_s"] < 2.5e-3)
    True
    """
    require("sim", "pandas")
    import pandas as pd

    drawn = draws_of_times(drive, _DRAWS, seed=seed, without=without)
    quantiles = {"value": 0.5, "low": 0.05, "high": 0.95}
    return pd.DataFrame(
        {name: np.quantile(list(drawn.values()), part, axis=1) for name, part in quantiles.items()},
        index=pd.Index(drawn, name="time"),
    )


def draws_of_times(
    drive: Drive, draws: int, *, seed: int = 0, without: str | None = None
) -> dict[str, NDArray[np.float64]]:
    """Return joint posterior draws of a drive's operation times.

    With the same seed and number of draws, drives that share a part, such as a controller, get the
    same times of this part in each draw.

    Parameters
    ----------
    drive, seed, without
        Drive, seed of the random draws, and a product line whose speeds are left out of the fit.
    draws : int
        Number of draws, in [1, 20000].

    Returns
    -------
    dict of str to ndarray
        Draws of each time, in seconds, by the time's name.

    Examples
    --------
    >>> from flashwear import drives
    >>> drawn = draws_of_times(drives.load("m600-256gb"), 100)
    >>> drawn["program_s"].shape
    (100,)
    """
    if not isinstance(drive, Drive):
        raise ValueError(f"drive must be a Drive, got {drive!r}")
    number = whole("draws", draws, 1, _MOST_DRAWS)
    rng = np.random.default_rng(whole("seed", seed, 0))
    counts = np.ones((1, len(work.STATIONS), len(work.TIMES)))
    drawn = time_draws(fitted(without), [drive], counts, number, rng)[:, 0]
    return {
        name: drawn[:, work.TIMES.index(name)]
        for name in _OF_DRIVES
        if drive.has_cache or name != "slc_program_s"
    }


def calibrated(drive: Drive, *, without: str | None = None) -> Drive:
    """Return a copy of a drive with operation times that are fitted to known speeds of drives.

    They are the medians of :func:`times`, by the drive's controller, flash and product line. The
    fit reads the planes of flash of 112 layers and more apart; the simulation and
    :func:`flashwear.queueing.bounds.bound` let a die read one page at a time. Where dies limit
    random reads, as in drives of few large dies, these give too few: a 1 TB P3 reads 2.7 times as
    many by :func:`flashwear.predict.speeds`.

    Parameters
    ----------
    drive : Drive
        The drive, whose own times are ignored.
    without : str, optional
        A product line whose speeds are left out of the fit.

    Examples
    --------
    A drive of one's own, as fast as drives of its controller and its flash:

    >>> from flashwear import drives
    >>> mine = drives.assemble(
    ...     controller="marvell-88ss9189", flash="micron-16nm-mlc-128gbit", dies=24,
    ...     user_bytes=360_000_000_000)
    >>> mine.write_unit_s == calibrated(mine).write_unit_s
    False
    """
    return drive.with_times(times(drive, without=without)["value"].to_dict())


def assemble(**parts: Any) -> Drive:
    """Return a drive made of parts, with operation times that are fitted to known speeds.

    Parameters
    ----------
    **parts
        Those of :func:`flashwear.drives.assemble`; times among them stay as they are given.

    Raises
    ------
    ValueError
        If there is no such part or parameter, or no drive can be made so.

    Examples
    --------
    >>> drive = assemble(
    ...     controller="phison-e18", flash="micron-176l-tlc-512gbit", dies=16,
    ...     user_bytes=1_000_000_000_000 // 4096 * 4096)
    >>> drive.read_command_s < 1e-6
    True
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drive = catalogue.assemble(**parts)
    own = {name: value for name, value in parts.items() if name in _OF_DRIVES}
    return replace(calibrated(drive), **own)


def times_by(found: Fit, drive: Drive) -> dict[str, float]:
    """Return the most probable operation times of a drive by a given fit, in seconds.

    Parameters
    ----------
    found : Fit
        Result of :func:`flashwear.predict.fit.fit`. For a part that no drive of the fit has, the
        centre of the prior is used.
    drive : Drive
        The drive, whose own times are ignored.

    Examples
    --------
    >>> from flashwear import drives
    >>> from flashwear.predict._speeds import fitted
    >>> drive = drives.load("m600-256gb")
    >>> at_mode = times_by(fitted(None), drive)["write_unit_s"]
    >>> round(at_mode / drive.write_unit_s, 1)
    1.0
    """
    known = set(found.names)
    new = [term for term in terms(drive, without=found.without) if term[:3] not in known]
    counts = np.ones((1, len(work.STATIONS), len(work.TIMES)))
    base, columns = design([drive], [""], counts, [*found.names, *(term[:3] for term in new)])
    means = np.append(found.mean, [prior(term)[0] for term in new])
    seconds = np.exp(base[0] + columns @ means)
    return {
        name: float(seconds[work.TIMES.index(name)])
        for name in _OF_DRIVES
        if drive.has_cache or name != "slc_program_s"
    }
