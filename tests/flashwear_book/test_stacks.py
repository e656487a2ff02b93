"""Databases on file systems, and published figures beside the closed forms."""

import inspect
import itertools
import math
import re

import numpy as np
import pytest

from flashwear import host
from flashwear_book import published, stacks, tables
from flashwear_book.runs import kept_result

KEYS = ["database", "file_system", "record", "rate", "group"]
LOADED = stacks.stacks().set_index(["load", *KEYS]).sort_index()
WRITTEN = LOADED.loc["changed at random"]


def test_a_file_system_writes_no_less_than_it_is_asked_nor_more_in_larger_commits():
    on_one_drive = LOADED.drop(index="ZFS, 16 KiB, log elsewhere", level="file_system")
    assert (on_one_drive.by_file_system >= 0.999 * on_one_drive.by_database).all()
    assert (LOADED.by_database >= LOADED.index.get_level_values("record")).all()
    by = LOADED.by_file_system.unstack("group")
    assert (by[1] >= by[10]).all()
    assert (by[10] >= (1 - 1e-9) * by[100]).all()
    by = WRITTEN.by_file_system.unstack("file_system")
    pages = by.drop(index="RocksDB", level="database")  # whose writes are large
    assert (pages["ZFS, 128 KiB records"] > pages["ZFS, 16 KiB records"]).all()
    assert (by["ZFS, 16 KiB records"] >= by["ZFS, 16 KiB, log elsewhere"]).all()


FORMS = {"changed at random": "random", "added in order": "append",
         "added at random": "insert_random"}  # fmt: skip
CASES = list(itertools.product(FORMS, (100, 1000), (1, 10, 100, 1000), (1, 10, 100)))


def asked(load, record, rate, group):
    """Return by database the bytes that its form gives for a record: its log, and its pages."""
    form, synced = FORMS[load], {"rows_per_commit": group}
    innodb = host.innodb(record, 10e9 / 16_384, load=form, **synced)
    postgres = host.postgres(record, 10e9 / 8192, 300 * rate, form, **synced)
    sqlite = host.sqlite(record, 10e9 / 4096, form, journal="wal", **synced)
    # the file's pages are loaded in order, and half full where rows are changed in it
    half_full = {"leaf_rows": np.log(2) * 4096 / record} if form == "random" else {}
    lmdb = host.lmdb(record, 10e9 / record, form, children=100, **half_full, **synced)
    lsm = host.lsm_levelled(10e9, 2**26, form)
    return {
        "PostgreSQL": (postgres.log + postgres.images, postgres.table + postgres.indexes),
        "MySQL (InnoDB)": (innodb.log, innodb.pages + innodb.copies),
        "SQLite": (sqlite.log, sqlite.file),
        "RocksDB": (record, record * (lsm.flush + lsm.merges)),
        "LMDB": (0.0, lmdb.total),
    }


def in_blocks(log, group, block):
    """Return bytes for each record of a log that is synced in blocks, anywhere in one."""
    commit = math.ceil(log * group)
    return log * (commit + block - math.gcd(commit, block)) / commit if log else 0.0


def test_a_row_in_place_is_the_pages_and_the_blocks_of_the_log_that_a_sync_writes():
    assert sorted(LOADED.index.levels[0]) == sorted(FORMS)
    assert len(LOADED) == 5 * 4 * len(CASES)
    for load, *case in CASES:
        for name, (log, pages) in asked(load, *case).items():
            row = LOADED.loc[load, name, "ext4 or XFS", *case]
            own = {"PostgreSQL": 8192, "MySQL (InnoDB)": 512}.get(name, 1)
            by_database = pages + in_blocks(log, case[-1], own)
            synced = in_blocks(log, case[-1], max(own, 4096))
            each = pages if name == "LMDB" else synced
            assert row.by_database == pytest.approx(by_database, rel=1e-9), (load, name, case)
            assert row.by_file_system == pytest.approx(pages + synced), (load, name, case)
            assert row.sync_bytes == pytest.approx(case[-1] * each), (load, name, case)


