"""The executed notebooks that chapters offer for download run where only the wheel is installed."""

import subprocess

import pytest
from built import HTML

import fresh_install

NOTEBOOKS = sorted(HTML.glob("_downloads/*/*.ipynb"))
RUN = (
    "import sys, nbclient, nbformat\n"
    "book = nbformat.read(sys.argv[1], 4)\n"
    "for cell in book.cells:\n"
    "    if cell.cell_type == 'code': cell.outputs = []\n"
    "nbclient.NotebookClient(book, timeout=600).execute()\n"
    "told = [o for c in book.cells for o in c.get('outputs', []) if o.get('name') == 'stderr']\n"
    "sys.exit(str(told) if told else 0)\n"
)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    return fresh_install.install(fresh_install.build(folder), folder / "venv", "book")


def test_each_chapter_offers_its_notebook():
    assert {"promise.ipynb", "budget.ipynb", "prices.ipynb"} <= {path.name for path in NOTEBOOKS}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_in_an_empty_folder_with_only_the_wheel(notebook, python, tmp_path):
    done = subprocess.run(
        [python, "-W", "ignore::UserWarning:zmq", "-c", RUN, notebook],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
