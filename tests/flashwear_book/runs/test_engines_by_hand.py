"""What is recorded of storage engines, from events, calls and streams that are counted by hand."""

import itertools

import numpy as np
import pytest

from flashwear import drives
from flashwear.workloads import OPERATION_SHIFT, TEMPERATURE_SHIFT, TRIM, WRITE
from flashwear_book.runs import (
    _counted,
    _reads,
    _store,
    engines_drive,
    engines_rocksdb,
    kept_result,
    layers,
)


def flush(job, file, size):
    return [
        {"event": "flush_started", "job": job},
        {"event": "table_file_creation", "job": job, "file_number": file, "file_size": size},
        {"event": "flush_finished", "job": job},
    ]


def merge(job, taken, into, made):
    """Return the events of a compaction: files by level, and number and size of those made."""
    started = {f"files_L{level}": files for level, files in taken.items()}
    return [
        {"event": "compaction_started", "job": job, **started},
        *({"event": "table_file_creation", "job": job, "file_number": file, "file_size": size}
          for file, size in made),
        {"event": "compaction_finished", "job": job, "output_level": into},
    ]  # fmt: skip


LOG = [
    *flush(1, 10, 5000), *flush(2, 11, 6000),
    *merge(3, {0: [10, 11]}, 1, [(12, 9000)]),
    *flush(4, 13, 7000),
    {"event": "trivial_move", "job": 5, "destination_level": 2, "total_files_size": 9000},
    *flush(6, 14, 100),
    *merge(7, {0: [13, 14], 1: [12]}, 1, [(15, 4000), (16, 12_000)]),
    {"event": "trivial_move", "job": 8, "destination_level": 3, "total_files_size": 50},
    {"event": "other"},
]  # fmt: skip


@pytest.mark.parametrize(("after", "flushed", "written", "entered", "moved"), [
    (0, 18_100, [0, 25_000], [0, 18_100], [0, 0, 9000, 50]),
    (1, 13_100, [0, 25_000], [0, 18_100], [0, 0, 9000, 50]),
    (2, 7100, [0, 16_000], [0, 7100], [0, 0, 9000, 50]),
    (3, 100, [0, 16_000], [0, 7100], [0, 0, 0, 50]),
    (4, 0, [], [], []),
])  # fmt: skip
def test_a_log_is_counted_after_so_many_flushes(after, flushed, written, entered, moved):
    found = _store.work(iter(LOG), after)
    assert found.flushed == flushed
    for counted, expected in zip(found[1:], (written, entered, moved), strict=True):
        assert counted.tolist() == expected + [0] * (7 - len(expected))


def test_files_of_a_store_take_the_first_free_pages_and_their_logs_go_with_the_flush(monkeypatch):
    class Store:
        def __init__(self, folder, settings, seed):
            self.seed, self.done = seed, []

        def load(self):
            self.done.append("load")

        def overwrite(self):
            self.done.append("over")

        def counters(self):
            assert self.done == ["load", "over", "over"]
            return {"wal.bytes": 4 * 8192 + 3}

        def close(self):
            return iter(LOG)

    monkeypatch.setattr(_store, "Store", Store)
    monkeypatch.setitem(engines_rocksdb.CASES, "two", {"records": 20, "memtable": 10})
    found = engines_drive._store("two", 2, 1)
    assert found.asked_bytes == 2 * 10 * 416
    # two flushes load the store; then two logs of 8,192 bytes, two flushes, and a compaction
    assert found.start == 10
    assert found.written_bytes == 2 * 8192 + 7000 + 100 + 4000 + 12_000
    assert found.records.tolist() == [
        (WRITE, 0, 2), (WRITE, 2, 2), (TRIM, 0, 2),  # log, file of 5,000 bytes
        (WRITE, 0, 2), (WRITE, 4, 2), (TRIM, 0, 2),  # log, file of 6,000 bytes
        (WRITE, 0, 2), (WRITE, 6, 1), (TRIM, 2, 2), (TRIM, 4, 2),  # the merged file of 9,000 bytes
        (WRITE, 2, 2), (WRITE, 4, 2), (TRIM, 2, 2),
        (WRITE, 2, 2), (WRITE, 7, 1), (TRIM, 2, 2),
        (WRITE, 2, 1), (WRITE, 3, 1), (WRITE, 8, 2), (TRIM, 4, 2), (TRIM, 7, 1), (TRIM, 0, 2),
        (TRIM, 6, 1),
    ]  # fmt: skip


