"""``flashwear choose``: which drive to buy for a load."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._amounts import a_day, share, up_to, written
from flashwear.cli._say import answer, report, shown

ABOUT = """\
Say which of some drives to buy: whether each lasts, what it costs in whole drives, what rules it
out, what would change the order, and what to measure. The load is one that was measured, or
programs by name with what lies beneath them. Without --candidates it looks among the drives whose
rating is known here.

  flashwear choose --load postgres:200/s --below zfs --raid mirror:2 --candidates prices.csv
  echo 'Samsung 870 EVO 1TB 85 EUR' | flashwear choose --load proxmox:10 --below zfs --candidates -
  flashwear choose --report monday.txt later.txt --years 6 --space 800GB
  flashwear choose --report history.sqlite:3f9a1c0b7d2e4455 --candidates prices.csv
  flashwear choose --bytes-per-day 40GB/day 90GB/day --plp

Loads: rows a second as postgres:200/s or mysql:10-50/s (postgres, postgres-insert, mysql,
mysql-insert, sqlite, sqlite-wal, both with -insert, rocksdb, lmdb, ceph), which
row=120,commit=1,data=20,indexes=1 after it narrows (bytes of a row, rows to a commit, GB, indexes
that a change changes); or how many, as proxmox:10 (vm, proxmox, k3s,
camera, laptop, workstation, home-assistant, bitcoin, ethereum, blockchain), with what each writes
where it is known, as camera:16,mbit=4 or k3s:3,gb=5 (a day). A workstation is a developer's
computer, with a few virtual machines; any other is a laptop.
A list of candidates has a line for each drive, with a header or as pasted from a shop: model,
capacity, price, and TBW or DWPD, years of warranty, PLP, DRAM, TLC or QLC where known.
"""
EXIT = "exit status: 0 if a drive fits, 1 if none does, 3 for wrong usage or a file that failed"

_NAMES = {"load": "--load", "bytes_per_day": "--bytes-per-day", "raid": "--raid",
          "below": "--below",
          "years": "--years", "candidates": "--candidates", "prices": "--candidates:",
          "space_bytes": "--space", "months_off": "--months-off", "growth": "--growth"}  # fmt: skip
_MOST = 2**20
_YEAR_HOURS = 8766


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear choose`` to its parser."""
    parser.add_argument(
        "--load", action="append", metavar="postgres:200/s", help="what runs (may be repeated)"
    )
    parser.add_argument(
        "--bytes-per-day", type=_day, nargs="+", metavar="40GB",
        help="what one drive took, or from what to what",
    )  # fmt: skip
    parser.add_argument(
        "--report",
        nargs="+",
        metavar="FILE",
        help="report of the old drive, or two of them; a "
        "history of flashwear rack (with :DRIVE if it has several); an answer of why --json",
    )
    parser.add_argument(
        "--below", default="none", metavar="zfs",
        help="what lies below the programs: ext4, xfs, btrfs, zfs or zfs:16k",
    )  # fmt: skip
    parser.add_argument(
        "--raid", metavar="mirror:2",
        help="mirror:2, stripe:2, raid10:4, raid5:4, raid6:6, raidz1:4, copies:3/10, erasure:4+2",
    )  # fmt: skip
    parser.add_argument(
        "--years", type=up_to(50), default=5, metavar="5", help="wanted (default: 5)"
    )
    parser.add_argument("--space", type=written, metavar="800GB", help="data to be kept, in all")
    parser.add_argument("--growth", type=share, metavar="20%", help="by which they grow in a year")
    parser.add_argument(
        "--plp", action="store_true", help="power-loss protection is a must"
    )  # fmt: skip
    parser.add_argument("--no-trim", action="store_true", help="no TRIM arrives at the drive")
    parser.add_argument(
        "--months-off", type=up_to(600), default=0, metavar="6", help="longest time without power"
    )
    parser.add_argument(
        "--candidates", metavar="FILE", help="drives and prices; - for standard input"
    )
    parser.add_argument("--csv", action="store_true", help="the drives as a table, in CSV")
    parser.add_argument("--json", action="store_true", help="the same, for scripts")
    parser.set_defaults(names=_NAMES)


