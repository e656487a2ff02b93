"""Commands that pages print call only programs that the commands before them install."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import plain

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BLOCK = re.compile(r"^```(.*)\n((?s:.*?))^```$", re.MULTILINE)
GIVEN = {"make", "python", "python3", "pip", "smartctl"}
FROM = {"flashwear": "flashwear", "jupyter lab": "jupyterlab", "pytest": "pytest"}
"""The package from which a program comes."""
SUBCOMMANDS = {"jupyter"}  # where each is a package of its own


def names(requirements):
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def of_project(extras):
    optional = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]
    return names(asked) | {"flashwear"}


def installed(arguments, locked):
    """Return the packages that ``pip install`` with these arguments is asked for."""
    found = set()
    for word in arguments:
        if word == "-r":
            found |= names(re.findall(r"^[\w.-]+==[\w.]+", "\n".join(locked), re.MULTILINE))
        elif word == "requirements.txt":
            continue
        elif word.startswith(".") or word.endswith(".whl"):
            extras = re.search(r"\[(.*)\]", word)
            found |= of_project(extras[1].split(",") if extras else [])
        else:
            found |= names([word])
    return found


def not_installed(commands, locked=()):
    """Return the commands whose program nothing before them has installed."""
    packages, missing = set(), []
    for line in commands:
        for command in re.split(r"&&|\|", line.partition("#")[0]):
            words = shlex.split(command)
            if not words:
                continue
            program = Path(words[0]).name
            if [program, *words[1:2]] == ["pip", "install"]:
                packages |= installed(words[2:], locked)
                continue
            if program in SUBCOMMANDS:
                program = f"{program} {words[1]}"
            if program not in GIVEN and FROM.get(program) not in packages:
                missing.append(command.strip())
    return missing


def commands_of(path):
    text = path.read_text(encoding="utf-8")
    return [line for kind, block in BLOCK.findall(text) if not kind for line in block.splitlines()]


@pytest.mark.parametrize(
    "page", ["README.md", "book/reference/cite.md", "book/reference/lab/assignment.md"]
)
def test_a_page_installs_the_programs_that_its_commands_call(page):
    commands = commands_of(ROOT / page)
    assert any("pip install" in command for command in commands)
    assert not_installed(commands) == []


def test_the_archive_of_notebooks_installs_the_programs_that_its_command_calls():
    said = plain.README.format(wheel="flashwear-1.0-py3-none-any.whl")
    commands = [line for line in said.splitlines() if line.startswith("  ")]
    locked = (ROOT / "requirements-lab.txt").read_text(encoding="utf-8").splitlines()
    assert len(commands) == 1
    assert not_installed(commands, locked) == []
    assert not_installed(commands) == ["lab/bin/jupyter lab notebooks"]


def test_a_program_that_no_line_installs_is_found():
    asked = [
        "pip install . ./models/flashwear_book", "jupyter lab prices.ipynb", "flashwear wa 0.07",
    ]  # fmt: skip
    assert not_installed(asked) == ["jupyter lab prices.ipynb"]
    assert not_installed(["jupyter lab x", "pip install jupyterlab"]) == ["jupyter lab x"]
