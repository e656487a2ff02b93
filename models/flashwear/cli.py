"""The command ``flashwear``: what a SMART report says, for people and for scripts."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING

import flashwear

if TYPE_CHECKING:
    from flashwear.smart import Report

FINE, DOUBTFUL, UNREADABLE = 0, 1, 2

_LEAST_WAF = 0.05
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows one

_STOPS = {  # flags of counters that go no further than this figure
    ("177_saturated_8191", 8191),
    ("177_value_floor", 99),
    ("233_value_floor", 99),
    ("245_value_floor", 99),
    ("202_saturated", 100),
    ("percent_used_255", 255),
}

_ABOUT = "What SMART reports say about the wear of solid-state drives."
_SMART = """\
Read one report of smartctl and say what it means: what was written, how worn the drive is, how
long it will last at this rate, and what in the report not to trust.

  smartctl -x /dev/sda | flashwear smart -
  smartctl -j -x /dev/nvme0 > report.json; flashwear smart report.json
"""
_FLEET = """\
Read all reports of a folder or of a tar archive (plain, .xz, .gz or .bz2) into a table with one
row per file. In a CSV a text that a spreadsheet would take for a formula begins with an apostrophe.
Needs: pip install "flashwear[field]"

  flashwear fleet reports.tar.xz -o drives.parquet
