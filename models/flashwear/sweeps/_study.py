"""A sweep with a stored result, and the check that it is still current."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import lzma
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flashwear import _digest
from flashwear._domain import number
from flashwear._extras import require
from flashwear.sweeps._sweep import Point, add_seeds, as_json, sweep

if TYPE_CHECKING:
    import pandas as pd

# how code is compiled, how results are kept, and how tables are read: what is read of them stands
# in the hash itself
_NO_RESULT = {
    "flashwear._compiled",
    "flashwear._memory",
    "flashwear.sweeps._study",
    "flashwear.tables",
}
_VERSIONS = ("numpy", "scipy", "numba", "simpy", "pandas")
_SERIES_DIGITS = "{:.6g}".format


@dataclass(frozen=True)
class Study:
    """A function evaluated on a grid of parameters, whose result is kept in a file.

    A result may be a series of numbers; all series of a point have the same length.

    Attributes
    ----------
    name : str
        Name of the table in ``data/results/``.
    function : callable
        Function of a point's parameters that returns results by name, defined at the top level of a
        module.
    grid : mapping of str to sequence
        Values of each parameter at full scale.
    reduced : mapping of str to sequence
        Entries of `grid` that are replaced for a quick rerun, by which results are checked.
    keys : tuple of str
        Parameters that identify a point, with the same values at full and reduced scale.
    tolerance : mapping of str to float
        Largest allowed absolute difference between the kept result and the quick rerun, by name of
        each result that is compared.
    seed : int, optional
        Root seed, from which that of each point is derived (:func:`sweep`).
    reads : callable, optional
        Function that gets the grid and returns the data from tables that `function` reads, as
        numbers, texts, lists and dicts. They become part of the hash by which the result is seen to
        be outdated.

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
        """Return a hash of all that the result depends on, apart from the grid.

        These are the modules that the module of `function` imports, as syntax without docstrings
        and comments, the derivation of the seeds, and what `reads` returns.

        Parameters
        ----------
        sources : mapping of str to str, optional
            Source text by name of a module, to be used in place of the installed one.

        Returns
        -------
        str
            16 hexadecimal digits.
        """
        roots = [self.function.__module__]
        if self.seed is not None:
            roots.append(add_seeds.__module__)
        read = None if self.reads is None else self.reads(self.grid)
        text = json.dumps(
            [_digest.digest(roots, sources=sources, stops=no_result(roots[0])), read],
            sort_keys=True,
            default=as_json,
        )
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def run(self, *, full: bool, **options: Any) -> pd.DataFrame:
        """Evaluate the full grid if `full`, else the reduced one, and return a table of results.

        `options` such as `n_jobs`, the number of processes, are those of :func:`sweep`.
        """
        grid = self.grid if full else {**self.grid, **self.reduced}
        return sweep(self.function, grid, seed=self.seed, **options)

    def save(self, frame: pd.DataFrame, folder: Path, seconds: float | None = None) -> None:
        """Write the table of a full run, its series and its description to a folder.

        Parameters
        ----------
        frame : pandas.DataFrame
            Result of :meth:`run` at full scale.
        folder : Path
            Folder of kept results, made if need be.
        seconds : float, optional
            Time of the run in seconds, times the number of processes.
        """
        folder.mkdir(parents=True, exist_ok=True)
        table, series = self.split(frame)
        text, lines = table.to_csv(index=False), series.to_csv(index=False)
        about: dict[str, Any] = {
            "study": self.name,
            "function": f"{self.function.__module__}.{self.function.__qualname__}",
            "grid": self.plain_grid(),
            "seed": self.seed,
            "tolerance": dict(self.tolerance),
            "date": _today(),
            "seconds": None if seconds is None else round(seconds, 1),
            "hash": self.hash(),
            "versions": _versions(),
            "sha256": _sha256(text),
            "remake": "make study",
        }
        if not series.empty:
            about["series"] = f"{self.name}_series.csv.xz"
            about["series_sha256"] = _sha256(lines)
            _write(folder / about["series"], lzma.compress(lines.encode()))
        _write(folder / f"{self.name}.csv", text.encode())
        self._describe(folder, about)

    def mark_current(self, folder: Path, seconds: float | None = None) -> None:
        """Record that today's code gives the kept result: store the code's hash and the date.

        Parameters
        ----------
        folder : Path
            Folder of kept results.
        seconds : float, optional
            Time in seconds of the run that showed this, times the number of processes.
        """
        about = self.load(folder).about
        about |= {"date": _today(), "hash": self.hash(), "versions": _versions()}
        if seconds is not None:
            about["seconds"] = round(seconds, 1)
        self._describe(folder, about)

    def _describe(self, folder: Path, about: Mapping[str, Any]) -> None:
        _write(folder / f"{self.name}.json", f"{json.dumps(about, indent=2)}\n".encode())

    def split(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Split the table of a run into single numbers and series.

        Parameters
        ----------
        frame : pandas.DataFrame
            Result of :meth:`run`, in which a cell may be a series of numbers.

        Returns
        -------
        tuple of pandas.DataFrame
            First `frame` without its series. Second the series, a row for each number: the `keys`,
            ``step`` from 1 on, and a column for each series, to six digits; empty without series.
        """
        names = [name for name in frame if isinstance(frame[name].iloc[0], np.ndarray)]
        if not names:
            return frame, frame[[]]
        if frame.duplicated([*self.keys]).any():
            raise ValueError(f"{self.name}: keys must name each point once, got {self.keys}")
        for point in frame.to_dict("records"):
            shapes = {np.shape(point[name]) for name in names}
            if len(shapes) > 1 or len(shape := shapes.pop()) != 1 or not shape[0]:
                where = {key: point[key] for key in self.keys}
                raise ValueError(
                    f"{self.name}: series of a point must be rows of one length >= 1, which those "
                    f"at {where} are not"
                )
        series = frame[[*self.keys, *names]].explode(names)
        for name in names:
            series[name] = series[name].map(_SERIES_DIGITS).astype(float)
        series.insert(len(self.keys), "step", series.groupby(level=0).cumcount() + 1)
        return frame.drop(columns=names), series.reset_index(drop=True)

    def load(self, folder: Path) -> KeptResult:
        """Return the result kept in `folder`; raise ValueError if there is none or it is broken."""
        require("sim", "pandas")
        import pandas as pd

        try:
            text = (folder / f"{self.name}.csv").read_text(encoding="utf-8")
            about = json.loads((folder / f"{self.name}.json").read_text(encoding="utf-8"))
            lines = None
            if "series" in about:
                lines = lzma.decompress((folder / Path(about["series"]).name).read_bytes()).decode()
        except FileNotFoundError as error:
            raise ValueError(
                f"{self.name} has no result in {folder} ({error.filename} is missing): "
                "run make study"
            ) from None
        except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
            raise ValueError(f"{self.name}: its result in {folder} is broken: {error}") from None
        wanted = {
            "hash": self.hash(),
            "grid": self.plain_grid(),
            "seed": self.seed,
            "sha256": _sha256(text),
            "series_sha256": None if lines is None else _sha256(lines),
        }
        current = {name: about.get(name) for name in wanted} == wanted
        series = None if lines is None else pd.read_csv(io.StringIO(lines))
        return KeptResult(pd.read_csv(io.StringIO(text)), about, current, self.keys, series)

    def plain_grid(self) -> dict[str, list[Any]]:
        """Return the grid as plain numbers, texts and lists, as JSON would read it back."""
        grid = {name: list(values) for name, values in self.grid.items()}
        plain: dict[str, list[Any]] = json.loads(json.dumps(grid, default=as_json))
        return plain

    def verify(self, kept: KeptResult, rerun: pd.DataFrame) -> pd.DataFrame:
        """Compare a rerun with the kept result; raise ValueError beyond the study's tolerance.

        Series are not compared.

        Parameters
        ----------
        kept : KeptResult
            Stored result, from :meth:`load`.
        rerun : pandas.DataFrame
            Result of :meth:`run`; it may hold fewer points than the table.

        Returns
        -------
        pandas.DataFrame
            One row for each point and result: the `keys`; ``figure``, the result's name; and in its
            unit ``table`` and ``rerun``, the two values, ``difference`` (rerun less table) and
            ``tolerance``.

        Raises
        ------
        ValueError
            If a difference exceeds its tolerance, or if the two cannot be compared.
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
class KeptResult:
    """The kept result of a study (a sweep over a grid): its table, series and description.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each point of the grid: its parameters and the single numbers computed.
    about : dict
        Parameters, seed, date, tolerance, hash, and the versions of software used.
    current : bool
        Whether code, input tables, grid and seed are still those that made the result.
    keys : tuple of str
        Parameters that identify a point.
    series : pandas.DataFrame, optional
        Results that are sequences of numbers, with a row for each number; see :meth:`Study.split`.
    """

    table: pd.DataFrame
    about: dict[str, Any] = field(repr=False)
    current: bool
    keys: tuple[str, ...]
    series: pd.DataFrame | None = field(default=None, repr=False)

    def lines(self, name: str) -> dict[Any, NDArray[np.float64]]:
        """Return the result `name`, a sequence of numbers for each point, as a dict.

        The keys are the values of the parameters in ``keys``, which identify the point.

        Raises
        ------
        ValueError
            If there is no such series.
        """
        names = [] if self.series is None else list(self.series)[len(self.keys) + 1 :]
        if self.series is None or name not in names:
            raise ValueError(f"name must be one of the series {names}, got {name!r}")
        keys = list(self.keys) if len(self.keys) > 1 else self.keys[0]
        return {key: rows.to_numpy() for key, rows in self.series.groupby(keys, sort=False)[name]}


def no_result(module: str) -> set[str]:
    """Return the names of modules that cannot change what functions of `module` return."""
    return {*_NO_RESULT, f"{module.partition('.')[0]}.tables"}


def _check_tolerance(study: str, tolerance: Mapping[str, float]) -> None:
    if not tolerance:
        raise ValueError(f"{study}: tolerance must name at least one figure, got {tolerance!r}")
    for figure, allowed in tolerance.items():
        number(f"{study}: tolerance of {figure}", allowed, low=0)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _VERSIONS:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)
