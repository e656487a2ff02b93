"""Contrast of all that is on a page, by axe, in both themes; `test_pages` looks at its text."""

import pytest
from built import opened_pages
from test_pages_in_full import check_access

pytestmark = [pytest.mark.browser, pytest.mark.proof]


@pytest.mark.parametrize("page", opened_pages() or ["(none)"])
def test_page_has_contrast(turn_to, page):
    one = turn_to(page)
    one.wait_for_charts()
    check_access(one, ["color-contrast"])
    one.switch_to("dark")
    one.wait_for_charts()
    check_access(one, ["color-contrast"])
