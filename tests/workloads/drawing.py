"""Draw requests, take their words apart, and hold them against distributions."""

import itertools
import math

import numpy as np

from flashwear import workloads as w

TRACE = [[w.WRITE, 3, 5], [w.READ, 0, 1], [w.TRIM, 4, 2], [w.WRITE, 90, 1]]
RANDOM = [w.Uniform(), w.HotCold(0.8, 0.2), w.JESD219, w.Zipf(1.0), w.Zipf(2.5),
          w.Mixed(w.HotCold(0.8, 0.2), 0.3), w.Span(w.Uniform(), 0.5), w.Trimmed(w.Uniform(), 0.4),
          w.Trimmed(w.Mixed(w.JESD219, 0.5), 0.1)]  # fmt: skip
ALL = [*RANDOM, w.Sequential(), w.Replay(TRACE, repeat=10_000),
       w.Trimmed(w.Replay(TRACE, 10_000), 0.2),
       w.Foreseen(w.Trimmed(w.Zipf(1.0), 0.2), ahead=3.0)]  # fmt: skip
SIGMAS = 5  # a right generator fails one such check in 2 million


def drawn(workload, count, pages, *, seed=0, in_use=True, batches=None):
    stream = workload.stream(pages, seed, in_use=in_use)
    sizes = itertools.cycle(batches or [count])
    requests, done, ended = np.full(count, -1), 0, False
    while done < count and not ended:
        batch = requests[done : done + next(sizes)]
        made = stream.fill(batch)
        done += made
        ended = made < batch.size
    return requests[:done]


def page(requests):
    return requests & w.PAGE_MASK


def temperature(requests):
    return requests >> w.TEMPERATURE_SHIFT & 0xFF


def operation(requests):
    return requests >> w.OPERATION_SHIFT


def assert_share(hits, total, share):
    """The number of hits is that of a binomial distribution."""
    assert abs(hits - total * share) <= SIGMAS * math.sqrt(total * share * (1 - share))


def assert_distribution(values, probability):
    """Chi-square, in standard deviations of it, over the values expected 20 times or more."""
    expected = values.size * np.asarray(probability)
    seen = np.bincount(values, minlength=expected.size)
    assert seen.size == expected.size
    assert not seen[expected == 0].any()
    often = expected >= 20
    seen = np.append(seen[often], seen[~often].sum())
    expected = np.append(expected[often], expected[~often].sum())
    if expected[-1] < 20:  # too rare to tell, and merged with the others before it
        seen = np.append(seen[:-2], seen[-2:].sum())
        expected = np.append(expected[:-2], expected[-2:].sum())
    if expected.size > 1:
        chi2, freedom = ((seen - expected) ** 2 / expected).sum(), expected.size - 1
        # the tail of chi-square is longer than the normal one: 5 sigma and 10 more
        assert chi2 <= freedom + SIGMAS * math.sqrt(2 * freedom) + 10


def state_before(requests, pages, in_use):
    """Whether each request finds its page in use, and the change it makes to the number."""
    touching = np.flatnonzero(operation(requests) != w.READ)
    order = touching[np.argsort(page(requests[touching]), kind="stable")]
    first = np.diff(page(requests[order]), prepend=-1) != 0
    written = operation(requests[order]) == w.WRITE
    found = np.where(first, in_use, np.roll(written, 1))
    before, change = np.zeros(requests.size, bool), np.zeros(requests.size, int)
    before[order] = found
    change[order] = written.astype(int) - found
    return before, change