@pytest.mark.parametrize("load", ["changed at random", "added in order"])
@pytest.mark.parametrize("size", [131_072, 16_384])
def test_a_row_on_zfs_is_the_sum_of_its_parts(size, load):
    run = 2**26 if load == "added in order" else 1
    sizes = {  # bytes that are written in one piece, and seconds between checkpoints
        "PostgreSQL": (max(8192, run), 300), "MySQL (InnoDB)": (16_384, 5), "LMDB": (4096, 5),
        "SQLite": (max(4096, run), 1000), "RocksDB": (2**26, 5),
    }  # fmt: skip
    for (database, (page, seconds)), rate in itertools.product(sizes.items(), (1, 10)):
        at = (1000, rate, 1)
        seconds = seconds / rate if database == "SQLite" else seconds
        row = LOADED.loc[load, database, f"ZFS, {size // 1024} KiB records", *at]
        log, pages = asked(load, *at)[database]
        # a changed page of the database costs a record of its own; a group of 5 s ends with 20
        # blocks of metadata; an indirect block that leads to a changed record, of the first level
        # or the one above them all, is written once, in two copies of 8 KiB
        page, count = min(page, size), 10e9 / size
        changed = pages * rate * seconds / page
        records = changed if page == size else -count * np.expm1(-changed / count)
        first = count / 1024
        blocks = seconds / 5 * 20 - first * np.expm1(-changed / first) - np.expm1(-changed)
        intent = in_blocks(log or pages, 1, 8192 if database == "PostgreSQL" else 4096)
        tail = size / 5 / rate if log else 0  # the record in which the log ends, with each group
        expected = (records * size + 2 * 8192 * blocks) / (rate * seconds) + log + tail
        assert row.sync_bytes == pytest.approx(intent)
        assert row.by_file_system == pytest.approx(expected + intent, rel=0.01), (database, rate)
        if size == 16_384:
            row = LOADED.loc[load, database, "ZFS, 16 KiB, log elsewhere", *at]
            assert row.sync_bytes == 0
            assert row.by_file_system == pytest.approx(expected, rel=0.01)


def test_what_is_taken_for_a_default_is_one():
    of_form = inspect.signature(host.sqlite).parameters["checkpoint_pages"].default
    assert of_form == stacks._WAL_PAGES
    # where nodes were counted they had 120 children and more, loaded in order and full
    counted = kept_result("engines_lmdb").table.query("key_bytes == 16 and value_bytes == 8")
    children = ((counted.leaves + counted.nodes - 1) / counted.nodes).mean()
    assert pytest.approx(children * 0.85, rel=0.05) == stacks._LMDB_CHILDREN


def test_named_loads_are_rows_of_the_table_at_their_rate():
    for name, daily in stacks.loads().items():
        found = re.fullmatch(r"(\w+) on (.+), ([\d,]+) records of 100 bytes a second (.+)", name)
        rate = int(found[3].replace(",", ""))
        row = LOADED.loc[found[4], found[1], found[2], 100, rate, 1]
        assert daily == pytest.approx(row.by_file_system * rate * 86_400)


def test_rows_in_order_cost_a_fraction_where_pages_are_written_at_checkpoints():
    by = LOADED.by_database.xs((100, 100, 10), level=("record", "rate", "group"))
    by = by.xs("ext4 or XFS", level="file_system")
    for name in ("PostgreSQL", "MySQL (InnoDB)", "SQLite", "RocksDB"):
        random, order = by["changed at random"][name], by["added in order"][name]
        assert order < (0.2 if name != "PostgreSQL" else 0.1) * random, name
        assert order < by["added at random"][name]


def test_a_database_of_another_size_writes_other_bytes():
    for name, form in stacks.DATABASES.items():
        small, large = (form("random", 100.0, 10.0, 1.0, size) for size in (1e9, 1e11))
        assert large.log + large.pages > small.log + small.pages, name


def test_published_figures_are_hit_more_often_than_by_a_naive_guess_and_misses_are_busy_trees():
    # the inputs were committed before; 12 of 19 were seen, and 6 by the guess, all among the 12
    stated = published.comparison().query("kind == 'stated'")
    assert len(stated) >= 12
    assert (stated.hit & ~stated.naive_hit).sum() > (stated.naive_hit & ~stated.hit).sum()
    missed = stated[~stated.hit]
    assert (missed.model == "lsm_levelled").all()
    assert (missed.ratio > 1).all()


def test_the_closed_form_meets_rocksdb_own_count_better_than_its_rivals():
    # 8 % at most was seen with nothing fitted; the goal was 15 %
    table = published.counted_trees()
    assert len(table) >= 12
    errors = (table[["form", "half", "naive"]].div(table.counted, axis=0) - 1).abs()
    assert (errors.form < 0.1).all()
    assert errors.form.mean() < errors.half.mean() / 2
    assert (errors.naive > 0.8).all()


@pytest.mark.parametrize("name", ["ext4", "ext4, data=journal", "XFS", "btrfs"])
def test_what_a_sync_costs_is_what_reached_a_device(name):
    counted = tables.synced_writes().query("file_system == @name")
    assert len(counted) == 19
    ratio = counted["median"].copy()
    for row in counted.itertuples():
        form = host.synced_write(
            row.write_bytes, name.partition(",")[0].lower(), row.load,
            data_only=row.sync == "fdatasync", journal_data="data=journal" in name,
        )  # fmt: skip
        ratio[row.Index] = form.total * row.write_bytes / row.median
    new = counted.load.isin(["create", "replace"]) & (name == "btrfs")
    assert ratio[~new].between(0.94 if name == "btrfs" else 0.95, 1.02).all()
    assert ratio[new].between(0.63, 0.93).all()  # a miss: its tree of changes grows
    blocks = 4096 * np.ceil(counted.write_bytes / 4096)
    twice = np.abs(np.log(2 * blocks / counted["median"])).mean()
    assert np.abs(np.log(ratio)).mean() < twice / 5
