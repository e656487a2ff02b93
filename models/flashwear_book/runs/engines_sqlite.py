"""Bytes that SQLite writes, counted call by call."""

from __future__ import annotations

import tempfile
from typing import Any

from flashwear._extras import require
from flashwear.sweeps import Study


def updates(
    checkpoint_pages: int,
    page_bytes: int,
    rows: int,
    leaves: int,
    record_bytes: int,
    updates: int,
    seed: int,
) -> dict[str, Any]:
    """Update single records of a table at random, and count what SQLite writes and syncs.

    `checkpoint_pages`: pages of ``wal_autocheckpoint``, or 0 for a rollback journal deleted at
    each commit. `page_bytes`: bytes of a page of the database. `rows`: number of rows updated in
    one commit. `leaves`: approximate number of pages of the table. `record_bytes`: bytes of a
    record without its key. `updates`: least number of records updated; the run begins and ends
    with a checkpoint. `seed`: seed of records and contents.

    Result: ``engine``, ``version``, ``journal`` mode; ``file_pages``, pages with records;
    ``commits``; ``asked_bytes``, bytes of the records updated; ``log_bytes`` and ``file_bytes``,
    bytes written to log and file, and ``log_pages`` and ``written_pages``, whole pages among them;
    ``checkpoints``; ``log_syncs`` and ``file_syncs``; ``log_blocks`` and ``file_blocks``, blocks
    of 4 KiB changed between two syncs; and ``log_per_row`` and ``file_per_row``, the bytes written
    to each per record, over those of a page.

    Tolerance of a rerun with 4,000 updates: the log holds 98 pages for 100 updates, with a standard
    deviation of one, which is 0.16 % of ``log_per_row`` over 40 commits; three of these are
    allowed. The 1,000 pages of a checkpoint have a standard deviation of at most 15, which is 0.8 %
    over four checkpoints; three of these are 0.025.
    """
    require("engines", "apsw")
    import apsw

    from flashwear_book.runs._counted import Database

    with tempfile.TemporaryDirectory() as folder:
        base = Database(folder, page_bytes, checkpoint_pages, leaves, record_bytes, seed)
        count = base.count
        if checkpoint_pages:
            while not count.bytes["file"]:
                base.commit(rows)
            count.clear()
        commits = checkpoints = 0
        while True:
            before = count.bytes["file"]
            base.commit(rows)
            commits += 1
            has_ended = count.bytes["file"] > before
            checkpoints += has_ended
            if commits * rows >= updates and has_ended:
                break
        base.close()
    unit = page_bytes * commits * rows
    return {
        "engine": "SQLite",
        "version": apsw.sqlite_lib_version(),
        "journal": "wal" if checkpoint_pages else "delete",
        "file_pages": base.leaves,
        "commits": commits,
        "asked_bytes": commits * rows * record_bytes,
        "log_bytes": count.bytes["log"],
        "file_bytes": count.bytes["file"],
        "log_pages": count.pages["log"],
        "written_pages": count.pages["file"],
        "checkpoints": checkpoints if checkpoint_pages else 0,
        "log_syncs": count.syncs["log"],
        "file_syncs": count.syncs["file"],
        "log_blocks": count.blocks["log"],
        "file_blocks": count.blocks["file"],
        "log_per_row": count.bytes["log"] / unit,
        "file_per_row": count.bytes["file"] / unit,
    }


STUDIES = (
    Study(
        name="engines_sqlite",
        function=updates,
        grid={
            "checkpoint_pages": [0, 100, 1000],
            "page_bytes": [4096, 16_384],
            "rows": [1, 10, 100],
            "leaves": [5000],
            "record_bytes": [200],
            "updates": [20_000],
        },
        reduced={"page_bytes": [4096], "updates": [4000]},
        keys=("checkpoint_pages", "page_bytes", "rows"),
        tolerance={"log_per_row": 0.005, "file_per_row": 0.025},
        seed=2041,
    ),
)
