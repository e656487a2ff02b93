"""The studies whose results the book keeps: ``python -m flashwear.studies`` remakes them.

Each is listed in :data:`STUDIES`; ``make study`` runs them all at full scale and writes
``data/results/``.
"""

import argparse
from pathlib import Path

from flashwear import tables
from flashwear.studies._caching import CACHING
from flashwear.studies._timing import TIMING
from flashwear.studies._writing import WRITING
from flashwear.studies.formulas import skewed_writes, trimmed_writes, uniform_writes
from flashwear.studies.prices import price_bootstrap
from flashwear.studies.steady import settling, simulated
from flashwear.studies.wearing import wear, wear_out

__all__ = [
    "STUDIES",
    "main",
    "price_bootstrap",
    "settling",
    "simulated",
    "skewed_writes",
    "trimmed_writes",
    "uniform_writes",
    "wear",
    "wear_out",
]

STUDIES = {study.name: study for study in (*WRITING, *TIMING, *CACHING)}
"""All kept studies by name."""


def main(arguments: list[str] | None = None) -> int:
    """Run the studies named on the command line (all by default) and write their tables."""
    parser = argparse.ArgumentParser(prog="python -m flashwear.studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="STUDY", help=f"one of {', '.join(STUDIES)}")
    parser.add_argument("--folder", type=Path, default=tables.data_folder() / "results")
    parser.add_argument("--cache", type=Path, help="folder in which a broken run is resumed")
    parser.add_argument("--jobs", type=int, default=-1, help="processes (default: all cores)")
    options = parser.parse_args(arguments)
    for name in options.names or STUDIES:
        if name not in STUDIES:
            parser.error(f"STUDY must be one of {', '.join(STUDIES)}, got {name!r}")
    for name in options.names or STUDIES:
        study = STUDIES[name]
        table = study.run(full=True, n_jobs=options.jobs, cache=options.cache, progress=True)
        study.save(table, options.folder)
        print(f"{name}: {len(table)} rows written to {options.folder / name}.csv")
    return 0
