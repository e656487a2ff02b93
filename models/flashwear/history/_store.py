"""The store of dated reports: an SQLite file of figures, and one of the reports themselves."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from flashwear.history._row import Row, rows_of
from flashwear.history._sources import Source
from flashwear.smart import Finding

_MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x666C7772  # "flwr"
_OF_DRIVE = ("serial", "model", "protocol", "solid_state", "capacity_bytes")
_OF_REPORT = tuple(n for n in Row._fields if n not in (*_OF_DRIVE, "error", "drive"))
_TEXTS = {"file", "host", "device", "firmware", "text", "doubt", "life_used_source", "findings",
          "flashwear"}  # fmt: skip
_DAY = 86_400
_WEEK = 7 * _DAY
_ALL_DAYS = 90  # of which all reports are kept; of earlier weeks the last
_AHEAD = _DAY  # that the clock of a report may be, of a zone that it does not tell
_BATCH, _BATCH_BYTES = 500, 2**24
_BUSY_S = 30.0
_KEPT = ", ".join(
    f"{name} {'text' if name in _TEXTS else 'real' if 'used' in name else 'integer'}"
    + (" not null" if name in ("taken_at", "status", "text", "findings", "flashwear") else "")
    for name in _OF_REPORT
)
_MIGRATIONS = (
    f"""
create table drive(drive text primary key, serial text, model text, protocol text,
    solid_state integer not null, capacity_bytes integer, first_seen integer not null,
    last_seen integer not null, retired_at integer) strict, without rowid;
create table report(drive text not null references drive(drive), {_KEPT},
    read_at integer not null, raw text, check(status between 0 and 3),
    primary key(drive, taken_at)) strict, without rowid;
create index report_raw on report(raw) where raw is not null;
pragma application_id={_APPLICATION};
""",
)
"""How a store of each version (``pragma user_version``) becomes the next."""


class Recorded(NamedTuple):
    """What :meth:`History.record` did."""

    reports: int
    """Reports that were read."""
    new: int
    """Reports that were not there before."""
    drives: int
    """Drives that they are of."""
    lost: tuple[tuple[str, str], ...]
    """File and reason of what could not be recorded."""


def is_history(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is an SQLite database, as a history is."""
    with suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(len(_MAGIC)) == _MAGIC
    return False


