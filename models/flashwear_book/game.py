"""Be the drive: a game in the page, in which the reader chooses the blocks to clean."""

import json
from string import Template

LEVELS: tuple[dict[str, str | int | float], ...] = (
    {
        "name": "A full drive",
        "letters": 24,
        "says": "24 letters on 32 pages; _ is the space. Each letter is an address: e is written "
        "often, q hardly ever. Press Write on, or type.",
    },
    {
        "name": "More spare flash",
        "letters": 20,
        "says": "The letters b, k, q and v are gone, so four more pages are spare. What changes?",
    },
    {
        "name": "TRIM",
        "letters": 24,
        "file": 3,
        "deletes": 0.08,
        "says": "All 24 letters again, but at times a file of three letters is deleted, and TRIM "
        "tells the drive.",
    },
    {
        "name": "Hot and cold apart",
        "letters": 102,
        "blocks": 32,
        "hot": 12,
        "share": 0.9,
        "streams": 2,
        "warm": 2000,
        "says": "A larger drive that has long been full. Nine of ten writes go to twelve letters, "
        "the others to ninety numbers, and each kind has an open block of its own.",
    },
)
"""What is played, in the order in which it is unlocked.

Pages in use; pages of a file and the chance that one is deleted before a write; blocks, hot pages
and their share of the writes, open blocks, and the writes before the game begins.
"""

_PANEL = Template("""\
<section class="fw-game" aria-label="Be the drive" data-level="$level" hidden>
<div class="fw-game-bar"><span>Next: <b class="fw-game-next"></b></span>
<span class="fw-game-score"></span></div>
<div class="fw-game-blocks"></div>
<p class="fw-game-legend"><span data-is="live">valid</span><span data-is="new">new</span>
<span data-is="copy">copied</span><span data-is="stale">stale</span>
<span data-is="free">blank</span></p>
<p class="fw-game-told" aria-live="polite"></p>
<div class="fw-game-bar fw-game-controls">
<button type="button" class="fw-game-go" aria-pressed="false">Write on</button>
<button type="button" class="fw-game-fill">To the next choice</button>
<label>Pace <select class="fw-game-pace"><option value="900">slow</option>
<option value="450" selected>medium</option><option value="120">fast</option></select></label>
<label>Or type <input class="fw-game-typed" type="text" autocomplete="off" autocapitalize="off"
spellcheck="false" size="14"></label></div>
<div class="fw-game-bar fw-game-after"></div>
<script type="application/json">$levels</script></section>
""")


class Panel:
    """The game; without scripts it is hidden, and the picture under it stays.

    Parameters
    ----------
    level : int
        The level that it begins with, from 0: that one and those before it are open.
    """

    def __init__(self, level: int = 0) -> None:
        if level not in range(len(LEVELS)):
            raise ValueError(f"level must be 0 to {len(LEVELS) - 1}, got {level!r}")
        self.level = level

    def _repr_html_(self) -> str:
        return _PANEL.substitute(levels=json.dumps(LEVELS), level=self.level)
