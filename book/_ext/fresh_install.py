"""A virtual environment in which our wheel is installed and nothing that it does not ask for."""

import importlib.metadata
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path) -> Path:
    """Build the wheel of the checkout."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path, extra: str = "") -> Path:
    """Unpack the wheel into a new environment and link in just what it requires.

    The third-party packages are those of the running environment, so this needs no network
    and finds any requirement that the wheel does not declare. Gives the environment's python.
    """
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (own,) = importlib.metadata.distributions(name="flashwear", path=[str(site)])
    for name in _closure(own.requires or [], extra):
        package = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in package.files or [] if file.parts[0] != ".."}:
            if not (site / top).exists() and Path(package.locate_file(top)).exists():
                (site / top).symlink_to(package.locate_file(top))
    return folder / "bin" / "python"


def requirements(extra: str) -> set[str]:
    """Return the names of all packages that the project needs with an extra."""
    return _closure(importlib.metadata.requires("flashwear") or [], extra)


def _closure(asked_for: list[str], extra: str) -> set[str]:
    names: set[str] = set()
    waiting = [(Requirement(text), extra) for text in asked_for]
    while waiting:
        requirement, asked = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": asked}):
            continue
        if requirement.name in names:
            continue
        names.add(requirement.name)
        more = importlib.metadata.distribution(requirement.name).requires or []
        extras = requirement.extras or {""}
        waiting += [(Requirement(text), each) for text in more for each in extras]
    return names
