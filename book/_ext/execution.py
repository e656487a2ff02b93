"""Execute the notebooks of the book side by side, and each again only when its results may differ.

They run as for a reader who has downloaded one: with both wheels and what that of the book asks
for, and nothing of the checkout but, for pages that are not offered, their folder.

A result is kept under a key (see ``keys.py``): a digest of the notebook's cells, of the modules that
they import, of the files that it opened, and of what executes it. jupyter-cache alone looks at the
cells only.
"""

import asyncio
import concurrent.futures
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

import fresh_install
import plain
from fresh_install import ROOT
from notebooks import Source, read

KEPT = ROOT / ".cache" / "notebooks"
RECORDER, WARM = (Path(__file__).parent / name for name in ("recorder", "warm"))

OFFERED, ABOUT = "offered.ipynb", "about.json"
_LIVE = re.compile(r'<script type="application/json">.*?</script>', re.DOTALL)  # of a chart
_PAGE = re.compile(r'<a href="page:[^>]*>(.*?)</a>', re.DOTALL)  # leads nowhere outside the book
_TABLE, _ADDRESS = re.compile(r"\bT_[0-9a-f]{5}(?![0-9a-f])"), re.compile(r" at 0x[0-9a-f]+")
_NOT_DATA = re.compile(r"models/.*\.py|build/|\.")  # code, and what is made
_VERSIONS = 3  # results that are kept of a notebook: going back to one costs nothing
_LONGEST = (
    "workshop/acceleration",
    "chapters/ftl",
    "chapters/steady-state",
    "workshop/translation-layer",
    "workshop/power",
    "workshop/validation",
    "workshop/wearing-out",
)
"""What takes longest, where no earlier execution says so."""
_START_S = 50  # a kernel that takes longer to start will not
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # of a terminal
_NO_KERNEL = "Kernel didn't respond", "Kernel died before replying"


def say(text: str) -> None:
    """Tell who builds the book, also where all else is silent."""
    print(text, file=sys.__stdout__, flush=True)


# -- results ---------------------------------------------------------------------------------------


def folder_of(name: str) -> Path:
    """Return where the results of a notebook are kept."""
    return KEPT / name.replace("/", "--")


def result_of(source: Source) -> Path | None:
    """Return the folder of the result that a notebook would give now, None if there is none."""
    import keys

    digest = keys.code_digest(source)
    for folder in sorted(folder_of(source.name).glob(f"{digest}-*")):
        about = about_result(folder)
        if about and all(keys.state(file) == state for file, state in about["files"].items()):
            return folder
    return None


def about_result(folder: Path) -> dict[str, Any] | None:
    """Return what is known of a result; None if it is not whole."""
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return about if (folder / OFFERED).is_file() else None


def remove_result(folder: Path) -> None:
    """Remove a result, or what there is of it."""
    (folder / ABOUT).unlink(missing_ok=True)  # first: without it nothing else counts
    shutil.rmtree(folder)


# -- execution -------------------------------------------------------------------------------------


