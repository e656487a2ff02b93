"""What databases tell of their own writes, as they told it, against what a device took."""

import json
from pathlib import Path

import numpy as np
import pytest

from flashwear import host
from flashwear_book import tables
from refusals import refusals

# printed by PostgreSQL 15.18, MariaDB 10.11 and RocksDB 9.8 to `benchmarks/databases.py --texts`:
# of RocksDB the lines of its LOG with its options, and a dump or the property, without histograms
TOLD = Path(__file__).parent / "counters"
NAMES = sorted(path.name.removesuffix("-device.txt") for path in TOLD.glob("*-device.txt"))


def told(name, when):
    return (TOLD / f"{name}-{when}.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_counters_say_what_reached_a_device(name):
    engine, load, below = name.split("-")
    found = host.engine_writes(told(name, "after"), told(name, "before"), file_system=below)
    device = float(told(name, "device"))
    assert found.engine.lower() == engine
    # a page that is added to a file of PostgreSQL is written once where it is filled soon; figures
    # of RocksDB are rounded, and its form leaves out what new files cost
    added = found.parts.get("added", 0)
    assert (added > 0) == (engine == "postgresql" and name != "postgresql-random-ext4")
    error = 0.06 if engine == "rocksdb" else 0.035
    assert found.total - added == pytest.approx(device, rel=error)
    # the parts that one would think of
    naive = sum(found.parts.get(part, 0) for part in ("log", "pages", "memtables", "merges"))
    assert naive < 0.8 * device
    block = {"postgresql": 8192, "innodb": 512, "rocksdb": 4095}[engine]
    assert found.parts["flushes"] == pytest.approx(found.flushes * block)
    changed = {"postgresql": (2000, 5000, 4000, 6000, 6000, 3000),
               "innodb": (10_000, 0, 15_000, 0, 10_000, 0),
               "rocksdb": (4900, 0, 0, 80_000, 40_000)}  # fmt: skip
    rows = changed[engine][["random", "insert_random", "append"].index(load) + 3 * (below == "xfs")]
    assert found.rows == pytest.approx(rows, rel=0.025)  # of 29,500 keys a thousand are one figure
    assert found.commits == pytest.approx(found.flushes, rel=0.05)


@pytest.mark.parametrize("name", [name for name in NAMES if "postgresql" in name])
def test_the_form_says_what_postgresql_counted(name):
    # in the setting that fits worst, a table that begins with full pages of its index, 21 % low
    found = host.engine_writes(told(name, "after"), told(name, "before"))
    form = host.expected(found)
    for part, error in (("log", 0.15), ("pages", 0.22)):
        assert form[part] / found.parts[part] == pytest.approx(1, abs=error)
        naive = found.rows * 8192  # a page for each row
        assert naive / found.parts[part] > 3.5
    assert form.keys() == {"log", "pages"}
    assert not host.expected(found._replace(tables=()))
    assert not host.expected(found._replace(checkpoints=0))
    fewer = {**found.tables[0], "imaged": False}
    assert host.expected(found._replace(tables=(fewer,))).keys() == {"pages"}


def test_of_several_dumps_the_last_whole_one_counts_and_families_are_summed():
    text, early = (told("rocksdb-random-xfs", when) for when in ("after", "before"))
    found = host.engine_writes(text)
    assert host.engine_writes(early + text) == found
    assert host.engine_writes(text + early[: early.index("Cumulative WAL")]) == found
    assert found.parts["log"] == pytest.approx(3.21 * 2**20 * 30.0, rel=0.003)
    family = text[text.index("** Compaction") :].replace("[default]", "[other]")
    both = host.engine_writes(text + family)
    for part in ("memtables", "merges"):
        assert both.parts[part] == pytest.approx(2 * found.parts[part])
    assert both.parts["log"] == found.parts["log"]
    assert found.tree["ratio"] == 10
    assert not both.tree


def test_one_reading_counts_from_where_the_counters_began():
    text = told("innodb-append-ext4", "after")
    found = host.engine_writes(text)
    lines = dict(line.split() for line in text.splitlines())
    assert found.seconds == float(lines["Uptime"])
    assert found.parts["log"] == float(lines["Innodb_os_log_written"])
    table = "\n".join(f"| {name:<30} | {value:>12} |" for name, value in lines.items())
    assert host.engine_writes(table) == found
    aligned = (
        told("postgresql-random-ext4", "after").replace("|", " | ") + "(1 row)\n\nERROR:  relation"
    )
    wal = json.loads(aligned.split(" | ")[1].splitlines()[0])
    found = host.engine_writes(aligned)
    assert found.images == wal["wal_fpi"]
    assert 1 < found.seconds < 60  # the server began as long before


def test_newer_versions_count_pages_and_syncs_elsewhere():
    def text(flushes, written):
        io = [{"object": "wal", "fsyncs": flushes, "backend_type": "client backend"},
              {"object": "relation", "writes": 5, "extends": flushes,
               "backend_type": "client backend"},
              {"object": "relation", "writes": 900, "backend_type": "checkpointer"},
              {"object": "relation", "writes": None, "backend_type": "startup"}]  # fmt: skip
        rows = {"wal": {"wal_bytes": 1000 * flushes, "wal_fpi": 3},
                "checkpointer": {"buffers_written": written, "num_timed": 2, "num_requested": 1},
                "bgwriter": {"buffers_clean": 7}, "io": io}  # fmt: skip
        lines = [f"pg_stat_{name}|{json.dumps(row)}\n" for name, row in rows.items()]
        return "".join(lines) + "pg_stat_database|{}\nseconds|5\n"

    found = host.engine_writes(text(30, 400), text(10, 100))
    assert dict(found.parts) == {
        "log": 20_000, "flushes": 20 * 8192, "pages": 300 * 8192, "copies": 0, "binlog": 0,
        "added": 20 * 8192,
    }  # fmt: skip
    assert host.engine_writes(text(30, 400)).checkpoints == 3
    assert host.engine_writes(text(30, 400)).parts["pages"] == (400 + 7 + 5) * 8192


def test_a_change_saves_what_was_foretold_from_the_counters_before():
    # foretold and kept before any change was made; 28 of 38 inside, and seven of the others are of
    # kinds that are no longer told: InnoDB's commits that do not wait, and parts of RocksDB's tree
    kept = tables.savings()
    saved = 1 - kept.bytes_after / kept.bytes_before
    inside = saved.between(kept.low, kept.high)
    assert len(kept) >= 24
    assert inside.mean() > 0.72
    told = ~(kept.change.str.contains("do not wait") & kept.before.str.startswith("InnoDB"))
    told &= ~kept.change.isin(["a write buffer four times as large",
                               "twice as many files before level 0 is merged"])  # fmt: skip
    assert inside[told].mean() > 0.85
    assert f"{len(kept)} changes that were foretold before they were made, {inside.sum()} were" in (
        host.savings.__doc__ or ""
    )
    assert (kept.high <= 1.51 * kept.low).all()
    # a naive guess: a tenth of the commits saves nine tenths, twice the distance or no copies half
    naive = kept.change.map(lambda change: 0.9 if "commit" in change else 0.5)
    assert (np.abs(naive - saved) <= kept.high - kept.middle).mean() < 0.35


def test_savings_are_those_of_the_parts_that_change():
    parts = {"log": 8e6, "flushes": 8192e3, "pages": 4e6, "copies": 0.0, "binlog": 0.0}
    found = host.EngineWrites("PostgreSQL", 100.0, parts, 5000, 4000, 0, 1000, 500, 2)
    by = {one.option: one for one in host.savings(found, times=4)}
    batch = by["BEGIN ... COMMIT around 4 times as many rows"]
    assert batch.middle == pytest.approx(0.75 * (8192e3 + 40 * 1000) / found.total)
    assert (batch.low, batch.high) == pytest.approx((0.9 * batch.middle, 1.1 * batch.middle))
    lazy = by["synchronous_commit = off"]
    assert lazy.middle == pytest.approx((1000 - 100 / 0.2) * 8192 / found.total)
    far = by["checkpoint_timeout and max_wal_size twice"]
    size = next(n for n in range(250, 9999) if host.pages_touched(2000, n) >= 250)
    left = host.pages_touched(4000, size) / host.pages_touched(2000, size) / 2
    assert far.middle == pytest.approx((1 - left) * (500 * 8192 + 4e6) / found.total, rel=0.02)
    few = found._replace(images=4000, checkpoints=1)  # each row its own page
    assert "checkpoint_timeout and max_wal_size twice" not in {
        one.option for one in host.savings(few)
    }
    parts |= {"pages": 4e7, "copies": 4e6}
    young = found._replace(engine="InnoDB", parts=parts)
    copies = young._replace(checkpoint_age=2e6)
    once = {one.option: one for one in host.savings(copies)}
    assert once["innodb_doublewrite = 0"].middle == pytest.approx(4e6 / copies.total)
    rows, each = 2e6 * 4000 / 8e6, 4e7 / 16_384 / 4000
    own = each - 170 / (rows + 170)
    size = own * rows / (1 - own)
    later = size / (4 * rows + size) + 170 / (4 * rows + 170)
    longer = once["innodb_log_file_size four times"]
    assert longer.middle == pytest.approx((1 - later / each) * 4.4e7 / copies.total)
    assert "innodb_log_file_size four times" not in {one.option for one in host.savings(young)}
    batch = next(one for one in host.savings(copies, times=4) if "rows to a commit" in one.change)
    assert batch.middle < by["BEGIN ... COMMIT around 4 times as many rows"].middle
    ordered = [one.middle for one in host.savings(copies)]
    assert ordered == sorted(ordered, reverse=True)


LATE, EARLY = (told("postgresql-random-ext4", when) for when in ("after", "before"))
OTHER = told("innodb-append-ext4", "after")
BARE = "pg_stat_wal|{}\npg_stat_bgwriter|{{}}\npg_stat_database|{{}}\nseconds|1\n"
OLD, NEW = (told("rocksdb-random-xfs", when) for when in ("before", "after"))
test_bad_texts_are_refused = refusals([
    (lambda: host.engine_writes("hello"), "after must be the answer to POSTGRES_QUERY or INNODB"),
    (lambda: host.engine_writes(LATE, OTHER), "before must be of PostgreSQL as after is, got one"),
    (lambda: host.engine_writes(EARLY, LATE), "fell by .* the server was restarted in between"),
    (lambda: host.engine_writes("** DB Stats **"), "after must hold a whole dump of RocksDB's st"),
    (lambda: host.engine_writes(OLD, NEW), "seconds fell by 19: the server was restarted in"),
    (lambda: host.engine_writes(NEW, OLD, file_system="zfs"), "file_system must be one of"),
    (lambda: host.engine_writes(f'{LATE}pg_tables|[1]'), "pg_tables must be rows, got"),
    (lambda: host.engine_writes(LATE[:40] + "}"), "after must hold pg_stat_wal as JSON, got"),
    (lambda: host.engine_writes(BARE.format("[1]")), "pg_stat_wal must be one row, got"),
    (lambda: host.engine_writes(BARE.format('{"wal_fpi": "x"}')), "wal_fpi must be a number >="),
    (lambda: host.engine_writes(LATE[: LATE.index("seconds|")]), "after must hold seconds, for wh"),
    (lambda: host.engine_writes(LATE, EARLY[:900]), "before must hold .*: it is cut, or the cl"),
    (lambda: host.engine_writes(OTHER[: OTHER.index("sync_b")]), "after must hold sync_binlog, f"),
    (lambda: host.engine_writes(LATE, EARLY.replace('"stats_reset":"2', '"stats_reset":"1')),
     "pg_stat_wal was reset in between, or before is of another"),
    (lambda: host.engine_writes(OTHER.replace("fsyncs\t", "fsyncs\t-")), "must be a number >= 0"),
    (lambda: host.engine_writes("x" * 2_000_000), "after must be a text of at most 1048576 chara"),
    (lambda: host.engine_writes(f"{LATE}pg_stat_io|{'[' * 9000}]"), "after must hold pg_stat_io"),
])  # fmt: skip
