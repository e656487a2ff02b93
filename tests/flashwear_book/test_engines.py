"""What databases were counted to write, against the closed forms of flashwear.host."""

import numpy as np
import pytest

from flashwear import host, wa
from flashwear_book.runs import engines_drive, kept_result
from flashwear_book.runs.engines_rocksdb import overwrites

SQLITE = kept_result("engines_sqlite").table
LMDB = kept_result("engines_lmdb").table


def distinct(draws, places):
    return places * (1 - (1 - 1 / places) ** draws)


def in_log(pages, row, **more):
    """Return the form for a write-ahead log in which a commit has so many pages."""
    return host.sqlite(
        200,
        row.file_pages,
        journal="wal",
        pages_per_commit=pages,
        page_bytes=row.page_bytes,
        **more,
    )


def test_a_commit_with_a_rollback_journal_writes_what_its_format_says_to_the_byte():
    rows = SQLITE[SQLITE["journal"] == "delete"]
    for row in rows.itertuples():
        changed = row.written_pages / row.commits - 1
        form = host.sqlite(200, 9, pages_per_commit=changed, page_bytes=row.page_bytes)
        assert row.file_bytes == pytest.approx(row.commits * form.file, rel=1e-12)
        # the sync writes twelve bytes of the header once more: its mark and the count of pages
        assert row.log_bytes == pytest.approx(row.commits * (form.log + 12), rel=1e-12)


def test_a_commit_with_a_write_ahead_log_appends_whole_pages_to_the_byte():
    rows = SQLITE[SQLITE["journal"] == "wal"]
    assert len(rows) == 12
    for row in rows.itertuples():
        pages = row.log_pages / row.commits
        form = in_log(pages, row)
        # each time that the log begins anew it has a header of 32 bytes
        expected = row.commits * form.log + 32 * row.checkpoints
        assert row.log_bytes == pytest.approx(expected, rel=1e-12)


def test_checkpoints_write_the_different_pages_of_the_log():
    for row in SQLITE[SQLITE["journal"] == "wal"].itertuples():
        logged = row.log_pages / row.checkpoints
        pages = row.log_pages / row.commits
        form = in_log(pages, row, checkpoint_pages=logged)
        counted = row.file_bytes / row.commits
        # its pages come at Poisson times; those of one commit are different: up to k of M fewer
        # that could be shared, of which M / 2P would be; and four standard errors of what is shared
        together = pages / row.file_pages / 2
        shared = logged - distinct(logged, row.file_pages)
        error = 4 * np.sqrt(shared / row.checkpoints) / logged
        assert -error < counted / form.file - 1 < together + error


def copied(row, leaf, children):
    """Return the pages that the form has for a commit, above those that were counted."""
    form = host.lmdb(
        row.value_bytes, row.records, rows_per_commit=row.rows, key_bytes=row.key_bytes,
        leaf_rows=leaf, children=children,
    )  # fmt: skip
    asked = (form.leaves + form.branches + form.free) * row.rows
    return (asked - (row.written_bytes / row.commits - 120)) / 4096


def test_lmdb_copies_what_the_form_says_where_leaves_and_nodes_are_as_wide_and_where_not():
    for row in LMDB.itertuples():
        children = (row.leaves + row.nodes - 1) / row.nodes
        short = copied(row, row.records / row.leaves, children)
        assert -0.5 < short < row.depth - 2 + 0.5, row
    rows = LMDB[(LMDB["key_bytes"] == 100) & (LMDB["value_bytes"] == 8)]
    assert len(rows) == 3
    for row in rows.itertuples():
        short = copied(row, row.records / row.leaves, row.records / row.leaves)
        # loaded in order, the last node of a level is part full: it is missed more often, by one
        # page on each level but leaves and root; and a node has 37 children where a leaf has 34
        children = (row.leaves + row.nodes - 1) / row.nodes
        fewer = distinct(row.rows, row.leaves**2 / row.records)
        fewer -= distinct(row.rows, row.leaves / children)
        assert -0.5 < short < row.depth - 2 + fewer


def test_the_log_of_a_store_tells_what_its_counters_count():
    pytest.importorskip("rocksdict")
    run = overwrites("ratio 10, two levels", warmup=0.05, rounds=0.1, seed=1)
    assert run["updates"] == 4 * 1250
    assert run["asked_bytes"] == run["updates"] * run["data_bytes"] / run["records"]
    written = sum(run[f"level{i}_written"] for i in range(7))
    # a key, a value and a few bytes of each record; files have an index and a footer
    assert run["wal_bytes"] == pytest.approx(run["asked_bytes"], rel=0.02)
    assert run["flush_bytes"] == pytest.approx(run["flushed"], rel=1e-3)
    assert run["compaction_bytes"] == pytest.approx(written, rel=1e-2)
    assert (run["level0_target"], run["level1_target"]) == (0, 2**21)
    assert run["factor"] == pytest.approx(1 + written / run["flushed"], rel=1e-12)


