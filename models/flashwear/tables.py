"""The tables taken from the five source documents and beside them, one loader each.

Every loader reads ``data/<name>.csv`` as ``data/datapackage.json`` describes it and returns a
fresh :class:`pandas.DataFrame`: text columns as strings, number columns as float64, a missing
cell as NaN. Dates stay text. The description holds the meaning and unit of every column;
:func:`data_folder` gives the folder of both.

A loader raises ValueError, with the file's name, for other columns than described and for text in a
column of numbers. All else that the description asks of a table, ``make book`` checks before it
builds: keys, required cells, ranges, patterns and allowed values.

pandas is imported when a table is loaded: ``pip install "flashwear[book]"``.
"""

from __future__ import annotations

import csv
import io
import json
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import pandas as pd

__all__ = [
    "benches",
    "claims",
    "data_folder",
    "deaths",
    "discussion",
    "documents",
    "drives",
    "elsewhere",
    "endurance_ratings",
    "external",
    "figures",
    "frozen_lines",
    "judged",
    "loads",
    "makeup",
    "measured_wa",
    "prices_2014",
    "prices_2016",
    "replays",
    "searches",
    "specifications",
    "speeds",
    "tickets",
    "traces",
    "workloads",
]

_NUMBER = r"-?[0-9]+(\.[0-9]+)?"


