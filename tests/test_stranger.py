"""What a stranger does with what the project prints: each command runs where nothing else is."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import venv
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
import reports

import test_bench

pytestmark = pytest.mark.proof

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(.*)\n((?s:.*?))^```$", re.MULTILINE)
SITE = ROOT / "build" / "_build" / "html"
QUICK = {  # what a command that would last gets beside
    "flashwear why": " --minutes 0.02",
    "jupyter lab": " --no-browser --allow-root --ServerApp.port=0",
}
ENDS = {
    "pytest": (0, 1),
    "flashwear smart": (0, 1),  # exercises to be solved; a warning
    "flashwear rack check": (0, 1),
    "flashwear fleet": (0, 1),  # of a report of long ago
    "flashwear why": (0, 3),  # no database server may run here
}
NO_INDEX = (
    "No matching distribution", "ConnectionError", "NewConnectionError", "Temporary failure",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Return an empty folder with the files that the commands name, and drives of their own."""
    place = tmp_path / "place"
    place.mkdir()
    host, flash = test_bench.OLD
    written = 2 * test_bench.CAPACITY
    files = {
        "before.json": test_bench.report(host, flash),
        "after.json": test_bench.report(host + written, flash + 5 * written),
        "fio.json": test_bench.output(written),
        "march.json": reports.ata_json(attributes={9: 10_000}),
        "june.json": reports.ata_json(attributes={9: 12_000}),
        "trace.csv": "".join(
            f"{128166372003061629 + n * 10**7},host,0,Write,{4096 * (n * 7919 % 99_991)},4096,500\n"
            for n in range(20_000))}  # fmt: skip
    for name, text in files.items():
        (place / name).write_text(text)
    for name in (ROOT / "book" / "reference" / "lab").iterdir():
        shutil.copy(name, place)
    programs = tmp_path / "programs"
    programs.mkdir()
    smartctl = programs / "smartctl"
    health = {"percentage_used": 3, "power_on_hours": 8_760, "available_spare": 100,
              "media_errors": 0, "data_units_written": 20_000_000}  # fmt: skip
    (programs / "report.txt").write_text(reports.nvme(health=health))
    scan = json.dumps({"devices": [{"name": "/dev/nvme0", "type": "nvme"}]})
    script = f"case $1 in --scan*) echo '{scan}';; *) cat {programs / 'report.txt'};; esac"
    smartctl.write_text(f"#!/bin/sh\n{script}\n")
    smartctl.chmod(0o755)
    return place


def serves(command, at, environment, said):
    """Run what serves until it says where, and return what it said."""
    with said.open("w") as out:
        started = subprocess.Popen(["sh", "-c", command], cwd=at, env=environment, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
    for _ in range(600):
        if "http://localhost" in said.read_text() or started.poll() is not None:
            break
        time.sleep(1)
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGTERM)
    started.wait()
    assert "http://localhost" in said.read_text(), said.read_text()[-2000:]
    return said.read_text()


@pytest.fixture
def run(tmp_path, folder):
    venv.create(tmp_path / "venv", with_pip=True)
    kept = {key: os.environ[key] for key in os.environ if key.startswith(("PIP_", "SSL_", "UV_"))}
    path = [str(tmp_path / "venv" / "bin"), str(tmp_path / "programs"), "/usr/bin", "/bin"]
    environment = {"PATH": os.pathsep.join(path), "HOME": str(tmp_path), **kept,
                   "XDG_CONFIG_HOME": str(tmp_path / ".config")}  # fmt: skip
    pip = Path.home() / ".config" / "pip"
    if pip.is_dir():  # where packages are found
        shutil.copytree(pip, tmp_path / ".config" / "pip")

    def run(command, at=folder):
        for start, more in QUICK.items():
            if start in command:
                command = command.partition("#")[0].rstrip() + more
        if "jupyter lab" in command:
            return serves(command, at, environment, tmp_path / "said")
        done = subprocess.run(["sh", "-c", command], cwd=at, env=environment, capture_output=True,
                              text=True, check=False)  # fmt: skip
        told = done.stdout + done.stderr
        if "pip install" in command and any(words in told for words in NO_INDEX):
            pytest.skip(f"not tried: no package index for {command!r}")
        allowed = next((codes for start, codes in ENDS.items() if start in command), (0,))
        assert done.returncode in allowed, f"{command}\n{told[-2000:]}"
        return told

    return run


@pytest.fixture
def checkout(tmp_path):
    place = tmp_path / "checkout"
    subprocess.run(["git", "clone", "-q", ROOT, place], check=True)
    return place


@pytest.mark.parametrize(
    ("page", "least"), [("README.md", 8), ("CONTRIBUTING.md", 0), ("book/reference/cite.md", 2),
                        ("book/rack.md", 8),
                        ("book/reference/lab/assignment.md", 3)]
)  # fmt: skip
def test_each_command_of_a_page_runs_with_what_the_lines_before_it_installed(
    page, least, run, folder, checkout
):
    notebook = next(SITE.rglob("prices.ipynb"), None)
    if notebook is None:
        pytest.skip("not tried: the book is not built")
    shutil.copy(notebook, folder)
    tried = 0
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    lines = [line for kind, block in blocks if not kind for line in block.splitlines()]
    for command in filter(str.strip, lines):
        if command.startswith("make "):  # the suite, or a person, runs them: the target is known
            subprocess.run(["make", "-n", command.split()[1]], cwd=checkout, check=True)
        elif not command.startswith(".venv/"):
            run(command, *([checkout] if "pip install" in command else []))
            tried += 1
    assert tried >= least


ALONE = ["unshare", "--net", "--map-root-user"]  # not even that of this machine
NOTEBOOK = "notebooks/chapters/promise.ipynb"
RERUN = """
import sys
import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
client = NotebookClient(notebook, km=AsyncKernelManager(transport="ipc"))  # by files
client.owns_km = True
client.execute()
nbformat.write(notebook, sys.argv[2])
"""


def test_a_notebook_taken_away_runs_without_a_network_and_shows_its_charts(run, tmp_path):
    archive = SITE / "notebooks.zip"
    if not archive.is_file():
        pytest.skip("not tried: the book is not built")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    place = tmp_path / "flash-wear"
    (command,) = [line.strip() for line in (place / "README.txt").read_text().splitlines()
                  if line.startswith("  ")]  # fmt: skip
    run(command, place)
    rerun = f"{' '.join(ALONE)} lab/bin/python rerun.py {NOTEBOOK} again.ipynb"
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        rerun = rerun.removeprefix(" ".join(ALONE))
    (place / "rerun.py").write_text(RERUN)
    run(rerun, place)
    made = json.loads((place / "again.ipynb").read_text())
    shown = [output["data"] for cell in made["cells"] for output in cell.get("outputs", ())
             if "data" in output]  # fmt: skip
    charts = [data for data in shown if "image/svg+xml" in data]
    before = json.loads((place / NOTEBOOK).read_text())
    drawn = [output for cell in before["cells"] for output in cell.get("outputs", ())
             if "fw-chart" in "".join(output.get("data", {}).get("text/html", ""))]  # fmt: skip
    assert len(charts) >= len(drawn) > 0
    text = json.dumps(shown)
    assert not re.search(r"(?:src|href)=.{0,3}https?:|cdn\.", text)
