"""Synthetic streams of requests with the published marginals of a storage bench.

Requests come in *bursts*, with a pause after each. In a burst the host keeps so many requests
outstanding, drawn by the shares of queue depths. Sizes and runs are drawn without replacement from
what the marginals leave, request by request. So a stream has its marginals exactly, for any seed
and at any scale, and one of any length takes no more memory than a burst.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear._domain import one_number, whole
from flashwear._random import State, bounded, seeded, unit
from flashwear.queueing._assumed import MOST_REQUESTS, check_guess
from flashwear.queueing.benches import (
    BYTES,
    DEEPEST,
    Assumed,
    Bench,
    check_bench,
    depth_shares,
    size_shares,
)
from flashwear.queueing.requests import COUNT_SHIFT, KIND_SHIFT, SECTOR
from flashwear.workloads import READ

__all__ = ["Burst", "stream"]

_HOT = 0.1  # part of the footprint, from its start
_PLACE = 8  # sectors; new places are multiples of 4 KiB
_GOLDEN = (5**0.5 - 1) / 2

Floats = NDArray[np.float64]
Words = NDArray[np.int64]


class Burst(NamedTuple):
    """Requests as words of :mod:`flashwear.queueing.requests`, and how many are outstanding."""

    words: Words
    depth: int


def _rounded(shares: Floats, total: int) -> Words:
    """Return whole numbers in these shares, the largest remainders rounded up."""
    exact = shares * total
    counts = np.floor(exact).astype(np.int64)
    order = np.argsort(counts - exact, kind="stable")
    counts[order[: total - counts.sum()]] += 1
    return counts


def _structure(requests: int, bench: Bench, run_length: int) -> list[int]:
    """Give, for one kind, requests that stand alone, runs, and sequential requests."""
    share = bench.sequential_share
    if share > (1 - share) * (run_length - 1):
        raise ValueError(
            f"run_length must be >= {1 + share / (1 - share):.3g} for {100 * share:.0f} % "
            f"sequential requests, got {run_length}"
        )
    sequential = int(requests * share)
    runs = -(-sequential // (run_length - 1))
    return [requests - sequential - runs, runs, sequential]


def stream(
    bench: Bench, guess: Assumed, user_bytes: int, *, scale: float = 1.0, seed: int = 0
) -> Iterator[Burst]:
    """Return the requests of a bench for a drive, burst by burst.

    Parameters
    ----------
    bench : Bench
        The published marginals. The reads and the writes, those of each size among them, and the
        sequential ones among them are the published numbers times `scale` to within one request;
        so bytes are within 14 requests, one for each size. Shares of queue depths are as near as
        whole bursts allow.
    guess : Assumed
        All else.
    user_bytes : int
        Of the drive, already scaled.
    scale : float
        Requests and footprint, over those of the whole bench, in (0, 1].
    seed : int
        Of all that is drawn.

    Yields
    ------
    Burst

    Raises
    ------
    ValueError
        For arguments outside these ranges, or if the runs do not fit into the footprint or the
        share of sequential requests.

    Examples
    --------
    >>> from flashwear.queueing.benches import assumed, load
    >>> heavy = load("heavy")
    >>> bursts = stream(heavy, assumed("heavy"), 2**32, scale=1 / 1000)
    >>> sum(len(burst.words) for burst in bursts)
    3950
    """
    check_bench(bench)
    check_guess(guess)
    whole("user_bytes", user_bytes, 1)
    share = one_number("scale", scale, above=0, high=1)
    totals = [round(bench.writes * share), round(bench.reads * share)]
    shares = size_shares(bench, guess.likeness)
    left = np.array([_rounded(*pair) for pair in zip(shares, totals, strict=True)])
    form = np.array([_structure(total, bench, guess.run_length) for total in totals])
    state = np.zeros((2, 2), np.int64)  # where the last request ended, requests left of the run
    places = int(min(guess.footprint * share, user_bytes)) // (_PLACE * SECTOR)
    room = -(-guess.run_length * int(BYTES.max()) // (_PLACE * SECTOR))
    if room >= places:
        raise ValueError(
            f"footprint must hold a run of {room * _PLACE * SECTOR} bytes, got "
            f"{places * _PLACE * SECTOR} at this scale"
        )
    whole("seed", seed, 0)
    rng, draws = np.random.default_rng((seed, 2013)), seeded(seed, 2013)
    depths = depth_shares(bench, guess.lone_share).cumsum()
    turn = rng.random()
    while left.any():
        rest = left.sum(axis=1)
        size = int(min(rng.geometric(1 / guess.burst), MOST_REQUESTS, rest.sum()))
        mixed = rng.random() < guess.mixed_share
        kind = -1 if mixed else int(rng.random() * rest.sum() >= rest[0])
        words = np.empty(size, np.int64)
        _fill(
            words, kind, BYTES // SECTOR, left, rest, form, state, guess.run_length,
            guess.hot_share, places - room, draws,
        )  # fmt: skip
        turn = (turn + _GOLDEN) % 1
        yield Burst(words, min(int(np.searchsorted(depths, turn, "right")) + 1, DEEPEST))


@jit
def _fill(
    words: Words,
    only: int,  # 0 writes, 1 reads, -1 both
    sectors: Words,
    left: Words,
    rest: Words,
    form: Words,
    state: Words,
    run_length: int,
    hot_share: float,
    places: int,
    draws: State,
) -> None:
    hot = max(1, int(places * _HOT))
    for i in range(words.size):
        kind = only
        if kind < 0:
            kind = 1 if bounded(draws, rest[0] + rest[1]) >= rest[0] else 0
        if rest[kind] == 0:
            kind = 1 - kind
        cell = 0
        number = bounded(draws, rest[kind])
        while number >= left[kind, cell]:
            number -= left[kind, cell]
            cell += 1
        left[kind, cell] -= 1
        rest[kind] -= 1
        if state[kind, 1] > 0:
            state[kind, 1] -= 1
            first = state[kind, 0]
        else:
            if bounded(draws, form[kind, 0] + form[kind, 1]) < form[kind, 0]:
                form[kind, 0] -= 1
            else:
                form[kind, 1] -= 1
                state[kind, 1] = min(run_length - 1, form[kind, 2])
                form[kind, 2] -= state[kind, 1]
            if unit(draws) < hot_share:
                place = bounded(draws, hot)
            else:
                place = hot + bounded(draws, max(1, places - hot))
            first = place * _PLACE
        state[kind, 0] = first + sectors[cell]
        words[i] = first | sectors[cell] << COUNT_SHIFT | (kind * READ) << KIND_SHIFT
