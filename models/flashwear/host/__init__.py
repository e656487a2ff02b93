"""What databases and file systems make of the bytes that a program asks to write.

Each model gives bytes written to the layer below for each byte of the program, by what they are
for. What a layer writes is what the next one is asked to write, so the factors multiply as long as
the size and the order of the writes that they are computed for are those that arrive.
"""

from flashwear.host.btree import Btree, btree
from flashwear.host.checkpoint import pages_touched
from flashwear.host.cow import CopyOnWrite, copy_on_write
from flashwear.host.journal import Journal, journal
from flashwear.host.paths import path_copying
from flashwear.host.postgres import Postgres, postgres
from flashwear.host.sqlite import Sqlite, sqlite_rollback, sqlite_wal
from flashwear.host.syncs import sync_factor

__all__ = [
    "Btree",
    "CopyOnWrite",
    "Journal",
    "Postgres",
    "Sqlite",
    "btree",
    "copy_on_write",
    "journal",
    "pages_touched",
    "path_copying",
    "postgres",
    "sqlite_rollback",
    "sqlite_wal",
    "sync_factor",
]
