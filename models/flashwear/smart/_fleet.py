"""A table of many reports, one row each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from flashwear.smart._archive import files
from flashwear.smart._found import Unreadable, label
from flashwear.smart._read import decoded, parse
from flashwear.smart._report import Report

if TYPE_CHECKING:
    import pandas as pd

_BATCH = 256
_BATCH_BYTES = 4 * 2**20

_TEXT = ("path", "error", "model", "firmware", "kind", "family", "flags", "smartctl")
_RULES = {
    "host_rule": "host_bytes_written",
    "nand_rule": "nand_bytes_written",
    "erases_rule": "average_erases",
    "used_rule": "percent_used",
}
_FIGURES = (
    "year",
    "capacity_bytes",
    "power_on_hours",
    "host_bytes_written",
    "nand_bytes_written",
    "slc_bytes_written",
    "waf",
    "waf_pages",
    "waf_reported",
    "average_erases",
    "percent_used",
    "rated_bytes",
    "utilization_bytes",
    "host_bytes_read",
    "write_commands",
    "read_commands",
)
_ATTRIBUTES = {
    "reallocated_blocks": 5,
    "power_cycles": 12,
    "program_fails": 171,
    "erase_fails": 172,
    "power_losses": 174,
    "spare_blocks": 180,
    "workload_wear": 226,
    "host_pages": 247,
    "ftl_pages": 248,
}
_HEALTH = {
    "power_cycles": "power_cycles",
    "power_losses": "unsafe_shutdowns",
    "media_errors": "media_errors",
    "available_spare": "available_spare",
}
_COLUMNS = (
    *_TEXT,
    "passed",
    *_RULES,
    *_FIGURES,
    *dict.fromkeys((*_ATTRIBUTES, *_HEALTH)),
)

Row = tuple[Any, ...]


def fleet(
    source: str | os.PathLike[str], jobs: int | None = None, progress: bool | None = None
) -> pd.DataFrame:
    """Read all reports of a folder or a tar archive into a table.

    Parameters
    ----------
    source : path
        A folder, walked without following links, or a tar archive, plain or packed with xz, gzip
        or bzip2. An archive is streamed: nothing is unpacked to disk.
    jobs : int, optional
        Processes, >= 1; by default one per core.
    progress : bool, optional
        Show a progress bar on stderr; by default where the environment variable
        FLASHWEAR_BOOK is not set.

    Returns
    -------
    pandas.DataFrame
        One row per file, in the order of the folder or archive. Text: path, error (why the file
        gave no report; the rest of its row is then missing), model, firmware, kind, family, flags
        (words separated by blanks, see ``smart.FLAGS``), smartctl, and the rules host_rule,
        nand_rule, erases_rule and used_rule. Boolean: passed. Numbers, NaN where not known: the
        figures of :class:`Report` under their names, year (of the report), host_bytes_read,
        write_commands and read_commands of the host, and the raw counters
        reallocated_blocks (attribute 5), power_cycles (12), program_fails (171), erase_fails (172),
        power_losses (174), spare_blocks (180), workload_wear (226), host_pages (247), ftl_pages
        (248), media_errors and available_spare (percent; NVMe).

    Raises
    ------
    Unreadable
        If `source` is no folder and no tar archive, or one of which nothing can be read. Where
        an archive breaks off later, its last row says so.
    OSError
        If it cannot be opened.
    ValueError
        If `jobs` is not a whole number >= 1.

    Notes
    -----
    Drives that share a host, or were read twice, stay apart rows. Memory: the table, some
    2 kB per report, and up to 4 MiB of text per batch in work, three batches per process.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "empty.txt").write_text("")
    ...     table = fleet(folder, jobs=1, progress=False)
    >>> table[["path", "error"]].values.tolist()
    [['empty.txt', 'the text is empty']]
    """
    import pandas as pd

    rows: list[Row] = []
    for batch in _shown(_read(_batches(files(source)), _jobs(jobs)), progress):
        rows += batch
    columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True)) if rows else {}
    return pd.DataFrame({name: _series(pd, name, columns.get(name, ())) for name in _COLUMNS})


def _jobs(jobs: int | None) -> int:
    from joblib import cpu_count

    from flashwear._domain import whole

    return int(cpu_count()) if jobs is None else whole("jobs", jobs, 1)


def _series(pandas: Any, name: str, values: Iterable[Any]) -> Any:
    kind = "float64"
    if name in _TEXT or name in _RULES:
        kind = "str"
    elif name == "passed":
        kind = "boolean"
    return pandas.Series(list(values), dtype=kind)


def _batches(
    found: Iterable[tuple[str, bytes | str]],
) -> Iterator[list[tuple[str, bytes | str]]]:
    batch: list[tuple[str, bytes | str]] = []
    size = 0
    for name, content in found:
        batch.append((name, content))
        size += len(content)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(batches: Iterator[list[tuple[str, bytes | str]]], jobs: int) -> Iterator[list[Row]]:
    if jobs == 1:
        yield from map(rows_of, batches)
        return
    from joblib import Parallel, delayed

    yield from Parallel(n_jobs=jobs, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")(
        delayed(rows_of)(batch) for batch in batches
    )


def _shown(batches: Iterator[list[Row]], progress: bool | None) -> Iterator[list[Row]]:
    if progress is None:
        progress = "FLASHWEAR_BOOK" not in os.environ
    if not progress:
        yield from batches
        return
    from tqdm.auto import tqdm

    with tqdm(unit=" reports", desc="read") as bar:
        for batch in batches:
            bar.update(len(batch))
            yield batch


def rows_of(batch: list[tuple[str, bytes | str]]) -> list[Row]:
    """Give the rows of some files, in the order of the table's columns."""
    return [_row(name, content) for name, content in batch]


def _row(name: str, content: bytes | str) -> Row:
    name = label(name, 4096) or ""
    if isinstance(content, str):
        return _failure(name, content)
    try:
        report = parse(decoded(content))
    except Unreadable as error:
        return _failure(name, str(error))
    except Exception as error:  # one file never costs the others
        return _failure(name, f"not understood: {type(error).__name__}: {str(error)[:100]}")
    written: dict[str, Any] = {
        "path": name,
        "flags": " ".join(report.flags),
        **{column: report.rules.get(figure) for column, figure in _RULES.items()},
        **_host(report),
    }
    for column, number in _ATTRIBUTES.items():
        if number in report.attributes:
            written[column] = report.attributes[number].raw
    for column, key in _HEALTH.items():
        if key in report.health:
            written[column] = report.health[key]
    return tuple(
        written[column] if column in written else getattr(report, column, None)
        for column in _COLUMNS
    )


def _failure(name: str, reason: str) -> Row:
    return (name, reason, *[None] * (len(_COLUMNS) - 2))


def _host(report: Report) -> dict[str, int | None]:
    """Give what the host asked for, by the standard counters of either kind."""
    if report.kind == "nvme":
        units = report.health.get("data_units_read")
        return {
            "host_bytes_read": None if units is None else units * 512_000,
            "write_commands": report.health.get("host_writes"),
            "read_commands": report.health.get("host_reads"),
        }
    sectors = report.statistics.get("sectors_read")
    return {
        "host_bytes_read": None if sectors is None else sectors * 512,
        "write_commands": report.statistics.get("write_commands"),
        "read_commands": report.statistics.get("read_commands"),
    }
