"""The operations that a request needs at the stations of a drive, and the time that they take.

The numbers of operations follow from the design of the drive and from the test alone. The time of
each operation comes from the drive, or from an array of draws. Times are in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from flashwear.drives import Drive

if TYPE_CHECKING:
    from flashwear.queueing.requests import Access

__all__ = ["STATIONS", "TIMES", "Work", "folding", "in_units", "layout", "of_read", "of_write",
           "times_of"]  # fmt: skip

STATIONS = ("link", "controller", "channel", "die", "host")
"""Where a request takes time; "host" stands for the latency of a lone request, end to end."""

TIMES = ("read_command_s", "read_unit_s", "write_command_s", "write_unit_s", "copy_s", "read_s",
         "program_s", "slc_program_s", "erase_s", "pause_s")  # fmt: skip
"""The operations that take time, in the order of the last axis of all arrays of times. They are
a read command and each map unit read; a write command and each map unit written; each map unit
copied; a flash read, a program operation in normal and in SLC mode, an erase; and the host's pause
before a request."""

_ENTRIES = 1024  # of a page of the map: 4096 bytes, 4 an entry
_MAP_PAGE_BYTES = 4096


class Layout(NamedTuple):
    """Sizes of a drive's program units and superblocks, and the cost of parity.

    ``unit`` is the number of map units that one program operation of a die takes (all planes
    together), and ``block`` the number of map units of data in a superblock. ``parity`` is the
    number of all program operations, including those of parity, over the number of those of data,
    >= 1.
    """

    unit: int  # map units in a program of all planes of a die
    block: int  # map units of data in a superblock
    parity: float  # programs over programs of data


class Asked(NamedTuple):
    """One request of a drive's load, measured in map units.

    ``units`` is the number of map units that it covers, ``step`` the distance from one possible
    address to the next, and ``span`` the number of map units in use; ``wire_s`` are its seconds on
    the host link; and ``misses`` is the mean number of map pages that must be read from flash for
    it because DRAM does not hold them.
    """

    units: int  # map units in it
    step: int  # map units from one possible address to the next
    span: int  # map units that are accessed
    wire_s: float
    misses: float  # pages of the map that are read from the flash for it


def in_units(drive: Drive, access: Access) -> Asked:
    """Check an access pattern and return one of its requests in map units."""
    from flashwear.queueing.requests import Access

    if not isinstance(access, Access):
        raise ValueError(f"access must be an Access, got {access!r}")
    step = access.align or access.size
    for name, size in (("size", access.size), ("align", step)):
        if size % drive.map_bytes:
            raise ValueError(f"{name} must be a multiple of {drive.map_bytes} bytes, got {size}")
    units = access.size // drive.map_bytes
    span = int(access.span * (drive.user_bytes // drive.map_bytes))
    if span < units:
        raise ValueError(
            f"span must hold a request of {access.size} bytes, got {access.span!r} of "
            f"{drive.user_bytes} bytes"
        )
    return Asked(
        units=units,
        step=step // drive.map_bytes,
        span=span,
        wire_s=drive.link_overhead_s + access.size / drive.link_bytes_per_s,
        misses=_misses(drive, units, step // drive.map_bytes, span, access.order),
    )


def layout(drive: Drive) -> Layout:
    """Return the sizes of a drive's program units and superblocks, and its parity overhead."""
    unit = drive.planes * drive.page_bytes // drive.map_bytes
    data = drive.data_programs()
    return Layout(unit, data * unit, drive.dies * drive.pages_per_block / data)


