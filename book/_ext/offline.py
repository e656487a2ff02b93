"""Make the built book self-contained, and its caches follow the code.

MathJax and Vega come from pinned Python packages at build time, so nothing is
fetched by a reader and nothing third-party is committed.
"""

import os
import re
import shutil
from importlib.metadata import files
from pathlib import Path

import vl_convert
from sphinx.application import Sphinx
from sphinx.config import Config
from treehash import ROOT, tree_hash

STATIC = ROOT / "build" / "static"
CACHE = ROOT / ".cache"


def write_static(app: Sphinx, config: Config) -> None:
    """Write MathJax (the one script and its fonts) and Vega into a static folder of the build."""
    shutil.rmtree(STATIC, ignore_errors=True)
    for file in files("sphinx-mathjax-offline") or []:
        name = file.as_posix().partition("/static/")[2]
        if name == "mathjax/tex-chtml.js" or "/woff-v2/" in name:
            target = STATIC / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)
    # written as a module: without the function around it, its short names would be global
    bundle = vl_convert.javascript_bundle(vl_version="6.4")
    (STATIC / "vega-bundle.js").write_text(f"(function () {{\n{bundle}\n}})();\n", encoding="utf-8")
    config.html_static_path.append(str(STATIC))


def follow_code(app: Sphinx, config: Config) -> None:
    """Keep executed notebooks in a folder named by the hash of code and data; drop old ones.

    jupyter-cache looks at a notebook's cells only. A new folder makes it execute again, and
    makes Sphinx read every page again, because the setting belongs to its environment.
    """
    folder = CACHE / tree_hash()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    config.nb_execution_cache_path = str(folder / "jupyter")
    config.site_hash = tree_hash("book/_ext/*.py", "book/theme/*", "_config.yml")
    hashed = [path for path in CACHE.iterdir() if re.fullmatch(r"[0-9a-f]{64}", path.name)]
    for stale in sorted(hashed, key=lambda path: path.stat().st_mtime)[:-2]:
        shutil.rmtree(stale)


def drop_thebe(app: Sphinx, config: Config) -> None:
    """Disconnect sphinx-thebe, which Jupyter Book always loads: it points at remote servers."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if one.handler.__module__ != "sphinx_thebe"]


def choose_files(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Drop the style sheet of Thebe; load each script only where the page has use for it."""
    unused = {"sphinx-thebe.css"}
    if "fw-chart" not in context.get("body", ""):
        unused |= {"vega-bundle.js", "charts.js"}
    if "data-filter" not in context.get("body", ""):
        unused |= {"filter.js"}
    for kind in ("css_files", "script_files"):
        context[kind] = [
            file for file in context[kind] if Path(str(file.filename or "")).name not in unused
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    # written with each page's build: a change of the theme or of these files makes all anew
    app.add_config_value("site_hash", "", "html", [str])
    app.connect("config-inited", drop_thebe)
    app.connect("config-inited", write_static)
    app.connect("config-inited", follow_code, priority=10)
    app.connect("html-page-context", choose_files, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
