"""The compiled queueing model against its own books; test_equality and test_laws hold the rest."""

import numpy as np
import pytest
import small_drives
from test_equality import assert_same, balanced

from flashwear.drives import Drive
from flashwear.queueing import requests as io, twin
from flashwear.queueing.twin import _setup
from flashwear.workloads import READ, TRIM, WRITE, Stream


def drive(**changes: object) -> Drive:
    """Return a drive of 2 dies and 20 superblocks of 32 map units, with parameters changed."""
    parameters = {"name": "tiny", "user_bytes": 416 * 4096, "dies": 2, "planes": 1,
                  "page_bytes": 8192, "pages_per_block": 8, "blocks_per_plane": 20, "channels": 1,
                  "channel_bytes_per_s": 200e6, "read_s": 50e-6, "program_s": (400e-6, 1200e-6),
                  "erase_s": 3e-3, "link_bytes_per_s": 500e6,
                  "buffer_bytes": 257 * 4096}  # fmt: skip
    return Drive(**{**parameters, **changes})


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


def test_cleaning_under_every_kind_of_load() -> None:
    chosen = small_drives.drive(stripe=7, map_cache_bytes=4096, suspend_s=20e-6, copies_per_die=2)
    load = mixed(30_000, chosen.user_bytes // 4096)
    result = twin.run(chosen, load, ios=30_000, random_drive_writes=1.0, record=True)
    balanced(result)
    for name, count in result.counts.items():
        assert (count > 0) != (name in ("cache_programs", "slc_erases")), name
    assert result.copies > 0


def test_all_is_done_when_the_requests_end_and_long_gaps_are_passed_over():
    rows = [(WRITE, 8 * page, 8) for page in range(100)]
    result = twin.run(drive(), Fixed(rows), duration_s=1.0, fill="none", record=True)
    balanced(result)
    assert result.host_writes == result.ftl.mapped_pages == 100
    assert result.counts["programs"] == 50
    assert result.elapsed_s == 1.0
    rows = [(READ, 0, 8)] * 3
    run = twin.run(drive(), Fixed(rows, rate=0.01), ios=3, record=True)
    balanced(run)
    assert run.elapsed_s > 10
    assert run.per_second.size == int(run.elapsed_s) + 1


@pytest.mark.parametrize("batch", [1, 64, 1000])
def test_batches_cut_anywhere_and_a_larger_pool_change_nothing(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = drive(stripe=3, blocks_per_plane=30)
    runs = []
    for size, margin in ((65_536, _setup._margin), (batch, lambda plan: 600)):
        for module in (twin, _setup):
            monkeypatch.setattr(module, "BATCH", size)
        monkeypatch.setattr(_setup, "_margin", margin)
        load = mixed(3000, 416, seed=3)
        runs.append(twin.run(chosen, load, queue_depth=9, duration_s=5.0, record=True))
    assert_same(*runs)
    assert runs[0].ios == 3000


def test_a_trim_takes_back_what_waits_and_leaves_units_that_it_covers_in_part():
    rows = [(WRITE, 0, 8), (TRIM, 0, 8), (READ, 0, 8)]
    result = twin.run(drive(), Fixed(rows), queue_depth=1, duration_s=0.1, fill="none", record=True)
    balanced(result)
    assert result.ftl.mapped_pages == result.host_writes == result.counts["buffer_reads"] == 0
    assert result.counts["padded"] == 2
    result = twin.run(drive(), Fixed([(TRIM, 7, 10)]), queue_depth=1, ios=1, record=True)
    balanced(result)
    assert result.ftl.mapped_pages == 415


@pytest.mark.parametrize("end", [{"ios": 300}, {"duration_s": 2.5}])
def test_progress_changes_nothing(end: dict[str, float]) -> None:
    load = io.Access(4096, rate=100.0)
    runs = [twin.run(drive(), load, record=True, progress=shown, **end) for shown in (False, True)]
    assert_same(*runs)
    assert runs[0].per_second.size == int(runs[0].elapsed_s) + 1


def test_a_request_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="within 3328 sectors"):
        twin.run(drive(), Fixed([(READ, 0, 8), (WRITE, 416 * 8 - 1, 2)]), ios=2)
