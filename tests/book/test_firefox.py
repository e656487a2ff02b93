"""The book in Firefox: nothing fails, charts are drawn, and nothing leaves My drive."""

import firefox
import pytest
from built import HTML
from outgoing import TRY, served

pytestmark = [pytest.mark.browser, pytest.mark.proof]

CHAPTERS = ["chapters/budget.html", "chapters/ftl.html", "chapters/queueing.html"]
DRAWN = """[...document.querySelectorAll("figure.fw-chart")].every(
    (figure) => figure.querySelector(".fw-live svg.marks, .fw-live .chart-wrapper svg"))"""
OPEN = """document.querySelectorAll("details").forEach((fold) => (fold.open = true));
    document.querySelectorAll("button.toggle-button-hidden").forEach((button) => button.click());"""


@pytest.fixture(scope="module")
def opened():
    if (program := firefox.path()) is None:
        pytest.skip("no Firefox on the PATH (Debian: apt-get install firefox-esr)")
    with firefox.started(program) as tab:
        yield tab


@pytest.fixture
def tab(opened):
    """Return a tab; at the end, nothing may have gone wrong on its pages."""
    yield opened
    problems = list(opened.problems)
    opened.problems.clear()
    assert not problems, "\n".join(problems)


def test_the_start_page_and_its_game(tab):
    tab.go_to((HTML / "index.html").as_uri())
    tab.wait_for("document.querySelector('.fw-game-blocks button:enabled')")
    tab.evaluate("document.querySelector('.fw-game-blocks button:enabled').click()")
    tab.wait_for("document.querySelector('.fw-game-score').textContent.startsWith('11 erases')")


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_draws_its_charts_and_sets_its_mathematics(tab, page):
    tab.go_to((HTML / page).as_uri())
    assert tab.evaluate("document.querySelectorAll('figure.fw-chart').length") > 0
    tab.evaluate(OPEN)
    tab.wait_for(DRAWN)
    tab.wait_for("document.querySelector('mjx-container') || !document.querySelector('.math')")


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_my_drive_judges_its_example_and_nothing_leaves_it(tab, scheme):
    with served() as here, served() as elsewhere:
        base = HTML.as_uri() if scheme == "file" else here.base
        tab.go_to(f"{base}/my-drive.html")
        tab.evaluate("document.getElementById('fw-example').click()")
        tab.wait_for("document.getElementById('fw-said').textContent")
        assert tab.evaluate("document.getElementById('fw-answer').dataset.level") == "0"
        assert not tab.problems
        tab.evaluate(f"({TRY})('{elsewhere.base}')")
        assert elsewhere.arrived == set()
    tab.problems.clear()  # Firefox tells of each that it refused
