"""Make data/database_writes.csv: what reaches a device when a database commits.

``python benchmarks/databases.py`` makes file systems on loop devices as root, starts each database
on them with its files on one device and its log on another, and counts the bytes that arrive while
rows are changed, in the settings of the table, which were named before; some half an hour.
PostgreSQL and MariaDB are those of Debian's packages ``postgresql-15`` and ``mariadb-server``;
SQLite is that of Python, LMDB and RocksDB are wheels. ``--fit`` prints counts of the settings from
which constants of :mod:`flashwear.host` were read. ``--setting LINE`` counts one of your own beside
its form; ``--new`` counts rows of the table that have a setting and no count.
"""

import argparse
import os
import pwd
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pandas as pd

from flashwear.host import counters
from flashwear_book import databases

DATA = Path(__file__).parents[1] / "data"
BESIDE = Path(__file__).parent
# engine, file system, load, rows, bytes of a row, rows to a commit, commits, options
FIT = (BESIDE / "databases_fit.txt").read_text("utf-8")
POSTGRES = Path("/usr/lib/postgresql/15/bin")
REPEATS = 3
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}
ROCKSDB_TOLD = (
    "Options.max_bytes_for_level_base:", "Options.max_bytes_for_level_multiplier:",
    "Options.level0_file_num_compaction_trigger", "Options.target_file_size_base",
    "Options.write_buffer_size", "Options.compression:", "Options.compaction_style",
    "Options.level_compaction_dynamic_level_bytes",
)  # fmt: skip
IDLE_S = 14  # since RocksDB was opened, when it is asked: it tells a rate and a rounded time
TEXT = 20_000  # characters at random, of which rows take pieces


class Setting(NamedTuple):
    """A database on a file system, and rows that are changed."""

    engine: str
    file_system: str
    load: str
    rows: int
    row_bytes: int
    rows_per_commit: int
    commits: int
    options: str = ""

    def option(self, name: str, default: float) -> float:
        """Return the number given for a named option."""
        given = dict(part.split("=") for part in self.options.split())
        return float(given.get(name, default))

    def word(self, name: str, default: str) -> str:
        """Return the word given for a named option."""
        return dict(part.split("=") for part in self.options.split()).get(name, default)


class Devices:
    """Folders on file systems of their own, and the bytes that their devices took."""

    def __init__(self, file_system: str, folder: Path, names: tuple[str, ...]) -> None:
        self.file_system, self._folder, self._stats = file_system, folder, {}
        self._undo: list[tuple[str, ...]] = []
        self.places = {name: self._mount(name) for name in names}

    def _mount(self, name: str) -> Path:
        image, place = self._folder / f"{name}.image", self._folder / name
        with image.open("wb") as file:
            file.truncate(3 << 30)
        place.mkdir()
        device = run("losetup", "-f", "--show", str(image))
        self._undo.append(("losetup", "-d", device))
        run(*MAKE[self.file_system], device)
        run("mount", device, str(place))
        self._undo.append(("umount", str(place)))
        self._stats[name] = Path("/sys/block") / Path(device).name / "stat"
        return place

    def taken(self) -> dict[str, int]:
        """Return the bytes that each device has taken, when all that waits has reached it."""
        for place in self.places.values():
            run("sync", "-f", str(place))
        return {name: 512 * int(stat.read_text().split()[6]) for name, stat in self._stats.items()}

    def close(self) -> None:
        """Unmount and remove them."""
        for command in reversed(self._undo):
            run(*command)


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, **options)
    return str(done.stdout).strip()


class Session:
    """A client of a server that is asked line by line."""

    def __init__(self, command: list[str], mark: str) -> None:
        self._mark = mark
        self._client = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, statement: str) -> str:
        """Return what the server answers, when it is done."""
        self.begin(statement)
        return self.end()

    def begin(self, statement: str) -> None:
        """Send a statement and do not wait."""
        self._client.stdin.write(f"{statement};\n{self._mark}\n")
        self._client.stdin.flush()

    def end(self) -> str:
        """Return the answer to the statement that was sent."""
        lines = []
        while (line := self._client.stdout.readline()) != "done\n":
            if not line:
                raise RuntimeError("the client ended")
            lines.append(line.strip())
        return "\n".join(lines)

    def close(self) -> None:
        """End the client."""
        self._client.communicate()


