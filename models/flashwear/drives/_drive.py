"""A drive in plain numbers, and the checks that it is possible."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flashwear._domain import number, one_number, whole

POLICIES = ("greedy", "fifo", "random", "d_choices", "windowed", "cost_benefit")
"""Policies by which the block to clean is chosen, see :class:`flashwear.ftl.State`."""
MOST_COMMANDS = 65_536
"""The most commands that a queue holds: those of one queue of NVMe."""


@dataclass(frozen=True, kw_only=True)
class Drive:
    """A modelled drive: its flash, its speed, and how its controller works.

    Parameters
    ----------
    name : str
        Name to show people.
    user_bytes : int
        Bytes that the host can address, a multiple of `map_bytes`, < `data_bytes`.
    dies, planes, pages_per_block, blocks_per_plane : int
        Number of dies, of planes in a die, of pages in a block, and of blocks in a plane. One block
        of every plane of every die make up a superblock, which is written, cleaned and erased as
        one.
    page_bytes : int
        Size of a flash page, a multiple of `map_bytes`.
    channels : int
        Channels that dies share in turn: die d is on channel ``d % channels``.
    channel_bytes_per_s : float
        Rate of a channel, in bytes per second.
    read_s, erase_s : float
        Time of a read from the array to the register, and of an erase, > 0.
    program_s : tuple of float
        Time to program each kind of page, > 0. There are at most as many kinds as bits per cell
        (two for flash of two bits), and successive pages of a block take them in turn.
    stripe : int
        Program units of data for each one of parity, together no more than a superblock has; 0
        without parity. A program unit is a page of every plane of a die.
    map_bytes : int
        Bytes that one entry of the map stands for: a map unit.
    map_cache_bytes : int, optional
        Size of the part of the map held in DRAM, at 4 bytes an entry; by default the whole map.
    channel_overhead_s : float
        Constant time of a transfer, in addition to that for its bytes.
    suspend_s : float, optional
        Time lost when a program or erase operation is suspended for a host read; by default none
        is suspended.
    reads_first : bool
        Whether a die serves host reads before other operations that wait for it.
    link_bytes_per_s, link_overhead_s : float
        Rate of the host link, and constant time of a command on it.
    queue_limit : int
        Commands that the drive accepts at once: 32 with NCQ, and at most 65,536 in a queue of NVMe.
    read_command_s, write_command_s : float
        Controller time of a command.
    read_unit_s, write_unit_s : float
        Controller time of each map unit that is read or written, by the host or for copies.
    copy_s : float
        Further controller time of each map unit copied, beyond those of reading and writing it.
    buffer_bytes : int
        Size of the write buffer in DRAM.
    buffer_age_s : float
        Longest time that data wait in the buffer until enough has come to fill a program unit.
    programs_per_die : int
        Largest number of program operations of host data queued or running on a die.
    copies_per_die : int
        Largest number of program units of copies in flight, on average over the dies.
    policy : {"greedy", "fifo", "random", "d_choices", "windowed", "cost_benefit"}
        How victims are chosen, see :class:`flashwear.ftl.State`.
    low_blocks, high_blocks : float
        Blank space, in superblocks, below which the host waits for cleaning, and below which the
        drive cleans; in [2, `superblocks`].
    bits_per_cell : int
        Bits of a cell in normal use, in [2, 4]; a superblock in SLC mode holds that many times
        less.
    cache_own_blocks : int
        Superblocks always in SLC mode: a static SLC cache. The other superblocks must hold
        `user_bytes`.
    cache_share : float
        Largest share of the other superblocks that may be in SLC mode at a time, in [0, 1]: a
        dynamic SLC cache. With 0 and no `cache_own_blocks` there is no SLC cache.
    cache_direct : bool
        Whether the host writes to the main blocks when the cache can take no more, or waits.
    cache_fold_to : float
        A full cache is folded, that is, copied to main blocks, until this share of it is left, in
        [0, 1].
    cache_idle_s : float, optional
        Time without requests, > 0, after which the drive folds its cache, and erases blocks without
        live data that the cache may use, until a request comes; by default it never does.
    slc_read_s, slc_program_s : float, optional
        Times in SLC mode, > 0; a cache needs them.
    slc_wear : float
        Wear of an erase in SLC mode over that of an erase in normal mode, > 0.
    controller, flash, line : str
        Names of its controller, its flash and its product line, or "" if not known. Simulations do
        not use them, :func:`flashwear.predict.speeds` does.
    enterprise : bool
        Whether the drive is made for servers; used by :func:`flashwear.predict.speeds` alone.

    Raises
    ------
    ValueError
        For values that cannot be: among others if the flash, less parity, does not hold more than
        `user_bytes`, or if a superblock does not hold two program units of data.

    Examples
    --------
    >>> from flashwear import drives
    >>> drive = drives.load("m600-256gb")
    >>> drive.superblocks
    1024
    """

    name: str
    user_bytes: int
    dies: int
    planes: int
    page_bytes: int
    pages_per_block: int
    blocks_per_plane: int
    channels: int
    channel_bytes_per_s: float
    channel_overhead_s: float = 0.0
    read_s: float
    program_s: tuple[float, ...]
    erase_s: float
    stripe: int = 0
    map_bytes: int = 4096
    map_cache_bytes: int | None = None
    link_bytes_per_s: float = 560e6
    link_overhead_s: float = 1e-6
    queue_limit: int = 32
    read_command_s: float = 5e-6
    write_command_s: float = 5e-6
    read_unit_s: float = 0.0
    write_unit_s: float = 0.0
    copy_s: float = 0.0
    buffer_bytes: int = 1 << 24
    buffer_age_s: float = 0.02
    programs_per_die: int = 2
    copies_per_die: int = 2
    suspend_s: float | None = None
    reads_first: bool = True
    policy: str = "greedy"
    low_blocks: float = 3.0
    high_blocks: float = 4.0
    bits_per_cell: int = 2
    cache_own_blocks: int = 0
    cache_share: float = 0.0
    cache_direct: bool = True
    cache_fold_to: float = 1.0
    cache_idle_s: float | None = None
    slc_read_s: float | None = None
    slc_program_s: float | None = None
    slc_wear: float = 1.0
    controller: str = ""
    flash: str = ""
    line: str = ""
    enterprise: bool = False

    def __post_init__(self) -> None:
        for name in ("name", "controller", "flash", "line"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be text, got {getattr(self, name)!r}")
        if not isinstance(self.policy, str) or self.policy not in POLICIES:
            raise ValueError(f"policy must be one of {', '.join(POLICIES)}, got {self.policy!r}")
        for name in ("reads_first", "cache_direct", "enterprise"):
            value = getattr(self, name)
            if not isinstance(value, (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False, got {value!r}")
            object.__setattr__(self, name, bool(value))
        for name in ("dies", "planes", "pages_per_block", "channels"):
            self._whole(name, 1, 2**31)
        self._whole("blocks_per_plane", 2, 2**31)
        for name in ("programs_per_die", "copies_per_die"):
            self._whole(name, 1, 1024)
        self._whole("queue_limit", 1, MOST_COMMANDS)
        self._whole("stripe", 0, self.dies * self.pages_per_block - 1)
        self._whole("map_bytes", 512, 2**20)
        for name in ("user_bytes", "page_bytes", "buffer_bytes"):
            self._whole(name, self.map_bytes, 2**62)
        for name in ("map_bytes", "user_bytes", "page_bytes"):
            unit = 512 if name == "map_bytes" else self.map_bytes
            if getattr(self, name) % unit:
                raise ValueError(
                    f"{name} must be a multiple of {unit} bytes, got {getattr(self, name)}"
                )
        for name in ("channel_bytes_per_s", "link_bytes_per_s"):
            self._number(name, low=1e3, high=1e13)
        self._number("read_s", above=0, high=10)
        for name in (
            "erase_s",
            "channel_overhead_s",
            "link_overhead_s",
            "read_command_s",
            "write_command_s",
            "read_unit_s",
            "write_unit_s",
            "copy_s",
            "buffer_age_s",
        ):
            self._number(name, low=0, high=10)
        if self.suspend_s is not None:
            self._number("suspend_s", low=0, high=10)
        if self.map_cache_bytes is not None:
            self._whole("map_cache_bytes", 4096, 2**62)
        self._whole("bits_per_cell", 2, 4)
        times = number("program_s", self.program_s, above=0, high=10)
        if times.ndim != 1 or not 1 <= times.size <= self.bits_per_cell:
            raise ValueError(
                f"program_s must be a row of 1 to {self.bits_per_cell} times, no more than "
                f"bits_per_cell, got {reprlib.repr(self.program_s)}"
            )
        object.__setattr__(self, "program_s", tuple(times.tolist()))
        self._check_programs()
        self._number("low_blocks", low=2, high=self.superblocks)
        self._number("high_blocks", low=self.low_blocks, high=self.superblocks)
        if self.data_bytes <= self.user_bytes:
            raise ValueError(
                f"user_bytes must be < {self.data_bytes}, the raw capacity"
                f"{' less parity' if self.stripe else ''}, got {self.user_bytes}"
            )
        self._check_cache()

    def _check_programs(self, *, slc: bool = False) -> None:
        if (data := self.data_programs(slc=slc)) < 2:
            raise ValueError(
                f"pages_per_block must give a superblock{' in SLC mode' if slc else ''} two "
                f"programs of data, got {data} ({self.dies} dies of {self.pages_per_block} pages, "
                f"stripe {self.stripe})"
            )

    def _check_cache(self) -> None:
        holding = -(-self.user_bytes * self.superblocks // self.data_bytes)
        self._whole("cache_own_blocks", 0, self.superblocks - holding)
        for name in ("cache_share", "cache_fold_to"):
            self._number(name, low=0, high=1)
        self._number("slc_wear", above=0, high=1e6)
        if self.cache_idle_s is not None:
            self._number("cache_idle_s", above=0, high=1e6)
        for name in ("slc_read_s", "slc_program_s"):
            if getattr(self, name) is not None:
                self._number(name, above=0, high=10)
            elif self.has_cache:
                raise ValueError(f"{name} must be a time for a drive with a cache, got None")
        if self.has_cache:
            self._check_programs(slc=True)

    def _whole(self, name: str, low: int, high: int) -> None:
        """Make a parameter a whole number of Python, which does not overflow, or refuse it."""
        object.__setattr__(self, name, whole(name, getattr(self, name), low, high))

    def _number(self, name: str, **bounds: float) -> None:
        object.__setattr__(self, name, one_number(name, getattr(self, name), **bounds))

    @property
    def has_cache(self) -> bool:
        """Whether superblocks may be in SLC mode, that is, whether there is an SLC cache."""
        return self.cache_own_blocks > 0 or self.cache_share > 0

    @property
    def raw_bytes(self) -> int:
        """Bytes of all blocks."""
        blocks = self.dies * self.planes * self.blocks_per_plane
        return blocks * self.pages_per_block * self.page_bytes

    @property
    def data_bytes(self) -> int:
        """Bytes of all blocks, without those that parity takes."""
        unit = self.planes * self.page_bytes
        return self.superblocks * self.data_programs() * unit

    @property
    def superblocks(self) -> int:
        """How many superblocks there are, one block of each plane of each die."""
        return self.blocks_per_plane

    def data_programs(self, *, slc: bool = False) -> int:
        """Return the number of data program units in a superblock, in SLC mode if `slc`.

        A program unit is a page of every plane of a die. The other units hold parity: one for every
        ``stripe`` units of data, and one for the units of data left over.

        Examples
        --------
        >>> from flashwear import drives
        >>> p400m = drives.load("p400m-200gb")
        >>> p400m.data_programs() / (p400m.dies * p400m.pages_per_block)
        0.9375
        """
        programs = self.dies * (self.pages_per_block // (self.bits_per_cell if slc else 1))
        return programs - (-(-programs // (self.stripe + 1)) if self.stripe else 0)

    def pages_at(self, scale: float) -> int:
        """Return how many pages a block has when the drive is scaled down by `scale`, in (0, 1].

        It is the nearest whole number >= 1; with an SLC cache the nearest multiple of
        `bits_per_cell`.
        """
        share = one_number("scale", scale, above=0, high=1)
        step = self.bits_per_cell if self.has_cache and share < 1 else 1
        return step * max(1, round(self.pages_per_block * share / step))

    def with_times(self, times: Mapping[str, float]) -> Drive:
        """Return a copy with other operation times.

        Parameters
        ----------
        times : mapping of str to float
            Times in seconds, by the name of the parameter, such as "read_s"; for "program_s" the
            mean over the kinds of page.

        Examples
        --------
        >>> from flashwear import drives
        >>> drive = drives.load("m600-256gb", calibrated=False)
        >>> drive.program_s, drive.with_times({"program_s": 3.15e-3}).program_s
        ((0.00085, 0.0023), (0.0017, 0.0046))
        """
        changed: dict[str, Any] = dict(times)
        if "program_s" in times:
            factor = times["program_s"] / float(np.mean(self.program_s))
            changed["program_s"] = tuple(factor * kind for kind in self.program_s)
        return replace(self, **changed)

    def scaled(self, scale: float) -> Drive:
        """Return a copy whose blocks have `scale` times the pages, `scale` in (0, 1].

        User capacity, the part of the map in DRAM, the erase time and the idle time shrink with the
        blocks. The number of blocks, the dies and all rates stay, so that the drive does in a
        shorter time what the whole one does; only its buffer is relatively larger. What is lost:
        waits behind an erase are as much shorter, so that the slowest requests are too fast; a
        burst that the buffer takes is too large a part of the drive; and greedy cleaning of
        shorter blocks writes less, as :func:`flashwear.wa.greedy` says. Capacity and
        times shrink by the share of pages that :meth:`pages_at` keeps, not by `scale` itself.

        Examples
        --------
        >>> from flashwear import drives
        >>> drive = drives.load("m600-256gb")
        >>> round(drive.user_bytes / drive.scaled(1 / 64).user_bytes, 3)
        64.0
        """
        pages = self.pages_at(scale)
        share = pages / self.pages_per_block
        held = self.map_cache_bytes
        return replace(
            self,
            pages_per_block=pages,
            user_bytes=int(self.user_bytes * share) // self.map_bytes * self.map_bytes,
            map_cache_bytes=None if held is None else max(4096, int(held * share)),
            erase_s=self.erase_s * share,
            cache_idle_s=None if self.cache_idle_s is None else self.cache_idle_s * share,
        )
