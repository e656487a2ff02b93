"""Drawings on the pages: all words on the sheet, steps by button and by key, still on request."""

import pytest
from built import prose_pages

pytestmark = pytest.mark.browser

PAGES = prose_pages('class="fw-drawing"')
IN_STEPS = prose_pages('class="fw-steps"')
OUTSIDE = """() => [...document.querySelectorAll(".fw-drawing svg")].flatMap((svg) => {
    const { width, height } = svg.viewBox.baseVal;
    return [...svg.querySelectorAll("text")].filter((text) => {
        const box = text.getBBox();
        return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
    }).map((text) => text.textContent);
})"""
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".fw-drawing svg text")].map(
    (text) => text.getAttribute("font-size") * text.ownerSVGElement.clientWidth / 360))"""


@pytest.mark.parametrize("page", PAGES or ["(none)"])
def test_words_stay_on_the_sheet_and_are_legible_on_a_phone(visit, page):
    one = visit(page, width=390)
    assert one.page.evaluate(OUTSIDE) == []
    assert one.page.evaluate(SMALLEST) >= 10  # pixels


@pytest.mark.parametrize("page", IN_STEPS or ["(none)"])
def test_a_reader_goes_through_the_steps(visit, page):
    one = visit(page)
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
