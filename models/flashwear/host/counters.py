"""What a running database tells of its own writes: counters of PostgreSQL, InnoDB and RocksDB."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from flashwear.host.dumps import last_dump
from flashwear.host.innodb import PAGE_BYTES as _INNODB_PAGE
from flashwear.host.lsm import log_sync_bytes
from flashwear.host.postgres import PAGE_BYTES as _POSTGRES_PAGE
from flashwear.host.synced import FileSystem, sync_bytes

_MOST = 1 << 20  # characters of a text
_MOST_LOG = 1 << 26  # of a log of RocksDB
_FILE_BLOCK = 4_096  # of a file system, which a log that is synced fills in part
_LOG_BLOCK = 512  # of InnoDB's log, on a device with sectors of as many bytes

POSTGRES_QUERY = """\
select 'pg_stat_wal', to_json(w) from pg_stat_wal w;
select 'pg_stat_bgwriter', to_json(w) from pg_stat_bgwriter w;
select 'pg_stat_checkpointer', to_json(w) from pg_stat_checkpointer w;
select 'pg_stat_io', jsonb_agg(w) from pg_stat_io w;
select 'pg_stat_database', json_build_object('commits', sum(xact_commit), \
'rows', sum(tup_inserted + tup_updated + tup_deleted), 'inserted', sum(tup_inserted)) \
from pg_stat_database;
select 'pg_settings', json_object_agg(name, setting) from pg_settings where name in \
('block_size', 'wal_block_size', 'full_page_writes', 'wal_compression');
select 'pg_tables', jsonb_agg(t) from (select s.relid::bigint id, n_tup_ins inserted, \
n_tup_upd updated, n_tup_hot_upd hot, n_tup_del deleted, n_live_tup live, \
pg_relation_size(s.relid) bytes, pg_indexes_size(s.relid) index_bytes, (select sum(avg_width) \
from pg_stats p where (p.schemaname, p.tablename) = (s.schemaname, s.relname) and not inherited) \
width, x.* from pg_stat_user_tables s, lateral (select count(*) indexes, count(*) filter (where \
apart) spread, coalesce(sum(pg_relation_size(indexrelid)) filter (where apart), 0) spread_bytes \
from (select indexrelid, coalesce(abs(correlation), 0) < 0.9 apart from pg_index left join \
pg_attribute a on attrelid = indrelid and attnum = indkey[0] left join pg_stats p on \
(p.schemaname, p.tablename, p.attname) = (s.schemaname, s.relname, a.attname) and not inherited \
where indrelid = s.relid) y) x order by n_tup_ins + n_tup_upd + n_tup_del desc limit 50) t;
select 'seconds', extract(epoch from clock_timestamp());
"""
"""What to ask PostgreSQL 14 or newer (``psql -X``); views that a version has not are errors that
may stand in the answer."""

INNODB_QUERY = """\
show global status where variable_name in ('Uptime', 'Com_commit', 'Innodb_os_log_written', \
'Innodb_data_fsyncs', 'Innodb_pages_written', 'Innodb_dblwr_pages_written', 'Innodb_page_size', \
'Innodb_checkpoint_age', 'Handler_write', 'Handler_update', 'Handler_delete', \
'Binlog_bytes_written', 'Binlog_group_commits');
show global variables where variable_name = 'sync_binlog';
"""
"""What to ask MariaDB or MySQL (``mariadb``)."""

_NEEDED = {  # the last of each ends the answer
    "PostgreSQL": ("pg_stat_bgwriter", "pg_stat_database", "seconds"),
    "InnoDB": ("Uptime", "Innodb_data_fsyncs", "Innodb_pages_written", "sync_binlog"),
}
_PARTS = ("log", "pages", "copies", "binlog", "memtables", "merges")
_CHANGES = ("inserted", "updated", "hot", "deleted")  # rows of a table
_GROW = ("bytes", "index_bytes")
_SIZES = (*_GROW, "live", "spread_bytes", "indexes", "spread", "width")
_POSTGRES = re.compile(r"(pg_stat_\w+|pg_settings|pg_tables|seconds)\s*\|\s*(\{.*\}|\[.*\]|[\d.]+)")
_INNODB = re.compile(
    r"^[|\s]*((?:Innodb|innodb|Binlog|Com|Handler|Uptime|sync_binlog)\w*)[|\s]+(\S+)", re.MULTILINE
)


class EngineWrites(NamedTuple):
    """What a database wrote between two readings of its counters."""

    engine: str
    """PostgreSQL, InnoDB or RocksDB."""
    seconds: float
    """Time between the readings, or since its counters began."""
    parts: Mapping[str, float]
    """Bytes for the ``log``, ``flushes`` (blocks of it written again), ``pages``, those ``added``
    to files of PostgreSQL at most, ``copies`` of pages, and the ``binlog``; of RocksDB for the
    ``log``, ``flushes``, ``memtables`` (flushed to level 0) and ``merges``; and what the
    ``file_system`` adds to each flush, where it is named."""
    commits: float
    """Transactions that were committed, also those that wrote nothing; batches of RocksDB."""
    rows: float
    """Rows inserted, updated and deleted; keys of RocksDB."""
    inserted: float
    """Rows inserted; 0 for RocksDB, which does not tell."""
    flushes: float
    """Times that the log was synced."""
    images: float
    """Images of whole pages in PostgreSQL's log."""
    checkpoints: float
    """Checkpoints of PostgreSQL."""
    checkpoint_age: float = 0.0
    """Bytes of InnoDB's log for which a changed page waits, at the later reading."""
    tree: Mapping[str, float] = MappingProxyType({})
    """Sizes and options of the tree of RocksDB."""
    tables: tuple[Mapping[str, float], ...] = ()
    """Rows changed, sizes and indexes of each table of PostgreSQL's database that was asked."""
    file_system: FileSystem | None = None
    """File system whose share is counted."""

    @property
    def total(self) -> float:
        """Bytes written in all."""
        return sum(self.parts.values())


