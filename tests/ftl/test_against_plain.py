"""Every operation of the compiled drive is that of a model in plain Python, in order."""

import numpy as np
import pytest
from hypothesis import given
from plain_ftl import PlainDrive, WornOutError
from tiny_drives import drives, phases, requests, step, taken_apart

from flashwear.ftl import State, verify
from flashwear.ftl.state import FRONTIERS, POLICIES
from flashwear.workloads import READ, TRIM
from proving import examples

# by the numbers of arrays.FREE and so on
STATUS = ["free", "open", "closed", "retired", "being cleaned", "closed"]


def pair(arguments):
    state = State(**arguments)
    return state, PlainDrive.like(state, arguments)


def follow(state, plain, words):
    """Carry requests out on both drives, operation by operation, to the end of load or drive."""
    for word in words:
        page, temperature, operation = taken_apart(word)
        try:
            operations = step(state, word)
        except RuntimeError:
            if plain.policy != "greedy" and plain.levelling != "static":
                # else what the last write cleaned is a choice that no operation tells
                with pytest.raises(WornOutError):
                    plain.write(page, temperature)
                assert_same(state, plain)
            plain.assert_nothing_lost()
            verify(state)
            assert held(state) == plain.where.keys()
            return
        if operation == TRIM:
            plain.trim(page)
            assert operations == []
        elif operation == READ:
            assert operations == plain.read(page)
        else:
            erased = [done.block for done in operations if done.kind == "erase"]
            assert operations == plain.write(page, temperature, erased)
    assert_same(state, plain)
    plain.assert_nothing_lost()
    verify(state)


def held(state):
    return set(np.flatnonzero(state.arrays.l2p[:-1] >= 0).tolist())


def assert_same(state, plain):
    a = state.arrays
    shift = int(a.rules.shift)
    slots = {page: int(a.l2p[page]) for page in held(state)}
    assert {p: (s >> shift, s & (1 << shift) - 1) for p, s in slots.items()} == plain.where
    assert [STATUS[i] for i in a.block["status"]] == [block.status for block in plain.blocks]
    assert state.erases.tolist() == [block.erases for block in plain.blocks]
    assert a.cleaned.tolist() == np.ravel(plain.cleaned).tolist()
    assert a.counts.erases == plain.erases
    assert a.counts.trims == plain.trims
    assert state.host_writes == plain.host_writes
    assert state.copies == plain.copies
    assert state.levelling_copies == plain.levelling_copies
    assert state.parity_writes == plain.parity_writes
    assert state.flash_writes == plain.host_writes + plain.copies + plain.parity_writes
    assert state.flash_reads == plain.reads + plain.copies
    assert state.mapped_pages == len(plain.latest)
    assert state.slc_erases.tolist() == [block.slc_erases for block in plain.blocks]
    assert state.cache_writes == plain.cache_writes
    assert state.fold_copies == plain.fold_copies


@pytest.mark.hypothesis
@pytest.mark.parametrize("frontier", FRONTIERS)
@pytest.mark.parametrize("policy", POLICIES)
def test_every_operation_is_that_of_the_plain_model(frontier, policy):
    @examples(20)
    @given(drives(frontier=frontier, policy=policy), phases())
    def holds(arguments, load):
        state, plain = pair(arguments)
        follow(state, plain, requests(load, state))

    holds()


@examples(60)
@given(drives(wear_levelling="static", endurance=None, frontier="gc"), phases())
def test_levelling_moves_the_least_worn_of_all_closed_blocks(arguments, load):
    state, plain = pair(arguments)
    # long enough for blocks of much different wear to lie free, open and closed side by side
    longer = [(kind, part, 4 * length, seed) for kind, part, length, seed in load]
    follow(state, plain, requests(longer, state))


@examples(50)
@given(drives(policy="greedy"), phases())
def test_the_emptiest_block_is_found_when_all_notes_are_used_up(arguments, load):
    state, plain = pair(arguments)
    # a note for each block is the fewest that can work; more than one push for each
    # block between two cleanings then makes the stacks anew
    notes = state.blocks
    following = np.append(np.arange(1, notes, dtype=np.int32), np.int32(-1))
    state.arrays = state.arrays._replace(node_block=np.zeros(notes, np.int32), node_next=following)
    follow(state, plain, requests(load, state))
