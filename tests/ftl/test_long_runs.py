"""A drive whose counters are far beyond 2**31 goes on as a new one does, bit by bit."""

import numpy as np
import pytest

from flashwear.ftl import State, verify
from flashwear.ftl.state import POLICIES
from flashwear.workloads import OPERATION_SHIFT, READ, TRIM

# what only grows; releases also order the pool, host writes also date the blocks
COUNTED = ("host_writes", "weighed", "copies", "erases", "trims", "host_reads", "parity",
           "releases")  # fmt: skip
USER_PAGES = 300
SETTINGS = {"op": 0.6, "pages_per_block": 8, "stripe": 5, "frontier": "gc"}


def aged(offset, wear=0, **settings):
    """Return a fresh drive with all counters `offset` and all erase counts `wear` ahead."""
    state = State(USER_PAGES, **SETTINGS, **settings)
    a = state.arrays
    for name in COUNTED:
        a.counts[name] += offset
    a.block["erases"] += wear
    a.block["wear"] += wear
    a.pool_key[:] += offset
    return state


def rejuvenated(state, offset, wear=0):
    """Return the arrays of such a drive with what it was ahead taken off again."""
    a = state.arrays
    for name in COUNTED:
        a.counts[name] -= offset
    if a.rules.level:
        a.counts.least_worn -= wear
    a.block["erases"] -= wear
    a.block["wear"] -= wear
    dated = a.block["stamp"] > 0
    a.block["stamp"][dated] -= offset
    free = slice(0, int(a.counts.free))
    # entries behind the last of the pool are left over from before
    return {**a._asdict(), "pool_key": a.pool_key[free] - offset, "pool": a.pool[free]}


def assert_same(one, other):
    assert [name for name in one if one[name].tobytes() != other[name].tobytes()] == []


def requests():
    rng = np.random.default_rng(3)
    words = rng.integers(USER_PAGES, size=6_000)
    words[::7] |= TRIM << OPERATION_SHIFT
    words[::11] = rng.integers(USER_PAGES, size=words[::11].size) | READ << OPERATION_SHIFT
    return np.concatenate((np.arange(USER_PAGES), words))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("beyond", [2**31, 2**32, 2**62])
@pytest.mark.parametrize("wear_levelling", ["none", "static"])
def test_counters_pass_the_limits_of_narrower_numbers(policy, beyond, wear_levelling):
    settings = {"policy": policy, "wear_levelling": wear_levelling, "level_threshold": 2}
    offset = beyond - 400  # each counter passes the limit on the way
    new, old = aged(0, **settings), aged(offset, **settings)
    words = requests()
    assert new.run(words) == old.run(words) == words.size
    for name in COUNTED:
        assert old.arrays.counts[name] > beyond
    assert_same(rejuvenated(new, 0), rejuvenated(old, offset))
    verify(new)


@pytest.mark.parametrize("wear_levelling", ["none", "dynamic", "static"])
def test_blocks_may_have_a_billion_erases(wear_levelling):
    settings = {"wear_levelling": wear_levelling, "level_threshold": 2}
    wear = 2**30
    new, old = aged(0, **settings), aged(0, wear, **settings)
    words = requests()
    assert new.run(words) == old.run(words) == words.size
    assert_same(rejuvenated(new, 0), rejuvenated(old, 0, wear))
