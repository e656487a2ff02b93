"""The speeds of a drive, each with an interval."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flashwear import drives
from flashwear._domain import whole
from flashwear._extras import require
from flashwear._shown import patience
from flashwear.predict import rated_speeds as tabled
from flashwear.predict.draws import printed_draws
from flashwear.predict.fit import Fit, fit
from flashwear.predict.tests import TESTS
from flashwear.queueing import work

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["speeds"]

_QUANTILES = {"median": 0.5, "low_50": 0.25, "high_50": 0.75, "low_90": 0.05, "high_90": 0.95}
_MOST_DRAWS = 100_000


def speeds(
    drive: drives.Drive | str, *, draws: int = 2000, seed: int = 0, without: str | None = None
) -> pd.DataFrame:
    """Return the speed predicted for a drive in each speed test, with intervals.

    The times of controllers and flash come from a fit to the speeds in ``data/speeds.csv`` by
    :func:`flashwear.predict.fit.fit`. How long each station of the drive (link, controller,
    channel, die) works on a request of a test follows from the design of the drive
    (:mod:`flashwear.queueing.bounds`). The times of a part without any known speed, such as a new
    controller, are drawn from those of its kind. The fit includes a drive's own speeds if they are
    in the table. Intervals are too narrow for lines unlike those of the table, such as QLC.

    Parameters
    ----------
    drive : Drive or str
        A drive, for instance from :func:`flashwear.drives.assemble`, or the name of one for
        :func:`flashwear.drives.load`.
    draws : int
        Number of draws from which the intervals are computed, in [100, 100000].
    seed : int
        Seed of the random draws, >= 0.
    without : str, optional
        A product line, as ``Drive.line`` has it, whose speeds are left out of the fit.

    Returns
    -------
    pandas.DataFrame
        A row for each test that applies, in the order of :data:`flashwear.predict.TESTS`, by its
        name: ``unit``, ``median``, ``low_50`` and ``high_50``, ``low_90`` and ``high_90`` (ends of
        the central intervals of 50 and 90 %), and ``limit``, the station that is the bottleneck in
        most draws. The last row is "steady write amplification", a ratio. Its interval is not
        statistical: it spans the results of the formulas for greedy cleaning, FIFO and the drive's
        policy.

    Raises
    ------
    ValueError
        For an unknown drive or line, a map unit that is no multiple of 4096 bytes, a drive without
        spare for random writes, or outside these ranges.

    Examples
    --------
    >>> found = speeds("850-evo-250gb")
    >>> found.loc["random read", "unit"], found.loc["sequential read", "limit"]
    ('IOPS', 'link')
    """
    require("sim", "pandas")
    import pandas as pd

    made = drives.load(drive) if isinstance(drive, str) else drive
    if not isinstance(made, drives.Drive):
        raise ValueError(f"drive must be a Drive or the name of one, got {drive!r}")
    if without is not None and not isinstance(without, str):
        raise ValueError(f"without must be the name of a line or None, got {without!r}")
    number = whole("draws", draws, 100, _MOST_DRAWS)
    rng = np.random.default_rng(whole("seed", seed, 0))
    found = fitted(without)
    names = [name for name, test in TESTS.items() if test.applies_to(made)]
    asked = [TESTS[name] for name in names]
    each = [test.work_on(made) for test in asked]
    needed = work.Work(
        np.array([one.fixed_s for one in each]), np.array([one.counts for one in each])
    )
    figures = [("rated", name) for name in names]
    log, demands = printed_draws(found, [made] * len(names), needed, figures, number, rng)
    per_request = np.array(
        [1.0 if test.unit == "IOPS" else test.protocol.access.size / 1e6 for test in asked]
    )
    drawn = np.exp(log) * per_request
    rows = {
        name: {"unit": test.unit, **_summed_up(drawn[:, place]), "limit": _limit(demands[:, place])}
        for place, (name, test) in enumerate(zip(names, asked, strict=True))
    }
    rows["steady write amplification"] = {
        "unit": "1",
        **_summed_up(_amplification(made, number, rng)),
        "limit": "",
    }
    table = pd.DataFrame(rows).T.rename_axis("test")
    return table.astype(dict.fromkeys(_QUANTILES, float))[["unit", *_QUANTILES, "limit"]]


@lru_cache(maxsize=16)
def fitted(without: str | None) -> Fit:
    """Return the cached fit of operation times to all known speeds but those of a product line."""
    with patience("fitting the speeds of all known drives, up to half a minute, once"):
        return _fitted(without)


def _fitted(without: str | None) -> Fit:
    rows = tabled.rated_speeds()
    if without is None:
        return fit(rows)
    lines = np.array([drive.line for drive in rows.drives])
    if without not in lines:
        raise ValueError(
            f"without must be a line with figures, one of {', '.join(sorted(set(lines)))}, "
            f"got {without!r}"
        )
    return fit(rows.where(lines != without))


def _summed_up(drawn: NDArray[np.float64]) -> dict[str, float]:
    return dict(
        zip(_QUANTILES, np.quantile(drawn, list(_QUANTILES.values())).tolist(), strict=True)
    )


def _limit(demands: NDArray[np.float64]) -> str:
    held = np.bincount(demands.argmax(axis=-1), minlength=len(work.STATIONS))
    return work.STATIONS[int(held.argmax())]


def _amplification(
    drive: drives.Drive, number: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return draws between the formulas of the policies, evenly in the logarithm."""
    test = TESTS["random write, steady"]
    policies = {"greedy", "fifo", drive.policy}
    told = [test.write_amplification(replace(drive, policy=each)) for each in policies]
    part = rng.random(number)
    return np.asarray(min(told) ** (1 - part) * max(told) ** part)
