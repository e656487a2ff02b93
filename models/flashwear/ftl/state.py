"""The state of a drive's flash translation layer, stepped one request or a batch at a time."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import number, one_number, whole
from flashwear._random import seeded
from flashwear.ftl import _arrays as arrays
from flashwear.ftl import _kernel as kernel
from flashwear.ftl._arrays import AHEAD
from flashwear.workloads import (
    OPERATION_SHIFT,
    READ,
    TEMPERATURE_SHIFT,
    TRIM,
)

POLICIES = {
    "greedy": arrays.GREEDY,
    "fifo": arrays.FIFO,
    "random": arrays.RANDOM,
    "d_choices": arrays.D_CHOICES,
    "windowed": arrays.WINDOWED,
    "cost_benefit": arrays.COST_BENEFIT,
}
FRONTIERS = {
    "single": arrays.SINGLE,
    "gc": arrays.GC,
    "hot_cold": arrays.HOT_COLD,
    "detected": arrays.DAC,
}
_SLOTS = 2**31
_RETIRING = 4  # free blocks more, where blocks retire
_RANDOM_STREAM = 2**20  # the workload of the same seed has 0, 1, ...


class Operation(NamedTuple):
    """One operation of the flash, as :meth:`State.write` reports it.

    `kind` is "program" (a page of the host), "copy" (a page moved by cleaning, read from
    `source`), "parity", "erase" (a whole block, `page` is 0) or "read".
    """

    kind: str
    block: int
    page: int = 0
    source: tuple[int, int] | None = None


class State:
    """A page-mapped flash translation layer: map, blocks, free pool, frontiers and wear.

    Every write goes to the next page of the open block of a *frontier*. When that is full, a
    free block is opened; when the pool of free blocks falls below its reserve, blocks are
    cleaned: their live pages are copied to a frontier and the block is erased.

    Parameters
    ----------
    user_pages : int
        Pages the host can address, >= 1.
    op : float
        Over-provisioning over user pages, > 0. It counts all physical pages, those of open and
        reserved blocks too; the whole number of blocks closest below it is made
        (:attr:`op` is what came of it).
    pages_per_block : int
        Pages per block (or superblock: what is erased at once), in [2, 2**20].
    policy : {"greedy", "fifo", "random", "d_choices", "windowed", "cost_benefit"}
        How the victim is chosen among the full blocks: fewest live pages; longest full;
        any; best of `d` drawn at random (with replacement); fewest live pages among the `window`
        that are full longest; most age times (1-u)/2u, with u the share of live pages
        (:cite:t:`kawaguchi1995`; it looks at every block each time).
    d : int
        Blocks drawn by "d_choices", in [1, 10000].
    window : int
        Blocks looked at by "windowed", >= 1.
    frontier : {"single", "gc", "hot_cold", "detected"}
        Where pages go: host and copies together; copies apart; one frontier for each
        temperature that the workload declares, copies stay at theirs; by what the drive sees:
        a page written again rises one of the `temperatures`, a page copied falls one (dynamic data
        clustering, :cite:t:`chiang1999`, without the age that they ask of a page that rises).
    temperatures : int
        Frontiers of "hot_cold" and "detected", in [2, 100].
    reserve_blocks : int, optional
        Free blocks below which cleaning starts, >= 1 with one frontier, >= 2 with more. By
        default these; 4 more with `endurance`, because blocks that retire one after another while
        the drive cleans leave it none to copy to.
    wear_levelling : {"none", "dynamic", "static"}
        Free blocks are taken in the order of release; least worn first; least worn first, and data
        that rest on the least-worn blocks are moved when others are `level_threshold` erases ahead;
        with frontier "single" to a frontier of their own, else to that of copies.
    level_threshold : int
        Difference of erases that "static" allows, >= 1.
    endurance : array_like, optional
        Erases after which a block retires: one number, or one for each block; what is not whole
        counts as the next whole number. Without it blocks last forever.
    stripe : int, optional
        Data pages for each page of parity, >= 1; without it there is none. Parity takes its pages
        of each block, and is counted as flash writes.
    seed : int
        Seed of "random" and "d_choices".

    Raises
    ------
    ValueError
        For values outside these ranges, for an `op` that leaves no room for the open and
        reserved blocks, and for more than 2**31 slots.

    Notes
    -----
    Time is host writes. A page overwritten while its block is cleaned cannot occur: one request is
    finished before the next. Which block is taken among several with the same count
    of live pages is not specified, but the same for the same calls.

    Examples
    --------
    >>> drive = State(user_pages=6, op=1.0, pages_per_block=2)
    >>> [drive.write(page)[0].block for page in (0, 1, 2)]
    [0, 0, 1]
    >>> drive.read(2)
    [Operation(kind='read', block=1, page=0, source=None)]
    >>> for page in [3, 4, 5] + 20 * [0, 1]:
    ...     last = drive.write(page)
    >>> [operation.kind for operation in last]
    ['program']
    """

    def __init__(
        self,
        user_pages: int,
        op: float,
        *,
        pages_per_block: int = 128,
        policy: str = "greedy",
        d: int = 10,
        window: int = 32,
        frontier: str = "single",
        temperatures: int = 2,
        reserve_blocks: int | None = None,
        wear_levelling: str = "none",
        level_threshold: int = 16,
        endurance: ArrayLike | None = None,
        stripe: int | None = None,
        seed: int = 0,
    ) -> None:
        user_pages = whole("user_pages", user_pages, 1, _SLOTS)
        spare = one_number("op", op, above=0)
        pages = whole("pages_per_block", pages_per_block, 2, 2**20)
        one_of("policy", policy, POLICIES)
        one_of("frontier", frontier, FRONTIERS)
        one_of("wear_levelling", wear_levelling, ("none", "dynamic", "static"))
        static = wear_levelling == "static"
        arrangement = FRONTIERS[frontier]
        frontiers = whole("temperatures", temperatures, 2, 100)
        if arrangement == arrays.SINGLE:
            frontiers = 2 if static else 1
        elif arrangement == arrays.GC:
            frontiers = 2
        fewest = min(frontiers, 2)
        reserve = fewest + (_RETIRING if endurance is not None else 0)
        if reserve_blocks is not None:
            reserve = whole("reserve_blocks", reserve_blocks, fewest, _SLOTS)
        choices = whole("d", d, 1, 10_000)
        looked_at = whole("window", window, 1, _SLOTS)
        threshold = whole("level_threshold", level_threshold, 1, _SLOTS)
        random = seeded(seed, _RANDOM_STREAM)
        data, parity = pages, 0
        if stripe is not None:
            width = whole("stripe", stripe, 1, _SLOTS)
            data -= -(-pages // (width + 1))
            parity = -(-data // width)
        blocks = int(user_pages * (1 + spare) / pages * (1 + 1e-12))
        needed = -(-user_pages // data) + frontiers + reserve
        if blocks < needed:
            least = math.ceil((needed * pages / user_pages - 1) * 1e6) / 1e6
            raise ValueError(
                f"op must be >= {least:.6f} to hold {user_pages} pages "
                f"of the user, {frontiers} open and {reserve} free blocks of {pages} pages"
                f"{f', {pages - data} of them for parity' if parity else ''}, got {op!r}"
            )
        if blocks << max(1, (pages - 1).bit_length()) > _SLOTS:
            raise ValueError(
                f"user_pages must be small enough for 2**31 slots, got {user_pages} with op={op!r}"
            )
        limit = np.array(np.inf)
        if endurance is not None:
            limit = number("endurance", endurance, above=0)
            if limit.ndim and limit.shape != (blocks,):
                raise ValueError(
                    f"endurance must be one number or one for each of {blocks} blocks, "
                    f"got shape {limit.shape}"
                )
        a = arrays.allocate(user_pages, blocks, pages, frontiers)
        rules = a.rules
        rules[arrays.POLICY] = POLICIES[policy]
        rules[arrays.CHOICES], rules[arrays.WINDOW] = choices, looked_at
        rules[arrays.FRONTIER] = arrangement
        rules[arrays.RESERVE], rules[arrays.MINIMUM] = reserve, needed
        rules[arrays.BY_WEAR] = wear_levelling != "none"
        rules[arrays.LEVEL] = threshold if static else 0
        rules[arrays.STRIPE] = stripe or 0
        a.mode_pages[0], a.mode_parity[0] = data, parity
        a.counts[arrays.LEFT] = blocks * data
        a.block["limit"][:] = limit
        a.random[:] = random
        self.arrays = a
        self.user_pages = user_pages
        self.pages_per_block = pages
        self._no_log = np.zeros((0, 2), np.int64)
        self._log = np.zeros((pages, 2), np.int64)
        self._batch = np.zeros(1 + AHEAD, np.int64)
        self._advance = {
            arrays.SINGLE: kernel.advance_single,
            arrays.GC: kernel.advance_single,
            arrays.HOT_COLD: kernel.advance_by_temperature,
            arrays.DAC: kernel.advance_by_history,
        }[arrangement]

    @property
    def blocks(self) -> int:
        """Physical blocks, retired ones included."""
        return int(self.arrays.rules[arrays.BLOCKS])

    @property
    def op(self) -> float:
        """Over-provisioning over user pages, all physical pages counted."""
        return self.blocks * self.pages_per_block / self.user_pages - 1

    @property
    def host_writes(self) -> int:
        """Pages written by the host."""
        return int(self.arrays.counts[arrays.HOST])

    @property
    def copies(self) -> int:
        """Pages copied by cleaning and levelling."""
        return int(self.arrays.counts[arrays.COPIES])

    @property
    def levelling_copies(self) -> int:
        """Pages copied by static wear levelling, part of :attr:`copies`."""
        return int(self.arrays.counts[arrays.LEVELLED])

    @property
    def parity_writes(self) -> int:
        """Pages of parity written."""
        a = self.arrays
        written = int(a.counts[arrays.PARITY])
        stripe = int(a.rules[arrays.STRIPE])
        if stripe:
            for frontier in np.flatnonzero(a.opened >= 0):
                mode = a.block["mode"][a.opened[frontier]]
                left = int(a.stop[frontier] - a.position[frontier])
                if left:
                    done = (int(a.mode_pages[mode]) - left) // stripe
                    written -= int(a.mode_parity[mode]) - done
        return written

    @property
    def flash_writes(self) -> int:
        """Pages programmed, of the host, copies and parity."""
        return self.host_writes + self.copies + self.parity_writes

    @property
    def flash_reads(self) -> int:
        """Pages read, by the host where it had written and by cleaning."""
        return int(self.arrays.counts[arrays.READS]) + self.copies

    @property
    def erases(self) -> NDArray[np.int32]:
        """Erases of each block."""
        erases: NDArray[np.int32] = self.arrays.block["erases"].copy()
        return erases

    @property
    def mapped_pages(self) -> int:
        """Pages of the user that hold data."""
        return int(self.arrays.counts[arrays.MAPPED])

    @property
    def retired_blocks(self) -> int:
        """Blocks out of service."""
        return self.blocks - int(self.arrays.counts[arrays.GOOD])

    @property
    def worn_out(self) -> bool:
        """Whether the drive has too few good blocks left to take another write.

        It is once they are fewer than hold all pages of the user beside the open blocks and the
        reserve, or when the last free block has retired and a victim's pages have no place.
        """
        return bool(self.arrays.counts[arrays.WORN])

    def write(self, page: int, temperature: int = 0) -> list[Operation]:
        """Write one page; give the flash operations it caused, in order.

        Raises
        ------
        ValueError
            If `page` is not an address of the drive or `temperature` has no frontier.
        RuntimeError
            If the drive is worn out; nothing was written.
        """
        a = self.arrays
        page = whole("page", page, 0, self.user_pages - 1)
        last = int(a.rules[arrays.FRONTIERS]) - 1
        arrangement = int(a.rules[arrays.FRONTIER])
        frontier = 0
        if arrangement == arrays.HOT_COLD:
            frontier = whole("temperature", temperature, 0, last)
        elif arrangement == arrays.DAC and a.l2p[page] >= 0:
            block = a.l2p[page] >> a.rules[arrays.SHIFT]
            frontier = min(int(a.frontier_of[block]) + 1, last)
        operations = self._make_room(frontier)
        self._batch[0] = page | frontier << TEMPERATURE_SHIFT
        advance = kernel.advance_single
        if arrangement >= arrays.HOT_COLD:  # the frontier is chosen, whatever cleaning moved since
            advance = kernel.advance_by_temperature
        if not advance(a, self._batch, 1, self._no_log):
            raise RuntimeError(
                f"the drive is worn out: {self.retired_blocks} of {self.blocks} blocks retired"
            )
        operations += self._programmed("program", int(a.l2p[page]))
        return operations

    def _make_room(self, frontier: int) -> list[Operation]:
        """Do what the compiled loop does when a frontier is full, and log it."""
        a = self.arrays
        operations: list[Operation] = []
        while a.position[frontier] == a.stop[frontier] and not self.worn_out:
            if a.counts[arrays.POOL] == 0:
                a.counts[arrays.WORN] = 1
                break
            kernel.open_next(a, frontier)
            while (block := kernel.next_to_clean(a)) >= 0:
                for source, target in self._log[: kernel.clean(a, block, self._log)].tolist():
                    operations += self._programmed("copy", target, source)
                operations.append(Operation("erase", int(block)))
            kernel.weigh_blank(a)
        return operations

    def trim(self, page: int, count: int = 1) -> list[Operation]:
        """Declare `count` pages from `page` on unused; it causes no flash operation.

        Raises
        ------
        ValueError
            If the range does not lie in the drive.
        """
        first = whole("page", page, 0, self.user_pages - 1)
        size = whole("count", count, 1, self.user_pages - first)
        self.run(np.arange(first, first + size) | TRIM << OPERATION_SHIFT)
        return []

    def read(self, page: int) -> list[Operation]:
        """Read one page: one flash read, or none if it holds no data.

        Raises
        ------
        ValueError
            If `page` is not an address of the drive.
        """
        page = whole("page", page, 0, self.user_pages - 1)
        slot = int(self.arrays.l2p[page])
        if slot < 0:
            return []
        self.arrays.counts[arrays.READS] += 1
        return [Operation("read", *self._place(slot))]

    def run(self, requests: ArrayLike) -> int:
        """Carry out requests, words as :mod:`flashwear.workloads` makes them, in compiled code.

        Gives how many were carried out: all of them unless the drive is worn out.

        Raises
        ------
        ValueError
            If a request lies beyond the drive; nothing is carried out then.
        """
        words = np.asarray(requests)
        if words.ndim != 1 or words.dtype.kind != "i":
            raise ValueError(
                f"requests must be a row of integers, got shape {words.shape} of {words.dtype}"
            )
        batch = np.append(words.astype(np.int64), np.zeros(AHEAD, np.int64))
        return self.run_padded(batch, words.size)

    def run_padded(self, requests: NDArray[np.int64], size: int) -> int:
        """Do what :meth:`run` does with the first `size` words of an array longer by `AHEAD`.

        It copies nothing, so that batch after batch can be made in the same array.
        """
        page, temperature, operation = kernel.furthest(requests[:size])
        if not 0 <= operation <= READ:
            raise ValueError(f"requests must be writes, trims or reads, got word {operation} << 48")
        if page >= self.user_pages:
            raise ValueError(f"requests must lie in {self.user_pages} pages, got page {page}")
        rules = self.arrays.rules
        if rules[arrays.FRONTIER] == arrays.HOT_COLD and temperature >= rules[arrays.FRONTIERS]:
            raise ValueError(
                f"requests must have temperatures below {rules[arrays.FRONTIERS]}, "
                f"got {temperature}"
            )
        return int(self._advance(self.arrays, requests, size, self._no_log))

    def _place(self, slot: int) -> tuple[int, int]:
        shift = int(self.arrays.rules[arrays.SHIFT])
        return slot >> shift, slot & (1 << shift) - 1

    def _programmed(self, kind: str, slot: int, source: int | None = None) -> list[Operation]:
        """Give the program of a slot, and of the parity page that is due after it."""
        a = self.arrays
        block, page = self._place(slot)
        origin = None if source is None else self._place(source)
        operations = [Operation(kind, block, page, origin)]
        stripe = int(a.rules[arrays.STRIPE])
        full = page + 1 == a.mode_pages[a.block["mode"][block]]
        if stripe and ((page + 1) % stripe == 0 or full):
            operations.append(Operation("parity", block, -(-(page + 1) // stripe) - 1))
        return operations


def one_of(name: str, value: str, allowed: Sequence[str] | dict[str, int]) -> None:
    """Raise ValueError unless a name is among those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
