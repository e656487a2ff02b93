"""Interactive parts of the book's pages: a game, a drive, a queue, and questions to answer.

Each function fills an HTML file of this folder, and a script of the same name makes it interactive.
"""

import json
import re
from collections.abc import Generator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import simpy

from flashwear import wa
from flashwear._domain import one_number, whole

_STRIPES = """<span data-is="new">1&nbsp;% that you wrote</span>
<span data-is="live">the next 1&nbsp;%</span>
<span data-is="dear">filled while cleaning was dear</span>"""
_NEXT = """<span data-is="live">valid</span>
<span data-is="dear">one of these would be cleaned now</span>"""
_TIED = re.compile(r"(\d) (?=%|[kMGTP]i?B\b)")


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


LEVELS: list[dict[str, Any]] = json.loads(_read("levels.json"))
"""Levels of the game, from which a reader chooses.

Each has the pages in use, and requests before the game; the pages of a file and the probability
that a file is deleted before a write; blocks, hot pages and their share of the writes, open blocks.
"""
SPARE = tuple(np.geomspace(0.02, 1, 30).round(4).tolist())
PAGES = (4, 8, 16, 32, 64, 128)
HOT = (0.5, 0.2, 0.1)
"""Settings of the drive that readers can choose; for spare flash values are interpolated."""
DIES, CHANNELS = 8, 2
LANES = ("controller", *(f"die {n + 1}" for n in range(DIES)), "channel 1", "channel 2", "link")
VISITS_US = {"controller": 5, "die": 90, "channel": 15, "link": 8}
"""Stations of a 4 KiB read in order, and its time at each in us, typical of flash of two bits."""
DEPTHS = (1, 2, 4, 8, 16, 32)
_REQUESTS = 160
_RECORD, _RATE = 100, 100  # bytes of a row, and rows a second


@dataclass(frozen=True, repr=False)
class Panel:
    """Output of a notebook cell: ``html`` in a web page, ``words`` where HTML cannot be shown."""

    html: str
    words: str = ""

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return self.html


def _filled(name: str, **values: object) -> str:
    return Template(_read(f"{name}.html")).substitute(values).rstrip("\n")


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _text(text: str) -> str:
    """Escape a text, and keep each number and its unit on one line."""
    return _TIED.sub("\\1\N{NO-BREAK SPACE}", escape(text))


def game(level: int = 0) -> Panel:
    """Return the game in which the reader plays the drive and chooses the blocks to clean.

    The game is hidden if scripts are off.

    Parameters
    ----------
    level : int
        The level at which the game begins, from 0.
    """
    whole("level", level, 0, len(LEVELS) - 1)
    return Panel(_filled("game", level=level, levels=_json(LEVELS)))


def drive(*, echo: bool = False, zoomed: bool = False) -> Panel:
    """Return an interactive drive that is simulated in the reader's browser, beside formulas.

    Parameters
    ----------
    echo : bool
        Whether it runs slowly for two drive writes, instead of eight, and cleans in turn at first,
        as the equation of a filled drive has it.
    zoomed : bool
        Whether the drive is hidden until the game on its web page zooms out to it, and marks the
        blocks that would be cleaned instead of when each was filled. It runs for four drive writes.
    """
    longest, *ticks = (2, 1, 0.5, 0.25, 0.1, 0) if echo else (8, 4, 2, 1, 0.25, 0)[zoomed:]
    axis = "".join(
        f'<text x="{40 + 310 * (tick / longest) ** 0.5:.1f}" y="196"'
        f' text-anchor="middle">{tick}</text>'
        for tick in (longest, *ticks)
    )
    chosen = {True: " selected", False: ""}
    html = _filled("drive", axis=axis, longest=longest, zoomed=" fw-zoomed" if zoomed else "",
                   echo=chosen[echo], other=chosen[not echo], middle=chosen[zoomed],
                   quick=chosen[not (echo or zoomed)], legend=_NEXT if zoomed else _STRIPES,
                   table=_json(formulas()))  # fmt: skip
    return Panel(html if zoomed else html + _filled("without", what="a drive runs"))


def formulas() -> dict[str, object]:
    """Return write amplification by formula, for several over-provisionings, loads and blocks.

    Returns
    -------
    dict
        *op*, a list of over-provisionings; and ``[policy][pages][hot]``, the list of write
        amplifications at each of them. *policy* is "greedy" or "fifo"; *pages*, those of a block,
        as text ("any" for "fifo"); *hot*, as text, the share h of the pages that is hot and gets
        the share 1 - h of the writes, so that "0.5" stands for even writes.

    Examples
    --------
    >>> table = formulas()
    >>> round(table["fifo"]["any"]["0.5"][0], 2)
    25.67
    """
    spare = np.array(SPARE)

    def rows(pages: int | None) -> dict[str, list[float]]:
        found = {}
        for hot in HOT:
            if pages is None:
                row = wa.fifo_mixed(spare, 1 - hot, hot)
            elif hot == 0.5:
                row = wa.greedy(spare, pages)
            else:
                row = wa.greedy_mixed(spare, 1 - hot, hot, pages)
            found[f"{hot:g}"] = [float(f"{value:.5g}") for value in row]
        return found

    greedy = {str(pages): rows(pages) for pages in PAGES}
    return {"op": list(SPARE), "greedy": greedy, "fifo": {"any": rows(None)}}


