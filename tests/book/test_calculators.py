"""What a reader sets in a chart: boxes beside sliders, presets, and a state in the address."""

import itertools
import json
import re

import pytest
from test_pages import PAINTED

from flashwear import capacity, endurance, pricing, wa
from flashwear.units import GB, GIB, TB
from flashwear_book import reported

pytestmark = pytest.mark.browser

PAGE = "my-drive.html"
YEARS, SPARE, COST = "#fig-mydrive-years", "#fig-mydrive-spare", "#fig-mydrive-cost"
TEXTS = """(figure) => [...figure.querySelectorAll(".fw-live g.mark-text.role-mark text")]
    .flatMap((text) => text.children.length ? [...text.children] : [text])
    .map((line) => line.textContent)"""
# leave the box, and empty the address once the page has put into it what was set
RESET = """() => new Promise((done) => {
    document.activeElement.blur();
    setTimeout(() => {
        if (!location.hash) return done();
        addEventListener("hashchange", done, { once: true });
        location.hash = "";
    }, 500);
})"""


@pytest.fixture(scope="module")
def page(tab):
    tab.go_to(PAGE)
    tab.wait_for_charts()
    yield tab.page
    assert not tab.problems


@pytest.fixture
def calculators(page):
    """Return the page with all controls where they were at first."""
    page.evaluate(RESET)
    return page


def told(page, figure, **state):
    """Return the lines that a chart says with its controls in this state, by the address."""
    if state:
        page.evaluate(
            "(hash) => { location.hash = hash; }", "&".join(f"{k}={v}" for k, v in state.items())
        )
    page.evaluate(PAINTED)
    return page.locator(figure).evaluate(TEXTS)


def box(page, figure, label):
    return page.locator(f"{figure} input.fw-box[aria-label='{label}']")


def number(text):
    return float(re.search(r"\d[\d,]*\.?\d*", text)[0].replace(",", ""))


def test_years_empty_space_and_costs_are_those_of_the_library(calculators):
    for tbw, gb, written in itertools.product((150, 600, 3500), (1, 50, 900), (0, 120)):
        lines = told(calculators, YEARS, tbw=tbw, gb=gb, written=written)
        years = endurance.lifetime_years((tbw - written) * TB, gb * GB)
        assert number(lines[0]) == pytest.approx(years, rel=0.006)  # three digits
        assert number(lines[1]) == pytest.approx(100 * written / tbw, abs=0.51)
        assert number(lines[2]) == pytest.approx(endurance.dwpd(tbw * TB, 1000 * GB, 5), rel=0.06)
    lines = told(calculators, YEARS, rated="DWPD", dwpd=1, user=480, years=3, gb=100)
    rating = endurance.tbw_from_dwpd(1, 480 * GB, 3)
    assert number(lines[0]) == pytest.approx(endurance.lifetime_years(rating, 100 * GB), rel=0.006)
    for raw, user, empty in ((1024, 1000, 20), (256, 240, 0), (512, 400, 50)):
        full, part, gain = told(calculators, SPARE, raw=raw, space_gb=user, empty=empty)
        left = [wa.fifo(capacity.over_provisioning(raw * GIB, user * GB * (1 - share / 100)))
                for share in (0, empty)]  # fmt: skip
        assert number(full.split(": ")[1]) == pytest.approx(left[0], abs=0.051)
        assert number(part.split(": ")[1]) == pytest.approx(left[1], abs=0.051)
        assert number(gain) == pytest.approx(left[0] / left[1], abs=0.051)
    for price, tbw, gb, keep in itertools.product((60, 400), (600, 5000), (20, 2000), (3, 10)):
        state = {"price_a": price, "tbw_a": tbw, "load": gb, "keep": keep}
        lines = told(calculators, COST, **state)
        year = pricing.cost_per_year(price, tbw * TB, gb * GB, keep)
        other = pricing.cost_per_year(150, 3500 * TB, gb * GB, keep)
        per_tb, shown = re.findall(r"[\d,]+\.\d+", lines[0])
        expected = pricing.price_per_tb_written(price, tbw * TB)
        assert number(per_tb) == pytest.approx(expected, abs=0.0051)
        assert number(shown) == pytest.approx(year, abs=0.0051)
        if abs(year / other - 1) > 0.01:
            assert lines[2].startswith("A" if year < other else "B")


