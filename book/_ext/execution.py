"""Execute the notebooks of the book side by side, and each again only when its results may differ.

They run as for a reader who has downloaded one: with the wheel and what its extra ``book`` asks
for, and nothing of the checkout but, for pages that are not offered, their folder.

A result is kept under a key: a digest of the notebook's cells, of the definitions that they reach
(:mod:`flashwear._reach`), of the files that it opened when it was executed, and of the pinned
requirements. jupyter-cache alone looks at the cells only.
"""

import ast
import asyncio
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging

import fresh_install
from flashwear import _reach
from flashwear.claims import _checks, ledger
from flashwear.claims._registry import Claim
from flashwear.studies import STUDIES

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache" / "notebooks"
RESULTS = ROOT / "data" / "results"
RECORDER = Path(__file__).parent / "recorder"

OFFERED, ABOUT = "offered.ipynb", "about.json"
_LIVE = re.compile(r'<script type="application/json">.*?</script>', re.DOTALL)  # of a chart
_OUTDATED = " by code that has changed"
_NOT_DATA = ("models/", "build/", ".")  # code, and what is made
_LISTS_MODULES = {"import_module", "getdoc", "getmembers"}  # words of cells that do
_VERSIONS = 3  # results that are kept of a notebook: going back to one costs nothing
_LONGEST = (
    "long-test",
    "acceleration",
    "ftl",
    "steady-state",
    "power",
    "validation",
    "wearing-out",
)
"""What takes longest, where no earlier execution says so."""

# lookups by name: what they find is followed by the names in the cells
_STOPS = {"flashwear.claims:_checks", "flashwear.studies:STUDIES", "flashwear._compiled:_njit"}

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Source:
    """A notebook as it is read."""

    name: str
    path: Path
    notebook: nbformat.NotebookNode

    @property
    def is_offered(self) -> bool:
        """Whether readers may download it: it must then run in an empty folder."""
        return any("{nb-download}" in cell.source for cell in self.notebook.cells)

    @property
    def folder(self) -> Path:
        """Where its results are kept."""
        return KEPT / self.name.replace("/", "--")


