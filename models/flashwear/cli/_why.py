"""``flashwear why``: what a database writes, what for, and what would save most."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._say import answer, in_options, percent, size

ABOUT = """\
Say what a database wrote and what for, by its own counters, and what changes of its settings would
save, with an interval. Nothing is asked of a server: you ask it, with the query that --query
prints, and give the answer as a file; two answers say what was written in between.

  flashwear why --query postgres | psql -X > now.txt
  flashwear why --query innodb | mariadb > now.txt
  flashwear why later.txt --before now.txt
"""
EXIT = "exit status: 0, or 3 for wrong usage"

_NAMES = {"after": "FILE", "before": "--before", "times": "--times"}
_PARTS = {
    "flushes": "the block in which the log ends, again with each flush",
    "log": "the log", "pages": "pages of tables and indexes", "copies": "copies of pages first",
    "binlog": "the binary log",
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear why`` to its parser."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="what the server answered")
    parser.add_argument("--before", metavar="FILE", help="what it answered some time before")
    parser.add_argument("--query", choices=("postgres", "innodb"), help="print what to ask")
    parser.add_argument(
        "--times", type=float, default=10, metavar="10", help="times as many rows to a commit"
    )
    parser.add_argument("--json", action="store_true", help="the same, for scripts")
    parser.set_defaults(names=_NAMES)


def run(options: argparse.Namespace) -> int:
    """Print what a database wrote and what would save most."""
    counters = flashwear.host.counters
    queries = {"postgres": counters.POSTGRES_QUERY, "innodb": counters.INNODB_QUERY}
    if options.query:
        return answer(options, [queries[options.query].rstrip()], {"query": queries[options.query]})
    if not options.file:
        raise ValueError("FILE or --query must be given")
    after = _text(options.file)
    before = _text(options.before) if options.before else None
    try:
        found = flashwear.host.engine_writes(after, before)
        made = flashwear.host.savings(found, times=options.times)
    except ValueError as error:
        raise in_options(error, _NAMES) from None
    values: dict[str, Any] = {
        "engine": found.engine, "seconds": found.seconds, "bytes": found.total,
        "parts": dict(found.parts), "commits": found.commits, "rows": found.rows,
        "savings": [one._asdict() for one in made],
    }  # fmt: skip
    a_day = f": {size(found.total * 86_400 / found.seconds)} a day" if found.seconds else ""
    time = f"{found.seconds:,.0f} s" if found.seconds >= 1 else "less than a second"
    lines = [f"{found.engine} wrote {size(found.total)} in {time}{a_day}."]
    if found.rows:
        lines.append(f"That is {found.total / found.rows:,.0f} bytes for each row changed.")
    for name, count in sorted(found.parts.items(), key=lambda part: -part[1]):
        if count:
            lines.append(f"  {percent(count / found.total):>7}  {_PARTS[name]}")
    lines.append("The file system's share, temporary files and archives are not in it.")
    if made:
        lines.append("What would save most of it:")
    for one in made:
        low, middle, high = map(percent, (one.low, one.middle, one.high))
        lines.append(f"  {middle:>7}  ({low} to {high}) {one.change}: {one.option}")
        lines.append(f"           {one.risk}")
    return answer(options, lines, values)


def _text(path: str) -> str:
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        return file.read(1 << 21)
