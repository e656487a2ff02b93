"""Simulated runs of the reviews' tests, and the studies made of them, whose results are kept.

Each study is listed in :data:`STUDIES`; ``make study`` runs those that are not current at full
scale and writes ``data/results/``. :func:`kept_result` reads such a table; ``make prove`` reruns
each study at its reduced scale and compares.
"""

from importlib import import_module
from pathlib import Path

from flashwear.sweeps import KeptResult, Study
from flashwear_book import tables

__all__ = ["STUDIES", "kept_result"]

_MODULES = ("prices", "formulas", "steady", "skewed", "aged", "placements", "ranges", "wearing",
            "times", "closed_forms", "speeds", "short_tests", "caches", "power", "predictions",
            "mechanisms", "layers", "engines_sqlite", "engines_lmdb", "engines_rocksdb",
            "engines_drive", "map_cache", "handles", "handles_units")  # fmt: skip
"""Where studies are declared; imported by name, so that a page that reads one kept result does
not depend on the code of all."""

STUDIES: dict[str, Study] = {
    study.name: study
    for module in _MODULES
    for study in import_module(f"{__name__}.{module}").STUDIES
}
"""All kept studies by name.

:meta hide-value:
"""


def kept_result(name: str) -> KeptResult:
    """Return the kept result of the study `name`, from ``data/results/``.

    Raises
    ------
    ValueError
        If there is no such study, or no result of it.

    Examples
    --------
    >>> len(kept_result("price_bootstrap").table)
    2
    """
    if name not in STUDIES:
        raise ValueError(f"name must be one of {', '.join(STUDIES)}, got {name!r}")
    return STUDIES[name].load(Path(str(tables.data_folder())) / "results")
