"""The theme and the renderer of the book's charts."""

import dataclasses
import html
import itertools
import json
import re
from html import unescape

import altair as alt
import numpy as np
import pandas as pd
import pytest
import vl_convert

from flashwear import endurance, pricing, wa
from flashwear.reliability import ecc, rber
from flashwear.units import GB, TB
from flashwear_book import charts, live

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
BLINDNESS = {"none": np.eye(3),
             "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                                 [-0.003882, -0.048116, 1.051998]]),
             "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                                 [-0.011820, 0.042940, 0.968881]])}  # fmt: skip


@pytest.fixture
def book(monkeypatch):
    """Switch the renderer on as in a build of the book, and back afterwards."""
    monkeypatch.setenv("FLASHWEAR_BOOK", "1")
    renderer, theme = alt.renderers.active, alt.theme.active
    charts.enable()
    yield
    alt.renderers.enable(renderer)
    alt.theme.enable(theme)


def chart(**properties):
    data = pd.DataFrame({"x": [1, 2], "y": [2, 1], "name": ["</script>", "b"]})
    encoding = {"x": "x:Q", "y": "y:Q", "color": "x:Q", "tooltip": "name:N"}
    return alt.Chart(data).mark_line(clip=True).encode(**encoding).properties(**properties)


def rendered(one):
    return one._repr_mimebundle_()


def live_spec(bundle):
    text = re.search(r'<script type="application/json">(.*?)</script>', bundle["text/html"])[1]
    return json.loads(text)


@pytest.mark.parametrize("chosen", ["default", "json"])
def test_in_a_notebook_charts_need_no_network_and_a_chosen_renderer_stays(monkeypatch, chosen):
    monkeypatch.delenv("FLASHWEAR_BOOK", raising=False)
    before = alt.renderers.active, alt.theme.active
    try:
        alt.renderers.enable(chosen)
        charts.enable()
        assert alt.theme.active == "flashwear"
        assert alt.renderers.active == {"default": "flashwear-notebook"}.get(chosen, chosen)
    finally:
        alt.renderers.enable(before[0])
        alt.theme.enable(before[1])


def test_a_chart_in_a_notebook_is_a_picture_and_one_with_sliders_holds_what_moves_it():
    still = charts._render_alone(chart(description="a").to_dict())
    assert still.keys() == {"image/svg+xml", "text/plain"}
    slider = charts.slider("op", "Spare flash", 1, 0, 2, 0.1)
    one = chart(description="a", width="container").add_params(slider)
    moving = charts._render_alone(one.to_dict())
    page = html.unescape(moving["text/html"])
    assert "vegaEmbed" in page
    assert not re.search(r"""(src|href|import)\s*[=(]?\s*["']?https?:""", page)
    for bundle in (still, moving):
        assert bundle["image/svg+xml"].startswith("<svg")


def test_a_chart_needs_a_description_and_a_warning_of_vega_lite_is_not_swallowed(book, capfd):
    for properties in ({}, {"description": "  "}):
        with pytest.raises(ValueError, match=r"description must be .* got (None|'  ')"):
            rendered(chart(**properties))
    layers = chart(description="one") + chart(description="two")
    with pytest.raises(ValueError, match="description"):
        rendered(layers)
    assert rendered(layers.properties(description="both"))
    # What a cell writes to stderr fails the build of the book.
    bars = chart(description="d").mark_bar().encode(y="name:N")
    rendered(bars.properties(width="container", height=60))
    assert not capfd.readouterr().err
    rendered(bars.properties(width="container"))
    assert "discrete height" in capfd.readouterr().err


def test_a_chart_is_html_with_a_label_fixed_width_unharmed_data_and_ids_of_its_own(book):
    bundle = rendered(chart(description='Falls from 2 to 1, "steeply" & <fast>.'))
    assert set(bundle) == {"text/html"}
    label = re.search(r'<svg role="img" aria-label="([^"]*)"', bundle["text/html"])[1]
    assert unescape(label) == 'Falls from 2 to 1, "steeply" & <fast>.'
    (rows,) = live_spec(bundle)["datasets"].values()
    assert [row["name"] for row in rows] == ["</script>", "b"]
    bundle = rendered(chart(description="d", width="container"))
    assert live_spec(bundle)["width"] == "container"
    width = float(re.search(r'<svg [^>]*?\bwidth="([\d.]+)"', bundle["text/html"])[1])
    assert width == charts.STATIC_WIDTH
    told = alt.Chart(pd.DataFrame({"at": [0.6689], "said": ["0.669 a day"]})).mark_text()
    one = told.encode(x="at:Q", text="said:N").properties(description="d")
    svg = rendered(one)["text/html"].partition("<script")[0]
    assert ">0.669 a day</text>" in svg  # with all its digits
    assert not re.search(r'\btransform="[^"]*\.\d{3}', svg)
    # The same chart twice: ids differ, and each reference finds its id in the same chart.
    seen = []
    for _ in range(2):
        svg = rendered(chart(description="d"))["text/html"].partition("<script")[0]
        ids = re.findall(r'\bid="([^"]+)"', svg)
        uses = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)
        assert ids
        assert {first or second for first, second in uses} <= set(ids)
        seen += ids
    assert len(seen) == len(set(seen))


