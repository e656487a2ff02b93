"""The statistics of a trace for closed forms: how often pages are written, and in what order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, lambertw

from flashwear.workloads._streams import PAGE_BITS, WRITE

if TYPE_CHECKING:
    from flashwear.traces import Trace

_MOST_RUNS = 10_000
_STEEPEST = 10.0
_SUMMED = 1_000
_FIRST_CUTS = (0.01, 0.1, 0.3, 0.6)

_Floats = NDArray[np.float64]


class Summary(NamedTuple):
    """The write pattern of a trace: how often pages are written, and how sequentially.

    There are ``page_writes`` in all, to ``pages`` different pages; ``pages_with[i]`` of these were
    written ``writes_per_page[i]`` times. Two models are fitted: hot pages, which are the share
    ``space_share`` of the pages and get the share ``write_share`` of the writes; and Zipf's law,
    with ``exponent``. The share ``sequential_share`` of the page writes goes to the page after that
    of the previous write; ``mean_run`` is the mean number of pages written in a row.
    """

    page_writes: int
    pages: int
    writes_per_page: NDArray[np.int64]
    pages_with: NDArray[np.int64]
    write_share: float
    space_share: float
    exponent: float
    sequential_share: float
    mean_run: float


def summary(trace: Trace) -> Summary:
    r"""Return how evenly, and in what order, a trace writes its pages.

    Two simple models of how often each page is written are fitted by maximum likelihood. *Hot and
    cold*: there are two kinds of pages. A page that is written at all is of kind :math:`i` with
    probability :math:`q_i`, and the number of its writes :math:`c` is Poisson distributed with
    parameter :math:`\lambda_i`,

    .. math:: P(c) = \sum_{i} q_i\,\frac{\lambda_i^c}{c!\,(e^{\lambda_i}-1)},\qquad c\ge1,

    (fitted by expectation maximisation from four starts). *Zipf*: the page with the :math:`k`-th
    most writes gets a share :math:`\propto k^{-s}` of all writes. (Both derived here.) By chance
    some pages are written more often than others. So uniform writes, :math:`m` for each page, give
    an exponent of about :math:`0.8/\sqrt m` for :math:`m` >= 10.

    Parameters
    ----------
    trace : Trace
        Trace whose writes are summarised; reads and trims are ignored.

    Returns
    -------
    Summary
        ``page_writes``, the number of page writes, and ``pages``, that of different pages written.
        ``writes_per_page`` and ``pages_with``, shape (n,): numbers of writes, ascending, and how
        many pages were written so often. ``write_share`` and ``space_share`` of the hot kind, as
        for :func:`flashwear.wa.fifo_mixed`; nearly equal if one kind is enough. ``exponent``,
        :math:`s` in [0, 10]. ``sequential_share``, the share of page writes to the page after that
        of the previous write, and ``mean_run``, the mean number of pages written in a row.

    Raises
    ------
    ValueError
        If the trace writes nothing, or names pages beyond 2**40.

    Examples
    --------
    >>> import io
    >>> from flashwear import traces
    >>> log = b"fio version 2 iolog\nsda write 0 8192\nsda write 0 4096\nsda write 409600 4096\n"
    >>> found = traces.summary(traces.read_fio(io.BytesIO(log)))
    >>> found.page_writes, found.pages, found.writes_per_page, found.pages_with
    (4, 3, array([1, 2]), array([2, 1]))
    >>> found.sequential_share, round(found.mean_run, 2)
    (0.25, 1.33)
    """
    records = trace.records[trace.records["operation"] == WRITE]
    if not records.size:
        raise ValueError("trace must hold a write, got none")
    first, count = records["page"], records["count"]
    most = 1 << PAGE_BITS
    if (first < 0).any() or (count < 1).any() or (count > most - first.clip(0, most)).any():
        raise ValueError(
            f"pages of a trace must be in [0, 2**{PAGE_BITS}), a page or more in each write"
        )
    times, pages = _counts(first, first + count)
    total = int(count.sum())
    breaks = int((first[1:] != (first + count)[:-1]).sum()) + 1
    write_share, space_share = _hot_and_cold(times.astype(float), pages.astype(float))
    return Summary(
        page_writes=total,
        pages=int(pages.sum()),
        writes_per_page=times,
        pages_with=pages,
        write_share=write_share,
        space_share=space_share,
        exponent=_zipf(times, pages),
        sequential_share=1 - breaks / total,
        mean_run=total / breaks,
    )


def _counts(first: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Return how often pages are covered by runs, and how many pages are, without naming them."""
    places = np.concatenate((first, end))
    order = np.argsort(places, kind="stable")
    depth = np.where(order < first.size, 1, -1).cumsum()[:-1]
    lengths = np.diff(places[order])
    times, which = np.unique(depth, return_inverse=True)
    pages = np.zeros(times.size, np.int64)
    np.add.at(pages, which, lengths)
    written = (times > 0) & (pages > 0)
    return times[written], pages[written]


