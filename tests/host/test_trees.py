"""Trees of files against their closed forms, and streams against plain books of pages."""

import itertools

import numpy as np
import pytest

from flashwear import host
from refusals import refusals


def counted(tree, settle, measure):
    """Return records written for each update, flushes and merges into each level."""
    for _ in range(settle):
        tree.flush()
    written, updates = tree.written.copy(), tree.updates
    for _ in range(measure):
        tree.flush()
    return (tree.written - written) / (tree.updates - updates)


# nothing is fitted: the form takes level by level to be swept in turn, where the tree takes the
# file of least overlap and has whole files; seeds differ by half a per cent
@pytest.mark.parametrize(("settings", "low", "high"), [
    ({"ratio": 10, "dynamic": False}, 0.92, 1.02),
    ({"ratio": 10, "dynamic": False, "aligned": False}, 0.92, 1.06),
    ({"ratio": 4}, 0.92, 1.02),
    ({"ratio": 8, "exponent": 0.99}, 0.92, 1.02),
    ({"ratio": 8, "exponent": 0.8, "aligned": False}, 0.92, 1.02),
    ({"ratio": 10, "level0_files": 8}, 0.92, 1.02),
    # corners
    ({"ratio": 2}, 1.01, 1.06),
    ({"ratio": 30, "dynamic": False}, 0.9, 0.95),
    ({"ratio": 1000}, 0.92, 1.0),
    ({"ratio": 8, "exponent": 2.0}, 0.97, 1.04),
    ({"ratio": 10, "level0_files": 1}, 0.88, 0.95),
    ({"ratio": 10, "file": 1000}, 0.87, 0.91),
    ({"ratio": 3, "aligned": False}, 1.1, 1.14),
    ({"ratio": 2, "aligned": False}, 1.23, 1.27),
    ({"ratio": 10, "exponent": 3.0}, 2.5, 4.0),
])  # fmt: skip
def test_a_levelled_tree_writes_what_the_sweeps_through_its_levels_say(settings, low, high):
    records, memtable, level, file = 50_000, 250, 1_000, settings.pop("file", 250)
    tree = host.LevelledTree(records, memtable, level, file, seed=3, **settings)
    found = counted(tree, 6 * records // memtable, 4 * records // memtable).sum()
    form = host.lsm_levelled(
        records, memtable, level_bytes=level, file_bytes=file, record_bytes=1, log=False, **settings
    )
    assert low < form.total / found < high


@pytest.mark.parametrize(("runs", "exponent"), [(2, 0.0), (4, 0.0), (8, 0.0), (3, 0.99)])
def test_a_tiered_tree_writes_each_record_once_for_each_size_of_run(runs, exponent):
    records, memtable = 20_000, 100
    tree = host.TieredTree(records, memtable, runs=runs, exponent=exponent, seed=3)
    turn = (runs - 1) * runs ** (len(tree.written) - 2)
    found = counted(tree, turn, 3 * turn)
    form = host.lsm_tiered(
        records, memtable, runs=runs, record_bytes=1, exponent=exponent, log=False
    )
    assert form.total == pytest.approx(found.sum(), rel=0.01)
    assert form.flush == pytest.approx(found[0], rel=0.01)


def test_a_tree_of_one_level_is_rewritten_whole_for_each_merge_from_level_0():
    sizes = {"level_bytes": 1e6, "file_bytes": 1e4, "record_bytes": 1, "log": False}
    for aligned in (True, False):
        form = host.lsm_levelled(1e6, 1e4, aligned=aligned, **sizes)
        assert form.merges == pytest.approx(1e6 / 4e4)
    tree = host.LevelledTree(10_000, 100, 10_000, 100, seed=1)
    assert counted(tree, 8, 40)[1] == pytest.approx(10_000 / 400)


@pytest.mark.parametrize("ratio", [2, 3, 4, 6, 10, 20, 50])
def test_few_updates_beside_the_records_cost_half_a_ratio_and_a_half_for_each_deep_level(ratio):
    memtable = 1e3
    sizes = memtable * 4 * float(ratio) ** np.arange(1, 7)
    forms = host.lsm_levelled(
        sizes, memtable, ratio=ratio, level_bytes=4 * memtable, file_bytes=1, record_bytes=1e-2
    )
    assert np.diff(forms.total)[3:] == pytest.approx(ratio / 2 + 0.5, rel=0.01)


def test_the_levels_of_a_tree_hold_each_key_once_and_no_more_than_they_may():
    tree = host.LevelledTree(20_000, 100, 400, 100, seed=2)
    files = {}
    for _ in range(600):
        before = tree.written.copy()
        wrote = np.zeros_like(before)
        for file, records, level in tree.flush():
            if records:
                assert file not in files
                files[file] = records
                wrote[level] += records
            else:
                del files[file]
        if before.any():
            assert (tree.written - before == wrote).all()
    held = [keys for level in tree._levels for keys in level]
    assert sorted(map(len, held + tree._waiting)) == sorted(files.values())
    for level, most in zip(tree._levels[:-1], tree._sizes, strict=False):
        assert sum(map(len, level)) <= most
        for one, following in itertools.pairwise(level):
            assert one[-1] < following[0]
        assert all((np.diff(keys) > 0).all() for keys in level)
    last = np.concatenate(tree._levels[-1])
    assert (last == np.arange(20_000)).all()


def test_aligned_files_overlap_about_one_file_less_of_the_next_level():
    overlaps = {}
    for aligned in (True, False):
        tree = host.LevelledTree(50_000, 250, 1_000, 250, aligned=aligned, dynamic=False, seed=4)
        found = counted(tree, 1200, 800)
        overlaps[aligned] = found[-1] / 0.8
    assert overlaps[False] - overlaps[True] == pytest.approx(1, abs=0.3)


def test_skewed_updates_are_merged_away_before_they_sink():
    totals = [
        host.lsm_levelled(1e12, 2**26, exponent=s, record_bytes=1000).total
        for s in (0, 0.5, 1, 1.5)
    ]
    assert all(one > following for one, following in itertools.pairwise(totals))


def test_space_is_given_from_the_front_and_taken_back_whole():
    rng = np.random.default_rng(5)
    volume, used, files = host.Extents(500, first=20), np.zeros(520, bool), {}
    used[:20] = True
    for name in range(3000):
        if files and (rng.random() < 0.5 or volume.free < 40):
            gone = list(files)[rng.integers(len(files))]
            assert volume.drop(gone) == files[gone]
            for start, count in files.pop(gone):
                assert used[start : start + count].all()
                used[start : start + count] = False
        else:
            pages = int(rng.integers(1, 40))
            expected = np.flatnonzero(~used)[:pages]
            files[name] = volume.write(name, pages)
            got = np.concatenate([np.arange(s, s + c) for s, c in files[name]])
            assert (got == expected).all()
            assert len(files[name]) == 1 + np.count_nonzero(np.diff(expected) > 1)
            used[got] = True
        assert volume.free == (~used).sum()


def in_use(stream, pages, batches):
    """Carry out a stream on a plain table of pages; return it, pages written and by stream."""
    held, written, by = np.zeros(pages, bool), 0, np.zeros(16, np.int64)
    for rows in itertools.islice(stream, batches):
        assert rows.shape[1] == 4
        for operation, page, count, kind in rows:
            where = slice(page, page + count)
            assert page >= 0
            assert count >= 1
            assert page + count <= pages
            if operation == 1:
                assert held[where].all()
                held[where] = False
            else:
                held[where] = True
                written += count
                by[kind] += count
    return held, written, by


def test_files_of_a_tree_are_written_to_free_space_and_trimmed_when_dropped():
    tree = host.LevelledTree(8_000, 80, 320, 80, seed=6)
    twin = host.LevelledTree(8_000, 80, 320, 80, seed=6)
    stream = host.tree_files(tree, 3_000, records_per_page=4, log_pages=30)
    held, written, by = in_use(stream, 3_000, 400)
    for _ in range(400):
        twin.flush()
    assert by[0] == 400 * 20
    records = twin.written.sum() + 8_000
    # the last page of a file is not full
    assert records / 4 <= written - by[0] < 1.2 * records / 4
    live = sum(-(-keys.size // 4) for level in tree._levels for keys in level)
    live += sum(-(-keys.size // 4) for keys in tree._waiting)
    assert held.sum() == live + 30


def test_without_trims_the_drive_is_told_of_no_file_that_is_dropped():
    tree = host.TieredTree(4_000, 100, runs=3, seed=6)
    stream = host.tree_files(tree, 5_000, records_per_page=4, trim=False)
    rows = np.concatenate(list(itertools.islice(stream, 200)))
    assert (rows[:, 0] == 0).all()


def test_pages_in_place_are_those_of_the_closed_form():
    stream = host.pages_in_place(4_003, 4, 300, log_pages=100, logged=37, copies=True, seed=7)
    held, _, by = in_use(stream, 4_003, 200)
    blocks = (4_000 - 100 - 256) // 4
    assert by[0] == 200 * 37
    assert by[1] == by[2] == pytest.approx(200 * 4 * host.pages_touched(300, blocks), rel=0.01)
    assert not held[100 + 256 + 4 * blocks :].any()


def test_records_copied_are_those_of_the_closed_form():
    record, records, writes = 8, 400, 60
    stream = host.records_copied(4_000, record, records, writes, metadata=5, seed=8)
    next(stream)
    held = np.zeros(4_000, bool)
    held[: record * records + 5] = True
    data = blocks = 0
    for rows in itertools.islice(stream, 300):
        writes_, trims = rows[rows[:, 0] == 0], rows[rows[:, 0] == 1]
        for _, page, count, _ in writes_:
            assert not held[page : page + count].any()
            held[page : page + count] = True
        for _, page, count, _ in trims:
            held[page : page + count] = False
        data += writes_[writes_[:, 3] == 1, 2].sum()
        blocks += writes_[writes_[:, 3] == 0, 2].sum()
        assert held.sum() == record * records + 5
    form = host.copy_on_write(4096, record * records * 4096, writes, record_bytes=record * 4096)
    assert data / (300 * writes) == pytest.approx(form.data, rel=0.01)
    assert blocks == 300 * 5


def test_new_records_are_all_different_and_those_in_order_are_moved():
    sizes = {"ratio": 10, "level_bytes": 2**21, "file_bytes": 2**18, "record_bytes": 400}
    first, memtable = 2**21, 1250 * 400
    data = 100 * first  # levels of 1, 10 and 100 times the first
    order = host.lsm_levelled(data, memtable, "append", **sizes)
    assert (order.log, order.flush, order.merges, order.total) == (1, 1, 0, 2)
    new = host.lsm_levelled(data, memtable, "insert_random", **sizes)
    # a level that holds S is swept in 2 S; each sweep meets what lies below and adds its own half
    held = [size - 2**17 for size in (first, 10 * first)]
    passed = 4 * memtable
    swept = 2 * (held[0] + passed / 2)
    levels = held[0] / passed + 1 + held[1] / swept + 1 / 2 + data / (2 * held[1]) + 1 / 2
    assert new.flush == 1
    assert new.merges == pytest.approx(levels, rel=1e-6)
    few = host.lsm_levelled(data, 100 * 400, exponent=0, **sizes)  # updates that hardly repeat
    alike = host.lsm_levelled(data, 100 * 400, "insert_random", **sizes)
    assert 0 < alike.merges - few.merges < 1
    tiered = host.lsm_tiered(1e9, 1e6, "insert_random", runs=10)
    assert tiered.merges == pytest.approx(3 + 1e9 / (9 * 1e9))


@pytest.mark.parametrize(("file_system", "added"), [("xfs", 2 * 512), ("ext4", 6 * 4096)])
def test_a_synced_batch_takes_whole_blocks_of_the_log(file_system, added):
    together, given = 40, {"record_bytes": 100, "rows_per_commit": 40}
    found = host.lsm_levelled(1e9, 2**20, **given)
    assert found.log * together * 100 == pytest.approx(together * 104 + 19 + 4096 - 1)
    more = host.lsm_levelled(1e9, 2**20, file_system=file_system, **given)
    assert more.file_system * together * 100 == pytest.approx(added)
    assert more.total == pytest.approx(found.total + more.file_system)


test_bad_values_are_refused = refusals([
    (lambda: host.lsm_levelled(1e9, 2**30), "memtable_bytes must be <= level_bytes"),
    (lambda: host.lsm_levelled(1e9, 2**20, level_bytes=2e9), "level_bytes must be <= data_bytes"),
    (lambda: host.lsm_levelled(1e9, 2**20, file_bytes=2**29), "file_bytes must be <= level_bytes"),
    (lambda: host.lsm_levelled(1e9, 10), "record_bytes must be <= memtable_bytes, got 100 and 10"),
    (lambda: host.lsm_tiered(1e9, 2e9), "memtable_bytes must be <= data_bytes, got 2e\\+09 and 1e"),
    (lambda: host.lsm_tiered(1e9, 1e6, runs=2.5), "runs must be a whole number .*, got 2.5"),
    (lambda: host.Extents(10).write("a", 11), "pages must be <= 10, which are free, got 11"),
    (lambda: host.Extents(10).drop("a"), "file must be one that was written, got 'a'"),
    (lambda: host.lsm_levelled(1e300, 2**26), "data_bytes must be <= 2\\*\\*53 times record"),
    (lambda: host.lsm_levelled(100e9, 2**28 + 1), "got 268435457.0 and 268435456"),
    (lambda: host.LevelledTree(100, 5, 10, 5, ratio=[4, 5]), "ratio must be one number"),
    (lambda: next(host.records_copied(2**28 + 1, 1, 1, 1)), "pages must be .* <= 268435456"),
])  # fmt: skip


TREE = {"records": 100, "memtable": 5, "level": 10, "file": 5}
PLACE = {"pages": 100, "block": 4, "updates": 2, "log_pages": 20, "logged": 3}
COPIED = {"pages": 100, "record": 4, "records": 5, "writes": 2}


@pytest.mark.parametrize(("made", "given", "bounds"), [
    (host.LevelledTree, TREE, {"records": (5, None), "memtable": (1, 100), "level": (1, None),
                               "file": (1, None), "ratio": (2, 1000), "level0_files": (1, None),
                               "exponent": (0, 3), "seed": (0, None)}),
    (host.TieredTree, {"records": 100, "memtable": 5},
     {"memtable": (1, 100), "runs": (2, None), "exponent": (0, 3), "seed": (0, None)}),
    (host.pages_in_place, PLACE, {"pages": (24, None), "block": (1, None), "updates": (1, None),
                                  "log_pages": (1, 96), "logged": (0, None), "seed": (0, None)}),
    (host.records_copied, COPIED, {"pages": (24, None), "record": (1, None), "records": (1, None),
                                   "writes": (1, None), "metadata": (0, None), "seed": (0, None)}),
    (lambda **more: host.tree_files(host.TieredTree(100, 5), **more), {"pages": 400,
     "records_per_page": 4}, {"records_per_page": (1, None), "log_pages": (0, None)}),
])  # fmt: skip
def test_trees_and_streams_take_what_lies_in_their_ranges_and_nothing_beyond(made, given, bounds):
    def goes(**change):
        one = made(**given | change)
        assert len(one.flush() if hasattr(one, "flush") else next(one))

    for name, (low, high) in bounds.items():
        for limit, beyond in ((low, low - 1), (high, high and high + 1)):
            if limit is not None:
                goes(**{name: limit})
                with pytest.raises(
                    ValueError,
                    match=f"{'memtable|' * (name == 'records')}"
                    f"{'pages|' * (name == 'log_pages')}{name} must be ",
                ):
                    goes(**{name: beyond})


@pytest.mark.parametrize("name", ["log", "dynamic", "aligned"])
def test_what_is_on_or_off_is_true_or_false(name):
    with pytest.raises(TypeError, match=f"{name} must be True or False, got 'no'"):
        host.lsm_levelled(1e12, 2**26, **{name: "no"})


def test_a_log_loses_no_record_where_a_memtable_fills_no_whole_page():
    tree = host.TieredTree(400, memtable=7, runs=3)
    stream = host.tree_files(tree, 5_000, records_per_page=4, log_pages=10)
    _, _, by = in_use(stream, 5_000, 100)
    assert by[0] == 700 // 4


def test_the_end_of_a_full_volume_is_taken_back_and_it_is_free_again_when_files_are_dropped():
    volume = host.Extents(10)
    for name in "ab":
        volume.write(name, 5)
    assert volume.free == 0
    assert volume.drop("b") == [(5, 5)]
    assert volume.write("c", 3) == [(5, 3)]
    volume = host.Extents(9)
    assert [volume.write(name, 3) for name in "abc"] == [[(0, 3)], [(3, 3)], [(6, 3)]]
    assert volume.drop("c") == [(6, 3)]
    assert volume.drop("a") == [(0, 3)]
    assert volume.write("d", 4) == [(0, 3), (6, 1)]
    for name in "bd":
        volume.drop(name)
    assert volume.write("e", 9) == [(0, 9)]
    assert volume.free == 0


@pytest.mark.parametrize("stream", [
    lambda seed: host.pages_in_place(500, 4, 20, log_pages=30, logged=9, seed=seed),
    lambda seed: host.records_copied(500, 4, 60, 9, seed=seed),
])  # fmt: skip
def test_another_seed_changes_other_pages(stream):
    one, again, other = ([rows.tolist() for rows in itertools.islice(stream(seed), 4)]
                         for seed in (1, 1, 2))  # fmt: skip
    assert one == again != other
