"""Power cuts: stop the reference model at an instant and count what is lost.

With each map unit the drive stores, as drives do, the address of the unit and a number that grows
with each host write; copies keep the number. After a cut the map is rebuilt from these alone: it
takes the newest readable unit of each address. Parity and padding have no address.

A unit is *acknowledged* once it is in the buffer, *durable* once its program operation is finished,
and *flushed* once a flush command issued after it is answered. The loss depends on the protection
(:data:`flashwear_book.power.powerloss.PROTECTIONS`). Further assumptions:

- The page of an interrupted program operation cannot be read. Without protection, neither can the
  older pages of its cells (:func:`flashwear_book.power.powerloss.shared_rows`), which is the worst
  case. The drive's parity does not restore them. In SLC mode each cell has only one page.
- After an erase has begun, nothing in the block can be read.
- Trims are kept only in DRAM, so trimmed data may come back.
- Data on the drive before the run count as flushed; older versions of them are ignored.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear._domain import number, one_number, one_of
from flashwear._extras import require
from flashwear.drives import Drive
from flashwear.queueing import requests as io
from flashwear.queueing.plan import planned, prepared
from flashwear.queueing.reference.firmware import Firmware
from flashwear.queueing.reference.host import Host
from flashwear.queueing.reference.stations import ERASE, Network
from flashwear.workloads import Workload
from flashwear_book.power import powerloss
from flashwear_book.power._numbered import Record, Stamps, go_dark, under_way

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cut", "cuts", "losses", "on_capacitors"]


@dataclass(frozen=True)
class Cut:
    """The drive at the instant of a power cut, and what can be read afterwards.

    Writes are numbered in order; -1 stands for no data.

    Attributes
    ----------
    time_s : float
        Instant of the cut.
    acknowledged, durable, flushed : ndarray
        Number of the last write of each map unit, of its last write that was on flash, and of its
        last write that a flush had confirmed.
    read_back : dict of str to ndarray
        Number of the write that is read once the power is back, for each map unit, by what survives
        the cut: "none"; "lower", older pages in cells being programmed; "finish", these and the
        pages being programmed; or "full", the buffer too.
    held_bytes : int
        Bytes in the buffer, including those that dies are programming.
    rows : tuple of int
        For each die the number, in its block, of the page that it is programming; -1 for none.
    slc : int
        Number of these program operations that are in SLC mode.
    older : int
        Number of older pages in the cells of the other program operations.
    map_bytes : int
        Bytes of a map unit.
    """

    time_s: float
    acknowledged: Stamps
    durable: Stamps
    flushed: Stamps
    read_back: dict[str, Stamps]
    held_bytes: int
    rows: tuple[int, ...]
    slc: int
    older: int
    map_bytes: int

    def lost(self, protection: str) -> powerloss.Loss:
        """Return the bytes that are lost, those not yet on flash and those already on it.

        `protection` says what survives the cut: "none"; "lower", older pages in cells being
        programmed; "finish", these and the pages being programmed; or "full", the buffer too.
        """
        found = self._found(protection)
        in_flight = (self.acknowledged > self.durable) & (found < self.acknowledged)
        return powerloss.Loss(self._bytes(in_flight), self._bytes(found < self.durable))

    def broken(self, protection: str) -> int:
        """Return how many bytes are lost though a flush command had confirmed them.

        `protection` says what survives the cut: "none"; "lower", older pages in cells being
        programmed; "finish", these and the pages being programmed; or "full", the buffer too.
        """
        return self._bytes(self._found(protection) < self.flushed)

    def returned(self, protection: str) -> int:
        """Return how many trimmed bytes can be read again after the cut, with a kind of protection.

        `protection` says what survives the cut: "none"; "lower", older pages in cells being
        programmed; "finish", these and the pages being programmed; or "full", the buffer too.
        """
        return self._bytes((self.acknowledged < 0) & (self._found(protection) >= 0))

    def _found(self, protection: str) -> Stamps:
        one_of("protection", protection, list(self.read_back))
        return self.read_back[protection]

    def _bytes(self, units: NDArray[np.bool_]) -> int:
        return int(units.sum()) * self.map_bytes


class _Model:
    """The reference model, to be stopped at instants."""

    def __init__(
        self,
        drive: Drive,
        workload: str | Workload | io.Access,
        end_s: float,
        *,
        distance: int = 1,
        flush_s: float | None = None,
        ordered_erases: bool = True,
        queue_depth: int = 32,
        seed: int = 0,
        think_s: float = 0.0,
        fill: str = "sequential",
        random_drive_writes: float = 0.0,
        span: float = 1.0,
    ) -> None:
        plan = planned(drive, queue_depth, max(end_s, 1e-9), None, think_s)
        powerloss.shared_rows(0, plan.kinds, distance)
        pause = 0.0 if flush_s is None else one_number("flush_s", flush_s, low=1e-6, high=1e6)
        run = prepared(plan, drive, workload, seed, fill, random_drive_writes, span)
        self.distance, self.drive = distance, drive
        self.network = Network(run)
        self.firmware = Firmware(self.network)
        self.record = Record(self.firmware, ordered=ordered_erases, pause_ns=round(pause * 1e9))
        self.host = Host(self.network, self.firmware, record=False)

    def go(self, until_ns: int) -> None:
        """Handle all events up to a given time."""
        env = self.network.env
        while env.peek() <= until_ns:
            env.step()

    def cut(self, time_s: float) -> Cut:
        """Return what a power cut now would leave readable."""
        record, firmware = self.record, self.firmware
        rows, slc, older = [-1] * self.network.plan.dies, 0, 0
        for die, task in under_way(self.network):
            if task.row != ERASE:
                rows[die] = task.row
                slc += firmware.blocks.is_slc(task.block)
                older += len(record.endangered(task, self.distance))
        return Cut(time_s=time_s, acknowledged=record.acknowledged.copy(),
                   durable=record.durable.copy(), flushed=record.flushed.copy(),
                   read_back=record.read_back(self.distance),
                   held_bytes=firmware.used * self.drive.map_bytes, rows=tuple(rows), slc=slc,
                   older=older, map_bytes=self.drive.map_bytes)  # fmt: skip


def cuts(
    drive: Drive, workload: str | Workload | io.Access, at_s: ArrayLike, **options: Any
) -> Iterator[Cut]:
    """Run the reference model, and yield the state of the drive for power cuts at given times.

    After each cut the run goes on as if there had been none, so that one run serves for many.
    Without flush commands and with ``ordered_erases=False`` requests are completed at the same
    times as by the reference model.

    Parameters
    ----------
    drive, workload
        The drive, and the host's requests (an Access, a workload of single pages, or its name).
    at_s : array_like
        Instants in s, in order, >= 0.
    distance : int
        Pages of a block from one page of a cell to the next, in the order of programming, see
        :func:`flashwear_book.power.powerloss.shared_rows`.
    flush_s : float, optional
        Time from the answer to a flush command to the next, in [1e-6, 1e6]; without it the host
        sends none.
    ordered_erases : bool
        Whether a superblock is erased only once newer versions of all its data are on flash. The
        reference model itself only waits until live data are copied.
    queue_depth, seed, think_s, fill, random_drive_writes, span
        Requests outstanding, seed, the host's pauses, and how the drive was written before.

    Yields
    ------
    Cut
        At each instant in turn.

    Raises
    ------
    ValueError
        For arguments outside these ranges.
    """
    instants = number("at_s", at_s, low=0, high=1e7)
    if instants.ndim != 1 or not instants.size or (np.diff(instants) < 0).any():
        raise ValueError(f"at_s must be a row of instants in order, got {reprlib.repr(at_s)}")
    model = _Model(drive, workload, float(instants[-1]), **options)
    return _cuts(model, instants)


def _cuts(model: _Model, instants: NDArray[np.float64]) -> Iterator[Cut]:
    for time in instants.tolist():
        model.go(round(time * 1e9))
        yield model.cut(time)


def losses(*arguments: Any, **options: Any) -> pd.DataFrame:
    """Return a table of the bytes lost in simulated power cuts at given times.

    Parameters
    ----------
    *arguments, **options
        Arguments of :func:`cuts`: the drive, the requests of the host, the times in s, and options.

    Returns
    -------
    pandas.DataFrame
        A row for each instant (``time_s``) and ``protection``, that is, what survives the cut
        ("none", "lower" for older pages in cells being programmed, "finish" for these and the pages
        being programmed, "full" for the buffer too). In bytes: ``in_flight``, lost before they were
        on flash; ``at_rest``, lost from flash; ``flushed``, lost though a flush had confirmed them;
        ``returned``, trimmed but readable again; ``held``, data in the buffer; and the numbers of
        program operations under way (``programs``), of those in SLC mode (``slc``), and of older
        pages in the cells of the others (``older``).
    """
    require("sim", "pandas")
    import pandas as pd

    rows = []
    for cut in cuts(*arguments, **options):
        for protection in cut.read_back:
            rows.append({"time_s": cut.time_s, "protection": protection,
                         **cut.lost(protection)._asdict(), "flushed": cut.broken(protection),
                         "returned": cut.returned(protection), "held": cut.held_bytes,
                         "programs": sum(row >= 0 for row in cut.rows), "slc": cut.slc,
                         "older": cut.older})  # fmt: skip
    return pd.DataFrame(rows)


def on_capacitors(
    drive: Drive, workload: str | Workload | io.Access, at_s: float, hold_s: float, **options: Any
) -> tuple[Cut, float]:
    """Cut the power and let the drive continue on the energy of its capacitors.

    After the cut there are no host requests and no cleaning. Operations under way are finished, and
    the data in the buffer are programmed, down to the last free superblock. When the time is over,
    operations under way are interrupted.

    Parameters
    ----------
    drive, workload
        The drive, and the requests of the host (an Access or a workload of single pages).
    at_s : float
        Instant of the cut in s, >= 0.
    hold_s : float
        Time that the energy lasts, in s, >= 0.
    **options
        Options of :func:`cuts`: among others `flush_s`, `queue_depth`, `seed`, `fill` and `span`.

    Returns
    -------
    Cut
        State when the time is over; what can be read then is ``read_back["none"]``.
    float
        Time from the cut until the buffer was empty, in s; NaN if it did not become empty.

    Raises
    ------
    ValueError
        For arguments outside these ranges.
    """
    time = one_number("at_s", at_s, low=0, high=1e7)
    hold = one_number("hold_s", hold_s, low=0, high=1e3)
    model = _Model(drive, workload, time, **options)
    start, end = round(time * 1e9), round((time + hold) * 1e9)
    model.go(start)
    go_dark(model.firmware)
    emptied = 0.0 if model.firmware.emptied else float("nan")
    env = model.network.env
    while env.peek() <= end:
        env.step()
        if np.isnan(emptied) and model.firmware.emptied:
            emptied = (model.network.now - start) / 1e9
    return model.cut(time), emptied
