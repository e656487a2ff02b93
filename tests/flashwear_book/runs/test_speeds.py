"""Studies of speed: what they count, and what they draw from the bands."""

import numpy as np
import pytest

from flashwear import drives, predict
from flashwear_book.protocols import RATINGS
from flashwear_book.runs import speeds

SCALE = 1 / 128
# each draw makes all 40 and takes its own
DRAWS = pytest.mark.parametrize(
    "draws", [[0, 1, 17, 39], pytest.param(range(40), marks=pytest.mark.proof)], ids=["some", "all"]
)


def test_a_run_of_consistency_is_summed_up_as_it_was():
    found = speeds.consistency("m600-1024gb", "default", SCALE, seed=0)
    iops = found["iops"]
    assert iops.size == 2_000
    assert found["mean"] == pytest.approx(iops[-400:].mean(), abs=1)
    assert found["steadiness"] == pytest.approx(iops[-400:].mean() / iops[-400:].std(), rel=0.01)
    assert found["first"] > 2 * found["mean"]
    cliff = int(found["cliff_s"])
    high = 0.75 * found["first"]
    assert (iops[cliff - 1 : cliff + 19] < high).all()
    assert iops[cliff - 2] >= high


def test_a_quarter_left_unwritten_is_faster_and_a_map_held_in_part_costs_little():
    whole, raw, user = (speeds.consistency("mx200-500gb", spare, SCALE, seed=0)
                        for spare in ("default", "25 % of raw", "25 % of user"))  # fmt: skip
    assert whole["span"] == 1 > raw["span"] > user["span"] == 0.75
    assert whole["mean"] < raw["mean"] < user["mean"]
    whole, half = (
        speeds.one_terabyte("m600-256gb", 30.0, held, SCALE)["steady"] for held in (1.0, 0.5)
    )
    assert half == pytest.approx(whole, rel=0.1)


def test_draws_lie_in_the_bands_and_are_shared_by_drives():
    small, large = (
        [speeds.drawn(drive, draw) for draw in range(40)] for drive in ("m600-256gb", "m600-1024gb")
    )
    # all bands that both have are alike, but for those of their DRAM
    assert [{name: draw[name] for name in large[0]} for draw in small] == large
    table = drives.parameters("m600-256gb").set_index("parameter")
    for name in small[0]:
        assert table.origin[name] == "assumed"
    waits = np.array([draw["buffer_age_s"] for draw in small])
    assert ((waits >= 1e-3) & (waits <= 0.1)).all()
    assert waits.std() > 0.02
    assert {draw["policy"] for draw in small} == {"greedy", "fifo"}


@DRAWS
def test_draws_come_from_a_fit_that_has_not_seen_the_line(draws):
    drive = drives.load("m600-256gb")
    blind, seen = (predict.draws_of_times(drive, 40, without=line) for line in ("m600", None))
    drawn = [speeds.times_of("m600-256gb", draw)["write_unit_s"] for draw in draws]
    assert drawn == pytest.approx(blind["write_unit_s"][draws], rel=1e-12)
    assert drawn != pytest.approx(seen["write_unit_s"][draws], rel=1e-3)
    alone = drives.load("s3500-480gb")  # no figure of its line is in the fit
    first = predict.draws_of_times(alone, 40)["read_s"][0]
    assert speeds.times_of("s3500-480gb", 0)["read_s"] == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize("case", RATINGS)
def test_ratings_are_rows_of_a_sweep(case):
    found = speeds.rating("m500dc-480gb", case, SCALE, seed=0)
    assert found["log_iops"] == pytest.approx(np.log(found["iops"]), rel=1e-12)
    assert found["bottleneck"] in ("link", "controller", "channel", "die")
    if "write" in case:
        assert (found["wa"] > 1.3) == (case == "random write, steady")
