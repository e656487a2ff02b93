"""A drive as a network of queues in SimPy, written to be read.

Whatever takes time is a ``Station``, which serves one job after the other: the host link, the
controller, the channels and the dies. Requests of the host, programs, copies and erases are
processes that go from station to station. Whatever the firmware decides, it decides in no time
at the end of an instant (``Network.decide``): which data go from the buffer to the flash, and
what is cleaned. Which page lies where comes from :mod:`flashwear.ftl`.

Three rules make a run a matter of arithmetic, not of the accident of scheduling, so that
:mod:`flashwear.queueing.twin` can do the same event by event. Time is a whole number of
nanoseconds. Services that end at one instant are handled by the number of their station (link,
controller, channels, dies, then the clocks of the host), each with all that follows at once. Then
the firmware decides, and then idle stations take up work.

*When the map changes:* a page of the host when its data leave the buffer for a program, a page of a
victim when its copy is at hand and joins a program; reads are served from DRAM from then until the
program is done. A page that the host overwrites while it is being copied is dropped when
its copy is at hand. *What the buffer holds* can be overwritten there until it leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple, cast

import numpy as np
import simpy
from numpy.typing import NDArray

from flashwear.drives import Drive
from flashwear.ftl import _arrays as arrays
from flashwear.ftl import _kernel as kernel
from flashwear.ftl import steps
from flashwear.queueing import requests as io
from flashwear.queueing._plan import COPY, HOST, KEEP, Plan, Run, planned, shows_progress
from flashwear.queueing.result import BINS, Result, bin_of
from flashwear.workloads import OPERATION_SHIFT, READ, TRIM, WRITE, Workload

__all__ = ["run"]

Process = Generator[simpy.Event, Any, None]

_DECIDE, _GRANT = 10**9, 10**9 + 1  # come after all that ends at an instant
_FIRST_STATION = 2  # priorities 0 and 1 are SimPy's own, for what follows at once
_BATCH = 4096


class Request(NamedTuple):
    """A request of the host: so many sectors from `sector` on."""

    number: int
    kind: int
    sector: int
    sectors: int
    issued: int  # ns

    def units(self, plan: Plan) -> range:
        """Give the map units that it touches."""
        last = (self.sector + self.sectors - 1) // plan.unit_sectors
        return range(self.sector // plan.unit_sectors, last + 1)

    def covers(self, unit: int, plan: Plan) -> bool:
        """Say whether all of a map unit is in it."""
        first = unit * plan.unit_sectors
        return self.sector <= first and first + plan.unit_sectors <= self.sector + self.sectors


class Job(NamedTuple):
    """What a station does for somebody who waits for `done`."""

    done: simpy.Event
    ns: int
    joined: int
    can_wait: bool  # a program or an erase, which may be suspended


class Station:
    """A server with a queue: first come, first served."""

    def __init__(self, network: Network, number: int) -> None:
        self.network, self.env, self.number = network, network.env, number
        self.queue: deque[Job] = deque()
        self.job: Job | None = None
        self.began = self.due = 0
        self.busy = self.waited = self.jobs = self.longest = 0

    def serve(self, ns: int, *, can_wait: bool = False) -> simpy.Event:
        """Join the queue; give an event for the end of the service."""
        return self._join(self.queue, Job(self.env.event(), ns, self.network.now, can_wait))

    def _join(self, queue: deque[Job], job: Job) -> simpy.Event:
        queue.append(job)
        self.longest = max(self.longest, self.waiting)
        self.network.wake(self)
        return job.done

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self.queue)

    def grant(self) -> None:
        """Take up the next job, if there is one and the station is idle."""
        if self.job is None and self.queue:
            self._begin(self.queue.popleft())

    def _begin(self, job: Job) -> None:
        self.jobs += 1
        self.waited += self.network.now - job.joined
        self._work(job, job.ns)

    def _work(self, job: Job, ns: int) -> None:
        self.job, self.began, self.due = job, self.network.now, self.network.now + ns
        self.network.at(self.due, self.number, self._end)

    def _end(self, _: simpy.Event) -> None:
        self.busy += self.network.now - self.began
        job, self.job = self.job, None
        self.network.wake(self)
        if job is not None:
            job.done.succeed()

    def busy_until(self, now: int) -> int:
        """Give the time it was busy, the service under way included."""
        return self.busy + (now - self.began if self.job is not None else 0)


class Die(Station):
    """A die: reads of the host may go first, and a program or an erase be suspended for them."""

    def __init__(self, network: Network, number: int) -> None:
        super().__init__(network, number)
        self.reads: deque[Job] = deque()
        self.suspended: tuple[Job, int] | None = None

    @property
    def waiting(self) -> int:
        """Jobs in both queues."""
        return len(self.queue) + len(self.reads)

    def read(self, ns: int) -> simpy.Event:
        """Join as a read of the host."""
        queue = self.reads if self.network.plan.reads_first else self.queue
        return self._join(queue, Job(self.env.event(), ns, self.network.now, can_wait=False))

    def grant(self) -> None:
        """Take up a read of the host, else what was suspended, else the next job."""
        plan, now = self.network.plan, self.network.now
        if self.job is not None and self.job.can_wait and self.reads and plan.suspend_ns >= 0:
            self.busy += now - self.began
            self.suspended = self.job, self.due - now
            self.job = None
            self.network.counts["suspends"] += 1
        if self.job is not None:
            return
        if self.reads:
            self._begin(self.reads.popleft())
        elif self.suspended is not None:
            job, left = self.suspended
            self.suspended = None
            self._work(job, left + plan.suspend_ns)
        else:
            super().grant()

    def _end(self, event: simpy.Event) -> None:
        if self.job is not None and self.due == self.network.now:
            super()._end(event)
        else:  # the end of a service that was suspended meanwhile
            self.network.wake(self)


class Network:
    """The stations, the firmware between them, and the host before them."""

    def __init__(self, run: Run, *, record: bool) -> None:
        self.plan, self.run, self.env = run.plan, run, simpy.Environment(initial_time=0)
        plan = run.plan
        self.counts = dict.fromkeys(
            (
                "merged",
                "buffer_reads",
                "flash_reads",
                "copy_reads",
                "map_reads",
                "modify_reads",
                "programs",
                "copy_programs",
                "parity_programs",
                "erases",
                "suspends",
                "padded",
            ),
            0,
        )
        self.link, self.controller = Station(self, 0), Station(self, 1)
        self.channels = [Station(self, 2 + i) for i in range(plan.channels)]
        self.dies = [Die(self, 2 + plan.channels + i) for i in range(plan.dies)]
        self.clock = 2 + plan.channels + plan.dies  # numbers of the clocks: age, arrivals, slots
        self.awake: dict[int, Station] = {}
        self.woken = False
        self.cached = [-1] * plan.map_slots
        self.firmware = Firmware(self)
        self.host = Host(self, record=record)

    # time

    @property
    def now(self) -> int:
        """Nanoseconds since the start."""
        return cast(int, self.env.now)

    def at(self, time: int, number: int, callback: Any) -> None:
        """Have something done at a time, in the order of numbers."""
        self._schedule(_FIRST_STATION + number, time - self.now, callback)

    def _schedule(self, priority: Any, delay: int, callback: Any) -> None:
        event = self.env.event()
        event._ok, event._value = True, None
        event.callbacks.append(callback)
        self.env.schedule(event, priority, delay)

    def wake(self, station: Station | None = None) -> None:
        """Have the firmware decide, and a station take up work, at the end of this instant."""
        if station is not None:
            self.awake[station.number] = station
        if not self.woken:
            self.woken = True
            self._schedule(_DECIDE, 0, self.decide)
            self._schedule(_GRANT, 0, self.grant)

    def decide(self, _: simpy.Event) -> None:
        """Admit, flush and clean until there is nothing left to do now."""
        firmware = self.firmware
        while firmware.admit() | firmware.flush() | firmware.clean():
            pass
        firmware.watch_age()

    def grant(self, _: simpy.Event) -> None:
        """Have idle stations take up work, in the order of their numbers."""
        self.woken = False
        awake, self.awake = self.awake, {}
        for number in sorted(awake):
            awake[number].grant()

    # the ways of requests

    def carry_out(self, request: Request) -> Process:
        """Take a request of the host from station to station."""
        plan = self.plan
        wire = plan.link_overhead_ns + request.sectors * io.SECTOR * plan.link_fs_per_byte // 10**6
        if request.kind == READ:
            yield self.controller.serve(plan.read_command_ns)
            yield from self.look_up(request)
            yield from self.fetch(self.firmware.to_read(request))
            yield self.link.serve(wire)
        elif request.kind == WRITE:
            yield self.link.serve(wire)
            yield self.controller.serve(plan.write_command_ns)
            yield from self.look_up(request)
            yield from self.fetch(self.firmware.to_modify(request))
            yield self.firmware.join(request)
        else:
            yield self.controller.serve(plan.write_command_ns)
            self.firmware.trim(request)

    def look_up(self, request: Request) -> Process:
        """Read the pages of the map that are not in DRAM."""
        plan = self.plan
        if not plan.map_slots:
            return
        units = request.units(plan)
        missing = []
        for page in range(units[0] // plan.map_entries, units[-1] // plan.map_entries + 1):
            if self.cached[page % plan.map_slots] != page:
                self.cached[page % plan.map_slots] = page
                self.counts["map_reads"] += 1
                missing.append((page % plan.dies, 1))
        yield from self.fetch(missing)

    def fetch(self, reads: list[tuple[int, int]]) -> Process:
        """Read so many map units each from dies, side by side."""
        if len(reads) == 1:
            yield from self.read(*reads[0])
        elif reads:
            yield self.env.all_of([self.env.process(self.read(*read)) for read in reads])

    def read(self, die: int, units: int) -> Process:
        """Read map units of one page from a die."""
        yield self.dies[die].read(self.plan.read_ns)
        yield self.transfer(die, units)

    def transfer(self, die: int, units: int) -> simpy.Event:
        """Move map units over the channel of a die."""
        ns = self.plan.transfer_overhead_ns + units * self.plan.transfer_ns
        return self.channels[die % self.plan.channels].serve(ns)

    def program(self, position: int, then: Any) -> Process:
        """Program the unit at a position of a superblock, parity counted in, and go on."""
        die, row = position % self.plan.dies, position // self.plan.dies
        yield self.transfer(die, self.plan.unit)
        yield self.dies[die].serve(int(self.run.program_ns[row % self.plan.kinds]), can_wait=True)
        then()


class Program:
    """A unit of program that waits or is under way: where its data come from."""

    def __init__(self) -> None:
        self.entries = 0  # of the buffer
        self.sources: list[int] = []  # superblock of each copy


class Firmware:
    """Write buffer, flush and cleaning, on the map of :mod:`flashwear.ftl`."""

    def __init__(self, network: Network) -> None:
        self.network, self.plan = network, network.plan
        self.counts, self.env = network.counts, network.env
        plan = self.plan
        self.a = network.run.state.arrays
        self.shift = int(self.a.rules[arrays.SHIFT])
        self.block_units = plan.data_programs * plan.unit
        self.entries: deque[tuple[int, int, int]] = deque()  # sequence number, page, when
        self.sequence = 0
        self.waiting: dict[int, int] = {}  # sequence number of a page that waits in the buffer
        self.used = 0
        self.writes: deque[tuple[Request, simpy.Event]] = deque()
        self.age_watched = False
        self.programmed = np.ones(plan.blocks * plan.data_programs, np.bool_)
        self.host_programs = [0] * plan.dies
        self.victim = -1
        self.scan = 0
        self.pending: dict[int, int] = {}  # copies that a victim still waits for
        self.scanned: set[int] = set()
        self.copy_busy = self.copy_in_flight = 0
        self.copies = Program()
        pool = int(self.a.counts[arrays.POOL]) * self.block_units
        self.free_units = pool + sum(self.room(frontier) for frontier in (HOST, COPY))

    def room(self, frontier: int) -> int:
        """Give the blank units of a frontier's superblock."""
        return int(self.a.stop[frontier] - self.a.position[frontier])

    def where(self, slot: int) -> tuple[int, int]:
        """Give the superblock of a slot, and which program of it the slot is in."""
        return slot >> self.shift, (slot & (1 << self.shift) - 1) // self.plan.unit

    def position(self, program: int) -> int:
        """Give the position of a program in its superblock, parity counted in."""
        return program + (program // self.plan.stripe if self.plan.stripe else 0)

    def on_flash(self, page: int) -> int:
        """Give the slot from which a page must be read; -1 if it is in DRAM or nowhere."""
        slot = int(self.a.l2p[page])
        if page in self.waiting or slot < 0:
            return -1
        block, program = self.where(slot)
        done = self.programmed[block * self.plan.data_programs + program]
        return slot if done else -1

    # what requests ask

    def to_read(self, request: Request) -> list[tuple[int, int]]:
        """Give the reads of the flash that a read needs: die and map units of each."""
        reads: list[tuple[int, int]] = []
        last = None
        for page in request.units(self.plan):
            slot = self.on_flash(page)
            if slot < 0:
                self.counts["buffer_reads"] += page in self.waiting or int(self.a.l2p[page]) >= 0
                continue
            place = self.where(slot)
            if place == last:
                reads[-1] = reads[-1][0], reads[-1][1] + 1
            else:
                reads.append((self.position(place[1]) % self.plan.dies, 1))
            last = place
        self.counts["flash_reads"] += len(reads)
        return reads

    def to_modify(self, request: Request) -> list[tuple[int, int]]:
        """Give the reads that a write needs for map units that it covers only in part."""
        units = request.units(self.plan)
        reads = []
        for page in sorted({units[0], units[-1]}):
            slot = -1 if request.covers(page, self.plan) else self.on_flash(page)
            if slot >= 0:
                reads.append((self.position(self.where(slot)[1]) % self.plan.dies, 1))
        self.counts["modify_reads"] += len(reads)
        return reads

    def trim(self, request: Request) -> None:
        """Forget the map units that a request covers."""
        for page in request.units(self.plan):
            if request.covers(page, self.plan):
                self.waiting.pop(page, None)
                kernel.other(self.a, page | TRIM << OPERATION_SHIFT)
        self.network.wake()

    def join(self, request: Request) -> simpy.Event:
        """Wait for a place in the buffer."""
        done = self.env.event()
        self.writes.append((request, done))
        self.network.wake()
        return done

    # what the firmware decides

    def admit(self) -> bool:
        """Take writes into the buffer as long as they fit."""
        changed = False
        while self.writes:
            request, done = self.writes[0]
            pages = request.units(self.plan)
            new = sum(page not in self.waiting for page in pages)
            if self.used + new > self.plan.buffer_units:
                break
            self.writes.popleft()
            for page in pages:
                if page in self.waiting:
                    self.counts["merged"] += 1
                else:
                    self.waiting[page] = self.sequence
                    self.entries.append((self.sequence, page, self.network.now))
                    self.sequence += 1
            self.used += new
            done.succeed()
            changed = True
        return changed

    def watch_age(self) -> None:
        """See to it that what waits in the buffer does not wait too long."""
        if self.entries and not self.age_watched and not self.oldest_is_due():
            self.age_watched = True
            due = self.entries[0][2] + self.plan.age_ns
            self.network.at(due, self.network.clock, self.look_at_age)

    def look_at_age(self, _: simpy.Event) -> None:
        """Have the firmware look at the age of what waits."""
        self.age_watched = False
        self.network.wake()

    def oldest_is_due(self) -> bool:
        """Say whether the oldest entry of the buffer has waited for others long enough."""
        return self.entries[0][2] + self.plan.age_ns <= self.network.now

    def flush(self) -> bool:
        """Write data from the buffer to the flash, a unit of program at a time."""
        plan, a, changed = self.plan, self.a, False
        while self.entries:
            if len(self.entries) < plan.unit and not self.oldest_is_due():
                break
            if self.free_units - plan.unit < plan.low_units:
                break
            if not steps.open_if_full(a, HOST, KEEP):
                break
            block, number = self.where(int(a.position[HOST]))
            die = self.position(number) % plan.dies
            if self.host_programs[die] >= plan.programs_per_die:
                break
            program = Program()
            for _ in range(plan.unit):
                if not self.entries:
                    self.pad(HOST)
                    continue
                sequence, page, _ = self.entries.popleft()
                program.entries += 1
                if self.waiting.get(page) == sequence:
                    del self.waiting[page]
                    steps.place(a, page, HOST)
                else:  # trimmed meanwhile
                    self.pad(HOST)
            self.free_units -= plan.unit
            self.host_programs[die] += 1
            self.start(program, block, number)
            changed = True
        return changed

    def pad(self, frontier: int) -> None:
        """Leave a map unit without data."""
        steps.pad(self.a, frontier)
        self.counts["padded"] += 1

    def start(self, program: Program, block: int, number: int) -> None:
        """Send a unit of program on its way, and the parity that follows it."""
        plan, network = self.plan, self.network
        self.programmed[block * plan.data_programs + number] = False
        position = self.position(number)

        def done() -> None:
            self.programmed[block * plan.data_programs + number] = True
            self.finished(program, position % plan.dies)

        def counted() -> None:
            self.counts["parity_programs"] += 1

        self.env.process(network.program(position, done))
        last = number + 1 == plan.data_programs
        if plan.stripe and ((number + 1) % plan.stripe == 0 or last):
            self.env.process(network.program(position + 1, counted))

    def finished(self, program: Program, die: int) -> None:
        """Do what the end of a program makes possible."""
        if program.entries:
            self.used -= program.entries
            self.host_programs[die] -= 1
            self.counts["programs"] += 1
        else:
            self.copy_busy -= len(program.sources)
            self.counts["copy_programs"] += 1
            for block in program.sources:
                self.copied(block, 1)
        self.network.wake()

    def clean(self) -> bool:
        """Read live units of victims until there is blank space enough, or enough under way."""
        plan, a, changed = self.plan, self.a, False
        while not self.enough():
            if self.victim < 0:
                free = self.room(COPY) + int(a.counts[arrays.POOL]) * self.block_units
                if a.counts[arrays.OLDEST] < 0 or free - self.copy_in_flight < self.block_units:
                    if self.copy_in_flight == 0 and self.copies.sources:
                        self.fill_up()
                        changed = True
                    break
                self.victim, self.scan = int(steps.begin(a)), 0
                self.pending[self.victim] = 0
                changed = True
            elif self.copy_busy >= plan.copy_units:
                break
            else:
                live = self.live(self.victim, self.scan)
                if live:
                    self.pending[self.victim] += live
                    self.copy_busy += live
                    self.copy_in_flight += live
                    self.counts["copy_reads"] += 1
                    self.env.process(self.copy(self.victim, self.scan, live))
                self.scan += 1
                self.free_units += plan.unit
                changed = True
                if self.scan == plan.data_programs:
                    block, self.victim = self.victim, -1
                    self.scanned.add(block)
                    self.copied(block, 0)
        return changed

    def enough(self) -> bool:
        """Say whether there is blank space enough, what is scanned of victims counted in."""
        pool = int(self.a.counts[arrays.POOL])
        return self.free_units >= self.plan.high_units and pool > KEEP

    def slots(self, block: int, number: int) -> range:
        """Give the slots of a program."""
        first = (block << self.shift) + number * self.plan.unit
        return range(first, first + self.plan.unit)

    def live(self, block: int, number: int) -> int:
        """Count the live map units of a program."""
        slots = self.slots(block, number)
        pages = self.a.p2l[slots.start : slots.stop]
        return int((self.a.l2p[pages] == np.arange(slots.start, slots.stop)).sum())

    def copy(self, block: int, number: int, live: int) -> Process:
        """Read the live units of a program, and write those still live to another place."""
        plan, network = self.plan, self.network
        die = self.position(number) % plan.dies
        yield network.dies[die].serve(plan.read_ns)
        yield network.transfer(die, live)
        if plan.copy_ns > 0:
            yield network.controller.serve(plan.copy_ns * live)
        moved = 0
        for slot in self.slots(block, number):
            page = int(self.a.p2l[slot])
            if self.a.l2p[page] == slot:
                self.move(page, slot, block)
                moved += 1
        self.copy_in_flight -= live
        self.copy_busy -= live - moved
        self.copied(block, live - moved)
        network.wake()

    def move(self, page: int, slot: int, block: int) -> None:
        """Write a live unit to the frontier of copies."""
        if not steps.open_if_full(self.a, COPY, 0):
            raise RuntimeError("no superblock is free for copies")
        steps.move(self.a, page, slot, COPY)
        self.copies.sources.append(block)
        self.free_units -= 1
        self.send_if_full()

    def fill_up(self) -> None:
        """Pad the program of copies that waits for others, and send it on its way."""
        while self.room(COPY) % self.plan.unit:
            self.pad(COPY)
            self.free_units -= 1
        self.send_if_full()

    def send_if_full(self) -> None:
        """Program the copies at hand once they fill a unit."""
        block, number = self.where(int(self.a.position[COPY]) - 1)
        self.programmed[block * self.plan.data_programs + number] = False
        if self.room(COPY) % self.plan.unit == 0:
            program, self.copies = self.copies, Program()
            self.start(program, block, number)

    def copied(self, block: int, units: int) -> None:
        """Count copies of a victim as safe, and erase it after the last."""
        self.pending[block] -= units
        if self.pending[block] == 0 and block in self.scanned:
            self.scanned.remove(block)
            left = [self.plan.dies]
            for die in self.network.dies:
                self.env.process(self.erase(block, die, left))

    def erase(self, block: int, die: Die, left: list[int]) -> Process:
        """Erase the part of a superblock that is on a die, and give it back after the last."""
        yield die.serve(self.plan.erase_ns, can_wait=True)
        self.counts["erases"] += 1
        left[0] -= 1
        if left[0] == 0:
            steps.finish(self.a, block)
            self.network.wake()


class Host:
    """Requests in order, to as many slots as the queue is deep, and what became of them."""

    def __init__(self, network: Network, *, record: bool) -> None:
        self.network, self.plan, self.env = network, network.plan, network.env
        self.words = self._words()
        self.issued = self.completed = 0
        self.histogram = np.zeros((3, BINS), np.int64)
        self.per_second: dict[int, int] = {}
        self.kinds: list[int] = []
        self.record: list[tuple[int, int, int]] | None = [] if record else None
        self.arrived: deque[int] = deque()
        self.idle: deque[simpy.Event] = deque()
        for slot in range(self.plan.queue_depth):
            closed = network.run.gaps is None
            self.env.process(self.slot(slot) if closed else self.open_slot())
        if network.run.gaps is not None:
            self._next_arrival(0)

    def _words(self) -> Iterator[int]:
        run = self.network.run
        batch, made = np.zeros(_BATCH, np.int64), 0
        while size := run.stream.fill(batch):
            if run.plan.last_request >= 0:
                size = min(size, run.plan.last_request - made)
            io.check(batch[:size], run.plan.user_units * run.plan.unit_sectors * io.SECTOR)
            yield from batch[:size].tolist()
            made += size
            if made == run.plan.last_request:
                return

    def next(self, issued: int) -> Request | None:
        """Give the next request, None if there is no more."""
        word = next(self.words, None)
        if word is None:
            return None
        number, self.issued = self.issued, self.issued + 1
        if self.record is not None:
            self.kinds.append(word >> io.KIND_SHIFT)
        sector, count = word & io.SECTOR_MASK, word >> io.COUNT_SHIFT & io.COUNT_MASK
        return Request(number, word >> io.KIND_SHIFT, sector, count, issued)

    def slot(self, number: int) -> Process:
        """Keep one place of the queue full."""
        while (request := self.next(self.network.now)) is not None:
            yield from self.network.carry_out(request)
            self.complete(request)
            if self.plan.think_ns:
                clock = self.network.clock + 2 + number
                thought = self.env.event()
                self.network.at(
                    self.network.now + self.plan.think_ns, clock, lambda _, e=thought: e.succeed()
                )
                yield thought

    def open_slot(self) -> Process:
        """Carry out what has arrived, one request after the other."""
        while True:
            if not self.arrived:
                self.idle.append(self.env.event())
                yield self.idle[-1]
            request = self.next(self.arrived.popleft())
            if request is None:
                return
            yield from self.network.carry_out(request)
            self.complete(request)

    def _next_arrival(self, number: int) -> None:
        gaps = self.network.run.gaps
        if gaps is None or number == gaps.size or number == self.plan.last_request:
            return

        def arrive(_: simpy.Event) -> None:
            self.arrived.append(self.network.now)
            if self.idle:
                self.idle.popleft().succeed()
            self._next_arrival(number + 1)

        self.network.at(self.network.now + int(gaps[number]), self.network.clock + 1, arrive)

    def complete(self, request: Request) -> None:
        """Note that a request is done."""
        now = self.network.now
        self.completed += 1
        self.histogram[request.kind][bin_of(now - request.issued)] += 1
        second = now // 10**9
        self.per_second[second] = self.per_second.get(second, 0) + 1
        if self.record is not None:
            self.record.append((request.number, now, now - request.issued))


def run(
    drive: Drive,
    workload: str | Workload | io.Access,
    *,
    queue_depth: int = 32,
    duration_s: float | None = None,
    ios: int | None = None,
    seed: int = 0,
    think_s: float = 0.0,
    fill: str = "sequential",
    random_drive_writes: float = 0.0,
    span: float = 1.0,
    record: bool = False,
    progress: bool | None = None,
) -> Result:
    """Run requests of a host on a drive, event by event, in SimPy.

    Parameters
    ----------
    drive : Drive
        See :mod:`flashwear.drives`.
    workload : str, Workload or Access
        What the host asks: requests of any size and mix
        (:class:`flashwear.queueing.requests.Access`), or a page workload of
        :mod:`flashwear.workloads`, each page a request.
    queue_depth : int
        Requests that the host keeps outstanding, in [1, 256]; the drive takes
        ``drive.queue_limit`` of them at once.
    duration_s : float, optional
        Time after which the run ends, > 0.
    ios : int, optional
        Requests after which it ends, >= 1, all of them completed. One of the two must be given.
    seed : int
        A whole number >= 0; the same one gives the same run.
    think_s : float
        Time from the completion of a request to the next of the same slot of the queue, >= 0.
    fill : {"sequential", "none"}
        How the drive is prepared, in no time: written once in order, or not at all.
    random_drive_writes : float
        Random writes of whole map units after the fill, over the size of the span, in no time.
    span : float
        Part of the drive, from its start, that is filled so, in (0, 1].
    record : bool
        Whether to keep the completion and latency of each request.
    progress : bool, optional
        Whether to show a progress bar on stderr; by default for 100 s of simulated time or
        more, and not while a book is built.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For arguments outside these ranges, or a request beyond the drive.
    RuntimeError
        If the drive comes to a standstill.

    Examples
    --------
    A drive of two dies that takes 100 us to read a page, one read at a time:

    >>> from flashwear.queueing.requests import Access
    >>> small = Drive(
    ...     name="two dies", user_bytes=12 << 20, dies=2, planes=1, page_bytes=16384,
    ...     pages_per_block=16, blocks_per_plane=40, channels=1, channel_bytes_per_s=400e6,
    ...     read_s=100e-6, program_s=(1e-3,), erase_s=3e-3, low_blocks=3, high_blocks=4)
    >>> result = run(small, Access(4096, read_share=1.0), queue_depth=1, ios=100)
    >>> bool(100e-6 < result.elapsed_s / 100 < 130e-6)
    True
    """
    prepared = planned(
        drive,
        workload,
        queue_depth=queue_depth,
        duration_s=duration_s,
        ios=ios,
        seed=seed,
        think_s=think_s,
        fill=fill,
        random_drive_writes=random_drive_writes,
        span=span,
    )
    before = prepared.state.host_writes, prepared.state.copies
    network = Network(prepared, record=record)
    now = _go(network, progress=shows_progress(progress, duration_s))
    return _result(network, now, before)


def _go(network: Network, *, progress: bool) -> int:
    """Handle event after event to the end of the run; give the time of it."""
    env, plan, host = network.env, network.plan, network.host
    bar: Any = None
    if progress:
        from tqdm.auto import tqdm

        bar = tqdm(total=plan.end_ns / 1e9 if plan.end_ns >= 0 else None, unit="s")
    try:
        while (time := env.peek()) != float("inf"):
            if time > network.now and host.completed == plan.last_request:
                return network.now
            if 0 <= plan.end_ns < time:
                break
            if bar is not None and time // 10**9 > network.now // 10**9:
                bar.update((int(time) - network.now) / 1e9)
            env.step()
    finally:
        if bar is not None:
            bar.close()
    if host.completed < host.issued and env.peek() == float("inf"):
        raise RuntimeError(
            f"the drive came to a standstill: {host.issued - host.completed} requests wait"
        )
    return plan.end_ns if plan.end_ns >= 0 else network.now


def _result(network: Network, now: int, before: tuple[int, int]) -> Result:
    host, state = network.host, network.run.state
    stations: dict[str, list[Station]] = {
        "link": [network.link],
        "controller": [network.controller],
        "channel": list(network.channels),
        "die": list(network.dies),
    }

    def each(figure: Any) -> dict[str, NDArray[Any]]:
        return {kind: np.array([figure(s) for s in group]) for kind, group in stations.items()}

    per_second = np.zeros(now // 10**9 + 1, np.int64)
    for second, count in host.per_second.items():
        per_second[second] = count
    completion = latency = kinds = None
    if host.record is not None:
        completion, latency = np.full(host.issued, np.nan), np.full(host.issued, np.nan)
        kinds = np.array(host.kinds, np.int64)
        for number, done, taken in host.record:
            completion[number], latency[number] = done / 1e9, taken / 1e9
    return Result(
        ios=host.completed,
        elapsed_s=now / 1e9,
        per_second=per_second,
        histogram=host.histogram,
        completion_s=completion,
        latency_s=latency,
        kinds=kinds,
        busy_s=each(lambda s: s.busy_until(now) / 1e9),
        wait_s=each(lambda s: s.waited / 1e9),
        jobs=each(lambda s: s.jobs),
        longest=each(lambda s: s.longest),
        counts=network.counts,
        ftl=state,
        host_writes=state.host_writes - before[0],
        copies=state.copies - before[1],
    )
