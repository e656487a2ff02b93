"""What the closed form of PostgreSQL says of the bytes that it counted, by what else it tells."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flashwear.host.checkpoint import Load
from flashwear.host.counters import EngineWrites
from flashwear.host.postgres import PAGE_BYTES, postgres

_ALL = 0.95  # of the rows changed, which the tables must account for
_HEADER = 28  # of a row in a page


def expected(found: EngineWrites) -> Mapping[str, float]:
    r"""Return what the closed form says of the parts that PostgreSQL counted.

    Parameters
    ----------
    found : EngineWrites
        What the engine wrote (:func:`flashwear.host.engine_writes`).

    Returns
    -------
    Mapping
        Bytes of the ``log`` and of ``pages``, as in ``found.parts``. Absent are a log without
        images or with compressed ones, and both where there was no checkpoint, where rows were
        deleted, or where the tables of the database that was asked changed less than 95 % of all.

    Notes
    -----
    It is :func:`postgres` for each table, of random updates and of new rows, with the rows, sizes,
    indexes and widths that ``POSTGRES_QUERY`` asks for. Keys of an index come at random where
    their order in the table, as it was analysed last, is correlated less than 0.9. All
    columns of an updated row count as changed, and all rows as equally popular: a log and pages
    far below the form tell of small changes and of popular rows.

    In six settings that were counted the log is 14 % low to 5 % high, and the pages up to 21 %
    low, each the lowest where random keys split the pages of an index that was built full.

    What InnoDB's form needs is not to be had without a guess: its counters tell of no table which
    rows it changed, nor in which order of their keys. What RocksDB tells of its tree is in
    :func:`savings`.

    Examples
    --------
    >>> parts = {"log": 3.66e6, "flushes": 16.5e6, "pages": 3.53e6, "copies": 0.0, "binlog": 0.0}
    >>> table = {"updated": 2000, "inserted": 0, "deleted": 0, "hot": 2000, "live": 20_000,
    ...          "bytes": 3.49e6, "index_bytes": 4.7e5, "spread_bytes": 0, "indexes": 1,
    ...          "spread": 0, "width": 125, "added": 0, "imaged": 1}
    >>> found = EngineWrites("PostgreSQL", 9.0, parts, 2000, 2000, 0, 2000, 424, 1, tables=(table,))
    >>> {name: round(count / 1e6, 2) for name, count in expected(found).items()}
    {'pages': 3.47, 'log': 3.61}
    """
    tables = found.tables
    changed = sum(table["inserted"] + table["updated"] for table in tables)
    least, deleted = _ALL * found.rows, sum(table["deleted"] for table in tables)
    if not (tables and found.checkpoints) or changed < least or deleted > found.rows - least:
        return {}
    log, pages = 0.0, 0.0
    for table in tables:
        size = max(table["bytes"], PAGE_BYTES)
        fill = min(1.0, (_HEADER + 8 * np.ceil(table["width"] / 8)) * table["live"] / size)
        loads: tuple[tuple[str, Load, float, float], ...] = (
            ("updated", "random", table["indexes"], table["index_bytes"]),
            ("inserted", "append", table["spread"], table["spread_bytes"]),
        )
        for kind, load, keys, leaves in loads:
            rows = table[kind]
            if rows <= 0:
                continue
            if not 0 < table["width"] <= PAGE_BYTES:
                return {}
            one = postgres(
                table["width"], size / PAGE_BYTES, rows / found.checkpoints, load,
                rows_per_commit=found.rows / max(found.commits, 1.0), indexes=table["indexes"],
                random_indexes=keys, index_pages=max(leaves / PAGE_BYTES, 1.0),
                hot_share=min(table["hot"] / rows, 1.0) if load == "random" else 1.0,
                image_share=fill,
            )  # fmt: skip
            log += rows * float(one.log + one.images)
            pages += rows * float(one.table + one.indexes)
    return {"pages": pages} | ({"log": log} if tables[0]["imaged"] else {})
