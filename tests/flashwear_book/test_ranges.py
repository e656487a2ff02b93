"""Ranges written in order: the load, and what the kept runs say of a drive of 2022."""

from types import SimpleNamespace

import numpy as np
import pytest

from flashwear.workloads import OPERATION_SHIFT, PAGE_MASK, TEMPERATURE_SHIFT, TRIM
from flashwear_book import tables
from flashwear_book.runs import kept_result, ranges
from flashwear_book.runs.ranges import CASES, OpenRanges

DRIVE = "Micron 7450 MAX 800GB"
MEASURED = tables.measured_wa().query("drive == @DRIVE")
FACTOR = MEASURED[MEASURED.load == "in order"].groupby("run").wa.mean().mean()
RANGES = MEASURED[(MEASURED.load == "zones") & (MEASURED.range_mib == 8192)]
LEVELS = RANGES[RANGES.fills > 2.81].groupby("zones").wa.mean()


def written(ranges, batches, writes):
    """Return slot, page and whether it is a trim, request by request."""
    words = np.concatenate([ranges.next(writes) for _ in range(batches)])
    slots = words >> TEMPERATURE_SHIFT & 0xFF
    return slots, words & PAGE_MASK, words >> OPERATION_SHIFT & 3 == TRIM


@pytest.mark.parametrize(("at_once", "size", "count"), [(1, 6, 3), (3, 10, 5), (4, 16, 40)])
def test_open_ranges_are_written_whole_and_in_order_and_none_twice_at_once(at_once, size, count):
    slots, pages, trims = written(OpenRanges(at_once, size, size * count + 3, "never", 1), 300, 5)
    assert not trims.any()
    open_now = {}
    for slot, page in zip(slots.tolist(), pages.tolist(), strict=True):
        if page % size == 0:
            old = open_now.get(slot)
            assert old is None or old[1] == size
            assert page // size not in [place for place, _ in open_now.values()]
            assert page // size < count
            open_now[slot] = (page // size, 0)
        place, done = open_now[slot]
        assert page == place * size + done
        open_now[slot] = (place, done + 1)


@pytest.mark.parametrize(
    ("trims", "after", "begin"), [("opening", 0, 0), ("half", 0, 5), ("halfway", 5, 5)]
)
def test_trims_come_before_the_write_at_which_they_are_due(trims, after, begin):
    _, pages, trimmed = written(OpenRanges(3, 10, 200, trims, 2), 100, 7)
    due = np.flatnonzero(~trimmed & (pages % 10 == after))
    assert trimmed.sum() == len(due) * (10 - begin)
    for at in due.tolist():
        before = np.arange(at - (10 - begin), at)
        assert trimmed[before].all()
        np.testing.assert_array_equal(pages[before], pages[at] // 10 * 10 + np.arange(begin, 10))


def test_slots_and_ranges_are_drawn_alike_and_what_cannot_be_is_refused():
    slots, pages, _ = written(OpenRanges(4, 10, 300, "never", 3), 8000, 10)
    opened = pages[pages % 10 == 0] // 10
    # 20,000 writes a slot and 267 openings a range: five standard deviations
    np.testing.assert_allclose(np.bincount(slots), 20_000, atol=5 * np.sqrt(15_000))
    np.testing.assert_allclose(np.bincount(opened), len(opened) / 30, atol=5 * np.sqrt(267))
    with pytest.raises(ValueError, match=r"at_once must be .* got 3"):
        OpenRanges(3, 10, 39, "never", 0)
    with pytest.raises(ValueError, match=r"writes must be .* got 11"):
        OpenRanges(2, 10, 39, "never", 0).next(11)


@pytest.mark.parametrize(("live", "closed_at", "taken"), [
    ([3, 5, 2, 5, 4], [7, 1, 9, 0, 6], 4),  # the oldest of those that are not full
    ([3, 5, 2, 5, 4], [5, 1, 4, 0, 6], 2),
    ([3, 0, 2], [1, 9, 0], 1),
    ([4, 4, 4], [2, 0, 1], -1),
])  # fmt: skip
def test_an_empty_block_is_taken_and_else_the_one_that_is_full_longest(live, closed_at, taken):
    blocks = SimpleNamespace(live=np.array(live), closed_at=np.array(closed_at))
    assert ranges._oldest_after_empty.py_func(blocks) == taken


def test_the_drive_counts_the_same_flash_in_all_runs_and_cleans_the_emptiest_block():
    count = tables.measured_blocks().query("load == 'random'")
    assert len(count) == 7
    # whole per cents of 11 GiB; a second's writes are some 1.4 GiB, so two of these
    assert np.ptp(count.at_1_gib) < 2.8
    assert (count.free_late == 1).all()
    assert count.share_late.min() > 0.98
    assert CASES["base"].flash_gib == pytest.approx(count.at_1_gib.mean(), abs=0.6)
    kept = kept_result("ranges").table.query("case == 'base'").set_index("at_once").wa
    miss = FACTOR * kept / LEVELS - 1
    assert len(miss) == 6
    assert np.sqrt((miss**2).mean()) < 0.05
