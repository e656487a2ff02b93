"""The study of power cuts: a smaller drive, and means over cuts by hand."""

import numpy as np
import pandas as pd
import pytest

from flashwear import drives
from flashwear_book.runs import power


def test_a_part_of_a_drive_has_its_dies_rates_and_spare_flash():
    whole = drives.load("m600-256gb")
    for superblocks, rows in ((40, 64), (60, 128)):
        small = power.part(whole, superblocks, rows)
        assert (small.blocks_per_plane, small.pages_per_block) == (superblocks, rows)
        assert (small.dies, small.planes, small.read_s) == (whole.dies, whole.planes, whole.read_s)
        used = small.raw_bytes * (superblocks - whole.high_blocks - 2) / superblocks
        share = whole.user_bytes / whole.raw_bytes
        assert small.user_bytes == pytest.approx(used * share, abs=whole.map_bytes)
        assert small.user_bytes % whole.map_bytes == 0
        cached = power.cached(small, "all writes")
        assert cached.superblocks == superblocks + cached.cache_own_blocks
        assert cached.user_bytes == small.user_bytes
        assert not power.cached(small, "none").has_cache


def test_means_over_cuts_by_hand(monkeypatch):
    asked = {}

    def losses(drive, access, instants, **options):
        asked.update(options, drive=drive, access=access, instants=instants)
        rows = {"protection": ["lower", "none"] * 4, "older": [16, 16, 0, 0, 8, 8, 0, 0],
                "slc": [4.0, 4.0, 0, 0, 0, 0, 0, 0], "held": [2048.0] * 8,
                "in_flight": [0, 1024.0] * 4, "at_rest": [0, 512.0] * 4,
                "flushed": [0, 1, 0, 0, 0, 1, 0, 0]}  # fmt: skip
        return pd.DataFrame(rows)

    monkeypatch.setattr(power.powercut, "losses", losses)
    found = power.power_cuts("light", "none", 5.0, 400, seed=3)
    drive = asked["drive"]
    assert drive.dies == 16
    program = drive.planes * drive.page_bytes / 1024
    assert found == pytest.approx({
        "upper": 6 / 16, "slc": 1 / 16, "held": 2, "older": 6 * program,
        "in_flight_none": 1, "at_rest_none": 0.5, "hit_none": 0.5,
        "in_flight_lower": 0, "at_rest_lower": 0, "hit_lower": 0,
    })  # fmt: skip
    assert (asked["flush_s"], asked["seed"], asked["queue_depth"]) == (0.005, 3, 32)
    assert asked["access"].rate == 1000
    instants = np.asarray(asked["instants"])
    assert instants.size == 400
    assert instants[0] == pytest.approx(1.004, abs=0.04)
    assert np.diff(instants).mean() == pytest.approx(0.004, rel=0.2)
    power.power_cuts("in order", "all writes", 0.0, 1, seed=4)
    assert (asked["flush_s"], asked["queue_depth"]) == (None, 1)
    assert asked["drive"].cache_own_blocks > 0
    for change, message in (({"flush_ms": -1}, "flush_ms"), ({"cuts": 0}, "cuts"),
                            ({"load": "no"}, "load"), ({"cache": "no"}, "cache")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            power.power_cuts(
                **{"load": "light", "cache": "none", "flush_ms": 5.0, "cuts": 1, "seed": 1} | change
            )
