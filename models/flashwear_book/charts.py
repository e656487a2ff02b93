"""The theme of the book's charts, and how charts and values get into its pages.

`enable` switches on the Altair theme ``flashwear``. While the book is built
(environment variable ``FLASHWEAR_BOOK``) it also switches on a renderer that
writes each chart twice: as a static image, readable without JavaScript, and as
the Vega-Lite specification that ``book/theme/charts.js`` brings to life.
Elsewhere, as in JupyterLab, Altair's own renderer stays on.

The colours are the constants below, for marks that need one by name. A live
chart on a dark page replaces each by its counterpart in `DARK`.
"""

import html
import itertools
import json
import os
import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert
from pandas.io.formats.style import Styler

__all__ = ["ACCENT", "CATEGORIES", "DARK", "DRIVES", "GRID", "INK", "MUTED", "PAPER", "controls",
           "enable", "glue", "of_drives", "slider", "table"]  # fmt: skip

FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
STATIC_WIDTH = 640
"""Width of the static image of a chart that fills its container, in pixels."""

PAPER = "#ffffff"
"""The page behind a chart."""
INK = "#22262a"
"""Text and axes."""
MUTED = "#5c6670"
"""Reference lines, and what should stay in the background."""
GRID = "#dfe3e6"
"""Grid lines."""
CATEGORIES = ["#0050a8", "#1a9c84", "#c44fc0", "#b0841a", "#4b5561", "#a63c06"]
"""Blue, green, purple, ochre, slate and rust, the colours of series in this order.

They stay apart in the common forms of colour blindness, and reach a contrast
of at least 3 to 1 with the page.
"""
ACCENT = CATEGORIES[-1]
"""What the reader has chosen, in the whole book."""

DARK = {
    PAPER: "#121212", INK: "#e8ebee", MUTED: "#a3adb7", GRID: "#39424b", CATEGORIES[0]: "#7db8f7",
    CATEGORIES[1]: "#00c98d", CATEGORIES[2]: "#c968bd", CATEGORIES[3]: "#f3dc4c",
    CATEGORIES[4]: "#d9dde1", CATEGORIES[5]: "#e06a1c",
}  # fmt: skip
"""The counterpart of each colour on a dark page."""

DRIVES = {"M600": CATEGORIES[0], "MX300": CATEGORIES[1], "M500DC": CATEGORIES[2],
          "P400m": CATEGORIES[3], "S3700": CATEGORIES[4], "S3500": CATEGORIES[1],
          "MX200": CATEGORIES[4], "MX100": CATEGORIES[3], "840 EVO": CATEGORIES[2]}  # fmt: skip
"""The colour of a line of drives in every chart of the book; those that share one seldom meet."""

_serial = itertools.count(1)


