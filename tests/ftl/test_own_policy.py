"""Cleaning policies of the user's own, in Python and compiled by numba."""

import copy
import pickle

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st
from plain_ftl import PlainDrive
from test_against_plain import follow
from tiny_drives import differing, drives, phases, requests

from flashwear.ftl import State, first_least, kernel, simulate, verify
from flashwear.workloads import Uniform
from proving import examples
from refusals import refusals


def lowest(blocks):
    return blocks.live.argmin()


@numba.njit
def lowest_compiled(blocks):
    return first_least(blocks.live)


@numba.njit
def longest_full(blocks):
    most = blocks.live.max()
    best = -1
    for block in range(blocks.live.size):
        is_older = best < 0 or blocks.closed_at[block] < blocks.closed_at[best]
        if blocks.live[block] < most and is_older:
            best = block
    return best


def changed(one, other):
    """Return in what two drives differ but for the address of their policy."""
    names = [name for name in differing(one, other) if name not in ("rules", "block")]
    blocks = (one.arrays.block, other.arrays.block)  # bytes between two fields are no matter
    return names + ([] if np.array_equal(*blocks) else ["block"])


BOTH = pytest.mark.parametrize("policy", [lowest, lowest_compiled], ids=["python", "compiled"])


@BOTH
def test_every_operation_is_that_of_the_plain_model(policy):
    @examples(30)
    @given(drives(policy="greedy"), phases())
    def holds(arguments, load):
        state = State(**{**arguments, "policy": policy})
        plain = PlainDrive.like(state, {**arguments, "policy": "lowest"})
        follow(state, plain, requests(load, state))

    holds()


@examples(20)
@given(drives(policy="greedy"), phases(), st.booleans())
def test_requests_in_a_batch_do_what_they_do_one_by_one(arguments, load, in_python):
    drive = {**arguments, "policy": lowest if in_python else lowest_compiled}
    one, other = State(**drive), State(**drive)
    words = requests(load, one)
    done = one.run(words)
    for word in words[:done]:
        assert other.run([word]) == 1
    if not one.worn_out:
        assert changed(one, other) == []


def test_the_block_that_is_full_longest_is_that_of_fifo_and_the_first_of_the_least_of_numpy():
    arguments = {"user_pages": 5000, "op": 0.2, "pages_per_block": 16}
    one = simulate(policy=longest_full, check=True, **arguments)
    other = simulate(policy="fifo", **arguments)
    assert one.flash_writes == other.flash_writes
    assert (one.erases == other.erases).all()
    rng = np.random.default_rng(3)
    for size in (1, 2, 255, 256, 257, 1000):
        values = rng.integers(20, size=size).astype(np.int32)
        assert first_least(values) == in_compiled_code(values) == values.argmin()


def test_a_second_policy_compiles_nothing_of_the_drive_again():
    simulate(1000, 0.5, pages_per_block=16, policy=lowest_compiled)
    loop = kernel.advance(0, mixed=False)._entered
    before = len(loop.overloads)
    simulate(1000, 0.5, pages_per_block=16, policy=numba.njit(lambda blocks: blocks.live.argmin()))
    assert len(loop.overloads) == before


@BOTH
def test_a_copy_goes_on_as_its_original_and_by_itself(policy):
    drive = State(1000, 0.4, pages_per_block=8, policy=policy)
    words = np.random.default_rng(0).integers(1000, size=4000)
    drive.run(words)
    again = pickle.loads(pickle.dumps(drive))
    other = copy.deepcopy(drive)
    for one in (drive, again, other):
        one.run(words)
        verify(one)
    assert changed(again, other) == []
    assert changed(drive, again) == []
    assert again.flash_reads + 1 == (again.read(words[0]), again.flash_reads)[1]


def named(name, choose):
    choose.__name__ = choose.__qualname__ = name
    return choose


def full_one(blocks):
    for block in range(blocks.live.size):
        if blocks.live[block] == 8:
            return block
    return 0


def failing(blocks):
    if blocks.writes > 0:
        raise RuntimeError("no idea")
    return 0


