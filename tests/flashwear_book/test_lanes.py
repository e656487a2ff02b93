"""Turns that are shown on lanes: a station serves one request at a time, and Little's law holds."""

import itertools

import numpy as np
import pytest

from flashwear_book import lanes


@pytest.fixture(scope="module")
def runs():
    return {depth: lanes.recorded(depth) for depth in lanes.DEPTHS}


def test_no_two_requests_are_at_a_station_at_once(runs):
    for run in runs.values():
        for lane in range(len(lanes.LANES)):
            turns = sorted((start, end) for at, _, start, end in run.visits if at == lane)
            assert all(end <= start for (_, end), (start, _) in itertools.pairwise(turns))


def test_every_request_takes_its_turns_in_order(runs):
    for run in runs.values():
        for request in range(len(run.latencies)):
            turns = [visit for visit in run.visits if visit[1] == request]
            took = [end - start for _, _, start, end in turns]
            assert took == list(lanes.VISITS_US.values())
            assert all(one[3] <= two[2] for one, two in itertools.pairwise(turns))


def test_throughput_times_latency_is_the_depth(runs):
    for depth, run in runs.items():
        time = max(end for *_, end in run.visits)
        # at the end fewer are outstanding: up to a longest latency of the time
        lost = max(run.latencies) / time
        assert sum(run.latencies) / time == pytest.approx(depth, rel=lost)


def test_depth_buys_reads_until_the_dies_are_busy_and_then_waiting(runs):
    rates = [len(run.latencies) / max(end for *_, end in run.visits) for run in runs.values()]
    assert rates == sorted(rates)
    die = lanes.VISITS_US["die"] / lanes.DIES
    assert rates[-1] < 1 / die
    assert rates[1] > 1.5 * rates[0]
    assert rates[-1] < 1.25 * rates[-2]
    tails = [np.quantile(run.latencies, 0.99) for run in runs.values()]
    assert tails == sorted(tails)
