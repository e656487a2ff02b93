"""Pages in every way that takes long: by axe, on paper, with all their data, and without scripts.

`make test` looks at a page of each kind, `make prove` at all.
"""

import collections
import itertools

import pytest
from axe_playwright_python.sync_playwright import Axe
from built import opened_pages, page_names
from test_pages import (
    CHART,
    FILES,
    PAINTED,
    PHONE,
    check_width,
    inputs,
    look_over,
    number,
    tables_of,
)

pytestmark = pytest.mark.browser

KINDS = ["index.html", "my-drive.html", "chapters/budget.html", "reference/glossary.html",
         "reference/api/units.html", "search.html"]  # fmt: skip
PAGES = opened_pages()
WITH_CHARTS = page_names('<figure class="fw-chart"')
AXE = Axe()
ALIKE = ["table tbody tr:nth-child(n + 30)"]  # the rows above
PICTURED = [".fw-game-blocks"]  # what a block shows are its pages, and no name of it
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
ADVISED = ["region", "label-content-name-mismatch"]
FOUND = "#search-results li a .highlighted"
VISIBLE = """(svg) => {
    const box = svg.getBoundingClientRect();
    const style = getComputedStyle(svg);
    return box.width > 200 && box.height > 60 && style.visibility === "visible"
        && Number(style.opacity) === 1;
}"""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page in KINDS else pytest.mark.proof) for page in PAGES]
)
def test_page_in_full(visit, page, tmp_path):
    one = visit(page)
    one.wait_for_charts()
    check_access(one)
    check_access(one, ADVISED)
    figures = one.page.locator(CHART)
    for figure in figures.all():
        check_data(one, figure)
    if figures.count():
        check_paper(one)
    look_over(one)
    if figures.count():
        check_download(one, figures.first, tmp_path)
    check_phone(one)
    if figures.count():
        check_without_vega(one)


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_results_of_a_search(visit, width):
    one = visit("search.html?q=endurance", width=width)
    one.page.wait_for_selector(FOUND)
    check_access(one)
    check_access(one, ADVISED)
    check_access(one, ["color-contrast"])
    one.switch_to("dark")
    check_access(one, ["color-contrast"])


def check_access(one, rules=None):
    """Find no violation of WCAG's rules A and AA, or of some rules, on the page as it stands.

    Contrast takes axe longer than all else, and stands in a file of its own.
    """
    only = {
        "runOnly": {"type": "rule" if rules else "tag", "values": rules or RULES},
        "rules": {"color-contrast": {"enabled": bool(rules)}},
        "resultTypes": ["violations"],
        "preload": False,  # it would fetch the style sheets, which a browser refuses on file://
    }
    left_out = {"exclude": [ALIKE, PICTURED] if rules == ADVISED else [ALIKE]}
    found = AXE.run(one.page, context=left_out, options=only).response["violations"]
    told = [(rule["id"], node["html"][:200]) for rule in found for node in rule["nodes"]]
    assert not told, told[:10]


def menus(one, figure):
    """Set the menus of a chart to each combination of their options in turn."""
    selects = figure.locator(".vega-bindings select")
    options = [select.locator("option").all_text_contents() for select in selects.all()]
    for chosen in itertools.product(*options):
        for index, option in enumerate(chosen):
            selects.nth(index).select_option(option)
        if chosen:
            one.page.evaluate(PAINTED)
        yield chosen


def check_data(one, figure):
    """The links of a chart give all rows of its data sets, but for the place of a line."""
    drawn = collections.defaultdict(list)
    for _ in menus(one, figure):
        for name, rows in tables_of(figure).items():
            drawn[name] += rows
    assert all(drawn.values()), f"no rows in one of {list(drawn)}"
    for rows in inputs(figure):
        if len(rows) == 1 and len(inputs(figure)) > 1:
            continue
        names = rows[0].keys()
        tables = [table for table in drawn.values() if names <= table[0].keys()]
        assert any(cells(rows, names) <= cells(table, names) for table in tables), rows[0]


def cells(rows, names):
    return {tuple(number(row[name]) for name in names) for row in rows}


def check_download(one, figure, folder):
    link = figure.locator(".fw-data a").first
    with one.page.expect_download() as download:
        link.click()
    download.value.save_as(folder / "data.csv")
    text = (folder / "data.csv").read_text(encoding="utf-8")
    assert figure.evaluate(FILES)[download.value.suggested_filename] == text


def check_paper(one):
    """Print shows the images, without sliders and links."""
    one.page.emulate_media(media="print")
    assert all(one.page.locator(f"{CHART} > svg").evaluate_all(f"all => all.map({VISIBLE})"))
    for part in (".fw-live", ".fw-data", ".vega-bindings"):
        assert one.page.locator(f"{CHART} {part}:visible").count() == 0
    one.page.emulate_media(media="screen")


def check_phone(one):
    """A phone remembers the dark, and nothing is wider than it."""
    one.page.set_viewport_size({"width": PHONE, "height": 844})
    one.wait_for(lambda: remembers(one, "dark"))
    one.wait_for_mathematics()
    one.wait_for_charts()
    check_width(one)


def remembers(one, theme):
    """Reload, and set the theme again if it is lost: Chromium stores it only a moment later."""
    one.page.reload()
    if one.theme() == theme:
        return True
    one.switch_to(theme)
    return False


def check_without_vega(one):
    """A chart that cannot be brought to life stays as an image, in the dark too."""
    problems = list(one.problems)
    one.page.route("**/vega-bundle.js*", lambda route: route.abort())
    one.page.reload()
    figure = one.page.locator(f"{CHART}:visible").first
    figure.scroll_into_view_if_needed()
    one.page.wait_for_function(f"(figure) => ({VISIBLE})(figure.querySelector(':scope > svg'))",
                               arg=figure.element_handle())  # fmt: skip
    one.wait_for(lambda: any("stays static" in problem for problem in one.problems))
    one.problems[:] = problems  # what was to fail has


@pytest.mark.parametrize("pages", [KINDS, pytest.param(WITH_CHARTS, marks=pytest.mark.proof)])
def test_without_javascript_charts_are_images(visit, pages):
    one = visit("index.html", javascript=False, strict=False)  # preloaded scripts count as failed
    for page in filter(WITH_CHARTS.__contains__, pages):
        one.go_to(page)
        one.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
        images = one.page.locator(f"{CHART} > svg")
        assert images.count() == one.page.locator(CHART).count() > 0, page
        assert all(images.evaluate_all(f"all => all.map({VISIBLE})")), page
    assert not [problem for problem in one.problems if "network" in problem]
