"""``flashwear bench``: what a test with fio says of a drive, one run or rounds."""

import argparse

from flashwear.cli import _one_run, _rounds
from flashwear.cli._amounts import share, written

ABOUT = """\
Say what a test with fio means. It opens no drive.

Of one run, with reports of the drive before and after (smartctl or nvme-cli, with a counter of
flash writes; wait two minutes before a report, since counters lag): write amplification, the spare
flash that follows, whether the run was long enough, and what other loads would do. The test writes
at random to the drive itself (direct=1), which was filled before.

  smartctl -x -j /dev/sdX > before.json          (NVMe: and nvme ocp smart-add-log after it)
  fio --output-format=json --output=fio.json --write_bw_log=run --log_avg_msec=1000 job.fio
  smartctl -x -j /dev/sdX > after.json
  flashwear bench before.json fio.json after.json --log run_bw.*.log --html bench.html

Of a folder of fio's outputs, as rounds: writes per second by round, the window of five that SNIA's
PTS 2.0.2 asks for, which of its clauses are met, latencies from the bins of json+, and whether the
drive has really settled, which takes its spare flash: from its reports, or as --op.

  for n in $(seq 25); do fio --output-format=json+ --output=rounds/$n.json round.fio; done
  flashwear bench rounds/ --before before.json --after after.json --svg rounds.svg
"""
EXIT = """\
exit status: 0 a number was found, or the last five rounds are steady by the rule; 1 not so, and the
answer says why; 3 wrong usage, or files that are none or do not belong together"""

_OF_RUN, _OF_ROUNDS = ("log", "html"), ("before", "after", "op", "svg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear bench`` to its parser."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="BEFORE, FIO and AFTER: reports, and between them what fio printed as JSON; or a "
        "FOLDER whose *.json are rounds",
    )  # fmt: skip
    run = parser.add_argument_group("of one run")
    run.add_argument(
        "--log", nargs="+", metavar="FILE", help="logs of bandwidth or of single requests, all jobs"
    )
    run.add_argument("--html", metavar="FILE", help="a page with the curve, for a browser")
    rounds = parser.add_argument_group("of rounds")
    rounds.add_argument("--before", metavar="FILE", help="report of the drive before round 1")
    rounds.add_argument("--after", metavar="FILE", help="report after the last round")
    rounds.add_argument("--op", type=share, metavar="0.07", help="spare flash, as 0.07 or 7%%")
    rounds.add_argument("--svg", metavar="FILE", help="plots of convergence and window")
    both = parser.add_argument_group("of both")
    both.add_argument("--job", metavar="NAME", help="the jobs to judge (default: all)")
    both.add_argument(
        "--start",
        choices=("filled", "blank", "settled"),
        default="filled",
        help="how the drive stood before the run (default: filled once, in order)",
    )
    both.add_argument(
        "--span", type=written, metavar="960GB", help="bytes written over (default: as fio says)"
    )
    both.add_argument(
        "--sequential-wa",
        type=float,
        default=1.0,
        metavar="1.03",
        help="write amplification of the drive when written in order (default: 1)",
    )
    parser.add_argument("--json", action="store_true", help="the same, for scripts")
    names = {"span_bytes": "--span", "job": "--job", "sequential_wa": "--sequential-wa"}
    parser.set_defaults(names=names)


def run(options: argparse.Namespace) -> int:
    """Judge a run or rounds, print the answer and return the exit status."""
    count = len(options.files)
    if count not in (1, 3):
        raise ValueError(f"FILE must be BEFORE, FIO and AFTER, or one FOLDER, got {count} of them")
    for name in _OF_ROUNDS if count == 3 else _OF_RUN:
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} is of {'rounds' if count == 3 else 'one run'} alone")
    return _one_run.run(options) if count == 3 else _rounds.run(options)
