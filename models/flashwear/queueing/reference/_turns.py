"""Host and folding take turns to program while the cache of the reference model is folded."""

from __future__ import annotations

from flashwear.queueing.plan import COPY
from flashwear.queueing.reference._blocks import Blocks


class Turns:
    """Alternation of host and folding, each of which programs one unit on every die in its turn.

    In its turn, folding reads as many program units of the cache as are still to be programmed to
    complete one on every die.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.host_under_way = self.copies_under_way = 0  # programs
        self.host_ended_row = False  # with its last program, unless folding had its turn since
        self.read = 0  # programs of the cache, in this turn of folding
        self.first = 0  # number of the program that it goes on with

    @property
    def of_folding(self) -> bool:
        """Whether it is the turn of folding."""
        return self.read > 0

    @property
    def may_fold(self) -> bool:
        """Whether folding may read another program unit of the cache now."""
        if not self.read:
            return self.host_under_way == 0
        number, blocks = self.first + self.read, self.blocks
        whole = number < blocks.plan.data_programs
        return whole and blocks.row(number) == blocks.row(self.first)

    def host_begins(self, number: int, programs: int) -> None:
        """Note that the host programs unit `number`, of `programs` in its superblock."""
        self.host_under_way += 1
        following = number + 1
        self.host_ended_row = following == programs or self.blocks.row(
            following
        ) != self.blocks.row(number)

    def folding_reads(self) -> None:
        """Note that folding reads a program unit, which begins its turn unless it has begun."""
        if not self.read:
            room = self.blocks.room(COPY)
            slot = int(self.blocks.a.position[COPY])
            self.first = self.blocks.where(slot)[1] if room else 0
        self.read += 1
        self.host_ended_row = False

    def copied(self, in_flight: int) -> None:
        """End the turn of folding once none of its reads (`in_flight`) and programs goes on."""
        if in_flight == 0 and self.copies_under_way == 0:
            self.read = 0
