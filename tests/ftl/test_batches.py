"""A batch in compiled code and the same requests one at a time leave the same drive."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_drives import LEVELLING, differing, drives, phases, requests, step

from flashwear.ftl import State, verify
from flashwear.ftl.state import FRONTIERS, POLICIES
from flashwear.workloads import OPERATION_SHIFT, READ, TRIM


def one_at_a_time(state, words):
    """Carry requests out by write, trim and read; give how many, fewer if the drive wears out."""
    for done, word in enumerate(words):
        try:
            step(state, word)
        except RuntimeError:
            return done
    return len(words)


@pytest.mark.parametrize("frontier", FRONTIERS)
def test_stepping_leaves_every_array_as_a_batch_does(frontier):
    @settings(max_examples=8)
    @given(st.data())
    def holds(policy, levelling, striped, data):
        stripe = data.draw(st.integers(1, 18)) if striped else None
        fixed = {"policy": policy, "wear_levelling": levelling, "stripe": stripe}
        arguments = data.draw(drives(frontier=frontier, **fixed))
        batch, stepped = State(**arguments), State(**arguments)
        words = requests(data.draw(phases()), batch)
        assert batch.run(words) == one_at_a_time(stepped, words)
        assert differing(batch, stepped) == []
        verify(batch)

    for policy, levelling, striped in itertools.product(POLICIES, LEVELLING, (False, True)):
        holds(policy, levelling, striped)


@settings(max_examples=50)
@given(drives(), phases(), st.lists(st.integers(0, 10**6), max_size=8))
def test_where_batches_are_cut_changes_nothing(arguments, load, cuts):
    whole, cut = State(**arguments), State(**arguments)
    words = requests(load, whole)
    done = whole.run(words)
    ends = sorted(place % (words.size + 1) for place in cuts)
    for part in np.split(words, ends):
        if cut.run(part) < part.size:
            break
    assert cut.host_writes <= done
    assert differing(whole, cut) == []


@pytest.fixture
def worn_out():
    state = State(500, op=0.6, pages_per_block=8, endurance=5)
    words = np.random.default_rng(0).integers(500, size=20_000)
    assert state.run(np.arange(500)) == 500
    assert state.run(words) < words.size
    assert state.worn_out
    return state


def test_a_worn_out_drive_takes_no_write_in_a_batch_either(worn_out):
    writes = worn_out.host_writes
    assert worn_out.run(np.arange(20)) == 0
    assert worn_out.host_writes == writes
    with pytest.raises(RuntimeError, match=r"worn out: \d+ of 100 blocks retired"):
        worn_out.write(3)


def test_a_worn_out_drive_can_be_read_and_trimmed(worn_out):
    mapped, reads = worn_out.mapped_pages, worn_out.flash_reads
    words = np.arange(20) | READ << OPERATION_SHIFT
    assert worn_out.run(words) == 20
    assert worn_out.flash_reads == reads + 20
    assert worn_out.run(np.arange(20) | TRIM << OPERATION_SHIFT) == 20
    assert worn_out.mapped_pages == mapped - 20
    verify(worn_out)
