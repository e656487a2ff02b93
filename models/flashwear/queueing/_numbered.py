"""The reference model with a record of what is safe, for :mod:`flashwear.queueing.powercut`."""

from __future__ import annotations

from flashwear._extras import require

require("sim", "simpy")

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from flashwear.ftl import arrays
from flashwear.ftl.arrays import MAIN
from flashwear.queueing.plan import HOST, Run, idle_clock
from flashwear.queueing.reference.parts import (
    WAIT,
    Die,
    Firmware,
    Job,
    Network,
    Process,
    Request,
)
from flashwear.reliability import powerloss

Stamps = NDArray[np.int64]
ERASE = -1
"""In place of the position of a program: the die erases."""


class WatchedNetwork(Network):
    """Stations that know which program or erase a die is busy with."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.block = -1  # superblock of the programs that are sent on their way now
        self.doing: dict[simpy.Event, tuple[int, int]] = {}  # superblock, position or ERASE
        self.done: Callable[[int, int], None]

    def program(self, position: int, slc: bool, then: Any) -> Process:
        """Program the unit at a position of a superblock, parity counted in, and go on."""
        return self._watched(super().program(position, slc, then), self.block, position)

    def _watched(self, steps: Process, block: int, position: int) -> Process:
        for event in steps:
            self.doing[event] = block, position
            yield event
            del self.doing[event]
        self.done(block, position)

    def busy(self) -> Iterator[tuple[int, int, int]]:
        """Return each die that programs or erases: its number, superblock, position or ERASE."""
        for index, die in enumerate(self.dies):
            job = die.job
            if (job is None or not job.can_wait) and die.suspended is not None:
                job = die.suspended[0]
            if job is not None and job.can_wait:
                yield (index, *self.doing[job.done])


class NumberedFirmware(Firmware):
    """Firmware that numbers what the host writes, and knows what can be read after a cut."""

    def __init__(self, network: WatchedNetwork, *, ordered: bool, pause_ns: int) -> None:
        super().__init__(network)
        self.stations, self.ordered, self.pause_ns = network, ordered, pause_ns
        network.done = self.done
        plan = self.plan
        numbers = np.arange(plan.data_programs)
        self.positions = numbers + numbers // plan.stripe if plan.stripe else numbers
        last = int(self.positions[-1]) + 1
        rows = -(-(last + (1 if plan.stripe else 0)) // plan.dies)
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
        self.barrier = -1
        self.missing: dict[int, int] | None = None  # what a flush waits for
        self.promise = self.acknowledged
        self.dark = False
        if pause_ns > 0:
            self._next_flush()

    def _filled(self, block: int) -> int:
        """Return the programs of data that a superblock holds."""
        status = self.a.block["status"][block]
        if status == arrays.OPEN:
            frontier = int(np.flatnonzero(self.a.opened == block)[0])
            return (int(self.a.position[frontier]) - (block << self.shift)) // self.plan.unit
        return 0 if status == arrays.FREE else self.programs(block)

    def number(self, block: int, position: int) -> int:
        """Return which program of data is at a position of a superblock, -1 for parity."""
        number = int(np.searchsorted(self.positions, position))
        data = number < self.programs(block) and self.positions[number] == position
        return number if data else -1

    # what goes on

    def admit(self) -> bool:
        """Take writes into the buffer as long as they fit, and number them."""
        if self.dark:
            return False
        before = [request for request, _ in self.writes]
        changed = super().admit()
        for request in before[: len(before) - len(self.writes)]:
            for page in request.units(self.plan):
                self.clock += 1
                self.acknowledged[page] = self.clock
        return changed

    def trim(self, request: Request) -> None:
        """Forget the map units that a request covers."""
        super().trim(request)
        self.clock += 1
        for page in request.units(self.plan):
            if request.covers(page, self.plan):
                self.acknowledged[page] = self.durable[page] = self.flushed[page] = -1
                self.forgotten[page] = self.clock
                self.home[page] = -1
                self._safe(page, self.clock)
        self._answer()

    def start(self, block: int, number: int, then: Callable[[], None]) -> None:
        """Send a unit of program on its way, and the parity that follows it."""
        if block == self.host_block():
            old = self.flying[block, number] = []
            for slot in self.slots(block, number):
                page = int(self.a.p2l[slot])
                if page == self.home.size - 1:
                    continue
                self.stamp[slot] = self.acknowledged[page]
                if self.home[page] >= 0:
                    old.append(int(self.home[page]) >> self.shift)
                self.home[page] = slot
            self.awaited.update(old)
        self.stations.block = block
        super().start(block, number, then)

    def move(self, page: int, slot: int, block: int) -> None:
        """Write a live unit to the frontier of copies, with its number."""
        super().move(page, slot, block)
        target = int(self.a.l2p[page])
        self.stamp[target], self.home[page] = self.stamp[slot], target

    def done(self, block: int, position: int) -> None:
        """Note what a finished program has made safe."""
        number = self.number(block, position)
        if number < 0:
            return
        self.readable[block, position] = True
        for slot in self.slots(block, number):
            page, stamp = int(self.a.p2l[slot]), int(self.stamp[slot])
            if page < self.forgotten.size and stamp > self.forgotten[page]:
                self.durable[page] = max(self.durable[page], stamp)
                self._safe(page, stamp)
        for old in self.flying.pop((block, number), ()):
            self.awaited[old] -= 1
            if not self.awaited[old] and old in self.scanned:
                self.copied(old, 0)
        self._answer()

    def copied(self, block: int, units: int) -> None:
        """Count copies of a victim as safe; erase it after the last, if all else in it is too."""
        if self.ordered and self.awaited[block]:
            self.pending[block] -= units
        else:
            super().copied(block, units)

    def erase(self, block: int, die: Die, left: list[int]) -> Process:
        """Erase the part of a superblock that is on a die, and give it back after the last."""
        for event in super().erase(block, die, left):
            self.stations.doing[event] = block, ERASE
            yield event
            del self.stations.doing[event]
            self.readable[block, self.stations.dies.index(die) :: self.plan.dies] = False

    # flush commands of the host

    def _next_flush(self) -> None:
        # numbered after all clocks of the reference model
        number = self.network.clock + idle_clock(self.plan) + 1
        self.network.at(self.network.now + self.pause_ns, number).callbacks.append(self._flush)

    def _flush(self, _: simpy.Event) -> None:
        """Take a flush command: all that is acknowledged now is to be programmed."""
        self.barrier, self.promise = self.sequence, self.acknowledged.copy()
        held = set(self.waiting)
        for program in self.flying:
            held.update(self.a.p2l[self.slots(*program)].tolist())
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

    def oldest_is_due(self) -> bool:
        """Say whether the oldest entry of the buffer must not wait for others."""
        return self.entries[0][0] < self.barrier or super().oldest_is_due()

    # after a power cut, on capacitors

    def go_dark(self) -> None:
        """Take nothing from the host, clean nothing, and program what the buffer holds."""
        self.dark, self.barrier = True, self.sequence
        self.plan = self.plan._replace(low_units=0)
        for die in self.stations.dies:
            die.reads.clear()
            die.queue = deque(job for job in die.queue if self._of_host(job))
        self.network.wake()

    def _of_host(self, job: Job) -> bool:
        """Say whether a die is to program data of the host."""
        block, position = self.stations.doing.get(job.done, (0, ERASE))
        return position != ERASE and self.a.frontier_of[block] == HOST

    def clean(self) -> bool:
        """Read live units of victims until there is blank space enough, or enough under way."""
        return not self.dark and super().clean()

    def can_place(self) -> bool:
        """Say whether the host has room, or may open a free superblock."""
        if self.dark:
            return self.room(HOST) > 0 or bool(self.a.counts[arrays.POOL] > 0)
        return super().can_place()

    def host_mode(self) -> int:
        """Return the mode of the host's superblock, of the next one if it is full, or WAIT."""
        mode = super().host_mode()
        return MAIN if self.dark and mode == WAIT else mode

    @property
    def emptied(self) -> bool:
        """Whether the buffer is empty, programs under way counted in."""
        return not self.entries and not any(self.host_programs)

    # after the power is back

    def endangered(self, block: int, position: int, distance: int) -> list[int]:
        """Return the rows of a superblock that a program endangers: none in SLC mode."""
        if self.is_slc(block):
            return []
        return powerloss.shared_rows(position // self.plan.dies, self.plan.kinds, distance)

    def read_back(self, distance: int) -> dict[str, Stamps]:
        """Return by protection the number of the newest readable unit of each address; -1: none."""
        plan, readable = self.plan, self.readable.copy()
        begun, taken = [], []
        for die, block, position in self.stations.busy():
            if position == ERASE:
                readable[block, die :: plan.dies] = False
                continue
            begun.append((block, position))
            rows = self.endangered(block, position, distance)
            taken += [(block, row * plan.dies + die) for row in rows]
        lower = self._newest(readable)
        finish = lower.copy()
        for block, position in begun:
            if (number := self.number(block, position)) >= 0:
                slots = self.slots(block, number)
                pages = self.a.p2l[slots.start : slots.stop]
                np.maximum.at(finish, pages, self.stamp[slots.start : slots.stop])
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
        plan = self.plan
        blocks = slots[: plan.blocks << self.shift].reshape(plan.blocks, -1)
        return blocks[:, : self.block_units].reshape(plan.blocks, plan.data_programs, plan.unit)
