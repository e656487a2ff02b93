"""Bytes that LMDB writes, by the operating system's counter for the process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from flashwear._extras import require
from flashwear.sweeps import Study

PAGE, META = 4096, 120
"""Bytes of a page, and bytes of a meta page that each commit writes."""


class Tree:
    """An LMDB tree of records of equal size that are updated at random.

    `folder`: folder in which the tree is made. `records`, `key_bytes`, `value_bytes`: number of
    records, and bytes of their keys and values. `seed`: seed of contents and of the records that
    are updated.
    """

    def __init__(
        self, folder: str | Path, records: int, key_bytes: int, value_bytes: int, seed: int
    ) -> None:
        import lmdb

        self._rng, self._records = np.random.default_rng(seed), records
        self._key, self._value = key_bytes, value_bytes
        # what is written is the same with and without syncs
        self._open = lmdb.open(str(folder), map_size=2**32, sync=False)
        with self._open.begin(write=True) as change:
            for i in range(records):
                change.put(self._named(i), self._rng.bytes(value_bytes), append=True)

    def _named(self, record: int) -> bytes:
        return record.to_bytes(self._key, "big")

    def shape(self) -> dict[str, int]:
        """Return ``depth`` of the tree, and its numbers of ``leaves`` and of inner ``nodes``."""
        found = self._open.stat()
        return {"depth": found["depth"], "leaves": found["leaf_pages"]} | {
            "nodes": found["branch_pages"]
        }

    def commit(self, rows: int) -> None:
        """Update `rows` records at random, each as likely as the others, in one transaction."""
        with self._open.begin(write=True) as change:
            for i in self._rng.integers(self._records, size=rows).tolist():
                change.put(self._named(i), self._rng.bytes(self._value))

    def close(self) -> None:
        """Close the file."""
        self._open.close()


def updates(
    key_bytes: int, value_bytes: int, rows: int, records: int, updates: int, seed: int
) -> dict[str, Any]:
    """Update single records of an LMDB tree at random, and count what LMDB writes.

    `key_bytes`, `value_bytes`: sizes of key and value in bytes. With 100 and 8, a leaf holds about
    as many records as an inner node has children. `rows`: number of records updated in one commit.
    `records`: number of records in the tree. `updates`: number of records updated in all. `seed`:
    seed of the contents, and of which records are updated.

    Result: ``engine`` and ``version``; ``depth``, ``leaves`` and inner ``nodes`` of the tree;
    number of ``commits``; ``asked_bytes``, bytes of the values updated; ``written_bytes``, bytes
    that the process wrote (``wchar``); ``meta_bytes``, the 120 bytes of meta pages of each commit;
    ``pages``, the number of other pages written; and ``pages_per_row``, these over the updates.

    Raises ``RuntimeError`` if the bytes written, without meta pages, are no whole number of pages.

    Tolerance of a rerun with a quarter of the updates: the pages touched by a commit of 100 records
    have a standard deviation of at most five. Over 50 commits that is 0.7 % of a page per record,
    and three of these are allowed, and 0.02 for the list of free pages with one record per commit.
    """
    require("engines", "lmdb")
    import lmdb

    commits = updates // rows
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder, records, key_bytes, value_bytes, seed)
        for _ in range(10):
            tree.commit(rows)
        before = bytes_written()
        for _ in range(commits):
            tree.commit(rows)
        written = bytes_written() - before
        shape = tree.shape()
        tree.close()
    pages, rest = divmod(written - META * commits, PAGE)
    if rest:
        raise RuntimeError(f"{written} bytes were written, which are no whole pages")
    return {
        "engine": "LMDB",
        "version": ".".join(map(str, lmdb.version())),
        **shape,
        "commits": commits,
        "asked_bytes": commits * rows * value_bytes,
        "written_bytes": written,
        "meta_bytes": META * commits,
        "pages": pages,
        "pages_per_row": pages / (commits * rows),
    }


def bytes_written() -> int:
    """Return the bytes that this process has written so far."""
    lines = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


STUDIES = (
    Study(
        name="engines_lmdb",
        function=updates,
        grid={
            "key_bytes": [16, 100],
            "value_bytes": [8, 200],
            "rows": [1, 10, 100],
            "records": [100_000],
            "updates": [20_000],
        },
        reduced={"key_bytes": [100], "value_bytes": [8], "updates": [5000]},
        keys=("key_bytes", "value_bytes", "rows"),
        tolerance={"pages_per_row": 0.03},
        seed=2042,
    ),
)
