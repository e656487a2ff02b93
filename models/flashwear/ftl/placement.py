"""Placement handles: the host names the frontier of each write, as with flexible data placement."""

from __future__ import annotations

from dataclasses import dataclass

from flashwear._domain import one_of, whole

_MOST = 128


@dataclass(frozen=True)
class Handles:
    """Placement handles (FDP): the host says with which handle's data each write is to be kept.

    Pass it as `frontier` of :class:`State` or :func:`simulate`. Each handle fills a reclaim unit of
    its own. A write names it by name or number; the streams of a workload are such numbers.

    Parameters
    ----------
    names : tuple of str
        Names of the handles, 1 to 128 of them, all different.
    isolation : {"initially", "persistently"}
        Where cleaning copies live pages: all to one further unit, mixed, or those of each handle to
        its own unit.
    unit_blocks : int
        Blocks of a reclaim unit, in [1, 2**20], which are filled and erased together. What
        :class:`State` calls a block is then such a unit.

    Raises
    ------
    ValueError
        For values outside these ranges.
    TypeError
        If a name is no str.

    Examples
    --------
    A tenth of the pages takes nine tenths of the writes, through one frontier, or a handle for
    each with copies mixed or not:

    >>> from flashwear import ftl, workloads
    >>> from flashwear.ftl import Handles
    >>> load, names = workloads.HotCold(0.9, 0.1), ("cold", "hot")
    >>> for frontier in ("single", Handles(names, "initially"), Handles(names, "persistently")):
    ...     run = ftl.simulate(
    ...         40_000, 0.28, pages_per_block=64, frontier=frontier, workload=load, drive_writes=4)
    ...     print(round(run.wa, 1))
    3.3
    2.7
    2.5
    """

    names: tuple[str, ...]
    isolation: str = "initially"
    unit_blocks: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.names, str) or not all(isinstance(name, str) for name in self.names):
            raise TypeError(f"names must be a tuple of str, got {self.names!r}")
        object.__setattr__(self, "names", tuple(self.names))
        if not 1 <= len(self.names) <= _MOST or len(set(self.names)) < len(self.names):
            raise ValueError(f"names must be 1 to {_MOST} names, none twice, got {self.names!r}")
        one_of("isolation", self.isolation, ("initially", "persistently"))
        whole("unit_blocks", self.unit_blocks, 1, 2**20)

    @property
    def frontiers(self) -> int:
        """Number of units open at once, one for each handle and perhaps one for mixed copies."""
        return len(self.names) + (self.isolation == "initially")

    def number(self, handle: str) -> int:
        """Return the number of the handle that has the name `handle`, from 0."""
        one_of("handle", handle, self.names)
        return self.names.index(handle)
