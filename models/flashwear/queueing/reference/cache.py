"""The SLC cache of the reference model: what the host opens, and when it is folded."""

from __future__ import annotations

from flashwear.ftl import arrays, slc, steps
from flashwear.queueing.plan import HOST, idle_clock
from flashwear.queueing.reference._blocks import Blocks

WAIT = -1
"""The answer of :meth:`Cache.mode_to_write` when the host has to wait."""


class Cache:
    """The SLC cache: when the host writes to superblocks in SLC mode, and when they are folded.

    `blocks` are the superblocks of the reference model.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks, self.network, self.plan, self.a = blocks, blocks.network, blocks.plan, blocks.a
        self.host_waits = False  # until the cache can take a superblock

    # what the host writes to

    def mode_to_write(self) -> int:
        """Return the kind of superblock that takes host data now.

        It is MAIN, in SLC mode SHARED (of the main area) or OWN (the cache's own), or WAIT if none
        can.
        """
        mode, blocks, plan = self.host_mode(), self.blocks, self.plan
        blank = mode == arrays.OWN or blocks.free_units - plan.unit >= plan.low_units
        return mode if blank and (mode != arrays.MAIN or blocks.can_place()) else WAIT

    def host_mode(self) -> int:
        """Return the kind of superblock for the host's next write, even if it lacks blank space.

        It is MAIN, in SLC mode SHARED (of the main area) or OWN (the cache's own), or WAIT if the
        host must wait until the cache can take a superblock.
        """
        a, plan, blocks = self.a, self.plan, self.blocks
        if blocks.room(HOST):
            return blocks.mode(int(a.opened[HOST]))
        if not plan.slc_programs:
            return arrays.MAIN
        slc.shut(a, HOST)
        mode = arrays.MAIN
        if a.counts.free_own:
            mode = arrays.OWN
        elif (
            self.may_share()
            and blocks.free_units - blocks.block_units >= plan.high_units
            and blocks.can_spare()
        ):
            mode = arrays.SHARED
        if slc.used(a) <= a.rules.fold_to:
            a.counts.folding = 0
        elif mode == arrays.MAIN:
            a.counts.folding = 1
        if a.rules.direct:
            return arrays.MAIN if a.counts.folding else mode
        self.host_waits = mode == arrays.MAIN
        return WAIT if self.host_waits else mode

    def may_share(self) -> bool:
        """Return whether the cache may take one more superblock of the main area into SLC mode."""
        return bool(self.a.counts.in_shared < self.a.rules.most_shared)

    def open_for_host(self, mode: int) -> None:
        """Open a superblock for the host's writes.

        `mode` is MAIN, or in SLC mode SHARED (a superblock of the main area) or OWN (the cache's
        own).
        """
        steps.open_as(self.a, HOST, mode)
        if mode == arrays.SHARED:
            left_out = self.plan.data_programs - self.plan.slc_programs
            self.blocks.free_units -= left_out * self.plan.unit

    # what is folded

    def idle(self) -> bool:
        """Return whether the host has been idle for long enough to fold."""
        network, idle = self.network, self.plan.idle_ns
        return idle >= 0 and not network.outstanding and network.now - network.quiet >= idle

    def watch_idle(self) -> None:
        """Set a clock that wakes the firmware once the host has been idle long enough to fold."""
        network, idle = self.network, self.plan.idle_ns
        if idle >= 0 and not network.outstanding and not self.idle():
            network.wake_at(network.quiet + idle, network.clock + idle_clock(self.plan))

    def folds(self) -> bool:
        """Return whether to fold the cache now even though there is enough blank space."""
        return bool(self.a.counts.folding) or self.host_waits or self.idle()

    def under_way(self) -> bool:
        """Return whether a superblock in SLC mode is being cleaned."""
        return bool(slc.used(self.a) > self.a.counts.held)

    def to_fold(self) -> int:
        """Return the superblock to fold next, or -1 if there is none.

        A full cache is folded down to ``fold_to``. For a host that waits, superblocks are folded
        one by one. An idle drive erases superblocks without live pages, one by one, and then folds
        all the others in the cache.
        """
        a = self.a
        full = a.counts.folding and a.counts.held > a.rules.fold_to
        if full or (self.host_waits and not self.under_way()):
            return int(slc.oldest_cached(a))
        if not self.idle():
            return -1
        slc.shut(a, HOST)
        block = int(slc.free_to_clean(a))
        if block < 0:
            return int(slc.oldest_cached(a))
        return -1 if a.counts.under_way else block
