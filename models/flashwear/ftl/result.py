"""The counters of a run of a drive."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flashwear._domain import one_number, one_of
from flashwear._extras import require
from flashwear._shown import as_table, same_fields, warn
from flashwear.ftl._statistics import Interval, Steady
from flashwear.ftl.state import State
from flashwear.steady import snia

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The counters of a run of :func:`simulate`.

    Attributes
    ----------
    wa : float
        Write amplification of the measured part: pages programmed per page of the host.
    interval : tuple
        The 95 % confidence interval of `wa`: `low` and `high`, NaN where the measured part is too
        short, and `reason`. See :attr:`wa_interval`.
    erases : ndarray
        Erases of each block in the whole run, one int32 each.
    host_writes, flash_writes, flash_reads, trims : int
        Numbers of pages in the measured part. Flash writes are host writes, copies and parity;
        flash reads are those of the host and of cleaning; only pages that held data count as trims.
    block_erases : int
        Erases in the measured part.
    slc_erases : int
        Erases of blocks in SLC mode, part of `erases`.
    cache_writes, fold_copies : int
        Pages of the host written to the cache, and pages copied out of it, in the measured part.
    wear_per_write : float
        Wear per host write of the measured part: erases, weighted by the wear of their mode
        (1 in main mode), times the pages of a block, over pages written by the host. Without a
        cache it is write amplification, except for pages written and not yet erased.
    levelling_copies : int
        Copies of static wear levelling in the measured part, among the flash writes.
    blank_pages : float
        Mean number of erased pages, in free and open blocks, over the writes of the measured part.
    cleaned : ndarray
        Number of blocks cleaned in the measured part, by the frontier or handle that had filled
        them (rows, the last one is that of mixed copies if there is one) and by their live pages
        (0, 1, 2, ... in columns).
    history_drive_writes, history_host, history_flash, history_blank : ndarray
        Host writes over user pages at the end of each step of the whole run, from the first write
        on; host writes and flash writes in the step; and the mean number of blank pages over the
        writes of the step, NaN without writes.
    measured_steps : int
        Number of steps at the end of the history that are the measured part.
    steady : Steady
        Whether the run was steady: `reached`; since when: `drive_writes`, host writes over user
        pages; and `reason`.
    worn_out : bool
        Whether the run ended early because the drive had too few good blocks left.
    seconds : float
        Wall time of the whole run.
    state : State
        The drive as the run left it.
    """

    wa: float
    interval: Interval
    erases: NDArray[np.int32]
    host_writes: int
    flash_writes: int
    flash_reads: int
    trims: int
    block_erases: int
    slc_erases: int
    cache_writes: int
    fold_copies: int
    wear_per_write: float
    levelling_copies: int
    blank_pages: float
    cleaned: NDArray[np.int64]
    history_drive_writes: NDArray[np.float64]
    history_host: NDArray[np.int64]
    history_flash: NDArray[np.int64]
    history_blank: NDArray[np.float64]
    measured_steps: int
    steady: Steady
    worn_out: bool
    seconds: float
    state: State

    def __eq__(self, other: object) -> bool:
        """Return whether another result has the same figures (all but time and drive)."""
        return same_fields(self, other, but=("seconds", "state"))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        low, high = self.interval[:2]
        return (
            f"Result(wa={self.wa:.6g}, interval=({low:.6g}, {high:.6g}), "
            f"host_writes={self.host_writes}, flash_writes={self.flash_writes}, "
            f"steady={self.steady.reached}, worn_out={self.worn_out})"
        )

    def _repr_html_(self) -> str:
        low, high, reason = self.interval
        return as_table(
            {
                "write amplification": f"{self.wa:.6g}",
                "95 %": f"{low:.6g} to {high:.6g}" if low == low else f"none: {reason}",
                "pages written by the host": f"{self.host_writes:,}",
                "pages programmed": f"{self.flash_writes:,}",
                "steady": self.steady.reason,
                "worn out": "yes" if self.worn_out else "no",
            }
        )

    @property
    def wa_interval(self) -> tuple[float, float]:
        """The 95 % confidence interval (low, high) of `wa`, by batch means over the measured part.

        NaN, with a warning that says why, if the measured part is too short. With trims the number
        of pages in use drifts slowly, so batches have at least ten drive writes then.
        ``drive_writes=None`` of :func:`simulate` measures as long as it takes.
        """
        if np.isnan(self.interval.low):
            warn(f"wa_interval is missing: {self.interval.reason}")
        return self.interval[:2]

    @property
    def interval_reason(self) -> str:
        """How many batches `wa_interval` rests on, or how much longer the run must be."""
        return self.interval.reason

    @property
    def wlf(self) -> float:
        """The wear-levelling factor, the highest erase count of a block over the mean, >= 1."""
        most = self.erases.max()
        return float(most / self.erases.mean()) if most else 1.0

    @property
    def effective_op(self) -> float:
        r"""Over-provisioning less the blank pages of free and open blocks, to be used in formulas.

        .. math:: \mathrm{op}_e = \frac{N b - B}{L} - 1

        with :math:`N` blocks of :math:`b` data pages that are not retired, :math:`L` user pages
        and, on average, :math:`B` blank pages (`blank_pages`). If :math:`R` blocks are kept free,
        :math:`B/b` is :math:`R+1/(2A)` with a single frontier and :math:`R+1/2+1/(2A)` with a
        second one for copies, at write amplification :math:`A`.
        """
        a = self.state.arrays
        pages = int(a.counts.good) * int(a.mode_pages[0])
        return (pages - self.blank_pages) / self.state.user_pages - 1

    def steady_by(
        self, rule: str, *, round_drive_writes: float = 0.5, after_drive_writes: float = 1.0
    ) -> Steady:
        """Return whether and when the run reached steady state by a named rule.

        Parameters
        ----------
        rule : {"halves", "snia"}
            "halves" is the rule of the field `steady`: the two halves of the measured part agree
            within 1 % or the noise. "snia" is the window of SNIA's performance test specification
            :cite:p:`snia2018pts`: five rounds whose speed, taken as one over their write
            amplification, ranges over at most 20 % of its mean, and whose fitted line over at most
            10 %.
        round_drive_writes : float
            Host writes in a round of "snia", over user pages, > 0. Rounds end where steps of the
            history end.
        after_drive_writes : float
            Host writes before the first round, over user pages, >= 0: 1 leaves a fill out.

        Returns
        -------
        Steady
            Its `drive_writes`, counted from the first write, are those at the end of the first
            window that passes ("snia"), or those since which the run is within 5 % of its level
            ("halves").

        Raises
        ------
        ValueError
            Outside these ranges, or if a round is shorter than a step of the history.

        Examples
        --------
        >>> from flashwear import ftl
        >>> run = ftl.simulate(100_000, 0.28, pages_per_block=32, warmup_drive_writes=0,
        ...                    drive_writes=6, history_stride=500)
        >>> [round(run.steady_by("snia", round_drive_writes=r).drive_writes, 2) for r in (0.05, 1)]
        [1.25, 7.0]
        """
        one_of("rule", rule, ("halves", "snia"))
        length = one_number("round_drive_writes", round_drive_writes, above=0)
        start = one_number("after_drive_writes", after_drive_writes, low=0)
        if rule == "halves":
            return self.steady
        at = self.history_drive_writes
        step = float(np.diff(at, prepend=0.0).max(initial=0.0))
        if length < step:
            raise ValueError(
                f"round_drive_writes must be >= {step:g}, a step of the history, got {length:g}"
            )
        count = int((at[-1] - start) / length * (1 + 1e-9)) if at.size else 0
        if count < 1:
            return Steady(False, np.nan, "too short: no round was written")
        ends = (start + length * np.arange(count + 1)) * (1 - 1e-9)
        edges = np.searchsorted(np.concatenate(([0.0], at)), ends)
        host, flash = (
            np.diff(np.concatenate(([0], counts)).cumsum()[edges])
            for counts in (self.history_host, self.history_flash)
        )
        passed = snia(host / flash).last if count >= 5 else None
        if passed is None:
            return Steady(False, np.nan, f"no five of {count} rounds in a row are steady")
        return Steady(True, start + passed * length, f"rounds {passed - 4} to {passed} are steady")

    @property
    def host_writes_per_second(self) -> float:
        """Host pages per second of wall time, over the whole run."""
        return float(self.history_host.sum() / self.seconds)

    @property
    def frontier_copies(self) -> NDArray[np.int64]:
        """Pages copied out of the blocks of each frontier or handle in the measured part."""
        return self.cleaned @ np.arange(self.cleaned.shape[1])

    @property
    def history(self) -> "pd.DataFrame":
        """Table of the run's history, with a row for each step.

        ``drive_writes`` are the host writes over user pages up to the end of the step, ``wa`` is
        the write amplification in it, and ``measured`` says whether it belongs to the measured
        part.
        """
        require("sim", "pandas")
        import pandas as pd

        steps = self.history_host.size
        host = np.where(self.history_host > 0, self.history_host, np.nan)
        return pd.DataFrame(
            {
                "drive_writes": self.history_drive_writes,
                "wa": self.history_flash / host,
                "measured": np.arange(steps) >= steps - self.measured_steps,
            }
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return the single numbers among the results as a table of one row."""
        require("sim", "pandas")
        import pandas as pd

        low, high = self.interval[:2]
        return pd.DataFrame(
            {
                "user_pages": [self.state.user_pages],
                "op": [self.state.op],
                "pages_per_block": [self.state.pages_per_block],
                "wa": [self.wa],
                "wa_low": [low],
                "wa_high": [high],
                "wlf": [self.wlf],
                "host_writes": [self.host_writes],
                "flash_writes": [self.flash_writes],
                "flash_reads": [self.flash_reads],
                "block_erases": [self.block_erases],
                "steady": [self.steady.reached],
                "worn_out": [self.worn_out],
                "seconds": [self.seconds],
            }
        )