def test_pages_in_use_are_weighted_by_what_is_written_while_they_are():
    write, trim = engines_drive.WRITE, engines_drive.TRIM
    steps = [(write, 0, 4), (trim, 1, 2), (write, 4, 3), (write, 4, 1), (trim, 0, 9), (write, 2, 6)]
    kind = [("operation", np.uint8), ("first", np.int64), ("count", np.int64)]
    records = np.array(steps, dtype=kind)
    # 4 pages are in use, then 2, 5, 5, none, 6
    assert engines_drive._live(records, 10, 0) == (4 * 4 + 5 * 3 + 5 * 1 + 6 * 6) / 14
    assert engines_drive._live(records, 10, 4) == (5 * 3 + 5 * 1 + 6 * 6) / 10


def test_a_commit_of_lmdb_is_recorded_page_by_page_and_its_root_last():
    pytest.importorskip("lmdb")
    found = engines_drive.lmdb(0.001, seed=1)
    commits, updates = 6, found.records[found.start :]
    assert found.asked_bytes == commits * 10 * 200
    assert found.written_bytes == (int(updates["count"].sum()) - commits) * 4096 + commits * 120
    ends = np.flatnonzero(updates["page"] <= 1)
    assert len(ends) == commits
    assert ends[-1] == len(updates) - 1
    assert (found.records["operation"] == engines_drive.WRITE).all()


def test_a_commit_of_sqlite_is_recorded_as_the_blocks_of_its_log():
    pytest.importorskip("apsw")
    found = engines_drive.sqlite(0.0002, seed=1)
    load, *log = found.records.tolist()
    assert found.start == 1
    assert load[:2] == (engines_drive.WRITE, 0)
    assert load[2] > 20_000
    assert found.asked_bytes == 30 * 200
    # the log's header, and for each commit a page with 24 bytes; when closed, the pages once more
    file = [count for _, first, count in log if first < load[2]]
    assert 20 < sum(file) <= 30
    assert found.written_bytes == 32 + 30 * 4120 + 4096 * sum(file)
    pages = [page for _, at, count in log for page in range(at, at + count) if at >= load[2]]
    assert set(pages) == set(range(load[2], max(pages) + 1))
    assert len(pages) == pytest.approx(30 * host.sync_factor(4120) * 4120 / 4096, rel=0.1)


@pytest.mark.parametrize("is_trimmed", [False, True])
def test_figures_of_a_driven_drive_by_hand(is_trimmed, monkeypatch):
    rng = np.random.default_rng(5)
    requests = [(engines_drive.WRITE, 0, 4096)]
    for page in rng.integers(4096, size=90_000).tolist():
        requests.append((engines_drive.WRITE, page, 1))
    requests.insert(50_000, (engines_drive.TRIM, 0, 8))
    made = engines_drive.EngineWrites(
        engines_drive._requests(requests), asked_bytes=10**8, written_bytes=3 * 10**8, start=1
    )
    monkeypatch.setitem(engines_drive.ENGINES, "made", lambda length, seed: made)
    found = engines_drive.driven("made", 0.8, is_trimmed, 0.28, 32, 1.0, seed=1)
    assert found["user_pages"] == 5120
    assert found["drive_writes"] == pytest.approx((4096 + 90_000) / 2 / 5120, rel=1e-4)
    assert found["engine_factor"] == pytest.approx(3)
    assert found["page_factor"] == pytest.approx(4096 * 90_000 / 3e8)
    assert found["joint"] == pytest.approx(found["wa"] * 4096 * 90_000 / 1e8)
    assert found["joint_over_product"] == pytest.approx(
        found["joint"] / (found["engine_factor"] * found["uniform"])
    )
    assert found["sequential"] == pytest.approx(1, abs=1e-9)
    assert found["live_share"] == pytest.approx(0.8 if is_trimmed else 1, abs=0.002)
    if not is_trimmed:  # else the level still falls from that of an empty drive
        assert 0 < found["wa_error"] < 0.1 * found["wa"]
    # blank pages are some blocks of two hundred
    spare = 1.28 / found["live_share"] - 1
    assert found["effective_op"] == pytest.approx(spare, rel=0.08)
    assert found["uniform"] == pytest.approx(wa.greedy(found["effective_op"], 32), rel=0.03)
    if is_trimmed:  # the load is uniform, over as many pages
        assert found["wa"] == pytest.approx(found["uniform"], rel=0.03)
