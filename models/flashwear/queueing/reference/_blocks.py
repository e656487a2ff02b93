"""Superblocks of the reference model: where pages lie in them, and how they are programmed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flashwear.ftl import arrays
from flashwear.queueing.plan import HOST, blank_units
from flashwear.queueing.reference._stations import Network, Read


class Blocks:
    """The drive of :mod:`flashwear.ftl`, a unit of program at a time, and what of it is blank."""

    def __init__(self, network: Network) -> None:
        self.network, self.plan = network, network.plan
        self.counts, self.env = network.counts, network.env
        plan = self.plan
        self.a = network.run.state.arrays
        self.shift = int(self.a.rules[arrays.SHIFT])
        self.block_units = plan.data_programs * plan.unit
        self.programmed = np.ones(plan.blocks * plan.data_programs, np.bool_)
        self.starting = [0] * plan.blocks  # programs of data begun and not yet done
        self.free_units = blank_units(plan, self.a)

    def room(self, frontier: int) -> int:
        """Return the blank units of a frontier's superblock."""
        return int(self.a.stop[frontier] - self.a.position[frontier])

    def where(self, slot: int) -> tuple[int, int]:
        """Return the superblock of a slot, and which program of it the slot is in."""
        return slot >> self.shift, (slot & (1 << self.shift) - 1) // self.plan.unit

    def position(self, program: int) -> int:
        """Return the position of a program in its superblock, parity counted in."""
        return program + (program // self.plan.stripe if self.plan.stripe else 0)

    def mode(self, block: int) -> int:
        """Return the mode of a superblock."""
        return int(self.a.block["mode"][block])

    def is_slc(self, block: int) -> bool:
        """Say whether a superblock is in SLC mode."""
        return self.mode(block) != arrays.MAIN

    def programs(self, block: int) -> int:
        """Return the programs of data that a superblock holds."""
        return self.plan.slc_programs if self.is_slc(block) else self.plan.data_programs

    def read_of(self, block: int, program: int) -> Read:
        """Return the read of a map unit of a program."""
        ns = self.plan.slc_read_ns if self.is_slc(block) else self.plan.read_ns
        return Read(self.position(program) % self.plan.dies, 1, ns)

    def slots(self, block: int, number: int) -> range:
        """Return the slots of a program."""
        first = (block << self.shift) + number * self.plan.unit
        return range(first, first + self.plan.unit)

    def start(self, block: int, number: int, then: Callable[[], None]) -> None:
        """Send a unit of program on its way, and the parity that follows it."""
        plan, network = self.plan, self.network
        self.programmed[block * plan.data_programs + number] = False
        position, slc = self.position(number), self.is_slc(block)

        def done() -> None:
            self.programmed[block * plan.data_programs + number] = True
            self.starting[block] -= 1
            then()
            network.wake()

        def counted() -> None:
            self.counts["parity_programs"] += 1

        self.env.process(network.program(position, slc, done))
        last = number + 1 == self.programs(block)
        if plan.stripe and ((number + 1) % plan.stripe == 0 or last):
            self.env.process(network.program(position + 1, slc, counted))

    def host_block(self) -> int:
        """Return the superblock that the host writes to, -1 if it has none."""
        return int(self.a.opened[HOST])
