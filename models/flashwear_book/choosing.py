"""Factors of the layers above a drive, tabulated for ``flashwear choose`` and its page."""

import itertools
import re

import numpy as np
import pandas as pd

from flashwear import choose, drives, host, predict
from flashwear.host.checkpoint import Load
from flashwear.host.sqlite import Journal
from flashwear.host.synced import FileSystem
from flashwear.units import GB, GIB, KIB, MIB
from flashwear_book import databases, stacks, tables
from flashwear_book.field import summary

RATES = (0.01, 0.1, 1, 10, 100, 1000, 10_000)
"""Rows, writes or objects a second of the columns of ``data/host_layers.csv``."""
IN_PLACE: dict[str, FileSystem | None] = {
    "none": None, "ext4": "ext4", "xfs": "xfs", "btrfs": "btrfs",
}  # fmt: skip
"""What writes in place, and btrfs, whose syncs were counted."""
RECORDS = {"zfs": 128 * KIB, "zfs:16k": 16 * KIB}
"""Bytes of a record of ZFS: of a file system, and of a volume or where it was set."""
ENGINES = {"postgres": "PostgreSQL", "mysql": "InnoDB", "sqlite": "SQLite", "rocksdb": "RocksDB",
           "lmdb": "LMDB"}  # fmt: skip

_PROGRAMS: dict[str, tuple[str, Load]] = {
    "postgres": ("postgres", "random"), "postgres-insert": ("postgres", "append"),
    "mysql": ("mysql", "random"), "mysql-insert": ("mysql", "append"),
    "sqlite": ("sqlite", "random"), "sqlite-insert": ("sqlite", "append"),
    "sqlite-wal": ("sqlite", "random"), "sqlite-wal-insert": ("sqlite", "append"),
    "rocksdb": ("rocksdb", "random"), "lmdb": ("lmdb", "random"),
    "write": ("write", "random"), "ceph": ("ceph", "random"),
}  # fmt: skip
_SIZES = {"write": (4096, 16_384, 65_536), "ceph": (4096, 65_536, 1_048_576)}
_ROWS, _COMMITS = (50, 100, 300, 1000), (1, 3, 10, 30, 100)
_DATA = (1, 10, 100)
_LOG_BYTES = 0.53e9  # of PostgreSQL's log, at which a checkpoint begins before its time
_ZIPF, _UNSYNCED = 0.99, 20_000  # exponent; records that reach the drive together with no sync
_CEPH_ROW, _CEPH_STORE = 500, 20e9  # bytes of RocksDB for an object, and of all of it


def _changes(load: Load, row: float, rate: float, group: float, data: float) -> float:
    """Return the rows between two checkpoints of PostgreSQL, by time or by the log."""
    timed = count = rate * stacks.CHECKPOINT_S
    for _ in range(12):
        found = host.postgres(row, data / (8 * KIB), count, load, rows_per_commit=group)
        logged = float(found.log + found.images)
        count = min(timed, float(np.sqrt(count * _LOG_BYTES / logged)))
    return count


def bytes_per_row(
    program: str, below: str, data_bytes: float, row_bytes: float, rows_per_commit: float,
    rate: float,
) -> float:  # fmt: skip
    """Return the bytes that a program and what lies below it write for a row.

    `program`: one of the programs of ``data/host_layers.csv``. `below`: a key of `IN_PLACE` or
    `RECORDS`. `data_bytes`, `row_bytes`, `rows_per_commit`, `rate`: size of the table or store,
    bytes of a row, rows to a commit, rows a second; > 0.

    Result: bytes at the drive, by the closed forms of :mod:`flashwear.host`.

    Raises ``ValueError`` outside the ranges of the forms.

    Examples
    --------
    >>> [round(bytes_per_row("postgres", one, 10e9, 100, 1, 100)) for one in ("ext4", "zfs")]
    [24486, 132845]
    """
    engine, load = _PROGRAMS[program]
    data, row, group = data_bytes, row_bytes, rows_per_commit
    if engine == "ceph":
        store = host.lsm_levelled(_CEPH_STORE, 64e6, record_bytes=_CEPH_ROW)
        return row + _CEPH_ROW * float(store.total)
    changes = _changes(load, row, rate, group, data) if engine == "postgres" else 0.0
    if below in RECORDS:
        if engine == "write":
            written = stacks.Written(0.0, row, row, synced=True)
        elif engine == "postgres":
            span = changes / rate
            found = host.postgres(row, data / (8 * KIB), changes, load, rows_per_commit=group)
            piece = 64 * MIB if load == "append" else 8 * KIB
            pages = float(found.table + found.indexes)
            logged = float(found.log + found.images)
            written = stacks.Written(logged, pages, piece, False, span, 8 * KIB)
        elif engine == "sqlite" and "wal" not in program:
            total = host.sqlite(row, data / (4 * KIB), load, rows_per_commit=group).total
            written = stacks.Written(0.0, float(total), 4 * KIB, synced=True)
        else:
            written = stacks.DATABASES[_NAMES[engine]](load, row, rate, group, data)
        return float(stacks._copied(written, rate, group, RECORDS[below], True, data)[0])
    system, total = IN_PLACE[below], 0.0
    if engine == "write":
        each = 1.0 if system is None else host.synced_write(
            row, system, "scattered", data_only=True).total  # fmt: skip
        total = row * float(each)
    elif engine == "postgres":
        total = float(host.postgres(row, data / (8 * KIB), changes, load, rows_per_commit=group,
                                    file_system=system).total)  # fmt: skip
    elif engine == "mysql":
        total = float(host.innodb(row, data / (16 * KIB), load=load, rows_per_commit=group,
                                  file_system=system).total)  # fmt: skip
    elif engine == "sqlite":
        total = float(host.sqlite(row, data / (4 * KIB), load,
                                  journal="wal" if "wal" in program else "delete",
                                  rows_per_commit=group, file_system=system).total)  # fmt: skip
    elif engine == "lmdb":
        leaf = np.log(2) * 4 * KIB / row
        total = float(host.lmdb(row, data / row, load, rows_per_commit=group, leaf_rows=leaf,
                                file_system=system).total)  # fmt: skip
    else:
        tree = host.lsm_levelled(data, 64 * MIB, load, record_bytes=row, rows_per_commit=group,
                                 file_system=system)  # fmt: skip
        total = row * float(tree.total)
    return total


