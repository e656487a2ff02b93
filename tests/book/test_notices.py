"""Software by others in the built site: all of it is named, with its notices and licences."""

import re
import shutil
from fnmatch import fnmatch
from types import SimpleNamespace

import pytest
from built import HTML, page_names, tags
from sphinx.errors import ExtensionError

import engine
import notices

COMPONENTS = list(notices.components())
TEXT = (HTML / notices.FILE).read_text(encoding="utf-8")
HAS_ENGINE = (HTML / "_static" / engine.SCRIPT).read_text(encoding="utf-8") != engine.NONE
GRANTS = re.compile(
    r"permission (?:is|to use)|permitted provided|grants you|reproduce|public domain", re.I
)
KNOWN = ["University of Washington", "MathJax Consortium", "Adobe", "Bootstrap Authors",
         "Fonticons", "Mike Bostock"]  # fmt: skip
IN_ENGINE = ["Mozilla Public License", "Python Software Foundation"]


@pytest.mark.parametrize("name", ["_static/new.js", "_static/vendor/new.css", "fonts/new.woff2",
                                  "_static/new.wasm", "new.zip"])  # fmt: skip
def test_a_new_file_is_found_and_fails_the_build(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    shutil.copyfile(HTML / "searchindex.js", tmp_path / "searchindex.js")
    assert notices.unnamed(tmp_path) == [name]
    with pytest.raises(ExtensionError, match=f"no entry of components.toml names {name}"):
        notices.write_notices(SimpleNamespace(outdir=tmp_path), None)


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda one: one.name[:40])
def test_a_component_has_its_files_its_notice_and_its_licence(component):
    files = [path.relative_to(HTML).as_posix() for path in HTML.rglob("*") if path.is_file()]
    for pattern in component.files:
        assert any(fnmatch(file, pattern) for file in files), pattern
    assert re.search(r"copyright|\(c\) \d{4}", component.text, re.I)
    assert GRANTS.search(component.text)
    held = HAS_ENGINE or f"_static/{engine.SCRIPT}" not in component.files
    assert (component.notice in TEXT) == held


def test_all_of_the_site_is_named_every_page_leads_there_and_a_new_version_asks_for_a_new_list(
    monkeypatch,
):
    for known in [*KNOWN, *IN_ENGINE] if HAS_ENGINE else KNOWN:
        assert known in TEXT
    for page in page_names("<footer"):
        links = [of.get("href", "") for tag, of in tags(page) if tag == "a"]
        assert any(link.endswith(notices.FILE) for link in links), page
    assert notices.unnamed(HTML) == []
    monkeypatch.setattr(engine, "VERSION", "1.0")
    with pytest.raises(ExtensionError, match=r"inside pyodide .*, not 1\.0"):
        list(notices.components())
