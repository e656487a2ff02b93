"""``flashwear watch``: which process is wearing the drive out."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._amounts import written
from flashwear.cli._say import answer, one_line, percent, report, size

if TYPE_CHECKING:
    from flashwear.watch import Watched

ABOUT = """\
Watch for some minutes which programs write, what reaches each file system and each drive, and how
long the rating lasts at this rate. Linux only. It reads counters of the kernel, opens no device and
needs no rights: without them, programs of other users are not seen, and the answer says how many.
With two reports it also says what the flash wrote; the second is read when the time is over, and
must have been written by then.

  flashwear watch
  flashwear watch --minutes 60 --drive nvme0n1 --tbw 600TB
  flashwear watch --by unit
  (sleep 3590; smartctl -x -j /dev/nvme0 > then.json) &
  flashwear watch --minutes 60 --before now.json --after then.json
"""
EXIT = "exit status: 0; 3 for wrong usage, or where there are no such counters"

_PROGRAMS = 12
_SHORT_S = 600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear watch`` to its parser."""
    parser.add_argument(
        "--minutes", type=float, default=5, metavar="5", help="how long (Ctrl-C ends it early)"
    )
    parser.add_argument("--drive", metavar="nvme0n1", help="this drive alone (default: all)")
    parser.add_argument(
        "--by", default="name", metavar="unit",
        help="group by name (default), process, command, user, unit, cgroup or container",
    )  # fmt: skip
    parser.add_argument("--tbw", type=written, metavar="600TB", help="what the drive is rated for")
    parser.add_argument("--before", metavar="FILE", help="a report of the drive, read at once")
    parser.add_argument("--after", metavar="FILE", help="another one, read at the end")
    parser.add_argument("--json", action="store_true", help="the same, for scripts")


def run(options: argparse.Namespace) -> int:
    """Watch, print what was seen and return the exit status."""
    if not 0 < options.minutes <= 100_000:
        raise ValueError(f"--minutes must be > 0 and at most 100000, got {options.minutes:g}")
    if options.after and not options.before:
        raise ValueError("--after takes --before too")
    before = report(options.before) if options.before else None
    if sys.stderr.isatty():
        print(f"watching for {options.minutes:g} minutes; Ctrl-C ends it", file=sys.stderr)
    seen = flashwear.watch.watch(60 * options.minutes, drive=options.drive, by=options.by)
    missing = None
    try:
        after = report(options.after) if options.after else before
    except (OSError, ValueError) as error:
        after, missing = before, one_line(error)
    grew = (
        flashwear.smart.written(before, after)
        if options.after and not missing and before and after
        else None
    )
    rated = options.tbw or (after and after.rated_bytes)
    used = (after and after.host_bytes_written) or 0
    rates = seen.bytes_per_day()
    years = None
    one_drive = options.drive or len(seen.drives) < 2
    if rated and rates[0] > 0 and one_drive:
        left = max(0.0, rated - used)
        ends = [left / (365 * rate) if rate else None for rate in (rates[2], rates[1])]
        years = [ends[0], left / (365 * rates[0]), ends[1]]
    values: dict[str, Any] = {
        "seconds": seen.seconds,
        "drives": [one._asdict() for one in seen.drives],
        "file_systems": [one._asdict() for one in seen.file_systems],
        "programs": [one._asdict() for one in seen.programs],
        "unaccounted_bytes": seen.unaccounted,
        "hidden_processes": seen.hidden,
        "bytes_per_day": list(rates),
        "years": years,
        "reports": grew and grew._asdict(),
    }
    lines = _lines(seen, options.by)
    if grew and grew.nand_bytes is not None:
        by = f"{grew.nand_bytes / grew.host_bytes:.3g} times" if grew.host_bytes else "with"
        lines.append(
            f"By the reports, {size(grew.nand_bytes)} went to flash, {by} the "
            f"{size(grew.host_bytes or 0)} of the host (steps of {size(grew.nand_step)} and "
            f"{size(grew.host_step)})."
        )
    if years:
        low, middle, high = years
        most = f"{high:.3g}" if high else "any number of"
        lines.append(
            f"At this rate {size(left)} last {middle:.3g} years ({low:.3g} to {most} by the same "
            "scatter)."
        )
    if missing:
        lines.append(f"No comparison of reports: {missing}.")
    if rated and not one_drive:
        lines.append("The rating is of one drive, and several were written: name it with --drive.")
    if seen.seconds < _SHORT_S:
        lines.append(
            f"These were {seen.seconds / 60:.3g} minutes: backups, updates and the rest of a week "
            "are not in them."
        )
    return answer(options, lines, values)


def _lines(seen: Watched, by: str) -> list[str]:
    day = seen.bytes_per_day()
    lines = [
        f"{size(seen.bytes)} written in {seen.seconds:,.0f} s: {size(day[0])} a day "
        f"({size(day[1])} to {size(day[2])} by the scatter within this time)."
    ]
    lines += [f"  {size(one.bytes):>9}  {one.name}" for one in seen.drives]
    if seen.programs:
        lines.append(f"By {'program' if by == 'name' else by}, at most:")
    for one in seen.programs[:_PROGRAMS]:
        count = f" ({one.processes} processes)" if one.processes > 1 else ""
        lines.append(f"  {size(one.bytes):>9}  {one.name}{count}")
    if more := seen.programs[_PROGRAMS:]:
        lines.append(f"  {size(sum(one.bytes for one in more)):>9}  {len(more)} others")
    if seen.file_systems:
        lines.append("By file system:")
    lines += [f"  {size(one.bytes):>9}  {one.mounted} ({one.name})" for one in seen.file_systems]
    if seen.unaccounted:
        lines.append(
            f"At least {size(seen.unaccounted)} ({percent(seen.unaccounted / seen.bytes)}) belong "
            "to no program that was seen: journal and metadata of the file system, pages changed "
            "before, programs that ended."
        )
    if seen.hidden:
        lines.append(f"Processes that may not be read: {seen.hidden}; root may read more.")
    return lines
