"""The page of a fleet in a browser: sorted by keyboard, without a network, at any width."""

import pytest
import reports

from flashwear.cli import main

pytestmark = pytest.mark.browser


@pytest.fixture
def fleet(tmp_path, visit, request):
    """Return the page of some drives, one of them without wear, as a browser shows it."""
    folder = tmp_path / "reports"
    folder.mkdir()
    for number in range(getattr(request, "param", 3)):
        used = {"percentage_used": 10 + number, "power_on_hours": 9000, "available_spare": 100}
        text = reports.nvme(health=used).replace("PRIVATE-SERIAL-1", f"S4EVNX0M{number:06}")
        (folder / f"{number:04}").write_text(text)
    (folder / "unknown").write_text(reports.ata("NEW", "1", None, {9: 5}))
    words = ["fleet", str(folder), "--html", str(tmp_path / "f.html"), "-q", "-j", "1"]
    assert main(words) in (1, 3)
    return visit("f.html", base=tmp_path.as_uri(), width=390)


def column(one, at):
    return one.page.locator(f"tbody >> nth=0 >> tr >> td:nth-child({at})").all_inner_texts()


def test_a_heading_sorts_by_keyboard_and_what_is_missing_stays_last(fleet):
    assert column(fleet, 3) == ["12", "11", "10", ""]
    head = fleet.page.locator("th", has_text="Life used").first
    for direction, order in (("ascending", "10 11 12"), ("descending", "12 11 10")):
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == direction
        assert column(fleet, 3) == [*order.split(), ""]
    assert fleet.page.locator("thead >> nth=0 >> th[aria-sort]").count() == 1


def test_a_phone_shows_a_drive_without_scrolling_figures_before_reasons(fleet):
    assert fleet.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert fleet.page.locator(".scroll:has(table)").first.evaluate("e => e.scrollWidth") <= 390
    row = fleet.page.locator("tbody >> nth=0 >> tr").nth(1)
    used, verdict = (row.locator(f"td:nth-child({at})").bounding_box() for at in (3, 2))
    assert used["y"] + used["height"] <= verdict["y"]
    assert used["x"] + used["width"] <= 390


@pytest.mark.parametrize("fleet", [600], indirect=True)
def test_of_many_drives_the_worst_are_shown_first_and_all_when_asked_for(fleet):
    shown = fleet.page.locator("tbody >> nth=0 >> tr:visible")
    assert shown.count() == 500
    fleet.page.get_by_text("Show all 601 rows").press("Enter")
    assert shown.count() == 601
