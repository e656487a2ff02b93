"""What a notebook's result depends on: its cells, what they reach, and the files that it opens."""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from flashwear import _reach
from flashwear.study.claims import _checks, ledger
from flashwear.study.claims.registry import Claim
from flashwear.study.runs import STUDIES, kept_result
from fresh_install import ROOT
from notebooks import Source

RESULTS = ROOT / "data" / "results"
OUTDATED = " by code that has changed"
"""How the state of a kept table ends that is not current."""

# lookups by name: what they find is followed by the names in the cells
_STOPS = {
    "flashwear.study.claims:_checks",
    "flashwear.study.runs:",
    "flashwear.study.runs:STUDIES",
    "flashwear._compiled:_njit",
}
_KEPT = re.compile("STUDIES|kept_result|verified_result")  # words of cells that load kept tables
_LISTS_MODULES = {"import_module", "getdoc", "getmembers"}  # words of cells that do


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
    if "flashwear.study.claims:verdicts" in found:
        roots += sorted({_root(check) for check in _checks().values()})
    elif "flashwear.study.claims:_checks" in found:
        checks = _checks_of_claims()
        asked = names_for(pieces, tuple(checks))
        roots += sorted({root for id_ in asked if (root := checks[id_])})
    if "flashwear.study.runs:STUDIES" in found:
        roots.append("flashwear.sweeps")
        if _KEPT.search(cells):  # else only checks of claims load kept tables
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
    paths = [ROOT / "requirements.txt", ROOT / "pyproject.toml"]
    here = ("execution.py", "fresh_install.py", "recorder/sitecustomize.py")
    paths += [Path(__file__).parent / name for name in here]
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
def state(file: str) -> str:
    """Return what a file holds, and of a kept result also whether it is current."""
    path = ROOT / file
    if not path.is_file():
        return "missing"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    about = path.with_suffix(".json")
    if path == RESULTS / f"{path.stem}.csv" and about.is_file() and path.stem in STUDIES:
        is_current = kept_result(path.stem).current
        return digest if is_current else f"{digest}{OUTDATED}"
    return digest
