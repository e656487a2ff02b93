"""Tables of drives, their ratings, prices and speeds, from the source documents and others.

Each table has a loader. It reads ``data/<name>.csv`` as ``data/datapackage.json`` describes it and
returns a new :class:`pandas.DataFrame`: text columns as strings, number columns as float64, missing
cells as NaN. Dates stay text. The description has the meaning and unit of every column;
:func:`data_folder` is the folder of both files.

A loader raises ValueError, with the file's name, for columns that are not described or missing, and
for text in a column of numbers. Everything else that the description demands (keys, required cells,
ranges, patterns, allowed values) is checked by ``make book``.

Tables that only the book reads are in ``flashwear_book.tables``. pandas is imported when a table is
loaded: ``pip install "flashwear[tables]"``.

Examples
--------
>>> list(documents().document)
['M6', 'MX', 'C2', 'DC', 'P4']
>>> table = specifications()
>>> row = table[(table.drive == "M600 128GB") & (table.attribute == "sequential write")]
>>> float(row.value.item()), row.unit.item()
(400.0, 'MB/s')
>>> table = model_ratings()
>>> row = table[(table.line == "Samsung 860 EVO") & (table.user_gb == 500)]
>>> float(row.tbw_tb.item()), row.kind.item()
(300.0, 'review')
>>> table = smart_firmware()
>>> table[table.hours == 32768].mended_in.item()
'HPD8'
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from flashwear._extras import require

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import pandas as pd

__all__ = ["backblaze_ssds", "data_folder", "documents", "drives", "endurance_ratings",
           "gauge_ends", "host_layers", "loader", "model_ratings", "model_unrated", "named_loads",
           "prices_2014", "prices_2016", "smart_findings", "smart_firmware", "smart_used_up",
           "specifications", "speeds", "sustained_speeds", "traces", "workloads"]  # fmt: skip

_DESCRIPTION = "datapackage.json"
_NUMBER = r"-?[0-9]+(\.[0-9]+)?"


def data_folder() -> Traversable:
    """Return the folder of the tables: that of the installed package, or of the checkout.

    Returns
    -------
    pathlib.Path
        For a package in an archive, the corresponding object of ``importlib.resources``.

    Examples
    --------
    >>> (data_folder() / "datapackage.json").is_file()
    True
    """
    installed = files("flashwear") / "data"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "data"


def __getattr__(name: str) -> Callable[[], pd.DataFrame]:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no table {name!r}: it has {__all__}")
    globals()[name] = load = loader(name, lambda: data_folder())
    return load


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def loader(name: str, folder: Callable[[], Traversable]) -> Callable[[], pd.DataFrame]:
    """Return the function that loads a table.

    Parameters
    ----------
    name : str
        Name of the table in ``datapackage.json``.
    folder : callable
        Function that returns the folder of table and description; called when a table is loaded.

    Raises
    ------
    ValueError
        If the table is not described.

    Examples
    --------
    >>> len(loader("documents", data_folder)())
    5
    """

    def load() -> pd.DataFrame:
        require("tables", "pandas")
        place = folder()
        return _table(name, _text(place, f"{name}.csv"), _text(place, _DESCRIPTION)).copy()

    load.__name__ = load.__qualname__ = name
    load.__doc__ = _docstring(name, _text(folder(), _DESCRIPTION))  # for help() and the reference
    return load


@lru_cache(maxsize=1)
def _described(description: str) -> dict[str, dict[str, Any]]:
    return {table["name"]: table for table in json.loads(description)["resources"]}


def _docstring(name: str, description: str) -> str:
    """Return what ``datapackage.json`` says of a table, as a docstring."""
    described = _described(description)
    if name not in described:
        raise ValueError(f"name must be one of the tables {sorted(described)}, got {name!r}")
    table = described[name]
    schema = table["schema"]
    *others, last = schema["primaryKey"]
    key = f"{', '.join(others)} and {last}" if others else last
    columns = [
        fill(f"- ``{field['name']}``: {field['description']}.", 92, subsequent_indent="  ")
        for field in schema["fields"]
    ]
    return "\n".join(
        [
            f"{table['title']}.",
            "",
            fill(table["description"], 92),
            "",
            f"A row of ``data/{table['path']}`` for each {key}, with the columns:",
            "",
            *columns,
        ]
    )


def _text(folder: Traversable, file: str) -> str:
    try:
        return (folder / file).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} must be UTF-8: {error}") from None


@lru_cache(maxsize=32)
def _table(name: str, text: str, description: str) -> pd.DataFrame:
    fields = _described(description)[name]["schema"]["fields"]
    kinds = {field["name"]: field["type"] for field in fields}
    for place, row in enumerate(csv.reader(io.StringIO(text))):
        if place and row and len(row) != len(kinds):
            raise ValueError(
                f"{name}.csv, row {place}: expected {len(kinds)} cells, got {len(row)}"
            )
    import pandas as pd

    try:
        table: pd.DataFrame = pd.read_csv(
            io.StringIO(text), dtype="str", index_col=False, na_values=[""], keep_default_na=False
        )
    except ValueError as error:  # what pandas raises for CSV that is none is one of these
        raise ValueError(f"{name}.csv: {error}") from None
    if list(table) != list(kinds):
        raise ValueError(f"{name}.csv: expected the columns {list(kinds)}, got {list(table)}")
    for column in (column for column, kind in kinds.items() if kind == "number"):
        cells = table[column].dropna()
        wrong = cells[~cells.str.fullmatch(_NUMBER)]
        if not wrong.empty:
            raise ValueError(
                f"{name}.csv, row {wrong.index[0] + 1}, column {column}: expected a number in "
                f"plain digits, got {wrong.iloc[0]!r}"
            )
        table[column] = table[column].astype("float64")
        if (table[column].abs() == float("inf")).any():
            raise ValueError(
                f"{name}.csv, column {column}: expected finite numbers, got one too large"
            )
    return table
