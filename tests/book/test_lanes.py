"""The queue in the page ends where SimPy's run did, at each depth."""

import re

import numpy as np
import pytest
from built import prose_pages

from flashwear_book import panels

pytestmark = pytest.mark.browser

PAGE = next(iter(prose_pages('class="fw-lanes"')), "(none)")


def test_the_figures_in_the_end_are_those_of_the_recorded_run(visit):
    one = visit(PAGE)
    one.page.emulate_media(reduced_motion="reduce")  # all at once
    one.page.reload()
    panel = one.page.locator(".fw-lanes")
    for at, depth in enumerate(panels.DEPTHS):
        panel.locator("input").fill(str(at))
        words = panel.locator(".fw-lanes-said").inner_text().replace(",", "")
        run = panels.recorded(depth)
        ordered, count = sorted(run.latencies), len(run.latencies)
        rate = 1e6 * count / max(end for *_, end in run.visits)
        half, most = (ordered[int(np.ceil(part * count)) - 1] for part in (0.5, 0.99))
        found = [int(one) for one in re.findall(r"\d+", words)]
        assert found == [depth, count, round(rate), half, most], words


def test_requests_move_when_the_lanes_are_seen(visit):
    one = visit(PAGE)
    one.page.emulate_media(reduced_motion="no-preference")
    one.page.reload()
    panel = one.page.locator(".fw-lanes")
    assert "nothing is done" in panel.locator(".fw-lanes-said").inner_text()
    panel.locator("svg").scroll_into_view_if_needed()
    one.page.wait_for_function(
        "() => / reads done/.test(document.querySelector('.fw-lanes-said').textContent)"
    )
    panel.locator("button").press("Enter")
    before = panel.locator(".fw-lanes-said").inner_text()
    one.page.wait_for_timeout(300)
    assert panel.locator(".fw-lanes-said").inner_text() == before
    assert not one.problems