def test_told_values_are_texts_and_a_format_is_of_one_column():
    with pytest.raises(ValueError, match=r"rating must be a text.* got 4\.5"):
        charts.glue(rating=4.5)
    frame = pd.DataFrame({"Writes (TB)": [1234.5], "Spare (%)": [7.374]})
    html = charts.table(frame, "Two columns.", **{"Spare (%)": "{:.1f}"}).to_html()
    assert "1,234" in html
    assert "7.4" in html
    assert "7.37" not in html


def test_colours_have_dark_counterparts_and_each_line_of_drives_one_of_its_own():
    with alt.theme.enable("flashwear"):
        config = json.dumps(alt.theme.get()())
    colours = set(re.findall(r"#[0-9a-f]{6}", config))
    assert charts.INK in colours
    assert colours <= set(charts.DARK)
    for names in (["M600", "P400m"], ["P400m 200GB", "S3700 200GB", "M600 256GB"],
                  ["MX300", "M600"]):  # fmt: skip
        scale = charts.of_drives(names)
        assert scale.domain == names
        for name, colour in zip(names, scale.range, strict=True):
            assert colour == next(c for line, c in charts.DRIVES.items() if line in name)
    names = ["M600 256GB", "M600 1TB", "MX200", "S3700", "unknown", "P400m"]
    assert len(set(charts.of_drives(names).range)) == len(names)
    assert len(charts.of_drives([*names, "one more"]).range) == 7


def linear(colour):
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted(float(weights @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb):
    """Convert linear RGB to OKLab, whose distances follow the eye (Ottosson 2020)."""
    cones = np.cbrt(np.array([
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]) @ np.clip(rgb, 0, 1))  # fmt: skip
    return (np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                      [1.9779984951, -2.4285922050, 0.4505937099],
                      [0.0259040371, 0.7827717662, -0.8086757660]]) @ cones)  # fmt: skip


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stand_out_from_the_page(dark):
    shown = charts.DARK if dark else {colour: colour for colour in charts.DARK}
    paper = shown[charts.PAPER]
    assert contrast(shown[charts.INK], paper) >= 7
    assert contrast(shown[charts.MUTED], paper) >= 4.5
    assert min(contrast(shown[colour], paper) for colour in charts.CATEGORIES) >= 3


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", BLINDNESS)
def test_colours_stay_apart_for_the_colour_blind(dark, kind):
    """A distance of 0.02 in OKLab is about what the eye can just tell side by side."""
    colours = [charts.DARK[colour] if dark else colour for colour in charts.CATEGORIES]
    places = [oklab(BLINDNESS[kind] @ linear(colour)) for colour in colours]
    nearest = min(
        float(np.linalg.norm(one - other)) for one, other in itertools.combinations(places, 2)
    )
    assert nearest >= 0.08


