"""The SLC cache of the reference model: what the host opens, and when what it holds is folded."""

from __future__ import annotations

import simpy

from flashwear.ftl import arrays, slc, steps
from flashwear.ftl.arrays import MAIN, OWN, SHARED
from flashwear.queueing.plan import COPY, HOST, idle_clock
from flashwear.queueing.reference._blocks import Blocks
from flashwear.queueing.reference._stations import Network

WAIT = -1
"""What the host does instead of opening a superblock in some mode."""


class Cache(Blocks):
    """Superblocks in SLC mode, and the blank space that all decisions go by."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.victim = -1
        self.scan = 0
        self.copy_in_flight = 0
        self.host_waits = False  # until the cache can take a superblock
        self.idle_watched = False

    # blank space

    def enough(self) -> bool:
        """Say whether there is blank space enough, what is scanned of victims counted in.

        A host that waits for a superblock of the pool in SLC mode needs one more.
        """
        goal = self.plan.high_units
        if self.host_waits and self.a.counts[arrays.IN_SHARED] < self.a.rules[arrays.MOST_SHARED]:
            goal += self.block_units
        return self.free_units >= goal and (self.can_spare() if self.folds() else self.can_place())

    def can_place(self) -> bool:
        """Say whether the host has room, or a new superblock would leave enough for copies."""
        return self.room(HOST) > 0 or self.can_spare()

    def can_spare(self) -> bool:
        """Say whether without a free superblock there is room for the copies of a victim.

        A victim of the cache's own gives no superblock back to the pool: there must be room for the
        copies of another one too.
        """
        left = self.block_units
        if self.victim >= 0:
            left = (self.programs(self.victim) - self.scan) * self.plan.unit
            if self.mode(self.victim) == OWN:
                left += self.block_units
        return self.room_for_copies() - self.block_units >= left

    def room_for_copies(self) -> int:
        """Return the blank units that copies may take, without those on their way."""
        pool = int(self.a.counts[arrays.POOL]) * self.block_units
        return self.room(COPY) + pool - self.copy_in_flight

    # what the host opens

    def host_mode(self) -> int:
        """Return the mode of the host's superblock, of the next one if it is full, or WAIT."""
        a, plan = self.a, self.plan
        if self.room(HOST):
            return self.mode(self.host_block())
        if not plan.slc_programs:
            return MAIN
        slc.shut(a, HOST)
        mode = MAIN
        if a.counts[arrays.FREE_OWN]:
            mode = OWN
        elif (
            a.counts[arrays.IN_SHARED] < a.rules[arrays.MOST_SHARED]
            and self.free_units - self.block_units >= plan.high_units
            and self.can_spare()
        ):
            mode = SHARED
        if slc.used(a) <= a.rules[arrays.FOLD_TO]:
            a.counts[arrays.FOLDING] = 0
        elif mode == MAIN:
            a.counts[arrays.FOLDING] = 1
        if a.rules[arrays.DIRECT]:
            return MAIN if a.counts[arrays.FOLDING] else mode
        self.host_waits = mode == MAIN
        return WAIT if self.host_waits else mode

    def open_for_host(self, mode: int) -> None:
        """Return the host a superblock; in SLC mode it is smaller."""
        steps.open_as(self.a, HOST, mode)
        if mode == SHARED:
            self.free_units -= self.block_units - self.plan.slc_programs * self.plan.unit

    # what is folded

    def idle(self) -> bool:
        """Say whether the host has asked nothing for long."""
        network, idle = self.network, self.plan.idle_ns
        return idle >= 0 and not network.outstanding and network.now - network.quiet >= idle

    def watch_idle(self) -> None:
        """See to it that the firmware decides when the host has asked nothing for long."""
        network = self.network
        if self.plan.idle_ns < 0 or network.outstanding or self.idle_watched or self.idle():
            return
        self.idle_watched = True
        number = network.clock + idle_clock(self.plan)
        network.at(network.quiet + self.plan.idle_ns, number).callbacks.append(self.look_at_idle)

    def look_at_idle(self, _: simpy.Event) -> None:
        """Have the firmware see whether the host asks nothing still."""
        self.idle_watched = False
        self.network.wake()

    def folds(self) -> bool:
        """Say whether the cache is being folded, whatever the blank space."""
        return bool(self.a.counts[arrays.FOLDING]) or self.host_waits or self.idle()

    def to_fold(self) -> int:
        """Return the superblock to begin with for the sake of the cache, -1 if there is none.

        A full cache is folded down to its mark; for a host that waits one superblock is, then
        another; an idle drive erases what has no live page, one after the other, and then folds
        all.
        """
        a = self.a
        under_way = slc.used(a) - a.counts[arrays.HELD]
        block = -1
        full = a.counts[arrays.FOLDING] and a.counts[arrays.HELD] > a.rules[arrays.FOLD_TO]
        if full or (self.host_waits and not under_way):
            block = int(slc.oldest_cached(a))
        elif self.idle():
            slc.shut(a, HOST)
            block = int(slc.free_to_clean(a))
            if block < 0:
                block = int(slc.oldest_cached(a))
            elif a.counts[arrays.UNDER_WAY]:
                block = -1
        return self.if_programmed(block)

    def if_programmed(self, block: int) -> int:
        """Return a superblock if no program of it is under way, else -1."""
        return block if block >= 0 and not self.starting[block] else -1
