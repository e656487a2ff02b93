"""The SLC cache in time: sums by hand, conservation of cells, idle times, and the tests of reviews.

The drive of most tests has 40 superblocks of 128 map units (40 of 32 programs of four on two dies),
64 of them in SLC mode.
"""

from dataclasses import replace

import numpy as np
import pytest
from small_drives import MIB, US, WRITES, drive, slc

from flashwear import drives as drives_of, wa, workloads
from flashwear.ftl import verify
from flashwear.queueing import procedures, twin
from flashwear.queueing.requests import Access
from refusals import refusals

IN_ORDER = Access(4096, "sequential")
STATIC = {"cache_share": 0.0, "cache_own_blocks": 4}


def test_reads_and_programs_keep_the_dies_busy_for_the_times_of_their_mode(run):
    # 512 map units stay in the buffer; the first of those written are in SLC mode
    state = run(slc(cache_share=0.2), IN_ORDER, ios=2_000, fill="none").ftl
    once = {"queue_depth": 1, "ios": 1, "record": True, "state": state, "idle_s": 0.01}
    cached = run(slc(cache_share=0.2), Access(read_share=1.0, span=1 / 3072), **once)
    # controller 3, array 30, channel 10, link 1 + 8 us
    assert cached.latency_s[0] == pytest.approx(52 * US, rel=1e-12)
    place = 1_400 * 4096
    main = run(slc(cache_share=0.2), _one(place), **once)
    assert main.latency_s[0] == pytest.approx(122 * US, rel=1e-12)
    device = slc(cache_fold_to=0.5, cache_idle_s=2e-3)
    load = Access(rate=1_500.0)
    result = run(device, load, ios=6_000)
    c = result.counts
    slow = c["programs"] - c["cache_programs"] + c["copy_programs"]
    # copies are read from main superblocks in 100 us, from the cache in 30
    least = c["cache_programs"] * 3e-4 + slow * 1e-3 + c["erases"] * 3e-3 + c["copy_reads"] * 3e-5
    most = least + c["copy_reads"] * 7e-5
    assert least <= result.busy_s["die"].sum() * (1 + 1e-3) <= most * (1 + 2e-3)
    assert 0 < c["cache_programs"] < c["programs"]
    assert 0 < c["slc_erases"] < c["erases"]
    assert result.cache_share == result.cache_writes / result.host_writes
    verify(result.ftl)


