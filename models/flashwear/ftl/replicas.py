"""Runs of one drive with several seeds at once, and their joint statistics."""

import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from flashwear._domain import one_of, whole
from flashwear._extras import require
from flashwear.ftl._options import RunOptions
from flashwear.ftl.simulation import lengths, shown, simulate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Replicas:
    """The counters of the runs of :func:`replicate`, one for each seed.

    Attributes
    ----------
    runs : pandas.DataFrame
        A row per seed, with `seed` and the columns of :meth:`Result.to_frame`, such as `wa`.
    """

    runs: "pd.DataFrame"

    @property
    def wa(self) -> float:
        """Mean write amplification of the runs."""
        return float(self.runs["wa"].mean())

    @property
    def wa_interval(self) -> tuple[float, float]:
        """The 95 % confidence interval (low, high) of the mean write amplification over seeds."""
        return self.interval("wa")

    def interval(self, figure: str) -> tuple[float, float]:
        r"""Return the 95 % confidence interval of a result's mean over the seeds.

        .. math:: \bar x \pm t_{n-1,\,0.975}\, s/\sqrt n

        with the mean :math:`\bar x` and the standard deviation :math:`s` of :math:`n` runs, and
        Student's :math:`t`. Runs of different seeds are independent, so the runs may be short,
        unlike for :attr:`Result.wa_interval`. But a run that has not settled is off by the same
        amount for all seeds.

        Parameters
        ----------
        figure : str
            Name of a column of `runs` with numbers, such as "wa".

        Returns
        -------
        tuple of float
            Low and high; NaN where a run has no such number.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        from scipy.stats import t

        figures = [name for name in self.runs if self.runs[name].dtype != bool and name != "seed"]
        one_of("figure", figure, figures)
        values = self.runs[figure].to_numpy(float)
        half = t.ppf(0.975, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
        return float(values.mean() - half), float(values.mean() + half)


def replicate(
    user_pages: int,
    op: float,
    *,
    replicas: int = 8,
    seed: int = 0,
    n_jobs: int = -1,
    progress: bool | Callable[[int], object] | None = None,
    **arguments: Unpack[RunOptions],
) -> Replicas:
    """Run a drive with several seeds on all cores, and return their joint results.

    The runs are threads of this process; the loop is compiled once, and runs in parallel.

    Parameters
    ----------
    user_pages, op
        Pages that the host can address, and over-provisioning over these.
    replicas : int
        Number of runs, in [2, 10000].
    seed : int
        The first seed, a whole number >= 0; the others follow it one by one.
    n_jobs : int
        Number of runs at a time, as in joblib: -1 for one on each core. Each run takes the memory
        of a drive until it ends.
    progress : bool or callable, optional
        Whether to show a progress bar for all runs, or a function that is called with the number of
        pages written.
    **arguments
        Further arguments of :func:`simulate`.

    Raises
    ------
    ValueError
        For values outside these ranges, or of what :func:`simulate` takes.

    Examples
    --------
    >>> runs = replicate(5_000, op=0.28, pages_per_block=32, replicas=4)
    >>> runs.runs["seed"].tolist(), round(runs.wa, 1)
    ([0, 1, 2, 3], 2.4)
    """
    require("sim", "joblib", "pandas")
    import pandas as pd
    from joblib import Parallel, delayed

    if whole("n_jobs", n_jobs, -(2**10), 2**10) == 0:
        raise ValueError("n_jobs must be a whole number other than 0, got 0")
    first, count = whole("seed", seed, 0), whole("replicas", replicas, 2, 10_000)
    plan = inspect.signature(simulate).bind(user_pages, op, **arguments)
    plan.apply_defaults()
    names = ("user_pages", "fill", "warmup_drive_writes", "drive_writes")
    writes = sum(lengths(*(plan.arguments[name] for name in names)))
    lock, over = threading.Lock(), threading.Event()

    def run(number: int) -> "pd.DataFrame":
        figures = simulate(user_pages, op, seed=number, progress=told, **arguments).to_frame()
        return figures.assign(seed=number)

    def told(writes: int) -> None:
        if over.is_set():
            raise InterruptedError("another run has failed")
        with lock:
            show(writes)

    with shown(writes * count, progress) as show:
        try:
            rows = Parallel(n_jobs=n_jobs, backend="threading")(
                delayed(run)(number) for number in range(first, first + count)
            )
        except BaseException:
            over.set()
            raise
    return Replicas(pd.concat(rows, ignore_index=True))
