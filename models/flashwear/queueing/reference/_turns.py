"""Who programs while the cache is folded in the reference model: the host and folding in turn."""

from __future__ import annotations

from flashwear.queueing.plan import Plan


class Turns:
    """Turns of a program on each die: what one has begun is done before the other begins.

    The host counts what it begins all the time, so that it waits as soon as folding is due.
    """

    def __init__(self, plan: Plan) -> None:
        self.row = plan.dies
        self.host_under_way = self.copies_under_way = 0  # programs
        self.by_host = self.by_folding = 0  # programs begun, and programs read, in this turn

    @property
    def of_folding(self) -> bool:
        """Whether it is the turn of folding."""
        return self.by_folding > 0

    @property
    def host_had_its_row(self) -> bool:
        """Whether the host has begun a program on each die since folding had its turn."""
        return self.by_host >= self.row

    @property
    def may_fold(self) -> bool:
        """Whether another program may be read from the cache."""
        return self.host_under_way == 0 and self.by_folding < self.row

    def host_begins(self) -> None:
        """Count a program of the host."""
        self.host_under_way += 1
        self.by_host += 1

    def folding_reads(self) -> None:
        """Count a read from the cache."""
        self.by_host = 0
        self.by_folding += 1

    def copied(self, in_flight: int) -> None:
        """End the turn of folding once none of its reads and programs is under way."""
        if in_flight == 0 and self.copies_under_way == 0:
            self.by_folding = 0
