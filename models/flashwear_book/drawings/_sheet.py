"""A canvas for SVG drawings with boxes, text and arrows, in the page's colours, in steps."""

import html
import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

WIDTH = 360
"""Units across a sheet: at this width on a phone, words are 13 pixels high."""

PAGE_WIDE, PAGE_HIGH, LEFT = 42, 26, 88
"""Width and height of a page of flash as drawn, and where the first page of a block begins."""

# a page may give each colour anew; what stands here is for a white one
_COLOURS = {
    "ink": "#22262a", "line": "#6b7480", "paper": "#ffffff", "accent": "#a84300",
    "live": "#cfe3fa", "new": "#fff0a3", "copy": "#d5efd9", "stale": "#b9bec6",
}  # fmt: skip
INK, LINE, PAPER, ACCENT, LIVE, NEW, COPY, STALE = (
    f"var(--fw-{name}, {value})" for name, value in _COLOURS.items()
)
_NAMES = {"live": "valid", "new": "new", "copy": "copied", "stale": "stale", "paper": "blank"}
"""What each colour of a page of flash means, in every drawing."""

GONE = "-"
"""In place of the kind of a moving part, this hides the part in a step."""

_number = itertools.count(1)


class Drawing(NamedTuple):
    """A drawing: one or two ``sheets`` of SVG, side by side if there is room."""

    sheets: tuple[str, ...]
    """The pictures as SVG. They show the last step; parts of earlier steps are hidden in them."""
    title: str
    """Description of the pictures, for readers who cannot see them."""
    steps: tuple[str, ...] = ()
    """Description of each step; empty if nothing moves."""

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(step)}</li>" for step in self.steps)
        words = f'<ol class="fw-steps">{items}</ol>' if items else ""
        return (
            f'<figure class="fw-drawing"><div class="fw-sheets">{"".join(self.sheets)}</div>'
            f"{words}</figure>"
        )


