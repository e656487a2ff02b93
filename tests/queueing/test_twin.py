"""The compiled queueing model against sums by hand, bottlenecks, and its own books."""

import numpy as np
import pytest

from flashwear import wa
from flashwear.drives import Drive
from flashwear.ftl import verify
from flashwear.queueing import requests as io
from flashwear.queueing import twin
from flashwear.queueing.twin import _setup
from flashwear.workloads import READ, TRIM, WRITE, Stream


def drive(**changes: object) -> Drive:
    """Return a drive of 2 dies and 20 superblocks of 32 map units, with parameters changed."""
    parameters = {
        "name": "tiny",
        "user_bytes": 416 * 4096,
        "dies": 2,
        "planes": 1,
        "page_bytes": 8192,
        "pages_per_block": 8,
        "blocks_per_plane": 20,
        "channels": 1,
        "channel_bytes_per_s": 200e6,
        "read_s": 50e-6,
        "program_s": (400e-6, 1200e-6),
        "erase_s": 3e-3,
        "link_bytes_per_s": 500e6,
        "buffer_bytes": 257 * 4096,
    }
    return Drive(**{**parameters, **changes})


def roomy(**changes: object) -> Drive:
    """Return a drive of 4 dies and 64 superblocks of 512 map units, 70 % of them the user's."""
    parameters = {
        "user_bytes": int(64 * 512 * 0.7) * 4096,
        "dies": 4,
        "planes": 2,
        "pages_per_block": 32,
        "blocks_per_plane": 64,
        "channels": 2,
        "suspend_s": 20e-6,
    }
    return drive(**{**parameters, **changes})


class _Words(Stream):
    def __init__(self, words: np.ndarray) -> None:
        self._words, self._next = words, 0

    def _fill(self, requests: np.ndarray) -> int:
        size = min(requests.size, self._words.size - self._next)
        requests[:size] = self._words[self._next : self._next + size]
        self._next += size
        return size


class Fixed(io.Access):
    """Requests given as rows of kind, first sector and sectors."""

    def __init__(self, rows: object, rate: float | None = None) -> None:
        super().__init__(rate=rate)
        kind, first, count = np.array(rows, np.int64).reshape(-1, 3).T
        words = first | count << io.COUNT_SHIFT | kind << io.KIND_SHIFT
        object.__setattr__(self, "words", words)

    def stream(self, user_bytes: int, seed: int) -> Stream:
        return _Words(self.words)


def mixed(size: int, user_units: int, seed: int = 0, largest: int = 40) -> Fixed:
    """Return reads, writes and trims of all sizes and offsets."""
    rng = np.random.default_rng(seed)
    kind = rng.choice([WRITE, TRIM, READ], size, p=[0.5, 0.1, 0.4])
    count = rng.integers(1, largest + 1, size)
    first = rng.integers(0, user_units * 8 - count + 1)
    return Fixed(np.column_stack((kind, first, count)))


