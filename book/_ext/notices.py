"""Name the third-party software that the site holds, and pass on its notices and licences.

``book/licences/components.toml`` says whose software is in which files, and what their licence is.
The text is that of the installed package; for what a package bundles without a text, it is that of
the licence, from ``book/licences``, below the notice of copyright. A file that no entry names fails
the build, and so does a new version of a package whose parts were listed for another.
"""

import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import engine
import offline
from fresh_install import ROOT

LICENCES = ROOT / "book" / "licences"
FILE = "_static/THIRD-PARTY.txt"
ABOUT = (
    "This site holds software by others, listed here with its files, its notices of copyright and "
    "its licences. Flash Wear itself: code under the MIT licence, text and figures under the "
    "Creative Commons Attribution 4.0 licence."
)

_IS_TEXT = re.compile(r"(?:LICEN[CS]E|COPYING|NOTICE)(?:\.\w+)?$")
_RULE = "=" * 80


@dataclass(frozen=True)
class Component:
    """Software by others that is in the site."""

    name: str
    """What it is called, with its version."""
    licence: str
    """Its SPDX identifier, or names of texts in ``book/licences``; several joined by AND."""
    files: tuple[str, ...]
    """The files of the site that hold it, as patterns."""
    text: str
    """Its notice of copyright, and its licence in full."""
    note: str = ""
    """What was changed, and where its source is."""

    @property
    def notice(self) -> str:
        """Return all that the site says of it."""
        about = f"{self.name}. Licence: {self.licence}. In {', '.join(self.files)}. {self.note}"
        return f"{_RULE}\n{_filled(about)}\n\n{self.text.strip()}\n"


def components() -> Iterator[Component]:
    """Give all software by others that may be in the site.

    Raises
    ------
    ExtensionError
        If a package has another version than that for which its parts were listed.
    """
    listed = _listed()
    for one in listed["package"]:
        name, files = one["name"], tuple(one["files"])
        about = f"{name} {metadata.version(name)}"
        yield Component(about, one["licence"], files, _own_text(name), one.get("note", ""))
    for whole in listed["inside"]:
        package, version = whole["package"], whole["version"]
        there = engine.VERSION if package == "pyodide" else metadata.version(package)
        if there != version:
            raise ExtensionError(
                f"components.toml lists what is inside {package} {version}, not {there}: "
                "look what that holds, and list it"
            )
        for one in whole["part"]:
            notice = "\n".join(one.get("copyright", []))
            texts = [_licence_text(name) for name in one["licence"].split(" AND ")]
            yield Component(
                f"{one['name']} (inside {package} {version})",
                one["licence"],
                tuple(one.get("files", whole["files"])),
                "\n\n".join([notice, *texts]),
                one.get("note", ""),
            )


def unnamed(site: Path) -> list[str]:
    """Return the files of a site that are neither the project's own nor named by an entry."""
    own = [*_listed()["own"], *(f"_static/{path.name}" for path in offline.OWN)]
    named = [*own, *(pattern for one in components() for pattern in one.files)]
    files = (path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    return sorted(file for file in files if not any(fnmatch(file, one) for one in named))


def write_notices(app: Sphinx, exception: Exception | None) -> None:
    """Write the notices of what the site holds."""
    if exception is not None:
        return
    site = Path(app.outdir)
    if files := unnamed(site):
        raise ExtensionError(f"no entry of components.toml names {', '.join(files)}")
    has_engine = (site / "_static" / engine.SCRIPT).read_text(encoding="utf-8") != engine.NONE
    held = [
        one.notice
        for one in components()
        if has_engine or f"_static/{engine.SCRIPT}" not in one.files
    ]
    text = "\n\n".join([_filled(ABOUT), *held])
    (site / FILE).write_text(text, encoding="utf-8")


def link_notices(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Lead to the notices from the footer of each page."""
    link = f'<a href="{context["pathto"](FILE, 1)}">notices</a>'
    context["theme_extra_footer"] += f" Third-party software: {link}."


def _filled(words: str) -> str:
    return textwrap.fill(words.strip(), 80, break_on_hyphens=False, break_long_words=False)


def _listed() -> dict[str, Any]:
    return tomllib.loads((LICENCES / "components.toml").read_text(encoding="utf-8"))


def _own_text(package: str) -> str:
    """Return the licences that an installed package brings for itself."""
    found = [file for file in metadata.files(package) or [] if _IS_TEXT.match(file.name)]
    if not found:
        raise ExtensionError(f"{package} brings no licence: list it as inside itself")
    return "\n\n".join(file.read_text(encoding="utf-8").strip() for file in found)


def _licence_text(name: str) -> str:
    ours = LICENCES / f"{name}.txt"
    path = ours if ours.is_file() else ROOT / f"LICENSE-{name}.txt"
    return path.read_text(encoding="utf-8").strip()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", link_notices)
    app.connect("build-finished", write_notices, priority=900)  # after all that write or remove
    return {"parallel_read_safe": True, "parallel_write_safe": True}
