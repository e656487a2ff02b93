"""Every page of the book as a reader meets it: offline, on a phone, in the dark, on paper."""

import collections
import csv
import functools
import itertools
import json
import re
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from built import page_names

pytestmark = pytest.mark.browser

# the lowest contrast of text with what lies behind it, over the elements given
CONTRAST = """(selector) => {
    const parse = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return [r, g, b, a];
    };
    const luminance = (colour) => {
        const [r, g, b] = colour.slice(0, 3).map((value) => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour[3] > 0.99) return colour;
        }
        return [255, 255, 255, 1];
    };
    const ratios = [...document.querySelectorAll(selector)].map((element) => {
        const pair = [parse(getComputedStyle(element).color), behind(element)].map(luminance);
        return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    });
    return Math.min(21, ...ratios);
}"""
TEXT = (
    "figcaption, figcaption span, .bd-article p, .cell_output td, .cell_output th, .vega-bind span"
)

VISIBLE = """(svg) => {
    const box = svg.getBoundingClientRect();
    const style = getComputedStyle(svg);
    return box.width > 200 && box.height > 60 && style.visibility === "visible"
        && Number(style.opacity) === 1;
}"""


def numbers(figure):
    """Read the texts with a number among the marks of a chart."""
    texts = figure.locator(".fw-live g.mark-text.role-mark text").all_text_contents()
    return [text for text in texts if re.search(r"\d", text)]


def test_page(visit, page):
    """One page: nothing fails, mathematics and charts are there, it fits a phone, it goes dark."""
    one = visit(page)
    one.page.wait_for_load_state("load")
    one.wait_for_mathematics()
    one.wait_for_charts()
    raw = one.page.locator(".bd-article .math:not(:has(mjx-container))").all_text_contents()
    assert not raw, f"mathematics not set: {raw}"
    assert one.page.locator("mjx-merror, [data-mjx-error]").count() == 0
    for label in one.page.locator("figure.fw-chart .chart-wrapper").all():
        assert (label.get_attribute("aria-label") or "").strip(), "a chart without a name"
    images = one.page.locator("img").evaluate_all("all => all.map(i => [i.src, i.alt.trim()])")
    assert all(alt for _, alt in images), f"an image without alt: {images}"
    assert one.page.evaluate(CONTRAST, TEXT) >= 4.5, "faint text in the light"

    one.switch_to("dark")
    one.wait_for_charts()
    assert one.page.evaluate(CONTRAST, TEXT) >= 4.5, "faint text in the dark"
    one.page.set_viewport_size({"width": 390, "height": 844})
    one.page.reload()
    assert one.theme() == "dark", "a reload forgets the dark"
    one.wait_for_mathematics()
    one.wait_for_charts()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 390, "wider than a phone"


def test_the_index_leads_to_the_introduction(visit):
    one = visit("index.html")
    one.page.wait_for_url("**/intro.html")


def test_every_chart_is_redrawn_in_the_dark(visit, chart_page):
    one = visit(chart_page)
    one.wait_for_charts()
    inks = "all => all.map(svg => svg.querySelector('text').getAttribute('fill'))"
    charts = one.page.locator(".fw-live .chart-wrapper > svg")
    light = charts.evaluate_all(inks)
    one.switch_to("dark")
    one.page.wait_for_function(
        f"light => ({inks})([...document.querySelectorAll('.fw-live .chart-wrapper > svg')])"
        ".every((fill, index) => fill !== light[index])",
        arg=light,
    )
    assert len(charts.evaluate_all(inks)) == len(light) > 0


