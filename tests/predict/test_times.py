"""The times of drives by the fit."""

import numpy as np
import pytest

from flashwear import drives, predict
from flashwear.predict._speeds import fitted
from refusals import refusals

M600 = drives.load("m600-256gb", calibrated=False)


def test_times_are_those_of_the_kept_table_and_without_a_line_its_figures_play_no_part():
    found = predict.times(M600)
    drive = drives.load("m600-256gb")
    for time in ("read_command_s", "write_unit_s", "slc_program_s"):
        assert found.value[time] == pytest.approx(getattr(drive, time), rel=1e-3)
    assert (found.low < found.value).all()
    assert (found.value < found.high).all()
    assert predict.calibrated(M600).program_s == pytest.approx(drive.program_s, rel=1e-3)
    blind = predict.times(M600, without="m600")
    assert not blind.equals(predict.times(M600))
    assert blind.equals(predict.times(M600, without="m600"))
    names = {name[2] for name in fitted("m600").names if name[1] == "line"}
    assert "m600" not in names


def test_drives_share_a_draw_of_what_they_have_in_common_and_what_figures_tell_is_known():
    small, large = (
        predict.draws_of_times(drives.load(f"m600-{size}gb"), 1000) for size in (256, 1024)
    )
    assert set(small) - set(large) == {"slc_program_s"}
    for time, values in large.items():
        np.testing.assert_allclose(small[time], values, rtol=1e-12)
    other = predict.draws_of_times(drives.load("mx100-256gb"), 1000)
    np.testing.assert_allclose(other["program_s"], large["program_s"], rtol=1e-12)
    assert not np.allclose(other["write_unit_s"], large["write_unit_s"], rtol=1e-3)
    # a controller in common, but lines of their own
    assert 0.1 < np.corrcoef(np.log(other["write_unit_s"]), np.log(large["write_unit_s"]))[0, 1] < 1
    found = predict.times(drives.load("m600-1024gb"))
    width = np.log(found.high / found.low)
    assert width["write_unit_s"] < 0.4  # limits writes in order and at random
    alone = predict.times(drives.assemble(
        controller=None, channels=8, flash="micron-16nm-mlc-128gbit", dies=16,
        user_bytes=256_000_000_000, link_bytes_per_s=5.7e8, link_overhead_s=1e-6,
        queue_limit=32))  # fmt: skip
    assert np.log(alone.high / alone.low)["write_unit_s"] > 2 * width["write_unit_s"]


@pytest.mark.parametrize("key", ["bx300-240gb", "850-evo-500gb", "m600-256gb"])
def test_a_time_at_the_mode_is_near_the_median_of_draws(key):
    drive = drives.load(key, calibrated=False)
    at_mode = predict.times_by(fitted(None), drive)
    medians = predict.times(drive).value
    assert set(at_mode) == set(medians.index)
    # of 2,000 draws, the median of what is known to a factor of 3 has an error of 3 %; a part that
    # the fit has not seen once gave one second for a program of a millisecond
    for time, seconds in at_mode.items():
        assert seconds == pytest.approx(medians[time], rel=0.2)


test_what_cannot_be_asked_is_refused = refusals([
    (lambda: predict.times("m600-256gb"), "drive must be a Drive"),
    (lambda: predict.times(M600, without="x"), "without must be a line with figures"),
    (lambda: predict.draws_of_times(M600, 0), "draws must be a whole number >= 1"),
    (lambda: predict.draws_of_times(M600, 10, seed=-1), "seed must be a whole number >= 0"),
])  # fmt: skip
