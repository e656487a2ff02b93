"""What the actions of ``flashwear rack`` do."""

import argparse
import os
import socket
import sys
import time

from flashwear import history
from flashwear.cli._exposition import digits, exposition
from flashwear.cli._limits import METRICS, Limits, for_row, read_limits
from flashwear.cli._page import replaced
from flashwear.cli._rack_read import Fleet, counts, key_of, named_sources, read_fleet
from flashwear.cli._say import answer, shown
from flashwear.history import Row
from flashwear.history._row import VERDICTS, WORST
from flashwear.tables import data_folder

_SCAN = "smartctl --scan-open"
_MOST = 20  # lines of long output
_FILES = {"rules": "alert_rules.yml", "schema": "drive.schema.json"}


def check(options: argparse.Namespace) -> int:
    """Print the plugin's line about one drive, or about many with the worst below it."""
    fleet = read_fleet(options, key=_key(options, make=False))
    lines = _one(options, fleet) if len(fleet.drives) + len(fleet.failed) == 1 else _many(fleet)
    drives = [row.as_dict() for row in fleet.drives.values()]
    errors = [{"file": row.file, "error": row.error} for row in fleet.failed]
    return answer(options, lines, {"drives": drives, "errors": errors}, fleet.status)


def _key(options: argparse.Namespace, *, make: bool) -> bytes | None:
    """Return the key by which drives are named; a history has their names already."""
    others = [path for path in options.sources if not history.is_history(path)]
    if not (others or options.scan):
        return None
    return key_of(options, make=make and (options.scan or any(map(_there_is, others))))


def _there_is(path: str) -> bool:
    return path == "-" or os.path.exists(path)


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
    for name, (unit, value_of) in METRICS.items():
        value = value_of(row, fleet.now)
        if value is None:
            continue
        at = [ranges[name].text if name in ranges else "" for ranges in limits[:2]]
        if name == "spare" and row.spare_threshold_percent and not at[1]:
            at[1] = f"{row.spare_threshold_percent}:"
        if name == "report_age" and options.max_age and not at[0]:
            at[0] = f"{options.max_age:g}"
        ends = {"temperature": [], "spare": ["0", "100"]}.get(name, ["0"])
        fields = ";".join([f"{digits(value)}{unit}", *at, *ends]).rstrip(";")
        data.append(f"'{name}'={fields}")
    drive = f" (drive {row.drive})" if row.drive and row.status else ""
    return [_line(fleet.status, f"{_named(row)}: {row.text}{drive}", data)]


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
    """Write samples for Prometheus, whole or not at all, and none if nothing was read."""
    if options.output and os.path.exists(options.output):
        key = str(options.key or history.default_key())
        for source in filter(os.path.exists, [*options.sources, key]):
            if os.path.samefile(source, options.output):
                raise ValueError(f"output must be no source and no key, got {options.output}")
        if history.is_history(options.output):
            raise ValueError(f"output must be no history, got {options.output}")
    fleet = read_fleet(options, key=_key(options, make=True), serials=options.serials)
    lines = exposition(fleet.drives, len(fleet.failed), time.time(), options.openmetrics)
    text = "".join(f"{line}\n" for line in lines)
    for row in fleet.failed:
        print(f"flashwear: {row.file}: {row.error}", file=sys.stderr)
    if fleet.failed and not fleet.drives:
        return 3
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
    key = key_of(options, make=True)
    with history.History(options.history, write=True) as store:
        try:
            paths = named_sources(options)
        except OSError as error:  # of the scan: told by the history, too
            lost = history.Source(_SCAN, options.host or socket.gethostname(), None, str(error))
            store.record([lost], key=key or b"")
            raise
        if options.scan:
            store.forget(_SCAN)
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


def _there(path: str) -> history.History:
    """Open a history to change it, but make none."""
    with history.History(path):
        return history.History(path, write=True)


def retire(options: argparse.Namespace) -> int:
    """Take drives out of a history."""
    with _there(options.history) as store:
        store.retire(options.drives)
    return answer(options, [f"retired: {', '.join(options.drives)}"], {})


def reread(options: argparse.Namespace) -> int:
    """Read the kept reports of a history again."""
    with _there(options.history) as store:
        changed = store.read_again(key_of(options, make=False) or b"")
    return answer(options, [f"{changed:,} reports are read otherwise now"], {})


def show(options: argparse.Namespace) -> int:
    """Print a file that comes with the library."""
    text = (data_folder() / _FILES[options.what]).read_text("utf-8")
    return answer(options, [text.rstrip("\n")], {})
