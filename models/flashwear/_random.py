"""A small random generator for compiled loops; its state is an array of one word.

The generator is splitmix64: draw number k is a fixed mix of ``start + k * 0x9e37...7c15``, so
a stream depends on nothing but its start. Its period is 2**64; streams of different
starts are stretches of one cycle, which meet with a chance below their draws over 2**63.

numba is imported with this module. Mixed int64 and uint64 arithmetic would turn into
float64 there, so every constant is a uint64 and results are cast back at the end.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from flashwear._compiled import jit
from flashwear._domain import whole

State: TypeAlias = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32, _11 = (np.uint64(bits) for bits in (27, 30, 31, 32, 11))


def seeded(seed: int, stream: int) -> State:
    """Return the state of generator `stream` of a seed.

    Parameters
    ----------
    seed, stream : int
        Whole numbers >= 0. Each pair gives a start of its own.

    Result: state for :func:`bounded` and :func:`unit`, which move it on.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    >>> state = seeded(7, 0)
    >>> [int(bounded(state, 6)) for _ in range(5)]
    [4, 1, 3, 5, 5]
    """
    entropy = (whole("seed", seed, 0), whole("stream", stream, 0))
    return np.random.SeedSequence(entropy).generate_state(1, np.uint64).astype(np.uint64)


@jit
def bits(state: State) -> np.uint64:
    """Return the next 64 random bits.

    Examples
    --------
    >>> hex(bits(np.zeros(1, np.uint64)))
    '0xe220a8397b1dcdaf'
    """
    state[0] += _STEP
    word: np.uint64 = state[0]
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@jit
def bounded(state: State, n: int) -> np.int64:
    """Return a whole number in [0, n), for 0 < n < 2**32.

    It is the high word of 32 random bits times `n`. The probability of each number is within
    2**-32 of 1/n, a relative error below n / 2**32.
    """
    return np.int64(((bits(state) >> _32) * np.uint64(n)) >> _32)


@jit
def unit(state: State) -> float:
    """Return a float in [0, 1): a multiple of 2**-53, all equally likely."""
    return np.float64(bits(state) >> _11) * 2.0**-53
