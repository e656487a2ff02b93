"""Fonts of the site: two text faces and the icons, each cut down to what the book shows.

All come from pinned packages at build time. A face that was cut down is a changed one, which its
licence (SIL OFL 1.1) lets carry another name only.
"""

import re
import shutil
from importlib import metadata
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.config import Config

from fresh_install import ROOT

FACES = (  # family, package, file, weight, style
    ("Flash Wear Serif", "serif", "Regular", 400, "normal"),
    ("Flash Wear Serif", "serif", "It", 400, "italic"),
    ("Flash Wear Serif", "serif", "Semibold", 600, "normal"),
    ("Flash Wear Sans", "sans", "Regular", 400, "normal"),
    ("Flash Wear Sans", "sans", "It", 400, "italic"),
    ("Flash Wear Sans", "sans", "Semibold", 600, "normal"),
)
SHOWN = [  # Latin, Greek, punctuation, signs
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *range(0x370, 0x400),
    *range(0x2010, 0x20AD),
    *range(0x2190, 0x2194),
    *range(0x2200, 0x2300),
]
ICONS = [
    "chevron-down",
    "magnifying-glass",
    "list",
    "expand",
    "bars",
    "arrow-up",
    "angle-left",
    "angle-right",
    "circle-half-stroke",
    "sun",
    "moon",
]  # that the theme shows beside those its style sheet names
PACKAGES = ("font-source-serif-pro", "font-source-sans-pro", "fonttools", "pydata-sphinx-theme")
TEMPLATES = ROOT / "build" / "templates" / "theme"
FAMILY_NAMES, NO_SPACES = (1, 4, 6, 16), 6  # records of a font that say its family
THEME_STATIC = Path(
    str(metadata.distribution("pydata-sphinx-theme").locate_file("pydata_sphinx_theme")),
    "theme/pydata_sphinx_theme/static",
)


def write_faces(folder: Path) -> None:
    """Write the text faces, their licence and the style sheet that names them."""
    target = folder / "fonts"
    target.mkdir(parents=True)
    rules = []
    for family, kind, cut, weight, style in FACES:
        package = metadata.distribution(f"font-source-{kind}-pro")
        source = Path(str(package.locate_file(f"font_source_{kind}_pro/files")))
        name = f"{kind}-{cut.lower()}.woff2"
        cut_down(source / f"Source{kind.title()}Pro-{cut}.ttf", SHOWN, family).save(target / name)
        shutil.copyfile(source / "LICENSE.txt", target / f"LICENSE-{kind}.txt")
        rules.append(
            f'@font-face {{ font-family: "{family}"; src: url("fonts/{name}") format("woff2"); '
            f"font-weight: {weight}; font-style: {style}; font-display: swap; }}"
        )
    (folder / "face.css").write_text("\n".join(rules) + "\n", encoding="utf-8")


def write_icons(folder: Path) -> None:
    """Write the icons over those of the theme, which has 1,400, and leave out its script of them."""
    style = (THEME_STATIC / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    codes = [ord(icon) for icon in re.findall(r'--pst-icon-[\w-]+:"(.)"', style)]
    for icon in ICONS:
        code = re.search(rf'\.fa-{icon}:before[^{{}}]*{{content:"\\(f\w+)"}}', style)
        assert code, f"the theme has no icon {icon}"
        codes.append(int(code[1], 16))
    within = "vendor/fontawesome/webfonts"
    target = folder / within / "fa-solid-900.woff2"
    target.parent.mkdir(parents=True)
    cut_down(THEME_STATIC / within / target.name, codes, "Flash Wear Icons").save(target)
    macros = (THEME_STATIC / "webpack-macros.html").read_text(encoding="utf-8")
    less, count = re.subn(r"<script[^>]*fontawesome\.js.*?</script>", "", macros)
    assert count == 1, "the theme loads its icons in another way"
    template = TEMPLATES / "static" / "webpack-macros.html"
    template.parent.mkdir(parents=True, exist_ok=True)
    template.write_text(less, encoding="utf-8")


def cut_down(path: Path, characters: list[int], family: str) -> TTFont:
    """Return a font with these characters only, under another name."""
    font = TTFont(path, recalcTimestamp=False)  # the same bytes each time
    options = Options(layout_features=["kern", "liga", "mark", "mkmk", "tnum"], name_IDs=["*"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in FAMILY_NAMES:
            record.string = family.replace(" ", "") if record.nameID == NO_SPACES else family
    font.flavor = "woff2"
    return font


def drop_unused(app: Sphinx, exception: Exception | None) -> None:
    """Remove the icons that no page shows."""
    static = Path(app.outdir) / "_static"
    (static / "scripts" / "fontawesome.js").unlink(missing_ok=True)
    for kind in ("brands", "regular"):
        (static / "vendor" / "fontawesome" / "webfonts" / f"fa-{kind}-400.woff2").unlink(
            missing_ok=True
        )


def use_templates(app: Sphinx, config: Config) -> None:
    """Let the changed templates come before those of the theme."""
    config.templates_path.insert(0, str(TEMPLATES))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", use_templates)
    app.connect("build-finished", drop_unused)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
