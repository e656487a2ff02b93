"""The question before a chapter: a guess is weighed, remembered, and can be skipped."""

import pytest
from built import prose_pages

pytestmark = pytest.mark.browser

PAGES = prose_pages('class="fw-guess"')


@pytest.mark.parametrize("page", PAGES or ["(none)"])
def test_a_guess_is_weighed_and_remembered_and_skipped_by_a_key(visit, page):
    one = visit(page)
    box = one.page.locator(".fw-guess")
    slider = box.locator("input")
    slider.press("End")
    high = slider.input_value()
    box.locator("summary").click()
    assert f"You said {high}" in box.locator(".fw-guess-verdict").inner_text()
    one.page.reload()
    assert slider.input_value() == high
    slider.press("Escape")
    assert box.is_hidden()
    one.page.reload()
    assert box.is_hidden()
    assert not one.problems


def test_a_browser_that_keeps_nothing_still_asks(visit):
    one = visit(PAGES[0])
    one.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    )
    one.page.reload()
    one.page.locator(".fw-guess input").press("End")
    assert one.page.locator(".fw-guess output").inner_text()
