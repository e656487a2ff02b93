"""What a notebook's result depends on: its cells, what they import, and the files that it opened."""

import hashlib
import json
import platform
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

from flashwear import _digest
from flashwear_book import claims
from flashwear_book.runs import STUDIES, kept_result
from fresh_install import ROOT, requirements
from notebooks import Source

DATA = ROOT / "data"
RESULTS = DATA / "results"
OUTCOMES = ROOT / ".cache" / "outcomes.json"
OUTDATED = " by code that has changed"
"""How the state of a kept table ends that is not current."""

_CHECKS = [
    f"{claims.__name__}.{path.stem}" for path in Path(claims.__file__).parent.glob("_[!_]*.py")
]
# outcomes say which of the kept results that they rest on are not current
_STUDIES = sorted({study.function.__module__ for study in STUDIES.values()})
# a page depends on what comes of claims, on results that it opens, and not on how code is kept
_STOPS = [*_CHECKS, "flashwear._compiled", "flashwear._digest"]
_PACKAGES = ("flashwear_book",)
_LISTS_MODULES = {"import_module", "getdoc", "getmembers"}  # words of cells that do


def code_digest(source: Source) -> str:
    """Return a digest of a notebook's cells and of all modules that they import."""
    code = [cell for cell in source.notebook.cells if cell.cell_type == "code"]
    cells = "\n".join(cell.source for cell in code)
    found = _digest.reached(["cells"], sources={"cells": cells}, stops=_STOPS, packages=_PACKAGES)
    parts = [cells, repr(sorted(found.items())), _surroundings(), str(source.is_offered)]
    if claims.__name__ in found:
        parts.append(_outcomes())
    if _LISTS_MODULES & set(re.findall(r"\w+", cells)):
        parts.append(_everything())
    parts.append(str(source.notebook.metadata.get("kernelspec")))
    parts += [str(cell.metadata) for cell in code]
    return _hash("\0".join(parts))


@cache
def _surroundings() -> str:
    """Return what every notebook is executed by and with."""
    here = ("execution.py", "fresh_install.py", "recorder/sitecustomize.py", "warm/server.py")
    texts = [(Path(__file__).parent / name).read_text(encoding="utf-8") for name in here]
    packages = [f"{name} {version(name)}" for name in sorted(requirements())]
    return "\0".join([platform.python_version(), *packages, *texts])


@cache
def _everything() -> str:
    """Return the source of the package, for a page that lists what there is."""
    paths = sorted((ROOT / "models").rglob("*.py"))
    return "\0".join(
        f"{path.relative_to(ROOT)}\0{path.read_text(encoding='utf-8')}" for path in paths
    )


@cache
def _outcomes() -> str:
    """Return a digest of what comes of the claims.

    A page shows outcomes, so that it need not be executed again where a change of code or of a
    table leaves them all as they are. They are computed when anything has changed that they rest on.
    """
    tables = [f"{path.name} {_file(path)}" for path in sorted(DATA.rglob("*")) if path.is_file()]
    key = _hash(
        "\0".join(
            [_digest.digest([claims.__name__, *_CHECKS, *_STUDIES]), _surroundings(), *tables]
        )
    )
    try:
        kept = json.loads(OUTCOMES.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return str(kept["outcomes"])
    except (OSError, ValueError, KeyError):
        pass
    outcomes = _hash(claims.verdicts().to_csv())
    OUTCOMES.parent.mkdir(exist_ok=True)
    part = OUTCOMES.with_suffix(".part")
    part.write_text(json.dumps({"key": key, "outcomes": outcomes}), encoding="utf-8")
    part.replace(OUTCOMES)
    return outcomes


@cache
def state(file: str) -> str:
    """Return what a file holds, and of a kept result also by what code, and whether it is current."""
    path = ROOT / file
    if not path.is_file():
        return "missing"
    if path != RESULTS / f"{path.stem}.csv" or path.stem not in STUDIES:
        return _file(path)
    study = STUDIES[path.stem]
    made = repr((study.hash(), study.grid, study.reduced, study.keys, study.tolerance, study.seed))
    is_current = kept_result(path.stem).current
    return f"{_file(path)} {_hash(made)}{'' if is_current else OUTDATED}"


def _file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
