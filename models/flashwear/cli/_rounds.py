"""``flashwear bench FOLDER``: fio outputs, judged as the rounds of a test."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear._extras import require
from flashwear.cli import _one_run
from flashwear.cli._page import replaced
from flashwear.cli._say import answer, report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flashwear.bench import Rounds

_MOST_FILES = 1000


def run(options: argparse.Namespace) -> int:
    """Read the rounds, judge them, print the answer and return the exit status."""
    if options.svg:
        require("charts", "altair", "vl_convert", "pandas")
    (folder,) = options.files
    paths = sorted(Path(folder).glob("*.json"))
    if not 0 < len(paths) <= _MOST_FILES:
        raise ValueError(f"{folder} must hold 1 to {_MOST_FILES:,} files *.json, got {len(paths)}")
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
            _plots(found, part)
    values: dict[str, Any] = found._asdict() | {
        "rounds": [one._asdict() for one in found.rounds],
        "window": found.window._asdict(),
        "clauses": [one._asdict() for one in found.clauses],
        "bench": found.bench and _one_run.values(found.bench),
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
    return lines + (_one_run.lines(found.bench) if found.bench else [])


def _ms(seconds: float | None) -> str:
    return f"{'-' if seconds is None else f'{1e3 * seconds:.3g}':>8}"


def _row(percentiles: Mapping[float, float | None]) -> str:
    return "".join(f" {_ms(value)}" for value in percentiles.values())


def _plots(found: Rounds, path: str) -> None:
    """Draw all rounds, and the last five with what the rule allows, as SVG."""
    import altair as alt
    import numpy as np
    import pandas as pd

    rounds = pd.DataFrame(enumerate((one.iops for one in found.rounds), 1), columns=["round", "y"])
    last = rounds.tail(5)
    fitted = np.polyval(np.polyfit(last["round"], last.y, 1), last["round"])
    mean = found.iops
    levels = {"mean": mean, "10 % below": 0.9 * mean, "10 % above": 1.1 * mean, "line": fitted}
    lines = pd.concat([last.assign(y=y, what=what) for what, y in levels.items()])
    x, y = alt.X("round:O", title="Round"), alt.Y("y:Q", title="Writes per second")
    passed = f"first window to round {found.window.last}" if found.window.last else "no window"
    end = "steady" if found.window.steady else "not steady"
    every = alt.Chart(rounds, title=f"Convergence: {passed}").mark_point().encode(x, y)
    course = alt.Chart(lines).mark_line().encode(x, y, alt.Color("what:N", title=None))
    window = alt.Chart(last, title=f"Last five rounds: {end}").mark_point().encode(x, y)
    (every | window + course).save(path, format="svg")
