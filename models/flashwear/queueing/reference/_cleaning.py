"""Cleaning and folding in the reference model: victims, copies and erases."""

from __future__ import annotations

from functools import partial

import numpy as np

from flashwear.ftl import arrays, slc, steps
from flashwear.ftl.arrays import MAIN, OWN
from flashwear.ftl.blocks import victim
from flashwear.queueing.plan import COPY
from flashwear.queueing.reference._cache import Cache
from flashwear.queueing.reference._stations import Die, Network, Process


class Cleaning(Cache):
    """Victims, the copies of what is live in them, and their erase."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.pending: dict[int, int] = {}  # copies that a victim still waits for
        self.scanned: set[int] = set()
        self.copy_busy = 0
        self.sources: list[int] = []  # superblock of each copy in the unit that is being filled

    def clean(self) -> bool:
        """Read live units of victims until there is blank space enough, or enough under way."""
        plan, changed = self.plan, False
        while True:
            if self.victim < 0:
                self.victim, self.scan = self.next_victim(), 0
                if self.victim < 0:
                    if self.must_go_on() and self.copy_in_flight == 0 and self.sources:
                        self.fill_up()
                        changed = True
                    break
                steps.begin_with(self.a, self.victim)
                self.pending[self.victim] = 0
                changed = True
            elif not self.goes_on() or self.copy_busy >= plan.copy_units:
                break
            else:
                live = self.live(self.victim, self.scan)
                if live:
                    self.pending[self.victim] += live
                    self.copy_busy += live
                    self.copy_in_flight += live
                    self.counts["copy_reads"] += 1
                    self.env.process(self.copy(self.victim, self.scan, live))
                self.free_units += self.credit(self.victim, self.scan)
                self.scan += 1
                changed = True
                if self.scan == self.programs(self.victim):
                    block, self.victim = self.victim, -1
                    self.scanned.add(block)
                    self.copied(block, 0)
        return changed

    def next_victim(self) -> int:
        """Choose what to clean now, -1 if there is nothing, or no room for its copies."""
        if not self.enough():
            return self.forced()
        return self.to_fold() if self.plan.slc_programs else -1

    def forced(self) -> int:
        """Choose what to clean for blank space: what is empty, what is cached, or by policy."""
        a = self.a
        if a.rules[arrays.MOST_SHARED]:
            block = self.if_programmed(int(slc.fully_invalid(a)))
            if block >= 0:
                return block
            block = int(a.counts[arrays.OLDEST_SHARED])
            if block >= 0:
                needed = self.plan.slc_programs * self.plan.unit
                return self.if_programmed(block) if self.room_for_copies() >= needed else -1
        if a.counts[arrays.OLDEST] < 0 or self.room_for_copies() < self.block_units:
            return -1
        return int(victim(a))

    def goes_on(self) -> bool:
        """Say whether the scan of the victim goes on: for its space, or to make way for a fold."""
        if not self.enough():
            return True
        if not self.plan.slc_programs:
            return False
        return bool(self.a.valid[self.victim] == 0) or self.folds()

    def must_go_on(self) -> bool:
        """Say whether a victim that waits for its last copies is waited for."""
        if not self.enough():
            return True
        a = self.a
        waits = slc.used(a) > a.counts[arrays.HELD]
        return self.plan.slc_programs > 0 and bool(waits) and self.folds()

    def credit(self, block: int, program: int) -> int:
        """Return the blank units that a scanned program stands for; all together what is erased."""
        mode = self.mode(block)
        if mode == OWN:
            return 0
        if mode == MAIN:
            return self.plan.unit
        whole, parts = self.block_units, self.plan.slc_programs
        return whole * (program + 1) // parts - whole * program // parts

    def live(self, block: int, number: int) -> int:
        """Count the live map units of a program."""
        slots = self.slots(block, number)
        pages = self.a.p2l[slots.start : slots.stop]
        return int((self.a.l2p[pages] == np.arange(slots.start, slots.stop)).sum())

    def copy(self, block: int, number: int, live: int) -> Process:
        """Read the live units of a program, and write those still live to another place."""
        plan, network = self.plan, self.network
        read = self.read_of(block, number)
        yield network.dies[read.die].serve(read.ns)
        yield network.transfer(read.die, live)
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
        if not self.sources:
            self.starting[self.a.opened[COPY]] += 1
        steps.move(self.a, page, slot, COPY)
        self.sources.append(block)
        self.free_units -= 1
        self.send_if_full()

    def pad(self, frontier: int) -> None:
        """Leave a map unit without data."""
        steps.pad(self.a, frontier)
        self.counts["padded"] += 1

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
            sources, self.sources = self.sources, []
            self.start(block, number, partial(self.saved, sources))

    def saved(self, sources: list[int]) -> None:
        """Count a program of copies that is done, with the superblocks where they are from."""
        self.copy_busy -= len(sources)
        self.counts["copy_programs"] += 1
        for block in sources:
            self.copied(block, 1)

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
        self.counts["slc_erases"] += self.is_slc(block)
        left[0] -= 1
        if left[0] == 0:
            steps.finish(self.a, block)
            self.network.wake()
