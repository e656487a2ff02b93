"""Dated reports of many drives: rows, a store in SQLite, and what changed between reports.

A drive is named by a key of its model and serial number, which is the same wherever the key file
is the same; serial numbers are told on request only. ::

    from flashwear import history

    with history.History("history.sqlite", write=True) as store:
        store.record(history.sources(["/dev/nvme0"]), key=history.read_key())
        for drive in store.drives():
            print(drive, history.change(store.reports(drive)))
"""

from flashwear.history._arrow import records, schema, write_parquet
from flashwear.history._change import Change, change
from flashwear.history._key import default_key, make_key, read_key
from flashwear.history._row import Row, rows
from flashwear.history._sources import Source, scan, sources
from flashwear.history._store import History, Recorded, is_history

__all__ = ["Change", "History", "Recorded", "Row", "Source", "change", "default_key", "is_history",
           "make_key", "read_key", "records", "rows", "scan", "schema", "sources",
           "write_parquet"]  # fmt: skip
