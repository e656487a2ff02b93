"""Databases on file systems, and published figures beside the closed forms."""

import inspect
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


def test_a_row_in_place_is_the_pages_and_those_of_its_log():
    for group in (1, 10, 100):
        row = WRITTEN.loc["PostgreSQL", "ext4 or XFS", 100, 100, group]
        found = host.postgres(100, 10e9 / 8192, 100 * 300, rows_per_commit=group)
        # where a commit begins in a page matters by some bytes
        assert row.by_database == pytest.approx(float(found.total), rel=1e-3)
        assert row.by_file_system == row.by_database
        log = float(found.log + found.images + found.flushes)
        assert row.sync_bytes == pytest.approx(group * log, rel=1e-3)


def test_a_file_system_makes_blocks_of_4_kib_of_innodbs_log():
    row = WRITTEN.loc["MySQL (InnoDB)", "ext4 or XFS", 100, 100, 1]
    log = host.innodb(100, 10e9 / 16_384).log
    assert row.sync_bytes == pytest.approx(4096 + log, abs=8)
    assert row.by_file_system - row.by_database == pytest.approx(4096 - 512, abs=8)


def test_lmdb_syncs_the_pages_that_it_copied():
    pages = {group: WRITTEN.loc["LMDB", "ext4 or XFS", 100, 100, group] for group in (1, 100)}
    for group, row in pages.items():
        assert row.sync_bytes == pytest.approx(group * row.by_database)
    assert WRITTEN.loc["LMDB", "ZFS, 16 KiB, log elsewhere", 100, 100, 1].sync_bytes == 0
    zfs = WRITTEN.loc["LMDB", "ZFS, 16 KiB records", 100, 100, 1]
    assert zfs.sync_bytes == pytest.approx(pages[1].sync_bytes, abs=4096)


def test_larger_records_of_lmdb_and_rocksdb_are_those_of_their_forms():
    for record in (100, 1000):
        wide = {"leaf_rows": np.log(2) * 4096 / record, "children": 100}
        copied = host.lmdb(record, 10e9 / record, rows_per_commit=10, **wide)
        row = WRITTEN.loc["LMDB", "ext4 or XFS", record, 100, 10]
        assert row.by_database == pytest.approx(copied.total)
        form = host.lsm_levelled(10e9, 2**26, record_bytes=record)
        row = WRITTEN.loc["RocksDB", "ext4 or XFS", record, 100, 10]
        assert row.by_database == pytest.approx(record * (1 + form.flush + form.merges))


def test_a_row_on_zfs_is_the_sum_of_its_parts():
    # SQLite, a record a second: at each checkpoint of 1,000 commits a page of each goes to a record
    # of its own of 16 KiB; 200 transaction groups of 5 s end meanwhile, with 20 blocks of metadata
    row = WRITTEN.loc["SQLite", "ZFS, 16 KiB records", 100, 1, 1]
    first = 10e9 / 16_384 / 1024  # indirect blocks above the records
    blocks = 200 * 20 + first * -np.expm1(-1000 / first) + 1
    log, intent, tail = 4096 + 24, 4120 + 4096 - 8, 16_384 / 5
    expected = 16_384 + 2 * 8192 * blocks / 1000 + log + intent + tail
    assert row.by_file_system == pytest.approx(expected, rel=0.002)
    assert row.sync_bytes == pytest.approx(intent)
    # RocksDB writes files in one piece, so that records are whole and metadata is little
    row = WRITTEN.loc["RocksDB", "ZFS, 128 KiB records", 1000, 1000, 1]
    files, log, tail = row.by_database - 1000, 1000, 131_072 / 5000
    metadata = row.by_file_system - files - log - tail - row.sync_bytes
    assert 0 < metadata < 0.05 * files
    # of LMDB's copied pages each costs its record, and no log ends in one
    row = WRITTEN.loc["LMDB", "ZFS, 128 KiB records", 100, 1, 1]
    groups = row.by_database * 1 * 5 / 4096  # pages in a transaction group
    first = 10e9 / 131_072 / 1024
    blocks = 20 + first * -np.expm1(-groups / first) + 1
    expected = row.by_database * 32 + 2 * 8192 * blocks / 5 + row.sync_bytes
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


LAYERS = kept_result("layers").table.set_index(["load", "trim", "apart", "op"])


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
