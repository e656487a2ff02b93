"""A table of many reports, one row each."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from flashwear._extras import require
from flashwear.smart._archive import Content, files, is_archive, one_file
from flashwear.smart._between import faults
from flashwear.smart._figures import evaluate
from flashwear.smart._findings import WORN, at_threshold
from flashwear.smart._found import Found, Unreadable, current_key, keyed
from flashwear.smart._history import without_serial
from flashwear.smart._read import decoded, states
from flashwear.smart._report import Report
from flashwear.smart._verdict import verdict

if TYPE_CHECKING:
    import pandas as pd

_BATCH = 256
_BATCH_BYTES = 4 * 2**20

_TEXT = {
    "path": "file, within the folder or archive; of a table its line, of several reports its place",
    "error": "why there is no report; the rest of the row is then missing",
    "model": "as the drive reports it",
    "firmware": "as the drive reports it",
    "kind": 'the command set, "ata", "nvme" or "scsi"',
    "family": "row of data/smart_families.csv",
    "doubts": "words of smart.FLAGS, separated by blanks",
    "verdict": "a level of smart.LEVELS",
    "findings": "words of smart.FINDINGS, separated by blanks",
    "low_attributes": "numbers of the attributes at their threshold now, separated by blanks",
    "smartctl": "version that printed the report",
    "drive": "key of the drive by its serial number, the same for all its reports of one run",
}
_RULES = {
    "host_rule": "host_bytes_written", "nand_rule": "nand_bytes_written",
    "erases_rule": "average_erases", "used_rule": "percent_used", "rated_rule": "rated_bytes",
}  # fmt: skip
_FIGURES = {
    "year": "of the report",
    "time_s": "of the report, seconds since 1970",
    "capacity_bytes": "user capacity, bytes",
    "power_on_hours": "hours under power",
    "host_bytes_written": "bytes written by the host",
    "nand_bytes_written": "bytes programmed in flash",
    "slc_bytes_written": "bytes programmed in an SLC cache that counts apart",
    "waf": "write amplification in bytes",
    "waf_pages": "write amplification in pages",
    "waf_reported": "write amplification as the drive states it",
    "erase_ratio": "erases times capacity over host writes, where flash writes are not counted",
    "average_erases": "mean erases of a block",
    "percent_used": "life used, percent",
    "rated_bytes": "host bytes that the drive is rated for, see rated_rule",
    "temperature_c": "degrees Celsius",
    "utilization_bytes": "allocated bytes of the first NVMe namespace",
    "host_bytes_read": "bytes read by the host",
    "write_commands": "write commands of the host",
    "read_commands": "read commands of the host",
}
_ATTRIBUTES = {"reallocated_blocks": 5, "power_cycles": 12, "program_fails": 171,
               "erase_fails": 172, "power_losses": 174, "spare_blocks": 180, "workload_wear": 226,
               "host_pages": 247, "ftl_pages": 248}  # fmt: skip
_HEALTH = {
    "power_cycles": "power_cycles",
    "power_losses": "unsafe_shutdowns",
    "media_errors": "media_errors",
    "available_spare": "available_spare",
    "spare_threshold": "available_spare_threshold",
}
COLUMNS = {
    **_TEXT,
    "passed": "the drive's own verdict",
    **{name: f"rule that gave {figure}" for name, figure in _RULES.items()},
    **_FIGURES,
    **{name: f"raw value of attribute {number}" for name, number in _ATTRIBUTES.items()},
    "power_cycles": "raw value of attribute 12, or the NVMe counter",
    "power_losses": "raw value of attribute 174, or the NVMe counter of unsafe shutdowns",
    "media_errors": "NVMe counter of media and data integrity errors",
    "available_spare": "spare blocks left, percent (NVMe)",
    "spare_threshold": "percent of spare blocks below which the drive warns (NVMe)",
    "interface_errors": "errors between drive and computer, where they are counted",
}
"""The columns of the table of :func:`fleet`, in order, with a description of each."""

Row = tuple[Any, ...]
States = tuple[Report, ...]
"""The first and last report of a row's drive; empty if there is none or reports are not kept."""
Read = tuple[Row, States]
Batch = list[tuple[str, Content]]


def fleet(
    source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    jobs: int | None = None,
    progress: bool | None = None,
    *,
    model: str | None = None,
) -> pd.DataFrame:
    """Return a table of all reports in a folder, a tar archive or a daily table of Backblaze.

    Parameters
    ----------
    source : path, or iterable of paths
        A folder, walked without following links; a tar archive, plain or packed with xz, gzip
        or bzip2; or a daily table of Backblaze, plain or packed with gzip, also in a folder.
        Of several paths each may also be a report.
        Archives and tables are streamed: nothing is unpacked to disk.
    jobs : int, optional
        Processes, >= 1; by default one per core.
    progress : bool, optional
        Show a progress bar on stderr; by default where that is a terminal.
    model : str, optional
        Regular expression: only drives whose model begins with a match get a row. By default all
        drives, but of daily tables only models known as solid-state drives.

    Returns
    -------
    pandas.DataFrame
        One row per report, in the order of the folder or archive, with the columns of
        ``smart.COLUMNS``: text and rules of dtype str, passed boolean, all others float64 with
        NaN where not known.

    Raises
    ------
    Unreadable
        If a single `source` is no folder and no tar archive, or one of which nothing can be read.
        Where an archive breaks off later, its last row says so.
    OSError
        If it cannot be opened.
    ValueError
        If `jobs` is not a whole number >= 1, or `model` no regular expression.

    Notes
    -----
    Several reports of a drive have a row each. The table takes some 2 kB of memory per report.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "empty.txt").write_text("")
    ...     table = fleet(folder, jobs=1, progress=False)
    >>> table[["path", "error"]].values.tolist()
    [['empty.txt', 'the text is empty']]
    """
    if isinstance(source, (str, os.PathLike)):
        return fleet_and_states(source, jobs, progress, model, keep=False)[0]
    paths = (os.fspath(path) for path in source)
    found = chain.from_iterable(
        files(path) if os.path.isdir(path) or is_archive(path) else one_file(path, path)
        for path in paths
    )
    return fleet_and_states(found, jobs, progress, model, keep=False)[0]


