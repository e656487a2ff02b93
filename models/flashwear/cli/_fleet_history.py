"""What ``flashwear fleet`` reads of a history, and its lines of JSON."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

from flashwear.cli._limits import Limits, a_range
from flashwear.cli._rack_read import SILENT_S, Fleet, key_of, read_fleet, silent
from flashwear.history import Change, History, Row, is_history
from flashwear.smart._archive import Content
from flashwear.smart._fleet import model_pattern


def fleet_of(options: argparse.Namespace) -> Fleet:
    """Read the drives that the options of ``flashwear fleet`` name."""
    base = Limits({"life_used": a_range(f"@{options.warn:g}:")}, {}, {})
    given = argparse.Namespace(
        sources=[options.path], scan=False, host=None, warning=[*base.warning.items()],
        critical=[], accept=[],
        limits=None, max_age=None, unknown=3, stale=1,
    )  # fmt: skip
    key = key_of(options, make=not is_history(options.path))
    model = model_pattern(options.model)
    return read_fleet(given, key=key, serials=options.serials, model=model)


def lines(options: argparse.Namespace, part: str | None) -> int:
    """Write a line of JSON for each drive and for each file without a report."""
    fleet = fleet_of(options)
    with ExitStack() as stack:
        file = stack.enter_context(open(part, "w", encoding="utf-8")) if part else sys.stdout
        for row in (*fleet.drives.values(), *fleet.failed):
            file.write(json.dumps(row.as_dict(), allow_nan=False) + "\n")
    return fleet.status


def known(path: str) -> dict[str, tuple[Row, Change | None]] | None:
    """Return the drives of a history by the names that :func:`kept` gives them."""
    if not is_history(path):
        return None
    found = silent(path, time.time(), SILENT_S)
    return {_name(row): (row, changed) for row, changed in found}


def _name(row: Row) -> str:
    return "/".join(filter(None, (row.host, f"{row.device or row.file} {row.drive}")))


def kept(path: str) -> Iterator[tuple[str, Content]]:
    """Yield the newest report of each drive of a history, and the one where its rates begin."""
    with History(path) as store:
        for row, changed in silent(path, time.time(), None):
            times = {row.taken_at, changed and changed.since}
            found = list(store.raw(row.drive or "", sorted({at for at in times if at})))
            yield from ((_name(row), content) for content in found)
            if not found:
                yield _name(row), "the history does not keep the report itself"