class Sheet:
    """The parts of a drawing, each of which may appear, move or disappear at a step."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.parts: list[tuple[str, int, int | None]] = []

    def add(self, markup: str, first: int = 1, last: int | None = None) -> None:
        """Add a part, as SVG, that is shown from step `first` to step `last`, or to the end."""
        self.parts.append((markup, first, last))

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = PAPER,
        words: str = "",
        *,
        size: float = 13,
        dashed: bool = False,
        first: int = 1,
        last: int | None = None,
    ) -> None:
        """Draw a box, shown from step `first` to step `last`, with text in its middle."""
        inside = _words(x + width / 2, y + height / 2, words, size, "middle") if words else ""
        self.add(_rectangle(x, y, width, height, fill, dashed) + inside, first, last)

    def words(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 13,
        anchor: str = "start",
        bold: bool = False,
        first: int = 1,
        last: int | None = None,
    ) -> None:
        """Write text at `x`, centred at the height `y`, in steps `first` to `last`; | breaks it."""
        self.add(_words(x, y, words, size, anchor, bold), first, last)

    def arrow(
        self,
        x: float,
        y: float,
        to_x: float,
        to_y: float,
        *,
        colour: str = LINE,
        first: int = 1,
        last: int | None = None,
    ) -> None:
        """Draw an arrow from `x`, `y` to `to_x`, `to_y`, shown from step `first` to step `last`."""
        length = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 1e-9)
        dx, dy = (to_x - x) / length, (to_y - y) / length
        back_x, back_y = to_x - 8 * dx, to_y - 8 * dy
        head = (
            f"{to_x:.1f},{to_y:.1f} {back_x - 4 * dy:.1f},{back_y + 4 * dx:.1f} "
            f"{back_x + 4 * dy:.1f},{back_y - 4 * dx:.1f}"
        )
        self.add(
            f'<line x1="{x:g}" y1="{y:g}" x2="{back_x:.1f}" y2="{back_y:.1f}" '
            f'stroke="{colour}" stroke-width="2"/><polygon points="{head}" fill="{colour}"/>',
            first,
            last,
        )

    def grid(
        self,
        x: float,
        y: float,
        fill: str,
        rows: Sequence[Sequence[int]] | int,
        *,
        side: float = 2.5,
        first: int = 1,
        last: int | None = None,
    ) -> None:
        """Draw rows of 64 small squares: `rows` full rows, or the given places of each row."""
        if isinstance(rows, int):
            lines, dash = (
                "".join(f"M0 {row}h64" for row in range(rows)),
                ' stroke-dasharray=".8 .2"',
            )
        else:
            lines = "".join(f"M{at} {row}h.8" for row, places in enumerate(rows) for at in places)
            dash = ""
        self.add(
            f'<path transform="translate({x:g} {y + side / 2:g}) scale({side:g})" d="{lines}" '
            f'stroke="{fill}" stroke-width=".8"{dash}/>',
            first,
            last,
        )

    def moving(
        self, markup: str, places: Sequence[tuple[float, float]], kinds: Sequence[str]
    ) -> None:
        """Add a part, drawn about the origin, that has a place and a colour in each step.

        The colour is that of the first shape, by its name; :data:`GONE` hides the part.
        """
        at = " ".join(f"{x:.4g},{y:.4g}" for x, y in places)
        x, y = places[-1]
        shown = next(kind for kind in reversed(kinds) if kind != GONE)
        hidden = ' opacity="0"' if kinds[-1] == GONE else ""
        self.add(
            f'<g class="fw-moving" data-at="{at}" data-is="{" ".join(kinds)}"{hidden} '
            f'transform="translate({x:.4g} {y:.4g})" fill="var(--fw-{shown}, {_COLOURS[shown]})">'
            f"{markup}</g>"
        )

    def blocks(
        self,
        rows: Sequence[float],
        steps: Sequence[Sequence[str]],
        *,
        written: str = "",
        copied: str = "",
        words: Mapping[str, str] | None = None,
    ) -> None:
        """Draw blocks, one at each height, with the pages (letters) that they hold in each step.

        A lower-case letter is a stale page, a blank a free page. Pages that appear in later steps
        fly in, `copied` ones from where they are valid, others from the right. Pages in `written`
        are shown as new from the start.
        """
        for row, y in enumerate(rows):
            for place in range(len(steps[0][row])):
                x = LEFT + PAGE_WIDE * place
                self.box(x, y, PAGE_WIDE, PAGE_HIGH, dashed=True)
                held = [step[row][place] for step in steps]
                begin = 0
                for letter, run in itertools.groupby(held, str.upper):
                    end = begin + len(list(run))
                    if letter != " ":
                        comes = begin > 0 and letter in copied
                        fresh = "copy" if comes else "new" if begin or letter in written else "live"
                        start = _valid(letter, rows, steps[begin - 1]) if comes else (WIDTH, y)
                        kinds = [fresh if page.isupper() else "stale" for page in held]
                        inside = (words or {}).get(letter, letter)
                        self.moving(
                            _rectangle(0, 0, PAGE_WIDE, PAGE_HIGH, "")
                            + _words(PAGE_WIDE / 2, PAGE_HIGH / 2, inside, 13, "middle"),
                            [start] * begin + [(x, y)] * (len(steps) - begin),
                            [GONE] * begin + kinds[begin:end] + [GONE] * (len(steps) - end),
                        )
                    begin = end

    def legend(self, y: float, *kinds: str) -> None:
        """Draw a line that explains the colours."""
        x = 6.0
        for kind in kinds:
            self.box(
                x, y - 7, 14, 14, f"var(--fw-{kind}, {_COLOURS[kind]})", dashed=kind == "paper"
            )
            self.words(x + 19, y, _NAMES[kind], size=12)
            x += 34 + 6 * len(_NAMES[kind])

    def drawn(self, title: str, steps: int) -> str:
        """Return the sheet as it looks after the last step."""
        body = []
        for markup, first, last in self.parts:
            end = steps if last is None else last
            if first == 1 and end == steps:
                body.append(markup)
                continue
            hidden = "" if end == steps else ' visibility="hidden"'
            body.append(f'<g data-from="{first}" data-to="{end}"{hidden}>{markup}</g>')
        name = f"fw-drawing-{next(_number)}"
        parts = "\n".join(body)  # else a search takes the words of two parts for one
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}" '
            f'role="img" aria-labelledby="{name}" '
            "font-family=\"Arial, 'Liberation Sans', sans-serif\">"
            f'<title id="{name}">{html.escape(title)}</title>\n{parts}</svg>'
        )


def finished(title: str, *sheets: Sheet, steps: Sequence[str] = (), beside: str = "") -> Drawing:
    """Return a drawing of one sheet, or of two; `beside` describes the second one."""
    count = max(len(steps), 1)
    named = zip(sheets, (title, beside), strict=False)
    return Drawing(tuple(sheet.drawn(words, count) for sheet, words in named), title, tuple(steps))


def _valid(letter: str, rows: Sequence[float], step: Sequence[str]) -> tuple[float, float]:
    row = next(row for row, pages in enumerate(step) if letter in pages)
    return LEFT + PAGE_WIDE * step[row].index(letter), rows[row]


def _rectangle(
    x: float, y: float, width: float, height: float, fill: str, dashed: bool = False
) -> str:
    paint = f' fill="{fill}"' if fill else ""  # else that of the part it belongs to
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"{paint} '
        f'stroke="{LINE}"{dash}/>'
    )


def _words(x: float, y: float, words: str, size: float, anchor: str, bold: bool = False) -> str:
    lines = words.split("|")
    top = y - size * 0.6 * (len(lines) - 1) + size * 0.35
    weight = ' font-weight="bold"' if bold else ""
    spans = "".join(
        f'<tspan x="{x:g}" y="{top + 1.2 * size * row:.1f}">{html.escape(line)}</tspan>'
        for row, line in enumerate(lines)
    )
    return f'<text font-size="{size:g}" text-anchor="{anchor}" fill="{INK}"{weight}>{spans}</text>'
