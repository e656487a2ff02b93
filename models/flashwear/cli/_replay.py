"""``flashwear replay``: the write amplification of a recorded load."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear._extras import require
from flashwear.cli._amounts import share
from flashwear.cli._say import answer, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from flashwear.ftl import Result
    from flashwear.traces import Trace

ABOUT = """\
Replay a recorded load on a simulated drive and say how much it amplifies the writes. The drive is
full and just as large as the pages that the trace touches; the trace runs again and again until the
drive has settled. Formats: I/O log of fio, CSV of MSR Cambridge and of Alibaba, text of blkparse.
Of any other form with a request in each line, --columns says where what stands, from 0, and
--operations what stands for what; columns are apart by commas or blanks.
Takes about 40 bytes of memory for each request, and those of the drive.
Needs: pip install "flashwear[sim]"

  flashwear replay trace.csv --op 0.07
  flashwear replay disk.iolog --op 28% --pages-per-block 256 --policy fifo
  flashwear replay spc.csv --op 0.07 --columns offset=1,size=2,op=3,time=4 --unit 512,1
"""
EXIT = "exit status: 0, or 3 for wrong usage or a file that is no trace"

_FORMATS = ("fio", "msr", "alibaba", "blkparse")
_MEASURED = 3.0  # drive writes
_LONGEST = 96.0
_SAME = 0.01
_LEAST_SPARE = 8  # pages: a few blocks of two


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear replay`` to its parser."""
    add = parser.add_argument
    add("trace", metavar="FILE", help="plain or packed with gzip")
    add("--op", type=share, required=True, metavar="0.07", help="over-provisioning, as 0.07 or 7%%")
    add("--format", choices=_FORMATS, help="of the trace (default: by its lines)")
    add(
        "--columns",
        type=_columns,
        metavar="op=2,offset=4,size=5",
        help="places of op, offset, size and perhaps time, volume in a line, from 0",
    )
    add(
        "--unit", type=_units, default=1, metavar="512", help="bytes of offset and size, or of each"
    )
    add("--operations", type=_pairs, metavar="0=read,1=write", help="(default: their words)")
    add(
        "--pages-per-block",
        type=int,
        metavar="N",
        help="of 4 KiB (default: 128, or fewer for a trace of few pages)",
    )
    add("--policy", choices=("greedy", "fifo"), default="greedy", help="which block is cleaned")
    add("--json", action="store_true", help="the same, for scripts")


def run(options: argparse.Namespace) -> int:
    """Read the trace, replay it and print write amplification beside that of random writes."""
    require("sim", "numba", "joblib", "pandas")
    trace = _read(options)
    trace = trace.compact(copy=False)
    report, malformed = trace.report(), trace.malformed
    records, pages = trace.records, trace.user_pages
    del trace  # a long one is large
    kinds = records["operation"]
    written = int(records["count"][kinds == flashwear.workloads.WRITE].sum())
    if not written:
        raise ValueError(f"{options.trace} holds no write")
    if pages * options.op < _LEAST_SPARE:
        raise ValueError(
            f"{options.trace} is too short: it touches {pages:,} pages, and a drive for it with "
            f"{percent(options.op)} to spare has no {_LEAST_SPARE} spare pages"
        )
    drive_writes = written / pages
    block = options.pages_per_block
    if block is None:
        block = _usual_block(pages * options.op)
    if (is_change := kinds != flashwear.workloads.READ).all():
        changes = records
    else:
        changes = records[is_change]
        changes.flags.writeable = False  # else it is copied once more
    del records, kinds, is_change
    run, settled = _settled(changes, pages, drive_writes, block, options)
    random = (flashwear.wa.greedy if options.policy == "greedy" else _fifo)(run.effective_op, block)
    low, high, _ = run.interval
    within = f" ({low:.3g} to {high:.3g})" if math.isfinite(low) else ""
    lines = [
        report,
        f"It writes {drive_writes:.3g} times the {pages:,} pages that it touches.",
        f"Over-provisioning: {percent(options.op)} of these pages. Cleaning: {options.policy}, "
        f"blocks of {block:,} pages.",
        "Bytes written to flash for each byte of the host:",
        f"  {run.wa:6.4g}  the trace, again and again{within}",
        f"  {random:6.4g}  writes at random over the same pages",
    ]
    if not settled:
        lines.append(
            f"The drive has not settled after {_LONGEST:g} drive writes: the first figure is of "
            f"its last {_MEASURED:g}."
        )
    values: dict[str, Any] = {
        "write_amplification": run.wa,
        "interval": [low, high] if math.isfinite(low) else None,
        "random_write_amplification": float(random),
        "settled": settled,
        "drive_writes": drive_writes,
        "pages": pages,
        "pages_per_block": block,
        "over_provisioning": options.op,
        "malformed_lines": malformed,
    }
    return answer(options, lines, values)


def _settled(
    records: NDArray[np.void],
    pages: int,
    drive_writes: float,
    block: int,
    options: argparse.Namespace,
) -> tuple[Result, bool]:
    """Replay a trace, each time with a warm-up twice as long, until its figure stays."""
    warm_up, before = _MEASURED, math.inf
    while True:
        repeat = math.ceil((warm_up + _MEASURED) / drive_writes) + 1
        run = flashwear.ftl.simulate(
            pages,
            options.op,
            pages_per_block=block,
            policy=options.policy,
            workload=flashwear.workloads.Replay(records, repeat),
            warmup_drive_writes=warm_up,
            drive_writes=_MEASURED,
        )
        if abs(run.wa / before - 1) <= _SAME:
            return run, True
        if 2 * warm_up > _LONGEST:
            return run, False
        warm_up, before = 2 * warm_up, run.wa


def _usual_block(spare_pages: float) -> int:
    """Return the pages of a block: 128, or so many that the spare is 20 blocks."""
    fits = max(2, int(math.log2(max(1.0, spare_pages / 20))))
    return 1 << min(7, fits)


def _fifo(op: float, pages_per_block: int) -> float:
    return flashwear.wa.fifo(op)


def _pairs(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name and equal and value for name, equal, value in pairs):
        raise argparse.ArgumentTypeError(f"must be like op=2,offset=4,size=5, got {text[:40]!r}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _columns(text: str) -> dict[str, int]:
    try:
        return {name: int(value[:9]) for name, value in _pairs(text).items()}
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers from 0, got {text[:40]!r}") from None


def _units(text: str) -> int | tuple[int, ...]:
    try:
        units = tuple(int(part[:12]) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be like 512 or 512,1, got {text[:40]!r}") from None
    return units[0] if len(units) == 1 else units


def _read(options: argparse.Namespace) -> Trace:
    path, layout = options.trace, options.format
    if options.columns:
        return flashwear.traces.read_columns(
            path, options.columns, operations=options.operations, unit_bytes=options.unit
        )
    reasons = set()
    for name in _FORMATS if layout is None else (layout,):
        try:
            trace: Trace = getattr(flashwear.traces, f"read_{name}")(path)
        except ValueError as error:
            reasons.add(str(error))
        else:
            return trace
    why = (
        f"not {', '.join(_FORMATS)}; --format says what is wrong, and --columns op=2,offset=4,"
        "size=5 where what stands in another form"
    )
    raise ValueError(f"{path} is no trace: {reasons.pop() if len(reasons) == 1 else why}")
