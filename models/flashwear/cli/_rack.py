"""``flashwear rack``: drives for a monitoring system, and their history."""

from __future__ import annotations

import argparse
import os
import sys
import time

from flashwear import history
from flashwear.cli._exposition import digits, exposition
from flashwear.cli._limits import METRICS, Limits, for_row, read_limits
from flashwear.cli._page import replaced
from flashwear.cli._rack_read import (
    Fleet,
    add_limits,
    add_sources,
    counts,
    named_sources,
    read_fleet,
)
from flashwear.cli._say import answer, shown
from flashwear.history import Row
from flashwear.history._row import VERDICTS, WORST
from flashwear.tables import data_folder

_MOST = 20  # lines of long output
_FILES = {"rules": "alert_rules.yml", "schema": "drive.schema.json"}
ABOUT = """\
Judge many drives for a monitoring system, and keep their history. It needs no other package.

  flashwear rack check --scan -w life_used=80               a plugin of Nagios or Icinga
  flashwear rack export --scan -o /var/lib/prometheus/node-exporter/flashwear.prom
  flashwear rack record --scan --history history.sqlite     once a day
  flashwear rack check history.sqlite                       and what has changed, or is silent
  flashwear rack retire 3f9a1c0b7d2e4455 --history history.sqlite
  flashwear rack reread --history history.sqlite            by the rules of today
  flashwear rack show rules                                 alert rules of Prometheus, to copy
"""
EXIT = """\
exit status: check gives that of the worst drive, 2 critical, 1 warning, 3 unknown or not
readable, 0 nothing found, in this order; record gives 0 if all was recorded, else 3; the others 0,
or 3 if they fail"""
_HISTORY = "the file of the history, on a local disk"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``flashwear rack`` and their arguments to its parser."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def action(name: str, about: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = actions.add_parser(name, help=about, description=about)
        added.set_defaults(act=globals()[name], json=False)
        return added

    check_ = action("check", "print a line with a verdict and performance data, as a plugin")
    add_sources(check_)
    add_limits(check_)
    check_.add_argument("--json", action="store_true", help="the same, for scripts")
    export_ = action("export", "write samples for Prometheus")
    add_sources(export_)
    add_limits(export_)
    export_.add_argument("-o", "--output", metavar="FILE", help="replace this file (.prom)")
    export_.add_argument(
        "--openmetrics", action="store_true", help="as OpenMetrics, which node_exporter does not"
        " read from files"
    )  # fmt: skip
    export_.add_argument("--serials", action="store_true", help="tell serial numbers, too")
    record_ = action("record", "add reports to a history")
    add_sources(record_, stores=False)
    record_.add_argument("--history", required=True, metavar="FILE", help=_HISTORY)
    record_.add_argument("--serials", action="store_true", help="keep serial numbers beside models")
    record_.add_argument(
        "--no-raw", action="store_true", help="do not keep the reports themselves (FILE.raw)"
    )
    record_.add_argument("--json", action="store_true", help="the same, for scripts")
    retire_ = action("retire", "take drives out, which then alarm no more for want of reports")
    retire_.add_argument("drives", nargs="+", metavar="DRIVE", help="key, as check prints it")
    retire_.add_argument("--history", required=True, metavar="FILE", help=_HISTORY)
    reread_ = action("reread", "read kept reports again, after a rule was mended")
    reread_.add_argument("--history", required=True, metavar="FILE", help=_HISTORY)
    reread_.add_argument("--key", metavar="FILE", help="key file with which they were recorded")
    show_ = action("show", "print alert rules of Prometheus, or the schema of fleet --jsonl")
    show_.add_argument("what", choices=_FILES)


def run(options: argparse.Namespace) -> int:
    """Do what was asked, and return the exit status."""
    status: int = options.act(options)
    return status


def key_of(options: argparse.Namespace, *, make: bool) -> bytes | None:
    """Return the key of the key file, which is made if `make`; None if there is none."""
    if make and history.make_key(options.key):
        place = options.key or history.default_key()
        print(f"flashwear: made the key file {place}: copy it to all hosts", file=sys.stderr)
    if options.key or history.default_key().exists():
        return history.read_key(options.key)
    return None


def check(options: argparse.Namespace) -> int:
    """Print the plugin's line about one drive, or about many with the worst below it."""
    fleet = read_fleet(options, key=key_of(options, make=False))
    lines = _one(options, fleet) if len(fleet.drives) + len(fleet.failed) == 1 else _many(fleet)
    drives = [{**row.as_dict(), "drive": row.drive} for row in fleet.drives.values()]
    errors = [{"file": row.file, "error": row.error} for row in fleet.failed]
    return answer(options, lines, {"drives": drives, "errors": errors}, fleet.status)


def _plain(text: str) -> str:
    return shown(text).replace("|", "/")