_NAMES = {"mysql": "MySQL (InnoDB)", "sqlite": "SQLite", "rocksdb": "RocksDB", "lmdb": "LMDB"}


def layers() -> pd.DataFrame:
    """Return ``data/host_layers.csv``: bytes for a row, by program and what lies below it.

    Result: a row for each program, layer below, size, row and commit; a column for each of
    `RATES`.
    """
    rows = []
    for program in _PROGRAMS:
        ceph, plain = program == "ceph", program == "write"
        belows = ["none"] if ceph else [*IN_PLACE, *RECORDS]
        sizes, commits = _SIZES.get(program, _ROWS), (1,) if ceph or plain else _COMMITS
        for below, row, group in itertools.product(belows, sizes, commits):
            small = (1, 10) if below in RECORDS else (10,)
            for data in (1,) if ceph else small if program.startswith("sqlite") else _DATA:
                key = below, data, row, group
                found = [bytes_per_row(program, below, data * GB, row, group, r) for r in RATES]
                rows.append((program, *key, *(float(f"{one:.3g}") for one in found)))
    heads = ("program", "below", "data_gb", "row_bytes", "rows_per_commit")
    return pd.DataFrame(rows, columns=[*heads, *(f"rate_{rate:g}" for rate in RATES)])


def indexes() -> dict[str, float]:
    """Return by program the bytes that an index of a tenth of the table adds to a change of a row.

    Of 10 GB, rows of 200 bytes, ten to a commit, on ext4: half of what two such indexes add, each
    changed at random. Rows to a commit do not share its pages.
    """
    found = {}
    for name, (engine, load) in _PROGRAMS.items():
        if engine == "postgres":
            pages = 10 * GB / (8 * KIB)
            plain, more = (
                host.postgres(200, pages, 30_000, load, rows_per_commit=10, indexes=1 + n,
                              random_indexes=n, index_pages=pages / 10,
                              hot_share=float(n == 0 and load == "random"),
                              file_system="ext4").total for n in (0, 2)
            )  # fmt: skip
        elif engine == "mysql":
            pages = 10 * GB / (16 * KIB)
            plain, more = (
                host.innodb(200, pages, load=load, indexes=n, index_pages=pages / 10,
                            rows_per_commit=10, file_system="ext4").total for n in (0, 2)
            )  # fmt: skip
        elif engine == "sqlite":
            pages = 10 * GB / (4 * KIB)
            plain, more = (
                host.sqlite(200, pages, load, journal="wal" if "wal" in name else "delete",
                            rows_per_commit=10, indexes=n, index_pages=pages / 10,
                            file_system="ext4").total
                for n in (0, 2)
            )  # fmt: skip
        else:
            continue
        found[name] = float(more - plain) / 2
    return found


