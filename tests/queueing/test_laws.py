"""Laws of queueing, and times that can be added up by hand, for both models."""

import numpy as np
import pytest
from small_drives import MIB, READS, US, WRITES, drive

from flashwear.ftl import verify
from flashwear.queueing import bounds, reference, twin
from flashwear.queueing.requests import Access

# long runs of the reference, which the twin equals (test_equality.py), are proofs
long = pytest.mark.parametrize(
    "run",
    [pytest.param(reference.run, marks=pytest.mark.proof, id="reference"),
     pytest.param(twin.run, id="twin")],
)  # fmt: skip


def test_a_lone_request_takes_the_sum_of_its_times_and_a_long_read_keeps_all_dies_busy(run):
    # controller 3, array 100, channel 10, link 1 + 8 us
    result = run(drive(), READS, queue_depth=1, ios=50, record=True)
    assert result.latency_s == pytest.approx(np.full(50, 122 * US), rel=1e-12)
    assert result.elapsed_s == pytest.approx(50 * 122 * US, rel=1e-12)
    # link 1 + 8, controller 4 us
    result = run(drive(), WRITES, queue_depth=1, ios=50, record=True)
    assert result.latency_s == pytest.approx(np.full(50, 13 * US), rel=1e-12)
    # 128 map units in 32 pages, 16 on each die: 3 us of the controller, 16 * 100 us for the arrays,
    # the last two pages over the channel with 40 us each, and the link with 1 + 1024 us
    access = Access(512 * 1024, "sequential", read_share=1.0)
    result = run(drive(), access, queue_depth=1, ios=1, record=True)
    assert result.counts["flash_reads"] == 32
    assert result.latency_s[0] == pytest.approx((3 + 1600 + 80 + 1025) * US, rel=1e-12)


def test_what_is_in_the_buffer_is_read_from_there_until_it_is_flushed_with_padding(run):
    # four units are one program: three stay in the buffer until they are a millisecond old
    load = Access(512 * 3, read_share=0.5, span=4096 * 3 / (12 * MIB), align=4096)
    result = run(drive(buffer_age_s=1.0), load, queue_depth=1, ios=400, fill="none", seed=1)
    assert result.counts["flash_reads"] == 0
    assert result.counts["buffer_reads"] > 100
    assert result.counts["merged"] > 100
    assert result.counts["programs"] == 0
    result = run(drive(), WRITES, queue_depth=1, ios=20, think_s=0.1, fill="none")
    assert result.counts["programs"] == 20 - 1  # the last one waits still
    assert result.counts["padded"] == 3 * 19
    verify(result.ftl)


def test_a_part_of_a_map_unit_is_read_before_it_is_written_and_a_missing_map_page_too(run):
    result = run(drive(), Access(512), queue_depth=1, ios=300, record=True)
    read = result.counts["modify_reads"]
    assert 250 < read <= 300  # the others were still in the buffer
    # link 1 + 1, controller 4 and, if read, array 100 and channel 10 us; longer if the die is busy
    taken = np.rint(result.latency_s / US)
    assert (taken == 6).sum() == 300 - read
    assert (taken >= 116).sum() == read
    assert (taken == 116).sum() > 50
    across = run(drive(), Access(8192, align=512, read_share=0.0), queue_depth=1, ios=50)
    assert across.counts["modify_reads"] > 50
    # 3,072 entries lie on three pages of the map, of which one is held
    result = run(drive(map_cache_bytes=4096), READS, queue_depth=1, ios=600, record=True)
    missed = result.counts["map_reads"]
    assert missed == pytest.approx(400, abs=60)  # two in three, six standard deviations
    taken = np.rint(result.latency_s / US)
    assert (taken == 122).sum() == 600 - missed
    assert (taken == 232).sum() == missed


@long
def test_writes_with_cleaning_share_the_dies_with_copies(run):
    # a program of four map units takes 1 ms, a read of what is to be copied 0.1 ms, an erase 3 ms:
    # by the utilisation law the busy time of dies is the sum of these
    result = run(drive(), WRITES, ios=40_000, random_drive_writes=3.0)
    assert result.wa_of_run > 1.5
    programs = result.counts["programs"] + result.counts["copy_programs"]
    busy = programs * 1e-3 + result.counts["copy_reads"] * 1e-4 + result.counts["erases"] * 3e-3
    assert result.busy_s["die"].sum() == pytest.approx(busy, rel=1e-3)  # some are under way
    assert result.utilisation["die"].mean() > 0.97
    verify(result.ftl)


