"""What databases tell of their own writes, as they told it, against what a device took."""

import json
from pathlib import Path

import pytest

from flashwear import host
from refusals import refusals

# printed by PostgreSQL 15.18 and MariaDB 10.11 to `benchmarks/databases.py --texts`
TOLD = Path(__file__).parent / "counters"
NAMES = sorted(path.name.removesuffix("-device.txt") for path in TOLD.glob("*-device.txt"))


def told(name, when):
    return (TOLD / f"{name}-{when}.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_counters_say_what_reached_a_device(name):
    found = host.engine_writes(told(name, "after"), told(name, "before"))
    device = float(told(name, "device"))
    assert found.engine.lower() == name.partition("-")[0]
    # pages that a backend adds to a file of PostgreSQL are counted twice and written once
    assert found.total / device == pytest.approx(1, abs=0.1 if "insert" in name else 0.02)
    naive = found.parts["log"] + found.parts["pages"]  # the parts that one would think of
    assert naive / device < 0.8
    assert found.parts["flushes"] == found.flushes * (8192 if "postgres" in name else 512)
    rows = {"postgresql-random": 2000, "postgresql-insert_random": 5000,
            "innodb-random": 10_000, "innodb-append": 15_000}  # fmt: skip
    assert found.rows == pytest.approx(rows[name], rel=0.01)
    assert found.commits == pytest.approx(found.flushes, rel=0.02)


def test_one_reading_counts_from_where_the_counters_began():
    text = told("innodb-append", "after")
    found = host.engine_writes(text)
    lines = dict(line.split() for line in text.splitlines())
    assert found.seconds == float(lines["Uptime"])
    assert found.parts["log"] == float(lines["Innodb_os_log_written"])
    table = "\n".join(f"| {name:<30} | {value:>12} |" for name, value in lines.items())
    assert host.engine_writes(table) == found
    aligned = told("postgresql-random", "after").replace("|", " | ") + "(1 row)\n\nERROR:  relation"
    wal = json.loads(aligned.split(" | ")[1].splitlines()[0])
    found = host.engine_writes(aligned)
    assert found.images == wal["wal_fpi"]
    assert 1 < found.seconds < 60  # the server began as long before


def test_newer_versions_count_pages_and_syncs_elsewhere():
    def text(flushes, written):
        io = [{"object": "wal", "fsyncs": flushes, "backend_type": "client backend"},
              {"object": "relation", "writes": 5, "backend_type": "client backend"},
              {"object": "relation", "writes": 900, "backend_type": "checkpointer"},
              {"object": "relation", "writes": None, "backend_type": "startup"}]  # fmt: skip
        rows = {"wal": {"wal_bytes": 1000 * flushes, "wal_fpi": 3},
                "checkpointer": {"buffers_written": written, "num_timed": 2, "num_requested": 1},
                "bgwriter": {"buffers_clean": 7}, "io": io}  # fmt: skip
        return "".join(f"pg_stat_{name}|{json.dumps(row)}\n" for name, row in rows.items())

    found = host.engine_writes(text(30, 400), text(10, 100))
    assert dict(found.parts) == {
        "log": 20_000, "flushes": 20 * 8192, "pages": 300 * 8192, "copies": 0, "binlog": 0
    }  # fmt: skip
    assert host.engine_writes(text(30, 400)).parts["pages"] == (400 + 7 + 5) * 8192


LATE, EARLY = (told("postgresql-random", when) for when in ("after", "before"))
OTHER = told("innodb-append", "after")
test_bad_texts_are_refused = refusals([
    (lambda: host.engine_writes("hello"), "after must be the answer to POSTGRES_QUERY or INNODB"),
    (lambda: host.engine_writes(LATE, OTHER), "before must be of PostgreSQL as after is, got one"),
    (lambda: host.engine_writes(EARLY, LATE), "fell by .* the server was restarted in between"),
    (lambda: host.engine_writes(LATE[:40] + "}"), "after must hold pg_stat_wal as JSON, got"),
    (lambda: host.engine_writes('pg_stat_wal|[1]'), "pg_stat_wal must be one row, got"),
    (lambda: host.engine_writes('pg_stat_wal|{"wal_fpi": "many"}'), "wal_fpi must be a number >="),
    (lambda: host.engine_writes(OTHER.replace("fsyncs\t", "fsyncs\t-")), "must be a number >= 0"),
    (lambda: host.engine_writes("x" * 2_000_000), "after must be a text of at most 1048576 chara"),
    (lambda: host.engine_writes(f"{LATE}pg_stat_io|{'[' * 9000}]"), "after must hold pg_stat_io"),
])  # fmt: skip
