"""Times of the controllers that no source gives, set so that a few stated figures come out.

At most three for each generation of flash, by least squares over simulated runs. All other
figures are predictions. The drives read their calibrated values from the table that this makes, so
here they are loaded without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear import drives, tables
from flashwear.queueing.procedures import PATTERNS
from flashwear.queueing.protocol import Protocol

if TYPE_CHECKING:
    import pandas as pd

SCALE = 1 / 64
"""Size of the simulated drives."""

TESTS: Mapping[str, Protocol] = {
    "random_read": Protocol(access=PATTERNS["random_read"], depth=32, seconds=0.5 / SCALE),
    "random_write": Protocol(
        access=PATTERNS["random_write"], depth=32, seconds=3.0 / SCALE, random_drive_writes=2.0
    ),
    "fresh_write": Protocol(
        access=PATTERNS["random_write"], depth=32, seconds=0.5 / SCALE, fill="none"
    ),
    "cached_write": Protocol(access=PATTERNS["sequential_write"], seconds=0.5 / SCALE, fill="none"),
}
"""What is simulated of a target: 4 KiB at random on a full drive, in the steady state or on an
empty drive, or 128 KiB in order to an empty one."""

_STARTS = (0.9, 0.5)

Floats = NDArray[np.float64]


class Target(NamedTuple):
    """A stated figure: 4 KiB requests a second at queue depth 32, or MB/s into the cache."""

    drive: str
    pattern: str
    source: str  # a claim, or a row of data/external.csv as drive: quantity

    def stated(self) -> float:
        """Return the figure that the source has, in requests a second or in MB/s."""
        if ":" in self.source:
            drive, quantity = self.source.split(": ")
            rows = tables.external()
            return float(rows.value[(rows.drive == drive) & (rows.quantity == quantity)].item())
        rows = tables.claims()
        text = rows.stated[rows.id == self.source].item()
        return float(text.replace("K", "e3"))


class Fit(NamedTuple):
    """What is calibrated together: parameters, the figures they are set against, the fit before."""

    flash: str
    parameters: tuple[str, ...]
    targets: tuple[Target, ...]
    after: str | None = None


FITS: Mapping[str, Fit] = {
    "P400m": Fit(
        "25 nm MLC",
        ("read_command_s", "copy_s"),
        (  # the largest model reads fastest: the controller of all three takes no longer
            Target("p400m-400gb", "random_read", "P4-017"),
            Target("p400m-200gb", "random_write", "P4-019"),
        ),
    ),
    "M500DC": Fit(
        "20 nm MLC",
        ("read_command_s", "write_command_s", "copy_s"),
        (
            Target("m500dc-480gb", "random_read", "DC-020"),
            Target("m500dc-480gb", "random_write", "M500DC 480GB: rated random write 4KB"),
            Target("m500dc-800gb", "random_write", "M500DC 800GB: rated random write 4KB"),
        ),
    ),
    "M600, MX200": Fit(
        "16 nm MLC",
        ("read_command_s", "write_command_s"),
        (
            Target("m600-1024gb", "random_read", "M6-032"),
            Target("m600-1024gb", "fresh_write", "M6-036"),
        ),
    ),
    "M600 cache": Fit(
        "16 nm MLC",
        ("slc_program_s",),
        (Target("m600-128gb", "cached_write", "M6-081"),),
        after="M600, MX200",
    ),
    "MX300": Fit(
        "3D TLC",
        ("read_command_s",),
        (Target("mx300-750gb", "random_read", "MX-043"),),
    ),
    "S3700, S3500": Fit(
        "25 nm MLC",
        ("read_command_s",),
        (Target("s3700-200gb", "random_read", "P4-058"),),
    ),
}
"""By controller; ``data/drives.toml`` says what takes the values. Of the cache the first stage of a
sweep of the M600 128GB is all that is used."""


def speed(drive: drives.Drive, pattern: str, seed: int = 0) -> float:
    """Simulate what a target states, on a drive of :data:`SCALE`.

    Parameters
    ----------
    drive : Drive
        The drive, at its size.
    pattern : str
        One of :data:`TESTS`: requests a second, or MB/s of "cached_write".
    seed : int
        Seed of the requests.
    """
    figures = TESTS[pattern].figures(drive, seed=seed, scale=SCALE, progress=False)
    return float(figures["mb_per_s" if pattern == "cached_write" else "iops"])


def _table(fit: Fit) -> pd.DataFrame:
    """Return the parameters of the drive whose bands a fit keeps to, by name."""
    return drives.parameters(fit.targets[0].drive, calibrated=False).set_index("parameter")


def fitted(name: str, fixed: Mapping[str, object] | None = None) -> tuple[dict[str, float], Floats]:
    """Fit what is calibrated together, within the bands.

    Parameters
    ----------
    name : str
        One of :data:`FITS`.
    fixed : mapping of str to object, optional
        Parameters of the drives to hold at a value, those to fit among them or others.

    Returns
    -------
    tuple
        The fitted values by parameter, and for each target the natural logarithm of simulated
        over stated.
    """
    from scipy.optimize import least_squares

    fit = FITS[name]
    held = {**_found_before(fit.after), **(fixed or {})}
    targets = [drives.load(target.drive, calibrated=False) for target in fit.targets]
    free = [name for name in fit.parameters if name not in held]
    table = _table(fit)
    low, high = (table.loc[free, end].astype(float).to_numpy() for end in ("low", "high"))

    def misfit(values: Floats) -> Floats:
        chosen: dict[str, Any] = {**held, **dict(zip(free, values.tolist(), strict=True))}
        rates = [
            speed(replace(drive, **chosen), target.pattern) / target.stated()
            for drive, target in zip(targets, fit.targets, strict=True)
        ]
        return np.log(rates)

    if not free:
        return {}, misfit(np.empty(0))
    # in units of the band; from high up in it, where the controller is what limits a drive, and
    # from lower down, as the misfit may have no slope at either; a step of 2 % of the band is far
    # above the noise of a run
    found = min(
        (
            least_squares(
                lambda x: misfit(low + x * (high - low)),
                np.full(len(free), start),
                bounds=(0, 1),
                diff_step=0.02,
                xtol=1e-3,
                ftol=1e-6,
                max_nfev=20,
            )
            for start in _STARTS
        ),
        key=lambda fit: float(fit.cost),
    )
    values = low + found.x * (high - low)
    return dict(zip(free, values.tolist(), strict=True)), found.fun


@cache
def _found_before(name: str | None) -> dict[str, float]:
    """Return what a fit finds, to the hundredth of a microsecond that drives take of it."""
    if name is None:
        return {}
    return {parameter: round(value, 8) for parameter, value in fitted(name)[0].items()}


HELD = ("read_command_s", "write_command_s", "copy_s")
"""Parameters of every drive that are calibrated for one or the other."""

PARAMETERS = (*HELD, "slc_program_s")
"""All that are calibrated; the last only where there is a cache."""

OTHERS = ("read_s", "program_s")
"""Parameters that are calibrated for none and might have been."""


def profile(fit: str, parameter: str, position: float) -> dict[str, float]:
    """Hold a parameter at a place in its band, fit the others and give the misfit.

    Where the misfit hardly grows over the band, the figures do not identify the parameter. The runs
    are seeded, so that a rerun agrees but for rounding: the tolerance is that of the fit, 1 %.

    Parameters
    ----------
    fit : str
        One of :data:`FITS`.
    parameter : str
        One of :data:`PARAMETERS`, one of :data:`OTHERS`, or "none". Nothing is held of "none", nor
        of a parameter that the drive does not have.
    position : float
        Place in the band, in [0, 1]; of a parameter that is held at no place any.

    Returns
    -------
    dict
        ``held``, the value held (of a list of times the mean); ``misfit``, the root mean square of
        the logarithms of simulated over stated; and the calibrated parameters, NaN where it has
        none.
    """
    chosen = FITS[fit]
    table = _table(chosen)
    fixed: dict[str, Any] = {}
    if parameter in table.index:
        row = table.loc[parameter]
        low, high = (np.asarray(row[end]) for end in ("low", "high"))
        value = low + position * (high - low)
        fixed[parameter] = tuple(value.tolist()) if value.ndim else value.item()
    values, misfit = fitted(fit, fixed)
    return {
        "held": float(np.mean(fixed.get(parameter, np.nan))),
        "misfit": float(np.sqrt(np.mean(misfit**2))),
        **{
            name: values.get(name, fixed.get(name, np.nan)) if name in chosen.parameters else np.nan
            for name in PARAMETERS
        },
    }