def same(one: twin.Result, other: twin.Result) -> None:
    """Fail unless two results, of one machine, agree bit by bit in everything."""
    assert (one.ios, one.elapsed_s, one.counts) == (other.ios, other.elapsed_s, other.counts)
    assert (one.host_writes, one.copies) == (other.host_writes, other.copies)
    for name in ("per_second", "histogram", "completion_s", "latency_s", "kinds"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("busy_s", "wait_s", "jobs", "longest"):
        for kind, values in getattr(one, name).items():
            np.testing.assert_array_equal(values, getattr(other, name)[kind])
    np.testing.assert_array_equal(one.ftl.arrays.l2p, other.ftl.arrays.l2p)


def balanced(result: twin.Result) -> None:
    """Fail unless what a run counted adds up."""
    verify(result.ftl)
    done = ~np.isnan(result.completion_s)
    assert result.ios == done.sum() == result.histogram.sum() == result.per_second.sum()
    assert (result.latency_s[done] > 0).all()
    assert (result.completion_s[done] <= result.elapsed_s + 1e-12).all()
    for kind, busy in result.busy_s.items():
        assert (busy <= result.elapsed_s * (1 + 1e-12)).all(), kind
        assert (result.wait_s[kind] >= 0).all()
        assert ((result.longest[kind] > 0) | (result.jobs[kind] == 0)).all()
    kinds = np.bincount(result.kinds[done], minlength=3)
    np.testing.assert_array_equal(result.histogram.sum(axis=1), kinds)


VARIANTS = {
    "plain": {},
    "suspends": {"suspend_s": 10e-6},
    "in order": {"reads_first": False},
    "parity": {"stripe": 3, "blocks_per_plane": 30},
    "part of the map": {"map_cache_bytes": 4096, "user_bytes": 2300 * 4096, "blocks_per_plane": 96},
    "copies cost": {"copy_s": 3e-6},
    "map units cost": {"read_unit_s": 2e-6, "write_unit_s": 3e-6},
    "channels": {"channels": 2, "channel_overhead_s": 2e-6},
    "fifo": {"policy": "fifo"},
    "map unit of 3 sectors": {
        "map_bytes": 1536,
        "page_bytes": 4608,
        "buffer_bytes": 685 * 1536,
        "user_bytes": 624 * 1536,
    },
}


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_books_balance(changes: dict[str, object]) -> None:
    chosen = drive(**changes)
    load = mixed(6000, chosen.user_bytes // 4096)
    balanced(twin.run(chosen, load, queue_depth=7, ios=6000, record=True))
    result = twin.run(chosen, load, queue_depth=32, duration_s=0.1, record=True)
    balanced(result)
    assert result.elapsed_s == 0.1
    assert result.ios < 6000


def test_cleaning_under_every_kind_of_load() -> None:
    chosen = roomy(stripe=7, map_cache_bytes=4096 * 8)
    load = mixed(60_000, chosen.user_bytes // 4096)
    result = twin.run(chosen, load, ios=60_000, random_drive_writes=1.0, record=True)
    balanced(result)
    for name, count in result.counts.items():
        assert (count > 0) != (name in ("cache_programs", "slc_erases")), name
    assert result.copies > 0


def test_all_is_done_when_the_requests_end() -> None:
    rows = [(WRITE, 8 * page, 8) for page in range(100)]
    result = twin.run(drive(), Fixed(rows), duration_s=1.0, fill="none", record=True)
    balanced(result)
    assert result.host_writes == result.ftl.mapped_pages == 100
    assert result.counts["programs"] == 50
    assert result.elapsed_s == 1.0


@pytest.mark.parametrize("batch", [1, 7, 64, 1000])
def test_batches_cut_anywhere(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = drive()
    runs = []
    for size in (65_536, batch):
        for module in (twin, _setup):
            monkeypatch.setattr(module, "BATCH", size)
        load = mixed(3000, 416, seed=3)
        runs.append(twin.run(chosen, load, queue_depth=9, duration_s=5.0, record=True))
    same(*runs)
    assert runs[0].ios == 3000


def test_a_pool_that_grows_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = drive(stripe=3, blocks_per_plane=30)
    runs = []
    for margin in (_setup._margin, lambda plan: 600):
        monkeypatch.setattr(_setup, "_margin", margin)
        runs.append(twin.run(chosen, mixed(3000, 416), ios=3000, record=True))
    same(*runs)


def test_same_seed_same_run() -> None:
    chosen = roomy()
    access = io.Access(4096, read_share=0.5)
    runs = [twin.run(chosen, access, ios=5000, seed=s, record=True) for s in (1, 1, 2)]
    same(runs[0], runs[1])
    assert runs[0].elapsed_s != runs[2].elapsed_s


def test_one_read_takes_the_sum_of_its_services() -> None:
    chosen = drive(channel_overhead_s=3e-6, link_bytes_per_s=1e9)
    result = twin.run(chosen, Fixed([(READ, 8, 8)]), queue_depth=1, ios=1, record=True)
    # controller, die, channel (overhead, 4096 bytes at 200 MB/s), link (overhead, 4096 at 1 GB/s)
    expected = 5_000 + 50_000 + (3_000 + 20_480) + (1_000 + 4_096)
    assert result.latency_s[0] * 1e9 == pytest.approx(expected, abs=1e-3)
    assert result.busy_s["die"].sum() == pytest.approx(50e-6)
    assert result.counts["flash_reads"] == 1


def test_reads_of_neighbours_are_one_of_a_die() -> None:
    chosen = drive(link_bytes_per_s=1e9)
    result = twin.run(chosen, Fixed([(READ, 0, 32)]), queue_depth=1, ios=1, record=True)
    # four units on two dies at once; the second transfer waits for the first on the one channel
    expected = 5_000 + 50_000 + 2 * 2 * 20_480 + (1_000 + 4 * 4_096)
    assert result.latency_s[0] * 1e9 == pytest.approx(expected, abs=1e-3)
    assert result.counts["flash_reads"] == 2
    assert result.jobs["die"].tolist() == [1, 1]


def test_one_write_takes_link_and_controller() -> None:
    chosen = drive(link_bytes_per_s=1e9)
    result = twin.run(chosen, Fixed([(WRITE, 8, 8)]), queue_depth=1, ios=1, record=True)
    assert result.latency_s[0] * 1e9 == pytest.approx(1_000 + 4_096 + 5_000, abs=1e-3)


def test_a_write_of_a_part_reads_the_rest() -> None:
    chosen = drive(link_bytes_per_s=1e9)
    result = twin.run(chosen, Fixed([(WRITE, 9, 2)]), queue_depth=1, ios=1, record=True)
    expected = (1_000 + 1_024) + 5_000 + 50_000 + 20_480
    assert result.latency_s[0] * 1e9 == pytest.approx(expected, abs=1e-3)
    assert result.counts["modify_reads"] == 1


def test_a_lone_write_is_programmed_when_it_is_old() -> None:
    chosen = drive(buffer_age_s=1e-3)
    result = twin.run(chosen, Fixed([(WRITE, 8, 8)]), duration_s=0.01, fill="none", record=True)
    assert result.counts["programs"] == 1
    assert result.counts["padded"] == 1
    # after the age of 1 ms: transfer of two units and a program
    start = result.latency_s[0] + 1e-3
    late = twin.run(drive(), Fixed([(WRITE, 8, 8)]), duration_s=start - 1e-9, fill="none")
    assert late.counts["padded"] == 0
    assert late.jobs["channel"].sum() == 0


def test_data_are_read_from_the_buffer() -> None:
    rows = [(WRITE, 8, 8), (READ, 8, 8), (WRITE, 8, 8), (READ, 80, 8)]
    result = twin.run(drive(), Fixed(rows), queue_depth=1, ios=4, fill="none", record=True)
    assert result.counts["buffer_reads"] == 1
    assert result.counts["merged"] == 1
    assert result.counts["flash_reads"] == 0


def test_a_trim_takes_back_what_waits() -> None:
    rows = [(WRITE, 0, 8), (TRIM, 0, 8), (READ, 0, 8)]
    result = twin.run(drive(), Fixed(rows), queue_depth=1, duration_s=0.1, fill="none", record=True)
    balanced(result)
    assert result.ftl.mapped_pages == result.host_writes == result.counts["buffer_reads"] == 0
    assert result.counts["padded"] == 2


def test_a_trim_leaves_units_that_it_covers_in_part() -> None:
    result = twin.run(drive(), Fixed([(TRIM, 7, 10)]), queue_depth=1, ios=1, record=True)
    balanced(result)
    assert result.ftl.mapped_pages == 415


FAST = {
    "read_s": 1e-6,
    "channel_bytes_per_s": 1e10,
    "link_bytes_per_s": 1e10,
    "read_command_s": 1e-6,
    "dies": 1,
    "pages_per_block": 16,
}


@pytest.mark.parametrize(
    ("slow", "station"),
    [
        ({"link_overhead_s": 100e-6}, "link"),
        ({"read_command_s": 100e-6}, "controller"),
        ({"channel_overhead_s": 100e-6}, "channel"),
        ({"read_s": 100e-6}, "die"),
    ],
)
def test_the_bottleneck_sets_the_rate(slow: dict[str, float], station: str) -> None:
    chosen = drive(**{**FAST, **slow})
    load = io.Access(4096, read_share=1.0)
    one = twin.run(chosen, load, queue_depth=1, ios=1)
    many = twin.run(chosen, load, queue_depth=32, ios=3000)
    service = one.busy_s[station].sum()
    # the first request reaches the station and the last one leaves it as if alone
    assert many.elapsed_s == pytest.approx(one.elapsed_s + 2999 * service, abs=1e-9)
    assert many.bottleneck == station
    assert many.utilisation[station].max() > 0.999
    assert many.longest[station].max() <= 32


def test_the_buffer_fills_and_recovers() -> None:
    chosen = roomy(read_command_s=100e-6, program_s=(3e-3,))
    rng = np.random.default_rng(5)
    pages = rng.permutation(chosen.user_bytes // 4096)[:6400] * 8
    rows = np.column_stack((np.zeros_like(pages), pages, np.full_like(pages, 8)))
    rows[3000:6000, 0] = READ
    result = twin.run(chosen, Fixed(rows), ios=6400, queue_depth=4, record=True)
    balanced(result)
    latency = result.latency_s
    fast = np.median(latency[:100])
    # 257 units of buffer, then 16 units, 4 of each die, for each time that a program takes
    rate = 2000 / np.ptp(result.completion_s[1000:3000])
    assert rate == pytest.approx(16 / 3e-3, rel=0.03)
    assert latency[1000:3000].mean() > 10 * fast
    assert np.median(latency[6100:6250]) == pytest.approx(fast, rel=0.01)


def test_open_loop_latency_counts_from_arrival() -> None:
    chosen = drive(**FAST)
    service = 2e-6 + 4096 / 1e10
    slow = twin.run(chosen, io.Access(4096, read_share=1.0, rate=1e3), ios=2000, record=True)
    balanced(slow)
    alone = twin.run(chosen, io.Access(4096, read_share=1.0), queue_depth=1, ios=1, record=True)
    assert np.median(slow.latency_s) == pytest.approx(alone.latency_s[0], abs=1e-9)
    assert slow.elapsed_s == pytest.approx(2.0, rel=0.1)
    # twice what one slot can take: the backlog grows
    over = io.Access(4096, read_share=1.0, rate=2 / alone.latency_s[0])
    fast = twin.run(chosen, over, queue_depth=1, ios=2000, record=True)
    assert fast.latency_s[-1] > 0.9 * 1000 * alone.latency_s[0] > service
    assert (np.diff(fast.completion_s) > 0).all()


@pytest.mark.parametrize("end", [{"ios": 300}, {"duration_s": 2.5}])
def test_progress_changes_nothing(end: dict[str, float]) -> None:
    load = io.Access(4096, rate=100.0)
    runs = [twin.run(drive(), load, record=True, progress=shown, **end) for shown in (False, True)]
    same(*runs)
    assert runs[0].per_second.size == int(runs[0].elapsed_s) + 1


def test_long_gaps_are_passed_over() -> None:
    rows = [(READ, 0, 8)] * 3
    run = twin.run(drive(), Fixed(rows, rate=0.01), ios=3, record=True)
    balanced(run)
    assert run.elapsed_s > 10
    assert run.per_second.size == int(run.elapsed_s) + 1


def test_think_time_lies_between_requests() -> None:
    load = io.Access(4096, read_share=1.0)
    run = twin.run(drive(), load, queue_depth=1, ios=10, think_s=1e-3, record=True)
    np.testing.assert_allclose(
        np.diff(run.completion_s), run.latency_s[1:] + 1e-3, rtol=0, atol=1e-9
    )


def test_steady_write_amplification_is_that_of_greedy() -> None:
    chosen = roomy(high_blocks=4.0)
    user = chosen.user_bytes // 4096
    run = twin.run(chosen, io.Access(4096), ios=4 * user, random_drive_writes=4.0, seed=4)
    verify(run.ftl)
    # Blocks kept free or open are no spare space: between 2 (kept from the host) and 4 free, and
    # two open. Merging and the few blocks leave a few percent beside that.
    most = wa.greedy((64 - 4) * 512 / user - 1, 512)
    least = wa.greedy(64 * 512 / user - 1, 512)
    assert 0.97 * least < run.wa < 1.06 * most
    assert run.bottleneck == "die"
    assert run.counts["copy_programs"] * 4 == pytest.approx(run.copies, rel=0.01)


BAD = {
    "no sectors": ((READ, 0, 0), "of 1 to 2048 sectors"),
    "too many": ((READ, 0, 2049), "of 1 to 2048 sectors"),
    "out of range": ((WRITE, 416 * 8 - 1, 2), "within 3328 sectors"),
    "unknown kind": ((3, 0, 1), "writes, trims or reads"),
}


@pytest.mark.parametrize(("row", "message"), BAD.values(), ids=BAD)
def test_bad_requests(row: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        twin.run(drive(), Fixed([(READ, 0, 8), row]), ios=2)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"duration_s": -1.0}, "duration_s"),
        ({"duration_s": 0.0}, "duration_s"),
        ({}, "duration_s"),
        ({"ios": 0}, "ios"),
        ({"ios": 1, "think_s": -1e-6}, "think_s"),
        ({"ios": 1, "queue_depth": 0}, "queue_depth"),
        ({"ios": 1, "fill": "random"}, "fill"),
        ({"ios": 1, "random_drive_writes": -1}, "random_drive_writes"),
        ({"ios": 1, "span": 0}, "span"),
        ({"ios": 1, "seed": -1}, "seed"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        twin.run(drive(), io.Access(4096), **arguments)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"buffer_bytes": 4096}, "buffer_bytes"),
        ({"dies": 1, "pages_per_block": 1, "blocks_per_plane": 300}, "pages_per_block"),
        ({"user_bytes": 600 * 4096}, "blocks_per_plane"),
    ],
)
def test_drives_that_are_too_small(changes: dict[str, object], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        twin.run(drive(**changes), io.Access(4096), ios=1)
