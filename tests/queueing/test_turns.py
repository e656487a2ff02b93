"""Requests in parts, and folding in turn with the host: by hand, by law and by measurement."""

from dataclasses import replace

import numpy as np
import pytest
from small_drives import MIB, US, drive, slc

from flashwear import drives, predict
from flashwear.predict.fit import fit
from flashwear.predict.rated_speeds import rated_speeds
from flashwear.queueing import bounds, procedures, reference, work
from flashwear.queueing.reference.firmware import Firmware
from flashwear.queueing.requests import Access

FOUR = Access(16_384, "sequential")


def test_the_controller_sees_to_parts_of_a_request_while_the_link_brings_others(run):
    # link 1 + 8 us for the first of four units, 24 us for the others; controller 4 + 4 * 12 us
    slow = run(drive(write_unit_s=12 * US), FOUR, queue_depth=1, ios=5, record=True)
    assert slow.latency_s == pytest.approx(np.full(5, (9 + 4 + 48) * US), rel=1e-12)
    # 4 + 4 * 2 us pass while the others come
    quick = run(drive(write_unit_s=2 * US), FOUR, queue_depth=1, ios=5, record=True)
    assert quick.latency_s == pytest.approx(np.full(5, 33 * US), rel=1e-12)
    # without such a time it begins when all of it is there
    whole = run(drive(), FOUR, queue_depth=1, ios=5, record=True)
    assert whole.latency_s == pytest.approx(np.full(5, 37 * US), rel=1e-12)
    # controller 3 + 2 us, array 100, channel 40 for the page of all four, link 1 + 32
    reads = replace(FOUR, read_share=1.0)
    quick = run(drive(read_unit_s=2 * US), reads, queue_depth=1, ios=5, record=True)
    assert quick.latency_s == pytest.approx(np.full(5, 178 * US), rel=1e-12)
    # 3 + 4 * 100 us
    slow = run(drive(read_unit_s=100 * US), reads, queue_depth=1, ios=5, record=True)
    assert slow.latency_s == pytest.approx(np.full(5, 403 * US), rel=1e-12)


@pytest.mark.parametrize("unit", [2 * US, 12 * US])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_lone_request_takes_what_the_closed_form_says(run, unit, share):
    device = drive(read_unit_s=unit, write_unit_s=unit)
    access = replace(FOUR, read_share=share)
    result = run(device, access, queue_depth=1, ios=20)
    alone = bounds.bound(device, access, 1, 1.0).lone_s
    assert result.elapsed_s / 20 == pytest.approx(alone, rel=1e-9)


KINDS = {
    "dynamic": {"cache_share": 1.0},
    "static, folded to half": {"cache_own_blocks": 3, "cache_share": 0.0, "cache_fold_to": 0.5},
    "host waits": {"cache_direct": False},
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_one_has_begun_is_done_before_the_other_begins(kind, monkeypatch):
    turns = {"host": 0, "folding": 0}
    decide = Firmware.decide

    def watched(self):
        decide(self)
        now = self.turns
        if now.of_folding:
            assert now.host_under_way == 0
            assert now.read <= self.plan.dies
            turns["folding"] += 1
        elif self.cleaning.folding() and now.host_under_way:
            assert now.host_under_way <= self.plan.dies * self.plan.programs_per_die
            turns["host"] += 1
        assert now.host_under_way == sum(self.host_programs)

    monkeypatch.setattr(Firmware, "decide", watched)
    device = slc(cache_idle_s=1e-3, write_unit_s=5 * US, **kind)
    result = reference.run(device, FOUR, ios=3_000, fill="none")
    assert result.fold_copies > 300
    assert turns["folding"] > 100
    if device.cache_direct:
        assert turns["host"] > 100


def test_a_row_of_the_host_and_one_of_folding_take_the_sum_of_their_times(run):
    # two dies, programs of four units: a row has eight, 1 ms to program. Every block may be in SLC
    # mode, so that past half of the addresses each row of the host comes with one that is folded
    times = {"read_unit_s": 20 * US, "write_unit_s": 30 * US, "erase_s": US}
    device = slc(cache_share=1.0, user_bytes=16 * MIB, **times)
    result = run(device, FOUR, queue_depth=1, ios=1_000, fill="none", record=True)
    # the row has two requests, one of which waits for the turn; the other needs link and
    # controller, then a channel and a program
    host = (9 + 4 + 4 * 30) + 40 + 1000
    # array, channel, controller for all units, one after the other, channel and program
    folded = 30 + 40 + 8 * 50 + 40 + 1000
    two = result.completion_s[802::2] - result.completion_s[800:-2:2]
    assert two == pytest.approx(np.full(two.size, (host + folded) * US), rel=0.01)


def test_folding_on_the_m600_is_as_slow_as_measured_without_a_figure_of_it():
    found = rated_speeds()
    blind = fit(found.where((found.table.test != "folding write").to_numpy()))
    measured = {"m600-128gb": 53.0, "m600-256gb": 77.0}
    rows = found.table[found.table.test == "folding write"].set_index("key").value
    assert {name: rows[name] for name in measured} == pytest.approx(measured)
    for name, speed in measured.items():
        drive = drives.load(name)
        drive = drive.with_times(predict.times_by(blind, drive))
        sweep = procedures.sequential_sweep(drive, points=100, scale=1 / 64, progress=False)
        folding = float(sweep.mb_per_s[-20:].median())
        assert folding == pytest.approx(speed, rel=0.15)
        # folding beside the host's programs, as half of the flash would do, is far too fast
        direct = float(sweep.mb_per_s[sweep.mb_per_s > 1.3 * folding].min())
        assert direct / 2 > 1.3 * speed
        closed = predict.TESTS["folding write"].work_on(drive).seconds(work.times_of(drive)).max()
        assert folding == pytest.approx(0.131072 / closed, rel=0.15)
