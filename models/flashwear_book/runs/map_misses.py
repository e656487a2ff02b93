"""Speed of random writes that is lost if DRAM does not hold the whole map."""

from __future__ import annotations

import numpy as np

from flashwear import drives
from flashwear._domain import one_number
from flashwear.queueing import bounds, work
from flashwear.queueing.requests import Access


def written_back(drive: str, missing: float) -> float:
    r"""Return the share of the steady write rate lost to reading and writing back map pages.

    Each map unit that is written, by the host or as a copy, changes a map page. With probability
    :math:`\mu` the map page is not in DRAM: it is read from the flash and replaces another map
    page, which is written back. This adds to the times that a write needs of die and controller
    (:func:`flashwear.queueing.bounds.demands`), with :math:`A` the write amplification, :math:`m`
    the number of dies, :math:`u` map units in a program unit, :math:`t_R` and :math:`t_P` to read
    and program a page, and :math:`b_r` and :math:`b_w` for the controller to read and write a unit,

    .. math::
        \Delta D_\mathrm{die} = \frac{\mu A}{m}\left(t_R + \frac{t_P}{u}\right), \qquad
        \Delta D_\mathrm{controller} = \mu A\,(b_r + b_w).

    `drive`: name of a drive. `missing`: probability :math:`\mu` that the map page is not in DRAM,
    in [0, 1].

    Examples
    --------
    >>> written_back("m600-1024gb", 0.0)
    0.0
    """
    part = one_number("missing", missing, low=0, high=1)
    made = drives.load(drive)
    at = bounds.bound(made, Access(made.map_bytes))
    changed, unit = part * at.wa, work.layout(made).unit
    program_s = float(np.mean(made.program_s))
    more = {
        "die": changed * (made.read_s + program_s / unit) / made.dies,
        "controller": changed * (made.read_unit_s + made.write_unit_s),
    }
    needs = {kind: seconds + more.get(kind, 0.0) for kind, seconds in at.demands.items()}
    return 1 - max(at.demands.values()) / max(needs.values())
