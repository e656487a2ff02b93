"""The command ``flashwear``: reports of drives, and the models' sums, as text or as JSON."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import flashwear
from flashwear import cite
from flashwear._extras import MissingExtraError
from flashwear.cli import _bench, _choose, _fleet, _rack, _replay, _smart, _wa, _why, _years
from flashwear.cli._say import as_json, in_options, one_line

_ABOUT = "How solid-state drives wear: what their SMART reports say, and what the models do."
_UNKNOWN = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``flashwear`` command, and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``flashwear``; by default those of the process.

    Returns
    -------
    int
        Exit status. The subcommand ``smart`` gives 0 if nothing was found, 1 for a warning, 2 for
        critical and 3 for unknown, as monitoring expects; ``fleet`` and ``rack check`` give that of
        the worst drive, where what cannot be read is unknown. All commands give 3 for wrong usage
        or a crash, and 130 when interrupted.

    Examples
    --------
    >>> main(["smart", "no such file"])
    3
    """
    for stream in (sys.stdout, sys.stderr):  # a terminal may not know every letter
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = argparse.Namespace()
    words = sys.argv[1:] if arguments is None else [*arguments]
    options.json, options.plugin = "--json" in words, words[:2] == ["rack", "check"]
    try:
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        _parser().parse_args(arguments, options)
        status: int = options.run(options)
        sys.stdout.flush()
    except SystemExit:  # after --help, --version and --cite
        return 0
    except _Usage as error:
        return _failed(options, str(error), error.usage)
    except (ImportError, MissingExtraError, OSError, MemoryError) as error:
        return _failed(options, one_line(error))
    except ValueError as error:
        names = getattr(options, "names", {})
        return _failed(options, one_line(in_options(error, names)))
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # lower statuses speak of the drive, so a crash must not give one
        text = f"{type(error).__name__}: {one_line(error)[:200]}"
        return _failed(options, f"internal error, please report it: {text}")
    return status


class _Usage(Exception):  # noqa: N818
    def __init__(self, usage: str, message: str) -> None:
        super().__init__(message)
        self.usage = usage


class _Cite(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, _: object, names: Any, __: object = None
    ) -> NoReturn:
        try:
            print(cite.bibtex(*map(cite.named, names)))
        except ValueError as error:
            parser.error(f"argument --cite: {error}")
        raise SystemExit


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Usage(self.format_usage(), message)


def _failed(options: argparse.Namespace, text: str, usage: str = "") -> int:
    """Say what went wrong where the caller reads it, and give the exit status."""
    try:
        if options.json:
            errors = [{"file": None, "error": text}]
            print(as_json({"status": _UNKNOWN, "drives": [], "errors": errors}))
            sys.stdout.flush()
            return _UNKNOWN
        if options.plugin:
            print(f"FLASHWEAR UNKNOWN - {text.replace('|', '/')}", flush=True)
    except OSError:  # standard output is what went wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print(f"{usage}flashwear: {text}", file=sys.stderr)
    return _UNKNOWN


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="flashwear", description=_ABOUT)
    parser.add_argument("--version", action="version", version=f"%(prog)s {flashwear.__version__}")
    parser.add_argument(
        "--cite", action=_Cite, nargs="*", default=argparse.SUPPRESS, metavar="wa.greedy",
        help="print how to cite it, or parts of it and their sources, as BibTeX",
    )  # fmt: skip
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, command, short in (
        ("smart", _smart, "what reports of a drive say"),
        ("fleet", _fleet, "a table of many reports"),
        ("rack", _rack, "drives for a monitoring system, and their history"),
        ("why", _why, "who writes to a drive, what for, and what would save most"),
        ("choose", _choose, "which drive to buy for a load"),
        ("years", _years, "how long a rating lasts at a load"),
        ("wa", _wa, "write amplification from over-provisioning"),
        ("bench", _bench, "what a test with fio says of a drive, one run or rounds"),
        ("replay", _replay, "write amplification of a recorded load"),
    ):
        added = commands.add_parser(
            name,
            help=short,
            description=command.ABOUT,
            epilog=command.EXIT,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(added)
        added.set_defaults(run=command.run)
    return parser