def skewed() -> dict[str, float]:
    """Return by program the bytes for a row where few rows get most changes, over those at random.

    By a Zipf law with the exponent 0.99 that YCSB takes, of 10 GB, rows of 200 bytes, ten to a
    commit, a hundred a second, on ext4. Of PostgreSQL also with images that compression halves, of
    RocksDB with a log that no batch waits for.
    """
    row, group, data = 200, 10, 10 * GB
    changes = _changes("random", row, 100, group, data)

    def postgres(exponent: float, image: float) -> float:
        return float(host.postgres(row, data / (8 * KIB), changes, rows_per_commit=group,
                                   exponent=exponent, image_share=image, file_system="ext4").total
                     )  # fmt: skip

    def innodb(exponent: float) -> float:
        return float(host.innodb(row, data / (16 * KIB), exponent=exponent, rows_per_commit=group,
                                 file_system="ext4").total)  # fmt: skip

    def sqlite(exponent: float, journal: Journal) -> float:
        return float(host.sqlite(row, data / (4 * KIB), journal=journal, exponent=exponent,
                                 rows_per_commit=group, file_system="ext4").total)  # fmt: skip

    def rocksdb(exponent: float, batch: float) -> float:
        return float(host.lsm_levelled(data, 64 * MIB, record_bytes=row, exponent=exponent,
                                       rows_per_commit=batch, file_system="ext4").total
                     )  # fmt: skip

    return {
        "postgres": postgres(_ZIPF, 0.5) / postgres(0, 1),
        "mysql": innodb(_ZIPF) / innodb(0),
        "sqlite": sqlite(_ZIPF, "delete") / sqlite(0, "delete"),
        "sqlite-wal": sqlite(_ZIPF, "wal") / sqlite(0, "wal"),
        "rocksdb": rocksdb(_ZIPF, _UNSYNCED) / rocksdb(0, group),
    }


def ratios() -> pd.DataFrame:
    """Return the settings of databases that were counted, with bytes counted over computed."""
    counted = tables.database_writes()
    told = np.array([databases.form(row).total for row in counted.to_dict("records")])
    return counted.assign(ratio=counted["median"] / told)


def errors() -> pd.DataFrame:
    """Return the extremes of bytes counted over bytes computed, by engine, not on btrfs."""
    found = ratios().query("file_system != 'btrfs'")  # one setting of each engine
    return found.groupby("engine").ratio.agg(low="min", high="max").round(3)


def speeds() -> pd.DataFrame:
    """Return ``data/sustained_speeds.csv``: writes in order past the cache, predicted.

    Returns
    -------
    pandas.DataFrame
        A row for each drive of the catalogue whose line is rated: ``line`` as in
        ``data/model_ratings.csv``, ``user_gb``; ``low_mb_s`` and ``high_mb_s`` of 90 %, whether it
        folds its cache meanwhile or not, and ``middle_mb_s`` of one that does not; at most that of
        its link.
    """
    found = {}
    for drive in map(drives.load, drives.names()):
        size = f"{drive.user_bytes / 1e9:g} GB"
        (one,) = choose.candidates(f"{drive.name.rpartition(' ')[0]} {size}")
        told = predict.speeds(drive)
        past = [name for name in ("direct write", "folding write") if name in told.index]
        ways = told.loc[past or ["sequential write"]]
        if one.line:
            told = ways.low_90.min(), ways["median"].iloc[0], ways.high_90.max()
            ends = tuple(min(end, drive.link_bytes_per_s / 1e6) for end in told)
            found[one.line, round(one.capacity_bytes / 1e9)] = ends
    return pd.DataFrame(
        [(*key, *(float(f"{one:.3g}") for one in ends)) for key, ends in sorted(found.items())],
        columns=["line", "user_gb", "low_mb_s", "middle_mb_s", "high_mb_s"],
    )


def gauges() -> pd.DataFrame:
    """Return ``data/gauge_ends.csv``: host bytes to 100 % of a gauge over those of the rating.

    Result: a row for each model of the field whose cycles, flash, write amplification and rating
    are known: ``model`` and ``times_rating``, by the median drive.
    """
    models = summary.load("field_models").query("model != 'all' and raw_gib_p50 > 0")
    patterns = [(re.compile(one.model_pattern), one.tbw_tb) for one in
                tables.model_ratings().itertuples()]  # fmt: skip
    found = models[["model"]].assign(
        rated=[next((tbw for p, tbw in patterns if p.match(name)), None) for name in models.model],
        host=models.raw_gib_p50 * GIB * models.cycles_low / models.waf_p50,
    )
    told = found.assign(times_rating=found.host / found.rated / 1e12).dropna()
    return told[["model", "times_rating"]].sort_values("model")


if __name__ == "__main__":
    gauges().to_csv(tables.data_folder() / "gauge_ends.csv", index=False, float_format="%.3g")
    speeds().to_csv(tables.data_folder() / "sustained_speeds.csv", index=False)
    layers().to_csv(tables.data_folder() / "host_layers.csv", index=False, float_format="%.10g")
