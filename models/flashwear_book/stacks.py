"""A database on a file system: bytes that each writes for a record that an application changes."""

import itertools
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from flashwear import host
from flashwear.host.checkpoint import Load
from flashwear.units import DAY, KIB, MIB

DATA_BYTES = 10e9
"""Size of each database in bytes."""
CHECKPOINT_S = 300.0
"""Seconds between two checkpoints of a database."""
GROUP_S = 5.0
"""Seconds between two transaction groups of ZFS."""
RECORDS = (100, 1000)
"""Bytes of a record."""
RATES = (1, 10, 100, 1000)
"""Records changed in a second."""
GROUPS = (1, 10, 100)
"""Numbers of records in a commit, each of which is synced."""

LOADS: dict[str, Load] = {
    "changed at random": "random", "added in order": "append",
    "added at random": "insert_random",
}  # fmt: skip
"""Loads by name."""

_WAL_PAGES = 1000  # of SQLite's log, by default
_LMDB_CHILDREN = 100  # of a page above the leaves, with keys of 16 bytes
_FILE_BLOCK = 4 * KIB  # of a file system, the least that a sync writes
_IN_ORDER = 64 * MIB  # pages that follow one another
_FIXED_BLOCKS = 20  # of metadata for each transaction group; an assumption


class Written(NamedTuple):
    """Bytes that a database writes for each record that is changed, and how it writes them."""

    log: float
    """Bytes appended to a log, synced with each commit."""
    pages: float
    """Bytes written to other files, as pages."""
    page_bytes: float
    """Bytes of `pages` that are written in one piece."""
    synced: bool = False
    """Whether pages are synced with each commit."""
    together_s: float = 0.0
    """Seconds of changes whose pages are written together, or in order, at a checkpoint."""
    log_block: int = 1
    """Bytes of a block of the log, which a commit writes whole."""


def _innodb(
    load: Load, record: float, rate: float, group: float, data: float = DATA_BYTES
) -> Written:
    pages = data / (16 * KIB)
    found = host.innodb(record, pages, load=load, rows_per_commit=group)
    return Written(found.log, found.pages + found.copies, 16 * KIB, log_block=512)


def _postgres(
    load: Load, record: float, rate: float, group: float, data: float = DATA_BYTES
) -> Written:
    changes = rate * CHECKPOINT_S
    found = host.postgres(record, data / (8 * KIB), changes, load, rows_per_commit=group)
    pages, size = found.table + found.indexes, _IN_ORDER if load == "append" else 8 * KIB
    return Written(
        found.log + found.images, pages, size, together_s=CHECKPOINT_S, log_block=8 * KIB
    )


def _sqlite(
    load: Load, record: float, rate: float, group: float, data: float = DATA_BYTES
) -> Written:
    pages = data / (4 * KIB)
    found = host.sqlite(record, pages, load, journal="wal", rows_per_commit=group)
    size = _IN_ORDER if load == "append" else 4 * KIB
    return Written(found.log, found.file, size, together_s=_WAL_PAGES / rate)


def _rocksdb(
    load: Load, record: float, rate: float, group: float, data: float = DATA_BYTES
) -> Written:
    found = host.lsm_levelled(data, 64 * MIB, load)
    return Written(record, (found.flush + found.merges) * record, 64 * MIB)


def _lmdb(
    load: Load, record: float, rate: float, group: float, data: float = DATA_BYTES
) -> Written:
    rows = data / record
    found = host.lmdb(
        record, rows, load, rows_per_commit=group, children=_LMDB_CHILDREN,
        leaf_rows=np.log(2) * 4 * KIB / record if load == "random" else None,
    )  # fmt: skip
    return Written(0.0, found.total, 4 * KIB, synced=True)


DATABASES: dict[str, Callable[..., Written]] = {
    "PostgreSQL": _postgres, "MySQL (InnoDB)": _innodb, "SQLite": _sqlite, "RocksDB": _rocksdb,
    "LMDB": _lmdb,
}  # fmt: skip
"""Databases with default settings, by name; SQLite with a write-ahead log, RocksDB levelled."""

FILE_SYSTEMS: dict[str, tuple[float, bool]] = {
    "ext4 or XFS": (0, True),
    "ZFS, 128 KiB records": (128 * KIB, True),
    "ZFS, 16 KiB records": (16 * KIB, True),
    "ZFS, 16 KiB, log elsewhere": (16 * KIB, False),
}
"""File systems by name: bytes of a record that is copied on write, 0 for none; whether its intent
log is on the drive."""


