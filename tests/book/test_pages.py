"""Every page of the book as a reader meets it: offline, on a phone, in light and in dark.

A page is opened once and then looked at in all these ways. What moves is waited for, not timed.
"""

import csv
import io
import json
import re
from urllib.parse import quote

import pytest
from built import opened_pages, page_names, prose_pages, script
from outgoing import served

pytestmark = pytest.mark.browser

PHONE = 390  # pixels

CONTRAST = script("contrast")  # the lowest, of text with what lies behind it
TEXT = (
    "figcaption, figcaption span, .cell_output td, .cell_output th, .vega-bind span, "
    ".bd-article :is(p, li, dt, dd, a:not(.headerlink), button:enabled, label, output, h1, h2, h3)"
)

OUTSIDE = script("outside")
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".fw-drawing svg text")].map(
    (text) => text.getAttribute("font-size") * text.ownerSVGElement.clientWidth / 360))"""

CHART = "figure.fw-chart"
SLIDER = "input[type=range]"
WITH_SLIDER = f"{CHART}:has(.vega-bindings {SLIDER})"

FILES = script("files")  # that the links below a chart give, by name
NUMBERS = """(figure) => [...figure.querySelectorAll(".fw-live g.mark-text.role-mark text")]
    .map((text) => text.textContent).filter((text) => /\\d/.test(text))"""
# Vega has drawn what a control asked for once the page has painted twice
PAINTED = """() => new Promise((done) =>
    setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))))"""
INKS = """() => [...document.querySelectorAll(".fw-live .chart-wrapper > svg")]
    .map((svg) => svg.querySelector("text").getAttribute("fill"))"""


@pytest.mark.parametrize("page", opened_pages() or ["(none)"])
def test_page(turn_to, page):
    """Nothing fails on a page, and all of it is there for everyone, on a phone."""
    look_over(turn_to(page, width=PHONE))


def look_over(one):
    """Find that all of a page is drawn, in light and in dark, and follows its sliders."""
    one.wait_for_mathematics()
    one.wait_for_charts()
    check_mathematics(one)
    check_names(one)
    check_drawings(one)
    check_steps(one)
    check_width(one)
    check_contrast(one)
    for figure in one.page.locator(WITH_SLIDER).all():
        check_slider(one, figure)
        check_result(one, figure)
    check_dark(one)


def check_mathematics(one):
    raw = one.page.locator(".bd-article .math:not(:has(mjx-container))").all_text_contents()
    assert not raw, f"mathematics not set: {raw}"
    assert one.page.locator("mjx-merror, [data-mjx-error]").count() == 0


def check_names(one):
    """Charts and images say what they are, and no two things of charts have one id."""
    for label in one.page.locator(f"{CHART} .chart-wrapper").all():
        assert (label.get_attribute("aria-label") or "").strip(), "a chart without a name"
    images = one.page.locator("img").evaluate_all("all => all.map(i => [i.src, i.alt.trim()])")
    assert all(alt for _, alt in images), f"an image without alt: {images}"
    ids = one.page.locator(f"{CHART} [id]").evaluate_all("all => all.map(e => e.id)")
    assert len(ids) == len(set(ids)), sorted(ids)


def check_drawings(one):
    """The words of drawings stay on the sheet, and can be read on a phone."""
    assert one.page.evaluate(OUTSIDE) == []
    assert one.page.evaluate(SMALLEST) >= 10  # pixels


def check_steps(one):
    """A reader goes through a drawing by button and by key, and nothing plays by itself."""
    figure = one.page.locator("figure.fw-drawing:has(.fw-step-bar)").first
    if not figure.count():
        return
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


def check_width(one):
    width = one.page.viewport_size["width"]
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width, "wider than it"


def check_contrast(one):
    assert one.page.evaluate(CONTRAST, TEXT) >= 4.5, f"faint text, {one.theme()}"


def tables_of(figure):
    """Return the rows that each link below a chart gives, by the file's name."""
    tables = {}
    for name, text in figure.evaluate(FILES).items():
        assert re.fullmatch(r"[\w.-]+\.csv", name), name
        table = csv.DictReader(io.StringIO(text, newline=""))
        tables[name] = list(table)
        assert table.fieldnames, f"no columns in {name}"
        assert not any(None in row for row in tables[name]), "a row with more cells than the head"
        internal = re.compile("_.*|.*_sort_index")
        assert not [column for column in table.fieldnames if internal.fullmatch(column)]
    return tables