@pytest.mark.parametrize(("figure", "state", "words"), [
    (YEARS, {"tbw": 100, "written": 150}, "The rating is used up: 150 % of 100 TB"),
    (YEARS, {"tbw": 100_000, "user": 100}, "no drive is rated for that"),
    (SPARE, {"raw": 128, "space_gb": 2000}, "128 GiB of flash cannot hold 2,000 GB"),
])  # fmt: skip
def test_what_cannot_be_is_said(calculators, figure, state, words):
    assert words in " ".join(told(calculators, figure, **state))


def test_a_box_moves_the_slider_and_the_address_keeps_it(calculators, visit):
    rating = box(calculators, YEARS, "TBW (TB)")
    rating.fill("1200")
    assert number(told(calculators, YEARS)[0]) == pytest.approx(65.8)
    slider = calculators.locator(f"{YEARS} input[type=range][aria-label='TBW (TB)']")
    assert slider.get_attribute("aria-valuetext") == "1200"
    calculators.wait_for_function("() => location.hash === '#tbw=1200'")
    again = visit(f"{PAGE}#tbw=1200")
    again.wait_for_charts()
    assert number(told(again.page, YEARS)[0]) == pytest.approx(65.8)
    assert box(again.page, YEARS, "TBW (TB)").input_value() == "1200"
    rating.fill("1,500")
    assert number(told(calculators, YEARS)[0]) == pytest.approx(82.2)
    rating.fill("600,0")
    assert number(told(calculators, YEARS)[0]) == pytest.approx(32.9)
    rating.fill("many")
    assert rating.get_attribute("aria-invalid") == "true"
    rating.fill("9999999")
    rating.press("Tab")
    assert rating.input_value() == "100000"  # the end of the slider
    rating.fill("600")
    calculators.wait_for_function("() => location.hash === ''")


def test_what_the_address_cannot_mean_is_ignored_and_a_place_leaves_the_controls(
    visit, calculators
):
    one = visit(f"{PAGE}#tbw=many&gb=1e99&rated=IOPS&written=-1&unknown=3")
    one.wait_for_charts()
    assert number(told(one.page, YEARS)[0]) == pytest.approx(32.9)
    box(calculators, YEARS, "TBW (TB)").fill("1200")
    calculators.evaluate("location.hash = 'what-to-do'")
    assert number(told(calculators, YEARS)[0]) == pytest.approx(65.8)
    calculators.evaluate("location.hash = ''")
    assert number(told(calculators, YEARS)[0]) == pytest.approx(32.9)


def test_a_preset_sets_the_load_and_a_box_leaves_it(calculators):
    menu = calculators.locator(f"{YEARS} .vega-bindings select").first
    cameras = reported.loads()["two-cameras"]
    menu.select_option(cameras.what)
    gb = cameras.bytes_per_day / GB
    assert float(box(calculators, YEARS, "Writes (GB a day)").input_value()) == pytest.approx(gb)
    years = endurance.lifetime_years(600 * TB, gb * GB)
    assert number(told(calculators, YEARS)[0]) == pytest.approx(years, rel=0.006)
    box(calculators, YEARS, "Writes (GB a day)").fill("31")
    assert menu.input_value() == ""


def test_each_control_of_the_page_has_a_name_of_its_own(calculators):
    specs = calculators.locator("figure.fw-chart script").all_text_contents()
    params = [param for spec in specs for param in json.loads(spec).get("params", [])]
    names = [param["name"] for param in params if "input" in param.get("bind", {})]
    assert len(names) == len(set(names)) == 16
