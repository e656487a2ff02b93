"""Superblocks of the reference model: where pages lie in them, and how they are programmed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flashwear.ftl import arrays, steps
from flashwear.queueing.plan import COPY, HOST, blank_units
from flashwear.queueing.reference.stations import Network, Read, Task
from flashwear.queueing.reference.watcher import Watcher


class Blocks:
    """Superblocks of :mod:`flashwear.ftl`, divided into program units, and their blank space.

    ``block`` is a superblock, ``slot`` the place of one map unit on the flash, ``program`` or
    ``number`` counts the program units of a superblock that hold data, and ``frontier`` is the
    stream of writes (the host's or copies) whose open superblock is meant.
    """

    def __init__(self, network: Network) -> None:
        self.network, self.plan = network, network.plan
        plan = self.plan
        self.a = network.run.state.arrays
        self.watcher = Watcher()
        self.shift = int(self.a.rules.shift)
        self.block_units = plan.data_programs * plan.unit
        self.programmed = np.ones(plan.blocks * plan.data_programs, np.bool_)
        self.starting = [0] * plan.blocks  # programs of data begun and not yet done
        self.free_units = blank_units(plan, self.a)
        self.victim = -1  # superblock that is being cleaned
        self.scan = 0  # programs of it that are read, or found empty
        self.copy_in_flight = 0

    # where things are

    def where(self, slot: int) -> tuple[int, int]:
        """Return the superblock that holds a slot, and the number of the program unit within it."""
        return slot >> self.shift, (slot & (1 << self.shift) - 1) // self.plan.unit

    def position(self, program: int) -> int:
        """Return a data unit's position among all program units of its superblock, with parity."""
        return program + (program // self.plan.stripe if self.plan.stripe else 0)

    def row(self, program: int) -> int:
        """Return the number of the page that a program unit takes on its die, equal on all dies."""
        return self.position(program) // self.plan.dies

    def mode(self, block: int) -> int:
        """Return the use of a superblock: ``arrays.MAIN``, ``OWN`` or ``SHARED`` (the SLC ones)."""
        return int(self.a.block["mode"][block])

    def is_slc(self, block: int) -> bool:
        """Return whether a superblock is in SLC mode."""
        return self.mode(block) != arrays.MAIN

    def programs(self, block: int) -> int:
        """Return how many program units of data a superblock holds; fewer in SLC mode."""
        return self.plan.slc_programs if self.is_slc(block) else self.plan.data_programs

    def read_of(self, block: int, program: int) -> Read:
        """Return the flash read that fetches one map unit from a program unit of a superblock."""
        ns = self.plan.slc_read_ns if self.is_slc(block) else self.plan.read_ns
        return Read(self.position(program) % self.plan.dies, 1, ns)

    def slots(self, block: int, number: int) -> range:
        """Return the slots, one for each map unit, that a program unit of a superblock has."""
        first = (block << self.shift) + number * self.plan.unit
        return range(first, first + self.plan.unit)

    # blank space

    def room(self, frontier: int) -> int:
        """Return how many map units are still blank in the open superblock of a frontier."""
        return int(self.a.stop[frontier] - self.a.position[frontier])

    def room_for_copies(self) -> int:
        """Return how many blank map units are left for copies beyond those already in flight."""
        pool = int(self.a.counts.free) * self.block_units
        return self.room(COPY) + pool - self.copy_in_flight

    def can_place(self) -> bool:
        """Return whether the host's superblock has room, or a new one can be spared for it."""
        return self.room(HOST) > 0 or self.can_spare()

    def can_spare(self) -> bool:
        """Return whether the victim's copies still fit after the host takes one more superblock.

        A victim in the cache's own blocks gives no superblock back to the pool, so there must be
        room for the copies of another victim too.
        """
        left = self.block_units
        if self.victim >= 0:
            left = (self.programs(self.victim) - self.scan) * self.plan.unit
            if self.mode(self.victim) == arrays.OWN:
                left += self.block_units
        return self.room_for_copies() - self.block_units >= left

    # programs

    def pad(self, frontier: int) -> None:
        """Leave the next map unit of a frontier's open superblock without data."""
        steps.pad(self.a, frontier)
        self.network.counts["padded"] += 1

    def start(self, block: int, number: int, then: Callable[[], None]) -> None:
        """Send a program unit to its die, and after it the stripe's parity if that is complete.

        When the unit is programmed, `then` is called.
        """
        self.watcher.begun(block, number)
        stripe, program = self.plan.stripe, block * self.plan.data_programs + number
        self.programmed[program] = False

        def done() -> None:
            self.programmed[program] = True
            self.starting[block] -= 1
            then()
            self.network.wake()
            self.watcher.programmed(block, number)

        def counted() -> None:
            self.network.counts["parity_programs"] += 1

        self._program(block, self.position(number), number, done)
        if stripe and ((number + 1) % stripe == 0 or number + 1 == self.programs(block)):
            self._program(block, self.position(number) + 1, -1, counted)

    def _program(self, block: int, position: int, number: int, then: Callable[[], None]) -> None:
        row, die = divmod(position, self.plan.dies)
        task, network = Task(block, row, number), self.network
        network.env.process(network.program(die, task, self.is_slc(block), then))
