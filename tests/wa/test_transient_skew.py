"""The way of a drive to its steady state when some pages are written more often than others."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from flashwear import ftl, wa
from flashwear.workloads import HotCold
from refusals import refusals

ROAD = np.arange(0, 12, 0.01)


@pytest.mark.parametrize("policy", ["fifo", "greedy"])
@pytest.mark.parametrize("op", [0.01, 0.07, 0.28, 1.0, 4.0])
def test_one_class_has_the_closed_course_under_both_policies(op, policy):
    # cells of second order: 400 of them leave 1e-5 of a drive write
    for fill, closed in (("spread", wa.after_fill), ("none", wa.from_blank)):
        found = wa.transient_mixed(op, ROAD, [1.0], [1.0], fill=fill, policy=policy)
        assert np.abs(found.drive_writes - closed(op, ROAD).drive_writes).max() < 1e-5


@settings(max_examples=8, deadline=None)
@given(st.floats(0.3, 1), st.floats(0.3, 0.8), st.floats(0.1, 0.3))
def test_in_turn_it_ends_at_the_mean_field_of_all_classes(op, write, space):
    path = wa.transient_mixed(op, [60, 60 + 10 * (1 + op)], write, space)
    final = 10 * (1 + op) / np.diff(path.drive_writes)[0]
    assert final == pytest.approx(wa.fifo_mixed(op, write, space), rel=1e-3)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.05, 1), st.floats(0.5, 0.95), st.sampled_from(["spread", "in order", "none"]),
       st.sampled_from(["fifo", "greedy"]))  # fmt: skip
def test_the_host_never_writes_more_than_is_programmed_nor_backwards(op, write, fill, policy):
    written = wa.transient_mixed(op, ROAD, write, 1 - write, fill=fill, policy=policy).drive_writes
    assert (np.diff(written) >= 0).all()
    assert (np.diff(written) <= np.diff(ROAD) * (1 + 1e-9)).all()


def test_the_first_round_is_explicit_and_pages_never_written_give_the_host_nothing():
    op, write, space = 0.28, np.array([0.8, 0.2]), np.array([0.2, 0.8])
    programmed = np.linspace(0.3, 1.25, 40)
    path = wa.transient_mixed(op, programmed, write, space)
    live = (space * np.exp(-np.outer(path.drive_writes, write / space))).sum(axis=1)
    # a cell is a 300th of the drive, in which the share that is valid moves by about 1 %
    assert path.wa == pytest.approx(1 / (1 - live), rel=0.01)
    named = {"hot_write_share": 0.9, "hot_space_share": 0.1}
    pairs = zip(wa.transient_mixed(0.1, 2.0, **named), wa.transient_mixed(0.1, 2.0, 0.9, 0.1),
                strict=True)  # fmt: skip
    assert all(one == pytest.approx(same) for one, same in pairs)
    path = wa.transient_mixed(0.1, [0.05, 0.5], [1.0, 0.0], [0.1, 0.9], fill="in order")
    assert path.wa[0] == pytest.approx(1)
    assert np.isinf(path.wa[1])
    greedy = wa.transient_mixed(0.1, 3.0, [1.0, 0.0], [0.1, 0.9], fill="in order", policy="greedy")
    # the spare flash is all for the hot tenth, as large as it
    assert greedy.drive_writes == pytest.approx(3 / wa.fifo(1.0), rel=0.15)


@pytest.mark.parametrize(("fill", "order"), [("spread", "random"), ("in order", "sequential")])
@pytest.mark.parametrize(("policy", "pages", "off"), [("fifo", 64, 0.004), ("greedy", 4096, 0.03)])
def test_a_simulated_drive_takes_the_same_course(fill, order, policy, pages, off):
    user, op = 1_000_000, 0.18
    run = ftl.simulate(
        user, op, pages_per_block=pages, policy=policy, fill=order, workload=HotCold(0.8, 0.2),
        warmup_drive_writes=0, drive_writes=2, history_stride=user // 200, seed=8,
    )  # fmt: skip
    host, flash = (
        np.append(0, part).cumsum() / user - 1 for part in (run.history_host, run.history_flash)
    )
    # open and reserved blocks are taken off; the blank half of the first round is no part of them
    spare = op - run.history_blank[-100:].mean() / user
    path = wa.transient_mixed(spare, flash.clip(0), 0.8, 0.2, fill=fill, policy=policy)
    late = host > 0.3
    assert path.drive_writes[late] == pytest.approx(host[late], rel=off)
    # the other order of cleaning is far away
    other = {"fifo": "greedy", "greedy": "fifo"}[policy]
    path = wa.transient_mixed(spare, flash.clip(0), 0.8, 0.2, fill=fill, policy=other)
    assert np.abs(path.drive_writes[late] / host[late] - 1).max() > 3 * off


test_bad_arguments_are_named = refusals([
    ({"op": 0.001}, "op must be .* >= 0.01 and <= 4, got 0.001"),
    ({"op": [0.1, 0.2]}, "op must be one number"),
    ({"programmed": 1001}, "programmed must be .* <= 1000, got 1001"),
    ({"programmed": [-1]}, "programmed must be .* >= 0"),
    ({"space_share": 0.0}, "space_share must be > 0 for a class that is written"),
    ({"write_share": [[0.5, 0.5]], "space_share": [[0.5, 0.5]]}, "that of one load"),
    ({"fill": "random"}, "fill must be one of spread, in order, none, got 'random'"),
    ({"policy": "lru"}, "policy must be one of fifo, greedy, got 'lru'"),
], by=lambda change: wa.transient_mixed(
    **{"op": 0.1, "programmed": 1.0, "write_share": 0.8, "space_share": 0.2} | change))  # fmt: skip


def test_numbers_and_arrays_come_back_as_they_went_in():
    assert isinstance(wa.transient_mixed(0.1, 1.0, 0.8, 0.2).wa, float)
    assert wa.transient_mixed(0.1, [], 0.8, 0.2).wa.shape == (0,)
    assert wa.transient_mixed(0.1, [[1, 2]], 0.8, 0.2).drive_writes.shape == (1, 2)
