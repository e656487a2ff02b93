"""The tables taken from the five source documents and beside them, one loader each.

Every loader reads ``data/<name>.csv`` as ``data/datapackage.json`` describes it and returns a
fresh :class:`pandas.DataFrame`: text columns as strings, number columns as float64, a missing
cell as NaN. Dates stay text. The description holds the meaning and unit of every column;
:func:`data_folder` gives the folder of both.

A loader checks column names, cells per row, required cells, plain finite numbers, their minimum,
the primary key and that no cell begins or ends with a blank; ValueError names the file and the
line at which it ends. Patterns, lists of allowed values and keys between tables are left to
``make book``.

pandas is imported when a table is loaded: ``pip install "flashwear[book]"``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import pandas as pd

__all__ = [
    "benches",
    "claims",
    "data_folder",
    "discussion",
    "documents",
    "drives",
    "endurance_ratings",
    "external",
    "figures",
    "prices_2014",
    "prices_2016",
    "specifications",
    "workloads",
]

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_DESCRIPTION = "datapackage.json"
_LONGEST_CELL = 10_000  # csv.field_size_limit is a setting of the whole process, so not to rely on


def documents() -> pd.DataFrame:
    """Source documents: 5 rows.

    Columns: document (the key that every other table uses), citation_key, title, author,
    date (ISO 8601; the year alone where the document gives no date), kind, url.

    Examples
    --------
    >>> list(documents().document)
    ['M6', 'MX', 'C2', 'DC', 'P4']
    """
    return _load("documents")


def drives() -> pd.DataFrame:
    """Drives and other subjects that the drive columns name, one row each.

    Columns: drive, kind (drive, family, comparison, technology, market or test), maker,
    capacity_gb (user capacity in GB, only for kind drive), note.

    Examples
    --------
    >>> table = drives().set_index("drive")
    >>> float(table.capacity_gb["P400m 200GB"])
    200.0
    """
    return _load("drives")


def specifications() -> pd.DataFrame:
    """Specification tables of the M600, MX300, MX200, P400m and S3700: 239 rows.

    From M6, MX and P4, with the test systems and the specifications in the text of all five.

    Columns: document, locator, table, drive, attribute, stated (as printed), unit, value and
    corrected (numbers in `unit`), reason.

    Examples
    --------
    >>> table = specifications()
    >>> row = table[(table.drive == "M600 128GB") & (table.attribute == "sequential write")]
    >>> float(row.value.item()), row.unit.item()
    (400.0, 'MB/s')
    """
    return _load("specifications")


def endurance_ratings() -> pd.DataFrame:
    """Rated total bytes written of M6, MX, P4 and of the comments in DC: 14 rows.

    Columns: document, locator, drive, stated and its unit (TB or PB), tbw_tb (TB), user_gb (GB),
    raw_gib (GiB of NAND), raw_basis (stated, dies or inferred), dwpd (1/day), years,
    corrected_tbw_tb (TB), reason.

    Examples
    --------
    >>> table = endurance_ratings().set_index("drive")
    >>> float(table.tbw_tb["P400m 200GB"]), float(table.corrected_tbw_tb["P400m 200GB"])
    (3000.0, 3500.0)
    """
    return _load("endurance_ratings")


def prices_2014() -> pd.DataFrame:
    """Prices of 2014-09-28 from M6: 35 rows.

    Columns: document, locator, drive, maker, model, class_gb (the printed capacity column),
    capacity_gb (GB), capacity_basis (stated or assumed), price_usd (USD).

    Examples
    --------
    >>> table = prices_2014().set_index("drive")
    >>> float(table.price_usd["Micron M600 240/256GB"])
    140.0
    """
    return _load("prices_2014")


def prices_2016() -> pd.DataFrame:
    """Prices of 2016-06-14 from MX: 17 rows.

    Columns: document, locator, drive, maker, model, capacity_gb (GB), capacity_basis (stated,
    inferred or assumed), price_usd (USD), stated_cents_per_gb and corrected_cents_per_gb (US
    cents per GB), reason.

    Examples
    --------
    >>> table = prices_2016().set_index("drive")
    >>> float(table.price_usd["Crucial MX300 750GB"])
    199.99
    """
    return _load("prices_2016")


def workloads() -> pd.DataFrame:
    """Figures that define the tests of the five documents: 205 rows.

    Columns: document, locator, workload, attribute, stated (as printed), value, unit.

    Examples
    --------
    >>> table = workloads()
    >>> row = table[(table.workload == "Storage Bench 2013") & (table.attribute == "written")]
    >>> float(row.value.item()), row.unit.item()
    (875.6, 'GB')
    """
    return _load("workloads")


def discussion() -> pd.DataFrame:
    """Figures in the comments of DC and C2: 42 rows.

    Columns: document, locator, speaker, drive, quantity, stated (as printed), value and its
    unit, corrected and corrected_unit, reason.

    Examples
    --------
    >>> table = discussion()
    >>> float(table.value[table.quantity == "WLF x WAF at 3000 P/E cycles"].item())
    1.24
    """
    return _load("discussion")


def external() -> pd.DataFrame:
    """Figures of other public pages, which the chapters and checks need: 159 rows.

    Columns: source_url, drive (as that page names it), quantity, value and its unit, used_for.

    Examples
    --------
    >>> bool(external().source_url.str.startswith("http").all())
    True
    """
    return _load("external")


def benches() -> pd.DataFrame:
    """Storage benches: what is published of them, and bands for what is not: 62 rows.

    Columns: bench, attribute, stated (as printed), value, low and high (band of an assumed value),
    all three in `unit`, origin (stated or assumed), source, note.

    Examples
    --------
    >>> table = benches().set_index(["bench", "attribute"])
    >>> float(table.value["destroyer", "written"])
    875.6
    """
    return _load("benches")


def claims() -> pd.DataFrame:
    """Ledger of the claims of the five documents: 613 rows.

    Columns: id, document, locator, drive, topic, quantity, stated (as printed), unit, check,
    tolerance, role, statement (the claim in the words of this project).

    Examples
    --------
    >>> bool(claims().id.is_unique)
    True
    """
    return _load("claims")


def figures() -> pd.DataFrame:
    """Charts, tables, photos and diagrams that the five documents show or name: 114 rows.

    Columns: figure, document, locator, caption, kind, x_axis, y_axis, data_in_source (yes,
    partly or no), chapter, status (rebuilt, planned or not rebuilt), reason.

    Examples
    --------
    >>> sorted(figures().status.unique())
    ['not rebuilt', 'planned', 'rebuilt']
    """
    return _load("figures")


def _pandas() -> ModuleType:
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError('the tables need pandas: pip install "flashwear[book]"') from error


def data_folder() -> Traversable:
    """Return the folder of the tables: in the installed package, or the checkout's own.

    Returns
    -------
    pathlib.Path
        Or what ``importlib.resources`` gives in its place for a package in an archive.

    Examples
    --------
    >>> (data_folder() / "datapackage.json").is_file()
    True
    """
    installed = files("flashwear") / "data"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "data"


class _Column(NamedTuple):
    name: str
    is_number: bool
    required: bool
    minimum: float


def _load(name: str) -> pd.DataFrame:
    _pandas()
    folder = data_folder()
    return _table(name, _text(folder, _DESCRIPTION), _text(folder, f"{name}.csv")).copy()


@lru_cache(maxsize=32)
def _table(name: str, description: str, text: str) -> pd.DataFrame:
    file = f"{name}.csv"
    columns, key = _description(description, name)
    lines, rows = _rows(text, file, [column.name for column in columns])
    table: pd.DataFrame = _pandas().DataFrame(
        {
            column.name: _series(file, column, lines, [row[i] for row in rows])
            for i, column in enumerate(columns)
        }
    )
    repeated = table.duplicated(key)
    if repeated.any():
        position = int(repeated.to_numpy().argmax())
        again = dict(table.loc[position, key])
        raise ValueError(
            f"{file}, line {lines[position]}: expected a new primary key, got {again} again"
        )
    return table


def _text(folder: Traversable, file: str) -> str:
    content = (folder / file).read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{file}, line {line}: expected UTF-8, got {error.reason}") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"{file}, line {line}: expected text, got a NUL byte")
    return text


def _description(text: str, name: str) -> tuple[list[_Column], list[str]]:
    """Return the columns and the primary key of a table."""
    try:
        package = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{_DESCRIPTION}, line {error.lineno}: expected JSON, got {error.msg}"
        ) from None
    try:
        schemas = [item["schema"] for item in package["resources"] if item["name"] == name]
        columns = [_column(field) for field in schemas[0]["fields"]] if schemas else []
        key = list(schemas[0]["primaryKey"]) if schemas else []
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{_DESCRIPTION}, resource {name}: expected name, schema, primaryKey and fields with "
            f"name, type and constraints, got {type(error).__name__}: {error}"
        ) from None
    if len(schemas) != 1:
        raise ValueError(f"{_DESCRIPTION}: expected one resource {name}, got {len(schemas)}")
    names = [column.name for column in columns]
    if not key or not set(key) <= set(names):
        raise ValueError(
            f"{_DESCRIPTION}, resource {name}: expected a list of columns as primaryKey, got {key}"
        )
    return columns, key


def _column(field: dict[str, Any]) -> _Column:
    if field["type"] not in ("string", "number"):
        raise ValueError(f"type {field['type']!r}, which is neither string nor number")
    rules = field.get("constraints", {})
    minimum = float(rules.get("minimum", -math.inf))
    return _Column(field["name"], field["type"] == "number", rules.get("required", False), minimum)


def _rows(text: str, file: str, expected: list[str]) -> tuple[list[int], list[list[str]]]:
    """Return the rows under the header, and the line at which each ends."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines, rows = [], []
    try:
        header = next(reader, [])
        for row in reader:
            lines.append(reader.line_num)
            rows.append(row)
    except csv.Error as error:
        raise ValueError(f"{file}, line {reader.line_num}: expected CSV, got {error}") from None
    if header != expected:
        raise ValueError(f"{file}: expected the columns {expected}, got {header}")
    if not rows:
        raise ValueError(f"{file}: expected at least one row, got none")
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(expected):
            raise ValueError(f"{file}, line {line}: expected {len(expected)} cells, got {len(row)}")
        if (longest := max(map(len, row))) > _LONGEST_CELL:
            raise ValueError(
                f"{file}, line {line}: expected cells of at most {_LONGEST_CELL} characters, "
                f"got {longest}"
            )
    return lines, rows


def _series(file: str, column: _Column, lines: list[int], cells: list[str]) -> pd.Series[Any]:
    """One column with the type that the description gives it."""
    for line, cell in zip(lines, cells, strict=True):
        wanted = _fault(column, cell)
        if wanted:
            raise ValueError(
                f"{file}, line {line}, column {column.name}: expected {wanted}, got {cell!r}"
            )
    if column.is_number:
        return _pandas().Series([float(cell or math.nan) for cell in cells], dtype="float64")
    return _pandas().Series([cell or math.nan for cell in cells], dtype="str")


def _fault(column: _Column, cell: str) -> str:
    """Return what the cell should have been; nothing if it is right."""
    if cell != cell.strip():
        return "no blank at either end"
    if not cell:
        return "a value" if column.required else ""
    if not column.is_number:
        return ""
    if not (_NUMBER.fullmatch(cell) and math.isfinite(float(cell))):
        return "a finite number in plain digits"
    return f"a number >= {column.minimum:g}" if float(cell) < column.minimum else ""
