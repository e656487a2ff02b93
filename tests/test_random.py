import itertools

import numpy as np
import pytest

from flashwear._random import bits, bounded, seeded, unit


def splitmix(start):
    word, mask = start, 2**64 - 1
    while True:
        word = (word + 0x9E3779B97F4A7C15) & mask
        z = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def test_the_bits_are_those_of_splitmix64_and_unit_is_53_of_them():
    # the published test vector
    state = np.array([1234567], np.uint64)
    assert [int(bits(state)) for _ in range(3)] == [6457827717110365317, 3203168211198807973,
                                                    9817491932198370423]  # fmt: skip
    starts = {int(seeded(seed, stream)[0]) for seed in range(50) for stream in range(50)}
    assert len(starts) == 2500
    state = seeded(5, 0)
    expected = [(z >> 11) / 2**53 for z in itertools.islice(splitmix(int(state[0])), 1000)]
    assert [unit(state) for _ in range(1000)] == expected


@pytest.mark.parametrize("n", [1, 3, 1_000_003, 2**31 + 1, 2**32 - 1])
def test_bounded_is_the_high_word_of_32_bits_times_n(n):
    state = seeded(5, 0)
    expected = [(z >> 32) * n >> 32 for z in itertools.islice(splitmix(int(state[0])), 1000)]
    assert [int(bounded(state, n)) for _ in range(1000)] == expected
    assert max(expected) > 0.99 * n - 1
