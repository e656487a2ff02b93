"""Courses of simulated drives to their steady state, as they are cut into windows."""

import numpy as np
import pytest

from flashwear_book.runs import steady


def test_a_run_ends_where_it_is_told_and_its_windows_are_as_wide_as_asked():
    whole, half, random = (
        steady.simulated("greedy", 0.28, 64, 20_000, seed=1, **options)
        for options in ({}, {"end": 4.0}, {"end": 4.0, "fill": "random"})
    )
    assert whole.programmed[-1] == pytest.approx(8, abs=0.05)
    for path in (half, random):
        assert path.programmed[-1] == pytest.approx(4, abs=0.05)
    assert np.diff(whole.programmed) == pytest.approx(0.01)
    assert abs(half.wa - random.wa[: half.wa.size]).max() > 0.05
    assert half.final == pytest.approx(random.final, rel=0.05)
    with pytest.raises(ValueError, match="policy must be one of FIFO"):
        steady.simulated("random", 0.28, 64, 20_000, seed=1)
    run = steady.ftl.simulate(20_000, 0.28, warmup_drive_writes=0, drive_writes=3, seed=2)
    narrow, wide = (steady.path_of(run, 4.0, window) for window in (0.05, 0.4))
    assert wide.wa.std() < narrow.wa.std()
    for path, window in ((narrow, 0.05), (wide, 0.4)):
        assert path.programmed[0] == pytest.approx(window / 2)
        step = round(window / 0.01)
        # windows end to end hold all host writes between the first and the last
        host = (window / path.wa[::step]).sum()
        ends = path.programmed[::step]
        reached = np.interp([ends[0] - window / 2, ends[-1] + window / 2],
                            np.cumsum(run.history_flash) / 20_000 - 1,
                            np.cumsum(run.history_host) / 20_000 - 1)  # fmt: skip
        assert host == pytest.approx(reached[1] - max(reached[0], 0), abs=0.01)