def run(options: argparse.Namespace) -> int:
    """Print which drive to buy, and return the exit status."""
    choose = flashwear.choose
    found = choose.choose(needs(options), _candidates(options.candidates))
    fits = any(one.verdict == "fits" for one in found.ranked)
    status = int(not fits or found.ending == "cannot")
    table = choose.table(found)
    if options.csv and not options.json:
        text = io.StringIO()
        writer = csv.DictWriter(text, table[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        return answer(options, [text.getvalue().rstrip()], {}, status)
    lines = [shown(line) for line in choose.answer(found)]
    lines[0] += _old(options.report or [], options.years)
    if options.report:
        lines.append("What the old drive says of itself: flashwear smart, with its report.")
        if len(options.report) == 1 and not _recorded(*options.report):
            lines.append("One report tells the mean since the drive was new: two, a week apart, "
                         "tell what it takes today.")  # fmt: skip
    next_one = choose.measure(found)
    values: dict[str, Any] = {
        "sentence": lines[0], "ending": found.ending, "lines": lines,
        "bytes_per_day": found.bytes_per_day._asdict(),
        "layers": [{"name": one.name, **one.bytes_per_day._asdict()} for one in found.layers],
        "drives": table, "changes": choose.changes(found),
        "instead": [one.candidate.model for one in found.instead],
        "measure": next_one and next_one._asdict(),
        "costs": [{"model": name, "years": [year._asdict() for year in years]}
                  for name, years in choose.costs(found)],
    }  # fmt: skip
    return answer(options, lines, values, status)


def needs(options: argparse.Namespace) -> flashwear.choose.Needs:
    """Return what the words of the command ask for, but for the candidates."""
    choose = flashwear.choose
    given = [options.load, options.bytes_per_day, options.report]
    if sum(one is not None for one in given) != 1:
        raise ValueError("give one of --load, --bytes-per-day and --report")
    measured, interface = _measured(options)
    return choose.Needs(
        tuple(map(choose.load, options.load or ())), measured, options.below,
        choose.array(options.raid, options.below), options.years, options.space or 0.0,
        options.growth or 0.0, options.plp, not options.no_trim, options.months_off,
        interface,
    )  # fmt: skip


def _measured(options: argparse.Namespace) -> tuple[flashwear.choose.Range | None, str]:
    """Return the bytes a day that were measured, and the interface of the old drive."""
    if options.report:
        if len(options.report) > 2:
            raise ValueError("--report takes one report or two of one drive")
        try:
            if recorded := _recorded(*options.report):
                return recorded, ""
            reports = list(map(report, options.report))
            slot = {"ata": "SATA", "nvme": "NVMe"}.get(reports[0].kind, "")
            return flashwear.choose.measured(*reports), slot
        except ValueError as error:
            raise ValueError(f"--report: {error}") from None
    if options.bytes_per_day is None:
        return None, ""
    if len(options.bytes_per_day) > 2 or options.bytes_per_day != sorted(options.bytes_per_day):
        raise ValueError("--bytes-per-day takes one rate, or the lower and the higher")
    return flashwear.choose.between(*options.bytes_per_day), ""


def _old(paths: list[str], years: float) -> str:
    """Say that the old drive lasts, or likely wears faster than its rating, by its reports."""
    if not paths or _recorded(*paths):
        return ""
    try:
        old, *newer = map(report, paths)
        last = newer[0] if newer else old
        told = flashwear.smart.between(old, last).forecast if newer else None
        told = told or flashwear.smart.forecast(last)
    except ValueError:
        return ""
    if told.wear is None or told.wear[1] is None or told.rating is None:
        return ""
    if min(told.wear[0], told.rating) >= years:
        return (f" The old drive itself may do: its gauge leaves it {told.wear[0]:.0f} years under "
                f"power and more, the rating {told.rating:.0f}.")  # fmt: skip
    middle = (max(told.wear[0], told.wear[1] / 4) * told.wear[1]) ** 0.5
    if middle >= told.rating:
        return ""
    left = f"{told.wear[0]:.1f} to {told.wear[1]:.1f} years"
    often = "wears" if told.wear[1] < told.rating else "likely wears"
    return (f" The old drive {often} faster than its rating: its own gauge leaves it {left} under "
            f"power, the rating {told.rating:.1f}. Another like it would wear as fast, whatever is "
            f"said here: find out why (flashwear smart){_times(last)}.")  # fmt: skip


def _times(last: flashwear.smart.Report) -> str:
    """Say how much faster than its rating the gauge went since the drive was new."""
    rating, hours, used = (
        flashwear.smart.forecast(last).rating,
        last.power_on_hours,
        last.percent_used,
    )
    if not rating or not hours or not used:
        return ""
    written = hours / (hours + rating * _YEAR_HOURS)  # of what it is rated for
    return f", or ask {used / 100 / written:.1f} times the rating"


def _day(text: str) -> float:
    return a_day(text if "/" in text else f"{text}/day")


def _recorded(path: str, *others: str) -> flashwear.choose.Range | None:
    """Return the bytes a day of a history or of a watched drive; None for reports."""
    name, _, drive = (
        (path, "", "") if Path(path).exists() or ":" not in path else path.rpartition(":")
    )
    with Path(name).open("rb") as file:
        text = file.read(_MOST + 1)
    if text.startswith(b"SQLite format 3\0") and not others:
        return _by_history(name, drive)
    if others or b'"watched"' not in text:
        return None
    return flashwear.choose.watched(text.decode("utf-8", "replace"))


def _by_history(name: str, drive: str) -> flashwear.choose.Range:
    from flashwear import history  # and SQLite, which the page does not carry

    with history.History(name) as store:
        known = store.drives()
        if (drive and drive not in known) or not (drive or len(known) == 1):
            raise ValueError(f"{name}: name one drive of {len(known)}, as {name}:DRIVE")
        changed = history.change(store.reports(drive or known[0], 90))
    if changed is None or not changed.host_bytes_per_day:
        raise ValueError(f"{name} must have two dated reports between which the host wrote")
    return flashwear.choose.between(changed.host_bytes_per_day)


def _candidates(path: str | None) -> tuple[flashwear.choose.Candidate, ...] | None:
    if path is None:
        return None
    if path == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed")
        data = sys.stdin.buffer.read(_MOST + 1)
    else:
        with Path(path).open("rb") as file:
            data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise ValueError("--candidates must be at most 1 MiB")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return flashwear.choose.candidates(shown_lines(data.decode(encoding, errors="replace")))


def shown_lines(text: str) -> str:
    """Return a text without control characters but for the ends of its lines and tabs."""
    return "\n".join("\t".join(map(shown, line.split("\t"))) for line in text.splitlines())
