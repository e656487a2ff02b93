"""Bursts of requests, one after the other, on the reference model."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import simpy

from flashwear.queueing import requests as io
from flashwear.queueing.plan import Run
from flashwear.queueing.reference.firmware import Firmware
from flashwear.queueing.reference.host import Host
from flashwear.queueing.reference.request import Request
from flashwear.queueing.reference.stations import Network
from flashwear.queueing.requests import Burst, Words

Note = Callable[[Words, Words, int], None]


def play(run: Run, bursts: Iterator[Burst], note: Note) -> int:
    """Do what :func:`flashwear.queueing.twin.playback.play` does."""
    first = next(bursts)
    network = Network(run._replace(plan=run.plan._replace(queue_depth=first.depth)))
    return _Host(network, first, bursts, note).go(lambda now, completed: None)


class _Host(Host):
    """A host that plays bursts."""

    def __init__(self, network: Network, first: Burst, bursts: Iterator[Burst], note: Note) -> None:
        self.burst, self.bursts, self.note = first, bursts, note
        super().__init__(network, Firmware(network), record=True)
        self.began = self.plan.start_ns

    def _words(self) -> Iterator[int]:
        io.check(self.burst.words, self.network.plan.user_bytes)
        return iter(self.burst.words.tolist())

    def complete(self, request: Request) -> None:
        """Record the completion of a request; after the last one of a burst, schedule the next."""
        super().complete(request)
        assert self.record is not None
        if len(self.record) < self.burst.words.size:
            return
        now = self.network.now
        latency = np.array([taken for _, _, taken in self.record])
        self.note(self.burst.words, latency, now - self.began)
        self.record.clear()
        burst = next(self.bursts, None)
        if burst is None:
            return
        self.burst, self.began = burst, now + self.plan.start_ns
        self.network.at(self.began, self.network.clock + 1).callbacks.append(self._go_on)

    def _go_on(self, _: simpy.Event) -> None:
        self.words = self._words()
        for slot in range(self.burst.depth):
            self.env.process(self.slot(slot))
