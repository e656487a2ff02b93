"""A virtual environment in which our wheels are installed and nothing that they do not ask for."""

import importlib.metadata
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "models" / "flashwear_book"
Known = Mapping[str, importlib.metadata.Distribution]


def build(folder: Path) -> list[Path]:
    """Build the wheels of the library and the book, and return them in this order."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    for project in (ROOT, BOOK):
        subprocess.run([*command, str(project)], check=True, capture_output=True)
    return sorted(folder.glob("*.whl"))


def install(wheels: list[Path], folder: Path) -> Path:
    """Unpack wheels into a new environment and link in just what they require.

    The third-party packages are those of the running environment, so this needs no network
    and finds any requirement that a wheel does not declare. Gives the environment's python.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    own = {found.name: found for found in importlib.metadata.distributions(path=[str(site)])}
    asked_for = [text for found in own.values() for text in found.requires or []]
    for name in _closure(asked_for, own) - own.keys():
        package = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in package.files or [] if file.parts[0] != ".."}:
            if not (site / top).exists() and Path(package.locate_file(top)).exists():
                (site / top).symlink_to(package.locate_file(top))
    return folder / "bin" / "python"


def requirements() -> set[str]:
    """Return the names of all packages that the book's own package needs."""
    project = tomllib.loads((BOOK / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["metadata"]["hooks"]["custom"]
    return _closure([f"flashwear[{hook['extras']}]", *hook["beside"]], {})


def _closure(asked_for: list[str], own: Known) -> set[str]:
    names: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(text), "") for text in asked_for]
    while waiting:
        requirement, asked = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": asked}):
            continue
        name = requirement.name
        names.add(name)
        extras = {(name, extra) for extra in requirement.extras or {""}} - seen
        seen |= extras
        if extras:
            package = own.get(name) or importlib.metadata.distribution(name)
            more = [Requirement(text) for text in package.requires or []]
            waiting += [(each, extra) for each in more for _, extra in extras]
    return names
