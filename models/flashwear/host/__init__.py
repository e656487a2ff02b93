"""How many bytes databases and file systems write for each byte that an application writes.

Each model gives the bytes written to the layer below per byte of the layer above, by what they are
for. The factors of several layers multiply, if each is computed for writes of the size and order
that the layer above it makes.
"""

from flashwear.host.checkpoint import pages_touched
from flashwear.host.counters import EngineWrites, engine_writes
from flashwear.host.cow import CopyOnWrite, copy_on_write
from flashwear.host.expected import expected
from flashwear.host.extents import Extents
from flashwear.host.innodb import Innodb, innodb
from flashwear.host.lmdb import Lmdb, lmdb
from flashwear.host.lsm import Lsm, lsm_levelled, lsm_tiered
from flashwear.host.postgres import Postgres, postgres
from flashwear.host.savings import Saving, savings
from flashwear.host.sqlite import Sqlite, sqlite
from flashwear.host.streams import pages_in_place, records_copied, tree_files
from flashwear.host.synced import SyncedWrite, synced_write
from flashwear.host.syncs import sync_factor
from flashwear.host.trees import Event, LevelledTree, TieredTree

__all__ = ["CopyOnWrite", "EngineWrites", "Event", "Extents", "Innodb", "LevelledTree", "Lmdb",
           "Lsm", "Postgres", "Saving", "Sqlite", "SyncedWrite", "TieredTree", "copy_on_write",
           "engine_writes", "expected", "innodb", "lmdb", "lsm_levelled", "lsm_tiered",
           "pages_in_place", "pages_touched", "postgres", "records_copied", "savings", "sqlite",
           "sync_factor", "synced_write", "tree_files"]  # fmt: skip
