"""Runs of a drive under a workload: fill, settle, measure."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import one_number, one_of, whole
from flashwear._shown import warn
from flashwear.ftl._options import Options
from flashwear.ftl._setup import MOST_SLOTS
from flashwear.ftl._statistics import Interval, Steady, batch_means, steadiness
from flashwear.ftl._verify import verify
from flashwear.ftl.arrays import AHEAD
from flashwear.ftl.kernel import note
from flashwear.ftl.placement import Handles
from flashwear.ftl.policy import Policy
from flashwear.ftl.result import Result
from flashwear.ftl.state import State
from flashwear.workloads import Batches, Sequential, Stream, Trimmed, Workload, named

_BATCH = 65_536
_FEW, _MOST = 8, 64  # drive writes that are measured at first, and at most, until WA is known
_NARROW = 0.01
_STEPS = 1_000  # of the measured part, unless a stride is given
_LONG = 50_000_000  # host writes from which on a run shows its progress
_FILL_STREAM = 2**21
_TRIM_BATCH = 10.0  # drive writes: five times the correlation time of the number of pages in use


def simulate(
    user_pages: int,
    op: float,
    *,
    pages_per_block: int = 128,
    policy: str | Policy = "greedy",
    d: int = 10,
    frontier: str | Handles = "single",
    workload: str | Workload | Batches = "uniform",
    trim_share: float = 0.0,
    fill: str = "sequential",
    warmup_drive_writes: float = 3.0,
    drive_writes: float | None = 1.0,
    seed: int = 0,
    history_stride: int | None = None,
    check: bool = False,
    progress: bool | Callable[[int], object] | None = None,
    **options: Unpack[Options],
) -> Result:
    """Run a drive page by page: fill it, let it settle, and measure its write amplification.

    Parameters
    ----------
    user_pages : int
        Pages the host can address, >= 1: 62.5 million of 4 KiB for a drive of 256 GB.
    op : float
        Over-provisioning over user pages, > 0, all physical pages counted: open and reserved
        blocks too. Compare with a formula at :attr:`Result.effective_op`.
    pages_per_block, policy, d, frontier
        Pages erased at once; how the block to clean is chosen, such as "greedy" or "fifo" (with `d`
        blocks drawn at random for "d_choices"); and which pages are written together, such as
        "single" for all. :class:`State` lists the choices.
    workload : str, Workload or Batches
        "uniform", "sequential", "jesd219", an object of :mod:`flashwear.workloads`, or a function
        of your own that yields pages (:class:`flashwear.workloads.Batches`).
    trim_share : float
        Share of requests, in [0, 0.5), that trim a page in use instead of writing.
    fill : {"sequential", "random", "none"}
        How the drive is filled before anything else: every page once in order, once in random
        order, or not at all.
    warmup_drive_writes : float
        Host writes before measuring, over user pages, >= 0; those of the fill not counted.
    drive_writes : float, optional
        Host writes measured, over user pages, > 0. With None, measuring goes on until the
        confidence interval is at most 1 % to each side of the write amplification, or for 64 drive
        writes. If the drive wears out or trims, there may be no interval even then.
    seed : int
        A whole number >= 0; the same one gives the same run.
    history_stride : int, optional
        Requests in a step of the history; by default a thousandth of the measured part.
    check : bool
        Whether to verify the whole drive at the end (:func:`verify`).
    progress : bool or callable, optional
        Whether to show a progress bar on stderr; by default from 50 million host writes on,
        and not while a book is built. A function is called with the host writes of each batch; what
        it raises ends the run.
    **options
        Further arguments of :class:`State`: `window`, `temperatures`, `reserve_blocks`,
        `wear_levelling`, `level_threshold`, `endurance`, `stripe`, `cache`.

    Raises
    ------
    ValueError
        For values outside these ranges, before anything is run.
    MemoryError
        Before the first array, if the drive needs more memory than the system has left.

    Notes
    -----
    Memory is 4 bytes per user page, 4 to 8 per physical page and about 100 per block; a random fill
    takes 4 more per user page.

    Examples
    --------
    A run, and the formula that it should meet if free and open blocks do not count:

    >>> from flashwear import wa
    >>> run = simulate(50_000, op=0.28, pages_per_block=32, drive_writes=4)
    >>> round(run.wa, 2), round(float(wa.greedy(run.effective_op, 32)), 2)
    (2.33, 2.33)
    """
    share = one_number("trim_share", trim_share, low=0, high=0.5)
    filling, settle, count = lengths(user_pages, fill, warmup_drive_writes, drive_writes)
    if history_stride is not None:
        history_stride = whole("history_stride", history_stride, 1)
    load = named(workload)
    if share > 0:
        load = Trimmed(load, share)
    if frontier == "hot_cold":
        if load.temperatures < 2:
            raise ValueError(f"workload must have temperatures for frontier hot_cold, got {load!r}")
        if options.setdefault("temperatures", load.temperatures) != load.temperatures:
            raise ValueError(
                f"temperatures must be {load.temperatures}, those of the workload, "
                f"got {options['temperatures']!r}"
            )
    if isinstance(frontier, Handles) and load.temperatures > len(frontier.names):
        raise ValueError(
            f"frontier must have a handle for each of {load.temperatures} streams, got {frontier!r}"
        )
    state = State(
        user_pages,
        op,
        pages_per_block=pages_per_block,
        policy=policy,
        d=d,
        frontier=frontier,
        seed=seed,
        **options,
    )
    stream = load.stream(user_pages, seed, in_use=fill != "none")
    stride = history_stride or -(-(count if drive_writes else user_pages * _FEW) // _STEPS)
    started = time.perf_counter()
    with shown(filling + settle + count, progress) as show:
        run = _Run(state, stride, show)
        if fill == "sequential":
            run.go(Sequential().stream(user_pages, seed), filling)
        elif fill == "random":
            run.fill_at_random(seed)
        run.go(stream, settle)
        before, worn, steps = run.counts(), state.wear.sum(), run.steps()
        cleaned = state.arrays.cleaned.copy()
        if drive_writes is None:
            run.measure(stream, count, int(before[3]))
        else:
            run.go(stream, count)
    seconds = time.perf_counter() - started
    if check:
        verify(state)
    asked = settle + (0 if drive_writes is None else count)
    came = state.host_writes - filling
    if came < asked and not state.worn_out:
        warn(f"the workload ended after {came:,} of {asked:,} page writes")
    result = run.result(before, float(worn), cleaned, steps, seconds)
    if drive_writes is None and not (result.steady.reached or state.worn_out):
        warn(f"write amplification was not steady: {result.steady.reason}")
    return result


def lengths(
    user_pages: int, fill: str, warmup_drive_writes: float, drive_writes: float | None
) -> tuple[int, int, int]:
    """Return the host writes, in pages, that fill a drive, warm it up, and are measured.

    `fill` is "sequential", "random" or "none" (0 writes). `warmup_drive_writes` and `drive_writes`
    count the writes before and while measuring in multiples of `user_pages`; None stands for the
    most that are measured, 64. ValueError is raised for values out of range.
    """
    pages = whole("user_pages", user_pages, 1, MOST_SLOTS)
    warmup = one_number("warmup_drive_writes", warmup_drive_writes, low=0)
    measured = float(_MOST)
    if drive_writes is not None:
        measured = one_number("drive_writes", drive_writes, above=0)
    one_of("fill", fill, ("sequential", "random", "none"))
    return pages * (fill != "none"), int(warmup * pages), max(1, int(measured * pages))


@contextmanager
def shown(
    writes: int, progress: bool | Callable[[int], object] | None
) -> Iterator[Callable[[int], object]]:
    """Yield a function to be called with the writes of each batch, which shows the progress.

    `writes` is their total, `progress` whether to show a bar, or the user's function to call.
    """
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = writes >= _LONG and "FLASHWEAR_BOOK" not in os.environ
    if not progress:
        yield lambda _: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=writes, unit="page", unit_scale=True, desc="host writes") as bar:
        yield bar.update


class _Run:
    """A drive at work: batches and history."""

    def __init__(self, state: State, stride: int, show: Callable[[int], object]) -> None:
        self.state, self.stride, self.show = state, stride, show
        self.history = [np.zeros((1, 3), np.int64)]
        self.requests = np.zeros(_BATCH + AHEAD, np.int64)

    def counts(self) -> NDArray[np.int64]:
        """Return the counters whose differences make a result."""
        s = self.state
        return np.array(
            [
                s.host_writes,
                s.flash_writes,
                s.flash_reads,
                s.arrays.counts.trims,
                s.arrays.counts.erases,
                s.levelling_copies,
                s.slc_erases.sum(),
                s.cache_writes,
                s.fold_copies,
            ]
        )

    def steps(self) -> int:
        """Return the number of rows of the history, including the one before the first write."""
        return sum(map(len, self.history))

    def go(self, stream: Stream, writes: int) -> None:
        """Carry out requests until so many pages are written, or the stream or the drive ends."""
        state, words, left = self.state, self.requests, self.stride
        target = state.host_writes + writes
        while (missing := target - state.host_writes) > 0 and not state.worn_out:
            size = stream.fill(words[: min(missing, _BATCH)])
            left, goes_on = self._carry_out(size, self.stride, left)
            if not goes_on:
                return
        self._end(self.stride, left)

    def measure(self, stream: Stream, most: int, trims: int) -> None:
        """Carry out an eighth of so many writes, and double them until their interval is narrow.

        `trims` were made before.
        """
        steps, done = self.steps(), 0
        part = -(-most * _FEW // _MOST)
        while done < most:
            start = self.state.host_writes
            self.go(stream, part)
            done += part
            if self.state.host_writes < start + part:
                return
            host, flash, _ = np.diff(np.concatenate(self.history)[steps - 1 :], axis=0).T
            interval = self._interval(host, flash, self.counts()[3] > trims)
            if interval.high - interval.low <= 2 * _NARROW * interval.low:
                return
            part = min(done, most - done)

    def _interval(
        self, host: NDArray[np.int64], flash: NDArray[np.int64], has_trims: bool
    ) -> Interval:
        """Return the interval of write amplification from the steps of the measured part."""
        # a drive forgets as it programs its pages anew: half of them in a batch is the least
        shortest = 0.5 * self.state.blocks * self.state.pages_per_block / flash.mean()
        if has_trims:
            shortest = max(shortest, _TRIM_BATCH * self.state.user_pages / host.mean())
        return batch_means(host, flash, shortest)

    def fill_at_random(self, seed: int) -> None:
        """Write every page once, in random order."""
        pages = np.arange(self.state.user_pages, dtype=np.int32)
        np.random.default_rng((seed, _FILL_STREAM)).shuffle(pages)
        stride = left = min(self.stride, _BATCH)
        for start in range(0, pages.size, _BATCH):
            batch = pages[start : start + _BATCH]
            self.requests[: batch.size] = batch
            left, _ = self._carry_out(batch.size, stride, left)
        self._end(stride, left)

    def _carry_out(self, size: int, stride: int, left: int) -> tuple[int, bool]:
        """Carry out a batch; give what is left of the step, and whether the run goes on.

        With the drive, or a stream that gives no more, the step ends.
        """
        rows = np.empty((size // stride + 2, 3), np.int64)
        before = self.state.host_writes
        done, noted, left = self.state.run_in_steps(self.requests, size, stride, left, rows)
        goes_on = done == size > 0
        if not goes_on:
            note(self.state.arrays, rows, noted)
            noted += 1
        self.history.append(rows[:noted])
        self.show(self.state.host_writes - before)
        return left, goes_on

    def _end(self, stride: int, left: int) -> None:
        """End a step that has begun."""
        if left < stride:
            rows = np.empty((1, 3), np.int64)
            note(self.state.arrays, rows, 0)
            self.history.append(rows)

    def result(
        self,
        before: NDArray[np.int64],
        worn: float,
        cleaned: NDArray[np.int64],
        steps: int,
        seconds: float,
    ) -> Result:
        state = self.state
        counted = (self.counts() - before).tolist()
        history = np.concatenate(self.history)
        host, flash, blank = np.diff(history, axis=0).T
        written = history[1:, 0] / state.user_pages
        measured = len(history) - steps
        ended = "the drive wore out" if state.worn_out else "the workload ended"
        interval = Interval(np.nan, np.nan, f"nothing was measured: {ended} before")
        steady = Steady(False, np.nan, interval.reason)
        if counted[0] > 0:
            interval = self._interval(host[-measured:], flash[-measured:], counted[3] > 0)
            steady = steadiness(written, host, flash, measured)
        return Result(
            wa=counted[1] / counted[0] if counted[0] else np.nan,
            interval=interval,
            erases=state.erases,
            host_writes=counted[0],
            flash_writes=counted[1],
            flash_reads=counted[2],
            trims=counted[3],
            block_erases=counted[4],
            slc_erases=counted[6],
            cache_writes=counted[7],
            fold_copies=counted[8],
            wear_per_write=float(state.wear.sum() - worn) * state.pages_per_block / counted[0]
            if counted[0]
            else np.nan,
            levelling_copies=counted[5],
            blank_pages=blank[-measured:].sum() / counted[0] / 2 if counted[0] else np.nan,
            cleaned=(state.arrays.cleaned - cleaned).reshape(-1, 1 + state.pages_per_block),
            history_drive_writes=written,
            history_host=host,
            history_flash=flash,
            history_blank=blank / np.where(host > 0, 2 * host, np.nan),
            measured_steps=measured,
            steady=steady,
            worn_out=state.worn_out,
            seconds=seconds,
            state=state,
        )
