"""Make data/postgres_log.csv: what a PostgreSQL server hands to the kernel for updates.

``python benchmarks/postgres_log.py`` starts a server of its own in a temporary folder, with the
programs in ``--programs`` (of Debian's package ``postgresql-15``), and removes it at the end; as
root it runs as the user ``postgres``. A minute. Linux only: bytes are those that all processes
of the server wrote by system calls (``wchar`` of ``/proc/PID/io``).

Each setting begins and ends with a checkpoint. Until the second one nothing but the log is written,
since no other is due and the table lies in memory. Each runs twice and the second run is counted:
it finds files of the log that are written over, where the first run fills new ones with zeros.
"""

import argparse
import os
import pwd
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from flashwear import host
from flashwear.host.postgres import LOG_PAGE_BYTES

DATA = Path(__file__).parents[1] / "data"
FILL = 75  # of a page of the table, per cent
CONFIGURATION = """
listen_addresses = ''
shared_buffers = 256MB
checkpoint_timeout = 1h
min_wal_size = 2GB
max_wal_size = 8GB
autovacuum = off
bgwriter_lru_maxpages = 0
"""
CALL = """
create procedure change(updates int, together int, among int) language plpgsql as $$
declare
  chosen int;
begin
  for n in 1 .. updates loop
    chosen := 1 + floor(random() * among);
    update rows set value = value + 1 where id = chosen;
    if n % together = 0 then commit; end if;
  end loop;
end $$;
"""


class Setting(NamedTuple):
    """A table, and updates of its rows at random; named before anything was counted."""

    rows: int
    padding: int
    updates: int
    commit_updates: int


SETTINGS = (
    Setting(200_000, 150, 5_000, 1),
    Setting(200_000, 150, 20_000, 10),
    Setting(4_000, 60, 8_000, 1),
    Setting(4_000, 60, 20_000, 5),
    Setting(4_000, 60, 60_000, 40),
    Setting(60_000, 700, 30_000, 2),
)


class Server:
    """A server that runs until it is left."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)

    def __enter__(self) -> "Server":
        self._run(
            "initdb", "--pgdata", self._folder / "data", "--username", "it", "--auth", "trust"
        )
        configuration = self._folder / "data" / "postgresql.conf"
        configuration.write_text(
            f"{CONFIGURATION}unix_socket_directories = '{self._folder}'\n", encoding="utf-8"
        )
        self._control("start", "--log", self._folder / "log")
        return self

    def __exit__(self, *_: object) -> None:
        self._control("stop", "--mode", "fast")

    def _control(self, *what: str | Path) -> None:
        self._run("pg_ctl", "--wait", "--pgdata", self._folder / "data", *what)

    def _run(self, program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            user=self._user,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def written(self) -> int:
        """Return what its processes have written so far, bytes."""
        main = (self._folder / "data" / "postmaster.pid").read_text().split()[0]
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        counters = [Path(f"/proc/{pid}/io").read_text().split() for pid in (main, *children)]
        return sum(int(counter[counter.index("wchar:") + 1]) for counter in counters)


class Session:
    """A connection, whose process of the server lives as long."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._psql = subprocess.Popen(
            [programs / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v",
             "ON_ERROR_STOP=1", "--host", folder, "--username", "it", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self._psql.communicate()

    def ask(self, statement: str) -> str:
        """Return what the server answers, when it is done."""
        self._psql.stdin.write(f"{statement};\n\\echo done\n")
        self._psql.stdin.flush()
        lines = []
        while (line := self._psql.stdout.readline()) != "done\n":
            if not line:
                raise RuntimeError(f"psql ended at {statement!r}")
            lines.append(line.strip())
        return "\n".join(lines)


def count(server: Server, session: Session, setting: Setting) -> dict[str, float]:
    """Return what a setting wrote."""
    session.ask(f"create table rows (id int, value int, padding text) with (fillfactor = {FILL})")
    session.ask(
        f"insert into rows select n, 0, repeat('x', {setting.padding}) "
        f"from generate_series(1, {setting.rows}) n"
    )
    session.ask("create index on rows (id)")
    session.ask("vacuum (freeze, analyze) rows")
    call = f"call change({setting.updates}, {setting.commit_updates}, {setting.rows})"
    session.ask(call)
    session.ask("checkpoint")
    pages = "select pg_relation_size('rows') / 8192"
    before_pages = session.ask(pages)
    position = session.ask("select pg_current_wal_flush_lsn()")
    start = server.written()
    session.ask(call)
    loaded = server.written()
    appended = session.ask(f"select pg_current_wal_flush_lsn() - '{position}'")
    if session.ask(pages) != before_pages:
        raise RuntimeError("the table has grown: its new pages are among what was counted")
    between = server.written()
    session.ask("checkpoint")
    at_checkpoint = server.written() - between
    row_bytes = session.ask("select pg_column_size(rows.*) from rows limit 1")
    session.ask("drop table rows")
    return {
        **setting._asdict(),
        "row_bytes": int(row_bytes),
        "table_pages": int(before_pages),
        "appended_bytes": int(appended),
        "log_bytes": loaded - start,
        "checkpoint_bytes": at_checkpoint,
    }


def compared(counted: pd.DataFrame) -> pd.DataFrame:
    """Return what is said over what was counted: the log by three rules, and the whole form."""
    flush = counted.appended_bytes / counted.updates * counted.commit_updates
    form = host.postgres(
        counted.row_bytes,
        counted.table_pages,
        counted.updates,
        image_share=FILL / 100,
        flush_updates=counted.commit_updates,
    )
    pages = LOG_PAGE_BYTES * counted.updates / counted.commit_updates
    blocks = counted.appended_bytes * host.sync_factor(flush.round())
    return pd.DataFrame(
        {
            "updates to a commit": counted.commit_updates,
            "volume": counted.appended_bytes / counted.log_bytes,
            "blocks of 4 KiB": blocks / counted.log_bytes,
            "pages of 8 KiB": (counted.appended_bytes + pages) / counted.log_bytes,
            "whole form": form.total
            * (counted.row_bytes * counted.updates)
            / (counted.log_bytes + counted.checkpoint_bytes),
        }
    ).round(3)


def main() -> None:
    """Write the table, and print what is said of each setting over what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, default=Path("/usr/lib/postgresql/15/bin"))
    programs = parser.parse_args().programs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Server(programs, folder) as server, Session(programs, folder) as session:
            version = session.ask("show server_version").split()[0]
            session.ask(CALL)
            rows = [count(server, session, setting) for setting in SETTINGS]
    counted = pd.DataFrame(rows).drop(columns="padding").assign(version=version)
    counted.to_csv(DATA / "postgres_log.csv", index=False, lineterminator="\n")
    print(compared(counted).to_string(index=False))


if __name__ == "__main__":
    main()
