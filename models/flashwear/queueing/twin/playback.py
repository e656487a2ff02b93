"""Bursts of requests, one after the other, on the compiled model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flashwear._compiled import jit
from flashwear.queueing import requests as io
from flashwear.queueing.plan import Run
from flashwear.queueing.requests import Burst, Words
from flashwear.queueing.twin import _stations as stations
from flashwear.queueing.twin._machine import advance
from flashwear.queueing.twin._setup import grown, machine

_FAR = 2**60


def play(run: Run, bursts: Iterable[Burst], note: Callable[[Words, Words, int], None]) -> int:
    """Play bursts, each after the pause of the plan; return the end time in ns.

    `note` is called after each burst with its words, the latency of each request, and the time
    from the first request to the last completion, in ns.
    """
    plan, now = run.plan, 0
    m = machine(run, record=True)
    state = m.state
    for burst in bursts:  # each is a batch of requests that ends
        size = burst.words.size
        io.check(burst.words, plan.user_bytes)
        m.words[:size] = burst.words
        m.words[size : size + stations.AHEAD] = burst.words[-1]
        state.next_word = state.issued = state.completed = 0
        state.words_end, state.exhausted = size, 1
        m = m._replace(plan=plan._replace(queue_depth=burst.depth, last_request=size))
        began = now + plan.start_ns
        if state.started:
            _begin(m, began)
        while (why := advance(m, run.state.arrays, _FAR)) == stations.GROW:
            m = grown(m)
        if why != stations.ENDED:
            raise RuntimeError(
                f"the drive came to a standstill: {size - state.completed} requests wait"
            )
        now = int(state.now)
        note(burst.words, m.latency[:size], now - began)
    return now


@jit
def _begin(m: stations.Machine, time: int) -> None:
    """Have the host begin at a time."""
    stations.at(m, stations.clock(m) + 1, time)
