"""The card of My drive: it says what the command says, and a hostile name in it is text."""

import io
import json
import sys

import pytest

from flashwear import endurance
from flashwear.cli import main
from flashwear.smart import summary

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


def command(capsys, *words, **changed):
    """Return the command's answer, as JSON, on a report."""
    text = REPORT.format(**MINE | changed)
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        main(["smart", "--json", *words, "-"])
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


def test_years_at_a_load_of_the_list_are_those_of_the_command(visit, capsys):
    one = visit("my-drive.html")
    one.page.evaluate(DRAW, command(capsys))
    load = one.page.locator("#fw-story option", has_text="a recorder of two cameras")
    daily = f"{float(load.get_attribute('value').split()[1]):g}GB/day"
    one.page.locator("#fw-story select").select_option(label=load.inner_text())
    years = command(capsys, "--load", daily)["drives"][0]["forecast"]["rating"]
    assert f"{years:.0f} years by its rating" in one.page.locator("#fw-story").inner_text()


def test_another_drive_lasts_as_the_library_says(visit, capsys):
    one = visit("my-drive.html")
    one.page.evaluate(DRAW, command(capsys))
    one.page.locator("#fw-story input[type=number]").fill("1200")
    daily = MINE["units"] * 512_000 / MINE["hours"] * 24
    years = endurance.lifetime_years(1.2e15, daily)
    words = one.page.locator("#fw-story").inner_text()
    assert f"A new one, rated for 1,200 TB, is promised {years:.0f} years" in words


def test_a_fifth_left_empty_stretches_the_years_by_wear_and_not_those_of_the_rating(visit, capsys):
    told = command(capsys)
    told["drives"][0]["report"]["waf"] = 4.0
    one = visit("my-drive.html")
    one.page.evaluate(DRAW, told)
    facts = json.loads(one.page.locator("#fw-story-facts").text_content())
    one.page.locator("#fw-story input[type=checkbox]").check()
    low, high = (
        end * facts["full"] / facts["fifth"] for end in told["drives"][0]["forecast"]["wear"]
    )
    rating = told["drives"][0]["forecast"]["rating"]
    words = one.page.locator("#fw-story").inner_text()
    assert f"{rating:.2g} years by its rating, {low:.0f} to {high:.0f} years by wear" in words
    assert "a fifth left empty" in words


def test_life_used_stands_in_its_step_of_all_drives_of_its_kind(visit, capsys):
    bins = summary.load("field_bins").query("subject == 'all NVMe'")
    one = visit("my-drive.html")
    for used in (31, 101, 250):
        row = bins[(bins.low <= used) & (used < bins.high)].iloc[0]
        _, words, _ = one.page.evaluate(DRAW, command(capsys, used=used))
        said = f"like {row.drives:,} of {bins.drives.sum():,} NVMe drives whose owners sent reports"
        assert said in words


def test_two_reports_show_what_came_between_as_the_command_has_it(visit, capsys, tmp_path):
    old = {"used": 21, "units": 241_977_551, "hours": 15_412}
    one = visit("my-drive.html")
    one.page.locator("#fw-report").fill(REPORT.format(**MINE))
    one.page.locator("#fw-my-drive summary").click()
    one.page.locator("#fw-older").fill(REPORT.format(**MINE | old))
    one.page.get_by_role("button", name="Read the report").click()
    one.page.wait_for_function(SHOWN)
    words = one.page.locator("#fw-story").inner_text()
    older = tmp_path / "older"
    older.write_text(REPORT.format(**MINE | old))
    between = command(capsys, "--same-drive", str(older))["drives"][0]["between"]
    assert between["hours"] == 5000
    assert "5,000 hours under power" in words
    assert f"{between['host_bytes'] / 1e12:.3g} TB written" in words
    assert f"{between['percent']} % of life used" in words
    assert f"At that rate: {between['forecast']['rating']:.2g} years by its rating" in words
    assert not one.problems


def test_two_reports_that_do_not_fit_are_not_compared_and_the_newest_is_told(visit):
    one = visit("my-drive.html")
    one.page.locator("#fw-my-drive summary").click()
    one.page.locator("#fw-report").fill(REPORT.format(**MINE))
    one.page.locator("#fw-older").fill(REPORT.format(**MINE | {"units": 400_000_000, "hours": 100}))
    one.page.get_by_role("button", name="Read the report").click()
    one.page.wait_for_function(SHOWN)
    words = one.page.locator("#fw-story").inner_text()
    assert "Not compared" in words
    assert "175 TB of 600 TB" in words
    assert not one.problems


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
