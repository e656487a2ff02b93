"""Cleaning and folding in the reference model: victims, copies and erases."""

from __future__ import annotations

from functools import partial

import numpy as np

from flashwear.ftl import arrays, slc, steps
from flashwear.ftl.blocks import victim
from flashwear.queueing.plan import COPY
from flashwear.queueing.reference._blocks import Blocks
from flashwear.queueing.reference._turns import Turns
from flashwear.queueing.reference.cache import Cache
from flashwear.queueing.reference.stations import ERASE, Process, Task


class Cleaning:
    """Garbage collection: choice of victims, copies of their live data, and erases."""

    def __init__(self, blocks: Blocks, cache: Cache) -> None:
        self.blocks, self.cache, self.network = blocks, cache, blocks.network
        self.plan, self.a, self.counts = blocks.plan, blocks.a, blocks.network.counts
        self.turns = Turns(blocks)
        self.pending: dict[int, int] = {}  # copies that a victim still waits for
        self.scanned: set[int] = set()
        self.copy_busy = 0
        self.sources: list[int] = []  # superblock of each copy in the unit that is being filled

    # what is cleaned

    def clean(self) -> bool:
        """Read live units of victims until blank space suffices or the copy buffer is full.

        Returns whether anything was done.
        """
        blocks, changed = self.blocks, False
        while True:
            if blocks.victim < 0:
                blocks.victim, blocks.scan = self.next_victim(), 0
                if blocks.victim < 0:
                    if self.must_go_on() and blocks.copy_in_flight == 0 and self.sources:
                        self.fill_up()
                        changed = True
                    return changed
                steps.begin_with(self.a, blocks.victim)
                self.pending[blocks.victim] = 0
            elif self.reads_on() and self.copy_busy < self.plan.copy_units:
                self.scan_on()
            else:
                return changed
            changed = True

    def scan_on(self) -> None:
        """Read the live units in the victim's next program unit."""
        blocks = self.blocks
        block, number = blocks.victim, blocks.scan
        live = self.live(block, number)
        if live:
            self.pending[block] += live
            self.copy_busy += live
            blocks.copy_in_flight += live
            self.counts["copy_reads"] += 1
            if blocks.is_slc(block):
                self.turns.folding_reads()
            self.network.env.process(self.copy(block, number, live))
        blocks.free_units += self.credit(block, number)
        blocks.scan += 1
        if blocks.scan == blocks.programs(block):
            blocks.victim = -1
            self.scanned.add(block)
            self.copied(block, 0)

    def enough(self) -> bool:
        """Return whether blank space suffices, counting what victims have already given back.

        If the host waits for a shared superblock in SLC mode, one more blank superblock is needed.
        """
        blocks, cache, goal = self.blocks, self.cache, self.plan.high_units
        if cache.host_waits and cache.may_share():
            goal += blocks.block_units
        if blocks.free_units < goal:
            return False
        return blocks.can_spare() if cache.folds() else blocks.can_place()

    def next_victim(self) -> int:
        """Return the superblock to clean now; -1 if none is needed or its copies would not fit."""
        if not self.enough():
            return self.forced()
        return self.if_programmed(self.cache.to_fold()) if self.plan.slc_programs else -1

    def forced(self) -> int:
        """Return the superblock to clean for lack of blank space; -1 if its copies would not fit.

        One without live data goes first, then one of the SLC cache, then one by the cleaning
        policy.
        """
        a, room = self.a, self.blocks.room_for_copies()
        if a.rules.most_shared:
            block = self.if_programmed(int(slc.fully_invalid(a)))
            if block >= 0:
                return block
            block = int(a.oldest[arrays.SHARED])
            if block >= 0:
                needed = self.plan.slc_programs * self.plan.unit
                return self.if_programmed(block) if room >= needed else -1
        enough = a.oldest[arrays.MAIN] >= 0 and room >= self.blocks.block_units
        return int(victim(a)) if enough else -1

    def if_programmed(self, block: int) -> int:
        """Return the given superblock if all of its programs are finished, else -1."""
        return block if block >= 0 and not self.blocks.starting[block] else -1

    def goes_on(self) -> bool:
        """Return whether to read more of the victim: to gain space, or to finish folding it."""
        if not self.enough():
            return True
        empty = self.a.valid[self.blocks.victim] == 0
        return self.plan.slc_programs > 0 and (bool(empty) or self.cache.folds())

    def folding(self) -> bool:
        """Return whether the victim is in SLC mode, that is, whether the cache is being folded."""
        return self.blocks.victim >= 0 and self.blocks.is_slc(self.blocks.victim)

    def waits_for_turn(self) -> bool:
        """Return whether the host must wait because it is folding's turn to program."""
        if self.turns.of_folding:
            return True
        return self.folding() and self.turns.host_ended_row and self.goes_on()

    def admits(self, new: int, used: int, waiting: int) -> bool:
        """Return whether the buffer may accept `new` map units of the host while it holds `used`.

        Of those, `waiting` are not yet sent to the flash. While the cache is folded and blank space
        is short, the buffer accepts units until it holds a program unit for every die, and then
        none until it is the host's turn to program.
        """
        blocks, plan = self.blocks, self.plan
        if not (self.folding() or self.turns.of_folding):
            return True
        if blocks.free_units - blocks.copy_in_flight - waiting - new >= plan.high_units:
            return True
        return used < plan.dies * plan.unit and not self.waits_for_turn()

    def reads_on(self) -> bool:
        """Return whether to read the victim's next program unit now.

        Folding reads live data only in its turn, and once it has its turn, it completes the row:
        one program unit on every die.
        """
        if not self.folding():
            return self.goes_on()
        if not self.turns.may_fold and self.live(self.blocks.victim, self.blocks.scan):
            return False
        return self.goes_on() or (self.turns.of_folding and self.turns.may_fold)

    def must_go_on(self) -> bool:
        """Return whether an unfinished program unit of copies must be written out now."""
        if not self.enough():
            return True
        return self.plan.slc_programs > 0 and self.cache.under_way() and self.cache.folds()

    def credit(self, block: int, program: int) -> int:
        """Return the blank map units credited when a program unit of a victim has been read.

        Over all program units of the victim they add up to what its erase frees.
        """
        mode = self.blocks.mode(block)
        if mode == arrays.OWN:
            return 0
        if mode == arrays.MAIN:
            return self.plan.unit
        whole, parts = self.blocks.block_units, self.plan.slc_programs
        return whole * (program + 1) // parts - whole * program // parts

    def live(self, block: int, number: int) -> int:
        """Return how many map units of a superblock's program unit hold current data."""
        slots = self.blocks.slots(block, number)
        pages = self.a.p2l[slots.start : slots.stop]
        return int((self.a.l2p[pages] == np.arange(slots.start, slots.stop)).sum())

    # copies

    def copy(self, block: int, number: int, live: int) -> Process:
        """Read the `live` map units of a program unit, and rewrite those still live after that."""
        plan, network, blocks = self.plan, self.network, self.blocks
        read = blocks.read_of(block, number)
        yield network.dies[read.die].serve(read.ns)
        yield network.transfer(read.die, live)
        if plan.copy_ns > 0:
            yield network.controller.serve(plan.copy_ns * live)
        moved = 0
        for slot in blocks.slots(block, number):
            page = int(self.a.p2l[slot])
            if self.a.l2p[page] == slot:
                self.move(page, slot, block)
                moved += 1
        blocks.copy_in_flight -= live
        self.copy_busy -= live - moved
        self.copied(block, live - moved)
        self.turns.copied(blocks.copy_in_flight)
        network.wake()

    def move(self, page: int, slot: int, block: int) -> None:
        """Move the data of a page from its slot in a victim to the superblock open for copies."""
        blocks = self.blocks
        if not steps.open_if_full(self.a, COPY, 0):
            raise RuntimeError("no superblock is free for copies")
        if not self.sources:
            blocks.starting[self.a.opened[COPY]] += 1
        steps.move(self.a, page, slot, COPY)
        blocks.watcher.moved(page, slot)
        self.sources.append(block)
        blocks.free_units -= 1
        self.send_if_full()

    def fill_up(self) -> None:
        """Pad the unfinished program unit of copies, and send it."""
        while self.blocks.room(COPY) % self.plan.unit:
            self.blocks.pad(COPY)
            self.blocks.free_units -= 1
        self.send_if_full()

    def send_if_full(self) -> None:
        """Program the collected copies once they fill a unit."""
        blocks = self.blocks
        block, number = blocks.where(int(self.a.position[COPY]) - 1)
        blocks.programmed[block * self.plan.data_programs + number] = False
        if blocks.room(COPY) % self.plan.unit == 0:
            sources, self.sources = self.sources, []
            self.turns.copies_under_way += 1
            blocks.start(block, number, partial(self.saved, sources))

    def saved(self, sources: list[int]) -> None:
        """Note that a program unit of copies is on flash; `sources` are the victims they came from.

        There is one entry in `sources` for each copy.
        """
        self.copy_busy -= len(sources)
        self.turns.copies_under_way -= 1
        self.turns.copied(self.blocks.copy_in_flight)
        self.counts["copy_programs"] += 1
        for block in sources:
            self.copied(block, 1)

    # erases

    def copied(self, block: int, units: int) -> None:
        """Note that `units` copies of a victim are on flash, and erase it after the last one."""
        self.pending[block] -= units
        safe = self.pending[block] == 0 and block in self.scanned
        if safe and self.blocks.watcher.may_erase(block):
            self.scanned.remove(block)
            left = [self.plan.dies]
            for die in range(self.plan.dies):
                self.network.env.process(self.erase(block, die, left))

    def erase(self, block: int, die: int, left: list[int]) -> Process:
        """Erase a superblock's blocks on one die; the last die to finish frees the superblock.

        ``left[0]`` counts the dies that have not finished.
        """
        yield self.network.dies[die].serve(self.plan.erase_ns, Task(block, ERASE, -1))
        self.blocks.watcher.erased(block, die)
        self.counts["erases"] += 1
        self.counts["slc_erases"] += self.blocks.is_slc(block)
        left[0] -= 1
        if left[0] == 0:
            steps.finish(self.a, block)
            self.network.wake()