@alt.theme.register("flashwear", enable=False)
def _theme() -> alt.theme.ThemeConfig:
    """Look of every chart: sober, large enough for a phone, marks silent for screen readers."""
    words = {"labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13}
    beside = {**words, "titleFontWeight": "normal"}
    config: Any = {
        "background": PAPER, "font": FONT, "padding": 4,
        "view": {"stroke": None, "continuousWidth": STATIC_WIDTH, "continuousHeight": 320},
        "axis": {**beside, "domainColor": MUTED, "gridColor": GRID, "tickColor": MUTED,
                 "titlePadding": 8, "labelOverlap": True},
        "axisX": {"tickCount": 6}, "axisY": {"tickCount": 6},
        "legend": {**beside, "orient": "top", "columns": 3, "labelLimit": 240,
                   "symbolStrokeWidth": 2.5, "symbolBaseFillColor": MUTED,
                   "symbolBaseStrokeColor": MUTED},
        "header": words,
        "title": {"color": INK, "fontSize": 15, "anchor": "start"},
        # one label per point would drown the description of the chart
        "mark": {"color": CATEGORIES[0], "aria": False},
        "line": {"strokeWidth": 2.5}, "rule": {"color": MUTED},
        "point": {"size": 60, "filled": True, "opacity": 0.9},
        "text": {"color": INK, "fontSize": 13},
        "range": {"category": CATEGORIES, "ramp": {"scheme": "viridis"},
                  "heatmap": {"scheme": "viridis"}},
    }  # fmt: skip
    return {"config": config}


def enable() -> None:
    """Enable the theme, and a renderer that needs no network.

    Call it once at the top of a notebook. While the book is built (the environment variable
    ``FLASHWEAR_BOOK`` is set and not empty), the renderer is that of the book's pages, which raises
    `ValueError` for a chart without a description. In a notebook a chart is a picture, or, with
    sliders, a self-contained frame; a renderer that was chosen before is kept.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import charts
    >>> charts.enable()
    >>> alt.theme.active
    'flashwear'
    """
    alt.theme.enable("flashwear")
    if os.environ.get("FLASHWEAR_BOOK"):
        alt.renderers.enable("flashwear-book")
    elif alt.renderers.active == "default":
        alt.renderers.enable("flashwear-notebook")


def slider(
    name: str, label: str, value: float, low: float, high: float, step: float
) -> alt.Parameter:
    """Return a chart parameter that readers set by a slider and a text box.

    Parameters
    ----------
    name : str
        Name of the parameter in chart expressions, and in the address of the web page.
    label : str
        Label for the reader, with the unit.
    value, low, high, step : float
        Value at first, least and greatest value, and step of the slider.

    Examples
    --------
    >>> from flashwear_book import charts
    >>> charts.slider("years", "Years", 5, 1, 20, 1).param.value
    5
    """
    bind = alt.binding_range(min=low, max=high, step=step, name=label)
    return alt.param(name=name, value=value, bind=bind)


def of_drives(names: Sequence[str]) -> alt.Scale:
    """Return a colour scale for drives: a product line has the same colour in every chart.

    Parameters
    ----------
    names : sequence of str
        Names of the drives in the chart, such as "M600 256 GB". The first drive of each product
        line gets the colour of the line (:data:`DRIVES`). Further drives of the same line, and
        drives of lines that have no colour, get the next colour that is not in use.

    Examples
    --------
    >>> from flashwear_book import charts
    >>> scale = charts.of_drives(["P400m", "M600 256GB", "M600 1TB"])
    >>> [charts.CATEGORIES.index(colour) for colour in scale.range]
    [3, 0, 1]
    """
    own: dict[str, str] = {}
    for name in names:
        colour = next((colour for line, colour in DRIVES.items() if line in name), None)
        if colour is not None and colour not in own.values():
            own[name] = colour
    free = itertools.cycle([c for c in CATEGORIES if c not in own.values()] or CATEGORIES)
    return alt.Scale(domain=list(names), range=[own.get(name) or next(free) for name in names])


def controls(
    powers: Sequence[str] = (), presets: tuple[str, dict[str, dict[str, float]]] | None = None
) -> dict[str, Any]:
    """Return slider options that Vega-Lite does not have, to be given to a chart as `usermeta`.

    Parameters
    ----------
    powers : sequence of str
        Names of sliders that are logarithmic; their least value must be above 0.
    presets : pair of str and dict, optional
        Label of a menu, and its settings by name: for each slider's name the value it gets.

    Examples
    --------
    >>> import altair as alt
    >>> from flashwear_book import charts
    >>> more = charts.controls(["gb"], ("Load", {"a camera": {"gb": 86}}))
    >>> alt.Chart(alt.sequence(3)).mark_point().properties(usermeta=more).to_dict()["usermeta"]
    {'powers': ['gb'], 'presets': {'label': 'Load', 'settings': {'a camera': {'gb': 86}}}}
    """
    more: dict[str, Any] = {"powers": list(powers)}
    if presets is not None:
        more["presets"] = {"label": presets[0], "settings": presets[1]}
    return more


def table(frame: pd.DataFrame, caption: str, precision: int = 0, **formats: str) -> Styler:
    """Return a frame styled as a table of the book: without index, with readable numbers.

    Parameters
    ----------
    frame : pandas.DataFrame
        Data; its columns are the heads of the table.
    caption : str
        Caption: what the table shows.
    precision : int
        Digits after the point of each number.
    **formats : str
        Other formats, such as "{:.2f}", by name of the column.
    """
    style = Styler(frame, cell_ids=False).format(
        precision=precision, thousands=",", na_rep="not stated"
    )
    if formats:
        style = style.format(formats, na_rep="not stated", subset=list(formats))
    return style.hide(axis="index").set_caption(caption)


def glue(**values: str) -> None:
    """Insert computed values into the prose of a chapter.

    Each value is stored in the notebook under its name, where the book's text finds it
    as ``{glue:text}`name```. A notebook shows nothing; elsewhere the stored value is printed.

    Parameters
    ----------
    **values : str
        The text as it is to appear in the sentence, usually with its unit.

    Raises
    ------
    ValueError
        If a value is not a text: its digits would be left to chance.
    """
    from IPython.display import display

    for name, value in values.items():
        if not isinstance(value, str):
            raise ValueError(f"{name} must be a text as it shall be printed, got {value!r}")
        prefix = "application/papermill.record/"
        where = {"scrapbook": {"name": name, "mime_prefix": prefix}}
        display({f"{prefix}text/plain": repr(value)}, raw=True, metadata=where)  # type: ignore[no-untyped-call]


def _render(spec: dict[str, Any], **_: object) -> dict[str, str]:
    """Return the MIME bundle of a chart for a page of the book."""
    description = spec.get("description")
    if not isinstance(description, str) or not description.strip():
        raise ValueError(
            "description must be a text that tells what the chart shows, given to "
            "alt.Chart(..., description=...) or, on a layered or joined chart, to "
            f".properties(description=...), got {description!r}"
        )
    spec = _say_scales(spec)
    if spec.get("width") == "container":
        spec = {"autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    svg = _picture(spec)
    label = html.escape(description, quote=True)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    live = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    dark = html.escape(json.dumps(DARK, separators=(",", ":")), quote=True)
    return {
        "text/html": (
            f'<figure class="fw-chart" data-dark="{dark}">{svg}'
            f'<script type="application/json">{live}</script></figure>'
        )
    }


def _say_scales(spec: Any) -> Any:
    """Return a chart whose axes and legends name scales that are not linear."""
    if isinstance(spec, list):
        return [_say_scales(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    spec = {name: _say_scales(part) for name, part in spec.items() if name != "datasets"} | (
        {"datasets": spec["datasets"]} if "datasets" in spec else {}
    )
    kind, title = (spec.get("scale") or {}).get("type"), spec.get("title")
    if kind in ("log", "sqrt") and isinstance(title, str) and title:
        spec["title"] = f"{title}, {kind} scale"
    return spec


def _picture(spec: dict[str, Any]) -> str:
    """Return a chart as an SVG."""
    static = {**spec, "width": STATIC_WIDTH} if spec.get("width") == "container" else spec
    # a warning of Vega-Lite goes to stderr: it fails the build, and never reaches a reader
    svg = vl_convert.vegalite_to_svg(static, vl_version="6.4", show_warnings=True)
    # a hundredth of a pixel, and smaller pages; what stands between tags is read
    svg = re.sub(r"(\d+\.\d\d)\d+(?=[^<>]*>)", r"\1", svg)
    return _own_ids(svg, f"fw{next(_serial)}-")


def _render_alone(spec: dict[str, Any], **_: object) -> dict[str, str]:
    """Return the MIME bundle of a chart for a notebook, which may have no network."""
    spec = _say_scales(spec)
    bundle = {"image/svg+xml": _picture(spec), "text/plain": str(spec.get("description", "Chart"))}
    if '"bind":' in json.dumps(spec):
        page = alt.Chart.from_dict(spec).to_html(inline=True)
        grow = "this.style.height = this.contentDocument.documentElement.scrollHeight + 20 + 'px'"
        bundle["text/html"] = (
            f'<iframe srcdoc="{html.escape(page, quote=True)}" onload="{grow}" '
            'style="width: 100%; border: 0"></iframe>'
        )
    return bundle


def _own_ids(svg: str, prefix: str) -> str:
    """Prefix every id of an SVG, and every reference to one: vl-convert reuses them."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    return re.sub(r'(url\(#|href="#)', rf"\g<1>{prefix}", svg)


alt.renderers.register("flashwear-book", _render)
alt.renderers.register("flashwear-notebook", _render_alone)
