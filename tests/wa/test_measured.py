"""The closed forms beside a drive of 2022 that counts its flash writes."""

import numpy as np
import pytest
from scipy.optimize import brentq

from flashwear import wa
from flashwear_book import tables

TABLE = tables.measured_wa()
RANDOM = TABLE[(TABLE.drive == "Micron 7450 MAX 800GB") & (TABLE.load == "random")]
IN_ORDER = TABLE[(TABLE.drive == "Micron 7450 MAX 800GB") & (TABLE.load == "in order")]
FACTOR = IN_ORDER.groupby("run").wa.mean().mean()
RUNS = dict(list(RANDOM.groupby("run")))


def settled(run):
    return run[run.fills > 0.7 * run.fills.max() + 0.01].wa.mean()


def flash_gib():
    """The flash by the largest part alone, where write amplification tells most of it."""
    largest = max(RUNS.values(), key=lambda run: run.span_gib.iloc[0])
    span = largest.span_gib.iloc[0]
    return brentq(lambda p: FACTOR * wa.fifo(p / span - 1) - settled(largest), 800, 1600)


@pytest.mark.parametrize("run", RUNS.values(), ids=list(RUNS))
def test_one_flash_gives_the_settled_level_of_every_part_and_the_equation_the_course(run):
    # the drive repeats itself within 0.2 %, and its factor in order scatters by 0.4 %
    formula = FACTOR * wa.fifo(flash_gib() / run.span_gib.iloc[0] - 1)
    assert formula == pytest.approx(settled(run), rel=0.01)
    programmed = np.linspace(0, 12, 6001)
    path = wa.after_fill(flash_gib() / run.span_gib.iloc[0] - 1, programmed)
    fills = np.concatenate([[0], run.fills])
    at = np.interp(fills, path.drive_writes, programmed)
    off = FACTOR * np.diff(at) / np.diff(fills) / run.wa - 1
    # a step between the two levels is off by 2 to 9 %
    assert np.sqrt((off**2).mean()) < 0.012
    assert off.abs().max() < 0.06


# Another maker's drive, full: its level gives its flash, so only the shape of the course can fail.
# Agreement was to be less than 2.5 % off (root mean square), set in cfd2b64 before any comparison.
# It is 5.1 % after a fill in order and 3.3 % after a shuffled one, all of it in the two tenths in
# which the drive begins to clean.
SOLIDIGM = TABLE[TABLE.drive == "Solidigm P5520 1.92TB"]


def solidigm(fill):
    """Return a run's course, and what the equation and a step say, by its level and its fill."""
    log = SOLIDIGM[SOLIDIGM.log.isin(SOLIDIGM[SOLIDIGM.load == fill].log)]
    run, factor = log[log.load == "random"], log[log.load == fill].wa.mean()
    op = wa.op_for(settled(run) / factor)
    programmed = np.linspace(0, 20, 10_001)
    path = wa.after_fill(op, programmed)
    fills = np.concatenate([[0], run.fills])
    at = np.interp(fills, path.drive_writes, programmed)
    level = settled(run) / factor
    step = np.diff(np.minimum(fills, op) + level * np.maximum(fills - op, 0))
    told = factor * np.diff(at) / np.diff(fills)
    return run.wa.to_numpy(), told, factor * step / np.diff(fills)


def rms(told, seen):
    return np.sqrt(np.mean((told / seen - 1) ** 2))


@pytest.mark.parametrize("fill", ["in order", "in order, shuffled"])
def test_a_second_maker_has_the_course_after_a_fill_but_for_the_start_of_cleaning(fill):
    seen, told, step = solidigm(fill)
    rest = np.r_[0, 3 : seen.size]
    # the level is fitted to the last twelve tenths, which scatter by 0.2 %; the dip and the echo
    # before these are 10 % and 4 % of it
    np.testing.assert_allclose(told[rest], seen[rest], rtol=0.015)
    assert np.abs(step / seen - 1)[rest].max() > 0.1
    assert told[1] < 0.85 * seen[1]
    assert rms(told, seen) < rms(step, seen)
