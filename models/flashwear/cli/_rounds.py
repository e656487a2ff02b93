"""``flashwear rounds``: a folder of fio outputs, judged as the rounds of a test."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli import _bench
from flashwear.cli._amounts import share
from flashwear.cli._page import replaced
from flashwear.cli._say import answer, report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flashwear.bench import Rounds

ABOUT = """\
Judge a folder of fio's JSON outputs as the rounds of a test: writes per second by round, the window
of five that SNIA's PTS 2.0.2 asks for, which of its clauses are met, latencies from the bins of
json+, and whether the drive has really settled, which takes its spare flash: from its reports
before and after, or as --op. It opens no drive.

  for n in $(seq 25); do fio --output-format=json+ --output=rounds/$n.json round.fio; done
  flashwear rounds rounds/ --before before.json --after after.json --svg rounds.svg
"""
EXIT = """\
exit status: 0 the last five rounds are steady by the rule; 1 they are not; 3 wrong usage, or files
that are none or do not belong together"""

_MOST_FILES = 1000
_WIDTH, _HEIGHT, _EDGE = 420, 260, 48  # of each of the two plots


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear rounds`` to its parser."""
    parser.add_argument("folder", metavar="FOLDER", help="its *.json are the rounds")
    parser.add_argument("--before", metavar="FILE", help="report of the drive before round 1")
    parser.add_argument("--after", metavar="FILE", help="report after the last round")
    parser.add_argument("--op", type=share, metavar="0.07", help="spare flash, as 0.07 or 7%%")
    parser.add_argument("--svg", metavar="FILE", help="plots of convergence and window")
    _bench.add_run_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read the rounds, judge them, print the answer and return the exit status."""
    paths = sorted(Path(options.folder).glob("*.json"))
    if not 0 < len(paths) <= _MOST_FILES:
        raise ValueError(
            f"{options.folder} must hold 1 to {_MOST_FILES:,} files *.json, got {len(paths)}"
        )
    found = flashwear.bench.rounds(
        [flashwear.fio.read(path) for path in paths],
        job=options.job,
        before=report(options.before) if options.before else None,
        after=report(options.after) if options.after else None,
        op=options.op,
        start=options.start,
        span_bytes=options.span,
        sequential_wa=options.sequential_wa,
    )
    if options.svg:
        with replaced(options.svg) as part:
            Path(part).write_text(_plots(found), encoding="utf-8")
    values: dict[str, Any] = found._asdict() | {
        "rounds": [one._asdict() for one in found.rounds],
        "window": found.window._asdict(),
        "clauses": [one._asdict() for one in found.clauses],
        "bench": found.bench and _bench.values(found.bench),
    }
    return answer(options, _lines(found), values, 0 if found.window.steady else 1)


def _lines(found: Rounds) -> list[str]:
    percents = list(found.percentiles_s)
    lines = [
        "Round   Writes/s     MB/s  Mean ms" + "".join(f"{f'{p:g} %':>9}" for p in percents),
        *(
            f"{number:>5} {one.iops:>10,.0f} {one.bytes_written / one.seconds / 1e6:>8.4g} "
            f"{_ms(one.latency_s)}{_row(one.percentiles_s)}"
            for number, one in enumerate(found.rounds, 1)
        ),
        f"last 5{found.iops:>10,.0f} {'':>16} {_row(found.percentiles_s)}",
        "Percentiles in ms, the middle of a bin at most 1.6 % wide; a dash: too few requests",
        "",
        "Clauses of SNIA's PTS 2.0.2 that these files show:",
    ]
    words = {True: "met", False: "not met", None: "unknown"}
    lines += [f"  {words[one.met]:8}{one.name}: {one.found}" for one in found.clauses]
    theory = {True: "settled", False: "not settled", None: "not known to have settled"}
    lines.append(f"By theory, {theory[found.settled]}: {found.reason}.")
    return lines + (_bench.lines(found.bench) if found.bench else [])


def _ms(seconds: float | None) -> str:
    return f"{'-' if seconds is None else f'{1e3 * seconds:.3g}':>8}"


def _row(percentiles: Mapping[float, float | None]) -> str:
    return "".join(f" {_ms(value)}" for value in percentiles.values())


def _plots(found: Rounds) -> str:
    """Return two plots as SVG: all rounds, and the last five with what the rule allows."""
    import numpy as np

    speeds = np.array([one.iops for one in found.rounds])
    count, mean = speeds.size, found.iops
    at = np.arange(count - 4, count + 1)
    line = np.polyval(np.polyfit(at, speeds[-5:], 1), at)
    passed = f"first window: to round {found.window.last}" if found.window.last else "no window"
    end = "steady" if found.window.steady else "not steady"
    first = _plot(0, f"Convergence ({passed})", np.arange(1, count + 1), [(speeds, "dots")])
    bounds = [(np.full(5, mean * by), kind) for by, kind in ((1, ""), (0.9, "far"), (1.1, "far"))]
    second = _plot(
        _WIDTH, f"Last five rounds ({end})", at, [(speeds[-5:], "dots"), *bounds, (line, "line")]
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="11" role="img">\n'
        "<title>Writes per second by round: all, and the last five with their mean, 10 % on both "
        "sides of it (dashed), and the line fitted to them (red)</title>\n"
        '<rect width="100%" height="100%" fill="white"/>\n'
        f"{first}\n{second}\n</svg>\n"
    )


def _plot(left: int, title: str, at: Any, series: list[tuple[Any, str]]) -> str:
    """Return a plot of some series over the same rounds."""
    most = 1.1 * max(values.max() for values, _ in series)
    wide, high = _WIDTH - 1.5 * _EDGE, _HEIGHT - 2 * _EDGE
    x = left + _EDGE + wide * (at - at[0]) / (at[-1] - at[0])
    floor = _HEIGHT - _EDGE
    drawn = [f'<text x="{left + _EDGE}" y="{_EDGE / 2}">{title}</text>']
    drawn.append(
        f'<path d="M{left + _EDGE} {_EDGE} V{floor} H{left + _EDGE + wide}" fill="none" '
        'stroke="black"/>'
    )
    for value in (0, most / 2, most):
        y = floor - high * value / most
        drawn.append(f'<text x="{left + 4}" y="{y:.1f}">{value:,.0f}</text>')
    for place in (0, -1):
        drawn.append(f'<text x="{x[place]:.1f}" y="{floor + 16}">{at[place]}</text>')
    style = {"": "black", "far": 'gray" stroke-dasharray="4', "line": "firebrick"}
    for values, kind in series:
        y = floor - high * values / most
        if kind == "dots":
            drawn += [
                f'<circle cx="{one:.1f}" cy="{other:.1f}" r="3"/>'
                for one, other in zip(x, y, strict=True)
            ]
        else:
            path = " ".join(f"{one:.1f},{other:.1f}" for one, other in zip(x, y, strict=True))
            drawn.append(f'<polyline points="{path}" fill="none" stroke="{style[kind]}"/>')
    return "\n".join(drawn)
