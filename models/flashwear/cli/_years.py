"""``flashwear years``: how long a rating lasts at a load."""

import argparse
from typing import Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._amounts import a_day, written
from flashwear.cli._say import answer, size

ABOUT = """\
Say how many years of 365 days a drive's rated writes last at a load: bytes of the host, as the
maker counts them. Where the rating is not known, flash, P/E cycles and write amplification stand
in for it.

  flashwear years --tbw 600TB --load 30GB/day
  flashwear years --dwpd 0.3 --capacity 1TB --warranty 5 --load 30GB/day
  flashwear years --flash 1TiB --pe-cycles 1500 --wa 3 --load 30GB/day
"""
EXIT = "exit status: 0, or 3 for wrong usage"

_NAMES = {"dwpd": "--dwpd", "years": "--warranty", "pe_cycles": "--pe-cycles", "waf": "--wa"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear years`` to its parser."""
    add = parser.add_argument
    add("--load", type=a_day, required=True, metavar="30GB/day", help="what the host writes")
    add("--tbw", type=written, metavar="600TB", help="what the drive is rated for")
    add("--dwpd", type=float, metavar="0.3", help="the same as drive writes a day")
    add("--warranty", type=float, metavar="5", help="years, for --dwpd (default: 5)")
    add("--capacity", type=written, metavar="1TB", help="of the drive as sold, for --dwpd")
    add("--flash", type=written, metavar="1TiB", help="raw flash")
    add("--pe-cycles", type=float, metavar="1500", help="erases a block bears")
    add("--wa", type=float, metavar="3", help="write amplification, for --flash (default: 1)")
    add("--json", action="store_true", help="the same, for scripts")
    parser.set_defaults(names=_NAMES)


def run(options: argparse.Namespace) -> int:
    """Print a drive's years of life, and the daily load that would last for the warranty."""
    tbw = _rated(options)
    years = float(flashwear.endurance.lifetime_years(tbw, options.load))
    lines = [f"{years:.3g} years: {size(tbw)} of writes at {size(options.load)} a day."]
    values: dict[str, Any] = {
        "years": years,
        "tbw_bytes": tbw,
        "bytes_per_day": options.load,
        "drive_writes_per_day": None,
    }
    if options.capacity:
        rate = options.load / options.capacity
        values["drive_writes_per_day"] = rate
        lines.append(f"The load is {rate:.3g} drive writes a day of {size(options.capacity)}.")
    return answer(options, lines, values)


def _rated(options: argparse.Namespace) -> float:
    ways = {
        "--tbw": options.tbw is not None,
        "--dwpd": options.dwpd is not None,
        "--flash and --pe-cycles": options.flash is not None or options.pe_cycles is not None,
    }
    if sum(ways.values()) != 1:
        raise ValueError(f"give one of {', '.join(ways)}")
    if options.warranty is not None and options.dwpd is None:
        raise ValueError("--warranty goes with --dwpd")
    if options.wa is not None and options.flash is None:
        raise ValueError("--wa goes with --flash: a rating counts writes of the host")
    if options.tbw is not None:
        return float(options.tbw)
    if options.dwpd is not None:
        if options.capacity is None:
            raise ValueError("--dwpd takes --capacity too")
        years = 5 if options.warranty is None else options.warranty
        rated = flashwear.endurance.tbw_from_dwpd(options.dwpd, options.capacity, years)
        return float(rated)
    if options.flash is None or options.pe_cycles is None:
        raise ValueError("--flash and --pe-cycles go together")
    factor = 1 if options.wa is None else options.wa
    return float(flashwear.endurance.tbw(options.flash, options.pe_cycles, factor))