def _hot_and_cold(times: _Floats, pages: _Floats) -> tuple[float, float]:
    """Return the shares of the hot kind in writes and pages."""
    share = times * pages / (times @ pages)
    below = np.concatenate(([0.0], share[::-1].cumsum()[:-1]))[::-1]  # of the writes, to hotter
    best: tuple[float, float, float] | None = None
    for cut in _FIRST_CUTS:
        hot = np.where(below < cut, 0.9, 0.1)
        found = _two_poissons(times, pages, hot)
        if best is None or found[0] > best[0]:
            best = found
    assert best is not None
    return best[1], best[2]


def _two_poissons(times: _Floats, pages: _Floats, hot: _Floats) -> tuple[float, float, float]:
    """Return log likelihood, write share and space share, from first odds that a page is hot."""
    kinds = np.array([hot, 1 - hot])
    likelihood = -np.inf
    for _ in range(_MOST_RUNS):
        weight = kinds @ pages
        mean = np.maximum((kinds * times) @ pages / np.maximum(weight, 1e-300), 1.0)
        rate = _rate(mean)
        log = (
            np.log(np.maximum(weight, 1e-300) / pages.sum())[:, None]
            + times * np.log(rate)[:, None]
            - (rate + np.log1p(-np.exp(-rate)))[:, None]
            - gammaln(times + 1)
        )
        together = np.logaddexp(*log)
        kinds = np.exp(log - together)
        before, likelihood = likelihood, float(together @ pages)
        if likelihood - before <= 1e-9 * abs(likelihood):
            break
    hotter = int(np.argmax(rate))
    return (
        likelihood,
        float((kinds[hotter] * times) @ pages / (times @ pages)),
        float(kinds[hotter] @ pages / pages.sum()),
    )


def _rate(mean: _Floats) -> _Floats:
    """Return the rate of a Poisson law of which only counts from 1 on are seen, with this mean."""
    near = mean - 1 < 1e-6  # at the branch point of W; the mean is 1 + rate / 2 there
    beyond = np.where(near, 2.0, mean)
    far = beyond + lambertw(-beyond * np.exp(-beyond)).real
    return np.maximum(np.where(near, 2 * (mean - 1), far), 1e-12)


def _zipf(times: NDArray[np.int64], pages: NDArray[np.int64]) -> float:
    """Return the exponent under which the ranks of the pages are most likely."""
    last = pages[::-1].cumsum().astype(float)
    logs = np.diff(gammaln(np.concatenate(([0.0], last)) + 1))  # sum of log rank, by count
    weighted = float(times[::-1] @ logs)
    total = float(times @ pages)
    ranks = np.arange(1, min(_SUMMED, int(last[-1])) + 1, dtype=float)

    def cost(exponent: float) -> float:
        norm = float((ranks**-exponent).sum())
        if last[-1] > _SUMMED:  # the rest by the integral between half ranks
            low, high = _SUMMED + 0.5, last[-1] + 0.5
            power = 1 - exponent
            norm += float(
                np.log(high / low) if abs(power) < 1e-9 else (high**power - low**power) / power
            )
        return exponent * weighted + total * float(np.log(norm))

    if last[-1] == 1:
        return 0.0
    return float(minimize_scalar(cost, bounds=(0, _STEEPEST), method="bounded").x)
