"""A request of the host."""

from __future__ import annotations

from typing import NamedTuple

from flashwear.queueing.plan import Plan


class Request(NamedTuple):
    """A host request of ``sectors`` sectors from ``sector`` on, issued at ``issued`` ns.

    ``number`` counts the requests, from 0; ``kind`` is READ, WRITE or TRIM of
    :mod:`flashwear.workloads`.
    """

    number: int
    kind: int
    sector: int
    sectors: int
    issued: int  # ns

    def units(self, plan: Plan) -> range:
        """Return the range of the map units that the request touches, even in part."""
        last = (self.sector + self.sectors - 1) // plan.unit_sectors
        return range(self.sector // plan.unit_sectors, last + 1)

    def sectors_of_first_unit(self, plan: Plan) -> int:
        """Return how many of the request's sectors lie in the first map unit that it touches."""
        return min(self.sectors, plan.unit_sectors - self.sector % plan.unit_sectors)

    def covers(self, unit: int, plan: Plan) -> bool:
        """Return whether the request covers map unit `unit`, of the size in `plan`, entirely."""
        first = unit * plan.unit_sectors
        return self.sector <= first and first + plan.unit_sectors <= self.sector + self.sectors
