"""Wear: where erases fall, what levelling does about it and costs, and how drives end."""

import pytest

from flashwear.ftl import simulate, verify
from flashwear.workloads import HotCold, Span, Uniform

PAGES = 16
LOAD = HotCold(0.95, 0.2)  # three quarters of the drive nearly at rest


def worn(blocks=520, op=0.3, drive_writes=100, **settings):
    user_pages = int(blocks * PAGES / (1 + op))
    settings = {"workload": LOAD, "frontier": "gc", **settings}
    return simulate(user_pages, op, pages_per_block=PAGES, warmup_drive_writes=0,
                    drive_writes=drive_writes, history_stride=user_pages, **settings)  # fmt: skip


def spread(result):
    return int(result.erases.max() - result.erases.min())


def test_a_levelling_factor_is_the_most_over_the_mean_and_moving_data_costs_copies():
    result = worn(drive_writes=5)
    assert result.wlf == result.erases.max() / result.erases.mean()
    assert result.erases.sum() == result.state.arrays.counts.erases
    # the erases are those of the measured part and of the fill, which needs none
    assert result.erases.sum() == result.block_erases
    unworn = worn(op=3.0, drive_writes=1)
    assert (unworn.block_erases, unworn.wlf) == (0, 1)
    # nothing but levelling touches the 70 % of the drive that is never written again
    settings = {"workload": Span(Uniform(), 0.3), "drive_writes": 50}
    dynamic = worn(wear_levelling="dynamic", **settings)
    assert dynamic.erases.min() == 0
    assert dynamic.levelling_copies == 0
    static = worn(wear_levelling="static", level_threshold=8, **settings)
    assert static.erases.min() > 0
    assert static.levelling_copies == static.state.levelling_copies > 0
    state = static.state
    assert state.copies >= state.levelling_copies
    copies = int(static.frontier_copies.sum())
    assert static.flash_writes == static.host_writes + copies
    assert static.wa > dynamic.wa
    verify(state)


@pytest.mark.parametrize("frontier", ["single", "gc", "hot_cold", "detected"])
@pytest.mark.parametrize("policy", ["greedy", "d_choices"])
def test_moving_data_at_rest_bounds_the_spread(frontier, policy):
    # a block's data are moved when another is erased for the 17th time since; while the least-worn
    # blocks, up to half of all, wait their turn, one at each cleaning, others go on: twice the
    # threshold, however long the run
    threshold = 16
    settings = {"frontier": frontier, "policy": policy}
    dynamic = worn(wear_levelling="dynamic", **settings)
    static = worn(wear_levelling="static", level_threshold=threshold, **settings)
    assert spread(dynamic) > 2 * threshold
    assert spread(static) <= 2 * threshold
    assert static.wlf < dynamic.wlf


def test_life_is_the_erases_that_blocks_have_over_write_amplification():
    # host writes x WA = blocks x pages x endurance, less the erases that blocks are left with
    endurance = 200
    result = worn(260, drive_writes=10_000, endurance=endurance, reserve_blocks=8,
                  wear_levelling="static", level_threshold=4, progress=False)  # fmt: skip
    state = result.state
    written = state.flash_writes
    room = state.blocks * PAGES * endurance
    assert written < room + state.blocks * PAGES
    # all blocks were within twice the threshold of their end when the first retired
    assert written == pytest.approx(room, rel=8 / endurance)
