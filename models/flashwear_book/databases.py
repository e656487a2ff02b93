"""Settings of databases that were counted at a device, and what the closed forms say of them."""

from collections.abc import Mapping
from typing import Any

from flashwear import host
from flashwear.host.lsm import level_sizes
from flashwear.units import KIB, MIB

TOLD = ("table_pages", "index_pages", "free_pages", "commits_per_flush")
"""What a database tells of its state before a count, and how many commits share a flush."""
_AGE = 0.65  # of InnoDB's log, at which changed pages are written
_LZ4 = 0.7  # of an image of text that is compressed


def _options(row: Mapping[str, Any]) -> dict[str, str]:
    text = row["options"]
    return dict(part.split("=") for part in text.split()) if isinstance(text, str) else {}


def _pages(row: Mapping[str, Any], name: str) -> float:
    """Return pages in the middle of a count, to which random keys add."""
    changed = row["rows_per_commit"] * row["commits"]
    warm = 0.5 if row["engine"] in ("PostgreSQL", "SQLite") else 1.0  # of as many rows, before
    grown = 1 + changed / 2 / (row["rows"] + warm * changed)
    grows = row["load"] == "insert_random" or (row["load"] == "append" and name == "index_pages")
    return float(row[name]) * (grown if grows else 1.0)


def _postgres(row: Mapping[str, Any], option: Mapping[str, str]) -> host.Postgres:
    images = float(option.get("images", 1)) * float(option.get("fill", 100)) / 100
    moves = "index" in option
    spread = float(moves) if row["load"] == "append" else None
    return host.postgres(
        row["row_bytes"] + 5,  # a counter, and the length of the text
        row["table_pages"],
        row["rows_per_commit"] * row["commits"],
        row["load"],
        rows_per_commit=row["rows_per_commit"],
        commits_per_flush=max(row["commits_per_flush"], 1) if "clients" in option else 1,
        changed_bytes=4 if "kind" in option else row["row_bytes"] - 7,
        indexes=1 + moves,
        random_indexes=spread,
        index_pages=max(_pages(row, "index_pages"), 1),
        hot_share=0.0 if moves else 1.0,
        image_share=images * (_LZ4 if "lz4" in option else 1),
        vacuums=float(option.get("vacuums", 0)),
        file_system=row["file_system"],
    )


def _innodb(row: Mapping[str, Any], option: Mapping[str, str]) -> host.Innodb:
    return host.innodb(
        row["row_bytes"],
        _pages(row, "table_pages"),
        _AGE * float(option.get("log_mb", 4)) * MIB,
        row["load"],
        rows_per_commit=row["rows_per_commit"],
        changed_bytes=4 if "kind" in option else row["row_bytes"] - 12,
        indexes=float("index" in option),
        index_pages=max(_pages(row, "index_pages"), 1),
        doublewrite=option.get("doublewrite") != "0",
        # a statement with its values, and what stands around them
        binlog_bytes=(row["row_bytes"] * row["rows_per_commit"] + 254) * ("binlog" in option),
        file_system=row["file_system"],
    )


def _sqlite(row: Mapping[str, Any], option: Mapping[str, str]) -> host.Sqlite:
    return host.sqlite(
        row["row_bytes"],
        _pages(row, "table_pages"),
        row["load"],
        journal=option.get("journal", "delete"),  # type: ignore[arg-type]
        synchronous=option.get("synchronous", "full"),  # type: ignore[arg-type]
        rows_per_commit=row["rows_per_commit"],
        indexes=float("index" in option),
        index_pages=max(_pages(row, "index_pages"), 1),
        checkpoint_pages=float(option.get("checkpoint", 1000)),
        page_bytes=float(option.get("page", 4096)),
        file_system=row["file_system"],
    )


def _lmdb(row: Mapping[str, Any], option: Mapping[str, str]) -> host.Lmdb:
    shuffled = "shuffled" in option or "loads" in option
    return host.lmdb(
        row["row_bytes"],
        row["rows"],
        row["load"],
        rows_per_commit=row["rows_per_commit"],
        key_bytes=float(option.get("key_bytes", 16)),
        leaf_rows=row["rows"] / row["table_pages"] if shuffled else None,
        free_pages=row["free_pages"],
        file_system=row["file_system"],
    )


def _rocksdb(row: Mapping[str, Any], option: Mapping[str, str]) -> host.Lsm:
    size = row["row_bytes"]
    found = host.lsm_levelled(
        _data(row),
        float(option.get("memtable", 1250)) * size,
        row["load"],
        ratio=float(option.get("ratio", 10)),
        level_bytes=float(option.get("base_kib", 2048)) * KIB,
        level0_files=float(option.get("trigger", 4)),
        file_bytes=float(option.get("file_kib", 256)) * KIB,
        record_bytes=size,
        dynamic=option.get("dynamic") != "0",
        rows_per_commit=None if option.get("sync") == "0" else row["rows_per_commit"],
        file_system=row["file_system"],
    )
    return host.Lsm(*(part * size for part in found))


def _data(row: Mapping[str, Any]) -> float:
    """Return the bytes in the middle of a count, before which as many rows were put."""
    grown = 1.5 * row["rows_per_commit"] * row["commits"] * (row["load"] == "insert_random")
    return float((row["rows"] + grown) * row["row_bytes"])


_FORMS = {
    "PostgreSQL": _postgres, "InnoDB": _innodb, "SQLite": _sqlite, "LMDB": _lmdb,
    "RocksDB": _rocksdb,
}  # fmt: skip


def form(row: Mapping[str, Any]) -> Any:
    """Return what a closed form says of a row of :func:`flashwear_book.tables.database_writes`.

    Result: bytes for each row of the database, by kind.
    """
    return _FORMS[row["engine"]](row, _options(row))


def twice(row: Mapping[str, Any]) -> float:
    """Return a naive guess of the bytes for each row: a page twice; in RocksDB, ratio times levels.

    Levels are those below the first.
    """
    option = _options(row)
    if row["engine"] == "RocksDB":
        ratio, first = float(option.get("ratio", 10)), float(option.get("base_kib", 2048)) * KIB
        levels = level_sizes(_data(row), first, ratio, dynamic=option.get("dynamic") != "0")
        return ratio * (len(levels) - 1) * float(row["row_bytes"])
    page = {"PostgreSQL": 8, "InnoDB": 16}.get(row["engine"], 4) * KIB
    return 2.0 * float(option.get("page", page))
