r"""The test of performance consistency in closed form: IOPS over time until steady state.

Write amplification after a fill follows :func:`flashwear.wa.after_fill`, and at each value of it
the drive serves as many writes as :func:`flashwear.queueing.bounds.bound` allows. Single requests
are not simulated, so IOPS change only with the state of the drive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flashwear import wa as models
from flashwear._domain import one_number
from flashwear._extras import require
from flashwear.queueing.bounds import bound
from flashwear.queueing.work import layout

if TYPE_CHECKING:
    import pandas as pd

    from flashwear.drives import Drive

__all__ = ["consistency", "spare", "superblock"]

_STEPS = 6000
_VALUES = 64  # of write amplification at which the bound is taken


def superblock(drive: Drive) -> int:
    """Return the number of map units of data in a superblock.

    Examples
    --------
    >>> from flashwear import drives
    >>> superblock(drives.load("m600-256gb"))
    65536
    """
    return layout(drive).block


def spare(drive: Drive, span: float = 1.0) -> float:
    r"""Return the over-provisioning of the part that is written, not counting blocks kept blank.

    .. math:: \mathrm{op} = \frac{(N - h)\,b}{\sigma L} - 1

    A drive has :math:`N` superblocks of :math:`b` map units of data, of which it keeps :math:`h`
    blank (``high_blocks``), for :math:`L` map units of the user. The host writes the part `span`
    (:math:`\sigma`) of them, in (0, 1].

    Examples
    --------
    >>> from flashwear import drives
    >>> round(spare(drives.load("m600-256gb")), 4)
    0.0695
    """
    written = int(drive.user_bytes // drive.map_bytes * one_number("span", span, above=0, high=1))
    data = (drive.superblocks - drive.high_blocks) * superblock(drive)
    return float(data / written - 1)


def consistency(
    drive: Drive, span: float = 1.0, duration_s: float = 2000.0, *, queue_depth: int = 32
) -> pd.DataFrame:
    r"""Return 4 KiB random-write IOPS over time on a sequentially filled drive, in closed form.

    .. math:: t = \sigma L \int_0^v \frac{dv'}{X(A(v'))}

    :math:`\sigma L` map units (:math:`\sigma` is `span`, :math:`L` the user capacity) are filled
    and then written at random; :math:`v` is the number of random writes over :math:`\sigma L`, and
    :math:`t` the time they take. :math:`A(v)` is the write amplification, from
    :func:`flashwear.wa.after_fill` at the over-provisioning :func:`spare`, and :math:`X(A)` the
    requests per second, from :func:`flashwear.queueing.bounds.bound` (derived in the book).
    Compared with the compiled model (:func:`flashwear.queueing.procedures.performance_consistency`,
    three drives), IOPS in the 400 s after the spare flash is used up are within 15 %, and at the
    end within 6 %.

    Parameters
    ----------
    drive : Drive
        The drive. Its policy must be "greedy" or "fifo", which are alike with large superblocks.
    span : float
        Part of the drive that is filled and then written, in (0, 1].
    duration_s : float
        Time of the random writes, in [1, 1e6].
    queue_depth : int
        Requests that the host keeps outstanding.

    Returns
    -------
    DataFrame
        A row for each second: ``time_s``, its end; ``iops`` and ``wa``, the requests per second and
        the write amplification in it; ``drive_writes``, the map units written at random until its
        end over those of the span, :math:`\sigma L`.

    Raises
    ------
    ValueError
        Outside these ranges, or for a spare below 1 %, for which there is no formula.

    Examples
    --------
    The M600 1TB writes 82,000 requests a second until its spare flash is used up:

    >>> from flashwear import drives
    >>> run = consistency(drives.load("m600-1024gb"))
    >>> round(run.iops[100]), run.time_s[run.iops < 20_000].min().item()
    (81665, 214)
    """
    require("sim", "pandas")
    import pandas as pd

    from flashwear.queueing.requests import Access

    if drive.policy not in ("greedy", "fifo"):
        raise ValueError(f"policy must be greedy or fifo, got {drive.policy!r}")
    length = one_number("duration_s", duration_s, low=1, high=1e6)
    op = spare(drive, span)
    if not op >= 0.01:
        raise ValueError(f"span must leave at least 1 % to spare, got {span} ({op:.2%} spare)")
    access = Access(drive.map_bytes, span=span)
    written = int(drive.user_bytes // drive.map_bytes * span)
    values = np.geomspace(1, 1 + 1 / op, _VALUES)  # the cliff is at most that high
    rates = np.array([bound(drive, access, queue_depth, value).iops for value in values])
    end = 1.05 * length * float((values * rates).max()) / written
    s = np.unique(np.append(np.linspace(0, end, _STEPS), np.clip([op, 1.0], 0, end)))
    path = models.after_fill(op, s)
    v = np.asarray(path.drive_writes)
    amplified = np.diff(s) / np.diff(v)
    took = written * np.diff(v) * np.interp(amplified, values, 1 / rates)
    time = np.append(0, np.cumsum(took))
    seconds = np.arange(int(length) + 1.0)
    at, programmed = np.interp(seconds, time, v), np.interp(seconds, time, s)
    return pd.DataFrame(
        {
            "time_s": seconds[1:].astype(int),
            "iops": written * np.diff(at),
            "wa": np.diff(programmed) / np.diff(at),
            "drive_writes": at[1:],
        }
    )
