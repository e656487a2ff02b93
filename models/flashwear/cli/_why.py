"""``flashwear why``: who writes to a drive, what for, and what would save most."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._amounts import share, written
from flashwear.cli._answers import earlier, text_of
from flashwear.cli._client import ask
from flashwear.cli._say import answer, in_options, one_line, percent, report, size

if TYPE_CHECKING:
    from flashwear.host import EngineWrites, Saving
    from flashwear.host.synced import FileSystem
    from flashwear.smart import Report
    from flashwear.watch import Watched
    from flashwear.why import Explained, Inside, Part, Since

ABOUT = """\
Watch for some minutes who writes to the drives (Linux), and ask databases what for. It reads
counters of the kernel and opens no device. Without root it sees your own programs alone. It
connects to no server; only the client that you name does.

  flashwear why                                     (all drives, by program, five minutes)
  flashwear why --by unit --minutes 60 --drive nvme0n1 --tbw 600TB
  flashwear why --postgres 'psql -X' --innodb mariadb --json > monday.json

Without watching, on any system: ask a database twice, and give both answers.

  flashwear why --query postgres | psql -X > now.txt
  flashwear why later.txt --before now.txt

After a change: what it saved, beside what was foretold.

  flashwear why --postgres 'psql -X' --since monday.json
"""
EXIT = """\
exit status: 0; 3 for wrong usage, where there are no such counters, or if a client or a file
failed"""

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
_SHORT_S = 600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear why`` to its parser."""
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="what a database answered: nothing is watched")
    add("--before", metavar="FILE", help="what it answered some time before")
    add(
        "--file-system", choices=("ext4", "xfs", "btrfs"),
        help="below FILE's database, whose share is then told, too",
    )  # fmt: skip
    add("--query", choices=tuple(_ENGINES), help="print what to ask")
    for name, client in _ENGINES.items():
        add(
            f"--{name}", metavar=f"'{client}'",
            help="client that is asked at the beginning and at the end",
        )  # fmt: skip
    add(
        "--rocksdb", metavar="LOG",
        help="log file of a RocksDB, which tells its statistics every ten minutes: watch 20",
    )  # fmt: skip
    add("--minutes", type=float, default=5, metavar="5", help="how long (Ctrl-C ends it early)")
    add("--drive", metavar="nvme0n1", help="this drive or partition alone (default: all drives)")
    add(
        "--by", default="name", metavar="unit",
        help="group by name (default), process, command, user, unit, cgroup or container",
    )  # fmt: skip
    add(
        "--smart", nargs=2, metavar=("BEFORE", "AFTER"),
        help="reports of the drive; the second is read at the end, and must be there by then",
    )  # fmt: skip
    add("--op", type=share, metavar="0.07", help="spare flash, as 0.07 or 7%%")
    add("--tbw", type=written, metavar="600TB", help="what the drive is rated for")
    add(
        "--times",
        type=float,
        default=10,
        metavar="10",
        help="foretell commits that are so many times as large",
    )
    add("--since", metavar="FILE", help="an answer with --json before a change")
    add("--json", action="store_true", help="the same, for scripts")
    parser.set_defaults(names=_NAMES)


def run(options: argparse.Namespace) -> int:
    """Watch or read, print why the drive wears, and return the exit status."""
    if options.query:
        text = _query(options.query)
        return answer(options, [text.rstrip()], {"query": text})
    names = (*_ENGINES, "rocksdb")
    asked = {name: line for name in names if (line := getattr(options, name)) is not None}
    _check(options, asked)
    then = earlier(options.since) if options.since else None
    first = report(options.smart[0]) if options.smart else None
    seen: Watched | None = None
    engines, faults = [], []
    if options.file:
        before = text_of(options.before) if options.before else None
        engines.append(_engine(text_of(options.file), before, "FILE", options.file_system))
    else:
        early = {name: _ask(name, line) for name, line in asked.items()}
        for name, told in early.items():
            _engine(told, None, f"--{name}")
        if sys.stderr.isatty():
            print(f"watching for {options.minutes:g} minutes; Ctrl-C ends it", file=sys.stderr)
        seen = flashwear.watch.watch(60 * options.minutes, drive=options.drive, by=options.by)
        for name, line in asked.items():
            try:
                found = _engine(_ask(name, line), early[name], f"--{name}")
                engines.append(_of_the_time(found, seen.seconds))
            except (OSError, ValueError) as error:  # what was watched is told all the same
                faults.append(one_line(error))
    last = None
    try:
        last = report(options.smart[1]) if options.smart else None
    except (OSError, ValueError) as error:
        faults.append(one_line(error))
    programs = {"RocksDB": flashwear.watch.holders(options.rocksdb)} if options.rocksdb else None
    why = flashwear.why.explain(seen, engines, programs=programs, times=options.times)
    inside = flashwear.why.inside(first, last, op=options.op)
    one_drive = not seen or options.drive or len(seen.drives) < 2
    years = _years(seen, options.tbw, last or first) if seen and one_drive else None
    change = None
    try:
        change = flashwear.why.since(then, why) if then else None
    except ValueError as error:
        faults.append(one_line(in_options(error, {"after": "the databases", "before": "--since"})))
    values: dict[str, Any] = why._asdict() | {
        "parts": [one._asdict() for one in why.parts],
        "savings": [one._asdict() for one in why.savings],
        "watched": seen and _values(seen),
        "inside": inside and inside._asdict(),
        "years": years,
        "since": change and change._asdict() | {"saved": change.saved},
        "errors": [{"file": None, "error": text} for text in faults],
    }
    lines = _head(why, seen, engines) + _parts(why, seen)
    if why.rows and sum(one.total for one in engines) <= 1.2 * why.bytes:
        lines.append(f"That is {why.bytes / why.rows:,.0f} bytes for each row changed.")
    lines += _flash(inside) + _savings(why.savings)
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
    status = answer(options, lines, values, 3 if faults else 0)
    for fault in () if options.json else faults:
        print(f"flashwear: {fault}", file=sys.stderr)
    return status


