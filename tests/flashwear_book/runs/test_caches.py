"""Studies of drives with an SLC cache: conservation of cells, and what rest gives back."""

import numpy as np
import pytest

from flashwear import drives
from flashwear.predict import TESTS
from flashwear.queueing import work
from flashwear_book.runs import caches

SCALE = 1 / 64


@pytest.mark.parametrize("drive", ["m600-128gb", "m600-256gb", "mx200-250gb", "mx300-750gb"])
def test_the_first_stage_ends_where_the_cells_in_one_bit_mode_are_full(drive):
    found = caches.sweep(drive, "as modelled", SCALE, seed=0)
    stretch = drives.load(drive).user_bytes / 400e9
    assert found["stage_gb"] == pytest.approx(found["cached_gb"], abs=2 * stretch)


@pytest.mark.parametrize("variant", ["as modelled", "45 % of the cells"])
def test_stages_follow_from_conservation_of_cells(variant):
    drive = caches.chosen("m600-128gb", variant)
    found = caches.sweep("m600-128gb", variant, SCALE, seed=0)
    speed = found["speed"]
    # past the cache the rest of the blocks but the reserve is written directly
    reserve = drive.high_blocks / drive.superblocks
    direct = (1 - drive.cache_share - reserve) * drive.raw_bytes / 1e9
    end = 400 * (found["cached_gb"] + direct) / drive.user_bytes * 1e9
    program = drive.dies * drive.planes * drive.page_bytes / np.mean(drive.program_s) / 1e6
    last = speed[round(end) + 5 :]
    folding = TESTS["folding write"].work_on(drive).seconds(work.times_of(drive)).max()
    assert last.mean() == pytest.approx(0.131072 / folding, rel=0.1)  # one byte for one written
    middle = speed[round(400 * found["stage_gb"] * 1e9 / drive.user_bytes) + 5 : round(end) - 5]
    assert middle.mean() == pytest.approx(program, rel=0.02)


def test_rest_gives_a_cache_back_and_a_cache_changes_the_first_minutes_alone():
    at_once, rested = (caches.trim("as modelled", idle, SCALE, seed=0) for idle in (0.0, 60.0))
    empty = caches.sweep("m600-128gb", "as modelled", SCALE, seed=0)
    assert rested["stage_gb"] == pytest.approx(empty["stage_gb"], rel=0.02)
    assert at_once["fast_gb"] < 0.1 * rested["fast_gb"]
    rested = {(drive, fill): caches.burst(drive, fill, 3600.0, SCALE, seed=0)["fast_gb"]
              for drive in ("m600-128gb", "840-evo-250gb") for fill in (0.3, 0.9)}  # fmt: skip
    assert rested["840-evo-250gb", 0.3] == pytest.approx(rested["840-evo-250gb", 0.9], abs=0.5)
    assert rested["840-evo-250gb", 0.9] == pytest.approx(3.0, abs=1)
    assert rested["m600-128gb", 0.3] > 3 * rested["m600-128gb", 0.9]
    cached, none = (caches.consistency("m600-256gb", variant, SCALE, seed=0)
                    for variant in ("as modelled", "no cache"))  # fmt: skip
    assert cached["mean"] == pytest.approx(none["mean"], rel=0.05)
    assert cached["first"] < 0.7 * none["first"]
