"""The question before a chapter: a guess is weighed, remembered, taken back, and can be skipped."""

import pytest
from built import prose_pages, tags

pytestmark = pytest.mark.browser

PAGES = prose_pages('class="fw-guess"')


def guess_of(page):
    return next(given for _, given in tags(page) if given.get("class") == "fw-guess")


@pytest.mark.parametrize("page", PAGES or ["(none)"])
def test_a_guess_is_weighed_against_the_answer_and_remembered(visit, page):
    one = visit(page)
    box = one.page.locator(".fw-guess")
    told, slider = box.locator(".fw-guess-told"), box.locator("input")
    assert told.is_hidden()
    slider.press("End")
    assert slider.input_value() == guess_of(page)["data-high"]
    slider.press("Enter")
    given = {name: float(guess_of(page)[f"data-{name}"]) for name in ("answer", "low", "high")}
    apart = f"a factor of {given['high'] / given['answer']:.1f}"
    if given["low"] == 0:
        apart = f"{given['high'] - given['answer']:g} percentage points"
    said = box.locator("[aria-live]").inner_text()
    assert f"too high, by {apart}." in said
    assert told.inner_text() in said
    one.return_later()
    one.wait_for(lambda: box.locator("[aria-live]").inner_text() == said)
    box.get_by_text("Guess again").press("Enter")
    assert told.is_hidden()
    one.return_later()
    assert slider.input_value() == guess_of(page)["data-low"]


def test_a_guess_near_the_answer_is_right_and_one_not_made_is_not_weighed(visit):
    page = PAGES[0]
    one = visit(page)
    box = one.page.locator(".fw-guess")
    box.get_by_text("Show the answer").click()
    assert "You said" not in box.inner_text()
    assert box.locator(".fw-guess-told").is_visible()
    box.get_by_text("Guess again").click()
    box.locator("input").fill(guess_of(page)["data-answer"])
    box.get_by_text("Show the answer").click()
    assert ": right." in box.locator("[aria-live]").inner_text()


@pytest.mark.parametrize("focus", ["body", ".fw-guess input"])
def test_escape_skips_and_the_question_can_be_taken_up_again(visit, focus):
    one = visit(PAGES[0])
    box = one.page.locator(".fw-guess")
    if focus != "body":
        one.page.locator("main a[href]").last.focus()
        one.page.keyboard.press("Escape")  # elsewhere, which skips nothing
        assert box.locator("input").is_visible()
        one.page.locator(focus).focus()
    one.page.keyboard.press("Escape")
    assert box.locator("input").is_hidden()
    assert box.locator(".fw-guess-told").is_hidden()
    one.return_later()
    assert box.locator("input").is_hidden()
    box.get_by_text("Guess again").click()
    assert box.locator("input").is_visible()
    box.get_by_text("Skip").click()
    assert box.locator("input").is_hidden()


def test_a_browser_that_keeps_nothing_or_runs_no_scripts_still_asks_and_answers(visit):
    one = visit(PAGES[0], strict=False)  # the theme's own script does not bear it
    one.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    )
    one.page.reload()
    box = one.page.locator(".fw-guess")
    box.locator("input").press("End")
    box.get_by_text("Show the answer").click()
    assert "You said" in box.locator("[aria-live]").inner_text()
    assert len(PAGES) >= 6
    box = visit(PAGES[0], javascript=False, strict=False).page.locator(".fw-guess")
    assert "Guess first." in box.inner_text()
    assert box.locator(".fw-guess-told").is_visible()
    assert box.locator("input").count() == 0
