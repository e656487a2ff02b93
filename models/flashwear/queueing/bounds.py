"""Upper bounds on the throughput of a drive, from the demands on its stations.

The demand of a request is the time it needs at a kind of station, divided by the number of such
stations. Times are in seconds, sizes in bytes; write amplification includes the host's own write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flashwear import wa as models
from flashwear._domain import one_number, whole
from flashwear.drives import MOST_COMMANDS, Drive
from flashwear.queueing import work

if TYPE_CHECKING:
    from flashwear.queueing.requests import Access

__all__ = ["Bound", "bound", "demands", "write_amplification"]

_FILLS = ("sequential", "random", "none")
_POLICIES = ("greedy", "fifo", "random")
_MOST_PAGES = 10_000_000  # of a superblock; of more the amplification differs by about 1e-6


class Bound(NamedTuple):
    """The highest throughput of a drive, and what limits it.

    Attributes
    ----------
    iops : float
        Requests per second.
    bottleneck : str
        The kind of station that a request needs longest: "link", "controller", "channel" or "die".
    knee : float
        Queue depth above which the bottleneck can be busy all the time.
    lone_s : float
        Time of a request that never waits, as the host sees it: a write is done once it is in the
        buffer.
    demands : dict of str to float
        Seconds per request at each kind of station, over the number of such stations.
    wa : float
        Write amplification for which these are computed; NaN for reads alone.
    """

    iops: float
    bottleneck: str
    knee: float
    lone_s: float
    demands: dict[str, float]
    wa: float


def demands(
    drive: Drive, access: Access, wa: float | None = None, *, fill: str = "sequential"
) -> dict[str, float]:
    r"""Return the seconds of a request at each kind of station, over the number of such stations.

    A write of :math:`k` map units needs

    .. math::
        D_\mathrm{link} &= s_l, \qquad
        D_\mathrm{controller} = s_w + k b_w + k(A-1)s_c, \\
        D_\mathrm{channel} &= \frac{k}{m_\mathrm{channel}}
            \left[\frac{gA}{u}(t_o + u t_x) + r t_o + (A-1)t_x\right], \\
        D_\mathrm{die} &= \frac{k}{m_\mathrm{die}}\left[\frac{gA}{u}t_P + r t_R\right]
            + \frac{kA}{b}t_E, \qquad
        r = \frac{A}{u}\left(1 - \frac{1}{A^{n}}\right)

    and a read, which touches :math:`j` program units,

    .. math::
        D_\mathrm{link} = s_l, \quad D_\mathrm{controller} = s_r + k b_r, \quad
        D_\mathrm{channel} = \frac{j t_o + k t_x}{m_\mathrm{channel}}, \quad
        D_\mathrm{die} = \frac{j t_R}{m_\mathrm{die}}, \quad
        j = 1 + \frac{q}{u}\left\lfloor\frac{k-1}{q}\right\rfloor .

    :math:`A` is the write amplification and :math:`m` the number of stations of a kind. Times:
    :math:`s_l` of the link for the request; of the controller, :math:`s_w, s_r` for a write and a
    read command, :math:`b_w, b_r` for each map unit written and read, and :math:`s_c = b_r + b_w` +
    ``copy_s`` for each unit copied; of a channel, :math:`t_o` for a transfer and :math:`t_x` for
    each unit in it; of a die, :math:`t_R, t_P, t_E` to read, program (the mean over kinds of page)
    and erase. A program unit has :math:`u` map units, a superblock :math:`b` map units of data;
    :math:`g` is the number of program units, with parity, over those of data. Each unit written
    causes :math:`A - 1` copies. In a victim the share :math:`1 - 1/A` of the units is live, and
    only program units with a live unit are read; :math:`n` requests share a program unit (:math:`u`
    if each is one unit). :math:`q` is the greatest common divisor of :math:`u` and the distance of
    possible addresses. A mix of reads and writes needs their average. These seconds are the demands
    of :cite:t:`denning1978`; they follow from the model of :mod:`flashwear.queueing.reference`
    (derived here).

    Parameters
    ----------
    drive : Drive
        The drive.
    access : Access
        Requests of the host, which begin and end at map units. `rate` has no influence.
    wa : float, optional
        Write amplification, >= 1; by default :func:`write_amplification`, or 1 if nothing is
        cleaned (`fill` "none").
    fill : {"sequential", "random", "none"}
        How the drive was written before: "sequential", so that units read together lie side by
        side; "random", unit by unit, so that they lie apart; "none", so that reads need no flash
        and writes no erase. With the first two, there are as many erases as writes require.

    Returns
    -------
    dict of str to float
        Seconds :math:`D` for "link", "controller", "channel" and "die".

    Raises
    ------
    ValueError
        For requests that begin or end within a map unit, a span that holds none, or arguments
        outside these ranges.

    Notes
    -----
    An SLC cache is left out: the seconds are those of a drive that writes to its main blocks only.

    Reads of map pages that are not held in DRAM (`map_cache_bytes`) are included: with :math:`c` of
    :math:`M` pages held, the share :math:`1 - c/M` of random lookups reads the flash. Units that
    are overwritten or read in the buffer are not.

    Compared with the compiled model (the 14 drives of the book), the rate times these seconds is
    within 1 % of the share of time that stations are busy.

    Examples
    --------
    A read of 4 KiB on 16 dies and 8 channels:

    >>> from flashwear import drives
    >>> from flashwear.queueing.requests import Access
    >>> m600 = drives.load("m600-256gb")
    >>> needs = demands(m600, Access(4096, read_share=1.0))
    >>> needs["die"] == m600.read_s / 16
    True
    """
    return _seconds(drive, access, wa, fill)[0]


def bound(
    drive: Drive,
    access: Access,
    queue_depth: int = 32,
    wa: float | None = None,
    *,
    fill: str = "sequential",
    think_s: float = 0.0,
) -> Bound:
    r"""Return the highest request rate that a drive can reach, and its bottleneck.

    .. math::
        X \le \min\left(\frac{1}{D_{\max}}, \frac{N}{R_0 + Z}\right), \qquad
        N^* = \frac{R_0 + Z}{D_{\max}}

    (:cite:t:`lazowska1984`), with :math:`X` the requests per second, :math:`D_{\max}` the largest
    of the seconds that a request needs of each kind of station, over their number
    (:func:`demands`), :math:`N` the queue depth, :math:`Z` the pause of the host, :math:`R_0` the
    time of a lone request and :math:`N^*` the depth (knee) from which on the bottleneck can always
    be busy. A lone write takes the link and the controller; the host does not wait for the flash. A
    lone read takes the controller, then dies and channels, in parallel if there are enough of them,
    and the link. At depth 32 the compiled model is at most 4 % below the bound on SATA drives, but
    up to 15 % for mixes of reads and writes on few dies. It is further below near the knee, which
    lies deeper on NVMe drives: at depth 32 by 13 to 31 % for random reads of 4 KiB. A die reads one
    page at a time, also where flash of more than a hundred layers reads its planes apart.

    Parameters
    ----------
    drive, access, wa, fill
        Drive; requests of the host, whose ``rate``, if they have one, is a bound too; write
        amplification, by default by formula; and how the drive was written before: "sequential",
        "random" or "none".
    queue_depth : int
        Requests that the host keeps outstanding, in [1, 65536], but no more than
        ``drive.queue_limit``: a deeper queue is cut to that.
    think_s : float
        Pause of the host between the completion of a request and the one that takes its place, >=
        0.

    Raises
    ------
    ValueError
        Outside these ranges, or for requests that :func:`demands` does not take.

    Examples
    --------
    Reads of 4 KiB on a drive on which all time is spent at its two dies:

    >>> from flashwear.drives import Drive
    >>> from flashwear.queueing.requests import Access
    >>> small = Drive(
    ...     name="two dies", user_bytes=12 << 20, dies=2, planes=1, page_bytes=16384,
    ...     pages_per_block=16, blocks_per_plane=40, channels=1, channel_bytes_per_s=409.6e6,
    ...     read_s=100e-6, program_s=(1e-3,), erase_s=3e-3, link_bytes_per_s=512e6)
    >>> reads = bound(small, Access(4096, read_share=1.0))
    >>> round(reads.iops), reads.bottleneck, round(reads.knee, 2)
    (20000, 'die', 2.48)
    """
    depth = min(whole("queue_depth", queue_depth, 1, MOST_COMMANDS), drive.queue_limit)
    pause = one_number("think_s", think_s, low=0, high=3600)
    needs, alone, amplified = _seconds(drive, access, wa, fill)
    bottleneck = max(needs, key=lambda kind: needs[kind])
    rate = min(1 / needs[bottleneck], depth / (alone + pause))
    return Bound(
        iops=rate if access.rate is None else min(rate, access.rate),
        bottleneck=bottleneck,
        knee=(alone + pause) / needs[bottleneck],
        lone_s=alone,
        demands=needs,
        wa=amplified if access.read_share < 1 else float("nan"),
    )


def write_amplification(drive: Drive, access: Access) -> float:
    r"""Return a drive's write amplification in steady state under an access pattern.

    .. math:: \mathrm{op} = \frac{(N - h)\,b}{\sigma L} - 1

    with :math:`N` superblocks of :math:`b` map units of data (without parity), of which :math:`h`
    are blank (``high_blocks``, which includes open ones, as in
    :attr:`flashwear.ftl.Result.effective_op`), and :math:`L` map units of user capacity, of which
    the part :math:`\sigma` is written (``access.span``; the rest is taken as blank). For random
    writes the result is that of :func:`flashwear.wa.greedy`, :func:`~flashwear.wa.fifo` or
    :func:`~flashwear.wa.random`, by the drive's policy, at this op, with pages of the size of a
    request. For sequential writes it is 1, the least possible, since victims are then empty; with
    reads between them, writes leave gaps and real amplification is higher. Compared with the
    compiled model, in steady runs of 600 s, the result is 0.1 % to 3.3 % too high.

    Parameters
    ----------
    drive : Drive
        The drive.
    access : Access
        Requests of the host; `read_share` and `rate` have no influence.

    Returns
    -------
    float
        Flash writes over host writes, >= 1.

    Raises
    ------
    ValueError
        If the span leaves nothing to spare, or there is no formula for the policy.

    Examples
    --------
    Written over half of its span, a drive has more to spare:

    >>> from flashwear import drives
    >>> from flashwear.queueing.requests import Access
    >>> drive = drives.load("m600-256gb")
    >>> whole, half = (write_amplification(drive, Access(span=s)) for s in (1.0, 0.5))
    >>> bool(whole > 5 > 1.3 > half)
    True
    """
    request, layout = work.in_units(drive, access), work.layout(drive)
    if access.order == "sequential":
        return 1.0
    spare = (drive.superblocks - drive.high_blocks) * layout.block / request.span - 1
    if not spare > 0:
        raise ValueError(
            f"high_blocks must leave more than the {request.span} map units that are written, got "
            f"{drive.high_blocks:g} of {drive.superblocks} superblocks of {layout.block}"
        )
    if drive.policy not in _POLICIES:
        raise ValueError(
            f"policy must be one of {', '.join(_POLICIES)} unless wa is given, got {drive.policy!r}"
        )
    if drive.policy == "greedy":
        pages = min(max(1, layout.block // request.units), _MOST_PAGES)
        return float(models.greedy(spare, pages))
    return float(models.fifo(spare) if drive.policy == "fifo" else models.random(spare))


def _seconds(
    drive: Drive, access: Access, wa: float | None, fill: str
) -> tuple[dict[str, float], float, float]:
    """Return the demands, the time of a lone request, and the write amplification they are for."""
    if fill not in _FILLS:
        raise ValueError(f"fill must be one of {', '.join(_FILLS)}, got {fill!r}")
    request, layout = work.in_units(drive, access), work.layout(drive)
    reads = access.read_share
    if wa is not None:
        amplified = one_number("wa", wa, low=1)
    elif fill == "none" or reads == 1:
        amplified = 1.0
    else:
        amplified = write_amplification(drive, access)
    needed = (
        work.of_read(drive, layout, request, fill) * reads
        + work.of_write(drive, layout, request, amplified, blank=fill == "none") * (1 - reads)
    ).seconds(work.times_of(drive))
    *needs, alone = needed.tolist()
    return dict(zip(work.STATIONS, needs, strict=False)), alone, amplified