def engine_writes(
    after: str, before: str | None = None, *, file_system: FileSystem | None = None
) -> EngineWrites:
    r"""Return what a database wrote, by its own counters.

    Parameters
    ----------
    after : str
        What it answered to ``counters.POSTGRES_QUERY`` or ``INNODB_QUERY``, as its client prints
        it. Or the file ``LOG`` of RocksDB, which holds a dump of its statistics every ten minutes
        (``stats_dump_period_sec``), or the text of its property ``rocksdb.stats``.
    before : str, optional
        An earlier answer; by default counting begins where the counters did, in RocksDB where it
        was opened. Of several dumps in a log the last one counts, here too.
    file_system : {"ext4", "xfs", "btrfs"}, optional
        File system below, whose share is then counted.

    Returns
    -------
    EngineWrites

    Raises
    ------
    ValueError
        For a text that is none of these, or of two databases, or whose counters fell: the
        server was restarted or its statistics were reset in between.

    Notes
    -----
    ``log`` is what the log grew by; what its flushes write again is a block of 8 KiB each in
    PostgreSQL, 512 bytes in InnoDB (:func:`postgres`, :func:`innodb`), 4 KiB less a byte in
    RocksDB and in InnoDB's binary log, where it is synced (of MariaDB; MySQL does not tell how
    often). A page that PostgreSQL adds to a file is counted then (``added``; before 16 by the
    growth of tables and indexes), and again when it is filled: if both come within half a minute
    the device takes it once. So it was in six settings, where the sum was up to 23 % above the
    device, and without ``added`` 3 % below to the same; in another one it was taken twice.
    Temporary files, archives and what else a file system adds are not in these counters.
    SQLite and LMDB keep no counters for others to read and are not read here: ``flashwear why``
    counts what their programs write from outside.

    RocksDB rounds: bytes are known to 5 MB, or to 5 kB for each second since it was opened and what
    it writes in a twentieth of a second, if that is less, those of memtables to 0.5 MB; counts from
    ten thousand on to 5 %, from a hundred thousand on to 0.5 %. In three settings on ext4 and XFS
    the sum with the share of the file system was 1 to 6 % below what the device took; without that
    share, which is most where each record is synced on ext4, 10 to 69 %. Blobs are not counted, and
    of a log that is not synced some may be deleted before it reaches the device.

    Examples
    --------
    >>> found = engine_writes(
    ...     "Uptime 60\nInnodb_os_log_written 90000\nInnodb_data_fsyncs 9\nInnodb_pages_written 0\n"
    ...     "sync_binlog 0")
    >>> found.engine, found.seconds, found.parts["log"], found.flushes
    ('InnoDB', 60.0, 90000.0, 9.0)
    """
    sync_bytes(file_system, "append")  # which refuses others
    late = _read("after", after)
    early = late if before is None else _read("before", before)
    engine = _engine(late)
    if _engine(early) != engine:
        raise ValueError(f"before must be of {engine} as after is, got one of {_engine(early)}")
    for view in ("pg_stat_wal", "pg_stat_bgwriter", "pg_stat_checkpointer"):
        resets = [_view(found, view).get("stats_reset") for found in (early, late)]
        if resets[0] != resets[1]:
            raise ValueError(f"{view} was reset in between, or before is of another server")
    counts = {"PostgreSQL": _postgres, "InnoDB": _innodb, "RocksDB": _rocksdb}[engine]
    end, start = counts(late), counts(early)
    if before is None:
        start = dict.fromkeys(start, 0.0)
        end["seconds"] = end.pop("since")
        start.pop("since")
    grown = {name: end[name] - start[name] for name in start}
    for name, value in grown.items():
        rounded = 0.1 * start[name] * (engine == "RocksDB" and name != "seconds")
        if value < -rounded and name != "since":
            raise ValueError(
                f"{name} fell by {-value:g}: the server was restarted in between, or its "
                "statistics were reset"
            )
        grown[name] = max(value, 0.0)
    parts = {name: grown[name] for name in _PARTS if name in grown} | {"flushes": grown["flushed"]}
    tables = _tables(late, early, before is None)
    if added := min(sum(table["added"] for table in tables), grown.get("backend", 0.0)):
        parts |= {"pages": parts["pages"] - added, "added": added}
    elif extended := grown.get("extended", 0.0):
        parts["added"] = extended
    flushes = grown["flushes"]
    if file_system:
        in_order = log_sync_bytes(file_system, parts["log"] / max(flushes, 1.0))
        each = in_order if engine == "RocksDB" else sync_bytes(file_system, "scattered")
        parts["file_system"] = flushes * float(each)
        if synced := grown.get("binlog_syncs"):
            event = sync_bytes(file_system, "append", parts["binlog"] / synced - (_FILE_BLOCK - 1))
            parts["file_system"] += synced * float(event)
    return EngineWrites(
        engine, grown["seconds"], parts, grown["commits"], grown["rows"], grown["inserted"],
        flushes, grown["images"], grown["checkpoints"], _number(late, "Innodb_checkpoint_age"),
        late.get("tree", {}), tables, file_system,
    )  # fmt: skip