@pytest.mark.parametrize("depth", [1, 4, 32])
def test_requests_in_the_drive_are_rate_times_latency(run, depth):
    result = run(drive(), READS, queue_depth=depth, ios=2_000, record=True)
    rate = result.ios / result.elapsed_s
    # the last requests leave their slots empty: depth of 2000
    assert rate * result.latency_s.mean() == pytest.approx(depth, rel=2 * depth / 2_000)
    # bounds of a closed network: no faster than the slowest station, nor than without waiting
    slowest = max(busy.max() for busy in result.busy_s.values()) / result.ios
    assert rate <= min(1 / slowest, depth / (122 * US)) * (1 + 1e-9)


def test_what_the_drive_cannot_take_waits_outside_or_in_the_buffer(run):
    at_limit = run(drive(queue_limit=4), READS, queue_depth=32, ios=500, record=True)
    four = run(drive(), READS, queue_depth=4, ios=500, record=True)
    assert at_limit.completion_s.tolist() == four.completion_s.tolist()
    result = run(drive(), READS, queue_depth=1, ios=50, think_s=1e-3)
    assert result.elapsed_s == pytest.approx(50 * 122 * US + 49e-3, rel=1e-12)
    result = run(drive(), WRITES, ios=3_000, record=True, fill="none")
    # 13 us for each of 32, of which the link takes 9; then 125 us each
    assert result.latency_s[:300].max() < 33 * 9 * US
    assert np.median(result.latency_s[-1_000:]) > 3e-3


@long
def test_random_arrivals_at_one_server_wait_as_pollaczek_and_khinchin_say(run):
    # M/D/1 at the controller: all else takes next to nothing. Wait: rho s / 2 (1 - rho)
    service, load = 100 * US, 0.6
    device = drive(dies=8, channels=8, blocks_per_plane=20, read_command_s=service, read_s=1e-9,
                   channel_bytes_per_s=1e13, link_bytes_per_s=1e13, link_overhead_s=1e-9,
                   queue_limit=256)  # fmt: skip
    access = Access(read_share=1.0, rate=load / service)
    result = run(device, access, queue_depth=256, ios=100_000)
    wait = result.wait_s["controller"][0] / result.jobs["controller"][0]
    # the number of busy periods is 40,000; 1 % of standard error, of which three are allowed
    assert wait == pytest.approx(load * service / (2 * (1 - load)), rel=0.03)
    assert result.utilisation["controller"][0] == pytest.approx(load, rel=0.01)


def test_an_open_loop_above_capacity_and_a_load_that_ends_early_say_so(run):
    device = drive(dies=2, channels=2)
    most = bounds.bound(device, Access(read_share=1.0)).iops
    assert not run(device, Access(read_share=1.0, rate=0.8 * most), ios=3_000).overloaded
    with pytest.warns(UserWarning, match="faster than the drive serves them"):
        assert run(device, Access(read_share=1.0, rate=1.3 * most), ios=3_000).overloaded

    def some(pages, seed):
        yield np.arange(90)

    with pytest.warns(UserWarning, match="the load ended after 90 of 200 requests"):
        result = run(device, some, ios=200)
    assert (result.ios, result.overloaded) == (90, False)
    assert not run(device, some, ios=90).overloaded


@long
def test_reads_go_first_and_suspend_programs(run):
    mixed = Access(read_share=0.3)
    kept = {"queue_depth": 4, "ios": 3_000, "random_drive_writes": 1.0}
    in_turn = run(drive(reads_first=False), mixed, **kept)
    first = run(drive(), mixed, **kept)
    suspending = run(drive(suspend_s=20 * US), mixed, **kept)
    assert suspending.counts["suspends"] > 100
    assert first.counts["suspends"] == in_turn.counts["suspends"] == 0
    latency = [result.percentile(90, "read") for result in (in_turn, first, suspending)]
    assert latency[0] > 1.5 * latency[1]
    assert latency[1] > 1.5 * latency[2]


