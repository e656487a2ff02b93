"""``flashwear rack``: drives for a monitoring system, and their history."""

import argparse

from flashwear.cli._limits import accepted, duration, limit

ABOUT = """\
Judge many drives for a monitoring system, and keep their history. It needs no other package.

  flashwear rack check --scan -w life_used=80               a plugin of Nagios or Icinga
  flashwear rack export --scan -o /var/lib/prometheus/node-exporter/flashwear.prom
  flashwear rack record --scan --history history.sqlite     once a day
  flashwear rack check history.sqlite                       and what has changed, or is silent
  flashwear rack retire 3f9a1c0b7d2e4455 --history history.sqlite
  flashwear rack reread --history history.sqlite            by the rules of today
  flashwear rack show rules                                 alert rules of Prometheus, to copy
"""
EXIT = """\
exit status: check gives that of the worst drive, 2 critical, 1 warning, 3 unknown or not
readable, 0 nothing found, in this order; record gives 0 if all was recorded, else 3; the others 0,
or 3 if they fail"""
_HISTORY = "the file of the history, on a local disk"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``flashwear rack`` and their arguments to its parser."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def action(name: str, about: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = actions.add_parser(name, help=about, description=about)
        added.set_defaults(action=name, json=False)
        return added

    check_ = action("check", "print a line with a verdict and performance data, as a plugin")
    add_sources(check_)
    add_limits(check_)
    check_.add_argument("--json", action="store_true", help="the same, for scripts")
    export_ = action("export", "write samples for Prometheus")
    add_sources(export_)
    add_limits(export_)
    export_.add_argument("-o", "--output", metavar="FILE", help="replace this file (.prom)")
    export_.add_argument(
        "--openmetrics", action="store_true", help="as OpenMetrics, which node_exporter does not"
        " read from files"
    )  # fmt: skip
    export_.add_argument("--serials", action="store_true", help="tell serial numbers, too")
    record_ = action("record", "add reports to a history")
    add_sources(record_, stores=False)
    record_.add_argument("--history", required=True, metavar="FILE", help=_HISTORY)
    record_.add_argument("--serials", action="store_true", help="keep serial numbers beside models")
    record_.add_argument(
        "--no-raw", action="store_true", help="do not keep the reports themselves (FILE.raw)"
    )
    record_.add_argument("--json", action="store_true", help="the same, for scripts")
    retire_ = action("retire", "take drives out, which then alarm no more for want of reports")
    retire_.add_argument("drives", nargs="+", metavar="DRIVE", help="key, as check prints it")
    retire_.add_argument("--history", required=True, metavar="FILE", help=_HISTORY)
    reread_ = action("reread", "read kept reports again, after a rule was mended")
    reread_.add_argument("--history", required=True, metavar="FILE", help=_HISTORY)
    reread_.add_argument("--key", metavar="FILE", help="key file with which they were recorded")
    show_ = action("show", "print alert rules of Prometheus, or the schema of fleet --jsonl")
    show_.add_argument("what", choices=("rules", "schema"))


def add_sources(parser: argparse.ArgumentParser, *, stores: bool = True) -> None:
    """Add the arguments that say which drives to read."""
    what = "a report, a folder, an archive, - for standard input, or a device as /dev/nvme0, which "
    what += "smartctl reads (a type of smartctl follows a colon: /dev/bus/0:megaraid,3)"
    if stores:
        what += "; or a history, of which the newest report of each drive counts"
    add = parser.add_argument
    add("sources", nargs="*", metavar="SOURCE", help=what)
    add("--scan", action="store_true", help="all drives that smartctl finds here")
    add(
        "--host", metavar="NAME", help="where the drives are (default: this host for a device, the "
        "first subfolder for a file in a folder)"
    )  # fmt: skip
    add(
        "--key", metavar="FILE", help="key file, the same on all hosts, by which a drive has its "
        "name (default: /etc/flashwear.key for root, else ~/.config/flashwear.key)"
    )  # fmt: skip


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say what alarms."""
    add = parser.add_argument
    for short, level in (("-w", "warning"), ("-c", "critical")):
        add(
            short, f"--{level}", action="append", type=limit, default=[], metavar="METRIC=RANGE",
            help=f"{level} outside a range of the plugins' guidelines, as life_used=80, spare=10:"
        )  # fmt: skip
    add(
        "--accept", action="append", type=accepted, default=[], metavar="FINDING[=COUNT]",
        help="a finding that is known, up to its count: media_errors=3, past_life"
    )  # fmt: skip
    add("--limits", metavar="FILE", help="the same by model, as TOML")
    add(
        "--max-age", type=duration, metavar="2d", help="warn of reports older than this, by their "
        "own time (default: 2d in a history, else never)"
    )  # fmt: skip
    for name, what, default in (("unknown", "it is not known how worn they are", 3),
                                ("stale", "their report is too old", 1)):  # fmt: skip
        add(
            f"--{name}",
            type=int,
            choices=range(4),
            default=default,
            metavar="STATUS",
            help=f"exit status for drives of which {what} (default: {default})",
        )


def run(options: argparse.Namespace) -> int:
    """Do what was asked, and return the exit status."""
    from flashwear.cli import _rack_run  # and SQLite, which the page My drive does not carry

    status: int = getattr(_rack_run, options.action)(options)
    return status
