"""The same site twice: one build and another from a clean folder give the same bytes."""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from built import HTML

ROOT = Path(__file__).parents[2]
MEASURED = {"chapters/ftl.html", "workshop/translation-layer.html", "ftl.ipynb",
            "translation-layer.ipynb"}  # fmt: skip
"""They show the speed of the machine, measured as the page is executed."""
_EDITIONS = re.compile(rb'<p class="fw-editions".*?</p>', re.DOTALL)
HOLD_THOSE = {"notebooks.zip", "objects.inv", "searchindex.js", "search-texts.js"}
OF_THE_FOLDER = {".buildinfo"}  # a digest of absolute paths


def files(folder):
    """Return the files of a site but for the editions, which are made after it."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path for path in found if path.suffix not in (".pdf", ".epub")}


@pytest.mark.proof
def test_a_second_build_from_a_clean_folder_gives_the_same_bytes(tmp_path):
    tracked = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    for name in tracked:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    if (ROOT / "build" / "engine").is_dir():  # what npm fetched
        shutil.copytree(ROOT / "build" / "engine", tmp_path / "build" / "engine")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "models")}
    subprocess.run([sys.executable, "book/build.py"], cwd=tmp_path, env=environment, check=True)
    again = tmp_path / HTML.relative_to(ROOT)
    names = files(HTML)
    assert files(again) == names
    apart = {path for path in names if not filecmp.cmp(HTML / path, again / path, False)}
    start = Path("index.html")  # which names the editions that there are
    both = (_EDITIONS.sub(b"", (folder / start).read_bytes()) for folder in (HTML, again))
    assert start not in apart or len(set(both)) == 1
    apart -= {start}
    pages = {path.as_posix() if path.suffix == ".html" else path.name for path in apart}
    assert pages <= MEASURED | HOLD_THOSE | OF_THE_FOLDER