def _named(row: Row) -> str:
    place = " ".join(filter(None, (row.host, row.device)))
    return (row.model or "model not given") + (f" ({place})" if place else "")


def _line(status: int, text: str, data: list[str]) -> str:
    head = f"FLASHWEAR {VERDICTS[status].upper()} - {_plain(text)}"
    return f"{head} | {' '.join(data)}" if data else head


def _one(options: argparse.Namespace, fleet: Fleet) -> list[str]:
    if fleet.failed:
        return [_line(fleet.status, f"{fleet.failed[0].file}: {fleet.failed[0].error}", [])]
    (row,) = fleet.drives.values()
    base = Limits(dict(options.warning), dict(options.critical), {})
    limits = for_row(row, base, read_limits(options.limits) if options.limits else [])
    data = []
    for name, metric in METRICS.items():
        value = metric.value(row, fleet.now)
        if value is None:
            continue
        at = [ranges[name].text if name in ranges else "" for ranges in limits[:2]]
        if name == "spare" and row.spare_threshold_percent and not at[1]:
            at[1] = f"{row.spare_threshold_percent}:"
        if name == "report_age" and options.max_age and not at[0]:
            at[0] = f"{options.max_age:g}"
        ends = {"temperature": [], "spare": ["0", "100"]}.get(name, ["0"])
        fields = ";".join([f"{digits(value)}{metric.unit}", *at, *ends]).rstrip(";")
        data.append(f"'{name}'={fields}")
    return [_line(fleet.status, f"{_named(row)}: {row.text}", data)]


def _many(fleet: Fleet) -> list[str]:
    rows = [*fleet.drives.values(), *fleet.failed]
    if not rows:
        return [_line(3, "there is no report", [])]
    found = counts(fleet)
    stale = sum(any(one.word == "stale" for one in row.findings) for row in rows)
    used = [row.life_used_percent for row in rows if row.life_used_percent is not None]
    told = ", ".join(f"{count} {name}" for name, count in found.items() if count)
    data = [f"'drives'={len(rows)};;;0"]
    data += [f"'{name}'={count};;;0" for name, count in {**found, "stale": stale}.items()]
    data += [f"'life_used_max'={max(used):g}%;;;0"] if used else []
    bad = [row for row in rows if row.status]
    bad.sort(key=lambda row: -WORST.index(row.status))
    lines = []
    for row in bad[:_MOST]:
        what = f"{row.file}: {row.error}" if row.error else f"{_named(row)}: {row.text}"
        drive = f" {row.drive}" if row.drive else ""
        lines.append(f"[{VERDICTS[row.status].upper()}]{drive} {_plain(what)}")
    if more := bad[_MOST:]:
        lines.append(f"and {len(more)} more")
    return [_line(fleet.status, f"{told} of {len(rows)} drives", data), *lines]


def export(options: argparse.Namespace) -> int:
    """Write samples for Prometheus, whole or not at all."""
    fleet = read_fleet(options, key=key_of(options, make=True), serials=options.serials)
    lines = exposition(fleet.drives, len(fleet.failed), time.time(), options.openmetrics)
    text = "".join(f"{line}\n" for line in lines)
    for row in fleet.failed:
        print(f"flashwear: {row.file}: {row.error}", file=sys.stderr)
    if not options.output:
        return answer(options, [text[:-1]], {})
    with replaced(options.output) as part, open(part, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        os.chmod(part, 0o644)
    return 0


def record(options: argparse.Namespace) -> int:
    """Add reports to a history, and say how many were new."""
    paths, key = named_sources(options), key_of(options, make=True)
    with history.History(options.history, write=True) as store:
        done = store.record(
            history.sources(paths, options.host),
            key=key or b"",
            serials=options.serials,
            raw=not options.no_raw,
        )
    lines = [f"{done.reports:,} reports of {done.drives:,} drives, {done.new:,} of them new"]
    errors = [{"file": file, "error": why} for file, why in done.lost]
    for one in () if options.json else errors:
        print(f"flashwear: {one['file']}: {one['error']}", file=sys.stderr)
    values = {"reports": done.reports, "new": done.new, "drives": done.drives, "errors": errors}
    return answer(options, lines, values, 3 if errors or not done.reports else 0)


def retire(options: argparse.Namespace) -> int:
    """Take drives out of a history."""
    with history.History(options.history, write=True) as store:
        store.retire(options.drives)
    return answer(options, [f"retired: {', '.join(options.drives)}"], {})


def reread(options: argparse.Namespace) -> int:
    """Read the kept reports of a history again."""
    with history.History(options.history, write=True) as store:
        changed = store.read_again(key_of(options, make=False) or b"")
    return answer(options, [f"{changed:,} reports are read otherwise now"], {})


def show(options: argparse.Namespace) -> int:
    """Print a file that comes with the library."""
    text = (data_folder() / _FILES[options.what]).read_text("utf-8")
    return answer(options, [text.rstrip("\n")], {})
