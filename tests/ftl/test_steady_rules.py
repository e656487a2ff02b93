"""The rules by which a run may call itself steady."""

import numpy as np
import pytest

from flashwear.ftl import simulate
from refusals import refusals


def drive(op=0.28, fill="sequential", warmup=0, length=10, stride=200):
    return simulate(20_000, op, pages_per_block=32, fill=fill, warmup_drive_writes=warmup,
                    drive_writes=length, history_stride=stride, seed=1)  # fmt: skip


@pytest.mark.parametrize("op", [0.1, 0.28, 0.5])
@pytest.mark.parametrize(("fill", "after"), [("sequential", 1.0), ("none", 0.0)])
def test_five_rounds_that_fit_the_blank_flash_pass_before_any_cleaning(op, fill, after):
    run = drive(op, fill, stride=20)
    plateau = run.state.op + (fill == "none")
    # the open and the free blocks are not written before cleaning starts: 2 %
    short, long = (run.steady_by("snia", round_drive_writes=factor * plateau / 5,
                                 after_drive_writes=after) for factor in (0.97, 1.5))  # fmt: skip
    assert short.reached
    assert short.drive_writes == pytest.approx(after + 0.97 * plateau)
    assert short.reason == "rounds 1 to 5 are steady"
    assert long.reached
    assert long.drive_writes > after + 2 * plateau


def test_halves_is_the_verdict_of_every_run_and_one_too_short_is_not_steady():
    for run in (drive(), drive(warmup=5)):
        assert run.steady_by("halves") == run.steady
    run = drive(length=3)
    verdict = run.steady_by("snia", round_drive_writes=1)
    assert not verdict.reached
    assert np.isnan(verdict.drive_writes)
    assert verdict.reason == "no five of 3 rounds in a row are steady"
    assert run.steady_by("snia", after_drive_writes=9).reason == "too short: no round was written"


test_bad_values_are_refused = refusals([
    ({"rule": "SNIA"}, "rule must be one of halves, snia, got 'SNIA'"),
    ({"round_drive_writes": 0}, "round_drive_writes must be a finite number > 0, got 0"),
    ({"round_drive_writes": 0.001}, "round_drive_writes must be >= 0.01, a step of the his"),
    ({"after_drive_writes": -1}, "after_drive_writes must be a finite number >= 0, got -1"),
], by=lambda options: drive(length=2).steady_by(**{"rule": "snia", **options}))  # fmt: skip