def _one(first_byte):
    trace = np.array([[2, first_byte // 4096, 1]], np.int64)
    return workloads.Replay(trace)


def test_a_sweep_ends_where_the_cells_do(run):
    # 13 of 40 superblocks in SLC mode take 13 of 64; then the host writes main ones
    device = slc()
    result = run(device, IN_ORDER, ios=2_500, fill="none", record=True)
    assert result.cache_writes == 13 * 64
    assert result.copies == 0
    # the buffer takes 512 map units, and is full after 700; a program of 300 us or 1 ms takes four
    done = result.completion_s
    last = 13 * 64 + 512
    assert 400 / (done[last - 100] - done[last - 500]) == pytest.approx(8 / 300e-6, rel=0.03)
    assert 800 / (done[last + 900] - done[last + 100]) == pytest.approx(8 / 1e-3, rel=0.03)


@pytest.mark.parametrize("bits", [2, 3, 4])
@pytest.mark.parametrize("dies", [2, 4])
def test_a_superblock_in_slc_mode_holds_the_pages_of_all_dies_but_that_of_parity(run, bits, dies):
    # stripes as wide as the dies: every row of pages has one of parity
    geometry = {"pages_per_block": 12, "blocks_per_plane": 60, "user_bytes": 6 * MIB}
    device = slc(dies=dies, stripe=dies - 1, bits_per_cell=bits, **geometry, **STATIC)
    units, rows = 4, 12 // bits
    size = (dies - 1) * rows * units
    result = run(device, IN_ORDER, ios=4 * size + 512 + 100, fill="none")
    assert result.cache_writes == 4 * size
    assert result.counts["cache_programs"] == 4 * (dies - 1) * rows
    # one for each row, in the cache and behind it; that of the last may still be to come
    main = result.counts["programs"] - result.counts["cache_programs"]
    ends = 4 * rows + main // (dies - 1)
    assert ends - 1 <= result.counts["parity_programs"] <= ends
    verify(result.ftl)


def test_a_full_drive_has_hardly_a_cache_unless_the_host_may_not_pass_it_by(run):
    result = run(slc(), WRITES, ios=4_000, random_drive_writes=2.0)
    assert result.cache_writes < 0.01 * result.host_writes
    plain = run(drive(), WRITES, ios=4_000, random_drive_writes=2.0)
    assert result.elapsed_s == pytest.approx(plain.elapsed_s, rel=0.05)
    device = slc(cache_direct=False, **STATIC)
    result = run(device, WRITES, ios=3_000, random_drive_writes=1.0)
    assert result.cache_writes == result.host_writes
    assert result.counts["cache_programs"] == result.counts["programs"]
    direct = run(slc(**STATIC), WRITES, ios=3_000, random_drive_writes=1.0)
    assert 0 <= direct.cache_writes <= 4 * 64
    verify(result.ftl)


@pytest.mark.parametrize("kind", [{}, STATIC])
def test_idle_long_enough_restores_the_cache_and_less_does_not(run, kind):
    limit = 4 if kind else 13
    for idle_s in (1e-3, None, 20.0):  # soon, never, or later than the pause
        device = slc(cache_idle_s=idle_s, **kind)
        first = run(device, IN_ORDER, ios=1_500, fill="none")
        assert first.cache_writes == limit * 64
        then = run(device, IN_ORDER, ios=1_500, state=first.ftl, idle_s=10.0)
        restored = limit * 64 if idle_s == 1e-3 else 0
        assert (then.fold_copies, then.cache_writes) == (restored, restored)
        verify(then.ftl)


def test_a_trimmed_drive_erases_when_it_is_idle_or_as_it_goes_on(run):
    device = slc(cache_idle_s=1e-3)
    for idle_s in (1.0, 0.0):
        full = run(device, WRITES, ios=2_000, random_drive_writes=2.0)
        full.ftl.trim(0, 3_072)
        then = run(device, IN_ORDER, ios=1_500, state=full.ftl, idle_s=idle_s)
        assert then.copies == 0
        if idle_s:
            assert then.cache_writes == 13 * 64
            # but for the open ones, one after the other: two dies of 3 ms side by side
            assert then.counts["erases"] >= 2 * 30
            verify(then.ftl)
        else:
            assert then.cache_writes < 64 * 3


def test_main_writes_behind_a_static_cache_are_those_of_the_closed_form():
    # 200 superblocks, 40 of them the cache's own, which hold a page of each two. Off the main area
    # go two to four superblocks kept free, one open and one being cleaned.
    device = drive(blocks_per_plane=240, user_bytes=80 * MIB, policy="fifo", cache_own_blocks=40,
                   cache_direct=False, slc_read_s=30e-6, slc_program_s=300e-6)  # fmt: skip
    user = device.user_bytes // 4096
    result = twin.run(device, WRITES, ios=8 * user, random_drive_writes=6.0)
    share = (40 - 0.5) * 64 / user
    bounds = [wa.slc_cache((200 - off) * 128 / user - 1, share) for off in (3, 7)]
    assert bounds[0] * 0.98 < result.wa_of_run - 1 < bounds[1] * 1.02
    verify(result.ftl)


# the tests of reviews


CACHE = {"cache_share": 0.838, "slc_read_s": 40e-6, "slc_program_s": 600e-6}
M600 = replace(drives_of.load("m600-128gb"), cache_idle_s=0.05, **CACHE)
SCALE = 1 / 64


def fast_extent(run, share):
    """Return the bytes written before the speed first falls, after the buffer has filled."""
    ends, speed = run.to_numpy().T
    return ends[(speed[1:] < share * speed[1:].max()).argmax()]


def test_a_sweep_with_a_cache_has_three_stages_and_is_that_of_the_scaled_drive():
    run = procedures.sequential_sweep(M600, points=100, scale=SCALE)
    first = fast_extent(run, 0.9)
    # half of the cells of 83.8 % of the blocks
    assert first == pytest.approx(0.838 / 2 * M600.raw_bytes, rel=0.02)
    rest = run[run.address_bytes > 1.03 * first]
    second = fast_extent(rest, 0.8)
    # then the others, all bits of them, but for a few that are kept free
    assert second == pytest.approx(first + 0.162 * M600.raw_bytes, rel=0.02)
    third = run.mb_per_s[run.address_bytes > 1.03 * second]
    speeds = run.mb_per_s[1], rest.mb_per_s.iloc[1], third.median()
    assert speeds[0] > 2 * speeds[1] > 3.5 * speeds[2]
    assert third.std() < 0.1 * third.mean()
    one, other = (
        procedures.sequential_sweep(M600, points=50, scale=scale) for scale in (1 / 64, 1 / 16)
    )
    ratio = one.mb_per_s / other.mb_per_s
    assert (abs(ratio - 1) < 0.05).mean() > 0.9


test_bad_arguments_of_procedures_are_named = refusals([
    (lambda d: procedures.sequential_sweep(d, points=1), "points must be a whole number >= 2"),
    (lambda d: procedures.sequential_sweep(d, request_bytes=100), "request_bytes must be a"),
    (lambda d: procedures.sequential_sweep(d, request_bytes=1000), "bytes must be a multiple"),
    (lambda d: procedures.sequential_sweep(d, queue_depth=33), "queue_depth must .* <= 32, go"),
], by=lambda call: call(M600.scaled(SCALE)))  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), [
    ({"idle_s": -1}, "idle_s must be .* >= 0 .*, got -1"),
    ({"state": 3}, "state must be the ftl of an earlier result, got 3"),
    ({"drive": slc(blocks_per_plane=30, cache_direct=False)}, "blocks_per_plane .* got 30"),
    ({"drive": slc(blocks_per_plane=33, **STATIC)}, "must be >= 34 .* and 4 for the cache"),
])  # fmt: skip
def test_bad_arguments_are_named(run, arguments, message):
    given = {"drive": slc(), "workload": WRITES, "ios": 10, **arguments}
    with pytest.raises(ValueError, match=message):
        run(**given)
    with pytest.raises(ValueError, match=r"state must be of this drive: .* a cache, got one of"):
        run(slc(), WRITES, ios=1, state=run(drive(), WRITES, ios=1).ftl)
