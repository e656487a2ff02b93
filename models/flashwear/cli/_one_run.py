"""``flashwear bench BEFORE FIO AFTER``: what a run of fio says of a drive."""

from __future__ import annotations

import argparse
import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear._extras import require
from flashwear.cli._page import page, replaced
from flashwear.cli._say import answer, percent, report, size

if TYPE_CHECKING:
    from flashwear.bench import Bench
    from flashwear.fio import Log

_STYLE = """\
<style>body{font:1rem/1.5 sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}</style>"""
_CAPTION = """\
<p>Write amplification over the run, by the equation for this spare flash.</p>"""
_CAPTION_OF_RUN = """\
<p>The run is its speed turned over, as for a drive that programs its flash at a steady pace.</p>"""


def run(options: argparse.Namespace) -> int:
    """Read the files, judge the run, print the answer and return the exit status."""
    before, fio, after = options.files
    if options.html:
        require("charts", "altair", "vl_convert", "pandas")
    log = flashwear.fio.read_log(*options.log) if options.log else None
    test = flashwear.fio.read(fio)
    found = flashwear.bench.bench(
        report(before),
        test,
        report(after),
        log=log,
        job=options.job,
        start=options.start,
        span_bytes=options.span,
        sequential_wa=options.sequential_wa,
    )
    said = lines(found)
    if options.html:
        told = "\n".join(f"<p>{html.escape(line)}</p>" for line in said)
        # what a log without its ramp holds is no mean of the run
        curve = _curve(found, None if test.ramped else log, options.start)
        body = f"<h1>What the test says of the drive</h1>\n{told}\n{curve}"
        with replaced(options.html) as part:
            Path(part).write_text(page("flashwear bench", _STYLE, body), encoding="utf-8")
    return answer(options, said, values(found), 0 if found.wa else 1)


def values(found: Bench) -> dict[str, Any]:
    """Return the answer for scripts."""
    made: dict[str, Any] = found._asdict()
    made["elsewhere"] = [load._asdict() for load in found.elsewhere]
    if found.advice:
        window = found.advice.window and found.advice.window._asdict()
        made["advice"] = found.advice._asdict() | {"window": window}
    return made


def lines(found: Bench) -> list[str]:
    """Return the answer for people."""
    lines = []
    if found.wa:
        low, high = found.wa
        flash, host = found.flash_bytes or 0, max(found.host_bytes, 1)
        amounts = f"{size(flash)} to flash for {size(host)} of the host"
        if low <= 1.05 * flash / host <= 1.1 * high:
            middle = min(max(flash / host, low), high)  # what fio wrote may tell it better
            lines.append(f"Write amplification between the reports: {middle:.4g}, from {amounts}.")
            lines.append(f"The counters, and what fio wrote, leave {low:.4g} to {high:.4g}.")
        else:
            lines.append(f"Write amplification of the job: {low:.4g} to {high:.4g}.")
    if found.op:
        over = _range(*(percent(op) for op in found.op))
        lines.append(f"Spare flash: {over} over the {size(found.span_bytes)} that were written.")
    if found.advice:
        verdict = "Settled" if found.advice.settled else "Not shown to have settled"
        lines.append(f"{verdict}: {found.advice.reason}.")
    if found.elsewhere:
        lines.append("Settled write amplification of other loads on this drive, by the formula:")
    for load in found.elsewhere:
        lines.append(f"  {_range(f'{load.low:.3g}', f'{load.high:.3g}'):>12}  {load.load}")
    return lines + [f"Note: {doubt}." for doubt in found.doubts]


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _curve(found: Bench, log: Log | None, start: str) -> str:
    """Return the course of the equation and of the run as a chart that needs no network."""
    if found.op is None or found.wa is None or start == "settled":
        return ""
    import altair as alt
    import numpy as np
    import pandas as pd

    course = flashwear.wa.after_fill if start == "filled" else flashwear.wa.from_blank
    way = course(float(np.sqrt(found.op[0] * found.op[1])), np.linspace(0, 40, 8001))
    table = pd.DataFrame({"x": way.drive_writes, "wa": way.wa, "what": "equation"})
    if log is not None:
        step = log.time_s[-1] / 200
        speed = log.bytes_per_s(step)
        total = np.cumsum(speed)
        moved = speed > 0
        # at a steady pace of programming, whose sum is that of the counter
        level = sum(found.wa) / 2 * total[-1] / speed.size / speed[moved]
        place = total[moved] * step / found.span_bytes
        run = pd.DataFrame({"x": place, "wa": level, "what": "run"})
        table = pd.concat([table, run])
    end = 1.2 * max(found.drive_writes, found.advice.needed if found.advice else 0.0)
    chart = (
        alt.Chart(table[table["x"] <= end].round(4))
        .mark_line()
        .encode(
            x=alt.X("x:Q", title="Host writes (times the span)"),
            y=alt.Y("wa:Q", title="Write amplification"),
            color=alt.Color("what:N", title=None),
        )
        .properties(width=640, height=320)
    )
    with alt.data_transformers.disable_max_rows():
        caption = _CAPTION if log is None else f"{_CAPTION}\n{_CAPTION_OF_RUN}"
        return caption + str(chart.to_html(inline=True, fullhtml=False))