def test_what_is_computed_in_the_page_agrees_with_the_library():
    # the page's arithmetic by Vega itself: each value is drawn as a text of 16 digits. 1e-9 is
    # what a reader of the page is promised; cancellation near op = 0.001 leaves about 2e-11
    op = np.concatenate([np.geomspace(0.001, 1, 25), [2, 5, 20]])
    rows = alt.Chart(pd.DataFrame({"op": op}))
    chart = live.with_fifo(rows, "datum.op", "wa").mark_text()
    chart = chart.encode(y="op:O", text=alt.Text("wa:Q", format=".16g"))
    texts = re.findall(r">(\d+\.\d{6,})</text>", vl_convert.vegalite_to_svg(chart.to_dict()))
    shown = {float(text) for text in texts} - set(op)
    expected = sorted(wa.fifo(op))
    np.testing.assert_allclose(sorted(shown)[-len(op) :], expected, rtol=1e-9)
    flash = dataclasses.replace(rber.load("mlc-20nm"), wear_growth=1e-3)
    with pytest.raises(ValueError, match=r"wear_growth of the flash must be 0, got 0.001"):
        live.with_cycles_at(alt.Chart(), flash, "0.001", "0", "30", "n")
    grid = pd.DataFrame(
        itertools.product([5, 60, 20_000], [1, 600, 100_000], [0.1, 50, 30_000], [1, 6, 20]),
        columns=["price", "tbw", "gb", "keep"],
    )
    rows = alt.Chart(grid.assign(row=range(len(grid))))
    chart = live.with_years(rows, "datum.tbw", "datum.gb", "years")
    expected = endurance.lifetime_years(grid.tbw * TB, grid.gb * GB)
    np.testing.assert_allclose(drawn(chart, "years", len(grid)), expected, rtol=1e-12)
    price, tbw, gb, keep = (f"datum.{name}" for name in grid)
    chart = live.with_cost_per_year(rows, price, tbw, gb, keep, "cost")
    expected = pricing.cost_per_year(grid.price, grid.tbw * TB, grid.gb * GB, grid.keep)
    np.testing.assert_allclose(drawn(chart, "cost", len(grid)), expected, rtol=1e-12)


ages = pd.DataFrame(itertools.product((0, 1, 300, 3000, 10_000), (0, 1, 90, 365), (0, 30, 66)),
                    columns=["cycles", "days", "celsius"])  # fmt: skip


def drawn(chart, field, rows):
    """Return a field of a chart's rows as Vega computes it, in the order of the field ``row``."""
    text = alt.expr.format(alt.datum[field], ".16g")
    row = chart.transform_calculate(_text="datum.row + ':' + " + str(text)).mark_text()
    svg = vl_convert.vegalite_to_svg(row.encode(y="row:O", text="_text:N").to_dict())
    found = dict(re.findall(r">(\d+):([-+.e\d\u2212]+)</text>", svg))
    return np.array([float(found[str(i)].replace("\u2212", "-")) for i in range(rows)])


@pytest.mark.parametrize("name", rber.names())
def test_error_rates_computed_in_the_page_agree_with_the_library(name):
    flash = rber.load(name)
    rows = alt.Chart(ages.assign(row=range(len(ages))))
    where = ("datum.days * 86400", "datum.celsius")
    chart = live.with_rber(rows, flash, "datum.cycles", *where, "rate")
    expected = rber.at(flash, ages.cycles, ages.days * 86400, ages.celsius)
    np.testing.assert_allclose(drawn(chart, "rate", len(ages)), expected, rtol=1e-10)
    limits = {3000: 1e-5, 0: 2e-4, 1: 1e-3, 300: 5e-3, 10_000: 0.02}
    some = ages.assign(row=range(len(ages)), limit=ages.cycles.map(limits))
    chart = live.with_cycles_at(alt.Chart(some), flash, "datum.limit", *where, "n")
    expected = rber.cycles_at(flash, some.limit, some.days * 86400, some.celsius)
    np.testing.assert_allclose(drawn(chart, "n", len(ages)), expected, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("correctable", [1, 15, 40, 100])
@pytest.mark.parametrize("rate", [1e-6, 3e-4, 1.3e-3, 8e-3, 0.0299, 0.2])
def test_uncorrectable_rates_computed_in_the_page_agree_with_the_library(rate, correctable):
    rows = alt.Chart(alt.sequence(600, as_="i")).transform_calculate(row="0")
    code = ecc.Bch(1024, 100)
    chart = live.with_uber(rows, code, str(correctable), str(rate), "uber", keep=("row",))
    expected = ecc.Bch(1024, correctable).uber(rate)
    np.testing.assert_allclose(drawn(chart, "uber", 1), [expected], rtol=1e-9)