@contextlib.contextmanager
def kernels(folder: Path) -> Iterator[KernelSpecManager]:
    """Install the wheel in an environment of its own, and give where its kernels are found.

    They are forked from a process that has imported what nearly all notebooks import.
    """
    python = fresh_install.install(fresh_install.build(folder), folder / "venv")
    where = folder / "kernels" / "python3"
    where.mkdir(parents=True)
    asked_at = str(folder / "kernels.socket")
    command = [str(python), "-S", str(WARM / "client.py"), asked_at, "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3 (ipykernel)", "language": "python"}
    (where / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [str(python), str(WARM / "server.py"), asked_at],
        env=own,  # else a library elsewhere comes before the wheel
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        server.stdout.readline()  # it is ready, or has said why not and ended
        try:
            yield KernelSpecManager(kernel_dirs=[str(where.parent)])
        finally:
            server.stdin.close()


def execute(source: Source, installed: KernelSpecManager, timeout: int) -> tuple[list[str], float]:
    """Execute a notebook in place; return the tables that it opened, and the seconds it took."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as aside:
        record = Path(aside) / "opened"
        environment = os.environ | {
            "FLASHWEAR_BOOK": "1",
            "FLASHWEAR_RECORD": str(record),
            "IPYTHONDIR": aside,  # a reader's profile must not change a page, nor its lack be told
            "FLASHWEAR_ROOT": str(ROOT),
            "PYTHONPATH": str(RECORDER),
        }
        # by files: ports need a network, if only this machine's, and are open to its other users
        manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=installed,
            transport="ipc",
            connection_file=str(Path(aside) / "kernel.json"),
        )
        client = NotebookClient(
            source.notebook,
            km=manager,
            timeout=timeout,
            startup_timeout=_START_S,
            coalesce_streams=True,  # else chunks of one text may part in the middle of a line
            record_timing=False,  # times would become part of what jupyter-cache compares
            resources={"metadata": {"path": folder if source.is_offered else source.path.parent}},
        )
        client.owns_km = True  # it ends the kernel
        asyncio.run(client.async_execute(env=environment))
        settle(source.notebook)
        opened = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    files = {file for file in opened if not _NOT_DATA.match(file)}
    return sorted(files), time.perf_counter() - start


def settle(notebook: nbformat.NotebookNode) -> None:
    """Take out of the outputs what is another each time: ids of tables, addresses in memory."""
    ids: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return ids.setdefault(match[0], f"T_{len(ids):05x}")

    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for kind in {"text/html", "text/plain"} & set(data):
                data[kind] = _ADDRESS.sub("", _TABLE.sub(numbered, data[kind]))


def keep(source: Source, files: list[str], seconds: float) -> Path:
    """Keep an executed notebook, and forget the oldest results of it."""
    import keys

    state = {file: keys.state(file) for file in files}
    ending = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()[:8]
    folder = folder_of(source.name) / f"{keys.code_digest(source)}-{ending}"
    if folder.exists():
        remove_result(folder)
    bundle = CacheBundleIn(
        source.notebook, str(source.path), data={"execution_seconds": round(seconds, 2)}
    )
    get_cache(str(folder)).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    nbformat.write(offered(source.notebook), folder / OFFERED)
    about = json.dumps({"files": state, "seconds": seconds}, indent=2)
    (folder / f"{ABOUT}.part").write_text(about, encoding="utf-8")
    (folder / f"{ABOUT}.part").replace(folder / ABOUT)  # last: the result is whole
    kept = sorted(folder_of(source.name).iterdir(), key=lambda path: path.stat().st_mtime)
    for old in kept[:-_VERSIONS]:
        remove_result(old)
    return folder


def offered(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return an executed notebook as readers download it: charts as images, values apart."""
    copy = deepcopy(notebook)
    copy.metadata["glued"] = plain.glued(notebook)
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                one for one in cell.outputs if "scrapbook" not in one.get("metadata", {})
            ]
            for output in cell.outputs:
                if "text/html" in output.get("data", {}):
                    html = _LIVE.sub("", output.data["text/html"])
                    output.data["text/html"] = _PAGE.sub(r"\1", html)
    return copy


def expected_seconds(source: Source) -> float:
    """Return what an earlier execution took; of what was never executed, a rank."""
    for about in filter(None, map(about_result, folder_of(source.name).glob("*"))):
        return float(about["seconds"])
    return 1000.0 - _LONGEST.index(source.name) if source.name in _LONGEST else 10.0


