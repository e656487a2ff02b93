"""Loads and settings whose outcome is known without a simulation, or from another setting."""

import numpy as np
import pytest
from tiny_drives import differing

from flashwear.ftl import State, simulate
from flashwear.workloads import Sequential

EXACT = ("greedy", "fifo", "windowed", "cost_benefit")  # which find an empty block if there is one


@pytest.mark.parametrize("policy", EXACT)
@pytest.mark.parametrize("frontier", ["single", "gc", "detected"])
@pytest.mark.parametrize("pages_per_block", [7, 16])
def test_overwriting_in_order_copies_nothing(policy, frontier, pages_per_block):
    # the fewest blocks that work, and pages that do not fill the last of them
    user_pages = 40 * pages_per_block - 3
    open_and_free = 2 if frontier == "single" else 4
    result = simulate(user_pages, (40 + open_and_free) * pages_per_block / user_pages - 1,
                      pages_per_block=pages_per_block, policy=policy, frontier=frontier,
                      workload=Sequential(), drive_writes=20)  # fmt: skip
    assert result.wa == 1
    assert result.wa_interval == (1, 1)
    assert result.state.copies == 0


def test_a_huge_spare_leaves_nothing_to_copy():
    # victims are empty from an op of H_4 - 1 = 1.08 on for a drive of many blocks; at 10 a block
    # is overwritten 2.75 times per page before its turn to be the emptiest of 880 comes
    result = simulate(320, 10, pages_per_block=4, warmup_drive_writes=50, drive_writes=50)
    assert result.wa == 1


@pytest.mark.parametrize("frontier", ["single", "gc", "detected"])
@pytest.mark.parametrize(("policy", "limit"), [
    ("fifo", {"policy": "windowed", "window": 1}), ("random", {"policy": "d_choices", "d": 1}),
])  # fmt: skip
def test_one_block_to_choose_from_is_no_choice(policy, limit, frontier):
    settings = {"pages_per_block": 8, "frontier": frontier}
    plain = State(1_000, 0.3, policy=policy, **settings)
    limited = State(1_000, 0.3, **limit, **settings)
    words = np.random.default_rng(0).integers(1_000, size=20_000)
    assert plain.run(words) == limited.run(words) == words.size
    assert plain.erases.sum() > 1_000
    assert differing(plain, limited) == ["rules"]


def test_a_window_on_all_blocks_is_greedy():
    # which of the emptiest blocks goes is another one, so that the runs differ, but
    # not how many live pages victims have: shares of each number, over ten runs of 1,600 cleanings
    def shares(**settings):
        runs = [
            simulate(4_000, 0.2, pages_per_block=8, drive_writes=4, seed=seed, **settings)
            for seed in range(10)
        ]
        return np.array([run.cleaned_valid / run.cleaned_valid.sum() for run in runs])

    windowed, greedy = shares(policy="windowed", window=10_000), shares(policy="greedy")
    error = np.sqrt((windowed.var(axis=0, ddof=1) + greedy.var(axis=0, ddof=1)) / 10)
    assert (np.abs(windowed.mean(axis=0) - greedy.mean(axis=0)) <= 5 * error).all()
    assert (error < 0.01).all()
    fifo = shares(policy="windowed", window=10)
    assert (np.abs(fifo.mean(axis=0) - greedy.mean(axis=0)) > 0.05).any()  # it can tell
