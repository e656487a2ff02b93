"""Questions at the end of chapters: one right answer each, said why, and counted."""

import pytest
from built import prose_pages

pytestmark = pytest.mark.browser

PAGES = prose_pages('class="fw-quiz"')


@pytest.mark.parametrize("page", PAGES or ["(none)"])
def test_a_wrong_answer_is_said_to_be_wrong_and_a_right_one_opens_why(visit, page):
    assert len(PAGES) == 11  # all chapters of a course
    one = visit(page)
    parts = one.page.locator(".fw-quiz fieldset")
    for at in range(parts.count()):
        part = parts.nth(at)
        assert part.locator("[value='1']").count() == 1
        part.locator("[value='0']").first.check()
        assert "try again" in one.page.locator(".fw-quiz-said").inner_text()
        assert part.locator("details").get_attribute("open") is None
        part.locator("[value='1']").check()
        assert part.locator("details").get_attribute("open") is not None
    assert one.page.locator(".fw-quiz-said").inner_text() == "Right. 0 of 3 right at the first try."
    assert not one.problems
