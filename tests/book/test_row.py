"""The row of a hundred bytes is drawn to scale, by the numbers of the library."""

import pytest
from built import prose_pages

from flashwear_book import stacks

pytestmark = pytest.mark.browser

PAGE = next(iter(prose_pages('class="fw-row"')), "(none)")
AREA = """(drawn) => {
    const { width, height } = drawn.getBoundingClientRect();
    const corners = getComputedStyle(drawn).clipPath.match(/[\\d.]+px [\\d.]+px/g);
    if (!corners) return (width * height) / 64;
    const points = corners.map((one) => one.split(" ").map(parseFloat));
    const [edge, under] = points.find(([x, y]) => x && y);
    return (width * under + edge * (height - under)) / 64;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_each_layer_has_as_many_cells_as_it_writes_rows(visit, width):
    page = visit(PAGE, width=width).page
    panel = page.locator(".fw-row")
    rows = stacks.stacks().query("load == 'changed at random' and record == 100 and rate == 100")
    drawn = panel.locator("section i")
    by_key = rows.set_index(["database", "file_system", "group"])
    first = None
    for key in (None, ("SQLite", "ext4 or XFS", 100), ("RocksDB", "ZFS, 16 KiB records", 10)):
        for name, value in zip(("database", "file_system", "group"), key or (), strict=False):
            panel.locator(f"[name={name}]").select_option(str(value))
        chosen = tuple(panel.locator(f"[name={name}]").input_value() for name in by_key.index.names)
        row = by_key.loc[(*chosen[:2], int(chosen[2]))]
        for at, count in enumerate((row.by_database, row.by_file_system)):
            one = drawn.nth(at)
            assert int(one.get_attribute("data-cells")) == pytest.approx(count / 100, abs=0.51)
            assert one.evaluate(AREA) == pytest.approx(count / 100, abs=1)
        flash = int(drawn.nth(2).get_attribute("data-cells"))
        ratio = flash / (row.by_file_system / 100)
        first = first or ratio
        assert ratio == pytest.approx(first, abs=0.1)  # rounded to a cell
        days = 600e12 / (row.by_file_system * 100 * 86_400)
        told = f"{days:.0f} days" if days < 730 else f"{float(f'{days / 365:.2g}'):g} years"
        assert told in panel.locator(".fw-row-end").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
