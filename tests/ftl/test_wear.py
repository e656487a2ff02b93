"""Wear: where erases fall, what levelling does about it and costs, and how drives end."""

import numpy as np
import pytest

from flashwear.ftl import arrays, simulate, verify
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


def test_a_wear_levelling_factor_is_the_most_over_the_mean():
    result = worn(drive_writes=5)
    assert result.wlf == result.erases.max() / result.erases.mean()
    assert result.erases.sum() == result.state.arrays.counts.erases
    # the erases are those of the measured part and of the fill, which needs none
    assert result.erases.sum() == result.block_erases
    unworn = worn(op=3.0, drive_writes=1)
    assert (unworn.block_erases, unworn.wlf) == (0, 1)


@pytest.mark.parametrize("frontier", ["single", "gc", "hot_cold"])
@pytest.mark.parametrize("policy", ["greedy", "d_choices"])
def test_taking_the_least_worn_free_block_evens_the_wear(frontier, policy):
    # from a pool of 20 free blocks there is something to choose
    settings = {"frontier": frontier, "policy": policy, "reserve_blocks": 20}
    none, dynamic = worn(**settings), worn(wear_levelling="dynamic", **settings)
    assert dynamic.wlf - 1 < 0.5 * (none.wlf - 1)
    assert dynamic.wa == pytest.approx(none.wa, rel=0.01)  # it copies nothing
    assert dynamic.levelling_copies == 0


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


def test_moving_data_at_rest_costs_copies_that_are_counted():
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
    copies = int(static.cleaned_valid @ np.arange(PAGES + 1))
    assert static.flash_writes == static.host_writes + copies
    assert static.wa > dynamic.wa
    verify(state)


@pytest.mark.parametrize("frontier", ["single", "gc", "hot_cold", "detected"])
def test_a_drive_ends_when_its_spare_blocks_are_used_up(frontier):
    limits = np.random.default_rng(1).normal(30, 3, size=390)
    result = worn(390, op=0.3, drive_writes=1_000, endurance=limits, frontier=frontier)
    state = result.state
    assert result.worn_out
    assert state.worn_out
    a = state.arrays
    retired = a.block["status"] == arrays.RETIRED
    assert state.retired_blocks == retired.sum()
    assert (state.erases[retired] == np.ceil(limits[retired])).all()
    assert (state.erases[~retired] < limits[~retired]).all()
    # all but a tenth of what it had beyond the fewest that work
    spare = state.blocks - a.rules.minimum
    assert state.retired_blocks > 0.9 * spare


@pytest.mark.parametrize(("policy", "levelling"), [("fifo", "none"), ("greedy", "static")])
def test_no_data_are_lost_at_the_end(policy, levelling):
    settings = {"endurance": 10, "policy": policy, "wear_levelling": levelling}
    result = worn(200, op=0.5, drive_writes=1_000, reserve_blocks=4, **settings)
    state = result.state
    assert result.worn_out
    verify(state)
    assert state.mapped_pages == state.user_pages
    before = state.arrays.l2p.copy()
    with pytest.raises(RuntimeError, match=f"worn out: {state.retired_blocks} of {state.blocks}"):
        state.write(0)
    assert (state.arrays.l2p == before).all()
    assert all(state.read(page) for page in range(state.user_pages))


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