def fleet_and_states(
    source: str | os.PathLike[str] | Iterable[tuple[str, Content]],
    jobs: int | None,
    progress: bool | None,
    model: str | None,
    *,
    keep: bool = True,
    warn: float = WORN,
) -> tuple[pd.DataFrame, list[States]]:
    """Return :func:`fleet`'s table of reports and, if `keep`, the reports of each file by drive.

    `source` may be the files themselves, too, as names and contents; `warn` is the percent of life
    from which to warn.
    """
    require("field", "pandas")
    import pandas as pd

    wanted = model_pattern(model)
    rows: list[Row] = []
    kept: list[States] = []
    found = files(source, wanted) if isinstance(source, (str, os.PathLike)) else source
    read = partial(rows_of, secret=current_key(), keep=keep, warn=warn)
    for batch in _shown(_read(_batches(found), _jobs(jobs), read), progress):
        for row, states_of in batch:
            if not wanted or _wanted(row, wanted):
                rows.append(row)
                kept.append(states_of)
    columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True)) if rows else {}
    table = pd.DataFrame({name: _series(pd, name, columns.get(name, ())) for name in COLUMNS})
    return table, kept


def _wanted(row: Row, wanted: re.Pattern[str]) -> bool:
    _, error, model, *_ = row
    return error is not None or wanted.match(model or "") is not None


def model_pattern(model: str | None) -> re.Pattern[str] | None:
    """Return a regular expression of models, or raise ValueError."""
    try:
        return None if model is None else re.compile(model)
    except re.error as error:
        raise ValueError(f"model must be a regular expression, got {model!r}: {error}") from None


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


def _batches(found: Iterable[tuple[str, Content]]) -> Iterator[Batch]:
    batch: Batch = []
    size = 0
    for name, content in found:
        batch.append((name, content))
        size += 0 if isinstance(content, Found) else len(content)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(
    batches: Iterator[Batch], jobs: int, read: Callable[[Batch], list[Read]]
) -> Iterator[list[Read]]:
    if jobs == 1:
        yield from map(read, batches)
        return
    from joblib import Parallel, delayed

    yield from Parallel(n_jobs=jobs, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")(
        delayed(read)(batch) for batch in batches
    )


def _shown(batches: Iterator[list[Read]], progress: bool | None) -> Iterator[list[Read]]:
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        yield from batches
        return
    from tqdm.auto import tqdm

    with tqdm(unit=" reports", desc="read") as bar:
        for batch in batches:
            bar.update(len(batch))
            yield batch


def rows_of(batch: Batch, secret: bytes, keep: bool, warn: float) -> list[Read]:
    """Return table rows of some files, and their reports if they are to be kept."""
    with keyed(secret):
        found = [read for name, content in batch for read in _rows(name, content, warn)]
    return [(row, states_of if keep else ()) for row, states_of in found]


def printable(name: str) -> str:
    """Return a name with what a terminal would obey, and bytes that are no text, as escapes."""
    text = name[:4096].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def reports(name: str, content: Content) -> Iterator[tuple[str, list[Report] | str]]:
    """Yield for each drive of a file its reports over time, or why a part holds none.

    Names are without serial numbers and safe to print. One file never costs the others.
    """
    shown = printable(name)
    drives: list[list[Report]] = []
    errors: list[str] = []
    try:
        if isinstance(content, str):
            raise Unreadable(content)
        if isinstance(content, Found):
            drives = [[evaluate(content)]]
        else:
            drives, errors = states(decoded(content), shown)
    except Unreadable as error:
        errors = [str(error)]
    except Exception as error:
        errors = [f"not understood: {type(error).__name__}: {str(error)[:100]}"]
    found: list[list[Report] | str] = [*drives, *errors]
    for place, one in enumerate(found, 1):
        yield without_serial(shown if place == 1 else f"{shown}#{place}"), one


def _rows(name: str, content: Content, warn: float) -> Iterator[Read]:
    for place, found in reports(name, content):
        yield _failure(place, found) if isinstance(found, str) else _row(place, found, warn)


def _row(name: str, drive: list[Report], warn: float) -> Read:
    report = drive[-1]
    judged = verdict(report, warn_percent=warn)
    counted = faults(report)
    written: dict[str, Any] = {
        "path": name,
        "doubts": " ".join(report.flags),
        "verdict": judged.level,
        "findings": " ".join(finding.word for finding in judged.findings),
        "low_attributes": " ".join(
            str(number) for number, row in report.attributes.items() if at_threshold(row)
        ),
        "drive": report.identity,
        "interface_errors": counted["interface_errors"],
        **{column: report.rules.get(figure) for column, figure in _RULES.items()},
        **_host(report),
    }
    for column, number in _ATTRIBUTES.items():
        if number in report.attributes:
            written[column] = report.attributes[number].raw
    for column, key in _HEALTH.items():
        if key in report.health:
            written[column] = report.health[key]
    row = tuple(
        written[column] if column in written else getattr(report, column, None)
        for column in COLUMNS
    )
    return row, (*drive[:-1][:1], report)


def _failure(name: str, reason: str) -> Read:
    return (name, reason, *[None] * (len(COLUMNS) - 2)), ()


def _host(report: Report) -> dict[str, int | None]:
    """Return what the host asked for, by the standard counters of either kind."""
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
