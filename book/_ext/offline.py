"""Make the built book self-contained.

MathJax, Vega and fonts come from pinned Python packages at build time, so nothing is
fetched by a reader and nothing third-party is committed.
"""

import hashlib
import re
import shutil
from collections.abc import Iterable
from importlib import metadata
from importlib.resources import files
from pathlib import Path

import vl_convert
from sphinx.application import Sphinx
from sphinx.config import Config

import face
import flashwear
import valid
from fresh_install import ROOT

STATIC = ROOT / "build" / "static"
UNUSED = re.compile("Fraktur|SansSerif|Script|Typewriter")  # alphabets that no formula here has
SCRIPTS = sorted(ROOT.glob("models/flashwear_book/panels/*.js"))
OWN = [*sorted(ROOT.glob("book/theme/*")), *SCRIPTS]
"""What the site serves of the project's own."""

# names, signs and numbers of code, which need no colour of their own: 3 MB of marks
_PLAIN = re.compile(r'<span class="(?:n|nn|p|w|o|mi)">([^<]*)</span>')


def write_static(app: Sphinx, config: Config) -> None:
    """Write MathJax, Vega and late style sheets of extensions into a static folder of the build."""
    config.html_static_path += map(str, [*SCRIPTS, STATIC])
    made = STATIC / ".made"  # by these versions, and whole
    packages = (
        "sphinx-mathjax-offline",
        "vl-convert-python",
        "myst-nb",
        "sphinx-exercise",
        *face.PACKAGES,
    )
    versions = " ".join(
        [*map(metadata.version, packages), _digest([__file__, face.__file__, valid.__file__])]
    )
    if made.is_file() and made.read_text(encoding="utf-8") == versions:
        return
    shutil.rmtree(STATIC, ignore_errors=True)
    for file in metadata.files("sphinx-mathjax-offline") or []:
        name = file.as_posix().partition("/static/")[2]
        if name == "mathjax/tex-chtml.js" or ("/woff-v2/" in name and not UNUSED.search(name)):
            target = STATIC / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)
    # of two extensions that write their style sheets too late for the pages to name their versions
    style = files("myst_nb.static").joinpath("mystnb.css").read_bytes()
    name = f"mystnb.{hashlib.sha256(style).hexdigest()}.css"
    (STATIC / name).write_text(valid.mended_style(style.decode()), encoding="utf-8")
    style = files("sphinx_exercise").joinpath("assets/html/exercise.css").read_bytes()
    (STATIC / "exercise.css").write_bytes(style)
    # written as a module: without the function around it, its short names would be global
    bundle = vl_convert.javascript_bundle(vl_version="6.4")
    (STATIC / "vega-bundle.js").write_text(f"(function () {{\n{bundle}\n}})();\n", encoding="utf-8")
    face.write_faces(STATIC)
    face.write_icons(STATIC)
    valid.write_template(face.THEME_STATIC.parent, face.TEMPLATES)
    made.write_text(versions, encoding="utf-8")


def follow_site(app: Sphinx, config: Config) -> None:
    """Make a change of the theme write all pages again, and one of these files read them again."""
    config.project = "Flash Wear"
    config.version = config.release = flashwear.__version__
    config.theme_hash = _digest([*OWN, ROOT / "_config.yml"])
    config.code_hash = _digest(sorted(ROOT.glob("book/_ext/*.py")))


def _digest(paths: Iterable[str | Path]) -> str:
    return hashlib.sha256(b"\0".join(Path(path).read_bytes() for path in paths)).hexdigest()


def drop_unused(app: Sphinx, exception: Exception | None) -> None:
    """Remove what no reader opens: maps, fonts twice, templates, logos, code that is gone."""
    static = Path(app.outdir) / "_static"
    for path in static.rglob("*"):
        if path.suffix in (".map", ".ttf", ".html"):
            path.unlink()
    for folder in ("images", "locales"):
        shutil.rmtree(static / folder, ignore_errors=True)
    code = Path(app.outdir) / "_modules"
    shown = {*getattr(app.env, "_viewcode_modules", {}), "index"}
    for path in code.rglob("*.html"):
        if ".".join(path.relative_to(code).with_suffix("").parts) not in shown:
            path.unlink()


def drop_thebe(app: Sphinx, config: Config) -> None:
    """Disconnect sphinx-thebe, which Jupyter Book always loads: it points at remote servers."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if one.handler.__module__ != "sphinx_thebe"]


def choose_files(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load each file only where the page has use for it, and mark no code that looks as text."""
    if "body" in context:
        context["body"] = _PLAIN.sub(r"\1", context["body"])
    unused = {"sphinx-thebe.css"}
    if "fw-chart" not in context.get("body", ""):
        unused |= {"vega-bundle.js", "charts.js"}
    if "data-filter" not in context.get("body", ""):
        unused |= {"filter.js"}
    if page != "search":
        unused |= {"search.js"}
    if "fw-my-drive" not in context.get("body", ""):
        unused |= {"my-drive.js", "story.js", "card.js"}
    if "fw-which" not in context.get("body", ""):
        unused |= {"which-drive.js"}
    scripts = {"fw-game": "game.js", "fw-drive": "running.js"}
    absent = {mark for mark in scripts if mark not in context.get("body", "")}
    unused |= {scripts[mark] for mark in absent} | ({"drive.js"} if len(absent) == 2 else set())
    if "fw-lanes" not in context.get("body", ""):
        unused |= {"lanes.js"}
    if "fw-row" not in context.get("body", ""):
        unused |= {"row.js"}
    if "fw-guess" not in context.get("body", ""):
        unused |= {"guess.js"}
    if "fw-quiz" not in context.get("body", ""):
        unused |= {"quiz.js"}
    if "fw-steps" not in context.get("body", ""):
        unused |= {"steps.js"}
    if 'class="math' not in context.get("body", ""):
        unused |= {"tex-chtml.js"}
    for kind in ("css_files", "script_files"):
        context[kind] = [
            file for file in context[kind] if Path(str(file.filename or "")).name not in unused
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("theme_hash", "", "html", [str])
    app.add_config_value("code_hash", "", "env", [str])
    app.connect("config-inited", drop_thebe)
    app.connect("config-inited", write_static)
    app.connect("config-inited", follow_site)
    app.connect("html-page-context", choose_files, priority=900)
    app.connect("build-finished", drop_unused)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
