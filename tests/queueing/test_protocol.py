"""A test as data: what it holds, and what it refuses before anything is run."""

import numpy as np
import pytest
from small_drives import drive

from flashwear.queueing.protocol import Protocol, to_settle
from flashwear.queueing.requests import Access
from refusals import refusals

ACCESS = Access(4096)


def test_it_holds_numbers_of_python_and_without_one_writes_until_the_drive_has_settled():
    seconds, numbers = np.array(25.0), {"depth": np.int32(3), "span_bytes": np.float32(2**20)}
    test = Protocol(access=ACCESS, seconds=seconds, random_drive_writes=np.int64(2), **numbers)
    seconds[...] = 1.0
    plain = {"depth": 3, "seconds": 25.0, "span_bytes": 2.0**20, "random_drive_writes": 2.0}
    assert test == Protocol(access=ACCESS, **plain)
    assert {type(value) for value in vars(test).values()} == {Access, int, float, str}
    assert hash(test)
    some, until = drive(), Protocol(access=ACCESS, random_drive_writes=None)
    assert until.drive_writes_on(some) == to_settle(some)
    assert Protocol(access=ACCESS, random_drive_writes=1).drive_writes_on(some) == 1.0


test_what_no_run_takes_is_refused_at_once = refusals([
    ({"access": "random"}, "access must be an Access, got 'random'"),
    ({"depth": 65537}, "depth must be a whole number >= 1 and <= 65536, got 65537"),
    ({"seconds": 0}, "seconds must be .*> 0.*, got 0"),
    ({"span_bytes": -1}, "span_bytes must be .*> 0.*, got -1"),
    ({"fill": "all"}, "fill must be one of drive, span, none, got 'all'"),
    ({"random_drive_writes": 1001}, "random_drive_writes must be .*<= 1000.*, got 1001"),
    ({"think_s": 3601}, "think_s must be .*<= 3600.*, got 3601"),
    ({"think_s": [1.0, 2.0]}, r"think_s must be .*, got"),
], by=lambda wrong: Protocol(**{"access": ACCESS} | wrong))  # fmt: skip


@pytest.mark.parametrize("ask", [Protocol(access=ACCESS).drive_writes_on, to_settle])
@pytest.mark.parametrize("wrong", ["m600-256gb", None])
def test_what_is_no_drive_is_refused_by_name(ask, wrong):
    with pytest.raises(ValueError, match="drive must be a Drive"):
        ask(wrong)
