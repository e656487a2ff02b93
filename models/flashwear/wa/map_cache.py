"""Flash traffic of a map of which only a part is in memory: map pages read and written back."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, flag, number, plain
from flashwear.wa._shares import Floats
from flashwear.wa.uniform import counts, whole_pages

_LARGEST = 2**40
_SINGLE_RANKS, _RANK_GROUPS = 4096, 400
_SINGLE_PAGES, _PAGE_GROUPS = 64, 200
_PLACES = 16  # in a cleaning, and between two, at which the cache is looked at
_HALVINGS = 64


class MapTraffic(NamedTuple):
    """Traffic of a mapping table cached in DRAM, as ratios, from :func:`map_traffic`."""

    hit_ratio: FloatOrArray
    """Share of the host's accesses whose map page is in the cache."""

    reads_per_read: FloatOrArray
    """Map pages read for each page that the host reads."""

    reads_per_write: FloatOrArray
    """Map pages read for each page that the host writes, including those for its copies."""

    writes_per_write: FloatOrArray
    """Map pages written back for each page that the host writes."""

    map_wa: FloatOrArray
    """Write amplification of the blocks that hold the map; 1 if the map is not written."""

    wa: FloatOrArray
    """Write amplification of the drive, the map included."""


class _Classes(NamedTuple):
    """Map pages in classes of one rate."""

    pages: Floats  # how many
    hosts: Floats  # accesses of the host to one of them, for each of the host
    copied: Floats  # units copied that one of them maps, for each that the host writes