half = named("half", lambda blocks: 0.5)
nothing = named("nothing", lambda blocks: None)
BAD = [
    (named("never", lambda blocks: -1),
     r"policy never must return the number of a block, in \[0, \d+\), got -1"),
    (named("beyond", lambda blocks: blocks.live.size),
     r"policy beyond must return the number of a block, in \[0, \d+\), got \d+"),
    (named("free_one", lambda blocks: blocks.live.argmax()),
     "policy free_one must return a block that can be cleaned.*which is (free|open)"),
    (full_one, "policy full_one must return a block with a page to free: none of the last"),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "message"), BAD)
@pytest.mark.parametrize("form", [lambda f: f, numba.njit], ids=["python", "compiled"])
@pytest.mark.parametrize("how", ["run", "write", "simulate"])
def test_a_choice_that_cannot_be_cleaned_is_told_and_undone(policy, message, form, how):
    assert_undone(form(policy), message, ValueError, how)


@pytest.mark.parametrize("how", ["run", "write", "simulate"])
@pytest.mark.parametrize(("policy", "message", "kind"), [
    (half, "policy half must return an integer, got 0.5", ValueError),
    (nothing, "policy nothing must return an integer, got None", ValueError),
    (named("huge", lambda blocks: 2**70),
     "policy huge must return the number of a block.*got 1180591620717411303424", ValueError),
    (failing, "no idea", RuntimeError),
    (numba.njit(failing), "no idea", RuntimeError),
])  # fmt: skip
def test_an_answer_that_is_none_is_told_and_undone(policy, message, kind, how):
    assert_undone(policy, message, kind, how)


def assert_undone(policy, message, kind, how):
    if how == "simulate":
        with pytest.raises(kind, match=message):
            simulate(200, 0.5, pages_per_block=8, policy=policy)
        return
    drive = State(200, 0.5, pages_per_block=8, policy=policy)
    drive.run(np.arange(200))
    room = int(drive.arrays.counts.free) - 1
    drive.run(np.arange(8 * room) % 3)  # the next block but one that is opened needs a choice
    before = copy.deepcopy(drive)
    words = np.arange(64)
    if how == "write":
        while drive.arrays.position[0] < drive.arrays.stop[0]:
            drive.write(0)
        before = copy.deepcopy(drive)
        words = 0
    with pytest.raises(kind, match=message):
        getattr(drive, how)(words)
    assert changed(drive, before) == []
    verify(drive)
    with pytest.raises(kind, match=message):
        getattr(drive, how)(words)


test_what_can_be_no_policy_is_refused_at_once = refusals([
    ([], r"policy must be one of greedy.*or a function of Blocks, got \[\]"),
    (3, "policy must be one of greedy.*or a function of Blocks, got 3"),
    ("emptiest", "policy must be one of .*got 'emptiest'"),
    (numba.njit(half), "policy half must return an integer, got float64"),
    (numba.njit(nothing), "policy nothing must return an integer, got none"),
    (numba.njit(lambda blocks: blocks.no_such), "must be a function of Blocks"),
], by=lambda policy: State(200, 0.5, pages_per_block=8, policy=policy))  # fmt: skip


@numba.njit
def in_compiled_code(values):
    return first_least(values)


def test_a_policy_may_tell_frontiers_apart_and_cannot_change_the_drive():
    seen = set()

    def watching(blocks):
        seen.update(blocks.frontier[blocks.live < 9].tolist())
        return blocks.live.argmin()

    simulate(500, 0.5, pages_per_block=8, frontier="gc", policy=watching, workload=Uniform())
    assert seen == {0, 1}

    def spoils(blocks):
        blocks.live[0] = 0
        return 0

    with pytest.raises(ValueError, match="read-only"):
        simulate(200, 0.5, pages_per_block=8, policy=spoils)
    with pytest.raises(ValueError, match="must be a function of Blocks"):
        simulate(200, 0.5, pages_per_block=8, policy=numba.njit(spoils))
