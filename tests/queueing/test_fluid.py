"""The closed form of the consistency test, against its parts and the compiled model."""

from dataclasses import replace

import numpy as np
import pytest

from flashwear import drives
from flashwear.queueing import bounds, fluid, procedures
from flashwear.queueing.requests import Access
from refusals import refusals

M600 = drives.load("m600-256gb")


def test_it_begins_as_blank_and_ends_as_steady_and_its_writes_add_up_to_the_cliff():
    run = fluid.consistency(M600, duration_s=7200)
    first = bounds.bound(M600, Access(4096), wa=1.0).iops
    last = bounds.bound(M600, Access(4096)).iops
    assert run.iops[:40].to_numpy() == pytest.approx(first, rel=1e-3)
    assert run.iops[-1000:].mean() == pytest.approx(last, rel=0.01)
    assert run.wa.iloc[-1] == pytest.approx(bounds.bound(M600, Access(4096)).wa, rel=0.02)
    run = fluid.consistency(M600, span=0.75)
    written = int(M600.user_bytes // 4096 * 0.75)
    assert run.iops.cumsum().to_numpy() == pytest.approx(run.drive_writes * written)
    assert (run.iops > 0).all()
    run = fluid.consistency(M600)
    cliff = run.time_s[run.wa > 2].iloc[0]
    assert run.drive_writes[cliff - 1] == pytest.approx(fluid.spare(M600), rel=0.03)


@pytest.mark.parametrize("name", ["m600-256gb", "m600-1024gb", "p400m-200gb"])
def test_the_model_agrees(name):
    drive = replace(drives.load(name), cache_share=0.0)  # the closed form knows no cache
    run = procedures.performance_consistency(drive, scale=1 / 64, progress=False)
    theory = fluid.consistency(drive)
    late = np.flatnonzero(theory.wa > 1.1)[0] + 50
    for start in range(late, 1600, 400):
        window = slice(start, start + 400)
        assert run.iops[window].mean() == pytest.approx(theory.iops[window].mean(), rel=0.15)
    # where dies and controller are nearly as busy, they hold each other up
    off = 0.065 if name == "m600-256gb" else 0.05
    assert run.iops[-400:].mean() == pytest.approx(theory.iops[-400:].mean(), rel=off)


test_bad_arguments_are_named = refusals([
    ({"policy": "random"}, {}, "policy must be greedy or fifo"),
    ({"high_blocks": 66.0}, {}, "span must leave"),
    ({}, {"duration_s": 0.5}, "duration_s"),
    ({}, {"span": 0.0}, "span"),
], by=lambda changes, given: fluid.consistency(replace(M600, **changes), **given))  # fmt: skip