def _check(options: argparse.Namespace, asked: dict[str, str]) -> None:
    """Refuse options that do not go together."""
    if not 0 < options.minutes <= 100_000:
        raise ValueError(f"--minutes must be > 0 and at most 100000, got {options.minutes:g}")
    if options.before and not options.file:
        raise ValueError("--before takes FILE too")
    if options.file and asked:
        raise ValueError(f"FILE or --{next(iter(asked))} must be given, not both")
    if options.file and (options.drive or options.tbw or options.by != "name"):
        raise ValueError("--drive, --tbw and --by are of what is watched, and FILE is not")
    if options.file_system and not options.file:
        raise ValueError("--file-system takes FILE too: journals are counted where it watches")
    if asked and options.by != "name":
        raise ValueError(f"--by must be name with --{next(iter(asked))}, got {options.by}")


def _of_the_time(found: EngineWrites, seconds: float) -> EngineWrites:
    """Return what RocksDB wrote in the time that was watched, by dumps of another time."""
    if found.engine != "RocksDB":
        return found
    if found.seconds <= 0:
        raise ValueError(
            "--rocksdb tells nothing new: its log gets statistics every ten minutes, so watch 20"
        )
    share = seconds / found.seconds
    parts = {name: count * share for name, count in found.parts.items()}
    return found._replace(parts=parts, rows=found.rows * share, commits=found.commits * share,
                          flushes=found.flushes * share, seconds=seconds)  # fmt: skip


def _query(name: str) -> str:
    counters = flashwear.host.counters
    return {"postgres": counters.POSTGRES_QUERY, "innodb": counters.INNODB_QUERY}[name]


def _ask(name: str, line: str) -> str:
    """Return what a client answers to the query of its engine, or what a log tells."""
    return text_of(line) if name == "rocksdb" else ask(f"--{name}", line, _query(name))


def _engine(
    after: str, before: str | None, name: str, below: FileSystem | None = None
) -> EngineWrites:
    try:
        return flashwear.host.engine_writes(after, before, file_system=below)
    except ValueError as error:
        raise in_options(error, {**_NAMES, "after": name}) from None


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
        "mirrors": seen.mirrors,
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
    parts = [one for one in found.parts if one.bytes >= 0.0005 * found.bytes]
    lines = [line(one.bytes, _named(one, processes)) for one in parts[:_PROGRAMS]]
    if more := parts[_PROGRAMS:]:
        lines.append(line(sum(one.bytes for one in more), f"{len(more)} others"))
    if seen:
        lines.append(line(found.unexplained, "not explained: metadata, pages changed before, "
                          "programs that ended or may not be read"))  # fmt: skip
    if found.excess > 0.01 * found.bytes:
        of_programs = any(part.what is None for part in found.parts)
        lines.append(
            f"Together that is {size(found.excess)} more than the drives took: "
            + ("programs are bounds, and may write to other drives or to none." if of_programs
               else "a database writes to other drives too, or its pages wait in memory: watch for "
               "longer than its checkpoints are apart.")
        )  # fmt: skip
    return lines


def _named(part: Part, processes: dict[str, int]) -> str:
    if part.what == "journal":
        return f"journal of {part.who}"
    if part.what:
        form = f" ({size(part.form)} by its closed form)" if part.form else ""
        return f"{part.who}: {_PARTS[part.what]}{form}"
    count = processes.get(part.who, 1)
    return f"{part.who}, at most" + (f" ({count} processes)" if count > 1 else "")


def _flash(inside: Inside | None) -> list[str]:
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
    lines = ["What would save most of it (two together save less than their sum):"] if made else []
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
    for name, copies in seen.mirrors.items():
        lines.append(f"Each byte of {name} is written to {copies} of these drives.")
    if os.geteuid() and not seen.hidden:
        lines.append("Programs of other users may be hidden: run it as root to see all.")
    if seen.hidden:
        lines.append(f"Processes that may not be read: {seen.hidden}.")
    if seen.seconds < _SHORT_S:
        lines.append(
            f"These were {seen.seconds / 60:.3g} minutes: backups, updates and the rest of a week "
            "are not in them."
        )
    lines.append(f"Watching took {percent(seen.cost_s / max(seen.seconds, 1e-9))} of a processor.")
    return lines
