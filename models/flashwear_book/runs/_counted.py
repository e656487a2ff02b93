"""An SQLite whose writes are counted, by a virtual file system that passes on all but syncs."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

BLOCK = 4096
"""Bytes of a block as it is sent to a drive."""

_NAMES = itertools.count()


class Count:
    """Counts of what was written to the "file" and the "log" of a database, by these two names.

    Attributes
    ----------
    bytes, pages, syncs : Counter
        Bytes, writes of whole database pages, and syncs.
    blocks : Counter
        Blocks of 4 KiB that were changed between two syncs of their file.
    sent : list
        What each sync sent to the drive, in order: name of the file, sorted numbers of its blocks.
    """

    def __init__(self, page_bytes: int) -> None:
        self.page_bytes = page_bytes
        self.sent: list[tuple[str, list[int]]] = []
        self._changed: dict[str, set[int]] = {"file": set(), "log": set()}
        self.clear()

    def clear(self) -> None:
        """Set all counts to zero."""
        self.bytes, self.pages, self.syncs, self.blocks = (Counter[str]() for _ in range(4))
        self.sent.clear()

    def write(self, name: str, size: int, offset: int) -> None:
        """Count a write of `size` bytes at `offset` to the file `name`."""
        self.bytes[name] += size
        self.pages[name] += size == self.page_bytes
        self._changed[name].update(range(offset // BLOCK, (offset + size - 1) // BLOCK + 1))

    def sync(self, name: str) -> None:
        """Count a sync of the file `name`, and the blocks that it sends to the drive."""
        self.syncs[name] += 1
        if changed := self._changed[name]:
            self.blocks[name] += len(changed)
            self.sent.append((name, sorted(changed)))
            changed.clear()


def _registered(name: str, count: Count) -> Any:
    """Return a file system of that name, which lasts as long as it is held."""
    import apsw

    class File(apsw.VFSFile):
        def __init__(self, path: Any, flags: list[int]) -> None:
            full = path.filename() if isinstance(path, apsw.URIFilename) else path or ""
            self.kind = "log" if full.endswith(("-wal", "-journal")) else "file"
            super().__init__("", path, flags)

        def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
            super().xWrite(data, offset)
            count.write(self.kind, len(data), offset)

        def xSync(self, flags: int) -> None:  # noqa: N802
            count.sync(self.kind)

    class Files(apsw.VFS):
        def xOpen(self, path: Any, flags: list[int]) -> File:  # noqa: N802
            return File(path, flags)

    return Files(name, "")


class Database:
    """An SQLite table of records of equal size, which are updated at random.

    Parameters
    ----------
    folder : path
        Folder in which the database is made.
    page_bytes, checkpoint_pages, leaves, record_bytes : int
        Bytes of a page, pages of the log at which it is checkpointed (0: rollback journal), pages
        of the table, and bytes of a record.
    seed : int
        Seed of contents and of the records that are updated.

    Attributes
    ----------
    count : Count
        What was written to its files so far.
    leaves : int
        Pages that hold records.
    """

    def __init__(
        self,
        folder: str | Path,
        page_bytes: int,
        checkpoint_pages: int,
        leaves: int,
        record_bytes: int,
        seed: int,
    ) -> None:
        import apsw

        self._rng, self._size = np.random.default_rng(seed), record_bytes
        self.count = Count(page_bytes)
        name = f"counted{next(_NAMES)}"
        self._files = _registered(name, self.count)
        self._open = apsw.Connection(str(Path(folder) / "data"), vfs=name)
        mode = "wal" if checkpoint_pages else "delete"
        # in WAL mode alone: a lock for one needs no shared memory, which these files lack
        locks = "exclusive" if checkpoint_pages else "normal"
        for setting, value in {
            "page_size": page_bytes,
            "locking_mode": locks,
            "journal_mode": mode,
            "wal_autocheckpoint": checkpoint_pages,
            "synchronous": "full",
            "cache_size": -1_000_000,
        }.items():
            self._open.execute(f"pragma {setting} = {value}").fetchall()
        self._open.execute("create table record(id integer primary key, held blob)")
        self._records = leaves * ((page_bytes - 8) // (record_bytes + 9))
        with self._open:
            self._open.executemany("insert into record values (?, ?)", self._rows(self._records))
        if checkpoint_pages:
            self._open.execute("pragma wal_checkpoint(truncate)").fetchall()
        asked = "select count(*) from dbstat where name = 'record' and pagetype = 'leaf'"
        ((self.leaves,),) = self._open.execute(asked)
        self.count.clear()

    def _rows(self, count: int) -> Any:
        return ((i, self._rng.bytes(self._size)) for i in range(count))

    def commit(self, rows: int) -> None:
        """Update random records, all equally likely, in one transaction."""
        chosen = self._rng.integers(self._records, size=rows).tolist()
        with self._open:
            for key in chosen:
                self._open.execute(
                    "update record set held = ? where id = ?", (self._rng.bytes(self._size), key)
                )

    def close(self) -> None:
        """Close the database."""
        self._open.close()
        self._files.unregister()