def lanes() -> Panel:
    """Return an animation of requests that queue at a drive's stations, at several depths.

    Without scripts a sentence stands there instead.
    """
    told = {
        "lanes": LANES,
        "depths": DEPTHS,
        "runs": [recorded(depth)._asdict() for depth in DEPTHS],
    }
    html = _filled("lanes", last=len(DEPTHS) - 1, told=_json(told))
    return Panel(html + _filled("without", what="requests move"))


def row(
    rows: pd.DataFrame, *, chosen: tuple[str, str, int], amplification: float, rated_bytes: float
) -> Panel:
    """Return what each layer writes for a row of 100 bytes, 100 times a second, drawn to scale.

    Parameters
    ----------
    rows : DataFrame
        Of :func:`flashwear_book.stacks.stacks`.
    chosen : tuple of str, str and int
        Database, file system and rows to a commit that are shown first.
    amplification : float
        Bytes that the flash takes for one of the file system's.
    rated_bytes : float
        Host bytes that the drive is rated for.
    """
    drawn = rows.query("load == 'changed at random' and record == @_RECORD and rate == @_RATE")
    columns = ["database", "file_system", "group", "by_database", "by_file_system"]
    told = {
        "record": _RECORD, "rate": _RATE, "rated_bytes": rated_bytes, "chosen": chosen,
        "amplification": amplification, "rows": drawn[columns].round(3).to_numpy().tolist(),
    }  # fmt: skip
    html = _filled("row", record=_RECORD, told=_json(told))
    return Panel(html + _filled("without", what="a row is drawn to scale"))


class Recorded(NamedTuple):
    """Simulated course of requests at one queue depth, with times in microseconds."""

    visits: list[tuple[int, int, int, int]]
    """Number of the station, number of the request, start and end of each service at a station."""
    latencies: list[int]
    """Latencies of the requests, in the order in which they were finished."""


def recorded(depth: int) -> Recorded:
    """Simulate reads on a small drive, `depth` outstanding at a time, and record their services.

    Examples
    --------
    One read at a time waits for nothing:

    >>> set(recorded(1).latencies)
    {118}
    """
    env, draw = simpy.Environment(), np.random.default_rng(2)
    stations = [simpy.Resource(env) for _ in LANES]
    left = iter(range(_REQUESTS))
    run = Recorded([], [])

    def client() -> Generator[Any, Any, None]:
        for request in left:
            begun = env.now
            die = int(draw.integers(DIES))
            path = (0, 1 + die, 1 + DIES + die % CHANNELS, 1 + DIES + CHANNELS)
            for lane, took in zip(path, VISITS_US.values(), strict=True):
                with stations[lane].request() as turn:
                    yield turn
                    start = env.now
                    yield env.timeout(took)
                run.visits.append((lane, request, round(start), round(env.now)))
            run.latencies.append(round(env.now - begun))

    for _ in range(depth):
        env.process(client())
    env.run()
    return run


def guess(
    question: str, *, answer: float, unit: str, told: str, low: float, high: float, step: float
) -> Panel:
    """Return a question with a slider; the answer stays hidden until it is asked for.

    Parameters
    ----------
    question : str
        Text that ends with a question mark.
    answer : float
        A computed number, from `low` to `high`.
    unit : str
        Unit or noun that the number counts, in the plural; may be empty.
    told : str
        A sentence or two with the answer, and why guesses are usually wrong.
    low, high, step : float
        Ends and step of the slider, which starts at its low end. The error of a guess is told as a
        factor, or as a difference if `low` is 0.

    Examples
    --------
    >>> guess("Legs of a spider?", answer=8, unit="legs", told="Eight.", low=0, high=20, step=1)
    Legs of a spider? Eight.
    """
    one_number("answer", answer, low=low, high=high)
    numbers = {"answer": answer, "low": low, "high": high, "step": step}
    html = _filled("guess", **{name: f"{value:.6g}" for name, value in numbers.items()},
                   unit=escape(unit), question=_text(question), told=_text(told))  # fmt: skip
    return Panel(html, f"{question} {told}")


class Question(NamedTuple):
    """A question (``asked``), its ``right`` answer, ``wrong`` ones, and ``why``, an explanation."""

    asked: str
    right: str
    wrong: tuple[str, ...]
    why: str


def quiz(*questions: Question) -> Panel:
    """Return questions with answers to choose from; if scripts are off, the answers are folded in.

    Examples
    --------
    >>> quiz(Question("Legs of a spider?", "8", ("6", "10"), "Insects have six."))
    Legs of a spider? 8. Insects have six.
    """
    parts = []
    for number, (asked, right, wrong, why) in enumerate(questions, 1):
        answers = {right, *wrong}
        if not wrong or len(answers) <= len(wrong):
            raise ValueError(f"answers must be two or more that differ, got {(right, *wrong)}")
        choices = [
            _filled("choice", number=number, value=int(answer == right), answer=_text(answer))
            for answer in sorted(answers, key=lambda text: (len(text), text))
        ]
        texts = {"asked": _text(asked), "right": _text(right), "why": _text(why)}
        parts.append(_filled("question", number=number, choices="".join(choices), **texts))
    words = "\n".join(f"{one.asked} {one.right}. {one.why}" for one in questions)
    return Panel(_filled("quiz", questions="".join(parts)), words)
