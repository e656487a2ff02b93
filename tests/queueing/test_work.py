"""Counts of what a request needs: with the drive's times they are its demands."""

from dataclasses import replace

import numpy as np
import pytest
from small_drives import READS, US, WRITES, drive

from flashwear.queueing import bounds, work


def needed(access, wa=1.0, **options):
    device = drive()
    request, layout = work.in_units(device, access), work.layout(device)
    if access.read_share:
        return work.of_read(device, layout, request, "sequential")
    return work.of_write(device, layout, request, wa, **options)


@pytest.mark.parametrize(("access", "wa"), [(READS, None), (WRITES, 1.0), (WRITES, 2.5)])
def test_counts_times_the_drives_times_are_its_demands(access, wa):
    device = drive(copy_s=2 * US)
    seconds = needed(access, wa or 1.0).seconds(work.times_of(device))
    demands = bounds.demands(device, access, wa)
    assert seconds[:4] == pytest.approx(list(demands.values()))
    assert seconds[4] == pytest.approx(bounds.bound(device, access, 1, wa).lone_s)


def test_times_count_units_copies_and_the_programs_that_take_them():
    times = np.zeros(len(work.TIMES))
    times[work.TIMES.index("read_unit_s")] = 1 * US
    times[work.TIMES.index("write_unit_s")] = 10 * US
    four = replace(WRITES, size=16_384)
    controller = work.STATIONS.index("controller")
    assert needed(four).seconds(times)[controller] == pytest.approx(40 * US)
    # three copies for each unit: read and written
    assert needed(four, 4.0).seconds(times)[controller] == pytest.approx((160 + 12) * US)
    assert needed(replace(READS, size=16_384)).seconds(times)[controller] == pytest.approx(4 * US)
    times = np.zeros(len(work.TIMES))
    times[work.TIMES.index("slc_program_s")] = 400 * US
    die = work.STATIONS.index("die")
    assert needed(WRITES).seconds(times)[die] == 0
    in_slc = needed(WRITES, program="slc_program_s").seconds(times)
    assert in_slc[die] == pytest.approx(400 / 4 / 2 * US)  # four units a program, two dies


def test_draws_of_times_give_draws_of_seconds():
    times = np.array([work.times_of(drive()), 2 * work.times_of(drive())])
    once, twice = needed(READS).seconds(times)
    fixed = needed(READS).fixed_s
    assert twice - fixed == pytest.approx(2 * (once - fixed))
