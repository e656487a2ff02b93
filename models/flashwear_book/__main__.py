"""Rerun the stored studies that are out of date.

Each table is written when it is finished, and a study that was interrupted goes on where it ended.
"""

import argparse
import random
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs, parallel_config

from flashwear import _digest
from flashwear._extras import require
from flashwear.sweeps import KeptResult, Study
from flashwear_book import tables
from flashwear_book.runs import STUDIES

_EQUAL = 1e-9  # of figures that a rerun gives again but for rounding


def main(arguments: list[str] | None = None) -> int:
    """Run the command on the given studies, or on all."""
    parser = argparse.ArgumentParser(prog="python -m flashwear_book", description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", metavar="STUDY", help=f"one of {', '.join(STUDIES)}")
    add("--folder", type=Path, default=tables.data_folder() / "results")
    add(
        "--cache",
        type=Path,
        default=Path(".cache/studies"),
        help="folder that keeps the points of a study until it is finished (default: %(default)s)",
    )
    add("--jobs", type=int, default=-1, help="processes (default: all cores)")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="compute on the Dask cluster at this address, as tcp://host:8786, "
        "whose workers must see the folder of --cache",
    )
    add("--all", action="store_true", help="make current ones again too")
    add(
        "--confirm",
        action="store_true",
        help="make no table: show that the code of today gives the kept figures, by a full run if "
        "it is short and else by one point at full scale, and mark those that it does as current",
    )
    add("--short", type=float, default=300.0, metavar="SECONDS",
                        help="up to which a study is confirmed whole (default: 300)")  # fmt: skip
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in STUDIES:
            parser.error(f"STUDY must be one of {', '.join(STUDIES)}, got {name!r}")
    chosen = [STUDIES[name] for name in options.names or STUDIES]
    known = {study.name: _kept(study, options.folder) for study in chosen}
    if not options.all:
        chosen = [study for study in chosen if not (kept := known[study.name]) or not kept.current]
    status = 0
    with _processes(options.jobs, options.scheduler) as jobs:
        _announce(chosen, known, jobs)
        for study in chosen:
            if not options.confirm:
                done = _make(study, options.folder, options.cache, jobs)
            else:
                try:
                    done = _confirm(study, options.folder, jobs, options.short)
                except _NotConfirmedError as error:
                    done, status = str(error), 1
            print(f"{study.name}: {done}", flush=True)
    return status


class _NotConfirmedError(Exception):
    """The code of today does not give what is kept."""


@contextmanager
def _processes(jobs: int, scheduler: str | None) -> Iterator[int]:
    """Return the number of processes there are, on this computer or a cluster."""
    if scheduler is None:
        yield effective_n_jobs(jobs)
        return
    require("cluster", "distributed")
    from distributed import Client

    connect: Any = Client
    with connect(scheduler) as client, parallel_config(backend="dask"):
        yield sum(client.nthreads().values())


def _kept(study: Study, folder: Path) -> KeptResult | None:
    """Return what is kept of a study, if anything is."""
    try:
        return study.load(folder)
    except ValueError:
        return None


def _announce(chosen: list[Study], known: Mapping[str, KeptResult | None], jobs: int) -> None:
    """Say what is to do, and how long it took the last time."""
    if not chosen:
        print("all studies are current")
        return
    kept = [known[study.name] for study in chosen]
    lasting = [one.about.get("seconds") if one else None for one in kept]
    minutes = sum(seconds for seconds in lasting if seconds) / jobs / 60
    unknown = f" and {lasting.count(None)} of unknown length" if None in lasting else ""
    print(
        f"{len(chosen)} of {len(known)} studies to do: about {minutes:.0f} min on {jobs} "
        f"processes{unknown}: {', '.join(study.name for study in chosen)}",
        flush=True,
    )


def _make(study: Study, folder: Path, cache: Path, jobs: int) -> str:
    """Run a study, from where it was broken off if it was, and write its table."""
    begun = study.hash()
    points = cache / f"{study.name}-{begun}"
    is_new, start = not points.exists(), time.perf_counter()
    table = study.run(full=True, n_jobs=jobs, cache=points, progress=True)
    before = _kept(study, folder)
    seconds: float | None = (time.perf_counter() - start) * jobs
    if not is_new:
        seconds = before.about.get("seconds") if before else None
    _digest.reread()
    changed = study.hash() != begun
    if not changed:
        study.save(table, folder, seconds)
    shutil.rmtree(points, ignore_errors=True)
    if changed:
        raise ValueError(f"{study.name}: code or tables have changed during the run: run it again")
    return f"{len(table)} rows written to {folder / study.name}.csv"


def _confirm(study: Study, folder: Path, jobs: int, short_s: float) -> str:
    """Compare runs of today with the kept table; mark it as current if they agree."""
    kept = study.load(folder)
    if kept.about.get("grid") != study.plain_grid() or kept.about.get("seed") != study.seed:
        raise _NotConfirmedError("the table is of another grid or seed: make it again")
    place = random.Random(study.hash())
    one = {name: [place.choice(list(values))] for name, values in study.grid.items()}
    start = time.perf_counter()
    rows = _compared(replace(study, grid=one), kept, 1)
    points = int(np.prod([len(values) for values in study.grid.values()]))
    whole = kept.about.get("seconds") or (time.perf_counter() - start) * points
    seconds = None
    if whole / jobs <= short_s:
        start = time.perf_counter()
        rows = _compared(study, kept, jobs)
        seconds = (time.perf_counter() - start) * jobs
    study.mark_current(folder, seconds)
    return f"{rows} of {len(kept.table)} rows come out as kept"


def _compared(study: Study, kept: KeptResult, jobs: int) -> int:
    """Run a study and count its rows, all of which must be among those kept."""
    table, series = study.split(study.run(full=True, n_jobs=jobs, progress=True))
    for rerun, known in ((table, kept.table), (series, kept.series)):
        if list(rerun) != ([] if known is None else list(known)):
            raise _NotConfirmedError("other figures come out than are kept: make it again")
    _check_same(study, table, kept.table, list(study.grid))
    if kept.series is not None:
        _check_same(study, series, kept.series, [*study.keys, "step"])
    return len(table)


def _check_same(study: Study, rerun: pd.DataFrame, kept: pd.DataFrame, names: list[str]) -> None:
    """Raise an error unless the rows of a rerun are among those kept, but for rounding."""
    pairs = rerun[names].merge(kept, how="left")
    for name in rerun:
        if rerun[name].dtype.kind in "biuf":
            # a figure that is a difference is compared in units of its tolerance
            near = _EQUAL * study.tolerance.get(name, 0.0)
            same = np.isclose(pairs[name], rerun[name], rtol=_EQUAL, atol=near, equal_nan=True)
        else:
            # a table does not tell empty text from none
            same = (pairs[name].fillna("") == rerun[name].fillna("")).to_numpy()
        if not same.all():
            raise _NotConfirmedError(f"{name} comes out otherwise than kept: make it again")


if __name__ == "__main__":
    sys.exit(main())
