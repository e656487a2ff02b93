"""Panels: their tables are near enough, and turns on lanes are those of a queue."""

import itertools
import json
import re

import numpy as np
import pytest

from flashwear import wa
from flashwear_book import panels


def test_the_tables_of_the_panel_are_straight_enough_between_columns_for_each_setting():
    # The page interpolates: within 1 % of the closed form everywhere between two columns.
    # Greedy with small blocks has kinks, where it is up to 3 % off.
    table = panels.formulas()
    spare = np.geomspace(0.021, 0.99, 200)

    def found(row):
        return 1 + np.exp(np.interp(np.log(spare), np.log(table["op"]), np.log(np.array(row) - 1)))

    np.testing.assert_allclose(found(table["fifo"]["any"]["0.5"]), wa.fifo(spare), rtol=0.01)
    for pages in panels.PAGES:
        row = table["greedy"][str(pages)]["0.5"]
        np.testing.assert_allclose(found(row), wa.greedy(spare, pages), rtol=0.03)
    panel = panels.drive().html
    table = json.loads(re.search(r"<script[^>]*>(.*?)</script>", panel)[1])
    low, high = map(int, re.search(r'name="pages" min="(\d)" max="(\d)"', panel).groups())
    for power in range(low, high + 1):
        assert set(table["greedy"][str(2**power)]) == {"0.5", "0.2", "0.1"}
    assert set(table["fifo"]["any"]) == {"0.5", "0.2", "0.1"}


def test_what_there_is_not_or_does_not_differ_is_refused_and_text_is_escaped():
    with pytest.raises(ValueError, match="answers must be two or more that differ"):
        panels.quiz(panels.Question("Which?", "a", ("a",), ""))
    assert "&lt;b&gt;" in panels.quiz(panels.Question("<b>?", "a", ("b",), "")).html


RUNS = {depth: panels.recorded(depth) for depth in panels.DEPTHS}


def test_requests_take_their_turns_and_depth_buys_reads_until_the_dies_are_busy():
    for depth, run in RUNS.items():
        for lane in range(len(panels.LANES)):
            turns = sorted((start, end) for at, _, start, end in run.visits if at == lane)
            assert all(end <= start for (_, end), (start, _) in itertools.pairwise(turns))
        for request in range(len(run.latencies)):
            turns = [visit for visit in run.visits if visit[1] == request]
            took = [end - start for _, _, start, end in turns]
            assert took == list(panels.VISITS_US.values())
            assert all(one[3] <= two[2] for one, two in itertools.pairwise(turns))
        time = max(end for *_, end in run.visits)
        # at the end fewer are outstanding: up to a longest latency of the time
        lost = max(run.latencies) / time
        assert sum(run.latencies) / time == pytest.approx(depth, rel=lost)
    rates = [len(run.latencies) / max(end for *_, end in run.visits) for run in RUNS.values()]
    assert rates == sorted(rates)
    die = panels.VISITS_US["die"] / panels.DIES
    assert rates[-1] < 1 / die
    assert rates[1] > 1.5 * rates[0]
    assert rates[-1] < 1.25 * rates[-2]
    tails = [np.quantile(run.latencies, 0.99) for run in RUNS.values()]
    assert tails == sorted(tails)
