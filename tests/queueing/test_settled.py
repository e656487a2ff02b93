"""A queueing result says how well its write amplification is known."""

import pickle

import numpy as np
import pytest
from small_drives import drive

from flashwear.queueing import reference, twin
from flashwear.queueing.requests import Access
from flashwear.workloads import Uniform

WRITES = Access(4096)


def test_a_long_run_has_an_interval_and_one_that_cleans_too_little_is_not_settled():
    result = twin.run(drive(), WRITES, ios=100)
    assert np.isnan(result.wa_interval).all()
    assert result.settled is False
    with pytest.warns(UserWarning, match=r"wa says little: only \d+ blocks were cleaned"):
        assert result.wa == result.wa_of_run
    result = twin.run(drive(), WRITES, ios=6000)
    assert not result.settled
    first = twin.run(drive(), WRITES, ios=20_000, random_drive_writes=2)
    again = twin.run(drive(), WRITES, ios=10, state=first.ftl)
    assert np.isnan(again.wa_interval).all()
    found = []
    for seed in range(8):
        result = twin.run(drive(), WRITES, ios=60_000, random_drive_writes=3, seed=seed)
        low, high = result.wa_interval
        assert result.settled
        assert low < result.wa < high
        found.append((low, high))
    long = twin.run(drive(), WRITES, ios=600_000, random_drive_writes=3, seed=99).wa
    assert sum(low < long < high for low, high in found) >= 6


def test_both_models_agree_results_are_equal_by_figures_and_percentiles_one_by_one():
    arguments = {"ios": 3000, "random_drive_writes": 2, "seed": 1}
    one, other = (model.run(drive(), WRITES, **arguments) for model in (reference, twin))
    assert one == other
    assert one == pickle.loads(pickle.dumps(one))
    assert (one == twin.run(drive(), WRITES, **{**arguments, "seed": 2})) is False
    assert len(repr(one)) < 250
    assert "<table>" in one._repr_html_()
    assert one.interval_reason == other.interval_reason
    result = twin.run(drive(), Uniform(), ios=2000)
    shares = [[0, 50], [99, 100]]
    found = result.percentile(shares)
    assert found.tolist() == [[result.percentile(p) for p in row] for row in shares]
    assert np.isnan(result.percentile([1, 2], "read")).all()
