"""What a running database tells of its own writes: counters of PostgreSQL and InnoDB, as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from flashwear.host.innodb import PAGE_BYTES as _INNODB_PAGE
from flashwear.host.postgres import PAGE_BYTES as _POSTGRES_PAGE

_MOST = 1 << 20  # characters of a text
_LOG_BLOCK = 512  # of InnoDB's log, on a device with sectors of as many bytes

POSTGRES_QUERY = """\
select 'pg_stat_wal', to_json(w) from pg_stat_wal w;
select 'pg_stat_bgwriter', to_json(w) from pg_stat_bgwriter w;
select 'pg_stat_checkpointer', to_json(w) from pg_stat_checkpointer w;
select 'pg_stat_io', json_agg(w) from pg_stat_io w;
select 'pg_stat_database', json_build_object('commits', sum(xact_commit), \
'rows', sum(tup_inserted + tup_updated + tup_deleted), 'inserted', sum(tup_inserted)) \
from pg_stat_database;
select 'pg_settings', json_object_agg(name, setting) from pg_settings where name in \
('block_size', 'wal_block_size');
select 'seconds', extract(epoch from clock_timestamp());
"""
"""What to ask PostgreSQL 14 or newer (``psql -X``); views that a version has not are errors that
may stand in the answer."""

INNODB_QUERY = """\
show global status where variable_name in ('Uptime', 'Com_commit', 'Innodb_os_log_written', \
'Innodb_data_fsyncs', 'Innodb_pages_written', 'Innodb_dblwr_pages_written', 'Innodb_page_size', \
'Innodb_checkpoint_age', 'Handler_write', 'Handler_update', 'Handler_delete', \
'Binlog_bytes_written');
"""
"""What to ask MariaDB or MySQL (``mariadb``)."""

_POSTGRES = re.compile(r"(pg_stat_\w+|pg_settings|seconds)\s*\|\s*(\{.*\}|\[.*\]|[\d.]+)")
_INNODB = re.compile(
    r"^[|\s]*((?:Innodb|innodb|Binlog|Com|Handler|Uptime)\w*)[|\s]+(\S+)", re.MULTILINE
)


class EngineWrites(NamedTuple):
    """What a database wrote between two readings of its counters."""

    engine: str
    """PostgreSQL or InnoDB."""
    seconds: float
    """Time between the readings, or since its counters began."""
    parts: Mapping[str, float]
    """Bytes for the ``log``, ``flushes`` (blocks of it written again), ``pages``, ``copies`` of
    pages, and the ``binlog``."""
    commits: float
    """Transactions that were committed, also those that wrote nothing."""
    rows: float
    """Rows inserted, updated and deleted."""
    inserted: float
    """Rows inserted."""
    flushes: float
    """Times that the log was synced."""
    images: float
    """Images of whole pages in PostgreSQL's log."""
    checkpoints: float
    """Checkpoints of PostgreSQL."""
    checkpoint_age: float = 0.0
    """Bytes of InnoDB's log for which a changed page waits, at the later reading."""

    @property
    def total(self) -> float:
        """Bytes written in all."""
        return sum(self.parts.values())


