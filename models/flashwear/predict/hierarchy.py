"""The terms of a drive's times: a population mean, and deviations of parts and drives.

The logarithm of each time is a sum of terms: one of all drives on its kind of bus or of its kind of
flash, a trend over the generations of flash, and one each of its controller, its line and its
flash, or of the bench that measured it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flashwear import drives
from flashwear.drives import Drive
from flashwear.queueing import work

__all__ = ["FIXED_S", "Term", "bus", "generation", "prior", "terms"]

_COMMANDS = ("read_command_s", "read_unit_s", "write_command_s", "write_unit_s")
_FLASH = ("read_s", "program_s", "slc_program_s")
FIXED_S = {"copy_s": 0.0, "erase_s": 5e-3}
"""Times that are not fitted, as a copy only takes reading and writing, and an erase 5 ms."""

_FAST_LINK = 1e9
_GENERATIONS = {
    "34nm": -3.0, "27nm": -2.0, "25nm": -2.0, "21nm": -1.0, "20nm": -1.0, "19nm": -1.0,
    "16nm": 0.0, "15nm": 0.0, "24l": -0.5, "32l": 0.0, "48l": 1.0, "64l": 2.0, "72l": 2.0,
    "92l": 3.0, "96l": 3.0, "112l": 4.0, "128l": 4.0, "133l": 4.0, "144l": 4.0, "162l": 5.0,
    "176l": 5.0, "192l": 5.0, "218l": 6.0, "232l": 6.0, "236l": 6.0, "276l": 7.0,
}  # fmt: skip
_CENTRES_S = {
    "read_command_s": 4e-6, "read_unit_s": 5e-6, "write_command_s": 5e-6, "write_unit_s": 6e-6,
    "read_s": 80e-6, "slc_program_s": 400e-6, "pause_s": 10e-6,
}  # fmt: skip
_BITS = {"mlc": 2, "tlc": 3, "qlc": 4}


class Term(NamedTuple):
    """One summand (effect) of the logarithm of an operation time, such as that of the controller.

    The model takes the logarithm of each operation time of a drive as a sum of such terms.

    Attributes
    ----------
    time : str
        Name of the operation time, one of ``flashwear.queueing.work.TIMES``.
    group : str
        Kind of the term, such as "controller" or "line"; the terms of a group are taken to be drawn
        from one normal distribution.
    name : str
        Member of the group, for instance a controller's name.
    factor : float
        Number by which the term is multiplied in the sum.
    """

    time: str
    group: str
    name: str
    factor: float = 1.0


def generation(flash: str) -> float:
    """Return how many generations newer a kind of flash is than 16 nm (planar) or 32 layers (3D).

    Older flash gets a negative number. The generation is read from the name in the catalogue; if
    the name does not tell, the result is 0.

    Examples
    --------
    >>> generation("micron-25nm-mlc-64gbit"), generation("samsung-64l-tlc-256gbit")
    (-2.0, 2.0)
    """
    found = re.search(r"-(\d+(?:nm|l))-", flash)
    return _GENERATIONS.get(found[1], 0.0) if found else 0.0


def bus(drive: Drive) -> str:
    """Return the bus of a drive, judged by its link's rate: "sata" up to 1 GB/s, else "pcie".

    SAS at 6 Gb/s counts as "sata"; no speeds of drives with SAS at 12 Gb/s are known here.
    """
    return "pcie" if drive.link_bytes_per_s > _FAST_LINK else "sata"


def terms(drive: Drive, bench: str = "", without: Collection[str] = ()) -> Iterator[Term]:
    """Yield the effects that, added up, give the logarithms of a drive's operation times.

    Parameters
    ----------
    drive : Drive
        The drive, of which ``controller``, ``flash``, ``line``, ``enterprise`` and link count.
    bench : str
        Name of the website that measured the drive, or "" for a rating.
    without : collection of str
        Groups of effects that are left out, such as "controller" or "line".
    """
    return (term for term in _all_terms(drive, bench) if term.group not in without)


def _all_terms(drive: Drive, bench: str) -> Iterator[Term]:
    age = generation(drive.flash)
    kind_of_bus = bus(drive)
    for time in _COMMANDS:
        yield Term(time, "population", kind_of_bus)
        yield Term(time, "generation", kind_of_bus, age)
        if drive.enterprise:
            yield Term(time, "enterprise", kind_of_bus)
        yield Term(time, "controller", drive.controller)
        yield Term(time, "line", drive.line)
    kind = _kind(drive.flash, drive.bits_per_cell)
    for time in _FLASH:
        yield Term(time, "population", kind)
        since = _usual_generation(kind) if time == "program_s" else 0.0
        yield Term(time, "generation", kind.split()[-1], age - since)
        yield Term(time, "flash", drive.flash)
    yield Term("pause_s", "population", "host")
    if bench:
        yield Term("pause_s", "bench", bench)


def _kind(flash: str, bits: int) -> str:
    layered = re.search(r"-(\d+l|3d)-", flash) is not None
    return f"{bits} bits, {'layers' if layered else 'planar'}"


@lru_cache
def _usual_generation(kind: str) -> float:
    """Return the mean generation of a kind of flash in the catalogue.

    The usual program time of a kind is that of its own generations: flash of four bits began at 64
    layers, so that no trend leads to it from the 32 layers of others. Of reads the pages name no
    order by bits: 50 to 115 us for two, 40 to 75 us for three.
    """
    own = [
        generation(flash)
        for flash in drives.flashes()
        if _kind(flash, _BITS[flash.split("-")[2]]) == kind
    ]
    return float(np.mean(own)) if own else 0.0


_SPREADS = {"population": 0.7, "generation": 0.25, "enterprise": 0.3}


def prior(term: Term, widened: float = 1.0) -> tuple[float, float | None]:
    """Return the prior mean and standard deviation of an effect (`term`) on a log operation time.

    The model takes the natural logarithm of an operation time (in seconds) as a sum of terms: one
    for all drives ("population"), one for the controller, and so on (:class:`Term`). The first has
    as mean the log of a round figure, such as 80 us for a flash read, and for controllers on PCIe a
    time 4.5 times shorter; other terms have the mean 0. `widened` is a factor on the standard
    deviation, which is None for a group of terms whose spread is fitted.
    """
    if term.group not in _SPREADS:
        return 0.0, None
    centre = 0.0
    if term.group == "population":
        program = term.time == "program_s"
        usual = drives.usual_program_s(term.name) if program else _CENTRES_S[term.time]
        centre = float(np.log(usual)) - 1.5 * (term.name == "pcie")
    return centre, widened * _SPREADS[term.group]


assert {*_CENTRES_S, *FIXED_S, "program_s"} == set(work.TIMES)
