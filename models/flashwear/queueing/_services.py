"""What a request needs of the stations of a drive: seconds of service, without any waiting."""

from __future__ import annotations

from math import ceil, gcd
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flashwear.drives import Drive

if TYPE_CHECKING:
    from flashwear.queueing.requests import Access

_ENTRIES = 1024  # of a page of the map: 4096 bytes, 4 an entry
_MAP_PAGE_BYTES = 4096


class Layout(NamedTuple):
    """Sizes of a program and of a superblock, and what parity adds."""

    unit: int  # map units in a program of all planes of a die
    block: int  # map units of data in a superblock
    parity: float  # programs over programs of data


class Asked(NamedTuple):
    """A request in map units, and what it always takes."""

    units: int  # map units in it
    step: int  # map units from one possible address to the next
    span: int  # map units that are accessed
    wire_s: float
    misses: float  # pages of the map that are read from the flash for it


def in_units(drive: Drive, access: Access) -> Asked:
    """Return an access in map units, checked."""
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
    """Return the sizes of programs and superblocks."""
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


def map_read(drive: Drive, request: Asked) -> tuple[float, float]:
    """Return the times of channels and dies to read what misses of the map."""
    parts = request.misses
    return _transfer(drive, parts, parts), parts * drive.read_s


def _flash_reads(layout: Layout, request: Asked, fill: str) -> float:
    if fill == "none":
        return 0.0
    if fill == "random":
        return float(request.units)
    return _parts(request.units, request.step, layout.unit)


def read(drive: Drive, layout: Layout, request: Asked, fill: str) -> dict[str, float]:
    """Return the seconds that a read needs of each kind of station."""
    parts = _flash_reads(layout, request, fill)
    return {
        "link": request.wire_s,
        "controller": drive.read_command_s,
        "channel": _transfer(drive, parts, request.units if parts else 0) / drive.channels,
        "die": parts * drive.read_s / drive.dies,
    }


def write(
    drive: Drive, layout: Layout, request: Asked, wa: float, *, blank: bool
) -> dict[str, float]:
    """Return the seconds that a write needs of each kind of station, its copies included."""
    unit, units = layout.unit, request.units
    copies = units * (wa - 1)
    programs = layout.parity * units * wa / unit
    owners = _parts(unit, unit, units)  # requests that share a program
    read = units * wa / unit * (1 - wa**-owners)
    erased = 0.0 if blank else units * wa / layout.block * drive.erase_s
    moved = _transfer(drive, programs, programs * unit) + _transfer(drive, read, copies)
    programmed = programs * float(np.mean(drive.program_s))
    return {
        "link": request.wire_s,
        "controller": drive.write_command_s + copies * drive.copy_s,
        "channel": moved / drive.channels,
        "die": (programmed + read * drive.read_s) / drive.dies + erased,
    }


def lone_read(drive: Drive, layout: Layout, request: Asked, fill: str) -> float:
    """Return the time of a read that never waits, its parts on dies in turn."""
    parts = _flash_reads(layout, request, fill)
    flash = 0.0
    for number in {int(parts), ceil(parts)} - {0}:
        share = 1 - abs(parts - number)  # of the addresses
        one = _transfer(drive, 1, request.units / number)
        dies, channels = ceil(number / drive.dies), ceil(number / drive.channels)
        flash += share * max(dies * drive.read_s + one, drive.read_s + channels * one)
    return drive.read_command_s + flash + request.wire_s