def read(env: BuildEnvironment, name: str) -> Source | None:
    """Read a page; None if it is no notebook."""
    path = Path(env.doc2path(name))
    text = path.read_text(encoding="utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    if reader is None:
        return None
    notebook = reader.read(text)
    if not any(cell.cell_type == "code" for cell in notebook.cells):
        return None
    return Source(name, path, notebook)


# -- keys ------------------------------------------------------------------------------------------


@cache
def names_for(pieces: frozenset[tuple[str, bool]], known: tuple[str, ...]) -> list[str]:
    """Return which of the known names stand in texts, or begin as a text that is open ends."""
    words = {word for text, is_open in pieces if not is_open for word in re.split(r"[\s,]+", text)}
    begun = tuple(text.split()[-1] for text, is_open in pieces if is_open and text.split())
    return [name for name in known if name in words or (begun and name.startswith(begun))]


def texts(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield the texts in code, and whether something made at run time comes after them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, False
        elif isinstance(node, ast.JoinedStr):
            for part, following in zip(node.values, node.values[1:], strict=False):
                if isinstance(part, ast.Constant) and isinstance(following, ast.FormattedValue):
                    yield str(part.value), True


def code_digest(source: Source) -> str:
    """Return a digest of a notebook's cells and of all definitions that they reach."""
    cells = "\n".join(cell.source for cell in source.notebook.cells if cell.cell_type == "code")
    sources = {"cells": cells}
    found = _reach.reached(["cells"], sources=sources, stops=_STOPS)
    pieces = frozenset(texts(ast.parse(cells)))
    roots, parts = ["cells"], [cells]
    if "flashwear.claims:verdicts" in found:
        roots += sorted({_root(check) for check in _checks().values()})
    elif "flashwear.claims:_checks" in found:
        checks = _checks_of_claims()
        asked = names_for(pieces, tuple(checks))
        roots += sorted({root for id_ in asked if (root := checks[id_])})
    if "flashwear.studies:STUDIES" in found:
        roots.append("flashwear.sweeps")
        if "STUDIES" in cells:  # else only checks of claims load kept tables
            asked = names_for(pieces, tuple(STUDIES))
            parts += [_study(name) for name in asked or STUDIES]
    parts.append(_reach.digest(roots, sources=sources, stops=_STOPS))
    if _LISTS_MODULES & set(re.findall(r"\w+", cells)):
        parts.append(_everything())
    parts += [_surroundings(), str(source.is_offered)]
    parts.append(str(source.notebook.metadata.get("kernelspec")))
    parts += [str(cell.metadata) for cell in source.notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@cache
def _surroundings() -> str:
    """Return what every notebook is executed by and with."""
    paths = [ROOT / "requirements.txt", ROOT / "pyproject.toml", RECORDER / "sitecustomize.py"]
    paths += [Path(__file__), Path(fresh_install.__file__)]
    return "\0".join(path.read_text(encoding="utf-8") for path in paths)


@cache
def _everything() -> str:
    """Return the source of the package, for a page that lists what there is."""
    paths = sorted((ROOT / "models").rglob("*.py"))
    return "\0".join(f"{path}\0{path.read_text(encoding='utf-8')}" for path in paths)


@cache
def _checks_of_claims() -> dict[str, str | None]:
    """Return where the check of each claim stands, or of the claim that it repeats."""
    checks, found = _checks(), {}
    for row in ledger().fillna({"stated": "", "unit": "", "role": ""}).itertuples():
        claim = Claim.from_row(row)
        own = checks.get(claim.id)
        found[claim.id] = _root(own) if own else found.get(claim.duplicate_of)
    return found


def _root(function: object) -> str:
    """Return where a check stands; one that is made at run time stands for its module."""
    name = function.__qualname__
    return function.__module__ if "<locals>" in name else f"{function.__module__}:{name}"


@cache
def _study(name: str) -> str:
    """Return all that decides what a study gives and how it is compared."""
    study = STUDIES[name]
    return repr((study.hash(), study.grid, study.reduced, study.keys, study.tolerance, study.seed))


@cache
def _state(file: str) -> str:
    """Return what a file holds, and of a kept result also whether it is current."""
    path = ROOT / file
    if not path.is_file():
        return "missing"
    state = hashlib.sha256(path.read_bytes()).hexdigest()
    about = path.with_suffix(".json")
    if path == RESULTS / f"{path.stem}.csv" and about.is_file() and path.stem in STUDIES:
        is_current = STUDIES[path.stem].load(RESULTS).current
        return state if is_current else f"{state}{_OUTDATED}"
    return state


def result_of(source: Source) -> Path | None:
    """Return the folder of the result that a notebook would give now, None if there is none."""
    digest = code_digest(source)
    for folder in sorted(source.folder.glob(f"{digest}-*")):
        about = about_result(folder)
        if about and all(_state(file) == state for file, state in about["files"].items()):
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


def kernels(folder: Path) -> KernelSpecManager:
    """Install the wheel in an environment of its own, and return where its kernel is found."""
    python = fresh_install.install(fresh_install.build(folder), folder / "venv", "book")
    where = folder / "kernels" / "python3"
    where.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3 (ipykernel)", "language": "python"}
    (where / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return KernelSpecManager(kernel_dirs=[str(where.parent)])


def execute(source: Source, installed: KernelSpecManager, timeout: int) -> tuple[list[str], float]:
    """Execute a notebook in place; return the tables that it opened, and the seconds it took."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "opened"
        environment = os.environ | {
            "FLASHWEAR_BOOK": "1",
            "FLASHWEAR_RECORD": str(record),
            "FLASHWEAR_ROOT": str(ROOT),
            "PYTHONPATH": str(RECORDER),
        }
        client = NotebookClient(
            source.notebook,
            km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=installed),
            timeout=timeout,
            startup_timeout=timeout,
            coalesce_streams=True,  # else chunks of one text may part in the middle of a line
            record_timing=False,  # times would become part of what jupyter-cache compares
            resources={"metadata": {"path": folder if source.is_offered else source.path.parent}},
        )
        client.owns_km = True  # it ends the kernel
        asyncio.run(client.async_execute(env=environment))
        opened = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    files = {file for file in opened if not file.startswith(_NOT_DATA)}
    return sorted(files), time.perf_counter() - start


def keep(source: Source, files: list[str], seconds: float) -> Path:
    """Keep an executed notebook, and forget the oldest results of it."""
    state = {file: _state(file) for file in files}
    ending = hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()[:8]
    folder = source.folder / f"{code_digest(source)}-{ending}"
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
    kept = sorted(source.folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in kept[:-_VERSIONS]:
        remove_result(old)
    return folder


def offered(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return an executed notebook as readers download it: charts as images, no glued values."""
    copy = deepcopy(notebook)
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                one for one in cell.outputs if "scrapbook" not in one.get("metadata", {})
            ]
            for output in cell.outputs:
                if "text/html" in output.get("data", {}):
                    output.data["text/html"] = _LIVE.sub("", output.data["text/html"])
    return copy


def expected_seconds(source: Source) -> float:
    """Return what an earlier execution took; of what was never executed, a rank."""
    for about in filter(None, map(about_result, source.folder.glob("*"))):
        return float(about["seconds"])
    return 1000.0 - _LONGEST.index(source.name) if source.name in _LONGEST else 10.0


def execute_all(sources: list[Source], timeout: int) -> dict[str, Path]:
    """Execute notebooks side by side, longest first; return where each result is kept."""
    results: dict[str, Path] = {}
    failures = []
    for path in (ROOT / "data").rglob("*"):  # as the notebooks will find them
        _state(path.relative_to(ROOT).as_posix())
    ordered = sorted(sources, key=expected_seconds, reverse=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        installed = kernels(Path(folder))
        running = {pool.submit(execute, source, installed, timeout): source for source in ordered}
        try:
            for done in concurrent.futures.as_completed(running):
                source = running[done]
                if error := done.exception():
                    failures.append(f"{source.path}: {error}")
                    logger.info("failed: %s", source.name)
                    continue
                files, seconds = done.result()
                results[source.name] = keep(source, files, seconds)
                count = f"{len(results)} of {len(sources)}"
                logger.info("executed %s in %.1f s (%s)", source.name, seconds, count)
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
    for cached in (_state, _study, _surroundings, _everything):
        cached.cache_clear()
    app.notebook_results = {}
    known = getattr(env, "notebook_results", {})
    missing = []
    for name in sorted(env.found_docs):
        source = read(env, name)
        if source is None:
            continue
        result = result_of(source)
        if result is None:
            missing.append(source)
        else:
            app.notebook_results[name] = result
    if missing:
        app.notebook_results |= execute_all(missing, app.config.nb_execution_timeout)
    return [
        name
        for name, result in app.notebook_results.items()
        if known.get(name) != str(result) and name not in added
    ]


def choose_result(app: Sphinx, name: str, content: list[str]) -> None:
    """Lead the parser of a page to the result that is kept of it."""
    env = app.env
    result = app.notebook_results.get(name)
    if result is not None:
        env.mystnb_config = env.mystnb_config.copy(execution_cache_path=str(result))
        env.notebook_results = {**getattr(env, "notebook_results", {}), name: str(result)}


def outdated(result: Path) -> list[str]:
    """Return the studies of which a page uses a kept table that is not current."""
    files = (about_result(result) or {"files": {}})["files"]
    return [Path(file).stem for file, state in files.items() if state.endswith(_OUTDATED)]


def mark_outdated(app: Sphinx, doctree: nodes.document) -> None:
    """Say under the title of a page which of the kept tables it uses are not current."""
    result = app.notebook_results.get(app.env.docname)
    studies = outdated(result) if result is not None else []
    title = next(iter(doctree.findall(nodes.title)), None)
    if studies and title is not None:
        text = f"Code has changed since these kept results were made: {', '.join(studies)}."
        title.parent.insert(
            title.parent.index(title) + 1, nodes.warning("", nodes.paragraph("", text))
        )


def offer(app: Sphinx, doctree: object) -> None:
    """Offer the executed notebook for download: of one from the cache, myst-nb has no outputs."""
    result = app.notebook_results.get(app.env.docname)
    if result is not None:
        folder = Path(app.env.mystnb_config.output_folder)
        shutil.copyfile(result / OFFERED, folder / f"{app.env.docname}.ipynb")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-get-outdated", find_changed)
    app.connect("source-read", choose_result)
    app.connect("doctree-read", offer)
    app.connect("doctree-read", mark_outdated)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
