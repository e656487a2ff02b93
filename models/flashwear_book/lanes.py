"""A queue that one can see: requests on the dies and channels of a small drive, by depth."""

from __future__ import annotations

import json
from collections.abc import Generator
from string import Template
from typing import Any, NamedTuple

import numpy as np

DIES, CHANNELS = 8, 2
LANES = ("controller", *(f"die {n + 1}" for n in range(DIES)), "channel 1", "channel 2", "link")
VISITS_US = {"controller": 5, "die": 90, "channel": 15, "link": 8}
"""Time of a read of 4 KiB at each station, typical of flash of two bits; in this order."""
DEPTHS = (1, 2, 4, 8, 16, 32)
_REQUESTS = 160


class Recorded(NamedTuple):
    """What happened at one depth, in microseconds.

    ``visits`` has a row for each turn at a station: lane, request, start and end. ``latencies`` are
    those of the requests, in the order in which they were finished.
    """

    visits: list[tuple[int, int, int, int]]
    latencies: list[int]


def recorded(depth: int, requests: int = _REQUESTS, seed: int = 2) -> Recorded:
    """Run reads through the stations with SimPy and note each turn.

    Parameters
    ----------
    depth : int
        Requests outstanding.
    requests : int
        Reads in all.
    seed : int
        Of the dies that are read.

    Returns
    -------
    Recorded

    Examples
    --------
    One read at a time waits for nothing:

    >>> set(recorded(1).latencies)
    {118}
    """
    import simpy

    env, draw = simpy.Environment(), np.random.default_rng(seed)
    lanes = [simpy.Resource(env) for _ in LANES]
    left = iter(range(requests))
    visits: list[tuple[int, int, int, int]] = []
    latencies: list[int] = []

    def client() -> Generator[Any, Any, None]:
        for request in left:
            begun = env.now
            die = int(draw.integers(DIES))
            path = (0, 1 + die, 1 + DIES + die % CHANNELS, 1 + DIES + CHANNELS)
            for lane, took in zip(path, VISITS_US.values(), strict=True):
                with lanes[lane].request() as turn:
                    yield turn
                    start = env.now
                    yield env.timeout(took)
                visits.append((lane, request, round(start), round(env.now)))
            latencies.append(round(env.now - begun))

    for _ in range(depth):
        env.process(client())
    env.run()
    return Recorded(visits, latencies)


_PANEL = Template("""\
<div class="fw-lanes" hidden><div class="fw-game-bar fw-game-controls">
<label>Depth <input type="range" min="0" max="$last" value="0" aria-label="Queue depth">
<b class="fw-lanes-depth">1</b></label><button type="button">Pause</button></div>
<svg viewBox="0 0 640 330" role="img" aria-label="Lanes of a drive's parts, in which requests \
take their turns, and the latencies of the requests that are done."></svg>
<p class="fw-lanes-said" aria-live="off"></p>
<script type="application/json">$told</script></div>
<noscript><p>With JavaScript, requests move here.</p></noscript>""")


class Panel:
    """Lanes with the recorded turns at each depth; without scripts, a sentence instead."""

    def _repr_html_(self) -> str:
        told = {
            "lanes": LANES,
            "depths": DEPTHS,
            "runs": [recorded(depth)._asdict() for depth in DEPTHS],
        }
        return _PANEL.substitute(last=len(DEPTHS) - 1, told=json.dumps(told, separators=(",", ":")))
