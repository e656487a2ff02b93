"""A simulated drive that runs in a page of the book, with its controls and formulas."""

import json
from string import Template

import numpy as np

from flashwear import wa

SPARE = tuple(np.geomspace(0.02, 1, 30).round(4).tolist())
PAGES = (4, 8, 16, 32, 64, 128)
HOT = (0.5, 0.2, 0.1)
"""Settings that the panel offers, but for spare flash, which it interpolates."""

_PANEL = Template("""\
<div class="fw-drive$zoomed" hidden><div class="fw-drive-both"><span class="fw-drive-map">
<canvas role="img" aria-label="Every page of the flash as a dot, block after block: valid, \
in the open block, stale or blank."></canvas></span>
<svg viewBox="0 0 360 212" role="img" aria-label="Write amplification of the running drive over \
drive writes, the formula as a dashed line, and the formula for blocks without end as a dotted \
one. Runs with other blocks stay, in grey.">
<line x1="40" y1="180" x2="350" y2="180" stroke="currentColor"/>
<line x1="40" y1="180" x2="40" y2="15" stroke="currentColor"/>
<g fill="currentColor" font-size="12" font-family="Arial, 'Liberation Sans', sans-serif">
<text x="46" y="12">write amplification</text>
<text x="34" y="184" text-anchor="end">1</text>
<text class="fw-drive-axis" x="34" y="20" text-anchor="end"></text>
<text x="40" y="196" text-anchor="middle">0</text>
<text x="94.8" y="196" text-anchor="middle">0.25</text>
<text x="149.6" y="196" text-anchor="middle">1</text>
<text x="195" y="196" text-anchor="middle">2</text>
<text x="259.2" y="196" text-anchor="middle">4</text>
<text x="350" y="196" text-anchor="middle">8</text>
<text x="195" y="208" text-anchor="middle">drive writes</text></g>
<g class="fw-drive-before" fill="var(--fw-line, #6b7480)" font-size="12" text-anchor="end" \
font-family="Arial, 'Liberation Sans', sans-serif"></g>
<line class="fw-drive-limit" x1="40" x2="350" stroke="var(--fw-line, #6b7480)" \
stroke-width="2" stroke-dasharray="2 4" visibility="hidden"/>
<line class="fw-drive-level" x1="40" x2="350" stroke="var(--fw-accent, #a84300)" \
stroke-width="2" stroke-dasharray="6 4" visibility="hidden"/>
<polyline class="fw-drive-line" points="" fill="none" stroke="currentColor" stroke-width="2"/>
</svg></div><p class="fw-game-legend"><span data-is="live">valid</span>
<span data-is="new">in the open block</span><span data-is="stale">stale</span>
<span data-is="free">blank</span></p><p class="fw-drive-said" aria-live="off"></p>
<form>
<label>Spare flash (% of user)
<input type="range" name="spare" min="5" max="60" value="7"
><span class="fw-value">7 %</span></label>
<label>Requests that are TRIM
<input type="range" name="trims" min="0" max="40" value="0"
><span class="fw-value">0 %</span></label>
<label>Pages in a block
<input type="range" name="pages" min="2" max="7" value="$power"
><span class="fw-value">$pages</span></label>
<label>Cleaning <select name="policy">
<option value="greedy" selected>the emptiest block</option>
<option value="fifo">the oldest block</option></select></label>
<label>Writes <select name="skew">
<option value="0.5" selected>even</option>
<option value="0.2">80 % to 20 % of the pages</option>
<option value="0.1">90 % to 10 % of the pages</option></select></label>
<label>At the start <select name="start">
<option value="filled"$filled>filled once, in order</option>
<option value="empty"$empty>empty</option></select></label>
<label>Pace <select name="pace"><option value="0.1">a tenth of the drive in a second</option>
<option value="0.4" selected>0.4 drives in a second</option>
<option value="2">2 drives in a second</option>
<option value="0">all at once</option></select></label>
<div><button type="submit" disabled>Run again</button>
<button type="button" disabled>Pause</button>
<button type="button" disabled>Step</button></div></form>
<script type="application/json">$table</script></div>
$without""")

_WITHOUT = "<noscript><p>With JavaScript, a drive runs here.</p></noscript>"


def formulas() -> dict[str, object]:
    """Return write amplification from the closed forms, by spare flash.

    Returns
    -------
    dict
        *op*, the over-provisioning of each column, and for "greedy" and "fifo" a row for each
        number of pages in a block ("any" for "fifo", which does not depend on it) and share of hot
        pages (0.5 for even writes): :func:`flashwear.wa.greedy`, :func:`flashwear.wa.fifo` and
        their mixed forms.

    Examples
    --------
    >>> table = formulas()
    >>> round(table["fifo"]["any"]["0.5"][0], 2)
    25.67
    """
    spare = np.array(SPARE)

    def row(values: object) -> list[float]:
        return [float(f"{value:.5g}") for value in np.asarray(values)]

    greedy = {
        str(pages): {
            f"{hot:g}": row(
                wa.greedy(spare, pages)
                if hot == 0.5
                else [wa.greedy_mixed(op, 1 - hot, hot, pages) for op in SPARE]
            )
            for hot in HOT
        }
        for pages in PAGES
    }
    fifo = {f"{hot:g}": row(wa.fifo_mixed(spare, 1 - hot, hot)) for hot in HOT}
    return {"op": list(SPARE), "greedy": greedy, "fifo": {"any": fifo}}


class Panel:
    """The controls of a drive that runs in the page; without scripts, a sentence instead.

    Parameters
    ----------
    start : {"filled", "empty"}
        How the drive begins.
    pages : {4, 8, 16, 32, 64, 128}
        Pages in a block at first.
    zoomed : bool
        Whether it waits until the game of its page zooms out to it.
    """

    def __init__(self, start: str = "filled", pages: int = 128, *, zoomed: bool = False) -> None:
        if start not in ("filled", "empty"):
            raise ValueError(f"start must be filled or empty, got {start!r}")
        if pages not in PAGES:
            raise ValueError(f"pages must be one of {PAGES}, got {pages!r}")
        self.start, self.pages, self.zoomed = start, pages, zoomed

    def _repr_html_(self) -> str:
        return _PANEL.substitute(
            {
                "filled": " selected" if self.start == "filled" else "",
                "empty": " selected" if self.start == "empty" else "",
                "pages": self.pages,
                "power": self.pages.bit_length() - 1,
                "without": "" if self.zoomed else _WITHOUT,
                "zoomed": " fw-zoomed" if self.zoomed else "",
                "table": json.dumps(formulas(), separators=(",", ":")),
            }
        )
