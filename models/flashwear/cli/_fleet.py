"""``flashwear fleet``: many reports as a table, or as a page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from flashwear import smart
from flashwear._extras import require
from flashwear.cli._amounts import up_to
from flashwear.cli._fleet_page import fleet_page
from flashwear.cli._page import replaced
from flashwear.cli._smart import told_of
from flashwear.cli._told import Named, gravest
from flashwear.smart._fleet import States, fleet_and_states
from flashwear.smart._words import HIDES

if TYPE_CHECKING:
    import pandas as pd

    from flashwear.history import Change, Row

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows one

ABOUT = """\
Read all reports of a folder, of a tar archive (plain, .xz, .gz or .bz2), the daily table of
Backblaze (.csv or .csv.gz), or a history (flashwear rack record) into a table with one row per
report. In a CSV a text that a spreadsheet would take for a formula begins with an apostrophe. The
page needs no network: drives with the worst first, their wear over age, when it reaches a limit,
and models beside their lines in the field. Reports of one drive, by its serial number, are one row
of the page, and one line of JSON (its schema: flashwear rack show schema). Of a history the page
has what changed, and drives that stopped reporting.
Table and page need: pip install "flashwear[field]"

  flashwear fleet reports.tar.xz -o drives.parquet
  flashwear fleet reports --html fleet.html --warn 80
  flashwear fleet history.sqlite --html fleet.html --jsonl drives.jsonl
  flashwear fleet 2024-01-01.csv --model 'CT|WDC WDS' -o drives.csv
"""
EXIT = """\
exit status: that of the worst drive by its newest report: 2 critical; 1 warning; 3 unknown, a file
that gave no report (column "error" says why), or wrong usage; 0 nothing found"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear fleet`` to its parser."""
    add = parser.add_argument
    add("path", help="a folder, a tar archive or a daily table of Backblaze")
    add("-o", "--output", metavar="FILE", help="the table; ends in .parquet or .csv")
    add("--html", metavar="FILE", help="the page, for a browser")
    add("--jsonl", metavar="FILE", help="a line of JSON per drive; - for stdout")
    add("--serials", action="store_true", help="serial numbers in those lines")
    add(
        "--key", metavar="FILE", help="key file by which a drive has its name in those lines "
        "(default: as flashwear rack --help says)"
    )  # fmt: skip
    add(
        "--warn",
        type=up_to(255),
        default=90,
        metavar="80",
        help="on the page, warn from this percent of the rated life on (default: 90)",
    )
    add(
        "--model", metavar="REGEX", help="only drives whose model begins so (default for a daily"
        " table: what is known for a solid-state drive)"
    )  # fmt: skip
    add("-j", "--jobs", type=int, help="processes (default: one per core)")
    add("-q", "--quiet", action="store_true", help="no progress on stderr")
    parser.set_defaults(tbw=None, dwpd=None, load=None, in_use_since=None)  # as told of one drive


def run(options: argparse.Namespace) -> int:
    """Read the reports, write the table and the page, and return the exit status."""
    from flashwear.cli import _fleet_history  # and SQLite, which the page My drive does not carry

    places = [path for path in (options.output, options.html, options.jsonl) if path]
    if not places or len({*places}) < len(places):
        raise ValueError(
            "give -o FILE for a table, --html FILE for a page, --jsonl FILE for lines, or several "
            "of them in files of their own"
        )
    kind = os.path.splitext(options.output)[1].lower() if options.output else None
    if kind not in (None, ".parquet", ".csv"):
        raise ValueError(f"output must end in .parquet or .csv, got {options.output}")
    if options.output or options.html:
        needed = ["pandas", "joblib", "tqdm", *(["pyarrow"] if kind == ".parquet" else [])]
        require("field", *needed)

    with ExitStack() as files:  # before anything is read: they may not be writable
        parts = {path: files.enter_context(replaced(path)) for path in places if path != "-"}
        status = 0
        if options.jsonl:
            status = _fleet_history.lines(options, parts.get(options.jsonl))
        if not (options.output or options.html):
            return status
        progress = False if options.quiet else None
        known = _fleet_history.known(options.path)
        table, states = fleet_and_states(
            options.path if known is None else _fleet_history.kept(options.path),
            options.jobs, progress, options.model, keep=bool(options.html), warn=options.warn,
        )  # fmt: skip
        own = [os.path.relpath(path, options.path) for path in (*parts, *parts.values())]
        table = table[~table["path"].isin(own)]
        if table.empty:
            raise ValueError(f"{options.path} holds no file to read")
        if options.html:
            text = _page(table, states, options, known or {})
            Path(parts[options.html]).write_text(text, encoding="utf-8")
        if kind == ".csv":
            table.map(_no_formula).to_csv(parts[options.output], index=False)
        elif kind == ".parquet":
            table.to_parquet(parts[options.output], index=False)

    failed = table["error"].dropna()
    unknown = int((table["error"].isna() & table["family"].isna()).sum())
    print(
        f"{len(table):,} files: {len(table) - len(failed):,} reports ({unknown:,} of a family "
        f"that is not known), {len(failed):,} without a report",
        file=sys.stderr,
    )
    for reason, count in failed.value_counts().head(10).items():
        print(f"{count:8,} {reason}", file=sys.stderr)
    if known is not None:
        return _fleet_history.fleet_of(options).status
    return smart.LEVELS[gravest([*_levels(table)] or ["unknown"])]


def _levels(table: pd.DataFrame) -> Iterator[str]:
    """Yield the level of each drive by its newest report, and of each file without one."""
    order = table.sort_values(["time_s", "power_on_hours"], na_position="first", kind="stable")
    single = order["drive"].isna()
    newest = order[single | ~order.duplicated(["drive", "kind", "model"], keep="last")]
    others = {*smart.NO_DRIVE} - {*HIDES}
    for level, doubts in newest[["verdict", "doubts"]].itertuples(index=False):
        if not isinstance(level, str):
            yield "unknown"
        elif level != "unknown" or others.isdisjoint(doubts.split()):
            yield level


def _page(
    table: pd.DataFrame,
    states: list[States],
    options: argparse.Namespace,
    known: Mapping[str, tuple[Row, Change | None]],
) -> str:
    """Return the page of a table and of what stands behind its rows."""
    drives: dict[object, dict[object, Named]] = {}
    others: list[tuple[str, str]] = []
    for place, path, error in zip(table.index, table["path"], table["error"], strict=True):
        if not states[place]:
            others.append((path, error))
            continue
        newest = states[place][-1]
        if hides := next((word for word in smart.NO_DRIVE if word in newest.flags), None):
            others.append((path, smart.FLAGS[hides]))
            continue
        key = (newest.identity, newest.kind, newest.model) if newest.identity else path
        for report in states[place]:  # a copy counts once
            counted = report.power_on_hours, report.host_bytes_written
            before = drives.setdefault(key, {}).get(counted)
            if before is None or (before[1].time_s or 0) <= (report.time_s or 0):
                drives[key][counted] = path, report
    told = (one for drive in drives.values() for one in told_of([*drive.values()], options))
    return fleet_page(told, others, options.warn, known)


def _no_formula(cell: object) -> object:
    """Keep a text from being taken for a formula by a spreadsheet."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULAS else cell
