"""Cleaning page by page, with writes of the host in between."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tiny_drives import contents

from flashwear.ftl import State, steps, verify
from proving import examples

HOST, COPY = 0, 1


def drive(user_pages=600, op=0.6, pages=8, policy="greedy", reserve=3, seed=0):
    return State(user_pages, op, pages_per_block=pages, policy=policy, frontier="gc",
                 reserve_blocks=reserve, seed=seed)  # fmt: skip


def write(state, pages):
    for page in pages:
        assert steps.open_if_full(state.arrays, HOST, 0)
        steps.place(state.arrays, page, HOST)


def clean(state, between=()):
    """Clean one victim, writing pages of `between` after each page that it moves."""
    a = state.arrays
    block = steps.begin(a)
    start, moved = block << int(a.rules.shift), 0
    waiting = list(between)
    for source in range(start, start + state.pages_per_block):
        if a.l2p[a.p2l[source]] == source:
            assert steps.open_if_full(a, COPY, 0)
            moved += steps.move(a, int(a.p2l[source]), source, COPY) >= 0
        if waiting and steps.open_if_full(a, HOST, 1):
            steps.place(a, waiting.pop(), HOST)
    steps.finish(a, block)
    return moved


@pytest.mark.parametrize("policy", ["greedy", "fifo", "random", "d_choices", "cost_benefit"])
def test_steps_without_writes_between_are_the_cleaning_of_the_state(policy):
    at_once, by_steps = drive(policy=policy), drive(policy=policy)
    rng = np.random.default_rng(0)
    for page in np.concatenate((rng.permutation(600), rng.integers(600, size=4_000))).tolist():
        at_once.write(page)
        a = by_steps.arrays
        if steps.room(a, HOST) == 0:
            steps.open_if_full(a, HOST, 0)
            while a.counts.free < a.rules.reserve:
                clean(by_steps)
        steps.place(a, page, HOST)
    assert at_once.copies > 0
    verify(by_steps)
    one, other = contents(at_once), contents(by_steps)
    for name in ("l2p", "p2l", "pool", "cleaned", "position", "frontier_of"):
        assert (getattr(one, name) == getattr(other, name)).all(), name
    assert at_once.erases.tolist() == by_steps.erases.tolist()


@examples(60)
@given(st.data())
def test_no_page_is_lost_whatever_the_host_writes_meanwhile(data):
    state = drive(user_pages=100, op=0.9, pages=8, reserve=3)
    a = state.arrays
    write(state, range(100))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    last = rng.integers(1, 101)
    for _ in range(60):
        while a.counts.free < 5:
            between = rng.integers(last, size=rng.integers(0, 9)).tolist()
            clean(state, between)
        write(state, rng.integers(last, size=rng.integers(1, 12)).tolist())
        if rng.random() < 0.2 and steps.room(a, HOST):
            steps.pad(a, HOST)
        verify(state)
    assert state.mapped_pages == 100


def test_a_page_overwritten_meanwhile_is_not_moved():
    state = drive()
    rng = np.random.default_rng(0)
    write(state, rng.permutation(600).tolist())
    a = state.arrays
    block = steps.begin(a)
    source = block << int(a.rules.shift)
    page = int(a.p2l[source])
    assert a.l2p[page] == source
    write(state, [page])
    steps.open_if_full(a, COPY, 0)
    assert steps.move(a, page, source, COPY) == -1
    assert state.copies == 0
    verify(state)


def test_a_padded_page_holds_nothing_and_the_last_blocks_can_be_kept():
    state = drive()
    write(state, [5, 6])
    a = state.arrays
    slot = steps.pad(a, HOST)
    assert a.l2p[a.p2l[slot]] == -1
    assert steps.room(a, HOST) == 5
    write(state, range(20))
    verify(state)
    assert state.mapped_pages == 20
    state = drive()
    a = state.arrays
    free = int(a.counts.free)
    write(state, (page % 600 for page in range(8 * (free - 2))))
    assert a.counts.free == 2
    assert not steps.open_if_full(a, HOST, 2)
    assert steps.open_if_full(a, HOST, 1)
    assert a.counts.free == 1
