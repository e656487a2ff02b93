"""Bounds of the stations: sums by hand, limits, and the compiled model below them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from small_drives import MIB, READS, US, WRITES, drive

from flashwear import drives, wa
from flashwear.queueing import bounds, twin, work
from flashwear.queueing.plan import planned
from flashwear.queueing.requests import Access
from proving import examples
from refusals import refusals

IN_ORDER = Access(16_384, "sequential")


def test_a_read_needs_what_its_services_take_and_a_large_one_touches_its_programs():
    # controller 3, array 100 on one of two dies, channel 10, link 1 + 8 us
    needs = bounds.demands(drive(), READS)
    expected = {"link": 9 * US, "controller": 3 * US, "channel": 10 * US, "die": 50 * US}
    assert needs == pytest.approx(expected)
    alone = bounds.bound(drive(), READS, queue_depth=1)
    assert alone.lone_s == pytest.approx(122 * US)
    assert alone.iops == pytest.approx(1 / (122 * US))
    assert np.isnan(alone.wa)
    deep = bounds.bound(drive(), READS)
    assert (deep.iops, deep.bottleneck) == (pytest.approx(20_000), "die")
    assert deep.knee == pytest.approx(122 / 50)

    # four units a program: 1 to 4 units at multiples of their own size, or of another
    def touched(units, align=None, fill="sequential"):
        access = Access(units * 4096, read_share=1.0, align=None if align is None else align * 4096)
        return bounds.demands(drive(), access, fill=fill)["die"] / (50 * US)

    assert [touched(n) for n in (1, 2, 4, 8, 16)] == pytest.approx([1, 1, 1, 2, 4])
    assert touched(3) == pytest.approx(1.5)
    assert touched(4, align=1) == pytest.approx((1 + 2 + 2 + 2) / 4)
    assert touched(8, fill="random") == pytest.approx(8)
    assert touched(8, fill="none") == 0
    # 128 units in 32 programs, 16 on each die and all on one channel: see test_laws
    half = Access(512 * 1024, "sequential", read_share=1.0)
    wire = (3 + 1 + 1024) * US
    lone = bounds.bound(drive(), half).lone_s - wire
    assert lone == pytest.approx((1600 + 40) * US)  # the model takes 40 us more: two at the end
    slow = drive(channel_bytes_per_s=40.96e6)  # 400 us for a program
    assert bounds.bound(slow, half).lone_s - wire == pytest.approx((100 + 32 * 400) * US)


def test_a_write_needs_its_share_of_what_the_plan_counts():
    # four units a program, 128 a superblock; each write comes with one copy: half a program of
    # 1 ms, and half of a program to be cleaned, of which 15/16 hold something to be read
    needs = bounds.demands(drive(copy_s=2 * US), WRITES, wa=2.0)
    assert needs == pytest.approx(
        {"link": 9 * US, "controller": (4 + 2) * US, "channel": (0.5 * 40 + 10) * US,
         "die": (500 + 15 / 32 * 100) / 2 * US + 2 / 128 * 3000 * US}
    )  # fmt: skip
    # 3 + 1: 24 of 32 programs are data
    parity = bounds.demands(drive(stripe=3, copy_s=2 * US), WRITES, wa=2.0)
    assert parity["channel"] == pytest.approx((0.5 * 40 * 4 / 3 + 10) * US)
    expected = (500 * 4 / 3 + 15 / 32 * 100) / 2 * US + 2 / 96 * 3000 * US
    assert parity["die"] == pytest.approx(expected)
    assert bounds.bound(drive(), WRITES, wa=2.0).lone_s == pytest.approx(13 * US)
    for name in drives.names()[:24]:  # those that are simulated
        device = drives.load(name).scaled(1 / 64)
        plan = planned(device, 1, None, 1, 0.0)
        layout = work.layout(device)
        assert layout.unit == plan.unit
        assert layout.block == plan.data_programs * plan.unit


def test_a_mix_is_the_average_with_map_pages_that_miss_and_host_and_queue_limit_the_rate():
    parts = [bounds.bound(drive(), Access(read_share=r), wa=2.0) for r in (0, 0.25, 1)]
    for kind in parts[0].demands:
        written, mixed, read = (p.demands[kind] for p in parts)
        assert mixed == pytest.approx(0.75 * written + 0.25 * read)
    assert parts[1].lone_s == pytest.approx(0.75 * parts[0].lone_s + 0.25 * parts[2].lone_s)
    paused = bounds.bound(drive(), READS, queue_depth=2, think_s=1e-3)
    assert paused.iops == pytest.approx(2 / (1122 * US))
    assert paused.knee == pytest.approx(1122 / 50)
    assert bounds.bound(drive(queue_limit=1), READS).iops == pytest.approx(1 / (122 * US))
    assert bounds.bound(drive(), Access(read_share=1.0, rate=5.0)).iops == 5
    # three pages of the map, of which one is held: see test_laws
    device = drive(map_cache_bytes=4096)
    needs = bounds.demands(device, READS)
    assert needs["die"] == pytest.approx((1 + 2 / 3) * 50 * US)
    assert needs["channel"] == pytest.approx((1 + 2 / 3) * 10 * US)
    assert bounds.bound(device, READS).lone_s == pytest.approx((122 + 2 / 3 * 110) * US)
    in_order = bounds.demands(device, Access(4096, "sequential", read_share=1.0))
    assert in_order["die"] == pytest.approx((1 + 1 / 1024) * 50 * US)
    held = bounds.demands(drive(map_cache_bytes=3 * 4096), READS)
    assert held == pytest.approx(bounds.demands(drive(), READS), rel=1e-12)


COPIES = {"read_unit_s", "write_unit_s", "copy_s"}
"""Times that copies take too."""


@pytest.mark.parametrize(("changes", "access", "station"), [
    ({"link_overhead_s": 1e-3}, READS, "link"),
    ({"link_overhead_s": 1e-3}, WRITES, "link"),
    ({"read_command_s": 1e-3}, READS, "controller"),
    ({"write_command_s": 1e-3}, WRITES, "controller"),
    ({"read_unit_s": 1e-3}, READS, "controller"),
    ({"write_unit_s": 2e-4}, WRITES, "controller"),
    ({"read_unit_s": 1e-3}, WRITES, "controller"),
    ({"copy_s": 1e-3}, WRITES, "controller"),
    ({"channel_overhead_s": 1e-3}, READS, "channel"),
    ({"channel_bytes_per_s": 4.096e6}, WRITES, "channel"),
    ({"dies": 1, "pages_per_block": 32}, READS, "die"),
    ({"program_s": (1e-3, 5e-3)}, WRITES, "die"),
    ({"stripe": 3, "blocks_per_plane": 210}, WRITES, "die"),
    ({"read_s": 1e-3}, Access(16_384, "sequential", read_share=1.0), "die"),
    ({}, IN_ORDER, "die"),
    ({"program_s": (1e-4,), "link_bytes_per_s": 5e6}, IN_ORDER, "link"),
])  # fmt: skip
def test_the_slowest_station_is_the_bottleneck_and_the_model_reaches_it(changes, access, station):
    large = {"user_bytes": 48 * MIB, "blocks_per_plane": 160, "buffer_bytes": 260 * 4096}
    device = drive(**large | changes)
    order = {"random_drive_writes": 3.0 if access.size == 4096 else 0.0}
    result = twin.run(device, access, ios=30_000, **order)
    limit = bounds.bound(device, access, wa=max(1.0, np.nan_to_num(result.wa_of_run)))
    assert limit.bottleneck == station == result.bottleneck
    rate = result.ios / result.elapsed_s
    # of 12,288 units 260 are in the buffer, where they may be merged; of the writes as many are not
    # yet on the flash at the end
    slow = station in ("channel", "die") or bool(changes.keys() & COPIES)
    behind = not access.read_share and slow
    assert 0.98 < rate / limit.iops < (1.04 if behind else 1.001)
    for kind in ("link", "controller"):
        expected = rate * limit.demands[kind]
        assert result.utilisation[kind][0] == pytest.approx(expected, rel=0.03)


@st.composite
def _cases(draw):
    """Drives that are large against their buffer, and loads on them."""
    dies, times = draw(st.integers(1, 4)), st.integers(1, 200).map(lambda n: n * US)
    device = drive(dies=dies, planes=draw(st.integers(1, 2)), channels=draw(st.integers(1, dies)),
                   pages_per_block=48 // dies, blocks_per_plane=100,
                   stripe=draw(st.sampled_from([0, 3, 7])), read_s=draw(times),
                   program_s=tuple(draw(st.lists(times, min_size=1, max_size=2))),
                   erase_s=draw(times) * 5, read_command_s=draw(times) / 10,
                   write_command_s=draw(times) / 10,
                   read_unit_s=draw(st.sampled_from([0.0, 2 * US])),
                   write_unit_s=draw(st.sampled_from([0.0, 2 * US])),
                   copy_s=draw(st.sampled_from([0.0, 3 * US])),
                   map_cache_bytes=draw(st.sampled_from([None, 16_384])),
                   buffer_bytes=260 * 4096)  # fmt: skip
    spare = draw(st.floats(0.15, 0.4))
    data = work.layout(device).block * device.superblocks
    # the bound takes pages of the map, of 1,024 entries, to be all asked for alike
    device = replace(device, user_bytes=int(data * (1 - spare)) // 1024 * 1024 * 4096)
    access = Access(draw(st.sampled_from([4096, 16_384])),
                    draw(st.sampled_from(["random", "sequential"])),
                    read_share=draw(st.sampled_from([0.0, 0.5, 1.0])))  # fmt: skip
    return device, access, draw(st.sampled_from([1, 4, 32]))


@given(_cases())
@examples(25)
def test_the_model_stays_below(case):
    device, access, depth = case
    units = access.size // 4096
    ios = 40_000 // units
    result = twin.run(device, access, queue_depth=depth, ios=ios)
    fill = "sequential"
    amplified = max(1.0, result.wa_of_run) if access.read_share < 1 else None
    if access.read_share < 1:
        fill = "none"  # erases may come later, and what was written lately be read from DRAM
    limit = bounds.bound(device, access, depth, amplified, fill=fill)
    if access.read_share == 1:  # five standard errors of the share of reads that miss the map
        slack = 0.002 + (2.5 / ios**0.5 if device.map_cache_bytes else 0)
    else:  # what the buffer saves or still holds
        slack = 0.05 + 260 / (ios * units)
    assert result.ios / result.elapsed_s < limit.iops * (1 + slack)


def test_write_amplification_is_that_of_the_spare_superblocks_and_near_the_model():
    # 40 of 128 units, four of them blank
    full = bounds.write_amplification(drive(), WRITES)
    assert full == pytest.approx(wa.greedy(36 * 128 / 3072 - 1, 128), rel=1e-12)
    part = bounds.write_amplification(drive(), Access(span=0.75))
    assert part == pytest.approx(wa.greedy(36 * 128 / 2304 - 1, 128), rel=1e-12)
    assert bounds.bound(drive(), WRITES).wa == pytest.approx(full, rel=1e-12)
    for policy, formula in (("fifo", wa.fifo), ("random", wa.random)):
        device = drive(policy=policy)
        found = bounds.write_amplification(device, WRITES)
        assert found == pytest.approx(formula(0.5), rel=1e-12)
    assert bounds.write_amplification(drive(), IN_ORDER) == 1
    device = drives.load("m500dc-800gb").scaled(1 / 128)
    result = twin.run(device, WRITES, duration_s=8, random_drive_writes=3.0)
    assert bounds.write_amplification(device, WRITES) == pytest.approx(result.wa_of_run, rel=0.02)


test_bad_arguments_are_named = refusals([
    ({}, {"access": "uniform"}, "access must be an Access, got 'uniform'"),
    ({}, {"access": Access(512)}, "size must be a multiple of 4096 bytes, got 512"),
    ({}, {"access": Access(span=1e-4)}, "span must hold a request of 4096 bytes"),
    ({}, {"queue_depth": 0}, "queue_depth must be a whole number >= 1 and <= 65536, got 0"),
    ({}, {"wa": 0.5}, "wa must be a finite number >= 1, got 0.5"),
    ({}, {"fill": "half"}, "fill must be one of sequential, random, none, got 'half'"),
    ({"policy": "d_choices"}, {}, "policy must be one of greedy, fifo, random unless wa is"),
    ({"blocks_per_plane": 28}, {}, "high_blocks must leave more than the 3072 map units"),
    ({"dies": 1, "pages_per_block": 1, "user_bytes": MIB // 8}, {},
     "pages_per_block must give a superblock two programs of data, got 1"),
], by=lambda changes, given: bounds.bound(
    drive(**changes), **{"access": WRITES} | given))  # fmt: skip
