"""``flashwear why``: who writes to a drive, what for, and what would save most."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._amounts import share, written
from flashwear.cli._say import answer, in_options, one_line, percent, report, size

if TYPE_CHECKING:
    from flashwear.host import EngineWrites, Saving
    from flashwear.host.synced import FileSystem
    from flashwear.smart import Report
    from flashwear.watch import Watched
    from flashwear.why import Explained, Inside, Part, Since

ABOUT = """\
Watch for some minutes who writes to the drives (Linux), and ask databases what for. It reads
counters of the kernel, opens no device and needs no rights: without them, programs of other users
are not seen, and the answer says how many. Nothing is asked of a server but what you call.

  flashwear why                                     (all drives, by program, five minutes)
  flashwear why --by unit --minutes 60 --drive nvme0n1 --tbw 600TB
  flashwear why --postgres 'psql -X' --innodb mariadb --json > monday.json

Without watching, on any system: ask a database twice, and give both answers.

  flashwear why --query postgres | psql -X > now.txt
  flashwear why later.txt --before now.txt

After a change: what it saved, beside what was foretold.

  flashwear why --postgres 'psql -X' --since monday.json
"""
EXIT = "exit status: 0; 3 for wrong usage, or where there are no such counters"

_NAMES = {"before": "--before", "times": "--times", "by": "--by", "op": "--op",
          "drive": "--drive"}  # fmt: skip
_PARTS = {
    "flushes": "the block in which the log ends, again with each flush",
    "log": "the log", "pages": "pages of tables and indexes", "copies": "copies of pages first",
    "binlog": "the binary log", "added": "pages added to files, at most",
    "file_system": "what the file system adds to each flush",
    "memtables": "records, when they leave memory", "merges": "files merged, level by level",
}  # fmt: skip
_ENGINES = {"postgres": "psql -X", "innodb": "mariadb"}
_PROGRAMS, _SAVINGS = 12, 4
_SHORT_S, _PATIENCE_S = 600, 60
_MOST = 1 << 26  # characters of a file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear why`` to its parser."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="what a database answered: nothing is watched"
    )
    parser.add_argument("--before", metavar="FILE", help="what it answered some time before")
    parser.add_argument(
        "--file-system", choices=("ext4", "xfs", "btrfs"),
        help="below FILE's database, whose share is then told, too",
    )  # fmt: skip
    parser.add_argument("--query", choices=tuple(_ENGINES), help="print what to ask")
    for name, client in _ENGINES.items():
        parser.add_argument(
            f"--{name}", metavar=f"'{client}'",
            help="client that is asked at the beginning and at the end",
        )  # fmt: skip
    parser.add_argument(
        "--rocksdb", metavar="LOG",
        help="log file of a RocksDB, which tells its statistics every ten minutes: watch longer",
    )  # fmt: skip
    parser.add_argument(
        "--minutes", type=float, default=5, metavar="5", help="how long (Ctrl-C ends it early)"
    )
    parser.add_argument(
        "--drive", metavar="nvme0n1", help="this drive or partition alone (default: all drives)"
    )
    parser.add_argument(
        "--by", default="name", metavar="unit",
        help="group by name (default), process, command, user, unit, cgroup or container",
    )  # fmt: skip
    parser.add_argument(
        "--smart", nargs=2, metavar=("BEFORE", "AFTER"),
        help="reports of the drive; the second is read at the end, and must be there by then",
    )  # fmt: skip
    parser.add_argument("--op", type=share, metavar="0.07", help="spare flash, as 0.07 or 7%%")
    parser.add_argument("--tbw", type=written, metavar="600TB", help="what the drive is rated for")
    parser.add_argument(
        "--times", type=float, default=10, metavar="10", help="times as many rows to a commit"
    )
    parser.add_argument("--since", metavar="FILE", help="an answer with --json before a change")
    parser.add_argument("--json", action="store_true", help="the same, for scripts")
    parser.set_defaults(names=_NAMES)


def run(options: argparse.Namespace) -> int:
    """Watch or read, print why the drive wears, and return the exit status."""
    if options.query:
        text = _query(options.query)
        return answer(options, [text.rstrip()], {"query": text})
    asked = {name: line for name in _ENGINES if (line := getattr(options, name))}
    if not 0 < options.minutes <= 100_000:
        raise ValueError(f"--minutes must be > 0 and at most 100000, got {options.minutes:g}")
    if options.before and not options.file:
        raise ValueError("--before takes FILE too")
    if options.rocksdb:
        asked["rocksdb"] = options.rocksdb
    if options.file and asked:
        raise ValueError(f"FILE or --{next(iter(asked))} must be given, not both")
    if asked and options.by != "name":
        raise ValueError(f"--by must be name with --{next(iter(asked))}, got {options.by}")
    then = _earlier(options.since) if options.since else None
    first = report(options.smart[0]) if options.smart else None
    seen: Watched | None = None
    if options.file:
        before = _text(options.before) if options.before else None
        engines = [_engine(_text(options.file), before, "FILE", options.file_system)]
    else:
        early = {name: _ask(name, line) for name, line in asked.items()}
        if sys.stderr.isatty():
            print(f"watching for {options.minutes:g} minutes; Ctrl-C ends it", file=sys.stderr)
        seen = flashwear.watch.watch(60 * options.minutes, drive=options.drive, by=options.by)
        engines = [
            _engine(_ask(name, line), early[name], f"--{name}") for name, line in asked.items()
        ]
    last, missing = None, None
    try:
        last = report(options.smart[1]) if options.smart else None
    except (OSError, ValueError) as error:
        missing = one_line(error)
    programs = {"RocksDB": flashwear.watch.holders(options.rocksdb)} if options.rocksdb else None
    found = flashwear.why.explain(seen, engines, programs=programs, times=options.times)
    inside = flashwear.why.inside(first, last, op=options.op)
    one_drive = not seen or options.drive or len(seen.drives) < 2
    years = _years(seen, options.tbw, last or first) if seen and one_drive else None
    change = flashwear.why.since(then, found) if then else None
    values: dict[str, Any] = found._asdict() | {
        "parts": [one._asdict() for one in found.parts],
        "savings": [one._asdict() for one in found.savings],
        "watched": seen and _values(seen),
        "inside": inside and inside._asdict(),
        "years": years,
        "since": change and change._asdict() | {"saved": change.saved},
    }
    lines = _head(found, seen, engines) + _parts(found, seen)
    if found.rows:
        lines.append(f"That is {found.bytes / found.rows:,.0f} bytes for each row changed.")
    lines += _flash(inside, missing) + _savings(found.savings)
    lines += _changed(change, then.savings) if change and then else []
    if years:
        low, middle, high = years
        most = f"{high:.3g}" if high else "any number of"
        lines.append(
            f"At this rate the rating lasts {middle:.3g} years more ({low:.3g} to {most} by the "
            "same scatter)."
        )
    if options.tbw and not one_drive:
        lines.append("The rating is of one drive, and several were written: name it with --drive.")
    if seen:
        lines += _ends(seen)
    else:
        left = "Temporary files and archives are not in it"
        lines.append(
            f"{left}." if options.file_system else f"{left}, nor is the file system's share."
        )
    return answer(options, lines, values)


def _query(name: str) -> str:
    counters = flashwear.host.counters
    return {"postgres": counters.POSTGRES_QUERY, "innodb": counters.INNODB_QUERY}[name]


def _ask(name: str, line: str) -> str:
    """Return what a client answers to the query of its engine, or what a log tells."""
    if name == "rocksdb":
        return _text(line)
    try:
        words = shlex.split(line)
        done = subprocess.run(
            words, input=_query(name), capture_output=True, text=True, errors="replace",
            timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    except (ValueError, IndexError, OSError) as error:
        raise ValueError(f"--{name} cannot be called: {one_line(error)}") from None
    except subprocess.TimeoutExpired:
        raise ValueError(f"--{name} gave no answer in {_PATIENCE_S} s") from None
    if done.returncode and not done.stdout.strip():
        said = " ".join(done.stderr.split())[:200]
        raise ValueError(f"--{name} ended with status {done.returncode}: {said}")
    return done.stdout[:_MOST]


def _engine(
    after: str, before: str | None, name: str, below: FileSystem | None = None
) -> EngineWrites:
    try:
        return flashwear.host.engine_writes(after, before, file_system=below)
    except ValueError as error:
        raise in_options(error, {**_NAMES, "after": name}) from None


def _text(path: str) -> str:
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        return file.read(_MOST)


def _earlier(path: str) -> Explained:
    """Read an answer that this command gave with --json."""
    why, host = flashwear.why, flashwear.host
    try:
        told = json.loads(_text(path))
        parts = tuple(why.Part(*map(one.get, why.Part._fields)) for one in told["parts"])
        savings = tuple(host.Saving(**one) for one in told["savings"])
        numbers = [float(told[name]) for name in ("seconds", "bytes", "unexplained", "excess")]
        found = why.Explained(
            numbers[0], numbers[1], parts, numbers[2], numbers[3], float(told["rows"]), savings
        )
        for one in savings:
            percent(one.low), percent(one.high)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"--since must be an answer of why --json, got {path}") from None
    return found


def _years(seen: Watched, tbw: float | None, told: Report | None) -> list[float | None] | None:
    """Return the years that the rest of a rating lasts: least, middle and most."""
    rated = tbw or (told and told.rated_bytes)
    rate, low, high = seen.bytes_per_day()
    if not rated or rate <= 0:
        return None
    left = max(0.0, rated - ((told and told.host_bytes_written) or 0))
    return [left / (365 * one) if one else None for one in (high, rate, low)]


def _values(seen: Watched) -> dict[str, Any]:
    return {
        "drives": [one._asdict() for one in seen.drives],
        "file_systems": [one._asdict() for one in seen.file_systems],
        "programs": [one._asdict() for one in seen.programs],
        "journals": [one._asdict() for one in seen.journals],
        "unaccounted_bytes": seen.unaccounted,
        "hidden_processes": seen.hidden,
        "bytes_per_day": list(seen.bytes_per_day()),
        "cost_s": seen.cost_s,
    }


def _head(found: Explained, seen: Watched | None, engines: list[EngineWrites]) -> list[str]:
    time = f"{found.seconds:,.0f} s" if found.seconds >= 1 else "less than a second"
    if not seen:
        a_day = found.bytes * 86_400 / found.seconds if found.seconds else None
        rate = f": {size(a_day)} a day" if a_day else ""
        return [f"{engines[0].engine} wrote {size(found.bytes)} in {time}{rate}."]
    day, low, high = map(size, seen.bytes_per_day())
    lines = [
        f"{size(seen.bytes)} written in {time}: {day} a day ({low} to {high} by the scatter "
        "within this time)."
    ]
    lines += [f"  {size(one.bytes):>9}  {one.name}" for one in seen.drives]
    lines += [f"  {size(one.bytes):>9}  {one.mounted} ({one.name})" for one in seen.file_systems]
    return lines


def _parts(found: Explained, seen: Watched | None) -> list[str]:
    """Return a line for each reason, and one for what has none."""

    def line(count: float, what: str) -> str:
        return f"  {percent(count / found.bytes) if found.bytes else '-':>7}  {what}"

    if not found.bytes:
        return []
    processes = {one.name: one.processes for one in seen.programs} if seen else {}
    lines = [line(one.bytes, _named(one, processes)) for one in found.parts[:_PROGRAMS]]
    if more := found.parts[_PROGRAMS:]:
        lines.append(line(sum(one.bytes for one in more), f"{len(more)} others"))
    if seen:
        lines.append(line(found.unexplained, "not explained: metadata, pages changed before, "
                          "programs that ended or may not be read"))  # fmt: skip
    if found.excess > 0.01 * found.bytes:
        lines.append(
            f"Together that is {size(found.excess)} more than the drives took: programs are "
            "bounds, and may write to other drives or to none."
        )
    return lines


def _named(part: Part, processes: dict[str, int]) -> str:
    if part.what == "journal":
        return f"journal of {part.who}"
    if part.what:
        form = f" (its form says {part.form / part.bytes:.2g} times that)" if part.form else ""
        return f"{part.who}: {_PARTS[part.what]}{form}"
    count = processes.get(part.who, 1)
    return f"{part.who}, at most" + (f" ({count} processes)" if count > 1 else "")


def _flash(inside: Inside | None, missing: str | None) -> list[str]:
    if missing:
        return [f"No comparison of reports: {missing}."]
    if not inside:
        return []
    if inside.counted:
        return [
            f"Inside the drive times {(inside.low * inside.high) ** 0.5:.3g} ({inside.low:.3g} to "
            f"{inside.high:.3g} by the steps of its counters), as the drive counts."
        ]
    return [
        f"Inside the drive times 1 where it is written in order, to {inside.high:.3g} for small "
        "writes at random all over it: by the form, the drive was not asked."
    ]


def _savings(made: tuple[Saving, ...]) -> list[str]:
    lines = ["What would save most of it:"] if made else []
    for one in made[:_SAVINGS]:
        low, middle, high = map(percent, (one.low, one.middle, one.high))
        lines.append(f"  {middle:>7}  ({low} to {high}) {one.change}: {one.option}")
        lines.append(f"           {one.risk}")
    return lines


def _changed(change: Since, foretold: tuple[Saving, ...]) -> list[str]:
    if change.each == "row":
        amounts = [f"{count:,.0f} bytes" for count in (change.before, change.after)]
    else:
        amounts = [size(change.before), size(change.after)]
    kind = "saved" if change.saved >= 0 else "more"
    lines = [
        f"Since then: {amounts[1]} a {change.each} instead of {amounts[0]}: "
        f"{percent(abs(change.saved))} {kind}. Foretold were:"
    ]
    for one in foretold:
        inside = "inside" if one.low <= change.saved <= one.high else "not that"
        lines.append(f"  {percent(one.low)} to {percent(one.high)} by {one.change}: {inside}")
    return lines


def _ends(seen: Watched) -> list[str]:
    """Return what was not seen, and what watching cost."""
    lines = []
    if seen.hidden:
        lines.append(f"Processes that may not be read: {seen.hidden}; root may read more.")
    if seen.seconds < _SHORT_S:
        lines.append(
            f"These were {seen.seconds / 60:.3g} minutes: backups, updates and the rest of a week "
            "are not in them."
        )
    lines.append(f"Watching took {percent(seen.cost_s / max(seen.seconds, 1e-9))} of a processor.")
    return lines