@elementwise()
def map_traffic(
    working_bytes: ArrayLike,
    cache_bytes: ArrayLike,
    wa: ArrayLike,
    pages_per_block: ArrayLike,
    *,
    exponent: ArrayLike = 0.0,
    run: ArrayLike = 1,
    read_share: ArrayLike = 0.0,
    entry_bytes: ArrayLike = 4,
    map_page_bytes: ArrayLike = 4096,
    page_bytes: ArrayLike = 4096,
    map_op: ArrayLike = 1.0,
    scattered: bool = False,
) -> MapTraffic:
    r"""Return the flash traffic of a mapping table that is cached in DRAM, page by page, by LRU.

    The host's requests change or use entries of the map; the drive reads a page of the map from
    flash if it is not in the cache, and writes it back later.

    .. math::
        \sum_i \left(1 - m_i(T)\right) = C, \qquad m_i(T) = e^{-a_i x(T)}\,(1 - q_i)^{y(T)},
        \qquad q_i = 1 - e^{-\mu_i}

    The cache holds :math:`C` map pages, and a page that was not used for a time :math:`T` has left
    it. :math:`m_i` is the probability of this for map page :math:`i`, and so its share of misses.
    The time :math:`T` contains :math:`x` stretches of host accesses and :math:`y` cleanings of a
    block between them. In a stretch the host uses page :math:`i` :math:`a_i` times on average. A
    cleaning copies on average :math:`\mu_i` of the units that page :math:`i` maps; with probability
    :math:`q_i` it copies any, and then uses the page once. This is the approximation of
    :cite:t:`che2002`, explained by :cite:t:`fricker2012`, to which the bursts of accesses by
    cleaning are added here. :math:`T` is solved for at 16 places of a stretch and 16 of a burst.
    Without cleaning the equation is :math:`\sum_i (1 - e^{-a_i T}) = C`.

    The number of copies follows from the write amplification :math:`A`, with :math:`r_i` the write
    rate of a unit and :math:`t` the time from a write to the cleaning of its block,

    .. math:: \sum_i \frac{r_i}{1 - e^{-r_i t}} = A

    as under FIFO cleaning (:cite:t:`desnoyers2012`); :math:`r_i` of each term is host writes, the
    rest copies. A unit that is copied was last used when its block was written, longer than
    :math:`T` ago, so only other units of its map page can have kept the page in the cache. If the
    page maps :math:`e` units and :math:`k_i` are copied at once, the share of misses is
    :math:`m_i^{1 - k_i/e}`.

    A map page that leaves the cache is written back if an entry has changed since it was read, so
    one write holds all changes of that time. Of :math:`u_i` uses, of which a share :math:`s_i` is
    reads and a share :math:`h_i` hits,

    .. math:: w_i = u_i\,\frac{(1 - s_i)(1 - h_i)}{1 - s_i h_i}

    lead to a write back. Map pages lie in blocks of their own with over-provisioning `map_op` and
    FIFO cleaning; a map page is written again at a random time, but not before :math:`T`. If
    :math:`A_m` is the write amplification of these blocks, that of the drive is
    :math:`A + A_m\sum_i w_i`, with :math:`w_i` per page that the host writes, times
    `map_page_bytes` over `page_bytes` (derived here).

    Parameters
    ----------
    working_bytes : array_like
        Size of the data that the host writes and reads, in [`page_bytes` times `run`, 2**60]; data
        that it never accesses take no place in the cache.
    cache_bytes : array_like
        Memory for map pages, >= 0; only whole pages are used. If the whole map fits, all accesses
        are hits.
    wa : array_like
        Write amplification without the map, >= 1, as of :func:`flashwear.wa.greedy`.
    pages_per_block : array_like
        Pages in what is cleaned at once, a whole number up to 10 million.
    exponent : array_like
        Exponent of Zipf's law by which the host chooses pages, in [0, 2]; 0 is uniform.
    run : array_like
        Number of consecutive pages that each access of the host writes or reads, starting at a
        multiple of this number; a whole number up to the entries of a map page. Longer accesses
        have the same effect as accesses of that length.
    read_share : array_like
        Share of reads among the host's accesses, in [0, 1); reads are distributed like writes.
    entry_bytes, map_page_bytes, page_bytes : array_like
        Sizes of an entry of the map, of a map page and of the page that an entry stands for, whole
        numbers in [1, 2**40]; a map page must hold an entry.
    map_op : array_like
        Over-provisioning of the blocks that hold the map, over the size of the map, > 0.
    scattered : bool
        Whether popular pages lie all over the addresses, as hashed keys do, instead of side by
        side in the order of their popularity. Each map page is then dealt its entries like cards:
        of :math:`P` map pages, number :math:`i` has the ranks :math:`i`, :math:`i + P`,
        :math:`i + 2P`...

    Returns
    -------
    MapTraffic

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    It is assumed that the cache holds single map pages and nothing else, and replaces the least
    recently used; drives differ, and makers do not say. Also assumed: the drive knows without the
    map which pages of a block are live; the directory of map pages is in memory; map pages are
    written back only when they leave the cache; rebuilding a map after a power loss is not counted.

    Compared with simulation (greedy cleaning), map reads and writes are within 5 % without host
    reads and 14 % with half reads, the host's misses up to 24 % too high, and `wa` up to 5 %; in
    small blocks, or with cold data filled in order, misses are up to 1.5 times, map reads and
    writes up to 2.3 times and `wa` up to 15 % too high. Where pages are scattered by chance, less
    evenly than dealt, misses are up to 0.02 of the accesses too many, and within 2 % where copies
    outweigh them; side by side the same load misses up to three times less. If a drive changes the
    map copy by copy, and not block by block, it reads and writes more of it.

    Examples
    --------
    A drive of 1 TB with 64 MiB of the host's memory, and 28 % to spare, under random writes: over
    50 GB the map fits, over all of the drive it does not.

    >>> from flashwear import wa
    >>> small, large = (
    ...     wa.map_traffic(size, 64 << 20, factor, 16384)
    ...     for size, factor in ((50e9, 1.0), (1e12, wa.greedy(0.28, 16384)))
    ... )
    >>> round(small.wa, 2), round(large.wa, 2)
    (1.0, 5.33)
    """
    sizes = [
        counts(name, value, _LARGEST)
        for name, value in (
            ("entry_bytes", entry_bytes),
            ("map_page_bytes", map_page_bytes),
            ("page_bytes", page_bytes),
        )
    ]
    arguments = np.broadcast_arrays(
        number("working_bytes", working_bytes, above=0, high=2.0**60),
        number("cache_bytes", cache_bytes, low=0),
        number("wa", wa, low=1),
        whole_pages(pages_per_block),
        number("exponent", exponent, low=0, high=2),
        counts("run", run, _LARGEST),
        number("read_share", read_share, low=0, high=np.nextafter(1, 0)),
        *sizes,
        number("map_op", map_op, above=0),
    )
    working, _, _, _, _, pages, _, entry, map_page, page, _ = arguments
    if (entry > map_page).any():
        raise ValueError(
            f"entry_bytes must be <= map_page_bytes, {map_page.min():g}, got {entry.max():g}"
        )
    most = map_page // entry
    if (pages > most).any():
        raise ValueError(
            f"run must be a whole number <= {most.min():g}, the entries of a map page, got "
            f"{pages.max():g}"
        )
    if (working < page * pages).any():
        raise ValueError(
            f"working_bytes must be >= page_bytes * run, got {working.min():g}, which is less than "
            f"{(page * pages).max():g}"
        )
    dealt = flag("scattered", scattered)
    rows = [
        _traffic(dealt, *map(float, row)) for row in zip(*(a.flat for a in arguments), strict=True)
    ]
    columns = np.reshape(rows, (*arguments[0].shape, len(MapTraffic._fields)))
    return MapTraffic(*(plain(columns[..., i]) for i in range(columns.shape[-1])))