def documents() -> pd.DataFrame:
    """Source documents.

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
    """Specification tables of the M600, MX300, MX200, P400m and S3700.

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
    """Rated total bytes written of M6, MX, P4 and of the comments in DC.

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
    """Prices of 2014-09-28 from M6.

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
    """Prices of 2016-06-14 from MX.

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
    """Figures that define the tests of the five documents.

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
    """Figures in the comments of DC and C2.

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
    """Figures of other public pages, which the chapters and checks need.

    Columns: source_url, drive (as that page names it), quantity, value and its unit, used_for.

    Examples
    --------
    >>> bool(external().source_url.str.startswith("http").all())
    True
    """
    return _load("external")


def elsewhere() -> pd.DataFrame:
    """Statements of other public pages on the claims, whether they agree or not.

    Columns: claim (its id), source_url, place, date of the page, drive (as that page names it),
    quantity, value (as printed, or yes or no) and its unit, rival and rival_value (where two drives
    are compared), measured (yes where somebody tried), cut (whether the excerpt ended there).

    Examples
    --------
    >>> bool(elsewhere().source_url.str.startswith("http").all())
    True
    """
    return _load("elsewhere")


def loads() -> pd.DataFrame:
    """Rates at which programs write, each as one owner, developer or maker reports it.

    Columns: load (its name), what (in an owner's words), value and unit as reported, workload
    (what stands for it in ``flashwear.workloads.named``), app_amplification (bytes at the drive
    over bytes that the program keeps, where reported), source_url, date, cut (whether the excerpt
    ended there).

    Examples
    --------
    >>> loads().load.is_unique
    True
    """
    return _load("loads")


def deaths() -> pd.DataFrame:
    """Drives that were written to until they failed, in public tests.

    Columns: drive, test, user_gb, bits (per cell), layout (planar or 3D), tbw_tb (missing where no
    page states it), host_tb (what the host wrote), flash_tb (what reached the flash, where the
    drive compresses), cause, source_url, flash_url (of the kind of flash).

    Examples
    --------
    >>> bool((deaths().host_tb > 0).all())
    True
    """
    return _load("deaths")


def tickets() -> pd.DataFrame:
    """Life left at the trouble ticket of drives of a data centre, by model and for all.

    Columns: model, tickets, with_wear, left_p10, left_p50, left_p90 (life left by the drive's
    counter, per cent), share_fresh (at least 90 left), share_worn (1 or less left), years_p50 (of
    operation), sha256 (of the file with the tickets).

    Examples
    --------
    >>> bool((tickets().with_wear <= tickets().tickets).all())
    True
    """
    return _load("tickets")


def measured_wa() -> pd.DataFrame:
    """Write amplification of drives of 2022 to 2024 by their own counters, as the host writes.

    Columns: drive, run (number in its log), load (random, in order, in order and shuffled, zones),
    zones (how many are written at a time), span_gib (the part that is written), fills (host writes
    since the run began, over that part: the end of each tenth), wa (in that tenth; missing where
    the counter's log is), mib_per_s (host writes), log (its path in the repository of the
    benchmarks; * stands for the threads) and its sha256.

    Examples
    --------
    >>> bool(measured_wa().wa.dropna().between(0.5, 10).all())
    True
    """
    return _load("measured_wa")


def replays() -> pd.DataFrame:
    """Write amplification of public block traces on simulated drives, and by closed forms.

    Columns: trace, policy (FIFO, greedy, detected), op, by (what was simulated, or by which
    description of the trace a closed form tells it), wa.

    Examples
    --------
    >>> bool((replays().wa >= 1).all())
    True
    """
    return _load("replays")


def traces() -> pd.DataFrame:
    """Public block traces, summed up: what they hold and how they write.

    Columns: trace, content, repository, commit (missing where it is not known), file, licence,
    sha256, and of the writes: requests, page_writes, pages, most_writes (of a page), write_share
    and space_share (of the hot pages), exponent (Zipf's), sequential_share, mean_run; see
    :func:`flashwear.traces.summary`.

    Examples
    --------
    >>> traces().trace.is_unique
    True
    """
    return _load("traces")


def judged() -> pd.DataFrame:
    """Outcomes that second judges gave, who had claims, documents and rules but no outcomes.

    Columns: round (of judging), claim, outcome, evidence.

    Examples
    --------
    >>> bool(judged().duplicated(["round", "claim"]).any())
    False
    """
    return _load("judged")


def searches() -> pd.DataFrame:
    """List of the searches for other pages on the claims, whether they found any or not.

    Columns: date, topics (of the claims it was made for, separated by spaces), query (what was
    looked for, in our words).

    Examples
    --------
    >>> searches()["query"].is_unique
    True
    """
    return _load("searches")


def benches() -> pd.DataFrame:
    """Storage benches: what is published of them, and bands for what is not.

    Columns: bench, attribute, stated (as printed), value, low and high (band of an assumed value),
    all three in `unit`, origin (stated or assumed), source, note.

    Examples
    --------
    >>> table = benches().set_index(["bench", "attribute"])
    >>> float(table.value["destroyer", "written"])
    875.6
    """
    return _load("benches")


def speeds() -> pd.DataFrame:
    """Speeds of drives, rated and measured, of the five documents and of other public pages.

    Columns: source_url, place, drive, line, capacity_gb (empty for a figure of a whole line), kind
    (rated or measured), quantity, test (which of the tests of ``flashwear.predict``, if one),
    transfer_bytes, queue_depth and state as printed, value, unit (MB/s, IOPS or GB), cut (whether
    the excerpt ends after it), claim (its id in the ledger, if it has one).

    Examples
    --------
    >>> "Samsung 850 EVO" in set(speeds().line)
    False
    """
    return _load("speeds")


def makeup() -> pd.DataFrame:
    """Make-up of the drives of :func:`speeds`, as public pages print it.

    Columns: drive, line, capacity_gb (empty for a fact of a whole line), fact (controller, flash,
    dies, die_gbit, channels, dram_mb, slc_cache_gb, tbw, or a property of the flash), value, unit,
    source_url, place. Rows whose line is a generation of flash are about the die.

    Examples
    --------
    >>> table = makeup().set_index(["drive", "fact"])
    >>> table.value["OCZ Vector 256GB", "dies"]
    '32'
    """
    return _load("makeup")


def frozen_lines() -> pd.DataFrame:
    """Lines of drives that no fit has seen: their rows of :func:`speeds`, counted and hashed.

    Columns: line, rows, sha256.

    Examples
    --------
    >>> len(frozen_lines())
    8
    """
    return _load("frozen_lines")


def claims() -> pd.DataFrame:
    """Ledger of the claims of the five documents.

    Columns: id, document, locator, drive, topic, quantity, stated (as printed), unit, check,
    tolerance, role, statement (the claim in the words of this project).

    Examples
    --------
    >>> bool(claims().id.is_unique)
    True
    """
    return _load("claims")


def figures() -> pd.DataFrame:
    """Charts, tables, photos and diagrams that the five documents show or name.

    Columns: figure, document, locator, caption, kind, x_axis, y_axis, data_in_source (yes,
    partly or no), chapter, status (recomputed; simulated, checked; simulated, unchecked; or
    absent), reason.

    Examples
    --------
    >>> sorted(figures().status.unique())
    ['absent', 'recomputed', 'simulated, checked', 'simulated, unchecked']
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


def _load(name: str) -> pd.DataFrame:
    _pandas()
    return _table(name, _text(f"{name}.csv"), _text("datapackage.json")).copy()


def _text(file: str) -> str:
    try:
        return (data_folder() / file).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} must be UTF-8: {error}") from None


@lru_cache(maxsize=32)
def _table(name: str, text: str, description: str) -> pd.DataFrame:
    (resource,) = [item for item in json.loads(description)["resources"] if item["name"] == name]
    kinds = {field["name"]: field["type"] for field in resource["schema"]["fields"]}
    for place, row in enumerate(csv.reader(io.StringIO(text))):
        if place and row and len(row) != len(kinds):
            raise ValueError(
                f"{name}.csv, row {place}: expected {len(kinds)} cells, got {len(row)}"
            )
    try:
        table: pd.DataFrame = _pandas().read_csv(
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
