"""``flashwear fleet``: many reports as a table, or as a page."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from flashwear import smart
from flashwear._extras import require
from flashwear.cli._amounts import up_to
from flashwear.cli._fleet_page import fleet_page
from flashwear.cli._page import replaced
from flashwear.cli._smart import told_of
from flashwear.cli._told import Named
from flashwear.smart._fleet import States, fleet_and_states

if TYPE_CHECKING:
    import pandas as pd

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows one

ABOUT = """\
Read all reports of a folder, of a tar archive (plain, .xz, .gz or .bz2), or the daily table of
Backblaze (.csv or .csv.gz) into a table with one row per report. In a CSV a text that a
spreadsheet would take for a formula begins with an apostrophe. The page needs no network: drives
with the worst first, their wear over age, when it reaches a limit, and models beside their lines in
the field. Reports of one drive, by its serial number, are one row of the page.
Needs: pip install "flashwear[field]"

  flashwear fleet reports.tar.xz -o drives.parquet
  flashwear fleet reports --html fleet.html --warn 80
  flashwear fleet 2024-01-01.csv --model 'CT|WDC WDS' -o drives.csv
"""
EXIT = """\
exit status: 0 every file gave a report; 1 some did not (column "error" says why); 3 none did,
there was none, or wrong usage"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear fleet`` to its parser."""
    parser.add_argument("path", help="a folder, a tar archive or a daily table of Backblaze")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the table; ends in .parquet or .csv"
    )
    parser.add_argument("--html", metavar="FILE", help="the page, for a browser")
    parser.add_argument(
        "--warn",
        type=up_to(255),
        default=90,
        metavar="80",
        help="on the page, warn from this percent of the rated life on (default: 90)",
    )
    parser.add_argument(
        "--model", metavar="REGEX", help="only drives whose model begins so (default for a daily"
        " table: what is known for a solid-state drive)"
    )  # fmt: skip
    parser.add_argument("-j", "--jobs", type=int, help="processes (default: one per core)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")
    parser.set_defaults(tbw=None, dwpd=None, load=None, in_use_since=None)  # as told of one drive


def run(options: argparse.Namespace) -> int:
    """Read the reports, write the table and the page, and return the exit status."""
    if options.output == options.html:
        raise ValueError("give -o FILE for a table, --html FILE for a page, or both in two files")
    kind = os.path.splitext(options.output)[1].lower() if options.output else None
    if kind not in (None, ".parquet", ".csv"):
        raise ValueError(f"output must end in .parquet or .csv, got {options.output}")
    needed = ["pandas", "joblib", "tqdm", *(["pyarrow"] if kind == ".parquet" else [])]
    require("field", *needed)

    with ExitStack() as files:  # before anything is read: they may not be writable
        outputs = [path for path in (options.output, options.html) if path]
        parts = {path: files.enter_context(replaced(path)) for path in outputs}
        progress = False if options.quiet else None
        table, states = fleet_and_states(
            options.path, options.jobs, progress, options.model, keep=bool(options.html)
        )
        own = [os.path.relpath(path, options.path) for path in (*parts, *parts.values())]
        table = table[~table["path"].isin(own)]
        if table.empty:
            raise ValueError(f"{options.path} holds no file to read")
        if options.html:
            text = _page(table, states, options)
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
    if len(failed) == len(table):
        return 3
    return 1 if len(failed) else 0


def _page(table: pd.DataFrame, states: list[States], options: argparse.Namespace) -> str:
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
            drives.setdefault(key, {})[counted] = path, report
    told = (one for drive in drives.values() for one in told_of([*drive.values()], options))
    return fleet_page(told, others, options.warn)


def _no_formula(cell: object) -> object:
    """Keep a text from being taken for a formula by a spreadsheet."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULAS else cell
