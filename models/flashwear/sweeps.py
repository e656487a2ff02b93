"""Parameter studies: any function over a grid, resumable, and kept as a small table.

:func:`sweep` runs a function at each point of a grid on all cores. A
:class:`Study` is a sweep worth keeping: its result is committed to
``data/results/`` with parameters, seed, date, tolerance and a hash of the definitions and
the rows of tables that made it, so that a book can show it, rerun it at a reduced scale and refuse
to build when the rerun disagrees.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flashwear import _reach
from flashwear._domain import number
from flashwear._extras import require

if TYPE_CHECKING:
    import pandas as pd

Point = Callable[..., Mapping[str, float]]
"""What a sweep calls, with the parameters of one grid point; it returns named figures."""

_NO_RESULT = {"flashwear._compiled:_njit"}  # how code is compiled and kept, not what it computes


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
        Root seed, >= 0. The seed of a point (32 bits) is derived from it and from the point's
        own names and values: it stays when the grid is reordered or gets more values, and does
        not depend on `n_jobs`. It is another for 1.0 than for 1. The values must then be
        numbers, text, booleans, None or lists of these, and no point may stand in the grid twice.
    n_jobs : int
        Processes of this computer; -1 for all cores.
    cache : path, optional
        Folder that keeps each point's result, so that a broken run goes on where it stopped.
        The results are found again by function and point alone: use one folder for each
        state of the code (``.cache/<hash>`` in this project's Makefile). Needs a named
        function, not a ``functools.partial``. What lies there is unpickled, which may run any
        code: use no folder that others can write to.
    progress : bool
        Show a progress bar on stderr.

    Returns
    -------
    pandas.DataFrame
        One row for each point: its parameters, its seed if any, then the figures.

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
    threads of that cluster's workers are used, and `cache` must be a folder that they all see.
    Points lost with a worker are computed on another. A point that more workers die of than
    Dask's ``distributed.scheduler.allowed-failures`` (3, read as the scheduler starts) is given up,
    and joblib 1.6 then waits without end: set it high where workers often vanish.

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
        _add_seeds(points, seed)
    name = getattr(function, "__name__", type(function).__name__)
    if cache is not None and not hasattr(function, "__qualname__"):
        raise ValueError(f"function must be a named function for a cache to find it, got {name}")
    call: Point = function
    if cache is not None:  # an absolute path: a worker of a cluster may stand in another folder
        call = Memory(os.path.abspath(cache), verbose=0).cache(function)
    jobs = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_attempt)(call, point) for point in points
    )
    if progress:
        from tqdm.auto import tqdm

        jobs = tqdm(jobs, total=len(points), desc=name)
    figures: list[Mapping[str, float]] = []
    for point, result in zip(points, jobs, strict=True):
        if isinstance(result, _Failure):
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
    """A point of a sweep that failed; ``finished`` is the table of the points before it."""

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


def _add_seeds(points: list[dict[str, Any]], root: int) -> None:
    if isinstance(root, bool) or not isinstance(root, (int, np.integer)) or root < 0:
        raise ValueError(f"seed must be a whole number >= 0, got {root!r}")
    if "seed" in points[0]:
        raise ValueError('grid must not hold "seed" when seed is given: it would be replaced')
    known = set()
    for point in points:
        try:
            text = json.dumps([root, point], sort_keys=True, default=_as_json)
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


def _as_json(value: Any) -> Any:
    """Give numpy's numbers and arrays as Python's."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is none of these")


