"""Notebooks run where only the wheel is installed, and again when their results may differ."""

import contextlib
import dataclasses
import hashlib
import json
import os
import re
import subprocess
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from built import HTML
from docutils import nodes

import execution
import fresh_install
import keys
import notebooks
from flashwear import _digest
from flashwear.sweeps import Study
from flashwear_book.runs import kept_result

CACHES = (keys.state, keys._surroundings)
NOTEBOOKS = sorted(HTML.glob("_downloads/*/*.ipynb"))
MARKS = re.compile(r"\{[a-z:-]+\}`.*|^[`:]{3,}\{.*|^\([\w-]+\)=$", re.MULTILINE)


def test_chapters_offer_notebooks_with_results_and_nothing_that_only_the_book_understands():
    assert {"promise.ipynb", "budget.ipynb", "prices.ipynb"} <= {path.name for path in NOTEBOOKS}
    left = [path.stem for path in NOTEBOOKS if "{glue" in path.read_text(encoding="utf-8")]
    for path in NOTEBOOKS:
        cells = nbformat.read(path, 4).cells
        words = [cell.source for cell in cells if cell.cell_type == "markdown"]
        left += [f"{path.stem}: {mark}" for text in words for mark in MARKS.findall(text)]
        code = [cell for cell in cells if cell.cell_type == "code"]
        outputs = [output for cell in code for output in cell.outputs]
        assert outputs, path
        assert not [output for output in outputs if output.get("name") == "stderr"], path
    assert not left