def _read(name: str, text: str) -> dict[str, Any]:
    if isinstance(text, str) and len(text) <= _MOST_LOG and "** DB Stats **" in text:
        dump = last_dump(text)
        if dump is None:
            raise ValueError(f"{name} must hold a whole dump of RocksDB's statistics")
        return dict(zip(("rocksdb", "tree"), dump, strict=True))
    if not isinstance(text, str) or len(text) > _MOST:
        raise ValueError(f"{name} must be a text of at most {_MOST} characters")
    found: dict[str, Any] = dict(_INNODB.findall(text))
    for view, value in _POSTGRES.findall(text):
        try:
            found[view] = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} must hold {view} as JSON, got {value[:40]!r}") from error
    if not {"pg_stat_wal", "Innodb_os_log_written"} & found.keys():
        raise ValueError(
            f"{name} must be the answer to POSTGRES_QUERY or INNODB_QUERY, or a log of RocksDB, "
            f"got {text[:40]!r}"
        )
    needed = _NEEDED["PostgreSQL" if "pg_stat_wal" in found else "InnoDB"]
    if missing := [view for view in needed if view not in found]:
        raise ValueError(
            f"{name} must hold {missing[0]}, for which the query asks: it is cut, or the client "
            "ended at an error"
        )
    return found


def _engine(found: Mapping[str, Any]) -> str:
    if "rocksdb" in found:
        return "RocksDB"
    return "PostgreSQL" if "pg_stat_wal" in found else "InnoDB"


def _tables(
    late: Mapping[str, Any], early: Mapping[str, Any], alone: bool
) -> tuple[Mapping[str, float], ...]:
    """Return the rows that tables of PostgreSQL changed, their mean sizes, their growth."""
    settings = _view(late, "pg_settings")
    usual = settings.get("full_page_writes"), settings.get("wal_compression")
    first = {} if alone else {_number(row, "id"): row for row in _rows(early, "pg_tables")}
    added = _GROW if "buffers_backend" in _view(late, "pg_stat_bgwriter") else ()  # counts them
    made = []
    for row in _rows(late, "pg_tables"):
        old = first.get(_number(row, "id"), {})
        grown = {name: _number(row, name) - _number(old, name) for name in _CHANGES}
        mean = {name: (_number(row, name) + _number(old or row, name)) / 2 for name in _SIZES}
        more = sum(max(0.0, _number(row, name) - _number(old or row, name)) for name in added)
        made.append(grown | mean | {"added": more, "imaged": usual == ("on", "off")})
    return tuple(made)