def test_targets_grow_by_the_ratio_from_the_first_level_or_shrink_by_it_from_the_last():
    sizes = np.array([9.0, 0, 0, 5, 30, 400])
    for ratio, base, expected in (
        (10, 8, [0, 0, 0, 8, 40, 400]), (10, 4, [0, 0, 0, 4, 40, 400]),
        (4, 25, [0, 0, 0, 25, 100, 400]), (20, 1e-9, [0, 0.0025, 0.05, 1, 20, 400]),
    ):  # fmt: skip
        found = engines_rocksdb.targets(ratio, base, sizes, dynamic=True)
        assert found == pytest.approx(np.array(expected, float))
        found = engines_rocksdb.targets(ratio, base, sizes, dynamic=False)
        assert found == pytest.approx(np.array([0, *(base * float(ratio) ** n for n in range(5))]))


def test_the_settings_of_each_case_are_those_with_which_the_kept_store_ran():
    kept = kept_result("engines_rocksdb").table.set_index("case")
    assert sorted(kept.index) == sorted(engines_rocksdb.CASES)
    for case, given in engines_rocksdb.CASES.items():
        settings = _store.Settings(**given)
        assert kept.loc[case, list(settings._fields)].to_dict() == settings._asdict()
        assert kept.data_bytes[case] == settings.records * settings.record_bytes


def test_blocks_are_counted_once_between_two_syncs_of_their_file():
    count = _counted.Count(4096)
    for name, size, offset in (
        ("log", 32, 0), ("log", 24, 32), ("log", 4096, 56), ("file", 4096, 0), ("file", 1, 8192),
        ("file", 4096, 4096), ("log", 1, 4151),
    ):  # fmt: skip
        count.write(name, size, offset)
    for name in ("log", "file", "log"):
        count.sync(name)
    assert count.bytes == {"log": 32 + 24 + 4096 + 1, "file": 2 * 4096 + 1}
    assert count.pages == {"log": 1, "file": 2}
    assert count.syncs == {"log": 2, "file": 1}
    assert count.blocks == {"log": 2, "file": 3}
    assert count.sent == [("log", [0, 1]), ("file", [0, 1, 2])]
    assert list(engines_drive._rows([3, 4, 5, 9, 7, 8, 0])) == [
        (WRITE, 3, 3), (WRITE, 9, 1), (WRITE, 7, 2), (WRITE, 0, 1)]  # fmt: skip
    assert list(engines_drive._rows([])) == []


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize("segment", [4, 16])
def test_a_log_writes_what_it_erased_before_and_says_which_writes_are_copies(segment, trim):
    pages, copies, host_writes = 400, 0, 0
    held = np.zeros(pages, int)
    stream = layers._log_on_log(segment)(pages, trim, 3)
    for rows in itertools.islice(stream, 3):
        for operation, at, count, copied in rows.tolist():
            if operation == 1:
                assert (at % segment, count, copied) == (0, segment, 0)
                assert held[at : at + count].all()  # a whole segment was written
                held[at : at + count] = 0
                continue
            assert count == 1
            assert held[at] == 0 or not trim
            held[at] = 1
            copies += copied
            host_writes += not copied
    assert host_writes == 320 + 2 * 1000
    assert copies > 0
    assert 1.5 < (copies + host_writes) / host_writes < 4  # 25 % to spare


def test_requests_go_page_by_page_with_the_stream_as_temperature():
    rows = np.array([[0, 5, 3, 0], [1, 9, 2, 4], [0, 7, 1, 2], [0, 1, 1, 99]])
    plain = [5, 6, 7, *(page | TRIM << OPERATION_SHIFT for page in (9, 10)), 7, 1]
    assert layers._words(rows, apart=False).tolist() == plain
    streams = np.array([0, 0, 0, 0, 0, 2, 7]) << TEMPERATURE_SHIFT
    assert layers._words(rows, apart=True).tolist() == (plain | streams).tolist()
    first, *others = itertools.islice(layers._uniform(300, 1), 3)
    assert first.tolist() == [[0, page, 1, 0] for page in range(300)]
    for rows in others:
        operation, page, count, stream = rows.T
        assert (operation.any(), stream.any(), set(count.tolist()), len(page)) == (0, 0, {1}, 4096)
        assert set(page.tolist()) <= set(range(300))
        assert np.bincount(page).std() < 3 * np.sqrt(4096 / 300)


def test_parameters_are_read_as_they_stand_or_as_they_are_fitted():
    for calibrated in (True, False):
        found = _reads.parameters(["m600-256gb"], "value", "origin", calibrated=calibrated)
        (drive,) = found.values()
        table = drives.parameters("m600-256gb", calibrated=calibrated).set_index("parameter")
        assert {name: one["origin"] for name, one in drive.items()} == table.origin.to_dict()
        assert (drive["program_s"]["origin"] == "calibrated") == calibrated
    assert _reads.modelled({"drive": ["m600-256gb"]}) == _reads.parameters(["m600-256gb"], "value")