def engine_writes(after: str, before: str | None = None) -> EngineWrites:
    r"""Return what a database wrote, by its own counters.

    Parameters
    ----------
    after : str
        What it answered to ``counters.POSTGRES_QUERY`` or ``INNODB_QUERY``, as its client prints
        it.
    before : str, optional
        An earlier answer; by default counting begins where the counters did.

    Returns
    -------
    EngineWrites

    Raises
    ------
    ValueError
        For a text that is no answer of these, or of two databases, or whose counters fell: the
        server was restarted or its statistics were reset in between.

    Notes
    -----
    ``log`` is what the log grew by; what its flushes write again is a block of 8 KiB each in
    PostgreSQL, 512 bytes in InnoDB (:func:`postgres`, :func:`innodb`). Temporary files, archives
    and what a file system adds are not in these counters.

    Examples
    --------
    >>> found = engine_writes("Uptime 60\nInnodb_os_log_written 90000\nInnodb_data_fsyncs 9")
    >>> found.engine, found.seconds, found.parts["log"], found.flushes
    ('InnoDB', 60.0, 90000.0, 9.0)
    """
    late = _read("after", after)
    early = late if before is None else _read("before", before)
    engine = _engine(late)
    if _engine(early) != engine:
        raise ValueError(f"before must be of {engine} as after is, got one of {_engine(early)}")
    counts = _postgres if engine == "PostgreSQL" else _innodb
    end, start = counts(late), counts(early)
    if before is None:
        start = dict.fromkeys(start, 0.0)
        end["seconds"] = end.pop("since")
        start.pop("since")
    grown = {name: end[name] - start[name] for name in start}
    for name, value in grown.items():
        if value < 0 and name != "since":
            raise ValueError(
                f"{name} fell by {-value:g}: the server was restarted in between, or its "
                "statistics were reset"
            )
    parts = {name: grown[name] for name in ("log", "pages", "copies", "binlog")}
    return EngineWrites(
        engine, grown["seconds"], parts | {"flushes": grown["flushed"]}, grown["commits"],
        grown["rows"], grown["inserted"], grown["flushes"], grown["images"], grown["checkpoints"],
        _number(late, "Innodb_checkpoint_age"),
    )  # fmt: skip


def _read(name: str, text: str) -> dict[str, Any]:
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
            f"{name} must be the answer to POSTGRES_QUERY or INNODB_QUERY, got {text[:40]!r}"
        )
    return found


def _engine(found: Mapping[str, Any]) -> str:
    return "PostgreSQL" if "pg_stat_wal" in found else "InnoDB"


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
    rows = found.get("pg_stat_io") or []
    if not (isinstance(rows, list) and all(isinstance(row, dict) for row in rows)):
        raise ValueError(f"pg_stat_io must be rows, got {str(rows)[:40]!r}")
    page = _number(settings, "block_size") or _POSTGRES_PAGE
    flushes = _number(log, "wal_sync")
    if "wal_sync" not in log:
        flushes = sum(_number(row, "fsyncs") for row in rows if row.get("object") == "wal")
    pages = _number(checks, "buffers_written") or _number(writer, "buffers_checkpoint")
    pages += _number(writer, "buffers_clean")
    if "buffers_backend" in writer:
        pages += _number(writer, "buffers_backend")
    else:
        others = ("checkpointer", "background writer")
        pages += sum(
            _number(row, "writes")
            for row in rows
            if row.get("object") == "relation" and row.get("backend_type") not in others
        )
    names = ("checkpoints_timed", "checkpoints_req", "num_timed", "num_requested")
    checkpoints = sum(_number(view, name) for view in (writer, checks) for name in names)
    return {
        "seconds": _number(found, "seconds"), "since": _since(found, log),
        "log": _number(log, "wal_bytes"),
        "flushed": flushes * (_number(settings, "wal_block_size") or _POSTGRES_PAGE),
        "pages": pages * page, "copies": 0.0, "binlog": 0.0, "flushes": flushes,
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
    flushes = _number(found, "Innodb_data_fsyncs")
    kinds = ("write", "update", "delete")
    return {
        "seconds": _number(found, "Uptime"), "since": _number(found, "Uptime"),
        "log": _number(found, "Innodb_os_log_written"), "flushed": flushes * _LOG_BLOCK,
        "pages": _number(found, "Innodb_pages_written") * page,
        "copies": _number(found, "Innodb_dblwr_pages_written") * page,
        "binlog": _number(found, "Binlog_bytes_written"), "flushes": flushes,
        "commits": _number(found, "Com_commit"),
        "rows": sum(_number(found, f"Handler_{kind}") for kind in kinds),
        "inserted": _number(found, "Handler_write"), "images": 0.0, "checkpoints": 0.0,
    }  # fmt: skip
