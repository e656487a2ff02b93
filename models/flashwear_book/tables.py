"""Tables that only the book reads, with a loader each.

They are described and loaded like the tables of :mod:`flashwear.tables`.

Examples
--------
>>> from flashwear_book import tables
>>> len(tables.claims()), len(tables.endurance_ratings())
(613, 14)
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING

from flashwear import tables

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import pandas as pd

__all__ = ["benches", "buying_questions", "claims", "data_folder", "database_writes", "deaths",
           "discussion", "elsewhere", "external", "figures", "first_scores", "fresh_lines",
           "fresh_predictions", "fresh_speeds", "judged", "line_sets", "loads", "makeup",
           "measured_blocks", "measured_loads", "measured_wa", "measured_wear",
           "published_amplification", "published_fleets", "rating_sources", "replays",
           "reserved_predictions", "sampler", "savings", "searches", "synced_writes", "tickets",
           "wear_cases", "wear_outcomes", "why", "why_questions"]  # fmt: skip


def data_folder() -> Traversable:
    """Return the folder of the book's tables and kept results.

    Returns
    -------
    pathlib.Path
        For a package in an archive, the corresponding object of ``importlib.resources``.

    Examples
    --------
    >>> (data_folder() / "results" / "times.csv").is_file()
    True
    """
    installed = files("flashwear_book") / "data"
    return installed if installed.is_dir() else tables.data_folder()


def __getattr__(name: str) -> Callable[[], pd.DataFrame]:
    if name not in __all__:
        loader: Callable[[], pd.DataFrame] = getattr(tables, name)
        return loader
    globals()[name] = load = tables.loader(name, lambda: data_folder())
    return load


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *tables.__all__})
