"""What the commands for many drives read, and how they judge it."""

import argparse
import re
import sys
import time
from typing import NamedTuple

from flashwear import history
from flashwear.cli._limits import Limits, for_row, limited, read_limits
from flashwear.history import Row
from flashwear.history._change import judged
from flashwear.history._row import VERDICTS, WORST, newest, rows_of, worst
from flashwear.smart import Finding

SILENT_S = 2 * 86_400
"""Age of the newest report in a history from which a drive has stopped reporting, in seconds."""
_DAYS = 90


class Fleet(NamedTuple):
    """The drives of a run by their keys, the worst first, and what could not be read."""

    drives: dict[str, Row]
    failed: list[Row]
    status: int
    """Exit status of the worst."""
    now: float


def read_fleet(
    options: argparse.Namespace,
    *,
    key: bytes | None,
    serials: bool = False,
    model: re.Pattern[str] | None = None,
) -> Fleet:
    """Read and judge all drives that the options name, or those of which the model matches."""
    now = time.time()
    for name in ("warning", "critical", "accept"):
        metrics = [metric for metric, _ in getattr(options, name)]
        if twice := [metric for metric in metrics if metrics.count(metric) > 1]:
            raise ValueError(f"{name} must be given once for each, got {twice[0]} twice")
    base = Limits(dict(options.warning), dict(options.critical), dict(options.accept))
    sections = read_limits(options.limits) if options.limits else []
    found: dict[str, Row] = {}
    failed: list[Row] = []
    paths = named_sources(options)
    for path in [path for path in paths if history.is_history(path)]:
        max_age = SILENT_S if options.max_age is None else options.max_age
        for row, _ in silent(path, now, max_age):
            newest(found, row, now)
        with history.History(path) as store:
            failed += (row for row in store.lost() if row.error)
            for row in (row for row in store.lost() if not row.error):
                known = found.setdefault(row.drive or "", row)
                if worst((known.status, row.status)) == row.status:
                    found[row.drive or ""] = judged(row, None, now, max_age)
    others = (path for path in paths if not history.is_history(path))
    for source in history.sources(others, options.host):
        for row in rows_of(source, key, serials):
            if row.error:
                failed.append(row)
            else:
                newest(found, judged(row, None, now, options.max_age), now)
    drives = {
        name: limited(_stale(row, options.stale), for_row(row, base, sections), now)
        for name, row in ((n, r if serials else r._replace(serial=None)) for n, r in found.items())
        if model is None or model.match(row.model or "")
    }
    if any(row.solid_state for row in drives.values()):  # no word of hard disks beside these
        drives = {
            name: row for name, row in drives.items()
            if row.solid_state or row.status != 3 or any(f.word == "stale" for f in row.findings)
        }  # fmt: skip
    given = {name: options.unknown if row.status == 3 else row.status
             for name, row in drives.items()}  # fmt: skip
    order = sorted(drives, key=lambda name: _rank(drives[name], given[name]))
    status = worst([*given.values(), *(3 for _ in failed)])
    return Fleet({name: drives[name] for name in order}, failed, status, now)


def key_of(options: argparse.Namespace, *, make: bool) -> bytes | None:
    """Return the key of the key file, which is made if `make`; None if there is none."""
    if make and history.make_key(options.key):
        place = options.key or history.default_key()
        print(f"flashwear: made the key file {place}: copy it to all hosts", file=sys.stderr)
    if options.key or history.default_key().exists():
        return history.read_key(options.key)
    return None


def named_sources(options: argparse.Namespace) -> list[str]:
    """Return the sources that the options name; raise ValueError if there is none."""
    if not options.sources and not options.scan:
        raise ValueError("name a SOURCE, or --scan")
    return [*options.sources, *(history.scan() if options.scan else ())]


def silent(path: str, now: float, max_age: float | None) -> list[tuple[Row, history.Change | None]]:
    """Return the newest report of each drive of a history, judged with what changed, and that."""
    found = []
    with history.History(path) as store:
        for drive in store.drives():
            *_, row = reports = store.reports(drive, _DAYS)
            changed = history.change(reports, _DAYS)
            twins = (row, *store.beside(row))  # two drives of one serial number, or one that moved
            row = max(twins, key=lambda one: WORST.index(one.status))
            found.append((judged(row, changed, now, max_age), changed))
    return found


def _stale(row: Row, status: int) -> Row:
    """Give another status to a report that is too old."""
    stale = next((one for one in row.findings if one.word == "stale"), None)
    if stale is None or status == 1:
        return row
    level = "critical" if status == 2 else "note"
    kept = tuple(one for one in row.findings if one.word != "stale")
    if status == 3:
        row = row._replace(doubt=stale.text)
    return row.judged((Finding("stale", level, stale.text), *kept))


def _rank(row: Row, status: int) -> tuple[int, bool, float]:
    silent = any(one.word == "stale" for one in row.findings)
    return -WORST.index(status), not silent, -(row.life_used_percent or 0)


def counts(fleet: Fleet) -> dict[str, int]:
    """Return how many drives have each verdict; what could not be read is unknown."""
    found = dict.fromkeys(("critical", "warning", "unknown", "ok"), 0)
    for row in [*fleet.drives.values(), *fleet.failed]:
        found[VERDICTS[row.status]] += 1
    return found
