"""A canvas for SVG drawings with boxes, text and arrows, in the page's colours, in steps."""

import html
import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

WIDTH = 360
"""Units across each drawing: at this width on a phone, words are 13 pixels high."""

# a page may give each colour anew; what stands here is for a white one
INK = "var(--fw-ink, #22262a)"
LINE = "var(--fw-line, #6b7480)"
PAPER = "var(--fw-paper, #ffffff)"
LIVE = "var(--fw-live, #cfe3fa)"
NEW = "var(--fw-new, #ffd9b8)"
STALE = "var(--fw-stale, #dfe2e6)"
SPARE = "var(--fw-spare, #d5efd9)"
ACCENT = "var(--fw-accent, #a84300)"
_COLOUR = re.compile(r"var\(--[\w-]+, (#\w+)\)")

_number = itertools.count(1)


class Drawing(NamedTuple):
    """A drawing and its description in words."""

    svg: str
    """The picture. What belongs to earlier steps than the last is in it, hidden."""
    title: str
    """What it shows, for those who do not see it."""
    steps: tuple[str, ...] = ()
    """What happens in each step; none if nothing moves."""

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(step)}</li>" for step in self.steps)
        words = f'<ol class="fw-steps">{items}</ol>' if items else ""
        return f'<figure class="fw-drawing">{self.svg}{words}</figure>'

    def standalone(self) -> str:
        """Return the picture as a self-contained file in the colours of a white page.

        Examples
        --------
        >>> from flashwear.study import drawings
        >>> "var(" in drawings.stripe().standalone()
        False
        """
        return _COLOUR.sub(r"\1", self.svg)


class Sheet:
    """Collects the parts of a drawing; each may appear or disappear at a step."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.parts: list[tuple[str, int, int | None]] = []

    def add(self, markup: str, first: int = 1, last: int | None = None) -> None:
        """Add a part that is there from a step on, to another."""
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
        """Draw a box with text in its middle."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        rectangle = (
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
            f'fill="{fill}" stroke="{LINE}"{dash}/>'
        )
        inside = _words(x + width / 2, y + height / 2, words, size, "middle") if words else ""
        self.add(rectangle + inside, first, last)

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
        """Write text centred at the height `y`; a bar | breaks the line."""
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
        """Draw an arrow from one point to another."""
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

    def path(
        self, points: Sequence[tuple[float, float]], colour: str, dashed: bool = False
    ) -> None:
        """Draw a line through points."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>'
        )

    def finished(self, title: str, steps: Sequence[str] = ()) -> Drawing:
        """Return the drawing as it is after its last step."""
        count = max(len(steps), 1)
        body = []
        for markup, first, last in self.parts:
            end = count if last is None else last
            if first == 1 and end == count:
                body.append(markup)
                continue
            hidden = "" if end == count else ' visibility="hidden"'
            body.append(f'<g data-from="{first}" data-to="{end}"{hidden}>{markup}</g>')
        name = f"fw-drawing-{next(_number)}"
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}" '
            f'role="img" aria-labelledby="{name}" '
            "font-family=\"Arial, 'Liberation Sans', sans-serif\">"
            f'<title id="{name}">{html.escape(title)}</title>{"".join(body)}</svg>'
        )
        return Drawing(svg, title, tuple(steps))


def _words(x: float, y: float, words: str, size: float, anchor: str, bold: bool = False) -> str:
    lines = words.split("|")
    top = y - size * 0.6 * (len(lines) - 1) + size * 0.35
    weight = ' font-weight="bold"' if bold else ""
    spans = "".join(
        f'<tspan x="{x:g}" y="{top + 1.2 * size * row:.1f}">{html.escape(line)}</tspan>'
        for row, line in enumerate(lines)
    )
    return f'<text font-size="{size:g}" text-anchor="{anchor}" fill="{INK}"{weight}>{spans}</text>'