def number(cell):
    """Return a cell of a CSV, or a value of a specification, as a number where it is one."""
    if isinstance(cell, bool):
        return str(cell).lower()
    try:
        return float(cell)
    except (TypeError, ValueError):
        return "" if cell is None else str(cell)


def inputs(figure):
    """Return the data sets of a specification, but those of whole series and of a mere place."""
    spec = json.loads(figure.locator("script").text_content())
    sets = [rows for rows in spec.get("datasets", {}).values() if rows and set(rows[0]) != {"_one"}]
    return [rows for rows in sets if not any(isinstance(cell, list) for cell in rows[0].values())]


def results(rows, given):
    """Return the numeric columns of a CSV that are in no data set of the specification."""
    names = set(rows[0] if rows else ()) - {name for table in given for name in table[0]}
    columns = {name: [number(row[name]) for row in rows] for name in names}
    return {name: values for name, values in columns.items()
            if all(isinstance(value, float) for value in values)}  # fmt: skip


def check_slider(one, figure):
    """The keyboard moves the slider, a number in the chart follows, and it is announced."""
    slider = figure.locator(SLIDER).first
    assert (slider.get_attribute("aria-label") or "").strip()
    start, before = slider.input_value(), figure.evaluate(NUMBERS)
    slider.focus()
    key = "ArrowLeft" if start == slider.get_attribute("max") else "ArrowRight"
    for _ in range(3):
        slider.press(key)
    assert slider.input_value() != start
    one.page.wait_for_function(
        f"([figure, before]) => JSON.stringify(({NUMBERS})(figure)) !== JSON.stringify(before)"
        " && figure.querySelector('[role=status]').textContent",
        arg=[figure.element_handle(), before],
    )


def check_result(one, figure):
    """The CSV of a chart with a slider holds a result, and it follows the slider."""
    given, before = inputs(figure), tables_of(figure)
    slider = figure.locator(SLIDER).first
    start = slider.input_value()
    slider.press("Home" if start != slider.get_attribute("min") else "End")
    assert slider.input_value() != start
    one.page.evaluate(PAINTED)
    after = tables_of(figure)
    assert before.keys() == after.keys()
    moved = [name for file in before for name, values in results(before[file], given).items()
             if values != results(after[file], given)[name]]  # fmt: skip
    assert moved, f"no column of {list(before)} follows the slider"


def check_dark(one):
    """In the dark every chart is drawn again, and keeps what a reader has set."""
    figures = one.page.locator(WITH_SLIDER)
    set_to = settings(figures)
    light = one.page.evaluate(INKS)
    one.switch_to("dark")
    one.page.wait_for_function(
        f"(light) => {{ const now = ({INKS})(); return now.length === light.length"
        " && now.every((ink, index) => ink !== light[index]); }", arg=light)  # fmt: skip
    one.wait_for_charts()
    check_contrast(one)
    assert settings(figures) == set_to, "the new colours reset a slider"


def settings(figures):
    """Return where the slider of each chart stands, and the numbers in the chart."""
    return [(f.locator(SLIDER).first.input_value(), f.evaluate(NUMBERS)) for f in figures.all()]


def test_the_index_leads_to_the_introduction_and_without_a_script_all_steps_are_listed(visit):
    one = visit("index.html")
    one.page.wait_for_url("**/index.html")
    (page, *_) = prose_pages('class="fw-steps"')
    one = visit(page, javascript=False, strict=False)
    assert one.page.locator("figure.fw-drawing .fw-steps").first.locator("li").count() == 4