def _misses(drive: Drive, units: int, step: int, span: int, order: str) -> float:
    """Return the pages of the map that a request finds missing in DRAM, on average."""
    held = drive.map_cache_bytes
    if held is None or held >= drive.user_bytes // drive.map_bytes * (_MAP_PAGE_BYTES // _ENTRIES):
        return 0.0
    slots, pages = max(1, held // _MAP_PAGE_BYTES), ceil(span / _ENTRIES)
    if pages <= slots:
        return 0.0
    if order == "random":  # each page has its place, where the last one looked up is found
        return _parts(units, step, _ENTRIES) * (1 - slots / pages)
    return units / _ENTRIES * min(1.0, 2 * (pages - slots) / pages)  # those that share a place


def _parts(units: int, step: int, size: int) -> float:
    """Return how many aligned parts of a size a request touches, over all its addresses."""
    apart = gcd(step, size)
    return 1 + apart / size * ((units - 1) // apart)


def _transfer(drive: Drive, parts: float, units: float) -> float:
    """Return the time of a channel for so many units in so many parts."""
    return parts * drive.channel_overhead_s + units * drive.map_bytes / drive.channel_bytes_per_s


def _flash_reads(layout: Layout, request: Asked, fill: str) -> float:
    if fill == "none":
        return 0.0
    if fill == "random":
        return float(request.units)
    return _parts(request.units, request.step, layout.unit)


@dataclass(frozen=True)
class Work:
    """How long requests occupy each station of a drive, as constant times and operation counts.

    Attributes
    ----------
    fixed_s : ndarray of float
        Seconds of a request that are no multiple of an operation time, such as transfers, at link,
        controller, channel and die; fifth, at the host, which waits for the whole request; shape
        (..., 5), with the requests on the axes before.
    counts : ndarray of float
        How many operations of each of ten kinds (such as reads and programs, in the order of
        ``TIMES``) a request needs at each station, shape (..., 5, 10).
    """

    fixed_s: NDArray[np.float64]
    counts: NDArray[np.float64]

    def seconds(self, times: ArrayLike) -> NDArray[np.float64]:
        """Return the seconds at each station, given the operation times.

        Parameters
        ----------
        times : array_like
            Seconds of one operation of each of ``TIMES``, shape (..., 10).

        Returns
        -------
        ndarray of float
            Seconds per request at link, controller, channel and die, and as a whole, shape (...,
            5).
        """
        taken = self.counts * np.asarray(times, np.float64)[..., None, :]
        return np.asarray(self.fixed_s + taken.sum(-1))

    def __add__(self, other: Work) -> Work:
        return Work(self.fixed_s + other.fixed_s, self.counts + other.counts)

    def __mul__(self, share: float) -> Work:
        return Work(share * self.fixed_s, share * self.counts)


def times_of(drive: Drive) -> NDArray[np.float64]:
    """Return a drive's operation times in s, in the order of ``TIMES``; 0 where it has none.

    ``TIMES`` names ten operations of a drive and the host, such as "read_s" and "program_s".

    Examples
    --------
    >>> from flashwear import drives
    >>> m600 = drives.load("m600-256gb", calibrated=False)
    >>> times = dict(zip(TIMES, times_of(m600).tolist()))
    >>> times["read_s"] == 56e-6, times["program_s"] == (850e-6 + 2.3e-3) / 2
    (True, True)
    """
    said = {**vars(drive), "program_s": float(np.mean(drive.program_s))}
    return np.array([said.get(name) or 0.0 for name in TIMES])


def _work(needs: dict[str, dict[str, float]]) -> Work:
    """Return counts by station and time as arrays; those of no time are seconds."""
    fixed, counts = np.zeros(len(STATIONS)), np.zeros((len(STATIONS), len(TIMES)))
    for station, each in needs.items():
        for name, count in each.items():
            if name:
                counts[STATIONS.index(station), TIMES.index(name)] += count
            else:
                fixed[STATIONS.index(station)] += count
    return Work(fixed, counts)


def _map_read(drive: Drive, request: Asked) -> dict[str, dict[str, float]]:
    """Return what it takes to read the pages of the map that are missing in DRAM."""
    parts = request.misses
    moved = _transfer(drive, parts, parts)
    return {
        "channel": {"": moved / drive.channels},
        "die": {"read_s": parts / drive.dies},
        "host": {"": moved, "read_s": parts},
    }


def of_read(drive: Drive, layout: Layout, request: Asked, fill: str) -> Work:
    """Return how long a read request occupies each station, including misses of the cached map.

    `layout` has the sizes of the drive's program units (:func:`layout`), and `request` is the read
    in map units (:func:`in_units`). `fill` says how the data were written: "sequential", "random"
    or "none" (then nothing is read from flash). Consecutive parts of a request lie on different
    dies. The last station, "host", stands for the latency of a lone read: the controller handles
    the first map unit; then the read waits for the dies or for the channels, whichever take longer.
    """
    parts = _flash_reads(layout, request, fill)
    command = {"read_command_s": 1.0, "read_unit_s": float(request.units)}
    first = {"read_command_s": 1.0, "read_unit_s": 1.0}
    lone = {**first, "": request.wire_s, "read_s": 0.0, "pause_s": 1.0}
    for number in {int(parts), ceil(parts)} - {0}:
        share = 1 - abs(parts - number)  # of the addresses
        one = _transfer(drive, 1, request.units / number)
        dies, channels = ceil(number / drive.dies), ceil(number / drive.channels)
        waits_for_dies = dies * drive.read_s + one > drive.read_s + channels * one
        lone[""] += share * (one if waits_for_dies else channels * one)
        lone["read_s"] += share * (dies if waits_for_dies else 1)
    moved = _transfer(drive, parts, request.units if parts else 0)
    needs = {
        "link": {"": request.wire_s},
        "controller": command,
        "channel": {"": moved / drive.channels},
        "die": {"read_s": parts / drive.dies},
        "host": lone,
    }
    return _work(needs) + _work(_map_read(drive, request))


def of_write(
    drive: Drive,
    layout: Layout,
    request: Asked,
    wa: float,
    *,
    blank: bool = False,
    program: str = "program_s",
) -> Work:
    """Return how long a write request occupies each station, with its share of the copies.

    `layout` has the sizes of the drive's program units (:func:`layout`), `request` is the write in
    map units (:func:`in_units`), and `wa` the write amplification. With `blank` nothing has to be
    erased; `program` is "program_s", or "slc_program_s" for writes in SLC mode. The last station,
    "host", stands for the latency of a lone write: the controller begins with the first map unit
    while the link brings the others; the drive's times decide which of the two ends last.
    """
    unit, units = layout.unit, request.units
    copies = units * (wa - 1)
    programs = layout.parity * units * wa / unit
    owners = _parts(unit, unit, units)  # requests that share a program
    read = units * wa / unit * (1 - wa**-owners)
    erased = 0.0 if blank else units * wa / layout.block
    moved = _transfer(drive, programs, programs * unit) + _transfer(drive, read, copies)
    needs = {
        "link": {"": request.wire_s},
        "controller": {
            "write_command_s": 1.0,
            "write_unit_s": units + copies,
            "read_unit_s": copies,
            "copy_s": copies,
        },
        "channel": {"": moved / drive.channels},
        "die": {program: programs / drive.dies, "read_s": read / drive.dies, "erase_s": erased},
        "host": {"pause_s": 1.0, **_arrival(drive, request)},
    }
    return _work(needs) + _work(_map_read(drive, request))


def _arrival(drive: Drive, request: Asked) -> dict[str, float]:
    """Return what a lone write waits for until the controller has seen to all of it."""
    command = {"write_command_s": 1.0, "write_unit_s": float(request.units)}
    if drive.write_unit_s == 0 or request.units == 1:
        return {"": request.wire_s, **command}
    first = drive.link_overhead_s + drive.map_bytes / drive.link_bytes_per_s
    seen_to = first + drive.write_command_s + request.units * drive.write_unit_s
    return {"": first, **command} if seen_to > request.wire_s else {"": request.wire_s}


def folding(write: Work, drive: Drive, layout: Layout, request: Asked) -> Work:
    r"""Return how long a write occupies each station if it must wait for the cache to be folded.

    .. math::
        T = \frac{k}{u m}\left[t_P + \frac{t_P + t_R}{z - 1}\right]
            + s_w + k \left[b_w + \frac{s_c}{z - 1}\right] + D_\mathrm{channel}

    :math:`T` is the time of a die for a request of :math:`k` map units, on :math:`m` dies with
    :math:`u` map units in a program unit; :math:`t_P` and :math:`t_R` are the times to program and
    to read, :math:`s_w` that of a write command, :math:`b_w` and :math:`s_c` the controller's times
    for a map unit written and copied, :math:`z` the bits per cell. A superblock in SLC mode holds
    :math:`1/z` of its normal data, so folding it makes room for :math:`z - 1` times as much as it
    held. `write` is the work of the same `request` without folding, and `layout` has the sizes of
    the drive's units. The host and folding take turns, so a die is idle while the controller
    handles the data and while the channels move them, for :math:`D_\mathrm{channel}` (derived
    here).
    """
    channel, controller, die = map(STATIONS.index, ("channel", "controller", "die"))
    folded = 1 / (drive.bits_per_cell - 1)
    fixed, counts = write.fixed_s.copy(), write.counts.copy()
    fixed[channel] *= 1 + 2 * folded  # in; out of the cache and in again
    counts[die] *= 1 + folded
    counts[die, TIMES.index("read_s")] += folded * request.units / layout.unit / drive.dies
    for name in ("read_unit_s", "write_unit_s", "copy_s"):
        counts[controller, TIMES.index(name)] += folded * request.units
    counts[die] += counts[controller]
    fixed[die] += fixed[channel]
    return Work(fixed, counts)