class History:
    """Reports of drives over time, in an SQLite file on a local disk.

    Reports as they were read are beside it in a second file, ``PATH.raw``, compressed, so that they
    can be read again by mended rules. They hold serial numbers: both files are made for their
    owner alone (mode 0600).

    Parameters
    ----------
    path : path
        The file.
    write : bool
        Whether to write; it is made if it is not there.

    Raises
    ------
    ValueError
        If the file is no history, or one of a newer version.
    OSError
        If it cannot be opened, read or written, and on use if it is full, damaged, or locked by
        others for 30 s.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, History(f"{folder}/a", write=True) as store:
    ...     store.record([Source("a.txt", None, None, b"no report")], key=b"k" * 32)
    Recorded(reports=0, new=0, drives=0, lost=(('a.txt', 'the text holds no report of smartctl'),))
    """

    def __init__(self, path: str | os.PathLike[str], *, write: bool = False) -> None:
        self.path = os.fspath(path)
        raw = f"{self.path}.raw"
        if write:
            for file in (self.path, raw):
                os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        elif not is_history(self.path):
            raise ValueError(f"{self.path} must be a history made by flashwear rack record")
        with self._told():
            uri = Path(self.path).absolute().as_uri() + ("?mode=rw" if write else "?mode=ro")
            self._base = sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None)
            try:
                self._base.row_factory = sqlite3.Row
                self._base.execute("pragma trusted_schema=off")
                self._base.execute("pragma foreign_keys=on")
                self._raw = write or (os.path.isfile(raw) and os.access(raw, os.R_OK))
                self._attach(raw if self._raw else ":memory:", write)
                self._migrate(write)
            except BaseException:
                self._base.close()
                raise

    def _attach(self, raw: str, write: bool) -> None:
        mode = "?mode=rw" if write else "?mode=ro"
        name = raw if raw == ":memory:" else Path(raw).absolute().as_uri() + mode
        self._base.execute("attach database ? as kept", (name,))
        if write:
            for place in ("main", "kept"):  # one file to copy, and none of shared memory
                self._base.execute(f"pragma {place}.journal_mode=delete")

    def _migrate(self, write: bool) -> None:
        """Bring the store to the version of today, each step whole or not at all."""

        def version() -> int:
            return int(self._base.execute("pragma user_version").fetchone()[0])

        newest = len(_MIGRATIONS)
        if version() > newest:
            raise ValueError(f"{self.path} is of version {version()}; this program knows {newest}")
        if write and version() < newest:
            with self._whole():
                tables = self._base.execute("select count(*) from sqlite_master").fetchone()[0]
                if tables and not version():
                    raise ValueError(f"{self.path} is an SQLite file, but no history")
                for at in range(version(), newest):
                    for statement in _MIGRATIONS[at].split(";\n"):
                        self._base.execute(statement)
                    self._base.execute(f"pragma user_version={at + 1}")
        if write:
            self._base.execute(
                "create table if not exists kept.raw(raw text primary key, source text not null, "
                "content blob not null) strict"
            )
        if self._base.execute("pragma application_id").fetchone()[0] != _APPLICATION:
            raise ValueError(f"{self.path} is an SQLite file, but no history")

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell errors of SQLite as those of a file."""
        try:
            yield
        except (sqlite3.Error, OverflowError) as error:
            raise OSError(None, str(error), self.path) from None

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Do all of it or nothing."""
        self._base.execute("begin immediate")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.execute("rollback")
            raise
        self._base.execute("commit")

    def record(
        self,
        found: Iterable[Source],
        *,
        key: bytes,
        serials: bool = False,
        raw: bool = True,
        now: float | None = None,
    ) -> Recorded:
        """Add reports; one that is there already changes nothing.

        Parameters
        ----------
        found : iterable of Source
            The reports, from :func:`sources`.
        key : bytes
            Key of the drives' names, from :func:`read_key`.
        serials, raw : bool
            Whether to keep serial numbers beside the models, and the reports themselves.
        now : float, optional
            Time, in seconds since 1970. A report that is more than a day ahead is not recorded.
        """
        now = time.time() if now is None else now
        lost: list[tuple[str, str]] = []
        drives: set[str] = set()
        read = new = 0
        batch: list[tuple[Row, Source]] = []
        size = 0

        def flush() -> int:
            with self._told(), self._whole():
                return sum(self._add(row, source, raw, now) for row, source in batch)

        for source in found:
            for row in rows_of(source, key, serials):
                if reason := _unfit(row, now):
                    lost.append((row.file, reason))
                    continue
                batch.append((row, source))
                drives.add(row.drive or "")
                read += 1
            size += len(source.content) if isinstance(source.content, bytes) else 0
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                new += flush()
                batch, size = [], 0
        new += flush()
        with self._told(), self._whole():
            self._prune(int(now))
        return Recorded(read, new, len(drives), tuple(lost))

    def _add(self, row: Row, source: Source, raw: bool, now: float) -> int:
        values: dict[str, Any] = {**row._asdict(), "read_at": int(now), "raw": None}
        values["findings"] = json.dumps([list(one) for one in row.findings])
        values["solid_state"] = int(row.solid_state)
        if raw and isinstance(source.content, bytes):
            values["raw"] = self._keep(source, source.content)
        self._base.execute(
            "insert into drive values(:drive, :serial, :model, :protocol, :solid_state, "
            ":capacity_bytes, :taken_at, :taken_at, null) on conflict(drive) do update set "
            "serial = coalesce(excluded.serial, serial), "
            "capacity_bytes = coalesce(excluded.capacity_bytes, capacity_bytes), "
            "first_seen = min(first_seen, excluded.first_seen), "
            "last_seen = max(last_seen, excluded.last_seen), "
            "retired_at = case when excluded.last_seen > retired_at then null else retired_at end",
            values,
        )
        return self._insert("or ignore", values)

    def _insert(self, otherwise: str, values: dict[str, Any]) -> int:
        names = ("drive", *_OF_REPORT, "read_at", "raw")
        done = self._base.execute(
            f"insert {otherwise} into report({', '.join(names)}) "
            f"values({', '.join(f':{name}' for name in names)})",
            values,
        )
        return done.rowcount

    def _keep(self, source: Source, content: bytes) -> str:
        name = hashlib.blake2b(content, digest_size=16).hexdigest()
        place = json.dumps([source.name, source.host, source.device])
        self._base.execute(
            "insert or ignore into kept.raw values(?, ?, ?)", (name, place, zlib.compress(content))
        )
        return name

    def _prune(self, now: int) -> None:
        """Keep all reports of 90 days, and of the weeks before the last one."""
        gone = self._base.execute(
            "delete from report where taken_at < ? and exists (select 1 from report as later where "
            "later.drive = report.drive and later.taken_at > report.taken_at and "
            "later.taken_at / ? = report.taken_at / ?)",
            (now - _ALL_DAYS * _DAY, _WEEK, _WEEK),
        )
        if gone.rowcount:
            self._base.execute(
                "delete from kept.raw where raw not in (select raw from report where raw not null)"
            )

    def read_again(self, key: bytes) -> int:
        """Read all kept reports again by the rules of today, and return how many changed."""
        changed = 0
        with self._told(), self._whole():
            for name, place, packed in self._base.execute("select * from kept.raw").fetchall():
                file, host, device = json.loads(place)
                source = Source(file, host, device, zlib.decompress(packed))
                for row in rows_of(source, key):
                    old = self._base.execute(
                        "select * from report where drive = ? and taken_at = ? and raw = ?",
                        (row.drive, row.taken_at, name),
                    ).fetchone()
                    if old is None:
                        continue
                    values = {**dict(old), **row._asdict()}
                    values["findings"] = json.dumps([list(one) for one in row.findings])
                    if any(values[column] != old[column] for column in _OF_REPORT):
                        changed += self._insert("or replace", values)
        return changed

    def retire(self, drives: Sequence[str], now: float | None = None) -> None:
        """Take drives out, which then alarm no more for want of reports; a new report undoes it.

        Parameters
        ----------
        drives : sequence of str
            Their keys.
        now : float, optional
            Time, in seconds since 1970.

        Raises
        ------
        ValueError
            If one of them is not here; then none is taken out.
        """
        at = int(time.time() if now is None else now)
        with self._told(), self._whole():
            for drive in drives:
                done = self._base.execute(
                    "update drive set retired_at = max(?, last_seen) where drive = ?", (at, drive)
                )
                if not done.rowcount:
                    raise ValueError(f"drive must be one of {self.path}, got {drive[:40]!r}")

    def drives(self, retired: bool = False) -> list[str]:
        """Return the keys of the drives here, the longest silent first."""
        words = "" if retired else "where retired_at is null "
        return [
            str(drive)
            for (drive,) in self._all(f"select drive from drive {words}order by last_seen, drive")
        ]

    def reports(self, drive: str, days: float | None = None) -> list[Row]:
        """Return the reports of a drive in the order of time; of the last `days` one a day."""
        question = "select * from report join drive using (drive) where drive = ? "
        if days is not None:
            question = question.replace("*", "*, max(taken_at)") + (
                f"and taken_at >= last_seen - {int(days * _DAY)} group by taken_at / {_DAY} "
            )
        found = self._all(f"{question}order by taken_at", (drive,))
        return [_as_row(one) for one in found]

    def raw(self, drive: str, times: Iterable[int]) -> Iterator[bytes]:
        """Yield the kept reports of a drive of these times."""
        question = "select content from kept.raw join report using (raw) where drive = ? and "
        for at in times if self._raw else ():
            for (packed,) in self._all(f"{question}taken_at = ?", (drive, at)):
                yield zlib.decompress(packed)

    def _all(self, question: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._told():
            return self._base.execute(question, values).fetchall()


def _unfit(row: Row, now: float) -> str | None:
    """Say why a row cannot be recorded."""
    if row.error:
        return row.error
    if row.drive is None:
        return "it names no serial number, so that it is not known of which drive it is"
    if row.taken_at is None:
        return "it tells no time (smartctl -x does)"
    if row.taken_at > now + _AHEAD:
        return "its clock is more than a day ahead"
    return None


def _as_row(found: sqlite3.Row) -> Row:
    values = {name: found[name] for name in Row._fields if name != "error"}
    values["findings"] = tuple(Finding(*one) for one in json.loads(values["findings"]))
    values["solid_state"] = bool(values["solid_state"])
    return Row(**values)