def test_sliders(visit, slider_page):
    """The keyboard moves each slider, a number in the chart follows, the dark keeps the value."""
    one = visit(slider_page)
    one.wait_for_charts()
    figures = one.page.locator("figure.fw-chart:has(.vega-bindings input[type=range])")
    assert figures.count() > 0
    for index in range(figures.count()):
        figure = figures.nth(index)
        slider = figure.locator("input[type=range]").first
        assert (slider.get_attribute("aria-label") or "").strip()
        start, before = slider.input_value(), numbers(figure)
        slider.focus()
        key = "ArrowLeft" if start == slider.get_attribute("max") else "ArrowRight"
        for _ in range(3):
            slider.press(key)
        one.page.wait_for_timeout(800)
        moved, after = slider.input_value(), numbers(figure)
        assert moved != start
        assert after != before, f"no number in chart {index + 1} follows its slider"
        assert figure.locator("[role=status]").text_content(), "the change is not announced"
        one.switch_to("light" if one.theme() == "dark" else "dark")
        one.page.wait_for_timeout(400)
        one.wait_for_charts()
        assert slider.input_value() == moved, "the new colours reset the slider"
        assert numbers(figure) == after


def downloads(one, figure, folder):
    """Follow each link to the data of a chart and give the rows by the file's name."""
    tables = {}
    for link in figure.locator(".fw-data a").all():
        with one.page.expect_download() as download:
            link.click()
        name = download.value.suggested_filename
        assert re.fullmatch(r"[\w.-]+\.csv", name), name
        assert name not in tables, f"two links to {name}"
        download.value.save_as(folder / name)
        with (folder / name).open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            tables[name] = list(table)
        assert table.fieldnames, f"no columns in {name}"
        assert not any(None in row for row in tables[name]), "a row with more cells than the head"
        internal = re.compile("_.*|.*_sort_index")
        assert not [column for column in table.fieldnames if internal.fullmatch(column)]
    return tables


def number(cell):
    """Give a cell of a CSV, or a value of a specification, as a number where it is one."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return "" if cell is None else str(cell)


def inputs(figure):
    """Give the data sets of a chart's specification."""
    spec = json.loads(figure.locator("script").text_content())
    return [rows for rows in spec.get("datasets", {}).values() if rows]


def results(rows, given):
    """Give the numeric columns of a CSV that are in no data set of the specification."""
    names = set(rows[0] if rows else ()) - {name for table in given for name in table[0]}
    columns = {name: [number(row[name]) for row in rows] for name in names}
    return {
        name: values
        for name, values in columns.items()
        if all(isinstance(value, float) for value in values)
    }


def menus(one, figure):
    """Set the menus of a chart to each combination of their options in turn."""
    selects = figure.locator(".vega-bindings select")
    options = [select.locator("option").all_text_contents() for select in selects.all()]
    for chosen in itertools.product(*options):
        for index, option in enumerate(chosen):
            selects.nth(index).select_option(option)
        if chosen:
            one.page.wait_for_timeout(700)
        yield chosen


def test_data_as_csv(visit, chart_page, tmp_path):
    """The links of each chart give all rows of its data sets, but for the place of a line."""
    one = visit(chart_page)
    one.wait_for_charts()
    for figure in one.page.locator("figure.fw-chart").all():
        drawn = collections.defaultdict(list)
        for _ in menus(one, figure):
            for name, rows in downloads(one, figure, tmp_path).items():
                drawn[name] += rows
        assert all(drawn.values()), f"no rows in one of {list(drawn)}"
        tables = drawn.values()
        given = [rows for rows in inputs(figure) if len(rows) > 1 or len(inputs(figure)) == 1]
        for rows in given:
            wanted = [{key: number(row[key]) for key in rows[0]} for row in rows]
            found = (
                [{key: number(row[key]) for key in rows[0]} for row in table]
                for table in tables
                if set(rows[0]) <= set(table[0])
            )
            assert any(all(row in table for row in wanted) for table in found), rows[0]