@dataclass(frozen=True)
class Study:
    """A sweep whose result is kept.

    Attributes
    ----------
    name : str
        Name of the table in ``data/results/``.
    function : callable
        See :func:`sweep`; a named function at the top of a module, which the hash follows.
    grid : mapping of str to sequence
        The full-scale grid.
    reduced : mapping of str to sequence
        Replaces entries of `grid` for the quick rerun.
    keys : tuple of str
        Parameters that name the same point at both scales.
    tolerance : mapping of str to float
        For each figure that is compared, the largest allowed absolute difference between
        the table and the reduced rerun, in the figure's unit, argued in the docstring of
        `function`.
    seed : int, optional
        Root seed, see :func:`sweep`.
    reads : callable, optional
        Called with the grid, it returns what `function` reads of the tables, as numbers, text and
        lists or dicts of these, which enters the hash.

    Raises
    ------
    ValueError
        If `function` has no name or `tolerance` is empty or not a number >= 0.
    """

    name: str
    function: Point
    grid: Mapping[str, Sequence[Any]]
    reduced: Mapping[str, Sequence[Any]]
    keys: tuple[str, ...]
    tolerance: Mapping[str, float]
    seed: int | None = None
    reads: Callable[[Mapping[str, Sequence[Any]]], Any] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.function, "__qualname__"):
            raise ValueError(f"function must be a named function, got {self.function!r}")
        _check_tolerance(self.name, self.tolerance)

    def hash(self, sources: Mapping[str, str] | None = None) -> str:
        """Return a hash of what decides the result besides the grid.

        These are the definitions that `function` reaches, as syntax without docstrings, comments
        and annotations, the derivation of the seeds, and what `reads` returns.

        Parameters
        ----------
        sources : mapping of str to str, optional
            Source by name of a module, in place of the installed one.

        Returns
        -------
        str
            16 hexadecimal digits.
        """
        roots = [f"{self.function.__module__}:{self.function.__qualname__}"]
        if self.seed is not None:
            roots.append(f"{__name__}:_add_seeds")
        read = None if self.reads is None else self.reads(self.grid)
        text = json.dumps(
            [_reach.digest(roots, sources=sources, stops=_NO_RESULT), read],
            sort_keys=True,
            default=_as_json,
        )
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def run(self, *, full: bool, **options: Any) -> pd.DataFrame:
        """Run at full or reduced scale; `options` go to :func:`sweep`."""
        grid = self.grid if full else {**self.grid, **self.reduced}
        return sweep(self.function, grid, seed=self.seed, **options)

    def save(self, frame: pd.DataFrame, folder: Path, seconds: float | None = None) -> None:
        """Write table and description to `folder`, each in one step.

        Parameters
        ----------
        frame : pandas.DataFrame
            From :meth:`run` at full scale.
        folder : Path
            It is made if need be.
        seconds : float, optional
            What the run took, times the processes that it had.
        """
        folder.mkdir(parents=True, exist_ok=True)
        text = frame.to_csv(index=False)
        about = {
            "study": self.name,
            "function": f"{self.function.__module__}.{self.function.__qualname__}",
            "grid": self.plain_grid(),
            "seed": self.seed,
            "tolerance": dict(self.tolerance),
            "date": datetime.now(UTC).date().isoformat(),
            "seconds": None if seconds is None else round(seconds, 1),
            "hash": self.hash(),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "remake": "make study",
        }
        _write(folder / f"{self.name}.csv", text)
        _write(folder / f"{self.name}.json", json.dumps(about, indent=2) + "\n")

    def load(self, folder: Path) -> Result:
        """Read the table and its description back."""
        require("sim", "pandas")
        import pandas as pd

        try:
            text = (folder / f"{self.name}.csv").read_text(encoding="utf-8")
            about = json.loads((folder / f"{self.name}.json").read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ValueError(
                f"{self.name} has no result in {folder} ({error.filename} is missing): "
                "run make study"
            ) from None
        wanted = {
            "hash": self.hash(),
            "grid": self.plain_grid(),
            "seed": self.seed,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        current = {name: about.get(name) for name in wanted} == wanted
        return Result(pd.read_csv(io.StringIO(text)), about, current)

    def plain_grid(self) -> dict[str, list[Any]]:
        """Return the grid as it is read back from JSON."""
        grid = {name: list(values) for name, values in self.grid.items()}
        plain: dict[str, list[Any]] = json.loads(json.dumps(grid, default=_as_json))
        return plain

    def verify(self, kept: Result, rerun: pd.DataFrame) -> pd.DataFrame:
        """Compare a rerun with the kept result, within the tolerance that is kept with it.

        Parameters
        ----------
        kept : Result
            From :meth:`load`.
        rerun : pandas.DataFrame
            From :meth:`run`; it may hold fewer points than the table.

        Returns
        -------
        pandas.DataFrame
            One row for each point and figure: the `keys`, figure, table and rerun (both values),
            difference (rerun less table) and tolerance, the last four in the figure's unit.

        Raises
        ------
        ValueError
            If a figure leaves its tolerance, or if the two cannot be compared.
        """
        require("sim", "pandas")
        import pandas as pd

        tolerance = kept.about.get("tolerance", {})
        _check_tolerance(self.name, tolerance)
        keys = list(self.keys)
        for label, frame in (("table", kept.table), ("rerun", rerun)):
            if frame.empty:
                raise ValueError(f"{self.name}: the {label} is empty")
            if missing := [name for name in [*keys, *tolerance] if name not in frame]:
                raise ValueError(f"{self.name}: the {label} lacks {', '.join(missing)}")
            if frame.duplicated(keys).any():
                raise ValueError(f"{self.name}: the {label} has two rows for one {keys}")
        pairs = kept.table.merge(rerun, on=keys, suffixes=("", "_rerun"))
        if len(pairs) != len(rerun):
            raise ValueError(f"{self.name}: the rerun has points that the table lacks")
        rows = [
            {
                **{key: point[key] for key in keys},
                "figure": figure,
                "table": point[figure],
                "rerun": point[f"{figure}_rerun"],
                "difference": point[f"{figure}_rerun"] - point[figure],
                "tolerance": allowed,
            }
            for point in pairs.to_dict("records")
            for figure, allowed in tolerance.items()
        ]
        comparison = pd.DataFrame(rows)
        outside = comparison[~(comparison["difference"].abs() <= comparison["tolerance"])]
        if not outside.empty:
            raise ValueError(f"{self.name}: the rerun left its tolerance:\n{outside.to_string()}")
        return comparison


@dataclass(frozen=True)
class Result:
    """A study's table as committed.

    Attributes
    ----------
    table : pandas.DataFrame
        The figures.
    about : dict
        Parameters, seed, date, tolerance and hash.
    current : bool
        Whether code, rows of tables, grid and seed are still those that made the result.
    """

    table: pd.DataFrame
    about: dict[str, Any] = field(repr=False)
    current: bool


def _check_tolerance(study: str, tolerance: Mapping[str, float]) -> None:
    if not tolerance:
        raise ValueError(f"{study}: tolerance must name at least one figure, got {tolerance!r}")
    for figure, allowed in tolerance.items():
        number(f"{study}: tolerance of {figure}", allowed, low=0)


def _write(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
