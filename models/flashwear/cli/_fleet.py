"""``flashwear fleet``: many reports as a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from flashwear import smart
from flashwear._extras import require
from flashwear.cli._fleet_page import page

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows one

ABOUT = """\
Read all reports of a folder, of a tar archive (plain, .xz, .gz or .bz2), or the daily table of
Backblaze (.csv or .csv.gz) into a table with one row per report. In a CSV a text that a
spreadsheet would take for a formula begins with an apostrophe.
Needs: pip install "flashwear[field]"

  flashwear fleet reports.tar.xz -o drives.parquet
  flashwear fleet 2024-01-01.csv --model 'CT|WDC WDS' -o drives.csv
  flashwear fleet reports/ --html fleet.html
"""
EXIT = """\
exit status: 0 every file gave a report; 1 some did not (column "error" says why); 3 none did,
there was none, or wrong usage"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("path", help="a folder, a tar archive or a daily table of Backblaze")
    parser.add_argument("-o", "--output", metavar="FILE", help="ends in .parquet or .csv")
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="a page to sort, worst first, for a browser without a network",
    )
    parser.add_argument(
        "--warn", type=float, default=90, metavar="80", help="per cent of life used to which the "
        "page tells the years (default: 90)"
    )  # fmt: skip
    parser.add_argument(
        "--model", metavar="REGEX", help="only drives whose model begins so (default for a daily"
        " table: what is known for a solid-state drive)"
    )  # fmt: skip
    parser.add_argument("-j", "--jobs", type=int, help="processes (default: one per core)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")


def run(options: argparse.Namespace) -> int:
    """Read the reports, write the table and return the exit status."""
    if not (options.output or options.html):
        raise ValueError("output or html must be given: -o drives.csv, or --html fleet.html")
    if not 0 < options.warn <= 1000:
        raise ValueError(f"warn must be above 0 and at most 1000, got {options.warn:g}")
    kind = os.path.splitext(options.output or "")[1].lower()
    if options.output and kind not in (".parquet", ".csv"):
        raise ValueError(f"output must end in .parquet or .csv, got {options.output}")
    needed = ["pandas", "joblib", "tqdm", *(["pyarrow"] if kind == ".parquet" else [])]
    require("field", *needed)

    wanted = [path for path in (options.output, options.html) if path]
    with ExitStack() as stack:  # before anything is read: they may not be writable
        parts = {path: stack.enter_context(_replaced(path)) for path in wanted}
        progress = False if options.quiet else None
        table = smart.fleet(options.path, options.jobs, progress, model=options.model)
        own = [os.path.relpath(path, options.path) for pair in parts.items() for path in pair]
        table = table[~table["path"].isin(own)]
        if table.empty:
            raise ValueError(f"{options.path} holds no file to read")
        if options.output and kind == ".csv":
            table.map(_no_formula).to_csv(parts[options.output], index=False)
        elif options.output:
            table.to_parquet(parts[options.output], index=False)
        if options.html:
            with open(parts[options.html], "w", encoding="utf-8") as file:
                file.write(page(table, options.warn))

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


@contextmanager
def _replaced(path: str) -> Iterator[str]:
    """Return a new file beside `path`, which takes its place at the end if nothing goes wrong."""
    folder, name = os.path.split(path)
    part = os.path.join(folder, f".{name}.part")
    try:
        with open(part, "wb"):
            pass
        yield part
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _no_formula(cell: object) -> object:
    """Keep a text from being taken for a formula by a spreadsheet."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULAS else cell
