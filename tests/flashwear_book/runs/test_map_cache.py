"""The simulated map: the drive under it is the library's, and its cache keeps count."""

import numpy as np
import pytest

from flashwear import ftl, workloads
from flashwear_book.runs import map_cache

PAGES, ENTRIES = 16_384, 64


def simulated(slots, **options):
    given = {"workload": workloads.Uniform(), "read_share": 0.0, "fill": "in order"}
    return map_cache.simulated(PAGES, 0.2, 32, ENTRIES, slots, **given | options, seed=3)


@pytest.mark.parametrize("exponent", [0.0, 0.99])
def test_the_drive_writes_what_the_library_says_whatever_its_cache(exponent):
    load = workloads.Zipf(exponent) if exponent else workloads.Uniform()
    _, base, _ = simulated(20, workload=load)
    drive = ftl.State(PAGES, 0.2, pages_per_block=32)
    drive.run(np.arange(PAGES))
    stream, batch = load.stream(PAGES, seed=3), np.zeros(map_cache._BATCH, np.int64)
    marks = []
    for end in (5, 7):
        while drive.host_writes < end * PAGES:
            stream.fill(batch)
            drive.run(batch)
        marks.append((drive.host_writes, drive.flash_writes))
    host, flash = np.subtract(marks[1], marks[0])
    assert base == pytest.approx(flash / host, rel=1e-12)


def test_the_whole_map_misses_nothing_one_page_hits_twice_and_pages_written_are_written_back():
    found, base, _ = simulated(PAGES // ENTRIES)
    assert found == (1.0, 0.0, 0.0, 0.0, 1.0, base)
    found, _, _ = simulated(1)
    # one of 256 pages; a standard error of 3 in 10,000
    assert found.hit_ratio == pytest.approx(ENTRIES / PAGES, abs=0.0015)
    found, _, _ = simulated(20)
    # but for those in the cache at both ends
    assert found.writes_per_write == pytest.approx(found.reads_per_write, abs=40 / (2 * PAGES))
    mixed, _, _ = simulated(20, read_share=0.5)
    assert found.writes_per_write < mixed.writes_per_write < found.writes_per_write * 1.2
    assert mixed.reads_per_read == pytest.approx(1 - mixed.hit_ratio, rel=1e-12)
    ordered, apart = (simulated(20, workload=workloads.Zipf(0.99), fill=fill)[0]
                      for fill in ("in order", "random"))  # fmt: skip
    assert ordered.writes_per_write < 0.9 * apart.writes_per_write