def execute_all(sources: list[Source], timeout: int) -> dict[str, Path]:
    """Execute notebooks side by side, longest first; return where each result is kept."""
    import keys

    results: dict[str, Path] = {}
    failures = []
    say(f"{len(sources)} notebooks to execute")
    for path in (ROOT / "data").rglob("*"):  # as the notebooks will find them
        keys.state(path.relative_to(ROOT).as_posix())
    ordered = sorted(sources, key=expected_seconds, reverse=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        kernels(Path(folder)) as installed,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        running = {pool.submit(execute, source, installed, timeout): source for source in ordered}
        try:
            for done in concurrent.futures.as_completed(running):
                source = running[done]
                if error := done.exception():
                    failures.append(f"{source.path}: {_COLOURS.sub('', str(error))}")
                    said = "failed"
                else:
                    files, seconds = done.result()
                    results[source.name] = keep(source, files, seconds)
                    said = f"{seconds:5.1f} s"
                left = len(sources) - len(results) - len(failures)
                say(f"  {source.name:36} {said:8} {left:3} left")
                if isinstance(error, RuntimeError) and str(error).startswith(_NO_KERNEL):
                    break  # nor will the others start
        finally:
            pool.shutdown(cancel_futures=True)  # after an interrupt none begins
    if failures:
        raise ExtensionError("notebooks failed:\n\n" + "\n\n".join(failures))
    return results


# -- Sphinx ----------------------------------------------------------------------------------------


def find_changed(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Name the pages whose results are not those that the environment was read with."""
    before = getattr(env, "notebook_results", {})
    found: dict[str, Path] = {}
    missing = []
    for source in filter(None, (read(env, name) for name in sorted(env.found_docs))):
        result = result_of(source)
        if result is None:
            missing.append(source)
        else:
            found[source.name] = result
    if missing:
        found |= execute_all(missing, app.config.nb_execution_timeout)
    app.notebook_results = found
    return [
        name
        for name, result in found.items()
        if before.get(name) != str(result) and name not in added
    ]


def choose_result(app: Sphinx, name: str, content: list[str]) -> None:
    """Lead the parser of a page to the result that is kept of it."""
    env = app.env
    result = app.notebook_results.get(name)
    if result is not None:
        env.mystnb_config = env.mystnb_config.copy(execution_cache_path=str(result))
        env.notebook_results = {**getattr(env, "notebook_results", {}), name: str(result)}


def kept_tables(result: Path) -> tuple[dict[str, str], list[str]]:
    """Return the studies of which a page uses a kept table, with its date, and those not current."""
    import keys

    files = (about_result(result) or {"files": {}})["files"]
    dates = {
        Path(file).stem: json.loads((ROOT / file).with_suffix(".json").read_text("utf-8"))["date"]
        for file in files
        if (ROOT / file).with_suffix(".json").is_file() and Path(file).parent.name == "results"
    }
    old = [Path(file).stem for file, state in files.items() if state.endswith(keys.OUTDATED)]
    return dates, old


def name_kept(app: Sphinx, doctree: nodes.document) -> None:
    """Name the kept tables of a page at its end, and under its title those that are not current."""
    result = app.notebook_results.get(app.env.docname)
    dates, studies = kept_tables(result) if result is not None else ({}, [])
    title = next(iter(doctree.findall(nodes.title)), None)
    if dates and title is not None:
        listed = ", ".join(f"{name} ({date})" for name, date in dates.items())
        text = f"From stored simulations, with the date when each was made: {listed}."
        title.parent.append(nodes.paragraph("", text, classes=["fw-kept"]))
    if studies and title is not None:
        text = (
            "Some figures of this page come from kept tables, and the code that computes them has "
            f"changed since they were made: {', '.join(studies)}."
        )
        title.parent.insert(
            title.parent.index(title) + 1, nodes.warning("", nodes.paragraph("", text))
        )


def offer(app: Sphinx, doctree: object) -> None:
    """Offer the executed notebook for download: of one from the cache, myst-nb has no outputs."""
    result = app.notebook_results.get(app.env.docname)
    if result is not None:
        folder = Path(app.env.mystnb_config.output_folder)
        notebook = nbformat.read(result / OFFERED, 4)
        made = plain.as_read(notebook, notebook.metadata.pop("glued"))
        compact = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
        (folder / f"{app.env.docname}.ipynb").write_text(compact + "\n", encoding="utf-8")


def pack(app: Sphinx, error: Exception | None) -> None:
    """Offer all notebooks as one archive."""
    made = Path(app.env.mystnb_config.output_folder)
    notebooks = {
        path.relative_to(made).as_posix(): path
        for path in (Path(app.srcdir, file).resolve() for file in app.env.dlfiles)
        if path.suffix == ".ipynb"
    }
    if error is None and notebooks:
        with tempfile.TemporaryDirectory() as folder:
            wheels = fresh_install.build(Path(folder))
            plain.pack(notebooks, wheels, Path(app.outdir) / "notebooks.zip")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-get-outdated", find_changed)
    app.connect("env-before-read-docs", lambda *of: say(f"reading {len(of[2])} pages"))
    app.connect("write-started", lambda *of: say("writing the site"))
    app.connect("source-read", choose_result)
    app.connect("doctree-read", offer)
    app.connect("doctree-read", name_kept)
    app.connect("build-finished", pack)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