def _traffic(
    dealt: bool,
    working: float,
    cache: float,
    wa: float,
    block: float,
    exponent: float,
    run: float,
    read_share: float,
    entry: float,
    map_page: float,
    page: float,
    map_op: float,
) -> tuple[float, ...]:
    entries = map_page // entry / run  # in units of a run
    units, slots = working / (page * run), float(cache // map_page)
    if slots >= units / entries:
        return 1.0, 0.0, 0.0, 0.0, 1.0, wa
    classes = _classes(units, entries, exponent, wa, dealt)
    written = block / (run * wa)  # units that the host writes between two cleanings
    uses = written / (1 - read_share) * classes.hosts
    copied = written * classes.copied
    missed, missed_by_copies = _misses(classes.pages, uses, copied, entries, slots)

    cleaned = -np.expm1(-copied)
    lost = uses * missed + cleaned * missed_by_copies
    changes = (1 - read_share) * uses + cleaned
    miss = lost / (uses + cleaned)
    stays = miss + (1 - miss) * changes / (uses + cleaned)
    back = changes * np.divide(miss, stays, out=np.ones_like(miss), where=stays > 0)

    hosts_missed = float(classes.pages @ (classes.hosts * missed))
    copies_missed = float(classes.pages @ (cleaned * missed_by_copies)) / written
    writes = float(classes.pages @ back) / (written * run)
    with np.errstate(divide="ignore"):
        stay = -np.log(miss) / (uses + copied)
    factor = _fifo(classes.pages, back, stay, map_op)
    return (
        1 - hosts_missed,
        hosts_missed / run,
        (hosts_missed + copies_missed) / run,
        writes,
        factor,
        wa + writes * factor * map_page / page,
    )


def _classes(units: float, entries: float, exponent: float, wa: float, dealt: bool) -> _Classes:
    """Return the pages of the map in classes, for units of ranks from 1 on, in order or dealt."""
    pages = units / entries
    if exponent == 0:
        return _Classes(*np.array([[pages], [1 / pages], [(wa - 1) / pages]]))
    ranks = _edges(_SINGLE_RANKS, units, _RANK_GROUPS)
    many = np.diff(ranks)
    power = 1 - exponent
    log = np.log(ranks + 0.5)  # the sum over ranks in between, as the integral to half a rank more
    integral = np.diff(log if power == 0 else np.expm1(power * log) / power)
    one = ranks[1:] <= _SINGLE_RANKS
    weight = np.where(one, many * ranks[1:] ** -exponent, integral)
    rate = weight / weight.sum() / many
    copies = np.zeros_like(rate)
    if wa > 1:
        wait = _rising(lambda t: -many @ (rate / -np.expm1(-rate * t)), -wa)
        with np.errstate(over="ignore"):
            copies = rate / np.expm1(rate * wait)
    edges = _edges(_SINGLE_PAGES, pages, _PAGE_GROUPS)
    each = np.diff(edges)
    ends = edges + pages * np.arange(np.ceil(entries))[:, None] if dealt else edges * entries
    hosts, copied = (
        np.atleast_2d(np.diff(np.interp(ends, ranks, np.append(0, np.cumsum(many * per))))).sum(0)
        / each
        for per in (rate, copies)
    )
    return _Classes(each, hosts, copied)


def _edges(single: int, end: float, groups: int) -> Floats:
    """Return the ends of intervals of length 1, and of some that grow, up to `end`."""
    first = np.append(np.arange(min(single, np.ceil(end))), min(single, end))
    if end <= single:
        return first
    return np.append(first, np.geomspace(single, end, groups + 1)[1:])


def _misses(
    pages: Floats, uses: Floats, copied: Floats, entries: float, slots: float
) -> tuple[Floats, Floats]:
    """Return the share of misses of the host and of cleaning, for each class of map pages.

    What is copied was last used when its block was written, before all that the cache remembers,
    so that only the other entries of the map page can have kept it there.
    """
    if slots == 0:
        return np.ones_like(uses), np.ones_like(uses)
    cleaned = -np.expm1(-copied)
    if copied.any():
        places = (np.arange(_PLACES) + 0.5) / _PLACES
        done = np.concatenate((np.zeros(_PLACES), places))[:, None]  # of a burst under way
        before = np.concatenate((places, np.ones(_PLACES)))[:, None]  # since the last burst
    else:
        done, before = np.zeros((1, 1)), np.full((1, 1), np.inf)

    def unused(age: Floats) -> Floats:
        """Return the chance of no use, back to an age in stretches and bursts by turns."""
        past = np.maximum(age - before, 0)
        cycles, rest = np.floor(past / 2), past % 2
        hosts = np.minimum(age, before) + cycles + np.maximum(rest - 1, 0)
        part = np.where(rest < 1, rest, 0)
        whole = np.exp(-hosts * uses - (cycles + (rest >= 1)) * copied)
        return np.asarray(whole * (1 - part * cleaned))

    def held(age: Floats) -> Floats:
        return np.asarray((1 - (1 - done * cleaned) * unused(age)) @ pages)[:, None]

    missed = unused(_rising(held, slots, shape=before.shape))
    if not copied.any():
        return missed[0], np.ones_like(uses)
    alike = np.divide(copied, cleaned, out=np.ones_like(copied), where=cleaned > 0)
    others = np.maximum(1 - alike / entries, 0)
    return missed[:_PLACES].mean(axis=0), (missed[_PLACES:] ** others).mean(axis=0)


def _fifo(pages: Floats, writes: Floats, stay: Floats, op: float) -> float:
    """Return the write amplification of map pages under FIFO cleaning.

    Given are the writes to one page of each class, and the least time between two of them.
    """
    size, total = pages.sum(), pages @ writes
    with np.errstate(divide="ignore", over="ignore"):
        gap = 1 / writes
    at_rest, gap = ~np.isfinite(gap), np.where(np.isfinite(gap), gap, 1)
    least = np.where(at_rest, 0, stay)
    lag = np.maximum(gap - least, 1e-9 * gap)

    def copied(turn: Floats) -> Floats:
        """Return the programs in a unit of time if a block is cleaned after so long."""
        times = np.floor(least / turn) + 1
        more = np.exp(-(times * turn - least) / lag) / -np.expm1(-turn / lag)
        return np.asarray(pages @ np.where(at_rest, 1 / turn, (times + more) / gap))

    return max(1.0, float(copied(_rising(lambda t: t * copied(t), (1 + op) * size)) / total))


def _rising(
    function: Callable[[Floats], Floats], value: float, shape: tuple[int, ...] = ()
) -> Floats:
    """Return where a function that rises from 0 on reaches a value; 0 if it is above it there."""
    low, high = np.zeros(shape), np.ones(shape)
    while (short := (function(high) < value) & (high < 2.0**500)).any():
        high = np.where(short, 2 * high, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = function(middle) < value
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high