def test_a_run_ends_by_requests_or_time_whichever_is_first(run):
    result = run(drive(), READS, queue_depth=1, duration_s=0.01, record=True)
    assert result.elapsed_s == 0.01
    assert result.ios == int(0.01 / (122 * US))
    assert np.isnan(result.completion_s).sum() == 1
    result = run(drive(), READS, duration_s=1e-12)
    assert result.elapsed_s == 1e-9
    assert result.utilisation["controller"] == 1
    load = Access(read_share=1.0, rate=1e4)
    for access in (load, READS, WRITES):
        by_requests = run(drive(), access, ios=100, duration_s=1.0)
        assert by_requests.ios == 100
        assert by_requests.elapsed_s < 0.05
    by_time = run(drive(), load, ios=10**9, duration_s=0.01)
    assert by_time.elapsed_s == 0.01
    assert 50 < by_time.ios < 150


def test_numbers_of_numpy_are_numbers(run):
    plain = drive(stripe=3)
    of_numpy = drive(stripe=np.int64(3), dies=np.int32(2), channels=np.uint64(1),
                     pages_per_block=np.uint64(16), page_bytes=np.int16(16_384),
                     map_bytes=np.uint16(4096), user_bytes=np.uint64(12 * MIB),
                     read_s=np.float32(100e-6))  # fmt: skip
    load = Access(np.int32(4096), read_share=np.float64(0.5), align=np.uint64(4096))
    options = {"ios": 500, "seed": 255, "span": 0.5, "random_drive_writes": 0.5}
    given = {"ios": np.int16(500), "seed": np.uint8(255), "span": np.float32(0.5)}
    one = run(plain, Access(read_share=0.5), record=True, **options)
    other = run(of_numpy, load, record=True, **options | given)
    assert one.completion_s.tolist() == other.completion_s.tolist()


@pytest.mark.parametrize(("arguments", "message"), [
    ({"queue_depth": 0}, "queue_depth must be a whole number >= 1 and <= 65536, got 0"),
    ({"queue_depth": 65_537}, "queue_depth must .*<= 65536, got 65537"),
    ({"ios": None}, "duration_s must be a number unless ios is, got None"),
    ({"duration_s": [1, 2]}, "duration_s must be one number"),
    ({"think_s": -1}, "think_s must be .* >= 0 .*, got -1"),
    ({"fill": "random"}, "fill must be one of sequential, none, got 'random'"),
    ({"random_drive_writes": -1}, "random_drive_writes must be .* >= 0 .*, got -1"),
    ({"span": 0}, "span must be .* > 0 .*, got 0"),
    ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ({"workload": Access(2**20, span=0.05)}, "span must hold a request of 1048576 bytes"),
    ({"drive": drive(buffer_bytes=2**20)}, "buffer_bytes must be >= 1052672 .*, got 1048576"),
    ({"drive": drive(high_blocks=3.01)}, "high_blocks must be >= 3.03125, .*, got 3.01"),
    ({"drive": "m600-256gb"}, "drive must be a Drive, .*, got 'm600-256gb'"),
    ({"duration_s": 1e9}, r"duration_s must be .* <= 1e\+07, got 1e\+09"),
    ({"drive": drive(channels=2**10), "duration_s": 8e6}, "duration_s must be < 2.* 2 dies"),
    ({"drive": drive(blocks_per_plane=25)}, "blocks_per_plane must be >= 30 .*, got 25"),
    ({"drive": drive(user_bytes=2**50, pages_per_block=2**14, blocks_per_plane=2**22)},
     "blocks_per_plane must be >= 2097158 .*, and <= 16384 .*, got 4194304"),
    ({"drive": drive(pages_per_block=2**18)}, "pages_per_block .* 1048576 .* got 524288 prog"),
    ({"drive": drive(buffer_bytes=2**62)}, "buffer_bytes must be .* <= 68719476736, got 46"),
    ({"workload": Access(rate=1e9), "ios": 2**40}, "rate must make at most 67108864 .* got"),
    ({"workload": Access(rate=1e9), "ios": None, "duration_s": 1.0},
     "rate must make at most 67108864 requests arrive in a run, got 1000000000.0 a second"),
])  # fmt: skip
def test_bad_arguments_are_named(run, arguments, message):
    given = {"drive": drive(), "workload": READS, "ios": 10, **arguments}
    with pytest.raises(ValueError, match=message):
        run(**given)
