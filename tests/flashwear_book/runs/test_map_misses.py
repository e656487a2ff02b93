"""A map that is not held, by hand and in the limits."""

import pytest

from flashwear import drives
from flashwear.queueing import bounds
from flashwear.queueing.requests import Access
from flashwear_book.runs.map_misses import written_back


def test_what_is_lost_by_hand_and_more_if_less_is_held():
    drive = drives.load("m600-1024gb")
    at = bounds.bound(drive, Access(4096))
    assert at.bottleneck == "controller"
    # for every page that is written or copied the controller handles a page of the map twice
    more = at.wa * (drive.read_unit_s + drive.write_unit_s)
    needed = at.demands["controller"]
    assert written_back("m600-1024gb", 1.0) == pytest.approx(1 - needed / (needed + more))
    losses = [written_back("m600-256gb", part) for part in (0.0, 0.25, 0.5, 1.0)]
    assert losses[0] == 0
    assert losses == sorted(losses)
    assert losses[-1] < 1
    with pytest.raises(ValueError, match="missing must be"):
        written_back("m600-256gb", 1.5)