def _rows(found: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    rows = found.get(name) or []
    if not (isinstance(rows, list) and all(isinstance(row, dict) for row in rows)):
        raise ValueError(f"{name} must be rows, got {str(rows)[:40]!r}")
    return rows


def _number(found: Mapping[str, Any], name: str) -> float:
    """Return a counter, or 0 where it is not told."""
    value = found.get(name)
    if value is None:
        return 0.0
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < 1e30:
        raise ValueError(f"{name} must be a number >= 0, got {value!r}")
    return number


def _view(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    view = found.get(name, {})
    if not isinstance(view, dict):
        raise ValueError(f"{name} must be one row, got {str(view)[:40]!r}")
    return view


def _postgres(found: Mapping[str, Any]) -> dict[str, float]:
    log, settings = _view(found, "pg_stat_wal"), _view(found, "pg_settings")
    writer, checks = _view(found, "pg_stat_bgwriter"), _view(found, "pg_stat_checkpointer")
    base = _view(found, "pg_stat_database")
    rows = _rows(found, "pg_stat_io")
    page = _number(settings, "block_size") or _POSTGRES_PAGE
    flushes = _number(log, "wal_sync")
    if "wal_sync" not in log:
        flushes = sum(_number(row, "fsyncs") for row in rows if row.get("object") == "wal")
    pages = _number(checks, "buffers_written") or _number(writer, "buffers_checkpoint")
    pages += _number(writer, "buffers_clean") + _number(writer, "buffers_backend")
    extended = 0.0
    if "buffers_backend" not in writer:
        others = ("checkpointer", "background writer")
        tables = [row for row in rows if row.get("object") == "relation"]
        backends = [row for row in tables if row.get("backend_type") not in others]
        pages += sum(_number(row, "writes") for row in backends)
        extended = sum(_number(row, "extends") for row in tables) * page
    names = ("checkpoints_timed", "checkpoints_req", "num_timed", "num_requested")
    checkpoints = sum(_number(view, name) for view in (writer, checks) for name in names)
    return {
        "seconds": _number(found, "seconds"), "since": _since(found, log),
        "log": _number(log, "wal_bytes"),
        "flushed": flushes * (_number(settings, "wal_block_size") or _POSTGRES_PAGE),
        "pages": pages * page, "copies": 0.0, "binlog": 0.0, "flushes": flushes,
        "backend": _number(writer, "buffers_backend") * page, "extended": extended,
        "commits": _number(base, "commits"), "rows": _number(base, "rows"),
        "inserted": _number(base, "inserted"),
        "images": _number(log, "wal_fpi"), "checkpoints": checkpoints,
    }  # fmt: skip


def _since(found: Mapping[str, Any], view: Mapping[str, Any]) -> float:
    """Return the seconds since PostgreSQL's counters began; 0 where it does not tell."""
    try:
        reset = datetime.fromisoformat(str(view.get("stats_reset"))).timestamp()
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, _number(found, "seconds") - reset)


def _innodb(found: Mapping[str, Any]) -> dict[str, float]:
    page = _number(found, "Innodb_page_size") or _INNODB_PAGE
    flushes, kinds = _number(found, "Innodb_data_fsyncs"), ("write", "update", "delete")
    binlog = _number(found, "Binlog_bytes_written")
    commits = max(_number(found, "Com_commit"), flushes)  # autocommit is not in the first
    every = _number(found, "sync_binlog")
    synced = _number(found, "Binlog_group_commits") / every if binlog and every else 0.0
    return {
        "seconds": _number(found, "Uptime"), "since": _number(found, "Uptime"),
        "log": _number(found, "Innodb_os_log_written"), "flushed": flushes * _LOG_BLOCK,
        "pages": _number(found, "Innodb_pages_written") * page,
        "copies": _number(found, "Innodb_dblwr_pages_written") * page,
        "binlog": binlog + synced * (_FILE_BLOCK - 1), "binlog_syncs": synced,
        "flushes": flushes, "commits": commits,
        "rows": sum(_number(found, f"Handler_{kind}") for kind in kinds),
        "inserted": _number(found, "Handler_write"), "images": 0.0, "checkpoints": 0.0,
    }  # fmt: skip


def _rocksdb(found: Mapping[str, Any]) -> dict[str, float]:
    told: Mapping[str, float] = found["rocksdb"]
    return {
        "seconds": told["seconds"], "since": told["seconds"], "log": told["log"],
        "flushed": told["syncs"] * (_FILE_BLOCK - 1), "memtables": told["flushed"],
        "merges": told["written"] - told["flushed"], "flushes": told["syncs"],
        "commits": told["writes"], "rows": told["keys"], "inserted": 0.0, "images": 0.0,
        "checkpoints": 0.0,
    }  # fmt: skip
