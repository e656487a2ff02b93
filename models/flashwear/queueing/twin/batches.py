"""Bursts of requests, one after the other, on the compiled model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flashwear._compiled import jit
from flashwear.queueing import requests as io
from flashwear.queueing._plan import Run
from flashwear.queueing.bursts import Burst, Words
from flashwear.queueing.twin import _stations as parts
from flashwear.queueing.twin._machine import advance
from flashwear.queueing.twin._setup import grown, machine

_FAR = 2**60


def play(run: Run, bursts: Iterable[Burst], note: Callable[[Words, Words, int], None]) -> int:
    """Play bursts with the pause of the plan before each; give the time of the end in ns.

    `note` is called after each burst with its words, the latency of each request, and the time
    from the first request to the last completion, in ns.
    """
    plan, now = run.plan, 0
    m = machine(run, record=True)
    counts = m.counts
    for burst in bursts:  # each is a batch of requests that ends
        size = burst.words.size
        io.check(burst.words, plan.user_bytes)
        m.words[:size] = burst.words
        m.words[size : size + parts.AHEAD] = burst.words[-1]
        counts[parts.WORD] = counts[parts.ISSUED] = counts[parts.COMPLETED] = 0
        counts[parts.WORDS], counts[parts.EXHAUSTED] = size, 1
        m = m._replace(plan=plan._replace(queue_depth=burst.depth, last_request=size))
        began = now + plan.start_ns
        if counts[parts.STARTED]:
            _begin(m, began)
        while (why := advance(m, run.state.arrays, _FAR)) == parts.GROW:
            m = grown(m)
        if why != parts.ENDED:
            raise RuntimeError(
                f"the drive came to a standstill: {size - counts[parts.COMPLETED]} requests wait"
            )
        now = int(counts[parts.NOW])
        note(burst.words, m.latency[:size], now - began)
    return now


@jit
def _begin(m: parts.Machine, time: int) -> None:
    """Have the host begin at a time."""
    parts.at(m, parts.clock(m) + 1, time)
