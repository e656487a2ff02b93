"""The card of My drive: it says what the command says, and a hostile name in it is text."""

import io
import json
import sys

import pytest

from flashwear.cli import main

pytestmark = pytest.mark.browser

SHOWN = "() => document.querySelector('#fw-story dl') !== null"
DRAW = """(told) => {
    const place = document.getElementById('fw-story');
    document.getElementById('fw-answer').hidden = false;
    const facts = JSON.parse(document.getElementById('fw-story-facts').textContent);
    const drawn = window.flashwearStory(told, place, facts);
    return [drawn, place.innerText, place.querySelectorAll('img, script').length];
}"""
REPORT = """Model Number: {model}
Total NVM Capacity: 1,000,204,886,016 [1.00 TB]
SMART/Health Information (NVMe Log 0x02)
Percentage Used: {used}%
Data Units Written: {units} [x]
Power On Hours: {hours}
"""


MINE = {"model": "Samsung SSD 970 EVO Plus 1TB", "used": 31, "units": 341_977_551, "hours": 20_412}


def command(capsys, **changed):
    """Return the command's answer, as JSON, on a report."""
    text = REPORT.format(**MINE | changed)
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        main(["smart", "--json", "-"])
    finally:
        sys.stdin = before
    return json.loads(capsys.readouterr().out)


def test_the_example_is_told_as_a_card_with_all_that_the_report_says_under_it(visit):
    one = visit("my-drive.html")
    one.page.locator("#fw-example").click()
    one.page.wait_for_function(SHOWN)
    card = one.page.locator("#fw-story")
    assert "31 %" in card.inner_text()
    details = one.page.locator("#fw-all")
    assert details.get_attribute("open") is None
    details.locator("summary").press("Enter")
    assert "Percentage Used" in one.page.locator("#fw-said").inner_text()
    with one.page.expect_download() as saved:
        card.locator("button").press("Enter")
    assert saved.value.suggested_filename == "my-drive.svg"
    picture = saved.value.path().read_text("utf-8")
    assert picture.startswith("<svg")
    assert "31 %" in picture
    assert not one.problems


def test_years_move_with_the_load_and_are_those_of_the_command(visit, capsys):
    one = visit("my-drive.html")
    told = command(capsys)
    drive = told["drives"][0]
    years = drive["forecast"]["rating"]
    _, words, _ = one.page.evaluate(DRAW, told)
    assert f"{years:.2g} years by its rating" in words
    one.page.locator("#fw-story select").select_option("4")
    assert f"{years / 4:.2g} years by its rating" in one.page.locator("#fw-story").inner_text()


@pytest.mark.parametrize("young", [{"hours": 900}, {"used": 4}])
def test_a_young_drive_gets_no_years(visit, capsys, young):
    _, words, _ = visit("my-drive.html").page.evaluate(DRAW, command(capsys, **young))
    assert "Too early to say" in words
    assert "years by" not in words


def test_a_drive_of_a_known_line_is_shown_among_those_whose_owners_sent_reports(visit, capsys):
    told = command(capsys)
    told["drives"][0]["among"] = [
        {
            "quantity": "used",
            "value": 31,
            "line": "970",
            "drives": 40,
            "p10": 1,
            "p50": 5,
            "p90": 20,
        }
    ]
    _, words, _ = visit("my-drive.html").page.evaluate(DRAW, told)
    assert "among 40 970 drives whose owners sent reports: median 5" in words


def test_a_hostile_name_is_text(visit, capsys):
    name = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    one = visit("my-drive.html")
    drawn, words, found = one.page.evaluate(DRAW, command(capsys, model=name))
    assert drawn
    assert name in words
    assert found == 0
    with one.page.expect_download() as saved:
        one.page.locator("#fw-story button").click()
    assert "<script" not in saved.value.path().read_text("utf-8")
    assert not one.problems


def test_what_is_no_drive_gets_no_card(visit):
    assert visit("my-drive.html").page.evaluate(DRAW, {"drives": []})[0] is False