def test_results_as_csv(visit, slider_page, tmp_path):
    """The CSV of a chart with a slider holds a result, and it follows the slider."""
    one = visit(slider_page)
    one.wait_for_charts()
    for figure in one.page.locator("figure.fw-chart:has(.vega-bindings input[type=range])").all():
        given, before = inputs(figure), downloads(one, figure, tmp_path)
        slider = figure.locator("input[type=range]").first
        start = slider.input_value()
        slider.press("Home" if start != slider.get_attribute("min") else "End")
        one.page.wait_for_timeout(300)
        assert slider.input_value() != start
        after = downloads(one, figure, tmp_path)
        assert before.keys() == after.keys()
        moved = [
            name
            for file in before
            for name, values in results(before[file], given).items()
            if values != results(after[file], given)[name]
        ]
        assert moved, f"no column of {list(before)} follows the slider"


def test_filter(visit):
    """Menus and words narrow the scorecard, and a link to a hidden row shows all again."""
    one = visit("scorecard.html", width=390)
    rows = one.page.locator("table.fw-claims tbody tr")
    visible = one.page.locator("table.fw-claims tbody tr:visible")
    count, form = rows.count(), one.page.locator("form.fw-filter")
    assert visible.count() == count > 0
    for label, name in (("Document", "document"), ("Topic", "topic")):
        menu = form.get_by_label(label)
        value = menu.locator("option").last.get_attribute("value")
        menu.select_option(value)
        kept = visible.evaluate_all(f"all => all.map(row => row.dataset.{name})")
        assert 0 < len(kept) < count
        assert set(kept) == {value}
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 390
        menu.select_option("")
    assert visible.count() == count
    form.get_by_label("Words").fill("no such words")
    assert visible.count() == 0
    one.page.evaluate("location.hash = document.querySelector('.fw-claims tbody tr').id")
    one.page.wait_for_function(
        "document.querySelector('.fw-claims tbody tr').getClientRects().length"
    )
    assert visible.count() == count


def test_without_javascript(visit, chart_page):
    one = visit(chart_page, javascript=False, strict=False)  # preloaded scripts count as failed
    one.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    images = one.page.locator("figure.fw-chart > svg")
    assert images.count() == one.page.locator("figure.fw-chart").count() > 0
    assert all(images.evaluate_all(f"all => all.map({VISIBLE})"))
    assert not [problem for problem in one.problems if "network" in problem]


def test_when_vega_fails(visit, chart_page):
    """A chart that cannot be brought to life stays as an image, in the dark too."""
    one = visit(chart_page, strict=False)
    one.page.route("**/vega-bundle.js*", lambda route: route.abort())
    one.page.reload()
    one.switch_to("dark")
    figure = one.page.locator("figure.fw-chart:visible").first
    figure.scroll_into_view_if_needed()
    one.page.wait_for_timeout(300)
    assert any("stays static" in problem for problem in one.problems), one.problems
    assert figure.locator("> svg").evaluate(VISIBLE)


def test_on_paper(visit, chart_page):
    """Print shows the images, without sliders and links."""
    one = visit(chart_page)
    one.wait_for_charts()
    one.page.emulate_media(media="print")
    assert all(one.page.locator("figure.fw-chart > svg").evaluate_all(f"all => all.map({VISIBLE})"))
    for part in (".fw-live", ".fw-data", ".vega-bindings"):
        assert one.page.locator(f"figure.fw-chart {part}:visible").count() == 0


def test_ids_are_unique(visit, chart_page):
    one = visit(chart_page)
    one.wait_for_charts()
    ids = one.page.locator("figure.fw-chart [id]").evaluate_all("all => all.map(e => e.id)")
    assert len(ids) == len(set(ids)), sorted(ids)


def test_search(visit):
    one = visit("search.html?q=flash")
    one.page.wait_for_selector("#search-results li a")


def test_served_over_http(visit, html):
    """The book works from a web server as it does from a folder."""
    handler = functools.partial(QuietHandler, directory=str(html))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        one = visit(
            page_names(*('<figure class="fw-chart"',))[0],
            base=f"http://127.0.0.1:{server.server_port}",
        )
        one.wait_for_mathematics()
        one.wait_for_charts()
        one.page.close()
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files without a log."""

    def log_message(self, *_):
        """Say nothing."""
