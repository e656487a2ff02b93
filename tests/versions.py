"""Run lint and quick tests on every Python, and with the oldest and newest packages allowed.

Each set has an environment of its own in ``build/versions``, and a log beside it: the pins
on each Python that the classifiers name, the lowest that ``pyproject.toml`` allows on the oldest of
these, and what resolves today on the newest. A Python that this machine does not have is named.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "versions"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINT = (("ruff", "check", "."), ("mypy",), ("lint-imports",))
UV = str(Path(sys.executable).with_name("uv"))
# from this folder, whose tests the processes of a sweep must find
TESTS = ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--ignore=tests/book")
LIBRARY = (  # without what needs the packages of the book, or types
    "--ignore=models/flashwear_book", "--ignore=tests/flashwear_book",
    "--ignore=tests/history/test_monitors.py",
    *(f"--ignore=tests/test_{name}.py"
      for name in ("build", "cells", "cite", "digest", "prove", "stranger", "types")),
    "-W", "ignore:Downcasting object dtype:FutureWarning",
)  # fmt: skip
TOOLS = ("build", "frictionless", "hatchling", "hypothesis", "mpmath", "packaging", "pint",
         "pytest", "pytest-xdist", "xarray")  # fmt: skip


class Case(NamedTuple):
    """A Python, and the packages that are installed for it."""

    name: str
    python: str
    packages: str  # pinned, lowest or newest


def named() -> list[str]:
    """Return the Pythons that the classifiers name, oldest first."""
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line)
             for line in PROJECT["classifiers"])  # fmt: skip
    return sorted(
        (match[1] for match in found if match), key=lambda name: [*map(int, name.split("."))]
    )


def path_of(python: str) -> str | None:
    named = shutil.which(f"python{python}")
    managed = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{python}.*/bin/python{python}"))
    for path in [*([named] if named else []), *map(str, reversed(managed))]:
        asked = [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.stdout.strip() == python:  # a shim may lead to none
            return path
    return None


def cases(there: list[str]) -> Iterator[Case]:
    """Yield what is to be tried with some Pythons, oldest first."""
    for python in there:
        yield Case(f"{python}-pinned", python, "pinned")
    if there:
        yield Case(f"{there[0]}-lowest", there[0], "lowest")
        yield Case(f"{there[-1]}-newest", there[-1], "newest")


def commands(case: Case, python: str, place: Path) -> Iterator[list[str]]:
    """Yield what installs the packages of a case, and what checks the project with them."""
    programs = place / "bin"
    into = [UV, "pip", "install", "--quiet", "--python", str(programs / "python")]
    resolved = place / "resolved.txt"
    resolve = [UV, "pip", "compile", "--quiet", "--python", python, "-o", str(resolved)]
    yield [UV, "venv", "--quiet", "--clear", "--python", python, str(place)]
    if case.packages == "pinned":
        yield [*into, "-r", "requirements.txt"]
    elif case.packages == "newest":
        yield [*resolve, "requirements.in"]
        yield [*into, "-r", str(resolved)]
    else:
        yield [*resolve, "--resolution", "lowest-direct", "--all-extras", "pyproject.toml"]
        yield [*into, "-r", str(resolved), *TOOLS]
    yield [*into, "--no-deps", "-e", "."]
    if case.packages != "lowest":  # types are those of the pinned packages
        yield from ([str(programs / name), *rest] for name, *rest in LINT)
    yield [str(programs / "python"), *TESTS, *(LIBRARY if case.packages == "lowest" else ())]


def run(case: Case, python: str) -> bool:
    """Try a case, say how it ended, and return whether it passed."""
    start = time.monotonic()
    place, log = FOLDER / case.name, FOLDER / f"{case.name}.log"
    print(f"{case.name:14} ...", end=" ", flush=True)
    paths = {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}
    with log.open("w", encoding="utf-8") as file:
        for command in commands(case, python, place):
            print(f"$ {' '.join(command)}", file=file, flush=True)
            done = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT,
                                  env=os.environ | paths, check=False)  # fmt: skip
            if done.returncode:
                break
    minutes = (time.monotonic() - start) / 60
    last = log.read_text(encoding="utf-8").strip().splitlines()[-1]
    ended = f"FAILED at {Path(command[0]).name}, see {log}" if done.returncode else last
    print(f"{ended} ({minutes:.1f} min)", flush=True)
    return done.returncode == 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="versions.py", description=__doc__)
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help="such as 3.13-pinned (default: all)"
    )
    given = parser.parse_args(arguments)
    places = {python: path_of(python) for python in named()}
    for python, place in places.items():
        if place is None:
            print(f"{python}: not on this machine, not tried")
    there = [python for python, place in places.items() if place]
    known = {case.name: case for case in cases(there)}
    unknown = [name for name in given.cases if name not in known]
    if unknown:
        print(f"versions: CASE must be of {', '.join(known)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = [known[name] for name in given.cases or known]
    passed = [run(case, places[case.python] or "") for case in chosen]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
