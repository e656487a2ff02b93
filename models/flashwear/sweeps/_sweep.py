"""Evaluate a function at each point of a grid, on all cores."""

from __future__ import annotations

import collections
import hashlib
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flashwear._extras import require

if TYPE_CHECKING:
    import pandas as pd

Point = Callable[..., Mapping[str, float]]
"""A function to be called with the parameters of a grid point; it returns figures by name."""


def sweep(
    function: Point,
    grid: Mapping[str, Sequence[Any]],
    *,
    seed: int | None = None,
    n_jobs: int = -1,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Evaluate a function at every point of a grid, on several cores.

    Parameters
    ----------
    function : callable
        Called as ``function(**point)`` (with ``seed=...`` added when `seed` is given); returns
        a mapping of names to numbers, the same names at each point. Must be importable, so
        that other processes find it.
    grid : mapping of str to sequence
        Values of each parameter; the points are their product, in order.
    seed : int, optional
        Root seed, >= 0. The seed of a point (32 bits) is derived from it and from the names and
        values of the point, not from `n_jobs` or the rest of the grid. The values 1.0 and 1 give
        different seeds. With a seed, values must be numbers, texts, booleans, None or lists of
        these, and a point must not be in the grid twice.
    n_jobs : int
        Processes of this computer; -1 for all cores.
    cache : path, optional
        Folder in which the result of each point is kept, so that an interrupted run can go on.
        Results are identified only by function and point, so use another folder for each state of
        the code (``.cache/<hash>`` in this project's Makefile). The function must have a name, so
        not be a ``functools.partial``. Files there are unpickled, which may run any code: use no
        folder that others can write to.
    progress : bool
        Show a progress bar on stderr.

    Returns
    -------
    pandas.DataFrame
        One row for each point: its parameters, its seed if any, then the results.

    Raises
    ------
    ValueError
        If the grid is empty or does not fit a seed, if `function` does not fit a cache, if
        results differ in their names, or if a name stands both in the grid and in the result.
    SweepError
        If `function` raises; it names the point, and its ``finished`` holds those before it.

    Notes
    -----
    Inside ``joblib.parallel_config(backend="dask")``, with a ``distributed.Client`` open, all
    threads of that cluster's workers are used, and `cache` must be a folder that they all can read.
    If workers often vanish, set Dask's ``distributed.scheduler.allowed-failures`` high: joblib 1.6
    waits forever for a point that was given up.

    Examples
    --------
    >>> from flashwear import endurance
    >>> def rating(pe_cycles, waf):
    ...     return {"tb": endurance.tbw(256 * 2**30, pe_cycles, waf) / 1e12}
    >>> sweep(rating, {"pe_cycles": [1000, 3000], "waf": [1, 2]}, n_jobs=1)["tb"].round(1).tolist()
    [274.9, 137.4, 824.6, 412.3]
    """
    require("sim", "joblib", "pandas", *(["tqdm"] if progress else []))
    import pandas as pd
    from joblib import Memory, Parallel, delayed

    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if not points or not grid:
        raise ValueError(f"grid must hold at least one value for each parameter, got {grid!r}")
    if seed is not None:
        add_seeds(points, seed)
    name = getattr(function, "__name__", type(function).__name__)
    if cache is not None and not hasattr(function, "__qualname__"):
        raise ValueError(f"function must be a named function for a cache to find it, got {name}")
    call: Point = function
    if cache is not None:  # an absolute path: a worker of a cluster may stand in another folder
        call = Memory(os.path.abspath(cache), verbose=0).cache(function)
    failed: list[dict[str, Any]] = []
    wanted = (delayed(_attempt)(call, point) for point in points)
    jobs = Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="n_jobs")(
        itertools.takewhile(lambda _: not failed, wanted)
    )
    results = jobs
    if progress:
        from tqdm.auto import tqdm

        results = tqdm(jobs, total=len(points), desc=name)
    figures: list[Mapping[str, float]] = []
    for point, result in zip(points, results, strict=True):
        if isinstance(result, _Failure):
            failed.append(point)
            collections.deque(jobs, maxlen=0)  # the points under way: workers end by themselves
            finished = [done | dict(found) for done, found in zip(points, figures, strict=False)]
            raise SweepError(
                f"{name} failed at {point}: {result.text}", pd.DataFrame(finished)
            ) from result.error
        figures.append(result)
    for point, result in zip(points, figures, strict=True):
        if not isinstance(result, Mapping):
            raise ValueError(f"{name} must return a mapping of figures, got {result!r} at {point}")
        if set(result) != set(figures[0]):
            raise ValueError(
                f"{name} must return the same figures at each point, "
                f"got {list(figures[0])} at {points[0]} and {list(result)} at {point}"
            )
        if clash := set(point) & set(result):
            names = ", ".join(sorted(clash))
            raise ValueError(f"{name} returns names that the grid has too: {names}")
    return pd.DataFrame(
        [point | dict(result) for point, result in zip(points, figures, strict=True)]
    )


class SweepError(RuntimeError):
    """Raised for a failed point of a sweep; ``finished`` is the table of the points before it."""

    def __init__(self, message: str, finished: pd.DataFrame) -> None:
        super().__init__(message)
        self.finished = finished


class _Failure(NamedTuple):
    text: str
    error: Exception


def _attempt(call: Point, point: Mapping[str, Any]) -> Mapping[str, float] | _Failure:
    try:
        return call(**point)
    except Exception as error:
        return _Failure(f"{type(error).__name__}: {error}", error)


def add_seeds(points: list[dict[str, Any]], root: int) -> None:
    if isinstance(root, bool) or not isinstance(root, (int, np.integer)) or root < 0:
        raise ValueError(f"seed must be a whole number >= 0, got {root!r}")
    if "seed" in points[0]:
        raise ValueError('grid must not hold "seed" when seed is given: it would be replaced')
    known = set()
    for point in points:
        try:
            text = json.dumps([root, point], sort_keys=True, default=as_json)
        except TypeError as error:
            raise ValueError(
                "grid must hold numbers, text, booleans, None or lists of these "
                f"when seed is given, got {point} ({error})"
            ) from None
        if text in known:
            raise ValueError(
                f"grid must hold each point once when seed is given, got {point} again"
            )
        known.add(text)
        point["seed"] = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def as_json(value: Any) -> Any:
    """Convert numpy's numbers and arrays to Python's, for JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is none of these")
