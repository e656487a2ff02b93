"""The host: its requests, their way through the drive, and their latencies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import simpy

from flashwear.queueing import requests as io
from flashwear.queueing._progress import Show
from flashwear.queueing.reference.firmware import Firmware
from flashwear.queueing.reference.request import Request
from flashwear.queueing.reference.stations import Network, Process
from flashwear.queueing.result import BINS, bin_of
from flashwear.workloads import READ, WRITE

_BATCH = 4096


class Host:
    """The host: its requests in order, the slots of its queue, and the results.

    `network` has the drive's stations, and `record` says whether to keep each request's latency.
    """

    def __init__(self, network: Network, firmware: Firmware, *, record: bool) -> None:
        self.network, self.plan, self.env = network, network.plan, network.env
        self.firmware = firmware
        self.words = self._words()
        self.issued = self.completed = 0
        self.histogram = np.zeros((3, BINS), np.int64)
        self.per_second: dict[int, int] = {}
        self.kinds: list[int] = []
        self.record: list[tuple[int, int, int]] | None = [] if record else None
        self.arrived: deque[int] = deque()
        self.idle: deque[simpy.Event] = deque()
        network.wake()  # the firmware of an idle drive has something to do
        intervals, last = network.run.interarrivals, self.plan.last_request
        if intervals is None:
            self.begin = network.at(self.plan.start_ns, network.clock + 1)
        else:
            self.env.process(self.arrivals(intervals if last < 0 else intervals[:last]))
        for slot in range(self.plan.queue_depth):
            self.env.process(self.slot(slot) if intervals is None else self.open_slot())

    def _words(self) -> Iterator[int]:
        run = self.network.run
        batch, made = np.zeros(_BATCH, np.int64), 0
        while size := run.stream.fill(batch):
            if run.plan.last_request >= 0:
                size = min(size, run.plan.last_request - made)
            io.check(batch[:size], run.plan.user_bytes)
            yield from batch[:size].tolist()
            made += size
            if made == run.plan.last_request:
                return

    def next(self, issued: int) -> Request | None:
        """Return the next request, issued at time `issued` in ns, or None after the last."""
        word = next(self.words, None)
        if word is None:
            return None
        number, self.issued = self.issued, self.issued + 1
        self.network.outstanding += 1
        if self.record is not None:
            self.kinds.append(word >> io.KIND_SHIFT)
        sector, count = word & io.SECTOR_MASK, word >> io.COUNT_SHIFT & io.COUNT_MASK
        return Request(number, word >> io.KIND_SHIFT, sector, count, issued)

    def slot(self, number: int) -> Process:
        """Keep the queue's slot `number` busy, one request after another, until none is left."""
        yield self.begin
        while (request := self.next(self.network.now)) is not None:
            yield from self.carry_out(request)
            self.complete(request)
            if self.plan.think_ns:
                then = self.network.now + self.plan.think_ns
                yield self.network.at(then, self.network.clock + 2 + number)

    def open_slot(self) -> Process:
        """Serve requests that arrive by themselves (open loop), one at a time, in a queue slot."""
        while True:
            if not self.arrived:
                self.idle.append(self.env.event())
                yield self.idle[-1]
            request = self.next(self.arrived.popleft())
            if request is None:
                return
            yield from self.carry_out(request)
            self.complete(request)

    def arrivals(self, intervals: io.Words) -> Process:
        """Let requests arrive `intervals` nanoseconds apart, whether or not earlier ones wait."""
        for interval in map(int, intervals):
            yield self.network.at(self.network.now + interval, self.network.clock + 1)
            self.arrived.append(self.network.now)
            if self.idle:
                self.idle.popleft().succeed()

    def carry_out(self, request: Request) -> Process:
        """Take a request through the stations of the drive.

        The next station begins once the controller has handled the first map unit, and the
        controller goes on with the others meanwhile. The link likewise passes on the first unit
        before it carries the others.
        """
        plan, network, firmware = self.plan, self.network, self.firmware
        others = len(request.units(plan)) - 1
        wire = self.wire_ns(request.sectors)
        if request.kind == READ:
            command = plan.read_command_ns + plan.read_unit_ns
            first, seen_to = network.controller.serve_in_parts(command, others * plan.read_unit_ns)
            yield first
            yield from network.fetch(firmware.to_look_up(request))
            yield from network.fetch(firmware.to_read(request))
            yield network.link.serve(wire)
            yield seen_to
        elif request.kind == WRITE:
            in_parts = others and plan.write_unit_ns
            head = self.wire_ns(request.sectors_of_first_unit(plan)) if in_parts else wire
            first, arrived = network.link.serve_in_parts(head, wire - head)
            yield first
            command = plan.write_command_ns + (1 + others) * plan.write_unit_ns
            yield network.controller.serve(command)
            yield arrived
            yield from network.fetch(firmware.to_look_up(request))
            yield from network.fetch(firmware.to_modify(request))
            yield firmware.join(request)
        else:
            yield network.controller.serve(plan.write_command_ns)
            firmware.trim(request)

    def wire_ns(self, sectors: int) -> int:
        """Return how long a request of so many sectors takes on the host link, in nanoseconds."""
        return (
            self.plan.link_overhead_ns + sectors * io.SECTOR * self.plan.link_fs_per_byte // 10**6
        )

    def go(self, show: Show) -> int:
        """Simulate until the end of the run; return the time it ends at, in nanoseconds.

        Once a simulated second, `show` is called with the time and the requests completed so far.
        """
        env, plan, now = self.network.env, self.plan, 0
        while True:
            time = env.peek()
            if time > now and self.completed == plan.last_request:
                return now
            if time == float("inf") or 0 <= plan.end_ns < time:
                break
            before, now = now, int(time)
            if now // 10**9 > before // 10**9:
                show(now, self.completed)
            env.step()
        if self.completed < self.issued and time == float("inf"):
            raise RuntimeError(
                f"the drive came to a standstill: {self.issued - self.completed} requests wait"
            )
        return plan.end_ns if plan.end_ns >= 0 else now

    def complete(self, request: Request) -> None:
        """Count a request that is complete now, and record its latency."""
        now = self.network.now
        self.completed += 1
        if request.kind != WRITE:  # the firmware has counted it when it took it into the buffer
            self.network.completed()
        self.histogram[request.kind][bin_of(now - request.issued)] += 1
        second = now // 10**9
        self.per_second[second] = self.per_second.get(second, 0) + 1
        if self.record is not None:
            self.record.append((request.number, now, now - request.issued))