def test_the_archive_holds_every_notebook_and_what_runs_them(tmp_path):
    with zipfile.ZipFile(HTML / "notebooks.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "flash-wear"
    kept = sorted(path.read_bytes() for path in folder.glob("notebooks/**/*.ipynb"))
    assert kept == sorted(path.read_bytes() for path in NOTEBOOKS)
    wheels = sorted(folder.glob("*.whl"))
    assert [wheel.name.partition("-")[0] for wheel in wheels] == ["flashwear", "flashwear_book"]
    said = (folder / "README.txt").read_text()
    assert "pip install -r requirements.txt " in said
    assert "running over TCP without encryption" in said
    asked = (folder / "requirements.txt").read_text()
    assert "jupyterlab==" in asked
    for wheel in wheels:
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        assert f"./{wheel.name} --hash=sha256:{digest}" in asked

    python = fresh_install.install(wheels, tmp_path / "venv")
    notebook = nbformat.read(folder / "notebooks" / "chapters" / "promise.ipynb", 4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    script = tmp_path / "promise.py"
    script.write_text("\n".join(code), encoding="utf-8")
    done = subprocess.run([python, "-m", "IPython", script], cwd=tmp_path, capture_output=True,
                          text=True, check=False,
                          env={**os.environ, "FLASHWEAR_BOOK": "1"})  # fmt: skip
    assert done.returncode == 0, done.stderr


def forget():
    """Let the files be looked at again."""
    for cached in CACHES:
        cached.cache_clear()


def source(folder, *cells, offered=True):
    words = [nbformat.v4.new_markdown_cell("{nb-download}`page.ipynb`")] if offered else []
    notebook = nbformat.v4.new_notebook(cells=[*words, *map(nbformat.v4.new_code_cell, cells)])
    return notebooks.Source("page", folder / "page.md", notebook)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    with execution.kernels(tmp_path_factory.mktemp("kernels")) as found:
        yield found


WHERE = """
import importlib.util, os, sys
import flashwear
from flashwear import drives, tables
tables.documents()
drives.load("m600-256gb")
extra = [name for name in ("sphinx", "pytest", "build") if importlib.util.find_spec(name)]
print([flashwear.__file__, os.listdir(), extra])
"""


def test_a_notebook_has_the_wheel_and_what_it_requires_in_an_empty_folder(installed, tmp_path):
    page = source(tmp_path, WHERE)
    with ThreadPoolExecutor(1) as thread:  # in this one the browser of other tests has a loop
        opened, seconds = thread.submit(execution.execute, page, installed, timeout=100).result()
    where, files, extra = eval(page.notebook.cells[-1].outputs[0].text)
    assert "/site-packages/flashwear/" in where
    assert not where.startswith(str(execution.ROOT))
    assert files == []
    assert extra == []
    assert opened == ["data/datapackage.json", "data/documents.csv", "data/drives.toml",
                      "data/results/times.csv"]  # fmt: skip
    assert seconds > 0


def test_a_notebook_that_fails_stops_the_build_and_is_named(installed, monkeypatch):
    monkeypatch.setattr(keys, "state", str)
    monkeypatch.setattr(execution, "kernels", lambda _: contextlib.nullcontext(installed))
    page = source(execution.ROOT, "1 / 0")
    with pytest.raises(execution.ExtensionError, match=r"page\.md: .*(\n.*)*ZeroDivisionError"):
        execution.execute_all([page], timeout=100)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return a notebook whose result is kept, away from those of the book."""
    monkeypatch.setattr(execution, "KEPT", tmp_path)
    forget()

    def keep(*cells, tables=()):
        page = source(tmp_path, *cells)
        return page, execution.keep(page, list(tables), 1.0)

    yield keep
    forget()


def test_a_result_that_is_not_whole_is_none(kept):
    page, folder = kept("1 + 1")
    about = (folder / "about.json").read_text()
    (folder / "about.json").write_text(about[:-5])
    assert execution.result_of(page) is None
    assert execution.expected_seconds(page) == 10
    (folder / "about.json").write_text(about)
    assert execution.result_of(page) == folder
    (folder / "offered.ipynb").unlink()
    assert execution.result_of(page) is None


@pytest.mark.parametrize("change", [
    lambda page, patch: page.notebook.cells[-1].update(source="1 + 2"),
    lambda page, patch: page.notebook.cells[-1].metadata.update(tags=["hide-input"]),
    lambda page, patch: page.notebook.metadata.update(kernelspec={"name": "other"}),
    lambda page, patch: page.notebook.cells.pop(0),  # the words that offer it
    lambda page, patch: patch.setattr(keys.platform, "python_version", lambda: "3.99.0"),
])  # fmt: skip
def test_a_result_depends_on_the_cells_and_on_how_they_are_executed(kept, change, monkeypatch):
    page, folder = kept("1 + 1")
    assert execution.result_of(page) == folder
    change(page, monkeypatch)
    forget()
    assert execution.result_of(page) is None


def test_a_table_that_changes_meanwhile_does_not_count_as_read(tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(execution, "ROOT", tmp_path)
    monkeypatch.setattr(keys, "ROOT", tmp_path)
    monkeypatch.setattr(keys, "_surroundings", str)
    monkeypatch.setattr(execution, "kernels", lambda _: contextlib.nullcontext())
    (tmp_path / "data").mkdir()
    table = tmp_path / "data" / "x.csv"
    table.write_text("old")

    def execute(page, installed, timeout):
        table.write_text("new")
        return ["data/x.csv"], 1.0

    monkeypatch.setattr(execution, "execute", execute)
    forget()
    page = source(tmp_path, "1 + 1")
    execution.execute_all([page], timeout=1)
    forget()
    assert execution.result_of(page) is None


def test_one_notebook_that_cannot_be_executed_leaves_the_others(kept, tmp_path, monkeypatch):
    def execute(page, installed, timeout):
        if page.name == "bad":
            raise OSError("no port is free")
        return [], 1.0

    monkeypatch.setattr(keys, "state", str)  # that of each table takes long
    monkeypatch.setattr(execution, "kernels", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(execution, "execute", execute)
    pages = [dataclasses.replace(source(tmp_path, "1 + 1"), name=name) for name in ("bad", "good")]
    with pytest.raises(execution.ExtensionError, match=r"page\.md: no port is free"):
        execution.execute_all(pages, timeout=1)
    assert [execution.result_of(page) is not None for page in pages] == [False, True]


def test_a_result_depends_on_the_tables_that_were_opened(kept, monkeypatch):
    page, folder = kept("1 + 1", tables=["data/documents.csv"])
    state = keys.state
    monkeypatch.setattr(keys, "state", lambda file: state(file) + file.startswith("x") * "x")
    assert execution.result_of(page) == folder
    monkeypatch.setattr(keys, "state", lambda file: state(file) + file.startswith("d") * "x")
    assert execution.result_of(page) is None


def test_a_result_shows_whether_the_studies_that_it_used_are_current(kept, monkeypatch):
    page, folder = kept("1 + 1", tables=["data/results/settling.csv"])
    assert execution.result_of(page) == folder
    monkeypatch.setattr(Study, "hash", lambda *_: "of other code")
    forget()
    assert execution.result_of(page) is None


def page_of(folder):
    """Return the page of a result, with a title and a comment, after kept results are named."""
    section = nodes.section("", nodes.title("", "Title"), nodes.comment())
    page = nodes.document(None, None, "", section)
    app = SimpleNamespace(notebook_results={"page": folder}, env=SimpleNamespace(docname="page"))
    execution.name_kept(app, page)
    return page


@pytest.mark.parametrize("made", [True, False])
def test_a_page_says_which_kept_results_it_uses_are_not_current(kept, monkeypatch, made):
    if not made:
        monkeypatch.setattr(Study, "hash", lambda *_: "of other code")
    page = page_of(kept("1 + 1", tables=["data/documents.csv", "data/results/settling.csv"])[1])
    date = kept_result("settling").about["date"]
    assert page[0][-1].astext().endswith(f"when each was made: settling ({date}).")
    marks = [mark.astext() for mark in page.findall(nodes.warning)]
    assert len(marks) == (not made)
    assert all(mark.endswith("has changed since they were made: settling.") for mark in marks)
    assert made or isinstance(page[0][1], nodes.warning)
    assert len(page_of(kept("1 + 2", tables=["data/documents.csv"])[1])[0]) == 2  # names none


CLAIM = "from flashwear_book import claims\nclaims.verdicts('MX-093')"


@pytest.mark.parametrize(("cells", "reached", "spared"), [
    ("from flashwear.wa import fifo\nfifo(0.1)", "flashwear.wa.uniform", "flashwear.wa.trim"),
    (CLAIM, "flashwear_book.claims.registry", "flashwear_book.claims._amplification"),
    (
        "from flashwear_book.runs import kept_result\nkept_result('settling')",
        "flashwear.sweeps._study",
        "flashwear_book.runs.steady",  # which the state of the results says that it opens
    ),
])  # fmt: skip
def test_a_result_depends_on_the_modules_that_cells_import(
    cells, reached, spared, tmp_path, monkeypatch
):
    page = source(tmp_path, cells)
    before = keys.code_digest(page)
    for module, changes in ((reached, True), (spared, False)):
        loaded = _digest._installed(module)
        with monkeypatch.context() as patch:
            patch.setitem(loaded.__dict__, "text", "other code")
            patch.setattr(keys, "_outcomes", lambda: "as before")
            of_other_code = keys.code_digest(page)
            patch.undo()
            patch.setattr(keys, "_outcomes", lambda: "as before")
            assert (keys.code_digest(page) != of_other_code) == changes
    assert keys.code_digest(page) == before


def test_a_result_depends_on_what_comes_of_claims_only_where_it_shows_any(tmp_path, monkeypatch):
    pages = [source(tmp_path, cells) for cells in (CLAIM, "1 + 1")]
    before = [keys.code_digest(page) for page in pages]
    monkeypatch.setattr(keys, "_outcomes", lambda: "another outcome")
    claim, other = (keys.code_digest(page) for page in pages)
    assert claim != before[0]
    assert other == before[1]


def test_outputs_are_rid_of_what_differs_each_time():
    def output(name, address):
        html = f"<style>#T_{name}_row0 {{}}</style><table id='T_{name}'>"
        return {"text/html": html, "text/plain": f"<Styler at 0x{address}>"}

    made = []
    for ids in (("1a2b3", "9f9f9"), ("aaaaa", "bbbbb")):
        outputs = [nbformat.v4.new_output("display_data", output(name, name)) for name in ids]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=outputs)])
        execution.settle(notebook)
        made.append([one.data for one in notebook.cells[0].outputs])
    assert made[0] == made[1]
    assert len({data["text/html"] for data in made[0]}) == 2
    assert made[0][0]["text/plain"] == "<Styler>"


def test_a_kernel_that_cannot_start_is_said_at_once_and_the_others_are_not_tried(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(keys, "state", str)  # that of each table takes long
    monkeypatch.setattr(execution, "kernels", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(execution.os, "cpu_count", lambda: 1)
    tried = []

    def execute(page, installed, timeout):
        if tried:
            time.sleep(1)  # as a kernel that is on its way
        tried.append(page.name)
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(execution, "execute", execute)
    page = source(tmp_path, "1 + 1")
    pages = [dataclasses.replace(page, name=name) for name in "abcdefgh"]
    with pytest.raises(execution.ExtensionError, match="Kernel died before"):
        execution.execute_all(pages, timeout=1)
    assert len(tried) <= 3  # those that were on their way


def test_every_notebook_of_the_book_has_a_result_that_says_what_it_opened():
    records = list(execution.KEPT.glob("*/*/about.json"))
    assert len({record.parent.parent for record in records}) >= len(NOTEBOOKS)
    opened = {file for record in records for file in json.loads(record.read_text())["files"]}
    assert {"data/claims.csv", "data/drives.toml", "data/results/consistency.csv"} <= opened


def test_a_kernel_is_forked_with_its_own_environment_and_ends_with_who_asked(
    installed, tmp_path, capfd
):
    cell = "import os, sys\nprint([os.getcwd(), os.environ['FLASHWEAR_BOOK'], os.getpid()])\n"
    loaded = "print('pandas' in sys.modules, 'flashwear' in sys.modules)"
    pids = set()
    for _ in range(2):
        page = source(tmp_path, cell + loaded)
        with ThreadPoolExecutor(1) as thread:
            thread.submit(execution.execute, page, installed, timeout=100).result()
        first, second = page.notebook.cells[-1].outputs[0].text.splitlines()
        folder, book, pid = eval(first)
        assert (book, second) == ("1", "True False")
        assert not Path(folder).is_relative_to(execution.ROOT)
        assert not Path(f"/proc/{pid}").exists()
        pids.add(pid)
    assert len(pids) == 2
    assert capfd.readouterr() == ("", "")
