"""Simulated lives: what a wear history counts, and when it ends."""

import numpy as np
import pytest

from flashwear.ftl import verify
from flashwear_book.runs.wearing import CASES, HALF_AT_REST, wear, wear_out
from refusals import refusals


def test_a_history_adds_up_to_the_drive():
    drive, history = wear("uniform", until=30, blocks=128)
    verify(drive)
    last = history.iloc[-1]
    assert last.mean_erases == drive.erases.mean() >= 30
    assert last.most_erases == drive.erases.max()
    assert history.mean_erases.iloc[-2] < 30
    assert last.drive_writes == drive.host_writes / drive.user_pages
    steps = np.diff(history.drive_writes, prepend=1.0)  # the fill has no row
    written = (history.wa * steps).sum() + 1
    assert written * drive.user_pages == pytest.approx(drive.flash_writes)


def test_a_life_ends_with_the_last_spare_block_and_the_same_seed_is_the_same_life():
    drive, history = wear("uniform", cycles=40, spread=0.1, blocks=128)
    assert drive.worn_out
    assert history.good.iloc[-1] == drive.blocks - drive.retired_blocks
    assert history.spare.iloc[-1] == 0
    assert (np.diff(history.good) <= 0).all()
    assert history.spare.iloc[0] - history.spare.iloc[5] == history.good.iloc[0] - history.good[5]
    drive, _ = wear("uniform", cycles=20, blocks=128)
    assert drive.erases.max() == 20
    once, again, other = (
        wear_out("JESD219", 0.1, cycles=30, blocks=128, lives=2, seed=seed) for seed in (3, 3, 4)
    )
    assert once == again != other


def test_levelling_evens_data_at_rest_and_only_a_frontier_of_their_own_keeps_it_cheap():
    wlf, amplification = {}, {}
    for name in ("half at rest", "half at rest, levelled, shared", "half at rest, levelled, apart"):
        load, options = CASES[name]
        assert load is HALF_AT_REST
        drive, history = wear(load, until=60, blocks=256, **options)
        wlf[name] = drive.erases.max() / drive.erases.mean()
        amplification[name] = history.wa.iloc[len(history) // 2 :].mean()
    none, shared, apart = wlf
    assert wlf[shared] < 1.2 > wlf[apart]
    assert wlf[none] > 1.5
    assert amplification[apart] < 1.15 * amplification[none]
    assert amplification[shared] > 1.4 * amplification[none]


test_bad_input_is_named = refusals([
    (lambda: wear("uniform"), "until must be finite unless cycles is given, got inf"),
    (lambda: wear("uniform", until=0), "until must be .* > 0, got 0"),
    (lambda: wear("uniform", until=np.nan), "until must be .* got nan"),
    (lambda: wear("uniform", cycles=0.5), "cycles must be .* >= 1, got 0.5"),
    (lambda: wear("uniform", cycles=20, spread=1.5), "spread must be .* <= 1, got 1.5"),
    (lambda: wear_out("mixed", 0.1, cycles=30, blocks=128, lives=1, seed=0),
     "case must be one of uniform; .* got 'mixed'"),
])  # fmt: skip