def test_filter(visit):
    """Menus and words narrow the claims of a case, and a link to a hidden row shows all again."""
    one = visit("cases/m600.html", width=390)
    rows = one.page.locator("table.fw-claims tbody tr")
    visible = one.page.locator("table.fw-claims tbody tr:visible")
    count, form = rows.count(), one.page.locator("form.fw-filter")
    assert visible.count() == 0  # folded
    one.page.locator("details:has(table.fw-claims) > summary").click()
    assert visible.count() == count > 0
    for label, name in (("Pile", "pile"), ("Topic", "topic")):
        menu = form.get_by_label(label)
        value = menu.locator("option").last.get_attribute("value")
        menu.select_option(value)
        kept = visible.evaluate_all(f"all => all.map(row => row.dataset.{name})")
        assert 0 < len(kept) < count
        assert set(kept) == {value}
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 390
        menu.select_option("")
    assert visible.count() == count
    form.get_by_label("Words").fill("qqq")
    assert visible.count() == 0
    one.page.evaluate("location.hash = document.querySelector('.fw-claims tbody tr').id")
    one.page.wait_for_function(
        "() => document.querySelector('.fw-claims tbody tr').getClientRects().length"
    )
    assert visible.count() == count


ASKED = {
    "how long will my drive last": "chapters/budget", "TBW": "chapters/budget",
    "what does DWPD mean": "chapters/budget", "percentage used": "chapters/field",
    "what do drives die of": "chapters/field", "SLC cache full": "chapters/fast-cache",
    "slows down after 100 GB": "chapters/fast-cache",
    "is this program killing my SSD": "workshop/lifetime",
    "write amplification": "chapters/amplification", "garbage collection": "chapters/amplification",
    "should I over-provision": "chapters/trim", "does TRIM help": "chapters/trim",
    "free space": "chapters/trim", "GB or GiB": "chapters/promise",
    "wear leveling": "workshop/wearing-out", "steady state": "chapters/steady-state",
    "why is my ssd slow when full": "chapters/steady-state",
    "SNIA performance test specification": "workshop/steady-state",
    "why was the 1 TB drive slower": "workshop/consistency", "queue depth": "workshop/queueing",
    "bottleneck": "chapters/queueing", "power loss": "workshop/power",
    "data retention unpowered": "chapters/bits", "bit rot": "chapters/bits",
    "read disturb": "chapters/bits", "RAIN parity": "workshop/bits",
    "which drive to buy": "chapters/prices", "cost per terabyte": "chapters/prices",
    "read my smartctl report": "my-drive", "samsung 970 evo": "my-drive",
    "check my ssd health": "my-drive", "QLC indirection unit": "workshop/translation-layer",
    "FDP data placement": "workshop/hot-cold", "hot and cold data": "chapters/hot-cold",
    "flash translation layer": "chapters/ftl", "does the formula hold": "chapters/does-it-hold",
    "zfs": "chapters/layers", "defragment": "ten-beliefs", "does swap kill it": "ten-beliefs",
    "cite this book": "reference/cite", "which attribute is wear": "reference/wear-attributes",
    "percent used": "reference/wear-attributes", "life left": "reference/wear-attributes",
}  # fmt: skip


@pytest.mark.parametrize("some", [slice(5), pytest.param(slice(5, None), marks=pytest.mark.proof)])
def test_search_finds_what_readers_ask_first(turn_to, some):
    for query, expected in list(ASKED.items())[some]:
        page = turn_to(f"search.html?q={quote(query)}").page
        page.wait_for_selector(".fw-answers li a")
        first = page.locator(".fw-answers li").first
        assert first.locator("a").get_attribute("href") == f"{expected}.html", query
        assert len(first.locator("p").inner_text()) > 50, "no excerpt"


def test_served_over_http(visit):
    with served() as server:
        one = visit(page_names('<figure class="fw-chart"')[0], base=server.base)
        one.wait_for_mathematics()
        one.wait_for_charts()
        one.page.close()
