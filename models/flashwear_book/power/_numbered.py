"""The reference model with a record of durable data, for :mod:`flashwear_book.power.powercut`."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from flashwear.ftl import arrays
from flashwear.queueing.plan import HOST, idle_clock
from flashwear.queueing.reference.cache import WAIT
from flashwear.queueing.reference.firmware import Firmware
from flashwear.queueing.reference.request import Request
from flashwear.queueing.reference.stations import ERASE, Network, Task
from flashwear.queueing.reference.watcher import Watcher
from flashwear_book.power import powerloss

Stamps = NDArray[np.int64]


def under_way(network: Network) -> Iterator[tuple[int, Task]]:
    """Yield the number and the task of each die that is programming or erasing now."""
    for index, die in enumerate(network.dies):
        if die.task is not None:
            yield index, die.task


class Record(Watcher):
    """Version numbers of host writes, and which of them can be read after a power cut."""

    def __init__(self, firmware: Firmware, *, ordered: bool, pause_ns: int) -> None:
        self.firmware, self.blocks, self.cleaning = firmware, firmware.blocks, firmware.cleaning
        self.network, self.plan, self.a = firmware.network, firmware.plan, firmware.a
        self.ordered, self.pause_ns = ordered, pause_ns
        plan, blocks = self.plan, self.blocks
        self.positions = np.array([blocks.position(n) for n in range(plan.data_programs)])
        rows = -(-(int(self.positions[-1]) + 1 + (plan.stripe > 0)) // plan.dies)
        self.readable = np.zeros((plan.blocks, rows * plan.dies), np.bool_)
        for block in range(plan.blocks):
            self.readable[block, self.positions[: self._filled(block)]] = True
        live = self.a.l2p[:-1] >= 0
        self.stamp = np.full(self.a.p2l.shape, -1, np.int64)  # of what each slot holds
        self.stamp[self.a.l2p[:-1][live]] = 0
        self.clock = 0
        self.acknowledged = np.where(live, 0, -1).astype(np.int64)  # of each page, -1: no data
        self.durable, self.flushed = self.acknowledged.copy(), self.acknowledged.copy()
        self.forgotten = np.full(live.shape, -1, np.int64)  # the clock at the last trim
        self.home = self.a.l2p.copy()
        self.flying: dict[tuple[int, int], list[int]] = {}  # superblocks that programs outdate
        self.awaited: Counter[int] = Counter()  # programs on their way that outdate a superblock
        self.missing: dict[int, int] | None = None  # what a flush waits for
        self.promise = self.acknowledged
        blocks.watcher = self
        if pause_ns > 0:
            self._next_flush()

    def _filled(self, block: int) -> int:
        """Return the programs of data that a superblock holds."""
        status = self.a.block["status"][block]
        if status == arrays.OPEN:
            frontier = int(np.flatnonzero(self.a.opened == block)[0])
            return (int(self.a.position[frontier]) - (block << self.blocks.shift)) // self.plan.unit
        return 0 if status == arrays.FREE else self.blocks.programs(block)

    # what goes on

    def admitted(self, request: Request) -> None:
        """Give a number to each map unit of a write that the buffer has accepted."""
        for page in request.units(self.plan):
            self.clock += 1
            self.acknowledged[page] = self.clock

    def trimmed(self, request: Request) -> None:
        """Forget the map units that a trim covers."""
        self.clock += 1
        for page in request.units(self.plan):
            if request.covers(page, self.plan):
                self.acknowledged[page] = self.durable[page] = self.flushed[page] = -1
                self.forgotten[page] = self.clock
                self.home[page] = -1
                self._safe(page, self.clock)
        self._answer()

    def begun(self, block: int, number: int) -> None:
        """Record which numbered writes go into program unit `number` of a superblock."""
        if block != self.a.opened[HOST]:
            return
        old = self.flying[block, number] = []
        for slot in self.blocks.slots(block, number):
            page = int(self.a.p2l[slot])
            if page == self.forgotten.size:  # padded
                continue
            self.stamp[slot] = self.acknowledged[page]
            if self.home[page] >= 0:
                old.append(int(self.home[page]) >> self.blocks.shift)
            self.home[page] = slot
        self.awaited.update(old)

    def moved(self, page: int, source: int) -> None:
        """Record that the copy of a page from slot `source` keeps the number of its write."""
        target = int(self.a.l2p[page])
        self.stamp[target], self.home[page] = self.stamp[source], target

    def programmed(self, block: int, number: int) -> None:
        """Record that the writes in program unit `number` of a superblock are durable."""
        self.readable[block, self.positions[number]] = True
        for slot in self.blocks.slots(block, number):
            page, stamp = int(self.a.p2l[slot]), int(self.stamp[slot])
            if page < self.forgotten.size and stamp > self.forgotten[page]:
                self.durable[page] = max(self.durable[page], stamp)
                self._safe(page, stamp)
        for old in self.flying.pop((block, number), ()):
            self.awaited[old] -= 1
            if not self.awaited[old] and old in self.cleaning.scanned:
                self.cleaning.copied(old, 0)
        self._answer()

    def may_erase(self, block: int) -> bool:
        """Return whether a victim may be erased: newer versions of its data must be durable."""
        return not (self.ordered and self.awaited[block])

    def erased(self, block: int, die: int) -> None:
        """Record that data of a superblock on one die are erased and can no longer be read."""
        self.readable[block, die :: self.plan.dies] = False

    # flush commands of the host

    def _next_flush(self) -> None:
        # numbered after all clocks of the reference model
        number = self.network.clock + idle_clock(self.plan) + 1
        self.network.at(self.network.now + self.pause_ns, number).callbacks.append(self._flush)

    def _flush(self, _: simpy.Event) -> None:
        """Take a flush command: all that is acknowledged now is to be programmed."""
        self.firmware.barrier, self.promise = self.firmware.sequence, self.acknowledged.copy()
        held = set(self.firmware.waiting)
        for program in self.flying:
            held.update(self.a.p2l[self.blocks.slots(*program)].tolist())
        held.discard(self.forgotten.size)
        self.missing = {
            page: int(self.promise[page])
            for page in held
            if self.durable[page] < self.promise[page]
        }
        self.network.wake()
        self._answer()

    def _safe(self, page: int, stamp: int) -> None:
        if self.missing and self.missing.get(page, stamp + 1) <= stamp:
            del self.missing[page]

    def _answer(self) -> None:
        """Answer the flush command once nothing of it is missing."""
        if self.missing is None or self.missing:
            return
        self.missing = None
        valid = self.promise > self.forgotten
        self.flushed[valid] = np.maximum(self.flushed, self.promise)[valid]
        self._next_flush()

    # after the power is back

    def endangered(self, task: Task, distance: int) -> list[int]:
        """Return the rows whose pages are damaged if `task` is interrupted; none in SLC mode."""
        if self.blocks.is_slc(task.block):
            return []
        return powerloss.shared_rows(task.row, self.plan.kinds, distance)

    def read_back(self, distance: int) -> dict[str, Stamps]:
        """Return by protection the newest readable version of each map unit, or -1 for none."""
        plan, readable = self.plan, self.readable.copy()
        begun, taken = [], []
        for die, task in under_way(self.network):
            if task.row == ERASE:
                readable[task.block, die :: plan.dies] = False
                continue
            if task.number >= 0:
                begun.append(self.blocks.slots(task.block, task.number))
            rows = self.endangered(task, distance)
            taken += [(task.block, row * plan.dies + die) for row in rows]
        lower = self._newest(readable)
        finish = lower.copy()
        for slots in begun:
            np.maximum.at(finish, self.a.p2l[slots], self.stamp[slots])
        none = lower
        if taken:
            readable[tuple(np.transpose(taken))] = False
            none = self._newest(readable)
        found = {"none": none[:-1], "lower": lower[:-1], "finish": finish[:-1]}
        return {**found, "full": self.acknowledged.copy()}

    def _newest(self, readable: NDArray[np.bool_]) -> Stamps:
        """Return the number of the newest unit of each address where programs can be read."""
        readable = readable[:, self.positions]
        newest = np.full(self.home.size, -1, np.int64)
        np.maximum.at(newest, self._units(self.a.p2l)[readable], self._units(self.stamp)[readable])
        return newest

    def _units(self, slots: NDArray[Any]) -> NDArray[Any]:
        """Return what belongs to slots by superblock, program and unit."""
        plan, blocks = self.plan, self.blocks
        whole = slots[: plan.blocks << blocks.shift].reshape(plan.blocks, -1)
        return whole[:, : blocks.block_units].reshape(plan.blocks, plan.data_programs, plan.unit)


def go_dark(firmware: Firmware) -> None:
    """Stop host requests and cleaning as after a power cut, and program the data in the buffer."""
    network, blocks, a = firmware.network, firmware.blocks, firmware.a

    def last_mode() -> int:
        mode = firmware.cache.host_mode()
        mode = arrays.MAIN if mode == WAIT else mode
        blank = mode == arrays.OWN or blocks.free_units >= firmware.plan.unit
        room = mode != arrays.MAIN or blocks.room(HOST) or a.counts.free
        return mode if blank and room else WAIT

    def drain() -> None:
        firmware.flush(last_mode)

    def of_host(task: Task | None) -> bool:
        return task is not None and task.row != ERASE and a.frontier_of[task.block] == HOST

    firmware.barrier = firmware.sequence
    network.decide = drain
    for die in network.dies:
        die.reads.clear()
        die.queue = deque(job for job in die.queue if of_host(job.task))
    network.wake()
