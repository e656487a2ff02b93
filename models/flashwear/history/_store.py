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

from flashwear.history._row import WORST, Row, place_key, rows_of
from flashwear.history._sources import Source
from flashwear.smart import Finding
from flashwear.smart._read import LARGEST

_MAGIC = b"SQLite format 3\0"
_APPLICATION = 0x666C7772  # "flwr"
_OF_DRIVE = ("serial", "model", "protocol", "solid_state", "capacity_bytes")
_OF_REPORT = tuple(n for n in Row._fields if n not in (*_OF_DRIVE, "error", "drive"))
_TEXTS = {"file", "host", "device", "firmware", "text", "doubt", "life_used_source", "findings",
          "flashwear"}  # fmt: skip
_DAY = 86_400
_WEEK = 7 * _DAY
_ALL_DAYS = 90  # of which all reports are kept; of earlier weeks the last
_JUMP = 30 * _DAY  # of the clock since the last report, after which nothing is taken out
_AHEAD = _DAY  # that the clock of a report may be, of a zone that it does not tell
_BATCH, _BATCH_BYTES = 500, 2**24
_BUSY_S = 30.0
_OLDEST = (3, 37)  # that knows strict tables
_KEPT = ", ".join(
    f"{name} {'text' if name in _TEXTS else 'real' if 'used' in name else 'integer'}"
    + " not null" * (name in ("taken_at", "status", "text", "findings", "flashwear"))
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
create table lost(place text primary key, file text not null, drive text not null,
    status integer not null, unread integer not null, row text not null,
    at integer not null) strict, without rowid;
create table key(mark text primary key) strict, without rowid;
pragma application_id={_APPLICATION};
""",
)
"""How a store of each version (``pragma user_version``) becomes the next."""


class Recorded(NamedTuple):
    """Reports that :meth:`History.record` read, new ones, their drives, and what was lost."""

    reports: int
    new: int
    drives: int
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
        if sqlite3.sqlite_version_info < _OLDEST:
            raise OSError(f"a history needs SQLite 3.37 or newer, got {sqlite3.sqlite_version}")
        raw = f"{self.path}.raw"
        if write:
            for file in (self.path, raw):
                os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        elif not is_history(self.path):
            raise ValueError(f"{self.path} must be a history made by flashwear rack record")
        self._raw = write or is_history(raw)
        broken = os.path.exists(f"{self.path}-journal")  # off by a writer that was killed
        first, second = (
            Path(file).absolute().as_uri() + ("?mode=rw" if write or broken else "?mode=ro")
            for file in (self.path, raw)
        )
        with self._told():
            self._base = sqlite3.connect(first, uri=True, timeout=_BUSY_S, isolation_level=None)
            try:
                self._base.row_factory = sqlite3.Row
                self._base.execute("pragma trusted_schema=off")
                self._base.execute("pragma foreign_keys=on")
                self._base.execute(
                    "attach database ? as kept", (second if self._raw else ":memory:",)
                )
                self._migrate(write)
            except BaseException:
                self._base.close()
                raise

    def _migrate(self, write: bool) -> None:
        """Bring the store to the version of today, each step whole or not at all."""

        def version() -> int:
            return int(self._base.execute("pragma user_version").fetchone()[0])

        newest = len(_MIGRATIONS)
        if version() > newest:
            raise ValueError(f"{self.path} is of version {version()}; this program knows {newest}")
        if write:
            for place in ("main", "kept"):  # one file to copy, and none of shared memory
                self._base.execute(f"pragma {place}.journal_mode=delete")
            with self._whole():
                tables = self._base.execute("select count(*) from sqlite_master").fetchone()[0]
                if not tables or version():
                    for at in range(version(), newest):
                        for statement in _MIGRATIONS[at].split(";\n"):
                            self._base.execute(statement)
                        self._base.execute(f"pragma user_version={at + 1}")
                    self._base.execute(
                        "create table if not exists kept.raw(raw text primary key, source text "
                        "not null, content blob not null) strict"
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
        except (sqlite3.Error, OverflowError, zlib.error) as error:
            raise OSError(None, str(error), self.path) from None

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Do all of it or nothing."""
        with self._told():
            self._base.execute("begin immediate")
            try:
                yield
                self._base.execute("commit")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._base.execute("rollback")
                raise

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
            Time, in seconds since 1970.

        Raises
        ------
        ValueError
            If reports were recorded by another key: by that the same drive would be another.

        Notes
        -----
        A report cannot be recorded if it names no drive or no time, is dated more than a day ahead,
        or before one of fewer hours under power, so that a clock was wrong. :meth:`lost` tells its
        verdict until a report from there can be recorded.
        """
        now = time.time() if now is None else now
        self._same(key)
        seen = self._all("select coalesce(max(read_at), 0) as at from report")[0]["at"]
        lost: list[tuple[str, str]] = []
        drives: set[str] = set()
        read = new = size = 0
        batch: list[tuple[Row, Source, str]] = []

        def flush() -> None:
            nonlocal read, new
            with self._whole():
                for row, source, place in batch:
                    if reason := self._unfit(row, now):
                        lost.append((row.file, reason))
                        self._lose(row, reason, place, int(now))
                    else:
                        if source.name != "-":  # where another drive may follow
                            self._base.execute("delete from lost where place = ?", (place,))
                        read, new = read + 1, new + self._add(row, source, raw, now)
                        drives.add(row.drive or "")

        for source in found:
            batch += (
                (row, source, json.dumps([source.name, source.host, source.device, number]))
                for number, row in enumerate(rows_of(source, key, serials))
            )
            size += len(source.content) if isinstance(source.content, bytes) else 0
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                flush()
                batch, size = [], 0
        flush()
        if not seen or now - seen < _JUMP:
            with self._whole():
                self._prune(int(now))
        return Recorded(read, new, len(drives), tuple(lost))

    def _same(self, key: bytes) -> None:
        """Remember the key of the first reports, and refuse another."""
        mark = hashlib.blake2b(key, digest_size=8, person=b"flashwear").hexdigest()
        with self._whole():
            self._base.execute(
                "insert into key select ? where not exists (select 1 from key)", (mark,)
            )
            if not self._all("select 1 from key where mark = ?", (mark,)):
                raise ValueError(f"key must be the one with which {self.path} was recorded")

    def _unfit(self, row: Row, now: float) -> str | None:
        """Say why a row cannot be recorded."""
        if row.error:
            return row.error
        if row.drive is None:
            return "it names no serial number, so that it is not known of which drive it is"
        if row.taken_at is None:
            return "it tells no time (smartctl -x does)"
        if row.taken_at > now + _AHEAD:
            return "its clock is more than a day ahead"
        later = self._all(
            "select min(power_on_hours) + 1 as hours, max(status = 2) as bad, count(*) as found "
            "from report where drive = :drive and taken_at > :taken_at and not exists (select 1 "
            "from report where drive = :drive and taken_at = :taken_at)", row._asdict()
        )[0]  # fmt: skip
        own, least = row.power_on_hours, later["hours"]
        if not later["found"] or later["bad"]:
            return None
        if own is not None and least is not None and least < own:
            return "it is dated before a report of fewer hours under power: a clock was wrong"
        if row.status == 2 and (own is None or least is None or least <= own + 2):
            return "it alarms, and is dated before a report that may be older: a clock was wrong"
        return None

    def _lose(self, row: Row, reason: str, place: str, now: int) -> None:
        """Keep what a row says that cannot be recorded; one that cannot be read ends no alarm."""
        if row.error and self._all(
            "select 1 from lost where place = ? and not unread and status in (1, 2)", (place,)
        ):
            return
        if not row.error:
            row = row._replace(doubt=reason, drive=row.drive or place_key(row))
            row = row.judged((*row.findings, Finding("not_recorded", "note", reason)))
        values = (place, row.file, row.drive or place_key(row), row.status,
                  int(row.error is not None), json.dumps(row), now)  # fmt: skip
        self._base.execute("insert or replace into lost values(?, ?, ?, ?, ?, ?, ?)", values)

    def _add(self, row: Row, source: Source, raw: bool, now: float) -> int:
        told = _as_values(row) | {"read_at": int(now), "raw": None}
        if raw and isinstance(source.content, bytes):
            told["raw"] = hashlib.blake2b(source.content, digest_size=16).hexdigest()
            place = json.dumps([source.name, source.host, source.device])
            self._base.execute(
                "insert or ignore into kept.raw values(?, ?, ?)",
                (told["raw"], place, zlib.compress(source.content)),
            )
        self._base.execute(
            "insert into drive values(:drive, :serial, :model, :protocol, :solid_state, "
            ":capacity_bytes, :taken_at, :taken_at, null) on conflict(drive) do update set "
            "serial = coalesce(excluded.serial, serial), "
            "capacity_bytes = coalesce(excluded.capacity_bytes, capacity_bytes), "
            "first_seen = min(first_seen, excluded.first_seen), "
            "last_seen = max(last_seen, excluded.last_seen), "
            "retired_at = case when excluded.last_seen > retired_at then null else retired_at end",
            told,
        )
        same = self._all(
            "select status from report where drive = ? and taken_at = ?", (row.drive, row.taken_at)
        )
        if same and WORST.index(same[0]["status"]) < WORST.index(row.status):
            self._insert("replace", told)  # of two of one second the worse counts
            return 0
        return self._insert("ignore", told)

    def _insert(self, otherwise: str, values: dict[str, Any]) -> int:
        names = ("drive", *_OF_REPORT, "read_at", "raw")
        marks = ", ".join(f":{name}" for name in names)
        words = f"insert or {otherwise} into report({', '.join(names)}) values({marks})"
        return self._base.execute(words, values).rowcount

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
        self._base.execute("delete from lost where unread and at < ?", (now - _WEEK,))

    def read_again(self, key: bytes) -> int:
        """Read all kept reports again by the rules of today, and return how many changed.

        The key must be that of :meth:`record`.
        """
        self._same(key)
        changed = 0
        with self._whole():
            for (name,) in self._base.execute("select raw from kept.raw").fetchall():
                (source,) = self._kept(name)
                for row in rows_of(source, key):
                    old = self._base.execute(
                        "select * from report where drive = ? and taken_at = ? and raw = ?",
                        (row.drive, row.taken_at, name),
                    ).fetchone()
                    values = {**dict(old), **_as_values(row)} if old else {}
                    if any(values[column] != old[column] for column in _OF_REPORT if old):
                        changed += self._insert("replace", values)
        return changed

    def retire(self, drives: Sequence[str], now: float | None = None) -> None:
        """Take drives out, which then alarm no more for want of reports; a newer report undoes it.

        Parameters
        ----------
        drives : sequence of str
            Their keys, or files that could not be recorded.
        now : float, optional
            Time, in seconds since 1970. Reports that are dated more than a day ahead go.

        Raises
        ------
        ValueError
            If one of them is not here; then none is taken out.
        """
        now = time.time() if now is None else now
        with self._whole():
            for drive in drives:
                self._base.execute(
                    "delete from report where drive = ? and taken_at > ?", (drive, now + _AHEAD)
                )
                found = self._base.execute(
                    "update drive set last_seen = coalesce((select max(taken_at) from report where "
                    "report.drive = drive.drive), 0) where drive = ?", (drive,)
                ).rowcount  # fmt: skip
                self._base.execute(
                    "update drive set retired_at = last_seen where drive = ?", (drive,)
                )
                found += self._base.execute(
                    "delete from lost where ? in (drive, file)", (drive,)
                ).rowcount
                if not found:
                    raise ValueError(f"drive must be one of {self.path}, got {drive[:40]!r}")

    def forget(self, file: str) -> None:
        """Forget that a file could not be read."""
        with self._whole():
            self._base.execute("delete from lost where file = ? and unread", (file,))

    def drives(self) -> list[str]:
        """Return the keys of the drives here but for retired ones, the longest silent first."""
        words = "where retired_at is null order by last_seen, drive"
        return [str(drive) for (drive,) in self._all(f"select drive from drive {words}")]

    def reports(self, drive: str, days: float | None = None) -> list[Row]:
        """Return the reports of a drive in the order of time; of the last `days` one a day."""
        question = "select * from report join drive using (drive) where drive = ? "
        if days is not None:
            question = question.replace("*", "*, max(taken_at)") + (
                f"and taken_at >= last_seen - {int(days * _DAY)} group by taken_at / {_DAY} "
            )
        return [_as_row(one) for one in self._all(f"{question}order by taken_at", (drive,))]

    def beside(self, row: Row) -> list[Row]:
        """Return the reports of a drive's last day that are from another host or device."""
        question = ("select * from report join drive using (drive) where drive = ? and "
                    "taken_at >= last_seen - ? and (host is not ? or device is not ?)")  # fmt: skip
        return [
            _as_row(one) for one in self._all(question, (row.drive, _DAY, row.host, row.device))
        ]

    def lost(self) -> list[Row]:
        """Return what could not be recorded, and what it says, if no report was read there since.

        A row of what could not be read has an ``error``, and is forgotten after 7 days; another
        stays until :meth:`retire`, or until a report is recorded from its place.
        """
        rows = [Row(*json.loads(row)) for (row,) in self._all("select row from lost order by file")]
        return [row._replace(findings=tuple(Finding(*one) for one in row.findings)) for row in rows]

    def raw(self, drive: str, times: Iterable[int]) -> Iterator[bytes]:
        """Yield the kept reports of a drive of these times."""
        for at in times if self._raw else ():
            for (name,) in self._all(
                "select raw from report where drive = ? and taken_at = ?", (drive, at)
            ):
                yield from (source.content for source in self._kept(name))  # type: ignore[misc]

    def _kept(self, name: str | None) -> list[Source]:
        found = self._all("select source, content from kept.raw where raw = ?", (name,))
        return [_source(json.loads(place), packed) for place, packed in found]

    def _all(self, question: str, values: Any = ()) -> list[Any]:
        with self._told():
            return self._base.execute(question, values).fetchall()


def _source(place: list[str], packed: bytes) -> Source:
    name, host, device = place
    content = zlib.decompressobj().decompress(packed, LARGEST + 1)  # a longer one is no report
    return Source(name, host, device, content)


def _as_values(row: Row) -> dict[str, Any]:
    findings = json.dumps([list(one) for one in row.findings])
    return row._asdict() | {"findings": findings, "solid_state": int(row.solid_state)}


def _as_row(found: sqlite3.Row) -> Row:
    values = {name: found[name] for name in Row._fields if name != "error"}
    findings = tuple(Finding(*one) for one in json.loads(values["findings"]))
    return Row(**values | {"findings": findings, "solid_state": bool(values["solid_state"])})