class Counted(NamedTuple):
    """What a run wrote: bytes that the devices took, and what the database tells beside."""

    log_bytes: int
    data_bytes: int
    told: dict[str, float]
    version: str
    texts: tuple[str, str] = ("", "")
    """What a server answers to the query of its counters, before and after."""


@contextmanager
def server(command: list[str | Path], user: str, end: int, **options: object) -> Iterator[None]:
    process = subprocess.Popen(
        command, user=user, group=pwd.getpwnam(user).pw_gid, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, **options,
    )  # fmt: skip
    try:
        yield
    finally:
        process.send_signal(end)
        process.wait()


def difference(after: dict[str, float], before: dict[str, float]) -> dict[str, float]:
    return {name: after[name] - before[name] for name in after}


# --- PostgreSQL ---------------------------------------------------------------------------------

POSTGRES_SETTINGS = """
listen_addresses = ''
shared_buffers = 512MB
checkpoint_timeout = 1h
min_wal_size = 512MB
max_wal_size = 2GB
autovacuum = off
bgwriter_lru_maxpages = 0
"""
POSTGRES_LOAD = (BESIDE / "databases_postgres.sql").read_text("utf-8")


def postgres(setting: Setting, devices: Devices, chance: random.Random) -> Counted:
    data, log = devices.places["data"] / "pg", devices.places["log"] / "wal"
    for place in devices.places.values():
        shutil.chown(place, "postgres")
    as_user = {"user": "postgres", "group": "postgres", "cwd": devices.places["data"]}
    run(POSTGRES / "initdb", "-D", data, f"--waldir={log}", "-U", "it", "--auth", "trust",
        "--no-locale", "--encoding", "SQL_ASCII", **as_user)  # fmt: skip
    more = "wal_compression = lz4\n" if setting.option("lz4", 0) else ""
    more += "synchronous_commit = off\n" if setting.option("lazy", 0) else ""
    more += f"full_page_writes = {'off' if setting.option('images', 1) == 0 else 'on'}\n"
    with (data / "postgresql.conf").open("a") as file:
        file.write(f"{POSTGRES_SETTINGS}{more}unix_socket_directories = '{data}'\n")
    command = [
        str(POSTGRES / "psql"), "-XqtA", "-v", "ON_ERROR_STOP=1", "-h", str(data), "-U", "it",
        "postgres",
    ]  # fmt: skip
    with server([POSTGRES / "postgres", "-D", data], "postgres", signal.SIGINT):
        while subprocess.run([*command, "-c", "select"], capture_output=True).returncode:
            time.sleep(0.1)
        clients = [
            Session(command, "\\echo done") for _ in range(int(setting.option("clients", 1)))
        ]
        ask = clients[0].ask
        text = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=TEXT))
        ask(f"create table text_at_random as select '{text}'::text as content")
        ask(POSTGRES_LOAD)
        ask(f"select setseed({chance.random()})")
        fill = int(setting.option("fill", 100))
        ask(f"create table items (id bigint, value int, content text) with (fillfactor = {fill})")
        piece = (
            f"substr('{text}'::text, 1 + (n * 7919 % {TEXT - 4000})::int, {setting.row_bytes - 8})"
        )
        value = "0" if setting.load == "random" else "(random() * 1e9)::int"
        ask(
            f"insert into items select n, {value}, {piece} "
            f"from generate_series(1, {setting.rows}) n"
        )
        if setting.load == "insert_random":
            ask("update items set id = 1000000 + floor(random() * 1e15)::bigint")
        if setting.option("key", 1):
            ask("create unique index on items (id)")
        if setting.option("index", 0):
            ask("create index other on items (value)")
        ask("vacuum (full, freeze, analyze) items")
        commits = setting.commits // len(clients)

        def change(kind: str, count: int) -> None:
            last = int(ask("select max(id) from items"))
            for number, client in enumerate(clients):
                client.begin(
                    f"call work('{kind}', {count}, {setting.rows_per_commit}, {setting.rows}, "
                    f"{setting.row_bytes - 8}, {last + number * 10**8})"
                )
            for client in clients:
                client.end()

        kind = setting.word("kind", setting.load)
        # files of the log that are written over, and pages as they are after some time
        ask("create table filling as select n, repeat('x', 1000) from generate_series(1, 90000) n")
        ask("drop table filling")
        ask("checkpoint")
        ask("checkpoint")
        change(kind, max(commits // 2, 1))
        ask("vacuum items")
        if vacuums := setting.option("vacuums", 0):
            change(kind, commits // 2)
        ask("checkpoint")

        def told() -> dict[str, float]:
            time.sleep(1.2)
            ask("select pg_sleep(1.1)")
            values = ask(
                "select wal_records, wal_fpi, wal_bytes, wal_sync, n_tup_hot_upd "
                "from pg_stat_wal, pg_stat_user_tables where relname = 'items'"
            ).split("|")
            names = ("records", "images", "volume", "flushes", "hot")
            return dict(zip(names, map(float, values), strict=True))

        keys = "pg_indexes_size('items')"
        if setting.load == "append" and setting.option("index", 0):
            keys = "pg_relation_size('other')"
        sizes = f"select pg_relation_size('items') / 8192, {keys} / 8192"
        before_pages = [float(value) for value in ask(sizes).split("|")]
        before, start = told(), devices.taken()
        query = [part for part in command if part not in ("-v", "ON_ERROR_STOP=1")]
        first = run(*query, input=counters.POSTGRES_QUERY)
        if vacuums:
            change(kind, commits // 2)
            ask("vacuum items")
            change(kind, commits // 2)
        else:
            change(kind, commits)
        middle = told()
        ask("checkpoint")
        end = devices.taken()
        told()
        texts = first, run(*query, input=counters.POSTGRES_QUERY)
        found = difference(middle, before)
        found["commits_per_flush"] = setting.commits / found["flushes"]
        version = ask("show server_version").split()[0]
        found |= {"table_pages": before_pages[0], "index_pages": before_pages[1]}
        for client in clients:
            client.close()
    return Counted(end["log"] - start["log"], end["data"] - start["data"], found, version, texts)


# --- MariaDB ------------------------------------------------------------------------------------

INNODB_LOAD = (BESIDE / "databases_innodb.sql").read_text("utf-8")


def innodb(setting: Setting, devices: Devices, chance: random.Random) -> Counted:
    data, log = devices.places["data"] / "data", devices.places["log"] / "log"
    for place in (data, log):
        place.mkdir()
        shutil.chown(place, "mysql", "mysql")
        place.parent.chmod(0o755)
    socket = data / "socket"
    options = [
        "--no-defaults", f"--datadir={data}", f"--innodb-log-group-home-dir={log}",
        f"--innodb-log-file-size={int(setting.option('log_mb', 4)) << 20}",
        "--innodb-buffer-pool-size=512M", "--skip-networking", f"--socket={socket}",
        f"--innodb-flush-log-at-trx-commit={int(setting.option('each_commit', 1))}",
        f"--innodb-doublewrite={int(setting.option('doublewrite', 1))}", "--user=mysql",
    ]  # fmt: skip
    run("mariadb-install-db", *options, "--auth-root-authentication-method=normal")
    if setting.option("binlog", 0):
        options += [f"--log-bin={log / 'bin'}", "--sync-binlog=1", "--server-id=1"]
    command = ["mariadb", "--no-defaults", "-NBn", "--unbuffered", f"--socket={socket}", "-uroot"]
    with server(["mariadbd", *options], "mysql", signal.SIGTERM):
        while subprocess.run([*command, "-e", "select 1"], capture_output=True).returncode:
            time.sleep(0.1)
        text = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=TEXT))
        run(*command, "-e", "create database it")
        run(*command, "it", input=(
            "create table items (id bigint primary key, value int, content varchar(4000)) "
            "engine=innodb;\ncreate table text_at_random (content longtext);\n"
            f"insert into text_at_random values ('{text}');\ndelimiter //\n{INNODB_LOAD}"
        ))  # fmt: skip
        session = Session([*command, "it"], "select 'done';")
        ask = session.ask
        ask("set @source = (select content from text_at_random)")
        ask(f"set rand_seed1 = {chance.randrange(2**30)}, rand_seed2 = {chance.randrange(2**30)}")
        number = (
            "1000000 + (seq * 48271 % 2147483647) * 465661"
            if setting.load == "insert_random"
            else "seq"
        )
        piece = f"substr(@source, 1 + (seq * 7919) % {TEXT - 4000}, {setting.row_bytes - 12})"
        value = "0" if setting.load == "random" else "floor(rand() * 1e9)"
        ask(f"insert into items select {number}, {value}, {piece} from seq_1_to_{setting.rows}")
        if setting.option("index", 0):
            ask("create index other on items (value)")
        kind = setting.word("kind", setting.load)

        def change(commits: int) -> None:
            ask(
                f"call work('{kind}', {commits}, {setting.rows_per_commit}, {setting.rows}, "
                f"{setting.row_bytes - 12})"
            )

        names = {
            "Innodb_os_log_written": "volume", "Innodb_data_fsyncs": "flushes",
            "Innodb_pages_written": "pages", "Innodb_dblwr_pages_written": "copies",
            "Innodb_checkpoint_age": "age", "Binlog_bytes_written": "binlog",
        }  # fmt: skip

        def told() -> dict[str, float]:
            lines = ask(f"show global status where variable_name in {tuple(names)}").splitlines()
            rows = dict(line.split() for line in lines)
            return {new: float(rows.get(old, 0)) for old, new in names.items()}

        change(setting.commits)
        ask("analyze table items")
        leaves = ask(
            "select index_name, stat_value from mysql.innodb_index_stats where "
            "table_name = 'items' and stat_name = 'n_leaf_pages'"
        ).split()
        pages = dict(zip(leaves[::2], map(float, leaves[1::2]), strict=True))
        first = run(*command, input=counters.INNODB_QUERY)
        before, start = told(), devices.taken()
        ages = []
        for _ in range(10):
            change(setting.commits // 10)
            ages.append(told()["age"])
        end, after = devices.taken(), told()
        texts = first, run(*command, input=counters.INNODB_QUERY)
        version = ask("select version()").partition("-")[0]
        found = difference(after, before) | {"age": sum(ages) / len(ages)}
        found |= {"table_pages": pages["PRIMARY"], "index_pages": pages.get("other", 0.0)}
        session.close()
    return Counted(end["log"] - start["log"], end["data"] - start["data"], found, version, texts)


# --- libraries ----------------------------------------------------------------------------------


def keys(setting: Setting, chance: random.Random) -> Iterator[int]:
    """Yield the number of the row that is changed next."""
    number = setting.rows
    while True:
        number += 1
        if setting.load == "append":
            yield number
        elif setting.load == "insert_random":
            yield chance.randrange(10**6, 10**15)
        else:
            yield chance.randrange(setting.rows) + 1


def sqlite(setting: Setting, devices: Devices, chance: random.Random) -> Counted:
    path = devices.places["data"] / "base"
    base = sqlite3.connect(path, isolation_level=None)
    ask: Callable[..., sqlite3.Cursor] = base.execute
    ask(f"pragma page_size = {int(setting.option('page', 4096))}")
    ask(f"pragma journal_mode = {setting.word('journal', 'delete')}")
    ask(f"pragma synchronous = {setting.word('synchronous', 'full')}")
    ask(f"pragma wal_autocheckpoint = {int(setting.option('checkpoint', 1000))}")
    ask("create table rows (id integer primary key, value int, content blob)")
    if setting.option("index", 0):
        ask("create index other on rows (value)")
    drawn = chance.sample(range(10**6, 10**15), setting.rows)
    first = drawn if setting.load == "insert_random" else range(1, setting.rows + 1)
    ask("begin")
    base.executemany(
        "insert into rows values (?, ?, ?)",
        ((n, chance.randrange(10**9), chance.randbytes(setting.row_bytes)) for n in first),
    )
    ask("commit")
    numbers, pause = keys(setting, chance), setting.option("pause_ms", 0) / 1000
    update = "update rows set value = ?2, content = ?3 where id = ?1"
    change = update if setting.load == "random" else "insert into rows values (?1, ?2, ?3)"

    def commit() -> None:
        ask("begin")
        for _ in range(setting.rows_per_commit):
            new = chance.randrange(10**9), chance.randbytes(setting.row_bytes)
            ask(change, (next(numbers), *new))
        ask("commit")
        time.sleep(pause)

    for _ in range(setting.commits // 2):
        commit()
    if setting.word("journal", "delete") == "wal":
        ask("pragma wal_checkpoint(passive)").fetchall()
    pages = dict(ask("select name, count(*) from dbstat group by name"))
    start = devices.taken()["data"]
    for _ in range(setting.commits):
        commit()
    end = devices.taken()["data"]
    base.close()
    told = {"table_pages": pages["rows"], "index_pages": pages.get("other", 0)}
    return Counted(0, end - start, told, sqlite3.sqlite_version)


def lmdb(setting: Setting, devices: Devices, chance: random.Random) -> Counted:
    import lmdb as library

    path = devices.places["data"] / "base"
    base = library.open(str(path), map_size=2 << 30, max_dbs=2)
    key = int(setting.option("key_bytes", 16))
    drawn = chance.sample(range(10**6, 10**15), setting.rows)
    first = drawn if setting.load == "insert_random" else list(range(1, setting.rows + 1))
    if setting.load == "insert_random" or setting.option("shuffled", 0):
        chance.shuffle(first)
    parts = int(setting.option("loads", 1))
    name: Callable[[int], bytes] = lambda number: b"%0*d" % (key, number)  # noqa: E731
    for part in range(parts):
        with base.begin(write=True) as act:
            for number in first[part::parts] if parts > 1 else first:
                act.put(name(number), chance.randbytes(setting.row_bytes))
    numbers = keys(setting, chance)

    def commit() -> None:
        with base.begin(write=True) as act:
            for _ in range(setting.rows_per_commit):
                act.put(name(next(numbers)), chance.randbytes(setting.row_bytes))

    for _ in range(setting.commits // 2):
        commit()
    with (path / "data.mdb").open("rb") as file:
        metas = [struct.unpack_from("<Q", file.read(4096), 16 + 24 + 2 * 48 + 8)[0] for _ in "ab"]
        file.seek(4096 * (metas[1] > metas[0]))
        depth = struct.unpack_from("<IHH", file.read(4096), 16 + 24)[2]
    start, state = devices.taken()["data"], base.stat()
    for _ in range(setting.commits):
        commit()
    end = devices.taken()["data"]
    told = {"table_pages": state["leaf_pages"], "free_pages": 1 if depth < 2 else 3.5}
    base.close()
    return Counted(0, end - start, told, ".".join(map(str, library.version())))


def rocksdb(setting: Setting, devices: Devices, chance: random.Random) -> Counted:
    import rocksdict

    from flashwear_book.runs._store import Settings, Store

    held = int(setting.option("memtable", 1250))
    settings = Settings(
        records=setting.rows, ratio=setting.option("ratio", 10), memtable=held,
        dynamic=bool(setting.option("dynamic", 1)), value_bytes=setting.row_bytes - 16,
        base_bytes=int(setting.option("base_kib", 2048)) << 10,
        file_bytes=int(setting.option("file_kib", 256)) << 10,
        trigger=int(setting.option("trigger", 4)),
    )  # fmt: skip
    place = devices.places["data"] / "base"
    made: Callable[..., rocksdict.Options] = rocksdict.Options

    def dumping(**options: bool) -> rocksdict.Options:
        """Return options with which the engine dumps its statistics into its log each second."""
        found = made(**options)
        found.set_stats_dump_period_sec(1)
        return found

    with mock.patch.object(rocksdict, "Options", dumping if setting.option("dump", 0) else made):
        store = Store(place, settings, chance.randrange(2**30))
    opened = time.monotonic()

    def text() -> str:
        """Return options from the engine's log, and its statistics, without the histograms."""
        time.sleep(max(0.0, opened + IDLE_S - time.monotonic()))
        log = (place / "LOG").read_text()
        found = [line for line in log.splitlines() if any(name in line for name in ROCKSDB_TOLD)]
        told = str(store._open.property_value("rocksdb.stats"))
        if setting.option("dump", 0):
            time.sleep(7)  # the engine keeps lines back for five seconds
            log = (place / "LOG").read_text()
            told = log[: log.rindex("** File Read Latency")]
            told = told[told.rindex("\n", 0, told.rindex("DUMPING STATS")) + 1 :]
        else:
            told = re.sub(r"\*\* File Read Latency(?s:.)*?(?=\*\* DB Stats)", "", told)
        return "\n".join([*found, told])

    first = range(settings.records)
    if setting.load == "random":
        store.load()
    else:
        if setting.load == "insert_random":
            first = chance.sample(range(10**6, 10**15), settings.records)
        for start in range(0, settings.records, held):
            store.write(first[start : start + held])
    numbers = keys(setting, chance)
    order = chance.sample(range(settings.records), settings.records)
    synced = rocksdict.WriteOptions()
    synced.sync = bool(setting.option("sync", 1))

    def change(count: int) -> None:
        for done in range(0, count, held):
            drawn = [next(numbers) for _ in range(min(held, count - done))]
            if setting.load == "random":
                drawn = [order[number - 1] for number in drawn]
            store.write(drawn, setting.rows_per_commit, synced)

    count = setting.commits * setting.rows_per_commit
    change(int(setting.option("warm", 1) * count))
    first_text = text()
    told, start = store.counters(), devices.taken()["data"]
    change(count)
    end, after, texts = devices.taken()["data"], store.counters(), (first_text, text())
    list(store.close())
    found, used = difference(after, told), f"rocksdict {version('rocksdict')}"
    return Counted(0, end - start, found, used, texts)


ENGINES: dict[str, tuple[tuple[str, ...], Callable[..., Counted]]] = {
    "PostgreSQL": (("data", "log"), postgres), "InnoDB": (("data", "log"), innodb),
    "SQLite": (("data",), sqlite), "LMDB": (("data",), lmdb), "RocksDB": (("data",), rocksdb),
}  # fmt: skip


def counted(setting: Setting, seed: int) -> Counted:
    """Run a setting on new devices."""
    names, engine = ENGINES[setting.engine]
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as name, ExitStack() as stack:
        os.chmod(name, 0o755)
        devices = Devices(setting.file_system, Path(name), names)
        stack.callback(devices.close)
        return engine(setting, devices, random.Random(seed))


def settings(lines: str) -> Iterator[Setting]:
    """Yield the settings in some lines."""
    for line in lines.strip().splitlines():
        engine, file_system, load, *numbers = line.split(None, 7)
        options = numbers.pop() if len(numbers) > 4 else ""
        yield Setting(engine, file_system, load, *map(int, numbers), options)


def row(setting: Setting, runs: list[Counted]) -> dict[str, object]:
    """Return a row of the table: a setting, what the database told, and the bytes of its runs."""
    changed = setting.rows_per_commit * setting.commits
    totals = sorted((run.log_bytes + run.data_bytes) / changed for run in runs)
    log = sorted(run.log_bytes / changed for run in runs)[len(runs) // 2]
    told = {name: runs[0].told.get(name) for name in databases.TOLD}
    found = {"log": log, "least": totals[0], "median": totals[len(totals) // 2], "most": totals[-1]}
    rounded = {name: round(value, 1) for name, value in found.items()}
    return {**setting._asdict(), **told, "version": runs[0].version, **rounded}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--fit", action="store_true", help="count the settings of the fit")
    add("--setting", metavar="LINE", help="as 'SQLite ext4 random 9000 100 1 3000'")
    add(
        "--texts",
        type=Path,
        metavar="FOLDER",
        help="keep what the server of SETTING tells, and what the device took",
    )
    add("--only", default="", metavar="ENGINE", help="count this engine alone")
    add("--new", action="store_true", help="count what has no count alone")
    given = parser.parse_args()
    if given.texts:
        (setting,) = settings(given.setting)
        found = counted(setting, 0)
        name = f"{setting.engine.lower()}-{setting.load}-{setting.file_system}"
        for when, text in zip(("before", "after"), found.texts, strict=True):
            (given.texts / f"{name}-{when}.txt").write_text(text + "\n")
        (given.texts / f"{name}-device.txt").write_text(f"{found.log_bytes + found.data_bytes}\n")
        return
    kept = DATA / "database_writes.csv"
    table = pd.read_csv(kept, keep_default_na=False)
    if given.fit or given.setting:
        named = list(settings(given.setting or FIT))
    else:
        named = [
            Setting(*values) for values in table[list(Setting._fields)].itertuples(index=False)
        ]
    found = {}
    for number, setting in enumerate(named):
        if given.only in ("", setting.engine) and not (given.new and table["median"][number]):
            runs = [counted(setting, seed) for seed in range(REPEATS)]
            found[number] = line = row(setting, runs)
            form = float(databases.form(line).total)
            print(*setting, f"| counted {line['median']:.0f} B a row, form {form:.0f}", flush=True)
    if not (given.fit or given.setting):
        rows = [found.get(i, old) for i, old in enumerate(table.to_dict("records"))]
        pd.DataFrame(rows).to_csv(kept, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
