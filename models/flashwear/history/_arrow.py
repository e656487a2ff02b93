"""Reports past one machine: batches of Arrow in constant memory, and Parquet by day."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_type_hints

from flashwear._extras import require
from flashwear.history._row import Row, rows_of
from flashwear.history._sources import Source, sources
from flashwear.smart._archive import is_archive
from flashwear.smart._found import current_key

if TYPE_CHECKING:
    import pyarrow as pa

_CHUNK = 256  # files that a process reads at a time
_PART, _PARTS = 4096, 30  # rows at a time, of which so many make a group of Parquet
_NO_DAY = "__HIVE_DEFAULT_PARTITION__"  # of a report without a time, as Hive names it
_Item: TypeAlias = Source | tuple[str, str | None]


def schema() -> pa.Schema:
    """Return the columns of :func:`records`: those of :class:`Row`, findings as words."""
    require("field", "pyarrow")
    import pyarrow as pa

    kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    first = {name: (*get_args(kind), kind)[0] for name, kind in get_type_hints(Row).items()}
    words = pa.list_(pa.string())
    return pa.schema([(name, kinds.get(kind, words)) for name, kind in first.items()])


def records(
    paths: Iterable[str],
    *,
    key: bytes | None = None,
    host: str | None = None,
    jobs: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of many reports as batches of Arrow, in constant memory.

    Parameters
    ----------
    paths : iterable of str
        As for :func:`sources`. A file is read by the process that works on it, so that on a cluster
        each worker must see it by the same name; an archive is read here.
    key : bytes, optional
        Key of the drives' names, from :func:`read_key`; by default one of this process.
    host : str, optional
        As for :func:`sources`.
    jobs : int, optional
        Processes of joblib; by default what ``joblib.parallel_config`` says, or else one. With
        ``backend="dask"`` and a ``distributed.Client`` open these are the workers of a cluster.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        With the columns of :func:`schema`, in the order of the paths. What could not be read is a
        row, too, with its reason as ``error``.

    Examples
    --------
    >>> list(records([]))
    []
    """
    require("field", "pyarrow", "joblib")
    from joblib import Parallel, delayed

    used = key or current_key()
    items = _items(paths, host)
    chunks = iter(lambda: list(islice(items, _CHUNK)), [])
    work = Parallel(n_jobs=jobs, return_as="generator", batch_size=1, pre_dispatch="2*n_jobs")
    yield from work(delayed(_batch)(chunk, used) for chunk in chunks)


def _items(paths: Iterable[str], host: str | None) -> Iterator[_Item]:
    for path in paths:
        if path == "-" or is_archive(path):
            yield from sources([path], host)
        elif not os.path.isdir(path):
            yield path, host
        for folder, inner, names in os.walk(path):
            inner.sort()
            first = os.path.relpath(folder, path).partition(os.sep)[0]
            its = host or (None if first == "." else first)
            yield from ((os.path.join(folder, name), its) for name in sorted(names))


def _batch(chunk: list[_Item], key: bytes) -> pa.RecordBatch:
    """Read some files, without any state of this process."""
    found = ([item] if isinstance(item, Source) else sources([item[0]], item[1]) for item in chunk)
    rows = [row for source in chain.from_iterable(found) for row in rows_of(source, key)]
    return _as_batch([
        [[one.word for one in row.findings] if name == "findings" else value
         for name, value in row._asdict().items()]
        for row in rows
    ])  # fmt: skip


def _as_batch(rows: Iterable[Any]) -> pa.RecordBatch:
    import pyarrow as pa

    columns = schema()
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(column, one.type) for column, one in zip(values, columns, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def write_parquet(batches: Iterable[pa.RecordBatch], folder: str | os.PathLike[str]) -> int:
    """Write rows as Parquet, a file a day, sorted by drive, and return how many there are.

    The file of a day, ``date=2026-11-28/part-0.parquet``, is replaced by one that holds its rows
    and the new ones. A report that is there already is replaced, so that the order of reports and
    how often they come change nothing. Sorting takes some disk in `folder`, and constant memory.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        From :func:`records`.
    folder : path
        Made if it is not there. Only one process may write to it at a time.
    """
    require("field", "pyarrow")
    top, names = Path(folder), ", ".join(Row._fields)
    top.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=top, prefix=".sorting") as place:
        base = sqlite3.connect(Path(place, "rows"))
        try:
            base.execute("pragma journal_mode=off")  # nothing of it is kept
            base.execute("pragma synchronous=off")
            base.execute(
                f"create table row(day, who, at, {names}, primary key(day, who, at)) without rowid"
            )
            for batch in batches:
                _insert(base, "replace", batch)
            days = base.execute("select distinct day from row").fetchall()
            return sum(_write_day(base, top / f"date={day}", day) for (day,) in days)
        finally:
            base.close()


def _insert(base: sqlite3.Connection, otherwise: str, batch: pa.RecordBatch) -> None:
    rows = []
    for row in batch.to_pylist():
        at = row["taken_at"]
        day = _NO_DAY if at is None else datetime.fromtimestamp(at, UTC).date().isoformat()
        who = row["drive"] or f"{row['host'] or ''}/{row['file']}"
        row["findings"] = " ".join(row["findings"])
        rows.append([day, who, at or 0, *row.values()])
    marks = ", ".join("?" * (3 + len(Row._fields)))
    base.executemany(f"insert or {otherwise} into row values({marks})", rows)


def _write_day(base: sqlite3.Connection, folder: Path, day: str) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(exist_ok=True)
    path, part = folder / "part-0.parquet", folder / ".part-0.parquet"
    if path.exists():
        with parquet.ParquetFile(path) as old:
            for batch in old.iter_batches(_PART):
                _insert(base, "ignore", batch)
    names = ", ".join(Row._fields)
    found = base.execute(f"select {names} from row where day = ? order by who, at", (day,))
    parts = iter(lambda: found.fetchmany(_PART), [])
    count = 0
    with parquet.ParquetWriter(part, schema(), compression="zstd") as writer:
        while group := [_as_batch(map(_from_base, rows)) for rows in islice(parts, _PARTS)]:
            table = pa.Table.from_batches(group)
            writer.write_table(table, row_group_size=_PART * _PARTS)
            count += len(table)
    os.replace(part, path)
    return count


def _from_base(row: tuple[Any, ...]) -> list[Any]:
    values = dict(zip(Row._fields, row, strict=True))
    values |= {"solid_state": bool(values["solid_state"]), "findings": values["findings"].split()}
    return [*values.values()]
