"""What `make` and `book/build.py` say where something is wrong."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError
from sphinx.util import console

import finding
import reading

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_a_folder_that_cannot_be_written_is_told_in_a_line(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "build").write_text("in the way of the folder", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(["make", "setup"], cwd=tmp_path, env=environment, capture_output=True,
                          text=True, check=False)  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("find:", "make:"))]
    assert done.returncode == 2
    assert lines == ["Nothing can be built in this folder: build: File exists"]


def test_a_page_that_is_gone_is_named_without_its_handler():
    with pytest.raises(ExtensionError, match=r"^minutes must name pages of the book, got gone$"):
        reading.needed(SimpleNamespace(prose_counts={}), ["gone"])
    with pytest.raises(ExtensionError, match=r"^search\.toml must name pages of the book, got"):
        finding.asked(set())


@pytest.mark.filterwarnings("ignore:.*Click 9.0:DeprecationWarning")
@pytest.mark.parametrize("is_terminal", [False, True])
def test_colours_are_for_terminals(monkeypatch, is_terminal):
    spec = importlib.util.spec_from_file_location("build_book", ROOT / "book" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def fail(*_, **__):
        print(console.colorize("red", "what Sphinx says"))
        raise RuntimeError("\x1b[91mwhat Jupyter Book says\x1b[0m")

    monkeypatch.setattr(console, "codes", console.codes.copy())
    monkeypatch.setattr(module, "check_data", lambda: None)
    monkeypatch.setattr(module.build, "main", fail)
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: is_terminal))
    monkeypatch.delenv("NO_COLOR", raising=False)
    with pytest.raises(SystemExit) as end:
        module.main()
    assert "what Sphinx says" in end.value.code
    assert end.value.code.count("\x1b[") == (4 if is_terminal else 0)