"""
_SMART_EXIT = """\
exit status: 0 nothing to distrust; 1 the drive is of an unknown family, something in its report
is not to be trusted, or the drive failed or is past its rated life; 2 no readable report, or wrong
usage"""
_FLEET_EXIT = """\
exit status: 0 every file gave a report; 1 some did not (column "error" says why); 2 none did, or
wrong usage"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``flashwear``; by default those of the process.

    Returns
    -------
    int
        0 fine, 1 read but unknown or flagged, or of a drive that failed or is past its rated life,
        2 unreadable or wrong usage.

    Examples
    --------
    >>> main(["smart", "no such file"])
    2
    """
    for stream in (sys.stdout, sys.stderr):  # a terminal may not know every letter
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
        sys.stdout.flush()
    except SystemExit as error:  # argparse: 0 after --help, 2 for wrong usage
        return error.code if isinstance(error.code, int) else UNREADABLE
    except BrokenPipeError:  # the reader of our output has gone, as after "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except (ImportError, OSError, ValueError) as error:
        print(f"flashwear: {_one_line(error)}", file=sys.stderr)
        return UNREADABLE
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # status 1 speaks of the drive, so a crash must not give it
        text = f"{type(error).__name__}: {_one_line(error)[:200]}"
        print(f"flashwear: internal error, please report it: {text}", file=sys.stderr)
        return UNREADABLE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="flashwear", description=_ABOUT)
    parser.add_argument("--version", action="version", version=f"%(prog)s {flashwear.__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    raw = argparse.RawDescriptionHelpFormatter

    smart = commands.add_parser(
        "smart",
        help="what one report says",
        description=_SMART,
        epilog=_SMART_EXIT,
        formatter_class=raw,
    )
    smart.add_argument("file", help="a report as text or JSON, or - for standard input")
    smart.add_argument("--json", action="store_true", help="everything, for scripts")
    smart.set_defaults(run=_smart)

    fleet = commands.add_parser(
        "fleet",
        help="a table of many reports",
        description=_FLEET,
        epilog=_FLEET_EXIT,
        formatter_class=raw,
    )
    fleet.add_argument("path", help="a folder or a tar archive")
    fleet.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="ends in .parquet or .csv"
    )
    fleet.add_argument("-j", "--jobs", type=int, help="processes (default: one per core)")
    fleet.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")
    fleet.set_defaults(run=_fleet)
    return parser


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error)
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _smart(options: argparse.Namespace) -> int:
    from flashwear import smart

    if options.file == "-" and sys.stdin is None:
        raise ValueError("standard input is closed")
    source: str | IO[bytes] = sys.stdin.buffer if options.file == "-" else options.file
    try:
        report = smart.read(source)
    except smart.Unreadable as error:
        raise smart.Unreadable(
            f"{_one_line(error)} (pipe a report in: smartctl -x DEVICE | flashwear smart -)"
        ) from None
    if options.json:
        print(json.dumps(_as_json(report), indent=1, allow_nan=False))
    else:
        print("\n".join(_lines(report)))
    used = report.percent_used
    worn = report.passed is False or (used is not None and used >= 100)
    return DOUBTFUL if report.flags or worn else FINE


def _as_json(report: Report) -> dict[str, object]:
    from flashwear import smart

    years = smart.years_left(report)
    return {
        **report.as_dict(),
        "years_left": years and [end if math.isfinite(end) else None for end in years],
        "rated_years_left": smart.rated_years_left(report),
        "distrust": {word: smart.FLAGS[word] for word in report.flags},
    }


def _lines(report: Report) -> list[str]:
    """Give what a person wants to know about a drive."""
    from flashwear import smart

    distrust = [f"{word}: {smart.FLAGS[word]}" for word in report.flags]
    rows = [
        ("Drive", _drive(report)),
        ("Written by the host", _bytes(report, "host_bytes_written")),
        ("Written to flash", _bytes(report, "nand_bytes_written")),
        ("Write amplification", _amplification(report)),
        ("Average erases", _figure(report, "average_erases", " per block")),
        ("Life used", _figure(report, "percent_used", " %")),
        ("Left at this rate", _years(report)),
        ("Rated to write", _rating(report)),
        ("Verdict of the drive", {True: "PASSED", False: "FAILED", None: "none"}[report.passed]),
        ("Not to be trusted", distrust[0] if distrust else "nothing found"),
        *(("", line) for line in distrust[1:]),
    ]
    return [f"{name:<21} {text}" for name, text in rows]


def _drive(report: Report) -> str:
    parts = [report.model or "model not given"]
    if report.firmware:
        parts.append(f"firmware {report.firmware}")
    if report.capacity_bytes is not None:
        parts.append(_size(report.capacity_bytes))
    if report.power_on_hours is not None:
        parts.append(f"{report.power_on_hours:,} h under power")
    return ", ".join(parts)


def _size(count: float) -> str:
    for name, unit in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count / 1e6:.4g} MB"


def _bytes(report: Report, figure: str) -> str:
    count = getattr(report, figure)
    if count is None:
        return "not known"
    more = ""
    if figure == "host_bytes_written" and report.capacity_bytes:
        more = f", {_short(count / report.capacity_bytes)} times the drive"
    if figure == "nand_bytes_written" and report.slc_bytes_written is not None:
        more = f", and {_size(report.slc_bytes_written)} in the SLC cache"
    return f"{_size(count)}{more} ({report.rules[figure]})"


def _figure(report: Report, figure: str, unit: str) -> str:
    value = getattr(report, figure)
    if value is None:
        return "not known"
    least = "at least " if any((word, value) in _STOPS for word in report.flags) else ""
    return f"{least}{value:,}{unit} ({report.rules[figure]})"


def _amplification(report: Report) -> str:
    if "host_unit_doubtful" in report.flags:
        return "not known: the unit of host writes is in doubt"
    if report.waf is not None and report.waf < _LEAST_WAF:
        return f"not known: {report.waf:.2g} is less than compression explains"
    if report.waf is not None:
        return f"{report.waf:.2f}" + (" without the SLC cache" if report.slc_bytes_written else "")
    if report.waf_pages is not None:
        return f"{report.waf_pages:.2f} by pages, whose size is not known"
    if report.waf_reported is not None:
        return f"{report.waf_reported:.2f} as the drive states it, unchecked"
    return "not known: the report has no trusted count of flash writes"


def _years(report: Report) -> str:
    from flashwear import smart

    interval = smart.years_left(report)
    if interval is None:
        return "not known"
    low, high = interval
    if high == 0:
        return "nothing: past its rated life"
    if high < 0.05:
        used_up = report.percent_used is not None and report.percent_used >= 100
        return "less than a month under power" + (": its rated life is used up" if used_up else "")
    if math.isinf(high):
        return f"more than {_span(low)} years under power (too little used to say more)"
    return f"{_span(low)} to {_span(high)} years under power (life used is rounded to 1 %)"


def _span(years: float) -> str:
    return f"{years:.1f}" if years < 10 else f"{years:,.0f}"


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _rating(report: Report) -> str:
    from flashwear import smart

    if report.rated_bytes is None:
        return "not known here"
    text = _size(report.rated_bytes)
    if report.host_bytes_written is not None:
        text += (
            f", of which {_short(100 * report.host_bytes_written / report.rated_bytes)} % written"
        )
    years = smart.rated_years_left(report)
    return text if years is None else f"{text}: {_span(years)} years left at this rate"


def _fleet(options: argparse.Namespace) -> int:
    kind = os.path.splitext(options.output)[1].lower()
    if kind not in (".parquet", ".csv"):
        raise ValueError(f"output must end in .parquet or .csv, got {options.output}")
    needed = ["pandas", "joblib", "tqdm", *(["pyarrow"] if kind == ".parquet" else [])]
    if missing := [name for name in needed if find_spec(name) is None]:
        raise ImportError(f'{", ".join(missing)} missing: pip install "flashwear[field]"')
    from flashwear import smart

    with _replaced(options.output) as part:  # before anything is read: it may not be writable
        table = smart.fleet(options.path, options.jobs, False if options.quiet else None)
        own = [os.path.relpath(path, options.path) for path in (part, options.output)]
        table = table[~table["path"].isin(own)]
        if kind == ".csv":
            table.map(_no_formula).to_csv(part, index=False)
        else:
            table.to_parquet(part, index=False)

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
        return UNREADABLE
    return DOUBTFUL if len(failed) else FINE


@contextmanager
def _replaced(path: str) -> Iterator[str]:
    """Give a new file beside `path`, which takes its place at the end if nothing goes wrong."""
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
