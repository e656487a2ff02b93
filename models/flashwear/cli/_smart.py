"""``flashwear smart``: what a report says about a drive, as text or as JSON."""

import argparse
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO

from flashwear import smart
from flashwear.cli._amounts import a_day, up_to, written
from flashwear.cli._json import drive_as_json, foremost
from flashwear.cli._say import as_json, one_line
from flashwear.cli._told import Named, Told, gravest
from flashwear.smart import Report
from flashwear.smart._found import keyed

_HINT = " (pipe a report in: smartctl -x DEVICE | flashwear smart -)"

ABOUT = """\
Read reports of drives and say what they mean: whether anything speaks against the drive, what was
written, how worn it is, how long it will last at this load, and what in a report not to trust.
It opens no drive, and prints no serial number.

  smartctl -x /dev/sda | flashwear smart -
  smartctl -j -x /dev/nvme0 > report.json; flashwear smart report.json --tbw 600TB
  (nvme smart-log /dev/nvme0; nvme ocp smart-add-log /dev/nvme0) | flashwear smart -
  flashwear smart march.json june.json --load 20GB/day
  smartctl -x -j /dev/nvme0 | flashwear smart - --history history.sqlite

A report is what smartctl prints (-x says most; -a or -A, as text or with -j as JSON), the logs of
nvme-cli (smart-log, endurance-log, ocp smart-add-log, intel smart-log-add, fdp stats), the text
of CrystalDiskInfo, an attribute log of smartd, or the details of a drive from scrutiny; as they
are, packed with gzip, or pasted from a mail or a page. Reports of one drive (by its serial
number, or with --same-drive) are compared, the oldest with the newest. Years are of 365 days
under power; a date takes two reports that tell the day, or --in-use-since.
"""
EXIT = """\
exit status: 0 nothing found; 1 warning; 2 critical; 3 unknown (the report does not tell how worn
the drive is, or not for certain), no readable report, or wrong usage"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear smart`` to its parser."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a report; - for standard input")
    add("--tbw", type=written, metavar="600TB", help="what the drive is rated for")
    add("--dwpd", type=up_to(1000), metavar="0.3", help="the same as drive writes a day")
    add(
        "--years",
        type=up_to(100),
        default=5,
        metavar="5",
        help="of warranty, for --dwpd (default: 5)",
    )
    add("--load", type=a_day, metavar="20GB/day", help="host writes to come")
    add(
        "--warn",
        type=up_to(255),
        default=90,
        metavar="80",
        help="warn from this percent of the rated life on (default: 90)",
    )
    add(
        "--in-use-since",
        type=_day,
        metavar="2023-04",
        help="for the date when the rating is reached",
    )
    add("--same-drive", action="store_true", help="compare reports that name no serial number")
    add("--history", metavar="FILE", help="what changed in this history (flashwear rack record)")
    add(
        "--key",
        metavar="FILE",
        help="key file of that history (default: as flashwear rack --help says)",
    )
    add("--json", action="store_true", help="everything, for scripts")


def _day(text: str) -> datetime:
    for layout in ("%Y-%m-%d", "%Y-%m"):
        with suppress(ValueError):
            day = datetime.strptime(text.strip(), layout).replace(tzinfo=UTC)
            if day.year >= 1990 and day < datetime.now(UTC):
                return day
    raise argparse.ArgumentTypeError(
        f"must be a day or month that has passed, as 2023-04-30 or 2023-04, got {text[:40]!r}"
    )


def run(options: argparse.Namespace) -> int:
    """Read the reports, print their content and return the exit status."""
    if options.tbw is not None and options.dwpd is not None:
        raise ValueError("--tbw and --dwpd say the same; give one")
    key = None
    if options.history:
        from flashwear.cli import _smart_history  # which the page My drive does not carry

        key = _smart_history.read_key(options.key)
    with keyed(key):
        drives, errors = _drives(options.files, options.same_drive)
    told = [one for drive in drives for one in told_of(drive, options)]
    if options.history:
        _smart_history.tell(told, options.history)
    levels = [drive.level for drive in told] + ["unknown"] * bool(errors)
    status = smart.LEVELS[gravest(levels)]
    try:
        if options.json:
            found = [drive_as_json(drive) for drive in told]
            first = foremost(told)
            print(as_json({"status": status, "foremost": first, "drives": found, "errors": errors}))
        elif told:
            print("\n\n".join("\n".join(drive.lines()) for drive in told))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone, as after "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not options.json:
        for error in errors:
            hint = "" if told or error["error"].startswith("the gzip file") else _HINT
            print(f"flashwear: {error['file']}: {error['error']}{hint}", file=sys.stderr)
    return status


def _drives(files: list[str], same_drive: bool) -> tuple[list[list[Named]], list[dict[str, str]]]:
    """Return the reports of each drive, and what could not be read."""
    drives: list[list[Named]] = []
    errors: list[dict[str, str]] = []
    for file in files:
        name = smart.without_serial(file)
        try:
            found, lost = _read(file)
        except (smart.Unreadable, OSError) as error:
            if isinstance(error, OSError) and error.strerror:
                error = smart.Unreadable(error.strerror)
            found, lost = [], [one_line(error)]
        errors += [{"file": name, "error": one_line(ValueError(text))} for text in lost]
        for states in found:
            named = [(name, report) for report in states]
            same = [drive for drive in drives if same_drive or _same(drive[0][1], states[0])]
            if same:
                same[0].extend(named)
            else:
                drives.append(named)
    return drives, errors


def _read(name: str) -> tuple[list[list[Report]], list[str]]:
    if name != "-":
        return smart.read_states(name)
    if sys.stdin is None:
        raise smart.Unreadable("standard input is closed")
    source: IO[bytes] = sys.stdin.buffer
    return smart.read_states(source)


def _same(one: Report, other: Report) -> bool:
    """Say whether two reports name one drive: by their serial numbers, and nothing against it."""
    return (
        one.identity is not None
        and one.identity == other.identity
        and one.kind == other.kind
        and one.model == other.model
    )


def told_of(drive: list[Named], options: argparse.Namespace) -> list[Told]:
    """Return the output about a drive: one for all its reports, or one each if they do not fit."""
    timed = all(report.time_s is not None for _, report in drive)
    when = "time_s" if timed else "power_on_hours"
    drive = sorted(drive, key=lambda named: getattr(named[1], when) or 0)
    told = Told(drive, options)
    if told.not_compared is None:
        return [told]
    return [*(Told([one], options) for one in drive[:-1]), told]
