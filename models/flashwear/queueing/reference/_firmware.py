"""What the firmware decides: write buffer, flush, reads and cleaning."""

from __future__ import annotations

from collections import deque

import numpy as np
import simpy

from flashwear.ftl import _arrays as arrays
from flashwear.ftl import _kernel as kernel
from flashwear.ftl import steps
from flashwear.queueing._plan import COPY, HOST
from flashwear.queueing.reference._request import Request
from flashwear.queueing.reference._stations import Die, Network, Process
from flashwear.workloads import OPERATION_SHIFT, TRIM


class Program:
    """A unit of program that waits or is under way: where its data come from."""

    def __init__(self) -> None:
        self.entries = 0  # of the buffer
        self.sources: list[int] = []  # superblock of each copy


class Firmware:
    """Write buffer, flush and cleaning, on the map of :mod:`flashwear.ftl`."""

    def __init__(self, network: Network) -> None:
        network.decide = self.decide
        self.network, self.plan = network, network.plan
        self.counts, self.env = network.counts, network.env
        plan = self.plan
        self.a = network.run.state.arrays
        self.shift = int(self.a.rules[arrays.SHIFT])
        self.block_units = plan.data_programs * plan.unit
        self.map_pages = [-1] * plan.map_slots  # those in DRAM
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

    def to_look_up(self, request: Request) -> list[tuple[int, int]]:
        """Give the reads of pages of the map that a request needs and DRAM does not hold."""
        plan = self.plan
        if not plan.map_slots:
            return []
        units = request.units(plan)
        reads = []
        for page in range(units[0] // plan.map_entries, units[-1] // plan.map_entries + 1):
            if self.map_pages[page % plan.map_slots] != page:
                self.map_pages[page % plan.map_slots] = page
                reads.append((page % plan.dies, 1))
        self.counts["map_reads"] += len(reads)
        return reads

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

    def decide(self) -> None:
        """Admit, flush and clean until there is nothing left to do now."""
        while self.admit() | self.flush() | self.clean():
            pass
        self.watch_age()

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
            if not self.can_place():
                break
            steps.open_if_full(a, HOST, 0)
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
                if a.counts[arrays.OLDEST] < 0 or self.room_for_copies() < self.block_units:
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
        return self.free_units >= self.plan.high_units and self.can_place()

    def can_place(self) -> bool:
        """Say whether the host has room, or a new superblock would leave enough for copies."""
        if self.room(HOST) > 0:
            return True
        scanned = 0 if self.victim < 0 else self.scan * self.plan.unit
        return self.room_for_copies() - self.block_units >= self.block_units - scanned

    def room_for_copies(self) -> int:
        """Give the blank units that copies may take, without those on their way."""
        pool = int(self.a.counts[arrays.POOL]) * self.block_units
        return self.room(COPY) + pool - self.copy_in_flight

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
