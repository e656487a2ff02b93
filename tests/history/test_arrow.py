"""Reports past one machine: the same table however they are read, in memory that does not grow."""

import itertools
import random
import tarfile
import time
import tracemalloc

import joblib
import pyarrow as pa
import pytest
from dated import DAY, KEY, NOW, report, sata
from distributed import Client, LocalCluster
from pyarrow import parquet

from flashwear import history


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of reports of three days on two hosts, one of them no report."""
    top = tmp_path_factory.mktemp("reports")
    for number, days in itertools.product(range(40), range(3)):
        place = top / f"db{number % 2}"
        place.mkdir(exist_ok=True)
        make = sata if number % 3 else report
        (place / f"{number}-{days}.json").write_bytes(make(f"S{number:06}X7", days))
    (top / "db0" / "bad.json").write_bytes(b"no report")
    return top


def table(paths, **more):
    batches = list(history.records(map(str, paths), key=KEY, **more))
    assert all(batch.schema == history.schema() for batch in batches)
    return pa.Table.from_batches(batches)


def test_rows_are_those_of_one_report_and_a_bad_one_is_a_row(folder):
    found = table([folder])
    assert found.num_rows == 121
    told = {row["file"]: row for row in found.to_pylist()}
    path = folder / "db1" / "3-1.json"
    (row,) = history.rows(path.read_bytes(), str(path), host="db1", device="3-1", key=KEY)
    assert told[str(path)] == {**row._asdict(), "findings": [one.word for one in row.findings]}
    assert told[str(folder / "db0" / "bad.json")]["error"] == "the text holds no report of smartctl"
    assert found.column("nand_bytes_written").type == pa.int64()  # all of them missing


def test_an_archive_processes_and_a_cluster_give_the_same(folder, tmp_path):
    found = table([folder])
    with tarfile.open(tmp_path / "all.tar", "w") as archive:
        for path in sorted(folder.rglob("*.json")):
            archive.add(path, path.relative_to(folder))
    packed = table([tmp_path / "all.tar"])
    for column in ("drive", "host", "taken_at", "status"):
        assert sorted(map(str, packed[column].to_pylist())) == sorted(
            map(str, found[column].to_pylist()))  # fmt: skip
    assert table([folder], jobs=2) == found
    options = {"host": "127.0.0.1", "dashboard_address": None, "memory_limit": 0,
               "local_directory": str(tmp_path)}  # fmt: skip
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **options) as both,
        Client(both) as client,
        joblib.parallel_config(backend="dask"),
    ):  # fmt: skip
        assert table([folder]) == found
        assert sum(client.run(lambda dask_worker: dask_worker.state.executed_count).values())


def test_parquet_has_a_file_a_day_and_neither_order_nor_repetition_changes_it(folder, tmp_path):
    place = tmp_path / "fleet"
    paths = [str(path) for path in folder.rglob("*.json")]
    assert history.write_parquet(history.records(paths, key=KEY), place) == 121
    once = parquet.read_table(place)
    files = sorted(path.relative_to(place).as_posix() for path in place.rglob("*.parquet"))
    days = [time.strftime("%Y-%m-%d", time.gmtime(NOW - days * DAY)) for days in (2, 1, 0)]
    assert files == [f"date={day}/part-0.parquet" for day in (*days, "__HIVE_DEFAULT_PARTITION__")]
    for path in files[:3]:
        drives = parquet.read_table(place / path, partitioning=None)["drive"].to_pylist()
        assert drives == sorted(drives)
        assert len(drives) == 40
    random.Random(5).shuffle(paths)
    for some in (paths[:50], paths, paths[100:]):
        history.write_parquet(history.records(some, key=KEY), place)
    assert parquet.read_table(place) == once
    assert not list(place.glob(".*"))


def test_memory_does_not_grow_with_the_number_of_reports(folder):
    def peak(times):
        tracemalloc.start()
        for _ in history.records(itertools.repeat(str(folder), times), key=KEY):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(3)
    assert peak(24) < 1.3 * peak(6)
