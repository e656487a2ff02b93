"""The state of a drive's flash translation layer, stepped one request or a batch at a time."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import whole
from flashwear.ftl import arrays, kernel
from flashwear.ftl._operations import Operation, fold, make_room, place_of, programmed
from flashwear.ftl._setup import FRONTIERS, POLICIES, set_up
from flashwear.ftl._snapshot import Snapshot, snapshot
from flashwear.ftl._whole import Whole
from flashwear.ftl.arrays import AHEAD
from flashwear.ftl.cache import SlcCache
from flashwear.ftl.placement import Handles
from flashwear.ftl.policy import Policy
from flashwear.workloads import OPERATION_SHIFT, READ, TEMPERATURE_SHIFT, TRIM, WRITE

__all__ = ["FRONTIERS", "POLICIES", "Operation", "State"]

_TRIM_BATCH = 1 << 20


def _is_row(requests: object) -> bool:
    """Say whether compiled code can read requests as they are."""
    return (
        isinstance(requests, np.ndarray)
        and requests.dtype == np.int64
        and requests.ndim == 1
        and requests.flags.c_contiguous
    )


class State(Whole):
    """A page-mapped flash translation layer: map, blocks, free pool, frontiers and wear.

    Every write goes to the next page of the open block of a *frontier*. When that is full, a
    free block is opened; when the pool of free blocks falls below its reserve, blocks are
    cleaned: their live pages are copied to a frontier and the block is erased.

    Parameters
    ----------
    user_pages : int
        Pages the host can address, >= 1.
    op : float
        Over-provisioning over user pages, > 0, counting all physical pages, also those of open and
        reserved blocks. The number of blocks is rounded down; the attribute `op` is the result.
    pages_per_block : int
        Pages per block (or superblock: what is erased at once), in [2, 2**20].
    policy : {"greedy", "fifo", "random", "d_choices", "windowed", "cost_benefit"} or callable
        Which of the full blocks is cleaned. "greedy": the one with fewest live pages; "fifo": the
        one full longest; "random": any; "d_choices": that with fewest live pages of `d` drawn at
        random (with replacement); "windowed": that with fewest live pages of the `window` full
        longest; "cost_benefit": that with most age times (1-u)/2u, u being the share of live pages
        (:cite:t:`kawaguchi1995`; every block is looked at each time). Or a function of your own
        that gets :class:`Blocks` and returns the number of the block to clean, not with a `cache`:
        compiled by ``numba.njit``, or in Python, which takes some 10 microseconds per block.
    d : int
        Blocks drawn by "d_choices", in [1, 10000].
    window : int
        Blocks looked at by "windowed", >= 1.
    frontier : {"single", "gc", "hot_cold", "detected"} or Handles
        Where pages are written. "single": host writes and copies together; "gc": copies apart;
        "hot_cold": a frontier for each temperature that the workload gives, also for copies;
        "detected": a frontier for each of the `temperatures`; a page's temperature rises by one
        when it is written again and falls by one when it is copied (:cite:t:`chiang1999`, without
        their least age for a rise). Or placement handles, :class:`Handles`.
    temperatures : int
        Frontiers of "hot_cold" and "detected", in [2, 100].
    reserve_blocks : int, optional
        Free blocks below which cleaning starts, >= 1 with one frontier, >= 2 with more. These are
        the defaults too, but with `endurance` 4 more, since several blocks in a row may retire
        while the drive cleans and needs free blocks to copy to.
    wear_levelling : {"none", "dynamic", "static"}
        "none" takes free blocks in the order of release; "dynamic" takes the least worn first;
        "static" does so too, and moves data that rest on the least-worn blocks when others are
        `level_threshold` erases ahead (with frontier "single" to a frontier of their own, else to
        that of copies).
    level_threshold : int
        Largest difference between the erases of two blocks that "static" allows, >= 1.
    endurance : array_like, optional
        Erases after which a block retires: one number, or one for each block; what is not whole
        counts as the next whole number. Without it blocks last forever.
    stripe : int, optional
        Data pages for each page of parity, >= 1; without it there is none. Parity takes its pages
        of each block, and is counted as flash writes.
    cache : SlcCache, optional
        Blocks with one bit per cell that the host writes first; their live pages are copied to
        normal blocks ("folded") between two requests. It needs frontier "gc", and cannot be
        combined with `endurance` or "static" wear levelling.
    seed : int
        Seed of "random" and "d_choices".

    Raises
    ------
    ValueError
        For values outside these ranges, for an `op` that leaves no room for the open and reserved
        blocks, and for more than about 2**31 physical pages. In later calls, if a policy of your
        own returns a block that cannot be cleaned, or keeps returning blocks of which all pages are
        live: the drive is then as it was before the call.

    Notes
    -----
    Several threads may use a drive: one call waits for the other, and a copy (`copy` or `pickle`)
    for both. Counters such as `flash_writes`, read while a thread runs the drive, are not of one
    moment. A :meth:`run` or :meth:`trim` that is interrupted leaves the drive whole; after an
    interrupted :meth:`write` or :meth:`fold` every further change raises RuntimeError.

    Time is counted in host writes, and each request is finished before the next begins. Which block
    is taken among several with the same count of live pages is not specified, but the same for the
    same calls.

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
        policy: str | Policy = "greedy",
        d: int = 10,
        window: int = 32,
        frontier: str | Handles = "single",
        temperatures: int = 2,
        reserve_blocks: int | None = None,
        wear_levelling: str = "none",
        level_threshold: int = 16,
        endurance: ArrayLike | None = None,
        stripe: int | None = None,
        cache: SlcCache | None = None,
        seed: int = 0,
    ) -> None:
        a = set_up(
            user_pages,
            op,
            pages_per_block=pages_per_block,
            policy=policy,
            d=d,
            window=window,
            frontier=frontier,
            temperatures=temperatures,
            reserve_blocks=reserve_blocks,
            wear_levelling=wear_levelling,
            level_threshold=level_threshold,
            endurance=endurance,
            stripe=stripe,
            cache=cache,
            seed=seed,
        )
        self.arrays = a
        self._handles = frontier if isinstance(frontier, Handles) else None
        self._policy = None if isinstance(policy, str) else policy
        self._let_choose()
        self.user_pages = a.l2p.size - 1
        self.pages_per_block = a.scratch.size
        self._no_log, self._no_rows = np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64)
        self._log = np.zeros((self.pages_per_block, 2), np.int64)
        self._batch = np.zeros(1 + AHEAD, np.int64)
        self._is_whole = True
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return (
            f"State(user_pages={self.user_pages}, op={self.op:.6g}, "
            f"pages_per_block={self.pages_per_block}, host_writes={self.host_writes}, "
            f"flash_writes={self.flash_writes}, retired_blocks={self.retired_blocks})"
        )

    def write(self, page: int, temperature: int | str = 0) -> list[Operation]:
        """Write one page; return the flash operations that this causes, in order.

        `temperature` is the number of the page's class, from 0 (used with the frontiers "hot_cold"
        and handles), or the name of a handle.

        Raises
        ------
        ValueError
            If `page` is not an address of the drive or `temperature` has no frontier.
        RuntimeError
            If the drive is worn out: nothing was written. Or if an earlier write or fold broke off.
        """
        page = whole("page", page, 0, self.user_pages - 1)
        if self._handles is not None and isinstance(temperature, str):
            temperature = self._handles.number(temperature)
        if self.arrays.rules.arrangement == arrays.HOT_COLD:
            last = int(self.arrays.rules.handles) - 1
            temperature = whole("temperature", temperature, 0, last)
        with self._step_by_step():
            operations = self._write(page, int(temperature))
        if operations is None:
            raise RuntimeError(
                f"the drive is worn out: {self.retired_blocks} of {self.blocks} blocks retired"
            )
        return operations

    def _write(self, page: int, temperature: int) -> list[Operation] | None:
        """Write one page; None if the drive is worn out."""
        a = self.arrays
        arrangement = int(a.rules.arrangement)
        frontier = 0
        if arrangement == arrays.HOT_COLD:
            frontier = temperature
        elif arrangement == arrays.DAC and a.l2p[page] >= 0:
            block = a.l2p[page] >> a.rules.shift
            frontier = min(int(a.frontier_of[block]) + 1, int(a.rules.frontiers) - 1)
        with self._undone(a.position[frontier] == a.stop[frontier]):
            operations = make_room(a, frontier, self._log)
            self._check_choice()
        a = self.arrays
        self._batch[0] = page | frontier << TEMPERATURE_SHIFT
        if arrangement == arrays.DAC:  # the frontier is chosen, whatever cleaning moved since
            arrangement = arrays.HOT_COLD
        advance = kernel.advance(arrangement, mixed=False)
        done, _, _ = advance(a, self._batch, 1, 2, 2, self._no_rows, self._no_log)
        if not done:
            return None
        return operations + programmed(a, "program", int(a.l2p[page]))

    def fold(self, blocks: int | None = None) -> list[Operation]:
        """Copy data out of the SLC cache, as an idle drive does; return the flash operations.

        Blocks without live pages are erased first if the cache may use them. Then the live pages of
        cache blocks are copied to main blocks and the blocks erased, in the order in which they
        were filled.

        Parameters
        ----------
        blocks : int, optional
            Largest number of cache blocks to empty, >= 0; by default all.
        """
        left = self.blocks if blocks is None else whole("blocks", blocks, 0, self.blocks)
        with self._step_by_step():
            return fold(self.arrays, left, self._log)

    def trim(self, page: int, count: int = 1) -> list[Operation]:
        """Trim `count` pages from `page` on; return an empty list, since the flash does nothing.

        Raises
        ------
        ValueError
            If the range does not lie in the drive.
        """
        first = whole("page", page, 0, self.user_pages - 1)
        size = whole("count", count, 1, self.user_pages - first)
        for start in range(first, first + size, _TRIM_BATCH):
            stop = min(start + _TRIM_BATCH, first + size)
            self.run(np.arange(start, stop) | TRIM << OPERATION_SHIFT)
        return []

    def read(self, page: int) -> list[Operation]:
        """Read one page; return its flash operation in a list, which is empty if it holds no data.

        Raises
        ------
        ValueError
            If `page` is not an address of the drive.
        """
        page = whole("page", page, 0, self.user_pages - 1)
        with self._lock:
            self._check_whole()
            slot = int(self.arrays.l2p[page])
            if slot < 0:
                return []
            self.arrays.counts.host_reads += 1
            return [Operation("read", *place_of(self.arrays, slot))]

    def snapshot(self) -> Snapshot:
        """Return live pages, status, frontier, age and erases of each block at this moment.

        Examples
        --------
        >>> drive = State(user_pages=6, op=1.0, pages_per_block=2)
        >>> drive.run([0, 1, 2, 0])
        4
        >>> now = drive.snapshot()
        >>> now.live.tolist(), now.status.tolist()
        ([1, 2, 0, 0, 0, 0], ['closed', 'open', 'free', 'free', 'free', 'free'])
        """
        with self._lock:
            return snapshot(self.arrays)

    def run(self, requests: ArrayLike) -> int:
        """Carry out requests in compiled code, and return how many: all unless the drive wears out.

        A plain page number is a write; :mod:`flashwear.workloads` says how trims and reads are
        encoded.

        Raises
        ------
        ValueError
            If a request lies beyond the drive, or a policy of your own fails; nothing is carried
            out then. (With such a policy each call copies the drive, to be able to.)
        """
        words = np.asarray(requests)
        if words.ndim != 1 or (words.size and words.dtype.kind not in "iu"):
            raise ValueError(
                f"requests must be a row of integers, got shape {words.shape} of {words.dtype}"
            )
        batch = np.append(words.astype(np.int64), np.zeros(AHEAD, np.int64))
        with self._lock, self._undone():
            return self.run_padded(batch, words.size)

    def run_padded(self, requests: NDArray[np.int64], size: int) -> int:
        """Carry out the first `size` requests of an array, as :meth:`run` does, but without a copy.

        Return how many were carried out: all unless the drive wears out. The array must have 64
        elements (``arrays.AHEAD``) more than `size`, whose values do not matter, and no other
        thread may write to it meanwhile. If a policy of your own fails, discard the drive.
        """
        done, _, _ = self.run_in_steps(requests, size, size + 1, size + 1, self._no_rows)
        return done

    def run_in_steps(
        self,
        requests: NDArray[np.int64],
        size: int,
        stride: int,
        left: int,
        rows: NDArray[np.int64],
    ) -> tuple[int, int, int]:
        """Carry out requests in compiled code, and record the drive's counters after each step.

        The array `requests` must have 64 elements (``arrays.AHEAD``) more than `size`: the
        processor fetches requests ahead, but the values of these elements do not matter.

        Parameters
        ----------
        requests, size
            Array of requests, encoded as :mod:`flashwear.workloads` says, and number of them to
            carry out.
        stride : int
            Requests in a step, >= 1.
        left : int
            Requests until the end of the step that has begun, in [1, `stride`].
        rows : ndarray of int64, shape (steps, 3)
            Array for pages written by the host, pages programmed, and the sum of blank pages; it
            must have a row for each step that ends.

        Returns
        -------
        tuple of int
            Number of requests carried out, number of rows recorded, and the next `left`.
        """
        if not _is_row(requests) or requests.size < AHEAD:
            raise ValueError(
                f"requests must be a contiguous row of at least {AHEAD} int64, got "
                f"{getattr(requests, 'dtype', type(requests).__name__)} of shape "
                f"{np.shape(requests)}"
            )
        size = whole("size", size, 0, requests.size - AHEAD)
        stride = whole("stride", stride, 1)
        left = whole("left", left, 1, stride)
        ending = (size + stride - left) // stride
        if rows.shape[1:] != (3,) or rows.dtype != np.int64 or len(rows) < ending:
            raise ValueError(
                f"rows must be int64 of shape (at least {ending}, 3), got {rows.dtype} of shape "
                f"{rows.shape}"
            )
        with self._lock:
            self._check_whole()
            a, log = self.arrays, self._no_log
            mixed = self._check(requests[:size])
            advance = kernel.advance(int(a.rules.arrangement), mixed)
            done, noted, left = advance(a, requests, size, stride, left, rows, log)
            self._is_whole = not a.counts.refused
            self._check_choice()
            return int(done), int(noted), int(left)

    def _check(self, requests: NDArray[np.int64]) -> bool:
        """Raise ValueError for a request beyond the drive; say whether not all are writes."""
        page, temperature, operation = kernel.furthest(requests)
        if operation > READ:
            kinds = (requests >> OPERATION_SHIFT) & 0xFFFF
            word = int(requests[kinds > READ][0])
            raise ValueError(
                "requests must be writes, trims or reads, "
                f"words in [0, {READ + 1} << {OPERATION_SHIFT}), got {word}"
            )
        if page >= self.user_pages:
            raise ValueError(f"requests must lie in {self.user_pages} pages, got page {page}")
        rules = self.arrays.rules
        if rules.arrangement == arrays.HOT_COLD and temperature >= rules.handles:
            raise ValueError(
                f"requests must have temperatures below {rules.handles}, got {temperature}"
            )
        return bool(operation != WRITE)