def _in_blocks(appended: float, group: float, block: float) -> float:
    """Return bytes written for each record where a sync writes whole blocks."""
    if not appended:
        return 0.0
    return appended * host.sync_factor(np.ceil(appended * group), block_bytes=block)


def _in_place(written: Written, group: float) -> tuple[float, float]:
    """Return bytes for each record, and bytes of a sync."""
    logged = _in_blocks(written.log, group, max(written.log_block, _FILE_BLOCK))
    return logged + written.pages, group * (logged + written.synced * written.pages)


def _copied(
    written: Written,
    rate: float,
    group: float,
    record: float,
    log_here: bool,
    data: float = DATA_BYTES,
) -> tuple[float, float]:
    """Return bytes for each record, and bytes of a sync."""
    size = min(written.page_bytes, record)
    seconds = max(written.together_s, GROUP_S)
    factor = host.copy_on_write(
        size,
        data,
        written.pages / size * rate * seconds,
        record_bytes=record,
        fixed_blocks=_FIXED_BLOCKS * seconds / GROUP_S,
    )
    synced = written.log + written.synced * written.pages
    intent = _in_blocks(synced, group, max(written.log_block, _FILE_BLOCK))
    # the record in which the log ends is written again with each transaction group
    tail = record / (rate * GROUP_S) if written.log else 0.0
    total = written.pages * (factor.data + factor.metadata) + written.log + tail
    return total + log_here * intent, group * intent * log_here


def stacks() -> pd.DataFrame:
    """Return the bytes written for each record changed, for every database on every file system.

    Result: columns ``database``, ``file_system``, ``load``, ``record`` (bytes), ``rate`` (records
    a second), ``group`` (records to a sync), and bytes for each record: ``by_database``,
    ``by_file_system``; ``sync_bytes`` at each sync.

    The table combines closed forms of :mod:`flashwear.host`. Records are changed at random in a
    database of 10 GB, or added to it, with a checkpoint every five minutes in PostgreSQL. At each
    sync, a database writes its log, in blocks of 8 KiB in PostgreSQL and of 512 bytes in InnoDB;
    SQLite and RocksDB append bytes. A file system rounds smaller blocks up to 4 KiB. ZFS writes
    synced data to its intent log, and to its records only the new part of the log. Logs are
    preallocated, so that file systems that overwrite in place need no journal at a sync.
    Compression is off.
    """
    return _stacks().copy()


@cache
def _stacks() -> pd.DataFrame:
    rows = []
    for name, file_system, load, record, rate, group in itertools.product(
        DATABASES, FILE_SYSTEMS, LOADS, RECORDS, RATES, GROUPS
    ):
        written = DATABASES[name](LOADS[load], record, rate, group)
        copied, log_here = FILE_SYSTEMS[file_system]
        if copied:
            total, sync = _copied(written, rate, group, copied, log_here)
        else:
            total, sync = _in_place(written, group)
        asked = _in_blocks(written.log, group, written.log_block) + written.pages
        rows.append((name, file_system, load, record, rate, group, asked, total, sync))
    return pd.DataFrame(
        rows,
        columns=[
            *("database", "file_system", "load", "record", "rate", "group"),
            *("by_database", "by_file_system", "sync_bytes"),
        ],
    )


def loads() -> dict[str, float]:
    """Return the bytes that a file system writes in a day under five common database loads."""
    rows = stacks().set_index(["database", "file_system", "load", "record", "rate", "group"])
    found = {}
    for database, file_system, load, rate in (
        ("SQLite", "ext4 or XFS", "changed at random", 10),
        ("PostgreSQL", "ext4 or XFS", "changed at random", 100),
        ("PostgreSQL", "ext4 or XFS", "added in order", 100),
        ("PostgreSQL", "ZFS, 128 KiB records", "changed at random", 100),
        ("RocksDB", "ext4 or XFS", "changed at random", 1000),
    ):
        name = f"{database} on {file_system}, {rate:,} records of 100 bytes a second {load}"
        found[name] = rows.by_file_system[database, file_system, load, 100, rate, 1] * rate * DAY
    return found
