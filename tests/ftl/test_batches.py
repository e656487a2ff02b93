"""A batch in compiled code and the same requests one at a time leave the same drive, bit by bit."""

import copy
import itertools
import pickle
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tiny_drives import LEVELLING, contents, differing, drives, phases, requests, step

from flashwear.ftl import State, arrays, verify
from flashwear.ftl._cleaning import weigh_blank
from flashwear.ftl.arrays import AHEAD
from flashwear.ftl.state import FRONTIERS, POLICIES
from flashwear.workloads import OPERATION_SHIFT, READ, TRIM
from proving import examples


def unequal(one, other):
    """Return the names of the arrays in which two drives differ, of whatever type."""
    pairs = zip(one.arrays._fields, contents(one), contents(other), strict=True)
    return [name for name, ours, theirs in pairs if not (ours == theirs).all()]


def one_at_a_time(state, words):
    """Carry requests out by write, trim and read; give how many, fewer if the drive wears out."""
    for done, word in enumerate(words):
        try:
            step(state, word)
        except RuntimeError:
            return done
    return len(words)


@pytest.mark.hypothesis
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_stepping_leaves_every_array_as_a_batch_does(frontier):
    @examples(8)
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


@examples(50)
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


@examples(50)
@given(drives(), phases(), st.integers(1, 60), st.lists(st.integers(0, 10**6), max_size=8))
def test_steps_are_noted_wherever_batches_are_cut(arguments, load, stride, cuts):
    """As they are by a drive that is looked at after each step."""
    noted, seen = State(**arguments), State(**arguments)
    words = requests(load, noted)
    ends = sorted(place % (words.size + 1) for place in cuts)
    rows, left, carried = [], stride, 0
    for part in np.split(words, ends):
        some = np.empty((part.size // stride + 1, 3), np.int64)
        padded = np.append(part, np.zeros(AHEAD, np.int64))
        done, count, left = noted.run_in_steps(padded, part.size, stride, left, some)
        rows += some[:count].tolist()
        carried += done
        if done < part.size:
            break
    looked_at = []
    for start in range(0, carried - stride + 1, stride):
        assert seen.run(words[start : start + stride]) == stride
        weigh_blank(seen.arrays)
        blank = int(seen.arrays.counts.blank_sum)
        looked_at.append([seen.host_writes, seen.flash_writes, blank])
    assert rows == looked_at
    assert left == stride - carried % stride


@examples(50)
@given(drives(), phases())
def test_counts_of_many_blocks_take_less_and_say_the_same(arguments, load):
    wide = State(**arguments)
    with mock.patch.object(arrays, "_MANY", 1):
        narrow = State(**arguments)
    assert (wide.arrays.valid.itemsize, narrow.arrays.valid.itemsize) == (4, 2)
    words = requests(load, wide)
    assert wide.run(words) == narrow.run(words)
    assert unequal(wide, narrow) == []
    verify(narrow)


def test_counts_of_many_blocks_hold_the_most_pages_that_a_block_then_has():
    arguments = {"user_pages": 2**17, "op": 0.5, "pages_per_block": 2**14}
    pages = np.random.default_rng(1).integers(2**17, size=2**19)
    wide = State(**arguments)
    with mock.patch.object(arrays, "_MANY", 1):
        narrow = State(**arguments)
    for drive in (wide, narrow):
        drive.run(np.arange(2**17))
        assert drive.arrays.valid.max() == 2**14
        drive.run(pages)
        verify(drive)
    assert unequal(wide, narrow) == []


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_on_as_the_drive_does(copied):
    drive = State(400, 0.2, pages_per_block=8, policy="d_choices")
    pages = np.random.default_rng(2).integers(400, size=(2, 3_000))
    drive.run(pages[0])
    other = copied(drive)
    drive.run(pages[1])
    assert unequal(drive, other)
    other.run(pages[1])
    assert unequal(drive, other) == []
    assert other.write(5)[-1].kind == "program"


def test_a_worn_out_drive_takes_no_write_in_a_batch_either_and_can_be_read_and_trimmed():
    worn_out = State(500, op=0.6, pages_per_block=8, endurance=5)
    words = np.random.default_rng(0).integers(500, size=20_000)
    assert worn_out.run(np.arange(500)) == 500
    assert worn_out.run(words) < words.size
    assert worn_out.worn_out
    writes = worn_out.host_writes
    assert worn_out.run(np.arange(20)) == 0
    assert worn_out.host_writes == writes
    with pytest.raises(RuntimeError, match=r"worn out: \d+ of 100 blocks retired"):
        worn_out.write(3)
    mapped, reads = worn_out.mapped_pages, worn_out.flash_reads
    words = np.arange(20) | READ << OPERATION_SHIFT
    assert worn_out.run(words) == 20
    assert worn_out.flash_reads == reads + 20
    assert worn_out.run(np.arange(20) | TRIM << OPERATION_SHIFT) == 20
    assert worn_out.mapped_pages == mapped - 20
    verify(worn_out)
