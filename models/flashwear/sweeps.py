"""Parameter studies: any function over a grid, resumable, and kept as a small table.

:func:`sweep` runs a function at each point of a grid on all cores. A
:class:`Study` is a sweep worth keeping: its result is committed to
``data/results/`` with parameters, seed, date, tolerance and a hash of the code
that made it, so that a book can show it, rerun it at a reduced scale and refuse to
build when the rerun disagrees.
"""

import ast
import hashlib
import importlib.util
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Point = Callable[..., Mapping[str, float]]
"""What a sweep calls, with the parameters of one grid point; it returns named figures."""


def sweep(
    function: Point,
    grid: Mapping[str, Sequence[Any]],
    *,
    seed: int | None = None,
    n_jobs: int = -1,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> "pd.DataFrame":
    """Evaluate a function at every point of a grid, on several cores.

    Parameters
    ----------
    function : callable
        Called as ``function(**point)`` (with ``seed=...`` added when `seed` is given); returns
        a mapping of names to numbers. Must be importable, so that other processes find it.
    grid : mapping of str to sequence
        Values of each parameter; the points are their product, in order.
    seed : int, optional
        Root seed. Each point gets its own, independent of the order and of `n_jobs`.
    n_jobs : int
        Processes; -1 for all cores.
    cache : path, optional
        Folder that keeps each point's result, so that a broken run goes on where it stopped.
        The results are found again by function and point alone: use one folder for each
        state of the code (``.cache/<hash>`` in this project's Makefile).
    progress : bool
        Show a progress bar on stderr.

    Returns
    -------
    pandas.DataFrame
        One row for each point: its parameters, its seed if any, then the figures.

    Raises
    ------
    ValueError
        If the grid is empty or a name stands both in the grid and in the result.

    Examples
    --------
    >>> from flashwear import endurance
    >>> def rating(pe_cycles, waf):
    ...     return {"tb": endurance.tbw(256 * 2**30, pe_cycles, waf) / 1e12}
    >>> sweep(rating, {"pe_cycles": [1000, 3000], "waf": [1, 2]}, n_jobs=1)["tb"].round(1).tolist()
    [274.9, 137.4, 824.6, 412.3]
    """
    import numpy as np
    import pandas as pd
    from joblib import Memory, Parallel, delayed

    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if not points or not grid:
        raise ValueError(f"grid must hold at least one value for each parameter, got {grid!r}")
    if seed is not None:
        for point, child in zip(
            points, np.random.SeedSequence(seed).spawn(len(points)), strict=True
        ):
            point["seed"] = int(child.generate_state(1)[0])
    call = Memory(os.fspath(cache), verbose=0).cache(function) if cache is not None else function
    jobs = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(call)(**p) for p in points)
    if progress:
        from tqdm.auto import tqdm

        jobs = tqdm(jobs, total=len(points), desc=function.__name__)
    figures = list(jobs)
    for point, result in zip(points, figures, strict=True):
        if clash := set(point) & set(result):
            names = ", ".join(sorted(clash))
            raise ValueError(f"{function.__name__} returns names that the grid has too: {names}")
    return pd.DataFrame(
        [point | dict(result) for point, result in zip(points, figures, strict=True)]
    )


@dataclass(frozen=True)
class Study:
    """A sweep whose result is kept.

    Attributes
    ----------
    name : str
        Name of the table in ``data/results/``.
    function : callable
        See :func:`sweep`.
    grid : mapping of str to sequence
        The full-scale grid.
    reduced : mapping of str to sequence
        Replaces entries of `grid` for the quick rerun.
    keys : tuple of str
        Parameters that name the same point at both scales.
    tolerance : mapping of str to float
        For each figure that is compared, the largest allowed relative difference
        between the table and the reduced rerun, argued in the study's docstring.
    seed : int, optional
        Root seed, see :func:`sweep`.
    """

    name: str
    function: Point
    grid: Mapping[str, Sequence[Any]]
    reduced: Mapping[str, Sequence[Any]]
    keys: tuple[str, ...]
    tolerance: Mapping[str, float]
    seed: int | None = None

    def run(self, *, full: bool, **options: Any) -> "pd.DataFrame":
        """Run at full or reduced scale; `options` go to :func:`sweep`."""
        grid = self.grid if full else {**self.grid, **self.reduced}
        return sweep(self.function, grid, seed=self.seed, **options)

    def save(self, frame: "pd.DataFrame", folder: Path) -> None:
        """Write table and description to `folder`, each in one step."""
        folder.mkdir(parents=True, exist_ok=True)
        about = {
            "study": self.name,
            "function": f"{self.function.__module__}.{self.function.__qualname__}",
            "grid": {name: list(values) for name, values in self.grid.items()},
            "seed": self.seed,
            "tolerance": dict(self.tolerance),
            "date": datetime.now(UTC).date().isoformat(),
            "code": code_hash(self.function.__module__),
            "remake": "make study",
        }
        _write(folder / f"{self.name}.csv", frame.to_csv(index=False))
        _write(folder / f"{self.name}.json", json.dumps(about, indent=2) + "\n")

    def load(self, folder: Path) -> "Result":
        """Read the table and its description back."""
        import pandas as pd

        try:
            about = json.loads((folder / f"{self.name}.json").read_text(encoding="utf-8"))
            table = pd.read_csv(folder / f"{self.name}.csv")
        except FileNotFoundError as error:
            raise ValueError(
                f"{self.name} has no result in {folder} ({error.filename} is missing): "
                "run make study"
            ) from None
        return Result(table, about, about["code"] == code_hash(self.function.__module__))

    def verify(self, table: "pd.DataFrame", rerun: "pd.DataFrame") -> "pd.DataFrame":
        """Compare a rerun with the table; ValueError when a figure leaves its tolerance.

        Returns one row for each point and figure: both values, their relative difference
        and the tolerance.
        """
        import pandas as pd

        pairs = table.merge(rerun, on=list(self.keys), suffixes=("", "_rerun"), validate="1:1")
        if len(pairs) != len(rerun) or pairs.empty:
            raise ValueError(f"{self.name}: the rerun has points that the table lacks")
        rows = [
            {
                **{key: point[key] for key in self.keys},
                "figure": figure,
                "table": point[figure],
                "rerun": point[f"{figure}_rerun"],
                "difference": point[f"{figure}_rerun"] / point[figure] - 1,
                "tolerance": allowed,
            }
            for point in pairs.to_dict("records")
            for figure, allowed in self.tolerance.items()
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
        Parameters, seed, date, tolerance and hash of the code.
    current : bool
        Whether the code is still the code that made the table.
    """

    table: "pd.DataFrame"
    about: dict[str, Any] = field(repr=False)
    current: bool


def code_hash(module: str) -> str:
    """Give a hash of a module's source and of all `flashwear` modules it imports.

    Parameters
    ----------
    module : str
        Full name, for example ``"flashwear.endurance"``.

    Returns
    -------
    str
        The first 16 hexadecimal digits of a SHA-256.

    Raises
    ------
    ValueError
        If there is no such module with Python source.
    """
    sources: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in sources:
            continue
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            raise ValueError(f"module must be a Python module with source, got {name!r}")
        sources[name] = Path(spec.origin).read_bytes()
        waiting += _flashwear_imports(sources[name])
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    return digest.hexdigest()[:16]


def _flashwear_imports(source: bytes) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in found if name.startswith("flashwear.") and _is_module(name)]


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _write(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
