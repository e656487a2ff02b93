"""Runs of several seeds: each that of its own, all at once, and one interval."""

import numpy as np
import pytest
from scipy import stats

from flashwear.ftl import replicate, simulate
from flashwear.workloads import Stream, Uniform, Workload
from refusals import refusals

SMALL = {"user_pages": 4_000, "op": 0.3, "pages_per_block": 16}


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_each_row_is_the_run_of_its_seed(n_jobs):
    rows = replicate(**SMALL, replicas=5, seed=7, n_jobs=n_jobs, trim_share=0.1).runs
    assert rows["seed"].tolist() == [7, 8, 9, 10, 11]
    for _, row in rows.iterrows():
        alone = simulate(**SMALL, seed=int(row.seed), trim_share=0.1).to_frame().iloc[0]
        same = row.drop(["seed", "seconds"])
        assert same.equals(alone[same.index])


def test_the_interval_is_that_of_independent_runs():
    runs = replicate(**SMALL, replicas=6)
    seen = runs.runs["wa"].to_numpy()
    expected = stats.ttest_1samp(seen, 0).confidence_interval(0.95)
    assert runs.wa == pytest.approx(seen.mean(), rel=1e-12)
    assert runs.wa_interval == pytest.approx(tuple(expected), rel=1e-12)
    assert np.isnan(replicate(**SMALL, replicas=2).interval("wa_low")).all()  # some runs lack it
    assert runs.interval("wlf")[0] < runs.runs["wlf"].mean() < runs.interval("wlf")[1]


test_what_cannot_be_is_refused = refusals([
    ({"replicas": 1}, r"replicas must be a whole number >= 2 and <= 10000, got 1"),
    ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ({"op": 0.0}, "op must be .*> 0, got 0"),
    ({"fill": "full"}, "fill must be one of .*, got 'full'"),
    ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, got 0"),
    ({"n_jobs": "two"}, "n_jobs must be a whole number .*, got 'two'"),
], by=lambda arguments: replicate(**SMALL | arguments))  # fmt: skip


test_what_is_no_figure_is_refused = refusals([
    (figure, f"figure must be one of .*wa.*, got {figure!r}")
    for figure in ("steady", "seed", "nonesuch", 3)
], by=lambda figure: replicate(**SMALL, replicas=2).interval(figure))  # fmt: skip


def test_a_function_is_told_of_all_writes_and_a_run_that_fails_ends_the_others():
    told = []
    replicate(**SMALL, replicas=3, progress=told.append)
    assert sum(told) == 3 * 5 * 4_000  # filled, settled with three drive writes, measured

    def refuse(writes):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        replicate(**SMALL, replicas=3, progress=refuse)
    # They would go on for weeks otherwise.
    with pytest.raises(ZeroDivisionError):
        replicate(**SMALL, replicas=3, n_jobs=3, drive_writes=1e9, workload=FailsOnce())


class FailsOnce(Workload):
    """Uniform writes; the second stream that is asked for breaks."""

    def __init__(self):
        self.streams = 0

    def _stream(self, user_pages, states, in_use):
        self.streams += 1
        return Broken() if self.streams == 2 else Uniform()._stream(user_pages, states, in_use)


class Broken(Stream):
    def _fill(self, requests):
        raise ZeroDivisionError
