"""Drawings in steps: by button and by key, still on request."""

import pytest
from built import prose_pages

pytestmark = pytest.mark.browser

IN_STEPS = prose_pages('class="fw-steps"')


@pytest.mark.parametrize("page", IN_STEPS or ["(none)"])
def test_a_reader_goes_through_the_steps(turn_to, page):
    one = turn_to(page)
    figure = one.page.locator("figure.fw-drawing:has(.fw-step-bar)").first
    said = figure.locator(".fw-step")
    back, forward = (figure.get_by_role("button", name=name) for name in ("Back", "Next"))
    assert said.inner_text().startswith("1 of 4:")
    assert back.is_disabled()
    forward.click()
    assert said.inner_text().startswith("2 of 4:")
    forward.press("ArrowRight")
    forward.press("ArrowRight")
    assert said.inner_text().startswith("4 of 4:")
    assert forward.is_disabled()
    # who has asked for less motion gets no button that plays
    assert figure.get_by_role("button", name="Play").count() == 0


def test_without_a_script_all_steps_are_listed(visit):
    one = visit(IN_STEPS[0] if IN_STEPS else "(none)", javascript=False, strict=False)
    assert one.page.locator("figure.fw-drawing .fw-steps").first.locator("li").count() == 4
